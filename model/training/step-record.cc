/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "step-record.h"

#include <stdexcept>

namespace ns3
{

FabricTick
GetCommunicationTicks(const StepRecord& record)
{
    std::vector<std::pair<FabricTick, FabricTick>> intervals;
    for (const BucketRecord& bucket : record.buckets)
    {
        intervals.emplace_back(bucket.firstEntry, bucket.completion);
    }
    return GetUnionMeasure(intervals);
}

StepMeasurement
MeasureSteps(const std::vector<StepRecord>& records)
{
    FabricTick step = 0;
    FabricTick compute = 0;
    FabricTick communication = 0;
    uint32_t count = 0;
    for (const StepRecord& record : records)
    {
        if (record.end != FABRIC_NEVER)
        {
            step += record.end - record.begin;
            compute += record.compute;
            communication += GetCommunicationTicks(record);
            ++count;
        }
    }
    if (count == 0)
    {
        throw std::invalid_argument("training job: expected at least one step that is over");
    }
    StepMeasurement measurement;
    measurement.stepSeconds = FabricSeconds(step) / count;
    measurement.computeSeconds = FabricSeconds(compute) / count;
    measurement.communicationSeconds = FabricSeconds(communication) / count;
    return measurement;
}

} // namespace ns3
