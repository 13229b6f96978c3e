/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// pg_profile_lookup.ini: what is read, what is found, what is refused.

#include "ns3/sonic-pg-profile-reader.h"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

using namespace ns3;

namespace
{

/** @returns what went wrong; empty if nothing did */
std::string
ErrorOf(const std::string& text)
{
    try
    {
        SonicPgProfileReader::Read(text, "pg.ini");
    }
    catch (const std::invalid_argument& error)
    {
        return error.what();
    }
    return "";
}

TEST(SonicPgProfile, ReadsRows)
{
    // Comments, blank lines, indented rows, tabs, carriage returns, six and seven columns, no
    // newline at the end.
    const SonicPgProfiles read = SonicPgProfileReader::Read("# PG lossless profiles.\r\n"
                                                            "  # speed cable size xon xoff th\r\n"
                                                            "\r\n"
                                                            "  25000 5m 2000 1000 3000 -3 500\r\n"
                                                            "\t25000\t0.5m\t2000\t0\t2500\t1\r\n"
                                                            "400000 300m 1 2 165888 7",
                                                            "pg.ini");
    ASSERT_EQ(read.profiles.size(), 3U);
    const SonicPgProfile& first = read.profiles[0];
    EXPECT_EQ(first.speed, 25000U);
    EXPECT_EQ(first.cable, "5m");
    EXPECT_EQ(first.cableMeters, 5);
    EXPECT_EQ(first.size, 2000U);
    EXPECT_EQ(first.xon, 1000U);
    EXPECT_EQ(first.xoff, 3000U);
    EXPECT_EQ(first.threshold, -3);
    EXPECT_EQ(first.xonOffset.value(), 500U);
    EXPECT_EQ(first.line, 4U);
    EXPECT_EQ(read.profiles[1].cableMeters, 0.5);
    EXPECT_FALSE(read.profiles[1].xonOffset.has_value());
    EXPECT_EQ(read.profiles[2].xoff, 165888U);
    EXPECT_EQ(read.profiles[2].line, 6U);
}

TEST(SonicPgProfile, FindsExactlyOrTheNextLongerCable)
{
    const SonicPgProfiles read = SonicPgProfileReader::Read("100000 300m 1 1 3 0\n"
                                                            "100000 5m 1 1 1 0\n"
                                                            "100000 40m 1 1 2 0\n"
                                                            "50000 5m 1 1 9 0\n",
                                                            "pg.ini");
    EXPECT_EQ(read.Find(100000, "40m")->xoff, 2U);
    EXPECT_EQ(read.Find(100000, "7m"), nullptr);
    EXPECT_EQ(read.Find(40000, "5m"), nullptr);
    EXPECT_EQ(read.FindAtLeast(100000, "5m")->xoff, 1U);
    EXPECT_EQ(read.FindAtLeast(100000, "7m")->xoff, 2U);
    EXPECT_EQ(read.FindAtLeast(100000, "299.5m")->xoff, 3U);
    EXPECT_EQ(read.FindAtLeast(100000, "301m"), nullptr);
    EXPECT_EQ(read.FindAtLeast(50000, "5m")->xoff, 9U);
    EXPECT_EQ(read.Describe(100000), "300m, 5m, 40m at 100000 Mb/s");
    EXPECT_EQ(read.Describe(40000), "50000, 100000 Mb/s");
}

TEST(SonicPgProfile, RefusesWithFileLineAndCause)
{
    EXPECT_EQ(ErrorOf("# only\n100000 5m 1 1 1\n"),
              "pg.ini:2: 5 columns, expected 6 or 7: speed cable size xon xoff threshold "
              "[xon_offset]");
    EXPECT_EQ(ErrorOf("1 5m 1 1 1 0 0 0\n"),
              "pg.ini:1: 8 columns, expected 6 or 7: speed cable size xon xoff threshold "
              "[xon_offset]");
    EXPECT_EQ(ErrorOf("\n100G 5m 1 1 1 0\n"),
              "pg.ini:2: speed \"100G\", expected a number in 1..10000000");
    EXPECT_EQ(ErrorOf("0 5m 1 1 1 0\n"), "pg.ini:1: speed \"0\", expected a number in 1..10000000");
    EXPECT_EQ(ErrorOf("100000 5 1 1 1 0\n"),
              "pg.ini:1: cable \"5\", expected a length in meters such as 5m");
    EXPECT_EQ(ErrorOf("100000 5km 1 1 1 0\n"),
              "pg.ini:1: cable \"5km\", expected a length in meters such as 5m");
    EXPECT_EQ(ErrorOf("100000 5m -1 1 1 0\n"),
              "pg.ini:1: size \"-1\", expected a number in 0..1099511627776");
    EXPECT_EQ(ErrorOf("100000 5m 1 x 1 0\n"),
              "pg.ini:1: xon \"x\", expected a number in 0..1099511627776");
    EXPECT_EQ(ErrorOf("100000 5m 1 1 1e6 0\n"),
              "pg.ini:1: xoff \"1e6\", expected a number in 0..1099511627776");
    EXPECT_EQ(ErrorOf("100000 5m 1 1 1 -9\n"),
              "pg.ini:1: threshold \"-9\", expected log2 of alpha, -8..8, or bytes of a static "
              "pool");
    EXPECT_EQ(ErrorOf("100000 5m 1 1 1 0 99999999999999999999\n"),
              "pg.ini:1: xon_offset \"99999999999999999999\", expected a number in "
              "0..1099511627776");
    EXPECT_EQ(ErrorOf("100000 5m 1 1 1 0\n# again\n100000 5m 2 2 2 0\n"),
              "pg.ini:3: a second profile of 100000 Mb/s and 5m, the first is in line 1, expected "
              "one");
    EXPECT_EQ(ErrorOf("# nothing\n\n"),
              "pg.ini:2: no profile in the whole file, expected rows of speed cable size xon xoff "
              "threshold [xon_offset]");
    EXPECT_EQ(ErrorOf(""),
              "pg.ini:1: no profile in the whole file, expected rows of speed cable size xon xoff "
              "threshold [xon_offset]");
}

TEST(SonicPgProfile, NamesAFileThatIsNotThere)
{
    try
    {
        SonicPgProfileReader::ReadFile("no-such-folder/pg.ini");
        FAIL() << "read";
    }
    catch (const std::runtime_error& error)
    {
        EXPECT_STREQ(error.what(), "no-such-folder/pg.ini: can not be opened for reading");
    }
}

TEST(SonicPgProfile, ReadsFilesOfSwitches)
{
    const char* folder = std::getenv("AI_FABRIC_SAMPLES");
    if (!folder)
    {
        GTEST_SKIP() << "AI_FABRIC_SAMPLES names no folder";
    }
    const std::filesystem::path files = std::filesystem::path(folder) / "sonic-pg-profile";
    const SonicPgProfiles th5 =
        SonicPgProfileReader::ReadFile(files / "th5-o128-pg_profile_lookup.ini");
    EXPECT_EQ(th5.profiles.size(), 12U);
    EXPECT_EQ(th5.Describe(100000), "5m, 30m, 40m, 60m, 150m, 500m at 100000 Mb/s");
    EXPECT_EQ(th5.Describe(1), "100000, 400000 Mb/s");
    const SonicPgProfile* short400 = th5.Find(400000, "5m");
    ASSERT_NE(short400, nullptr);
    EXPECT_EQ(short400->size, 18796U);
    EXPECT_EQ(short400->xon, 0U);
    EXPECT_EQ(short400->xoff, 445770U);
    EXPECT_EQ(short400->threshold, 0);
    EXPECT_EQ(short400->xonOffset.value(), 3556U);

    const SonicPgProfiles tofino =
        SonicPgProfileReader::ReadFile(files / "tofino2-newport-pg_profile_lookup.ini");
    EXPECT_EQ(tofino.profiles.size(), 18U);
    EXPECT_EQ(tofino.Describe(1), "10000, 25000, 40000, 50000, 100000, 400000 Mb/s");
    const SonicPgProfile* long400 = tofino.Find(400000, "300m");
    ASSERT_NE(long400, nullptr);
    EXPECT_EQ(long400->size, 184320U);
    EXPECT_EQ(long400->xon, 18432U);
    EXPECT_EQ(long400->xoff, 165888U);
    EXPECT_EQ(long400->threshold, 7);
    EXPECT_FALSE(long400->xonOffset.has_value());
}

} // namespace
