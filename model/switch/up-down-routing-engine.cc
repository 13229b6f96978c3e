/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "up-down-routing-engine.h"

#include "subnet-view.h"
#include "table-filler.h"
#include "up-down-rule.h"

#include "ns3/string.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(UpDownRoutingEngine);

namespace
{

/** @returns the largest number of hops that is not FAR */
uint16_t
GetFarthest(const std::vector<uint16_t>& hops)
{
    uint16_t farthest = 0;
    for (const uint16_t hop : hops)
    {
        farthest = hop == SubnetView::FAR ? farthest : std::max(farthest, hop);
    }
    return farthest;
}

/** @returns switches that are taken for roots where the user names none */
std::vector<uint32_t>
FindRoots(const SubnetView& view)
{
    std::vector<uint32_t> roots;
    const std::vector<uint16_t> heights = view.GetHopsToLeaves();
    const uint16_t top = GetFarthest(heights);
    uint16_t least = SubnetView::FAR;
    for (uint32_t sw = 0; sw < view.GetNSwitches(); ++sw)
    {
        if (top && heights[sw] == top)
        {
            roots.push_back(sw);
        }
        else if (!top)
        {
            const uint16_t farthest = GetFarthest(view.GetHopsTo(sw));
            if (farthest < least)
            {
                least = farthest;
                roots.assign(1, sw);
            }
        }
    }
    return roots;
}

/** @returns switches whose GUIDs are in a list with commas */
std::vector<uint32_t>
ParseRoots(const SubnetGraph& graph, const SubnetView& view, const std::string& text)
{
    std::vector<uint32_t> roots;
    std::istringstream stream(text);
    for (std::string item; std::getline(stream, item, ',');)
    {
        std::size_t end = 0;
        uint64_t guid = 0;
        try
        {
            guid = std::stoull(item, &end, 16);
        }
        catch (const std::exception&)
        {
            end = 0;
        }
        const uint32_t node = graph.Find(guid);
        if (!end || end != item.size() || node == SUBNET_NO_NODE || !graph.IsSwitch(node))
        {
            throw std::invalid_argument("updn: root \"" + item +
                                        "\", expected the GUID of a switch in hexadecimal");
        }
        roots.push_back(view.GetSwitch(node));
    }
    return roots;
}

/** @returns a switch that can't reach another one, one of them with hosts; equal numbers if there
 * is none. (Two tops of a tree can't reach each other, and need not.) */
std::pair<uint32_t, uint32_t>
FindHole(const SubnetView& view, const UpDownRule& rule)
{
    for (uint32_t target = 0; target < view.GetNSwitches(); ++target)
    {
        if (!view.GetNEnds(target))
        {
            continue;
        }
        const std::vector<uint16_t> hops = view.GetHopsTo(target);
        const std::vector<UpDownRule::Links> links = rule.GetLinksTo(target);
        for (uint32_t sw = 0; sw < view.GetNSwitches(); ++sw)
        {
            if (sw != target && view.GetNEnds(sw) && (view.IsLeaf(sw) || view.IsLeaf(target)) &&
                links[sw].empty() && hops[sw] != SubnetView::FAR)
            {
                return {sw, target};
            }
        }
    }
    return {0, 0};
}

/** @returns ranks from one root in each part of the subnet, under which every way has a detour */
std::vector<uint16_t>
RankFromSingles(const SubnetView& view, const std::vector<uint32_t>& roots)
{
    std::vector<uint32_t> singles;
    std::vector<uint16_t> ranks(view.GetNSwitches(), SubnetView::FAR);
    for (const uint32_t root : roots)
    {
        if (ranks[root] == SubnetView::FAR)
        {
            singles.push_back(root);
            ranks = view.GetHopsToAny(singles);
        }
    }
    return ranks;
}

} // namespace

TypeId
UpDownRoutingEngine::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::UpDownRoutingEngine")
            .SetParent<RoutingEngine>()
            .SetGroupName("AiFabric")
            .AddConstructor<UpDownRoutingEngine>()
            .AddAttribute("Roots",
                          "GUIDs of the switches at the top, in hexadecimal with commas; empty: "
                          "found by the engine.",
                          StringValue(""),
                          MakeStringAccessor(&UpDownRoutingEngine::m_roots),
                          MakeStringChecker());
    return tid;
}

std::string
UpDownRoutingEngine::GetName() const
{
    return "updn";
}

SubnetRoutes
UpDownRoutingEngine::Route(const SubnetGraph& graph) const
{
    const SubnetView view(graph);
    const std::vector<uint32_t> roots =
        m_roots.empty() ? FindRoots(view) : ParseRoots(graph, view, m_roots);
    UpDownRule rule(view, view.GetHopsToAny(roots));
    // Roots that have nothing above them in common may leave switches without a way.
    const std::pair<uint32_t, uint32_t> hole = FindHole(view, rule);
    if (hole.first != hole.second && !m_roots.empty())
    {
        throw std::invalid_argument("updn: no way up and down from " +
                                    graph.GetNode(view.GetNode(hole.first)).name + " to " +
                                    graph.GetNode(view.GetNode(hole.second)).name +
                                    ", expected other Roots than " + m_roots);
    }
    if (hole.first != hole.second)
    {
        rule = UpDownRule(view, RankFromSingles(view, roots));
    }
    TableFiller filler(graph, view);
    std::vector<UpDownRule::Links> links;
    uint32_t target = SUBNET_NO_NODE;
    for (const SubnetView::Destination& destination : view.GetDestinations())
    {
        if (destination.sw != target)
        {
            target = destination.sw;
            links = rule.GetLinksTo(target);
        }
        filler.Deliver(destination);
        for (uint32_t sw = 0; sw < view.GetNSwitches(); ++sw)
        {
            if (!links[sw].empty())
            {
                filler.Balance(sw, destination, links[sw], true);
            }
        }
    }
    return filler.Take();
}

} // namespace ns3
