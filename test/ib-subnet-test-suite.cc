/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The subnet manager: what it discovers, and where packets go by what it programs.

#include "support/end-to-end-rig.h"

#include "ns3/data-rate.h"
#include "ns3/ib-cluster-helper.h"
#include "ns3/ib-link-speed.h"
#include "ns3/ib-net-discover-reader.h"
#include "ns3/ib-node-info.h"
#include "ns3/ib-switch.h"
#include "ns3/names.h"
#include "ns3/rdma-helper.h"
#include "ns3/subnet-lft-dump.h"
#include "ns3/subnet-lids.h"
#include "ns3/subnet-summary.h"
#include "ns3/test.h"

#include <deque>
#include <set>
#include <sstream>
#include <stdexcept>

using namespace ns3;

namespace
{

/** @returns the subnet of the file that is shipped */
SubnetGraph
ReadShipped()
{
    return IbNetDiscoverReader::ReadFile(IbClusterHelper::FindTopology("mixed-fat-tree")).graph;
}

/** Shortest paths: of equal ports, that with the fewest LIDs. With levels, service level = switch
 * number of the destination modulo levels. */
class ShortestEngine : public RoutingEngine
{
  public:
    explicit ShortestEngine(uint8_t levels = 1)
        : m_levels(levels)
    {
    }

    std::string GetName() const override
    {
        return "shortest";
    }

    SubnetRoutes Route(const SubnetGraph& graph) const override
    {
        const SubnetLids lids(graph);
        const uint32_t nodes = graph.GetNNodes();
        SubnetRoutes routes;
        routes.tables.resize(nodes);
        routes.alternatives.resize(nodes);
        std::vector<std::vector<uint32_t>> used(nodes, std::vector<uint32_t>(256));
        for (uint32_t lid = 1; lid <= lids.GetLast(); ++lid)
        {
            const SubnetEnd owner = lids.Find(static_cast<uint16_t>(lid));
            if (!owner.IsConnected())
            {
                continue;
            }
            const std::vector<uint32_t> hops = CountHops(graph, owner.node);
            for (uint32_t i = 0; i < nodes; ++i)
            {
                if (!graph.IsSwitch(i))
                {
                    continue;
                }
                routes.tables[i].resize(lids.GetLast() + 1U, SubnetRoutes::DROP);
                routes.tables[i][lid] = Choose(graph, hops, i, owner, used[i], routes, lid);
            }
        }
        if (m_levels > 1)
        {
            routes.layers = m_levels;
            routes.serviceLevels.assign(nodes, std::vector<uint8_t>(nodes));
            for (auto& row : routes.serviceLevels)
            {
                for (uint32_t to = 0; to < nodes; ++to)
                {
                    row[to] = static_cast<uint8_t>(to % m_levels);
                }
            }
        }
        return routes;
    }

  private:
    static std::vector<uint32_t> CountHops(const SubnetGraph& graph, uint32_t root)
    {
        std::vector<uint32_t> hops(graph.GetNNodes(), 1000);
        std::deque<uint32_t> open{root};
        hops[root] = 0;
        while (!open.empty())
        {
            const uint32_t at = open.front();
            open.pop_front();
            for (const SubnetPort& port : graph.GetNode(at).ports)
            {
                if (port.peer.IsConnected() && hops[port.peer.node] == 1000)
                {
                    hops[port.peer.node] = hops[at] + 1;
                    open.push_back(port.peer.node);
                }
            }
        }
        return hops;
    }

    static uint8_t Choose(const SubnetGraph& graph,
                          const std::vector<uint32_t>& hops,
                          uint32_t at,
                          const SubnetEnd& owner,
                          std::vector<uint32_t>& used,
                          SubnetRoutes& routes,
                          uint32_t lid)
    {
        if (at == owner.node)
        {
            return 0;
        }
        std::vector<uint8_t> ports;
        for (std::size_t p = 1; p < graph.GetNode(at).ports.size(); ++p)
        {
            const SubnetEnd peer = graph.GetNode(at).ports[p].peer;
            if (peer.IsConnected() && hops[peer.node] < hops[at] &&
                (peer.node != owner.node || graph.IsSwitch(owner.node) || peer.port == owner.port))
            {
                ports.push_back(static_cast<uint8_t>(p));
            }
        }
        const auto best = std::min_element(ports.begin(), ports.end(), [&](uint8_t a, uint8_t b) {
            return used[a] < used[b];
        });
        ++used[*best];
        const uint8_t chosen = *best;
        std::rotate(ports.begin(), best, ports.end());
        if (ports.size() > 1)
        {
            routes.alternatives[at][static_cast<uint16_t>(lid)] = ports;
        }
        return chosen;
    }

