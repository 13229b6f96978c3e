/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What comes in.

#include "fabric-nic.h"
#include "rc-queue-pair.h"
#include "rnr-timer.h"

#include "ns3/ib-opcode.h"

#include <string>

namespace ns3
{

namespace
{

/** ECN code point set by switches. */
constexpr uint8_t CONGESTION_EXPERIENCED = 3;

} // namespace

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
    else if (frame.opcode == IbOpcode::SR_SACK)
    {
        ReceiveSack(frame, now);
    }
    else if (IbOpcode::IsCongestionNotification(frame.opcode))
    {
        ReceiveNotification(now);
    }
    else if (frame.opcode <= IbOpcode::RC_WRITE_ONLY_IMM ||
             IbOpcode::IsSelectiveWrite(frame.opcode))
    {
        ReceiveData(frame, now);
    }
    else if (frame.opcode == IbOpcode::RC_READ_REQUEST)
    {
        ReceiveReadRequest(frame, now);
    }
    else if (IbOpcode::IsReadResponse(frame.opcode))
    {
        ReceiveReadResponse(frame, now);
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
    const bool ready = !m_receives || !m_receives->IsEmpty(now);
    const RcResponder::Result result = m_responder.OnPacket(frame.opcode,
                                                            frame.psn,
                                                            frame.payload,
                                                            frame.ackReq,
                                                            tag,
                                                            ready,
                                                            frame.immediate);
    ++counters.rxPackets;
    counters.rxBytes += frame.payload;
    counters.duplicates += result.order == RcResponder::Order::DUPLICATE;
    counters.outOfSequence +=
        result.order == RcResponder::Order::LATER || result.order == RcResponder::Order::KEPT;
    if (m_receives && result.order == RcResponder::Order::EXPECTED &&
        IbOpcode::TakesReceive(frame.opcode))
    {
        m_receives->Take(now);
    }
    if (m_peerFeedback & (RateControl::ECN_ECHO | RateControl::TELEMETRY))
    {
        Notice(frame, result);
    }
    if (result.answer != RcResponder::Answer::NONE)
    {
        Owe(result.answer);
    }
    if (frame.fecn || frame.ecn == CONGESTION_EXPERIENCED)
    {
        ++counters.ecnMarked;
        NotifyCongestion(now);
    }
    Deliver(frame.opcode, frame.immediate, result, now);
    if (result.order == RcResponder::Order::EXPECTED && m_responder.HasKept())
    {
        DeliverKept(now);
    }
}

/** What has waited for the packet that has just come (selective repeat). */
void
RcQueuePair::DeliverKept(FabricTick now)
{
    RcResponder::Answer answer = RcResponder::Answer::NONE;
    while (m_nic && !HasFailed() && m_responder.HasKept())
    {
        const RcReorderBuffer::Record kept = m_responder.PeekKept();
        const bool ready = !m_receives || !m_receives->IsEmpty(now);
        const RcResponder::Result result = m_responder.TakeKept(ready);
        answer = result.answer;
        if (result.order == RcResponder::Order::REFUSED)
        {
            break;
        }
        if (m_receives && IbOpcode::TakesReceive(kept.opcode))
        {
            m_receives->Take(now);
        }
        Deliver(kept.opcode, kept.immediate, result, now);
    }
    if (m_nic && answer != RcResponder::Answer::NONE)
    {
        Owe(answer);
    }
}

/** Tell of a message if this was its last packet. */
void
RcQueuePair::Deliver(uint8_t opcode,
                     uint32_t immediate,
                     const RcResponder::Result& result,
                     FabricTick now)
{
    if (result.messageComplete)
    {
        m_nic->NotifyDelivered(*this, result.messageId, result.messageBytes, result.tag);
        if (!m_delivered.IsNull())
        {
            m_delivered(this, result.messageId, result.messageBytes, result.tag);
        }
        if (!m_received.IsNull())
        {
            NotifyReceived(opcode, immediate, result, now);
        }
    }
}

/** Keep what the peer's congestion control wants to know of an accepted packet. */
void
RcQueuePair::Notice(const FabricFrame& frame, const RcResponder::Result& result)
{
    if (frame.telemetry && m_peerFeedback & RateControl::TELEMETRY)
    {
        m_telemetry = frame.telemetry;
    }
    if (m_peerFeedback & RateControl::ECN_ECHO && result.order == RcResponder::Order::EXPECTED)
    {
        const uint32_t previous = (frame.psn + RC_PSN_MODULUS - 1) % RC_PSN_MODULUS;
        const uint32_t msn =
            (m_responder.GetMsn() + RC_PSN_MODULUS - result.messageComplete) % RC_PSN_MODULUS;
        if (m_echo.OnPacket(frame.fecn || frame.ecn == CONGESTION_EXPERIENCED, previous, msn))
        {
            Owe(RcResponder::Answer::ACK);
        }
    }
}

void
RcQueuePair::NotifyReceived(uint8_t opcode,
                            uint32_t immediate,
                            const RcResponder::Result& result,
                            FabricTick now)
{
    WorkCompletion completion;
    completion.hasImmediate = IbOpcode::GetExtensions(opcode) & IbOpcode::IMM_DT;
    const bool write = IbOpcode::IsWrite(opcode);
    if (write && !completion.hasImmediate)
    {
        return; // one-sided
    }
    completion.opcode = write ? WcOpcode::RECV_RDMA_WITH_IMM : WcOpcode::RECV;
    completion.immediate = immediate;
    completion.id = result.messageId;
    completion.bytes = result.messageBytes;
    completion.tag = result.tag;
    completion.completed = now;
    m_received(this, completion);
}

void
RcQueuePair::Owe(RcResponder::Answer answer)
{
    // A NAK that waits for the wire says more than an ACK.
    if (m_due <= RcResponder::Answer::ACK || answer > RcResponder::Answer::ACK)
    {
        m_due = answer;
    }
    if (!m_reads.HasPacket())
    {
        m_nic->AddAnswer(*this);
    }
}

void
RcQueuePair::ReceiveReadRequest(const FabricFrame& frame, FabricTick now)
{
    FabricNicCounters& counters = m_nic->m_counters;
    const bool repeated = m_responder.IsDuplicate(frame.psn);
    if (repeated)
    {
        m_reads.Forget(frame.psn);
    }
    const auto responses = static_cast<uint32_t>(RcRequester::CountPackets(frame.dmaLen, m_mtu));
    const bool room = m_reads.HasRoom();
    const RcResponder::Result result = m_responder.OnReadRequest(frame.psn, responses, room);
    ++counters.rxPackets;
    counters.duplicates += repeated;
    counters.outOfSequence += result.order == RcResponder::Order::LATER;
    if (frame.fecn || frame.ecn == CONGESTION_EXPERIENCED)
    {
        ++counters.ecnMarked;
        NotifyCongestion(now);
    }
    if (result.answer != RcResponder::Answer::NONE)
    {
        Owe(result.answer);
    }
    else if (room && result.order != RcResponder::Order::LATER)
    {
        m_reads.Add(frame.psn, frame.dmaLen, repeated);
        m_nic->RemoveAnswer(*this);
        if (!repeated && !m_answerBecn)
        {
            m_due = RcResponder::Answer::NONE; // the first response says it
        }
        UpdateReady(now, false);
    }
}

void
RcQueuePair::ReceiveReadResponse(const FabricFrame& frame, FabricTick now)
{
    FabricNicCounters& counters = m_nic->m_counters;
    const RcRequester::AckResult result = m_requester.OnReadResponse(frame.psn);
    ++counters.rxPackets;
    counters.rxBytes += frame.payload;
    counters.outOfSequence += result.gap;
    counters.duplicates += !result.accepted && !result.gap;
    if (frame.fecn || frame.ecn == CONGESTION_EXPERIENCED)
    {
        ++counters.ecnMarked;
        NotifyCongestion(now);
    }
    if (result.accepted)
    {
        m_readBytes += frame.payload;
    }
    if (result.failed)
    {
        Fail(WcStatus::RETRY_EXC_ERR,
             "READ responses missing after " + std::to_string(m_retryCount) + " retries");
        return;
    }
    Acknowledged(result, now, frame);
}

void
RcQueuePair::NotifyCongestion(FabricTick now)
{
    if (!m_nic->IsCnpEnabled() || !(m_peerFeedback & RateControl::CNP) ||
        (m_notified != FABRIC_NEVER && now - m_notified < m_nic->GetCnpIntervalTicks()))
    {
        return;
    }
    m_notified = now;
    // IBA annex A10: BECN in an acknowledgment if one is due, else a packet of its own.
    if (!m_nic->IsIp() && m_answerHook.is_linked())
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
    if (frame.becn && !(m_feedback & RateControl::ECN_ECHO))
    {
        ReceiveNotification(now);
    }
    FabricNicCounters& counters = m_nic->m_counters;
    if (frame.syndrome == RcResponder::SYNDROME_NAK_SEQUENCE)
    {
        ++counters.naksReceived;
        const RcRequester::AckResult result = m_requester.OnNak(frame.psn);
        m_roundTrips.Forget();
        if (result.failed)
        {
            Fail(WcStatus::RETRY_EXC_ERR,
                 "sequence errors after " + std::to_string(m_retryCount) + " retries");
            return;
        }
        Acknowledged(result, now, frame);
    }
    else if (frame.syndrome >> 5 == RcResponder::SYNDROME_RNR_NAK >> 5)
    {
        ++counters.rnrNaksReceived;
        const bool waiting = m_requester.IsRnrWaiting();
        const RcRequester::AckResult result = m_requester.OnRnrNak(frame.psn);
        m_roundTrips.Forget();
        if (result.failed)
        {
            Fail(m_requester.IsReadingAgain() ? WcStatus::RETRY_EXC_ERR
                                              : WcStatus::RNR_RETRY_EXC_ERR,
                 "receiver not ready after " + std::to_string(m_rnrRetryCount) + " retries");
            return;
        }
        if (m_requester.IsRnrWaiting() && !waiting)
        {
            m_timeout->Set(now +
                           NanoSeconds(RnrTimer::GetNanoseconds(frame.syndrome)).GetTimeStep());
        }
        Acknowledged(result, now, frame);
    }
    else if (frame.syndrome >> 5 == 0)
    {
        ++counters.acksReceived;
        Acknowledged(m_requester.OnAck(frame.psn), now, frame);
    }
    else
    {
        const WcStatus status =
            frame.syndrome == RcResponder::SYNDROME_NAK_INVALID     ? WcStatus::REM_INV_REQ_ERR
            : frame.syndrome == RcResponder::SYNDROME_NAK_ACCESS    ? WcStatus::REM_ACCESS_ERR
            : frame.syndrome == RcResponder::SYNDROME_NAK_OPERATION ? WcStatus::REM_OP_ERR
                                                                    : WcStatus::GENERAL_ERR;
        m_requester.OnAck((frame.psn + RC_PSN_MODULUS - 1) % RC_PSN_MODULUS);
        Fail(status, "answer with syndrome " + std::to_string(frame.syndrome));
    }
}

void
RcQueuePair::ReceiveSack(const FabricFrame& frame, FabricTick now)
{
    if (frame.becn)
    {
        ReceiveNotification(now);
    }
    FabricNicCounters& counters = m_nic->m_counters;
    ++(frame.syndrome == RcResponder::SYNDROME_ACK ? counters.acksReceived : counters.naksReceived);
    const uint32_t came = frame.immediate % RC_PSN_MODULUS;
    const RcRequester::AckResult result =
        m_requester.OnSack(frame.psn, came, static_cast<uint8_t>(frame.immediate >> 24));
    Acknowledged(result, now, frame);
    // What has come behind a gap will be acknowledged late, and what is missing is sent again: both
    // are no round-trip times any more. What was sent after it still is.
    const uint64_t behind = (came - frame.psn) % RC_PSN_MODULUS;
    m_roundTrips.Acknowledged(m_requester.GetAckedPackets() + behind + 1, now);
}

void
RcQueuePair::Acknowledged(const RcRequester::AckResult& result,
                          FabricTick now,
                          const FabricFrame& frame)
{
    if (result.packets && m_rateControl)
    {
        RateControlAck ack;
        ack.bytes = result.bytes;
        ack.packets = result.packets;
        ack.ackedPackets = m_requester.GetAckedPackets();
        ack.nextPacket = ack.ackedPackets + m_requester.GetOutstandingPackets();
        ack.hops = frame.hops;
        if (m_feedback & RateControl::TIMESTAMP)
        {
            ack.rtt = m_roundTrips.Acknowledged(ack.ackedPackets, now);
        }
        ack.ecnEcho = frame.becn && m_feedback & RateControl::ECN_ECHO;
        ack.telemetry = m_feedback & RateControl::TELEMETRY ? frame.telemetry.Get() : nullptr;
        m_rateControl->OnAck(ack, now);
        UpdateRate(now);
    }
    if (result.packets || !m_requester.IsAwaitingAck())
    {
        RestartTimeout(now);
    }
    UpdateReady(now, false);
    TakeCompleted(now);
}

void
RcQueuePair::TakeCompleted(FabricTick now)
{
    while (m_requester.HasCompleted())
    {
        const RcMessage message = m_requester.TakeCompleted();
        if (message.operation == RcOperation::READ)
        {
            m_nic->NotifyDelivered(*this, message.id, message.bytes, message.tag);
        }
        m_nic->NotifyAcked(*this, message);
        if (!m_acked.IsNull())
        {
            m_acked(this, message.id, message.bytes, message.tag);
        }
        if (!m_completed.IsNull() || m_nic->TracesCompletions())
        {
            Complete(message, WcStatus::SUCCESS, now);
        }
    }
}

void
RcQueuePair::Complete(const RcMessage& message, WcStatus status, FabricTick now)
{
    WorkCompletion completion;
    completion.status = status;
    completion.opcode =
        message.operation == RcOperation::READ ? WcOpcode::RDMA_READ
        : message.operation == RcOperation::WRITE || message.operation == RcOperation::WRITE_IMM
            ? WcOpcode::RDMA_WRITE
            : WcOpcode::SEND;
    completion.hasImmediate = RcRequester::HasImmediate(message.operation);
    completion.immediate = message.immediate;
    completion.id = message.id;
    completion.bytes = message.bytes;
    completion.tag = message.tag;
    completion.posted = message.posted;
    completion.completed = now;
    m_nic->NotifyCompleted(*this, completion);
    if (!m_completed.IsNull())
    {
        m_completed(this, completion);
    }
}

} // namespace ns3
