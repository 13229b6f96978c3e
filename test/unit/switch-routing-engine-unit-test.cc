/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Routing engines: where their paths lead, how evenly, and whether buffers could wait in a circle.

#include "../support/subnet-rig.h"

#include "ns3/acyclic-graph.h"
#include "ns3/fat-tree-routing-engine.h"
#include "ns3/lash-routing-engine.h"
#include "ns3/min-hop-routing-engine.h"
#include "ns3/string.h"
#include "ns3/subnet-routes-checker.h"
#include "ns3/subnet-view.h"
#include "ns3/uinteger.h"
#include "ns3/up-down-routing-engine.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <stdexcept>

using namespace ns3;
using namespace ns3::subnetrig;

namespace
{

/** Link directions between switches, as node and port. */
using Channel = std::pair<uint32_t, uint8_t>;

/** @returns the LID of a host's first port */
uint16_t
GetLid(const SubnetBuilder& net, uint32_t host)
{
    return net.graph.GetNode(net.hosts[host]).ports[1].lid;
}

/** @returns the link directions between switches that a packet takes, by following the tables */
std::vector<Channel>
Follow(const SubnetBuilder& net, const SubnetRoutes& routes, uint32_t from, uint16_t lid)
{
    std::vector<Channel> channels;
    SubnetEnd at = net.graph.GetNode(net.hosts[from]).ports[1].peer;
    while (net.graph.IsSwitch(at.node) && channels.size() < 1000)
    {
        const uint8_t port = routes.tables[at.node][lid];
        if (port == 0 || port == SubnetRoutes::DROP)
        {
            ADD_FAILURE() << "LID " << lid << " ends at node " << at.node;
            return channels;
        }
        channels.emplace_back(at.node, port);
        at = net.graph.GetNode(at.node).ports[port].peer;
    }
    channels.pop_back(); // to the host
    return channels;
}

/** @returns hops between the switches of two hosts, independently of the code that is tested */
uint32_t
CountHops(const SubnetBuilder& net, uint32_t from, uint32_t to)
{
    std::map<uint32_t, uint32_t> hops;
    const uint32_t first = net.graph.GetNode(net.hosts[from]).ports[1].peer.node;
    const uint32_t last = net.graph.GetNode(net.hosts[to]).ports[1].peer.node;
    std::vector<uint32_t> queue{first};
    hops[first] = 0;
    for (std::size_t i = 0; i < queue.size(); ++i)
    {
        for (const SubnetPort& port : net.graph.GetNode(queue[i]).ports)
        {
            if (port.peer.IsConnected() && net.graph.IsSwitch(port.peer.node) &&
                hops.emplace(port.peer.node, hops[queue[i]] + 1).second)
            {
                queue.push_back(port.peer.node);
            }
        }
    }
    return hops.at(last);
}

/** @returns true if following edges never comes back: by deleting what has no successor */
bool
IsAcyclic(std::map<Channel, std::set<Channel>> edges)
{
    for (bool changed = true; changed;)
    {
        changed = false;
        for (auto vertex = edges.begin(); vertex != edges.end();)
        {
            const auto isGone = [&](const Channel& next) { return !edges.count(next); };
            if (std::all_of(vertex->second.begin(), vertex->second.end(), isGone))
            {
                vertex = edges.erase(vertex);
                changed = true;
            }
            else
            {
                ++vertex;
            }
        }
    }
    return edges.empty();
}

/** All pairs of hosts: everything arrives, and the checker says the same as a naive search. */
void
CheckAllPairs(const SubnetBuilder& net,
              const SubnetRoutes& routes,
              const std::function<void(uint32_t, uint32_t, const std::vector<Channel>&)>& check,
              bool onlyHosts = true)
{
    std::vector<std::map<Channel, std::set<Channel>>> edges(routes.layers);
    std::vector<uint64_t> hops;
    for (uint32_t from = 0; from < net.hosts.size(); ++from)
    {
        for (uint32_t to = 0; to < net.hosts.size(); ++to)
        {
            if (from == to)
            {
                continue;
            }
            const std::vector<Channel> path = Follow(net, routes, from, GetLid(net, to));
            check(from, to, path);
            hops.resize(std::max(hops.size(), path.size() + 2));
            ++hops[path.size() + 1];
            const uint32_t source = net.graph.GetNode(net.hosts[from]).ports[1].peer.node;
            const uint32_t target = net.graph.GetNode(net.hosts[to]).ports[1].peer.node;
            const uint8_t layer =
                routes.serviceLevels.empty() ? 0 : routes.serviceLevels[source][target];
            for (std::size_t i = 1; i < path.size(); ++i)
            {
                edges.at(layer)[path[i - 1]].insert(path[i]);
            }
        }
    }
    const SubnetRoutesChecker checker(net.graph, routes);
    EXPECT_EQ(checker.GetUnreachable(), 0U);
    EXPECT_EQ(checker.GetError(), "");
    if (!onlyHosts)
    {
        return; // the checker sees what routers and others send, too
    }
    EXPECT_EQ(checker.GetHops(), hops);
    ASSERT_EQ(checker.GetLanes().size(), edges.size());
    for (std::size_t lane = 0; lane < edges.size(); ++lane)
    {
        EXPECT_EQ(checker.GetLanes()[lane].cycle.empty(), IsAcyclic(edges[lane])) << lane;
        uint64_t dependencies = 0;
        for (const auto& edge : edges[lane])
        {
            dependencies += edge.second.size();
        }
        EXPECT_EQ(checker.GetLanes()[lane].dependencies, dependencies);
    }
}

/** Every path is as long as a breadth-first search says. */
void
CheckShortest(const SubnetBuilder& net, const SubnetRoutes& routes, bool onlyHosts = true)
{
    CheckAllPairs(
        net,
        routes,
        [&](uint32_t from, uint32_t to, const std::vector<Channel>& path) {
            EXPECT_EQ(path.size(), CountHops(net, from, to)) << from << " to " << to;
        },
        onlyHosts);
}

/** @returns the largest number of flows on a link direction, if each host sends to the one so many
 * further on */
uint32_t
GetShiftLoad(const SubnetBuilder& net, const SubnetRoutes& routes, uint32_t shift)
{
    std::map<Channel, uint32_t> loads;
    uint32_t largest = 0;
    const auto n = static_cast<uint32_t>(net.hosts.size());
    for (uint32_t from = 0; from < n; ++from)
    {
        for (const Channel& channel : Follow(net, routes, from, GetLid(net, (from + shift) % n)))
        {
            largest = std::max(largest, ++loads[channel]);
        }
    }
    return largest;
}

/** @returns what Route() throws */
std::string
GetRefusal(const Ptr<RoutingEngine>& engine, const SubnetGraph& graph)
{
    try
    {
        engine->Route(graph);
    }
    catch (const std::invalid_argument& error)
    {
        return error.what();
    }
    return "";
}

} // namespace

