/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// JSON with lines: every value knows where it stands.

#include "ns3/json-tree.h"

#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

using namespace ns3;

namespace
{

std::string
ErrorOf(const std::string& text)
{
    try
    {
        ParseJsonTree(text, "x.json");
    }
    catch (const std::runtime_error& error)
    {
        return error.what();
    }
    return "";
}

/** @returns all nodes as "line key=text", objects in braces, lists in brackets */
std::string
Print(const JsonNode& node)
{
    std::string text = std::to_string(node.line) + (node.key.empty() ? "" : " " + node.key + "=");
    if (node.kind != JsonNode::OBJECT && node.kind != JsonNode::ARRAY)
    {
        return text + (node.kind == JsonNode::STRING ? "'" + node.text + "'" : ":" + node.text);
    }
    text += node.kind == JsonNode::OBJECT ? "{" : "[";
    for (const JsonNode& item : node.items)
    {
        text += Print(item) + ";";
    }
    return text + (node.kind == JsonNode::OBJECT ? "}" : "]");
}

TEST(JsonTree, EveryValueHasItsLine)
{
    EXPECT_EQ(Print(ParseJsonTree("\xEF\xBB\xBF{\r\n"
                                  "  \"a\": \"x\\ny\\u00e9\",\r\n"
                                  "  \"b\":\r\n"
                                  "    {\"c\": -12, \"d\":\r\n"
                                  "      1.5e3\r\n"
                                  "    },\r\n"
                                  "  \"l\": [true, null,\r\n"
                                  "   {}, \"\"], \"a\": 18446744073709551615}\r\n",
                                  "x.json")),
              "1{2 a='x\ny\xC3\xA9';3 b={4 c=:-12;4 d=:1.5e3;};7 l=[7:true;7:null;8{};8'';];"
              "8 a=:18446744073709551615;}");
    EXPECT_EQ(Print(ParseJsonTree("{}", "x.json")), "1{}");
    EXPECT_EQ(Print(ParseJsonTree("\n\n{\"k\":0}", "x.json")), "3{3 k=:0;}");
}

TEST(JsonTree, RefusesWithFileLineAndColumn)
{
    EXPECT_EQ(ErrorOf("{\n \"a\": 1,\n}\n").substr(0, 12), "x.json:3:1: ");
    EXPECT_EQ(ErrorOf("{\n \"a\": \"b\n\"}\n").substr(0, 13), "x.json:2:9: n");
    EXPECT_EQ(ErrorOf("{\"a\": 1").substr(0, 12), "x.json:1:8: ");
    EXPECT_EQ(ErrorOf("[1]"), "x.json:1:1: expected a JSON object {...} at the top");
    EXPECT_NE(ErrorOf(std::string(40, '[')), "");
    EXPECT_NE(ErrorOf(""), "");
}

} // namespace
