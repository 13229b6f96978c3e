/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Lossless Ethernet links beyond PFC: shaping, link-level pause, pause storms and the watchdog,
// link flaps, learning.

#include "support/device-rig.h"
#include "support/link-rig.h"

#include "ns3/boolean.h"
#include "ns3/ethernet-header.h"
#include "ns3/fabric-channel.h"
#include "ns3/fabric-routing.h"
#include "ns3/fabric-topology-helper.h"
#include "ns3/mac-pause-header.h"
#include "ns3/pause-flow-control.h"
#include "ns3/pause-response.h"
#include "ns3/pfc-watchdog.h"
#include "ns3/rdma-helper.h"
#include "ns3/roce-net-device.h"
#include "ns3/roce-switch.h"
#include "ns3/test.h"

#include <memory>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::linkrig;
using namespace ns3::devicerig;

namespace
{

/** @returns flow control of what a device sends */
PauseFlowControl*
GetPause(const Ptr<FabricNetDevice>& device)
{
    return dynamic_cast<PauseFlowControl*>(device->GetPort().GetFlowControl());
}

/** Queues frames of a class for an address. */
void
QueueFrames(const Ptr<FabricNetDevice>& from, uint64_t to, uint8_t dscp, uint32_t frames)
{
    for (uint32_t i = 0; i < frames; ++i)
    {
        FabricFrame* frame = FabricFramePool::Allocate();
        frame->src = from->GetFabricAddress();
        frame->dst = to;
        frame->opcode = IbOpcode::RC_WRITE_MIDDLE;
        frame->payload = 1024;
        frame->dscp = dscp;
        frame->psn = i;
        from->ClassifyFrame(*frame);
        from->SizeFrame(*frame);
        from->GetPort().Enqueue(frame);
    }
}

/**
 * @ingroup ai-fabric-tests
 * A shaped priority leaves at its rate, to the tick; others are not held up by it.
 */
class ShapingCase : public TestCase
{
  public:
    ShapingCase()
        : TestCase("a shaped priority leaves at its rate, and others as they would without it")
    {
    }

  private:
    void DoRun() override
    {
        Cable cable("roce");
        cable.helper->SetDeviceAttribute("Shaping", StringValue("3:1Gbps"));
        cable.Install();
        Counter counter(cable.b);
        constexpr uint32_t WIRE = 1024 + 82;
        QueueFrames(cable.a, cable.b->GetFabricAddress(), 26, 10); // priority 3
        QueueFrames(cable.a, cable.b->GetFabricAddress(), 0, 60);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(counter.frames, 70, "all of them");
        const auto& shaped = cable.a->GetPort().GetClassCounters(3);
        NS_TEST_EXPECT_MSG_EQ(shaped.frames, 10, "shaped frames");
        NS_TEST_EXPECT_MSG_EQ(cable.a->GetPort().GetWaitTicks(3), 0, "no wait for flow control");
        // At 8 Gb/s a byte takes 1 ns; at 1 Gb/s, 8 ns. The first 80 frame times are full:
        // 60 frames of priority 0 need 60, and the 10th shaped frame is due after 72.
        NS_TEST_EXPECT_MSG_GT_OR_EQ(counter.last, DELAY + 73 * WIRE, "as the bucket allows");
        NS_TEST_EXPECT_MSG_LT(counter.last, DELAY + 75 * WIRE, "and not later than one frame on");
        NS_TEST_EXPECT_MSG_LT(counter.times[67],
                              DELAY + 69 * WIRE,
                              "the wire is never idle before");
        Simulator::Destroy();
    }
};

/**
 * @ingroup ai-fabric-tests
 * Saturated and shaped: the rate is exact over many frames.
 */
class ShapedRateCase : public TestCase
{
  public:
    ShapedRateCase()
        : TestCase("a shaped priority has its rate to the tick")
    {
    }

