/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Buffer against cable length: the closed form against its published tables, the simulation against
// the closed form, and the helper that chooses the buffer.

#include "../support/credit-rig.h"
#include "../support/picosecond-test.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"

#include <cmath>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::linkrig;

namespace
{

class LinkCreditLoop : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        USE_PICOSECONDS();
    }

    void TearDown() override
    {
        Simulator::Destroy();
        EXPECT_EQ(FabricFramePool::GetOutstanding(), 0U);
    }
};

/** @returns an IB helper with a cable of so many meters, without latencies */
std::unique_ptr<IbHelper>
MakeIb(double gbps, double meters)
{
    auto helper = std::make_unique<IbHelper>();
    helper->SetHostAttribute("ReceiveLatency", TimeValue(NanoSeconds(0)));
    helper->SetDeviceAttribute("DataRate", DataRateValue(static_cast<uint64_t>(gbps * 1e9)));
    helper->SetChannelAttribute("Delay", TimeValue(PicoSeconds(std::llround(meters * 5000))));
    return helper;
}

/** @returns buffer of so many full packets */
UintegerValue
PacketBuffer(uint64_t packets)
{
    return UintegerValue(packets * IB_PACKET_BLOCKS * 64);
}

/** Two hosts and a switch between them. */
struct Line
{
    /**
     * @param helper of the fabric
     * @param firstPackets buffer of the switch towards the first host; 0: as the helper has it
     */
    Line(IbHelper& helper, uint64_t firstPackets)
    {
        nodes.Create(3);
        helper.InstallSwitch(nodes.Get(1));
        if (firstPackets)
        {
            helper.SetFlowControlAttribute("BufferBytes", PacketBuffer(firstPackets));
        }
        a = DynamicCast<FabricNetDevice>(helper.Install(nodes.Get(0), nodes.Get(1)).Get(0));
        if (firstPackets)
        {
            helper.SetFlowControlAttribute("BufferBytes", UintegerValue(131072));
        }
        b = DynamicCast<FabricNetDevice>(helper.Install(nodes.Get(2), nodes.Get(1)).Get(0));
        helper.Configure(NodeContainer(nodes.Get(1)));
    }

    NodeContainer nodes;
    Ptr<FabricNetDevice> a;
    Ptr<FabricNetDevice> b;
};

} // namespace

// Smallest W and N for full rate in the ideal loop.
TEST(IbCreditLoop, IdealTable)
{
    struct Row
    {
        double gbps;
        uint64_t packets[7];
    };

    constexpr double METERS[] = {3, 10, 30, 50, 100, 300, 1000};
    const std::vector<Row> rows = {{100, {2, 2, 2, 3, 5, 11, 32}},
                                   {200, {2, 2, 3, 5, 8, 20, 62}},
                                   {400, {2, 3, 5, 8, 14, 38, 123}},
                                   {800, {2, 4, 9, 14, 26, 74, 244}}};
    for (const Row& row : rows)
    {
        for (std::size_t i = 0; i < std::size(METERS); ++i)
        {
            const IbCreditLoop loop = MakeIdealLoop(row.gbps, METERS[i]);
            const uint64_t packets = loop.GetFullRatePackets();
            EXPECT_EQ(packets, row.packets[i]) << row.gbps << " Gb/s, " << METERS[i] << " m";
            // The least one, and no more than that.
            const double full = row.gbps * 1e9 * 4096 / 4122;
            EXPECT_DOUBLE_EQ(loop.GetGoodput(packets, 4096), full);
            EXPECT_LT(loop.GetGoodput(packets - 1, 4096), full * (1 - 1e-6));
        }
    }
}

