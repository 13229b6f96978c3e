/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The link layer against closed forms, at picosecond resolution. Every test is its own process
// under ctest, so the resolution can be set; the suites run at ns-3's default resolution.

#include "../support/link-rig.h"
#include "../support/picosecond-test.h"

#include "ns3/boolean.h"
#include "ns3/credit-counters.h"
#include "ns3/credit-flow-control.h"
#include "ns3/double.h"
#include "ns3/egress-queue.h"
#include "ns3/pause-flow-control.h"
#include "ns3/roce-switch.h"
#include "ns3/tx-clock.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::linkrig;

namespace
{

class LinkExact : public ::testing::Test
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

struct Goodput
{
    const char* fabric;
    uint32_t payload;
    uint64_t gbps;
};

class GoodputExact : public LinkExact, public ::testing::WithParamInterface<Goodput>
{
};

std::vector<Goodput>
AllGoodputs()
{
    std::vector<Goodput> all;
    for (const char* fabric : {"ib", "roce"})
    {
        for (const uint32_t payload : {256, 512, 1024, 2048, 4096})
        {
            for (const uint64_t gbps : {100, 200, 400, 800})
            {
                all.push_back({fabric, payload, gbps});
            }
        }
    }
    return all;
}

} // namespace

// A1, A2: one saturating flow, direct cable.
TEST_P(GoodputExact, OneFlowDirect)
{
    const Goodput& p = GetParam();
    auto helper = MakeHelper(p.fabric, std::to_string(p.gbps) + "Gbps");
    NodeContainer nodes(2);
    const NetDeviceContainer devices = helper->Install(nodes.Get(0), nodes.Get(1));
    const auto a = DynamicCast<FabricNetDevice>(devices.Get(0));
    const auto b = DynamicCast<FabricNetDevice>(devices.Get(1));
    Blaster blaster(a, b->GetFabricAddress(), p.payload, 3000);
    Counter counter(b);
    blaster.Start();
    Simulator::Run();
    ASSERT_EQ(counter.frames, 3000U);
    EXPECT_TRUE(counter.inOrder);
    const double expected = p.gbps * 1e9 * p.payload / (p.payload + Overhead(p.fabric));
    EXPECT_NEAR(counter.Goodput(500, 2999, p.payload) / expected, 1, 1e-5);
}

