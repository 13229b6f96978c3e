/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What ibnetdiscover prints, and what is wrong with files that it did not print.

#include "ns3/ib-net-discover-reader.h"
#include "ns3/subnet-summary.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

const std::string SHIPPED = AI_FABRIC_MODEL_DIR "/../topologies/mixed-fat-tree.ibnetdiscover";

std::vector<std::string>
LinesOf(const std::string& path)
{
    std::ifstream file(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);)
    {
        lines.push_back(line);
    }
    return lines;
}

std::string
Join(const std::vector<std::string>& lines, const std::string& end = "\n")
{
    std::string text;
    for (const std::string& line : lines)
    {
        text += line + end;
    }
    return text;
}

IbNetDiscover
Read(const std::string& text)
{
    std::istringstream stream(text);
    return IbNetDiscoverReader::Read(stream, "net");
}

/** @returns what the reader says of a text; empty if it takes it */
std::string
Complaint(const std::string& text)
{
    try
    {
        Read(text);
    }
    catch (const std::invalid_argument& error)
    {
        return error.what();
    }
    return "";
}

/** @returns the text with one thing replaced, once */
std::string
Replace(std::string text, const std::string& what, const std::string& by)
{
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return text.replace(at, what.size(), by);
}

/** A switch with two hosts, all of the syntax in ten lines. */
const std::string SMALL =
    "# comment\n"                                                            // 1
    "vendid=0x2c9\n"                                                         // 2
    "sysimgguid=0xa0\n"                                                      // 3
    "switchguid=0xa0(a0)\n"                                                  // 4
    "Switch\t4 \"S-00000000000000a0\"\t\t# \"sw\" base port 0 lid 9 lmc 0\n" // 5
    "[1]\t\"H-00000000000000b0\"[1](b1) \t\t# \"one\" lid 1 4xNDR\n"         // 6
    "[3]\t\"R-00000000000000c0\"[2](c2) \t\t# \"rt\" lid 2 2xHDR\n"          // 7
    "\n"                                                                     // 8
    "caguid=0xb0\n"                                                          // 9
    "Ca\t1 \"H-00000000000000b0\"\t\t# \"one\"\n"                            // 10
    "[1](b1) \t\"S-00000000000000a0\"[1]\t\t# lid 1 lmc 0 \"sw\" lid 9 "
    "4xNDR\n"                                    // 11
    "rtguid=0xc0\n"                              // 12
    "Rt\t2 \"R-00000000000000c0\"\t\t# \"rt\"\n" // 13
    "[2](c2) \t\"S-00000000000000a0\"[3]\t\t# lid 2 lmc 0 \"sw\" lid 9 "
    "2xHDR\n"; // 14

} // namespace

TEST(IbNetDiscoverReader, TakesEverythingOfASmallFile)
{
    const IbNetDiscover net = Read(SMALL);
    const SubnetGraph& graph = net.graph;
    EXPECT_TRUE(net.warnings.empty()) << net.warnings.front();
    ASSERT_EQ(graph.GetNNodes(), 3U);
    EXPECT_EQ(graph.GetNode(0).kind, SubnetNodeKind::SWITCH);
    EXPECT_EQ(graph.GetNode(0).guid, 0xa0U);
    EXPECT_EQ(graph.GetNode(0).name, "sw");
    EXPECT_EQ(graph.GetNode(0).ports.size(), 5U);
    EXPECT_EQ(graph.GetNode(0).ports[0].lid, 9);
    EXPECT_EQ(graph.GetNode(0).ports[1].width, "4xNDR");
    EXPECT_FALSE(graph.GetNode(0).ports[2].peer.IsConnected());
    EXPECT_EQ(graph.GetNode(0).ports[3].peer.node, 2U);
    EXPECT_EQ(graph.GetNode(0).ports[3].peer.port, 2);
    EXPECT_EQ(graph.GetNode(1).kind, SubnetNodeKind::CHANNEL_ADAPTER);
    EXPECT_EQ(graph.GetNode(1).ports[1].guid, 0xb1U);
    EXPECT_EQ(graph.GetNode(1).ports[1].lid, 1);
    EXPECT_EQ(graph.GetNode(1).ports[1].peer.node, 0U);
    EXPECT_EQ(graph.GetNode(2).kind, SubnetNodeKind::ROUTER);
    EXPECT_EQ(graph.GetNode(2).ports[2].lid, 2);
    EXPECT_EQ(net.systemGuids, (std::vector<uint64_t>{0xa0, 0, 0}));
}