  private:
    void DoRun() override
    {
        const auto helper = MakeHelper("roce", "100Gbps");
        helper->SetHostAttribute("Shaping", StringValue("3:40Gbps,0:1Gbps"));
        Star star(*helper, 2);
        Counter counter(star.devices[1]);
        constexpr uint32_t FRAMES = 1000;
        Blaster blaster(star.devices[0], star.devices[1]->GetFabricAddress(), 4096, FRAMES);
        blaster.Start();
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(counter.frames, FRAMES, "all of them");
        const double expected = 40e9 * 4096 / blaster.GetWireBytes();
        // Both ends of the interval are rounded to a nanosecond.
        NS_TEST_EXPECT_MSG_EQ_TOL(counter.Goodput(0, FRAMES - 1, 4096),
                                  expected,
                                  expected * 2 / (counter.last - counter.first),
                                  "goodput");
        Simulator::Destroy();
    }
};

/** Keeps the link control messages of a device. */
struct ControlLog
{
    explicit ControlLog(const Ptr<FabricNetDevice>& device)
    {
        device->TraceConnectWithoutContext("LinkControl", MakeCallback(&ControlLog::Add, this));
    }

    void Add(Ptr<const Packet> bytes, Time /* at */)
    {
        Ptr<Packet> copy = bytes->Copy();
        EthernetHeader ethernet(false);
        copy->RemoveHeader(ethernet);
        sizes.push_back(bytes->GetSize());
        MacPauseHeader pause;
        if (copy->PeekHeader(pause))
        {
            quanta.push_back(pause.GetQuanta());
        }
    }

    std::vector<uint32_t> sizes;  //!< of all messages
    std::vector<uint16_t> quanta; //!< of link-level pauses
};

/**
 * @ingroup ai-fabric-tests
 * Link-level pause: one frame stops all priorities, whoever asks, until nobody does any more.
 */
class LinkPauseCase : public TestCase
{
  public:
    LinkPauseCase()
        : TestCase("802.3x: any priority stops the link, the last one lets it go")
    {
    }

  private:
    void DoRun() override
    {
        Cable cable("roce");
        cable.helper->SetFlowControlAttribute("LinkPause", BooleanValue(true));
        cable.helper->SetFlowControlAttribute("PauseQuanta", UintegerValue(1000)); // 64 us
        cable.Install();
        ControlLog log(cable.a);
        PauseFlowControl* pause = GetPause(cable.a);
        Simulator::Schedule(MicroSeconds(1), &PauseFlowControl::SetPaused, pause, 3, true);
        Simulator::Schedule(MicroSeconds(10), &PauseFlowControl::SetPaused, pause, 4, true);
        Simulator::Schedule(MicroSeconds(20), &PauseFlowControl::SetPaused, pause, 3, false);
        Simulator::Schedule(MicroSeconds(30), &LinkPauseCase::ExpectHeld, this, pause, true);
        Simulator::Schedule(MicroSeconds(50), &PauseFlowControl::SetPaused, pause, 4, false);
        Simulator::Schedule(MicroSeconds(60), &LinkPauseCase::ExpectHeld, this, pause, false);
        Simulator::Stop(MicroSeconds(100));
        Simulator::Run();
        const std::vector<uint16_t> expected = {1000, 1000, 0}; // with a refresh at half the time
        NS_TEST_EXPECT_MSG_EQ((log.quanta == expected), true, "what was on the wire");
        for (const uint32_t size : log.sizes)
        {
            NS_TEST_EXPECT_MSG_EQ(size, 64, "bytes of a MAC control frame");
        }
        NS_TEST_EXPECT_MSG_EQ(pause->GetPauseFrames(), 3, "one for all priorities");
        Simulator::Destroy();
    }

    void ExpectHeld(PauseFlowControl* pause, bool held)
    {
        for (uint8_t priority = 0; priority < 8; ++priority)
        {
            NS_TEST_EXPECT_MSG_EQ(!pause->MaySend(priority, 64, FabricNow()),
                                  held,
                                  "priority " << +priority);
        }
    }
};

/**
 * @ingroup ai-fabric-tests
 * A pause frame acts after the longest time that the standard allows.
 */
class StandardReactionCase : public TestCase
{
  public:
    StandardReactionCase()
        : TestCase("the reaction time of the standard: 394 quanta at 100 Gbps")
    {
    }

