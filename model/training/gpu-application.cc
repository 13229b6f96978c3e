/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "gpu-application.h"

#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/uinteger.h"

#include <stdexcept>
#include <string>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("GpuApplication");

NS_OBJECT_ENSURE_REGISTERED(GpuApplication);

TypeId
GpuApplication::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::GpuApplication")
            .SetParent<Application>()
            .SetGroupName("AiFabric")
            .AddConstructor<GpuApplication>()
            .AddAttribute("Job",
                          "The training job that this GPU takes part in.",
                          PointerValue(),
                          MakePointerAccessor(&GpuApplication::m_job),
                          MakePointerChecker<TrainingJob>())
            .AddAttribute("Rank",
                          "Which GPU of the job this is.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&GpuApplication::m_rank),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Jitter",
                          "Factor on the compute times of this GPU, drawn once per interval "
                          "between two buckets; none if not set.",
                          PointerValue(),
                          MakePointerAccessor(&GpuApplication::m_jitter),
                          MakePointerChecker<RandomVariableStream>())
            .AddTraceSource("BucketReady",
                            "The gradients of a bucket are complete on this GPU.",
                            MakeTraceSourceAccessor(&GpuApplication::m_bucketReady),
                            "ns3::GpuApplication::BucketTracedCallback")
            .AddTraceSource("BucketStart",
                            "This GPU enters the collective of a bucket.",
                            MakeTraceSourceAccessor(&GpuApplication::m_bucketStart),
                            "ns3::GpuApplication::BucketTracedCallback")
            .AddTraceSource("BucketDone",
                            "This GPU has the result of a bucket.",
                            MakeTraceSourceAccessor(&GpuApplication::m_bucketDone),
                            "ns3::GpuApplication::BucketTracedCallback")
            .AddTraceSource("StepDone",
                            "A step is over on this GPU.",
                            MakeTraceSourceAccessor(&GpuApplication::m_stepDone),
                            "ns3::GpuApplication::StepTracedCallback");
    return tid;
}

GpuApplication::GpuApplication()
{
    NS_LOG_FUNCTION(this);
}

GpuApplication::~GpuApplication()
{
    NS_LOG_FUNCTION(this);
}

void
GpuApplication::DoDispose()
{
    NS_LOG_FUNCTION(this);
    // The job may have been disposed first; it then has no ranks that could call back.
    if (m_job && m_rank < m_job->GetSize())
    {
        m_job->StopRank(m_rank);
        m_job->SetRankObserver(m_rank, nullptr);
    }
    m_job = nullptr;
    m_jitter = nullptr;
    Application::DoDispose();
}

void
GpuApplication::SetJob(Ptr<TrainingJob> job, uint32_t rank)
{
    NS_LOG_FUNCTION(this << job << rank);
    m_job = job;
    m_rank = rank;
}

Ptr<TrainingJob>
GpuApplication::GetJob() const
{
    return m_job;
}

uint32_t
GpuApplication::GetRank() const
{
    return m_rank;
}

int64_t
GpuApplication::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    if (!m_jitter)
    {
        return 0;
    }
    m_jitter->SetStream(stream);
    return 1;
}

void
GpuApplication::StartApplication()
{
    NS_LOG_FUNCTION(this);
    if (!m_job)
    {
        throw std::invalid_argument("gpu application of rank " + std::to_string(m_rank) +
                                    ": expected a job (attribute Job)");
    }
    m_running = true;
    m_job->SetRankObserver(m_rank, this);
    m_job->SetJitter(m_rank, m_jitter);
    m_job->StartRank(m_rank, GetNode()->GetId());
}

void
GpuApplication::StopApplication()
{
    NS_LOG_FUNCTION(this);
    if (m_running)
    {
        m_running = false;
        m_job->StopRank(m_rank);
    }
}

void
GpuApplication::OnBucketReady(uint32_t step, uint32_t bucket, uint64_t bytes)
{
    m_bucketReady(m_rank, step, bucket, bytes);
}

void
GpuApplication::OnBucketStart(uint32_t step, uint32_t bucket, uint64_t bytes)
{
    m_bucketStart(m_rank, step, bucket, bytes);
}

void
GpuApplication::OnBucketDone(uint32_t step, uint32_t bucket, uint64_t bytes)
{
    m_bucketDone(m_rank, step, bucket, bytes);
}

void
GpuApplication::OnStepDone(uint32_t step, Time duration)
{
    m_stepDone(m_rank, step, duration);
}

} // namespace ns3
