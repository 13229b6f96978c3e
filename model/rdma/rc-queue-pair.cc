/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rc-queue-pair.h"

#include "fabric-nic.h"

#include "ns3/fabric-net-device.h"
#include "ns3/ib-opcode.h"
#include "ns3/log.h"
#include "ns3/pointer.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RcQueuePair");
NS_OBJECT_ENSURE_REGISTERED(RcQueuePair);

namespace
{

/** ECN code point set by switches. */
constexpr uint8_t CONGESTION_EXPERIENCED = 3;

} // namespace

TypeId
RcQueuePair::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RcQueuePair")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddConstructor<RcQueuePair>()
            .AddAttribute("Mtu",
                          "Payload of a full packet in bytes: 256, 512, 1024, 2048 or 4096; 0: the "
                          "most that the device allows. The smaller one of both ends counts.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RcQueuePair::m_wantedMtu),
                          MakeUintegerChecker<uint32_t>(0, 4096))
            .AddAttribute("AckInterval",
                          "Acknowledge at least every so many packets; 0: only where a message "
                          "ends or the window is full.",
                          UintegerValue(16),
                          MakeUintegerAccessor(&RcQueuePair::m_ackInterval),
                          MakeUintegerChecker<uint32_t>(0, RC_PSN_WINDOW))
            .AddAttribute("TimeoutExponent",
                          "Local ACK timeout: 4.096 us x 2^n; 0: never.",
                          UintegerValue(14),
                          MakeUintegerAccessor(&RcQueuePair::m_timeoutExponent),
                          MakeUintegerChecker<uint8_t>(0, 31))
            .AddAttribute("RetryCount",
                          "Retries in a row without progress before the connection fails.",
                          UintegerValue(7),
                          MakeUintegerAccessor(&RcQueuePair::m_retryCount),
                          MakeUintegerChecker<uint8_t>(0, 7))
            .AddAttribute("WindowBytes",
                          "Most unacknowledged payload in bytes; 0: no limit but 2^23 packets.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RcQueuePair::m_windowBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("MaxRate",
                          "Most that this end sends, in bits per second on the wire; 0: no limit.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&RcQueuePair::m_maxRate),
                          MakeDataRateChecker())
            .AddAttribute("ServiceLevel",
                          "Service level of all packets (InfiniBand). Where the subnet manager "
                          "tells one for the path (engine lash), that one is used.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RcQueuePair::m_serviceLevel),
                          MakeUintegerChecker<uint8_t>(0, 15))
            .AddAttribute("PathBits",
                          "Which of the 2^LMC LIDs of both ports packets use (InfiniBand); the "
                          "same at both ends. Bits beyond the LMC do not count.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RcQueuePair::m_pathBits),
                          MakeUintegerChecker<uint8_t>(0, 127))
            .AddAttribute("Dscp",
                          "Differentiated services code point of data (RoCE).",
                          UintegerValue(26),
                          MakeUintegerAccessor(&RcQueuePair::m_dscp),
                          MakeUintegerChecker<uint8_t>(0, 63))
            .AddAttribute("AckDscp",
                          "Differentiated services code point of acknowledgments (RoCE); 64: that "
                          "of the data.",
                          UintegerValue(ACK_DSCP_AS_DATA),
                          MakeUintegerAccessor(&RcQueuePair::m_ackDscp),
                          MakeUintegerChecker<uint8_t>(0, ACK_DSCP_AS_DATA))
            .AddAttribute("InitialPsn",
                          "PSN of the first packet that this end sends.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RcQueuePair::m_initialPsn),
                          MakeUintegerChecker<uint32_t>(0, RC_PSN_MODULUS - 1))
            .AddAttribute(
                "RateControl",
                "Congestion control of what this end sends; null: none.",
                PointerValue(),
                MakePointerAccessor(&RcQueuePair::SetRateControl, &RcQueuePair::GetRateControl),
                MakePointerChecker<RateControl>());
    return tid;
}

RcQueuePair::RcQueuePair()
    : m_timeout(Create<MemberTimer<RcQueuePair>>(this, &RcQueuePair::TimeoutDue)),
      m_pacer(Create<MemberTimer<RcQueuePair>>(this, &RcQueuePair::PaceDue))
{
}

