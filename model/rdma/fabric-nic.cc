/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-nic.h"

#include "ib-congestion-agent.h"

#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/roce-net-device.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

#include <stdexcept>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricNic");
NS_OBJECT_ENSURE_REGISTERED(FabricNic);

TypeId
FabricNic::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricNic")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddConstructor<FabricNic>()
            .AddAttribute("CnpEnabled",
                          "Notify the sender when data comes in with CE or FECN.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&FabricNic::m_cnpEnabled),
                          MakeBooleanChecker())
            .AddAttribute("CnpInterval",
                          "Shortest time between two congestion notifications of a queue pair "
                          "(RoCE). InfiniBand's annex A10 knows none: what still waits for the "
                          "wire is merged.",
                          TimeValue(MicroSeconds(4)),
                          MakeTimeAccessor(&FabricNic::m_cnpInterval),
                          MakeTimeChecker(NanoSeconds(0)))
            .AddAttribute("CnpDscp",
                          "Differentiated services code point of congestion notifications (RoCE).",
                          UintegerValue(48),
                          MakeUintegerAccessor(&FabricNic::m_cnpDscp),
                          MakeUintegerChecker<uint8_t>(0, 63))
            .AddTraceSource("MessagePosted",
                            "A message is handed to a queue pair.",
                            MakeTraceSourceAccessor(&FabricNic::m_posted),
                            "ns3::FabricNic::MessageTracedCallback")
            .AddTraceSource("MessageDelivered",
                            "A message has come in, in full.",
                            MakeTraceSourceAccessor(&FabricNic::m_delivered),
                            "ns3::FabricNic::MessageTracedCallback")
            .AddTraceSource("MessageAcked",
                            "A message has been acknowledged by its receiver.",
                            MakeTraceSourceAccessor(&FabricNic::m_acked),
                            "ns3::FabricNic::MessageTracedCallback")
            .AddTraceSource("MessageCompleted",
                            "A message of this NIC has ended, well or not.",
                            MakeTraceSourceAccessor(&FabricNic::m_completed),
                            "ns3::FabricNic::CompletionTracedCallback")
            .AddTraceSource("Retransmit",
                            "A data packet is sent again.",
                            MakeTraceSourceAccessor(&FabricNic::m_retransmit),
                            "ns3::FabricNic::RetransmitTracedCallback")
            .AddTraceSource("Cnp",
                            "A congestion notification is sent or has come in.",
                            MakeTraceSourceAccessor(&FabricNic::m_cnp),
                            "ns3::FabricNic::CnpTracedCallback")
            .AddTraceSource("QpError",
                            "A connection fails.",
                            MakeTraceSourceAccessor(&FabricNic::m_qpError),
                            "ns3::FabricNic::QpErrorTracedCallback");
    return tid;
}

FabricNic::FabricNic()
{
    NS_LOG_FUNCTION(this);
}

FabricNic::~FabricNic()
{
    NS_LOG_FUNCTION(this);
}

void
FabricNic::DoDispose()
{
    NS_LOG_FUNCTION(this);
    if (m_device)
    {
        m_device->GetPort().SetSource(nullptr);
        m_device->SetRdmaSink(nullptr);
    }
    for (const Ptr<QueuePair>& queuePair : m_queuePairs)
    {
        queuePair->Dispose();
    }
    m_queuePairs.clear();
    m_ready = 0;
    m_aggregationSink = nullptr;
    m_device = nullptr;
    Object::DoDispose();
}

void
FabricNic::SetDevice(const Ptr<FabricNetDevice>& device)
{
    NS_LOG_FUNCTION(this << device);
    if (m_device || device->GetObject<FabricNic>())
    {
        throw std::invalid_argument("FabricNic: the NIC or the device is already in use, expected "
                                    "one NIC per device");
    }
    m_device = device;
    m_isIp = DynamicCast<RoceNetDevice>(device) != nullptr;
    device->AggregateObject(Ptr<FabricNic>(this));
    device->SetRdmaSink(this);
    device->GetPort().SetSource(this);
    device->AddLinkChangeCallback(MakeCallback(&FabricNic::LinkChanged, this));
}

const Ptr<FabricNetDevice>&
FabricNic::GetDevice() const
{
    return m_device;
}

void
FabricNic::LinkChanged()
{
    // Classes depend on what the far end has. Nothing can be queued before the link is up.
    for (const Ptr<QueuePair>& queuePair : m_queuePairs)
    {
        queuePair->Classify();
    }
}

void
FabricNic::SetIpAddress(const Ipv4Address& address)
{
    m_ip = address.Get();
}

uint32_t
FabricNic::GetIp() const
{
    return m_ip ? m_ip : 0x0a000000 | (m_device->GetFabricAddress() & 0xffffff);
}

bool
FabricNic::IsIp() const
{
    return m_isIp;
}

void
FabricNic::SetRateControl(const ObjectFactory& factory)
{
    m_rateControlFactory = factory;
    m_hasRateControl = true;
}

