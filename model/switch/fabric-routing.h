/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_ROUTING_H
#define FABRIC_ROUTING_H

#include "fabric-switch.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Forwarding tables by shortest paths (the engine that OpenSM calls minhop), computed once from the
 * cables.
 *
 * @attention On topologies with loops of switches, shortest paths can have cyclic buffer
 * dependencies; star and leaf-spine have none.
 */
class FabricRouting
{
  public:
    /**
     * Fill the tables of switches that are cabled with each other and with hosts.
     *
     * Each switch learns, for every host device, all ports on shortest paths towards it, and a
     * spanning tree for group addresses. Host devices must have their fabric addresses.
     * std::invalid_argument if a switch can't reach a host.
     * Links that are down do not count: call it again when some have changed, as a routing protocol
     * would.
     * @param switches all switches of one fabric
     * @param weighted give each port the weight of what it can carry, down to the narrowest cable
     * behind it (weighted ECMP); otherwise all have the same
     */
    static void InstallShortestPaths(const std::vector<Ptr<FabricSwitch>>& switches,
                                     bool weighted = false);

    /**
     * Set the ports on which group addresses leave: a spanning tree that begins at the first
     * switch. InstallShortestPaths() does that, too.
     * @param switches all switches of one fabric
     */
    static void InstallGroupTree(const std::vector<Ptr<FabricSwitch>>& switches);
};

} // namespace ns3

#endif // FABRIC_ROUTING_H