TEST(RoutingEngine, NamesAreOpenSms)
{
    for (const std::string name : {"minhop", "updn", "ftree", "dor", "lash"})
    {
        EXPECT_EQ(RoutingEngine::Create(name)->GetName(), name);
    }
    try
    {
        RoutingEngine::Create("torus-2QoS");
        FAIL() << "no such engine here";
    }
    catch (const std::invalid_argument& error)
    {
        EXPECT_STREQ(error.what(),
                     "routing engine 'torus-2QoS', expected one of dor, ftree, lash, minhop, "
                     "shortest, updn");
    }
}

TEST(RoutingEngine, MinHopClosesTheCircleOfARing)
{
    const SubnetBuilder ring = MakeRing(5, 2);
    const SubnetRoutes routes = RoutingEngine::Create("minhop")->Route(ring.graph);
    CheckShortest(ring, routes);
    const SubnetRoutesChecker checker(ring.graph, routes);
    EXPECT_FALSE(checker.IsDeadlockFree());
    // s0 has its cable to s1 at port 1 and that to s4 at port 2; the others come in at port 1.
    EXPECT_EQ(checker.GetCycle(),
              "VL 0: s0 port 1 -> s1 port 2 -> s2 port 2 -> s3 port 2 -> s4 port 2 -> s0 port 1");
}

TEST(RoutingEngine, UpDownCutsTheRing)
{
    const SubnetBuilder ring = MakeRing(5, 2);
    const SubnetRoutes routes = RoutingEngine::Create("updn")->Route(ring.graph);
    CheckAllPairs(ring, routes, [](uint32_t, uint32_t, const std::vector<Channel>&) {});
    EXPECT_TRUE(SubnetRoutesChecker(ring.graph, routes).IsDeadlockFree());
}

