/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ud-queue-pair.h"

#include "fabric-nic.h"
#include "rc-frame-maker.h"

#include "ns3/fabric-net-device.h"
#include "ns3/ib-opcode.h"
#include "ns3/ipoib-header.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <stdexcept>
#include <string>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("UdQueuePair");
NS_OBJECT_ENSURE_REGISTERED(UdQueuePair);

namespace
{

/** Q_Keys with this bit are for privileged software: the queue pair's own is sent instead. */
constexpr uint32_t CONTROLLED_QKEY = 0x80000000U;

/** ECN code point set by switches. */
constexpr uint8_t CONGESTION_EXPERIENCED = 3;

} // namespace

TypeId
UdQueuePair::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::UdQueuePair")
            .SetParent<QueuePair>()
            .SetGroupName("AiFabric")
            .AddConstructor<UdQueuePair>()
            .AddAttribute("QKey",
                          "Q_Key: datagrams that come in with another one are lost.",
                          UintegerValue(0x11111111),
                          MakeUintegerAccessor(&UdQueuePair::m_qkey),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("ServiceLevel",
                          "Service level of all datagrams (InfiniBand).",
                          UintegerValue(0),
                          MakeUintegerAccessor(&UdQueuePair::m_serviceLevel),
                          MakeUintegerChecker<uint8_t>(0, 15))
            .AddAttribute("Dscp",
                          "Differentiated services code point of datagrams (RoCE).",
                          UintegerValue(26),
                          MakeUintegerAccessor(&UdQueuePair::m_dscp),
                          MakeUintegerChecker<uint8_t>(0, 63))
            .AddAttribute("InitialPsn",
                          "PSN of the first datagram.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&UdQueuePair::m_psn),
                          MakeUintegerChecker<uint32_t>(0, RC_PSN_MODULUS - 1))
            .AddAttribute("ReceiveQueueDepth",
                          "Receive requests that are there at the start; each datagram that comes "
                          "in takes one. 0: there is always one.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&UdQueuePair::m_receiveDepth),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("ReceiveRepostDelay",
                          "A receive request is there again so long after a datagram took it; 0: "
                          "only by PostReceive().",
                          TimeValue(NanoSeconds(0)),
                          MakeTimeAccessor(&UdQueuePair::m_receiveRepost),
                          MakeTimeChecker(NanoSeconds(0)));
    return tid;
}

UdQueuePair::UdQueuePair() = default;

UdQueuePair::~UdQueuePair() = default;

void
UdQueuePair::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_completed = CompletionCallback();
    m_received = CompletionCallback();
    m_pending.clear();
    QueuePair::DoDispose();
}

void
UdQueuePair::SetNic(FabricNic* nic, uint32_t qpn)
{
    QueuePair::SetNic(nic, qpn);
    if (m_receiveDepth)
    {
        m_receives = std::make_unique<ReceiveQueue>(m_receiveDepth, m_receiveRepost.GetTimeStep());
    }
    m_pattern.srcQp = qpn;
    m_pattern.opcode = IbOpcode::UD_SEND_ONLY;
    if (nic->IsIp())
    {
        m_pattern.dscp = m_dscp; // not ECN capable: nobody would slow down
    }
    Classify();
}

void
UdQueuePair::Classify()
{
    m_nic->GetDevice()->ClassifyFrame(m_pattern);
}

/** Set service level and class of the path to a destination; its engine may have chosen them. */
void
UdQueuePair::TakePath(const Destination& to)
{
    if (!m_nic->IsIp())
    {
        m_pattern.sl = m_nic->GetDevice()->GetPathServiceLevel(to.address, m_serviceLevel);
    }
    Classify();
}

uint32_t
UdQueuePair::GetMtu() const
{
    return m_nic->GetDevice()->GetMaxRdmaPayload();
}

std::size_t
UdQueuePair::GetPending() const
{
    return m_pending.size();
}

UdQueuePair::Destination
UdQueuePair::Describe() const
{
    if (!m_nic)
    {
        throw std::runtime_error("UdQueuePair: queue pair without a NIC, expected "
                                 "FabricNic::AddQueuePair before");
    }
    return {m_nic->GetDevice()->GetFabricAddress(), m_nic->GetIp(), m_qpn, m_qkey};
}

uint64_t
UdQueuePair::Post(const Destination& to,
                  uint32_t bytes,
                  uint64_t tag,
                  std::optional<uint32_t> immediate)
{
    NS_LOG_FUNCTION(this << to.address << to.qpn << bytes << tag);
    if (!m_nic || !m_nic->GetDevice()->GetPort().GetPeer())
    {
        throw std::runtime_error("UdQueuePair: datagram posted to a queue pair without a NIC or "
                                 "without a link, expected one that is connected");
    }
    const uint64_t self = m_nic->GetDevice()->GetFabricAddress();
    if (to.address == 0 || to.address == self || self == 0)
    {
        throw std::invalid_argument("UdQueuePair: datagram from address " + std::to_string(self) +
                                    " to address " + std::to_string(to.address) +
                                    ", expected two different ones, not 0");
    }
    if (bytes > GetMtu())
    {
        throw std::invalid_argument("UdQueuePair: datagram of " + std::to_string(bytes) +
                                    " bytes, expected at most " + std::to_string(GetMtu()));
    }
    const uint32_t qkey = to.qkey & CONTROLLED_QKEY ? m_qkey : to.qkey;
    if (qkey == IpoibHeader::QUEUE_KEY)
    {
        throw std::invalid_argument("UdQueuePair: Q_Key 0xb1b is that of IPoIB, expected another");
    }
    TakePath(to);
    if (m_pattern.cls == FabricPort::NO_CLASS)
    {
        throw std::runtime_error("UdQueuePair: service level " + std::to_string(m_pattern.sl) +
                                 " has no virtual lane, expected one that SL to VL tables map");
    }
    Pending datagram{to,
                     m_nextId,
                     tag,
                     FabricNow(),
                     bytes,
                     immediate.value_or(0),
                     immediate.has_value()};
    datagram.to.qkey = qkey;
    m_pending.push_back(datagram);
    m_nic->NotifyPosted(*this, m_nextId, bytes, tag);
    if (!m_dataHook.is_linked())
    {
        m_nic->AddData(*this, m_pattern.cls);
    }
    m_nic->Kick();
    return m_nextId++;
}