  private:
    void DoRun() override
    {
        const auto helper = MakeHelper("roce", "100Gbps");
        helper->SetFlowControlAttribute("StandardReaction", BooleanValue(true));
        Star star(*helper, 2);
        PauseFlowControl* pause = GetPause(star.devices[0]);
        NS_TEST_EXPECT_MSG_EQ(pause->GetReactionTicks(), 2018, "2017.28 ns, rounded up");
        const auto sw = DynamicCast<RoceSwitch>(star.sw);
        // 201,728 bit times: what still comes in, beyond the headroom without a reaction time.
        const auto bare = MakeHelper("roce", "100Gbps");
        Star other(*bare, 2);
        const uint64_t more =
            sw->ComputeHeadroom(0) - DynamicCast<RoceSwitch>(other.sw)->ComputeHeadroom(0);
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(more),
                                  201728 / 8.0 * 4222 / 4242,
                                  13,
                                  "bytes of a tick");
        Simulator::Destroy();
    }
};

/**
 * @ingroup ai-fabric-tests
 * A storm of pauses at a host, and a switch whose watchdog does one thing or another.
 */
class StormCase : public TestCase
{
  public:
    StormCase(const std::string& action, const std::string& what)
        : TestCase("PFC watchdog " + action + ": " + what),
          m_action(action)
    {
    }

  private:
    void DoRun() override
    {
        const auto helper = MakeHelper("roce", "100Gbps");
        helper->SetDeviceAttribute("PfcWatchdog", StringValue(m_action));
        helper->SetDeviceAttribute("PfcWatchdogDetection", TimeValue(MicroSeconds(1000)));
        helper->SetDeviceAttribute("PfcWatchdogRestoration", TimeValue(MicroSeconds(500)));
        Star star(*helper, 3);
        Counter counter(star.devices[1]);
        Counter other(star.devices[2]);
        Blaster blaster(star.devices[0], star.devices[1]->GetFabricAddress(), 4096, 1 << 17);
        blaster.Start();
        const auto faulty = DynamicCast<RoceNetDevice>(star.devices[1]);
        Simulator::Schedule(MicroSeconds(200), &RoceNetDevice::SetPauseStorm, faulty, 0x08);
        Simulator::Schedule(MicroSeconds(4000), &StormCase::Note, this, &counter);
        Simulator::Schedule(MicroSeconds(5000), &RoceNetDevice::SetPauseStorm, faulty, 0);
        Simulator::Schedule(MicroSeconds(5900), &StormCase::Note, this, &counter);
        Simulator::Stop(MicroSeconds(7000));
        Simulator::Run();
        const auto port = DynamicCast<RoceNetDevice>(star.sw->GetPort(1));
        Check(port, counter, star);
        // Without storms there is nothing to look at: the host that sends was only ever paused by
        // a switch that drains, or by one that is itself held up.
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(FabricFramePool::GetOutstanding(), 0, "a frame is lost for good");
    }

