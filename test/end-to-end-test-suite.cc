/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// From the training job down to the wire and back: both fabrics, nothing replaced. At ns-3's
// default resolution; what is exact at picoseconds is in unit/helper-end-to-end-unit-test.cc.

#include "support/end-to-end-rig.h"

#include "ns3/collective-cost.h"
#include "ns3/credit-flow-control.h"
#include "ns3/gpu-traffic-helper.h"
#include "ns3/pause-flow-control.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/roce-switch.h"
#include "ns3/step-record.h"
#include "ns3/test.h"

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

// The build says where the data is; in the working directory otherwise.
#ifndef AI_FABRIC_TEST_DATA_DIR
#define AI_FABRIC_TEST_DATA_DIR "contrib/ai-fabric/test/data"
#endif

using namespace ns3;
using namespace ns3::endrig;

namespace
{

/**
 * @ingroup ai-fabric-tests
 * A test of one fabric.
 */
class EndToEndTestCase : public TestCase
{
  public:
    EndToEndTestCase(const std::string& fabric, const std::string& what)
        : TestCase(fabric + ": " + what),
          m_fabric(fabric)
    {
    }

  protected:
    /** Everything is over: nothing may be left. */
    void Finish()
    {
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(FabricFramePool::GetOutstanding(), 0, "a frame is lost for good");
    }

    /** Nothing was dropped, sent twice or given up, and nothing is left in a buffer. */
    void ExpectLossless(const Cluster& cluster)
    {
        const FabricTotals totals = cluster.GetTotals();
        NS_TEST_EXPECT_MSG_EQ(totals.drops, 0, "a lossless fabric drops nothing");
        NS_TEST_EXPECT_MSG_EQ(totals.losslessDrops, 0, "a lossless fabric drops nothing");
        NS_TEST_EXPECT_MSG_EQ(cluster.GetOccupancy(), 0, "all buffers are empty again");
        ExpectZero(cluster, &FabricNicCounters::retransmitted, "nothing is sent again");
        ExpectZero(cluster, &FabricNicCounters::timeouts, "no timer expires");
        ExpectZero(cluster, &FabricNicCounters::naksSent, "no gap is seen");
        ExpectZero(cluster, &FabricNicCounters::outOfSequence, "no gap is seen");
        ExpectZero(cluster, &FabricNicCounters::duplicates, "nothing comes in twice");
        ExpectZero(cluster, &FabricNicCounters::discarded, "everything is for somebody");
        ExpectZero(cluster, &FabricNicCounters::errors, "no connection fails");
    }

    std::string m_fabric; //!< "ib" or "roce"

  private:
    void ExpectZero(const Cluster& cluster,
                    uint64_t FabricNicCounters::*counter,
                    const std::string& why)
    {
        NS_TEST_EXPECT_MSG_EQ(cluster.Sum(counter), 0, why);
    }
};

/**
 * @ingroup ai-fabric-tests
 * Ring AllReduce on an idle star takes what the closed form says.
 */
class RingTestCase : public EndToEndTestCase
{
  public:
    RingTestCase(const std::string& fabric, uint32_t ranks)
        : EndToEndTestCase(fabric, "ring AllReduce over " + std::to_string(ranks) + " ranks"),
          m_ranks(ranks)
    {
    }

  private:
    void DoRun() override
    {
        // A chunk of one unit of alignment, one packet, many packets; and what does not divide.
        for (const uint64_t bytes :
             {m_ranks * 16, m_ranks * MTU, m_ranks * 1048576U, 1000003U, m_ranks * 40000U + 1U})
        {
            RunOne(bytes);
        }
    }