RcQueuePair::~RcQueuePair()
{
    m_timeout->Detach();
    m_pacer->Detach();
}

void
RcQueuePair::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_timeout->Detach();
    m_pacer->Detach();
    m_dataHook.unlink();
    m_answerHook.unlink();
    m_notificationHook.unlink();
    SetRateControl(nullptr);
    m_nic = nullptr;
    m_delivered = DeliveredCallback();
    m_acked = AckedCallback();
    m_error = ErrorCallback();
    Object::DoDispose();
}

void
RcQueuePair::SetNic(FabricNic* nic, uint32_t qpn)
{
    if (m_nic)
    {
        throw std::invalid_argument("RcQueuePair: queue pair " + std::to_string(m_qpn) +
                                    " already belongs to a NIC, expected a new one");
    }
    m_nic = nic;
    m_qpn = qpn;
    if (const Ptr<Node> node = nic->GetDevice()->GetNode())
    {
        m_timeout->SetContext(node->GetId());
        m_pacer->SetContext(node->GetId());
    }
}

RcQueuePair::Peer
RcQueuePair::Describe() const
{
    if (!m_nic)
    {
        throw std::runtime_error("RcQueuePair: queue pair without a NIC, expected "
                                 "FabricNic::CreateQueuePair or AddQueuePair before");
    }
    const uint32_t most = m_nic->GetDevice()->GetMaxRdmaPayload();
    const uint32_t mtu = m_wantedMtu ? m_wantedMtu : most;
    if (mtu < 256 || mtu > most || (mtu & (mtu - 1)))
    {
        throw std::invalid_argument("RcQueuePair: Mtu is " + std::to_string(mtu) +
                                    " bytes, expected 256, 512, 1024, 2048 or 4096, and at most " +
                                    std::to_string(most) + " on this device");
    }
    Peer peer;
    peer.address = m_nic->GetDevice()->GetFabricAddress();
    peer.ip = m_nic->GetIp();
    peer.qpn = m_qpn;
    peer.mtu = mtu;
    peer.initialPsn = m_initialPsn;
    if (peer.address == 0)
    {
        throw std::runtime_error("RcQueuePair: the device has no address yet, expected a LID from "
                                 "the subnet manager before connecting");
    }
    return peer;
}

void
RcQueuePair::ConnectTo(const Peer& peer)
{
    NS_LOG_FUNCTION(this << peer.address << peer.qpn);
    const Peer self = Describe();
    if (m_connected)
    {
        throw std::runtime_error("RcQueuePair: queue pair " + std::to_string(m_qpn) +
                                 " is already connected, expected a new one");
    }
    m_connected = true;
    m_mtu = std::min(self.mtu, peer.mtu);
    RcRequester::Config config;
    config.mtu = m_mtu;
    config.ackInterval = m_ackInterval;
    config.windowBytes = m_windowBytes;
    config.retryCount = m_retryCount;
    config.initialPsn = self.initialPsn;
    m_requester.Configure(config);
    m_responder.Configure(peer.initialPsn, m_ackInterval);

    const Ptr<FabricNetDevice>& device = m_nic->GetDevice();
    m_serviceLevel = device->GetPathServiceLevel(peer.address, m_serviceLevel);
    RcFrameMaker::Flow flow;
    flow.ip = m_nic->IsIp();
    flow.src = device->GetPathAddress(self.address, m_pathBits);
    flow.dst = device->GetPathAddress(peer.address, m_pathBits);
    flow.srcIp = self.ip;
    flow.dstIp = peer.ip;
    flow.srcQp = self.qpn;
    flow.dstQp = peer.qpn;
    flow.sl = m_serviceLevel;
    flow.dscp = m_dscp;
    flow.ackDscp = m_ackDscp == ACK_DSCP_AS_DATA ? m_dscp : m_ackDscp;
    flow.cnpDscp = m_nic->GetCnpDscp();
    m_frames.Configure(flow, PeekPointer(m_nic->GetDevice()));
    if (m_rateControl)
    {
        m_rateControl->SetServiceLevel(m_serviceLevel);
        m_rateControl->SetLineRate(m_nic->GetDevice()->GetBitRate());
    }
    UpdateRate(FabricNow());
}

void
RcQueuePair::Classify()
{
    if (m_connected)
    {
        m_frames.Measure();
    }
}