    void Check(const Ptr<RoceNetDevice>& port, const Counter& counter, Star& star)
    {
        const double perMs = 100e9 / 8 / 4178 / 1000;
        const double before = perMs / 5; // frames until the storm
        const bool off = m_action == "Off";
        const PfcWatchdog* watchdog = port->GetPfcWatchdog();
        NS_TEST_ASSERT_MSG_EQ((watchdog == nullptr), off, "there is one");
        if (!off)
        {
            NS_TEST_EXPECT_MSG_EQ(watchdog->GetStorms(3), 1, "one storm");
            NS_TEST_EXPECT_MSG_EQ(watchdog->GetStorms(4), 0, "in one priority");
            // Detection time, and at most two looks of a tenth of it.
            NS_TEST_EXPECT_MSG_GT_OR_EQ(watchdog->GetDetectedAt(3), 1200000, "detected");
            NS_TEST_EXPECT_MSG_LT(watchdog->GetDetectedAt(3), 1401000, "in time");
            NS_TEST_EXPECT_MSG_GT_OR_EQ(watchdog->GetRestoredAt(3), 5500000, "restored");
            NS_TEST_EXPECT_MSG_LT(watchdog->GetRestoredAt(3), 5701000, "in time");
            NS_TEST_EXPECT_MSG_EQ(watchdog->IsStorming(3), false, "over");
        }
        const auto at4 = static_cast<double>(m_frames.at(0));
        const uint64_t drops = port->GetWatchdogDrops();
        if (m_action == "Forward")
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(at4,
                                      before + perMs * 2.7,
                                      perMs * 0.15,
                                      "goes on in the storm");
            NS_TEST_EXPECT_MSG_EQ(drops, 0, "drops");
        }
        else
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(at4, before, 20, "stands still in the storm");
        }
        if (m_action == "Drop")
        {
            // The host goes on sending from the detection to the restoration.
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(drops),
                                      perMs * 4.25,
                                      perMs * 0.5,
                                      "drops");
        }
        NS_TEST_EXPECT_MSG_EQ(((m_action == "Drop") == (drops > 0)), true, "drops only there");
        NS_TEST_EXPECT_MSG_GT(counter.frames, m_frames.at(0) + perMs, "goes on after the storm");
        for (uint16_t i = 0; i < 3; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(star.sw->GetPort(i)->GetLosslessDrops(), 0, "lossless drops");
        }
    }

    void Note(Counter* counter)
    {
        m_frames.push_back(counter->frames);
    }

    std::string m_action;           //!< of the watchdog
    std::vector<uint64_t> m_frames; //!< received so far, at certain times
};

/**
 * @ingroup ai-fabric-tests
 * A NIC's own watchdog: it gives up pausing.
 */
class MaxPauseTimeCase : public TestCase
{
  public:
    MaxPauseTimeCase()
        : TestCase("a receiver with MaxPauseTime gives up pausing after it")
    {
    }

  private:
    void DoRun() override
    {
        const auto helper = MakeHelper("roce", "100Gbps");
        helper->SetHostFlowControlAttribute("MaxPauseTime", TimeValue(MicroSeconds(1000)));
        Star star(*helper, 2);
        Counter counter(star.devices[1]);
        Blaster blaster(star.devices[0], star.devices[1]->GetFabricAddress(), 4096, 20000);
        blaster.Start();
        const auto faulty = DynamicCast<RoceNetDevice>(star.devices[1]);
        Simulator::Schedule(MicroSeconds(100), &RoceNetDevice::SetPauseStorm, faulty, 0x08);
        Simulator::Run();
        const PauseFlowControl* pause = GetPause(star.sw->GetPort(1));
        NS_TEST_EXPECT_MSG_EQ(pause->IsPauseDisabled(3), true, "given up");
        NS_TEST_EXPECT_MSG_EQ(pause->IsPauseDisabled(4), false, "only there");
        NS_TEST_EXPECT_MSG_EQ(counter.frames, 20000, "everything comes in");
        FabricTick gap = 0;
        for (std::size_t i = 1; i < counter.times.size(); ++i)
        {
            gap = std::max(gap, counter.times[i] - counter.times[i - 1]);
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(gap, 1000000, 1000, "after MaxPauseTime");
        Simulator::Destroy();
    }
};

/**
 * @ingroup ai-fabric-tests
 * An uplink of a leaf-spine flaps under traffic: flows move to the other spine, what was on the
 * way is sent again, and all books are closed at the end.
 */
class LinkFlapCase : public TestCase
{
  public:
    LinkFlapCase(const std::string& fabric, bool reroute)
        : TestCase(fabric + ": an uplink flaps" +
                   (reroute ? ", and routes are computed again" : "")),
          m_fabric(fabric),
          m_reroute(reroute)
    {
    }