    void RunOne(uint64_t bytes)
    {
        const auto helper = MakeHelper(m_fabric);
        Cluster cluster(*helper, m_ranks);
        const Ptr<CollectiveEngine> engine = cluster.MakeEngine();
        const uint64_t id = engine->Create(CollectiveOp::ALL_REDUCE, bytes, "ring");
        for (uint32_t rank = 0; rank < m_ranks; ++rank)
        {
            engine->Enter(id, rank);
        }
        Simulator::Run();
        const CollectiveRecord& record = engine->GetRecords().at(id);
        NS_TEST_ASSERT_MSG_NE(record.done, FABRIC_NEVER, "it must end");
        const double seconds = FabricSeconds(record.done - record.firstEnter);

        // A chunk goes 2 (n - 1) times from rank to rank; the largest ones take longest.
        const uint64_t chunk = ChunkPartition(m_ranks, bytes).GetChunk(0).bytes;
        const uint32_t steps = CollectiveCost::RingSteps(CollectiveOp::ALL_REDUCE, m_ranks);
        NS_TEST_EXPECT_MSG_EQ(steps, 2 * (m_ranks - 1), "there and back");
        const auto frames = ListWireBytes(*cluster.m_devices[0], chunk);
        const double expected = steps * GetMessageSeconds(m_fabric, frames);
        // Not less, to the rounding of a message to ticks; not 1 % more, for ACKs and flow-control
        // packets.
        NS_TEST_EXPECT_MSG_GT(seconds, expected - steps * 4e-9, "no faster than the wire");
        NS_TEST_EXPECT_MSG_EQ_TOL(seconds, expected, 0.01 * expected, bytes << " bytes");

        // The usual form: payload at goodput plus a fixed cost of each step, that of a message of
        // one packet.
        const std::vector<uint32_t> one(1, frames.front());
        const double goodput = RATE / 8 * MTU / (frames.size() > 2 ? frames[1] : frames[0]);
        const double alpha = GetMessageSeconds(m_fabric, one) - frames.front() * 8 / RATE;
        if (chunk % MTU == 0)
        {
            const double form = CollectiveCost::RingSeconds(CollectiveOp::ALL_REDUCE,
                                                            m_ranks,
                                                            bytes,
                                                            alpha,
                                                            goodput);
            NS_TEST_EXPECT_MSG_EQ_TOL(seconds, form, 0.01 * form, bytes << " bytes, alpha-beta");
            const double busBandwidth =
                CollectiveCost::BusBandwidth(CollectiveOp::ALL_REDUCE, m_ranks, bytes, seconds);
            const double share = chunk / goodput / (chunk / goodput + alpha);
            NS_TEST_EXPECT_MSG_EQ_TOL(busBandwidth / goodput,
                                      share,
                                      0.01 * share,
                                      "bus bandwidth: the share of time in which payload flows");
            NS_TEST_EXPECT_MSG_LT(busBandwidth, goodput, "never more than the link");
        }

        for (uint32_t rank = 0; rank < m_ranks; ++rank)
        {
            NS_TEST_EXPECT_MSG_EQ(
                cluster.m_nics[rank]->GetCounters().txBytes,
                CollectiveCost::RingBytesSent(CollectiveOp::ALL_REDUCE, m_ranks, bytes, rank),
                "every byte once");
        }
        ExpectLossless(cluster);
        NS_TEST_EXPECT_MSG_EQ(cluster.m_transport->GetPending(), 0, "none on the way");
        engine->Dispose();
        Finish();
    }

    uint32_t m_ranks; //!< number of ranks
};

/**
 * @ingroup ai-fabric-tests
 * Many to one without a loss: senders wait for credits or pauses.
 */
class IncastTestCase : public EndToEndTestCase
{
  public:
    explicit IncastTestCase(const std::string& fabric)
        : EndToEndTestCase(fabric, "16 senders to one receiver, lossless")
    {
    }

  private:
    static constexpr uint32_t SENDERS = 16;          //!< they are ranks 1..16
    static constexpr uint64_t BYTES = 1048576 + 777; //!< of each

