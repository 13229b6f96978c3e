/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rc-responder.h"

#include "rc-requester.h"

#include "ns3/ib-opcode.h"

namespace ns3
{

void
RcResponder::Configure(uint32_t initialPsn, uint32_t ackInterval)
{
    *this = RcResponder();
    m_expected = initialPsn % RC_PSN_MODULUS;
    m_ackInterval = ackInterval;
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
        return false;
    }
    return true;
}

RcResponder::Result
RcResponder::OnPacket(uint8_t opcode,
                      uint32_t psn,
                      uint32_t payload,
                      bool ackRequest,
                      uint64_t tag,
                      bool ready)
{
    Result result;
    if (psn != m_expected)
    {
        IsNext(psn, result);
        return result;
    }
    if (!ready && IbOpcode::TakesReceive(opcode))
    {
        // IBA vol 1, 9.7.5.2.8: silence until the requester sends it again.
        result.order = Order::REFUSED;
        result.answer = Answer::RNR_NAK;
        m_nakSent = true;
        return result;
    }
    m_expected = (m_expected + 1) % RC_PSN_MODULUS;
    m_nakSent = false;
    m_bytes += payload;
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
    }
    ++m_sinceAck;
    if (ackRequest || (m_ackInterval && m_sinceAck >= m_ackInterval))
    {
        m_sinceAck = 0;
        result.answer = Answer::ACK;
    }
    return result;
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
}

} // namespace ns3