  private:
    void DoRun() override
    {
        const auto helper = MakeHelper(m_fabric, "100Gbps");
        const FabricTopology topology = FabricTopologyHelper(*helper).CreateLeafSpine(2, 2, 4);
        for (uint32_t i = 0; i < topology.switches.GetN(); ++i)
        {
            m_switches.push_back(FabricHelper::GetSwitch(topology.switches.Get(i)));
            for (uint16_t port = 0; port < m_switches.back()->GetNPorts(); ++port)
            {
                m_switches.back()->GetPort(port)->TraceConnectWithoutContext(
                    "FrameDrop",
                    MakeCallback(&LinkFlapCase::Dropped, this));
            }
        }
        const auto transport = RdmaHelper::CreateTransport(topology.hosts);
        transport->SetErrorCallback(MakeCallback(&LinkFlapCase::Failed, this));
        transport->SetQueuePairAttribute("TimeoutExponent", UintegerValue(7)); // 524 us
        for (uint32_t host = 0; host < 8; ++host)
        {
            transport->Send(host, (host + 4) % 8, 4000000, host);
        }
        const auto uplink = FindUplink();
        Simulator::Schedule(MicroSeconds(200), &LinkFlapCase::Set, this, uplink, false);
        Simulator::Schedule(MicroSeconds(260), &LinkFlapCase::CountUplink, this, uplink);
        Simulator::Schedule(MicroSeconds(900), &LinkFlapCase::CountUplink, this, uplink);
        Simulator::Schedule(MicroSeconds(1000), &LinkFlapCase::Set, this, uplink, true);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(transport->GetPending(), 0, "every message");
        NS_TEST_EXPECT_MSG_EQ(m_counts[0], m_counts[1], "nothing crosses a link that is down");
        uint64_t down = 0;
        for (const auto& sw : m_switches)
        {
            for (uint16_t port = 0; port < sw->GetNPorts(); ++port)
            {
                down += sw->GetPort(port)->GetLinkDownDrops();
                NS_TEST_EXPECT_MSG_EQ(sw->GetPort(port)->GetIncomingFlowControl()->GetOccupancy(),
                                      0,
                                      "books of port " << port);
            }
            const auto roce = DynamicCast<RoceSwitch>(sw);
            NS_TEST_EXPECT_MSG_EQ((roce ? roce->GetBuffer().GetUsed() : 0), 0, "buffer");
        }
        NS_TEST_EXPECT_MSG_GT(down, 0, "something was on the way");
        NS_TEST_EXPECT_MSG_EQ(m_full, 0, "no loss for want of room");
        transport->Dispose();
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(FabricFramePool::GetOutstanding(), 0, "a frame is lost for good");
    }

    /** @returns the first port of leaf 0 that leads to another switch */
    Ptr<FabricNetDevice> FindUplink() const
    {
        for (uint16_t port = 0; port < m_switches[0]->GetNPorts(); ++port)
        {
            const Ptr<FabricNetDevice> device = m_switches[0]->GetPort(port);
            if (device->GetPort().GetPeer()->GetFrameSink())
            {
                return device;
            }
        }
        return nullptr;
    }

    void Set(Ptr<FabricNetDevice> uplink, bool up)
    {
        DynamicCast<FabricChannel>(uplink->GetChannel())->SetLinkUp(up);
        NS_TEST_EXPECT_MSG_EQ(uplink->IsLinkUp(), up, "link state");
        if (m_reroute)
        {
            FabricRouting::InstallShortestPaths(m_switches);
        }
    }

    // Until all switches know the new routes, some frames have none: only room must never lack.
    void Dropped(const FabricFrame& /* frame */, const char* reason, bool /* lossless */)
    {
        m_full += std::string(reason) == FabricNetDevice::BUFFER_FULL ? 1 : 0;
    }

    void CountUplink(Ptr<FabricNetDevice> uplink)
    {
        m_counts.push_back(uplink->GetPort().GetCounters().frames +
                           uplink->GetPort().GetPeer()->GetPort().GetCounters().frames);
    }

    void Failed(uint32_t from, uint32_t to, std::string what)
    {
        NS_TEST_EXPECT_MSG_EQ(what, "", "from " << from << " to " << to);
    }