    void DoRun() override
    {
        const auto helper = MakeHelper(m_fabric);
        if (m_fabric == "roce")
        {
            // So small that a MiB from each can't simply be buffered.
            helper->SetSwitchAttribute("BufferBytes", UintegerValue(3 * 1024 * 1024));
        }
        Cluster cluster(*helper, SENDERS + 1);
        cluster.CountMessages();
        for (uint32_t from = 1; from <= SENDERS; ++from)
        {
            cluster.m_transport->Send(from, 0, BYTES, from);
        }
        Simulator::Run();
        ExpectLossless(cluster);
        NS_TEST_EXPECT_MSG_EQ(cluster.m_deliveredCount, SENDERS, "all messages");
        NS_TEST_EXPECT_MSG_EQ(cluster.m_sentCount, SENDERS, "all acknowledged");
        NS_TEST_EXPECT_MSG_EQ(cluster.m_nics[0]->GetCounters().rxBytes,
                              SENDERS * BYTES,
                              "every byte once");
        uint64_t pauseFrames = 0;
        for (uint32_t from = 1; from <= SENDERS; ++from)
        {
            NS_TEST_EXPECT_MSG_EQ(cluster.GetAccepted(from, 0), BYTES, "every byte of " << from);
            NS_TEST_EXPECT_MSG_EQ(cluster.m_nics[from]->GetCounters().txBytes,
                                  BYTES,
                                  "every byte once");
            LinkFlowControl* flowControl = cluster.m_devices[from]->GetPort().GetFlowControl();
            if (const auto credits = dynamic_cast<CreditFlowControl*>(flowControl))
            {
                NS_TEST_EXPECT_MSG_GT(credits->GetHeldTicks(), 0, from << " has waited");
            }
            else if (const auto pause = dynamic_cast<PauseFlowControl*>(flowControl))
            {
                NS_TEST_EXPECT_MSG_GT(pause->GetPausedTicks(), 0, from << " was paused");
                NS_TEST_EXPECT_MSG_GT(pause->GetHeldTicks(), 0, from << " has waited");
                pauseFrames += pause->GetPauseFrames();
            }
            else
            {
                NS_TEST_EXPECT_MSG_EQ(true, false, "the link must be lossless");
            }
        }
        const FabricTotals totals = cluster.GetTotals();
        NS_TEST_EXPECT_MSG_EQ(totals.pauseFrames, pauseFrames, "only senders are stopped");
        NS_TEST_EXPECT_MSG_EQ((pauseFrames > 0), (m_fabric == "roce"), "PFC or credits");
        // Neither kind of flow control lets the one busy link run dry.
        double wire = 0;
        for (const uint32_t bytes : ListWireBytes(*cluster.m_devices[0], BYTES))
        {
            wire += SENDERS * bytes * 8 / RATE;
        }
        const double end = FabricSeconds(cluster.m_lastDelivered);
        NS_TEST_EXPECT_MSG_GT(end, wire, "no faster than the wire");
        NS_TEST_EXPECT_MSG_LT(end, wire * 1.01, "the receiver's link is always busy");
        Finish();
    }
};

/**
 * @ingroup ai-fabric-tests
 * The same without flow control: frames are dropped, and everything arrives all the same, once.
 */
class LossyIncastTestCase : public EndToEndTestCase
{
  public:
    explicit LossyIncastTestCase(const std::string& fabric)
        : EndToEndTestCase(fabric, "16 senders to one receiver without flow control")
    {
    }

  private:
    static constexpr uint32_t SENDERS = 16;         //!< they are ranks 1..16
    static constexpr uint64_t BYTES = 262144 + 777; //!< of each

