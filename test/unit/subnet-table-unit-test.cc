/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// LIDs, dumps of forwarding tables, and the ways that they lead.

#include "ns3/ib-net-discover-reader.h"
#include "ns3/subnet-lft-dump.h"
#include "ns3/subnet-lids.h"
#include "ns3/subnet-path.h"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/** Two switches, three hosts: h0, h1 at the first, h2 at the second; two cables between. */
SubnetGraph
MakeGraph()
{
    SubnetGraph graph;
    graph.AddNode(SubnetNodeKind::SWITCH, 0xa1, "left", 4);
    graph.AddNode(SubnetNodeKind::SWITCH, 0xa2, "right", 4);
    for (uint32_t i = 0; i < 3; ++i)
    {
        graph.AddNode(SubnetNodeKind::CHANNEL_ADAPTER, 0xb0 + i, "h" + std::to_string(i), 2);
    }
    graph.Connect(0, 1, 2, 1);
    graph.Connect(0, 2, 3, 2);
    graph.Connect(1, 1, 4, 1);
    graph.Connect(0, 3, 1, 3);
    graph.Connect(0, 4, 1, 4);
    return graph;
}

/** Tables for MakeGraph() with the LIDs 1 and 2 of switches, 3, 4 and 5 of hosts. */
SubnetRoutes
MakeRoutes()
{
    SubnetRoutes routes;
    routes.tables = {{255, 0, 3, 1, 2, 4}, {255, 3, 0, 3, 4, 1}, {}, {}, {}};
    return routes;
}

SubnetGraph
MakeNumbered()
{
    SubnetGraph graph = MakeGraph();
    SubnetLids::Assign(graph, 0);
    return graph;
}

/** @returns what Read() says of a text */
std::string
Complaint(const std::string& text)
{
    std::istringstream stream(text);
    try
    {
        SubnetLftDump::Read(stream, "dump");
    }
    catch (const std::invalid_argument& error)
    {
        return error.what();
    }
    return "";
}

/** @returns what Trace() says */
std::string
TraceComplaint(const SubnetRoutes& routes)
{
    try
    {
        SubnetPath::Trace(MakeNumbered(), routes, 2, 1, 5);
    }
    catch (const std::invalid_argument& error)
    {
        return error.what();
    }
    return "";
}

} // namespace

TEST(SubnetLids, AreUniqueForEveryLmc)
{
    for (uint8_t lmc = 0; lmc <= SubnetLids::MAX_LMC; ++lmc)
    {
        SubnetGraph graph = MakeGraph();
        SubnetLids::Assign(graph, lmc);
        std::set<uint16_t> seen;
        for (uint32_t i = 0; i < graph.GetNNodes(); ++i)
        {
            for (std::size_t p = 0; p < graph.GetNode(i).ports.size(); ++p)
            {
                const SubnetPort& port = graph.GetNode(i).ports[p];
                const bool wants = graph.IsSwitch(i) ? p == 0 : port.peer.IsConnected();
                EXPECT_EQ(port.lid != 0, wants);
                if (!wants)
                {
                    continue;
                }
                EXPECT_EQ(port.lmc, graph.IsSwitch(i) ? 0 : lmc);
                EXPECT_EQ(port.lid % (1U << port.lmc), 0U);
                for (uint16_t lid = port.lid; lid < port.lid + (1 << port.lmc); ++lid)
                {
                    EXPECT_TRUE(seen.insert(lid).second) << lid;
                    const SubnetEnd owner = SubnetLids(graph).Find(lid);
                    EXPECT_EQ(owner.node, i);
                    EXPECT_EQ(owner.port, p);
                }
            }
        }
        EXPECT_EQ(seen.size(), 2U + 3U * (1U << lmc));
        EXPECT_FALSE(SubnetLids(graph).Find(0xbfff).IsConnected());
    }
}

TEST(SubnetLids, AreKeptWhereTheySuit)
{
    SubnetGraph graph = MakeGraph();
    graph.GetNode(0).ports[0].lid = 7;
    graph.GetNode(1).ports[0].lid = 7; // taken
    graph.GetNode(2).ports[1].lid = 12;
    graph.GetNode(3).ports[2].lid = 13; // odd, and within the two of 12
    SubnetLids::Assign(graph, 1);
    EXPECT_EQ(graph.GetNode(0).ports[0].lid, 7);
    EXPECT_EQ(graph.GetNode(2).ports[1].lid, 12);
    EXPECT_EQ(graph.GetNode(1).ports[0].lid, 1);
    EXPECT_EQ(graph.GetNode(3).ports[2].lid, 2);
    EXPECT_EQ(graph.GetNode(4).ports[1].lid, 4);
    EXPECT_THROW(SubnetLids::Assign(graph, 8), std::invalid_argument);
}

