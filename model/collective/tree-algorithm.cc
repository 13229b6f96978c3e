/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tree-algorithm.h"

#include "ns3/uinteger.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(TreeAlgorithmFactory);

namespace
{

constexpr uint32_t ROUND_STEPS = 4;                      //!< steps of a round
constexpr uint64_t MAX_CHUNKS = (uint64_t{1} << 20) - 1; //!< four steps each, in 24 bits

/** @returns depth of a position: 0 at the root */
uint32_t
GetDepth(uint32_t position)
{
    uint32_t depth = 0;
    for (; position; position = (position - 1) / 2)
    {
        ++depth;
    }
    return depth;
}

} // namespace

TreeAlgorithm::TreeAlgorithm(std::shared_ptr<const RankOrder> order,
                             uint64_t bytes,
                             uint64_t chunkBytes)
    : m_order(std::move(order)),
      m_bytes(ChunkPartition(1, bytes).GetBytes()),
      m_chunkBytes(chunkBytes),
      m_height(GetHeight(m_order->GetSize()))
{
    const uint64_t chunks = bytes && chunkBytes ? (bytes - 1) / chunkBytes + 1 : 1;
    if (chunkBytes == 0 || chunks > MAX_CHUNKS)
    {
        throw std::invalid_argument("TreeAlgorithm: chunks of " + std::to_string(chunkBytes) +
                                    " bytes cut " + std::to_string(bytes) +
                                    " bytes, expected less than 2^20 chunks");
    }
    m_chunks = static_cast<uint32_t>(chunks);
}

std::string
TreeAlgorithm::GetName() const
{
    return "tree";
}

uint32_t
TreeAlgorithm::GetSize() const
{
    return m_order->GetSize();
}

uint32_t
TreeAlgorithm::GetHeight(uint32_t ranks)
{
    return GetDepth(ranks - 1);
}

uint32_t
TreeAlgorithm::GetSteps(uint32_t) const
{
    return m_height ? ROUND_STEPS * (m_chunks - 1 + 2 * m_height) : 0;
}

CollectiveChunk
TreeAlgorithm::GetChunk(uint32_t chunk) const
{
    CollectiveChunk result;
    result.id = chunk;
    result.offset = chunk * m_chunkBytes;
    result.bytes = std::min(m_chunkBytes, m_bytes - result.offset);
    return result;
}

uint32_t
TreeAlgorithm::GetMessageStep(uint32_t position, bool isUp, uint32_t chunk) const
{
    const uint32_t depth = GetDepth(position);
    const uint32_t round = chunk + (isUp ? m_height - depth : m_height + depth - 1);
    return ROUND_STEPS * round + (position % 2 ? 0 : 2) + (isUp ? 0 : 1);
}

bool
TreeAlgorithm::HasMessage(uint32_t position, bool isUp, uint32_t step, uint32_t& chunk) const
{
    if (position == 0 || position >= GetSize())
    {
        return false;
    }
    const uint32_t first = GetMessageStep(position, isUp, 0);
    if (step < first || (step - first) % ROUND_STEPS)
    {
        return false;
    }
    chunk = (step - first) / ROUND_STEPS;
    return chunk < m_chunks;
}

CollectiveStep
TreeAlgorithm::GetStep(uint32_t rank, uint32_t k) const
{
    const uint32_t position = m_order->GetPosition(rank);
    const bool isUp = k % 2 == 0;
    const uint32_t child = 2 * position + (k % ROUND_STEPS < 2 ? 1 : 2);
    CollectiveStep step;
    step.index = k;
    step.action = isUp ? CollectiveStep::Action::REDUCE : CollectiveStep::Action::COPY;
    uint32_t chunk = 0;
    if (HasMessage(position, isUp, k, chunk)) // with the parent
    {
        (isUp ? step.sendTo : step.recvFrom) = m_order->GetRank((position - 1) / 2);
        (isUp ? step.sent : step.received) = GetChunk(chunk);
    }
    if (HasMessage(child, isUp, k, chunk))
    {
        (isUp ? step.recvFrom : step.sendTo) = m_order->GetRank(child);
        (isUp ? step.received : step.sent) = GetChunk(chunk);
    }
    if (step.sendTo == CollectiveStep::NO_RANK)
    {
        return step;
    }
    // Up, and down from the root: the chunk of both children must be in. Down: that of the parent.
    chunk = step.sent.id;
    if (isUp || position == 0)
    {
        for (const uint32_t from : {2 * position + 1, 2 * position + 2})
        {
            step.needs = from < GetSize() ? GetMessageStep(from, true, chunk) + 1 : step.needs;
        }
    }
    else
    {
        step.needs = GetMessageStep(position, false, chunk) + 1;
    }
    return step;
}

TypeId
TreeAlgorithmFactory::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::TreeAlgorithmFactory")
            .SetParent<CollectiveAlgorithmFactory>()
            .SetGroupName("AiFabric")
            .AddConstructor<TreeAlgorithmFactory>()
            .AddAttribute("ChunkBytes",
                          "Bytes of a chunk: while one moves over a level of the tree, the next "
                          "moves below. The default is NCCL's for trees.",
                          UintegerValue(524288),
                          MakeUintegerAccessor(&TreeAlgorithmFactory::m_chunkBytes),
                          MakeUintegerChecker<uint64_t>(1));
    return tid;
}

std::unique_ptr<CollectiveAlgorithm>
TreeAlgorithmFactory::CreateAlgorithm(CollectiveOp op,
                                      std::shared_ptr<const RankOrder> order,
                                      uint64_t bytes) const
{
    if (op != CollectiveOp::ALL_REDUCE)
    {
        throw std::invalid_argument("TreeAlgorithmFactory: " + CollectiveOpName(op) +
                                    " found, expected AllReduce");
    }
    return std::make_unique<TreeAlgorithm>(std::move(order), bytes, m_chunkBytes);
}

} // namespace ns3
