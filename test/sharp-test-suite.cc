/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/collective-engine.h"
#include "ns3/error-model.h"
#include "ns3/fabric-frame-size.h"
#include "ns3/fabric-topology-helper.h"
#include "ns3/ib-helper.h"
#include "ns3/ib-opcode.h"
#include "ns3/in-network-algorithm.h"
#include "ns3/pointer.h"
#include "ns3/rdma-helper.h"
#include "ns3/roce-helper.h"
#include "ns3/sharp-helper.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/tree-algorithm.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint64_t LINE_RATE = 8'000'000'000; //!< bit/s: a byte is a nanosecond
constexpr int64_t CABLE = 100;                //!< delay of a cable, ns
constexpr int64_t SWITCH = 250;               //!< port-to-port latency, ns
constexpr int64_t HOST = 300;                 //!< receive latency of a host, ns
constexpr int64_t CREDIT = 8;                 //!< ns of a flow-control packet
constexpr uint32_t MTU = 4096;                //!< payload of a full segment

/** @returns ns that a segment takes on a wire of LINE_RATE */
int64_t
GetWireTime(uint32_t payload)
{
    return IbFrameBytes(IbOpcode::UD_SEND_ONLY, payload);
}

/** Give a helper the constants above. */
void
SetUp(FabricHelper& fabric, uint64_t rate)
{
    fabric.SetDeviceAttribute("DataRate", DataRateValue(DataRate(rate)));
    fabric.SetChannelAttribute("Delay", TimeValue(NanoSeconds(CABLE)));
    fabric.SetSwitchAttribute("Latency", TimeValue(NanoSeconds(SWITCH)));
    fabric.SetHostAttribute("ReceiveLatency", TimeValue(NanoSeconds(HOST)));
}

/** An InfiniBand fabric with aggregation, and what happens in its groups. */
class Rig
{
  public:
    /**
     * @param leaves number of leaves
     * @param spines number of spines; 0 for a star
     * @param hostsPerLeaf number of hosts at each leaf
     * @param install false: no aggregation
     * @param rate of the links, bit/s
     */
    Rig(uint32_t leaves,
        uint32_t spines,
        uint32_t hostsPerLeaf,
        bool install = true,
        uint64_t rate = LINE_RATE)
    {
        SetUp(m_fabric, rate);
        FabricTopologyHelper topology(m_fabric);
        m_topology = spines ? topology.CreateLeafSpine(leaves, spines, hostsPerLeaf)
                            : topology.CreateStar(hostsPerLeaf);
        m_install = install;
    }

    ~Rig()
    {
        for (const auto& group : m_groups)
        {
            group->Dispose();
        }
        Simulator::Destroy();
    }

    /** @returns installs aggregation; attributes may be set before the first group */
    SharpHelper& GetSharp()
    {
        return m_sharp;
    }

    /** @returns the nodes */
    FabricTopology& GetTopology()
    {
        return m_topology;
    }

    /** @returns a new group over hosts; all of them if the container is empty */
    Ptr<SharpTransport> AddGroup(const NodeContainer& hosts = NodeContainer())
    {
        if (m_install)
        {
            m_sharp.Install(m_topology.switches);
            m_install = false;
        }
        const auto group = m_sharp.CreateTransport(hosts.GetN() ? hosts : m_topology.hosts);
        m_groups.push_back(group);
        const auto number = static_cast<uint32_t>(m_groups.size() - 1);
        group->SetResultCallback(MakeCallback(&Rig::Result, this, number));
        group->SetErrorCallback(MakeCallback(&Rig::Failed, this));
        group->TraceConnectWithoutContext("Result", MakeCallback(&Rig::Check, this, number));
        return group;
    }

    /** All ranks of a group give a vector now. */
    void Contribute(uint32_t group, uint64_t bytes, uint64_t tag = 0)
    {
        for (uint32_t rank = 0; rank < m_groups[group]->GetSize(); ++rank)
        {
            m_groups[group]->Contribute(rank, bytes, tag);
        }
    }

    /** @returns when a rank of a group got its latest result, ns; -1: never */
    int64_t GetDone(uint32_t group, uint32_t rank) const
    {
        const auto found = m_done.find({group, rank});
        return found == m_done.end() ? -1 : found->second;
    }

    /** @returns segments that came in with each contribution in them exactly once */
    uint64_t GetRight() const
    {
        return m_right;
    }

