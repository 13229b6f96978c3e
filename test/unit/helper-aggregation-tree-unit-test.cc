/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/aggregation-tree.h"

#include <cstddef>
#include <gtest/gtest.h>
#include <vector>

/**
 * @file
 * @ingroup ai-fabric-tests
 * The search for aggregation trees.
 */

using namespace ns3;

namespace
{

/** @returns a leaf-spine of two spines: leaves 0..n-1, spines n and n+1 */
std::vector<AggregationCandidate>
MakeLeafSpine(std::size_t leaves)
{
    std::vector<AggregationCandidate> switches(leaves + 2);
    for (std::size_t leaf = 0; leaf < leaves; ++leaf)
    {
        for (const std::size_t spine : {leaves, leaves + 1})
        {
            switches[leaf].neighbors.push_back(spine);
            switches[spine].neighbors.push_back(leaf);
        }
    }
    return switches;
}

} // namespace

TEST(AggregationTree, OneLeafIsItsOwnRoot)
{
    const AggregationTree tree = AggregationTree::Find(MakeLeafSpine(3), {1, 1, 1});
    EXPECT_EQ(tree.root, 1U);
    EXPECT_EQ(tree.members, std::vector<std::size_t>{1});
}

TEST(AggregationTree, SpineIsTheShallowestRoot)
{
    const AggregationTree tree = AggregationTree::Find(MakeLeafSpine(3), {0, 2, 0});
    EXPECT_EQ(tree.root, 3U);
    EXPECT_EQ(tree.members, (std::vector<std::size_t>{3, 0, 2}));
    EXPECT_EQ(tree.parents[0], 3U);
    EXPECT_EQ(tree.parents[2], 3U);
    EXPECT_EQ(tree.parents[1], AggregationTree::NONE);
}

TEST(AggregationTree, GroupsSpreadOverSpines)
{
    std::vector<AggregationCandidate> switches = MakeLeafSpine(3);
    switches[3].groups = 1;
    EXPECT_EQ(AggregationTree::Find(switches, {0, 2}).root, 4U);
}

TEST(AggregationTree, GoesAroundFullSwitches)
{
    std::vector<AggregationCandidate> switches = MakeLeafSpine(3);
    switches[3].isUsable = false;
    EXPECT_EQ(AggregationTree::Find(switches, {0, 2}).root, 4U);
    switches[4].isUsable = false;
    EXPECT_EQ(AggregationTree::Find(switches, {0, 2}).root, AggregationTree::NONE);
    EXPECT_EQ(AggregationTree::Find(switches, {2}).root, 2U) << "one leaf needs no spine";
    switches[2].isUsable = false;
    EXPECT_EQ(AggregationTree::Find(switches, {2}).root, AggregationTree::NONE);
}

TEST(AggregationTree, RowHasItsRootInTheMiddle)
{
    std::vector<AggregationCandidate> row(5);
    for (std::size_t i = 0; i + 1 < row.size(); ++i)
    {
        row[i].neighbors.push_back(i + 1);
        row[i + 1].neighbors.push_back(i);
    }
    const AggregationTree tree = AggregationTree::Find(row, {0, 4});
    EXPECT_EQ(tree.root, 2U);
    EXPECT_EQ(tree.members, (std::vector<std::size_t>{2, 1, 0, 3, 4}));
    EXPECT_EQ(tree.parents[0], 1U);
    EXPECT_EQ(tree.parents[4], 3U);
}