// With 200 ns and a full packet on the way back: KiB in whole packets, and the longest cables.
TEST(IbCreditLoop, PracticalTable)
{
    struct Row
    {
        double gbps;
        double kib[5];
        uint64_t packets[5];
        double longestMeters;
    };

    constexpr double METERS[] = {3, 10, 30, 50, 100};
    const std::vector<Row> rows = {{100, {12.2, 12.2, 16.2, 20.3, 24.4}, {3, 3, 4, 5, 6}, 936},
                                   {200, {16.2, 16.2, 24.4, 28.4, 40.6}, {4, 4, 6, 7, 10}, 458},
                                   {400, {20.3, 24.4, 36.6, 44.7, 69.1}, {5, 6, 9, 11, 17}, 219},
                                   {800, {32.5, 40.6, 60.9, 77.2, 130.0}, {8, 10, 15, 19, 32}, 99}};
    for (const Row& row : rows)
    {
        for (std::size_t i = 0; i < std::size(METERS); ++i)
        {
            const uint64_t packets =
                MakeIdealLoop(row.gbps, METERS[i]).MakePractical().GetFullRatePackets();
            EXPECT_EQ(packets, row.packets[i]) << row.gbps << " Gb/s, " << METERS[i] << " m";
            EXPECT_NEAR(packets * 65 * 64 / 1024.0, row.kib[i], 0.0501); // 16.25 is printed as 16.2
            EXPECT_EQ(packets > IbCreditLoop::GetMostPackets(4122, 64),
                      row.gbps == 800 && METERS[i] == 100);
        }
        // Whole meters.
        EXPECT_EQ(
            std::floor(MakeIdealLoop(row.gbps, 0).MakePractical().GetLongestPropagation(31) / 5e-9),
            row.longestMeters);
    }
    EXPECT_NEAR(MakeIdealLoop(32, 0).MakePractical().GetLongestPropagation(31) / 5e-9, 2970, 5);
    EXPECT_NEAR(MakeIdealLoop(600.0 / 11, 0).MakePractical().GetLongestPropagation(31) / 5e-9,
                1730,
                5);
    EXPECT_LT(MakeIdealLoop(400, 0).MakePractical().GetLongestPropagation(1), 0);
}

TEST(IbCreditLoop, Windows)
{
    EXPECT_EQ(IbCreditLoop::GetMostPackets(4122, 64), 31U);
    EXPECT_EQ(IbCreditLoop::GetMostPackets(4122, 128), 62U);
    EXPECT_EQ(IbCreditLoop::GetWindow(64, 4122, 64), 0U);
    EXPECT_EQ(IbCreditLoop::GetWindow(129, 4122, 64), 1U);
    EXPECT_EQ(IbCreditLoop::GetWindow(16384, 4122, 64), 31U);
    // A loop of exactly four packets needs four.
    IbCreditLoop loop = MakeIdealLoop(400, 0);
    loop.controlBytes = 0;
    loop.propagation = 3 * 82.44e-9 / 2;
    EXPECT_EQ(loop.GetFullRatePackets(), 4U);
}

// A4, A5: the simulation equals the closed form on every rate, length and buffer; at picosecond
// resolution to the tick.
TEST_F(LinkCreditLoop, SweepEqualsClosedForm)
{
    int limited = 0;
    int full = 0;
    for (const uint32_t gbps : {100, 200, 400, 800})
    {
        for (const uint32_t meters : {1, 3, 10, 30, 50, 100, 200, 300, 1000})
        {
            const IbCreditLoop loop = MakeIdealLoop(gbps, meters);
            for (const uint32_t blocks : InterestingBuffers(loop))
            {
                const auto helper = MakeIb(gbps, meters);
                helper->SetFlowControlAttribute("BufferBytes", UintegerValue(blocks * 64));
                const auto ends = InstallCable(*helper);
                const uint64_t window = IbCreditLoop::GetWindow(blocks, IB_PACKET_BYTES, 64);
                const CreditRun run = Saturate(ends[0], ends[1], window, 8);
                EXPECT_NEAR(run.goodput / loop.GetGoodput(window, 4096), 1, 1e-9)
                    << gbps << " Gb/s, " << meters << " m, " << blocks << " blocks";
                const FabricTick packet = FabricTick{IB_PACKET_BYTES} * 8000 / gbps;
                const FabricTick ideal = packet + FabricTick{meters} * 10000 + 8 * 8000 / gbps;
                EXPECT_EQ(run.windowTicks,
                          std::max(ideal, static_cast<FabricTick>(window) * packet));
                EXPECT_EQ(run.drops, 0U);
                EXPECT_LE(run.most, blocks);
                (window < loop.GetFullRatePackets() ? limited : full) += 1;
            }
        }
    }
    EXPECT_GT(limited, 100);
    EXPECT_GT(full, 100);
}

