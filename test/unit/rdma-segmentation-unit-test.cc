/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Messages to packets: opcodes, sizes, PSNs and ACK requests of the requester, with nothing lost.

#include "ns3/ib-opcode.h"
#include "ns3/rc-requester.h"
#include "ns3/rc-responder.h"

#include <gtest/gtest.h>
#include <tuple>
#include <vector>

using namespace ns3;

namespace
{

/** @returns a requester with the given configuration */
RcRequester
MakeRequester(uint32_t mtu, uint32_t ackInterval, uint64_t window = 0, uint32_t initialPsn = 0)
{
    RcRequester::Config config;
    config.mtu = mtu;
    config.ackInterval = ackInterval;
    config.windowBytes = window;
    config.initialPsn = initialPsn;
    RcRequester requester;
    requester.Configure(config);
    return requester;
}

/** @returns everything that may be sent without an acknowledgment */
std::vector<RcPacket>
SendAll(RcRequester& requester)
{
    std::vector<RcPacket> packets;
    while (requester.HasPacket())
    {
        const RcPacket peeked = requester.Peek();
        packets.push_back(requester.Send());
        EXPECT_EQ(peeked.opcode, packets.back().opcode);
        EXPECT_EQ(peeked.payload, packets.back().payload);
    }
    return packets;
}

/** MTU, full packets of the message, bytes beyond them (-1: all but one of a packet), operation. */
class Segmentation
    : public ::testing::TestWithParam<std::tuple<uint32_t, uint32_t, int32_t, RcOperation>>
{
};

TEST_P(Segmentation, OpcodesAndSizes)
{
    const auto [mtu, fullPackets, extra, operation] = GetParam();
    const uint64_t bytes = uint64_t{mtu} * fullPackets + (extra < 0 ? mtu + extra : extra);
    RcRequester requester = MakeRequester(mtu, 0);
    EXPECT_EQ(requester.Post(operation, bytes, 77), 0U);
    const std::vector<RcPacket> packets = SendAll(requester);

    const std::size_t expected = bytes == 0 ? 1 : (bytes + mtu - 1) / mtu;
    ASSERT_EQ(packets.size(), expected);
    const uint8_t base =
        operation == RcOperation::WRITE ? IbOpcode::RC_WRITE_FIRST : IbOpcode::RC_SEND_FIRST;
    uint64_t sum = 0;
    for (std::size_t i = 0; i < packets.size(); ++i)
    {
        const bool first = i == 0;
        const bool last = i + 1 == packets.size();
        // FIRST, MIDDLE, LAST, LAST with immediate, ONLY are numbered in this order (IBA table 38).
        const uint8_t opcode = first ? (last ? base + 4 : base) : (last ? base + 2 : base + 1);
        EXPECT_EQ(packets[i].opcode, opcode);
        EXPECT_EQ(packets[i].psn, i);
        EXPECT_EQ(packets[i].ackRequest, last);
        EXPECT_EQ(packets[i].first, first);
        EXPECT_EQ(packets[i].tag, 77U);
        if (!last)
        {
            EXPECT_EQ(packets[i].payload, mtu);
        }
        sum += packets[i].payload;
    }
    EXPECT_EQ(sum, bytes);
}

INSTANTIATE_TEST_SUITE_P(EveryMtuAndSize,
                         Segmentation,
                         ::testing::Combine(::testing::Values(256, 512, 1024, 2048, 4096),
                                            ::testing::Values(0, 1, 2, 3, 17),
                                            ::testing::Values(-1, 0, 1, 5),
                                            ::testing::Values(RcOperation::SEND,
                                                              RcOperation::WRITE)));

/** Carries everything over at once and returns the number of ACKs. */
uint64_t
RunLossless(RcRequester& requester, RcResponder& responder, uint64_t& completed)
{
    uint64_t acks = 0;
    while (requester.HasPacket())
    {
        const RcPacket packet = requester.Send();
        const RcResponder::Result result = responder.OnPacket(packet.opcode,
                                                              packet.psn,
                                                              packet.payload,
                                                              packet.ackRequest,
                                                              packet.tag);
        EXPECT_EQ(result.order, RcResponder::Order::EXPECTED);
        EXPECT_NE(result.answer, RcResponder::Answer::NAK);
        if (result.answer == RcResponder::Answer::ACK)
        {
            ++acks;
            requester.OnAck(responder.GetAckPsn());
        }
        while (requester.HasCompleted())
        {
            EXPECT_EQ(requester.TakeCompleted().id, completed);
            ++completed;
        }
    }
    return acks;
}

TEST(RcAckCount, OneAckPerIntervalExactly)
{
    RcRequester requester = MakeRequester(1024, 8);
    RcResponder responder;
    responder.Configure(0, 8);
    requester.Post(RcOperation::WRITE, 800 * 1024, 0);
    uint64_t completed = 0;
    EXPECT_EQ(RunLossless(requester, responder, completed), 100U);
    EXPECT_EQ(completed, 1U);
}

TEST(RcAckCount, LastPacketOfAMessageIsAcknowledgedAtOnce)
{
    RcRequester requester = MakeRequester(1024, 8);
    RcResponder responder;
    responder.Configure(0, 8);
    requester.Post(RcOperation::WRITE, 801 * 1024, 0);
    uint64_t completed = 0;
    EXPECT_EQ(RunLossless(requester, responder, completed), 101U);
    for (uint32_t i = 0; i < 10; ++i)
    {
        requester.Post(RcOperation::SEND, 100, 0);
    }
    EXPECT_EQ(RunLossless(requester, responder, completed), 10U);
    EXPECT_EQ(completed, 11U);
    EXPECT_EQ(responder.GetMsn(), 11U);
}

TEST(RcAckCount, ResponderCountsEvenIfItIsNeverAsked)
{
    RcResponder responder;
    responder.Configure(0, 4);
    uint32_t acks = 0;
    for (uint32_t psn = 0; psn < 12; ++psn)
    {
        const auto result = responder.OnPacket(IbOpcode::RC_WRITE_MIDDLE, psn, 256, false, 0);
        acks += result.answer == RcResponder::Answer::ACK;
        EXPECT_EQ(result.answer == RcResponder::Answer::ACK, psn % 4 == 3);
    }
    EXPECT_EQ(acks, 3U);
}

TEST(RcWindow, PacketThatFillsItAsksForAnAck)
{
    // Three packets fit; the interval of 100 would never ask.
    RcRequester requester = MakeRequester(1000, 100, 3999);
    requester.Post(RcOperation::WRITE, 10000, 0);
    std::vector<RcPacket> packets = SendAll(requester);
    ASSERT_EQ(packets.size(), 3U);
    EXPECT_FALSE(packets[0].ackRequest);
    EXPECT_FALSE(packets[1].ackRequest);
    EXPECT_TRUE(packets[2].ackRequest);
    EXPECT_TRUE(requester.IsAwaitingAck());

    EXPECT_EQ(requester.OnAck(0).bytes, 1000U);
    packets = SendAll(requester);
    ASSERT_EQ(packets.size(), 1U);
    EXPECT_TRUE(packets[0].ackRequest);
}

TEST(RcWindow, SmallerThanIntervalOrPacketDoesNotStall)
{
    for (const uint64_t window : {1, 1024, 5000, 64 * 1024})
    {
        RcRequester requester = MakeRequester(1024, 1000, window);
        RcResponder responder;
        responder.Configure(0, 1000);
        requester.Post(RcOperation::WRITE, 1 << 20, 0);
        requester.Post(RcOperation::SEND, 0, 0);
        requester.Post(RcOperation::WRITE, 5, 0);
        uint64_t completed = 0;
        RunLossless(requester, responder, completed);
        EXPECT_EQ(completed, 3U) << "window " << window;
        EXPECT_TRUE(requester.IsIdle());
        EXPECT_EQ(responder.GetBytes(), (1U << 20) + 5);
    }
}

TEST(RcPsn, WrapsAround)
{
    const uint32_t start = RC_PSN_MODULUS - 3;
    RcRequester requester = MakeRequester(256, 2, 0, start);
    RcResponder responder;
    responder.Configure(start, 2);
    requester.Post(RcOperation::WRITE, 8 * 256, 1);
    const RcPacket first = requester.Peek();
    EXPECT_EQ(first.psn, start);
    uint64_t completed = 0;
    EXPECT_EQ(RunLossless(requester, responder, completed), 4U);
    EXPECT_EQ(completed, 1U);
    EXPECT_EQ(responder.GetExpectedPsn(), 5U);
    EXPECT_EQ(responder.GetAckPsn(), 4U);
    EXPECT_EQ(requester.GetAckedPackets(), 8U);
}

TEST(RcPsn, AtMostHalfTheSpaceIsOutstanding)
{
    RcRequester requester = MakeRequester(256, 0);
    requester.Post(RcOperation::WRITE, uint64_t{256} * RC_PSN_MODULUS, 0);
    uint64_t sent = 0;
    RcPacket packet;
    while (requester.HasPacket())
    {
        packet = requester.Send();
        ++sent;
    }
    EXPECT_EQ(sent, RC_PSN_WINDOW);
    EXPECT_TRUE(packet.ackRequest) << "or it would wait for ever";
    EXPECT_EQ(requester.OnAck(packet.psn).packets, RC_PSN_WINDOW);
    EXPECT_TRUE(requester.HasPacket());
}

TEST(RcPsn, FiveGibibytesAndMore)
{
    const uint64_t bytes = (uint64_t{5} << 30) + 1;
    RcRequester requester = MakeRequester(4096, 64);
    RcResponder responder;
    responder.Configure(0, 64);
    requester.Post(RcOperation::WRITE, bytes, 9);
    uint64_t completed = 0;
    const uint64_t acks = RunLossless(requester, responder, completed);
    EXPECT_EQ(acks, (uint64_t{5} << 30) / 4096 / 64 + 1);
    EXPECT_EQ(completed, 1U);
    EXPECT_EQ(responder.GetBytes(), bytes);
    EXPECT_EQ(requester.GetAckedBytes(), bytes);
}

TEST(RcState, HashForgetsHowFarItIs)
{
    // The same relative state, one window of packets later and with other PSNs.
    RcRequester a = MakeRequester(1024, 4, 8 * 1024);
    RcRequester b = MakeRequester(1024, 4, 8 * 1024, 12345);
    StateHash hashes[2];
    a.Post(RcOperation::WRITE, 100 * 1024, 0);
    b.Post(RcOperation::WRITE, 90 * 1024, 0);
    SendAll(a);
    a.OnAck(7);
    SendAll(a);
    a.HashState(hashes[0]);
    SendAll(b);
    b.OnAck(12345 + 15);
    b.OnAck(12345 + 7);
    SendAll(b);
    b.HashState(hashes[1]);
    EXPECT_EQ(hashes[0].Get(), hashes[1].Get());
    b.OnAck(12345 + 8);
    StateHash other;
    b.HashState(other);
    EXPECT_NE(other.Get(), hashes[1].Get());
}

} // namespace
