/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COMM_POLICY_H
#define COMM_POLICY_H

#include "ns3/object.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace ns3
{

/** @ingroup ai-fabric How far a bucket is on one GPU. */
enum class BucketPhase : uint8_t
{
    COMPUTING, //!< its gradients are not complete
    READY,     //!< complete, waiting for the communication stream
    ACTIVE,    //!< on the communication stream
    DONE,      //!< reduced
};

/** @ingroup ai-fabric What a policy may look at when the communication stream of a GPU is free. */
struct CommStreamState
{
    const std::vector<BucketPhase>& buckets; //!< in the order of readiness
    uint32_t firstWaiting;                   //!< first bucket that is neither active nor done
    bool backwardDone;                       //!< the backward pass of this step is over
};

/**
 * @ingroup ai-fabric
 * Decides when a bucket may start.
 *
 * Asked whenever a bucket becomes ready, the backward pass ends, or the communication stream
 * becomes free. All ranks must get the same order of buckets, or their collectives wait for each
 * other for ever.
 */
class CommPolicy : public Object
{
  public:
    /** "No bucket may start now." */
    static constexpr uint32_t NONE = std::numeric_limits<uint32_t>::max();

    /** @returns the TypeId */
    static TypeId GetTypeId();

    /**
     * @param state the communication stream, which is free
     * @returns index of a bucket that is READY, or NONE
     */
    virtual uint32_t Select(const CommStreamState& state) const = 0;

    /** @returns the name under which reports show the policy */
    virtual std::string GetName() const = 0;
};

/**
 * @ingroup ai-fabric
 * No overlap: everything starts after the backward pass, one bucket after the other. The baseline.
 */
class SequentialPolicy : public CommPolicy
{
  public:
    /** @returns the TypeId */
    static TypeId GetTypeId();

    uint32_t Select(const CommStreamState& state) const override;
    std::string GetName() const override;
};

/**
 * @ingroup ai-fabric
 * Wait-free backpropagation (Poseidon, ATC'17) as DistributedDataParallel runs it: a bucket starts
 * when it is ready and all before it have been on the stream.
 */
class FifoPolicy : public CommPolicy
{
  public:
    /** @returns the TypeId */
    static TypeId GetTypeId();

    uint32_t Select(const CommStreamState& state) const override;
    std::string GetName() const override;
};

} // namespace ns3

#endif // COMM_POLICY_H
