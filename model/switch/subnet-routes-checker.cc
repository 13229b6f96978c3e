/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "subnet-routes-checker.h"

#include "subnet-view.h"

#include <algorithm>
#include <bitset>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/depth_first_search.hpp>

namespace ns3
{

namespace
{

using Dependencies = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;

/** Keeps the way of a depth-first search, and stops at the first edge that leads back to it. */
class CycleFinder : public boost::dfs_visitor<>
{
  public:
    /** Thrown when the cycle is there. */
    struct Found
    {
    };

    /** @param path the way, and in the end the cycle */
    explicit CycleFinder(std::vector<uint32_t>& path)
        : m_path(path)
    {
    }

    void discover_vertex(uint32_t vertex, const Dependencies& /* graph */)
    {
        m_path.push_back(vertex);
    }

    void finish_vertex(uint32_t /* vertex */, const Dependencies& /* graph */)
    {
        m_path.pop_back();
    }

    void back_edge(const Dependencies::edge_descriptor& edge, const Dependencies& graph)
    {
        m_path.erase(m_path.begin(),
                     std::find(m_path.begin(), m_path.end(), boost::target(edge, graph)));
        throw Found();
    }

  private:
    std::vector<uint32_t>& m_path; //!< see constructor
};

/** @returns a cycle, from its lowest vertex on; empty if there is none */
std::vector<uint32_t>
FindCycle(const Dependencies& graph)
{
    std::vector<uint32_t> cycle;
    try
    {
        boost::depth_first_search(graph, boost::visitor(CycleFinder(cycle)));
    }
    catch (const CycleFinder::Found&)
    {
        std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
    }
    return cycle;
}

} // namespace

/** Walks the tables, and collects dependencies between link directions. */
class SubnetRoutesChecker::Walk
{
  public:
    Walk(const SubnetGraph& graph, const SubnetRoutes& routes, SubnetRoutesChecker& result)
        : m_graph(graph),
          m_routes(routes),
          m_result(result),
          m_view(graph),
          m_left(m_view.GetNSwitches()),
          m_mark(m_view.GetNSwitches())
    {
        for (uint32_t sw = 0; sw < m_view.GetNSwitches(); ++sw)
        {
            m_firstPort.push_back(m_ports);
            m_ports += static_cast<uint32_t>(graph.GetNode(m_view.GetNode(sw)).ports.size());
        }
        m_next.resize(std::max<std::size_t>(routes.layers, 1));
        for (auto& lane : m_next)
        {
            lane.resize(m_ports);
        }
    }

    void Run()
    {
        for (const SubnetView::Destination& destination : m_view.GetDestinations())
        {
            if (destination.port)
            {
                WalkTo(destination);
            }
        }
        for (const auto& lane : m_next)
        {
            m_result.m_lanes.push_back(Prove(lane));
        }
    }

  private:
    static constexpr uint16_t UNKNOWN = 0xffff; //!< not walked yet
    static constexpr uint16_t LOST = 0xfffe;    //!< does not arrive

    /** Ports of the next switch that follow on a port. */
    using Ports = std::bitset<256>;

    /** All end ports but its own send to a LID. */
    void WalkTo(const SubnetView::Destination& destination)
    {
        std::fill(m_left.begin(), m_left.end(), UNKNOWN);
        for (uint32_t source = 0; source < m_view.GetNSwitches(); ++source)
        {
            const uint64_t senders = m_view.GetNEnds(source) - (source == destination.sw ? 1 : 0);
            if (!m_view.GetNEnds(source))
            {
                continue;
            }
            const uint16_t hops = FollowFrom(source, destination);
            if (hops == LOST)
            {
                if (Matters(source, destination))
                {
                    m_result.m_unreachable += senders;
                    Fail(source, destination, "joins one that does not arrive, at", source);
                }
                continue;
            }
            std::vector<uint64_t>& counts = m_result.m_hops;
            counts.resize(std::max<std::size_t>(counts.size(), hops + 1U));
            counts[hops] += senders;
        }
    }

    /** @returns switches on the way, or LOST */
    uint16_t FollowFrom(uint32_t source, const SubnetView::Destination& destination)
    {
        const bool layered = !m_routes.serviceLevels.empty();
        const uint8_t lane =
            layered ? m_routes.serviceLevels[m_view.GetNode(source)][m_view.GetNode(destination.sw)]
                    : 0;
        m_path.clear();
        ++m_turn;
        uint32_t sw = source;
        uint16_t left = LOST;
        uint8_t follows = SubnetRoutes::DROP; // port by which a known way goes on
        while (true)
        {
            const uint32_t node = m_view.GetNode(sw);
            const std::vector<uint8_t>& table = m_routes.tables[node];
            const uint8_t port =
                destination.lid < table.size() ? table[destination.lid] : SubnetRoutes::DROP;
            // What is known already has its dependencies, unless they are in another lane.
            if (m_left[sw] != UNKNOWN && !layered)
            {
                left = m_left[sw];
                follows = port;
                break;
            }
            if (m_mark[sw] == m_turn)
            {
                Fail(source, destination, "goes round in a loop at", sw);
                break;
            }
            m_mark[sw] = m_turn;
            const std::vector<SubnetPort>& ports = m_graph.GetNode(node).ports;
            if (!port || port >= ports.size() || !ports[port].peer.IsConnected())
            {
                Fail(source, destination, "ends at", sw);
                break;
            }
            m_path.push_back({sw, port});
            if (sw == destination.sw && port == destination.port)
            {
                left = 0;
                break;
            }
            if (!m_graph.IsSwitch(ports[port].peer.node))
            {
                Fail(source, destination, "goes to another end node at", sw);
                break;
            }
            sw = m_view.GetSwitch(ports[port].peer.node);
        }
        AddDependencies(lane, follows);
        for (auto hop = m_path.rbegin(); hop != m_path.rend(); ++hop)
        {
            left = left == LOST ? LOST : left + 1;
            m_left[hop->sw] = left;
        }
        return left;
    }

