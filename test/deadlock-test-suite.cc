/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Cyclic buffer dependencies: they happen where theory says, are named, and don't happen where a
// cycle is cut.

#include "support/link-rig.h"

#include "ns3/credit-flow-control.h"
#include "ns3/data-rate.h"
#include "ns3/enum.h"
#include "ns3/fabric-deadlock-detector.h"
#include "ns3/fabric-topology-helper.h"
#include "ns3/rdma-helper.h"
#include "ns3/roce-net-device.h"
#include "ns3/roce-switch.h"
#include "ns3/test.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::linkrig;

namespace
{

/** Switches in a ring with hosts, everything routed clockwise. */
struct ClockwiseRing
{
    ClockwiseRing(FabricHelper& helper, uint32_t count, uint32_t hostsPerSwitch)
        : hostsEach(hostsPerSwitch)
    {
        switches.Create(count);
        for (uint32_t i = 0; i < count; ++i)
        {
            sw.push_back(helper.InstallSwitch(switches.Get(i)));
        }
        // Port 0 of a switch leads to the next, port 1 comes from the one before, hosts follow.
        for (uint32_t i = 0; i < count; ++i)
        {
            helper.Install(switches.Get(i), switches.Get((i + 1) % count));
        }
        for (uint32_t i = 0; i < count; ++i)
        {
            NodeContainer own;
            own.Create(hostsPerSwitch);
            hosts.Add(own);
            devices.Add(helper.Install(own, switches.Get(i)));
        }
        helper.Configure(switches);
        for (uint32_t host = 0; host < hosts.GetN(); ++host)
        {
            const auto device = DynamicCast<FabricNetDevice>(devices.Get(host));
            for (uint32_t i = 0; i < count; ++i)
            {
                if (i != host / hostsPerSwitch)
                {
                    sw[i]->SetRoute(device->GetFabricAddress(), {ForwardPort(i)});
                }
            }
        }
        transport = RdmaHelper::CreateTransport(hosts);
        transport->SetDeliveredCallback(MakeCallback(&ClockwiseRing::Delivered, this));
        transport->SetErrorCallback(MakeCallback(&ClockwiseRing::Failed, this));
        detector = FabricDeadlockDetector::Find(sw[0]);
    }

    ~ClockwiseRing()
    {
        transport->Dispose();
    }

    /** @returns the port of a switch that leads to the next one */
    static uint16_t ForwardPort(uint32_t i)
    {
        // The last cable comes back to switch 0, as its second.
        return i == 0 ? 0 : 1;
    }

    /** Every host sends to its counterpart two switches on. */
    void SendTwoHops(uint64_t bytes, bool cutCycle)
    {
        for (uint32_t host = 0; host < hosts.GetN(); ++host)
        {
            // Flows of the last switch are those that close the cycle.
            const bool closes = host / hostsEach == sw.size() - 1;
            transport->SetQueuePairAttribute("ServiceLevel",
                                             UintegerValue(cutCycle && closes ? 1 : 0));
            transport->Send(host, (host + 2 * hostsEach) % hosts.GetN(), bytes, host);
        }
    }

    void Delivered(uint32_t /* from */, uint32_t /* to */, uint64_t /* tag */)
    {
        ++delivered;
    }

    void Failed(uint32_t /* from */, uint32_t /* to */, std::string what)
    {
        errors.push_back(what);
    }

    /** @returns data packets that all hosts have received so far */
    uint64_t CountReceived() const
    {
        uint64_t received = 0;
        for (uint32_t i = 0; i < hosts.GetN(); ++i)
        {
            received += RdmaHelper::GetNic(hosts.Get(i))->GetCounters().rxPackets;
        }
        return received;
    }