    void DoRun() override
    {
        const auto helper = MakeHelper(m_fabric);
        helper->SetFlowControl("ns3::NoFlowControl");
        if (m_fabric == "ib")
        {
            helper->SetFlowControlAttribute("BufferBytes", UintegerValue(65536));
        }
        else
        {
            helper->SetSwitchAttribute("BufferBytes", UintegerValue(1024 * 1024));
        }
        Cluster cluster(*helper, SENDERS + 1);
        cluster.CountMessages();
        cluster.m_transport->SetQueuePairAttribute("TimeoutExponent", UintegerValue(5)); // 131 us
        cluster.m_transport->SetQueuePairAttribute("RetryCount", UintegerValue(7));
        for (uint32_t from = 1; from <= SENDERS; ++from)
        {
            cluster.m_transport->Send(from, 0, BYTES, from);
        }
        Simulator::Run();
        const FabricTotals totals = cluster.GetTotals();
        NS_TEST_EXPECT_MSG_GT(totals.drops, 0, "a full buffer drops");
        NS_TEST_EXPECT_MSG_EQ(totals.losslessDrops, 0, "nothing was promised");
        NS_TEST_EXPECT_MSG_EQ((totals.hasPause || totals.hasCredits), false, "there is none");
        NS_TEST_EXPECT_MSG_EQ(totals.pauseFrames, 0, "there is no PFC");
        NS_TEST_EXPECT_MSG_GT(cluster.Sum(&FabricNicCounters::retransmitted), 0, "go-back-N");
        NS_TEST_EXPECT_MSG_EQ(cluster.m_failedCount, 0, "no connection gives up");
        NS_TEST_EXPECT_MSG_EQ(cluster.m_deliveredCount, SENDERS, "all messages");
        NS_TEST_EXPECT_MSG_EQ(cluster.m_sentCount, SENDERS, "all acknowledged");
        const FabricNicCounters& receiver = cluster.m_nics[0]->GetCounters();
        for (uint32_t from = 1; from <= SENDERS; ++from)
        {
            NS_TEST_EXPECT_MSG_EQ((cluster.m_delivered[{from, 0}]), 1, "exactly once");
            NS_TEST_EXPECT_MSG_EQ(cluster.GetAccepted(from, 0), BYTES, "every byte once");
            const FabricNicCounters& sender = cluster.m_nics[from]->GetCounters();
            NS_TEST_EXPECT_MSG_EQ(sender.txPackets - sender.retransmitted,
                                  RcRequester::CountPackets(BYTES, MTU),
                                  "each packet new once");
        }
        NS_TEST_EXPECT_MSG_EQ(cluster.GetOccupancy(), 0, "all buffers are empty again");
        // What was sent has come in or was dropped; what came in was new, old or too early.
        const uint64_t packets = SENDERS * RcRequester::CountPackets(BYTES, MTU);
        NS_TEST_EXPECT_MSG_EQ(receiver.rxPackets,
                              packets + receiver.duplicates + receiver.outOfSequence,
                              "nothing was accepted twice");
        NS_TEST_EXPECT_MSG_EQ(cluster.Sum(&FabricNicCounters::txPackets),
                              receiver.rxPackets + totals.drops,
                              "nothing vanishes");
        Finish();
    }
};

/**
 * @ingroup ai-fabric-tests
 * A RoCE switch with a scarce pool, shared or not: any number of senders, nothing is lost.
 */
class FanInTestCase : public EndToEndTestCase
{
  public:
    FanInTestCase()
        : EndToEndTestCase("roce", "2 to 63 senders to one receiver, all buffer models")
    {
    }

  private:
    static constexpr uint64_t BYTES = 64 * MTU;          //!< of each sender
    static constexpr uint64_t SHARED_BYTES = 256 * 1024; //!< of the buffer, if all share it
    static constexpr uint64_t PART = 64 * 1024; //!< of it for each port, or each priority of one

    void DoRun() override
    {
        for (uint32_t senders = 2; senders <= 63; ++senders)
        {
            const uint64_t headroom = RunOne(senders, 32 * 1024 * 1024, 0);
            const uint64_t set = (senders + 1) * (2 * headroom + 8 * 4096);
            RunOne(senders, set + SHARED_BYTES, BYTES);
        }
        for (const uint32_t senders : {2, 17, 63})
        {
            const uint64_t headroom = RunOne(senders, 32 * 1024 * 1024, 0);
            const uint64_t set = (senders + 1) * (2 * headroom + 8 * 4096);
            RunOne(senders, set + (senders + 1) * PART, BYTES, "PerPort");
            RunOne(senders, set + (senders + 1) * 8 * PART, BYTES, "PerQueue");
        }
    }

