/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-routing.h"

#include "ns3/log.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <unordered_map>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricRouting");

namespace
{

/** A cable between two switches, or to a host, as seen from one switch. */
struct Link
{
    uint16_t port;               //!< port of this switch
    std::size_t neighbor;        //!< index of the switch at the other end; HOST for a host
    const FabricNetDevice* peer; //!< device at the other end
};

constexpr std::size_t HOST = std::numeric_limits<std::size_t>::max();

using Graph = std::vector<std::vector<Link>>;

Graph
ReadCables(const std::vector<Ptr<FabricSwitch>>& switches)
{
    std::unordered_map<const FabricNetDevice*, std::size_t> owner;
    for (std::size_t i = 0; i < switches.size(); ++i)
    {
        for (uint16_t port = 0; port < switches[i]->GetNPorts(); ++port)
        {
            owner[PeekPointer(switches[i]->GetPort(port))] = i;
        }
    }
    Graph graph(switches.size());
    for (std::size_t i = 0; i < switches.size(); ++i)
    {
        for (uint16_t port = 0; port < switches[i]->GetNPorts(); ++port)
        {
            const FabricNetDevice* peer = switches[i]->GetPort(port)->GetPort().GetPeer();
            // A link that is down carries nothing; routes may be computed again without it.
            if (peer && switches[i]->GetPort(port)->IsLinkUp())
            {
                const auto found = owner.find(peer);
                graph[i].push_back({port, found == owner.end() ? HOST : found->second, peer});
            }
        }
    }
    return graph;
}

/** Hops from every switch to one switch. */
std::vector<uint32_t>
CountHops(const Graph& graph, std::size_t root)
{
    std::vector<uint32_t> hops(graph.size(), std::numeric_limits<uint32_t>::max());
    std::deque<std::size_t> open{root};
    hops[root] = 0;
    while (!open.empty())
    {
        const std::size_t at = open.front();
        open.pop_front();
        for (const Link& link : graph[at])
        {
            if (link.neighbor != HOST && hops[link.neighbor] > hops[at] + 1)
            {
                hops[link.neighbor] = hops[at] + 1;
                open.push_back(link.neighbor);
            }
        }
    }
    return hops;
}

/** @returns true if a cable is on a shortest path; hops are those to the destination */
bool
LeadsCloser(const Link& link, const std::vector<uint32_t>& hops, std::size_t from)
{
    return link.neighbor != HOST && hops[from] != std::numeric_limits<uint32_t>::max() &&
           hops[link.neighbor] + 1 == hops[from];
}

/**
 * What each switch can carry towards a destination on shortest paths, in bits per second: the sum
 * over its cables of the smaller one of the cable and what is behind it (weighted multipath, Zhou
 * et al., EuroSys 2014).
 */
std::vector<uint64_t>
MeasureCapacity(const Graph& graph,
                const std::vector<Ptr<FabricSwitch>>& switches,
                const std::vector<uint32_t>& hops)
{
    std::vector<std::size_t> order(graph.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&hops](std::size_t a, std::size_t b) {
        return hops[a] < hops[b];
    });
    std::vector<uint64_t> capacity(graph.size(), 0);
    for (const std::size_t at : order)
    {
        if (hops[at] == 0)
        {
            capacity[at] = std::numeric_limits<uint64_t>::max();
        }
        for (const Link& link : graph[at])
        {
            if (LeadsCloser(link, hops, at))
            {
                capacity[at] += std::min(switches[at]->GetPort(link.port)->GetBitRate(),
                                         capacity[link.neighbor]);
            }
        }
    }
    return capacity;
}

/** Every switch keeps its hosts and one cable towards the root; cables of the tree are kept at both
 * ends. */
