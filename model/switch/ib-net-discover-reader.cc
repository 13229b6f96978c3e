/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ib-net-discover-reader.h"

#include "ib-net-discover-line.h"

#include <cctype>
#include <fstream>
#include <iomanip>
#include <map>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace ns3
{

namespace
{

/** A line about a cable, and where it stands. */
struct PortLine
{
    uint32_t number;        //!< of the line
    uint32_t node;          //!< whose port it is
    IbNetDiscoverPort said; //!< what it says
};

/** @returns a GUID as in the file */
std::string
ToText(SubnetNodeKind kind, uint64_t guid)
{
    std::ostringstream text;
    text << (kind == SubnetNodeKind::SWITCH            ? "S-"
             : kind == SubnetNodeKind::CHANNEL_ADAPTER ? "H-"
                                                       : "R-")
         << std::hex << std::setw(16) << std::setfill('0') << guid;
    return text.str();
}

/** @returns true if the text begins so */
bool
StartsWith(const std::string& text, const std::string& start)
{
    return text.compare(0, start.size(), start) == 0;
}

/** Puts the lines of a file together. */
class Builder
{
  public:
    explicit Builder(const std::string& name)
        : m_name(name)
    {
    }

    void Add(uint32_t number, const std::string& text)
    {
        m_number = number;
        try
        {
            AddLine(text);
        }
        catch (const std::invalid_argument& error)
        {
            Fail(number, error.what());
        }
    }

    IbNetDiscover Finish()
    {
        if (m_result.graph.GetNNodes() == 0)
        {
            Fail(m_number, "no switch, adapter or router so far, expected ibnetdiscover output");
        }
        for (const PortLine& line : m_lines)
        {
            ConnectLine(line);
        }
        m_result.systemGuids.resize(m_result.graph.GetNNodes());
        return std::move(m_result);
    }

  private:
    using End = std::pair<uint32_t, uint32_t>; //!< node and port

    [[noreturn]] void Fail(uint32_t number, const std::string& what) const
    {
        throw std::invalid_argument(m_name + ":" + std::to_string(number) + ": " + what);
    }

    void Warn(uint32_t number, const std::string& what)
    {
        m_result.warnings.push_back(m_name + ":" + std::to_string(number) + ": " + what);
    }

    void AddLine(const std::string& text)
    {
        IbNetDiscoverLine line(text);
        if (line.IsNode())
        {
            m_begun = true;
            AddNode(line.ParseNode());
        }
        else if (line.IsPort())
        {
            AddPort(line.ParsePort());
        }
        else if (IsValue(text))
        {
            m_begun = true;
            AddValue(text, line.ParseValue());
        }
        else if (StartsWith(text, "#"))
        {
            m_begun = true;
        }
        else
        {
            AddOther(text);
        }
    }

    static bool IsValue(const std::string& text)
    {
        for (const char* key :
             {"vendid=", "devid=", "sysimgguid=", "switchguid=", "caguid=", "rtguid="})
        {
            if (StartsWith(text, key))
            {
                return true;
            }
        }
        return false;
    }

    void AddOther(const std::string& text)
    {
        if (text.find_first_not_of(" \t\r") == std::string::npos || StartsWith(text, "Chassis") ||
            StartsWith(text, "Non-Chassis") || StartsWith(text, "ibwarn:"))
        {
            return;
        }
        if (StartsWith(text, "SW ") || StartsWith(text, "CA "))
        {
            throw std::invalid_argument(
                "this is the ports report of ibnetdiscover -p, expected its output without -p");
        }
        if (m_begun)
        {
            throw std::invalid_argument(
                "'" + text.substr(0, 24) +
                "' is no line of ibnetdiscover, expected Switch, Ca, Rt, [port], key=value, # "
                "or an empty line");
        }
        m_result.foreignText.push_back(text); // of a terminal or a library
    }

    void AddValue(const std::string& text, uint64_t value)
    {
        if (StartsWith(text, "sysimgguid="))
        {
            m_systemGuid = value;
        }
        else if (text.find("guid=") != std::string::npos)
        {
            m_announced = value;
        }
        m_node = SUBNET_NO_NODE; // another record begins
    }

    void AddNode(const IbNetDiscoverNode& said)
    {
        if (const auto found = m_nodeLines.find(said.guid); found != m_nodeLines.end())
        {
            throw std::invalid_argument(ToText(said.kind, said.guid) + " has a record in line " +
                                        std::to_string(found->second) +
                                        " already, expected one per GUID");
        }
        if (m_announced && m_announced != said.guid)
        {
            Warn(m_number,
                 ToText(said.kind, said.guid) + " is not the GUID of the line above its record");
        }
        m_nodeLines[said.guid] = m_number;
        m_node = m_result.graph.AddNode(said.kind, said.guid, said.name, said.ports);
        SubnetPort& management = m_result.graph.GetNode(m_node).ports[0];
        management.guid = said.kind == SubnetNodeKind::SWITCH ? said.guid : 0;
        management.lid = said.lid;
        management.lmc = said.lmc;
        m_result.systemGuids.resize(m_node + 1);
        m_result.systemGuids[m_node] = std::exchange(m_systemGuid, 0);
        m_announced = 0;
    }

    void AddPort(const IbNetDiscoverPort& said)
    {
        if (m_node == SUBNET_NO_NODE)
        {
            throw std::invalid_argument("a port without a node, expected Switch, Ca or Rt above");
        }
        SubnetNode& node = m_result.graph.GetNode(m_node);
        const std::string here = "port " + std::to_string(said.port) + " of " + Describe(m_node);
        if (said.port >= node.ports.size())
        {
            throw std::invalid_argument(here + " does not exist, expected 1.." +
                                        std::to_string(node.ports.size() - 1));
        }
        const auto inserted = m_ends.emplace(End(m_node, said.port), m_lines.size());
        if (!inserted.second)
        {
            throw std::invalid_argument(here + " stands in line " +
                                        std::to_string(m_lines[inserted.first->second].number) +
                                        " already, expected one line per port");
        }
        if (node.kind != SubnetNodeKind::SWITCH && !said.lid)
        {
            throw std::invalid_argument(here + " has no LID, expected 'lid L lmc M' after #");
        }
        SubnetPort& port = node.ports[said.port];
        port.guid = said.guid;
        port.lid = said.lid.value_or(0);
        port.lmc = said.lmc;
        port.width = said.width;
        m_lines.push_back({m_number, m_node, said});
    }

    std::string Describe(uint32_t node) const
    {
        const SubnetNode& it = m_result.graph.GetNode(node);
        return ToText(it.kind, it.guid) + " (" + it.name + ")";
    }

    void ConnectLine(const PortLine& line)
    {
        const IbNetDiscoverPort& said = line.said;
        const std::string there =
            "port " + std::to_string(said.peerPort) + " of " + ToText(said.peerKind, said.peerNode);
        const uint32_t peer = m_result.graph.Find(said.peerNode);
        if (peer == SUBNET_NO_NODE)
        {
            Fail(line.number,
                 "it leads to " + there + ", which has no record in this file, expected one");
        }
        const auto other = m_ends.find(End(peer, said.peerPort));
        if (other == m_ends.end())
        {
            Fail(line.number,
                 "it leads to " + there + ", but the record of that node in line " +
                     std::to_string(m_nodeLines[said.peerNode]) +
                     " has no such port, expected one "
                     "line from either end");
        }
        const PortLine& back = m_lines[other->second];
        const uint64_t guid = m_result.graph.GetNode(line.node).guid;
        if (back.said.peerNode != guid || back.said.peerPort != said.port)
        {
            Fail(line.number,
                 "it leads to " + there + ", but line " + std::to_string(back.number) +
                     " connects that one with port " + std::to_string(back.said.peerPort) + " of " +
                     ToText(back.said.peerKind, back.said.peerNode) +
                     ", expected that both ends agree");
        }
        if (peer == line.node && said.peerPort == said.port)
        {
            Fail(line.number, "it leads from a port to itself, expected another port");
        }
        if (m_result.graph.GetNode(peer).kind != said.peerKind)
        {
            Fail(line.number,
                 "it leads to " + there + ", but the record of that GUID in line " +
                     std::to_string(m_nodeLines[said.peerNode]) + " is of another kind");
        }
        if (line.number > back.number)
        {
            return; // was done from the other end
        }
        m_result.graph.Connect(line.node, said.port, peer, said.peerPort);
        CompareEnds(line, back, m_result.graph.GetNode(peer).ports);
        CompareEnds(back, line, m_result.graph.GetNode(line.node).ports);
        if (said.width != back.said.width)
        {
            Warn(line.number,
                 "the link is " + (said.width.empty() ? "of unknown speed" : said.width) +
                     ", but line " + std::to_string(back.number) + " says " +
                     (back.said.width.empty() ? "nothing known" : back.said.width) +
                     "; the slower one is used");
        }
    }

    void CompareEnds(const PortLine& line, const PortLine& back, std::vector<SubnetPort>& ports)
    {
        SubnetPort& port = ports[line.said.peerPort];
        if (port.guid == 0)
        {
            port.guid = line.said.peerGuid;
        }
        const uint16_t lid = back.said.lid.value_or(ports[0].lid);
        if (line.said.peerLid != lid)
        {
            Warn(line.number,
                 "LID " + std::to_string(line.said.peerLid) + " at the other end, but line " +
                     std::to_string(back.number) + " and its record say " + std::to_string(lid));
        }
    }

    std::string m_name;                       //!< of the file
    IbNetDiscover m_result;                   //!< so far
    std::vector<PortLine> m_lines;            //!< in order
    std::map<End, std::size_t> m_ends;        //!< where the line of a port is
    std::map<uint64_t, uint32_t> m_nodeLines; //!< number of the line, by GUID
    uint32_t m_number{1};                     //!< of the line that was read last
    uint32_t m_node{SUBNET_NO_NODE};          //!< whose record this is
    uint64_t m_systemGuid{0};                 //!< of the next record
    uint64_t m_announced{0};                  //!< GUID of the next record
    bool m_begun{false};                      //!< what is foreign is over
};

} // namespace

IbNetDiscover
IbNetDiscoverReader::Read(std::istream& text, const std::string& name)
{
    Builder builder(name);
    uint32_t number = 0;
    for (std::string line; std::getline(text, line);)
    {
        builder.Add(++number, line);
    }
    return builder.Finish();
}

IbNetDiscover
IbNetDiscoverReader::ReadFile(const std::string& path)
{
    std::ifstream file(path);
    if (!file || file.peek() == std::ifstream::traits_type::eof())
    {
        throw std::runtime_error(path + ":1: " + (file ? "empty" : "can not be read") +
                                 ", expected a text file with the output of ibnetdiscover");
    }
    return Read(file, path);
}

} // namespace ns3