    /** @returns headroom that a priority of a port needs */
    uint64_t RunOne(uint32_t senders,
                    uint64_t buffer,
                    uint64_t bytes,
                    const std::string& model = "Shared")
    {
        const auto helper = MakeHelper(m_fabric);
        helper->SetSwitchAttribute("BufferModel", StringValue(model));
        helper->SetSwitchAttribute("BufferBytes", UintegerValue(buffer));
        Cluster cluster(*helper, senders + 1);
        const auto device =
            DynamicCast<RoceSwitch>(FabricHelper::GetSwitch(cluster.m_topology.switches.Get(0)));
        const uint64_t headroom = device->ComputeHeadroom(0) + device->GetLargestFrame(0);
        if (bytes)
        {
            cluster.CountMessages();
            for (uint32_t from = 1; from <= senders; ++from)
            {
                cluster.m_transport->Send(from, 0, bytes, from);
            }
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(device->GetBuffer().GetSharedSize(),
                                  (model == "Shared" ? SHARED_BYTES : PART),
                                  "as meant");
            NS_TEST_EXPECT_MSG_EQ(cluster.m_sentCount, senders, "all messages");
            NS_TEST_EXPECT_MSG_EQ(cluster.m_nics[0]->GetCounters().rxBytes,
                                  senders * bytes,
                                  "every byte");
            NS_TEST_EXPECT_MSG_GT(cluster.GetTotals().pauseFrames, 0, senders << ": PFC fires");
            NS_TEST_EXPECT_MSG_LT(device->GetBuffer().GetMaxHeadroomUsed(),
                                  headroom + 1,
                                  "the headroom is enough");
            NS_TEST_EXPECT_MSG_EQ(device->GetBuffer().GetUsed(), 0, "the buffer is empty again");
            NS_TEST_EXPECT_MSG_EQ(device->GetBuffer().HasStopped(), false, "nobody stays stopped");
            ExpectLossless(cluster);
        }
        Finish();
        return headroom;
    }
};

/**
 * @ingroup ai-fabric-tests
 * 128 hosts around one switch: all to one, and each to its neighbor at the same time.
 */
class ManyHostsTestCase : public EndToEndTestCase
{
  public:
    explicit ManyHostsTestCase(const std::string& fabric)
        : EndToEndTestCase(fabric, "128 hosts around one switch")
    {
    }

  private:
    static constexpr uint32_t HOSTS = 128;      //!< around the switch
    static constexpr uint64_t BYTES = 16 * MTU; //!< of a message

    void DoRun() override
    {
        const auto helper = MakeHelper(m_fabric);
        Cluster cluster(*helper, HOSTS);
        cluster.CountMessages();
        for (uint32_t from = 0; from < HOSTS; ++from)
        {
            cluster.m_transport->Send(from, (from + 1) % HOSTS, BYTES, 1);
            if (from != 0)
            {
                cluster.m_transport->Send(from, 0, BYTES, 2);
            }
        }
        Simulator::Run();
        ExpectLossless(cluster);
        NS_TEST_EXPECT_MSG_EQ(cluster.m_sentCount, 2 * HOSTS - 1, "all messages");
        NS_TEST_EXPECT_MSG_EQ(cluster.m_nics[0]->GetCounters().rxBytes, HOSTS * BYTES, "incast");
        for (uint32_t to = 1; to < HOSTS; ++to)
        {
            NS_TEST_EXPECT_MSG_EQ(cluster.m_nics[to]->GetCounters().rxBytes, BYTES, "neighbor");
        }
        Finish();
    }
};

/**
 * @ingroup ai-fabric-tests
 * A training step of a tiny model: what a schedule costs, and that every gradient travels.
 */
class StepTestCase : public EndToEndTestCase
{
  public:
    explicit StepTestCase(const std::string& fabric)
        : EndToEndTestCase(fabric, "training step, sequential and fifo")
    {
    }

  private:
    static constexpr uint32_t RANKS = 4;      //!< around one switch
    static constexpr uint32_t ITERATIONS = 2; //!< steps

    /** What a run shows. */
    struct Result
    {
        TrainingStep plan;               //!< of a step
        std::vector<StepRecord> steps;   //!< as they went
        std::vector<double> collectives; //!< seconds of each bucket of the first step
    };

