/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-schedule.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace ns3
{

std::string
CollectiveOpName(CollectiveOp op)
{
    switch (op)
    {
    case CollectiveOp::ALL_REDUCE:
        return "AllReduce";
    case CollectiveOp::REDUCE_SCATTER:
        return "ReduceScatter";
    case CollectiveOp::ALL_GATHER:
        return "AllGather";
    }
    throw std::invalid_argument("collective operation " + std::to_string(static_cast<int>(op)) +
                                ": expected AllReduce, ReduceScatter or AllGather");
}

RankOrder::RankOrder(uint32_t ranks)
    : m_ranks(ranks)
{
    std::iota(m_ranks.begin(), m_ranks.end(), 0);
    m_positions = m_ranks;
}

RankOrder::RankOrder(std::vector<uint32_t> order)
    : m_ranks(std::move(order)),
      m_positions(m_ranks.size(), CollectiveStep::NO_RANK)
{
    for (uint32_t position = 0; position < m_ranks.size(); ++position)
    {
        const uint32_t rank = m_ranks[position];
        if (rank >= m_ranks.size() || m_positions[rank] != CollectiveStep::NO_RANK)
        {
            throw std::invalid_argument("rank order, position " + std::to_string(position) +
                                        ": rank " + std::to_string(rank) +
                                        " found, expected each of 0.." +
                                        std::to_string(m_ranks.size() - 1) + " once");
        }
        m_positions[rank] = position;
    }
}

ChunkPartition::ChunkPartition(uint32_t chunks, uint64_t bytes, uint32_t alignment)
    : m_bytes(bytes)
{
    if (chunks == 0 || bytes > MAX_BYTES || alignment == 0 || alignment > MAX_ALIGNMENT)
    {
        throw std::invalid_argument("chunk partition of " + std::to_string(bytes) + " bytes in " +
                                    std::to_string(chunks) + " chunks aligned to " +
                                    std::to_string(alignment) +
                                    ": expected at most 2^62 bytes, at least one chunk, and an "
                                    "alignment of 1 to 2^30");
    }
    const uint64_t share = bytes / chunks + (bytes % chunks != 0 ? 1 : 0);
    m_chunkBytes = (share + alignment - 1) / alignment * alignment;
    m_full = bytes == 0 ? 0 : bytes / m_chunkBytes;
}

CollectiveChunk
ChunkPartition::GetChunk(uint32_t id) const
{
    const uint64_t offset = std::min<uint64_t>(id, m_full) * m_chunkBytes;
    if (id > m_full)
    {
        return {id, m_bytes, 0};
    }
    return {id, offset, std::min(m_chunkBytes, m_bytes - offset)};
}

std::string
CollectiveRankName(uint32_t rank)
{
    return rank == CollectiveStep::NETWORK ? "the network" : "rank " + std::to_string(rank);
}

} // namespace ns3
