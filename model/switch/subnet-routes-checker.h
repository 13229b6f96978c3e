/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SUBNET_ROUTES_CHECKER_H
#define SUBNET_ROUTES_CHECKER_H

#include "routing-engine.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * What is true of the tables of a subnet, whoever has filled them: does every end node reach every
 * LID, and can buffers wait for each other in a circle?
 *
 * A packet that holds the buffer behind one cable and needs that behind the next makes the second
 * depend on the first. A lane whose dependencies have no cycle can't deadlock (Dally and Seitz,
 * IEEE ToC C-36(5), 1987). End nodes take what they get, so the cables to them are no part of it.
 * Packets of a service level stay in the virtual lane of the same number.
 */
class SubnetRoutesChecker
{
  public:
    /** One virtual lane. */
    struct Lane
    {
        uint64_t dependencies{0}; //!< between link directions
        std::string cycle; //!< "A port 1 -> B port 2 -> A port 1"; empty: there is none, proven
    };

    /**
     * @param graph the subnet
     * @param routes its tables
     */
    SubnetRoutesChecker(const SubnetGraph& graph, const SubnetRoutes& routes);

    /** @returns the lanes that paths use */
    const std::vector<Lane>& GetLanes() const;
    /** @returns true if no lane has a cycle */
    bool IsDeadlockFree() const;
    /** @returns one line on the first cycle, with its lane; empty if there is none */
    std::string GetCycle() const;

    /** @returns paths from end ports to LIDs of other end ports that arrive, by number of switches
     * on the way */
    const std::vector<uint64_t>& GetHops() const;
    /** @returns paths from end ports to LIDs of other end ports that don't arrive; those between
     * two switches without hosts, where only routers and aggregation nodes are, do not count */
    uint64_t GetUnreachable() const;
    /** @returns one line on the first path that doesn't arrive; empty if all do */
    const std::string& GetError() const;

  private:
    class Walk;

    std::vector<Lane> m_lanes;    //!< by number
    std::vector<uint64_t> m_hops; //!< see GetHops()
    uint64_t m_unreachable{0};    //!< see GetUnreachable()
    std::string m_error;          //!< see GetError()
};

} // namespace ns3

#endif // SUBNET_ROUTES_CHECKER_H