    Result RunPolicy(const std::string& policy)
    {
        const auto helper = MakeHelper(m_fabric);
        const FabricTopology topology = FabricTopologyHelper(*helper).CreateStar(RANKS);
        GpuTrafficHelper gpus(std::string(AI_FABRIC_TEST_DATA_DIR) + "/models/tiny-dense.json",
                              "h100");
        TokenBatch batch;
        batch.sequenceLength = 1024;
        batch.sequences = 4;
        gpus.SetBatch(batch);
        BucketCaps caps;
        caps.firstBytes = 262144;
        caps.otherBytes = 1048576;
        gpus.SetBucketCaps(caps);
        gpus.SetOptimizerBytes(28);
        gpus.SetPolicy(policy);
        gpus.SetJobAttribute("Iterations", UintegerValue(ITERATIONS));
        ApplicationContainer apps = gpus.Install(topology.hosts);
        apps.Start(MicroSeconds(7));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(gpus.GetJob()->IsFinished(), true, "the job ends");

        Result result;
        result.plan = gpus.MakeStep();
        result.steps = gpus.GetJob()->GetRecords();
        const auto& records = gpus.GetEngine()->GetRecords();
        const std::size_t buckets = result.plan.buckets.size();
        NS_TEST_EXPECT_MSG_GT(buckets, 3, "there is something to overlap");
        NS_TEST_EXPECT_MSG_EQ(records.size(), ITERATIONS * buckets, "one collective per bucket");
        std::vector<uint64_t> sent(RANKS, 0);
        uint64_t gradients = 0;
        for (const CollectiveRecord& record : records)
        {
            gradients += record.bytes;
            for (uint32_t rank = 0; rank < RANKS; ++rank)
            {
                sent[rank] += CollectiveCost::RingBytesSent(record.op, RANKS, record.bytes, rank);
            }
        }
        const auto parameters = CountParameters(ListParameters(gpus.GetModel()));
        NS_TEST_EXPECT_MSG_EQ(gradients, ITERATIONS * 2 * parameters, "every gradient, in bf16");
        uint64_t total = 0;
        for (uint32_t rank = 0; rank < RANKS; ++rank)
        {
            const FabricNicCounters& counters = gpus.GetTransport()->GetNic(rank)->GetCounters();
            NS_TEST_EXPECT_MSG_EQ(counters.txBytes, sent[rank], "the closed form, to the byte");
            NS_TEST_EXPECT_MSG_EQ(counters.retransmitted, 0, "no byte twice");
            total += counters.rxBytes;
        }
        NS_TEST_EXPECT_MSG_EQ(total, 2 * (RANKS - 1) * gradients, "all of it has come in");
        for (std::size_t i = 0; i < buckets; ++i)
        {
            result.collectives.push_back(FabricSeconds(records[i].done - records[i].firstEnter));
        }
        FabricTotals totals;
        totals.Add(NodeContainer(topology.hosts, topology.switches));
        NS_TEST_EXPECT_MSG_EQ(totals.drops, 0, "lossless");
        Finish();
        return result;
    }

    /** @returns seconds of each bucket as a ring without latency, at line-rate goodput */
    static std::vector<double> GetIdealSeconds(const TrainingStep& plan)
    {
        std::vector<double> seconds;
        for (const StepBucket& bucket : plan.buckets)
        {
            seconds.push_back(CollectiveCost::RingSeconds(CollectiveOp::ALL_REDUCE,
                                                          RANKS,
                                                          bucket.bytes,
                                                          0,
                                                          RATE / 8));
        }
        return seconds;
    }

    void DoRun() override
    {
        const Result sequential = RunPolicy("sequential");
        const Result fifo = RunPolicy("fifo");
        const double compute = sequential.plan.GetComputeSeconds();
        double communication = 0;
        for (const double seconds : sequential.collectives)
        {
            communication += seconds;
        }
        const auto work = GetBarrierWork(fifo.plan, sequential.collectives);
        const auto ideal = GetBarrierWork(fifo.plan, GetIdealSeconds(fifo.plan));
        const double limit = GetLimitSeconds(compute, ideal);
        const double rounding = 1e-9 * (8 + 4 * sequential.plan.buckets.size());
        NS_TEST_EXPECT_MSG_GT(limit, compute * 0.999999, "no step is shorter than its compute");
        for (uint32_t i = 0; i < ITERATIONS; ++i)
        {
            const StepRecord& a = sequential.steps.at(i);
            const StepRecord& b = fifo.steps.at(i);
            const double sequentialStep = FabricSeconds(a.end - a.begin);
            const double fifoStep = FabricSeconds(b.end - b.begin);
            NS_TEST_EXPECT_MSG_EQ_TOL(FabricSeconds(a.compute), compute, rounding, "compute");
            NS_TEST_EXPECT_MSG_EQ_TOL(FabricSeconds(b.compute), compute, rounding, "compute");
            NS_TEST_EXPECT_MSG_EQ_TOL(sequentialStep,
                                      compute + communication,
                                      rounding,
                                      "sequential: compute plus all communication");
            NS_TEST_EXPECT_MSG_LT(fifoStep, sequentialStep, "overlap helps");
            NS_TEST_EXPECT_MSG_GT(fifoStep, limit, "nothing beats the limit");
            NS_TEST_EXPECT_MSG_GT(sequentialStep, limit, "nothing beats the limit");
            NS_TEST_EXPECT_MSG_EQ_TOL(fifoStep,
                                      GetFifoSeconds(compute, work),
                                      rounding,
                                      "fifo: the recurrence over the same durations");
        }
    }
};

/**
 * @ingroup ai-fabric-tests
 * A job with collisions and random marking: the seed decides, and nothing else.
 */
class SeedTestCase : public EndToEndTestCase
{
  public:
    SeedTestCase()
        : EndToEndTestCase("roce", "equal seeds give equal results, other seeds others")
    {
    }