    std::string m_fabric;                      //!< "ib" or "roce"
    bool m_reroute;                            //!< after each change
    std::vector<Ptr<FabricSwitch>> m_switches; //!< leaves, then spines
    std::vector<uint64_t> m_counts;            //!< frames that have crossed the uplink
    uint64_t m_full{0};                        //!< frames dropped for want of room
};

/**
 * @ingroup ai-fabric-tests
 * A pause that is lost with the link is said again when it is up.
 */
class PauseOverFlapCase : public TestCase
{
  public:
    PauseOverFlapCase()
        : TestCase("a pause ends with the link, and is there again when it is up")
    {
    }

  private:
    void DoRun() override
    {
        Cable cable("roce");
        cable.Install();
        const auto channel = DynamicCast<FabricChannel>(cable.a->GetChannel());
        PauseFlowControl* pause = GetPause(cable.a);
        Simulator::Schedule(MicroSeconds(1), &PauseFlowControl::SetPaused, pause, 3, true);
        Simulator::Schedule(MicroSeconds(5), &PauseOverFlapCase::Expect, this, pause, true);
        Simulator::Schedule(MicroSeconds(10), &FabricChannel::SetLinkUp, channel, false);
        Simulator::Schedule(MicroSeconds(15), &PauseOverFlapCase::Expect, this, pause, false);
        Simulator::Schedule(MicroSeconds(20), &FabricChannel::SetLinkUp, channel, true);
        Simulator::Schedule(MicroSeconds(25), &PauseOverFlapCase::Expect, this, pause, true);
        Simulator::Schedule(MicroSeconds(30), &FabricChannel::SetLinkUp, channel, false);
        Simulator::Schedule(MicroSeconds(31), &PauseFlowControl::SetPaused, pause, 3, false);
        Simulator::Schedule(MicroSeconds(32), &FabricChannel::SetLinkUp, channel, true);
        Simulator::Schedule(MicroSeconds(40), &PauseOverFlapCase::Expect, this, pause, false);
        Simulator::Stop(MicroSeconds(50));
        Simulator::Run();
        // From when the frame acts to the end of the link, twice.
        const FabricTick first = 10000 - (1000 + 84 + DELAY);
        const FabricTick second = 30000 - (20000 + 84 + DELAY);
        NS_TEST_EXPECT_MSG_EQ(pause->GetPausedTicks(), first + second, "paused");
        Simulator::Destroy();
    }

    void Expect(PauseFlowControl* pause, bool paused)
    {
        NS_TEST_EXPECT_MSG_EQ(!pause->MaySend(3, 64, FabricNow()),
                              paused,
                              "at " << FabricNow() << " ns");
    }
};

/**
 * @ingroup ai-fabric-tests
 * A pause of a priority without PFC has no effect (802.1Qbb), and a link pause that was said before
 * a flap is said again after it.
 */
class PauseScopeCase : public TestCase
{
  public:
    PauseScopeCase()
        : TestCase("pauses of priorities without PFC have no effect; LinkPause over a flap")
    {
    }

  private:
    void DoRun() override
    {
        Cable cable("roce");
        cable.Install();
        const auto b = DynamicCast<RoceNetDevice>(cable.b);
        PauseFlowControl* pause = GetPause(cable.a);
        b->SetPauseStorm(0x49); // priorities 0, 3 and 6
        Simulator::Stop(MicroSeconds(10));
        Simulator::Run();
        for (uint8_t priority = 0; priority < 8; ++priority)
        {
            NS_TEST_EXPECT_MSG_EQ(!pause->MaySend(priority, 64, FabricNow()),
                                  (priority == 3),
                                  "priority " << +priority);
        }
        Simulator::Destroy();

        Cable link("roce");
        link.helper->SetFlowControlAttribute("LinkPause", BooleanValue(true));
        link.Install();
        const auto channel = DynamicCast<FabricChannel>(link.a->GetChannel());
        const auto faulty = DynamicCast<RoceNetDevice>(link.b);
        PauseFlowControl* whole = GetPause(link.a);
        Simulator::Schedule(MicroSeconds(10), &RoceNetDevice::SetPauseStorm, faulty, 0x18);
        Simulator::Schedule(MicroSeconds(20), &FabricChannel::SetLinkUp, channel, false);
        Simulator::Schedule(MilliSeconds(9), &RoceNetDevice::SetPauseStorm, faulty, 0x10);
        Simulator::Schedule(MilliSeconds(10), &FabricChannel::SetLinkUp, channel, true);
        Simulator::Stop(MilliSeconds(11));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(whole->MaySend(0, 64, FabricNow()), false, "paused again");
        Simulator::Destroy();
    }
};

/**
 * @ingroup ai-fabric-tests
 * A learning switch floods what it does not know, learns from sources, and forgets.
 */
class LearningCase : public TestCase
{
  public:
    LearningCase()
        : TestCase("a learning switch floods, learns and forgets")
    {
    }

