/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SUBNET_USAGE_H
#define SUBNET_USAGE_H

#include "routing-engine.h"
#include "subnet-graph.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * How forwarding tables use the cables of a subnet: the length of paths, and how many LIDs go over
 * each cable between switches.
 */
struct SubnetUsage
{
    /**
     * @param graph a subnet with LIDs
     * @param routes its tables
     * @throws std::invalid_argument if they do not lead everywhere, see SubnetPath::Trace()
     */
    SubnetUsage(const SubnetGraph& graph, const SubnetRoutes& routes);

    /** Number of paths by switches passed: from each cabled port of an adapter to each LID of
     * another one. */
    std::map<uint32_t, uint64_t> paths;

    /** LIDs of adapters and routers that leave by a port: [node][port]; 0 where the port does not
     * lead to another switch. */
    std::vector<std::vector<uint32_t>> lids;

    uint32_t minLids{0}; //!< of all ports that lead to another switch; 0 if there is none
    uint32_t maxLids{0}; //!< of all ports that lead to another switch
};

} // namespace ns3

#endif // SUBNET_USAGE_H
