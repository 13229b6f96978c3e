/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef GPU_APPLICATION_H
#define GPU_APPLICATION_H

#include "training-job.h"

#include "ns3/application.h"
#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"
#include "ns3/traced-callback.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * One GPU of a training job, as an application of its node.
 *
 * Its start time is when the GPU begins its first step; at its stop time it launches nothing any
 * more.
 */
class GpuApplication : public Application, private TrainingJob::RankObserver
{
  public:
    /**
     * Signature of the trace sources about buckets.
     * @param rank the GPU
     * @param step step, from 0
     * @param bucket index of the bucket, in the order of readiness
     * @param bytes size of the reduced vector
     */
    typedef void (*BucketTracedCallback)(uint32_t rank,
                                         uint32_t step,
                                         uint32_t bucket,
                                         uint64_t bytes);

    /**
     * Signature of the trace source about steps.
     * @param rank the GPU
     * @param step step, from 0
     * @param duration from its begin to its end on this GPU
     */
    typedef void (*StepTracedCallback)(uint32_t rank, uint32_t step, Time duration);

    /** @returns the TypeId */
    static TypeId GetTypeId();

    GpuApplication();
    ~GpuApplication() override;

    /** @param job the job; @param rank which of its GPUs this is */
    void SetJob(Ptr<TrainingJob> job, uint32_t rank);

    /** @returns the job */
    Ptr<TrainingJob> GetJob() const;

    /** @returns which GPU of the job this is */
    uint32_t GetRank() const;

    /**
     * @param stream first random stream to use
     * @returns number of streams used
     */
    int64_t AssignStreams(int64_t stream);

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;

    void OnBucketReady(uint32_t step, uint32_t bucket, uint64_t bytes) override;
    void OnBucketStart(uint32_t step, uint32_t bucket, uint64_t bytes) override;
    void OnBucketDone(uint32_t step, uint32_t bucket, uint64_t bytes) override;
    void OnStepDone(uint32_t step, Time duration) override;

    Ptr<TrainingJob> m_job;             //!< the job
    uint32_t m_rank{0};                 //!< which of its GPUs
    Ptr<RandomVariableStream> m_jitter; //!< factor on compute times, or null
    bool m_running{false};              //!< started and not stopped

    TracedCallback<uint32_t, uint32_t, uint32_t, uint64_t> m_bucketReady; //!< trace source
    TracedCallback<uint32_t, uint32_t, uint32_t, uint64_t> m_bucketStart; //!< trace source
    TracedCallback<uint32_t, uint32_t, uint32_t, uint64_t> m_bucketDone;  //!< trace source
    TracedCallback<uint32_t, uint32_t, Time> m_stepDone;                  //!< trace source
};

} // namespace ns3

#endif // GPU_APPLICATION_H
