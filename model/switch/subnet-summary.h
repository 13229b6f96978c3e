/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SUBNET_SUMMARY_H
#define SUBNET_SUMMARY_H

#include "subnet-graph.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * What there is in a subnet, counted. A cable counts once, by its slower end.
 */
struct SubnetSummary
{
    /** @param graph a subnet */
    explicit SubnetSummary(const SubnetGraph& graph);

    uint32_t switches{0};         //!< nodes
    uint32_t adapters{0};         //!< channel adapters of hosts and of switches
    uint32_t aggregationNodes{0}; //!< of the adapters, those in switches: for reductions (SHARP)
    uint32_t routers{0};          //!< nodes
    uint32_t hosts{0};            //!< machines, see SubnetSummary::GetHostName()
    uint32_t links{0};            //!< cables
    uint32_t selfLinks{0};        //!< of these, from a node to itself
    uint32_t switchLinks{0};      //!< of these, between two switches
    uint32_t unequalLinks{0};     //!< of these, with ends that tell different widths or speeds
    std::map<std::string, uint32_t> linksByWidth; //!< such as 4xNDR; "" where it is not known

    /**
     * The name of the machine that an adapter is in. Names such as "host01 HCA-2" or
     * "host01 mlx5_1" tell it; any other one stands for a machine of its own, as many adapters
     * may have the same factory name.
     * @param node a channel adapter
     * @returns host01; empty if the description has none
     */
    static std::string GetHostName(const SubnetNode& node);

    /**
     * @param node a channel adapter
     * @returns true if it is the aggregation node of a switch, which is no host
     */
    static bool IsAggregationNode(const SubnetNode& node);

    /**
     * @param graph a subnet
     * @param node a node
     * @param port one of its ports, with a cable
     * @returns width and speed of the slower end; empty if none is known
     */
    static std::string GetLinkWidth(const SubnetGraph& graph, uint32_t node, uint32_t port);
};

} // namespace ns3

#endif // SUBNET_SUMMARY_H
