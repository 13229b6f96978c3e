/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Numbers on the command line: all of the text, within bounds, or one clear line.

#include "ns3/bounded-option.h"
#include "ns3/command-line.h"

#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/** @returns what an option says of a text; empty if it takes it */
template <typename T>
std::string
Complaint(BoundedOption<T> option, const std::string& text)
{
    try
    {
        option.Parse(text);
    }
    catch (const std::invalid_argument& error)
    {
        return error.what();
    }
    return "";
}

} // namespace

TEST(BoundedOption, TakesNumbersWithinBounds)
{
    BoundedOption<uint32_t> count("count", 8, 1, 4294967295);
    EXPECT_EQ(count, 8U);
    for (const auto& row :
         std::vector<std::pair<std::string, uint32_t>>{{"1", 1},
                                                       {"17", 17},
                                                       {"+5", 5},
                                                       {"007", 7},
                                                       {"4294967295", 4294967295}})
    {
        count.Parse(row.first);
        EXPECT_EQ(count, row.second) << row.first;
    }
    BoundedOption<double> length("length", 1, -0.5, 1e6);
    for (const auto& row : std::vector<std::pair<std::string, double>>{{"-0.5", -0.5},
                                                                       {"1e6", 1e6},
                                                                       {"1000000", 1e6},
                                                                       {".25", 0.25},
                                                                       {"3.", 3}})
    {
        length.Parse(row.first);
        EXPECT_EQ(length, row.second) << row.first;
    }
    BoundedOption<uint64_t> bytes("bytes", 0, 0, uint64_t{1} << 62);
    bytes.Parse("4611686018427387904");
    EXPECT_EQ(bytes, uint64_t{1} << 62);
}

TEST(BoundedOption, RefusesAllElse)
{
    const BoundedOption<uint32_t> count("count", 8, 1, 100);
    for (const std::string text : {"",
                                   "0",
                                   "-1",
                                   "101",
                                   "4294967297",
                                   "8x",
                                   "x",
                                   "1.5",
                                   "8 ",
                                   "1e2",
                                   "0x10",
                                   "99999999999999999999",
                                   "nan",
                                   "--1",
                                   "1,2",
                                   "-99999999999999999999"})
    {
        EXPECT_EQ(Complaint(count, text), "--count=" + text + ", expected a whole number 1..100");
    }
    const BoundedOption<double> length("length", 1, 0, 10);
    for (const std::string text :
         {"", "-1", "10.001", "nan", "inf", "-inf", "1m", "1e999", "1 2", "x"})
    {
        EXPECT_EQ(Complaint(length, text), "--length=" + text + ", expected a number 0..10");
    }
}

TEST(BoundedOption, KeepsItsValueOnErrors)
{
    BoundedOption<uint32_t> count("count", 8, 1, 100);
    EXPECT_THROW(count.Parse("101"), std::invalid_argument);
    EXPECT_THROW(count.Set(101), std::invalid_argument);
    EXPECT_EQ(count, 8U);
    count.Set(9);
    EXPECT_EQ(count.Get(), 9U);
    BoundedOption<double> length("length", 1, 0, 10);
    EXPECT_THROW(length.Set(std::nan("")), std::invalid_argument);
}

TEST(BoundedOption, InCommandLine)
{
    BoundedOption<uint32_t> count("count", 8, 1, 100);
    CommandLine cmd;
    cmd.AddValue("count", "How many", count);
    cmd.Parse(std::vector<std::string>{"program", "--count=12"});
    EXPECT_EQ(count, 12U);
    EXPECT_THROW(cmd.Parse(std::vector<std::string>{"program", "--count=12x"}),
                 std::invalid_argument);
    EXPECT_EQ(count, 12U);
}
