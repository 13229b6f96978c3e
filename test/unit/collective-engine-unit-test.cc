/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-fake-transport.h"

#include "ns3/collective-cost.h"
#include "ns3/collective-engine.h"
#include "ns3/string.h"

#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

constexpr FabricTick ALPHA = 1000;       //!< ticks
constexpr FabricTick TICKS_PER_BYTE = 2; //!< of a port

/**
 * AllGather in which every rank sends its chunk to all others at once, nearest last, so that
 * messages overtake each other; and step 0 has no message for anybody.
 */
class DirectAllGather : public CollectiveAlgorithm
{
  public:
    /**
     * @param ranks number of ranks
     * @param bytes length of the output
     */
    DirectAllGather(uint32_t ranks, uint64_t bytes)
        : m_ranks(ranks),
          m_partition(ranks, bytes)
    {
    }

    std::string GetName() const override
    {
        return "direct";
    }

    uint32_t GetSize() const override
    {
        return m_ranks;
    }

    uint32_t GetSteps(uint32_t) const override
    {
        return m_ranks;
    }

    CollectiveStep GetStep(uint32_t rank, uint32_t k) const override
    {
        CollectiveStep step;
        step.index = k;
        if (k > 0)
        {
            step.sendTo = (rank + k) % m_ranks;
            step.recvFrom = (rank + m_ranks - k) % m_ranks;
            step.sent = m_partition.GetChunk(rank);
            step.received = m_partition.GetChunk(step.recvFrom);
            step.action = CollectiveStep::Action::COPY;
        }
        return step;
    }

  private:
    uint32_t m_ranks;           //!< number
    ChunkPartition m_partition; //!< of the output
};

/** Makes DirectAllGather schedules. */
class DirectAllGatherFactory : public CollectiveAlgorithmFactory
{
  public:
    /** @returns the TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::TestDirectAllGatherFactory")
                                .SetParent<CollectiveAlgorithmFactory>()
                                .AddConstructor<DirectAllGatherFactory>();
        return tid;
    }

    std::unique_ptr<CollectiveAlgorithm> CreateAlgorithm(CollectiveOp,
                                                         std::shared_ptr<const RankOrder> order,
                                                         uint64_t bytes) const override
    {
        return std::make_unique<DirectAllGather>(order->GetSize(), bytes);
    }
};

/** An engine on a fake network, and what it says. */
class CollectiveEngineTest : public testing::Test
{
  protected:
    /**
     * @param ranks number of ranks
     * @param alpha ticks from the last byte out to delivery
     */
    void Build(uint32_t ranks, FabricTick alpha = ALPHA)
    {
        transport = CreateObject<FakeTransport>(ranks, alpha, TICKS_PER_BYTE);
        engine = CreateObject<CollectiveEngine>();
        engine->SetTransport(transport);
        engine->SetRankDoneCallback(MakeCallback(&CollectiveEngineTest::OnRankDone, this));
        engine->SetDoneCallback(MakeCallback(&CollectiveEngineTest::OnDone, this));
        engine->SetErrorCallback(MakeCallback(&CollectiveEngineTest::OnError, this));
        rankDone.assign(ranks, FABRIC_NEVER);
    }

    void TearDown() override
    {
        Simulator::Destroy();
        if (engine)
        {
            engine->Dispose();
        }
    }

    /**
     * @param id of a collective that all ranks enter now
     */
    void EnterAll(uint64_t id)
    {
        for (uint32_t rank = 0; rank < transport->GetSize(); ++rank)
        {
            engine->Enter(id, rank);
        }
    }

    /**
     * @param id of a collective that all ranks enter
     * @param tick when
     * @param late one that enters later
     * @param lateTick when
     */
    void EnterAt(uint64_t id, FabricTick tick, uint32_t late, FabricTick lateTick)
    {
        for (uint32_t rank = 0; rank < transport->GetSize(); ++rank)
        {
            Simulator::Schedule(TimeStep(rank == late ? lateTick : tick),
                                &CollectiveEngine::Enter,
                                engine,
                                id,
                                rank);
        }
    }

    /**
     * @param id of a collective
     * @returns ticks from its first entry to its end
     */
    FabricTick Duration(uint64_t id) const
    {
        const CollectiveRecord& record = engine->GetRecords()[id];
        return record.done - record.firstEnter;
    }

    /**
     * @param id of the collective
     * @param rank that is done
     */
    void OnRankDone(uint64_t id, uint32_t rank)
    {
        ranksDone.emplace_back(id, rank);
        rankDone[rank] = FabricNow();
    }