TEST(RoutingEngine, LashNeedsTwoLayersForARing)
{
    const SubnetBuilder ring = MakeRing(5, 2);
    const auto engine = CreateObject<LashRoutingEngine>();
    const SubnetRoutes routes = engine->Route(ring.graph);
    CheckShortest(ring, routes);
    EXPECT_EQ(routes.layers, 2);
    EXPECT_TRUE(SubnetRoutesChecker(ring.graph, routes).IsDeadlockFree());
    engine->SetAttribute("MaxLayers", UintegerValue(1));
    EXPECT_NE(GetRefusal(engine, ring.graph).find("fits in none of 1 layers"), std::string::npos);
}

TEST(RoutingEngine, DimensionOrder)
{
    const SubnetBuilder mesh = MakeGrid(4, 3, false);
    const SubnetRoutes routes = RoutingEngine::Create("dor")->Route(mesh.graph);
    CheckShortest(mesh, routes);
    EXPECT_TRUE(SubnetRoutesChecker(mesh.graph, routes).IsDeadlockFree());
    const SubnetBuilder torus = MakeGrid(5, 5, true);
    const SubnetRoutes wrapped = RoutingEngine::Create("dor")->Route(torus.graph);
    CheckShortest(torus, wrapped);
    EXPECT_FALSE(SubnetRoutesChecker(torus.graph, wrapped).IsDeadlockFree());
    const SubnetRoutes layered = RoutingEngine::Create("lash")->Route(torus.graph);
    CheckShortest(torus, layered);
    EXPECT_TRUE(SubnetRoutesChecker(torus.graph, layered).IsDeadlockFree());
}

TEST(RoutingEngine, FatTreesCarryEveryShift)
{
    std::vector<SubnetBuilder> trees;
    trees.push_back(MakeLeafSpine(4, 4, 1, 4));
    trees.push_back(MakeLeafSpine(6, 4, 2, 8));
    trees.push_back(MakeLeafSpine(5, 3, 1, 3));
    trees.push_back(MakeFatTree(4));
    trees.push_back(MakeFatTree(8));
    for (const SubnetBuilder& tree : trees)
    {
        const SubnetRoutes routes = RoutingEngine::Create("ftree")->Route(tree.graph);
        CheckShortest(tree, routes);
        EXPECT_TRUE(SubnetRoutesChecker(tree.graph, routes).IsDeadlockFree());
        uint32_t others = 0; // shifts in which balance by number alone fails
        const SubnetRoutes minhop = RoutingEngine::Create("minhop")->Route(tree.graph);
        for (uint32_t shift = 1; shift < tree.hosts.size(); ++shift)
        {
            EXPECT_EQ(GetShiftLoad(tree, routes, shift) <= 1, true)
                << tree.hosts.size() << " hosts, shift " << shift;
            others += GetShiftLoad(tree, minhop, shift) > 1;
        }
        RecordProperty("minhop_misses_" + std::to_string(tree.hosts.size()),
                       static_cast<int>(others));
    }
}

TEST(RoutingEngine, FatTreeTakesThinTrees)
{
    const SubnetBuilder tree = MakeLeafSpine(4, 2, 1, 6); // three hosts to a cable
    const SubnetRoutes routes = RoutingEngine::Create("ftree")->Route(tree.graph);
    CheckShortest(tree, routes);
    for (uint32_t shift = 1; shift < tree.hosts.size(); ++shift)
    {
        EXPECT_LE(GetShiftLoad(tree, routes, shift), 3U) << shift;
    }
}

TEST(RoutingEngine, FatTreeRefusesWhatIsNone)
{
    const SubnetBuilder ring = MakeRing(4, 1);
    EXPECT_EQ(GetRefusal(RoutingEngine::Create("ftree"), ring.graph),
              "ftree: port 1 of s0 leads to s1, which is as far from hosts, expected cables "
              "between levels only");
}

TEST(RoutingEngine, RandomSubnets)
{
    for (uint32_t seed = 1; seed <= 20; ++seed)
    {
        const SubnetBuilder net = MakeRandom(4 + seed, seed % 4, seed);
        CheckShortest(net, RoutingEngine::Create("minhop")->Route(net.graph));
        CheckShortest(net, RoutingEngine::Create("dor")->Route(net.graph));
        const SubnetRoutes lash = RoutingEngine::Create("lash")->Route(net.graph);
        CheckShortest(net, lash);
        EXPECT_TRUE(SubnetRoutesChecker(net.graph, lash).IsDeadlockFree()) << seed;
        const SubnetRoutes updn = RoutingEngine::Create("updn")->Route(net.graph);
        CheckAllPairs(net, updn, [](uint32_t, uint32_t, const std::vector<Channel>&) {});
        EXPECT_TRUE(SubnetRoutesChecker(net.graph, updn).IsDeadlockFree()) << seed;
    }
}

