/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What exact fast-forward builds on: the relative state of a link comes back in periodic traffic,
// differs when anything that matters differs, and can be moved in time; and equal runs are equal.

#include "../support/link-rig.h"
#include "../support/picosecond-test.h"

#include "ns3/boolean.h"
#include "ns3/credit-flow-control.h"
#include "ns3/pause-flow-control.h"
#include "ns3/roce-switch.h"
#include "ns3/state-hash.h"

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

using namespace ns3;
using namespace ns3::linkrig;

namespace
{

class LinkState : public ::testing::Test
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

/** Two hosts and a cable between them. */
struct Cable
{
    explicit Cable(FabricHelper& helper)
    {
        NodeContainer nodes(2);
        const NetDeviceContainer ends = helper.Install(nodes.Get(0), nodes.Get(1));
        a = DynamicCast<FabricNetDevice>(ends.Get(0));
        b = DynamicCast<FabricNetDevice>(ends.Get(1));
    }

    Ptr<FabricNetDevice> a;
    Ptr<FabricNetDevice> b;
};

/** @returns hash of the relative state of ports at a tick */
uint64_t
HashOf(const std::vector<Ptr<FabricNetDevice>>& devices, FabricTick now)
{
    StateHash hash;
    for (const Ptr<FabricNetDevice>& device : devices)
    {
        EXPECT_TRUE(device->GetPort().HashState(hash, now));
    }
    return hash.Get();
}

/** Takes hashes at equal distances. */
struct Sampler
{
    void Sample()
    {
        hashes.push_back(HashOf(devices, FabricNow()));
        if (hashes.size() < samples)
        {
            Simulator::Schedule(PicoSeconds(period), &Sampler::Sample, this);
        }
    }

    std::vector<Ptr<FabricNetDevice>> devices;
    FabricTick period{0};
    std::size_t samples{0};
    std::vector<uint64_t> hashes;
};

/** @returns the smallest number of samples after which all hashes repeat; 0 if there is none */
std::size_t
FindPeriod(const std::vector<uint64_t>& hashes)
{
    for (std::size_t period = 1; 2 * period <= hashes.size(); ++period)
    {
        if (std::equal(hashes.begin() + period, hashes.end(), hashes.begin()))
        {
            return period;
        }
    }
    return 0;
}

} // namespace

// A saturated cable: every frame time looks like the one before; between its phases the state
// differs.
TEST_F(LinkState, RepeatsWithEachFrame)
{
    for (const char* fabric : {"ib", "roce"})
    {
        auto helper = MakeHelper(fabric, "400Gbps");
        helper->SetChannelAttribute("Delay", TimeValue(NanoSeconds(100)));
        const Cable cable(*helper);
        Blaster blaster(cable.a, cable.b->GetFabricAddress(), 4096, 200);
        Counter counter(cable.b);
        Sampler sampler;
        sampler.devices = {cable.a, cable.b};
        sampler.period = blaster.GetWireBytes() * 20 / 4; // four phases of a frame
        sampler.samples = 400;
        Simulator::Schedule(PicoSeconds(2000003), &Sampler::Sample, &sampler);
        blaster.Start();
        Simulator::Run();
        EXPECT_EQ(FindPeriod(sampler.hashes), 4U) << fabric;
        EXPECT_EQ(std::set<uint64_t>(sampler.hashes.begin(), sampler.hashes.end()).size(), 4U)
            << fabric;
        Simulator::Destroy();
    }
}

// A credit loop: windows of four packets, period by the closed form of A4. Counters wrap many
// times.
// However credits are announced.
class LinkStateUpdate : public LinkState, public ::testing::WithParamInterface<const char*>
{
};