Ptr<RcQueuePair>
FabricNic::CreateQueuePair()
{
    const Ptr<RcQueuePair> queuePair = CreateObject<RcQueuePair>();
    AddQueuePair(queuePair);
    return queuePair;
}

void
FabricNic::AddQueuePair(const Ptr<UdQueuePair>& queuePair)
{
    Own(queuePair);
}

void
FabricNic::Own(const Ptr<QueuePair>& queuePair)
{
    if (!m_device)
    {
        throw std::runtime_error("FabricNic: queue pair added to a NIC without a device, expected "
                                 "SetDevice before");
    }
    queuePair->SetNic(this, FIRST_QPN + static_cast<uint32_t>(m_queuePairs.size()));
    m_queuePairs.push_back(queuePair);
}

void
FabricNic::AddQueuePair(const Ptr<RcQueuePair>& queuePair)
{
    Own(queuePair);
    if (m_hasRateControl && !queuePair->GetRateControl())
    {
        queuePair->SetRateControl(m_rateControlFactory.Create<RateControl>());
    }
    else if (const auto agent = m_device->GetObject<IbCongestionAgent>();
             agent && !queuePair->GetRateControl())
    {
        queuePair->SetRateControl(agent->CreateRateControl());
    }
}

void
FabricNic::Connect(const Ptr<RcQueuePair>& a, const Ptr<RcQueuePair>& b)
{
    const RcQueuePair::Peer endA = a->Describe();
    const RcQueuePair::Peer endB = b->Describe();
    if (a->GetNic() == b->GetNic())
    {
        throw std::invalid_argument("FabricNic: queue pairs " + std::to_string(endA.qpn) + " and " +
                                    std::to_string(endB.qpn) +
                                    " are on one NIC, expected two NICs");
    }
    a->ConnectTo(endB);
    b->ConnectTo(endA);
}

void
FabricNic::SetAggregationSink(FabricFrameSink* sink)
{
    m_aggregationSink = sink;
}

std::size_t
FabricNic::GetQueuePairs() const
{
    return m_queuePairs.size();
}

Ptr<RcQueuePair>
FabricNic::GetQueuePair(std::size_t i) const
{
    return DynamicCast<RcQueuePair>(m_queuePairs.at(i));
}

Ptr<UdQueuePair>
FabricNic::GetUdQueuePair(std::size_t i) const
{
    return DynamicCast<UdQueuePair>(m_queuePairs.at(i));
}

const FabricNicCounters&
FabricNic::GetCounters() const
{
    return m_counters;
}

uint32_t
FabricNic::GetReadyClasses()
{
    return m_ready;
}

uint32_t
FabricNic::PeekFrameBytes(uint8_t cls)
{
    ReadyClass& ready = m_classes[cls];
    if (!ready.notifications.empty())
    {
        return ready.notifications.front().m_frames.GetNotificationBytes();
    }
    if (!ready.answers.empty())
    {
        return ready.answers.front().GetAnswerBytes();
    }
    return ready.data.front().PeekDataBytes();
}

FabricFrame*
FabricNic::Pull(uint8_t cls)
{
    ReadyClass& ready = m_classes[cls];
    FabricFrame* frame;
    if (!ready.notifications.empty())
    {
        RcQueuePair& queuePair = ready.notifications.front();
        ready.notifications.pop_front();
        frame = queuePair.MakeNotification();
    }
    else if (!ready.answers.empty())
    {
        RcQueuePair& queuePair = ready.answers.front();
        ready.answers.pop_front();
        frame = queuePair.MakeAnswer();
    }
    else
    {
        // If it has more to send, the queue pair puts itself at the end.
        QueuePair& queuePair = ready.data.front();
        ready.data.pop_front();
        frame = queuePair.MakeData();
    }
    UpdateReadyBit(cls);
    return frame;
}

void
FabricNic::ReceiveFrame(FabricFrame* frame, FabricNetDevice* device)
{
    const uint32_t index = frame->dstQp - FIRST_QPN;
    if (frame->dstQp < FIRST_QPN || index >= m_queuePairs.size() ||
        !m_queuePairs[index]->Accepts(*frame))
    {
        if (m_aggregationSink && frame->dstQp == AGGREGATION_QP)
        {
            m_aggregationSink->ReceiveFrame(frame, device);
            return;
        }
        device->DropFrame(frame, FabricNetDevice::NOT_MINE);
        return;
    }
    m_queuePairs[index]->Receive(*frame);
    FabricFramePool::Release(frame);
}

void
FabricNic::Kick()
{
    m_device->GetPort().Kick();
}

void
FabricNic::UpdateReadyBit(uint8_t cls)
{
    const ReadyClass& ready = m_classes[cls];
    const uint32_t bit = 1U << cls;
    m_ready = ready.notifications.empty() && ready.answers.empty() && ready.data.empty()
                  ? m_ready & ~bit
                  : m_ready | bit;
}

