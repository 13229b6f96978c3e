/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TRAINING_JOB_H
#define TRAINING_JOB_H

#include "comm-policy.h"
#include "gpu-streams.h"
#include "step-record.h"
#include "training-step.h"

#include "ns3/callback.h"
#include "ns3/collective-engine.h"
#include "ns3/object.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Data-parallel training: the ranks run the same steps and reduce each bucket of gradients over one
 * collective engine.
 *
 * The job owns the streams of all ranks and the record of every step. It takes the rank-done
 * callback of the engine for itself; what to do on errors of the engine is left to its owner.
 */
class TrainingJob : public Object, private GpuStreams::Listener
{
  public:
    /** Told what happens on one rank; the application of that rank. */
    class RankObserver
    {
      public:
        virtual ~RankObserver() = default;

        /** Gradients are complete. @param step from 0 @param bucket index @param bytes size */
        virtual void OnBucketReady(uint32_t step, uint32_t bucket, uint64_t bytes) = 0;
        /** The rank enters the collective. @param step from 0 @param bucket index @param bytes size
         */
        virtual void OnBucketStart(uint32_t step, uint32_t bucket, uint64_t bytes) = 0;
        /** The rank has the result. @param step from 0 @param bucket index @param bytes size */
        virtual void OnBucketDone(uint32_t step, uint32_t bucket, uint64_t bytes) = 0;
        /** The step is over on this rank. @param step from 0 @param duration its length there */
        virtual void OnStepDone(uint32_t step, Time duration) = 0;
    };

    /** @returns the TypeId */
    static TypeId GetTypeId();

    TrainingJob();
    ~TrainingJob() override;

    /** @param engine runs the collectives; its number of ranks is that of the job */
    void SetEngine(Ptr<CollectiveEngine> engine);

    /** @param policy when buckets may start; before Configure() */
    void SetPolicy(Ptr<CommPolicy> policy);

    /** @returns the policy; FifoPolicy if none was set and the job is configured */
    Ptr<CommPolicy> GetPolicy() const;

    /**
     * Say what is trained. Once, before any rank starts.
     * @param ranks number of GPUs
     * @param step what each does per step
     * @throws std::invalid_argument if there is no rank, or no compute stream can run the step
     */
    void Configure(uint32_t ranks, const TrainingStep& step);

    /** @returns number of GPUs */
    uint32_t GetSize() const;

    /** @returns steps that the job runs */
    uint32_t GetIterations() const;

    /**
     * @param rank a GPU
     * @param observer told what happens there, null for nobody; must outlive the job or be taken
     * away
     */
    void SetRankObserver(uint32_t rank, RankObserver* observer);

    /**
     * @param rank a GPU
     * @param jitter factor on its compute times, drawn once per interval between two releases
     * (negative draws count as 0); null for none. One variable per rank keeps draws independent of
     * the order of events.
     */
    void SetJitter(uint32_t rank, Ptr<RandomVariableStream> jitter);

    /**
     * The GPU begins its first step now.
     * @param rank a GPU that has not started
     * @param context node id under which its events run
     */
    void StartRank(uint32_t rank, uint32_t context);

    /**
     * The GPU launches nothing any more. Others will wait for it for ever; the job does not finish.
     * @param rank a GPU
     */
    void StopRank(uint32_t rank);

    /** @returns true if all ranks have done all steps */
    bool IsFinished() const;

    /** @param callback called once when all ranks have done all steps */
    void SetFinishedCallback(Callback<void> callback);

    /** @returns what was seen of each step that has begun */
    const std::vector<StepRecord>& GetRecords() const;

    /** @returns the plan of a step */
    const TrainingStep& GetStep() const;

  protected:
    void DoDispose() override;

  private:
    /** One GPU. */
    struct Rank
    {
        std::unique_ptr<GpuStreams> streams; //!< its two streams
        RankObserver* observer{nullptr};     //!< told what happens
        uint32_t step{0};                    //!< current step
        FabricTick stepBegin{0};             //!< when it began here
        bool started{false};                 //!< StartRank() was called
    };

    /** What is needed of a step until it is over. */
    struct OpenStep
    {
        std::vector<uint64_t> collectives; //!< ids in the engine, by bucket
        std::vector<uint32_t> results;     //!< ranks that have the result, by bucket
        uint32_t ranksDone{0};             //!< ranks whose step is over
        FabricTick computeEnd{0}; //!< latest end of the passes; relative to the begin of the step
    };

    void OnBucketReady(uint32_t rank, uint32_t bucket) override;
    void OnBucketStart(uint32_t rank, uint32_t bucket) override;
    void OnStepDone(uint32_t rank) override;

    /** The engine has finished a collective for a rank. @param id the collective @param rank the
     * rank */
    void OnRankDone(uint64_t id, uint32_t rank);

    /** A rank begins its current step. */
    void BeginStep(uint32_t rank);

    /** Create the record and the collectives of a step if it is the first rank to come. */
    void OpenIfNew(uint32_t step);

    /** Check an index that comes from outside. @returns the rank */
    Rank& At(uint32_t rank);

    Ptr<CollectiveEngine> m_engine;      //!< runs the collectives
    Ptr<CommPolicy> m_policy;            //!< when buckets may start
    TrainingStep m_step;                 //!< plan of a step
    uint32_t m_iterations{1};            //!< steps to run
    std::vector<Rank> m_ranks;           //!< all GPUs
    std::vector<StepRecord> m_records;   //!< one per step that has begun
    std::map<uint32_t, OpenStep> m_open; //!< steps that are not over
    std::map<uint64_t, std::pair<uint32_t, uint32_t>>
        m_buckets;               //!< step and bucket of a collective
    uint32_t m_ranksFinished{0}; //!< ranks that have done all steps
    Callback<void> m_finished;   //!< told of the end
};

} // namespace ns3

#endif // TRAINING_JOB_H
