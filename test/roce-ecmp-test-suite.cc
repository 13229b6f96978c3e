/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Traffic over several equal paths: what flows get by ECMP, spraying with receivers that take
// packets out of order, weights.

#include "support/link-rig.h"

#include "ns3/fabric-routing.h"
#include "ns3/fabric-topology-helper.h"
#include "ns3/rdma-helper.h"
#include "ns3/roce-switch.h"
#include "ns3/test.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::linkrig;

namespace
{

/**
 * @ingroup ai-fabric-tests
 * A permutation over a non-blocking leaf-spine of 4 leaves and 4 spines, under one way to choose a
 * path.
 */
class PermutationCase : public TestCase
{
  public:
    PermutationCase(const std::string& mode, const std::string& recovery, const std::string& what)
        : TestCase(mode + ", " + recovery + ": " + what),
          m_mode(mode),
          m_recovery(recovery)
    {
    }

  private:
    static constexpr uint64_t BYTES = 4000000; //!< of each message

    void DoRun() override
    {
        const auto helper = MakeHelper("roce", "100Gbps");
        helper->SetSwitchAttribute("LoadBalancing", StringValue(m_mode));
        const FabricTopology topology = FabricTopologyHelper(*helper).CreateLeafSpine(4, 4, 4);
        helper->AssignStreams(topology.switches, 1);
        const auto transport = RdmaHelper::CreateTransport(topology.hosts);
        transport->SetQueuePairAttribute("Recovery", StringValue(m_recovery));
        if (m_recovery == "SelectiveRepeat")
        {
            transport->SetQueuePairAttribute("ReorderPackets", UintegerValue(256));
        }
        transport->SetDeliveredCallback(MakeCallback(&PermutationCase::Delivered, this));
        for (uint32_t host = 0; host < 16; ++host)
        {
            transport->Send(host, (host + 4) % 16, BYTES, host);
        }
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(transport->GetPending(), 0, "every message");
        uint64_t again = 0;
        for (uint32_t host = 0; host < 16; ++host)
        {
            again += RdmaHelper::GetNic(topology.hosts.Get(host))->GetCounters().retransmitted;
        }
        Check(again, topology);
        transport->Dispose();
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(FabricFramePool::GetOutstanding(), 0, "a frame is lost for good");
    }

    void Check(uint64_t again, const FabricTopology& topology)
    {
        // Goodput of an empty line; a RETH in each packet where they may come in any order.
        const double line = 100e9 / 8 * 4096 / (4096 + (m_recovery == "GoBackN" ? 82 : 98));
        const double share = static_cast<double>(BYTES) / m_last / line;
        if (m_mode == "Ecmp")
        {
            // The slowest flow has 1 / (flows on the fullest link) of the line.
            uint32_t fullest = 0;
            for (uint32_t i = 0; i < topology.switches.GetN(); ++i)
            {
                fullest = std::max(fullest, CountFlows(topology.switches.Get(i)));
            }
            NS_TEST_EXPECT_MSG_GT(fullest, 1, "chance: some collide with this seed");
            NS_TEST_EXPECT_MSG_LT(share, 1.01 / fullest, "not more than the fullest link gives");
            NS_TEST_EXPECT_MSG_GT(share, 0.95 / fullest / 1.6, "nor much less");
        }
        else if (m_recovery == "SelectiveRepeat")
        {
            NS_TEST_EXPECT_MSG_EQ(again, 0, "nothing is lost, so nothing is sent again");
            NS_TEST_EXPECT_MSG_GT(share, (m_mode == "PerPacket" ? 0.85 : 0.98), "of the line");
        }
        else
        {
            NS_TEST_EXPECT_MSG_GT(again, 1000, "disorder is taken for loss");
            NS_TEST_EXPECT_MSG_LT(share, 0.5, "of the line");
        }
    }

    /** @returns flows of 4 MB on the fullest port of a switch that leads to another switch */
    static uint32_t CountFlows(const Ptr<Node>& node)
    {
        const Ptr<FabricSwitch> sw = FabricHelper::GetSwitch(node);
        uint32_t most = 0;
        for (uint16_t port = 0; port < sw->GetNPorts(); ++port)
        {
            const FabricPort& out = sw->GetPort(port)->GetPort();
            if (out.GetPeer()->GetFrameSink())
            {
                // ACKs are small; a flow is nearly a thousand frames of 4 KiB.
                const uint64_t bytes = out.GetCounters().frameBytes;
                most = std::max(most, static_cast<uint32_t>((bytes + BYTES / 2) / BYTES));
            }
        }
        return most;
    }

    void Delivered(uint32_t /* from */, uint32_t /* to */, uint64_t /* tag */)
    {
        m_last = FabricSeconds(FabricNow());
    }

    std::string m_mode;     //!< how paths are chosen
    std::string m_recovery; //!< of queue pairs
    double m_last{0};       //!< when the latest message was there, seconds
};

/**
 * @ingroup ai-fabric-tests
 * Weighted ECMP: two spines, one of which has a cable of a quarter of the rate to one leaf.
 */
class WeightsCase : public TestCase
{
  public:
    WeightsCase()
        : TestCase("weights are what the narrowest cable on the way can carry")
    {
    }

  private:
    void DoRun() override
    {
        const auto helper = MakeHelper("roce", "100Gbps");
        NodeContainer leaves(2);
        NodeContainer spines(2);
        NodeContainer hosts(2);
        std::vector<Ptr<FabricSwitch>> switches;
        for (const auto& nodes : {leaves, spines})
        {
            switches.push_back(helper->InstallSwitch(nodes.Get(0)));
            switches.push_back(helper->InstallSwitch(nodes.Get(1)));
        }
        // Ports of leaf 0: to spine 0, to spine 1, to its host.
        helper->Install(leaves.Get(0), spines.Get(0));
        helper->Install(leaves.Get(0), spines.Get(1));
        helper->Install(leaves.Get(1), spines.Get(0));
        helper->SetDeviceAttribute("DataRate", StringValue("25Gbps"));
        helper->Install(leaves.Get(1), spines.Get(1));
        helper->SetDeviceAttribute("DataRate", StringValue("100Gbps"));
        helper->Install(hosts.Get(0), leaves.Get(0));
        const auto far =
            DynamicCast<FabricNetDevice>(helper->Install(hosts.Get(1), leaves.Get(1)).Get(0));
        FabricRouting::InstallShortestPaths(switches, true);
        const std::vector<uint16_t> weighted = {0, 0, 0, 0, 1};
        NS_TEST_EXPECT_MSG_EQ((switches[0]->GetRoute(far->GetFabricAddress()) == weighted),
                              true,
                              "4 to 1");
        FabricRouting::InstallShortestPaths(switches);
        NS_TEST_EXPECT_MSG_EQ(switches[0]->GetRoute(far->GetFabricAddress()).size(), 2, "equal");
        Simulator::Destroy();
    }
};

/** The suite. */
class RoceEcmpTestSuite : public TestSuite
{
  public:
    RoceEcmpTestSuite()
        : TestSuite("ai-fabric-roce-ecmp", TestSuite::Type::UNIT)
    {
        AddTestCase(new PermutationCase("Ecmp", "GoBackN", "flows collide"));
        AddTestCase(new PermutationCase("PerPacket", "GoBackN", "disorder is loss"));
        for (const char* mode : {"PerPacket", "RoundRobin", "Adaptive"})
        {
            AddTestCase(new PermutationCase(mode, "SelectiveRepeat", "the line is full again"));
        }
        AddTestCase(new WeightsCase);
    }
};

RoceEcmpTestSuite g_roceEcmpTestSuite; //!< registers the suite

} // namespace
