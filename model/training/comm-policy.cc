/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "comm-policy.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(CommPolicy);
NS_OBJECT_ENSURE_REGISTERED(SequentialPolicy);
NS_OBJECT_ENSURE_REGISTERED(FifoPolicy);

namespace
{

/** @returns the first bucket that waits, if it is ready */
uint32_t
SelectInOrder(const CommStreamState& state)
{
    const bool ready = state.firstWaiting < state.buckets.size() &&
                       state.buckets[state.firstWaiting] == BucketPhase::READY;
    return ready ? state.firstWaiting : CommPolicy::NONE;
}

} // namespace

TypeId
CommPolicy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::CommPolicy").SetParent<Object>().SetGroupName("AiFabric");
    return tid;
}

TypeId
SequentialPolicy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::SequentialPolicy")
                            .SetParent<CommPolicy>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<SequentialPolicy>();
    return tid;
}

uint32_t
SequentialPolicy::Select(const CommStreamState& state) const
{
    return state.backwardDone ? SelectInOrder(state) : NONE;
}

std::string
SequentialPolicy::GetName() const
{
    return "sequential";
}

TypeId
FifoPolicy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FifoPolicy")
                            .SetParent<CommPolicy>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<FifoPolicy>();
    return tid;
}

uint32_t
FifoPolicy::Select(const CommStreamState& state) const
{
    return SelectInOrder(state);
}

std::string
FifoPolicy::GetName() const
{
    return "fifo";
}

} // namespace ns3
