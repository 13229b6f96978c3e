/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "training-job.h"

#include "ns3/collective-schedule.h"
#include "ns3/log.h"
#include "ns3/pointer.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("TrainingJob");

NS_OBJECT_ENSURE_REGISTERED(TrainingJob);

TypeId
TrainingJob::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::TrainingJob")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddConstructor<TrainingJob>()
            .AddAttribute("Iterations",
                          "Training steps to run one after the other.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&TrainingJob::m_iterations),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Policy",
                          "When a bucket of gradients may start; FifoPolicy if none is set.",
                          PointerValue(),
                          MakePointerAccessor(&TrainingJob::m_policy),
                          MakePointerChecker<CommPolicy>());
    return tid;
}

TrainingJob::TrainingJob()
{
    NS_LOG_FUNCTION(this);
}

TrainingJob::~TrainingJob()
{
    NS_LOG_FUNCTION(this);
}

void
TrainingJob::DoDispose()
{
    NS_LOG_FUNCTION(this);
    if (m_engine)
    {
        m_engine->SetRankDoneCallback(Callback<void, uint64_t, uint32_t>());
    }
    m_engine = nullptr;
    m_ranks.clear();
    m_policy = nullptr;
    m_finished = Callback<void>();
    Object::DoDispose();
}

void
TrainingJob::SetEngine(Ptr<CollectiveEngine> engine)
{
    NS_LOG_FUNCTION(this << engine);
    m_engine = engine;
    m_engine->SetRankDoneCallback(MakeCallback(&TrainingJob::OnRankDone, this));
}

void
TrainingJob::SetPolicy(Ptr<CommPolicy> policy)
{
    NS_LOG_FUNCTION(this << policy);
    m_policy = policy;
}

Ptr<CommPolicy>
TrainingJob::GetPolicy() const
{
    return m_policy;
}

void
TrainingJob::Configure(uint32_t ranks, const TrainingStep& step)
{
    NS_LOG_FUNCTION(this << ranks);
    if (ranks == 0 || !m_ranks.empty())
    {
        throw std::invalid_argument(
            "training job: expected one configuration with at least one rank");
    }
    CheckTrainingStep(step);
    m_step = step;
    if (!m_policy)
    {
        m_policy = CreateObject<FifoPolicy>();
    }
    m_ranks.resize(ranks);
    GpuStreams::Listener& listener = *this;
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        m_ranks[rank].streams = std::make_unique<GpuStreams>(rank, m_step, m_policy, listener);
    }
}

uint32_t
TrainingJob::GetSize() const
{
    return static_cast<uint32_t>(m_ranks.size());
}

uint32_t
TrainingJob::GetIterations() const
{
    return m_iterations;
}

TrainingJob::Rank&
TrainingJob::At(uint32_t rank)
{
    if (rank >= m_ranks.size())
    {
        throw std::invalid_argument("training job: rank " + std::to_string(rank) +
                                    ": expected one of " + std::to_string(m_ranks.size()) +
                                    " configured ranks");
    }
    return m_ranks[rank];
}

void
TrainingJob::SetRankObserver(uint32_t rank, RankObserver* observer)
{
    NS_LOG_FUNCTION(this << rank);
    At(rank).observer = observer;
}

void
TrainingJob::SetJitter(uint32_t rank, Ptr<RandomVariableStream> jitter)
{
    NS_LOG_FUNCTION(this << rank << jitter);
    At(rank).streams->SetJitter(jitter);
}

void
TrainingJob::StartRank(uint32_t rank, uint32_t context)
{
    NS_LOG_FUNCTION(this << rank << context);
    Rank& gpu = At(rank);
    if (gpu.started || !m_engine)
    {
        throw std::invalid_argument("training job: rank " + std::to_string(rank) +
                                    ": expected an engine, and to be started once");
    }
    gpu.started = true;
    gpu.streams->SetContext(context);
    BeginStep(rank);
}

void
TrainingJob::StopRank(uint32_t rank)
{
    NS_LOG_FUNCTION(this << rank);
    At(rank).streams->Stop();
}

bool
TrainingJob::IsFinished() const
{
    return !m_ranks.empty() && m_ranksFinished == m_ranks.size();
}

void
TrainingJob::SetFinishedCallback(Callback<void> callback)
{
    m_finished = callback;
}

