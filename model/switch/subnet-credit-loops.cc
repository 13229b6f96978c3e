/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "subnet-credit-loops.h"

#include "subnet-lids.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

constexpr uint32_t LEVELS = 16;       //!< service levels
constexpr uint32_t NONE = UINT32_MAX; //!< no channel

/** Channels, and which wait for which. */
class Dependencies
{
  public:
    Dependencies(const SubnetGraph& graph, const SubnetRoutes& routes)
        : m_graph(graph),
          m_routes(routes),
          m_levels(routes.serviceLevels.empty() ? 1 : LEVELS)
    {
        uint32_t channels = 0;
        for (uint32_t i = 0; i < graph.GetNNodes(); ++i)
        {
            m_first.push_back(channels);
            channels += graph.IsSwitch(i) ? graph.GetNode(i).ports.size() * m_levels : 0;
        }
        m_next.resize(channels);
    }

    /** Follow packets from a switch to a LID. */
    void Follow(uint32_t from, uint16_t lid, uint8_t level)
    {
        uint32_t last = NONE;
        uint32_t at = from;
        for (uint32_t step = 0; step <= m_graph.GetNNodes(); ++step)
        {
            const std::vector<uint8_t>& table = m_routes.tables[at];
            const uint8_t out = lid < table.size() ? table[lid] : SubnetRoutes::DROP;
            const SubnetNode& node = m_graph.GetNode(at);
            if (out == 0 || out >= node.ports.size() || !node.ports[out].peer.IsConnected() ||
                !m_graph.IsSwitch(node.ports[out].peer.node))
            {
                return; // is there; hosts take everything
            }
            const uint32_t channel = m_first[at] + out * m_levels + level;
            if (last != NONE)
            {
                m_next[last].insert(channel);
            }
            last = channel;
            at = node.ports[out].peer.node;
        }
    }

    /** @returns a cycle by depth-first search; empty if there is none */
    std::vector<uint32_t> FindCycle() const
    {
        enum State : uint8_t
        {
            NEW,
            OPEN,
            DONE
        };

        std::vector<State> state(m_next.size(), NEW);
        using Place = std::pair<uint32_t, std::set<uint32_t>::const_iterator>;
        for (uint32_t root = 0; root < m_next.size(); ++root)
        {
            if (state[root] != NEW || m_next[root].empty())
            {
                continue;
            }
            std::vector<Place> way{{root, m_next[root].begin()}};
            state[root] = OPEN;
            while (!way.empty())
            {
                Place& top = way.back();
                if (top.second == m_next[top.first].end())
                {
                    state[top.first] = DONE;
                    way.pop_back();
                    continue;
                }
                const uint32_t next = *top.second++;
                if (state[next] == OPEN)
                {
                    std::vector<uint32_t> cycle;
                    const auto isNext = [next](const Place& place) { return place.first == next; };
                    for (auto i = std::find_if(way.begin(), way.end(), isNext); i != way.end(); ++i)
                    {
                        cycle.push_back(i->first);
                    }
                    return cycle;
                }
                if (state[next] == NEW)
                {
                    state[next] = OPEN;
                    way.emplace_back(next, m_next[next].begin());
                }
            }
        }
        return {};
    }

    std::string Describe(uint32_t channel) const
    {
        const auto after = std::upper_bound(m_first.begin(), m_first.end(), channel);
        const auto node = static_cast<uint32_t>(after - m_first.begin() - 1);
        const uint32_t rest = channel - m_first[node];
        return m_graph.GetNode(node).name + "[" + std::to_string(rest / m_levels) + "] SL " +
               std::to_string(rest % m_levels);
    }

  private:
    const SubnetGraph& m_graph;             //!< cables
    const SubnetRoutes& m_routes;           //!< tables
    uint32_t m_levels;                      //!< service levels told apart
    std::vector<uint32_t> m_first;          //!< first channel of each node
    std::vector<std::set<uint32_t>> m_next; //!< by channel: those that it waits for
};

/** @returns true if something that sends is cabled to a switch */
bool
HasSenders(const SubnetGraph& graph, uint32_t node)
{
    const std::vector<SubnetPort>& ports = graph.GetNode(node).ports;
    return std::any_of(ports.begin(), ports.end(), [&](const SubnetPort& port) {
        return port.peer.IsConnected() && !graph.IsSwitch(port.peer.node);
    });
}

} // namespace

std::string
SubnetCreditLoops::Find(const SubnetGraph& graph, const SubnetRoutes& routes)
{
    const SubnetLids lids(graph);
    Dependencies dependencies(graph, routes);
    for (uint32_t from = 0; from < graph.GetNNodes(); ++from)
    {
        if (!graph.IsSwitch(from) || !HasSenders(graph, from))
        {
            continue;
        }
        for (uint32_t lid = 1; lid <= lids.GetLast(); ++lid)
        {
            const SubnetEnd owner = lids.Find(static_cast<uint16_t>(lid));
            if (!owner.IsConnected() || graph.IsSwitch(owner.node))
            {
                continue;
            }
            const uint32_t home = graph.GetNode(owner.node).ports[owner.port].peer.node;
            const uint8_t level =
                routes.serviceLevels.empty() ? 0 : routes.serviceLevels.at(from).at(home) % LEVELS;
            dependencies.Follow(from, static_cast<uint16_t>(lid), level);
        }
    }
    const std::vector<uint32_t> cycle = dependencies.FindCycle();
    std::string text;
    for (const uint32_t channel : cycle)
    {
        text += dependencies.Describe(channel) + " -> ";
    }
    return cycle.empty() ? text : text + dependencies.Describe(cycle.front());
}

} // namespace ns3
