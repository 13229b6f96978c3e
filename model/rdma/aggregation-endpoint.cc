/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "aggregation-endpoint.h"

#include "sharp-transport.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(AggregationEndpoint);

TypeId
AggregationEndpoint::GetTypeId()
{
    static TypeId tid = TypeId("ns3::AggregationEndpoint")
                            .SetParent<Object>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<AggregationEndpoint>();
    return tid;
}

Ptr<AggregationEndpoint>
AggregationEndpoint::Of(const Ptr<FabricNic>& nic)
{
    auto endpoint = nic->GetObject<AggregationEndpoint>();
    if (!endpoint)
    {
        endpoint = CreateObject<AggregationEndpoint>();
        nic->AggregateObject(endpoint);
        nic->SetAggregationSink(PeekPointer(endpoint));
    }
    return endpoint;
}

void
AggregationEndpoint::DoDispose()
{
    m_members.clear();
    Object::DoDispose();
}

void
AggregationEndpoint::Join(uint32_t group, SharpTransport* transport, uint32_t rank)
{
    m_members[group] = {transport, rank};
}

void
AggregationEndpoint::Leave(uint32_t group)
{
    m_members.erase(group);
}

void
AggregationEndpoint::ReceiveFrame(FabricFrame* frame, FabricNetDevice* device)
{
    const auto found = m_members.find(frame->qkey);
    if (found == m_members.end())
    {
        device->DropFrame(frame, FabricNetDevice::NOT_MINE);
        return;
    }
    const Member member = found->second;
    const uint32_t index = frame->msn;
    const uint32_t contributions = frame->dmaLen;
    const uint64_t sum = frame->va;
    FabricFramePool::Release(frame);
    member.transport->Receive(member.rank, index, contributions, sum);
}

} // namespace ns3
