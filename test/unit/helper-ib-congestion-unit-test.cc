/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Sets of congestion control parameters by name, and fair shares of links.

#include "ns3/ib-congestion-parameters.h"
#include "ns3/max-min-share.h"

#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

TEST(IbCongestionParameters, PublishedSets)
{
    EXPECT_FALSE(IbCongestionParameters().IsEnabled());
    EXPECT_FALSE(IbCongestionParameters::Get("opensm").IsEnabled());
    const auto gran = IbCongestionParameters::Get("gran2010");
    EXPECT_TRUE(gran.IsEnabled());
    EXPECT_EQ(gran.threshold, 15);
    EXPECT_EQ(gran.markingRate, 0);
    EXPECT_EQ(gran.packetSize, 8);
    EXPECT_EQ(gran.increase, 1);
    EXPECT_EQ(gran.limit, 127);
    EXPECT_EQ(gran.min, 0);
    EXPECT_EQ(gran.timer, 150);
    EXPECT_EQ(gran.tableMultiplier, 1);
    EXPECT_EQ(gran.tableShift, 0);
    for (const std::string& name : IbCongestionParameters::ListNames())
    {
        EXPECT_NO_THROW(IbCongestionParameters::Get(name));
    }
}

TEST(IbCongestionParameters, NamesWhatItKnows)
{
    try
    {
        IbCongestionParameters::Get("grand2010");
        FAIL() << "accepted";
    }
    catch (const std::invalid_argument& problem)
    {
        EXPECT_NE(std::string(problem.what()).find("'grand2010', expected opensm, gran2010"),
                  std::string::npos);
    }
}

TEST(MaxMinShare, FillsUp)
{
    // Two flows on link 0 of 10, one of them on link 1 of 3 as well, a third alone on link 2.
    const std::vector<double> shares = GetMaxMinShares({{0, 1}, {0}, {2}}, {10, 3, 8});
    EXPECT_DOUBLE_EQ(shares[0], 3);
    EXPECT_DOUBLE_EQ(shares[1], 7);
    EXPECT_DOUBLE_EQ(shares[2], 8);
    // A parking lot.
    const std::vector<double> lot = GetMaxMinShares({{0, 1, 2}, {0}, {1}, {2}}, {6, 4, 2});
    EXPECT_DOUBLE_EQ(lot[0], 1);
    EXPECT_DOUBLE_EQ(lot[1], 5);
    EXPECT_DOUBLE_EQ(lot[2], 3);
    EXPECT_DOUBLE_EQ(lot[3], 1);
    EXPECT_TRUE(GetMaxMinShares({}, {}).empty());
}

TEST(MaxMinShare, RefusesWhatCannotBe)
{
    EXPECT_THROW(GetMaxMinShares({{}}, {1}), std::invalid_argument);
    EXPECT_THROW(GetMaxMinShares({{0}, {1}}, {1}), std::invalid_argument);
}

} // namespace
