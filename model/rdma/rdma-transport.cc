/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-transport.h"

#include "ns3/log.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaTransport");
NS_OBJECT_ENSURE_REGISTERED(RdmaTransport);

TypeId
RdmaTransport::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaTransport")
                            .SetParent<MessageTransport>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<RdmaTransport>()
                            .AddTraceSource("MessageLatency",
                                            "A message has come in; how long it took.",
                                            MakeTraceSourceAccessor(&RdmaTransport::m_latency),
                                            "ns3::RdmaTransport::MessageLatencyTracedCallback");
    return tid;
}

RdmaTransport::RdmaTransport()
{
    m_queuePairFactory.SetTypeId("ns3::RcQueuePair");
}

RdmaTransport::~RdmaTransport()
{
    Disconnect();
}

void
RdmaTransport::DoDispose()
{
    NS_LOG_FUNCTION(this);
    Disconnect();
    m_nics.clear();
    MessageTransport::DoDispose();
}

void
RdmaTransport::Disconnect()
{
    for (Direction& direction : m_directions)
    {
        direction.queuePair->SetDeliveredCallback(RcQueuePair::DeliveredCallback());
        direction.queuePair->SetAckedCallback(RcQueuePair::AckedCallback());
        direction.queuePair->SetErrorCallback(RcQueuePair::ErrorCallback());
    }
    m_directions.clear();
    m_index.clear();
}

void
RdmaTransport::SetNics(const std::vector<Ptr<FabricNic>>& nics)
{
    if (!m_nics.empty())
    {
        throw std::runtime_error("RdmaTransport: SetNics called again, expected one call");
    }
    m_nics = nics;
}

Ptr<FabricNic>
RdmaTransport::GetNic(uint32_t rank) const
{
    return m_nics.at(rank);
}

void
RdmaTransport::SetQueuePairAttribute(const std::string& name, const AttributeValue& value)
{
    m_queuePairFactory.Set(name, value);
}

void
RdmaTransport::SetServiceLevel(uint8_t serviceLevel)
{
    SetQueuePairAttribute("ServiceLevel", UintegerValue(serviceLevel));
}

void
RdmaTransport::SetDscp(uint8_t dscp)
{
    SetQueuePairAttribute("Dscp", UintegerValue(dscp));
}

uint32_t
RdmaTransport::GetSize() const
{
    return static_cast<uint32_t>(m_nics.size());
}

std::size_t
RdmaTransport::GetConnections() const
{
    return m_index.size();
}

uint64_t
RdmaTransport::GetPending() const
{
    return m_pending;
}

RdmaTransport::Direction&
RdmaTransport::GetDirection(uint32_t from, uint32_t to)
{
    if (from >= m_nics.size() || to >= m_nics.size() || from == to)
    {
        throw std::invalid_argument("RdmaTransport: message from rank " + std::to_string(from) +
                                    " to rank " + std::to_string(to) +
                                    ", expected two different ranks below " +
                                    std::to_string(m_nics.size()));
    }
    const std::pair<uint32_t, uint32_t> key = std::minmax(from, to);
    auto entry = m_index.find(key);
    if (entry == m_index.end())
    {
        Connect(key.first, key.second);
        entry = m_index.find(key);
    }
    return m_directions[entry->second + (from > to)];
}

void
RdmaTransport::Connect(uint32_t low, uint32_t high)
{
    NS_LOG_FUNCTION(this << low << high);
    std::array<Direction, 2> ends;
    for (const std::size_t end : {0, 1})
    {
        Direction& direction = ends[end];
        direction.from = end ? high : low;
        direction.to = end ? low : high;
        direction.queuePair = m_queuePairFactory.Create<RcQueuePair>();
        m_nics[direction.from]->AddQueuePair(direction.queuePair);
        direction.queuePair->SetCookie(m_directions.size() + end);
    }
    FabricNic::Connect(ends[0].queuePair, ends[1].queuePair);
    m_index[{low, high}] = m_directions.size();
    for (const Direction& direction : ends)
    {
        direction.queuePair->SetDeliveredCallback(MakeCallback(&RdmaTransport::Delivered, this));
        direction.queuePair->SetAckedCallback(MakeCallback(&RdmaTransport::Acked, this));
        direction.queuePair->SetErrorCallback(MakeCallback(&RdmaTransport::Failed, this));
        m_directions.push_back(direction);
    }
}

Ptr<RcQueuePair>
RdmaTransport::GetQueuePair(uint32_t from, uint32_t to)
{
    return GetDirection(from, to).queuePair;
}

void
RdmaTransport::Send(uint32_t from, uint32_t to, uint64_t bytes, uint64_t tag)
{
    NS_LOG_FUNCTION(this << from << to << bytes << tag);
    Direction& direction = GetDirection(from, to);
    if (direction.queuePair->HasFailed())
    {
        Failed(direction.queuePair, "message sent on a connection that has failed");
        return;
    }
    // Known as sent before it is: nothing stops it from arriving within the call of Post().
    direction.sent.push_back(FabricNow());
    ++m_pending;
    direction.queuePair->Post(bytes, tag);
}

void
RdmaTransport::Delivered(Ptr<RcQueuePair> queuePair,
                         uint64_t /* id */,
                         uint64_t bytes,
                         uint64_t tag)
{
    // The message came in on the receiver's queue pair; its direction is the opposite one.
    Direction& direction = m_directions[queuePair->GetCookie() ^ 1];
    const FabricTick latency = FabricNow() - direction.sent.front();
    direction.sent.pop_front();
    --m_pending;
    m_latency(direction.from, direction.to, bytes, TimeStep(latency));
    if (!m_delivered.IsNull())
    {
        m_delivered(direction.from, direction.to, tag);
    }
}

void
RdmaTransport::Acked(Ptr<RcQueuePair> queuePair,
                     uint64_t /* id */,
                     uint64_t /* bytes */,
                     uint64_t tag)
{
    const Direction& direction = m_directions[queuePair->GetCookie()];
    if (!m_sent.IsNull())
    {
        m_sent(direction.from, direction.to, tag);
    }
}

void
RdmaTransport::Failed(Ptr<RcQueuePair> queuePair, std::string what)
{
    const Direction& direction = m_directions[queuePair->GetCookie()];
    if (m_error.IsNull())
    {
        throw std::runtime_error("RdmaTransport: connection of rank " +
                                 std::to_string(direction.from) + " to rank " +
                                 std::to_string(direction.to) + ": " + what);
    }
    m_error(direction.from, direction.to, what);
}

} // namespace ns3