TEST(IbNetDiscoverReader, TakesWhatProgramsAndTerminalsAdd)
{
    EXPECT_EQ(Read("$ ibnetdiscover\nsome library: warning\n" + SMALL).foreignText.size(), 2U);
    EXPECT_EQ(Complaint(std::regex_replace(SMALL, std::regex("\n"), "\r\n")), "");
    EXPECT_EQ(Complaint(SMALL.substr(0, SMALL.size() - 1)), "") << "no newline at the end";
    EXPECT_EQ(Complaint(Replace(SMALL, "\n\n", "\nChassis 1 (guid 0x2c9)\nNon-Chassis Nodes\n")),
              "");
    EXPECT_EQ(Complaint(Replace(SMALL, "[1]\t\"H", "[1][ext 17]\t\"H")), "");
    EXPECT_EQ(Complaint(std::regex_replace(SMALL, std::regex("\t"), "    ")), "");
    for (const std::string name :
         {"a \"b\" # lid 7 4xHDR", "", "x/y;z:(1)", "#", "\" lid 1 lmc 0 \""})
    {
        const std::string text =
            std::regex_replace(SMALL, std::regex("\"one\""), "\"" + name + "\"");
        EXPECT_EQ(Complaint(text), "") << name;
        EXPECT_EQ(Read(text).graph.GetNode(1).name, name);
    }
    // The program itself did not know the speed.
    const IbNetDiscover unknown = Read(Replace(SMALL, "lid 1 4xNDR", "lid 1 4x ???"));
    EXPECT_EQ(unknown.graph.GetNode(0).ports[1].width, "");
    EXPECT_EQ(unknown.warnings.size(), 1U);
    EXPECT_EQ(SubnetSummary(unknown.graph).linksByWidth.at("4xNDR"), 1U) << "one end knows";
}

TEST(IbNetDiscoverReader, WarnsOfEndsThatDiffer)
{
    const IbNetDiscover speed = Read(Replace(SMALL, "lid 1 4xNDR", "lid 1 1xNDR"));
    ASSERT_EQ(speed.warnings.size(), 1U);
    EXPECT_EQ(speed.warnings[0],
              "net:6: the link is 1xNDR, but line 11 says 4xNDR; the slower one is used");
    const SubnetSummary summary(speed.graph);
    EXPECT_EQ(summary.unequalLinks, 1U);
    EXPECT_EQ(summary.linksByWidth.at("1xNDR"), 1U);
    const IbNetDiscover lid = Read(Replace(SMALL, "lid 1 4xNDR", "lid 5 4xNDR"));
    ASSERT_EQ(lid.warnings.size(), 1U);
    EXPECT_EQ(lid.warnings[0], "net:6: LID 5 at the other end, but line 11 and its record say 1");
    EXPECT_EQ(lid.graph.GetNode(1).ports[1].lid, 1) << "its own record counts";
}

