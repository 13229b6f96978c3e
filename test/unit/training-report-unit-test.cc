/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/step-record.h"
#include "ns3/step-report.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <stdexcept>

using namespace ns3;

namespace
{

/** @returns LB3 by its definition: the maximum over all subsets */
double
BoundBySubsets(const std::vector<ReleasedWork>& work)
{
    double best = 0;
    for (uint32_t subset = 1; subset < (1U << work.size()); ++subset)
    {
        double release = 1e300;
        double tail = 1e300;
        double sum = 0;
        for (std::size_t i = 0; i < work.size(); ++i)
        {
            if (subset & (1U << i))
            {
                release = std::min(release, work[i].release);
                tail = std::min(tail, work[i].tail);
                sum += work[i].duration;
            }
        }
        best = std::max(best, release + sum + tail);
    }
    return best;
}

/** @returns 6 layers of 2 ms backward and 1 ms forward, in ms from the start of the backward pass,
 * equal tails */
std::vector<ReleasedWork>
SixLayers(double duration)
{
    std::vector<ReleasedWork> work;
    for (int layer = 1; layer <= 6; ++layer)
    {
        work.push_back({2.0 * layer, duration, 6.0});
    }
    return work;
}

} // namespace

TEST(TrainingReport, PublishedVectorsInBarrierMode)
{
    const double expected[][3] = {{1, 19, 24}, {2, 20, 30}, {3, 26, 36}};
    for (const auto& [duration, fifo, sequential] : expected)
    {
        const auto work = SixLayers(duration);
        EXPECT_EQ(GetFifoSeconds(18, work), fifo);
        EXPECT_EQ(GetLimitSeconds(18, work), fifo);
        EXPECT_EQ(GetSequentialSeconds(18, work), sequential);
    }
}

TEST(TrainingReport, PublishedVectorsPerLayer)
{
    // The layer that is released last is needed first: its tail is the whole next forward pass.
    const double expected[][3] = {{1, 19, 19}, {2, 20, 20}, {3, 26, 21}};
    for (const auto& [duration, fifo, limit] : expected)
    {
        auto work = SixLayers(duration);
        for (std::size_t i = 0; i < work.size(); ++i)
        {
            work[i].tail = static_cast<double>(i + 1);
        }
        EXPECT_EQ(GetFifoSeconds(18, work), fifo);
        EXPECT_EQ(GetLimitSeconds(18, work), limit);
    }
}

TEST(TrainingReport, ClosedFormOfEqualLayers)
{
    // n layers of t, all-reduce p: n t + p if p <= t, else t + n p.
    for (const double p : {1.0, 4.0, 5.0, 9.0})
    {
        std::vector<ReleasedWork> work;
        for (int i = 1; i <= 7; ++i)
        {
            work.push_back({4.0 * i, p, 0});
        }
        const double expected = p <= 4 ? 28 + p : 4 + 7 * p;
        EXPECT_EQ(GetFifoSeconds(28, work), expected);
        EXPECT_EQ(GetLimitSeconds(28, work), expected);
    }
}

TEST(TrainingReport, JacksonBoundEqualsSubsetBound)
{
    std::mt19937 random(1);
    for (int round = 0; round < 300; ++round)
    {
        std::vector<ReleasedWork> work(1 + random() % 8);
        for (ReleasedWork& piece : work)
        {
            piece = {static_cast<double>(random() % 30),
                     static_cast<double>(random() % 10),
                     static_cast<double>(random() % 30)};
        }
        EXPECT_EQ(GetIntervalBound(work), BoundBySubsets(work));
        EXPECT_GE(GetFifoSeconds(0, work), GetIntervalBound(work));
        for (ReleasedWork& piece : work)
        {
            piece.tail = 3;
        }
        std::sort(work.begin(), work.end(), [](const ReleasedWork& a, const ReleasedWork& b) {
            return a.release < b.release;
        });
        EXPECT_EQ(GetFifoSeconds(0, work), GetIntervalBound(work));
    }
}

