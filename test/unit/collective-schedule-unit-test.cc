/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/collective-cost.h"
#include "ns3/ring-algorithm.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

/**
 * @file
 * @ingroup ai-fabric-tests
 * Proves schedules by running them on symbols: a chunk is the list of how often each rank's data is
 * in it.
 */

using namespace ns3;

namespace
{

/** How often the data of each rank is in a chunk. */
using Contributions = std::vector<uint32_t>;

/** A message in flight. */
struct Message
{
    uint32_t step;        //!< of sender and receiver
    CollectiveChunk what; //!< which part
    Contributions data;   //!< at the time of sending
};

/**
 * Runs a schedule with the messages of all connections in random order, so that only its own
 * dependencies order it.
 */
class SymbolicExecutor
{
  public:
    /**
     * @param op what the schedule should compute
     * @param algorithm the schedule
     * @param seed of the order
     */
    SymbolicExecutor(CollectiveOp op, const CollectiveAlgorithm& algorithm, uint32_t seed)
        : m_op(op),
          m_algorithm(algorithm),
          m_size(algorithm.GetSize()),
          m_random(seed),
          m_chunks(m_size, std::vector<Contributions>(m_size, Contributions(m_size, 0))),
          m_wires(m_size, std::vector<std::deque<Message>>(m_size)),
          m_sent(m_size, 0),
          m_received(m_size, 0),
          m_bytes(m_size, 0)
    {
        for (uint32_t rank = 0; rank < m_size; ++rank)
        {
            for (uint32_t chunk = 0; chunk < m_size; ++chunk)
            {
                // In AllGather only the own chunk counts; the rest is memory to be overwritten.
                if (op != CollectiveOp::ALL_GATHER || chunk == rank)
                {
                    m_chunks[rank][chunk][rank] = 1;
                }
            }
        }
    }

    /** @returns false if a message does not fit its receiver or the schedule stops halfway */
    bool Run()
    {
        std::vector<uint32_t> order(2 * m_size);
        std::iota(order.begin(), order.end(), 0);
        for (bool moved = true; moved;)
        {
            moved = false;
            std::shuffle(order.begin(), order.end(), m_random);
            for (const uint32_t action : order)
            {
                const uint32_t rank = action / 2;
                const bool done = action % 2 == 0 ? TrySend(rank) : TryReceive(rank);
                moved = moved || done;
            }
        }
        for (uint32_t rank = 0; rank < m_size; ++rank)
        {
            const uint32_t steps = m_algorithm.GetSteps(rank);
            if (m_sent[rank] != steps || m_received[rank] != steps)
            {
                return false;
            }
        }
        return m_fits;
    }

    /** @returns true if each rank has what the operation promises: one contribution of each rank,
     * no more */
    bool IsCorrect() const
    {
        const Contributions sum(m_size, 1);
        for (uint32_t rank = 0; rank < m_size; ++rank)
        {
            for (uint32_t chunk = 0; chunk < m_size; ++chunk)
            {
                Contributions own(m_size, 0);
                own[chunk] = 1;
                const Contributions& wanted = m_op == CollectiveOp::ALL_GATHER ? own : sum;
                const bool promised = m_op != CollectiveOp::REDUCE_SCATTER || chunk == rank;
                if (promised && m_chunks[rank][chunk] != wanted)
                {
                    return false;
                }
            }
        }
        return true;
    }

    /**
     * @param rank a rank
     * @returns bytes that it has sent
     */
    uint64_t GetBytes(uint32_t rank) const
    {
        return m_bytes[rank];
    }

  private:
    /**
     * @param rank whose next send starts if its dependency is met
     * @returns true if it did
     */
    bool TrySend(uint32_t rank)
    {
        if (m_sent[rank] == m_algorithm.GetSteps(rank))
        {
            return false;
        }
        const CollectiveStep step = m_algorithm.GetStep(rank, m_sent[rank]);
        if (step.needs > m_received[rank])
        {
            return false;
        }
        m_fits = m_fits && step.index == m_sent[rank];
        ++m_sent[rank];
        m_bytes[rank] += step.sent.bytes;
        m_wires[rank][step.sendTo].push_back({step.index, step.sent, m_chunks[rank][step.sent.id]});
        return true;
    }

