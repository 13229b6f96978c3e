/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/collective-engine.h"
#include "ns3/comm-policy.h"
#include "ns3/double.h"
#include "ns3/gpu-application.h"
#include "ns3/message-transport.h"
#include "ns3/node.h"
#include "ns3/object-factory.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"
#include "ns3/step-record.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/training-job.h"
#include "ns3/uinteger.h"

#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @ingroup ai-fabric-tests
 * A network without contention: a message of n bytes arrives after n nanoseconds.
 */
class NanosecondPerByteTransport : public MessageTransport
{
  public:
    /** @param ranks number of ranks */
    explicit NanosecondPerByteTransport(uint32_t ranks)
        : m_ranks(ranks)
    {
    }

    uint32_t GetSize() const override
    {
        return m_ranks;
    }

    void Send(uint32_t from, uint32_t to, uint64_t bytes, uint64_t tag) override
    {
        Simulator::Schedule(NanoSeconds(bytes),
                            &NanosecondPerByteTransport::Arrive,
                            this,
                            from,
                            to,
                            tag);
    }

  private:
    /** Deliver and acknowledge. */
    void Arrive(uint32_t from, uint32_t to, uint64_t tag)
    {
        if (!m_delivered.IsNull())
        {
            m_delivered(from, to, tag);
        }
        if (!m_sent.IsNull())
        {
            m_sent(from, to, tag);
        }
    }

    uint32_t m_ranks; //!< number of ranks
};

/**
 * @ingroup ai-fabric-tests
 * A job of some GPUs over that network, and what its trace sources said.
 */
class Bench
{
  public:
    static constexpr uint32_t LAYERS = 6; //!< forward 1 ms, backward 2 ms, one bucket each

    /**
     * @param ranks number of GPUs
     * @param policy TypeId name of the policy
     * @param milliseconds time of the all-reduce of one bucket
     * @param optimizer seconds of the optimizer
     * @param iterations number of steps
     */
    Bench(uint32_t ranks,
          const std::string& policy,
          uint32_t milliseconds,
          double optimizer = 0,
          uint32_t iterations = 1)
    {
        transport = Create<NanosecondPerByteTransport>(ranks);
        engine = CreateObject<CollectiveEngine>();
        engine->SetTransport(transport);
        // A ring takes 2 (n - 1) steps of n-th parts; multiples of 16 B for 2 and 3 ranks.
        const uint64_t bytes =
            ranks > 1 ? 1000000ULL * milliseconds * ranks / (2 * (ranks - 1)) : 1000;
        TrainingStep step;
        step.forward = 1e-3 * LAYERS;
        step.backward = 2e-3 * LAYERS;
        step.optimizer = optimizer;
        for (uint32_t layer = 1; layer <= LAYERS; ++layer)
        {
            step.buckets.push_back({bytes, 1e-3 * (LAYERS + 2 * layer)});
        }
        ObjectFactory factory(policy);
        job = CreateObject<TrainingJob>();
        job->SetAttribute("Iterations", UintegerValue(iterations));
        job->SetPolicy(factory.Create<CommPolicy>());
        job->SetEngine(engine);
        job->Configure(ranks, step);
        job->SetFinishedCallback(MakeCallback(&Bench::OnFinished, this));
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            Ptr<Node> node = CreateObject<Node>();
            Ptr<GpuApplication> app = CreateObject<GpuApplication>();
            app->SetJob(job, rank);
            app->TraceConnectWithoutContext("BucketReady", MakeCallback(&Bench::OnReady, this));
            app->TraceConnectWithoutContext("BucketStart", MakeCallback(&Bench::OnStart, this));
            app->TraceConnectWithoutContext("BucketDone", MakeCallback(&Bench::OnDone, this));
            app->TraceConnectWithoutContext("StepDone", MakeCallback(&Bench::OnStep, this));
            node->AddApplication(app);
            nodes.push_back(node);
            apps.push_back(app);
        }
    }

    ~Bench()
    {
        job->Dispose();
        engine->Dispose();
    }

    /** @returns metrics of the steps that are over */
    StepReport GetReport() const
    {
        return MakeStepReport(MeasureSteps(job->GetRecords()));
    }

    Ptr<NanosecondPerByteTransport> transport;      //!< network
    Ptr<CollectiveEngine> engine;                   //!< collectives
    Ptr<TrainingJob> job;                           //!< the job
    std::vector<Ptr<Node>> nodes;                   //!< one per GPU
    std::vector<Ptr<GpuApplication>> apps;          //!< one per GPU
    std::vector<std::pair<uint32_t, Time>> readies; //!< rank and time of BucketReady
    std::vector<uint32_t> starts;                   //!< buckets that rank 0 started, in order
    uint32_t dones{0};                              //!< number of BucketDone
    std::vector<Time> steps;                        //!< durations of StepDone
    Time finished;                                  //!< when the job said so
    uint32_t finishes{0};                           //!< how often it said so

  private:
    /** Trace sink. */
    void OnReady(uint32_t rank, uint32_t, uint32_t, uint64_t)
    {
        readies.emplace_back(rank, Simulator::Now());
    }

    /** Trace sink. */
    void OnStart(uint32_t rank, uint32_t, uint32_t bucket, uint64_t)
    {
        if (rank == 0)
        {
            starts.push_back(bucket);
        }
    }

    /** Trace sink. */
    void OnDone(uint32_t, uint32_t, uint32_t, uint64_t)
    {
        ++dones;
    }

    /** Trace sink. */
    void OnStep(uint32_t, uint32_t, Time duration)
    {
        steps.push_back(duration);
    }

    /** The job is finished. */
    void OnFinished()
    {
        finished = Simulator::Now();
        ++finishes;
    }
};

