/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LASH_ROUTING_ENGINE_H
#define LASH_ROUTING_ENGINE_H

#include "routing-engine.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Layered shortest paths (LASH: Skeie, Lysne and Theiss, IPDPS 2002): shortest paths on any
 * topology, and each pair of switches in a layer, which is a service level and so a virtual lane,
 * whose paths together don't close a cycle. Both directions of a pair are in the same layer, so
 * that acknowledgments are, too. All LIDs at a switch are reached over the same switches; parallel
 * cables between two of them share the LIDs, and are alternatives.
 */
class LashRoutingEngine : public RoutingEngine
{
  public:
    /** @returns the TypeId */
    static TypeId GetTypeId();

    std::string GetName() const override;
    /** @copydoc RoutingEngine::Route
     * A subnet that needs more layers than MaxLayers is an invalid argument, too. */
    SubnetRoutes Route(const SubnetGraph& graph) const override;

  private:
    uint8_t m_maxLayers; //!< layers that may be used
};

} // namespace ns3

#endif // LASH_ROUTING_ENGINE_H