    /**
     * @param rank whose next message is received if it has come
     * @returns true if it was
     */
    bool TryReceive(uint32_t rank)
    {
        if (m_received[rank] == m_algorithm.GetSteps(rank))
        {
            return false;
        }
        const CollectiveStep step = m_algorithm.GetStep(rank, m_received[rank]);
        std::deque<Message>& wire = m_wires[step.recvFrom][rank];
        if (wire.empty())
        {
            return false;
        }
        const Message message = wire.front();
        wire.pop_front();
        ++m_received[rank];
        m_fits = m_fits && message.step == step.index && message.what.id == step.received.id &&
                 message.what.offset == step.received.offset &&
                 message.what.bytes == step.received.bytes;
        Contributions& own = m_chunks[rank][step.received.id];
        if (step.action == CollectiveStep::Action::COPY)
        {
            own = message.data;
        }
        else
        {
            std::transform(own.begin(),
                           own.end(),
                           message.data.begin(),
                           own.begin(),
                           std::plus<>());
        }
        return true;
    }

    CollectiveOp m_op;                                     //!< what to check
    const CollectiveAlgorithm& m_algorithm;                //!< what to run
    uint32_t m_size;                                       //!< ranks
    std::mt19937 m_random;                                 //!< order of actions
    std::vector<std::vector<Contributions>> m_chunks;      //!< by rank and chunk
    std::vector<std::vector<std::deque<Message>>> m_wires; //!< by sender and receiver
    std::vector<uint32_t> m_sent;                          //!< steps, by rank
    std::vector<uint32_t> m_received;                      //!< steps, by rank
    std::vector<uint64_t> m_bytes;                         //!< sent, by rank
    bool m_fits{true}; //!< messages are what their receivers expect
};

constexpr CollectiveOp ALL_OPS[] = {CollectiveOp::ALL_REDUCE,
                                    CollectiveOp::REDUCE_SCATTER,
                                    CollectiveOp::ALL_GATHER};

/** A ring with one fault, to see that the executor finds it. */
class FaultyRing : public RingAlgorithm
{
  public:
    /** What is wrong. */
    enum class Fault
    {
        NO_DEPENDENCY,  //!< a chunk is forwarded before it has come
        COPY_TOO_EARLY, //!< a sum is overwritten
        WRONG_CHUNK,    //!< sender and receiver disagree
    };

    /**
     * @param ranks number of ranks
     * @param fault what is wrong
     */
    FaultyRing(uint32_t ranks, Fault fault)
        : RingAlgorithm(CollectiveOp::ALL_REDUCE, std::make_shared<RankOrder>(ranks), 1000),
          m_fault(fault)
    {
    }

    CollectiveStep GetStep(uint32_t rank, uint32_t k) const override
    {
        CollectiveStep step = RingAlgorithm::GetStep(rank, k);
        switch (m_fault)
        {
        case Fault::NO_DEPENDENCY:
            step.needs = 0;
            break;
        case Fault::COPY_TOO_EARLY:
            step.action = k == 1 ? CollectiveStep::Action::COPY : step.action;
            break;
        case Fault::WRONG_CHUNK:
            step.sent = k == 0 ? step.received : step.sent;
            break;
        }
        return step;
    }

  private:
    Fault m_fault; //!< what is wrong
};

} // namespace

/** Every ring of 1 to 33 ranks, in natural and in shuffled order, ends with one contribution a
 * rank. */
TEST(CollectiveSchedule, RingIsCorrectForAllSizes)
{
    for (uint32_t n = 1; n <= 33; ++n)
    {
        std::vector<uint32_t> shuffled(n);
        std::iota(shuffled.begin(), shuffled.end(), 0);
        std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(n));
        for (const auto& order :
             {std::make_shared<RankOrder>(n), std::make_shared<RankOrder>(shuffled)})
        {
            for (const CollectiveOp op : ALL_OPS)
            {
                for (const uint64_t bytes : {uint64_t{0},
                                             uint64_t{1},
                                             uint64_t{17},
                                             uint64_t{16} * n - 1,
                                             uint64_t{1000003},
                                             (uint64_t{1} << 40) + 7})
                {
                    SCOPED_TRACE(CollectiveOpName(op) + ", " + std::to_string(n) + " ranks, " +
                                 std::to_string(bytes) + " bytes");
                    const RingAlgorithm ring(op, order, bytes);
                    SymbolicExecutor executor(op, ring, n);
                    ASSERT_TRUE(executor.Run());
                    ASSERT_TRUE(executor.IsCorrect());
                    uint64_t total = 0;
                    for (uint32_t rank = 0; rank < n; ++rank)
                    {
                        ASSERT_EQ(ring.GetSteps(rank), CollectiveCost::RingSteps(op, n));
                        total += executor.GetBytes(rank);
                    }
                    // Each chunk crosses n-1 links, twice in AllReduce.
                    ASSERT_EQ(total, bytes * CollectiveCost::RingSteps(op, n));
                }
            }
        }
    }
}