std::vector<std::vector<uint16_t>>
SpanTree(const Graph& graph, const std::vector<uint32_t>& hops)
{
    std::vector<std::vector<uint16_t>> tree(graph.size());
    std::unordered_map<const FabricNetDevice*, bool> chosen; // far ends of chosen uplinks
    for (std::size_t i = 0; i < graph.size(); ++i)
    {
        bool uplink = false;
        for (const Link& link : graph[i])
        {
            const bool up = link.neighbor != HOST && hops[link.neighbor] < hops[i];
            if (link.neighbor == HOST || (up && !uplink))
            {
                tree[i].push_back(link.port);
            }
            if (up && !uplink)
            {
                uplink = true;
                chosen[link.peer] = true;
            }
        }
    }
    for (std::size_t i = 0; i < graph.size(); ++i)
    {
        for (const Link& link : graph[i])
        {
            // The device at this end is the far end of somebody's chosen uplink.
            const FabricNetDevice* mine = link.peer->GetPort().GetPeer();
            if (link.neighbor != HOST && chosen.count(mine))
            {
                tree[i].push_back(link.port);
            }
        }
    }
    return tree;
}

/** @returns true if a host is connected to this switch */
bool
HasHosts(const std::vector<Link>& links)
{
    return std::any_of(links.begin(), links.end(), [](const Link& link) {
        return link.neighbor == HOST;
    });
}

/** Cut off switches that lead to no host: what goes there is lost work, and must be thrown away. */
void
PruneTree(const Graph& graph, std::vector<std::vector<uint16_t>>& tree)
{
    for (bool changed = true; changed;)
    {
        changed = false;
        for (std::size_t i = 0; i < graph.size(); ++i)
        {
            if (tree[i].size() != 1 || HasHosts(graph[i]))
            {
                continue;
            }
            const auto isOnly = [&](const Link& link) { return link.port == tree[i].front(); };
            const Link& only = *std::find_if(graph[i].begin(), graph[i].end(), isOnly);
            const FabricNetDevice* mine = only.peer->GetPort().GetPeer();
            for (const Link& link : graph[only.neighbor])
            {
                if (link.peer == mine)
                {
                    std::vector<uint16_t>& ports = tree[only.neighbor];
                    ports.erase(std::find(ports.begin(), ports.end(), link.port));
                }
            }
            tree[i].clear();
            changed = true;
        }
    }
}

} // namespace

void
FabricRouting::InstallShortestPaths(const std::vector<Ptr<FabricSwitch>>& switches, bool weighted)
{
    if (switches.empty())
    {
        return;
    }
    const Graph graph = ReadCables(switches);
    for (std::size_t to = 0; to < graph.size(); ++to)
    {
        std::vector<const FabricNetDevice*> hosts;
        for (const Link& link : graph[to])
        {
            if (link.neighbor == HOST)
            {
                hosts.push_back(link.peer);
                switches[to]->SetRoute(link.peer->GetFabricAddress(), {link.port});
            }
        }
        if (hosts.empty())
        {
            continue;
        }
        const std::vector<uint32_t> hops = CountHops(graph, to);
        const std::vector<uint64_t> capacity =
            weighted ? MeasureCapacity(graph, switches, hops) : std::vector<uint64_t>();
        for (std::size_t from = 0; from < graph.size(); ++from)
        {
            if (from == to)
            {
                continue;
            }
            std::vector<uint16_t> ports;
            std::vector<uint64_t> weights;
            for (const Link& link : graph[from])
            {
                if (LeadsCloser(link, hops, from))
                {
                    ports.push_back(link.port);
                    const uint64_t rate = switches[from]->GetPort(link.port)->GetBitRate();
                    weights.push_back(weighted ? std::min(rate, capacity[link.neighbor]) : 1);
                }
            }
            if (ports.empty())
            {
                throw std::invalid_argument("FabricRouting: switch " + std::to_string(from) +
                                            " has no path to the hosts of switch " +
                                            std::to_string(to) + "; expected a connected fabric");
            }
            if (weighted)
            {
                ports = FabricSwitch::Weight(ports, weights);
            }
            for (const FabricNetDevice* host : hosts)
            {
                switches[from]->SetRoute(host->GetFabricAddress(), ports);
            }
        }
    }
    InstallGroupTree(switches);
}

void
FabricRouting::InstallGroupTree(const std::vector<Ptr<FabricSwitch>>& switches)
{
    if (switches.empty())
    {
        return;
    }
    const Graph graph = ReadCables(switches);
    std::vector<std::vector<uint16_t>> tree = SpanTree(graph, CountHops(graph, 0));
    PruneTree(graph, tree);
    for (std::size_t i = 0; i < graph.size(); ++i)
    {
        switches[i]->SetFloodPorts(tree[i]);
    }
}

} // namespace ns3
