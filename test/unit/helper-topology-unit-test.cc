/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What a script says about the shape of a fabric, and the tables that switches get from it.

#include "../support/end-to-end-rig.h"

#include <gtest/gtest.h>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

using namespace ns3;
using namespace ns3::endrig;

namespace
{

/** @returns what Parse() says of a text; empty if it takes it */
std::string
Complaint(const std::string& text, uint32_t gpus)
{
    try
    {
        FabricShape::Parse(text, gpus);
    }
    catch (const std::invalid_argument& error)
    {
        return error.what();
    }
    return "";
}

/** Follows the tables of all switches. */
struct Walk
{
    std::set<std::size_t> lengths; //!< switches passed, of all paths
    std::set<Ptr<Node>> passed;    //!< switches on any path
    std::size_t paths{0};          //!< ways to the destination
    bool lost{false};              //!< some path ends elsewhere

    void Follow(const Ptr<Node>& node, const Ptr<FabricNetDevice>& destination, std::size_t length)
    {
        if (node == destination->GetNode())
        {
            lengths.insert(length);
            ++paths;
            return;
        }
        const Ptr<FabricSwitch> device = FabricHelper::GetSwitch(node);
        if (!device || length > 8)
        {
            lost = true;
            return;
        }
        passed.insert(node);
        const auto& ports = device->GetRoute(destination->GetFabricAddress());
        lost = lost || ports.empty();
        for (const uint16_t port : ports)
        {
            Follow(device->GetPort(port)->GetPort().GetPeer()->GetNode(), destination, length + 1);
        }
    }
};

/** Fabric, leaves, spines, hosts at each leaf. */
class Routes
    : public ::testing::TestWithParam<std::tuple<std::string, uint32_t, uint32_t, uint32_t>>
{
};

} // namespace

TEST(FabricShapeParse, TakesWhatIsOne)
{
    struct Row
    {
        const char* text;
        uint32_t gpus, leaves, spines, hostsPerLeaf;
    };

    for (const Row& row : std::vector<Row>{{"star", 1, 1, 0, 1},
                                           {"star", 8, 1, 0, 8},
                                           {"star", 128, 1, 0, 128},
                                           {"leaf-spine:1x1x1", 1, 1, 1, 1},
                                           {"leaf-spine:2x2x4", 8, 2, 2, 4},
                                           {"leaf-spine:32x16x16", 512, 32, 16, 16},
                                           {"leaf-spine:9999x1x1", 9999, 9999, 1, 1},
                                           {"leaf-spine:1x9999x9999", 9999, 1, 9999, 9999}})
    {
        const FabricShape shape = FabricShape::Parse(row.text, row.gpus);
        EXPECT_EQ(shape.leaves, row.leaves) << row.text;
        EXPECT_EQ(shape.spines, row.spines) << row.text;
        EXPECT_EQ(shape.hostsPerLeaf, row.hostsPerLeaf) << row.text;
        EXPECT_EQ(shape.GetHosts(), row.gpus) << row.text;
        EXPECT_EQ(shape.ToString(), row.text);
    }
}

TEST(FabricShapeParse, RefusesWhatIsNone)
{
    for (const std::string text : {"",
                                   "Star",
                                   "star ",
                                   " star",
                                   "star:8",
                                   "ring",
                                   "leaf-spine",
                                   "leaf-spine:",
                                   "leaf-spine:8",
                                   "leaf-spine:2x2",
                                   "leaf-spine:2x2x",
                                   "leaf-spine:x2x4",
                                   "leaf-spine:2x2x4x1",
                                   "leaf-spine:0x2x4",
                                   "leaf-spine:2x0x4",
                                   "leaf-spine:2x2x0",
                                   "leaf-spine:-2x2x4",
                                   "leaf-spine:+2x2x4",
                                   "leaf-spine:02x2x4",
                                   "leaf-spine:2X2X4",
                                   "leaf-spine:2.0x2x4",
                                   "leaf-spine: 2x2x4",
                                   "leaf-spine:2x2x4 ",
                                   "leaf-spine:10000x1x1",
                                   "leaf-spine:4294967296x1x1",
                                   "Leaf-Spine:2x2x4"})
    {
        const std::string complaint = Complaint(text, 8);
        EXPECT_NE(complaint.find("topology '" + text + "'"), std::string::npos) << complaint;
        EXPECT_NE(complaint.find("expected star or leaf-spine:LxSxH"), std::string::npos)
            << complaint;
        EXPECT_EQ(complaint.find('\n'), std::string::npos) << "one line";
    }
}

