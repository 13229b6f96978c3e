/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Marking curves.

#include "ns3/wred-marker.h"

#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

using namespace ns3;

TEST(WredMarker, FollowsTheCurve)
{
    WredMarker marker;
    marker.Configure(2, 0);
    EXPECT_EQ(marker.Pass(1, 3, 1ULL << 40), 0) << "no curve marks nothing";
    marker.SetCurve(1, 3, {1000, 5000, 0.2});
    EXPECT_EQ(marker.Pass(1, 3, 1000), 0);
    EXPECT_DOUBLE_EQ(marker.Pass(1, 3, 1001), 0.2 / 4000);
    EXPECT_DOUBLE_EQ(marker.Pass(1, 3, 3000), 0.1);
    EXPECT_DOUBLE_EQ(marker.Pass(1, 3, 4999), 0.2 * 3999 / 4000);
    EXPECT_EQ(marker.Pass(1, 3, 5000), 1);
    EXPECT_EQ(marker.Pass(1, 4, 5000), 0) << "another queue";
    marker.SetCurve(1, 4, {1000, 1000, 0.5});
    EXPECT_EQ(marker.Pass(1, 4, 1000), 0);
    EXPECT_EQ(marker.Pass(1, 4, 1001), 1) << "a step";
}

TEST(WredMarker, AverageMovesByItsWeight)
{
    WredMarker marker;
    marker.Configure(1, 3);
    marker.SetCurve(0, 0, {1000, 2000, 1});
    double average = 0;
    for (int i = 0; i < 20; ++i)
    {
        average += (8000 - average) / 8;
        const double expected = average <= 1000 ? 0 : average >= 2000 ? 1 : (average - 1000) / 1000;
        EXPECT_DOUBLE_EQ(marker.Pass(0, 0, 8000), expected) << i;
    }
    EXPECT_DOUBLE_EQ(marker.GetAverage(0, 0), average);
    EXPECT_EQ(marker.GetAverage(0, 1), 0);
}

TEST(WredMarker, PublishedCurvesScaleWhereTheirSourceDoes)
{
    constexpr uint64_t GIGA = 1000000000;
    for (const auto& row : {std::pair<uint64_t, uint64_t>{25, 1}, {50, 2}, {100, 4}, {400, 16}})
    {
        const WredMarker::Curve curve = WredMarker::Preset("hpcc", row.first * GIGA);
        EXPECT_EQ(curve.kmin, 100000 * row.second);
        EXPECT_EQ(curve.kmax, 400000 * row.second);
        EXPECT_EQ(curve.pmax, 0.2);
    }
    // Any rate has a curve.
    EXPECT_EQ(WredMarker::Preset("hpcc", 37 * GIGA).kmin, 148000U);
    EXPECT_EQ(WredMarker::Preset("dctcp", 40 * GIGA).kmin, 120000U);
    EXPECT_EQ(WredMarker::Preset("dctcp", 40 * GIGA).kmax, 120000U);
    EXPECT_EQ(WredMarker::Preset("dcqcn-paper", 40 * GIGA).kmin, 5000U);
    EXPECT_EQ(WredMarker::Preset("dcqcn-paper", 100 * GIGA).kmax, 200000U);
    EXPECT_EQ(WredMarker::Preset("sonic-lossless", GIGA).kmax, 2U << 20);
    for (const std::string& name : WredMarker::GetPresets())
    {
        const WredMarker::Curve curve = WredMarker::Preset(name, 100 * GIGA);
        EXPECT_LE(curve.kmin, curve.kmax) << name;
        EXPECT_GT(curve.pmax, 0) << name;
    }
}

TEST(WredMarker, RefusesWhatCanNotBe)
{
    WredMarker marker;
    marker.Configure(1, 0);
    EXPECT_THROW(marker.SetCurve(0, 0, {2, 1, 0.5}), std::invalid_argument);
    EXPECT_THROW(marker.SetCurve(0, 0, {1, 2, 1.5}), std::invalid_argument);
    EXPECT_THROW(marker.SetCurve(0, 0, {1, 2, -0.1}), std::invalid_argument);
    try
    {
        WredMarker::Preset("redd", 1);
        FAIL();
    }
    catch (const std::invalid_argument& error)
    {
        EXPECT_STREQ(error.what(),
                     "ECN curve 'redd', expected one of hpcc, dcqcn-paper, ns3-rdma, dctcp, "
                     "sonic-lossless, nvidia");
    }
}
