/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IN_NETWORK_ALGORITHM_H
#define IN_NETWORK_ALGORITHM_H

#include "collective-algorithm-factory.h"

#include <memory>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * AllReduce by the network: each rank gives its whole vector to the network and gets the sum, in
 * one step. How fast that is, is the network's business (see InNetworkReduction).
 */
class InNetworkAlgorithm : public CollectiveAlgorithm
{
  public:
    /**
     * @param ranks number of ranks
     * @param bytes length of the vector
     * @throws std::invalid_argument if there is no rank or the vector is too long (see
     * ChunkPartition)
     */
    InNetworkAlgorithm(uint32_t ranks, uint64_t bytes);

    std::string GetName() const override;
    uint32_t GetSize() const override;
    uint32_t GetSteps(uint32_t rank) const override;
    CollectiveStep GetStep(uint32_t rank, uint32_t k) const override;
    bool NeedsNetwork() const override;

  private:
    uint32_t m_ranks;        //!< number of ranks
    CollectiveChunk m_chunk; //!< the vector
};

/**
 * @ingroup ai-fabric
 * Makes InNetworkAlgorithm schedules: AllReduce only. The engine needs SetReduction().
 */
class InNetworkAlgorithmFactory : public CollectiveAlgorithmFactory
{
  public:
    /** @returns the TypeId */
    static TypeId GetTypeId();

    std::unique_ptr<CollectiveAlgorithm> CreateAlgorithm(CollectiveOp op,
                                                         std::shared_ptr<const RankOrder> order,
                                                         uint64_t bytes) const override;
};

} // namespace ns3

#endif // IN_NETWORK_ALGORITHM_H