    /** @returns segments that came in otherwise */
    uint64_t GetWrong() const
    {
        return m_wrong;
    }

    /** @returns errors */
    const std::vector<std::string>& GetErrors() const
    {
        return m_errors;
    }

    /** @returns frames dropped anywhere */
    uint64_t GetDrops() const
    {
        uint64_t drops = 0;
        for (const NodeContainer& nodes : {m_topology.hosts, m_topology.switches})
        {
            for (uint32_t i = 0; i < nodes.GetN(); ++i)
            {
                for (uint32_t k = 0; k < nodes.Get(i)->GetNDevices(); ++k)
                {
                    const auto device = DynamicCast<FabricNetDevice>(nodes.Get(i)->GetDevice(k));
                    drops += device ? device->GetDrops() : 0;
                }
            }
        }
        return drops;
    }

    /** @returns aggregation node of a switch */
    Ptr<AggregationNode> GetNode(uint32_t i) const
    {
        return SharpHelper::GetAggregationNode(m_topology.switches.Get(i));
    }

  private:
    void Result(uint32_t group, uint32_t rank, uint64_t /* tag */)
    {
        m_done[{group, rank}] = Simulator::Now().GetNanoSeconds();
    }

    void Failed(std::string what)
    {
        m_errors.push_back(what);
    }

    void Check(uint32_t number,
               uint32_t /* rank */,
               uint64_t segment,
               uint32_t contributions,
               uint64_t sum)
    {
        const Ptr<SharpTransport> group = m_groups[number]; // bound, it would keep itself alive
        uint64_t expected = 0;
        for (uint32_t rank = 0; rank < group->GetSize(); ++rank)
        {
            expected += SharpTransport::GetContribution(rank, segment);
        }
        ++(contributions == group->GetSize() && sum == expected ? m_right : m_wrong);
    }

    IbHelper m_fabric;                                       //!< installs the fabric
    SharpHelper m_sharp;                                     //!< installs aggregation
    FabricTopology m_topology;                               //!< the nodes
    bool m_install;                                          //!< aggregation is still to come
    std::vector<Ptr<SharpTransport>> m_groups;               //!< in order of creation
    std::map<std::pair<uint32_t, uint32_t>, int64_t> m_done; //!< by group and rank
    std::vector<std::string> m_errors;                       //!< in order
    uint64_t m_right{0};                                     //!< see GetRight()
    uint64_t m_wrong{0};                                     //!< see GetWrong()
};

} // namespace

/**
 * @ingroup ai-fabric-tests
 * One segment over one and two levels takes the closed form to the tick.
 */
class SharpLatencyTestCase : public TestCase
{
  public:
    SharpLatencyTestCase()
        : TestCase("one segment on one and two levels takes the closed form to the tick")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t bytes : {0U, 8U, 1000U, 4096U})
        {
            const int64_t wire = GetWireTime(bytes);
            {
                // Up, added when the tail is in; down at the tail of the root's frame, behind the
                // credit for the contribution.
                Rig rig(1, 0, 8);
                rig.AddGroup();
                rig.Contribute(0, bytes);
                Simulator::Run();
                Expect(rig, 8, 2 * wire + 2 * CABLE + SWITCH + HOST + CREDIT, bytes, "one level");
            }
            {
                // The leaf forwards results at their head: the last link adds no wire time.
                Rig rig(4, 2, 3);
                rig.AddGroup();
                rig.Contribute(0, bytes);
                Simulator::Run();
                Expect(rig,
                       12,
                       3 * wire + 4 * CABLE + 3 * SWITCH + HOST + CREDIT,
                       bytes,
                       "two levels");
            }
            {
                Rig rig(4, 2, 3);
                rig.GetSharp().SetNodeAttribute("Latency", TimeValue(NanoSeconds(70)));
                rig.GetSharp().SetNodeAttribute("AggregationRate", StringValue("2Gbps"));
                rig.AddGroup();
                rig.Contribute(0, bytes);
                Simulator::Run();
                const int64_t adders = 2 * (70 + int64_t{bytes} * 4);
                Expect(rig,
                       12,
                       3 * wire + 4 * CABLE + 3 * SWITCH + HOST + adders,
                       bytes,
                       "two levels with adders");
            }
        }
    }

    void Expect(const Rig& rig, uint32_t ranks, int64_t when, uint32_t bytes, const char* what)
    {
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            NS_TEST_EXPECT_MSG_EQ(rig.GetDone(0, rank),
                                  when,
                                  what << ", " << bytes << " bytes, rank " << rank);
        }
        NS_TEST_EXPECT_MSG_EQ(rig.GetRight(), ranks, what << ": each contribution once");
        NS_TEST_EXPECT_MSG_EQ(rig.GetWrong(), 0, what << ": nothing else");
        NS_TEST_EXPECT_MSG_EQ(rig.GetDrops(), 0, what << ": no loss");
    }
};

