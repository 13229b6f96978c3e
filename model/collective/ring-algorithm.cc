/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ring-algorithm.h"

#include <utility>

namespace ns3
{

RingAlgorithm::RingAlgorithm(CollectiveOp op,
                             std::shared_ptr<const RankOrder> order,
                             uint64_t bytes,
                             uint32_t alignment)
    : m_order(std::move(order)),
      m_partition(m_order->GetSize(), bytes, alignment),
      m_first(op == CollectiveOp::ALL_GATHER ? GetSize() - 1 : 0),
      m_steps((op == CollectiveOp::ALL_REDUCE ? 2 : 1) * (GetSize() - 1))
{
}

std::string
RingAlgorithm::GetName() const
{
    return "ring";
}

uint32_t
RingAlgorithm::GetSize() const
{
    return m_order->GetSize();
}

uint32_t
RingAlgorithm::GetSteps(uint32_t) const
{
    return m_steps;
}

CollectiveStep
RingAlgorithm::GetStep(uint32_t rank, uint32_t k) const
{
    const uint32_t n = GetSize();
    const uint32_t position = m_order->GetPosition(rank);
    const uint32_t previous = position == 0 ? n - 1 : position - 1;
    const uint32_t next = position == n - 1 ? 0 : position + 1;
    const uint64_t step = uint64_t{m_first} + k; // of the full AllReduce, 0..2n-3
    const uint64_t turns = step < n ? step : step - n;
    const auto sent =
        static_cast<uint32_t>(previous < turns ? previous + n - turns : previous - turns);

    CollectiveStep result;
    result.index = k;
    result.sendTo = m_order->GetRank(next);
    result.recvFrom = m_order->GetRank(previous);
    result.sent = ChunkOf(sent);
    result.received = ChunkOf(sent == 0 ? n - 1 : sent - 1);
    result.action = step < n - 1 ? CollectiveStep::Action::REDUCE : CollectiveStep::Action::COPY;
    result.needs = k;
    return result;
}

CollectiveChunk
RingAlgorithm::ChunkOf(uint32_t position) const
{
    return m_partition.GetChunk(m_order->GetRank(position));
}

RingAlgorithm
RingReduceScatter(uint32_t ranks, uint64_t bytes)
{
    return {CollectiveOp::REDUCE_SCATTER, std::make_shared<RankOrder>(ranks), bytes};
}

RingAlgorithm
RingAllGather(uint32_t ranks, uint64_t bytes)
{
    return {CollectiveOp::ALL_GATHER, std::make_shared<RankOrder>(ranks), bytes};
}

RingAlgorithm
RingAllReduce(uint32_t ranks, uint64_t bytes)
{
    return {CollectiveOp::ALL_REDUCE, std::make_shared<RankOrder>(ranks), bytes};
}

} // namespace ns3