uint64_t
RcQueuePair::Post(uint64_t bytes, uint64_t tag, RcOperation operation)
{
    NS_LOG_FUNCTION(this << bytes << tag);
    const char* problem = !m_nic                            ? "without a NIC"
                          : !m_connected                    ? "not connected"
                          : HasFailed()                     ? "failed"
                          : !m_nic->GetDevice()->IsLinkUp() ? "whose link is down"
                                                            : nullptr;
    if (problem)
    {
        throw std::runtime_error("RcQueuePair: message posted to a queue pair (" +
                                 std::to_string(m_qpn) + ") " + problem +
                                 ", expected a connected one");
    }
    const uint64_t id = m_requester.Post(operation, bytes, tag);
    m_nic->NotifyPosted(*this, id, bytes, tag);
    UpdateReady(FabricNow(), false);
    m_nic->Kick();
    return id;
}

bool
RcQueuePair::Accepts(const FabricFrame& frame) const
{
    return m_connected && m_frames.IsFromPeer(frame);
}

void
RcQueuePair::Receive(const FabricFrame& frame)
{
    const FabricTick now = FabricNow();
    if (HasFailed())
    {
        ++m_nic->m_counters.discarded;
    }
    else if (frame.opcode == IbOpcode::RC_ACK)
    {
        ReceiveAnswer(frame, now);
    }
    else if (IbOpcode::IsCongestionNotification(frame.opcode))
    {
        ReceiveNotification(now);
    }
    else if (frame.opcode <= IbOpcode::RC_WRITE_ONLY_IMM)
    {
        ReceiveData(frame, now);
    }
    else
    {
        ++m_nic->m_counters.discarded;
    }
    if (m_nic)
    {
        m_nic->Kick();
    }
}

void
RcQueuePair::ReceiveData(const FabricFrame& frame, FabricTick now)
{
    FabricNicCounters& counters = m_nic->m_counters;
    const uint64_t tag = IbOpcode::IsWrite(frame.opcode) ? frame.va : 0;
    const RcResponder::Result result =
        m_responder.OnPacket(frame.opcode, frame.psn, frame.payload, frame.ackReq, tag);
    ++counters.rxPackets;
    counters.rxBytes += frame.payload;
    counters.duplicates += result.order == RcResponder::Order::DUPLICATE;
    counters.outOfSequence += result.order == RcResponder::Order::LATER;
    if (result.answer != RcResponder::Answer::NONE)
    {
        // A NAK that waits for the wire says more than an ACK.
        if (m_due != RcResponder::Answer::NAK)
        {
            m_due = result.answer;
        }
        m_nic->AddAnswer(*this);
    }
    if (frame.fecn || frame.ecn == CONGESTION_EXPERIENCED)
    {
        ++counters.ecnMarked;
        NotifyCongestion(now);
    }
    if (result.messageComplete)
    {
        m_nic->NotifyDelivered(*this, result.messageId, result.messageBytes, result.tag);
        if (!m_delivered.IsNull())
        {
            m_delivered(this, result.messageId, result.messageBytes, result.tag);
        }
    }
}

void
RcQueuePair::NotifyCongestion(FabricTick now)
{
    if (!m_nic->IsCnpEnabled() ||
        (m_notified != FABRIC_NEVER && now - m_notified < m_nic->GetCnpIntervalTicks()))
    {
        return;
    }
    m_notified = now;
    // IBA annex A10: BECN in an acknowledgment if one is due, else a packet of its own.
    if (!m_nic->IsIp() && m_due != RcResponder::Answer::NONE)
    {
        m_answerBecn = true;
    }
    else
    {
        m_nic->AddNotification(*this);
    }
}

void
RcQueuePair::ReceiveNotification(FabricTick now)
{
    m_nic->NotifyCnp(*this, false);
    if (m_rateControl)
    {
        m_rateControl->OnCnp(now);
        UpdateRate(now);
        UpdateReady(now, false);
    }
}