/**
 * @ingroup ai-fabric-tests
 * Long vectors go at the line rate, or at the aggregation rate if that is less, also where groups
 * share it.
 */
class SharpRateTestCase : public TestCase
{
  public:
    /**
     * @param rate AggregationRate in bit/s; 0 for no limit
     * @param groups number of groups over the same hosts
     */
    SharpRateTestCase(uint64_t rate, uint32_t groups)
        : TestCase(std::to_string(groups) + " groups at an aggregation rate of " +
                   std::to_string(rate) + " bps (0: no limit)"),
          m_rate(rate),
          m_groups(groups)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint64_t segments = 4000;
        Rig rig(2, 2, 4);
        rig.GetSharp().SetNodeAttribute("AggregationRate", DataRateValue(DataRate(m_rate)));
        // All groups over one spine, since hosts at one leaf need no other switch.
        NodeContainer hosts;
        for (uint32_t i = 0; i < 4; ++i)
        {
            hosts.Add(rig.GetTopology().hosts.Get(i));
        }
        for (uint32_t group = 0; group < m_groups; ++group)
        {
            rig.AddGroup(hosts);
            rig.Contribute(group, segments * MTU);
        }
        Simulator::Run();
        // Segments follow each other by the time of the slower: the wire or the adder.
        // A result goes down behind the credit for a contribution.
        const double wire = static_cast<double>(GetWireTime(MTU) + CREDIT);
        const double adder = m_rate ? 8e9 * MTU / static_cast<double>(m_rate) : 0;
        const double expected = std::max(wire, adder) * segments * m_groups;
        const double limit =
            m_rate && adder > wire ? static_cast<double>(m_rate) / 8 : 1e9 * MTU / wire;
        int64_t end = 0;
        for (uint32_t group = 0; group < m_groups; ++group)
        {
            for (uint32_t rank = 0; rank < 4; ++rank)
            {
                const int64_t done = rig.GetDone(group, rank);
                NS_TEST_EXPECT_MSG_GT(done,
                                      0.99 * expected,
                                      "group " << group << " gets no more than its share");
                end = std::max(end, done);
            }
        }
        const double throughput =
            1e9 * segments * m_groups * MTU / static_cast<double>(end); // with the first latency
        NS_TEST_EXPECT_MSG_LT(throughput, limit, "the limit is respected");
        NS_TEST_EXPECT_MSG_GT(throughput, 0.99 * limit, "the limit is reached");
        // What is left is the latency of the first segment, and of the last results.
        const int64_t latency =
            2 * GetWireTime(MTU) + 2 * CABLE + SWITCH + HOST + static_cast<int64_t>(adder);
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(end),
                                  expected - std::max(wire, adder) + latency,
                                  1e-3 * expected,
                                  "time is that of the slowest stage");
        NS_TEST_EXPECT_MSG_EQ(rig.GetRight(),
                              4 * segments * m_groups,
                              "each contribution once in each segment");
        NS_TEST_EXPECT_MSG_EQ(rig.GetWrong(), 0, "nothing else");
        NS_TEST_EXPECT_MSG_EQ(rig.GetDrops(), 0, "no loss");
        const AggregationNode::Counters& counters = rig.GetNode(0)->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(counters.segments, segments * m_groups, "the leaf added them up");
        NS_TEST_EXPECT_MSG_EQ(rig.GetNode(1)->GetCounters().contributions,
                              0,
                              "the other leaf did nothing");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(counters.mostQueued,
                                    64 * m_groups,
                                    "no more under way than windows");
    }

    uint64_t m_rate;   //!< bit/s
    uint32_t m_groups; //!< number
};

/**
 * @ingroup ai-fabric-tests
 * Groups beyond the limit, and hosts that can't take part, are refused with a line that says why.
 */