void
FabricNic::AddData(QueuePair& queuePair, uint8_t cls)
{
    m_classes[cls].data.push_back(queuePair);
    m_ready |= 1U << cls;
}

void
FabricNic::RemoveData(QueuePair& queuePair, uint8_t cls)
{
    if (queuePair.m_dataHook.is_linked())
    {
        queuePair.m_dataHook.unlink();
        UpdateReadyBit(cls);
    }
}

void
FabricNic::AddAnswer(RcQueuePair& queuePair)
{
    if (!queuePair.m_answerHook.is_linked())
    {
        m_classes[queuePair.m_frames.GetAnswerClass()].answers.push_back(queuePair);
        m_ready |= 1U << queuePair.m_frames.GetAnswerClass();
    }
}

void
FabricNic::RemoveAnswer(RcQueuePair& queuePair)
{
    if (queuePair.m_answerHook.is_linked())
    {
        queuePair.m_answerHook.unlink();
        UpdateReadyBit(queuePair.m_frames.GetAnswerClass());
    }
}

void
FabricNic::AddNotification(RcQueuePair& queuePair)
{
    if (!queuePair.m_notificationHook.is_linked())
    {
        m_classes[queuePair.m_frames.GetNotificationClass()].notifications.push_back(queuePair);
        m_ready |= 1U << queuePair.m_frames.GetNotificationClass();
    }
}

void
FabricNic::Withdraw(RcQueuePair& queuePair)
{
    queuePair.m_dataHook.unlink();
    queuePair.m_answerHook.unlink();
    queuePair.m_notificationHook.unlink();
    UpdateReadyBit(queuePair.m_frames.GetDataClass());
    UpdateReadyBit(queuePair.m_frames.GetAnswerClass());
    UpdateReadyBit(queuePair.m_frames.GetNotificationClass());
}

bool
FabricNic::IsCnpEnabled() const
{
    return m_cnpEnabled;
}

FabricTick
FabricNic::GetCnpIntervalTicks() const
{
    return m_isIp ? m_cnpInterval.GetTimeStep() : 0;
}

uint8_t
FabricNic::GetCnpDscp() const
{
    return m_cnpDscp;
}

void
FabricNic::NotifyPosted(const QueuePair& queuePair, uint64_t id, uint64_t bytes, uint64_t tag)
{
    ++m_counters.posted;
    m_posted(queuePair.m_qpn, id, bytes, tag);
}

void
FabricNic::NotifyDelivered(const QueuePair& queuePair, uint64_t id, uint64_t bytes, uint64_t tag)
{
    ++m_counters.delivered;
    m_delivered(queuePair.m_qpn, id, bytes, tag);
}

void
FabricNic::NotifyAcked(const RcQueuePair& queuePair, const RcMessage& message)
{
    m_acked(queuePair.m_qpn, message.id, message.bytes, message.tag);
}

bool
FabricNic::TracesCompletions() const
{
    return !m_completed.IsEmpty();
}

void
FabricNic::NotifyCompleted(const QueuePair& queuePair, const WorkCompletion& completion)
{
    m_completed(queuePair.m_qpn, completion);
}

void
FabricNic::NotifySent(const RcQueuePair& queuePair, const RcPacket& packet)
{
    ++m_counters.txPackets;
    m_counters.txBytes += packet.payload;
    if (packet.retransmission)
    {
        ++m_counters.retransmitted;
        m_retransmit(queuePair.m_qpn, packet.psn);
    }
}

void
FabricNic::NotifyCnp(const RcQueuePair& queuePair, bool sent)
{
    ++(sent ? m_counters.cnpsSent : m_counters.cnpsReceived);
    m_cnp(queuePair.m_qpn, sent);
}

void
FabricNic::NotifyError(const RcQueuePair& queuePair, const std::string& what)
{
    ++m_counters.errors;
    m_qpError(queuePair.m_qpn, what);
}

bool
FabricNic::HashState(StateHash& hash, FabricTick now) const
{
    hash.Add(m_ready);
    for (const ReadyClass& ready : m_classes)
    {
        for (const RcQueuePair& queuePair : ready.notifications)
        {
            hash.Add(queuePair.m_qpn);
        }
        for (const RcQueuePair& queuePair : ready.answers)
        {
            hash.Add(queuePair.m_qpn);
        }
        for (const QueuePair& queuePair : ready.data)
        {
            hash.Add(queuePair.m_qpn);
        }
    }
    bool repeatable = !m_aggregationSink; // its sequence numbers are absolute
    for (const Ptr<QueuePair>& queuePair : m_queuePairs)
    {
        repeatable = queuePair->HashState(hash, now) && repeatable;
    }
    return repeatable;
}

void
FabricNic::Shift(FabricTick by)
{
    for (const Ptr<QueuePair>& queuePair : m_queuePairs)
    {
        queuePair->Shift(by);
    }
}

} // namespace ns3