void
UdQueuePair::PostReceive(uint32_t count)
{
    if (!m_receives)
    {
        throw std::runtime_error("UdQueuePair: receive request posted to a queue pair (" +
                                 std::to_string(m_qpn) +
                                 ") that has no NIC or always has one, expected a "
                                 "ReceiveQueueDepth");
    }
    m_receives->Post(count);
}

bool
UdQueuePair::Accepts(const FabricFrame& frame) const
{
    return IbOpcode::IsDatagram(frame.opcode);
}

void
UdQueuePair::Receive(const FabricFrame& frame)
{
    const FabricTick now = FabricNow();
    FabricNicCounters& counters = m_nic->m_counters;
    ++counters.rxPackets;
    counters.rxBytes += frame.payload;
    counters.ecnMarked += frame.fecn || frame.ecn == CONGESTION_EXPERIENCED;
    if (frame.qkey != m_qkey || (m_receives && m_receives->IsEmpty(now)))
    {
        ++counters.datagramsLost;
        NS_LOG_DEBUG("queue pair " << m_qpn << ": datagram with Q_Key " << frame.qkey << " lost");
        return;
    }
    if (m_receives)
    {
        m_receives->Take(now);
    }
    WorkCompletion completion;
    completion.opcode = WcOpcode::RECV;
    completion.hasImmediate = frame.opcode == IbOpcode::UD_SEND_ONLY_IMM;
    completion.immediate = frame.immediate;
    completion.srcQp = frame.srcQp;
    completion.source = frame.src;
    completion.sourceIp = frame.srcIp;
    completion.id = m_receivedCount++;
    completion.bytes = frame.payload;
    completion.completed = now;
    m_nic->NotifyDelivered(*this, completion.id, completion.bytes, 0);
    if (!m_received.IsNull())
    {
        m_received(this, completion);
    }
    if (m_nic)
    {
        m_nic->Kick();
    }
}

/** Make the pattern that of a datagram, sized. */
void
UdQueuePair::Fill(const Pending& datagram)
{
    const FabricNetDevice& device = *m_nic->GetDevice();
    TakePath(datagram.to);
    m_pattern.src = device.GetFabricAddress();
    m_pattern.dst = datagram.to.address;
    m_pattern.dstQp = datagram.to.qpn;
    m_pattern.qkey = datagram.to.qkey;
    m_pattern.payload = datagram.bytes;
    m_pattern.immediate = datagram.immediate;
    m_pattern.opcode = datagram.hasImmediate ? IbOpcode::UD_SEND_ONLY_IMM : IbOpcode::UD_SEND_ONLY;
    if (m_nic->IsIp())
    {
        m_pattern.srcIp = m_nic->GetIp();
        m_pattern.dstIp = datagram.to.ip;
        m_pattern.udpSrc = RcFrameMaker::GetEntropyPort(m_qpn, datagram.to.qpn);
    }
    device.SizeFrame(m_pattern);
}

uint32_t
UdQueuePair::PeekDataBytes()
{
    Fill(m_pending.front());
    return m_pattern.frameBytes;
}

FabricFrame*
UdQueuePair::MakeData()
{
    const Pending datagram = m_pending.front();
    m_pending.pop_front();
    Fill(datagram);
    FabricFrame* frame = FabricFramePool::Allocate();
    *frame = m_pattern;
    frame->psn = m_psn;
    m_psn = (m_psn + 1) % RC_PSN_MODULUS;
    if (!m_pending.empty())
    {
        TakePath(m_pending.front().to);
        m_nic->AddData(*this, m_pattern.cls);
    }
    ++m_nic->m_counters.txPackets;
    m_nic->m_counters.txBytes += datagram.bytes;
    WorkCompletion completion;
    completion.opcode = WcOpcode::SEND;
    completion.hasImmediate = datagram.hasImmediate;
    completion.immediate = datagram.immediate;
    completion.id = datagram.id;
    completion.bytes = datagram.bytes;
    completion.tag = datagram.tag;
    completion.posted = datagram.posted;
    completion.completed = FabricNow();
    m_nic->NotifyCompleted(*this, completion);
    if (!m_completed.IsNull())
    {
        m_completed(this, completion);
    }
    return frame;
}

void
UdQueuePair::SetCompletionCallback(CompletionCallback callback)
{
    m_completed = callback;
}

void
UdQueuePair::SetReceivedCallback(CompletionCallback callback)
{
    m_received = callback;
}

bool
UdQueuePair::HashState(StateHash& hash, FabricTick now) const
{
    hash.Add(m_pending.size());
    for (const Pending& datagram : m_pending)
    {
        hash.Add(datagram.to.address);
        hash.Add(datagram.to.qpn);
        hash.Add(datagram.to.qkey);
        hash.Add(datagram.bytes);
        hash.Add(datagram.hasImmediate);
    }
    if (m_receives)
    {
        m_receives->HashState(hash, now);
    }
    return true;
}

void
UdQueuePair::Shift(FabricTick by)
{
    for (Pending& datagram : m_pending)
    {
        datagram.posted += by;
    }
    if (m_receives)
    {
        m_receives->Shift(by);
    }
}

} // namespace ns3
