/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Flow hashes against published check values, and how flows spread by them.

#include "ns3/flow-hash.h"
#include "ns3/ipv4-header.h"
#include "ns3/load-balancer.h"
#include "ns3/udp-header.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/** @returns an RDMA frame of flow number i */
FabricFrame
MakeFlow(uint32_t i)
{
    FabricFrame frame;
    frame.src = 0x100 + i;
    frame.dst = 0x200 + i;
    frame.srcIp = 0x0a000001 + i;
    frame.dstIp = 0x0a000101 + i;
    frame.udpSrc = static_cast<uint16_t>(0xc000 + 7 * i);
    return frame;
}

/** @returns an IPv4 packet with ports, as the ns-3 stack sends it */
FabricFrame
MakePacket(uint16_t sourcePort, uint16_t fragmentOffset)
{
    FabricFrame frame;
    frame.kind = FabricFrameKind::PACKET;
    frame.etherType = 0x0800;
    frame.packet = Create<Packet>(100);
    UdpHeader udp;
    udp.SetSourcePort(sourcePort);
    udp.SetDestinationPort(9);
    frame.packet->AddHeader(udp);
    Ipv4Header ip;
    ip.SetSource("10.0.0.1");
    ip.SetDestination("10.0.0.2");
    ip.SetProtocol(17);
    ip.SetFragmentOffset(fragmentOffset);
    ip.SetPayloadSize(108);
    frame.packet->AddHeader(ip);
    return frame;
}

/** A point of a curve: what is expected of m flows on k ports. */
struct Spread
{
    uint32_t flows; //!< m
    uint32_t ports; //!< k
    double idle;    //!< share of ports without a flow
    double most;    //!< flows of the fullest port, in units of the mean
};

} // namespace

TEST(FlowHash, PublishedCheckValues)
{
    const std::string digits = "123456789";
    const auto* bytes = reinterpret_cast<const uint8_t*>(digits.data());
    EXPECT_EQ(FlowHash::Compute(FlowHash::CRC32, bytes, digits.size()), 0xcbf43926U);
    EXPECT_EQ(FlowHash::Compute(FlowHash::CRC16, bytes, digits.size()), 0xbb3dU);
    // Microsoft's verification suite of receive side scaling: addresses, then ports.
    const std::array<uint8_t, 12> first =
        {66, 9, 149, 187, 161, 142, 100, 80, 0x0a, 0xea, 0x06, 0xe6};
    EXPECT_EQ(FlowHash::Compute(FlowHash::TOEPLITZ, first.data(), 8), 0x323e8fc2U);
    EXPECT_EQ(FlowHash::Compute(FlowHash::TOEPLITZ, first.data(), 12), 0x51ccc178U);
    const std::array<uint8_t, 12> second =
        {199, 92, 111, 2, 65, 69, 140, 83, 0x37, 0x96, 0x12, 0x83};
    EXPECT_EQ(FlowHash::Compute(FlowHash::TOEPLITZ, second.data(), 8), 0xd718262aU);
    EXPECT_EQ(FlowHash::Compute(FlowHash::TOEPLITZ, second.data(), 12), 0xc626b0eaU);
}

TEST(FlowHash, FieldsAreThoseOfTheWire)
{
    const FlowHash::Fields rdma = FlowHash::GetFields(MakeFlow(1));
    const std::vector<uint8_t> expected = {10, 0, 0, 2, 10, 0, 1, 2, 0xc0, 7, 0x12, 0xb7, 17};
    EXPECT_EQ(std::vector<uint8_t>(rdma.bytes.begin(), rdma.bytes.begin() + rdma.size), expected);

    const FlowHash::Fields packet = FlowHash::GetFields(MakePacket(0x1234, 0));
    const std::vector<uint8_t> udp = {10, 0, 0, 1, 10, 0, 0, 2, 0x12, 0x34, 0, 9, 17};
    EXPECT_EQ(std::vector<uint8_t>(packet.bytes.begin(), packet.bytes.begin() + packet.size), udp);
    // A fragment has no ports that all fragments of its packet have.
    const FlowHash::Fields fragment = FlowHash::GetFields(MakePacket(0x1234, 1480));
    EXPECT_EQ(fragment.size, 13U);
    EXPECT_EQ(fragment.bytes[8], 0);

    FabricFrame other;
    other.kind = FabricFrameKind::PACKET;
    other.etherType = 0x0806;
    other.src = 0x010203040506;
    other.packet = Create<Packet>(28);
    EXPECT_EQ(FlowHash::GetFields(other).size, 14U);
    EXPECT_EQ(FlowHash::GetFields(other).bytes[0], 1);
    other.etherType = 0x86dd;
    other.packet = Create<Packet>(30); // too short for IPv6
    EXPECT_EQ(FlowHash::GetFields(other).size, 14U);
    other.packet = Create<Packet>(60);
    EXPECT_EQ(FlowHash::GetFields(other).size, 37U);
}