// The published digits of A4 and A5.
TEST_F(LinkCreditLoop, PublishedRows)
{
    EXPECT_NEAR(MakeIdealLoop(400, 100).GetGoodput(1, 4096) / 1e9, 30.27, 0.005);
    EXPECT_NEAR(MakeIdealLoop(400, 100).GetGoodput(12, 4096) / 1e9, 363.21, 0.005);
    EXPECT_NEAR(MakeIdealLoop(400, 100).GetGoodput(14, 4096) / 1e9, 397.48, 0.005);
    EXPECT_NEAR(MakeIdealLoop(400, 50).GetGoodput(1, 4096) / 1e9, 56.24, 0.005);
    EXPECT_NEAR(MakeIdealLoop(400, 50).GetGoodput(4, 4096) / 1e9, 224.98, 0.005);
    EXPECT_NEAR(MakeIdealLoop(400, 300).GetGoodput(31, 4096) / 1e9, 329.5, 0.05);
}

// A chosen buffer gives full rate in both directions at once; the least one gives it one way, and a
// packet less does not.
TEST_F(LinkCreditLoop, AutoBufferOnCable)
{
    for (const uint32_t gbps : {100, 200, 400, 800})
    {
        const double full = gbps * 1e9 * 4096 / 4122;
        for (const uint32_t meters : {1, 10, 50, 100, 200})
        {
            SCOPED_TRACE(std::to_string(gbps) + " Gb/s, " + std::to_string(meters) + " m");
            auto helper = MakeIb(gbps, meters);
            helper->SetHostAttribute("ReceiveLatency", TimeValue(NanoSeconds(300)));
            helper->SetAutoBuffer(true);
            auto ends = InstallCable(*helper);
            const IbLinkBuffer buffer = IbHelper::GetLinkBuffer(ends[0]);
            EXPECT_TRUE(buffer.IsEnough());
            EXPECT_EQ(buffer.GetPackets(), buffer.GetTwoWayPackets());
            const uint64_t least = buffer.GetMinPackets();
            EXPECT_LE(buffer.GetPackets(), least + 1);
            Blaster forth(ends[0], ends[1]->GetFabricAddress(), 4096, 3000);
            Blaster back(ends[1], ends[0]->GetFabricAddress(), 4096, 3000);
            Counter there(ends[1]);
            Counter here(ends[0]);
            forth.Start();
            back.Start();
            Simulator::Run();
            ASSERT_EQ(there.frames, 3000U);
            ASSERT_EQ(here.frames, 3000U);
            // Each packet has a flow-control packet of 8 bytes on the way back.
            const double both = gbps * 1e9 * 4096 / (4122 + 8);
            EXPECT_NEAR(there.Goodput(500, 2900, 4096) / both, 1, 1e-3);
            EXPECT_NEAR(here.Goodput(500, 2900, 4096) / both, 1, 1e-3);
            Simulator::Destroy();

            for (const uint64_t packets : {least, least - 1})
            {
                helper = MakeIb(gbps, meters);
                helper->SetHostAttribute("ReceiveLatency", TimeValue(NanoSeconds(300)));
                helper->SetFlowControlAttribute("BlockBytes", UintegerValue(128));
                helper->SetFlowControlAttribute("BufferBytes", UintegerValue(packets * 33 * 128));
                ends = InstallCable(*helper);
                const IbLinkBuffer given = IbHelper::GetLinkBuffer(ends[0]);
                EXPECT_EQ(given.GetPackets(), packets);
                EXPECT_EQ(given.IsEnough(), packets == least);
                const double expected = given.GetGoodput();
                const CreditRun run = Saturate(ends[0], ends[1], packets, 20);
                EXPECT_NEAR(run.goodput / expected, 1, 1e-6);
                EXPECT_EQ(run.goodput > full * (1 - 1e-6), packets == least);
            }
        }
    }
}

// The same over a switch, which holds a packet until it has left.
TEST_F(LinkCreditLoop, AutoBufferOverSwitch)
{
    for (const bool cutThrough : {true, false})
    {
        for (const uint32_t gbps : {100, 200, 400, 800})
        {
            const double full = gbps * 1e9 * 4096 / 4122;
            for (const uint32_t meters : {1, 50, 100, 200})
            {
                SCOPED_TRACE(std::string(cutThrough ? "cut-through, " : "stored, ") +
                             std::to_string(gbps) + " Gb/s, " + std::to_string(meters) + " m");
                uint64_t least = 0;
                {
                    const auto helper = MakeIb(gbps, meters);
                    helper->SetSwitchAttribute("CutThrough", BooleanValue(cutThrough));
                    helper->SetAutoBuffer(true);
                    const Line line(*helper, 0);
                    const IbLinkBuffer buffer = IbHelper::GetLinkBuffer(line.a);
                    EXPECT_TRUE(buffer.IsEnough()) << buffer.ToString();
                    least = buffer.GetMinPackets();
                    const CreditRun run = Saturate(line.a, line.b, buffer.GetPackets(), 20);
                    EXPECT_NEAR(run.goodput / full, 1, 1e-6);
                    EXPECT_EQ(run.drops, 0U);
                }
                if (least > 31)
                {
                    continue; // not with blocks of 64 bytes
                }
                for (const uint64_t packets : {least, least - 1})
                {
                    const auto helper = MakeIb(gbps, meters);
                    helper->SetSwitchAttribute("CutThrough", BooleanValue(cutThrough));
                    const Line line(*helper, packets);
                    const double expected = IbHelper::GetLinkBuffer(line.a).GetGoodput();
                    const CreditRun run = Saturate(line.a, line.b, packets, 20);
                    EXPECT_NEAR(run.goodput / expected, 1, 1e-6);
                    EXPECT_EQ(run.goodput > full * (1 - 1e-6), packets == least);
                }
            }
        }
    }
}

