/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "min-hop-routing-engine.h"

#include "subnet-view.h"
#include "table-filler.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(MinHopRoutingEngine);
NS_OBJECT_ENSURE_REGISTERED(DorRoutingEngine);

namespace
{

/**
 * Fill tables with shortest paths.
 * @param graph the subnet
 * @param choose called with the view, a filler, a switch, a destination and the cables on shortest
 * paths
 * @returns the tables
 */
template <typename F>
SubnetRoutes
RouteShortest(const SubnetGraph& graph, F choose)
{
    const SubnetView view(graph);
    TableFiller filler(graph, view);
    std::vector<TableFiller::Links> links(view.GetNSwitches());
    uint32_t target = SUBNET_NO_NODE;
    for (const SubnetView::Destination& destination : view.GetDestinations())
    {
        if (destination.sw != target)
        {
            target = destination.sw;
            const std::vector<uint16_t> hops = view.GetHopsTo(target);
            for (uint32_t sw = 0; sw < view.GetNSwitches(); ++sw)
            {
                links[sw].clear();
                for (const SubnetView::Link& link : view.GetLinks(sw))
                {
                    if (hops[sw] != SubnetView::FAR && hops[link.to] + 1 == hops[sw])
                    {
                        links[sw].push_back(link);
                    }
                }
            }
        }
        filler.Deliver(destination);
        for (uint32_t sw = 0; sw < view.GetNSwitches(); ++sw)
        {
            if (!links[sw].empty())
            {
                choose(filler, sw, destination, links[sw]);
            }
        }
    }
    return filler.Take();
}

} // namespace

TypeId
MinHopRoutingEngine::GetTypeId()
{
    static TypeId tid = TypeId("ns3::MinHopRoutingEngine")
                            .SetParent<RoutingEngine>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<MinHopRoutingEngine>();
    return tid;
}

std::string
MinHopRoutingEngine::GetName() const
{
    return "minhop";
}

SubnetRoutes
MinHopRoutingEngine::Route(const SubnetGraph& graph) const
{
    return RouteShortest(
        graph,
        [](TableFiller& filler,
           uint32_t sw,
           const SubnetView::Destination& destination,
           const TableFiller::Links& links) { filler.Balance(sw, destination, links, true); });
}

TypeId
DorRoutingEngine::GetTypeId()
{
    static TypeId tid = TypeId("ns3::DorRoutingEngine")
                            .SetParent<RoutingEngine>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<DorRoutingEngine>();
    return tid;
}

std::string
DorRoutingEngine::GetName() const
{
    return "dor";
}

SubnetRoutes
DorRoutingEngine::Route(const SubnetGraph& graph) const
{
    TableFiller::Links cables;
    return RouteShortest(graph,
                         [&cables](TableFiller& filler,
                                   uint32_t sw,
                                   const SubnetView::Destination& destination,
                                   const TableFiller::Links& links) {
                             cables.clear();
                             std::copy_if(links.begin(),
                                          links.end(),
                                          std::back_inserter(cables),
                                          [&links](const SubnetView::Link& link) {
                                              return link.to == links.front().to;
                                          });
                             filler.Balance(sw, destination, cables, true);
                         });
}

} // namespace ns3
