/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "subnet-graph.h"

#include <sstream>
#include <stdexcept>

namespace ns3
{

uint32_t
SubnetGraph::AddNode(SubnetNodeKind kind, uint64_t guid, const std::string& name, uint32_t ports)
{
    std::ostringstream what;
    what << "SubnetGraph: node 0x" << std::hex << guid << std::dec << " (" << name << ")";
    if (ports < 1 || ports > MAX_PORTS)
    {
        what << " with " << ports << " ports, expected 1.." << MAX_PORTS;
        throw std::invalid_argument(what.str());
    }
    const auto index = static_cast<uint32_t>(m_nodes.size());
    if (!m_index.emplace(guid, index).second)
    {
        what << " is there already, expected a GUID of its own";
        throw std::invalid_argument(what.str());
    }
    m_nodes.push_back({kind, guid, name, std::vector<SubnetPort>(ports + 1)});
    return index;
}

SubnetPort&
SubnetGraph::GetFreePort(uint32_t node, uint32_t port)
{
    SubnetNode& owner = m_nodes.at(node);
    if (port < 1 || port >= owner.ports.size())
    {
        throw std::invalid_argument("SubnetGraph: " + owner.name + " has no port " +
                                    std::to_string(port) + ", expected 1.." +
                                    std::to_string(owner.ports.size() - 1));
    }
    if (owner.ports[port].peer.IsConnected())
    {
        throw std::invalid_argument("SubnetGraph: port " + std::to_string(port) + " of " +
                                    owner.name + " has a cable already");
    }
    return owner.ports[port];
}

void
SubnetGraph::Connect(uint32_t a, uint32_t portA, uint32_t b, uint32_t portB)
{
    SubnetPort& endA = GetFreePort(a, portA);
    SubnetPort& endB = GetFreePort(b, portB);
    if (&endA == &endB)
    {
        throw std::invalid_argument("SubnetGraph: port " + std::to_string(portA) + " of " +
                                    m_nodes[a].name + " is connected to itself");
    }
    endA.peer = {b, static_cast<uint8_t>(portB)};
    endB.peer = {a, static_cast<uint8_t>(portA)};
}

uint32_t
SubnetGraph::GetNNodes() const
{
    return static_cast<uint32_t>(m_nodes.size());
}

const SubnetNode&
SubnetGraph::GetNode(uint32_t node) const
{
    return m_nodes.at(node);
}

SubnetNode&
SubnetGraph::GetNode(uint32_t node)
{
    return m_nodes.at(node);
}

bool
SubnetGraph::IsSwitch(uint32_t node) const
{
    return m_nodes.at(node).kind == SubnetNodeKind::SWITCH;
}

uint32_t
SubnetGraph::Find(uint64_t guid) const
{
    const auto found = m_index.find(guid);
    return found == m_index.end() ? SUBNET_NO_NODE : found->second;
}

} // namespace ns3