/** What a policy must reach, in milliseconds. */
struct Expectation
{
    const char* policy;     //!< TypeId name
    uint32_t allReduce;     //!< time of one bucket
    uint32_t step;          //!< T
    uint32_t communication; //!< T_com
};

} // namespace

/**
 * @ingroup ai-fabric-tests
 * The simulated step takes exactly as long as the closed form says, for both policies.
 */
class TrainingClosedFormTestCase : public TestCase
{
  public:
    /** @param expectation the case */
    explicit TrainingClosedFormTestCase(const Expectation& expectation)
        : TestCase(std::string(expectation.policy) + " with " +
                   std::to_string(expectation.allReduce) + " ms per bucket"),
          m_expectation(expectation)
    {
    }

  private:
    void DoRun() override
    {
        Bench bench(3, m_expectation.policy, m_expectation.allReduce);
        Simulator::Run();
        const StepReport report = bench.GetReport();
        NS_TEST_EXPECT_MSG_EQ(bench.finished, MilliSeconds(m_expectation.step), "end of the job");
        NS_TEST_EXPECT_MSG_EQ(bench.finishes, 1, "told once");
        NS_TEST_EXPECT_MSG_EQ(bench.job->IsFinished(), true, "finished");
        NS_TEST_EXPECT_MSG_EQ_TOL(report.stepSeconds, 1e-3 * m_expectation.step, 1e-15, "T");
        NS_TEST_EXPECT_MSG_EQ_TOL(report.computeSeconds, 18e-3, 1e-15, "T_cmp");
        NS_TEST_EXPECT_MSG_EQ_TOL(report.communicationSeconds,
                                  1e-3 * m_expectation.communication,
                                  1e-15,
                                  "T_com");
        NS_TEST_EXPECT_MSG_EQ_TOL(report.overlapEfficiency,
                                  1 - (m_expectation.step - 18.0) / m_expectation.communication,
                                  1e-12,
                                  "overlap efficiency");
        const bool overlaps = std::string(m_expectation.policy) == "ns3::FifoPolicy";
        const StepRecord& record = bench.job->GetRecords().at(0);
        NS_TEST_EXPECT_MSG_EQ(record.buckets.at(0).release,
                              MilliSeconds(8).GetTimeStep(),
                              "first release");
        NS_TEST_EXPECT_MSG_EQ(record.buckets.at(0).firstEntry,
                              MilliSeconds(overlaps ? 8 : 18).GetTimeStep(),
                              "first start");
        NS_TEST_EXPECT_MSG_EQ(bench.readies.size(), 18, "BucketReady per rank and bucket");
        NS_TEST_EXPECT_MSG_EQ(bench.dones, 18, "BucketDone per rank and bucket");
        NS_TEST_EXPECT_MSG_EQ(bench.steps.size(), 3, "StepDone per rank");
        NS_TEST_EXPECT_MSG_EQ(bench.steps.at(0), MilliSeconds(m_expectation.step), "duration");
        NS_TEST_ASSERT_MSG_EQ(bench.starts.size(), 6, "BucketStart on rank 0");
        for (uint32_t i = 0; i < 6; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(bench.starts.at(i), i, "order of buckets");
        }
        Simulator::Destroy();
    }

    Expectation m_expectation; //!< the case
};

/**
 * @ingroup ai-fabric-tests
 * Steps follow each other without gaps; the optimizer is part of each.
 */
class TrainingIterationsTestCase : public TestCase
{
  public:
    TrainingIterationsTestCase()
        : TestCase("three steps with an optimizer")
    {
    }