/** Any mixture of alternatives is legal: a table made of them at random has no cycle either. */
TEST(RoutingEngine, AlternativesOfUpDownCloseNoCycle)
{
    for (uint32_t seed = 1; seed <= 20; ++seed)
    {
        std::mt19937 random(seed);
        const SubnetBuilder net = MakeRandom(8, 2, seed);
        SubnetRoutes routes = RoutingEngine::Create("updn")->Route(net.graph);
        // All dependencies that any choice can cause: the union over many random tables.
        std::map<Channel, std::set<Channel>> edges;
        uint32_t choices = 0;
        for (uint32_t round = 0; round < 50; ++round)
        {
            for (uint32_t node = 0; node < net.graph.GetNNodes(); ++node)
            {
                for (const auto& entry : routes.alternatives[node])
                {
                    EXPECT_GT(entry.second.size(), 1U);
                    if (round == 0)
                    {
                        EXPECT_EQ(entry.second.front(), routes.tables[node][entry.first]);
                    }
                    routes.tables[node][entry.first] = entry.second[random() % entry.second.size()];
                    ++choices;
                }
            }
            CheckAllPairs(net, routes, [&](uint32_t, uint32_t, const std::vector<Channel>& path) {
                for (std::size_t i = 1; i < path.size(); ++i)
                {
                    edges[path[i - 1]].insert(path[i]);
                }
            });
        }
        EXPECT_TRUE(IsAcyclic(edges)) << seed;
        EXPECT_GT(choices, 0U);
    }
}

TEST(RoutingEngine, UpDownRoots)
{
    const SubnetBuilder ring = MakeRing(6, 1);
    const auto engine = CreateObject<UpDownRoutingEngine>();
    engine->SetAttribute("Roots", StringValue("0x103")); // s3
    const SubnetRoutes routes = engine->Route(ring.graph);
    // The cut is opposite to the root: s0 and s1 are neighbors and may talk, but nothing passes s0.
    for (uint32_t from = 1; from < 6; ++from)
    {
        for (uint32_t to = 1; to < 6; ++to)
        {
            if (from != to)
            {
                for (const Channel& channel : Follow(ring, routes, from, GetLid(ring, to)))
                {
                    EXPECT_NE(channel.first, 0U) << from << " to " << to;
                }
            }
        }
    }
    engine->SetAttribute("Roots", StringValue("0x103,s1"));
    EXPECT_EQ(GetRefusal(engine, ring.graph),
              "updn: root \"s1\", expected the GUID of a switch in hexadecimal");
    // Two roots with a leaf below both and one below each: from leaf to leaf there is no legal way.
    SubnetBuilder valley;
    const std::vector<uint32_t> s = valley.AddSwitches(5);
    valley.Join(s[0], s[2]);
    valley.Join(s[0], s[3]);
    valley.Join(s[1], s[3]);
    valley.Join(s[1], s[4]);
    for (const uint32_t leaf : {s[2], s[3], s[4]})
    {
        valley.AddHosts(leaf, 1);
    }
    valley.AssignLids();
    engine->SetAttribute("Roots", StringValue("0x100,0x101"));
    EXPECT_EQ(GetRefusal(engine, valley.graph),
              "updn: no way up and down from s4 to s2, expected other Roots than 0x100,0x101");
    const SubnetRoutes found = RoutingEngine::Create("updn")->Route(valley.graph);
    CheckShortest(valley, found);
    EXPECT_TRUE(SubnetRoutesChecker(valley.graph, found).IsDeadlockFree());
}

