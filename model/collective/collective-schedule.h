/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_SCHEDULE_H
#define COLLECTIVE_SCHEDULE_H

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * What a collective does to the vectors of the ranks.
 */
enum class CollectiveOp
{
    ALL_REDUCE,     //!< every rank ends with the sum of all vectors
    REDUCE_SCATTER, //!< rank r ends with chunk r of the sum
    ALL_GATHER,     //!< rank r contributes chunk r, every rank ends with all chunks
};

/**
 * @ingroup ai-fabric
 * @param op an operation
 * @returns its name in reports: "AllReduce", "ReduceScatter" or "AllGather"
 */
std::string CollectiveOpName(CollectiveOp op);

/**
 * @ingroup ai-fabric
 * The ranks of a communicator as a ring: a permutation, position on the ring to rank, and its
 * inverse.
 */
class RankOrder
{
  public:
    /** @param ranks number of ranks, in their natural order */
    explicit RankOrder(uint32_t ranks);
    /**
     * @param order the rank at each position
     * @throws std::invalid_argument if it is not a permutation of 0..size-1
     */
    explicit RankOrder(std::vector<uint32_t> order);

    /** @returns number of ranks */
    uint32_t GetSize() const
    {
        return static_cast<uint32_t>(m_ranks.size());
    }

    /**
     * @param position place on the ring
     * @returns the rank there
     */
    uint32_t GetRank(uint32_t position) const
    {
        return m_ranks[position];
    }

    /**
     * @param rank a rank
     * @returns its place on the ring
     */
    uint32_t GetPosition(uint32_t rank) const
    {
        return m_positions[rank];
    }

  private:
    std::vector<uint32_t> m_ranks;     //!< by position
    std::vector<uint32_t> m_positions; //!< by rank
};

/**
 * @ingroup ai-fabric
 * A part of the vector.
 */
struct CollectiveChunk
{
    uint32_t id{0}; //!< number of the chunk; the rank that owns it in ReduceScatter and AllGather
    uint64_t offset{0}; //!< first byte
    uint64_t bytes{0};  //!< length, 0 for the last chunks of a short vector
};

/**
 * @ingroup ai-fabric
 * The rule by which a vector is cut into one chunk a rank.
 *
 * All chunks have ceil(bytes / chunks) bytes rounded up to the alignment, until the bytes are used
 * up: the last chunk that has any is shorter, those after it are empty. (NCCL aligns to 16 bytes:
 * src/enqueue.cc, src/device/all_reduce.h.)
 */
class ChunkPartition
{
  public:
    static constexpr uint32_t NCCL_ALIGNMENT = 16;               //!< bytes
    static constexpr uint64_t MAX_BYTES = uint64_t{1} << 62;     //!< longest vector
    static constexpr uint32_t MAX_ALIGNMENT = uint32_t{1} << 30; //!< coarsest alignment, bytes

    /**
     * @param chunks number of chunks, at least 1
     * @param bytes length of the vector, at most MAX_BYTES
     * @param alignment bytes, 1 to MAX_ALIGNMENT
     * @throws std::invalid_argument outside these ranges
     */
    ChunkPartition(uint32_t chunks, uint64_t bytes, uint32_t alignment = NCCL_ALIGNMENT);

    /**
     * @param id number of a chunk
     * @returns the chunk
     */
    CollectiveChunk GetChunk(uint32_t id) const;

    /** @returns length of the vector */
    uint64_t GetBytes() const
    {
        return m_bytes;
    }

  private:
    uint64_t m_bytes;      //!< of the vector
    uint64_t m_chunkBytes; //!< of a full chunk
    uint64_t m_full;       //!< number of full chunks
};

/**
 * @ingroup ai-fabric
 * What one rank does at one step: at most one message out, at most one in.
 *
 * A message that leaves at step k of the sender is received at step k of the receiver.
 */
struct CollectiveStep
{
    /** No rank: nothing is sent, or nothing is received. */
    static constexpr uint32_t NO_RANK = std::numeric_limits<uint32_t>::max();
    /** The network itself, in place of a rank: it takes the chunk of every rank and gives each the
     * sum (see InNetworkReduction). A step that sends there receives from there. */
    static constexpr uint32_t NETWORK = NO_RANK - 1;

    /** What the receiver does with a chunk. */
    enum class Action
    {
        REDUCE, //!< adds it to its own
        COPY,   //!< replaces its own
    };

    uint32_t index{0};             //!< number of the step, from 0
    uint32_t sendTo{NO_RANK};      //!< receiver of the message of this step
    uint32_t recvFrom{NO_RANK};    //!< sender of the message that this rank receives
    CollectiveChunk sent;          //!< what goes out
    CollectiveChunk received;      //!< what comes in
    Action action{Action::REDUCE}; //!< what happens to the chunk received
    uint32_t needs{0}; //!< the send may start when the receives of this many first steps are done
};

/**
 * @ingroup ai-fabric
 * @param rank a rank, or CollectiveStep::NETWORK
 * @returns how messages call it: "rank 3", or "the network"
 */
std::string CollectiveRankName(uint32_t rank);

/**
 * @ingroup ai-fabric
 * A schedule: which rank sends which chunk to whom at which step. Steps are computed when asked
 * for, since a ring of 4096 ranks has 33 million of them.
 */
class CollectiveAlgorithm
{
  public:
    virtual ~CollectiveAlgorithm() = default;

    /** @returns name in reports */
    virtual std::string GetName() const = 0;

    /** @returns number of ranks */
    virtual uint32_t GetSize() const = 0;

    /**
     * @param rank a rank
     * @returns how many steps it takes
     */
    virtual uint32_t GetSteps(uint32_t rank) const = 0;

    /**
     * @param rank a rank
     * @param k number of a step, less than GetSteps(rank)
     * @returns the step
     */
    virtual CollectiveStep GetStep(uint32_t rank, uint32_t k) const = 0;

    /** @returns true if some steps go to CollectiveStep::NETWORK */
    virtual bool NeedsNetwork() const
    {
        return false;
    }
};

} // namespace ns3

#endif // COLLECTIVE_SCHEDULE_H
