/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ACYCLIC_GRAPH_H
#define ACYCLIC_GRAPH_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * A directed graph that refuses edges that would close a cycle. It keeps a topological order and
 * repairs it locally (Pearce and Kelly, ACM JEA 11, 2006), so that most edges cost next to nothing.
 */
class AcyclicGraph
{
  public:
    /** @param vertices their number */
    explicit AcyclicGraph(uint32_t vertices);

    /**
     * @param from a vertex
     * @param to another vertex
     * @returns true if the edge is there
     */
    bool HasEdge(uint32_t from, uint32_t to) const;
    /**
     * @param from a vertex
     * @param to another vertex, to which there is no edge yet
     * @returns false if it would close a cycle: then nothing has changed
     */
    bool AddEdge(uint32_t from, uint32_t to);
    /**
     * Take back an edge.
     * @param from a vertex
     * @param to the vertex to which the latest edge leads that was added from there
     */
    void RemoveLatestEdge(uint32_t from, uint32_t to);

  private:
    bool Search(uint32_t to, uint32_t limit, uint32_t forbidden);
    void SearchBack(uint32_t from, uint32_t limit);
    void Reorder();

    std::vector<std::vector<uint32_t>> m_out; //!< successors
    std::vector<std::vector<uint32_t>> m_in;  //!< predecessors
    std::vector<uint32_t> m_order;            //!< place of each vertex: edges lead to later ones
    std::vector<bool> m_seen;                 //!< scratch: false outside AddEdge()
    std::vector<uint32_t> m_forward;          //!< scratch: what must move back
    std::vector<uint32_t> m_backward;         //!< scratch: what must move forward
};

} // namespace ns3

#endif // ACYCLIC_GRAPH_H
