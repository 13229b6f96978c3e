/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "aggregation-tree.h"

#include <algorithm>
#include <limits>

namespace ns3
{

namespace
{

constexpr uint32_t FAR = std::numeric_limits<uint32_t>::max(); //!< not to be reached

/** @returns hops from the root to each switch over usable ones */
std::vector<uint32_t>
GetDistances(const std::vector<AggregationCandidate>& switches, std::size_t root)
{
    std::vector<uint32_t> distances(switches.size(), FAR);
    std::vector<std::size_t> reached{root};
    distances[root] = 0;
    for (std::size_t i = 0; i < reached.size(); ++i)
    {
        for (const std::size_t next : switches[reached[i]].neighbors)
        {
            if (switches[next].isUsable && distances[next] == FAR)
            {
                distances[next] = distances[reached[i]] + 1;
                reached.push_back(next);
            }
        }
    }
    return distances;
}

} // namespace

AggregationTree
AggregationTree::Find(const std::vector<AggregationCandidate>& switches,
                      const std::vector<std::size_t>& leaves)
{
    AggregationTree tree;
    std::vector<uint32_t> distances;
    uint32_t depth = FAR;
    for (std::size_t root = 0; root < switches.size(); ++root)
    {
        if (!switches[root].isUsable)
        {
            continue;
        }
        std::vector<uint32_t> hops = GetDistances(switches, root);
        uint32_t farthest = 0;
        for (const std::size_t leaf : leaves)
        {
            farthest = std::max(farthest, hops[leaf]);
        }
        if (farthest < depth || (farthest == depth && depth != FAR &&
                                 switches[root].groups < switches[tree.root].groups))
        {
            tree.root = root;
            depth = farthest;
            distances = std::move(hops);
        }
    }
    if (tree.root == NONE)
    {
        return tree;
    }
    tree.parents.assign(switches.size(), NONE);
    std::vector<bool> isMember(switches.size(), false);
    isMember[tree.root] = true;
    tree.members.push_back(tree.root);
    for (const std::size_t leaf : leaves)
    {
        std::vector<std::size_t> path; // from the leaf up to the tree
        for (std::size_t at = leaf; !isMember[at]; at = tree.parents[at])
        {
            path.push_back(at);
            std::size_t best = NONE;
            for (const std::size_t up : switches[at].neighbors)
            {
                const bool isNearer = distances[up] != FAR && distances[up] + 1 == distances[at];
                const auto rank = [&](std::size_t one) {
                    return isMember[one] ? 0 : 1 + uint64_t{switches[one].groups};
                };
                if (isNearer && (best == NONE || rank(up) < rank(best)))
                {
                    best = up;
                }
            }
            tree.parents[at] = best;
        }
        for (auto at = path.rbegin(); at != path.rend(); ++at)
        {
            isMember[*at] = true;
            tree.members.push_back(*at);
        }
    }
    return tree;
}

} // namespace ns3