    uint8_t m_levels; //!< service levels
};

/** @returns a helper with a subnet manager */
std::unique_ptr<IbHelper>
MakeManaged(uint8_t levels = 1)
{
    auto helper = std::make_unique<IbHelper>();
    helper->SetDeviceAttribute("DataRate", StringValue("400Gbps"));
    helper->SetChannelAttribute("Delay", TimeValue(NanoSeconds(50)));
    helper->SetRoutingEngine(CreateObject<ShortestEngine>(levels));
    return helper;
}

/**
 * @ingroup ai-fabric-tests
 * A cluster is built from a file, and discovered again: everything is as in the file.
 */
class DiscoverCase : public TestCase
{
  public:
    DiscoverCase()
        : TestCase("what is discovered is what was built from the file")
    {
    }

  private:
    void DoRun() override
    {
        const SubnetGraph built = ReadShipped();
        const auto fabric = MakeManaged();
        const IbCluster cluster = IbClusterHelper(*fabric).Create(built);
        const SubnetGraph& found = fabric->GetSubnetManager()->GetGraph();
        NS_TEST_ASSERT_MSG_EQ(found.GetNNodes(), built.GetNNodes(), "nodes");
        for (uint32_t i = 0; i < built.GetNNodes(); ++i)
        {
            const SubnetNode& was = built.GetNode(i);
            const uint32_t index = found.Find(was.guid);
            NS_TEST_ASSERT_MSG_NE(index, SUBNET_NO_NODE, was.name);
            const SubnetNode& is = found.GetNode(index);
            NS_TEST_EXPECT_MSG_EQ((is.kind == was.kind), true, was.name);
            NS_TEST_EXPECT_MSG_EQ(is.name, was.name, "description");
            NS_TEST_ASSERT_MSG_EQ(is.ports.size(), was.ports.size(), was.name);
            for (std::size_t p = 0; p < is.ports.size(); ++p)
            {
                ComparePorts(found, is.ports[p], built, was.ports[p]);
            }
        }
        CheckNodes(cluster);
        Simulator::Destroy();
    }

    void ComparePorts(const SubnetGraph& found,
                      const SubnetPort& is,
                      const SubnetGraph& built,
                      const SubnetPort& was)
    {
        NS_TEST_EXPECT_MSG_EQ(is.lid, was.lid, "LIDs are kept");
        NS_TEST_EXPECT_MSG_EQ(is.peer.IsConnected(), was.peer.IsConnected(), "cable");
        if (is.peer.IsConnected() && was.peer.IsConnected())
        {
            NS_TEST_EXPECT_MSG_EQ(found.GetNode(is.peer.node).guid,
                                  built.GetNode(was.peer.node).guid,
                                  "the other end");
            NS_TEST_EXPECT_MSG_EQ(+is.peer.port, +was.peer.port, "the other end");
        }
    }

