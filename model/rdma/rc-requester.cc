/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rc-requester.h"

#include "ns3/ib-opcode.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{

uint64_t
RcRequester::CountPackets(uint64_t bytes, uint32_t mtu)
{
    return bytes == 0 ? 1 : (bytes - 1) / mtu + 1;
}

uint8_t
RcRequester::GetOpcode(RcOperation operation, bool first, bool last)
{
    // [operation][first][last]
    static constexpr uint8_t OPCODES[2][2][2] = {
        {{IbOpcode::RC_SEND_MIDDLE, IbOpcode::RC_SEND_LAST},
         {IbOpcode::RC_SEND_FIRST, IbOpcode::RC_SEND_ONLY}},
        {{IbOpcode::RC_WRITE_MIDDLE, IbOpcode::RC_WRITE_LAST},
         {IbOpcode::RC_WRITE_FIRST, IbOpcode::RC_WRITE_ONLY}},
    };
    return OPCODES[operation == RcOperation::WRITE][first][last];
}

void
RcRequester::Configure(const Config& config)
{
    if (config.mtu == 0)
    {
        throw std::invalid_argument("RcRequester: mtu is 0 bytes, expected more");
    }
    *this = RcRequester();
    m_config = config;
    m_config.initialPsn %= RC_PSN_MODULUS;
    // Extended PSNs start at the initial one, so that their low bits are those on the wire.
    m_acked = m_next = m_high = m_end = m_ackRequestEnd = m_config.initialPsn;
}

uint64_t
RcRequester::Post(RcOperation operation, uint64_t bytes, uint64_t tag)
{
    const uint64_t packets = CountPackets(bytes, m_config.mtu);
    m_messages.push_back({{operation, bytes, tag, m_nextId}, m_end, packets, m_postedBytes});
    m_end += packets;
    m_postedBytes += bytes;
    return m_nextId++;
}

uint32_t
RcRequester::GetPayload(const Posted& posted, uint64_t index) const
{
    return static_cast<uint32_t>(
        std::min<uint64_t>(m_config.mtu, posted.message.bytes - index * m_config.mtu));
}

bool
RcRequester::FitsWindow(uint64_t nextByte, uint64_t packets, uint32_t payload) const
{
    // One packet may always be sent, however small the window.
    return packets < RC_PSN_WINDOW && (m_config.windowBytes == 0 || packets == 0 ||
                                       nextByte - m_ackedBytes + payload <= m_config.windowBytes);
}

bool
RcRequester::HasPacket() const
{
    if (m_failed || m_next == m_end)
    {
        return false;
    }
    const Posted& posted = m_messages[m_cursor];
    return FitsWindow(m_nextByte, m_next - m_acked, GetPayload(posted, m_next - posted.firstPsn));
}

RcPacket
RcRequester::Peek() const
{
    const Posted& posted = m_messages[m_cursor];
    const uint64_t index = m_next - posted.firstPsn;
    const bool last = index + 1 == posted.packets;
    RcPacket packet;
    packet.first = index == 0;
    packet.opcode = GetOpcode(posted.message.operation, packet.first, last);
    packet.psn = static_cast<uint32_t>(m_next % RC_PSN_MODULUS);
    packet.payload = GetPayload(posted, index);
    packet.tag = posted.message.tag;
    packet.messageBytes = posted.message.bytes;
    packet.retransmission = m_next < m_high;
    // Ask wherever sending may stop: at the end of a message, and where the window is full, or an
    // interval longer than the window would wait for an ACK that nobody sends.
    packet.ackRequest = last ||
                        (m_config.ackInterval && m_sinceRequest + 1 >= m_config.ackInterval) ||
                        !FitsWindow(m_nextByte + packet.payload,
                                    m_next + 1 - m_acked,
                                    GetPayload(posted, index + 1));
    return packet;
}

RcPacket
RcRequester::Send()
{
    const RcPacket packet = Peek();
    const Posted& posted = m_messages[m_cursor];
    ++m_next;
    m_nextByte += packet.payload;
    m_high = std::max(m_high, m_next);
    if (m_next == posted.firstPsn + posted.packets)
    {
        ++m_cursor;
    }
    if (packet.ackRequest)
    {
        m_ackRequestEnd = m_next;
        m_sinceRequest = 0;
    }
    else
    {
        ++m_sinceRequest;
    }
    return packet;
}

std::size_t
RcRequester::FindMessage(uint64_t psn) const
{
    const auto after = std::upper_bound(
        m_messages.begin(),
        m_messages.end(),
        psn,
        [](uint64_t value, const Posted& posted) { return value < posted.firstPsn; });
    return static_cast<std::size_t>(after - m_messages.begin()) - 1;
}

