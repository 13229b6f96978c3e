/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fat-tree-routing-engine.h"

#include "subnet-view.h"
#include "table-filler.h"
#include "up-down-rule.h"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FatTreeRoutingEngine);

namespace
{

/** @returns the level of each switch: hops to the nearest switch with hosts */
std::vector<uint16_t>
FindLevels(const SubnetGraph& graph, const SubnetView& view)
{
    std::vector<uint16_t> levels = view.GetHopsToLeaves();
    for (uint32_t sw = 0; sw < view.GetNSwitches(); ++sw)
    {
        for (const SubnetView::Link& link : view.GetLinks(sw))
        {
            if (levels[sw] == levels[link.to] && levels[sw] != SubnetView::FAR)
            {
                throw std::invalid_argument(
                    "ftree: port " + std::to_string(link.port) + " of " +
                    graph.GetNode(view.GetNode(sw)).name + " leads to " +
                    graph.GetNode(view.GetNode(link.to)).name +
                    ", which is as far from hosts, expected cables between levels only");
            }
        }
    }
    return levels;
}

/** Sort cables so that neighbors in the list lead to different switches as far as possible. */
void
Interleave(TableFiller::Links& links)
{
    std::stable_sort(links.begin(), links.end(), [](const auto& a, const auto& b) {
        return a.to < b.to;
    });
    std::vector<std::pair<std::size_t, SubnetView::Link>> turns; // how many to the same come before
    for (std::size_t i = 0; i < links.size(); ++i)
    {
        const bool again = i && links[i].to == links[i - 1].to;
        turns.emplace_back(again ? turns.back().first + 1 : 0, links[i]);
    }
    std::stable_sort(turns.begin(), turns.end(), [](const auto& a, const auto& b) {
        return a.first < b.first;
    });
    for (std::size_t i = 0; i < links.size(); ++i)
    {
        links[i] = turns[i].second;
    }
}

/** @returns for each level, the product of the numbers of upper neighbors of lower levels */
std::vector<uint64_t>
FindDivisors(const SubnetView& view, const std::vector<uint16_t>& levels)
{
    std::vector<uint64_t> neighbors;
    for (uint32_t sw = 0; sw < view.GetNSwitches(); ++sw)
    {
        if (levels[sw] == SubnetView::FAR)
        {
            continue;
        }
        std::set<uint32_t> above;
        for (const SubnetView::Link& link : view.GetLinks(sw))
        {
            if (levels[link.to] > levels[sw])
            {
                above.insert(link.to);
            }
        }
        neighbors.resize(std::max<std::size_t>(neighbors.size(), levels[sw] + 1U), 1);
        neighbors[levels[sw]] = std::max<uint64_t>(neighbors[levels[sw]], above.size());
    }
    std::vector<uint64_t> divisors{1};
    for (const uint64_t count : neighbors)
    {
        divisors.push_back(divisors.back() * count);
    }
    return divisors;
}

} // namespace

TypeId
FatTreeRoutingEngine::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FatTreeRoutingEngine")
                            .SetParent<RoutingEngine>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<FatTreeRoutingEngine>();
    return tid;
}

std::string
FatTreeRoutingEngine::GetName() const
{
    return "ftree";
}

SubnetRoutes
FatTreeRoutingEngine::Route(const SubnetGraph& graph) const
{
    const SubnetView view(graph);
    const std::vector<uint16_t> levels = FindLevels(graph, view);
    const std::vector<uint64_t> divisors = FindDivisors(view, levels);
    std::vector<uint16_t> ranks(levels.size());
    for (std::size_t sw = 0; sw < levels.size(); ++sw)
    {
        ranks[sw] = levels[sw] == SubnetView::FAR ? 0 : SubnetView::FAR - levels[sw];
    }
    const UpDownRule rule(view, ranks);
    TableFiller filler(graph, view);
    std::vector<UpDownRule::Links> links;
    uint32_t target = SUBNET_NO_NODE;
    for (const SubnetView::Destination& destination : view.GetDestinations())
    {
        if (destination.sw != target)
        {
            target = destination.sw;
            links = rule.GetLinksTo(target);
            for (UpDownRule::Links& choice : links)
            {
                Interleave(choice);
            }
        }
        filler.Deliver(destination);
        // Further LIDs of an end port take the ways of its neighbors.
        const uint64_t number = destination.number + (destination.lid - destination.base);
        for (uint32_t sw = 0; sw < view.GetNSwitches(); ++sw)
        {
            if (!links[sw].empty())
            {
                const uint64_t divisor = levels[sw] < divisors.size() ? divisors[levels[sw]] : 1;
                const uint64_t chosen = number / divisor % links[sw].size();
                filler.Choose(sw, destination, links[sw], chosen, true);
            }
        }
    }
    return filler.Take();
}

} // namespace ns3
