/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_COST_H
#define COLLECTIVE_COST_H

#include "collective-schedule.h"

#include <functional>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Closed forms for collectives: bandwidths as NCCL-tests defines them (doc/PERFORMANCE.md), and the
 * alpha-beta cost of the ring.
 */
class CollectiveCost
{
  public:
    /**
     * @param op an operation
     * @param ranks number of ranks, at least 1
     * @returns bus bandwidth over algorithm bandwidth: 2(n-1)/n for AllReduce, (n-1)/n for the
     * others
     */
    static double BusFactor(CollectiveOp op, uint32_t ranks);

    /**
     * @param bytes length of the vector
     * @param seconds duration, positive
     * @returns algorithm bandwidth, bytes per second
     */
    static double AlgorithmBandwidth(uint64_t bytes, double seconds);

    /**
     * @param op an operation
     * @param ranks number of ranks
     * @param bytes length of the vector
     * @param seconds duration, positive
     * @returns bus bandwidth, bytes per second: comparable to the speed of a link whatever the
     * number of ranks
     */
    static double BusBandwidth(CollectiveOp op, uint32_t ranks, uint64_t bytes, double seconds);

    /**
     * @param op an operation
     * @param ranks number of ranks, at least 1
     * @returns messages that one rank sends one after the other on a ring
     */
    static uint32_t RingSteps(CollectiveOp op, uint32_t ranks);

    /**
     * @param op an operation
     * @param ranks number of ranks, in natural order
     * @param bytes length of the vector
     * @param rank who sends
     * @param alignment of the chunks, bytes
     * @returns bytes that this rank sends on a ring, exactly: all chunks but its own in
     * ReduceScatter, all but its successor's in AllGather, both in AllReduce
     */
    static uint64_t RingBytesSent(CollectiveOp op,
                                  uint32_t ranks,
                                  uint64_t bytes,
                                  uint32_t rank,
                                  uint32_t alignment = ChunkPartition::NCCL_ALIGNMENT);

    /**
     * @param op an operation
     * @param ranks number of ranks
     * @param bytes length of the vector
     * @param alphaSeconds fixed cost of a message
     * @param bytesPerSecond of a link, one direction
     * @returns seconds that a ring takes on idle links with equal chunks: steps * (alpha + bytes /
     * (n * bandwidth))
     */
    static double RingSeconds(CollectiveOp op,
                              uint32_t ranks,
                              uint64_t bytes,
                              double alphaSeconds,
                              double bytesPerSecond);

    /**
     * @param ranks number of ranks, at least 1
     * @param bytes length of the vector
     * @param alphaSeconds fixed cost of a message between a position and its parent, by position
     * @param bytesPerSecond of a link, one direction
     * @returns seconds that an AllReduce on a TreeAlgorithm of one chunk takes on idle links: two
     * children share the link of their parent as long as both send; 2 h (alpha + 2 bytes /
     * bandwidth) on h full levels
     */
    static double TreeSeconds(uint32_t ranks,
                              double bytes,
                              const std::function<double(uint32_t)>& alphaSeconds,
                              double bytesPerSecond);
};

} // namespace ns3

#endif // COLLECTIVE_COST_H
