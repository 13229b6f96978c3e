/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "shortest-path-engine.h"

#include "subnet-lids.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ShortestPathEngine);

namespace
{

constexpr uint32_t FAR = std::numeric_limits<uint32_t>::max();

/** @returns cables between switches from every switch to one of them */
std::vector<uint32_t>
CountHops(const SubnetGraph& graph, uint32_t root)
{
    std::vector<uint32_t> hops(graph.GetNNodes(), FAR);
    std::vector<uint32_t> open{root};
    hops[root] = 0;
    for (std::size_t next = 0; next < open.size(); ++next)
    {
        for (const SubnetPort& port : graph.GetNode(open[next]).ports)
        {
            const uint32_t peer = port.peer.node;
            if (peer != SUBNET_NO_NODE && graph.IsSwitch(peer) && hops[peer] == FAR)
            {
                hops[peer] = hops[open[next]] + 1;
                open.push_back(peer);
            }
        }
    }
    return hops;
}

/** @returns ports of a switch on shortest paths to another one */
std::vector<uint8_t>
ListPorts(const SubnetGraph& graph, const std::vector<uint32_t>& hops, uint32_t from)
{
    std::vector<uint8_t> ports;
    const std::vector<SubnetPort>& all = graph.GetNode(from).ports;
    for (std::size_t port = 1; port < all.size(); ++port)
    {
        const uint32_t peer = all[port].peer.node;
        if (peer != SUBNET_NO_NODE && graph.IsSwitch(peer) && hops[peer] != FAR &&
            hops[peer] + 1 == hops[from])
        {
            ports.push_back(static_cast<uint8_t>(port));
        }
    }
    return ports;
}

} // namespace

TypeId
ShortestPathEngine::GetTypeId()
{
    static TypeId tid = TypeId("ns3::ShortestPathEngine")
                            .SetParent<RoutingEngine>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<ShortestPathEngine>();
    return tid;
}

std::string
ShortestPathEngine::GetName() const
{
    return "shortest";
}

SubnetRoutes
ShortestPathEngine::Route(const SubnetGraph& graph) const
{
    const SubnetLids lids(graph);
    const uint32_t nodes = graph.GetNNodes();
    std::vector<std::vector<uint16_t>> homes(nodes); // LIDs of what is cabled to each switch
    for (uint32_t lid = 1; lid <= lids.GetLast(); ++lid)
    {
        const SubnetEnd owner = lids.Find(static_cast<uint16_t>(lid));
        if (owner.IsConnected())
        {
            const uint32_t home = graph.IsSwitch(owner.node)
                                      ? owner.node
                                      : graph.GetNode(owner.node).ports[owner.port].peer.node;
            homes[home].push_back(static_cast<uint16_t>(lid));
        }
    }
    SubnetRoutes routes;
    routes.tables.resize(nodes);
    routes.alternatives.resize(nodes);
    for (uint32_t i = 0; i < nodes; ++i)
    {
        routes.tables[i].resize(graph.IsSwitch(i) ? lids.GetLast() + 1U : 0, SubnetRoutes::DROP);
    }
    for (uint32_t home = 0; home < nodes; ++home)
    {
        if (!graph.IsSwitch(home))
        {
            continue;
        }
        for (const uint16_t lid : homes[home])
        {
            const SubnetEnd owner = lids.Find(lid);
            routes.tables[home][lid] =
                owner.node == home ? 0 : graph.GetNode(owner.node).ports[owner.port].peer.port;
        }
        const std::vector<uint32_t> hops = CountHops(graph, home);
        for (uint32_t from = 0; from < nodes; ++from)
        {
            if (from == home || !graph.IsSwitch(from))
            {
                continue;
            }
            const std::vector<uint8_t> ports = ListPorts(graph, hops, from);
            if (ports.empty())
            {
                throw std::invalid_argument("ShortestPathEngine: " + graph.GetNode(from).name +
                                            " has no path to " + graph.GetNode(home).name +
                                            "; expected a connected fabric");
            }
            for (const uint16_t lid : homes[home])
            {
                const std::size_t first = lid % ports.size();
                routes.tables[from][lid] = ports[first];
                if (ports.size() > 1)
                {
                    std::vector<uint8_t>& turned = routes.alternatives[from][lid];
                    turned = ports;
                    std::rotate(turned.begin(), turned.begin() + first, turned.end());
                }
            }
        }
    }
    return routes;
}

} // namespace ns3