  private:
    std::vector<int64_t> RunSeed(uint32_t seed)
    {
        const auto ticks = RunMarked(seed);
        NS_TEST_EXPECT_MSG_GT(ticks.at(0), 0, "frames are marked");
        NS_TEST_EXPECT_MSG_GT(ticks.at(1), 0, "senders are notified");
        NS_TEST_EXPECT_MSG_EQ(FabricFramePool::GetOutstanding(), 0, "a frame is lost for good");
        return ticks;
    }

    void DoRun() override
    {
        const uint32_t seedBefore = RngSeedManager::GetSeed();
        const auto first = RunSeed(1);
        const auto other = RunSeed(2);
        const auto again = RunSeed(1);
        RngSeedManager::SetSeed(seedBefore);
        NS_TEST_EXPECT_MSG_EQ((first == again), true, "the same to the tick");
        NS_TEST_EXPECT_MSG_EQ((first == other), false, "marking is random");
    }
};

/**
 * @ingroup ai-fabric-tests
 * Simulations that are stopped in the middle leave nothing behind.
 */
class TeardownTestCase : public EndToEndTestCase
{
  public:
    TeardownTestCase(const std::string& fabric, bool lossless)
        : EndToEndTestCase(fabric,
                           std::string("stopped in the middle, ") +
                               (lossless ? "lossless" : "without flow control")),
          m_lossless(lossless)
    {
    }

  private:
    void DoRun() override
    {
        for (const uint64_t nanoseconds : {50, 700, 3000, 10000, 37000, 120000, 400000})
        {
            bool queued = false;
            {
                const auto helper = MakeHelper(m_fabric);
                if (!m_lossless)
                {
                    helper->SetFlowControl("ns3::NoFlowControl");
                    helper->SetFlowControlAttribute("BufferBytes", UintegerValue(32768));
                }
                Cluster cluster(*helper, FabricShape::Parse("leaf-spine:2x2x4", 8));
                cluster.CountMessages();
                cluster.m_transport->SetQueuePairAttribute("TimeoutExponent", UintegerValue(4));
                for (uint32_t from = 1; from < 8; ++from)
                {
                    cluster.m_transport->Send(from, 0, 16 * 1024 * 1024, from);
                    cluster.m_transport->Send(0, from, 16 * 1024 * 1024, from);
                }
                Simulator::Stop(NanoSeconds(nanoseconds));
                Simulator::Run();
                NS_TEST_EXPECT_MSG_EQ(Simulator::Now().GetNanoSeconds(), nanoseconds, "stopped");
                NS_TEST_EXPECT_MSG_GT(FabricFramePool::GetOutstanding(), 0, "frames are out");
                NS_TEST_EXPECT_MSG_GT(cluster.m_transport->GetPending(), 0, "messages, too");
                for (const auto& device : cluster.m_devices)
                {
                    queued = queued || !device->GetPort().GetPeer()->GetPort().IsIdle();
                }
                if (nanoseconds % 3 == 0)
                {
                    Finish(); // while transport and helper are still there
                }
            }
            Finish();
            NS_TEST_EXPECT_MSG_EQ((queued || nanoseconds < 3000), true, "a switch was sending");
        }
    }