class SharpLimitTestCase : public TestCase
{
  public:
    SharpLimitTestCase()
        : TestCase("groups beyond the limit and wrong hosts are refused")
    {
    }

  private:
    template <typename E, typename F>
    void Refused(F call, const std::string& what)
    {
        std::string said;
        try
        {
            call();
        }
        catch (const E& error)
        {
            said = error.what();
        }
        NS_TEST_EXPECT_MSG_NE(said.find(what),
                              std::string::npos,
                              "says '" << what << "': " << said);
    }

    void DoRun() override
    {
        {
            Rig rig(2, 2, 2);
            rig.GetSharp().SetNodeAttribute("MaxGroups", UintegerValue(2));
            const auto first = rig.AddGroup();
            rig.AddGroup();
            NS_TEST_EXPECT_MSG_EQ(rig.GetNode(2)->GetGroups(), 1, "one at the first spine");
            NS_TEST_EXPECT_MSG_EQ(rig.GetNode(3)->GetGroups(), 1, "one at the second spine");
            Refused<std::runtime_error>([&] { rig.AddGroup(); },
                                        "2 aggregation groups are in use, expected fewer than "
                                        "MaxGroups = 2");
            NS_TEST_EXPECT_MSG_EQ(rig.GetNode(2)->GetGroups(), 1, "nothing half made");
            first->Dispose();
            const auto third = rig.AddGroup();
            NS_TEST_EXPECT_MSG_EQ(third->GetNodes().size(), 3, "room again: two leaves, a spine");
        }
        {
            Rig rig(1, 0, 2);
            rig.GetSharp().SetNodeAttribute("BufferBytes", UintegerValue(100 * MTU));
            rig.AddGroup();
            Refused<std::runtime_error>([&] { rig.AddGroup(); },
                                        "262144 bytes of aggregation memory are in use and 262144 "
                                        "are wanted, expected at most BufferBytes = 409600");
            NodeContainer twice(rig.GetTopology().hosts.Get(0), rig.GetTopology().hosts.Get(0));
            Refused<std::invalid_argument>([&] { rig.AddGroup(twice); }, "in the list twice");
        }
        {
            Rig rig(1, 0, 2, false);
            Refused<std::invalid_argument>([&] { rig.AddGroup(); },
                                           "is not at an InfiniBand switch that aggregates");
        }
        {
            RoceHelper roce;
            const FabricTopology topology = FabricTopologyHelper(roce).CreateStar(2);
            SharpHelper sharp;
            Refused<std::invalid_argument>([&] { sharp.Install(topology.switches); },
                                           "has no InfiniBand switch");
            Refused<std::invalid_argument>([&] { sharp.CreateTransport(topology.hosts); },
                                           "is not at an InfiniBand switch that aggregates");
            Simulator::Destroy();
        }
    }
};

/**
 * @ingroup ai-fabric-tests
 * Many groups at once over all hosts, another load that meets them at one host, and
 * ranks that come late and in different orders: nothing is lost, nothing is added twice.
 */
class SharpIncastTestCase : public TestCase
{
  public:
    SharpIncastTestCase()
        : TestCase("many groups and an incast: no loss, each contribution once")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t groups = 12;
        constexpr uint64_t bytes = 300 * MTU - 1000;
        Rig rig(4, 2, 4);
        rig.GetSharp().SetTransportAttribute("Window", UintegerValue(16));
        std::vector<Ptr<SharpTransport>> all;
        for (uint32_t group = 0; group < groups; ++group)
        {
            all.push_back(rig.AddGroup());
        }
        const auto incast = RdmaHelper::InstallIncast(rig.GetTopology().hosts,
                                                      rig.GetTopology().hosts.Get(5),
                                                      1000000);
        for (uint32_t group = 0; group < groups; ++group)
        {
            for (uint32_t rank = 0; rank < 16; ++rank)
            {
                // Two reductions of each group, half of the ranks begin with the second.
                const bool turned = (rank + group) % 2;
                for (const uint32_t turn : {0U, 1U})
                {
                    const uint64_t tag = turned ? 1 - turn : turn;
                    Simulator::Schedule(NanoSeconds(100 * ((rank * 7 + group) % 16) + 50 * turn),
                                        &SharpTransport::Contribute,
                                        all[group],
                                        rank,
                                        tag ? bytes : bytes / 2,
                                        tag);
                }
            }
        }
        Simulator::Run();
        const uint64_t segments = 300 + 150;
        NS_TEST_EXPECT_MSG_EQ(rig.GetErrors().size(), 0, "no error");
        NS_TEST_EXPECT_MSG_EQ(rig.GetRight(), groups * 16 * segments, "each contribution once");
        NS_TEST_EXPECT_MSG_EQ(rig.GetWrong(), 0, "nothing else");
        NS_TEST_EXPECT_MSG_EQ(rig.GetDrops(), 0, "no loss");
        for (uint32_t group = 0; group < groups; ++group)
        {
            for (uint32_t rank = 0; rank < 16; ++rank)
            {
                NS_TEST_EXPECT_MSG_GT(rig.GetDone(group, rank), 0, "every rank has its results");
            }
        }
    }
};