    uint32_t hostsEach;                   //!< hosts of a switch
    NodeContainer switches;               //!< nodes
    NodeContainer hosts;                  //!< nodes, switch by switch
    NetDeviceContainer devices;           //!< of hosts
    std::vector<Ptr<FabricSwitch>> sw;    //!< by position on the ring
    Ptr<RdmaTransport> transport;         //!< between the hosts
    Ptr<FabricDeadlockDetector> detector; //!< of the fabric
    uint32_t delivered{0};                //!< messages
    std::vector<std::string> errors;      //!< of connections
};

/** @returns a helper whose rings can deadlock: small buffers */
std::unique_ptr<FabricHelper>
MakeSmall(const std::string& fabric)
{
    std::unique_ptr<FabricHelper> helper = MakeHelper(fabric, "100Gbps");
    helper->SetChannelAttribute("Delay", TimeValue(NanoSeconds(50)));
    if (fabric == "ib")
    {
        helper->SetFlowControlAttribute("BufferBytes", UintegerValue(8 * 4160));
    }
    else
    {
        helper->SetSwitchAttribute("BufferBytes", UintegerValue(1200000));
    }
    return helper;
}

/**
 * @ingroup ai-fabric-tests
 * A32: three switches, every flow two hops clockwise, two hosts a switch.
 */
class RingDeadlockCase : public TestCase
{
  public:
    explicit RingDeadlockCase(const std::string& fabric)
        : TestCase(fabric + ": a ring of three switches deadlocks, and the cycle is named"),
          m_fabric(fabric)
    {
    }

  private:
    void DoRun() override
    {
        const auto helper = MakeSmall(m_fabric);
        ClockwiseRing ring(*helper, 3, 2);
        ring.detector->SetAttribute("Reaction", EnumValue(FabricDeadlockDetector::STOP));
        ring.SendTwoHops(100000000, false);
        Simulator::Stop(MilliSeconds(60));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(ring.detector->GetDeadlocks(), 1, "found");
        const std::string lane = m_fabric == "ib" ? " VL 0" : " priority 3";
        const std::string cycle = "node 0 port 0" + lane + " -> node 1 port 1" + lane +
                                  " -> node 2 port 1" + lane + " -> node 0 port 0" + lane;
        NS_TEST_EXPECT_MSG_EQ(ring.detector->GetCycle(), cycle, "named");
        NS_TEST_EXPECT_MSG_LT(ring.delivered, 6, "not everything was delivered");
        // Nothing moves any more, for as long as nobody gives up.
        const uint64_t received = ring.CountReceived();
        Simulator::Stop(MilliSeconds(5));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(ring.CountReceived(), received, "stands still");
        Simulator::Destroy();
    }

    std::string m_fabric; //!< "ib" or "roce"
};

/**
 * @ingroup ai-fabric-tests
 * By default a deadlock ends the run with an error that names the cycle.
 */
class DeadlockThrowsCase : public TestCase
{
  public:
    DeadlockThrowsCase()
        : TestCase("a deadlock is an error by default")
    {
    }

  private:
    void DoRun() override
    {
        const auto helper = MakeSmall("ib");
        ClockwiseRing ring(*helper, 3, 2);
        ring.SendTwoHops(100000000, false);
        std::string what;
        try
        {
            Simulator::Run();
        }
        catch (const std::runtime_error& error)
        {
            what = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ(what,
                              "deadlock (cyclic buffer dependency): " + ring.detector->GetCycle() +
                                  "; expected routing without cycles",
                              "one line");
        NS_TEST_EXPECT_MSG_EQ(ring.detector->GetCycle().empty(), false, "with the cycle");
        Simulator::Destroy();
    }
};

/**
 * @ingroup ai-fabric-tests
 * The same ring and flows, but those that close the cycle have a lane of their own.
 */
class LanesCutCycleCase : public TestCase
{
  public:
    LanesCutCycleCase()
        : TestCase("ib: a second virtual lane cuts the cycle")
    {
    }