TEST(IbNetDiscoverReader, RefusesWhatContradictsItself)
{
    struct Row
    {
        std::string what, by, complaint;
    };

    for (const Row& row : std::vector<Row>{
             {"[1]\t\"H-00000000000000b0\"[1]",
              "[2]\t\"H-00000000000000b0\"[1]",
              "net:6: it leads to port 1 of H-00000000000000b0, but line 11 connects that one with "
              "port 1 of S-00000000000000a0, expected that both ends agree"},
             {"[1]\t\"H-00000000000000b0\"[1]",
              "[1]\t\"H-00000000000000b1\"[1]",
              "net:6: it leads to port 1 of H-00000000000000b1, which has no record in this file, "
              "expected one"},
             {"[1](b1) \t\"S-00000000000000a0\"[1]",
              "[1](b1) \t\"S-00000000000000a0\"[4]",
              "net:6: it leads to port 1 of H-00000000000000b0, but line 11 connects that one with "
              "port 4 of S-00000000000000a0, expected that both ends agree"},
             {"[1](b1) \t\"S-00000000000000a0\"[1]\t\t# lid 1 lmc 0 \"sw\" lid 9 4xNDR\n",
              "",
              "net:6: it leads to port 1 of H-00000000000000b0, but the record of that node in "
              "line 10 has no such port, expected one line from either end"},
             {"\"H-00000000000000b0\"[1](b1)",
              "\"R-00000000000000b0\"[1](b1)",
              "net:6: it leads to port 1 of R-00000000000000b0, but the record of that GUID in "
              "line "
              "10 is of another kind"},
             {"[3]\t",
              "[1]\t",
              "net:7: port 1 of S-00000000000000a0 (sw) stands in line 6 already, "
              "expected one line per port"},
             {"[3]\t",
              "[5]\t",
              "net:7: port 5 of S-00000000000000a0 (sw) does not exist, expected "
              "1..4"},
             {"Ca\t1 \"H-00000000000000b0\"",
              "Ca\t1 \"H-00000000000000a0\"",
              "net:10: H-00000000000000a0 has a record in line 5 already, expected one per GUID"},
             {"lid 1 lmc 0 \"sw\"",
              "\"sw\"",
              "net:11: port 1 of H-00000000000000b0 (one) has no "
              "LID, expected 'lid L lmc M' after #"},
             {"Switch\t4",
              "Swich\t4",
              "net:5: 'Swich\t4 \"S-0000000000000' is no line of "
              "ibnetdiscover, expected Switch, Ca, Rt, [port], "
              "key=value, # or an empty line"},
             {"Switch\t4",
              "Switch\t255",
              "net:5: '255 \"S-00000000000000a0\"...', expected a "
              "number of ports 1..254"},
             {"Switch\t4",
              "Switch\tx",
              "net:5: 'x \"S-00000000000000a0\"\t\t...', expected a "
              "number of ports 1..254"},
             {"\"S-00000000000000a0\"\t",
              "\"S-a0\"\t",
              "net:5: '\"\t\t# \"sw\" base port 0 li...', "
              "expected 16 hexadecimal digits"},
             {"base port 0",
              "port 0",
              "net:5: 'port 0 lid 9 lmc 0', expected 'base port 0' or "
              "'enhanced port 0'"},
             {"lid 9 lmc 0", "lid 49152 lmc 0", "net:5: '49152 lmc 0', expected a LID 0..49151"},
             {"lid 9 lmc 0", "lid 9 lmc 8", "net:5: '8', expected an LMC 0..7"},
             {"lid 1 4xNDR",
              "lid 1 4xABC",
              "net:6: '4xABC', expected width and speed, such as "
              "4xHDR"},
             {"lid 1 4xNDR", "lid 1 4xNDR x", "net:6: 'x', expected the end of the line"},
             {"[1]\t\"H",
              "[0]\t\"H",
              "net:6: '0]\t\"H-00000000000000b0\"[...', expected a port number "
              "1..254"},
             {"sysimgguid=0xa0", "sysimgguid=a0", "net:3: 'a0', expected '0x'"},
             {"sysimgguid=0xa0",
              "sysimgguid=0xa0g",
              "net:3: 'g', expected at most 16 hexadecimal "
              "digits"}})
    {
        EXPECT_EQ(Complaint(Replace(SMALL, row.what, row.by)), row.complaint);
    }
    EXPECT_EQ(Complaint("[1]\t\"S-00000000000000a0\"[1]\t# \"sw\" lid 9 4xNDR\n"),
              "net:1: a port without a node, expected Switch, Ca or Rt above");
    EXPECT_EQ(
        Complaint("CA     4  1 0x000000 4x EDR - SW    17 25\n"),
        "net:1: this is the ports report of ibnetdiscover -p, expected its output without -p");
    for (const std::string nothing : {"", "\n", "# comment\n", "nonsense\n", "vendid=0x2c9\n"})
    {
        EXPECT_NE(Complaint(nothing).find("expected ibnetdiscover output"), std::string::npos)
            << nothing;
    }
}