    /** @param id of the collective that is done */
    void OnDone(uint64_t id)
    {
        done.push_back(id);
    }

    /**
     * @param id of the collective that failed
     * @param why the reason
     */
    void OnError(uint64_t id, std::string why)
    {
        errors.emplace_back(id, why);
    }

    Ptr<FakeTransport> transport;                         //!< the network
    Ptr<CollectiveEngine> engine;                         //!< what is tested
    std::vector<std::pair<uint64_t, uint32_t>> ranksDone; //!< in order
    std::vector<FabricTick> rankDone;                     //!< last time, by rank
    std::vector<uint64_t> done;                           //!< in order
    std::vector<std::pair<uint64_t, std::string>> errors; //!< in order
};

} // namespace

/** T = steps * (alpha + S/(nB)), and each rank sends the closed form of bytes. */
TEST_F(CollectiveEngineTest, TakesTheClosedFormOfTime)
{
    for (const uint32_t n : {2U, 3U, 8U, 33U})
    {
        const FabricTick step = ALPHA + 4096 * TICKS_PER_BYTE;
        for (const CollectiveOp op :
             {CollectiveOp::ALL_REDUCE, CollectiveOp::REDUCE_SCATTER, CollectiveOp::ALL_GATHER})
        {
            Build(n);
            const uint64_t bytes = uint64_t{4096} * n;
            const uint64_t id = engine->Create(op, bytes, "x");
            EnterAll(id);
            Simulator::Run();
            EXPECT_EQ(Duration(id), CollectiveCost::RingSteps(op, n) * step);
            for (uint32_t rank = 0; rank < n; ++rank)
            {
                EXPECT_EQ(transport->GetBytes(rank),
                          CollectiveCost::RingBytesSent(op, n, bytes, rank));
                EXPECT_EQ(rankDone[rank], FabricNow());
            }
            EXPECT_NEAR(CollectiveCost::RingSeconds(op,
                                                    n,
                                                    bytes,
                                                    FabricSeconds(ALPHA),
                                                    1 / FabricSeconds(TICKS_PER_BYTE)),
                        FabricSeconds(Duration(id)),
                        1e-15);
            EXPECT_EQ(engine->GetPendingCount(), 0U);
            EXPECT_EQ(engine->DescribePending(), "");
            engine->Dispose();
            Simulator::Destroy();
        }
    }
}

/** The step latency is one more alpha per step, and so are the 0-byte messages of a short vector.
 */
TEST_F(CollectiveEngineTest, StepLatencyAddsToEachStep)
{
    Build(8);
    engine->SetAttribute("StepLatency", TimeValue(TimeStep(70)));
    const uint64_t id = engine->Create(CollectiveOp::ALL_REDUCE, 8 * 160, "x");
    EnterAll(id);
    Simulator::Run();
    EXPECT_EQ(Duration(id), 14 * (ALPHA + 70 + 160 * TICKS_PER_BYTE));

    const FabricTick start = FabricNow();
    const uint64_t empty = engine->Create(CollectiveOp::ALL_REDUCE, 0, "barrier");
    EnterAll(empty);
    Simulator::Run();
    EXPECT_EQ(FabricNow() - start, 14 * (ALPHA + 70));
    EXPECT_EQ(transport->GetMessages(), 2U * 14 * 8);
}

/** One rank is the whole communicator: done at once, without a message. */
TEST_F(CollectiveEngineTest, OneRank)
{
    Build(1);
    const uint64_t id = engine->Create(CollectiveOp::ALL_REDUCE, 1000, "x");
    EXPECT_TRUE(done.empty());
    engine->Enter(id, 0);
    EXPECT_EQ(done, std::vector<uint64_t>{id});
    EXPECT_EQ(ranksDone.size(), 1U);
    EXPECT_EQ(transport->GetMessages(), 0U);
    EXPECT_EQ(Duration(id), 0);
}

/**
 * A rank enters late. By then the n-1 messages that don't depend on it have come; it uses them,
 * sends n chunks back to back, and the whole ends as if all had entered with it. It is itself done
 * n-2 alphas before the last.
 */
