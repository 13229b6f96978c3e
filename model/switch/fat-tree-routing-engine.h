/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FAT_TREE_ROUTING_ENGINE_H
#define FAT_TREE_ROUTING_ENGINE_H

#include "routing-engine.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Fat trees, with any number of levels, cables and missing parts: all hosts are at the leaf
 * switches, and every cable joins two neighboring levels. Routers and aggregation nodes may be
 * anywhere; those above the leaves are reached from hosts, but not all from each other.
 *
 * The way up follows the number of the end port (D-mod-K, Zahavi, JPDC 2012): on level l it is the
 * cable number j / (switches to choose from on all levels below) modulo the cables. All traffic to
 * an end port then comes down from one top switch, and in a full tree every shift permutation (each
 * end node sends to the one so many further on) has each cable to itself in each direction.
 */
class FatTreeRoutingEngine : public RoutingEngine
{
  public:
    /** @returns the TypeId */
    static TypeId GetTypeId();

    std::string GetName() const override;
    SubnetRoutes Route(const SubnetGraph& graph) const override;
};

} // namespace ns3

#endif // FAT_TREE_ROUTING_ENGINE_H
