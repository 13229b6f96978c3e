/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Forwarding: tables, trees, flow hashing, marking, and frames that have nowhere to go.

#include "support/link-rig.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/fabric-topology-helper.h"
#include "ns3/pause-flow-control.h"
#include "ns3/roce-net-device.h"
#include "ns3/roce-switch.h"
#include "ns3/test.h"

#include <map>
#include <set>
#include <tuple>

using namespace ns3;
using namespace ns3::linkrig;

namespace
{

/** Counts packets of the stack that a host gets. */
class StackCounter
{
  public:
    explicit StackCounter(const Ptr<NetDevice>& device)
    {
        device->SetReceiveCallback(MakeCallback(&StackCounter::Receive, this));
    }

    uint32_t packets{0}; //!< so far

  private:
    bool Receive(Ptr<NetDevice> /* device */,
                 Ptr<const Packet> /* packet */,
                 uint16_t /* protocol */,
                 const Address& /* source */)
    {
        ++packets;
        return true;
    }
};

/** A broadcast over leaf-spine reaches every other host once, although there are many loops. */
class FloodCase : public TestCase
{
  public:
    explicit FloodCase(const std::string& fabric)
        : TestCase(fabric + ": a broadcast reaches every host once"),
          m_fabric(fabric)
    {
    }

  private:
    void DoRun() override
    {
        const auto helper = MakeHelper(m_fabric, "100Gbps");
        const FabricTopology topology = FabricTopologyHelper(*helper).CreateLeafSpine(3, 4, 2);
        std::vector<std::unique_ptr<StackCounter>> counters;
        for (uint32_t i = 0; i < 6; ++i)
        {
            counters.push_back(std::make_unique<StackCounter>(topology.hostDevices.Get(i)));
        }
        const Ptr<NetDevice> sender = topology.hostDevices.Get(3);
        NS_TEST_ASSERT_MSG_EQ(sender->Send(Create<Packet>(100), sender->GetBroadcast(), 0x88b5),
                              true,
                              "accepted");
        Simulator::Run();
        for (uint32_t i = 0; i < 6; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(counters[i]->packets, (i == 3 ? 0U : 1U), "host " << i);
        }
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(FabricFramePool::GetOutstanding(), 0U, "every copy is given back");
    }

    std::string m_fabric;
};

/** Every pair of hosts is connected over the fewest switches, and ports towards a destination are
 * all equally good. */
class RouteCase : public TestCase
{
  public:
    explicit RouteCase(const std::string& fabric)
        : TestCase(fabric + ": shortest paths, all of them"),
          m_fabric(fabric)
    {
    }

  private:
    void DoRun() override
    {
        const auto helper = MakeHelper(m_fabric, "100Gbps");
        const FabricTopology topology = FabricTopologyHelper(*helper).CreateLeafSpine(3, 4, 2);
        for (uint32_t host = 0; host < 6; ++host)
        {
            const auto device = DynamicCast<FabricNetDevice>(topology.hostDevices.Get(host));
            const uint32_t home = host / 2;
            for (uint32_t i = 0; i < 7; ++i)
            {
                const Ptr<FabricSwitch> at = FabricHelper::GetSwitch(topology.switches.Get(i));
                const auto& ports = at->GetRoute(device->GetFabricAddress());
                const std::size_t expected = i < 3 && i != home ? 4 : 1;
                NS_TEST_ASSERT_MSG_EQ(ports.size(), expected, "switch " << i << ", host " << host);
                for (const uint16_t port : ports)
                {
                    const FabricNetDevice* peer = at->GetPort(port)->GetPort().GetPeer();
                    const uint32_t next = peer->GetNode()->GetId();
                    if (i == home)
                    {
                        NS_TEST_EXPECT_MSG_EQ(peer, PeekPointer(device), "straight to the host");
                    }
                    else if (i < 3)
                    {
                        NS_TEST_EXPECT_MSG_GT(next,
                                              topology.switches.Get(2)->GetId(),
                                              "up to a spine");
                    }
                    else
                    {
                        NS_TEST_EXPECT_MSG_EQ(next,
                                              topology.switches.Get(home)->GetId(),
                                              "down to the host's leaf");
                    }
                }
            }
        }
        Simulator::Destroy();
    }

