/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "in-network-algorithm.h"

#include <stdexcept>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(InNetworkAlgorithmFactory);

InNetworkAlgorithm::InNetworkAlgorithm(uint32_t ranks, uint64_t bytes)
    : m_ranks(ranks),
      m_chunk(ChunkPartition(1, bytes).GetChunk(0))
{
    if (ranks == 0)
    {
        throw std::invalid_argument("InNetworkAlgorithm: 0 ranks found, expected at least 1");
    }
}

std::string
InNetworkAlgorithm::GetName() const
{
    return "sharp";
}

uint32_t
InNetworkAlgorithm::GetSize() const
{
    return m_ranks;
}

uint32_t
InNetworkAlgorithm::GetSteps(uint32_t) const
{
    return 1;
}

CollectiveStep
InNetworkAlgorithm::GetStep(uint32_t, uint32_t k) const
{
    CollectiveStep step;
    step.index = k;
    step.sendTo = CollectiveStep::NETWORK;
    step.recvFrom = CollectiveStep::NETWORK;
    step.sent = m_chunk;
    step.received = m_chunk;
    step.action = CollectiveStep::Action::COPY;
    return step;
}

bool
InNetworkAlgorithm::NeedsNetwork() const
{
    return true;
}

TypeId
InNetworkAlgorithmFactory::GetTypeId()
{
    static TypeId tid = TypeId("ns3::InNetworkAlgorithmFactory")
                            .SetParent<CollectiveAlgorithmFactory>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<InNetworkAlgorithmFactory>();
    return tid;
}

std::unique_ptr<CollectiveAlgorithm>
InNetworkAlgorithmFactory::CreateAlgorithm(CollectiveOp op,
                                           std::shared_ptr<const RankOrder> order,
                                           uint64_t bytes) const
{
    if (op != CollectiveOp::ALL_REDUCE)
    {
        throw std::invalid_argument("InNetworkAlgorithmFactory: " + CollectiveOpName(op) +
                                    " found, expected AllReduce");
    }
    return std::make_unique<InNetworkAlgorithm>(order->GetSize(), bytes);
}

} // namespace ns3
