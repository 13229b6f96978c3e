/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIN_HOP_ROUTING_ENGINE_H
#define MIN_HOP_ROUTING_ENGINE_H

#include "routing-engine.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Shortest paths; among equally short ones the LIDs are spread by number. Nothing keeps it from
 * closing a cycle of buffers where the switches have loops. All shortest paths are alternatives.
 */
class MinHopRoutingEngine : public RoutingEngine
{
  public:
    /** @returns the TypeId */
    static TypeId GetTypeId();

    std::string GetName() const override;
    SubnetRoutes Route(const SubnetGraph& graph) const override;
};

/**
 * @ingroup ai-fabric
 * Dimension order, as OpenSM does it: shortest paths, and of these always the one by the port with
 * the lowest number. If the ports of all switches are cabled in the order of the dimensions, paths
 * take one dimension after another, which has no cycles in a mesh or hypercube; in a torus it has.
 * Several cables to the same switch are one dimension, and LIDs are spread over them.
 */
class DorRoutingEngine : public RoutingEngine
{
  public:
    /** @returns the TypeId */
    static TypeId GetTypeId();

    std::string GetName() const override;
    SubnetRoutes Route(const SubnetGraph& graph) const override;
};

} // namespace ns3

#endif // MIN_HOP_ROUTING_ENGINE_H