// What a host's slow memory adds.
TEST_F(LinkCreditLoop, DrainRateLengthensTheLoop)
{
    const auto helper = MakeIb(400, 20);
    helper->SetHostAttribute("DrainRate", StringValue("500Gbps"));
    helper->SetFlowControlAttribute("BufferBytes", PacketBuffer(3));
    const auto ends = InstallCable(*helper);
    const IbLinkBuffer buffer = IbHelper::GetLinkBuffer(ends[0]);
    EXPECT_NEAR(buffer.loop.GetSeconds(),
                82.44e-9 + 2 * 100e-9 + 4122 * 8 / 500e9 + 0.16e-9,
                1e-15);
    const double expected = buffer.GetGoodput();
    EXPECT_NEAR(Saturate(ends[0], ends[1], 3, 20).goodput / expected, 1, 1e-4);
}

TEST_F(LinkCreditLoop, Report)
{
    auto helper = MakeIb(400, 100);
    const auto ends = InstallCable(*helper);
    const IbLinkBuffer buffer = IbHelper::GetLinkBuffer(ends[0]);
    EXPECT_EQ(buffer.GetMinPackets(), 14U);
    EXPECT_EQ(buffer.GetTwoWayPackets(), 15U);
    EXPECT_EQ(buffer.GetPackets(), 15U);
    EXPECT_NE(buffer.ToString().find("400 Gb/s, cable 500 ns: full rate of a lane needs 14 packets "
                                     "of 4138 bytes (58240 bytes), 15 with full traffic the other "
                                     "way; it has 15 (65536 bytes): enough"),
              std::string::npos)
        << buffer.ToString();
    helper = MakeIb(800, 300);
    helper->SetFlowControlAttribute("BufferBytes", UintegerValue(1 << 20));
    const std::string text = IbHelper::GetLinkBuffer(InstallCable(*helper)[0]).ToString();
    EXPECT_NE(text.find("needs 74 packets"), std::string::npos) << text;
    EXPECT_NE(text.find("it has 31 (1048576 bytes): at most 334."), std::string::npos) << text;
    EXPECT_NE(text.find("BlockBytes must grow"), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), std::string::npos);
    helper = MakeIb(400, 1);
    helper->SetFlowControl("ns3::NoFlowControl");
    EXPECT_THROW(IbHelper::GetLinkBuffer(InstallCable(*helper)[0]), std::invalid_argument);
    helper->SetAutoBuffer(true);
    EXPECT_THROW(InstallCable(*helper), std::invalid_argument);
}

TEST_F(LinkCreditLoop, AutoBufferAtItsLimits)
{
    // 6 ms one way: far more packets than credit can be announced for, whatever the block.
    auto helper = MakeIb(400, 1);
    helper->SetChannelAttribute("Delay", TimeValue(MilliSeconds(6)));
    helper->SetAutoBuffer(true);
    const IbLinkBuffer buffer = IbHelper::GetLinkBuffer(InstallCable(*helper)[0]);
    EXPECT_EQ(buffer.GetPackets(), 2048U);
    EXPECT_EQ(buffer.blockBytes, 8192U); // the smallest that holds a packet
    EXPECT_FALSE(buffer.IsEnough());

    helper = MakeIb(400, 1);
    helper->SetDeviceAttribute("DataRate", DataRateValue(DataRate(uint64_t{0})));
    helper->SetAutoBuffer(true);
    EXPECT_THROW(InstallCable(*helper), std::invalid_argument);
}
