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

/** One cable for each pair of switches: the next hop on the way. */
class PairPaths
{
  public:
    explicit PairPaths(const SubnetView& view)
        : m_view(view),
          m_next(view.GetNSwitches())
    {
        std::vector<std::vector<uint32_t>> loads(view.GetNSwitches());
        for (uint32_t sw = 0; sw < view.GetNSwitches(); ++sw)
        {
            m_firstChannel.push_back(m_channels);
            m_channels += static_cast<uint32_t>(view.GetLinks(sw).size());
            loads[sw].resize(view.GetLinks(sw).size());
        }
        for (uint32_t target = 0; target < view.GetNSwitches(); ++target)
        {
            const std::vector<uint16_t> hops = view.GetHopsTo(target);
            for (uint32_t sw = 0; sw < view.GetNSwitches(); ++sw)
            {
                const auto& links = view.GetLinks(sw);
                std::size_t best = links.size();
                for (std::size_t i = 0; i < links.size(); ++i)
                {
                    if (hops[sw] != SubnetView::FAR && hops[links[i].to] + 1 == hops[sw] &&
                        (best == links.size() || loads[sw][i] < loads[sw][best]))
                    {
                        best = i;
                    }
                }
                m_next[target].push_back(best);
                if (best < links.size())
                {
                    loads[sw][best] += view.GetNEnds(target);
                }
            }
        }
    }

    /** @returns number of link directions between switches */
    uint32_t GetNChannels() const
    {
        return m_channels;
    }

    /** @returns the cable from a switch towards another; null if there is no way or no need */
    const SubnetView::Link* GetNext(uint32_t sw, uint32_t target) const
    {
        const auto& links = m_view.GetLinks(sw);
        const std::size_t next = m_next[target][sw];
        return next < links.size() ? &links[next] : nullptr;
    }

    /** @param channels takes the link directions on the way, in order */
    void GetChannels(uint32_t from, uint32_t to, std::vector<uint32_t>& channels) const
    {
        channels.clear();
        while (const SubnetView::Link* link = GetNext(from, to))
        {
            channels.push_back(m_firstChannel[from] + static_cast<uint32_t>(m_next[to][from]));
            from = link->to;
        }
    }

  private:
    const SubnetView& m_view;                     //!< switches
    std::vector<std::vector<std::size_t>> m_next; //!< index of the cable, by target and switch
    std::vector<uint32_t> m_firstChannel;         //!< number of the first cable, by switch
    uint32_t m_channels{0};                       //!< link directions
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
            if (const SubnetView::Link* link = paths.GetNext(sw, destination.sw))
            {
                filler.Choose(sw, destination, {*link}, 0, false);
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