    void CheckNodes(const IbCluster& cluster)
    {
        NS_TEST_EXPECT_MSG_EQ(cluster.hosts.GetN(), 32, "hosts");
        NS_TEST_EXPECT_MSG_EQ(cluster.switches.GetN(), 6, "switches");
        NS_TEST_EXPECT_MSG_EQ(cluster.others.GetN(), 2, "router and aggregation node");
        NS_TEST_EXPECT_MSG_EQ(Names::Find<Node>("gpu07"), cluster.hosts.Get(6), "by name");
        NS_TEST_EXPECT_MSG_EQ(Names::Find<Node>("leaf-2"), cluster.switches.Get(3), "by name");
        for (const auto& [name, width] :
             std::map<std::string, std::string>{{"gpu07", "4xNDR"},
                                                {"gpu25", "4xHDR"},
                                                {"store-a_\"scratch\"_#1_mlx5_0", "4xEDR"},
                                                {"gpu32", "2xHDR"}})
        {
            const Ptr<Node> node = Names::Find<Node>(name);
            NS_TEST_ASSERT_MSG_NE(node, nullptr, name);
            DataRateValue rate;
            node->GetDevice(0)->GetAttribute("DataRate", rate);
            NS_TEST_EXPECT_MSG_EQ(rate.Get(), IbLinkSpeed::Parse(width).GetDataRate(), name);
        }
    }
};

/**
 * @ingroup ai-fabric-tests
 * Adapters of one host are devices of one node; a cable without a speed is refused.
 */
class HostsCase : public TestCase
{
  public:
    HostsCase()
        : TestCase("adapters of a host, ports of an adapter, links without a speed")
    {
    }

  private:
    static SubnetGraph MakeGraph()
    {
        SubnetGraph graph;
        graph.AddNode(SubnetNodeKind::SWITCH, 1, "sw", 8);
        graph.AddNode(SubnetNodeKind::CHANNEL_ADAPTER, 2, "n1 mlx5_0", 1);
        graph.AddNode(SubnetNodeKind::CHANNEL_ADAPTER, 3, "n1 mlx5_1", 1);
        graph.AddNode(SubnetNodeKind::CHANNEL_ADAPTER, 4, "MT23108", 2);
        graph.AddNode(SubnetNodeKind::CHANNEL_ADAPTER, 5, "MT23108", 2);
        graph.Connect(0, 1, 1, 1);
        graph.Connect(0, 2, 2, 1);
        graph.Connect(0, 3, 3, 1);
        graph.Connect(0, 5, 3, 2);
        graph.Connect(0, 4, 4, 2);
        graph.Connect(0, 7, 0, 8);
        return graph;
    }

    void DoRun() override
    {
        const auto fabric = MakeManaged();
        IbClusterHelper helper(*fabric);
        std::string what;
        try
        {
            helper.Create(MakeGraph());
        }
        catch (const std::invalid_argument& error)
        {
            what = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ(what,
                              "IbClusterHelper: the link of port 1 of sw has no known speed, "
                              "expected one such as 4xNDR, or SetDefaultLinkSpeed()",
                              "refused");
        Simulator::Destroy();
        helper.SetDefaultLinkSpeed("4xHDR");
        const IbCluster cluster = helper.Create(MakeGraph());
        NS_TEST_EXPECT_MSG_EQ(cluster.hosts.GetN(), 3, "n1 and two of the same factory name");
        NS_TEST_EXPECT_MSG_EQ(cluster.adapters.GetN(), 5, "cabled ports");
        NS_TEST_EXPECT_MSG_EQ(cluster.hosts.Get(0)->GetNDevices(), 2, "n1");
        NS_TEST_EXPECT_MSG_EQ(cluster.places[1], cluster.places[2], "the same machine");
        const SubnetSummary summary(fabric->GetSubnetManager()->GetGraph());
        NS_TEST_EXPECT_MSG_EQ(summary.adapters, 4, "nodes");
        NS_TEST_EXPECT_MSG_EQ(summary.links, 6, "cables");
        NS_TEST_EXPECT_MSG_EQ(summary.selfLinks, 1, "cables");
        Simulator::Destroy();
    }
};

/**
 * @ingroup ai-fabric-tests
 * Every host sends to every other; packets pass as many links as the traced paths have.
 */
class TablesRouteCase : public TestCase
{
  public:
    explicit TablesRouteCase(uint8_t lmc, uint8_t pathBits)
        : TestCase("tables lead packets, LMC " + std::to_string(lmc) + ", path bits " +
                   std::to_string(pathBits)),
          m_lmc(lmc),
          m_pathBits(pathBits)
    {
    }

