/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "subnet-usage.h"

#include "subnet-lids.h"
#include "subnet-path.h"

#include <algorithm>
#include <limits>

namespace ns3
{

SubnetUsage::SubnetUsage(const SubnetGraph& graph, const SubnetRoutes& routes)
    : lids(graph.GetNNodes())
{
    const SubnetLids owners(graph);
    minLids = std::numeric_limits<uint32_t>::max();
    for (uint32_t i = 0; i < graph.GetNNodes(); ++i)
    {
        const SubnetNode& node = graph.GetNode(i);
        lids[i].resize(node.ports.size());
        if (!graph.IsSwitch(i))
        {
            continue;
        }
        uint32_t adapters = 0; // cabled to this switch
        for (std::size_t p = 1; p < node.ports.size(); ++p)
        {
            const uint32_t peer = node.ports[p].peer.node;
            adapters += peer != SUBNET_NO_NODE &&
                        graph.GetNode(peer).kind == SubnetNodeKind::CHANNEL_ADAPTER;
        }
        for (uint32_t lid = 1; lid <= owners.GetLast(); ++lid)
        {
            const SubnetEnd owner = owners.Find(static_cast<uint16_t>(lid));
            if (!owner.IsConnected() || graph.IsSwitch(owner.node))
            {
                continue;
            }
            const uint8_t out = routes.tables[i].at(lid);
            const SubnetEnd next = out < node.ports.size() ? node.ports[out].peer : SubnetEnd();
            if (next.IsConnected() && graph.IsSwitch(next.node))
            {
                ++lids[i][out];
            }
            if (adapters == 0 || graph.GetNode(owner.node).kind != SubnetNodeKind::CHANNEL_ADAPTER)
            {
                continue;
            }
            // Paths from all adapters of a switch are the same from there on.
            const uint32_t length =
                SubnetPath::Trace(graph, routes, i, 0, static_cast<uint16_t>(lid)).GetSwitches();
            const bool isOwn =
                graph.GetNode(owner.node).ports[owner.port].peer.node == i; // the port itself
            if (adapters > isOwn)
            {
                paths[length] += adapters - isOwn;
            }
        }
        for (std::size_t p = 1; p < node.ports.size(); ++p)
        {
            const SubnetEnd peer = node.ports[p].peer;
            if (peer.IsConnected() && peer.node != i && graph.IsSwitch(peer.node))
            {
                minLids = std::min(minLids, lids[i][p]);
                maxLids = std::max(maxLids, lids[i][p]);
            }
        }
    }
    minLids = std::min(minLids, maxLids);
}

} // namespace ns3
