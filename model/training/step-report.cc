/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "step-report.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <stdexcept>
#include <string>

namespace ns3
{

namespace
{

constexpr double UNDEFINED = std::numeric_limits<double>::quiet_NaN(); //!< a ratio without meaning

/** @returns a / b, undefined if b is 0 */
double
Ratio(double a, double b)
{
    return b == 0 ? UNDEFINED : a / b;
}

} // namespace

double
GetIntervalBound(std::vector<ReleasedWork> work)
{
    std::sort(work.begin(), work.end(), [](const ReleasedWork& a, const ReleasedWork& b) {
        return a.release < b.release;
    });
    // Longest tail first; the second number is the duration that is left.
    std::priority_queue<std::pair<double, double>> ready;
    double now = 0;
    double makespan = 0;
    std::size_t next = 0;
    while (next < work.size() || !ready.empty())
    {
        if (ready.empty())
        {
            now = std::max(now, work[next].release);
        }
        for (; next < work.size() && work[next].release <= now; ++next)
        {
            ready.emplace(work[next].tail, work[next].duration);
        }
        const auto [tail, left] = ready.top();
        ready.pop();
        const double end = now + left;
        if (next < work.size() && work[next].release < end)
        {
            // Something is released before this one ends: look again then.
            ready.emplace(tail, end - work[next].release);
            now = work[next].release;
            continue;
        }
        now = end;
        makespan = std::max(makespan, now + tail);
    }
    return makespan;
}

double
GetLimitSeconds(double computeSeconds, const std::vector<ReleasedWork>& work)
{
    // The critical path r + p + q of a single communication is the interval bound of a subset of
    // one.
    return std::max(computeSeconds, GetIntervalBound(work));
}

double
GetFifoSeconds(double computeSeconds, const std::vector<ReleasedWork>& work)
{
    double end = 0;
    double makespan = computeSeconds;
    for (const ReleasedWork& piece : work)
    {
        end = std::max(end, piece.release) + piece.duration;
        makespan = std::max(makespan, end + piece.tail);
    }
    return makespan;
}

double
GetSequentialSeconds(double computeSeconds, const std::vector<ReleasedWork>& work)
{
    double sum = computeSeconds;
    for (const ReleasedWork& piece : work)
    {
        sum += piece.duration;
    }
    return sum;
}

std::vector<ReleasedWork>
GetBarrierWork(const TrainingStep& step, const std::vector<double>& durations)
{
    if (durations.size() != step.buckets.size())
    {
        throw std::invalid_argument("limit of a step: expected one duration per bucket (" +
                                    std::to_string(step.buckets.size()) + "), found " +
                                    std::to_string(durations.size()));
    }
    std::vector<ReleasedWork> work;
    for (std::size_t i = 0; i < durations.size(); ++i)
    {
        work.push_back({step.buckets[i].release, durations[i], step.optimizer});
    }
    return work;
}

FabricTick
GetUnionMeasure(std::vector<std::pair<FabricTick, FabricTick>> intervals)
{
    std::sort(intervals.begin(), intervals.end());
    FabricTick measure = 0;
    FabricTick covered = std::numeric_limits<FabricTick>::min();
    for (const auto& [begin, end] : intervals)
    {
        const FabricTick from = std::max(begin, covered);
        if (end > from)
        {
            measure += end - from;
            covered = end;
        }
    }
    return measure;
}

StepReport
MakeStepReport(const StepMeasurement& m)
{
    StepReport report;
    report.stepSeconds = m.stepSeconds;
    report.computeSeconds = m.computeSeconds;
    report.exposedCommSeconds = m.stepSeconds - m.computeSeconds;
    report.communicationSeconds = m.communicationSeconds;
    report.hiddenCommSeconds = m.communicationSeconds - report.exposedCommSeconds;
    report.limitSeconds = m.limitSeconds;
    report.overlapEfficiency = 1 - Ratio(report.exposedCommSeconds, m.communicationSeconds);
    report.limitEfficiency =
        m.sequentialSeconds == m.limitSeconds
            ? 1
            : (m.sequentialSeconds - m.stepSeconds) / (m.sequentialSeconds - m.limitSeconds);
    report.gapToLimit = Ratio(m.stepSeconds, m.limitSeconds) - 1;
    const double possible = m.stepSeconds * m.peakFlops;
    report.mfu = m.modelFlops == 0 ? UNDEFINED : Ratio(m.modelFlops, possible);
    return report;
}

} // namespace ns3
