/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rc-queue-pair.h"

#include "fabric-nic.h"
#include "rnr-timer.h"

#include "ns3/enum-attribute.h"
#include "ns3/enum.h"
#include "ns3/fabric-net-device.h"
#include "ns3/log.h"
#include "ns3/pointer.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RcQueuePair");
NS_OBJECT_ENSURE_REGISTERED(RcQueuePair);

TypeId
RcQueuePair::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RcQueuePair")
            .SetParent<QueuePair>()
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
            .AddAttribute("RnrRetryCount",
                          "Retries in a row after \"receiver not ready\" before the connection "
                          "fails; 7: without end.",
                          UintegerValue(7),
                          MakeUintegerAccessor(&RcQueuePair::m_rnrRetryCount),
                          MakeUintegerChecker<uint8_t>(0, 7))
            .AddAttribute("MinRnrTimer",
                          "What the peer must wait after an RNR NAK of this end: code 0..31 of IBA "
                          "vol 1, table 45 (12: 0.64 ms).",
                          UintegerValue(12),
                          MakeUintegerAccessor(&RcQueuePair::m_minRnrTimer),
                          MakeUintegerChecker<uint8_t>(0, RnrTimer::MAX_CODE))
            .AddAttribute("MaxRdAtomic",
                          "Most RDMA READs under way at a time, asked for by this end or answered "
                          "by it. The smaller one of both ends counts.",
                          UintegerValue(16),
                          MakeUintegerAccessor(&RcQueuePair::m_maxReads),
                          MakeUintegerChecker<uint32_t>(1, 255))
            .AddAttribute("ReceiveQueueDepth",
                          "Receive requests that are there at the start; each SEND, and each RDMA "
                          "WRITE with immediate, takes one. 0: there is always one.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RcQueuePair::m_receiveDepth),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("ReceiveRepostDelay",
                          "A receive request is there again so long after a message took it; 0: "
                          "only by PostReceive().",
                          TimeValue(NanoSeconds(0)),
                          MakeTimeAccessor(&RcQueuePair::m_receiveRepost),
                          MakeTimeChecker(NanoSeconds(0)))
            .AddAttribute("WindowBytes",
                          "Most unacknowledged payload in bytes; 0: no limit but 2^23 packets.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RcQueuePair::m_windowBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute(
                "BdpCapBytes",
                "Most unacknowledged packets, given as the bandwidth-delay product of the "
                "longest path in bytes, of which each packet takes one Mtu (BDP-FC of "
                "IRN); 0: no limit.",
                UintegerValue(0),
                MakeUintegerAccessor(&RcQueuePair::m_bdpCapBytes),
                MakeUintegerChecker<uint64_t>())
            .AddAttribute("Recovery",
                          "What both ends do about lost packets: everything from the lost one on "
                          "again (GoBackN), the whole message again (GoBackZero), or only what is "
                          "lost (SelectiveRepeat). READs need GoBackN.",
                          EnumValue(RcRecovery::GO_BACK_N),
                          MakeFabricEnumAccessor(&RcQueuePair::m_recovery),
                          MakeEnumChecker(RcRecovery::GO_BACK_N,
                                          "GoBackN",
                                          RcRecovery::GO_BACK_ZERO,
                                          "GoBackZero",
                                          RcRecovery::SELECTIVE_REPEAT,
                                          "SelectiveRepeat"))
            .AddAttribute("ReorderPackets",
                          "SelectiveRepeat: a packet counts as lost when one has arrived that was "
                          "sent so many packets later. 1: any gap is a loss (IRN); more where "
                          "packets take several paths. The larger one of both ends counts.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RcQueuePair::m_reorderPackets),
                          MakeUintegerChecker<uint32_t>(1, RC_PSN_WINDOW))
            .AddAttribute("RtoLow",
                          "SelectiveRepeat: acknowledgment timeout while at most RtoLowPackets are "
                          "in flight.",
                          TimeValue(MicroSeconds(100)),
                          MakeTimeAccessor(&RcQueuePair::m_rtoLow),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("RtoHigh",
                          "SelectiveRepeat: acknowledgment timeout otherwise.",
                          TimeValue(MicroSeconds(320)),
                          MakeTimeAccessor(&RcQueuePair::m_rtoHigh),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("RtoLowPackets",
                          "SelectiveRepeat: most packets in flight with which RtoLow counts.",
                          UintegerValue(3),
                          MakeUintegerAccessor(&RcQueuePair::m_rtoLowPackets),
                          MakeUintegerChecker<uint32_t>(0, RC_PSN_WINDOW))
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
            .AddAttribute("Ttl",
                          "Time to live of all packets (RoCE): the switch that makes it 0 drops "
                          "them.",
                          UintegerValue(64),
                          MakeUintegerAccessor(&RcQueuePair::m_ttl),
                          MakeUintegerChecker<uint8_t>(1))
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
    m_answerHook.unlink();
    m_notificationHook.unlink();
    SetRateControl(nullptr);
    m_delivered = DeliveredCallback();
    m_acked = AckedCallback();
    m_completed = CompletionCallback();
    m_received = CompletionCallback();
    m_error = ErrorCallback();
    QueuePair::DoDispose();
}

void
RcQueuePair::SetNic(FabricNic* nic, uint32_t qpn)
{
    QueuePair::SetNic(nic, qpn);
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
    peer.maxReads = m_maxReads;
    peer.feedback = GetFeedback();
    peer.recovery = m_recovery;
    peer.reorderPackets = m_reorderPackets;
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
    if (self.recovery != peer.recovery)
    {
        throw std::invalid_argument(std::string("RcQueuePair: Recovery is ") +
                                    ToString(self.recovery) + " at this end and " +
                                    ToString(peer.recovery) + " at the other, expected the same");
    }
    m_connected = true;
    m_mtu = std::min(self.mtu, peer.mtu);
    RcRequester::Config config;
    config.mtu = m_mtu;
    config.ackInterval = m_ackInterval;
    config.windowBytes = m_windowBytes;
    config.retryCount = m_retryCount;
    config.rnrRetryCount = m_rnrRetryCount;
    config.maxReads = std::min(self.maxReads, peer.maxReads);
    config.initialPsn = self.initialPsn;
    config.recovery = m_recovery;
    config.reorderPackets = std::max(self.reorderPackets, peer.reorderPackets);
    config.windowPackets = static_cast<uint32_t>(
        std::min<uint64_t>(RC_PSN_WINDOW, m_bdpCapBytes / m_mtu + (m_bdpCapBytes % m_mtu > 0)));
    m_requester.Configure(config);
    m_responder.Configure(peer.initialPsn, m_ackInterval, m_recovery, config.reorderPackets);
    m_reads.Configure(m_mtu, config.maxReads);
    if (m_receiveDepth)
    {
        m_receives = std::make_unique<ReceiveQueue>(m_receiveDepth, m_receiveRepost.GetTimeStep());
    }

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
    flow.ttl = m_ttl;
    m_feedback = self.feedback;
    m_peerFeedback = peer.feedback;
    // IPv4 20, UDP 8, BTH 12, RETH 16, ICRC 4
    constexpr uint32_t TELEMETRY_HEADERS = 60 + FabricTelemetry::BYTES;
    if (m_feedback & RateControl::TELEMETRY &&
        m_mtu + TELEMETRY_HEADERS > m_nic->GetDevice()->GetMtu())
    {
        throw std::invalid_argument(
            "RcQueuePair: packets of " + std::to_string(m_mtu) +
            " bytes with in-band telemetry do not fit the device's Mtu of " +
            std::to_string(m_nic->GetDevice()->GetMtu()) + ", expected at least " +
            std::to_string(m_mtu + TELEMETRY_HEADERS) + ", or a smaller RcQueuePair Mtu");
    }
    flow.telemetry = m_feedback & RateControl::TELEMETRY;
    flow.answerTelemetry = m_peerFeedback & RateControl::TELEMETRY;
    if (flow.answerTelemetry)
    {
        m_telemetry.Create();
    }
    m_frames.Configure(flow, PeekPointer(m_nic->GetDevice()));
    if (m_rateControl)
    {
        m_rateControl->SetServiceLevel(m_serviceLevel);
        m_rateControl->SetPacketBytes(m_mtu);
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
RcQueuePair::Post(uint64_t bytes, uint64_t tag, RcOperation operation, uint32_t immediate)
{
    NS_LOG_FUNCTION(this << bytes << tag);
    const char* problem = !m_nic                                     ? "without a NIC"
                          : !m_connected                             ? "not connected"
                          : HasFailed()                              ? "failed"
                          : !m_nic->GetDevice()->GetPort().GetPeer() ? "without a link"
                                                                     : nullptr;
    if (problem)
    {
        throw std::runtime_error("RcQueuePair: message posted to a queue pair (" +
                                 std::to_string(m_qpn) + ") " + problem +
                                 ", expected a connected one");
    }
    const FabricTick now = FabricNow();
    const uint64_t id = m_requester.Post(operation, bytes, tag, immediate, now);
    m_nic->NotifyPosted(*this, id, bytes, tag);
    UpdateReady(now, false);
    m_nic->Kick();
    return id;
}

void
RcQueuePair::PostReceive(uint32_t count)
{
    if (!m_receives)
    {
        throw std::runtime_error("RcQueuePair: receive request posted to a queue pair (" +
                                 std::to_string(m_qpn) +
                                 ") that is not connected or always has one, expected a "
                                 "ReceiveQueueDepth");
    }
    m_receives->Post(count);
}

void
RcQueuePair::RestartTimeout(FabricTick now)
{
    if (m_requester.IsRnrWaiting())
    {
        return; // the timer is used for that
    }
    const FabricTick timeout = GetTimeoutTicks();
    if (timeout && m_requester.IsAwaitingAck())
    {
        m_timeout->Set(now + timeout);
    }
    else
    {
        m_timeout->Stop();
    }
}

/** @returns how long to wait for an acknowledgment; 0: for ever */
FabricTick
RcQueuePair::GetTimeoutTicks() const
{
    if (m_recovery == RcRecovery::SELECTIVE_REPEAT)
    {
        const bool few = m_requester.GetOutstandingPackets() <= m_rtoLowPackets;
        return (few ? m_rtoLow : m_rtoHigh).GetTimeStep();
    }
    // IBA vol 1, 9.7.6.1.3: 4.096 us x 2^n
    return m_timeoutExponent ? NanoSeconds(uint64_t{4096} << m_timeoutExponent).GetTimeStep() : 0;
}

void
RcQueuePair::TimeoutDue()
{
    const FabricTick now = FabricNow();
    if (m_requester.IsRnrWaiting())
    {
        m_requester.EndRnrWait();
        UpdateReady(now, false);
        m_nic->Kick();
        return;
    }
    ++m_nic->m_counters.timeouts;
    NS_LOG_DEBUG("queue pair " << m_qpn << ": timeout, " << m_requester.GetOutstandingPackets()
                               << " packets outstanding");
    if (!m_requester.OnTimeout())
    {
        Fail(WcStatus::RETRY_EXC_ERR,
             "no acknowledgment after " + std::to_string(m_retryCount) + " retries");
        return;
    }
    if (m_rateControl)
    {
        m_roundTrips.Forget();
        m_rateControl->OnTimeout(now);
        UpdateRate(now);
    }
    UpdateReady(now, false);
    m_nic->Kick();
}

void
RcQueuePair::Fail(WcStatus status, const std::string& what)
{
    NS_LOG_DEBUG("queue pair " << m_qpn << ": " << what << ", " << ToString(status));
    m_requester.Fail();
    m_reads.Clear();
    m_timeout->Stop();
    m_pacer->Stop();
    m_due = RcResponder::Answer::NONE;
    m_nic->Withdraw(*this);
    m_nic->NotifyError(*this, what);
    m_nic->Kick(); // flow control must not count it as waiting
    const FabricTick now = FabricNow();
    TakeCompleted(now); // before it failed
    while (m_requester.GetMessages())
    {
        Complete(m_requester.TakeFailed(), status, now);
        status = WcStatus::WR_FLUSH_ERR;
    }
    if (!m_error.IsNull())
    {
        m_error(this, what);
    }
}

void
RcQueuePair::SetRateControl(const Ptr<RateControl>& rateControl)
{
    if (m_connected && rateControl && rateControl->GetFeedback() & ~m_feedback)
    {
        throw std::runtime_error("RcQueuePair: queue pair " + std::to_string(m_qpn) +
                                 " is connected and gets a RateControl that needs other feedback "
                                 "than the peer was told, expected it before connecting");
    }
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
            m_rateControl->SetPacketBytes(m_mtu);
            m_rateControl->SetLineRate(m_nic->GetDevice()->GetBitRate());
            RateChanged();
        }
    }
}

/** @returns what the peer must tell; std::invalid_argument if this link can't carry it */
uint8_t
RcQueuePair::GetFeedback() const
{
    // Without congestion control notifications are counted all the same.
    const uint8_t feedback =
        m_rateControl ? m_rateControl->GetFeedback() : uint8_t{RateControl::CNP};
    if (feedback & RateControl::TELEMETRY && !m_nic->IsIp())
    {
        throw std::invalid_argument("RcQueuePair: RateControl needs in-band telemetry, which "
                                    "InfiniBand packets have no room for, expected a RoCE device "
                                    "or another RateControl");
    }
    return feedback;
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
RcQueuePair::SetCompletionCallback(CompletionCallback callback)
{
    m_completed = callback;
}

void
RcQueuePair::SetReceivedCallback(CompletionCallback callback)
{
    m_received = callback;
}

void
RcQueuePair::SetErrorCallback(ErrorCallback callback)
{
    m_error = callback;
}

bool
RcQueuePair::HashState(StateHash& hash, FabricTick now) const
{
    m_requester.HashState(hash);
    m_responder.HashState(hash);
    m_reads.HashState(hash);
    hash.Add(m_responseTurn);
    if (m_receives)
    {
        m_receives->HashState(hash, now);
    }
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
    if (m_peerFeedback & RateControl::ECN_ECHO)
    {
        m_echo.HashState(hash);
    }
    if (m_feedback & RateControl::TIMESTAMP)
    {
        m_roundTrips.HashState(hash, m_requester.GetAckedPackets(), now);
    }
    return !m_rateControl || m_rateControl->HashState(hash, now);
}

void
RcQueuePair::Shift(FabricTick by)
{
    m_timeout->Shift(by);
    m_pacer->Shift(by);
    m_pacing.Shift(by);
    m_roundTrips.Shift(by);
    if (m_receives)
    {
        m_receives->Shift(by);
    }
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