/**
 * @ingroup ai-fabric-tests
 * A lost frame is an error within the timeout, and never a silent hang; a rank that does not come
 * is none.
 */
class SharpLossTestCase : public TestCase
{
  public:
    SharpLossTestCase()
        : TestCase("a lost frame is an error, a late rank is none")
    {
    }

  private:
    void DoRun() override
    {
        for (const bool onlyOne : {true, false})
        {
            Rig rig(1, 0, 4);
            rig.AddGroup();
            const auto errors = CreateObject<ReceiveListErrorModel>();
            errors->SetList({onlyOne ? 0U : 3U});
            // What the host sends, or what it gets.
            const auto host = DynamicCast<FabricNetDevice>(rig.GetTopology().hostDevices.Get(2));
            (onlyOne ? host->GetPort().GetPeer() : PeekPointer(host))
                ->SetAttribute("ReceiveErrorModel", PointerValue(errors));
            rig.Contribute(0, onlyOne ? 8 : 10 * MTU);
            Simulator::Run();
            NS_TEST_ASSERT_MSG_EQ(rig.GetErrors().size(), 1, "one error");
            const std::string what =
                onlyOne ? "a frame of segment 0 is lost or stuck" : "the one of segment 3 is lost";
            NS_TEST_EXPECT_MSG_NE(rig.GetErrors()[0].find(what),
                                  std::string::npos,
                                  "says what is lost: " << rig.GetErrors()[0]);
            if (onlyOne)
            {
                // All frames were sent at 0.
                NS_TEST_EXPECT_MSG_EQ(Simulator::Now(), NanoSeconds(67108864), "after the timeout");
            }
            NS_TEST_EXPECT_MSG_EQ(rig.GetDone(0, 2), -1, "no result where it was lost");
        }
        Rig rig(1, 0, 4);
        const auto group = rig.AddGroup();
        for (uint32_t rank = 0; rank < 3; ++rank)
        {
            group->Contribute(rank, 8, 0);
        }
        Simulator::Schedule(Seconds(1), &SharpTransport::Contribute, group, 3, 8, 0);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rig.GetErrors().size(), 0, "a late rank is no error");
        NS_TEST_EXPECT_MSG_EQ(rig.GetDone(0, 0),
                              1000000000 + 2 * GetWireTime(8) + 2 * CABLE + SWITCH + HOST,
                              "the result waits for the last rank");
    }
};

/**
 * @ingroup ai-fabric-tests
 * The engine runs ring, tree and sharp; times cross where the closed forms do.
 */
class SharpCrossoverTestCase : public TestCase
{
  public:
    SharpCrossoverTestCase()
        : TestCase("ring, tree and sharp take their closed forms and cross where these do")
    {
    }

  private:
    static constexpr uint32_t RANKS = 7;                //!< a full tree of two levels
    static constexpr uint64_t FAST_RATE = 400000000000; //!< bit/s

    /** @returns seconds that an AllReduce takes */
    double Measure(TypeId algorithm, uint64_t bytes, uint64_t rate)
    {
        Rig rig(1, 0, RANKS, true, FAST_RATE);
        rig.GetSharp().SetNodeAttribute("AggregationRate", DataRateValue(DataRate(rate)));
        const auto sharp = rig.AddGroup();
        const auto transport = RdmaHelper::CreateTransport(rig.GetTopology().hosts);
        const auto engine =
            CreateObjectWithAttributes<CollectiveEngine>("Algorithm", TypeIdValue(algorithm));
        engine->SetTransport(transport);
        engine->SetReduction(sharp);
        const uint64_t id = engine->Create(CollectiveOp::ALL_REDUCE, bytes, "sum");
        for (uint32_t rank = 0; rank < RANKS; ++rank)
        {
            engine->Enter(id, rank);
        }
        Simulator::Run();
        const CollectiveRecord record = engine->GetRecords()[id];
        NS_TEST_EXPECT_MSG_EQ(engine->GetPendingCount(), 0, "all is done");
        const double seconds = FabricSeconds(record.done - record.firstEnter);
        engine->Dispose();
        transport->Dispose();
        return seconds;
    }