  private:
    void DoRun() override
    {
        const auto helper = MakeSmall("ib");
        ClockwiseRing ring(*helper, 3, 2);
        ring.SendTwoHops(4000000, true);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(ring.delivered, 6, "every message");
        NS_TEST_EXPECT_MSG_EQ(ring.detector->GetDeadlocks(), 0, "no deadlock");
        NS_TEST_EXPECT_MSG_EQ(ring.errors.size(), 0, "no error");
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(FabricFramePool::GetOutstanding(), 0, "a frame is lost for good");
    }
};

/**
 * @ingroup ai-fabric-tests
 * A head-of-queue lifetime breaks the deadlock by discards; everything arrives in the end.
 */
class LifetimeBreaksDeadlockCase : public TestCase
{
  public:
    LifetimeBreaksDeadlockCase()
        : TestCase("ib: a head-of-queue lifetime breaks the deadlock")
    {
    }

  private:
    void DoRun() override
    {
        const auto helper = MakeSmall("ib");
        helper->SetSwitchAttribute("HoqLife", UintegerValue(8)); // 1.05 ms
        ClockwiseRing ring(*helper, 3, 2);
        ring.detector->SetAttribute("Reaction", EnumValue(FabricDeadlockDetector::REPORT));
        ring.detector->SetAttribute("CheckInterval", TimeValue(MicroSeconds(100)));
        ring.transport->SetQueuePairAttribute("RetryCount", UintegerValue(7));
        // Longer ones meet again when all are sent again, until the retries are used up.
        ring.SendTwoHops(100000, false);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_GT(ring.detector->GetDeadlocks(), 0, "it was there");
        NS_TEST_EXPECT_MSG_EQ(ring.delivered, 6, "every message");
        NS_TEST_EXPECT_MSG_EQ(ring.errors.size(), 0, "no error");
        uint64_t discards = 0;
        uint64_t lossless = 0;
        for (const auto& sw : ring.sw)
        {
            for (uint16_t port = 0; port < sw->GetNPorts(); ++port)
            {
                discards += sw->GetPort(port)->GetLifetimeDiscards();
                lossless += sw->GetPort(port)->GetLosslessDrops();
            }
        }
        NS_TEST_EXPECT_MSG_GT(discards, 0, "by discards");
        NS_TEST_EXPECT_MSG_EQ(lossless, 0, "and by nothing else");
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(FabricFramePool::GetOutstanding(), 0, "a frame is lost for good");
    }
};

/**
 * @ingroup ai-fabric-tests
 * A PFC watchdog resolves the deadlock of the ring by drops; everything arrives in the end.
 */
class WatchdogBreaksDeadlockCase : public TestCase
{
  public:
    WatchdogBreaksDeadlockCase()
        : TestCase("roce: a PFC watchdog resolves the deadlock")
    {
    }

