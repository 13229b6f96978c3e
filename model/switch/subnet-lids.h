/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SUBNET_LIDS_H
#define SUBNET_LIDS_H

#include "subnet-graph.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Which port of a subnet has which LID.
 */
class SubnetLids
{
  public:
    static constexpr uint16_t LAST_UNICAST = 0xbfff; //!< (IBA vol 1, 4.1.3)
    static constexpr uint8_t MAX_LMC = 7;            //!< (IBA vol 1, 4.1.3)

    /**
     * Give a LID to port 0 of each switch and to each cabled port of adapters and routers. A LID
     * that a port has already is kept if it is its alone and suits the LMC; other ports get the
     * lowest that is free, in the order of nodes and ports.
     * @param graph takes LIDs and LMCs
     * @param lmc of adapters and routers, 0..7: they answer to 2^lmc LIDs, the first of which is a
     * multiple of it (IBA vol 1, 4.1.3). Switches have one
     * @throws std::invalid_argument if the unicast LIDs do not suffice
     */
    static void Assign(SubnetGraph& graph, uint8_t lmc);

    /** @param graph a subnet with LIDs */
    explicit SubnetLids(const SubnetGraph& graph);

    /** @returns the highest LID of a port */
    uint16_t GetLast() const;
    /**
     * @param lid a LID
     * @returns whose it is: a node and its port (0 of a switch); SUBNET_NO_NODE if nobody's
     */
    SubnetEnd Find(uint16_t lid) const;

  private:
    std::vector<SubnetEnd> m_owners; //!< by LID
};

} // namespace ns3

#endif // SUBNET_LIDS_H
