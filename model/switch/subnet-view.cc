/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "subnet-view.h"

#include "subnet-summary.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace ns3
{

SubnetView::SubnetView(const SubnetGraph& graph)
    : m_numbers(graph.GetNNodes(), SUBNET_NO_NODE)
{
    for (uint32_t node = 0; node < graph.GetNNodes(); ++node)
    {
        if (graph.IsSwitch(node))
        {
            m_numbers[node] = static_cast<uint32_t>(m_nodes.size());
            m_nodes.push_back(node);
        }
    }
    m_links.resize(m_nodes.size());
    m_ends.resize(m_nodes.size());
    m_isLeaf.resize(m_nodes.size());
    std::vector<bool> used(0x10000);
    for (uint32_t sw = 0; sw < m_nodes.size(); ++sw)
    {
        const std::vector<SubnetPort>& ports = graph.GetNode(m_nodes[sw]).ports;
        for (std::size_t port = 1; port < ports.size(); ++port)
        {
            const SubnetEnd& peer = ports[port].peer;
            if (!peer.IsConnected())
            {
                continue;
            }
            if (graph.IsSwitch(peer.node))
            {
                if (peer.node != m_nodes[sw])
                {
                    m_links[sw].push_back(
                        {m_numbers[peer.node], static_cast<uint8_t>(port), peer.port});
                }
                continue;
            }
            const SubnetNode& node = graph.GetNode(peer.node);
            if (node.kind == SubnetNodeKind::CHANNEL_ADAPTER &&
                !SubnetSummary::IsAggregationNode(node))
            {
                m_isLeaf[sw] = true;
            }
            const Destination end{0, 0, sw, static_cast<uint8_t>(port), peer.node, m_ends[sw]++};
            AddLids(graph, end, node.ports[peer.port], used);
        }
    }
    for (uint32_t sw = 0; sw < m_nodes.size(); ++sw)
    {
        const Destination own{0, 0, sw, 0, m_nodes[sw], 0};
        AddLids(graph, own, graph.GetNode(m_nodes[sw]).ports[0], used);
    }
    uint32_t first = 0;
    std::vector<uint32_t> firsts;
    for (const uint32_t ends : m_ends)
    {
        firsts.push_back(first);
        first += ends;
    }
    for (Destination& destination : m_destinations)
    {
        destination.number += destination.port ? firsts[destination.sw] : 0;
    }
}

void
SubnetView::AddLids(const SubnetGraph& graph,
                    Destination destination,
                    const SubnetPort& port,
                    std::vector<bool>& used)
{
    if (!port.lid)
    {
        return;
    }
    destination.base = port.lid;
    const uint32_t count = 1U << port.lmc;
    for (uint32_t lid = port.lid; lid < port.lid + count; ++lid)
    {
        if (lid >= 0xc000 || used[lid])
        {
            throw std::invalid_argument("subnet: LID " + std::to_string(lid) + " of " +
                                        graph.GetNode(destination.node).name +
                                        (lid >= 0xc000 ? " is not unicast, expected 1..49151"
                                                       : " is in use, expected one of its own"));
        }
        used[lid] = true;
        destination.lid = static_cast<uint16_t>(lid);
        m_maxLid = std::max(m_maxLid, destination.lid);
        m_destinations.push_back(destination);
    }
}

uint32_t
SubnetView::GetNSwitches() const
{
    return static_cast<uint32_t>(m_nodes.size());
}

uint32_t
SubnetView::GetNode(uint32_t sw) const
{
    return m_nodes.at(sw);
}

uint32_t
SubnetView::GetSwitch(uint32_t node) const
{
    return m_numbers.at(node);
}

const std::vector<SubnetView::Link>&
SubnetView::GetLinks(uint32_t sw) const
{
    return m_links.at(sw);
}

const std::vector<SubnetView::Destination>&
SubnetView::GetDestinations() const
{
    return m_destinations;
}

uint32_t
SubnetView::GetNEnds(uint32_t sw) const
{
    return m_ends.at(sw);
}

uint16_t
SubnetView::GetMaxLid() const
{
    return m_maxLid;
}

bool
SubnetView::IsLeaf(uint32_t sw) const
{
    return m_isLeaf.at(sw);
}

std::vector<uint16_t>
SubnetView::GetHopsToLeaves() const
{
    std::vector<uint32_t> leaves;
    for (uint32_t sw = 0; sw < m_nodes.size(); ++sw)
    {
        if (m_isLeaf[sw])
        {
            leaves.push_back(sw);
        }
    }
    return GetHopsToAny(leaves);
}

std::vector<uint16_t>
SubnetView::GetHopsTo(uint32_t from) const
{
    return GetHopsToAny({from});
}

std::vector<uint16_t>
SubnetView::GetHopsToAny(const std::vector<uint32_t>& from) const
{
    std::vector<uint16_t> hops(m_nodes.size(), FAR);
    std::vector<uint32_t> queue = from;
    for (const uint32_t sw : from)
    {
        hops[sw] = 0;
    }
    for (std::size_t i = 0; i < queue.size(); ++i)
    {
        for (const Link& link : m_links[queue[i]])
        {
            if (hops[link.to] == FAR)
            {
                hops[link.to] = hops[queue[i]] + 1;
                queue.push_back(link.to);
            }
        }
    }
    return hops;
}

} // namespace ns3