  private:
    void DoRun() override
    {
        const auto helper = MakeManaged();
        helper->SetSubnetManagerAttribute("Lmc", UintegerValue(m_lmc));
        {
            endrig::Cluster cluster(*helper, FabricShape::Parse("leaf-spine:3x4x4", 12));
            cluster.CountMessages();
            cluster.m_transport->SetQueuePairAttribute("PathBits", UintegerValue(m_pathBits));
            const Ptr<IbSubnetManager> manager = helper->GetSubnetManager();
            uint64_t hops = 0;
            std::set<uint32_t> spines;
            for (uint32_t from = 0; from < 12; ++from)
            {
                for (uint32_t to = 0; to < 12; ++to)
                {
                    if (from != to)
                    {
                        cluster.m_transport->Send(from, to, 100, 1);
                        const auto path =
                            manager->Trace(cluster.m_devices[from], cluster.m_devices[to]);
                        hops += 2 * path.GetHops().size(); // and the acknowledgment
                    }
                }
            }
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(cluster.m_sentCount, 132, "every message");
            NS_TEST_EXPECT_MSG_EQ(cluster.GetTotals().packetHops, hops, "on shortest paths");
            NS_TEST_EXPECT_MSG_EQ(cluster.GetTotals().drops, 0, "no loss");
            CheckUplinks(cluster);
        }
        Simulator::Destroy();
    }

    /** All packets to a LID take the same uplink; which one is in the table. */
    void CheckUplinks(const endrig::Cluster& cluster)
    {
        const auto leaf =
            DynamicCast<IbSwitch>(FabricHelper::GetSwitch(cluster.m_topology.switches.Get(0)));
        std::vector<uint64_t> expected(leaf->GetNPorts());
        for (uint32_t to = 4; to < 12; ++to)
        {
            const uint32_t mask = (1U << m_lmc) - 1;
            const uint64_t lid = cluster.m_devices[to]->GetFabricAddress() + (m_pathBits & mask);
            NS_TEST_ASSERT_MSG_EQ(leaf->GetRoute(lid).size(), 1, "one port");
            expected[leaf->GetRoute(lid).front()] += 8; // 4 hosts: a message and an ACK each
        }
        for (uint16_t port = 4; port < leaf->GetNPorts(); ++port)
        {
            NS_TEST_EXPECT_MSG_EQ(leaf->GetPort(port)->GetPort().GetCounters().frames,
                                  expected[port],
                                  "packets of uplink " << port);
        }
    }

    uint8_t m_lmc;      //!< of hosts
    uint8_t m_pathBits; //!< of queue pairs
};

/**
 * @ingroup ai-fabric-tests
 * Paths with service levels: connections use them, if there are as many lanes.
 */
class ServiceLevelCase : public TestCase
{
  public:
    ServiceLevelCase()
        : TestCase("connections use the service level of their path")
    {
    }

  private:
    void DoRun() override
    {
        std::string what;
        try
        {
            const auto helper = MakeManaged(3);
            helper->SetFlowControlAttribute("DataLanes", UintegerValue(2));
            endrig::Cluster cluster(*helper, FabricShape::Parse("leaf-spine:2x2x2", 4));
        }
        catch (const std::invalid_argument& error)
        {
            what = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ(what.find("routing engine shortest needs 3 virtual lanes, but port "),
                              17,
                              what);
        Simulator::Destroy();
        const auto helper = MakeManaged(3);
        helper->SetFlowControlAttribute("DataLanes", UintegerValue(4));
        {
            endrig::Cluster cluster(*helper, FabricShape::Parse("leaf-spine:3x2x1", 3));
            cluster.CountMessages();
            for (uint32_t to = 1; to < 3; ++to)
            {
                UintegerValue level;
                cluster.m_transport->GetQueuePair(0, to)->GetAttribute("ServiceLevel", level);
                NS_TEST_EXPECT_MSG_EQ(level.Get(), to, "that of the leaf of the destination");
                cluster.m_transport->GetQueuePair(to, 0)->GetAttribute("ServiceLevel", level);
                NS_TEST_EXPECT_MSG_EQ(level.Get(), 0, "and back");
                cluster.m_transport->Send(0, to, 100000, 0);
            }
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(cluster.m_sentCount, 2, "delivered");
        }
        Simulator::Destroy();
    }
};

/**
 * @ingroup ai-fabric-tests
 * With adaptive routing, switches have all equally good ports and begin with that of the table.
 */
class AlternativesCase : public TestCase
{
  public:
    AlternativesCase()
        : TestCase("adaptive routing begins with the port of the table")
    {
    }