/** The bytes that each rank sends are the closed form, to the byte. */
TEST(CollectiveSchedule, RingBytesAreTheClosedForm)
{
    for (const uint32_t n : {1U, 2U, 3U, 7U, 16U, 33U})
    {
        for (const uint64_t bytes : {uint64_t{5}, uint64_t{1000003}, uint64_t{n} * 4096})
        {
            for (const CollectiveOp op : ALL_OPS)
            {
                const RingAlgorithm ring(op, std::make_shared<RankOrder>(n), bytes);
                for (uint32_t rank = 0; rank < n; ++rank)
                {
                    uint64_t sent = 0;
                    for (uint32_t k = 0; k < ring.GetSteps(rank); ++k)
                    {
                        sent += ring.GetStep(rank, k).sent.bytes;
                    }
                    EXPECT_EQ(sent, CollectiveCost::RingBytesSent(op, n, bytes, rank));
                    if (bytes % (16 * n) == 0)
                    {
                        EXPECT_EQ(sent, CollectiveCost::RingSteps(op, n) * (bytes / n));
                    }
                }
            }
        }
    }
}

/** The executor can fail: it finds each of three planted faults. */
TEST(CollectiveSchedule, ExecutorFindsFaults)
{
    for (const auto fault : {FaultyRing::Fault::NO_DEPENDENCY,
                             FaultyRing::Fault::COPY_TOO_EARLY,
                             FaultyRing::Fault::WRONG_CHUNK})
    {
        const FaultyRing ring(5, fault);
        SymbolicExecutor executor(CollectiveOp::ALL_REDUCE, ring, 1);
        const bool ran = executor.Run();
        EXPECT_FALSE(ran && executor.IsCorrect()) << "fault " << static_cast<int>(fault);
    }
}

/** The numbering is NCCL's: on 4 ranks, rank 1 sends chunks 0 3 2 1 0 3 and receives 3 2 1 0 3 2.
 */
TEST(CollectiveSchedule, RingHasTheNumberingOfNccl)
{
    const RingAlgorithm ring = RingAllReduce(4, 400);
    const std::vector<uint32_t> sent = {0, 3, 2, 1, 0, 3};
    const std::vector<uint32_t> received = {3, 2, 1, 0, 3, 2};
    ASSERT_EQ(ring.GetSteps(1), 6U);
    for (uint32_t k = 0; k < 6; ++k)
    {
        const CollectiveStep step = ring.GetStep(1, k);
        EXPECT_EQ(step.sendTo, 2U);
        EXPECT_EQ(step.recvFrom, 0U);
        EXPECT_EQ(step.sent.id, sent[k]);
        EXPECT_EQ(step.received.id, received[k]);
        EXPECT_EQ(step.action == CollectiveStep::Action::REDUCE, k < 3);
        EXPECT_EQ(step.needs, k);
        // 100 bytes a rank, rounded up to 112: chunk 3 has the 64 bytes that are left.
        EXPECT_EQ(step.sent.bytes, sent[k] == 3 ? 64U : 112U);
        EXPECT_EQ(step.sent.offset, 112U * sent[k]);
    }
    EXPECT_EQ(RingReduceScatter(4, 400).GetStep(1, 2).received.id, 1U);
    EXPECT_EQ(RingAllGather(4, 400).GetStep(1, 0).sent.id, 1U);
}