  private:
    void DoRun() override
    {
        const auto helper = MakeSmall("roce");
        helper->SetDeviceAttribute("PfcWatchdog", StringValue("Drop"));
        helper->SetDeviceAttribute("PfcWatchdogDetection", TimeValue(MicroSeconds(200)));
        helper->SetDeviceAttribute("PfcWatchdogRestoration", TimeValue(MicroSeconds(200)));
        helper->SetDeadlockDetectorAttribute("CheckInterval", TimeValue(MicroSeconds(20)));
        ClockwiseRing ring(*helper, 3, 2);
        ring.detector->SetAttribute("Reaction", EnumValue(FabricDeadlockDetector::REPORT));
        ring.detector->TraceConnectWithoutContext(
            "Deadlock",
            MakeCallback(&WatchdogBreaksDeadlockCase::Found, this));
        ring.transport->SetQueuePairAttribute("TimeoutExponent", UintegerValue(8));
        ring.SendTwoHops(2000000, false);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_GT(ring.detector->GetDeadlocks(), 0, "it was there");
        NS_TEST_EXPECT_MSG_EQ(ring.delivered, 6, "every message");
        NS_TEST_EXPECT_MSG_EQ(ring.errors.size(), 0, "no error");
        uint64_t drops = 0;
        FabricTick detected = FABRIC_NEVER;
        for (const auto& sw : ring.sw)
        {
            for (uint16_t port = 0; port < sw->GetNPorts(); ++port)
            {
                const auto device = DynamicCast<RoceNetDevice>(sw->GetPort(port));
                drops += device->GetWatchdogDrops();
                NS_TEST_EXPECT_MSG_EQ(device->GetLosslessDrops(), 0, "no loss for want of room");
                if (device->GetPfcWatchdog()->GetStorms(3))
                {
                    detected = std::min(detected, device->GetPfcWatchdog()->GetDetectedAt(3));
                }
            }
            const auto roce = DynamicCast<RoceSwitch>(sw);
            NS_TEST_EXPECT_MSG_EQ(roce->GetBuffer().GetUsed(), 0, "ingress books");
            NS_TEST_EXPECT_MSG_EQ(roce->GetEgressBuffer().GetUsed(), 0, "egress books");
        }
        NS_TEST_EXPECT_MSG_GT(drops, 0, "by drops");
        NS_TEST_EXPECT_MSG_NE(detected, FABRIC_NEVER, "of a watchdog");
        NS_TEST_EXPECT_MSG_EQ(m_first,
                              "node 0 port 0 priority 3 -> node 1 port 1 priority 3 -> "
                              "node 2 port 1 priority 3 -> node 0 port 0 priority 3",
                              "named");
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(FabricFramePool::GetOutstanding(), 0, "a frame is lost for good");
    }

    void Found(const std::string& cycle)
    {
        m_first = m_first.empty() ? cycle : m_first;
    }

    std::string m_first; //!< the first cycle that was found
};

/**
 * @ingroup ai-fabric-tests
 * A31: two switches send a destination to each other. With TTL 16 and links of 40 Gb/s, up to
 * 5 Gb/s go round until they are dropped; more fill the buffers for ever.
 */
class RoutingLoopCase : public TestCase
{
  public:
    RoutingLoopCase(uint32_t gbps, bool deadlocks)
        : TestCase("roce: a routing loop fed with " + std::to_string(gbps) + " Gbps " +
                   (deadlocks ? "deadlocks" : "runs empty")),
          m_gbps(gbps),
          m_deadlocks(deadlocks)
    {
    }

  private:
    void DoRun() override
    {
        const auto helper = MakeHelper("roce", "40Gbps");
        helper->SetSwitchAttribute("BufferBytes", UintegerValue(1200000));
        NodeContainer switches(2);
        NodeContainer hosts(2);
        std::vector<Ptr<FabricSwitch>> sw;
        for (uint32_t i = 0; i < 2; ++i)
        {
            sw.push_back(helper->InstallSwitch(switches.Get(i)));
        }
        helper->Install(switches.Get(0), switches.Get(1));
        helper->Install(hosts.Get(0), switches.Get(0));
        const auto to =
            DynamicCast<FabricNetDevice>(helper->Install(hosts.Get(1), switches.Get(1)).Get(0));
        helper->SetDeadlockDetectorAttribute("Reaction", EnumValue(FabricDeadlockDetector::REPORT));
        helper->Configure(switches);
        const auto transport = RdmaHelper::CreateTransport(hosts);
        transport->SetQueuePairAttribute("Ttl", UintegerValue(16));
        transport->SetQueuePairAttribute("MaxRate",
                                         DataRateValue(DataRate(m_gbps * 1000000000ULL)));
        transport->SetQueuePairAttribute("TimeoutExponent", UintegerValue(0));
        sw[1]->SetRoute(to->GetFabricAddress(), {0});
        constexpr uint64_t PACKETS = 600;
        transport->Send(0, 1, PACKETS * 4096, 0);
        Simulator::Stop(MilliSeconds(20));
        Simulator::Run();
        uint64_t dropped = 0;
        uint64_t held = 0;
        for (const auto& at : sw)
        {
            for (uint16_t port = 0; port < at->GetNPorts(); ++port)
            {
                dropped += at->GetPort(port)->GetHopLimitDrops();
            }
            held += DynamicCast<RoceSwitch>(at)->GetBuffer().GetUsed();
        }
        const bool deadlock = FabricDeadlockDetector::Find(sw[0])->GetDeadlocks() > 0;
        NS_TEST_EXPECT_MSG_EQ(deadlock, m_deadlocks, "a cycle is found");
        NS_TEST_EXPECT_MSG_EQ((held > 0), m_deadlocks, "something waits for ever");
        NS_TEST_EXPECT_MSG_EQ((dropped == PACKETS), !m_deadlocks, "all end by their TTL");
        transport->Dispose();
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(FabricFramePool::GetOutstanding(), 0, "a frame is lost for good");
    }