    std::string m_fabric;
};

/** Sends one RDMA frame with given entropy. */
void
SendOne(const Ptr<FabricNetDevice>& from, uint64_t to, uint16_t udpSrc, uint8_t ecn)
{
    FabricFrame* frame = FabricFramePool::Allocate();
    frame->src = from->GetFabricAddress();
    frame->dst = to;
    frame->udpSrc = udpSrc;
    frame->opcode = IbOpcode::RC_WRITE_MIDDLE;
    frame->payload = 1024;
    frame->dscp = 26;
    frame->ecn = ecn;
    from->ClassifyFrame(*frame);
    from->SizeFrame(*frame);
    from->GetPort().Enqueue(frame);
}

/** A flow keeps its path; flows spread over all paths; the seed of a switch changes who goes where.
 */
class FlowHashCase : public TestCase
{
  public:
    FlowHashCase()
        : TestCase("roce: a flow keeps its path, flows spread")
    {
    }

  private:
    std::vector<uint64_t> Spread(uint32_t seed, uint32_t flows, uint32_t framesPerFlow)
    {
        const auto helper = MakeHelper("roce", "100Gbps");
        const FabricTopology topology = FabricTopologyHelper(*helper).CreateLeafSpine(2, 4, 1);
        const auto leaf = FabricHelper::GetSwitch(topology.switches.Get(0));
        leaf->SetAttribute("EcmpSeed", UintegerValue(seed));
        const auto a = DynamicCast<FabricNetDevice>(topology.hostDevices.Get(0));
        const auto b = DynamicCast<FabricNetDevice>(topology.hostDevices.Get(1));
        Counter counter(b);
        for (uint32_t flow = 0; flow < flows; ++flow)
        {
            for (uint32_t i = 0; i < framesPerFlow; ++i)
            {
                SendOne(a, b->GetFabricAddress(), 0xc000 + flow, 0);
            }
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(counter.frames, flows * framesPerFlow, "all arrive");
        std::vector<uint64_t> frames;
        for (uint32_t spine = 0; spine < 4; ++spine)
        {
            frames.push_back(leaf->GetPort(1 + spine)->GetPort().GetCounters().frames);
        }
        Simulator::Destroy();
        return frames;
    }

    void DoRun() override
    {
        const std::vector<uint64_t> one = Spread(1, 1, 50);
        NS_TEST_EXPECT_MSG_EQ(
            (std::set<uint64_t>(one.begin(), one.end()) == (std::set<uint64_t>{0, 50})),
            true,
            "one flow, one path");
        const std::vector<uint64_t> many = Spread(1, 400, 1);
        for (const uint64_t frames : many)
        {
            NS_TEST_EXPECT_MSG_GT(frames, 60U, "about 100 of 400 flows on each of 4 paths");
            NS_TEST_EXPECT_MSG_LT(frames, 140U, "about 100 of 400 flows on each of 4 paths");
        }
        NS_TEST_EXPECT_MSG_EQ((Spread(1, 400, 1) == many), true, "the same seed, the same paths");
        NS_TEST_EXPECT_MSG_EQ((Spread(2, 400, 1) == many), false, "another seed, other paths");
    }
};

/** Marking: nothing up to Kmin, everything from Kmax on, and only frames that may be marked. */
class MarkingCase : public TestCase
{
  public:
    MarkingCase()
        : TestCase("roce: ECN marking by queue length")
    {
    }

