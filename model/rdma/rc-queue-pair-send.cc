/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What goes out, and when.

#include "fabric-nic.h"
#include "rc-queue-pair.h"

namespace ns3
{

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
    m_requester.SetWindow(m_rateControl ? m_rateControl->GetWindow() : 0);
}

bool
RcQueuePair::HasData() const
{
    return m_requester.HasPacket() || m_reads.HasPacket();
}

/** @returns true if a READ response is the next data packet; HasData() must be true */
bool
RcQueuePair::IsResponseNext() const
{
    return m_reads.HasPacket() && (m_responseTurn || !m_requester.HasPacket());
}

void
RcQueuePair::UpdateReady(FabricTick now, bool onTime)
{
    if (!HasData())
    {
        m_pacer->Stop();
        m_nic->RemoveData(*this, m_frames.GetDataClass());
    }
    else if (m_pacing.HoldsBack(now))
    {
        m_pacer->Set(m_pacing.GetDue());
        m_nic->RemoveData(*this, m_frames.GetDataClass());
    }
    else
    {
        const bool due = m_pacer->GetDue() == now; // the pacer's own event comes later in this tick
        m_pacer->Stop();
        if (!m_dataHook.is_linked())
        {
            m_pacing.SetOnTime(onTime || due);
            m_nic->AddData(*this, m_frames.GetDataClass());
        }
    }
}

uint32_t
RcQueuePair::PeekDataBytes()
{
    return m_frames.MeasureData(IsResponseNext() ? m_reads.Peek() : m_requester.Peek());
}

FabricFrame*
RcQueuePair::MakeData()
{
    const FabricTick now = FabricNow();
    const bool response = IsResponseNext();
    const RcPacket packet = response ? m_reads.Send() : m_requester.Send();
    FabricFrame* frame = m_frames.MakeData(packet);
    if (response)
    {
        frame->syndrome = RcResponder::SYNDROME_ACK;
        frame->msn = m_responder.GetMsn();
        if (m_due != RcResponder::Answer::NONE && !m_reads.HasPacket())
        {
            m_nic->AddAnswer(*this);
        }
    }
    m_responseTurn = !response;
    m_pacing.Sent(frame->wireBytes, now);
    if (m_rateControl)
    {
        m_rateControl->OnSent(frame->wireBytes, now);
        UpdateRate(now);
    }
    if (packet.ackRequest && m_feedback & RateControl::TIMESTAMP && !packet.retransmission &&
        !response)
    {
        m_roundTrips.Sent(m_requester.GetAckedPackets() + m_requester.GetOutstandingPackets(), now);
    }
    // With more packets in flight, a selective repeat may wait for longer.
    const bool many = m_recovery == RcRecovery::SELECTIVE_REPEAT && !packet.retransmission &&
                      m_requester.GetOutstandingPackets() == uint64_t{m_rtoLowPackets} + 1;
    if (packet.ackRequest ? !m_timeout->IsPending() || many : many && m_timeout->IsPending())
    {
        RestartTimeout(now);
    }
    UpdateReady(now, true);
    m_nic->NotifySent(*this, packet);
    return frame;
}

/** @returns true if the answer that is due tells of packets out of order, if it leaves now */
bool
RcQueuePair::IsSackDue() const
{
    return m_due == RcResponder::Answer::SACK && m_responder.HasSack();
}

uint32_t
RcQueuePair::GetAnswerBytes() const
{
    return IsSackDue() ? m_frames.GetSackBytes() : m_frames.GetAnswerBytes();
}

/** @returns an acknowledgment that tells of packets out of order */
FabricFrame*
RcQueuePair::MakeSack()
{
    const RcResponder::Sack sack = m_responder.TakeSack();
    FabricFrame* frame = m_frames.MakeSack(sack.psn, sack.before);
    frame->psn = m_responder.GetExpectedPsn();
    frame->msn = m_responder.GetMsn();
    frame->becn = m_answerBecn;
    frame->syndrome = sack.lost ? RcResponder::SYNDROME_NAK_SEQUENCE : RcResponder::SYNDROME_ACK;
    FabricNicCounters& counters = m_nic->m_counters;
    ++(sack.lost ? counters.naksSent : counters.acksSent);
    if (m_answerBecn)
    {
        m_nic->NotifyCnp(*this, true);
    }
    m_due = RcResponder::Answer::NONE;
    m_answerBecn = false;
    return frame;
}

FabricFrame*
RcQueuePair::MakeAnswer()
{
    if (IsSackDue())
    {
        return MakeSack();
    }
    FabricFrame* frame = m_frames.MakeAnswer();
    // What is missing may have come in while the NAK waited for the wire.
    const bool nak = m_due > RcResponder::Answer::ACK && m_responder.HasGap();
    const RcResponder::Answer answer = nak ? m_due : RcResponder::Answer::ACK;
    frame->psn = nak ? m_responder.GetExpectedPsn() : m_responder.GetAckPsn();
    frame->msn = m_responder.GetMsn();
    frame->becn = m_answerBecn;
    if (frame->telemetry)
    {
        *frame->telemetry = *m_telemetry;
    }
    if (m_peerFeedback & RateControl::ECN_ECHO)
    {
        const bool held = m_echo.IsHeld();
        if (held)
        {
            frame->psn = m_echo.GetHeldPsn();
            frame->msn = m_echo.GetHeldMsn();
        }
        frame->becn = m_echo.Take();
        if (held)
        {
            // What is due now follows it.
            frame->syndrome = RcResponder::SYNDROME_ACK;
            ++m_nic->m_counters.acksSent;
            m_nic->AddAnswer(*this);
            return frame;
        }
    }
    FabricNicCounters& counters = m_nic->m_counters;
    switch (answer)
    {
    case RcResponder::Answer::NAK:
        frame->syndrome = RcResponder::SYNDROME_NAK_SEQUENCE;
        ++counters.naksSent;
        break;
    case RcResponder::Answer::RNR_NAK:
        frame->syndrome = RcResponder::SYNDROME_RNR_NAK | m_minRnrTimer;
        ++counters.rnrNaksSent;
        break;
    case RcResponder::Answer::INVALID_NAK:
        frame->syndrome = RcResponder::SYNDROME_NAK_INVALID;
        ++counters.naksSent;
        break;
    default:
        frame->syndrome = RcResponder::SYNDROME_ACK;
        ++counters.acksSent;
    }
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

} // namespace ns3