TEST_F(CollectiveEngineTest, LateRank)
{
    constexpr uint32_t n = 6;
    constexpr FabricTick tx = 800 * TICKS_PER_BYTE;
    constexpr FabricTick late = 100 * (ALPHA + tx);
    Build(n);
    const uint64_t id = engine->Create(CollectiveOp::ALL_REDUCE, n * 800, "x");
    EnterAt(id, 0, 2, late);
    Simulator::Stop(TimeStep(late - 1));
    Simulator::Run();
    // The rank j places behind the late one gets stuck after j-1 receives, hence j sends; together
    // 1 + ... + (n-1).
    EXPECT_EQ(transport->GetMessages(), uint64_t{n} * (n - 1) / 2);
    EXPECT_TRUE(ranksDone.empty());
    Simulator::Run();
    EXPECT_EQ(engine->GetRecords()[id].firstEnter, 0);
    EXPECT_EQ(engine->GetRecords()[id].lastEnter, late);
    EXPECT_EQ(engine->GetRecords()[id].done, late + 2 * (n - 1) * (ALPHA + tx));
    EXPECT_EQ(rankDone[2], late + 2 * (n - 1) * tx + n * ALPHA);
}

/** Kept data is reduced after the entry: the step latency counts from there. */
TEST_F(CollectiveEngineTest, LateRankHasStepLatency)
{
    Build(2);
    engine->SetAttribute("StepLatency", TimeValue(TimeStep(70)));
    const uint64_t id = engine->Create(CollectiveOp::ALL_GATHER, 32, "x");
    EnterAt(id, 0, 1, 50000);
    Simulator::Run();
    EXPECT_EQ(rankDone[1], 50000 + 70);
    EXPECT_EQ(rankDone[0], 50000 + 16 * TICKS_PER_BYTE + ALPHA + 70);
}

/** Two collectives share the ports. Without alpha the ports never idle: the second ends when all
 * bytes are out. */
TEST_F(CollectiveEngineTest, TwoAtOnceShareThePorts)
{
    constexpr uint32_t n = 5;
    constexpr FabricTick tx = 1600 * TICKS_PER_BYTE;
    Build(n, 0);
    const uint64_t first = engine->Create(CollectiveOp::ALL_REDUCE, n * 1600, "a");
    const uint64_t second = engine->Create(CollectiveOp::ALL_REDUCE, n * 1600, "b");
    EXPECT_NE(first, second);
    EnterAll(first);
    EnterAll(second);
    Simulator::Run();
    EXPECT_EQ(Duration(first), 2 * 2 * (n - 1) * tx - tx);
    EXPECT_EQ(Duration(second), 2 * 2 * (n - 1) * tx);
    EXPECT_EQ(done, (std::vector<uint64_t>{first, second}));
}

/** Two collectives overlap completely where alpha hides the other's chunk: the second is one chunk
 * later. */
TEST_F(CollectiveEngineTest, TwoAtOnceHideInAlpha)
{
    constexpr uint32_t n = 5;
    constexpr FabricTick tx = 160 * TICKS_PER_BYTE;
    static_assert(ALPHA > tx, "the premise");
    Build(n);
    const uint64_t first = engine->Create(CollectiveOp::ALL_REDUCE, n * 160, "a");
    const uint64_t second = engine->Create(CollectiveOp::ALL_REDUCE, n * 160, "b");
    EnterAll(first);
    EnterAll(second);
    Simulator::Run();
    EXPECT_EQ(Duration(first), 2 * (n - 1) * (ALPHA + tx));
    EXPECT_EQ(Duration(second), 2 * (n - 1) * (ALPHA + tx) + tx);
}

/** A different ring order changes who talks to whom, not the time. */
TEST_F(CollectiveEngineTest, RankOrderIsUsed)
{
    Build(4);
    engine->SetRankOrder({0, 2, 1, 3});
    const uint64_t id = engine->Create(CollectiveOp::REDUCE_SCATTER, 4 * 160, "x");
    EXPECT_THROW(engine->SetRankOrder({0, 1, 2}), std::invalid_argument);
    engine->Enter(id, 2);
    EXPECT_NE(engine->DescribePending().find("rank 2 waits for chunk 3 of step 0 from rank 0"),
              std::string::npos);
    for (const uint32_t rank : {0, 1, 3})
    {
        engine->Enter(id, rank);
    }
    Simulator::Run();
    EXPECT_EQ(Duration(id), 3 * (ALPHA + 160 * TICKS_PER_BYTE));
}

/** Another algorithm is another TypeId. Its messages overtake each other and are put in order. */
TEST_F(CollectiveEngineTest, MessagesOfSeveralSendersMayOvertake)
{
    constexpr uint32_t n = 4;
    Build(n);
    engine->SetAttribute("Algorithm", TypeIdValue(DirectAllGatherFactory::GetTypeId()));
    const uint64_t id = engine->Create(CollectiveOp::ALL_GATHER, n * 160, "x");
    // Rank 3 is the first sender of rank 0, and the last to come.
    EnterAt(id, 0, 3, 100000);
    Simulator::Stop(TimeStep(99999));
    Simulator::Run();
    EXPECT_TRUE(ranksDone.empty());
    EXPECT_NE(engine->DescribePending().find("rank 0 waits for chunk 3 of step 1 from rank 3"),
              std::string::npos);
    Simulator::Run();
    const FabricTick tx = 160 * TICKS_PER_BYTE;
    EXPECT_EQ(engine->GetRecords()[id].algorithm, "direct");
    EXPECT_EQ(rankDone[3], 100000);
    EXPECT_EQ(rankDone[0], 100000 + tx + ALPHA);
    EXPECT_EQ(rankDone[2], 100000 + 3 * tx + ALPHA);
}