  private:
    /** @returns marks of n frames with code point ecn that queue at once, at thresholds in frames
     */
    uint64_t Marks(uint32_t frames, uint8_t ecn, uint32_t kmin, uint32_t kmax, double pmax)
    {
        const auto helper = MakeHelper("roce", "100Gbps");
        helper->SetSwitchAttribute("Ecn", BooleanValue(true));
        constexpr uint32_t FRAME = 62 + 1024;
        helper->SetSwitchAttribute("EcnKmin", UintegerValue(kmin * FRAME));
        helper->SetSwitchAttribute("EcnKmax", UintegerValue(kmax * FRAME));
        helper->SetSwitchAttribute("EcnPmax", DoubleValue(pmax));
        Star star(*helper, 2);
        Counter counter(star.devices[1]);
        // The receiver stops the switch until all frames are queued.
        const auto pause =
            dynamic_cast<PauseFlowControl*>(star.sw->GetPort(1)->GetPort().GetFlowControl());
        std::array<uint16_t, 8> quanta{};
        quanta[3] = 0xffff;
        pause->ReceivePause(1 << 3, quanta);
        for (uint32_t i = 0; i < frames; ++i)
        {
            SendOne(star.devices[0], star.devices[1]->GetFabricAddress(), 0xc000, ecn);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(counter.frames, frames, "all arrive");
        const uint64_t marks = DynamicCast<RoceSwitch>(star.sw)->GetEcnMarks();
        Simulator::Destroy();
        return marks;
    }

    void DoRun() override
    {
        // Frame i of n leaves with n - i frames behind it. Kmin = 20: marked are those with more
        // behind, above Kmax all.
        NS_TEST_EXPECT_MSG_EQ(Marks(21, 2, 20, 21, 1), 0U, "not above Kmin");
        NS_TEST_EXPECT_MSG_EQ(Marks(50, 2, 20, 21, 0), 29U, "from Kmax on every frame");
        NS_TEST_EXPECT_MSG_EQ(Marks(50, 1, 20, 21, 0), 29U, "ECT(1) as ECT(0)");
        NS_TEST_EXPECT_MSG_EQ(Marks(50, 0, 20, 21, 1), 0U, "not-ECT is never marked");
        // Between them the probability grows linearly: 1000 frames, Kmin 1, Kmax 1000, Pmax 1: mean
        // 499, sigma 12.9.
        const uint64_t marks = Marks(1000, 2, 1, 1000, 1);
        NS_TEST_EXPECT_MSG_GT(marks, 450U, "binomial, 3.9 sigma");
        NS_TEST_EXPECT_MSG_LT(marks, 550U, "binomial, 3.9 sigma");
    }
};

/** Frames without a way are dropped, traced and counted; a forwarding loop ends. */
class NoWayCase : public TestCase
{
  public:
    explicit NoWayCase(const std::string& fabric)
        : TestCase(fabric + ": unknown addresses and routing loops are counted"),
          m_fabric(fabric)
    {
    }

  private:
    void OnDrop(const FabricFrame& /* frame */, const char* reason, bool lossless)
    {
        m_reasons[reason] += 1;
        m_lossless += lossless ? 1 : 0;
    }

    void DoRun() override
    {
        const auto helper = MakeHelper(m_fabric, "100Gbps");
        const FabricTopology topology = FabricTopologyHelper(*helper).CreateLeafSpine(2, 1, 1);
        for (uint32_t i = 0; i < topology.switches.GetN(); ++i)
        {
            const Ptr<FabricSwitch> at = FabricHelper::GetSwitch(topology.switches.Get(i));
            for (uint16_t port = 0; port < at->GetNPorts(); ++port)
            {
                at->GetPort(port)->TraceConnectWithoutContext(
                    "FrameDrop",
                    MakeCallback(&NoWayCase::OnDrop, this));
            }
        }
        const auto a = DynamicCast<FabricNetDevice>(topology.hostDevices.Get(0));
        const auto b = DynamicCast<FabricNetDevice>(topology.hostDevices.Get(1));
        const Ptr<FabricSwitch> leaf = FabricHelper::GetSwitch(topology.switches.Get(0));
        const Ptr<FabricSwitch> spine = FabricHelper::GetSwitch(topology.switches.Get(2));
        SendOne(a, 0x0999, 0, 0); // nobody has this address
        // Leaf 0 sends frames for host 1 up, the spine sends them back down.
        leaf->SetRoute(b->GetFabricAddress(), {1});
        spine->SetRoute(b->GetFabricAddress(), {0, 1});
        spine->SetRoute(0x0777, {0});
        leaf->SetRoute(0x0777, {1});
        SendOne(a, 0x0777, 0, 0);
        Simulator::Run();
        // The spine sends it back where it came from, as its table says, until the hop limit.
        NS_TEST_EXPECT_MSG_EQ(m_reasons[FabricNetDevice::NO_ROUTE], 1U, "no way");
        NS_TEST_EXPECT_MSG_EQ(m_reasons[FabricNetDevice::HOP_LIMIT], 1U, "a loop");
        NS_TEST_EXPECT_MSG_EQ(spine->GetPort(0)->GetHopLimitDrops(), 1U, "counted apart");
        NS_TEST_EXPECT_MSG_EQ(m_lossless, 2U, "both were promised not to be dropped");
        NS_TEST_EXPECT_MSG_EQ(leaf->GetPort(0)->GetLosslessDrops(), 1U, "counted where it came in");
        NS_TEST_EXPECT_MSG_EQ(spine->GetPort(0)->GetLosslessDrops(),
                              1U,
                              "counted where it came in");
        // The room that they held is free again.
        for (const auto& port : {leaf->GetPort(0), spine->GetPort(0)})
        {
            NS_TEST_EXPECT_MSG_EQ(port->GetIncomingFlowControl()->GetOccupancy(), 0U, "room");
        }
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(FabricFramePool::GetOutstanding(), 0U, "frames are given back");
    }

