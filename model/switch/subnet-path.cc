/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "subnet-path.h"

#include "fabric-switch.h"

#include <iomanip>
#include <sstream>
#include <stdexcept>

namespace ns3
{

namespace
{

/** @returns true if a port answers to a LID */
bool
Owns(const SubnetPort& port, uint16_t lid)
{
    return port.lid != 0 && lid >= port.lid && lid - port.lid < 1 << port.lmc;
}

std::string
Guid(uint64_t guid)
{
    std::ostringstream text;
    text << "{0x" << std::hex << std::setw(16) << std::setfill('0') << guid << "}";
    return text.str();
}

const char*
KindOf(const SubnetNode& node)
{
    return node.kind == SubnetNodeKind::SWITCH            ? "switch"
           : node.kind == SubnetNodeKind::CHANNEL_ADAPTER ? "ca"
                                                          : "rt";
}

/** @returns the LIDs and the name of a node at a port */
std::string
Tail(const SubnetNode& node, uint32_t port)
{
    const SubnetPort& own = node.ports[node.kind == SubnetNodeKind::SWITCH ? 0 : port];
    return "lid " + std::to_string(own.lid) + "-" + std::to_string(own.lid + (1U << own.lmc) - 1) +
           " \"" + node.name + "\"\n";
}

} // namespace

SubnetPath
SubnetPath::Trace(const SubnetGraph& graph,
                  const SubnetRoutes& routes,
                  uint32_t node,
                  uint32_t port,
                  uint16_t lid)
{
    SubnetPath path;
    path.m_begin = path.m_end = {node, static_cast<uint8_t>(port)};
    const auto fail = [&](const SubnetNode& at, const std::string& what) {
        throw std::invalid_argument("SubnetPath: from " + graph.GetNode(node).name + " to LID " +
                                    std::to_string(lid) + ": " + at.name + " " + what);
    };
    SubnetEnd at = path.m_begin;
    while (!Owns(graph.GetNode(at.node).ports.at(graph.IsSwitch(at.node) ? 0 : at.port), lid))
    {
        const SubnetNode& here = graph.GetNode(at.node);
        uint8_t out = at.port;
        if (graph.IsSwitch(at.node))
        {
            const std::vector<uint8_t>& table = routes.tables.at(at.node);
            out = lid < table.size() ? table[lid] : SubnetRoutes::DROP;
            if (out == 0 || out >= here.ports.size())
            {
                fail(here, "has no way there, expected a port in its table");
            }
            ++path.m_switches;
        }
        else if (at.node != node || !path.m_hops.empty())
        {
            fail(here, "is reached, which has another LID");
        }
        const SubnetEnd next = here.ports.at(out).peer;
        if (!next.IsConnected())
        {
            fail(here, "sends it to port " + std::to_string(out) + ", which has no cable");
        }
        if (path.m_switches > FabricSwitch::MAX_HOPS)
        {
            fail(here, "is on a loop, expected tables that lead there");
        }
        path.m_hops.push_back({{at.node, out}, next});
        at = next;
    }
    path.m_end = at;
    return path;
}

const std::vector<SubnetPath::Hop>&
SubnetPath::GetHops() const
{
    return m_hops;
}

uint32_t
SubnetPath::GetSwitches() const
{
    return m_switches;
}

std::string
SubnetPath::ToText(const SubnetGraph& graph) const
{
    std::ostringstream text;
    const auto end = [&](const char* word, const SubnetEnd& at) {
        const SubnetNode& node = graph.GetNode(at.node);
        const uint32_t port = node.kind == SubnetNodeKind::SWITCH ? 0 : at.port;
        text << word << ' ' << KindOf(node) << ' ' << Guid(node.guid) << " portnum " << port << ' '
             << Tail(node, at.port);
    };
    end("From", m_begin);
    for (const Hop& hop : m_hops)
    {
        const SubnetNode& node = graph.GetNode(hop.to.node);
        const uint64_t guid = node.ports[hop.to.port].guid;
        text << '[' << +hop.from.port << "] -> " << KindOf(node) << " port "
             << Guid(guid ? guid : node.guid) << '[' << +hop.to.port << "] "
             << Tail(node, hop.to.port);
    }
    end("To", m_end);
    return text.str();
}

} // namespace ns3
