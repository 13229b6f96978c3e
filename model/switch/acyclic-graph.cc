/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "acyclic-graph.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

AcyclicGraph::AcyclicGraph(uint32_t vertices)
    : m_out(vertices),
      m_in(vertices),
      m_order(vertices),
      m_seen(vertices)
{
    std::iota(m_order.begin(), m_order.end(), 0);
}

bool
AcyclicGraph::HasEdge(uint32_t from, uint32_t to) const
{
    return std::find(m_out[from].begin(), m_out[from].end(), to) != m_out[from].end();
}

bool
AcyclicGraph::AddEdge(uint32_t from, uint32_t to)
{
    if (from == to)
    {
        return false;
    }
    if (m_order[from] > m_order[to])
    {
        m_forward.clear();
        m_backward.clear();
        const bool cycle = !Search(to, m_order[from], from);
        if (!cycle)
        {
            SearchBack(from, m_order[to]);
        }
        for (const std::vector<uint32_t>* found : {&m_forward, &m_backward})
        {
            for (const uint32_t vertex : *found)
            {
                m_seen[vertex] = false;
            }
        }
        if (cycle)
        {
            return false;
        }
        Reorder();
    }
    m_out[from].push_back(to);
    m_in[to].push_back(from);
    return true;
}

void
AcyclicGraph::RemoveLatestEdge(uint32_t from, uint32_t to)
{
    m_out[from].pop_back();
    m_in[to].pop_back();
}

/** Collect what can be reached from a vertex up to a place of the order; false if that vertex of
 * that place is among it. */
bool
AcyclicGraph::Search(uint32_t to, uint32_t limit, uint32_t forbidden)
{
    m_forward.push_back(to);
    m_seen[to] = true;
    for (std::size_t i = 0; i < m_forward.size(); ++i)
    {
        for (const uint32_t next : m_out[m_forward[i]])
        {
            if (next == forbidden)
            {
                return false;
            }
            if (!m_seen[next] && m_order[next] < limit)
            {
                m_seen[next] = true;
                m_forward.push_back(next);
            }
        }
    }
    return true;
}

/** Collect what leads to a vertex, down to a place of the order. */
void
AcyclicGraph::SearchBack(uint32_t from, uint32_t limit)
{
    m_backward.push_back(from);
    m_seen[from] = true;
    for (std::size_t i = 0; i < m_backward.size(); ++i)
    {
        for (const uint32_t next : m_in[m_backward[i]])
        {
            if (!m_seen[next] && m_order[next] > limit)
            {
                m_seen[next] = true;
                m_backward.push_back(next);
            }
        }
    }
}

/** Share out the places of all that was collected: first what leads to the edge, then the rest. */
void
AcyclicGraph::Reorder()
{
    const auto byPlace = [this](uint32_t a, uint32_t b) { return m_order[a] < m_order[b]; };
    std::sort(m_backward.begin(), m_backward.end(), byPlace);
    std::sort(m_forward.begin(), m_forward.end(), byPlace);
    std::vector<uint32_t> vertices = m_backward;
    vertices.insert(vertices.end(), m_forward.begin(), m_forward.end());
    std::vector<uint32_t> places;
    for (const uint32_t vertex : vertices)
    {
        places.push_back(m_order[vertex]);
    }
    std::sort(places.begin(), places.end());
    for (std::size_t i = 0; i < vertices.size(); ++i)
    {
        m_order[vertices[i]] = places[i];
    }
}

} // namespace ns3