    std::string m_fabric;
    std::map<std::string, uint32_t> m_reasons;
    uint32_t m_lossless{0};
};

/** A loop of three switches, which no port check can see, ends at the hop limit. */
class LoopCase : public TestCase
{
  public:
    explicit LoopCase(const std::string& fabric)
        : TestCase(fabric + ": a routing loop ends at the hop limit"),
          m_fabric(fabric)
    {
    }

  private:
    void DoRun() override
    {
        const auto helper = MakeHelper(m_fabric, "100Gbps");
        NodeContainer host(1);
        NodeContainer ring(3);
        std::vector<Ptr<FabricSwitch>> switches;
        for (uint32_t i = 0; i < 3; ++i)
        {
            switches.push_back(helper->InstallSwitch(ring.Get(i)));
        }
        for (uint32_t i = 0; i < 3; ++i)
        {
            helper->Install(ring.Get(i), ring.Get((i + 1) % 3));
        }
        const auto a =
            DynamicCast<FabricNetDevice>(helper->Install(host.Get(0), ring.Get(0)).Get(0));
        helper->Configure(ring);
        // Ports: switch 0 has 0 to switch 1 and 1 to switch 2; switch 1 has 1 to 2; switch 2 has 1
        // to 0.
        switches[0]->SetRoute(0x0777, {0});
        switches[1]->SetRoute(0x0777, {1});
        switches[2]->SetRoute(0x0777, {1});
        SendOne(a, 0x0777, 0, 0);
        Simulator::Run();
        uint64_t drops = 0;
        for (const auto& at : switches)
        {
            for (uint16_t port = 0; port < at->GetNPorts(); ++port)
            {
                drops += at->GetPort(port)->GetLosslessDrops();
            }
        }
        NS_TEST_EXPECT_MSG_EQ(drops, 1U, "dropped once, and counted");
        uint64_t hops = 0;
        for (const auto& at : switches)
        {
            for (uint16_t port = 0; port < at->GetNPorts(); ++port)
            {
                hops += at->GetPort(port)->GetPort().GetCounters().frames;
            }
        }
        NS_TEST_EXPECT_MSG_EQ(hops, FabricSwitch::MAX_HOPS, "after the last hop allowed");
        Simulator::Destroy();
    }

    std::string m_fabric;
};

/** The suite. */
class SwitchTestSuite : public TestSuite
{
  public:
    SwitchTestSuite()
        : TestSuite("ai-fabric-switch", TestSuite::Type::UNIT)
    {
        for (const char* fabric : {"ib", "roce"})
        {
            AddTestCase(new FloodCase(fabric));
            AddTestCase(new RouteCase(fabric));
            AddTestCase(new NoWayCase(fabric));
            AddTestCase(new LoopCase(fabric));
        }
        AddTestCase(new FlowHashCase);
        AddTestCase(new MarkingCase);
    }
};

SwitchTestSuite g_switchTestSuite; //!< registers the suite

} // namespace
