/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Frame errors that follow from a bit error rate.

#include "ns3/bit-error-process.h"

#include <cmath>
#include <gtest/gtest.h>
#include <tuple>
#include <vector>

using namespace ns3;

namespace
{

class BitErrors : public ::testing::TestWithParam<std::tuple<double, uint32_t>>
{
};

TEST_P(BitErrors, FramesAreHitAsOftenAsTheirLengthSays)
{
    const auto [rate, bytes] = GetParam();
    BitErrorProcess process;
    process.SetRate(rate);
    EXPECT_EQ(process.AssignStreams(7), 1);
    constexpr uint32_t FRAMES = 400000;
    uint32_t hits = 0;
    uint32_t pairs = 0; // a hit directly after another one
    bool before = false;
    for (uint32_t i = 0; i < FRAMES; ++i)
    {
        const bool hit = process.Hits(bytes);
        hits += hit;
        pairs += hit && before;
        before = hit;
    }
    const double p = -std::expm1(8.0 * bytes * std::log1p(-rate));
    EXPECT_NEAR(hits, FRAMES * p, 3 * std::sqrt(FRAMES * p * (1 - p)));
    const double q = p * p; // neighbours are independent
    EXPECT_NEAR(pairs, FRAMES * q, 4 * std::sqrt(FRAMES * q * (1 + 2 * p)) + 1);
}

INSTANTIATE_TEST_SUITE_P(OfRatesAndLengths,
                         BitErrors,
                         ::testing::Combine(::testing::Values(1e-9, 1e-7, 1e-5),
                                            ::testing::Values(64U, 1024U, 4178U)));

TEST(BitErrors, MixedLengthsAreIndependent)
{
    // Short frames between long ones are hit as often as without them.
    BitErrorProcess process;
    process.SetRate(1e-5);
    process.AssignStreams(3);
    constexpr uint32_t FRAMES = 300000;
    const std::vector<uint32_t> lengths{64, 4178};
    std::vector<uint32_t> hits(2);
    for (uint32_t i = 0; i < FRAMES; ++i)
    {
        for (uint32_t j = 0; j < 2; ++j)
        {
            hits[j] += process.Hits(lengths[j]);
        }
    }
    for (uint32_t j = 0; j < 2; ++j)
    {
        const double p = -std::expm1(8.0 * lengths[j] * std::log1p(-1e-5));
        EXPECT_NEAR(hits[j], FRAMES * p, 3 * std::sqrt(FRAMES * p * (1 - p))) << lengths[j];
    }
}

TEST(BitErrors, NoneWithoutARate)
{
    BitErrorProcess process;
    EXPECT_FALSE(process.IsOn());
    EXPECT_EQ(process.AssignStreams(1), 0);
    process.SetRate(0.5);
    EXPECT_TRUE(process.Hits(64));
    process.SetRate(0);
    EXPECT_FALSE(process.IsOn());
}

} // namespace
