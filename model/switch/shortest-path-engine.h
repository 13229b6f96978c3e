/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SHORTEST_PATH_ENGINE_H
#define SHORTEST_PATH_ENGINE_H

#include "routing-engine.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * The forwarding that a fabric has without a subnet manager (FabricRouting), as a routing engine:
 * of all ports on shortest paths, in their order, entry LID mod n. Nothing is counted, so a LID has
 * the same place in the lists of all switches.
 */
class ShortestPathEngine : public RoutingEngine
{
  public:
    /** @returns the TypeId */
    static TypeId GetTypeId();

    /** @returns "shortest"; OpenSM has no such engine */
    std::string GetName() const override;
    SubnetRoutes Route(const SubnetGraph& graph) const override;
};

} // namespace ns3

#endif // SHORTEST_PATH_ENGINE_H
