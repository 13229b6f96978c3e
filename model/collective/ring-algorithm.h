/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RING_ALGORITHM_H
#define RING_ALGORITHM_H

#include "collective-schedule.h"

#include <memory>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * The ring schedule, in the numbering of NCCL (src/device/all_reduce.h; collectives on n ranks,
 * positions mod n).
 *
 * Position p of the ring sends only to p+1 and receives only from p-1. At step k it sends the chunk
 * of position p-1-k and receives that of p-2-k. The first n-1 steps reduce, so that position p ends
 * with its own chunk; the next n-1 steps copy. ReduceScatter is the first half, AllGather the
 * second, AllReduce both. Each chunk is forwarded at the step after the one that brought it, which
 * is the only dependency.
 */
class RingAlgorithm : public CollectiveAlgorithm
{
  public:
    /**
     * @param op what to compute
     * @param order the ring, shared between collectives since it may be long
     * @param bytes length of the vector
     * @param alignment of the chunks, bytes
     * @throws std::invalid_argument if there is no rank or the vector is too long (see
     * ChunkPartition)
     */
    RingAlgorithm(CollectiveOp op,
                  std::shared_ptr<const RankOrder> order,
                  uint64_t bytes,
                  uint32_t alignment = ChunkPartition::NCCL_ALIGNMENT);

    std::string GetName() const override;
    uint32_t GetSize() const override;
    uint32_t GetSteps(uint32_t rank) const override;
    CollectiveStep GetStep(uint32_t rank, uint32_t k) const override;

  private:
    /**
     * @param position place on the ring
     * @returns the chunk of the rank there
     */
    CollectiveChunk ChunkOf(uint32_t position) const;

    std::shared_ptr<const RankOrder> m_order; //!< the ring
    ChunkPartition m_partition;               //!< of the vector
    uint32_t m_first;                         //!< first step of the full AllReduce that is done
    uint32_t m_steps;                         //!< number of steps
};

/**
 * @ingroup ai-fabric
 * @param ranks number of ranks, in natural order
 * @param bytes length of the input vector
 * @returns the ring ReduceScatter
 */
RingAlgorithm RingReduceScatter(uint32_t ranks, uint64_t bytes);

/**
 * @ingroup ai-fabric
 * @param ranks number of ranks, in natural order
 * @param bytes length of the output vector
 * @returns the ring AllGather
 */
RingAlgorithm RingAllGather(uint32_t ranks, uint64_t bytes);

/**
 * @ingroup ai-fabric
 * @param ranks number of ranks, in natural order
 * @param bytes length of the vector
 * @returns the ring AllReduce
 */
RingAlgorithm RingAllReduce(uint32_t ranks, uint64_t bytes);

} // namespace ns3

#endif // RING_ALGORITHM_H