    /** @param follows port of the switch to which the path leads; DROP: the path ends there */
    void AddDependencies(uint8_t lane, uint8_t follows)
    {
        for (std::size_t i = 0; i < m_path.size(); ++i)
        {
            const uint8_t next = i + 1 < m_path.size() ? m_path[i + 1].port : follows;
            if (next != SubnetRoutes::DROP)
            {
                m_next[lane][m_firstPort[m_path[i].sw] + m_path[i].port].set(next);
            }
        }
    }

    /** @returns false if routers or aggregation nodes at the top of a tree talk to each other */
    bool Matters(uint32_t source, const SubnetView::Destination& destination) const
    {
        return m_view.IsLeaf(source) || m_view.IsLeaf(destination.sw);
    }

    void Fail(uint32_t source,
              const SubnetView::Destination& destination,
              const std::string& what,
              uint32_t sw)
    {
        if (m_result.m_error.empty() && Matters(source, destination))
        {
            m_result.m_error = "the way from " + m_graph.GetNode(m_view.GetNode(source)).name +
                               " to LID " + std::to_string(destination.lid) + " (" +
                               m_graph.GetNode(destination.node).name + ") " + what + " " +
                               m_graph.GetNode(m_view.GetNode(sw)).name;
        }
    }

    /** @returns the verdict on a lane */
    Lane Prove(const std::vector<Ports>& next) const
    {
        Lane lane;
        Dependencies dependencies(m_ports);
        for (uint32_t sw = 0; sw < m_view.GetNSwitches(); ++sw)
        {
            for (const SubnetView::Link& link : m_view.GetLinks(sw))
            {
                const uint32_t from = m_firstPort[sw] + link.port;
                for (const SubnetView::Link& follows : m_view.GetLinks(link.to))
                {
                    if (next[from].test(follows.port))
                    {
                        boost::add_edge(from, m_firstPort[link.to] + follows.port, dependencies);
                        ++lane.dependencies;
                    }
                }
            }
        }
        const std::vector<uint32_t> cycle = FindCycle(dependencies);
        for (const uint32_t port : cycle)
        {
            lane.cycle += NamePort(port) + " -> ";
        }
        lane.cycle += cycle.empty() ? "" : NamePort(cycle.front());
        return lane;
    }

    std::string NamePort(uint32_t port) const
    {
        const auto sw = std::upper_bound(m_firstPort.begin(), m_firstPort.end(), port) - 1;
        const auto number = static_cast<uint32_t>(sw - m_firstPort.begin());
        return m_graph.GetNode(m_view.GetNode(number)).name + " port " + std::to_string(port - *sw);
    }

    /** A switch on a way, and the port by which it is left. */
    struct Hop
    {
        uint32_t sw;  //!< number of the switch
        uint8_t port; //!< its port
    };

    const SubnetGraph& m_graph;             //!< the subnet
    const SubnetRoutes& m_routes;           //!< its tables
    SubnetRoutesChecker& m_result;          //!< takes what is found
    SubnetView m_view;                      //!< switches
    std::vector<uint32_t> m_firstPort;      //!< numbers of ports over all switches, by switch
    uint32_t m_ports{0};                    //!< of all switches, ports 0 counted
    std::vector<std::vector<Ports>> m_next; //!< dependencies, by lane and port
    std::vector<uint16_t> m_left;           //!< switches from here to the LID, by switch
    std::vector<uint32_t> m_mark;           //!< the latest path that was here, by switch
    uint32_t m_turn{0};                     //!< number of the path
    std::vector<Hop> m_path;                //!< the path
};

SubnetRoutesChecker::SubnetRoutesChecker(const SubnetGraph& graph, const SubnetRoutes& routes)
{
    Walk(graph, routes, *this).Run();
}

const std::vector<SubnetRoutesChecker::Lane>&
SubnetRoutesChecker::GetLanes() const
{
    return m_lanes;
}

bool
SubnetRoutesChecker::IsDeadlockFree() const
{
    return GetCycle().empty();
}

std::string
SubnetRoutesChecker::GetCycle() const
{
    for (std::size_t lane = 0; lane < m_lanes.size(); ++lane)
    {
        if (!m_lanes[lane].cycle.empty())
        {
            return "VL " + std::to_string(lane) + ": " + m_lanes[lane].cycle;
        }
    }
    return "";
}

const std::vector<uint64_t>&
SubnetRoutesChecker::GetHops() const
{
    return m_hops;
}

uint64_t
SubnetRoutesChecker::GetUnreachable() const
{
    return m_unreachable;
}

const std::string&
SubnetRoutesChecker::GetError() const
{
    return m_error;
}

} // namespace ns3