    uint32_t m_gbps;  //!< into the loop
    bool m_deadlocks; //!< what theory says
};

/**
 * @ingroup ai-fabric-tests
 * Congestion is no deadlock: all to one over a leaf-spine, for many looks.
 */
class NoFalseAlarmCase : public TestCase
{
  public:
    explicit NoFalseAlarmCase(const std::string& fabric)
        : TestCase(fabric + ": congestion without a cycle is no deadlock"),
          m_fabric(fabric)
    {
    }

  private:
    void DoRun() override
    {
        const auto helper = MakeSmall(m_fabric);
        const FabricTopology topology = FabricTopologyHelper(*helper).CreateLeafSpine(3, 2, 4);
        const Ptr<FabricDeadlockDetector> detector =
            FabricDeadlockDetector::Find(FabricHelper::GetSwitch(topology.switches.Get(0)));
        detector->SetAttribute("CheckInterval", TimeValue(MicroSeconds(2)));
        const auto transport = RdmaHelper::CreateTransport(topology.hosts);
        transport->SetErrorCallback(MakeCallback(&NoFalseAlarmCase::Failed, this));
        for (uint32_t host = 1; host < 12; ++host)
        {
            transport->Send(host, 0, 1000000, host);
            transport->Send(host, host % 11 + 1, 1000000, host);
        }
        Simulator::Run(); // throws if it finds one
        NS_TEST_EXPECT_MSG_EQ(detector->GetDeadlocks(), 0, "none");
        NS_TEST_EXPECT_MSG_EQ(transport->GetPending(), 0, "every message");
        transport->Dispose();
        Simulator::Destroy();
    }

    void Failed(uint32_t from, uint32_t to, std::string what)
    {
        NS_TEST_EXPECT_MSG_EQ(what, "", "from " << from << " to " << to);
    }

    std::string m_fabric; //!< "ib" or "roce"
};

/**
 * @ingroup ai-fabric-tests
 * All ports of a ring wait for credits that are on their way: no deadlock, however long the cables
 * and however often one looks.
 */
class NewsOnItsWayCase : public TestCase
{
  public:
    NewsOnItsWayCase(Time delay, Time interval)
        : TestCase("ib: credits on the way over cables of " +
                   std::to_string(delay.GetMicroSeconds()) + " us are no deadlock"),
          m_delay(delay),
          m_interval(interval)
    {
    }

  private:
    void DoRun() override
    {
        const auto helper = MakeSmall("ib");
        helper->SetChannelAttribute("Delay", TimeValue(m_delay));
        helper->SetFlowControlAttribute("BufferBytes", UintegerValue(4 * 4160));
        helper->SetDeadlockDetectorAttribute("CheckInterval", TimeValue(m_interval));
        ClockwiseRing ring(*helper, 3, 1);
        ring.SendTwoHops(3 * 4096, false); // one packet less than a buffer holds
        Simulator::Run();                  // throws if it finds a deadlock
        NS_TEST_EXPECT_MSG_EQ(ring.delivered, 3, "every message");
        NS_TEST_EXPECT_MSG_EQ(ring.detector->GetDeadlocks(), 0, "no deadlock");
        Simulator::Destroy();
    }