TEST(SubnetLids, RunOut)
{
    SubnetGraph graph;
    graph.AddNode(SubnetNodeKind::SWITCH, 1, "s", 254);
    // 384 adapters with 128 LIDs each are the last that fit, without the first 128.
    for (uint32_t i = 0; i < 384; ++i)
    {
        const uint32_t sw = i % 250 == 0 ? graph.AddNode(SubnetNodeKind::SWITCH, 1000 + i, "s", 254)
                                         : graph.Find(1000 + i / 250 * 250);
        const uint32_t ca = graph.AddNode(SubnetNodeKind::CHANNEL_ADAPTER, 5000 + i, "h", 1);
        graph.Connect(sw, i % 250 + 1, ca, 1);
    }
    SubnetLids::Assign(graph, 6);
    EXPECT_THROW(SubnetLids::Assign(graph, 7), std::invalid_argument);
}

TEST(SubnetPath, FollowsTheTables)
{
    const SubnetGraph graph = MakeNumbered();
    const SubnetPath path = SubnetPath::Trace(graph, MakeRoutes(), 2, 1, 5);
    EXPECT_EQ(path.GetSwitches(), 2U);
    ASSERT_EQ(path.GetHops().size(), 3U);
    EXPECT_EQ(path.ToText(graph),
              "From ca {0x00000000000000b0} portnum 1 lid 3-3 \"h0\"\n"
              "[1] -> switch port {0x00000000000000a1}[1] lid 1-1 \"left\"\n"
              "[4] -> switch port {0x00000000000000a2}[4] lid 2-2 \"right\"\n"
              "[1] -> ca port {0x00000000000000b2}[1] lid 5-5 \"h2\"\n"
              "To ca {0x00000000000000b2} portnum 1 lid 5-5 \"h2\"\n");
    EXPECT_EQ(SubnetPath::Trace(graph, MakeRoutes(), 2, 1, 3).GetHops().size(), 0U) << "to itself";
    EXPECT_EQ(SubnetPath::Trace(graph, MakeRoutes(), 2, 1, 2).GetSwitches(), 1U) << "to a switch";
    EXPECT_EQ(SubnetPath::Trace(graph, MakeRoutes(), 0, 0, 5).GetSwitches(), 2U) << "from one";
}

TEST(SubnetPath, SaysWhereTablesLeadWrong)
{
    SubnetRoutes routes = MakeRoutes();
    routes.tables[1][5] = SubnetRoutes::DROP;
    EXPECT_EQ(TraceComplaint(routes),
              "SubnetPath: from h0 to LID 5: right has no way there, expected a port in its table");
    routes.tables[1][5] = 3;
    EXPECT_EQ(TraceComplaint(routes),
              "SubnetPath: from h0 to LID 5: right is on a loop, expected tables that lead there");
    routes.tables[1][5] = 2;
    EXPECT_EQ(TraceComplaint(routes),
              "SubnetPath: from h0 to LID 5: right sends it to port 2, which has no cable");
    routes.tables[0][5] = 2;
    EXPECT_EQ(TraceComplaint(routes),
              "SubnetPath: from h0 to LID 5: h1 is reached, which has another LID");
}

TEST(SubnetLftDump, IsTheFormatOfIbroute)
{
    SubnetGraph graph = MakeGraph();
    graph.GetNode(2).ports[1].guid = 0xb8;
    SubnetLids::Assign(graph, 1); // switches have 1 and 2, hosts 4, 6 and 8, and the next ones
    SubnetRoutes routes;
    routes.tables = {{255, 0, 3, 255, 2, 2, 1, 1, 4, 4},
                     {255, 3, 0, 255, 3, 3, 3, 3, 1, 1},
                     {},
                     {},
                     {}};
    std::ostringstream text;
    SubnetLftDump::Write(text, graph, routes);
    EXPECT_NE(text.str().find("Unicast lids [0x0-0x9] of switch Lid 1 guid 0x00000000000000a1 "
                              "(left):\n"
                              "  Lid  Out   Destination\n"
                              "       Port     Info\n"
                              "0x0001 000 : (Switch portguid 0x00000000000000a1: 'left')\n"),
              std::string::npos)
        << text.str();
    EXPECT_NE(text.str().find("0x0004 002 : (Channel Adapter portguid 0x00000000000000b8: 'h0')\n"
                              "0x0005 002 : (path #2 out of 2: portguid 0x00000000000000b8)\n"),
              std::string::npos)
        << text.str();
}