// The same through a switch: no bubbles, whether cut-through or store-and-forward.
TEST_P(GoodputExact, OneFlowOverSwitch)
{
    const Goodput& p = GetParam();
    auto helper = MakeHelper(p.fabric, std::to_string(p.gbps) + "Gbps");
    Star star(*helper, 2);
    Blaster blaster(star.devices[0], star.devices[1]->GetFabricAddress(), p.payload, 3000);
    Counter counter(star.devices[1]);
    blaster.Start();
    Simulator::Run();
    ASSERT_EQ(counter.frames, 3000U);
    const double expected = p.gbps * 1e9 * p.payload / (p.payload + Overhead(p.fabric));
    EXPECT_NEAR(counter.Goodput(500, 2999, p.payload) / expected, 1, 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Rates, GoodputExact, ::testing::ValuesIn(AllGoodputs()));

// A4 and A5: credit-limited throughput in the ideal loop T = P/R + 2 tp + F/R, whole packets only.
TEST_F(LinkExact, CreditLimited)
{
    struct Row
    {
        double meters;
        uint32_t blocks;
        double gbps;
    };

    constexpr double FULL = 4096 * 8 / (4122 * 8 / 400.0); // Gb/s
    const std::vector<Row> rows = {{100, 65, 30.27},
                                   {100, 130, 60.54},
                                   {100, 260, 121.07},
                                   {100, 520, 242.14},
                                   {100, 780, 363.21},
                                   {100, 910, FULL},
                                   {50, 65, 56.24},
                                   {50, 130, 112.49},
                                   {50, 195, 168.73},
                                   {50, 260, 224.98},
                                   {50, 520, FULL},
                                   {100, 129, 30.27},   // a broken packet's credit is no use
                                   {300, 16384, 329.5}, // the cap of 2048 blocks: 31 packets
                                   {300, 65536, 329.5}};
    for (const Row& row : rows)
    {
        auto helper = MakeHelper("ib", "400Gbps");
        helper->SetChannelAttribute("Delay",
                                    TimeValue(PicoSeconds(std::llround(row.meters * 5000))));
        helper->SetFlowControlAttribute("BufferBytes", UintegerValue(row.blocks * 64));
        NodeContainer nodes(2);
        const NetDeviceContainer devices = helper->Install(nodes.Get(0), nodes.Get(1));
        const auto a = DynamicCast<FabricNetDevice>(devices.Get(0));
        const auto b = DynamicCast<FabricNetDevice>(devices.Get(1));
        Blaster blaster(a, b->GetFabricAddress(), 4096, 3100);
        Counter counter(b);
        blaster.Start();
        Simulator::Run();
        ASSERT_EQ(counter.frames, 3100U);
        // Whole packets only: W of them a loop. Measured between packets that lie whole loops
        // apart.
        const uint32_t window = std::min<uint32_t>(row.blocks, 2048) / 65;
        const std::size_t from = window * 10;
        const std::size_t to = counter.frames / window * window - window;
        EXPECT_NEAR(counter.Goodput(from, to, 4096) / (row.gbps * 1e9), 1, 1e-3)
            << row.meters << " m, " << row.blocks << " blocks";
        const FabricTick packet = 4122 * 8 * 5 / 2;
        const FabricTick loop = packet + 2 * std::llround(row.meters * 5000) + 8 * 8 * 5 / 2;
        const FabricTick expected = std::max<FabricTick>(loop, window * packet);
        EXPECT_EQ(counter.times[window * 20] - counter.times[window * 10], 10 * expected);
        const auto credits = dynamic_cast<CreditFlowControl*>(a->GetPort().GetFlowControl());
        EXPECT_LE(credits->GetMaxOccupancyBlocks(), row.blocks);
        EXPECT_EQ(b->GetDrops(), 0U);
        EXPECT_EQ(credits->GetOccupancy(), 0U);
        Simulator::Destroy();
    }
}

// A9: latency of one packet over one switch is the sum of its parts to the tick.
TEST_F(LinkExact, LatencyOverSwitch)
{
    for (const bool cutThrough : {true, false})
    {
        for (const char* fabric : {"ib", "roce"})
        {
            auto helper = MakeHelper(fabric, "400Gbps");
            helper->SetChannelAttribute("Delay", TimeValue(NanoSeconds(50)));
            helper->SetSwitchAttribute("CutThrough", BooleanValue(cutThrough));
            helper->SetSwitchAttribute("Latency", TimeValue(NanoSeconds(200)));
            helper->SetHostAttribute("ReceiveLatency", TimeValue(NanoSeconds(300)));
            Star star(*helper, 2);
            Blaster blaster(star.devices[0], star.devices[1]->GetFabricAddress(), 4096, 1);
            Counter counter(star.devices[1]);
            blaster.Start();
            Simulator::Run();
            const FabricTick wire = blaster.GetWireBytes() * 20; // 400 Gb/s: 20 ps a byte
            const FabricTick expected = (cutThrough ? 1 : 2) * wire + 200000 + 2 * 50000 + 300000;
            EXPECT_EQ(counter.last, expected) << fabric << (cutThrough ? " CT" : " SF");
            Simulator::Destroy();
        }
    }
}

// A slow input to a fast output must be stored, or the output would run dry.
TEST_F(LinkExact, NoCutThroughIntoFasterPort)
{
    auto helper = MakeHelper("ib", "100Gbps");
    helper->SetChannelAttribute("Delay", TimeValue(NanoSeconds(0)));
    helper->SetSwitchAttribute("Latency", TimeValue(NanoSeconds(0)));
    NodeContainer nodes(2);
    NodeContainer center(1);
    helper->InstallSwitch(center.Get(0));
    const auto slow =
        DynamicCast<FabricNetDevice>(helper->Install(nodes.Get(0), center.Get(0)).Get(0));
    helper->SetDeviceAttribute("DataRate", StringValue("400Gbps"));
    const auto fast =
        DynamicCast<FabricNetDevice>(helper->Install(nodes.Get(1), center.Get(0)).Get(0));
    helper->Configure(center);
    Blaster blaster(slow, fast->GetFabricAddress(), 4096, 1);
    Counter counter(fast);
    blaster.Start();
    Simulator::Run();
    EXPECT_EQ(counter.last, 4122 * 80 + 4122 * 20);
}

// A14: n senders share a port evenly, lose nothing, and the port stays full.
TEST_F(LinkExact, IncastIsFairAndLossless)
{
    for (const char* fabric : {"ib", "roce"})
    {
        constexpr uint32_t SENDERS = 16;
        constexpr uint64_t FRAMES = 1500;
        auto helper = MakeHelper(fabric, "100Gbps");
        if (std::string(fabric) == "roce")
        {
            helper->SetSwitchAttribute("BufferBytes", UintegerValue(4000000));
        }
        Star star(*helper, SENDERS + 1);
        Counter counter(star.devices[0]);
        std::vector<std::unique_ptr<Blaster>> blasters;
        for (uint32_t i = 1; i <= SENDERS; ++i)
        {
            blasters.push_back(std::make_unique<Blaster>(star.devices[i],
                                                         star.devices[0]->GetFabricAddress(),
                                                         4096,
                                                         FRAMES));
            blasters.back()->Start();
        }
        Simulator::Run();
        EXPECT_EQ(counter.frames, SENDERS * FRAMES) << fabric;
        const double expected = 100e9 * 4096 / (4096 + Overhead(fabric));
        EXPECT_NEAR(counter.Goodput(2000, SENDERS * FRAMES - 1, 4096) / expected, 1, 1e-3)
            << fabric;
        for (uint32_t i = 0; i <= SENDERS; ++i)
        {
            const auto& port = *star.sw->GetPort(i);
            EXPECT_EQ(port.GetDrops(), 0U);
            LinkFlowControl* incoming = port.GetIncomingFlowControl();
            EXPECT_EQ(incoming->GetOccupancy(), 0U);
            if (i > 0)
            {
                // Each sender is held back for about 15/16 of the time.
                const double held =
                    FabricSeconds(incoming->GetHeldTicks()) / FabricSeconds(counter.last);
                EXPECT_GT(held, 0.85) << fabric;
                EXPECT_LT(held, 0.95) << fabric;
            }
        }
        Simulator::Destroy();
    }
}

// The same without flow control drops.
TEST_F(LinkExact, IncastWithoutFlowControlDrops)
{
    for (const char* fabric : {"ib", "roce"})
    {
        auto helper = MakeHelper(fabric, "100Gbps");
        helper->SetFlowControl("ns3::NoFlowControl");
        if (std::string(fabric) == "roce")
        {
            helper->SetSwitchAttribute("BufferBytes", UintegerValue(4000000));
        }
        else
        {
            helper->SetFlowControlAttribute("BufferBytes", UintegerValue(65536));
        }
        Star star(*helper, 17);
        Counter counter(star.devices[0]);
        std::vector<std::unique_ptr<Blaster>> blasters;
        for (uint32_t i = 1; i <= 16; ++i)
        {
            blasters.push_back(std::make_unique<Blaster>(star.devices[i],
                                                         star.devices[0]->GetFabricAddress(),
                                                         4096,
                                                         500));
            blasters.back()->Start();
        }
        Simulator::Run();
        uint64_t drops = 0;
        uint64_t lossless = 0;
        for (uint32_t i = 0; i <= 16; ++i)
        {
            drops += star.sw->GetPort(i)->GetDrops();
            lossless += star.sw->GetPort(i)->GetLosslessDrops();
        }
        EXPECT_GT(drops, 0U) << fabric;
        EXPECT_EQ(lossless, 0U) << fabric;
        EXPECT_EQ(counter.frames + drops, 8000U) << fabric;
        Simulator::Destroy();
    }
}

// A15: a pause of q quanta holds the next frame for q * 512 bit times after the pause frame; XON
// ends it earlier.
TEST_F(LinkExact, PauseQuanta)
{
    struct Row
    {
        const char* rate;
        uint64_t psPerByte;
        uint16_t quanta;
        FabricTick xonAfter; // ps; 0: the pause expires
    };

    for (const Row& row : {Row{"100Gbps", 80, 100, 0},
                           Row{"400Gbps", 20, 100, 0},
                           Row{"400Gbps", 20, 60000, 0},
                           Row{"400Gbps", 20, 60000, 1000000}})
    {
        auto helper = MakeHelper("roce", row.rate);
        NodeContainer nodes(2);
        const NetDeviceContainer devices = helper->Install(nodes.Get(0), nodes.Get(1));
        const auto a = DynamicCast<FabricNetDevice>(devices.Get(0));
        const auto b = DynamicCast<FabricNetDevice>(devices.Get(1));
        const auto pause = dynamic_cast<PauseFlowControl*>(a->GetPort().GetFlowControl());
        Blaster blaster(a, b->GetFabricAddress(), 4096, 1);
        Counter counter(b);
        std::array<uint16_t, 8> quanta{};
        quanta[3] = row.quanta;
        pause->ReceivePause(1 << 3, quanta);
        blaster.Start();
        if (row.xonAfter)
        {
            quanta[3] = 0;
            Simulator::Schedule(PicoSeconds(row.xonAfter),
                                &PauseFlowControl::ReceivePause,
                                pause,
                                1 << 3,
                                quanta);
        }
        Simulator::Run();
        const FabricTick held = row.xonAfter ? row.xonAfter : row.quanta * 64 * row.psPerByte;
        ASSERT_EQ(counter.frames, 1U);
        EXPECT_EQ(counter.last,
                  held + static_cast<FabricTick>(blaster.GetWireBytes() * row.psPerByte) + 50000);
        EXPECT_EQ(pause->GetPausedTicks(), held);
        EXPECT_EQ(pause->GetHeldTicks(), held);
        Simulator::Destroy();
    }
}

// A refresh extends; unsolicited XON, repeated XOFF and other priorities are harmless (M2, M10,
// M11).
TEST_F(LinkExact, PauseRobustness)
{
    for (uint8_t priority = 0; priority < 8; ++priority)
    {
        auto helper = MakeHelper("roce", "100Gbps");
        helper->SetFlowControlAttribute("LosslessMask", UintegerValue(0xff));
        NodeContainer nodes(2);
        const NetDeviceContainer devices = helper->Install(nodes.Get(0), nodes.Get(1));
        const auto a = DynamicCast<FabricNetDevice>(devices.Get(0));
        const auto b = DynamicCast<FabricNetDevice>(devices.Get(1));
        const auto pause = dynamic_cast<PauseFlowControl*>(a->GetPort().GetFlowControl());
        std::array<uint16_t, 8> quanta{};
        const uint8_t vector = 1 << priority;
        pause->ReceivePause(vector, quanta); // XON without XOFF
        quanta[priority] = 100;
        pause->ReceivePause(vector, quanta);
        pause->ReceivePause(vector, quanta); // replaces, does not add
        EXPECT_EQ(pause->GetPausedUntil(priority), 512000);
        Blaster blaster(a, b->GetFabricAddress(), 4096, 1);
        Counter counter(b);
        blaster.Start();
        Simulator::Run();
        const FabricTick held = priority == 3 ? 512000 : 0; // DSCP 26 is priority 3
        EXPECT_EQ(counter.last,
                  held + static_cast<FabricTick>(blaster.GetWireBytes() * 80) + 50000);
        Simulator::Destroy();
    }
}

// A slow receiver holds the sender back to its own rate: by credits it withholds, or by pauses that
// its NIC sends.
TEST_F(LinkExact, SlowReceiver)
{
    for (const char* fabric : {"ib", "roce"})
    {
        auto helper = MakeHelper(fabric, "400Gbps");
        helper->SetHostAttribute("DrainRate", StringValue("100Gbps"));
        if (std::string(fabric) == "roce")
        {
            helper->SetFlowControlAttribute("XoffBytes", UintegerValue(100000));
            helper->SetFlowControlAttribute("XonBytes", UintegerValue(50000));
            helper->SetFlowControlAttribute("BufferBytes", UintegerValue(150000));
        }
        NodeContainer nodes(2);
        const NetDeviceContainer devices = helper->Install(nodes.Get(0), nodes.Get(1));
        const auto a = DynamicCast<FabricNetDevice>(devices.Get(0));
        const auto b = DynamicCast<FabricNetDevice>(devices.Get(1));
        Blaster blaster(a, b->GetFabricAddress(), 4096, 20000);
        Counter counter(b);
        blaster.Start();
        Simulator::Run();
        EXPECT_EQ(counter.frames, 20000U) << fabric;
        EXPECT_EQ(b->GetDrops(), 0U) << fabric;
        const double expected = 100e9 * 4096 / blaster.GetFrameBytes();
        EXPECT_NEAR(counter.Goodput(1000, 19000, 4096) / expected, 1, 2e-3) << fabric;
        if (const auto pause = dynamic_cast<PauseFlowControl*>(a->GetPort().GetFlowControl()))
        {
            EXPECT_GT(pause->GetPauseFrames(), 100U);
        }
        Simulator::Destroy();
    }
}

// A16: what comes in after the decision to stop fits into the computed headroom, and nearly fills
// it when the pause frame has to wait for a full frame; with clearly less headroom frames are lost,
// and counted.
TEST_F(LinkExact, HeadroomSuffices)
{
    constexpr uint64_t FRAME = 4158;
    constexpr uint64_t WIRE = 4178;
    for (const double meters : {5.0, 40.0, 100.0, 300.0, 10000.0})
    {
        for (const bool enough : {true, false})
        {
            uint64_t drops = 0;
            uint64_t lossless = 0;
            uint64_t most = 0;
            uint64_t needed = 0;
            // The wait of the pause frame depends on the phase of the reverse frames: try them all.
            for (int phase = 0; phase < 10; ++phase)
            {
                auto helper = MakeHelper("roce", "400Gbps");
                helper->SetDeviceAttribute("Mtu", UintegerValue(WIRE - 42));
                helper->SetChannelAttribute("Delay",
                                            TimeValue(PicoSeconds(std::llround(meters * 5000))));
                helper->SetSwitchAttribute("Alpha", DoubleValue(0.001));
                helper->SetSwitchAttribute("BufferBytes", UintegerValue(200000000));
                helper->SetSwitchAttribute("Latency", TimeValue(NanoSeconds(0)));
                NodeContainer nodes(2);
                NodeContainer center(1);
                const auto sw = DynamicCast<RoceSwitch>(helper->InstallSwitch(center.Get(0)));
                const NetDeviceContainer hosts = helper->Install(nodes, center.Get(0));
                helper->Configure(center);
                needed = sw->ComputeHeadroom(0);
                // Preamble and gap take time, but no room.
                const double wire = WIRE + 84 + 2 * meters * 5e-9 * 400e9 / 8;
                EXPECT_NEAR(needed, wire * FRAME / WIRE + FRAME, 1);
                if (!enough)
                {
                    const uint64_t frames = std::max<uint64_t>(needed / FRAME - 2, 1);
                    sw->SetAttribute("HeadroomBytes", UintegerValue(frames * FRAME));
                    sw->SetAttribute("WarnHeadroom", BooleanValue(false));
                    sw->Configure();
                }
                const auto a = DynamicCast<FabricNetDevice>(hosts.Get(0));
                const auto b = DynamicCast<FabricNetDevice>(hosts.Get(1));
                // The receiver accepts nothing, so the switch's output is blocked for good.
                dynamic_cast<PauseFlowControl*>(b->GetIncomingFlowControl())->SetPaused(3, true);
                Blaster back(sw->GetPort(0), a->GetFabricAddress(), 4096, 1000000);
                Blaster blaster(a, b->GetFabricAddress(), 4096, 1000000);
                Counter counter(a);
                back.Start();
                Simulator::Schedule(MicroSeconds(100) + PicoSeconds(phase * 8356),
                                    &Blaster::Start,
                                    &blaster);
                Simulator::Stop(MicroSeconds(400));
                Simulator::Run();
                drops += sw->GetPort(0)->GetDrops();
                lossless += sw->GetPort(0)->GetLosslessDrops();
                most = std::max(most, sw->GetBuffer().GetMaxHeadroomUsed());
                EXPECT_GT(counter.frames, 0U);
                Simulator::Destroy();
            }
            if (enough)
            {
                EXPECT_EQ(drops, 0U) << meters;
                EXPECT_LE(most, needed) << meters;
                EXPECT_GT(most, needed - FRAME) << meters;
            }
            else
            {
                EXPECT_GT(drops, 0U) << meters;
                EXPECT_EQ(drops, lossless) << meters;
            }
        }
    }
}

TEST(TxClock, CarriesTheRemainder)
{
    // 4096 bytes at 800 Gb/s are 40.96 ns: at NS resolution every frame alone would be 1.0 or 2.3 %
    // off.
    TxClock clock;
    clock.SetRate(800000000000ULL, 1000000000ULL);
    for (int i = 0; i < 100; ++i)
    {
        clock.Start(0, 4096);
    }
    EXPECT_EQ(clock.GetBusyUntil(), 4096);
    clock.Start(5000, 4096); // idle before: no remainder is carried over a gap
    EXPECT_EQ(clock.GetBusyUntil(), 5040);
    clock.Start(5000, 4096);
    EXPECT_EQ(clock.GetBusyUntil(), 5081);
    EXPECT_EQ(clock.GetTicks(4096), 41);
}

TEST(TxClock, AnyRateAtAnyResolution)
{
    for (const uint64_t rate : {1ULL, 37000000000ULL, 54545454545ULL, 799999999999ULL})
    {
        for (const uint64_t ticks : {1000000000ULL, 1000000000000ULL, 1000000000000000ULL})
        {
            TxClock clock;
            clock.SetRate(rate, ticks);
            const uint32_t frames = rate == 1 ? 1 : 1000;
            const uint32_t bytes = rate == 1 ? 100 : 9216;
            for (uint32_t i = 0; i < frames; ++i)
            {
                clock.Start(0, bytes);
            }
            const long double exact = static_cast<long double>(frames) * bytes * 8 * ticks / rate;
            EXPECT_LE(std::fabs(static_cast<double>(clock.GetBusyUntil() - exact)), 1.5);
        }
    }
}

TEST(CreditCounters, ArithmeticAcrossTheWrap)
{
    EXPECT_EQ(CreditCounters::Blocks(4122, 64), 65U);
    EXPECT_EQ(CreditCounters::Blocks(64, 64), 1U);
    EXPECT_EQ(CreditCounters::CreditLimit(4090, 100), 94U);
    EXPECT_EQ(CreditCounters::CreditLimit(4090, 1000000), (4090U + 2048U) % 4096U);
    for (uint32_t fctbs = 0; fctbs < 4096; ++fctbs)
    {
        for (const uint32_t credit : {0U, 1U, 64U, 65U, 2048U})
        {
            const uint32_t limit = (fctbs + credit) % 4096;
            EXPECT_EQ(CreditCounters::MaySend(limit, fctbs, 65), credit >= 65);
            EXPECT_EQ(CreditCounters::MaySend(limit, fctbs, 1), credit >= 1);
        }
    }
}

TEST(EgressQueue, ServesInputsInTurn)
{
    EgressQueue queue;
    queue.SetVirtualOutputQueues(true);
    std::vector<FabricFrame> frames(7);
    const std::vector<uint16_t> inputs = {5, 5, 5, 2, 2, 9, 5};
    for (std::size_t i = 0; i < frames.size(); ++i)
    {
        frames[i].inPort = inputs[i];
        frames[i].psn = i;
        frames[i].frameBytes = 10;
        queue.Push(&frames[i]);
    }
    EXPECT_EQ(queue.GetBytes(), 70U);
    std::vector<uint32_t> order;
    while (!queue.IsEmpty())
    {
        order.push_back(queue.Pop()->psn);
    }
    EXPECT_EQ(order, (std::vector<uint32_t>{0, 3, 5, 1, 4, 2, 6}));
    EXPECT_EQ(queue.GetBytes(), 0U);
}