/** What is no algorithm is refused. */
TEST_F(CollectiveEngineTest, AlgorithmMustBeOne)
{
    Build(2);
    EXPECT_THROW(engine->SetAttribute("Algorithm", TypeIdValue(Object::GetTypeId())),
                 std::invalid_argument);
    engine->SetAttribute("Algorithm", StringValue("ns3::RingAlgorithmFactory"));
    EXPECT_EQ(engine->GetRecords().size(), 0U);
}

/** A broken connection fails what needs it, now or later, once each; nothing is sent any more,
 * nothing hangs. */
TEST_F(CollectiveEngineTest, ErrorSurfaces)
{
    constexpr FabricTick step = ALPHA + 160 * TICKS_PER_BYTE;
    Build(4);
    const uint64_t first = engine->Create(CollectiveOp::ALL_REDUCE, 4 * 160, "a");
    const uint64_t second = engine->Create(CollectiveOp::ALL_REDUCE, 4 * 160, "b");
    EnterAll(first);
    transport->BreakAt(1, 2, 2 * step + 1);
    Simulator::Run();
    ASSERT_EQ(errors.size(), 2U);
    EXPECT_EQ(errors[0].first, first);
    EXPECT_EQ(errors[1].first, second);
    EXPECT_EQ(errors[0].second, "connection from rank 1 to rank 2 failed: retries exhausted");
    EXPECT_EQ(engine->GetRecords()[first].error, errors[0].second);
    EXPECT_EQ(engine->GetRecords()[first].done, FABRIC_NEVER);
    // Steps 0, 1 and 2 had started; what arrived after the failure was not forwarded.
    EXPECT_EQ(transport->GetMessages(), 3U * 4);
    EXPECT_EQ(engine->GetPendingCount(), 0U);
    EXPECT_NE(engine->DescribePending().find("'a' (AllReduce, ring, 640 bytes): connection from"),
              std::string::npos);

    const uint64_t third = engine->Create(CollectiveOp::ALL_REDUCE, 4 * 160, "c");
    EnterAll(second);
    EnterAll(third);
    Simulator::Run();
    ASSERT_EQ(errors.size(), 3U);
    EXPECT_EQ(errors[2].first, third);
    EXPECT_TRUE(ranksDone.empty());
    EXPECT_TRUE(done.empty());
}

/** A failure after the last message over the connection harms nobody. */
TEST_F(CollectiveEngineTest, ErrorAfterTheEndIsHarmless)
{
    Build(3);
    const uint64_t id = engine->Create(CollectiveOp::ALL_REDUCE, 3 * 160, "x");
    EnterAll(id);
    transport->BreakAt(0, 1, 4 * (ALPHA + 160 * TICKS_PER_BYTE) + 1);
    Simulator::Run();
    EXPECT_TRUE(errors.empty());
    EXPECT_EQ(done.size(), 1U);
}

/** A connection over which all has come may fail while the collective goes on. */
TEST_F(CollectiveEngineTest, ErrorOfAnUnneededConnectionIsHarmless)
{
    Build(3);
    const uint64_t id = engine->Create(CollectiveOp::ALL_GATHER, 3 * 160, "x");
    // Both messages from 1 to 2 carry what 0 and 1 contribute: they don't wait for rank 2.
    EnterAt(id, 0, 2, 50000);
    transport->BreakAt(1, 2, 40000);
    Simulator::Run();
    EXPECT_TRUE(errors.empty());
    EXPECT_EQ(done.size(), 1U);
}

/** Without an error callback a failure is an exception. */
TEST_F(CollectiveEngineTest, ErrorWithoutCallbackThrows)
{
    Build(3);
    engine->SetErrorCallback(CollectiveEngine::ErrorCallback());
    const uint64_t id = engine->Create(CollectiveOp::ALL_REDUCE, 3 * 160, "x");
    EnterAll(id);
    EXPECT_THROW(transport->Break(0, 1), std::runtime_error);
}

