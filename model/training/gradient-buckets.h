/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef GRADIENT_BUCKETS_H
#define GRADIENT_BUCKETS_H

#include "parameter-tensors.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/** @ingroup ai-fabric When a bucket is full. Defaults: PyTorch DistributedDataParallel. */
struct BucketCaps
{
    uint64_t firstBytes{
        1048576}; //!< cap of the first bucket (1 MiB), which starts the communication early
    uint64_t otherBytes{26214400}; //!< cap of all others (25 MiB)
    uint32_t bytesPerElement{2};   //!< of a gradient: 2 for bf16, 4 for fp32
};

/** @ingroup ai-fabric Gradients that are exchanged by one collective. */
struct GradientBucket
{
    uint64_t bytes{0};             //!< sum of its gradients
    std::vector<uint32_t> tensors; //!< indices in the list of parameters, in order of readiness
    uint32_t layer{
        0}; //!< the layer whose backward pass completes it: the first of the model among its own
};

/**
 * @ingroup ai-fabric
 * Assign gradients to buckets as PyTorch's reducer does after its rebuild (reducer.cpp,
 * compute_bucket_assignment_by_size): walk the gradients in the order in which they become ready
 * (the reverse of registration), append to the open bucket, close it once its size reaches the cap.
 * No tensor is split, so a bucket exceeds its cap by less than one tensor.
 * @param tensors parameters in registration order
 * @param caps sizes
 * @returns buckets in the order in which they become ready
 * @throws std::invalid_argument if the list is empty, or a cap or the element size is 0
 */
std::vector<GradientBucket> MakeGradientBuckets(const std::vector<ParameterTensor>& tensors,
                                                const BucketCaps& caps);

} // namespace ns3

#endif // GRADIENT_BUCKETS_H