const std::vector<StepRecord>&
TrainingJob::GetRecords() const
{
    return m_records;
}

const TrainingStep&
TrainingJob::GetStep() const
{
    return m_step;
}

void
TrainingJob::OpenIfNew(uint32_t step)
{
    if (step < m_records.size())
    {
        return;
    }
    StepRecord record;
    OpenStep open;
    open.results.resize(m_step.buckets.size());
    for (uint32_t bucket = 0; bucket < m_step.buckets.size(); ++bucket)
    {
        const uint64_t bytes = m_step.buckets[bucket].bytes;
        record.buckets.emplace_back();
        record.buckets.back().bytes = bytes;
        const uint64_t id =
            m_engine->Create(CollectiveOp::ALL_REDUCE,
                             bytes,
                             "step" + std::to_string(step) + "/bucket" + std::to_string(bucket));
        open.collectives.push_back(id);
        m_buckets[id] = {step, bucket};
    }
    // A rank may be ahead of the others; the step before then still has to set this begin.
    record.begin = step == 0 ? FabricNow() : FABRIC_NEVER;
    m_records.push_back(record);
    m_open[step] = open;
}

void
TrainingJob::BeginStep(uint32_t rank)
{
    Rank& gpu = m_ranks[rank];
    OpenIfNew(gpu.step);
    gpu.stepBegin = FabricNow();
    gpu.streams->BeginStep();
    // Without communication time all ranks would begin every step but the first one together.
    const FabricTick late = gpu.step == 0 ? gpu.stepBegin - m_records[0].begin : 0;
    OpenStep& open = m_open[gpu.step];
    open.computeEnd = std::max(open.computeEnd, late + gpu.streams->GetPassTicks());
}

void
TrainingJob::OnBucketReady(uint32_t rank, uint32_t bucket)
{
    const Rank& gpu = m_ranks[rank];
    BucketRecord& record = m_records[gpu.step].buckets[bucket];
    record.release = FabricNow();
    if (gpu.observer)
    {
        gpu.observer->OnBucketReady(gpu.step, bucket, record.bytes);
    }
}

void
TrainingJob::OnBucketStart(uint32_t rank, uint32_t bucket)
{
    const Rank& gpu = m_ranks[rank];
    BucketRecord& record = m_records[gpu.step].buckets[bucket];
    record.firstEntry = std::min(record.firstEntry, FabricNow());
    record.lastEntry = FabricNow();
    if (gpu.observer)
    {
        gpu.observer->OnBucketStart(gpu.step, bucket, record.bytes);
    }
    m_engine->Enter(m_open[gpu.step].collectives[bucket], rank);
}

void
TrainingJob::OnRankDone(uint64_t id, uint32_t rank)
{
    const auto found = m_buckets.find(id);
    if (found == m_buckets.end() || rank >= m_ranks.size())
    {
        return; // a collective of somebody else on the same engine
    }
    const auto [step, bucket] = found->second;
    BucketRecord& record = m_records[step].buckets[bucket];
    if (++m_open[step].results[bucket] == m_ranks.size())
    {
        record.completion = FabricNow();
        m_buckets.erase(found);
    }
    Rank& gpu = m_ranks[rank];
    if (gpu.observer)
    {
        gpu.observer->OnBucketDone(step, bucket, record.bytes);
    }
    gpu.streams->CompleteBucket(bucket);
}

void
TrainingJob::OnStepDone(uint32_t rank)
{
    Rank& gpu = m_ranks[rank];
    const uint32_t step = gpu.step;
    OpenStep& open = m_open[step];
    if (++open.ranksDone == m_ranks.size())
    {
        StepRecord& record = m_records[step];
        record.begin = step == 0 ? record.begin : m_records[step - 1].end;
        record.end = FabricNow();
        record.compute = open.computeEnd + gpu.streams->GetOptimizerTicks();
        m_open.erase(step);
        NS_LOG_LOGIC("step " << step << " is over");
    }
    if (gpu.observer)
    {
        gpu.observer->OnStepDone(step,
                                 TimeStep(static_cast<uint64_t>(FabricNow() - gpu.stepBegin)));
    }
    ++gpu.step;
    if (gpu.step < m_iterations)
    {
        BeginStep(rank);
    }
    else if (++m_ranksFinished == m_ranks.size() && !m_finished.IsNull())
    {
        m_finished();
    }
}

} // namespace ns3
