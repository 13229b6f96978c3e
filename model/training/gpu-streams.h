/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef GPU_STREAMS_H
#define GPU_STREAMS_H

#include "comm-policy.h"
#include "training-step.h"

#include "ns3/fabric-tick.h"
#include "ns3/ptr.h"
#include "ns3/random-variable-stream.h"
#include "ns3/shiftable-timer.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * The compute stream and the communication stream of one GPU during a step.
 *
 * The compute stream runs forward, backward and, once all buckets are reduced, the optimizer. The
 * communication stream runs one collective at a time, in the order that the policy chooses. There
 * is one event per moment at which buckets become ready, not one per layer.
 */
class GpuStreams
{
  public:
    /** Told what happens on the streams. */
    class Listener
    {
      public:
        virtual ~Listener() = default;

        /** The gradients of a bucket are complete. @param rank the GPU @param bucket index */
        virtual void OnBucketReady(uint32_t rank, uint32_t bucket) = 0;
        /** The GPU enters the collective of a bucket now. @param rank the GPU @param bucket index
         */
        virtual void OnBucketStart(uint32_t rank, uint32_t bucket) = 0;
        /** The optimizer has run. @param rank the GPU */
        virtual void OnStepDone(uint32_t rank) = 0;
    };

    /**
     * @param rank the GPU
     * @param step what it does in each step; must outlive this object
     * @param policy when buckets may start
     * @param listener told what happens; must outlive this object
     */
    GpuStreams(uint32_t rank,
               const TrainingStep& step,
               Ptr<const CommPolicy> policy,
               Listener& listener);
    ~GpuStreams();

    GpuStreams(const GpuStreams&) = delete;
    GpuStreams& operator=(const GpuStreams&) = delete;

    /** @param jitter factor on the compute time between two releases, drawn for each; null for none
     */
    void SetJitter(Ptr<RandomVariableStream> jitter);

    /** @param context node id under which events run */
    void SetContext(uint32_t context);

    /** Begin a step now; the one before must be over. */
    void BeginStep();

    /**
     * The GPU has got its part of a collective.
     * @param bucket the active bucket
     */
    void CompleteBucket(uint32_t bucket);

    /** Launch nothing any more; a collective that has been entered runs to its end. */
    void Stop();

    /** @returns ticks of forward and backward of the current step, with its jitter */
    FabricTick GetPassTicks() const
    {
        return m_backwardEnd - m_begin;
    }

    /** @returns ticks of the optimizer */
    FabricTick GetOptimizerTicks() const;

  private:
    /** What the compute stream does. */
    enum class Compute
    {
        IDLE,       //!< between steps
        PASSES,     //!< forward or backward
        WAITING,    //!< for the last buckets
        OPTIMIZING, //!< last work of the step
    };

    /** The compute stream has reached a release, the end of backward, or the end of the optimizer.
     */
    void OnTimer();
    /** Draw the times of a step. */
    void DrawReleases();
    /** Wait for the next release or the end of the backward pass. */
    void ArmPasses();
    /** Start what the policy allows, and the optimizer if nothing is left to wait for. */
    void Advance();

    uint32_t m_rank;                      //!< the GPU
    const TrainingStep& m_step;           //!< plan of a step
    Ptr<const CommPolicy> m_policy;       //!< when buckets may start
    Listener& m_listener;                 //!< told what happens
    Ptr<RandomVariableStream> m_jitter;   //!< factor on compute times, or null
    Ptr<MemberTimer<GpuStreams>> m_timer; //!< next point of interest of the compute stream
    Compute m_compute{Compute::IDLE};     //!< what the compute stream does
    std::vector<FabricTick> m_releases;   //!< absolute ticks at which buckets become ready
    FabricTick m_begin{0};                //!< start of the step
    FabricTick m_backwardEnd{0};          //!< end of the backward pass
    std::vector<BucketPhase> m_phases;    //!< of all buckets
    uint32_t m_released{0};               //!< buckets that have become ready
    uint32_t m_firstWaiting{0};           //!< first one that is neither active nor done
    uint32_t m_done{0};                   //!< buckets that are done
    uint32_t m_active{CommPolicy::NONE};  //!< bucket on the communication stream
    bool m_advancing{false};              //!< Advance() is on the call stack
    bool m_stopped{false};                //!< launch nothing any more
};

} // namespace ns3

#endif // GPU_STREAMS_H