    void DoRun() override
    {
        const TypeId ring = RingAlgorithmFactory::GetTypeId();
        const TypeId tree = TreeAlgorithmFactory::GetTypeId();
        const TypeId sharp = InNetworkAlgorithmFactory::GetTypeId();
        // alpha: what a message takes beyond its own bytes at full packets' efficiency.
        const double beta = 8.0 / FAST_RATE * (MTU + 26) / MTU;
        const double alpha = 1e-9 * (2 * CABLE + SWITCH + HOST);
        const double levels = 2;
        const auto ringTime = [&](double bytes) {
            return 2 * (RANKS - 1) * (alpha + bytes / RANKS * beta);
        };
        const auto treeTime = [&](double bytes) { return 2 * levels * (alpha + 2 * bytes * beta); };
        const auto sharpTime = [&](double bytes, double perByte) {
            return alpha + MTU * beta + bytes * perByte; // the switch waits for the tail
        };
        // Long vectors: the slope is the closed form's.
        const uint64_t large = uint64_t{RANKS} * 64 * 1024; // one chunk of the tree
        NS_TEST_EXPECT_MSG_EQ_TOL(Measure(ring, large, 0),
                                  ringTime(large),
                                  0.02 * ringTime(large),
                                  "long ring");
        NS_TEST_EXPECT_MSG_EQ_TOL(Measure(tree, large, 0),
                                  treeTime(large),
                                  0.02 * treeTime(large),
                                  "long tree");
        NS_TEST_EXPECT_MSG_EQ_TOL(Measure(sharp, large, 0),
                                  sharpTime(large, beta),
                                  0.02 * sharpTime(large, beta),
                                  "long sharp");
        // Ring and tree cross at S*: below it the tree wins, above it the ring.
        const double ringTree = (2 * (RANKS - 1) - 2 * levels) * alpha /
                                ((4 * levels - 2.0 * (RANKS - 1) / RANKS) * beta);
        Cross(tree, ring, ringTree, 0, "tree and ring");
        // An adder of 100 Gb/s: sharp wins until its slope costs what its latency saves.
        const double slow = 8.0 / 100e9;
        const double ringSharp =
            (2 * (RANKS - 1) - 1) * alpha / (slow - 2.0 * (RANKS - 1) / RANKS * beta);
        Cross(sharp, ring, ringSharp, 100000000000, "sharp and ring");
        // At line rate sharp is never behind.
        for (const uint64_t bytes : {uint64_t{8}, uint64_t{1} << 12, uint64_t{1} << 22})
        {
            const double mine = Measure(sharp, bytes, 0);
            NS_TEST_EXPECT_MSG_LT(mine, Measure(ring, bytes, 0), bytes << " bytes, ring");
            NS_TEST_EXPECT_MSG_LT(mine, Measure(tree, bytes, 0), bytes << " bytes, tree");
        }
    }

    /** The first is faster 15 % below a size, and the second 15 % above it. */
    void Cross(TypeId first, TypeId second, double bytes, uint64_t rate, const std::string& what)
    {
        const auto below = static_cast<uint64_t>(0.85 * bytes);
        const auto above = static_cast<uint64_t>(1.15 * bytes);
        NS_TEST_EXPECT_MSG_LT(Measure(first, below, rate),
                              Measure(second, below, rate),
                              what << ": the first wins at " << below << " bytes");
        NS_TEST_EXPECT_MSG_GT(Measure(first, above, rate),
                              Measure(second, above, rate),
                              what << ": the second wins at " << above << " bytes");
    }
};

/**
 * @ingroup ai-fabric-tests
 * A switch with an aggregation node treats other traffic as one without: same times, same number of
 * events.
 */
