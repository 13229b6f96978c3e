/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lash-routing-engine.h"

#include "acyclic-graph.h"
#include "subnet-view.h"
#include "table-filler.h"

#include "ns3/uinteger.h"

#include <stdexcept>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(LashRoutingEngine);

namespace
{

/** One way for each pair of switches: the next switch. Parallel cables to it count as one, for a
 * cycle over them would be a cycle over their bundles. */
class PairPaths
{
  public:
    explicit PairPaths(const SubnetView& view)
        : m_bundles(view.GetNSwitches()),
          m_next(view.GetNSwitches())
    {
        std::vector<std::vector<uint32_t>> loads(view.GetNSwitches());
        for (uint32_t sw = 0; sw < view.GetNSwitches(); ++sw)
        {
            for (const SubnetView::Link& link : view.GetLinks(sw))
            {
                Add(sw, link);
            }
            loads[sw].resize(m_bundles[sw].size());
        }
        for (uint32_t target = 0; target < view.GetNSwitches(); ++target)
        {
            const std::vector<uint16_t> hops = view.GetHopsTo(target);
            for (uint32_t sw = 0; sw < view.GetNSwitches(); ++sw)
            {
                const std::vector<Bundle>& bundles = m_bundles[sw];
                std::size_t best = bundles.size();
                for (std::size_t i = 0; i < bundles.size(); ++i)
                {
                    // The load of a cable decides: twice the cables carry twice as much.
                    const auto isLess = [&](std::size_t a, std::size_t b) {
                        return loads[sw][a] * bundles[b].cables.size() <
                               loads[sw][b] * bundles[a].cables.size();
                    };
                    if (hops[sw] != SubnetView::FAR &&
                        hops[bundles[i].cables.front().to] + 1 == hops[sw] &&
                        (best == bundles.size() || isLess(i, best)))
                    {
                        best = i;
                    }
                }
                m_next[target].push_back(best);
                if (best < bundles.size())
                {
                    loads[sw][best] += view.GetNEnds(target);
                }
            }
        }
    }

    /** @returns number of bundles of cables, each direction for itself */
    uint32_t GetNChannels() const
    {
        return m_channels;
    }

    /** @returns the cables from a switch towards another; null if there is no way or no need */
    const TableFiller::Links* GetCables(uint32_t sw, uint32_t target) const
    {
        const Bundle* bundle = GetNext(sw, target);
        return bundle ? &bundle->cables : nullptr;
    }

    /** @param channels takes the bundles on the way, in order */
    void GetChannels(uint32_t from, uint32_t to, std::vector<uint32_t>& channels) const
    {
        channels.clear();
        while (const Bundle* bundle = GetNext(from, to))
        {
            channels.push_back(bundle->number);
            from = bundle->cables.front().to;
        }
    }

  private:
    /** Cables from one switch to another. */
    struct Bundle
    {
        uint32_t number;           //!< over all switches
        TableFiller::Links cables; //!< at least one
    };

    void Add(uint32_t sw, const SubnetView::Link& link)
    {
        for (Bundle& bundle : m_bundles[sw])
        {
            if (bundle.cables.front().to == link.to)
            {
                bundle.cables.push_back(link);
                return;
            }
        }
        m_bundles[sw].push_back({m_channels++, {link}});
    }

    const Bundle* GetNext(uint32_t sw, uint32_t target) const
    {
        const std::size_t next = m_next[target][sw];
        return next < m_bundles[sw].size() ? &m_bundles[sw][next] : nullptr;
    }

    std::vector<std::vector<Bundle>> m_bundles;   //!< by switch, in order of ports
    std::vector<std::vector<std::size_t>> m_next; //!< index of the bundle, by target and switch
    uint32_t m_channels{0};                       //!< see GetNChannels()
};

/** A path takes its buffers one after another: add it to a layer, or leave the layer as it is. */
bool
AddPath(AcyclicGraph& layer,
        const std::vector<uint32_t>& channels,
        std::vector<std::pair<uint32_t, uint32_t>>& added)
{
    for (std::size_t i = 1; i < channels.size(); ++i)
    {
        if (layer.HasEdge(channels[i - 1], channels[i]))
        {
            continue;
        }
        if (!layer.AddEdge(channels[i - 1], channels[i]))
        {
            return false;
        }
        added.emplace_back(channels[i - 1], channels[i]);
    }
    return true;
}

} // namespace

TypeId
LashRoutingEngine::GetTypeId()
{
    static TypeId tid = TypeId("ns3::LashRoutingEngine")
                            .SetParent<RoutingEngine>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<LashRoutingEngine>()
                            .AddAttribute("MaxLayers",
                                          "Service levels, and so virtual lanes, that may be used.",
                                          UintegerValue(8),
                                          MakeUintegerAccessor(&LashRoutingEngine::m_maxLayers),
                                          MakeUintegerChecker<uint8_t>(1, 15));
    return tid;
}

std::string
LashRoutingEngine::GetName() const
{
    return "lash";
}

SubnetRoutes
LashRoutingEngine::Route(const SubnetGraph& graph) const
{
    const SubnetView view(graph);
    const PairPaths paths(view);
    TableFiller filler(graph, view);
    for (const SubnetView::Destination& destination : view.GetDestinations())
    {
        filler.Deliver(destination);
        for (uint32_t sw = 0; sw < view.GetNSwitches(); ++sw)
        {
            if (const TableFiller::Links* cables = paths.GetCables(sw, destination.sw))
            {
                filler.Balance(sw, destination, *cables, true);
            }
        }
    }
    SubnetRoutes routes = filler.Take();
    routes.serviceLevels.assign(graph.GetNNodes(), {});
    std::vector<AcyclicGraph> layers;
    std::vector<uint32_t> to;
    std::vector<uint32_t> back;
    std::vector<std::pair<uint32_t, uint32_t>> added;
    for (uint32_t a = 0; a < view.GetNSwitches(); ++a)
    {
        routes.serviceLevels[view.GetNode(a)].assign(graph.GetNNodes(), 0);
    }
    for (uint32_t a = 0; a < view.GetNSwitches(); ++a)
    {
        for (uint32_t b = a + 1; b < view.GetNSwitches(); ++b)
        {
            if (!view.GetNEnds(a) || !view.GetNEnds(b))
            {
                continue;
            }
            paths.GetChannels(a, b, to);
            paths.GetChannels(b, a, back);
            std::size_t layer = 0;
            for (bool fits = false; !fits; ++layer)
            {
                if (layer == m_maxLayers)
                {
                    throw std::invalid_argument(
                        "lash: the path between " + graph.GetNode(view.GetNode(a)).name + " and " +
                        graph.GetNode(view.GetNode(b)).name + " fits in none of " +
                        std::to_string(m_maxLayers) + " layers, expected a larger MaxLayers");
                }
                if (layer == layers.size())
                {
                    layers.emplace_back(paths.GetNChannels());
                }
                added.clear();
                fits = AddPath(layers[layer], to, added) && AddPath(layers[layer], back, added);
                for (; !fits && !added.empty(); added.pop_back())
                {
                    layers[layer].RemoveLatestEdge(added.back().first, added.back().second);
                }
            }
            const auto level = static_cast<uint8_t>(layer - 1);
            routes.serviceLevels[view.GetNode(a)][view.GetNode(b)] = level;
            routes.serviceLevels[view.GetNode(b)][view.GetNode(a)] = level;
        }
    }
    routes.layers = static_cast<uint8_t>(std::max<std::size_t>(layers.size(), 1));
    return routes;
}

} // namespace ns3