TEST_P(LinkStateUpdate, RepeatsWithEachCreditLoop)
{
    auto helper = MakeHelper("ib", "400Gbps");
    helper->SetChannelAttribute("Delay", TimeValue(NanoSeconds(500)));
    helper->SetFlowControlAttribute("BufferBytes", UintegerValue(260 * 64));
    helper->SetFlowControlAttribute("CreditUpdate", StringValue(GetParam()));
    helper->SetFlowControlAttribute("FcUpdateThresholdBlocks", UintegerValue(65));
    helper->SetFlowControlAttribute("FcMinInterval", TimeValue(NanoSeconds(70)));
    const Cable cable(*helper);
    Blaster blaster(cable.a, cable.b->GetFabricAddress(), 4096, 4 * 310);
    Counter counter(cable.b);
    Sampler sampler;
    sampler.devices = {cable.a, cable.b};
    sampler.period = (82440 + 2 * 500000 + 160) / 20; // twenty phases of a loop
    sampler.samples = 5000;
    Simulator::Schedule(PicoSeconds(5000007), &Sampler::Sample, &sampler);
    blaster.Start();
    Simulator::Run();
    EXPECT_EQ(FindPeriod(sampler.hashes), 20U);
    EXPECT_GT(std::set<uint64_t>(sampler.hashes.begin(), sampler.hashes.end()).size(), 4U);
}

INSTANTIATE_TEST_SUITE_P(Updates,
                         LinkStateUpdate,
                         ::testing::Values("EveryRelease", "Threshold", "Interval"));

// Two hosts send to one: credits or pauses go to and fro, and still the whole comes back to where
// it was.
TEST_F(LinkState, IncastRepeats)
{
    for (const char* fabric : {"ib", "roce"})
    {
        auto helper = MakeHelper(fabric, "400Gbps");
        helper->SetChannelAttribute("Delay", TimeValue(NanoSeconds(100)));
        if (std::string(fabric) == "roce")
        {
            // Enough that the switch never runs dry: the period is a whole number of frames then.
            helper->SetSwitchAttribute("BufferBytes", UintegerValue(1000000));
        }
        Star star(*helper, 3);
        constexpr uint64_t FRAMES = 4000;
        Blaster first(star.devices[1], star.devices[0]->GetFabricAddress(), 4096, FRAMES);
        Blaster second(star.devices[2], star.devices[0]->GetFabricAddress(), 4096, FRAMES);
        Counter counter(star.devices[0]);
        Sampler sampler;
        sampler.devices = star.devices;
        for (uint16_t port = 0; port < 3; ++port)
        {
            sampler.devices.push_back(star.sw->GetPort(port));
        }
        sampler.period = first.GetWireBytes() * 20;
        sampler.samples = 4000;
        Simulator::Schedule(PicoSeconds(200000011), &Sampler::Sample, &sampler);
        first.Start();
        second.Start();
        Simulator::Run();
        EXPECT_EQ(counter.frames, 2 * FRAMES);
        const std::size_t period = FindPeriod(sampler.hashes);
        EXPECT_GT(period, 0U) << fabric;
        EXPECT_LT(period, 200U) << fabric;
        if (std::string(fabric) == "roce")
        {
            const auto pause =
                dynamic_cast<PauseFlowControl*>(star.devices[1]->GetPort().GetFlowControl());
            EXPECT_GT(pause->GetPauseFrames(), 100U);
        }
        Simulator::Destroy();
    }
}