/** A28: m flows fall on k ports as balls into bins; 1000 seeds. */
TEST(FlowHash, FlowsFallLikeBallsIntoBins)
{
    constexpr uint32_t SEEDS = 1000;
    const std::vector<Spread> spreads = {{8, 8, 0.3436, 2.597},
                                         {16, 16, 0.3561, 3.078},
                                         {32, 16, 0.1268, 2.415},
                                         {64, 16, 0.0161, 1.970}};
    for (const auto function : {FlowHash::CRC16, FlowHash::CRC32, FlowHash::TOEPLITZ})
    {
        for (const Spread& spread : spreads)
        {
            double idle = 0;
            double idleSquares = 0;
            double most = 0;
            double mostSquares = 0;
            for (uint32_t seed = 1; seed <= SEEDS; ++seed)
            {
                std::vector<uint32_t> load(spread.ports);
                for (uint32_t flow = 0; flow < spread.flows; ++flow)
                {
                    ++load[FlowHash::Compute(function, seed, MakeFlow(flow)) % spread.ports];
                }
                const double mean = static_cast<double>(spread.flows) / spread.ports;
                const double none =
                    static_cast<double>(std::count(load.begin(), load.end(), 0)) / spread.ports;
                const double top = *std::max_element(load.begin(), load.end()) / mean;
                idle += none;
                idleSquares += none * none;
                most += top;
                mostSquares += top * top;
            }
            const double idleMean = idle / SEEDS;
            const double mostMean = most / SEEDS;
            const double idleError =
                3 * std::sqrt((idleSquares / SEEDS - idleMean * idleMean) / SEEDS);
            const double mostError =
                3 * std::sqrt((mostSquares / SEEDS - mostMean * mostMean) / SEEDS);
            EXPECT_NEAR(idleMean, spread.idle, idleError) << function << " " << spread.flows;
            EXPECT_NEAR(mostMean, spread.most, mostError) << function << " " << spread.flows;
        }
    }
}

/** Flows that share a port on the first tier: on the next one they stay together with the same
 * seed, and spread with another. */
TEST(FlowHash, SameSeedPolarises)
{
    std::set<uint32_t> same;
    std::set<uint32_t> other;
    for (uint32_t flow = 0; flow < 400; ++flow)
    {
        const FabricFrame frame = MakeFlow(flow);
        if (FlowHash::Compute(FlowHash::CRC32, 1, frame) % 4 == 2)
        {
            same.insert(FlowHash::Compute(FlowHash::CRC32, 1, frame) % 4);
            other.insert(FlowHash::Compute(FlowHash::CRC32, 2, frame) % 4);
        }
    }
    EXPECT_EQ(same.size(), 1U);
    EXPECT_EQ(other.size(), 4U);
}

TEST(LoadBalancer, WeightsHoldInEveryMode)
{
    const std::vector<uint16_t> ports = {3, 5, 5, 5};
    for (const auto mode :
         {LoadBalancer::ECMP, LoadBalancer::PER_PACKET, LoadBalancer::ROUND_ROBIN})
    {
        LoadBalancer balancer;
        balancer.AssignStreams(7);
        LoadBalancer::Config config;
        config.mode = mode;
        balancer.Configure(config);
        uint32_t heavy = 0;
        for (uint32_t i = 0; i < 4000; ++i)
        {
            heavy += balancer.Choose(MakeFlow(i), {}, ports, i) == 5;
        }
        EXPECT_NEAR(heavy, 3000, mode == LoadBalancer::ROUND_ROBIN ? 0 : 3 * std::sqrt(750))
            << mode;
    }
}

TEST(LoadBalancer, FlowletMovesOnlyAfterAGap)
{
    LoadBalancer balancer;
    balancer.AssignStreams(7);
    LoadBalancer::Config config;
    config.mode = LoadBalancer::FLOWLET;
    config.gap = 100;
    balancer.Configure(config);
    const std::vector<uint16_t> ports = {0, 1, 2, 3, 4, 5, 6, 7};
    const FabricFrame flow = MakeFlow(0);
    FabricTick now = 1000;
    const uint16_t first = balancer.Choose(flow, {}, ports, now);
    for (int i = 0; i < 50; ++i)
    {
        now += 100; // not longer than the gap
        ASSERT_EQ(balancer.Choose(flow, {}, ports, now), first);
    }
    EXPECT_EQ(balancer.GetFlowlets(), 1U);
    std::set<uint16_t> seen;
    for (int i = 0; i < 50; ++i)
    {
        now += 101;
        seen.insert(balancer.Choose(flow, {}, ports, now));
    }
    EXPECT_EQ(balancer.GetFlowlets(), 51U);
    EXPECT_EQ(seen.size(), 8U);
    // A port that is not there any more is left at once.
    EXPECT_EQ(balancer.Choose(flow, {}, {9}, now), 9);
    // What is pending moves with time.
    balancer.Shift(1000);
    EXPECT_EQ(balancer.Choose(flow, {}, {9, 10}, now + 1050), 9);
    EXPECT_EQ(balancer.GetFlowlets(), 52U);
}
