/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TREE_ALGORITHM_H
#define TREE_ALGORITHM_H

#include "collective-algorithm-factory.h"

#include <memory>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * AllReduce on a binary tree: reduce to the root, then broadcast from it.
 *
 * The position p of the rank order has the parent (p-1)/2 and the children 2p+1 and 2p+2; the root
 * is position 0. The vector goes in chunks, so that levels of the tree work at the same time. With
 * one chunk it takes 2 h (alpha + 2 S beta) on h full levels, since two children share the link of
 * their parent.
 *
 * Steps are numbered so that a rank sends and receives at most one message at a step: chunk c moves
 * up from depth d (of h levels) at round c+h-d, and down to depth d at round c+h+d-1; a round has
 * four steps: up of first children, down to first children, up of second children, down to second
 * children.
 */
class TreeAlgorithm : public CollectiveAlgorithm
{
  public:
    /**
     * @param order the ranks by position
     * @param bytes length of the vector
     * @param chunkBytes length of a chunk, at least 1
     * @throws std::invalid_argument if a chunk has no bytes, or the vector is too long (see
     * ChunkPartition) or has 2^20 chunks or more
     */
    TreeAlgorithm(std::shared_ptr<const RankOrder> order, uint64_t bytes, uint64_t chunkBytes);

    std::string GetName() const override;
    uint32_t GetSize() const override;
    uint32_t GetSteps(uint32_t rank) const override;
    CollectiveStep GetStep(uint32_t rank, uint32_t k) const override;

    /**
     * @param ranks number of ranks, at least 1
     * @returns levels of the tree below the root
     */
    static uint32_t GetHeight(uint32_t ranks);

  private:
    /**
     * @param position of a rank
     * @param isUp true: the message to its parent; false: the one from there
     * @param step of the message
     * @param [out] chunk number of its chunk
     * @returns true if there is such a message at that step
     */
    bool HasMessage(uint32_t position, bool isUp, uint32_t step, uint32_t& chunk) const;
    /**
     * @param position of a rank, not the root
     * @param isUp true: the message to its parent; false: the one from there
     * @param chunk number of a chunk
     * @returns step of the message
     */
    uint32_t GetMessageStep(uint32_t position, bool isUp, uint32_t chunk) const;
    CollectiveChunk GetChunk(uint32_t chunk) const;

    std::shared_ptr<const RankOrder> m_order; //!< ranks by position
    uint64_t m_bytes;                         //!< of the vector
    uint64_t m_chunkBytes;                    //!< of a full chunk
    uint32_t m_chunks;                        //!< how many
    uint32_t m_height;                        //!< levels below the root
};

/**
 * @ingroup ai-fabric
 * Makes TreeAlgorithm schedules: AllReduce only.
 */
class TreeAlgorithmFactory : public CollectiveAlgorithmFactory
{
  public:
    /** @returns the TypeId */
    static TypeId GetTypeId();

    std::unique_ptr<CollectiveAlgorithm> CreateAlgorithm(CollectiveOp op,
                                                         std::shared_ptr<const RankOrder> order,
                                                         uint64_t bytes) const override;

  private:
    uint64_t m_chunkBytes; //!< of a full chunk
};

} // namespace ns3

#endif // TREE_ALGORITHM_H
