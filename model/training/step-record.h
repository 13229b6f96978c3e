/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef STEP_RECORD_H
#define STEP_RECORD_H

#include "step-report.h"

#include "ns3/fabric-tick.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/** @ingroup ai-fabric What was seen of one bucket over all ranks. Absolute ticks, FABRIC_NEVER if
 * it did not happen. */
struct BucketRecord
{
    uint64_t bytes{0};                   //!< size of the reduced vector
    FabricTick release{FABRIC_NEVER};    //!< gradients complete on the last rank (r_j)
    FabricTick firstEntry{FABRIC_NEVER}; //!< first rank entered the collective
    FabricTick lastEntry{FABRIC_NEVER};  //!< last rank entered it
    FabricTick completion{FABRIC_NEVER}; //!< last rank has its result (c_j)
};

/** @ingroup ai-fabric What was seen of one step over all ranks. */
struct StepRecord
{
    FabricTick begin{
        FABRIC_NEVER}; //!< end of the step before; of the first step, its start on the first rank
    FabricTick end{FABRIC_NEVER}; //!< end on the last rank, FABRIC_NEVER if the step is not over
    FabricTick compute{
        0}; //!< length of the step with the same compute times and no communication time
    std::vector<BucketRecord> buckets; //!< in the order of readiness
};

/**
 * @ingroup ai-fabric
 * Ticks of a step in which at least one collective was in flight: from the first entry of a rank to
 * the result on the last one, so waiting for a late rank counts.
 * @param record a step that is over
 * @returns T_com
 */
FabricTick GetCommunicationTicks(const StepRecord& record);

/**
 * @ingroup ai-fabric
 * Average over the steps that are over.
 * @param records steps of a job
 * @returns a measurement with step, compute and communication seconds; the other fields are left
 * for the caller
 * @throws std::invalid_argument if no step is over
 */
StepMeasurement MeasureSteps(const std::vector<StepRecord>& records);

} // namespace ns3

#endif // STEP_RECORD_H