class SharpIdleTestCase : public TestCase
{
  public:
    SharpIdleTestCase()
        : TestCase("an idle aggregation node costs other traffic nothing")
    {
    }

  private:
    std::pair<int64_t, uint64_t> Measure(bool install)
    {
        Rig rig(2, 2, 4, install);
        if (install)
        {
            rig.AddGroup();
        }
        RdmaHelper::InstallIncast(rig.GetTopology().hosts, rig.GetTopology().hosts.Get(0), 1000000);
        const uint64_t before = Simulator::GetEventCount();
        Simulator::Run();
        return {Simulator::Now().GetTimeStep(), Simulator::GetEventCount() - before};
    }

    void DoRun() override
    {
        const auto without = Measure(false);
        const auto with = Measure(true);
        NS_TEST_EXPECT_MSG_GT(without.first, 1000000, "there was traffic");
        NS_TEST_EXPECT_MSG_EQ(with.first, without.first, "same time");
        NS_TEST_EXPECT_MSG_EQ(with.second, without.second, "same events");
    }
};

/**
 * @ingroup ai-fabric-tests
 * When a group fails, so do the collectives that need it, with the reason.
 */
class SharpEngineErrorTestCase : public TestCase
{
  public:
    SharpEngineErrorTestCase()
        : TestCase("the engine needs a reduction, and hears of its failure")
    {
    }

  private:
    void DoRun() override
    {
        Rig rig(1, 0, 3);
        const auto sharp = rig.AddGroup();
        const auto transport = RdmaHelper::CreateTransport(rig.GetTopology().hosts);
        const auto engine = CreateObjectWithAttributes<CollectiveEngine>(
            "Algorithm",
            TypeIdValue(InNetworkAlgorithmFactory::GetTypeId()));
        engine->SetTransport(transport);
        std::string said;
        try
        {
            engine->Create(CollectiveOp::ALL_REDUCE, 8, "early");
        }
        catch (const std::logic_error& error)
        {
            said = error.what();
        }
        NS_TEST_EXPECT_MSG_NE(said.find("needs an in-network reduction, none is set"),
                              std::string::npos,
                              "says what is missing: " << said);
        engine->SetReduction(sharp);
        engine->SetErrorCallback(MakeCallback(&SharpEngineErrorTestCase::Failed, this));
        const auto errors = CreateObject<ReceiveListErrorModel>();
        errors->SetList({0});
        rig.GetTopology().hostDevices.Get(1)->SetAttribute("ReceiveErrorModel",
                                                           PointerValue(errors));
        const uint64_t id = engine->Create(CollectiveOp::ALL_REDUCE, 8, "sum");
        for (uint32_t rank = 0; rank < 3; ++rank)
        {
            engine->Enter(id, rank);
        }
        NS_TEST_EXPECT_MSG_NE(engine->DescribePending().find("from the network"),
                              std::string::npos,
                              "says who is waited for: " << engine->DescribePending());
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_failures, 1, "one failure");
        NS_TEST_EXPECT_MSG_NE(m_why.find("connection from the network to rank 1 failed"),
                              std::string::npos,
                              "says what failed: " << m_why);
        engine->Dispose();
        transport->Dispose();
    }

    void Failed(uint64_t /* id */, std::string why)
    {
        ++m_failures;
        m_why = why;
    }

    uint32_t m_failures{0}; //!< calls
    std::string m_why;      //!< of the last
};

/**
 * @ingroup ai-fabric-tests
 * The suite of in-network reduction.
 */
class SharpTestSuite : public TestSuite
{
  public:
    SharpTestSuite()
        : TestSuite("ai-fabric-sharp", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new SharpLatencyTestCase());
        AddTestCase(new SharpRateTestCase(0, 1));
        AddTestCase(new SharpRateTestCase(4000000000, 1));
        AddTestCase(new SharpRateTestCase(16000000000, 1));
        AddTestCase(new SharpRateTestCase(4000000000, 2));
        AddTestCase(new SharpRateTestCase(0, 2));
        AddTestCase(new SharpLimitTestCase());
        AddTestCase(new SharpIncastTestCase());
        AddTestCase(new SharpLossTestCase());
        AddTestCase(new SharpCrossoverTestCase());
        AddTestCase(new SharpIdleTestCase());
        AddTestCase(new SharpEngineErrorTestCase());
    }
};

static SharpTestSuite g_sharpTestSuite; //!< registers the suite
