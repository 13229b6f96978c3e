/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SUBNET_PATH_H
#define SUBNET_PATH_H

#include "routing-engine.h"
#include "subnet-graph.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * The way that forwarding tables lead from a port to a LID, as ibtracert finds it.
 */
class SubnetPath
{
  public:
    /** A cable of the way. */
    struct Hop
    {
        SubnetEnd from; //!< leaves here
        SubnetEnd to;   //!< comes in here
    };

    /**
     * @param graph a subnet with LIDs
     * @param routes its tables
     * @param node an adapter, a router or a switch
     * @param port of an adapter or router; 0 of a switch
     * @param lid where to
     * @returns the way; its hops are none if the LID is that port's own
     * @throws std::invalid_argument if the tables do not lead there, which says what is wrong where
     */
    static SubnetPath Trace(const SubnetGraph& graph,
                            const SubnetRoutes& routes,
                            uint32_t node,
                            uint32_t port,
                            uint16_t lid);

    /** @returns cables in order */
    const std::vector<Hop>& GetHops() const;
    /** @returns number of switches passed */
    uint32_t GetSwitches() const;
    /**
     * @param graph the subnet
     * @returns lines as ibtracert prints them
     */
    std::string ToText(const SubnetGraph& graph) const;

  private:
    SubnetEnd m_begin;       //!< first port
    SubnetEnd m_end;         //!< last port
    std::vector<Hop> m_hops; //!< in order
    uint32_t m_switches{0};  //!< passed
};

} // namespace ns3

#endif // SUBNET_PATH_H