// Every part of the state counts.
TEST_F(LinkState, DifferentStatesDiffer)
{
    constexpr FabricTick AT = 1000000;
    constexpr int CHANGES = 10;
    for (const char* fabric : {"ib", "roce"})
    {
        const bool ib = std::string(fabric) == "ib";
        std::set<uint64_t> hashes;
        for (int change = 0; change < CHANGES; ++change)
        {
            auto helper = MakeHelper(fabric, "400Gbps");
            helper->SetChannelAttribute("Delay", TimeValue(NanoSeconds(100)));
            const Cable cable(*helper);
            Blaster blaster(cable.a,
                            cable.b->GetFabricAddress(),
                            change == 1 ? 2048 : 4096, // another size
                            change == 2 ? 2 : 1);      // another frame
            Counter counter(cable.b);
            // Later by a tick.
            Simulator::Schedule(PicoSeconds(AT - 150000 + (change == 3 ? 1 : 0)),
                                &Blaster::Start,
                                &blaster);
            LinkFlowControl* forward = cable.a->GetPort().GetFlowControl();
            Simulator::Stop(PicoSeconds(AT));
            Simulator::Run();
            std::array<uint16_t, PauseFlowControl::PRIORITIES> quanta{};
            quanta[4] = 100;
            auto pause = dynamic_cast<PauseFlowControl*>(forward);
            switch (change)
            {
            case 4: // the receiver's buffer holds something
                EXPECT_TRUE(forward->Arrived(0, 100, AT));
                break;
            case 5: // the transmitter has used credit; the other priority is paused
                ib ? forward->Sent(0, 100, AT) : pause->ReceivePause(1 << 4, quanta);
                break;
            case 6: // room becomes free later
                forward->Arrived(0, 100, AT);
                forward->Freed(0, 100, AT + 5000);
                break;
            case 7: // a frame was lost; the receiver wants a priority to stop
                ib ? forward->Lost(0, 100, AT) : pause->SetPaused(6, true);
                break;
            case 8: // the receiver's buffer holds a management packet; two priorities must stop
                EXPECT_TRUE(ib ? forward->Arrived(15, 100, AT)
                               : (pause->SetPaused(5, true), pause->SetPaused(4, true), true));
                break;
            case 9: // room for management packets becomes free later
                if (ib)
                {
                    forward->Arrived(15, 100, AT);
                    forward->Freed(15, 100, AT + 5000);
                }
                else
                {
                    pause->SetPaused(4, true);
                }
                break;
            default:
                break;
            }
            const std::vector<Ptr<FabricNetDevice>> sender{cable.a};
            EXPECT_TRUE(hashes.insert(HashOf(sender, AT)).second) << fabric << " change " << change;
            EXPECT_EQ(HashOf(sender, AT), HashOf(sender, AT)) << "asking changes nothing";
            Simulator::Destroy();
        }
    }
}

// Moved in time as a whole, a link goes on exactly as it would have, later.
TEST_F(LinkState, ShiftMovesEverything)
{
    constexpr FabricTick BY = 123456789;
    for (const char* update : {"EveryRelease", "Threshold", "Interval", ""})
    {
        const bool ib = *update;
        const std::string fabric = ib ? "ib" : "roce";
        // In different phases: frame on the wire, wire idle, wire paused.
        for (const FabricTick at : {30000, 200000, 700000, 1500000, 2500000})
        {
            std::vector<FabricTick> plain;
            uint64_t plainControls = 0;
            for (const bool shifted : {false, true})
            {
                auto helper = MakeHelper(fabric, "400Gbps");
                helper->SetChannelAttribute("Delay", TimeValue(NanoSeconds(500)));
                if (ib)
                {
                    helper->SetFlowControlAttribute("BufferBytes", UintegerValue(130 * 64));
                    helper->SetFlowControlAttribute("CreditUpdate", StringValue(update));
                    helper->SetFlowControlAttribute("FcUpdateThresholdBlocks", UintegerValue(131));
                    helper->SetFlowControlAttribute("FcMaxInterval", TimeValue(MicroSeconds(2)));
                    helper->SetFlowControlAttribute("FcMinInterval", TimeValue(NanoSeconds(1500)));
                }
                else
                {
                    helper->SetFlowControlAttribute("PauseQuanta", UintegerValue(3000));
                }
                const Cable cable(*helper);
                Blaster blaster(cable.a, cable.b->GetFabricAddress(), 4096, 40);
                Counter counter(cable.b);
                blaster.Start();
                auto pause = dynamic_cast<PauseFlowControl*>(cable.a->GetPort().GetFlowControl());
                if (pause)
                {
                    // Stopped for good at the start, until the receiver's buffer would be free long
                    // after; it refreshes.
                    pause->SetPaused(3, true);
                    const FabricTick xon = 30000000 + (shifted ? BY : 0);
                    Simulator::Schedule(PicoSeconds(xon),
                                        &PauseFlowControl::SetPaused,
                                        pause,
                                        3,
                                        false);
                }
                Simulator::Stop(PicoSeconds(at));
                Simulator::Run();
                const std::size_t before = counter.times.size();
                if (shifted)
                {
                    const std::vector<Ptr<FabricNetDevice>> both{cable.a, cable.b};
                    const uint64_t hash = HashOf(both, at);
                    for (const Ptr<FabricNetDevice>& device : both)
                    {
                        device->GetPort().Shift(BY);
                    }
                    EXPECT_EQ(HashOf(both, at + BY), hash) << fabric << update << " " << at;
                    EXPECT_NE(HashOf(both, at), hash) << fabric << update << " " << at;
                }
                Simulator::Run();
                ASSERT_EQ(counter.times.size(), 40U);
                const uint64_t controls = cable.b->GetPort().GetCounters().controlFrames;
                if (!shifted)
                {
                    plain = counter.times;
                    plainControls = controls;
                }
                for (std::size_t i = 0; shifted && i < plain.size(); ++i)
                {
                    EXPECT_EQ(counter.times[i], plain[i] + (i < before ? 0 : BY))
                        << fabric << update << " " << at << " frame " << i;
                }
                EXPECT_EQ(controls, plainControls) << fabric << update << " " << at;
                Simulator::Destroy();
            }
        }
    }
}