TEST(IbNetDiscoverReader, RefusesACableFromAPortToItself)
{
    const std::string loop = "Switch\t4 \"S-00000000000000a0\"\t# \"sw\" base port 0 lid 9 lmc 0\n"
                             "[1]\t\"S-00000000000000a0\"[2]\t# \"sw\" lid 9 4xNDR\n"
                             "[2]\t\"S-00000000000000a0\"[1]\t# \"sw\" lid 9 4xNDR\n";
    EXPECT_EQ(Complaint(loop), "") << "two ports of a switch";
    EXPECT_EQ(SubnetSummary(Read(loop).graph).selfLinks, 1U);
    EXPECT_EQ(Complaint("Switch\t4 \"S-00000000000000a0\"\t# \"sw\" base port 0 lid 9 lmc 0\n"
                        "[1]\t\"S-00000000000000a0\"[1]\t# \"sw\" lid 9 4xNDR\n"),
              "net:2: it leads from a port to itself, expected another port");
}

// A file that ends anywhere in the middle is noticed, but for ends that are good lines themselves.
TEST(IbNetDiscoverReader, RefusesEveryFileThatIsCutOff)
{
    std::size_t taken = 0;
    for (std::size_t length = 0; length + 1 < SMALL.size(); ++length)
    {
        const std::string complaint = Complaint(SMALL.substr(0, length));
        taken += complaint.empty();
        if (!complaint.empty())
        {
            EXPECT_EQ(complaint.compare(0, 4, "net:"), 0) << complaint;
            EXPECT_EQ(complaint.find('\n'), std::string::npos) << complaint;
            EXPECT_NE(complaint.find("expected"), std::string::npos) << complaint;
        }
    }
    EXPECT_EQ(taken, 2U) << "a switch alone, with and without the end of its line";
}

TEST(IbNetDiscoverReader, TakesTheFileThatIsShipped)
{
    const IbNetDiscover net = IbNetDiscoverReader::ReadFile(SHIPPED);
    EXPECT_TRUE(net.warnings.empty());
    const SubnetSummary summary(net.graph);
    EXPECT_EQ(summary.switches, 6U);
    EXPECT_EQ(summary.adapters, 33U);
    EXPECT_EQ(summary.aggregationNodes, 1U);
    EXPECT_EQ(summary.hosts, 32U);
    EXPECT_EQ(summary.routers, 1U);
    EXPECT_EQ(summary.links, 66U);
    EXPECT_EQ(summary.switchLinks, 32U);
    EXPECT_EQ(summary.unequalLinks, 0U);
    EXPECT_EQ(summary.linksByWidth,
              (std::map<std::string, uint32_t>{{"4xNDR", 49},
                                               {"4xHDR", 15},
                                               {"4xEDR", 1},
                                               {"2xHDR", 1}}));
}

