/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "unit/collective-fake-transport.h"

#include "ns3/collective-cost.h"
#include "ns3/collective-engine.h"
#include "ns3/test.h"

#include <string>
#include <vector>

using namespace ns3;

/**
 * @ingroup ai-fabric-tests
 * A ring on a network of the alpha-beta model takes its closed form of time and of bytes, seen
 * through the trace source.
 */
class CollectiveTimeTestCase : public TestCase
{
  public:
    /**
     * @param op operation
     * @param ranks number of ranks
     */
    CollectiveTimeTestCase(CollectiveOp op, uint32_t ranks)
        : TestCase(CollectiveOpName(op) + " on " + std::to_string(ranks) +
                   " ranks takes the closed form of time and bytes"),
          m_op(op),
          m_ranks(ranks)
    {
    }

  private:
    void DoRun() override
    {
        constexpr FabricTick alpha = 1500;
        constexpr FabricTick latency = 300;
        constexpr FabricTick ticksPerByte = 3;
        const uint64_t bytes = uint64_t{1600} * m_ranks;
        Ptr<FakeTransport> transport = CreateObject<FakeTransport>(m_ranks, alpha, ticksPerByte);
        Ptr<CollectiveEngine> engine =
            CreateObjectWithAttributes<CollectiveEngine>("StepLatency",
                                                         TimeValue(TimeStep(latency)));
        engine->SetTransport(transport);
        engine->TraceConnectWithoutContext(
            "CollectiveDone",
            MakeCallback(&CollectiveTimeTestCase::CollectiveDone, this));
        const uint64_t id = engine->Create(m_op, bytes, "gradients");
        for (uint32_t rank = 0; rank < m_ranks; ++rank)
        {
            engine->Enter(id, rank);
        }
        Simulator::Run();

        NS_TEST_ASSERT_MSG_EQ(m_seen.size(), 1, "the trace source fires once");
        NS_TEST_ASSERT_MSG_EQ(m_seen[0].name, "gradients", "the record has the name");
        NS_TEST_ASSERT_MSG_EQ(m_seen[0].algorithm, "ring", "the record has the algorithm");
        NS_TEST_ASSERT_MSG_EQ(m_seen[0].bytes, bytes, "the record has the bytes");
        NS_TEST_ASSERT_MSG_EQ(m_seen[0].done - m_seen[0].firstEnter,
                              CollectiveCost::RingSteps(m_op, m_ranks) *
                                  (alpha + latency + 1600 * ticksPerByte),
                              "the duration is the closed form");
        for (uint32_t rank = 0; rank < m_ranks; ++rank)
        {
            NS_TEST_ASSERT_MSG_EQ(transport->GetBytes(rank),
                                  CollectiveCost::RingBytesSent(m_op, m_ranks, bytes, rank),
                                  "rank " << rank << " sends the closed form of bytes");
        }
        engine->Dispose();
        Simulator::Destroy();
    }

    /** @param record of a collective that is done */
    void CollectiveDone(const CollectiveRecord& record)
    {
        m_seen.push_back(record);
    }

    CollectiveOp m_op;                    //!< operation
    uint32_t m_ranks;                     //!< number
    std::vector<CollectiveRecord> m_seen; //!< by the trace source
};

/**
 * @ingroup ai-fabric-tests
 * A collective over a broken connection fails aloud.
 */
class CollectiveErrorTestCase : public TestCase
{
  public:
    CollectiveErrorTestCase()
        : TestCase("a broken connection fails the collective, with its reason")
    {
    }

  private:
    void DoRun() override
    {
        Ptr<FakeTransport> transport = CreateObject<FakeTransport>(4, 1000, 1);
        Ptr<CollectiveEngine> engine = CreateObject<CollectiveEngine>();
        engine->SetTransport(transport);
        engine->SetErrorCallback(MakeCallback(&CollectiveErrorTestCase::Failed, this));
        const uint64_t id = engine->Create(CollectiveOp::ALL_REDUCE, 4000, "gradients");
        for (uint32_t rank = 0; rank < 4; ++rank)
        {
            engine->Enter(id, rank);
        }
        transport->BreakAt(2, 3, 3000);
        Simulator::Run();

        NS_TEST_ASSERT_MSG_EQ(m_failures, 1, "the failure is told once");
        NS_TEST_ASSERT_MSG_EQ(m_why,
                              "connection from rank 2 to rank 3 failed: retries exhausted",
                              "the failure is named");
        NS_TEST_ASSERT_MSG_EQ(engine->GetRecords()[id].done, FABRIC_NEVER, "it is never done");
        engine->Dispose();
        Simulator::Destroy();
    }

    /**
     * @param id of the collective
     * @param why the reason
     */
    void Failed(uint64_t id, std::string why)
    {
        NS_TEST_EXPECT_MSG_EQ(id, 0, "the id is that of the collective");
        ++m_failures;
        m_why = why;
    }

    uint32_t m_failures{0}; //!< calls
    std::string m_why;      //!< of the last
};

/**
 * @ingroup ai-fabric-tests
 * The suite of the collective engine.
 */
class CollectiveTestSuite : public TestSuite
{
  public:
    CollectiveTestSuite()
        : TestSuite("ai-fabric-collective", TestSuite::Type::UNIT)
    {
        for (const uint32_t ranks : {2, 5, 16})
        {
            for (const CollectiveOp op :
                 {CollectiveOp::ALL_REDUCE, CollectiveOp::REDUCE_SCATTER, CollectiveOp::ALL_GATHER})
            {
                AddTestCase(new CollectiveTimeTestCase(op, ranks));
            }
        }
        AddTestCase(new CollectiveErrorTestCase());
    }
};

static CollectiveTestSuite g_collectiveTestSuite; //!< registers the suite