  private:
    void DoRun() override
    {
        const auto helper = MakeManaged();
        helper->SetSwitchAttribute("AdaptiveRouting", BooleanValue(true));
        {
            endrig::Cluster cluster(*helper, FabricShape::Parse("leaf-spine:2x3x5", 10));
            const Ptr<IbSubnetManager> manager = helper->GetSubnetManager();
            const Ptr<FabricSwitch> leaf =
                FabricHelper::GetSwitch(cluster.m_topology.switches.Get(0));
            for (uint32_t to = 5; to < 10; ++to)
            {
                const uint64_t lid = cluster.m_devices[to]->GetFabricAddress();
                const std::vector<uint16_t>& ports = leaf->GetRoute(lid);
                NS_TEST_ASSERT_MSG_EQ(ports.size(), 3, "every spine");
                NS_TEST_EXPECT_MSG_EQ(ports[lid % 3] + 1,
                                      +manager->GetRoutes().tables[0][lid],
                                      "port numbers of the subnet begin with 1");
            }
        }
        Simulator::Destroy();
    }
};

/**
 * @ingroup ai-fabric-tests
 * The dump of a programmed subnet, read again, is what its switches do.
 */
class DumpCase : public TestCase
{
  public:
    DumpCase()
        : TestCase("a dump of the forwarding tables comes back as it was")
    {
    }

  private:
    void DoRun() override
    {
        const auto fabric = MakeManaged();
        const IbCluster cluster = IbClusterHelper(*fabric).Create(ReadShipped());
        const Ptr<IbSubnetManager> manager = fabric->GetSubnetManager();
        std::stringstream text;
        manager->DumpLfts(text);
        const SubnetRoutes back =
            SubnetLftDump::ToRoutes(SubnetLftDump::Read(text, "dump"), manager->GetGraph());
        NS_TEST_EXPECT_MSG_EQ((back.tables == manager->GetRoutes().tables), true, "as it was");
        for (uint32_t i = 0; i < cluster.adapters.GetN(); ++i)
        {
            const auto to = DynamicCast<FabricNetDevice>(cluster.adapters.Get(i));
            const auto from = DynamicCast<FabricNetDevice>(
                cluster.adapters.Get((i + 9) % cluster.adapters.GetN()));
            NS_TEST_EXPECT_MSG_EQ(manager->Trace(from, to).GetSwitches(), 3, "over a spine");
        }
        Simulator::Destroy();
    }
};

/**
 * @ingroup ai-fabric-tests
 * The engine "shortest" fills the tables that a fabric has without a subnet manager.
 */
class SameAsDefaultCase : public TestCase
{
  public:
    SameAsDefaultCase()
        : TestCase("the engine shortest is the default forwarding")
    {
    }

  private:
    /** @returns ports by switch and destination */
    static std::vector<std::vector<uint16_t>> GetPorts(bool managed)
    {
        const auto helper = std::make_unique<IbHelper>();
        if (managed)
        {
            helper->SetRoutingEngine("shortest");
        }
        std::vector<std::vector<uint16_t>> ports;
        {
            endrig::Cluster cluster(*helper, FabricShape::Parse("leaf-spine:5x3x4", 20));
            for (uint32_t i = 0; i < cluster.m_topology.switches.GetN(); ++i)
            {
                const Ptr<FabricSwitch> sw =
                    FabricHelper::GetSwitch(cluster.m_topology.switches.Get(i));
                ports.emplace_back();
                for (const auto& device : cluster.m_devices)
                {
                    const uint64_t lid = device->GetFabricAddress();
                    const std::vector<uint16_t>& route = sw->GetRoute(lid);
                    ports.back().push_back(route.at(lid % route.size()));
                }
            }
        }
        Simulator::Destroy();
        return ports;
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ((GetPorts(true) == GetPorts(false)), true, "the same ports");
    }
};

/**
 * @ingroup ai-fabric-tests
 * A ring of switches: the cycle is named before anything is sent; as an error it ends Configure().
 */
class RingCase : public TestCase
{
  public:
    RingCase()
        : TestCase("shortest paths on a ring of five switches: the cycle is named")
    {
    }