// Whatever line is lost or spoiled, there is one clear line about it, and never a crash.
TEST(IbNetDiscoverReader, SaysWhatIsWrongWithABrokenFile)
{
    const std::vector<std::string> lines = LinesOf(SHIPPED);
    ASSERT_GT(lines.size(), 300U);
    uint32_t refused = 0;
    for (std::size_t i = 0; i < lines.size(); i += 5)
    {
        std::vector<std::string> spoiled = lines;
        const bool matters = lines[i].find("\"") != std::string::npos;
        spoiled.erase(spoiled.begin() + static_cast<std::ptrdiff_t>(i));
        const std::string complaint = Complaint(Join(spoiled));
        EXPECT_EQ(!complaint.empty(), matters) << "line " << i + 1;
        refused += matters;
        if (matters)
        {
            spoiled = lines;
            spoiled[i].resize(lines[i].size() / 2);
            EXPECT_EQ(Complaint(Join(spoiled)).find("net:" + std::to_string(i + 1) + ": "), 0U);
        }
    }
    EXPECT_GT(refused, 10U);
}

TEST(IbNetDiscoverReader, SaysThatAFileCanNotBeRead)
{
    for (const std::string& path : {std::string("/no/such/file"), std::string(AI_FABRIC_MODEL_DIR)})
    {
        EXPECT_THROW(IbNetDiscoverReader::ReadFile(path), std::runtime_error) << path;
    }
}

/** @returns the number in front of a word of a text; 0 if there is none */
static uint32_t
NumberBefore(const std::string& text, const std::string& word)
{
    std::smatch match;
    return std::regex_search(text, match, std::regex("([0-9]+) (" + word + ")"))
               ? static_cast<uint32_t>(std::stoul(match[1]))
               : 0;
}

/** Files of the field, named by an environment variable; what they hold is written in their README.
 */
TEST(IbNetDiscoverReader, FieldFiles)
{
    const char* samples = std::getenv("AI_FABRIC_SAMPLES");
    if (!samples)
    {
        GTEST_SKIP() << "AI_FABRIC_SAMPLES is not set";
    }
    const std::filesystem::path root(samples);
    const std::string readme = Join(LinesOf((root / "README.md").string()));
    uint32_t checked = 0;
    for (const auto& entry : std::filesystem::directory_iterator(root / "ibnetdiscover"))
    {
        const std::string name = entry.path().filename().string();
        SCOPED_TRACE(name);
        const IbNetDiscover net = IbNetDiscoverReader::ReadFile(entry.path().string());
        const std::size_t section = readme.find("**" + name + "**");
        ASSERT_NE(section, std::string::npos);
        const std::size_t begin = readme.find("- expect:", section);
        const std::string expect = readme.substr(begin, readme.find('\n', begin) - begin);
        const SubnetSummary summary(net.graph);
        EXPECT_EQ(summary.switches, NumberBefore(expect, "switches"));
        EXPECT_EQ(summary.adapters, NumberBefore(expect, "CAs"));
        EXPECT_EQ(summary.links, NumberBefore(expect, "links"));
        EXPECT_EQ(summary.switchLinks, NumberBefore(expect, "switch-switch"));
        EXPECT_EQ(summary.selfLinks, NumberBefore(expect, "self"));
        EXPECT_EQ(summary.aggregationNodes, NumberBefore(expect, "aggregation node"));
        EXPECT_EQ(summary.unequalLinks, NumberBefore(expect, "links with unequal ends"));
        if (const uint32_t hosts = NumberBefore(expect, "hosts"))
        {
            EXPECT_EQ(summary.hosts, hosts);
        }
        std::map<std::string, uint32_t> speeds;
        for (const auto& width : summary.linksByWidth)
        {
            speeds[width.first.substr(width.first.find('x') + 1)] += width.second;
        }
        for (const auto& speed : speeds)
        {
            const uint32_t told = NumberBefore(expect, speed.first + "\\b");
            EXPECT_EQ(speed.second, told ? told : summary.links) << speed.first;
        }
        ++checked;
    }
    EXPECT_GT(checked, 0U);
    for (const auto& entry : std::filesystem::directory_iterator(root / "ibnetdiscover-ports"))
    {
        EXPECT_THROW(IbNetDiscoverReader::ReadFile(entry.path().string()), std::invalid_argument);
    }
}