TEST(RoutingEngine, LidsAreSpreadEvenly)
{
    for (const std::string name : {"minhop", "updn", "ftree", "lash"})
    {
        const SubnetBuilder tree = MakeLeafSpine(4, 3, 2, 9);
        const SubnetRoutes routes = RoutingEngine::Create(name)->Route(tree.graph);
        for (uint32_t leaf = 0; leaf < 4; ++leaf)
        {
            std::map<uint8_t, uint32_t> loads;
            for (uint32_t host = 0; host < tree.hosts.size(); ++host)
            {
                const uint8_t port = routes.tables[leaf][GetLid(tree, host)];
                loads[port] += host / 9 == leaf ? 0 : 1;
            }
            for (uint8_t port = 10; port < 16; ++port)
            {
                EXPECT_NEAR(loads[port], 27.0 / 6, name == "ftree" ? 1.5 : 0.5) << name;
            }
        }
    }
}

TEST(RoutingEngine, LidsOfOnePortTakeDifferentSpines)
{
    SubnetBuilder tree = MakeLeafSpine(2, 4, 1, 2);
    tree.AssignLids(2);
    for (const std::string name : {"minhop", "updn", "ftree"})
    {
        const SubnetRoutes routes = RoutingEngine::Create(name)->Route(tree.graph);
        std::set<uint8_t> ports;
        for (uint16_t offset = 0; offset < 4; ++offset)
        {
            ports.insert(routes.tables[0][GetLid(tree, 2) + offset]);
        }
        EXPECT_EQ(ports.size(), 4U) << name;
        EXPECT_EQ(SubnetRoutesChecker(tree.graph, routes).GetUnreachable(), 0U) << name;
    }
}

/** Real trees have routers and aggregation nodes at the top; levels and roots are as without. */
TEST(RoutingEngine, RoutersAndAggregationNodesAtTheTop)
{
    SubnetBuilder tree = MakeLeafSpine(4, 4, 1, 4);
    for (uint32_t i = 0; i < 4; ++i)
    {
        const bool isRouter = i == 0;
        const uint32_t node =
            tree.graph.AddNode(isRouter ? SubnetNodeKind::ROUTER : SubnetNodeKind::CHANNEL_ADAPTER,
                               0x777 + i,
                               isRouter ? "router" : "Mellanox Technologies Aggregation Node",
                               1);
        tree.graph.Connect(node, 1, 4 + i, 41);
    }
    tree.AssignLids();
    for (const std::string name : {"updn", "ftree"})
    {
        const SubnetRoutes routes = RoutingEngine::Create(name)->Route(tree.graph);
        CheckShortest(tree, routes, false);
        const SubnetRoutesChecker checker(tree.graph, routes);
        EXPECT_EQ(checker.GetError(), "") << name;
        EXPECT_EQ(checker.GetUnreachable(), 0U) << name;
        EXPECT_TRUE(checker.IsDeadlockFree()) << name;
        // All spines are used from each leaf, and hosts reach what is at the spines.
        std::set<uint8_t> ports;
        for (uint32_t host = 4; host < 16; ++host)
        {
            ports.insert(routes.tables[0][GetLid(tree, host)]);
        }
        EXPECT_EQ(ports.size(), 4U) << name;
        for (uint32_t i = 0; i < 4; ++i)
        {
            const uint32_t node = tree.graph.Find(0x777 + i);
            const uint16_t lid = tree.graph.GetNode(node).ports[1].lid;
            EXPECT_EQ(routes.tables[0][lid], 5 + i) << name;
            EXPECT_EQ(routes.tables[4 + i][lid], 41) << name;
        }
    }
    const SubnetRoutes ftree = RoutingEngine::Create("ftree")->Route(tree.graph);
    for (uint32_t shift = 1; shift < tree.hosts.size(); ++shift)
    {
        EXPECT_EQ(GetShiftLoad(tree, ftree, shift) <= 1, true) << shift;
    }
}

TEST(RoutingEngine, AdaptersWithTwoPortsAndRouters)
{
    SubnetBuilder net;
    const std::vector<uint32_t> s = net.AddSwitches(3);
    net.Join(s[0], s[1]);
    net.Join(s[1], s[2]);
    net.AddHosts(s[0], 1);
    net.graph.Connect(net.hosts[0], 2, s[2], 5); // the other port of the same adapter
    const uint32_t router = net.graph.AddNode(SubnetNodeKind::ROUTER, 0x777, "router", 1);
    net.graph.Connect(router, 1, s[1], 7);
    net.AssignLids();
    for (const std::string name : {"minhop", "updn", "dor", "lash"})
    {
        const SubnetRoutes routes = RoutingEngine::Create(name)->Route(net.graph);
        const std::vector<SubnetPort>& ports = net.graph.GetNode(net.hosts[0]).ports;
        EXPECT_EQ(routes.tables[s[1]][ports[1].lid], 1) << name;
        EXPECT_EQ(routes.tables[s[1]][ports[2].lid], 2) << name;
        EXPECT_EQ(routes.tables[s[1]][net.graph.GetNode(router).ports[1].lid], 7) << name;
        EXPECT_EQ(routes.tables[s[1]][net.graph.GetNode(s[1]).ports[0].lid], 0) << name;
        EXPECT_EQ(SubnetRoutesChecker(net.graph, routes).GetUnreachable(), 0U) << name;
    }
}

