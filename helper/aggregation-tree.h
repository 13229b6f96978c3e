/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef AGGREGATION_TREE_H
#define AGGREGATION_TREE_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * A switch as the search for an aggregation tree sees it.
 */
struct AggregationCandidate
{
    bool isUsable{true};                //!< it has room for one more group
    uint32_t groups{0};                 //!< that it serves
    std::vector<std::size_t> neighbors; //!< switches at its cables, by index, in order of its ports
};

/**
 * @ingroup ai-fabric
 * A tree over switches: the root, and the parent of every other switch in it.
 */
struct AggregationTree
{
    static constexpr std::size_t NONE = static_cast<std::size_t>(-1); //!< no switch

    std::size_t root{NONE};           //!< NONE: there is no tree
    std::vector<std::size_t> parents; //!< by switch; NONE at the root and outside of the tree
    std::vector<std::size_t> members; //!< the switches of the tree, parents before their children

    /**
     * Join switches by a tree of the smallest depth. Of several roots and parents, those that serve
     * the fewest groups are taken, and of these the first; a parent that is in the tree already
     * goes before all.
     * @param switches all of them
     * @param leaves those to be joined, at least one
     * @returns the tree; root is NONE if usable switches do not join the leaves
     */
    static AggregationTree Find(const std::vector<AggregationCandidate>& switches,
                                const std::vector<std::size_t>& leaves);
};

} // namespace ns3

#endif // AGGREGATION_TREE_H
