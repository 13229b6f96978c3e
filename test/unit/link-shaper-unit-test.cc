/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Shaping of traffic classes, and the pause response times of the standard.

#include "../support/picosecond-test.h"

#include "ns3/class-shaper.h"
#include "ns3/pause-response.h"

#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

using namespace ns3;

namespace
{

/** @returns the line that Parse throws; empty if it takes the text */
std::string
ErrorOf(const std::string& text)
{
    try
    {
        ClassShaper::Parse(text, 8);
    }
    catch (const std::invalid_argument& error)
    {
        return error.what();
    }
    return "";
}

} // namespace

TEST(ClassShaper, ReadsLimits)
{
    const ClassShaper::Limits limits = ClassShaper::Parse("3:10Gbps,5:1.5Gbps:9216", 8);
    EXPECT_EQ(limits[3].rate, 10000000000U);
    EXPECT_EQ(limits[3].burst, 0U);
    EXPECT_EQ(limits[5].rate, 1500000000U);
    EXPECT_EQ(limits[5].burst, 9216U);
    EXPECT_EQ(limits[0].rate, 0U);
    const std::string expected = ", expected class:rate or class:rate:burst, a class 0..7, a rate "
                                 "such as 10Gbps and bytes";
    for (const std::string item : {"8:1Gbps",
                                   "3",
                                   "3:0bps",
                                   "3:fast",
                                   "3:1Gbps:x",
                                   "x:1Gbps",
                                   "3:1Gbps:1:1",
                                   "3:",
                                   "-1:1Gbps",
                                   "3:1Gbps:1234567890"})
    {
        EXPECT_EQ(ErrorOf("1:1Gbps," + item),
                  "Shaping \"1:1Gbps," + item + "\": \"" + item + "\"" + expected);
    }
}

TEST(ClassShaper, RateIsExactOverManyFrames)
{
    USE_PICOSECONDS();
    ClassShaper::Limits limits{};
    limits[3].rate = 7000000000; // 4178 bytes take 4774857.142... ps
    ClassShaper shaper(limits);
    FabricTick now = 0;
    constexpr int FRAMES = 7000;
    for (int i = 0; i < FRAMES; ++i)
    {
        ASSERT_FALSE(shaper.HoldsBack(3, now));
        shaper.Sent(3, 4178, now);
        ASSERT_TRUE(shaper.HoldsBack(3, now));
        now = shaper.GetDue(3);
    }
    EXPECT_EQ(now, FabricTick{4178} * 8 * FRAMES * 1000 / 7);
    EXPECT_FALSE(shaper.HoldsBack(4, now)) << "no limit";
    shaper.Sent(4, 4178, now);
    EXPECT_FALSE(shaper.HoldsBack(4, now));
}

TEST(ClassShaper, BurstAfterAPause)
{
    USE_PICOSECONDS();
    ClassShaper::Limits limits{};
    limits[0].rate = 8000000000; // a byte takes 1000 ps
    limits[0].burst = 3000;
    ClassShaper shaper(limits);
    const FabricTick now = 1000000000;
    // The bucket holds 3000 bytes, and the frame that empties it may overdraw it.
    int frames = 0;
    while (!shaper.HoldsBack(0, now))
    {
        shaper.Sent(0, 1000, now);
        ++frames;
    }
    EXPECT_EQ(frames, 4);
    EXPECT_EQ(shaper.GetDue(0), now + 1000 * 1000);
    shaper.Shift(500);
    EXPECT_EQ(shaper.GetDue(0), now + 1000 * 1000 + 500);
}

TEST(PauseResponse, IsThatOfTheStandard)
{
    constexpr uint64_t GIGA = 1000000000;
    EXPECT_EQ(GetMaxPauseResponseQuanta(10 * GIGA), 60U);
    EXPECT_EQ(GetMaxPauseResponseQuanta(25 * GIGA), 80U);
    EXPECT_EQ(GetMaxPauseResponseQuanta(40 * GIGA), 118U);
    EXPECT_EQ(GetMaxPauseResponseQuanta(50 * GIGA), 147U);
    EXPECT_EQ(GetMaxPauseResponseQuanta(100 * GIGA), 394U);
    EXPECT_EQ(GetMaxPauseResponseQuanta(200 * GIGA), 453U);
    EXPECT_EQ(GetMaxPauseResponseQuanta(400 * GIGA), 905U);
    EXPECT_EQ(GetMaxPauseResponseQuanta(800 * GIGA), 905U);
    EXPECT_EQ(GetMaxPauseResponseQuanta(37 * GIGA), 118U);
    EXPECT_EQ(GetMaxPauseResponseQuanta(1), 60U);
}