void
RcQueuePair::ReceiveAnswer(const FabricFrame& frame, FabricTick now)
{
    if (frame.becn)
    {
        ReceiveNotification(now);
    }
    FabricNicCounters& counters = m_nic->m_counters;
    if (frame.syndrome == RcResponder::SYNDROME_NAK_SEQUENCE)
    {
        ++counters.naksReceived;
        const RcRequester::AckResult result = m_requester.OnNak(frame.psn);
        if (result.failed)
        {
            Fail("sequence errors after " + std::to_string(m_retryCount) + " retries");
            return;
        }
        Acknowledged(result, now);
    }
    else if (frame.syndrome >> 5 == 0)
    {
        ++counters.acksReceived;
        Acknowledged(m_requester.OnAck(frame.psn), now);
    }
    else
    {
        Fail("answer with syndrome " + std::to_string(frame.syndrome));
    }
}

void
RcQueuePair::Acknowledged(const RcRequester::AckResult& result, FabricTick now)
{
    if (result.packets && m_rateControl)
    {
        m_rateControl->OnAck(result.bytes, now);
        UpdateRate(now);
    }
    if (result.packets || !m_requester.IsAwaitingAck())
    {
        RestartTimeout(now);
    }
    UpdateReady(now, false);
    while (m_requester.HasCompleted())
    {
        const RcMessage message = m_requester.TakeCompleted();
        m_nic->NotifyAcked(*this, message);
        if (!m_acked.IsNull())
        {
            m_acked(this, message.id, message.bytes, message.tag);
        }
    }
}

void
RcQueuePair::RestartTimeout(FabricTick now)
{
    if (m_timeoutExponent && m_requester.IsAwaitingAck())
    {
        // IBA vol 1, 9.7.6.1.3: 4.096 us x 2^n
        m_timeout->Set(now + NanoSeconds(uint64_t{4096} << m_timeoutExponent).GetTimeStep());
    }
    else
    {
        m_timeout->Stop();
    }
}

void
RcQueuePair::TimeoutDue()
{
    const FabricTick now = FabricNow();
    ++m_nic->m_counters.timeouts;
    NS_LOG_DEBUG("queue pair " << m_qpn << ": timeout, " << m_requester.GetOutstandingPackets()
                               << " packets outstanding");
    if (!m_requester.OnTimeout())
    {
        Fail("no acknowledgment after " + std::to_string(m_retryCount) + " retries");
        return;
    }
    if (m_rateControl)
    {
        m_rateControl->OnTimeout(now);
        UpdateRate(now);
    }
    UpdateReady(now, false);
    m_nic->Kick();
}

void
RcQueuePair::Fail(const std::string& what)
{
    NS_LOG_DEBUG("queue pair " << m_qpn << ": " << what);
    m_requester.Fail();
    m_timeout->Stop();
    m_pacer->Stop();
    m_due = RcResponder::Answer::NONE;
    m_nic->Withdraw(*this);
    m_nic->NotifyError(*this, what);
    m_nic->Kick(); // flow control must not count it as waiting
    if (!m_error.IsNull())
    {
        m_error(this, what);
    }
}

void
RcQueuePair::PaceDue()
{
    UpdateReady(FabricNow(), true);
    m_nic->Kick();
}

void
RcQueuePair::RateChanged()
{
    if (m_connected && m_nic)
    {
        const FabricTick now = FabricNow();
        UpdateRate(now);
        UpdateReady(now, false);
        m_nic->Kick();
    }
}

void
RcQueuePair::UpdateRate(FabricTick now)
{
    SendPace pace = m_rateControl ? m_rateControl->GetPace() : SendPace();
    const uint64_t most = m_maxRate.GetBitRate();
    if (most && !pace.IsSlowerThan(most))
    {
        pace = SendPace();
        pace.rate = most;
    }
    if (!pace.IsSlowerThan(m_nic->GetDevice()->GetBitRate()))
    {
        pace = SendPace(); // the wire itself is the limit
    }
    m_pacing.SetPace(pace, now);
}

void
RcQueuePair::UpdateReady(FabricTick now, bool onTime)
{
    if (!m_requester.HasPacket())
    {
        m_pacer->Stop();
        m_nic->RemoveData(*this);
    }
    else if (m_pacing.HoldsBack(now))
    {
        m_pacer->Set(m_pacing.GetDue());
        m_nic->RemoveData(*this);
    }
    else
    {
        const bool due = m_pacer->GetDue() == now; // the pacer's own event comes later in this tick
        m_pacer->Stop();
        if (!m_dataHook.is_linked())
        {
            m_pacing.SetOnTime(onTime || due);
            m_nic->AddData(*this);
        }
    }
}

