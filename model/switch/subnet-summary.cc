/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "subnet-summary.h"

#include "ns3/ib-link-speed.h"

#include <algorithm>
#include <regex>
#include <set>

namespace ns3
{

std::string
SubnetSummary::GetHostName(const SubnetNode& node)
{
    // What ibdiags' users see: the host's name and that of its device.
    static const std::regex grammar("(\\S+)\\s+(HCA-[0-9]+|(mlx|bnxt|hfi|qib|mthca|irdma)[a-z]*"
                                    "[0-9]+(_[0-9]+)?|ibp?[0-9a-z]+)\\s*",
                                    std::regex::optimize);
    std::smatch match;
    return std::regex_match(node.name, match, grammar) ? match[1].str() : std::string();
}

bool
SubnetSummary::IsAggregationNode(const SubnetNode& node)
{
    return node.kind == SubnetNodeKind::CHANNEL_ADAPTER &&
           node.name.find("Aggregation Node") != std::string::npos;
}

std::string
SubnetSummary::GetLinkWidth(const SubnetGraph& graph, uint32_t node, uint32_t port)
{
    const SubnetPort& here = graph.GetNode(node).ports.at(port);
    const std::string& there = graph.GetNode(here.peer.node).ports.at(here.peer.port).width;
    if (here.width.empty() || there.empty() || here.width == there)
    {
        return here.width.empty() ? there : here.width;
    }
    const uint64_t rate = IbLinkSpeed::Parse(here.width).GetDataRate().GetBitRate();
    return rate <= IbLinkSpeed::Parse(there).GetDataRate().GetBitRate() ? here.width : there;
}

SubnetSummary::SubnetSummary(const SubnetGraph& graph)
{
    std::set<std::string> names;
    for (uint32_t i = 0; i < graph.GetNNodes(); ++i)
    {
        const SubnetNode& node = graph.GetNode(i);
        const bool isAggregation = IsAggregationNode(node);
        switches += node.kind == SubnetNodeKind::SWITCH;
        routers += node.kind == SubnetNodeKind::ROUTER;
        adapters += node.kind == SubnetNodeKind::CHANNEL_ADAPTER;
        aggregationNodes += isAggregation;
        if (node.kind == SubnetNodeKind::CHANNEL_ADAPTER && !isAggregation)
        {
            const std::string name = GetHostName(node);
            hosts += name.empty() || names.insert(name).second;
        }
        for (uint32_t port = 1; port < node.ports.size(); ++port)
        {
            const SubnetEnd peer = node.ports[port].peer;
            // From the lower end only.
            if (!peer.IsConnected() || peer.node < i || (peer.node == i && peer.port < port))
            {
                continue;
            }
            ++links;
            selfLinks += peer.node == i;
            switchLinks += peer.node != i && graph.IsSwitch(i) && graph.IsSwitch(peer.node);
            unequalLinks +=
                node.ports[port].width != graph.GetNode(peer.node).ports[peer.port].width;
            ++linksByWidth[GetLinkWidth(graph, i, port)];
        }
    }
}

} // namespace ns3
