/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "gpu-streams.h"

#include "ns3/assert.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

namespace
{

/** @returns seconds as the nearest tick */
FabricTick
ToTicks(double seconds)
{
    return std::llround(seconds * static_cast<double>(FabricTicksPerSecond()));
}

} // namespace

GpuStreams::GpuStreams(uint32_t rank,
                       const TrainingStep& step,
                       Ptr<const CommPolicy> policy,
                       Listener& listener)
    : m_rank(rank),
      m_step(step),
      m_policy(policy),
      m_listener(listener),
      m_timer(Create<MemberTimer<GpuStreams>>(this, &GpuStreams::OnTimer))
{
}

GpuStreams::~GpuStreams()
{
    m_timer->Detach();
}

void
GpuStreams::SetJitter(Ptr<RandomVariableStream> jitter)
{
    m_jitter = jitter;
}

void
GpuStreams::SetContext(uint32_t context)
{
    m_timer->SetContext(context);
}

FabricTick
GpuStreams::GetOptimizerTicks() const
{
    return ToTicks(m_step.optimizer);
}

void
GpuStreams::BeginStep()
{
    NS_ASSERT_MSG(m_compute == Compute::IDLE, "a step began before the one ahead of it was over");
    if (m_stopped)
    {
        return;
    }
    m_begin = FabricNow();
    DrawReleases();
    m_phases.assign(m_releases.size(), BucketPhase::COMPUTING);
    m_released = 0;
    m_firstWaiting = 0;
    m_done = 0;
    m_compute = Compute::PASSES;
    ArmPasses();
}

void
GpuStreams::DrawReleases()
{
    // Sums of seconds are rounded once each, so that rounding does not pile up over the buckets.
    m_releases.clear();
    double plain = 0;
    double drawn = 0;
    auto advance = [&](double to) {
        const double factor = m_jitter ? std::max(0.0, m_jitter->GetValue()) : 1.0;
        drawn = m_jitter ? drawn + (to - plain) * factor : to;
        plain = to;
        return m_begin + ToTicks(drawn);
    };
    for (const StepBucket& bucket : m_step.buckets)
    {
        m_releases.push_back(advance(bucket.release));
    }
    m_backwardEnd = advance(m_step.forward + m_step.backward);
}

void
GpuStreams::ArmPasses()
{
    m_timer->Set(m_released < m_releases.size() ? m_releases[m_released] : m_backwardEnd);
}

void
GpuStreams::OnTimer()
{
    if (m_compute == Compute::OPTIMIZING)
    {
        m_compute = Compute::IDLE;
        m_listener.OnStepDone(m_rank);
        return;
    }
    const FabricTick now = FabricNow();
    for (; m_released < m_releases.size() && m_releases[m_released] <= now && !m_stopped;
         ++m_released)
    {
        m_phases[m_released] = BucketPhase::READY;
        m_listener.OnBucketReady(m_rank, m_released);
    }
    if (m_stopped)
    {
        return;
    }
    if (m_backwardEnd <= now)
    {
        m_compute = Compute::WAITING;
    }
    else
    {
        ArmPasses();
    }
    Advance();
}

void
GpuStreams::CompleteBucket(uint32_t bucket)
{
    NS_ASSERT_MSG(bucket == m_active, "a bucket completed that was not on the stream");
    m_phases[bucket] = BucketPhase::DONE;
    m_active = CommPolicy::NONE;
    ++m_done;
    // A collective may end within the call that enters it; the loop in Advance() then goes on.
    if (!m_advancing)
    {
        Advance();
    }
}

void
GpuStreams::Advance()
{
    m_advancing = true;
    while (m_active == CommPolicy::NONE && !m_stopped)
    {
        const uint32_t bucket =
            m_policy->Select({m_phases, m_firstWaiting, m_compute == Compute::WAITING});
        if (bucket == CommPolicy::NONE)
        {
            break;
        }
        NS_ASSERT_MSG(m_phases.at(bucket) == BucketPhase::READY, "policy chose a bucket not ready");
        m_active = bucket;
        m_phases[bucket] = BucketPhase::ACTIVE;
        while (m_firstWaiting < m_phases.size() && m_phases[m_firstWaiting] >= BucketPhase::ACTIVE)
        {
            ++m_firstWaiting;
        }
        m_listener.OnBucketStart(m_rank, bucket);
    }
    m_advancing = false;
    if (m_compute == Compute::WAITING && m_done == m_phases.size() && !m_stopped)
    {
        m_compute = Compute::OPTIMIZING;
        m_timer->Set(FabricNow() + GetOptimizerTicks());
    }
}

void
GpuStreams::Stop()
{
    m_stopped = true;
    m_timer->Stop();
}

} // namespace ns3
