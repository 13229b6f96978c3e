/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef UP_DOWN_ROUTING_ENGINE_H
#define UP_DOWN_ROUTING_ENGINE_H

#include "routing-engine.h"

#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Up*\/down* (Schroeder et al., Autonet, 1991): every cable has an upper end, the one nearer to the
 * roots, and no path goes up again once it has gone down. So buffers can't wait for each other in a
 * circle on any topology. Where a switch can reach a LID by going down only, it does, on the
 * shortest such way; else it goes up on the shortest.
 *
 * Roots are given by GUID, or are found: the switches that are farthest from all hosts, which are
 * the top of a tree (routers and aggregation nodes may hang there); where every switch has hosts,
 * the one from which the farthest switch is nearest.
 */
class UpDownRoutingEngine : public RoutingEngine
{
  public:
    /** @returns the TypeId */
    static TypeId GetTypeId();

    std::string GetName() const override;
    /** @copydoc RoutingEngine::Route
     * Roots that are no switch of the subnet are an invalid argument, too. */
    SubnetRoutes Route(const SubnetGraph& graph) const override;

  private:
    std::string m_roots; //!< GUIDs with commas
};

} // namespace ns3

#endif // UP_DOWN_ROUTING_ENGINE_H