  private:
    void DoRun() override
    {
        Bench bench(3, "ns3::FifoPolicy", 2, 0.5e-3, 3);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(bench.finished, MicroSeconds(3 * 20500), "end of the job");
        NS_TEST_ASSERT_MSG_EQ(bench.job->GetRecords().size(), 3, "one record per step");
        for (const StepRecord& record : bench.job->GetRecords())
        {
            NS_TEST_EXPECT_MSG_EQ(record.end - record.begin,
                                  MicroSeconds(20500).GetTimeStep(),
                                  "T");
            NS_TEST_EXPECT_MSG_EQ(record.compute, MicroSeconds(18500).GetTimeStep(), "T_cmp");
        }
        NS_TEST_EXPECT_MSG_EQ(bench.steps.size(), 9, "StepDone per rank and step");
        Simulator::Destroy();
    }
};

/**
 * @ingroup ai-fabric-tests
 * A rank that starts late or computes slowly delays all, in T and in T_cmp alike.
 */
class TrainingSkewTestCase : public TestCase
{
  public:
    TrainingSkewTestCase()
        : TestCase("late start and slow rank")
    {
    }

  private:
    void DoRun() override
    {
        {
            Bench bench(3, "ns3::FifoPolicy", 1);
            bench.apps[1]->SetStartTime(MicroSeconds(500));
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(bench.finished, MicroSeconds(19500), "late start");
            NS_TEST_EXPECT_MSG_EQ(bench.job->GetRecords().at(0).compute,
                                  MicroSeconds(18500).GetTimeStep(),
                                  "T_cmp of a late start");
            Simulator::Destroy();
        }
        {
            Bench bench(3, "ns3::FifoPolicy", 1);
            Ptr<ConstantRandomVariable> factor = CreateObject<ConstantRandomVariable>();
            factor->SetAttribute("Constant", DoubleValue(1.5));
            bench.apps[2]->SetAttribute("Jitter", PointerValue(factor));
            NS_TEST_EXPECT_MSG_EQ(bench.apps[2]->AssignStreams(7), 1, "one stream");
            NS_TEST_EXPECT_MSG_EQ(factor->GetStream(), 7, "the stream given");
            NS_TEST_EXPECT_MSG_EQ(bench.apps[1]->AssignStreams(7), 0, "no stream");
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(bench.finished, MilliSeconds(28), "slow rank");
            const StepRecord& record = bench.job->GetRecords().at(0);
            NS_TEST_EXPECT_MSG_EQ(record.compute,
                                  MilliSeconds(27).GetTimeStep(),
                                  "T_cmp of a slow rank");
            NS_TEST_EXPECT_MSG_EQ(record.buckets.at(0).firstEntry,
                                  MilliSeconds(8).GetTimeStep(),
                                  "fast ranks enter early");
            NS_TEST_EXPECT_MSG_EQ(record.buckets.at(0).release,
                                  MilliSeconds(12).GetTimeStep(),
                                  "the slow rank releases late");
            NS_TEST_EXPECT_MSG_EQ(record.buckets.at(0).completion,
                                  MilliSeconds(13).GetTimeStep(),
                                  "and all wait for it");
            Simulator::Destroy();
        }
    }
};

/**
 * @ingroup ai-fabric-tests
 * Jitter is random, but equal streams give equal steps.
 */
class TrainingJitterTestCase : public TestCase
{
  public:
    TrainingJitterTestCase()
        : TestCase("random compute times repeat")
    {
    }

  private:
    /** @param stream first stream @returns the end of the job */
    Time RunWith(int64_t stream)
    {
        Bench bench(3, "ns3::FifoPolicy", 1, 0, 2);
        for (auto& app : bench.apps)
        {
            app->SetAttribute("Jitter", StringValue("ns3::UniformRandomVariable[Min=0.9|Max=1.1]"));
            stream += app->AssignStreams(stream);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_GT(bench.GetReport().exposedCommSeconds, 0, "exposed at the end");
        const Time end = bench.finished;
        Simulator::Destroy();
        return end;
    }

    void DoRun() override
    {
        const Time first = RunWith(100);
        NS_TEST_EXPECT_MSG_EQ(RunWith(100), first, "equal streams");
        NS_TEST_EXPECT_MSG_NE(RunWith(200), first, "other streams");
    }
};

/**
 * @ingroup ai-fabric-tests
 * After its stop time a GPU launches nothing.
 */
class TrainingStopTestCase : public TestCase
{
  public:
    TrainingStopTestCase()
        : TestCase("stop time is honored")
    {
    }