TEST(TrainingReport, NoWorkLeavesCompute)
{
    EXPECT_EQ(GetIntervalBound({}), 0);
    EXPECT_EQ(GetLimitSeconds(5, {}), 5);
    EXPECT_EQ(GetFifoSeconds(5, {}), 5);
}

TEST(TrainingReport, BarrierWorkTakesReleasesAndOptimizer)
{
    TrainingStep step;
    step.forward = 1;
    step.backward = 4;
    step.optimizer = 2;
    step.buckets = {{10, 3}, {20, 5}};
    const auto work = GetBarrierWork(step, {1, 2});
    ASSERT_EQ(work.size(), 2U);
    EXPECT_EQ(work[1].release, 5);
    EXPECT_EQ(work[1].duration, 2);
    EXPECT_EQ(work[1].tail, 2);
    EXPECT_EQ(GetLimitSeconds(step.GetComputeSeconds(), work), 9);
    EXPECT_THROW(GetBarrierWork(step, {1}), std::invalid_argument);
}

TEST(TrainingReport, UnionOfIntervals)
{
    EXPECT_EQ(GetUnionMeasure({}), 0);
    EXPECT_EQ(GetUnionMeasure({{5, 8}, {0, 2}, {6, 7}, {8, 9}, {3, 3}}), 6);
    EXPECT_EQ(GetUnionMeasure({{0, 10}, {2, 12}}), 12);
}

TEST(TrainingReport, Metrics)
{
    StepMeasurement measurement;
    measurement.stepSeconds = 20;
    measurement.computeSeconds = 18;
    measurement.communicationSeconds = 12;
    measurement.limitSeconds = 19;
    measurement.sequentialSeconds = 24;
    measurement.modelFlops = 50;
    measurement.peakFlops = 5;
    const StepReport report = MakeStepReport(measurement);
    EXPECT_EQ(report.exposedCommSeconds, 2);
    EXPECT_EQ(report.hiddenCommSeconds, 10);
    EXPECT_DOUBLE_EQ(report.overlapEfficiency, 1 - 2.0 / 12);
    EXPECT_DOUBLE_EQ(report.limitEfficiency, 0.8);
    EXPECT_DOUBLE_EQ(report.gapToLimit, 20.0 / 19 - 1);
    EXPECT_DOUBLE_EQ(report.mfu, 0.5);
    EXPECT_EQ(report.limitSeconds, 19);
}

TEST(TrainingReport, EfficiencyIsNotClampedAndMayHaveNoMeaning)
{
    StepMeasurement measurement;
    measurement.stepSeconds = 10;
    measurement.computeSeconds = 6;
    measurement.communicationSeconds = 2;
    EXPECT_EQ(MakeStepReport(measurement).overlapEfficiency, -1);
    measurement.communicationSeconds = 0;
    measurement.stepSeconds = 6;
    const StepReport alone = MakeStepReport(measurement);
    EXPECT_TRUE(std::isnan(alone.overlapEfficiency));
    EXPECT_TRUE(std::isnan(alone.mfu));
    EXPECT_TRUE(std::isnan(alone.gapToLimit));
    EXPECT_EQ(alone.limitEfficiency, 1);
}

TEST(TrainingReport, RecordsAreAveraged)
{
    StepRecord first;
    first.begin = 0;
    first.end = 100;
    first.compute = 70;
    first.buckets.resize(2);
    first.buckets[0].firstEntry = 10;
    first.buckets[0].completion = 40;
    first.buckets[1].firstEntry = 30;
    first.buckets[1].completion = 60;
    StepRecord second = first;
    second.begin = 100;
    second.end = 220;
    StepRecord unfinished;
    unfinished.begin = 220;
    EXPECT_EQ(GetCommunicationTicks(first), 50);
    const StepMeasurement measured = MeasureSteps({first, second, unfinished});
    EXPECT_DOUBLE_EQ(measured.stepSeconds, FabricSeconds(220) / 2);
    EXPECT_DOUBLE_EQ(measured.computeSeconds, FabricSeconds(70));
    EXPECT_DOUBLE_EQ(measured.communicationSeconds, FabricSeconds(50));
    EXPECT_THROW(MeasureSteps({unfinished}), std::invalid_argument);
}
