/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "table-filler.h"

#include <algorithm>
#include <tuple>

namespace ns3
{

TableFiller::TableFiller(const SubnetGraph& graph, const SubnetView& view)
    : m_view(view),
      m_loads(view.GetNSwitches()),
      m_served(view.GetNSwitches())
{
    m_routes.tables.resize(graph.GetNNodes());
    m_routes.alternatives.resize(graph.GetNNodes());
    for (uint32_t sw = 0; sw < view.GetNSwitches(); ++sw)
    {
        const uint32_t node = view.GetNode(sw);
        m_routes.tables[node].assign(view.GetMaxLid() + 1U, SubnetRoutes::DROP);
        m_loads[sw].resize(graph.GetNode(node).ports.size());
    }
}

void
TableFiller::Deliver(const SubnetView::Destination& destination)
{
    m_routes.tables[m_view.GetNode(destination.sw)][destination.lid] = destination.port;
}

void
TableFiller::Balance(uint32_t sw,
                     const SubnetView::Destination& destination,
                     const Links& links,
                     bool adaptive)
{
    Served& served = m_served[sw];
    if (served.base != destination.base)
    {
        served.base = destination.base;
        served.links.clear();
    }
    const auto rank = [&](const SubnetView::Link& link) {
        uint32_t peers = 0;
        uint32_t cables = 0;
        for (const SubnetView::Link& other : served.links)
        {
            peers += other.to == link.to;
            cables += other.port == link.port;
        }
        return std::make_tuple(peers, cables, m_loads[sw][link.port]);
    };
    std::size_t best = 0;
    auto least = rank(links[0]);
    for (std::size_t i = 1; i < links.size(); ++i)
    {
        const auto other = rank(links[i]);
        if (other < least)
        {
            least = other;
            best = i;
        }
    }
    served.links.push_back(links[best]);
    Choose(sw, destination, links, best, adaptive);
}

void
TableFiller::Choose(uint32_t sw,
                    const SubnetView::Destination& destination,
                    const Links& links,
                    std::size_t chosen,
                    bool adaptive)
{
    const uint32_t node = m_view.GetNode(sw);
    const uint8_t port = links[chosen].port;
    m_routes.tables[node][destination.lid] = port;
    // Management traffic of switches is rare: it does not count as load.
    m_loads[sw][port] += destination.port ? 1 : 0;
    if (adaptive && links.size() > 1)
    {
        std::vector<uint8_t>& ports = m_routes.alternatives[node][destination.lid];
        ports.clear();
        for (std::size_t i = 0; i < links.size(); ++i)
        {
            ports.push_back(links[(chosen + i) % links.size()].port);
        }
    }
}

SubnetRoutes
TableFiller::Take()
{
    return std::move(m_routes);
}

} // namespace ns3