TEST(SubnetRoutesChecker, NamesWhatDoesNotArrive)
{
    const SubnetBuilder net = MakeLeafSpine(2, 1, 1, 2);
    SubnetRoutes routes = RoutingEngine::Create("minhop")->Route(net.graph);
    const uint16_t lid = GetLid(net, 3);
    const uint8_t port = routes.tables[0][lid];
    routes.tables[0][lid] = SubnetRoutes::DROP;
    {
        const SubnetRoutesChecker checker(net.graph, routes);
        EXPECT_EQ(checker.GetUnreachable(), 2U);
        EXPECT_EQ(checker.GetError(),
                  "the way from s0 to LID " + std::to_string(lid) + " (h3) ends at s0");
    }
    routes.tables[0][lid] = port;
    routes.tables[2][lid] = 1; // the spine sends it back
    {
        const SubnetRoutesChecker checker(net.graph, routes);
        EXPECT_EQ(checker.GetUnreachable(), 2U);
        EXPECT_EQ(checker.GetError(),
                  "the way from s0 to LID " + std::to_string(lid) +
                      " (h3) goes round in a loop at s0");
    }
    routes.tables[2][lid] = 2;
    routes.tables[1][lid] = 1; // to h2
    const SubnetRoutesChecker checker(net.graph, routes);
    EXPECT_EQ(checker.GetUnreachable(), 3U);
    EXPECT_NE(checker.GetError().find("goes to another end node at s1"), std::string::npos);
}

TEST(SubnetRoutesChecker, PartsWithoutCables)
{
    SubnetBuilder net;
    const std::vector<uint32_t> s = net.AddSwitches(2);
    net.AddHosts(s[0], 2);
    net.AddHosts(s[1], 1);
    net.AssignLids();
    for (const std::string name : {"minhop", "updn", "ftree", "dor", "lash"})
    {
        const SubnetRoutes routes = RoutingEngine::Create(name)->Route(net.graph);
        const SubnetRoutesChecker checker(net.graph, routes);
        EXPECT_EQ(checker.GetUnreachable(), 4U) << name; // two there, two back
        EXPECT_EQ(checker.GetHops(), (std::vector<uint64_t>{0, 2})) << name;
    }
}

TEST(SubnetView, RefusesLidsThatAreInUse)
{
    SubnetBuilder net = MakeLeafSpine(2, 1, 1, 2);
    net.graph.GetNode(net.hosts[1]).ports[1].lid = GetLid(net, 0);
    EXPECT_THROW(SubnetView{net.graph}, std::invalid_argument);
    net.graph.GetNode(net.hosts[1]).ports[1].lid = 0xc000;
    EXPECT_THROW(SubnetView{net.graph}, std::invalid_argument);
}

TEST(AcyclicGraph, RefusesExactlyWhatClosesACycle)
{
    std::mt19937 random(7);
    for (uint32_t round = 0; round < 30; ++round)
    {
        constexpr uint32_t VERTICES = 12;
        AcyclicGraph graph(VERTICES);
        std::map<Channel, std::set<Channel>> edges;
        for (uint32_t i = 0; i < 80; ++i)
        {
            const uint32_t from = random() % VERTICES;
            const uint32_t to = random() % VERTICES;
            const bool there = edges[{from, 0}].count({to, 0});
            ASSERT_EQ(graph.HasEdge(from, to), there);
            if (there)
            {
                continue;
            }
            edges[{from, 0}].insert({to, 0});
            const bool fits = IsAcyclic(edges);
            ASSERT_EQ(graph.AddEdge(from, to), fits);
            if (!fits || random() % 4 == 0)
            {
                edges[{from, 0}].erase({to, 0});
                if (fits)
                {
                    graph.RemoveLatestEdge(from, to);
                }
            }
        }
    }
}
