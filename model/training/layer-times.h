/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LAYER_TIMES_H
#define LAYER_TIMES_H

#include "compute-device.h"
#include "model-shape.h"
#include "parameter-tensors.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/** @ingroup ai-fabric What one device computes in one step. */
struct TokenBatch
{
    uint32_t sequenceLength{2048}; //!< tokens per sequence
    uint32_t sequences{1};         //!< sequences per device
    bool causalSkip{false};        //!< attention kernels skip the masked half of the scores
};

/** @ingroup ai-fabric Operations of the forward pass of one layer over a batch. Backward costs
 * twice as much. */
struct LayerFlops
{
    double matrix{0};    //!< dense matrix products
    double expert{0};    //!< matrix products of routed experts
    double attention{0}; //!< attention scores and their product with the values

    /** @returns all of them */
    double GetTotal() const
    {
        return matrix + expert + attention;
    }
};

/** @ingroup ai-fabric Compute times of one layer. */
struct LayerTime
{
    double forward{0};  //!< seconds
    double backward{0}; //!< seconds
};

/**
 * @ingroup ai-fabric
 * Count forward operations per layer: 2 per weight and token, 2 s a (d_qk + d_v) per token for
 * attention scores.
 * @param shape the model
 * @param tensors its parameter list
 * @param batch tokens
 * @returns one entry per layer: 0 embedding (no operations), 1..L blocks, L+1 head
 */
std::vector<LayerFlops> CountLayerFlops(const ModelShape& shape,
                                        const std::vector<ParameterTensor>& tensors,
                                        const TokenBatch& batch);

/**
 * @ingroup ai-fabric
 * @param flops forward operations per layer
 * @param device the device
 * @returns times per layer, same order; backward is twice the operations
 */
std::vector<LayerTime> GetLayerTimes(const std::vector<LayerFlops>& flops,
                                     const DeviceDescription& device);

/**
 * @ingroup ai-fabric
 * Model operations of one step on one device: forward and backward, without recomputation. What MFU
 * counts.
 * @param flops forward operations per layer
 * @returns FLOPs
 */
double GetStepFlops(const std::vector<LayerFlops>& flops);

} // namespace ns3

#endif // LAYER_TIMES_H