  private:
    void DoRun() override
    {
        const auto helper = MakeHelper("roce", "8Gbps");
        NodeContainer nodes;
        nodes.Create(4);
        const Ptr<FabricSwitch> sw = helper->InstallSwitch(nodes.Get(3));
        sw->SetAttribute("Learning", BooleanValue(true));
        sw->SetAttribute("AgeingTime", TimeValue(MilliSeconds(10)));
        std::vector<Ptr<FabricNetDevice>> hosts;
        for (uint32_t i = 0; i < 3; ++i)
        {
            hosts.push_back(
                DynamicCast<FabricNetDevice>(helper->Install(nodes.Get(i), nodes.Get(3)).Get(0)));
        }
        sw->Configure();
        Counter counter(hosts[1]);
        const uint64_t address = hosts[1]->GetFabricAddress();
        QueueFrames(hosts[0], address, 26, 1); // flooded
        Simulator::Schedule(MicroSeconds(100),
                            &QueueFrames,
                            hosts[1],
                            hosts[0]->GetFabricAddress(),
                            26,
                            1);
        Simulator::Schedule(MicroSeconds(200), &QueueFrames, hosts[0], address, 26, 1); // known
        Simulator::Schedule(MilliSeconds(20), &QueueFrames, hosts[0], address, 26, 1);  // forgotten
        Simulator::Run();
        const auto sent = [&sw](uint16_t port) {
            return sw->GetPort(port)->GetPort().GetCounters().frames;
        };
        NS_TEST_EXPECT_MSG_EQ(counter.frames, 3, "all of them");
        NS_TEST_EXPECT_MSG_EQ(sent(0), 1, "the answer, to where its receiver was seen");
        NS_TEST_EXPECT_MSG_EQ(sent(1), 3, "to the receiver");
        NS_TEST_EXPECT_MSG_EQ(sent(2), 2, "flooded before it was known, and after");
        NS_TEST_EXPECT_MSG_EQ(hosts[2]->GetDrops(), 2, "filtered by a host");
        NS_TEST_EXPECT_MSG_EQ(hosts[2]->GetLosslessDrops(), 0, "which is no loss");
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(FabricFramePool::GetOutstanding(), 0, "a frame is lost for good");
    }
};

/** The suite. */
class RoceLinkTestSuite : public TestSuite
{
  public:
    RoceLinkTestSuite()
        : TestSuite("ai-fabric-roce-link", TestSuite::Type::UNIT)
    {
        AddTestCase(new ShapingCase);
        AddTestCase(new ShapedRateCase);
        AddTestCase(new LinkPauseCase);
        AddTestCase(new StandardReactionCase);
        AddTestCase(new StormCase("Off", "a storm stands until it ends"));
        AddTestCase(new StormCase("Alert", "says so, and nothing else"));
        AddTestCase(new StormCase("Drop", "drops in a storm, and restores"));
        AddTestCase(new StormCase("Forward", "sends in a storm, and restores"));
        AddTestCase(new MaxPauseTimeCase);
        for (const char* fabric : {"ib", "roce"})
        {
            AddTestCase(new LinkFlapCase(fabric, false));
        }
        AddTestCase(new LinkFlapCase("roce", true));
        AddTestCase(new PauseOverFlapCase);
        AddTestCase(new PauseScopeCase);
        AddTestCase(new LearningCase);
    }
};

RoceLinkTestSuite g_roceLinkTestSuite; //!< registers the suite

} // namespace