    Time m_delay;    //!< of every cable
    Time m_interval; //!< between looks
};

/**
 * @ingroup ai-fabric-tests
 * A deadlock counts once, even if other traffic goes on, waits, and makes the detector look.
 */
class FoundOnceCase : public TestCase
{
  public:
    FoundOnceCase()
        : TestCase("ib: a deadlock that lasts is told of once")
    {
    }

  private:
    void DoRun() override
    {
        const auto helper = MakeSmall("ib");
        ClockwiseRing ring(*helper, 3, 2);
        ring.detector->SetAttribute("Reaction", EnumValue(FabricDeadlockDetector::REPORT));
        ring.detector->SetAttribute("CheckInterval", TimeValue(MicroSeconds(100)));
        ring.SendTwoHops(100000000, false);
        Simulator::Stop(MilliSeconds(1));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(ring.detector->GetDeadlocks(), 1, "found");
        const FabricTick foundAt = ring.detector->GetFoundAt();
        ring.transport->SetQueuePairAttribute("ServiceLevel", UintegerValue(1));
        for (uint32_t host = 0; host < 4; ++host)
        {
            ring.transport->Send(host, 5, 5000000, host);
        }
        Simulator::Stop(MilliSeconds(3));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_GT(ring.delivered, 0, "the other lane goes on");
        NS_TEST_EXPECT_MSG_EQ(ring.detector->GetDeadlocks(), 1, "told of once");
        NS_TEST_EXPECT_MSG_EQ(ring.detector->GetFoundAt(), foundAt, "at that time");
        Simulator::Destroy();
    }
};

/**
 * @ingroup ai-fabric-tests
 * Configure() once more while frames are in the switches changes nothing.
 */
class ConfigureAgainCase : public TestCase
{
  public:
    explicit ConfigureAgainCase(const std::string& fabric)
        : TestCase(fabric + ": Configure while frames are under way"),
          m_fabric(fabric)
    {
    }

  private:
    void DoRun() override
    {
        const auto helper = MakeSmall(m_fabric);
        const FabricTopology topology = FabricTopologyHelper(*helper).CreateLeafSpine(2, 2, 4);
        const auto transport = RdmaHelper::CreateTransport(topology.hosts);
        for (uint32_t host = 1; host < 8; ++host)
        {
            transport->Send(host, 0, 200000, host);
        }
        Simulator::Stop(MicroSeconds(20));
        Simulator::Run();
        helper->Configure(topology.switches);
        Simulator::Stop(MilliSeconds(1));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(transport->GetPending(), 0, "every message");
        for (uint32_t i = 0; i < topology.switches.GetN(); ++i)
        {
            const Ptr<FabricSwitch> sw = FabricHelper::GetSwitch(topology.switches.Get(i));
            for (uint16_t port = 0; port < sw->GetNPorts(); ++port)
            {
                NS_TEST_EXPECT_MSG_EQ(sw->GetPort(port)->GetLosslessDrops(), 0, "no loss");
            }
            if (const auto roce = DynamicCast<RoceSwitch>(sw))
            {
                NS_TEST_EXPECT_MSG_EQ(roce->GetBuffer().GetUsed(), 0, "nothing is left over");
            }
        }
        transport->Dispose();
        Simulator::Destroy();
    }

    std::string m_fabric; //!< "ib" or "roce"
};

/**
 * @ingroup ai-fabric-tests
 * Five switches in a ring, every host sends two switches on, tables by a routing engine: what its
 * proof says of them comes true.
 */
class EngineRingCase : public TestCase
{
  public:
    EngineRingCase(const std::string& engine, bool deadlocks)
        : TestCase("ring of five switches with " + engine),
          m_engine(engine),
          m_deadlocks(deadlocks)
    {
    }

