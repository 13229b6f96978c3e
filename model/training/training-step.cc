/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "training-step.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace ns3
{

namespace
{

/** Refuse a duration that no clock can show. */
void
CheckDuration(const std::string& what, double seconds)
{
    if (!std::isfinite(seconds) || seconds < 0)
    {
        throw std::invalid_argument("training step: " + what +
                                    ": expected seconds of 0 or more, found " +
                                    std::to_string(seconds));
    }
}

} // namespace

void
CheckTrainingStep(const TrainingStep& step)
{
    CheckDuration("forward", step.forward);
    CheckDuration("backward", step.backward);
    CheckDuration("optimizer", step.optimizer);
    double last = 0;
    for (std::size_t i = 0; i < step.buckets.size(); ++i)
    {
        const double release = step.buckets[i].release;
        CheckDuration("release of bucket " + std::to_string(i), release);
        if (release < last || release > step.forward + step.backward)
        {
            throw std::invalid_argument("training step: release of bucket " + std::to_string(i) +
                                        ": expected not before the one ahead of it and not after "
                                        "the end of the backward pass");
        }
        last = release;
    }
}

TrainingStep
MakeTrainingStep(const std::vector<LayerTime>& times,
                 const std::vector<GradientBucket>& buckets,
                 double optimizerSeconds)
{
    TrainingStep step;
    step.optimizer = optimizerSeconds;
    for (const LayerTime& time : times)
    {
        step.forward += time.forward;
    }
    // From the end of the forward pass to the end of the backward pass of each layer.
    std::vector<double> done(times.size());
    for (std::size_t layer = times.size(); layer-- > 0;)
    {
        step.backward += times[layer].backward;
        done[layer] = step.backward;
    }
    double release = 0;
    for (const GradientBucket& bucket : buckets)
    {
        if (bucket.layer >= times.size())
        {
            throw std::invalid_argument("training step: bucket of layer " +
                                        std::to_string(bucket.layer) + ": expected one of " +
                                        std::to_string(times.size()) + " layers");
        }
        release = std::max(release, step.forward + done[bucket.layer]);
        step.buckets.push_back({bucket.bytes, release});
    }
    CheckTrainingStep(step);
    return step;
}

} // namespace ns3