// Equal runs give equal results, to the tick and frame by frame, also in one process.
TEST_F(LinkState, EqualRunsAreEqual)
{
    /** What the receiver saw. */
    struct Arrival
    {
        FabricTick at;
        uint32_t psn;
        uint8_t ecn;

        bool operator==(const Arrival& other) const
        {
            return std::tie(at, psn, ecn) == std::tie(other.at, other.psn, other.ecn);
        }
    };

    class Recorder : public FabricFrameSink
    {
      public:
        void ReceiveFrame(FabricFrame* frame, FabricNetDevice* /* device */) override
        {
            arrivals.push_back({FabricNow(), frame->psn, frame->ecn});
            FabricFramePool::Release(frame);
        }

        std::vector<Arrival> arrivals;
    };

    for (const char* fabric : {"ib", "roce"})
    {
        std::vector<std::vector<Arrival>> runs;
        std::vector<uint64_t> events;
        uint64_t marked = 0;
        for (int run = 0; run < 3; ++run)
        {
            auto helper = MakeHelper(fabric, "400Gbps");
            if (std::string(fabric) == "roce")
            {
                helper->SetSwitchAttribute("Ecn", BooleanValue(true));
                helper->SetSwitchAttribute("EcnKmin", UintegerValue(20000));
                helper->SetSwitchAttribute("EcnKmax", UintegerValue(2000000));
            }
            Star star(*helper, 5);
            // The third run draws other numbers.
            helper->AssignStreams(star.center, run == 2 ? 77 : 5);
            Recorder recorder;
            star.devices[0]->SetRdmaSink(&recorder);
            std::vector<std::unique_ptr<Blaster>> blasters;
            for (uint32_t i = 1; i < 5; ++i)
            {
                blasters.push_back(std::make_unique<Blaster>(star.devices[i],
                                                             star.devices[0]->GetFabricAddress(),
                                                             4096,
                                                             500));
                blasters.back()->Start();
            }
            Simulator::Run();
            EXPECT_EQ(recorder.arrivals.size(), 2000U);
            marked = 0;
            for (const Arrival& arrival : recorder.arrivals)
            {
                marked += arrival.ecn == 3;
            }
            runs.push_back(recorder.arrivals);
            events.push_back(Simulator::GetEventCount());
            Simulator::Destroy();
        }
        EXPECT_TRUE(runs[0] == runs[1]) << fabric;
        EXPECT_EQ(events[0], events[1]) << fabric;
        if (std::string(fabric) == "roce")
        {
            EXPECT_GT(marked, 0U);
            EXPECT_FALSE(runs[0] == runs[2]) << "other random numbers must show";
        }
    }
}