  private:
    void DoRun() override
    {
        IbHelper helper;
        helper.SetDeviceAttribute("DataRate", StringValue("100Gbps"));
        helper.SetFlowControlAttribute("BufferBytes", UintegerValue(8 * 4160));
        helper.SetDeadlockDetectorAttribute("Reaction", EnumValue(FabricDeadlockDetector::STOP));
        helper.SetRoutingEngine(m_engine);
        NodeContainer switches(5);
        NodeContainer hosts(10);
        for (uint32_t i = 0; i < 5; ++i)
        {
            helper.InstallSwitch(switches.Get(i));
        }
        for (uint32_t i = 0; i < 5; ++i)
        {
            helper.Install(switches.Get(i), switches.Get((i + 1) % 5));
        }
        for (uint32_t host = 0; host < 10; ++host)
        {
            helper.Install(hosts.Get(host), switches.Get(host / 2));
        }
        helper.Configure(switches);
        const auto transport = RdmaHelper::CreateTransport(hosts);
        for (uint32_t host = 0; host < 10; ++host)
        {
            transport->Send(host, (host + 4) % 10, 2000000, host);
        }
        Simulator::Run();
        const auto detector =
            FabricDeadlockDetector::Find(FabricHelper::GetSwitch(switches.Get(0)));
        NS_TEST_EXPECT_MSG_EQ(helper.GetSubnetManager()->GetDeadlock().empty(),
                              !m_deadlocks,
                              "tables");
        NS_TEST_EXPECT_MSG_EQ(detector->GetDeadlocks(), (m_deadlocks ? 1 : 0), "run");
        NS_TEST_EXPECT_MSG_EQ((transport->GetPending() == 0), !m_deadlocks, "messages");
        if (m_deadlocks)
        {
            NS_TEST_EXPECT_MSG_EQ(detector->GetCycle(),
                                  "node 0 port 0 VL 0 -> node 1 port 1 VL 0 -> node 2 port 1 VL 0 "
                                  "-> node 3 port 1 VL 0 -> node 4 port 1 VL 0 -> node 0 port 0 "
                                  "VL 0",
                                  "named");
        }
        transport->Dispose();
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(FabricFramePool::GetOutstanding(), 0, "a frame is lost for good");
    }

    std::string m_engine; //!< as OpenSM calls it
    bool m_deadlocks;     //!< what is expected
};

/**
 * @ingroup ai-fabric-tests
 * Deadlocks and how they are found.
 */
class DeadlockTestSuite : public TestSuite
{
  public:
    DeadlockTestSuite()
        : TestSuite("ai-fabric-deadlock", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new RingDeadlockCase("ib"));
        AddTestCase(new RingDeadlockCase("roce"));
        AddTestCase(new DeadlockThrowsCase());
        AddTestCase(new LanesCutCycleCase());
        AddTestCase(new LifetimeBreaksDeadlockCase());
        AddTestCase(new WatchdogBreaksDeadlockCase);
        AddTestCase(new RoutingLoopCase(4, false));
        AddTestCase(new RoutingLoopCase(6, true));
        AddTestCase(new EngineRingCase("minhop", true));
        AddTestCase(new EngineRingCase("shortest", true));
        AddTestCase(new EngineRingCase("updn", false));
        AddTestCase(new EngineRingCase("lash", false));
        AddTestCase(new NoFalseAlarmCase("ib"));
        AddTestCase(new NoFalseAlarmCase("roce"));
        AddTestCase(new NewsOnItsWayCase(MicroSeconds(10), MicroSeconds(1)));
        AddTestCase(new NewsOnItsWayCase(MilliSeconds(2), MilliSeconds(1)));
        AddTestCase(new FoundOnceCase());
        AddTestCase(new ConfigureAgainCase("ib"));
        AddTestCase(new ConfigureAgainCase("roce"));
    }
};

DeadlockTestSuite g_deadlockTestSuite; //!< the suite

} // namespace