TEST(FabricShapeParse, RefusesWhatDoesNotFit)
{
    for (const uint32_t gpus : {1U, 7U, 9U, 16U, 4294967295U})
    {
        EXPECT_EQ(Complaint("leaf-spine:2x2x4", gpus),
                  std::to_string(gpus) +
                      " GPUs do not fit topology leaf-spine:2x2x4, which has 8 hosts");
    }
    for (const std::string text : {"star", "leaf-spine:2x2x4", "nonsense"})
    {
        EXPECT_EQ(Complaint(text, 0), "number of GPUs is 0, expected 1 or more");
    }
}

// By tables: every host reaches every other one, on shortest paths only, over every spine.
TEST_P(Routes, ShortestOnAllSpines)
{
    const auto [fabric, leaves, spines, hostsPerLeaf] = GetParam();
    const auto helper = MakeHelper(fabric);
    FabricTopologyHelper builder(*helper);
    const FabricTopology topology = spines ? builder.CreateLeafSpine(leaves, spines, hostsPerLeaf)
                                           : builder.CreateStar(hostsPerLeaf);
    ASSERT_EQ(topology.hosts.GetN(), leaves * hostsPerLeaf);
    ASSERT_EQ(topology.hostDevices.GetN(), leaves * hostsPerLeaf);
    ASSERT_EQ(topology.switches.GetN(), leaves + spines);
    for (uint32_t i = 0; i < topology.switches.GetN(); ++i)
    {
        EXPECT_EQ(FabricHelper::GetSwitch(topology.switches.Get(i))->GetNPorts(),
                  i < leaves ? hostsPerLeaf + spines : leaves);
    }
    for (uint32_t from = 0; from < topology.hosts.GetN(); ++from)
    {
        const auto source = DynamicCast<FabricNetDevice>(topology.hostDevices.Get(from));
        EXPECT_EQ(source->GetNode(), topology.hosts.Get(from)) << "in order of rank";
        for (uint32_t to = 0; to < topology.hosts.GetN(); ++to)
        {
            if (from == to)
            {
                continue;
            }
            Walk walk;
            walk.Follow(source->GetPort().GetPeer()->GetNode(),
                        DynamicCast<FabricNetDevice>(topology.hostDevices.Get(to)),
                        0);
            const bool near = from / hostsPerLeaf == to / hostsPerLeaf;
            EXPECT_FALSE(walk.lost) << from << " to " << to;
            EXPECT_EQ(walk.paths, near ? 1 : spines) << from << " to " << to;
            EXPECT_EQ(walk.lengths, std::set<std::size_t>{near ? 1U : 3U}) << from << " to " << to;
            EXPECT_EQ(walk.passed.size(), near ? 1 : 2 + spines) << from << " to " << to;
        }
    }
    Simulator::Destroy();
}

// By frames: a message between any two hosts crosses exactly the links of a shortest path, and so
// does its ACK.
TEST_P(Routes, FramesTakeThem)
{
    const auto [fabric, leaves, spines, hostsPerLeaf] = GetParam();
    const auto helper = MakeHelper(fabric);
    FabricShape shape;
    shape.leaves = leaves;
    shape.spines = spines;
    shape.hostsPerLeaf = hostsPerLeaf;
    {
        Cluster cluster(*helper, shape);
        cluster.CountMessages();
        uint64_t hops = 0;
        uint64_t messages = 0;
        for (uint32_t from = 0; from < shape.GetHosts(); ++from)
        {
            for (uint32_t to = 0; to < shape.GetHosts(); ++to)
            {
                if (from != to)
                {
                    cluster.m_transport->Send(from, to, 100, 1);
                    ++messages;
                    hops += from / hostsPerLeaf == to / hostsPerLeaf ? 4 : 8;
                }
            }
        }
        Simulator::Run();
        EXPECT_EQ(cluster.m_sentCount, messages);
        EXPECT_EQ(cluster.GetTotals().packetHops, hops);
        EXPECT_EQ(cluster.GetTotals().drops, 0U);
    }
    Simulator::Destroy();
}

INSTANTIATE_TEST_SUITE_P(Shapes,
                         Routes,
                         ::testing::Values(std::make_tuple("ib", 1, 0, 2),
                                           std::make_tuple("ib", 1, 0, 9),
                                           std::make_tuple("ib", 2, 2, 4),
                                           std::make_tuple("ib", 4, 3, 2),
                                           std::make_tuple("ib", 3, 1, 1),
                                           std::make_tuple("roce", 1, 0, 2),
                                           std::make_tuple("roce", 1, 0, 9),
                                           std::make_tuple("roce", 2, 2, 4),
                                           std::make_tuple("roce", 4, 3, 2),
                                           std::make_tuple("roce", 3, 1, 1)));
