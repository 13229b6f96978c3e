/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TRAINING_STEP_H
#define TRAINING_STEP_H

#include "gradient-buckets.h"
#include "layer-times.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/** @ingroup ai-fabric One exchange of gradients within a step. */
struct StepBucket
{
    uint64_t bytes{0}; //!< size of the vector that is reduced
    double release{0}; //!< seconds from the start of the step to the moment at which its gradients
                       //!< are complete
};

/**
 * @ingroup ai-fabric
 * What one GPU does in one step: forward, backward, optimizer, and when which bucket is ready.
 *
 * The optimizer needs all buckets (the barrier mode of DistributedDataParallel).
 */
struct TrainingStep
{
    double forward{0};               //!< seconds
    double backward{0};              //!< seconds
    double optimizer{0};             //!< seconds
    std::vector<StepBucket> buckets; //!< in the order of readiness

    /** @returns seconds of a step whose communication takes no time */
    double GetComputeSeconds() const
    {
        return forward + backward + optimizer;
    }
};

/**
 * @ingroup ai-fabric
 * Lay the layers of a model on the compute stream: forward from the embedding to the head, backward
 * in reverse. A gradient is complete at the end of the backward pass of its layer.
 * @param times per layer, as GetLayerTimes returns them
 * @param buckets as MakeGradientBuckets returns them
 * @param optimizerSeconds time of the optimizer
 * @returns the step
 * @throws std::invalid_argument if a bucket names a layer that has no time, or a time is negative
 * or not finite
 */
TrainingStep MakeTrainingStep(const std::vector<LayerTime>& times,
                              const std::vector<GradientBucket>& buckets,
                              double optimizerSeconds);

/**
 * @ingroup ai-fabric
 * Refuse a step that no compute stream can run.
 * @param step the step
 * @throws std::invalid_argument with one line if a time is negative or not finite, or releases are
 * out of order or after the end of the backward pass
 */
void CheckTrainingStep(const TrainingStep& step);

} // namespace ns3

#endif // TRAINING_STEP_H
