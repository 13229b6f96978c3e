/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SHARP_HELPER_H
#define SHARP_HELPER_H

#include "ns3/aggregation-node.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"
#include "ns3/sharp-transport.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Installs in-network reduction on InfiniBand switches, and builds the aggregation trees of groups.
 *
 * The tree of a group joins its hosts over switches that have room for one more group. Its root is
 * the switch from which the farthest host is nearest; of several, the one that serves the fewest
 * groups, so that groups spread over the spines.
 */
class SharpHelper
{
  public:
    SharpHelper();

    /**
     * @param name attribute of the aggregation nodes installed afterwards, such as AggregationRate
     * @param value its value
     */
    void SetNodeAttribute(const std::string& name, const AttributeValue& value);
    /**
     * @param name attribute of the transports made afterwards, such as Window
     * @param value its value
     */
    void SetTransportAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Make switches aggregation nodes.
     * @param switches nodes with an InfiniBand switch
     * @throws std::invalid_argument if one has none, or is an aggregation node already
     */
    void Install(const NodeContainer& switches);

    /**
     * Make a group: its tree and its ranks.
     * @param hosts at least one node with an InfiniBand device; the index is the rank
     * @returns what a CollectiveEngine takes
     * @throws std::invalid_argument if a host is twice in the list, or is not on a switch that
     * aggregates
     * @throws std::runtime_error if there is no tree, since switches have no room for another group
     */
    Ptr<SharpTransport> CreateTransport(const NodeContainer& hosts);

    /**
     * @param node a node
     * @returns the aggregation node of its switch; null if it has none
     */
    static Ptr<AggregationNode> GetAggregationNode(const Ptr<Node>& node);

  private:
    ObjectFactory m_nodeFactory;      //!< aggregation nodes
    ObjectFactory m_transportFactory; //!< transports
};

} // namespace ns3

#endif // SHARP_HELPER_H