TEST(SubnetLftDump, ComesBackAsItWas)
{
    const SubnetGraph graph = MakeNumbered();
    const SubnetRoutes routes = MakeRoutes();
    std::stringstream text;
    SubnetLftDump::Write(text, graph, routes);
    const auto tables = SubnetLftDump::Read(text, "dump");
    ASSERT_EQ(tables.size(), 2U);
    EXPECT_EQ(tables[0].name, "left");
    EXPECT_EQ(tables[0].lid, 1);
    EXPECT_EQ(tables[1].guid, 0xa2U);
    EXPECT_EQ(SubnetLftDump::ToRoutes(tables, graph).tables, routes.tables);
}

TEST(SubnetLftDump, SaysWhatIsWrong)
{
    const std::string head = "Unicast lids [0x0-0x3] of switch Lid 1 guid 0x00a1 (left):\n";
    EXPECT_EQ(Complaint(head + "0x0001 000 : (x)\n1 valid lids dumped\n"), "");
    EXPECT_EQ(Complaint(""),
              "dump:0: no forwarding table, expected the output of ibroute or "
              "dump_lfts");
    EXPECT_EQ(Complaint(head + "0x0001 000 : (x)\n"),
              "dump:2: the table of 0x00000000000000a1 is cut off, expected 'N valid lids dumped'");
    EXPECT_EQ(Complaint(head + head),
              "dump:2: the table before this one is cut off, expected 'N "
              "valid lids dumped'");
    EXPECT_EQ(Complaint(head + "0x0001 000 : (x)\n2 valid lids dumped\n"),
              "dump:3: 2 LIDs are announced, but the block has 1");
    EXPECT_EQ(Complaint(head + "0x0004 000 : (x)\n"),
              "dump:2: LID 0x0004 to port 0, expected LIDs up to 0x0003 and ports 0..255");
    EXPECT_EQ(Complaint(head + "0x0001 256 : (x)\n"),
              "dump:2: LID 0x0001 to port 256, expected LIDs up to 0x0003 and ports 0..255");
    EXPECT_EQ(Complaint(head + "0x0001 0\n"),
              "dump:2: expected an entry such as '0x0005 003 : (...)'");
    EXPECT_EQ(
        Complaint("0x0001 000 : (x)\n"),
        "dump:1: an entry without a table, expected 'Unicast lids [...] of switch ...' above");
    EXPECT_EQ(Complaint("Unicast lids [0x0-0x3] of sw\n"),
              "dump:1: expected 'Unicast lids [0x0-0xLAST] of switch Lid L guid 0xGUID (NAME):'");
    SubnetLft foreign;
    foreign.guid = 0xb0; // an adapter
    EXPECT_THROW(SubnetLftDump::ToRoutes({foreign}, MakeGraph()), std::invalid_argument);
    foreign.guid = 0xa1;
    foreign.ports = {255, 5};
    EXPECT_THROW(SubnetLftDump::ToRoutes({foreign}, MakeGraph()), std::invalid_argument);
}

/** A dump of the field: its tables lead from host to host. */
TEST(SubnetLftDump, FieldFiles)
{
    const char* samples = std::getenv("AI_FABRIC_SAMPLES");
    if (!samples)
    {
        GTEST_SKIP() << "AI_FABRIC_SAMPLES is not set";
    }
    const auto path = std::filesystem::path(samples) / "opensm-routing/two-switches-ibroute.txt";
    const auto tables = SubnetLftDump::ReadFile(path.string());
    ASSERT_EQ(tables.size(), 2U);
    uint32_t entries = 0;
    for (const SubnetLft& table : tables)
    {
        for (const uint8_t port : table.ports)
        {
            entries += port != SubnetRoutes::DROP;
        }
    }
    EXPECT_EQ(entries, 8U);
    EXPECT_EQ(tables[0].name, "Switch1");
    EXPECT_EQ(tables[0].ports[5], 3);
    EXPECT_EQ(tables[1].ports[5], 1);
    EXPECT_EQ(tables[0].ports[4], SubnetRoutes::DROP);
}