  private:
    void DoRun() override
    {
        Bench bench(2, "ns3::FifoPolicy", 1);
        bench.apps[0]->SetStopTime(MilliSeconds(11));
        Simulator::Run();
        uint32_t readiesOfStopped = 0;
        for (const auto& [rank, when] : bench.readies)
        {
            readiesOfStopped += rank == 0;
        }
        NS_TEST_EXPECT_MSG_EQ(readiesOfStopped, 2, "released at 8 and 10 ms");
        NS_TEST_EXPECT_MSG_EQ(bench.readies.size(), 8, "the other rank goes on");
        NS_TEST_EXPECT_MSG_EQ(bench.starts.size(), 2, "started at 8 and 10 ms");
        NS_TEST_EXPECT_MSG_EQ(bench.steps.empty(), true, "no step is over");
        NS_TEST_EXPECT_MSG_EQ(bench.job->IsFinished(), false, "not finished");
        Simulator::Destroy();
    }
};

/**
 * @ingroup ai-fabric-tests
 * One GPU needs no network: its collectives end in the call that enters them.
 */
class TrainingSingleRankTestCase : public TestCase
{
  public:
    TrainingSingleRankTestCase()
        : TestCase("one GPU")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* policy : {"ns3::SequentialPolicy", "ns3::FifoPolicy"})
        {
            Bench bench(1, policy, 1);
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(bench.finished, MilliSeconds(18), "compute only");
            NS_TEST_EXPECT_MSG_EQ(bench.dones, 6, "all buckets");
            Simulator::Destroy();
        }
    }
};

/**
 * @ingroup ai-fabric-tests
 * Wrong use is refused.
 */
class TrainingMisuseTestCase : public TestCase
{
  public:
    TrainingMisuseTestCase()
        : TestCase("wrong use is refused")
    {
    }

  private:
    /** @param job under test @param ranks to configure @returns true if that is refused */
    bool Refuses(Ptr<TrainingJob> job, uint32_t ranks)
    {
        try
        {
            job->Configure(ranks, TrainingStep());
        }
        catch (const std::invalid_argument&)
        {
            return true;
        }
        return false;
    }

    /** @param job under test @param rank to start @returns true if that is refused */
    bool RefusesStart(Ptr<TrainingJob> job, uint32_t rank)
    {
        try
        {
            job->StartRank(rank, 0);
        }
        catch (const std::invalid_argument&)
        {
            return true;
        }
        return false;
    }

    void DoRun() override
    {
        Ptr<TrainingJob> job = CreateObject<TrainingJob>();
        NS_TEST_EXPECT_MSG_EQ(Refuses(job, 0), true, "no rank");
        NS_TEST_EXPECT_MSG_EQ(Refuses(job, 2), false, "two ranks");
        NS_TEST_EXPECT_MSG_EQ(Refuses(job, 2), true, "twice");
        NS_TEST_EXPECT_MSG_EQ(job->GetPolicy()->GetName(), "fifo", "default policy");
        NS_TEST_EXPECT_MSG_EQ(RefusesStart(job, 0), true, "no engine");
        Bench bench(2, "ns3::FifoPolicy", 1);
        NS_TEST_EXPECT_MSG_EQ(RefusesStart(bench.job, 2), true, "no such rank");
        bench.job->StartRank(0, 0);
        NS_TEST_EXPECT_MSG_EQ(RefusesStart(bench.job, 0), true, "started twice");
        job->Dispose();
        Simulator::Destroy();
    }
};

/**
 * @ingroup ai-fabric-tests
 * Training jobs.
 */
class TrainingTestSuite : public TestSuite
{
  public:
    TrainingTestSuite()
        : TestSuite("ai-fabric-training", TestSuite::Type::UNIT)
    {
        const Expectation expectations[] = {
            {"ns3::SequentialPolicy", 1, 24, 6},
            {"ns3::SequentialPolicy", 2, 30, 12},
            {"ns3::SequentialPolicy", 3, 36, 18},
            {"ns3::FifoPolicy", 1, 19, 6},
            {"ns3::FifoPolicy", 2, 20, 12},
            {"ns3::FifoPolicy", 3, 26, 18},
        };
        for (const Expectation& expectation : expectations)
        {
            AddTestCase(new TrainingClosedFormTestCase(expectation));
        }
        AddTestCase(new TrainingIterationsTestCase());
        AddTestCase(new TrainingSkewTestCase());
        AddTestCase(new TrainingJitterTestCase());
        AddTestCase(new TrainingStopTestCase());
        AddTestCase(new TrainingSingleRankTestCase());
        AddTestCase(new TrainingMisuseTestCase());
    }
};

static TrainingTestSuite g_trainingTestSuite; //!< registers the suite
