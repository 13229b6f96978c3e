/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "subnet-lft-dump.h"

#include "subnet-lids.h"

#include <fstream>
#include <iomanip>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace ns3
{

namespace
{

std::string
Hex(uint64_t number, int digits)
{
    std::ostringstream text;
    text << "0x" << std::hex << std::setw(digits) << std::setfill('0') << number;
    return text.str();
}

/** @returns what ibroute says of the owner of a LID */
std::string
Describe(const SubnetGraph& graph, const SubnetEnd& owner, uint16_t lid)
{
    const SubnetNode& node = graph.GetNode(owner.node);
    const SubnetPort& port = node.ports[owner.port];
    const std::string guid = "portguid " + Hex(port.guid ? port.guid : node.guid, 16);
    if (lid != port.lid)
    {
        return "(path #" + std::to_string(lid - port.lid + 1) + " out of " +
               std::to_string(1U << port.lmc) + ": " + guid + ")";
    }
    const std::string kind = node.kind == SubnetNodeKind::SWITCH            ? "Switch "
                             : node.kind == SubnetNodeKind::CHANNEL_ADAPTER ? "Channel Adapter "
                                                                            : "Router ";
    return "(" + kind + guid + ": '" + node.name + "')";
}

/** Reads blocks line by line. */
class Blocks
{
  public:
    explicit Blocks(const std::string& name)
        : m_name(name)
    {
    }

    void Add(const std::string& line)
    {
        static const std::regex header(
            "Unicast lids \\[0x([0-9a-fA-F]{1,4})-0x([0-9a-fA-F]{1,4})\\]"
            " of switch .*[Ll]id ([0-9]{1,5}) guid 0x([0-9a-fA-F]{1,16})"
            " \\((.*)\\):",
            std::regex::optimize);
        static const std::regex entry("0x([0-9a-fA-F]{1,4})\\s+([0-9]{3})\\s+:.*",
                                      std::regex::optimize);
        static const std::regex footer("([0-9]{1,5}) (valid )?lids dumped.*", std::regex::optimize);
        ++m_number;
        std::smatch match;
        if (std::regex_match(line, match, header))
        {
            Begin(match);
        }
        else if (m_open && std::regex_match(line, match, entry))
        {
            AddEntry(match);
        }
        else if (m_open && std::regex_match(line, match, footer))
        {
            m_open = false;
            if (std::stoul(match[1]) != m_entries)
            {
                Fail(match[1].str() + " LIDs are announced, but the block has " +
                     std::to_string(m_entries));
            }
        }
        else if (line.compare(0, 2, "0x") == 0)
        {
            Fail(m_open ? "expected an entry such as '0x0005 003 : (...)'"
                        : "an entry without a table, expected 'Unicast lids [...] of switch ...' "
                          "above");
        }
        else if (line.compare(0, 12, "Unicast lids") == 0)
        {
            Fail("expected 'Unicast lids [0x0-0xLAST] of switch Lid L guid 0xGUID (NAME):'");
        }
    }

    std::vector<SubnetLft> Finish()
    {
        if (m_open)
        {
            Fail("the table of " + Hex(m_tables.back().guid, 16) +
                 " is cut off, expected 'N valid lids dumped'");
        }
        if (m_tables.empty())
        {
            Fail("no forwarding table, expected the output of ibroute or dump_lfts");
        }
        return std::move(m_tables);
    }

  private:
    [[noreturn]] void Fail(const std::string& what) const
    {
        throw std::invalid_argument(m_name + ":" + std::to_string(m_number) + ": " + what);
    }

    void Begin(const std::smatch& match)
    {
        if (m_open)
        {
            Fail("the table before this one is cut off, expected 'N valid lids dumped'");
        }
        const unsigned long lid = std::stoul(match[3]);
        const unsigned long last = std::stoul(match[2], nullptr, 16);
        if (lid > SubnetLids::LAST_UNICAST || last > SubnetLids::LAST_UNICAST)
        {
            Fail("a LID above 0xbfff, expected unicast LIDs");
        }
        SubnetLft table;
        table.lid = static_cast<uint16_t>(lid);
        table.guid = std::stoull(match[4], nullptr, 16);
        table.name = match[5];
        table.ports.assign(last + 1, SubnetRoutes::DROP);
        m_tables.push_back(table);
        m_open = true;
        m_entries = 0;
    }

    void AddEntry(const std::smatch& match)
    {
        const unsigned long lid = std::stoul(match[1], nullptr, 16);
        const unsigned long port = std::stoul(match[2]);
        std::vector<uint8_t>& ports = m_tables.back().ports;
        if (lid >= ports.size() || port > SubnetRoutes::DROP)
        {
            Fail("LID " + Hex(lid, 4) + " to port " + std::to_string(port) +
                 ", expected LIDs up to " + Hex(ports.size() - 1, 4) + " and ports 0..255");
        }
        ports[lid] = static_cast<uint8_t>(port);
        ++m_entries;
    }

    std::string m_name;              //!< of the text
    std::vector<SubnetLft> m_tables; //!< so far
    uint32_t m_number{0};            //!< of the line
    uint32_t m_entries{0};           //!< of the last table
    bool m_open{false};              //!< the last table goes on
};

} // namespace

void
SubnetLftDump::Write(std::ostream& stream, const SubnetGraph& graph, const SubnetRoutes& routes)
{
    const SubnetLids lids(graph);
    for (uint32_t i = 0; i < graph.GetNNodes(); ++i)
    {
        if (!graph.IsSwitch(i))
        {
            continue;
        }
        const SubnetNode& node = graph.GetNode(i);
        std::ostringstream last;
        last << std::hex << lids.GetLast();
        stream << "Unicast lids [0x0-0x" << last.str() << "] of switch Lid " << node.ports[0].lid
               << " guid " << Hex(node.guid, 16) << " (" << node.name << "):\n"
               << "  Lid  Out   Destination\n"
               << "       Port     Info\n";
        const std::vector<uint8_t>& table = routes.tables.at(i);
        uint32_t entries = 0;
        for (uint32_t lid = 1; lid < table.size(); ++lid)
        {
            const SubnetEnd owner = lids.Find(static_cast<uint16_t>(lid));
            if (table[lid] == SubnetRoutes::DROP || !owner.IsConnected())
            {
                continue;
            }
            std::ostringstream port;
            port << std::setw(3) << std::setfill('0') << +table[lid];
            stream << Hex(lid, 4) << ' ' << port.str() << " : "
                   << Describe(graph, owner, static_cast<uint16_t>(lid)) << '\n';
            ++entries;
        }
        stream << entries << " valid lids dumped\n";
    }
}

std::vector<SubnetLft>
SubnetLftDump::Read(std::istream& text, const std::string& name)
{
    Blocks blocks(name);
    for (std::string line; std::getline(text, line);)
    {
        line.erase(line.find_last_not_of(" \t\r") + 1);
        blocks.Add(line);
    }
    return blocks.Finish();
}

std::vector<SubnetLft>
SubnetLftDump::ReadFile(const std::string& path)
{
    std::ifstream file(path);
    if (!file || file.peek() == std::ifstream::traits_type::eof())
    {
        throw std::runtime_error(path + ":1: " + (file ? "empty" : "can not be read") +
                                 ", expected a text file with the output of ibroute or dump_lfts");
    }
    return Read(file, path);
}

SubnetRoutes
SubnetLftDump::ToRoutes(const std::vector<SubnetLft>& tables, const SubnetGraph& graph)
{
    SubnetRoutes routes;
    routes.tables.resize(graph.GetNNodes());
    for (const SubnetLft& table : tables)
    {
        const uint32_t node = graph.Find(table.guid);
        const std::string where =
            "SubnetLftDump: table of " + Hex(table.guid, 16) + " (" + table.name + ")";
        if (node == SUBNET_NO_NODE || !graph.IsSwitch(node))
        {
            throw std::invalid_argument(where + ": the subnet has no such switch");
        }
        for (const uint8_t port : table.ports)
        {
            if (port != SubnetRoutes::DROP && port >= graph.GetNode(node).ports.size())
            {
                throw std::invalid_argument(where + ": port " + std::to_string(port) +
                                            ", expected 0.." +
                                            std::to_string(graph.GetNode(node).ports.size() - 1));
            }
        }
        routes.tables[node] = table.ports;
    }
    return routes;
}

} // namespace ns3
