/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-cost.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace ns3
{

double
CollectiveCost::BusFactor(CollectiveOp op, uint32_t ranks)
{
    return RingSteps(op, ranks) / static_cast<double>(ranks);
}

double
CollectiveCost::AlgorithmBandwidth(uint64_t bytes, double seconds)
{
    return static_cast<double>(bytes) / seconds;
}

double
CollectiveCost::BusBandwidth(CollectiveOp op, uint32_t ranks, uint64_t bytes, double seconds)
{
    return AlgorithmBandwidth(bytes, seconds) * BusFactor(op, ranks);
}

uint32_t
CollectiveCost::RingSteps(CollectiveOp op, uint32_t ranks)
{
    if (ranks == 0)
    {
        throw std::invalid_argument("cost of a collective: 0 ranks found, expected at least 1");
    }
    return (op == CollectiveOp::ALL_REDUCE ? 2 : 1) * (ranks - 1);
}

uint64_t
CollectiveCost::RingBytesSent(CollectiveOp op,
                              uint32_t ranks,
                              uint64_t bytes,
                              uint32_t rank,
                              uint32_t alignment)
{
    const ChunkPartition partition(ranks, bytes, alignment);
    const uint64_t scatter = bytes - partition.GetChunk(rank).bytes;
    const uint64_t gather = bytes - partition.GetChunk(rank + 1 == ranks ? 0 : rank + 1).bytes;
    switch (op)
    {
    case CollectiveOp::REDUCE_SCATTER:
        return scatter;
    case CollectiveOp::ALL_GATHER:
        return gather;
    default:
        return scatter + gather;
    }
}

double
CollectiveCost::RingSeconds(CollectiveOp op,
                            uint32_t ranks,
                            uint64_t bytes,
                            double alphaSeconds,
                            double bytesPerSecond)
{
    return RingSteps(op, ranks) *
           (alphaSeconds + static_cast<double>(bytes) / ranks / bytesPerSecond);
}

double
CollectiveCost::TreeSeconds(uint32_t ranks,
                            double bytes,
                            const std::function<double(uint32_t)>& alphaSeconds,
                            double bytesPerSecond)
{
    const double wire = bytes / bytesPerSecond;
    std::vector<double> reduced(ranks, 0); // when each position has all of its subtree
    for (uint32_t position = ranks; position-- > 0;)
    {
        const uint32_t left = 2 * position + 1;
        if (left < ranks)
        {
            const double a = reduced[left] + alphaSeconds(left);
            const double b = left + 1 < ranks ? reduced[left + 1] + alphaSeconds(left + 1) : a;
            const double shared = left + 1 < ranks ? std::min(a, b) + 2 * wire : 0;
            reduced[position] = std::max(shared, std::max(a, b) + wire);
        }
    }
    std::vector<double> done(ranks, reduced[0]); // when each position has the sum
    for (uint32_t position = 1; position < ranks; ++position)
    {
        const uint32_t parent = (position - 1) / 2;
        const bool isAlone = 2 * parent + 2 >= ranks;
        done[position] = done[parent] + alphaSeconds(position) + (isAlone ? 1 : 2) * wire;
    }
    return *std::max_element(done.begin(), done.end());
}

} // namespace ns3
