/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-algorithm-factory.h"

#include "ring-algorithm.h"

#include "ns3/uinteger.h"

#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(CollectiveAlgorithmFactory);
NS_OBJECT_ENSURE_REGISTERED(RingAlgorithmFactory);

TypeId
CollectiveAlgorithmFactory::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::CollectiveAlgorithmFactory").SetParent<Object>().SetGroupName("AiFabric");
    return tid;
}

TypeId
RingAlgorithmFactory::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RingAlgorithmFactory")
            .SetParent<CollectiveAlgorithmFactory>()
            .SetGroupName("AiFabric")
            .AddConstructor<RingAlgorithmFactory>()
            .AddAttribute("ChunkAlignment",
                          "Bytes to a multiple of which all chunks but the last are rounded up.",
                          UintegerValue(ChunkPartition::NCCL_ALIGNMENT),
                          MakeUintegerAccessor(&RingAlgorithmFactory::m_alignment),
                          MakeUintegerChecker<uint32_t>(1, ChunkPartition::MAX_ALIGNMENT));
    return tid;
}

std::unique_ptr<CollectiveAlgorithm>
RingAlgorithmFactory::CreateAlgorithm(CollectiveOp op,
                                      std::shared_ptr<const RankOrder> order,
                                      uint64_t bytes) const
{
    return std::make_unique<RingAlgorithm>(op, std::move(order), bytes, m_alignment);
}

} // namespace ns3
