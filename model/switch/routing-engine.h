/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROUTING_ENGINE_H
#define ROUTING_ENGINE_H

#include "subnet-graph.h"

#include "ns3/object.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * What a routing engine decides: the linear forwarding table of every switch, the service level of
 * each pair of end nodes where it matters, and equally good ports for adaptive routing.
 */
struct SubnetRoutes
{
    static constexpr uint8_t DROP = 255; //!< forwarding table entry: no way (IBA vol 1, 14.2.5.11)

    /** Linear forwarding tables: [node][LID] is the port towards the LID; empty for nodes that are
     * no switches; 0 at the switch whose own LID it is. */
    std::vector<std::vector<uint8_t>> tables;

    /** All ports as good as that of the table, that one first: [node][LID]; empty vectors where
     * there is only one, and where a further port could close a cycle. */
    std::vector<std::unordered_map<uint16_t, std::vector<uint8_t>>> alternatives;

    /** Service level from switch to switch ([source][destination], node indices) where layers
     * separate paths; empty: 0 everywhere. */
    std::vector<std::vector<uint8_t>> serviceLevels;

    uint8_t layers{1}; //!< number of service levels (and so virtual lanes) that the engine needs
};

/**
 * @ingroup ai-fabric
 * Fills forwarding tables from the cables of a subnet. Its TypeId is what selects the kind.
 */
class RoutingEngine : public Object
{
  public:
    /** @returns the TypeId */
    static TypeId GetTypeId();

    /**
     * @param name as OpenSM's routing_engine option has it: minhop, updn, ftree, dor or lash;
     * or "shortest", see ShortestPathEngine
     * @returns an engine of that kind with default attributes
     * @throws std::invalid_argument naming those that are known
     */
    static Ptr<RoutingEngine> Create(const std::string& name);
    /** @returns the names that Create() knows */
    static std::vector<std::string> GetNames();

    /** @returns name as OpenSM's routing_engine option has it, such as "minhop" */
    virtual std::string GetName() const = 0;

    /**
     * @param graph the subnet; every port of a channel adapter and every switch has its LID
     * @returns tables for all of them
     * @throws std::invalid_argument if the topology is not one for this engine
     */
    virtual SubnetRoutes Route(const SubnetGraph& graph) const = 0;
};

} // namespace ns3

#endif // ROUTING_ENGINE_H
