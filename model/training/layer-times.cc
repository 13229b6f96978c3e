/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "layer-times.h"

namespace ns3
{

std::vector<LayerFlops>
CountLayerFlops(const ModelShape& shape,
                const std::vector<ParameterTensor>& tensors,
                const TokenBatch& batch)
{
    const double tokens = static_cast<double>(batch.sequenceLength) * batch.sequences;
    const double visited =
        shape.experts > 0 ? static_cast<double>(shape.expertsPerToken) / shape.experts : 0.0;
    std::vector<LayerFlops> flops(shape.layers + 2);
    for (const ParameterTensor& tensor : tensors)
    {
        const double products = 2.0 * tokens * static_cast<double>(tensor.elements);
        if (tensor.kind == TensorKind::MATRIX)
        {
            flops[tensor.layer].matrix += products;
        }
        else if (tensor.kind == TensorKind::EXPERT)
        {
            flops[tensor.layer].expert += products * visited;
        }
    }
    if (shape.tiedEmbedding)
    {
        flops.back().matrix += 2.0 * tokens * shape.vocabulary * shape.hidden;
    }
    const double scoreWidth = static_cast<double>(shape.heads) *
                              (static_cast<double>(shape.GetScoreDim()) + shape.valueDim);
    const double scores =
        2.0 * tokens * batch.sequenceLength * scoreWidth * (batch.causalSkip ? 0.5 : 1.0);
    for (uint32_t layer = 1; layer <= shape.layers; ++layer)
    {
        flops[layer].attention = scores;
    }
    return flops;
}

std::vector<LayerTime>
GetLayerTimes(const std::vector<LayerFlops>& flops, const DeviceDescription& device)
{
    std::vector<LayerTime> times;
    times.reserve(flops.size());
    for (const LayerFlops& layer : flops)
    {
        const double products =
            (layer.matrix / device.matrixEfficiency + layer.expert / device.expertEfficiency) /
            device.peakFlops;
        const double scores = layer.attention / device.peakFlops;
        times.push_back({products + scores / device.attentionForwardEfficiency,
                         2 * (products + scores / device.attentionBackwardEfficiency)});
    }
    return times;
}

double
GetStepFlops(const std::vector<LayerFlops>& flops)
{
    double forward = 0;
    for (const LayerFlops& layer : flops)
    {
        forward += layer.GetTotal();
    }
    return 3 * forward;
}

} // namespace ns3
