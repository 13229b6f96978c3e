/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SUBNET_VIEW_H
#define SUBNET_VIEW_H

#include "subnet-graph.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * The switches of a subnet as engines want them: numbered without gaps, with the cables between
 * them, and the switch and port at which each LID lives.
 */
class SubnetView
{
  public:
    static constexpr uint16_t FAR = 0xffff; //!< hops to where no way leads

    /** A cable from one switch to another. */
    struct Link
    {
        uint32_t to;      //!< number of the other switch
        uint8_t port;     //!< of this switch
        uint8_t peerPort; //!< of the other switch
    };

    /** A LID and where it lives. */
    struct Destination
    {
        uint16_t lid;    //!< the LID
        uint16_t base;   //!< the first LID of its port
        uint32_t sw;     //!< number of the switch
        uint8_t port;    //!< port of that switch; 0: the switch itself
        uint32_t node;   //!< index of the node in the graph
        uint32_t number; //!< of the end port, counted by switch and port; for switches 0
    };

    /**
     * @param graph a subnet; LIDs that are 0 are none
     * @throws std::invalid_argument if two ports have the same LID
     */
    explicit SubnetView(const SubnetGraph& graph);

    /** @returns number of switches */
    uint32_t GetNSwitches() const;
    /**
     * @param sw number of a switch
     * @returns its index in the graph
     */
    uint32_t GetNode(uint32_t sw) const;
    /**
     * @param node index of a node
     * @returns number of the switch; SUBNET_NO_NODE if it is none
     */
    uint32_t GetSwitch(uint32_t node) const;
    /**
     * @param sw number of a switch
     * @returns its cables to other switches, by port
     */
    const std::vector<Link>& GetLinks(uint32_t sw) const;
    /** @returns all LIDs: those of end ports by switch and port, then those of switches */
    const std::vector<Destination>& GetDestinations() const;
    /**
     * @param sw number of a switch
     * @returns number of end ports at it
     */
    uint32_t GetNEnds(uint32_t sw) const;
    /**
     * @param sw number of a switch
     * @returns true if adapters of hosts are cabled to it; not so routers and the aggregation nodes
     * in switches, which may hang on any level of a tree
     */
    bool IsLeaf(uint32_t sw) const;
    /** @returns hops from each switch to the nearest leaf; FAR where there is no way */
    std::vector<uint16_t> GetHopsToLeaves() const;
    /** @returns the highest LID */
    uint16_t GetMaxLid() const;
    /**
     * @param from number of a switch
     * @returns hops from each switch to it; FAR where there is no way
     */
    std::vector<uint16_t> GetHopsTo(uint32_t from) const;
    /**
     * @param from numbers of switches
     * @returns hops from each switch to the nearest of them; FAR where there is no way
     */
    std::vector<uint16_t> GetHopsToAny(const std::vector<uint32_t>& from) const;

  private:
    void AddLids(const SubnetGraph& graph,
                 Destination destination,
                 const SubnetPort& port,
                 std::vector<bool>& used);

    std::vector<uint32_t> m_nodes;           //!< by switch
    std::vector<uint32_t> m_numbers;         //!< by node
    std::vector<std::vector<Link>> m_links;  //!< by switch
    std::vector<uint32_t> m_ends;            //!< by switch
    std::vector<bool> m_isLeaf;              //!< by switch
    std::vector<Destination> m_destinations; //!< see GetDestinations()
    uint16_t m_maxLid{0};                    //!< see GetMaxLid()
};

} // namespace ns3

#endif // SUBNET_VIEW_H