  private:
    /** @returns what Configure() says of a ring of so many switches */
    static std::string Configure(uint32_t count, const std::string& check, std::string& deadlock)
    {
        IbHelper helper;
        helper.SetRoutingEngine("shortest");
        helper.SetSubnetManagerAttribute("CheckDeadlock", StringValue(check));
        NodeContainer switches;
        switches.Create(count);
        NodeContainer hosts;
        hosts.Create(count);
        for (uint32_t i = 0; i < count; ++i)
        {
            helper.InstallSwitch(switches.Get(i));
        }
        for (uint32_t i = 0; i < count; ++i)
        {
            helper.Install(switches.Get(i), switches.Get((i + 1) % count));
            helper.Install(hosts.Get(i), switches.Get(i));
        }
        std::string what;
        try
        {
            helper.Configure(switches);
            deadlock = helper.GetSubnetManager()->GetDeadlock();
        }
        catch (const std::invalid_argument& error)
        {
            what = error.what();
        }
        Simulator::Destroy();
        return what;
    }

    void DoRun() override
    {
        std::string deadlock;
        NS_TEST_EXPECT_MSG_EQ(Configure(5, "Warn", deadlock), "", "goes on");
        NS_TEST_EXPECT_MSG_EQ(std::count(deadlock.begin(), deadlock.end(), '>'), 5, deadlock);
        const std::string cycle = deadlock;
        NS_TEST_EXPECT_MSG_EQ(Configure(5, "Error", deadlock),
                              "IbSubnetManager: tables of routing engine shortest can deadlock: " +
                                  cycle + "; expected no cycle, as with updn or lash",
                              "ends");
        NS_TEST_EXPECT_MSG_EQ(Configure(5, "Off", deadlock), "", "is not looked for");
        NS_TEST_EXPECT_MSG_EQ(deadlock, "", "is not looked for");
        NS_TEST_EXPECT_MSG_EQ(Configure(3, "Error", deadlock), "", "no path of three has two hops");
        NS_TEST_EXPECT_MSG_EQ(deadlock, "", "no cycle");
    }
};

/**
 * @ingroup ai-fabric-tests
 * The engine ftree on a fat tree of two levels: in every shift permutation, all hosts have the full
 * rate at once.
 */
class FatTreeShiftCase : public TestCase
{
  public:
    FatTreeShiftCase()
        : TestCase("ftree: every shift permutation has full bisection bandwidth")
    {
    }

  private:
    static constexpr uint32_t HOSTS = 16;
    static constexpr uint64_t BYTES = 1048576;

    /** @returns seconds until all messages of a shift are delivered */
    double Run(uint32_t shift)
    {
        const auto helper = MakeManaged();
        helper->SetRoutingEngine("ftree");
        double seconds = 0;
        {
            endrig::Cluster cluster(*helper, FabricShape::Parse("leaf-spine:4x4x4", HOSTS));
            cluster.CountMessages();
            NS_TEST_EXPECT_MSG_EQ(helper->GetSubnetManager()->GetDeadlock(), "", "no cycle");
            for (uint32_t from = 0; from < HOSTS; ++from)
            {
                cluster.m_transport->Send(from, (from + shift) % HOSTS, BYTES, 0);
            }
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(cluster.m_deliveredCount, HOSTS, "delivered");
            seconds = FabricSeconds(cluster.m_lastDelivered);
        }
        Simulator::Destroy();
        return seconds;
    }

    void DoRun() override
    {
        // The slowest go over a spine: three switches, four cables.
        const double wire = 8.0 * (BYTES + 26 * (BYTES / endrig::MTU) + 16) / endrig::RATE;
        const double expected =
            wire + 4 * endrig::CABLE_SECONDS + 3 * endrig::IB_SECONDS + endrig::HOST_SECONDS;
        for (uint32_t shift = 1; shift < HOSTS; ++shift)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(Run(shift), expected, 0.01 * expected, "shift " << shift);
        }
    }
};

/**
 * @ingroup ai-fabric-tests
 * A ring of five switches where shortest paths close a cycle: lash separates them by service level,
 * and everything arrives; updn does with one.
 */
class RingEnginesCase : public TestCase
{
  public:
    explicit RingEnginesCase(const std::string& engine)
        : TestCase(engine + " on a ring of five switches"),
          m_engine(engine)
    {
    }

