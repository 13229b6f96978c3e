/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "gradient-buckets.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{

std::vector<GradientBucket>
MakeGradientBuckets(const std::vector<ParameterTensor>& tensors, const BucketCaps& caps)
{
    if (tensors.empty())
    {
        throw std::invalid_argument("gradient buckets: expected at least one parameter tensor");
    }
    if (caps.firstBytes == 0 || caps.otherBytes == 0 || caps.bytesPerElement == 0)
    {
        throw std::invalid_argument(
            "gradient buckets: expected caps and bytes per element above 0");
    }
    std::vector<GradientBucket> buckets;
    bool open = false;
    for (std::size_t i = tensors.size(); i-- > 0;)
    {
        if (!open)
        {
            buckets.emplace_back();
            buckets.back().layer = tensors[i].layer;
            open = true;
        }
        GradientBucket& bucket = buckets.back();
        bucket.bytes += tensors[i].elements * caps.bytesPerElement;
        bucket.tensors.push_back(static_cast<uint32_t>(i));
        bucket.layer = std::min(bucket.layer, tensors[i].layer);
        open = bucket.bytes < (buckets.size() == 1 ? caps.firstBytes : caps.otherBytes);
    }
    return buckets;
}

} // namespace ns3
