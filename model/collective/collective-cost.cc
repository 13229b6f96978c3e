/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-cost.h"

#include <stdexcept>

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

} // namespace ns3