  private:
    static constexpr uint32_t SWITCHES = 5;
    static constexpr uint32_t HOSTS = 10; //!< two at each switch

    void DoRun() override
    {
        IbHelper helper;
        helper.SetRoutingEngine(m_engine);
        helper.SetSubnetManagerAttribute("CheckDeadlock", StringValue("Error"));
        helper.SetFlowControlAttribute("DataLanes", UintegerValue(4));
        helper.SetFlowControlAttribute("BufferBytes", UintegerValue(4 * 8 * 4160));
        NodeContainer switches;
        switches.Create(SWITCHES);
        NodeContainer hosts;
        hosts.Create(HOSTS);
        for (uint32_t i = 0; i < SWITCHES; ++i)
        {
            helper.InstallSwitch(switches.Get(i));
        }
        for (uint32_t i = 0; i < SWITCHES; ++i)
        {
            helper.Install(switches.Get(i), switches.Get((i + 1) % SWITCHES));
            helper.Install(hosts.Get(2 * i), switches.Get(i));
            helper.Install(hosts.Get(2 * i + 1), switches.Get(i));
        }
        helper.Configure(switches);
        const SubnetRoutes& routes = helper.GetSubnetManager()->GetRoutes();
        NS_TEST_EXPECT_MSG_EQ((routes.layers > 1), (m_engine == "lash"), "layers");
        const Ptr<RdmaTransport> transport = RdmaHelper::CreateTransport(hosts);
        transport->SetDeliveredCallback(MakeCallback(&RingEnginesCase::Delivered, this));
        std::set<uint64_t> levels;
        for (uint32_t from = 0; from < HOSTS; ++from)
        {
            for (uint32_t switchesOn = 1; switchesOn < SWITCHES; ++switchesOn)
            {
                const uint32_t to = (from + 2 * switchesOn) % HOSTS;
                UintegerValue level;
                transport->GetQueuePair(from, to)->GetAttribute("ServiceLevel", level);
                levels.insert(level.Get());
                transport->Send(from, to, 400000, 0);
            }
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_delivered, HOSTS * (SWITCHES - 1), "every message");
        NS_TEST_EXPECT_MSG_EQ(levels.size(), routes.layers, "every layer is used");
        transport->Dispose();
        Simulator::Destroy();
    }

    void Delivered(uint32_t /* from */, uint32_t /* to */, uint64_t /* tag */)
    {
        ++m_delivered;
    }

    std::string m_engine;    //!< by name
    uint32_t m_delivered{0}; //!< messages
};

/**
 * @ingroup ai-fabric-tests
 * The suite.
 */
class IbSubnetTestSuite : public TestSuite
{
  public:
    IbSubnetTestSuite()
        : TestSuite("ai-fabric-ib-subnet", UNIT)
    {
        AddTestCase(new DiscoverCase, TestCase::QUICK);
        AddTestCase(new HostsCase, TestCase::QUICK);
        AddTestCase(new TablesRouteCase(0, 0), TestCase::QUICK);
        AddTestCase(new TablesRouteCase(2, 0), TestCase::QUICK);
        AddTestCase(new TablesRouteCase(2, 3), TestCase::QUICK);
        AddTestCase(new TablesRouteCase(1, 2), TestCase::QUICK);
        AddTestCase(new ServiceLevelCase, TestCase::QUICK);
        AddTestCase(new AlternativesCase, TestCase::QUICK);
        AddTestCase(new DumpCase, TestCase::QUICK);
        AddTestCase(new SameAsDefaultCase, TestCase::QUICK);
        AddTestCase(new RingCase, TestCase::QUICK);
        AddTestCase(new FatTreeShiftCase, TestCase::QUICK);
        AddTestCase(new RingEnginesCase("updn"), TestCase::QUICK);
        AddTestCase(new RingEnginesCase("lash"), TestCase::QUICK);
    }
};

IbSubnetTestSuite g_ibSubnetTestSuite; //!< registers itself

} // namespace