uint32_t
RcQueuePair::PeekDataBytes()
{
    return m_frames.MeasureData(m_requester.Peek());
}

FabricFrame*
RcQueuePair::MakeData()
{
    const FabricTick now = FabricNow();
    const RcPacket packet = m_requester.Send();
    FabricFrame* frame = m_frames.MakeData(packet);
    m_pacing.Sent(frame->wireBytes, now);
    if (m_rateControl)
    {
        m_rateControl->OnSent(frame->wireBytes, now);
        UpdateRate(now);
    }
    if (packet.ackRequest && !m_timeout->IsPending())
    {
        RestartTimeout(now);
    }
    UpdateReady(now, true);
    m_nic->NotifySent(*this, packet);
    return frame;
}

FabricFrame*
RcQueuePair::MakeAnswer()
{
    FabricFrame* frame = m_frames.MakeAnswer();
    // What is missing may have come in while the NAK waited for the wire.
    const bool nak = m_due == RcResponder::Answer::NAK && m_responder.HasGap();
    frame->psn = nak ? m_responder.GetExpectedPsn() : m_responder.GetAckPsn();
    frame->syndrome = nak ? RcResponder::SYNDROME_NAK_SEQUENCE : RcResponder::SYNDROME_ACK;
    frame->msn = m_responder.GetMsn();
    frame->becn = m_answerBecn;
    ++(nak ? m_nic->m_counters.naksSent : m_nic->m_counters.acksSent);
    if (m_answerBecn)
    {
        m_nic->NotifyCnp(*this, true);
    }
    m_due = RcResponder::Answer::NONE;
    m_answerBecn = false;
    return frame;
}

FabricFrame*
RcQueuePair::MakeNotification()
{
    m_nic->NotifyCnp(*this, true);
    return m_frames.MakeNotification();
}

void
RcQueuePair::SetRateControl(const Ptr<RateControl>& rateControl)
{
    if (m_rateControl)
    {
        m_rateControl->SetRateChangedCallback(Callback<void>());
    }
    m_rateControl = rateControl;
    if (m_rateControl)
    {
        m_rateControl->SetRateChangedCallback(MakeCallback(&RcQueuePair::RateChanged, this));
        if (m_connected)
        {
            m_rateControl->SetServiceLevel(m_serviceLevel);
            m_rateControl->SetLineRate(m_nic->GetDevice()->GetBitRate());
            RateChanged();
        }
    }
}

void
RcQueuePair::SetDeliveredCallback(DeliveredCallback callback)
{
    m_delivered = callback;
}

void
RcQueuePair::SetAckedCallback(AckedCallback callback)
{
    m_acked = callback;
}

void
RcQueuePair::SetErrorCallback(ErrorCallback callback)
{
    m_error = callback;
}

void
RcQueuePair::SetCookie(uint64_t cookie)
{
    m_cookie = cookie;
}

bool
RcQueuePair::HashState(StateHash& hash, FabricTick now) const
{
    m_requester.HashState(hash);
    m_responder.HashState(hash);
    hash.Add(static_cast<uint64_t>(m_due));
    hash.Add(m_answerBecn);
    hash.Add(m_dataHook.is_linked());
    hash.Add(m_answerHook.is_linked());
    hash.Add(m_notificationHook.is_linked());
    // A notification longer ago than the interval has no effect any more.
    const FabricTick interval = m_nic->GetCnpIntervalTicks();
    hash.Add(m_notified == FABRIC_NEVER ? interval : std::min(now - m_notified, interval));
    m_pacing.HashState(hash, now, m_dataHook.is_linked());
    m_timeout->HashState(hash, now);
    m_pacer->HashState(hash, now);
    return !m_rateControl || m_rateControl->HashState(hash, now);
}

void
RcQueuePair::Shift(FabricTick by)
{
    m_timeout->Shift(by);
    m_pacer->Shift(by);
    m_pacing.Shift(by);
    if (m_notified != FABRIC_NEVER)
    {
        m_notified += by;
    }
    if (m_rateControl)
    {
        m_rateControl->Shift(by);
    }
}

} // namespace ns3