    bool m_lossless; //!< with flow control
};

/**
 * @ingroup ai-fabric-tests
 * A training job that is stopped in the middle leaves nothing behind.
 */
class JobTeardownTestCase : public EndToEndTestCase
{
  public:
    explicit JobTeardownTestCase(const std::string& fabric)
        : EndToEndTestCase(fabric, "training job stopped in the middle")
    {
    }

  private:
    void DoRun() override
    {
        for (uint64_t microseconds = 20; microseconds <= 620; microseconds += 150)
        {
            const auto helper = MakeHelper(m_fabric);
            const FabricTopology topology = FabricTopologyHelper(*helper).CreateLeafSpine(2, 2, 2);
            GpuTrafficHelper gpus(std::string(AI_FABRIC_TEST_DATA_DIR) + "/models/tiny-dense.json",
                                  "h100");
            BucketCaps caps;
            caps.firstBytes = caps.otherBytes = 65536;
            gpus.SetBucketCaps(caps);
            gpus.SetJobAttribute("Iterations", UintegerValue(1000));
            ApplicationContainer apps = gpus.Install(topology.hosts);
            apps.Start(Seconds(0));
            Simulator::Stop(MicroSeconds(microseconds));
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(gpus.GetJob()->IsFinished(), false, "in the middle");
            Finish();
        }
    }
};

/**
 * @ingroup ai-fabric-tests
 * The simulation ends by itself soon after the last message, however long the timeouts are.
 */
class EndTestCase : public EndToEndTestCase
{
  public:
    explicit EndTestCase(const std::string& fabric)
        : EndToEndTestCase(fabric, "the simulation ends by itself")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t exponent : {0, 14, 31})
        {
            const auto helper = MakeHelper(m_fabric);
            Cluster cluster(*helper, 8);
            cluster.CountMessages();
            cluster.m_transport->SetQueuePairAttribute("TimeoutExponent", UintegerValue(exponent));
            for (uint32_t from = 0; from < 8; ++from)
            {
                for (uint32_t to = 0; to < 8; ++to)
                {
                    if (from != to)
                    {
                        cluster.m_transport->Send(from, to, 100000, 1);
                    }
                }
            }
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(cluster.m_sentCount, 56, "all messages");
            NS_TEST_EXPECT_MSG_EQ(cluster.Sum(&FabricNicCounters::timeouts), 0, "none is lost");
            // At most one left-over event for each end of a connection, and one for each direction
            // of a link.
            const uint64_t left = Simulator::GetEventCount() - cluster.m_eventsAtLastSent;
            NS_TEST_EXPECT_MSG_LT(left, 56 + 32, "events after the end");
            const Time timeout = exponent ? NanoSeconds(uint64_t{4096} << exponent) : Time(0);
            NS_TEST_EXPECT_MSG_LT(Simulator::Now(),
                                  TimeStep(cluster.m_lastSent) + timeout + MicroSeconds(1),
                                  "no timer is armed again");
            Finish();
        }
    }
};

/**
 * @ingroup ai-fabric-tests
 * Everything together.
 */
class EndToEndTestSuite : public TestSuite
{
  public:
    EndToEndTestSuite()
        : TestSuite("ai-fabric-end-to-end", TestSuite::Type::UNIT)
    {
        for (const std::string fabric : {"ib", "roce"})
        {
            for (const uint32_t ranks : {2, 4, 8, 16})
            {
                AddTestCase(new RingTestCase(fabric, ranks));
            }
            AddTestCase(new IncastTestCase(fabric));
            AddTestCase(new LossyIncastTestCase(fabric));
            AddTestCase(new ManyHostsTestCase(fabric));
            AddTestCase(new StepTestCase(fabric));
            AddTestCase(new TeardownTestCase(fabric, true));
            AddTestCase(new TeardownTestCase(fabric, false));
            AddTestCase(new JobTeardownTestCase(fabric));
            AddTestCase(new EndTestCase(fabric));
        }
        AddTestCase(new FanInTestCase);
        AddTestCase(new SeedTestCase);
    }
};

EndToEndTestSuite g_endToEndTestSuite; //!< the suite

} // namespace