/** A ring of 4096 ranks is computed, not stored, and 64-bit sizes hold. */
TEST(CollectiveSchedule, LargeRing)
{
    const uint64_t bytes = ChunkPartition::MAX_BYTES;
    const RingAlgorithm ring = RingAllReduce(4096, bytes);
    EXPECT_EQ(ring.GetSteps(4095), 8190U);
    const CollectiveStep step = ring.GetStep(0, 8189);
    EXPECT_EQ(step.sendTo, 1U);
    EXPECT_EQ(step.recvFrom, 4095U);
    EXPECT_EQ(step.sent.id, 2U);
    EXPECT_EQ(step.received.id, 1U);
    EXPECT_EQ(step.sent.bytes, bytes / 4096);
    EXPECT_EQ(step.sent.offset, bytes / 4096 * 2);
}

/** Chunks are contiguous, aligned, and end with the vector; short vectors have empty chunks at the
 * end. */
TEST(CollectiveSchedule, Partition)
{
    for (const uint32_t n : {1U, 2U, 3U, 8U, 33U})
    {
        for (uint64_t bytes = 0; bytes <= uint64_t{40} * n; ++bytes)
        {
            const ChunkPartition partition(n, bytes);
            uint64_t end = 0;
            for (uint32_t id = 0; id < n; ++id)
            {
                const CollectiveChunk chunk = partition.GetChunk(id);
                ASSERT_EQ(chunk.id, id);
                ASSERT_EQ(chunk.offset, end);
                end += chunk.bytes;
                ASSERT_TRUE(chunk.bytes % 16 == 0 || end == bytes);
            }
            ASSERT_EQ(end, bytes);
        }
    }
    const ChunkPartition small(4, 40);
    EXPECT_EQ(small.GetChunk(0).bytes, 16U);
    EXPECT_EQ(small.GetChunk(1).bytes, 16U);
    EXPECT_EQ(small.GetChunk(2).bytes, 8U);
    EXPECT_EQ(small.GetChunk(3).bytes, 0U);
    EXPECT_EQ(ChunkPartition(4, 42, 1).GetChunk(3).bytes, 9U);
    EXPECT_THROW(ChunkPartition(0, 10), std::invalid_argument);
    EXPECT_THROW(ChunkPartition(2, ChunkPartition::MAX_BYTES + 1), std::invalid_argument);
    EXPECT_THROW(ChunkPartition(2, 10, 0), std::invalid_argument);
}

/** An order that is no permutation is refused. */
TEST(CollectiveSchedule, Order)
{
    const RankOrder order(std::vector<uint32_t>{2, 0, 1});
    EXPECT_EQ(order.GetRank(0), 2U);
    EXPECT_EQ(order.GetPosition(2), 0U);
    EXPECT_THROW(RankOrder(std::vector<uint32_t>{0, 0}), std::invalid_argument);
    EXPECT_THROW(RankOrder(std::vector<uint32_t>{0, 2}), std::invalid_argument);
    EXPECT_THROW(RingAllReduce(0, 10), std::invalid_argument);
}

/** Bandwidths as NCCL-tests defines them, and the ring's alpha-beta cost. */
TEST(CollectiveCost, ClosedForms)
{
    EXPECT_DOUBLE_EQ(CollectiveCost::BusFactor(CollectiveOp::ALL_REDUCE, 8), 1.75);
    EXPECT_DOUBLE_EQ(CollectiveCost::BusFactor(CollectiveOp::REDUCE_SCATTER, 8), 0.875);
    EXPECT_DOUBLE_EQ(CollectiveCost::BusFactor(CollectiveOp::ALL_GATHER, 8), 0.875);
    EXPECT_DOUBLE_EQ(CollectiveCost::BusFactor(CollectiveOp::ALL_REDUCE, 1), 0);
    EXPECT_DOUBLE_EQ(CollectiveCost::AlgorithmBandwidth(1000, 0.5), 2000);
    EXPECT_DOUBLE_EQ(CollectiveCost::BusBandwidth(CollectiveOp::ALL_REDUCE, 8, 1000, 0.5), 3500);
    EXPECT_THROW(CollectiveCost::BusFactor(CollectiveOp::ALL_REDUCE, 0), std::invalid_argument);
    // 256 ranks, 10 us, 25 GB/s, 1 GB: 510 * 10 us + 2 * 255 / 256 * 40 ms.
    EXPECT_NEAR(CollectiveCost::RingSeconds(CollectiveOp::ALL_REDUCE, 256, 1000000000, 10e-6, 25e9),
                84.7875e-3,
                1e-12);
}
