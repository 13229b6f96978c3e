/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rc-responder.h"

#include "rc-requester.h"

#include "ns3/ib-opcode.h"

#include <algorithm>

namespace ns3
{

void
RcResponder::Configure(uint32_t initialPsn,
                       uint32_t ackInterval,
                       RcRecovery recovery,
                       uint32_t reorder)
{
    *this = RcResponder();
    m_expected = initialPsn % RC_PSN_MODULUS;
    m_ackInterval = ackInterval;
    m_recovery = recovery;
    m_reorderPackets = reorder;
    m_messagePsn = m_expected;
}

/** @returns true if this is the next PSN; otherwise, result says what to make of it */
bool
RcResponder::IsNext(uint32_t psn, Result& result)
{
    const uint32_t distance = (psn - m_expected) % RC_PSN_MODULUS;
    if (distance >= RC_PSN_WINDOW)
    {
        // The requester has not seen the ACK. While a gap is open it still must: this answer says
        // no more than before.
        result.order = Order::DUPLICATE;
        result.answer = Answer::ACK;
        return false;
    }
    if (distance > 0)
    {
        result.order = Order::LATER;
        result.answer = m_nakSent ? Answer::NONE : Answer::NAK;
        m_nakSent = true;
        if (m_recovery == RcRecovery::GO_BACK_ZERO)
        {
            StartOver();
        }
        return false;
    }
    return true;
}

/** Forget what has come of the message in progress (go-back-0). */
void
RcResponder::StartOver()
{
    m_expected = m_messagePsn;
    m_bytes -= m_messageBytes;
    m_messageBytes = 0;
    m_sinceAck = 0;
}

/** A packet has come out of order (selective repeat). */
void
RcResponder::Keep(const RcReorderBuffer::Record& record, uint32_t psn, Result& result)
{
    const uint32_t distance = (psn - m_expected) % RC_PSN_MODULUS;
    if (distance >= RC_PSN_WINDOW)
    {
        result.order = Order::DUPLICATE;
        result.answer = Answer::ACK;
        return;
    }
    result.order = m_reorder.Put(distance, record) ? Order::KEPT : Order::DUPLICATE;
    result.answer = Answer::SACK;
    m_sack = std::max(m_sack, m_accepted + distance);
}

RcResponder::Sack
RcResponder::TakeSack()
{
    const uint64_t distance = m_sack - m_accepted;
    m_sack = 0;
    Sack sack;
    sack.psn = static_cast<uint32_t>((m_expected + distance) % RC_PSN_MODULUS);
    for (uint64_t i = 1; i <= 8 && i < distance; ++i)
    {
        sack.before |= static_cast<uint8_t>(m_reorder.Has(distance - i) << (i - 1));
    }
    sack.lost = distance >= m_reorderPackets;
    return sack;
}

RcResponder::Result
RcResponder::TakeKept(bool ready)
{
    const RcReorderBuffer::Record record = m_reorder.Front();
    Result result;
    if (!ready && IbOpcode::TakesReceive(record.opcode))
    {
        result.order = Order::REFUSED;
        result.answer = Answer::RNR_NAK;
        m_nakSent = true;
        return result;
    }
    Accept(record.opcode, record.payload, record.tag, result);
    m_sinceAck = 0;
    result.answer = Answer::ACK; // the sender waits for it
    return result;
}

RcResponder::Result
RcResponder::OnPacket(uint8_t opcode,
                      uint32_t psn,
                      uint32_t payload,
                      bool ackRequest,
                      uint64_t tag,
                      bool ready,
                      uint32_t immediate)
{
    Result result;
    if (psn != m_expected)
    {
        if (m_recovery == RcRecovery::SELECTIVE_REPEAT)
        {
            Keep({tag, payload, immediate, opcode}, psn, result);
            return result;
        }
        if (m_recovery != RcRecovery::GO_BACK_ZERO || psn != m_messagePsn)
        {
            IsNext(psn, result);
            return result;
        }
        StartOver(); // so has the requester
    }
    if (!ready && IbOpcode::TakesReceive(opcode))
    {
        // IBA vol 1, 9.7.5.2.8: silence until the requester sends it again.
        result.order = Order::REFUSED;
        result.answer = Answer::RNR_NAK;
        m_nakSent = true;
        return result;
    }
    Accept(opcode, payload, tag, result);
    ++m_sinceAck;
    if (ackRequest || (m_ackInterval && m_sinceAck >= m_ackInterval))
    {
        m_sinceAck = 0;
        result.answer = Answer::ACK;
    }
    return result;
}

/** The expected packet is here. */
void
RcResponder::Accept(uint8_t opcode, uint32_t payload, uint64_t tag, Result& result)
{
    m_expected = (m_expected + 1) % RC_PSN_MODULUS;
    m_nakSent = false;
    m_bytes += payload;
    if (m_recovery == RcRecovery::SELECTIVE_REPEAT)
    {
        ++m_accepted;
        m_reorder.Advance();
    }
    if (IbOpcode::StartsMessage(opcode))
    {
        m_messageBytes = 0;
        m_tag = tag;
    }
    m_messageBytes += payload;
    if (IbOpcode::EndsMessage(opcode))
    {
        result.messageComplete = true;
        result.messageBytes = m_messageBytes;
        result.tag = m_tag;
        result.messageId = m_messages++;
        m_messageBytes = 0;
        m_messagePsn = m_expected;
    }
}

RcResponder::Result
RcResponder::OnReadRequest(uint32_t psn, uint32_t responses, bool ready)
{
    Result result;
    const bool next = IsNext(psn, result);
    if (result.order == Order::LATER)
    {
        return result;
    }
    if (next && !ready)
    {
        result.order = Order::REFUSED;
        result.answer = Answer::INVALID_NAK;
        m_nakSent = true;
        return result;
    }
    result.answer = Answer::NONE; // responses say it
    if (next)
    {
        m_expected = (m_expected + responses) % RC_PSN_MODULUS;
        m_nakSent = false;
        m_sinceAck = 0;
        result.messageId = m_messages++;
    }
    return result;
}

uint32_t
RcResponder::GetExpectedPsn() const
{
    return m_expected;
}

bool
RcResponder::IsDuplicate(uint32_t psn) const
{
    return (psn - m_expected) % RC_PSN_MODULUS >= RC_PSN_WINDOW;
}

uint32_t
RcResponder::GetAckPsn() const
{
    return (m_expected + RC_PSN_MODULUS - 1) % RC_PSN_MODULUS;
}

uint32_t
RcResponder::GetMsn() const
{
    return static_cast<uint32_t>(m_messages % RC_PSN_MODULUS);
}

bool
RcResponder::HasGap() const
{
    return m_nakSent;
}

uint64_t
RcResponder::GetMessages() const
{
    return m_messages;
}

uint64_t
RcResponder::GetBytes() const
{
    return m_bytes;
}

void
RcResponder::HashState(StateHash& hash) const
{
    hash.Add(m_sinceAck);
    hash.Add(m_nakSent);
    hash.Add(m_messageBytes != 0);
    if (m_recovery == RcRecovery::SELECTIVE_REPEAT)
    {
        m_reorder.HashState(hash);
        hash.Add(HasSack() ? m_sack - m_accepted : 0);
    }
    if (m_recovery == RcRecovery::GO_BACK_ZERO)
    {
        hash.Add((m_expected - m_messagePsn) % RC_PSN_MODULUS);
    }
}

} // namespace ns3
