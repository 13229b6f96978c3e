/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SUBNET_GRAPH_H
#define SUBNET_GRAPH_H

#include <cstdint>
#include <limits>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{

/** Number of a node that is none. */
inline constexpr uint32_t SUBNET_NO_NODE = std::numeric_limits<uint32_t>::max();

/**
 * @ingroup ai-fabric
 * What is at the other end of a cable.
 */
struct SubnetEnd
{
    uint32_t node{SUBNET_NO_NODE}; //!< index of the node; SUBNET_NO_NODE: nothing is plugged in
    uint8_t port{0};               //!< its port, from 1

    /** @returns true if something is plugged in */
    bool IsConnected() const
    {
        return node != SUBNET_NO_NODE;
    }
};

/**
 * @ingroup ai-fabric
 * A port of a node of the subnet. Port 0 of a switch is its management port, which has the LID of
 * the switch; each port of a channel adapter has a LID of its own (IBA vol 1, 14.2.5.6).
 */
struct SubnetPort
{
    SubnetEnd peer;   //!< the far end of the cable
    uint64_t guid{0}; //!< port GUID; 0 if unknown
    uint16_t lid{0};  //!< base LID; 0: none yet
    uint8_t lmc{0};   //!< LID mask control: the port answers to 2^lmc LIDs
    std::string
        width; //!< width and speed as ibnetdiscover writes them, such as "4xNDR"; may be empty
};

/** What a node of a subnet is. */
enum class SubnetNodeKind : uint8_t
{
    SWITCH,
    CHANNEL_ADAPTER, //!< of a host
    ROUTER,          //!< to other subnets: an end node for forwarding tables
};

/**
 * @ingroup ai-fabric
 * A switch, a channel adapter or a router.
 */
struct SubnetNode
{
    SubnetNodeKind kind{SubnetNodeKind::SWITCH}; //!< what it is
    uint64_t guid{0};                            //!< node GUID, unique
    std::string name;                            //!< node description
    std::vector<SubnetPort> ports; //!< by port number; [0] is the management port of a switch
};

/**
 * @ingroup ai-fabric
 * The cables of an InfiniBand subnet, as its subnet manager sees them: what a topology file or a
 * discovery says, and what routing engines work on. It knows no devices and no time.
 */
class SubnetGraph
{
  public:
    /** Highest port number of a node: 255 in a forwarding table means "drop". */
    static constexpr uint32_t MAX_PORTS = 254;

    /**
     * @param kind what it is
     * @param guid node GUID, unique in the subnet
     * @param name node description
     * @param ports number of ports, 1..MAX_PORTS
     * @returns index of the new node, from 0 in order of addition
     * @throws std::invalid_argument if the GUID is there already or the number is out of range
     */
    uint32_t AddNode(SubnetNodeKind kind, uint64_t guid, const std::string& name, uint32_t ports);

    /**
     * Plug in a cable.
     * @param a a node
     * @param portA its port, from 1
     * @param b another node, or the same
     * @param portB its port, from 1
     * @throws std::invalid_argument if a port does not exist or is in use
     */
    void Connect(uint32_t a, uint32_t portA, uint32_t b, uint32_t portB);

    /** @returns number of nodes */
    uint32_t GetNNodes() const;
    /**
     * @param node index of a node
     * @returns the node
     */
    const SubnetNode& GetNode(uint32_t node) const;
    /**
     * @param node index of a node
     * @returns the node; ports may be given LIDs and names, cables by Connect() only
     */
    SubnetNode& GetNode(uint32_t node);
    /**
     * @param node index of a node
     * @returns true if it is a switch
     */
    bool IsSwitch(uint32_t node) const;
    /**
     * @param guid node GUID
     * @returns index of the node; SUBNET_NO_NODE if there is none
     */
    uint32_t Find(uint64_t guid) const;

  private:
    SubnetPort& GetFreePort(uint32_t node, uint32_t port);

    std::vector<SubnetNode> m_nodes;                //!< by index
    std::unordered_map<uint64_t, uint32_t> m_index; //!< by GUID
};

} // namespace ns3

#endif // SUBNET_GRAPH_H