uint64_t
RcRequester::CountBytesBefore(uint64_t psn) const
{
    if (psn == m_end)
    {
        return m_postedBytes;
    }
    const Posted& posted = m_messages[FindMessage(psn)];
    return posted.firstByte + (psn - posted.firstPsn) * m_config.mtu;
}

RcRequester::AckResult
RcRequester::Advance(uint64_t packets)
{
    AckResult result;
    if (packets == 0)
    {
        return result;
    }
    m_retries = 0;
    m_acked += packets;
    const uint64_t bytes = CountBytesBefore(m_acked);
    result.packets = packets;
    result.bytes = bytes - m_ackedBytes;
    m_ackedBytes = bytes;
    if (m_next < m_acked)
    {
        // Packets that were about to be sent again have arrived after all.
        m_next = m_acked;
        m_nextByte = bytes;
        m_sinceRequest = 0;
        m_cursor = m_next == m_end ? m_messages.size() : FindMessage(m_next);
    }
    return result;
}

RcRequester::AckResult
RcRequester::OnAck(uint32_t psn)
{
    const uint64_t packets = (psn + 1 - m_acked) % RC_PSN_MODULUS;
    return m_failed || packets > m_high - m_acked ? AckResult() : Advance(packets);
}

RcRequester::AckResult
RcRequester::OnNak(uint32_t psn)
{
    const uint64_t packets = (psn - m_acked) % RC_PSN_MODULUS;
    if (m_failed || packets >= m_high - m_acked)
    {
        return AckResult();
    }
    AckResult result = Advance(packets);
    if (packets == 0)
    {
        result.failed = !UseRetry();
    }
    GoBack();
    return result;
}

bool
RcRequester::OnTimeout()
{
    if (m_failed)
    {
        return false;
    }
    GoBack();
    return UseRetry();
}

void
RcRequester::GoBack()
{
    if (m_next == m_acked)
    {
        return;
    }
    m_next = m_acked;
    m_nextByte = m_ackedBytes;
    m_cursor = FindMessage(m_next);
    m_sinceRequest = 0;
    m_ackRequestEnd = m_acked; // nothing is awaited before it is sent again
}

bool
RcRequester::UseRetry()
{
    m_failed = m_retries >= m_config.retryCount;
    ++m_retries;
    return !m_failed;
}

void
RcRequester::Fail()
{
    m_failed = true;
}

bool
RcRequester::HasFailed() const
{
    return m_failed;
}

bool
RcRequester::IsAwaitingAck() const
{
    return !m_failed && m_ackRequestEnd > m_acked;
}

bool
RcRequester::IsIdle() const
{
    return m_acked == m_end;
}

bool
RcRequester::HasCompleted() const
{
    return !m_messages.empty() &&
           m_messages.front().firstPsn + m_messages.front().packets <= m_acked;
}

RcMessage
RcRequester::TakeCompleted()
{
    const RcMessage message = m_messages.front().message;
    m_messages.pop_front();
    --m_cursor; // a complete message lies before the one being sent
    return message;
}

std::size_t
RcRequester::GetMessages() const
{
    return m_messages.size();
}

uint64_t
RcRequester::GetOutstandingPackets() const
{
    return m_next - m_acked;
}

uint64_t
RcRequester::GetAckedPackets() const
{
    return m_acked - m_config.initialPsn;
}

uint64_t
RcRequester::GetAckedBytes() const
{
    return m_ackedBytes;
}

uint64_t
RcRequester::GetPostedBytes() const
{
    return m_postedBytes;
}

void
RcRequester::HashState(StateHash& hash) const
{
    hash.Add(m_next - m_acked);
    hash.Add(m_high - m_acked);
    hash.Add(m_ackRequestEnd > m_acked ? m_ackRequestEnd - m_acked : 0);
    hash.Add(m_nextByte - m_ackedBytes);
    hash.Add(m_sinceRequest);
    hash.Add(m_retries);
    hash.Add(m_failed);
    // How much is left to send bounds a jump in time but is no state; whether a message begins or
    // ends here is.
    uint64_t edge = 0;
    if (m_next != m_end)
    {
        const Posted& posted = m_messages[m_cursor];
        const uint64_t index = m_next - posted.firstPsn;
        edge = 1 + (index == 0) + 2 * (index + 1 == posted.packets);
    }
    hash.Add(edge);
}

} // namespace ns3
