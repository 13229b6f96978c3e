/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_ALGORITHM_FACTORY_H
#define COLLECTIVE_ALGORITHM_FACTORY_H

#include "collective-schedule.h"

#include "ns3/object.h"

#include <memory>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Makes schedules of one kind. Its TypeId is what selects the kind, so a further algorithm is a
 * further class and no edit of the engine.
 */
class CollectiveAlgorithmFactory : public Object
{
  public:
    /** @returns the TypeId */
    static TypeId GetTypeId();

    /**
     * @param op what to compute
     * @param order the ranks in the order in which the schedule shall place them
     * @param bytes length of the vector
     * @returns the schedule
     * @throws std::invalid_argument if there is none for these arguments
     */
    virtual std::unique_ptr<CollectiveAlgorithm> CreateAlgorithm(
        CollectiveOp op,
        std::shared_ptr<const RankOrder> order,
        uint64_t bytes) const = 0;
};

/**
 * @ingroup ai-fabric
 * Makes RingAlgorithm schedules.
 */
class RingAlgorithmFactory : public CollectiveAlgorithmFactory
{
  public:
    /** @returns the TypeId */
    static TypeId GetTypeId();

    std::unique_ptr<CollectiveAlgorithm> CreateAlgorithm(CollectiveOp op,
                                                         std::shared_ptr<const RankOrder> order,
                                                         uint64_t bytes) const override;

  private:
    uint32_t m_alignment{ChunkPartition::NCCL_ALIGNMENT}; //!< of the chunks, bytes
};

} // namespace ns3

#endif // COLLECTIVE_ALGORITHM_FACTORY_H