/** The watchdog's text names the absent rank, and for each other the chunk and the sender. */
TEST_F(CollectiveEngineTest, DescribesWhatIsPending)
{
    Build(3);
    const uint64_t id = engine->Create(CollectiveOp::ALL_REDUCE, 3 * 160, "layer7");
    EXPECT_EQ(engine->DescribePending(),
              "collective 0 'layer7' (AllReduce, ring, 480 bytes): 0 of 3 ranks done; "
              "not entered: rank 0, 1, 2\n");
    engine->Enter(id, 0);
    engine->Enter(id, 2);
    Simulator::Run();
    EXPECT_EQ(engine->DescribePending(),
              "collective 0 'layer7' (AllReduce, ring, 480 bytes): 0 of 3 ranks done; "
              "not entered: rank 1; rank 0 waits for chunk 0 of step 1 from rank 2; "
              "rank 2 waits for chunk 0 of step 0 from rank 1\n");
    engine->Enter(id, 1);
    Simulator::Run();
    EXPECT_EQ(engine->DescribePending(), "");
}

/** Long lists are cut. */
TEST_F(CollectiveEngineTest, DescriptionIsShort)
{
    Build(100);
    engine->Create(CollectiveOp::ALL_REDUCE, 1000, "x");
    EXPECT_NE(
        engine->DescribePending().find("not entered: rank 0, 1, 2, 3, 4, 5, 6, 7 and 92 more"),
        std::string::npos);
}

/** Misuse is refused. */
TEST_F(CollectiveEngineTest, MisuseThrows)
{
    Build(2);
    const uint64_t id = engine->Create(CollectiveOp::ALL_REDUCE, 320, "x");
    EXPECT_THROW(engine->Enter(id + 1, 0), std::invalid_argument);
    EXPECT_THROW(engine->Enter(id, 2), std::invalid_argument);
    engine->Enter(id, 0);
    EXPECT_THROW(engine->Enter(id, 0), std::invalid_argument);
    EXPECT_THROW(engine->SetTransport(nullptr), std::logic_error);
    engine->Enter(id, 1);
    Simulator::Run();
    EXPECT_EQ(done.size(), 1U);
    EXPECT_THROW(engine->Enter(id, 1), std::invalid_argument);
    EXPECT_THROW(CreateObject<CollectiveEngine>()->Create(CollectiveOp::ALL_REDUCE, 1, "x"),
                 std::logic_error);
}

/** Equal moments of two periods have equal hashes, whatever the time and the ids; other moments
 * have others. */
TEST_F(CollectiveEngineTest, HashIsRelative)
{
    constexpr FabricTick step = ALPHA + 160 * TICKS_PER_BYTE;
    Build(4);
    engine->SetAttribute("StepLatency", TimeValue(TimeStep(70)));
    const auto run = [this](FabricTick until) {
        const uint64_t id = engine->Create(CollectiveOp::ALL_REDUCE, 4 * 160, "x");
        EnterAll(id);
        Simulator::Stop(TimeStep(until));
        Simulator::Run();
        StateHash hash;
        EXPECT_TRUE(engine->HashState(hash, FabricNow()));
        Simulator::Run();
        return hash.Get();
    };
    // At this moment the first chunks have arrived and are 10 ticks into the step latency.
    const uint64_t first = run(step + 10);
    Simulator::Stop(TimeStep(123456));
    Simulator::Run();
    EXPECT_EQ(run(step + 10), first);
    EXPECT_NE(run(step + 11), first);
    EXPECT_NE(run(3 * step), first);
    EXPECT_EQ(run(step + 10), first);
    EXPECT_EQ(done.size(), 5U);
    // One slot served them all, so that the tags, too, repeat: six steps are numbers 0 to 5.
    EXPECT_EQ(transport->GetHighestTag(), 5U);
}

/** Pending step latencies can be moved in time; the record of the collective moves with them. */
TEST_F(CollectiveEngineTest, ShiftMovesPendingWork)
{
    Build(2);
    engine->SetAttribute("StepLatency", TimeValue(TimeStep(500)));
    const uint64_t id = engine->Create(CollectiveOp::ALL_GATHER, 2 * 160, "x");
    EnterAll(id);
    Simulator::Stop(TimeStep(ALPHA + 160 * TICKS_PER_BYTE + 1));
    Simulator::Run();
    engine->Shift(10000);
    Simulator::Run();
    EXPECT_EQ(engine->GetRecords()[id].done, ALPHA + 160 * TICKS_PER_BYTE + 500 + 10000);
    EXPECT_EQ(Duration(id), ALPHA + 160 * TICKS_PER_BYTE + 500);
}
