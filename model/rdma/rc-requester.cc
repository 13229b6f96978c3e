/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rc-requester.h"

#include "ns3/ib-opcode.h"

#include <algorithm>
#include <stdexcept>
#include <string>

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
    static constexpr uint8_t OPCODES[5][2][2] = {
        {{IbOpcode::RC_SEND_MIDDLE, IbOpcode::RC_SEND_LAST},
         {IbOpcode::RC_SEND_FIRST, IbOpcode::RC_SEND_ONLY}},
        {{IbOpcode::RC_WRITE_MIDDLE, IbOpcode::RC_WRITE_LAST},
         {IbOpcode::RC_WRITE_FIRST, IbOpcode::RC_WRITE_ONLY}},
        {{IbOpcode::RC_SEND_MIDDLE, IbOpcode::RC_SEND_LAST_IMM},
         {IbOpcode::RC_SEND_FIRST, IbOpcode::RC_SEND_ONLY_IMM}},
        {{IbOpcode::RC_WRITE_MIDDLE, IbOpcode::RC_WRITE_LAST_IMM},
         {IbOpcode::RC_WRITE_FIRST, IbOpcode::RC_WRITE_ONLY_IMM}},
        {{IbOpcode::RC_READ_REQUEST, IbOpcode::RC_READ_REQUEST},
         {IbOpcode::RC_READ_REQUEST, IbOpcode::RC_READ_REQUEST}},
    };
    return OPCODES[static_cast<std::size_t>(operation)][first][last];
}

bool
RcRequester::HasImmediate(RcOperation operation)
{
    return operation == RcOperation::SEND_IMM || operation == RcOperation::WRITE_IMM;
}

void
RcRequester::Configure(const Config& config)
{
    if (config.mtu == 0)
    {
        throw std::invalid_argument("RcRequester: mtu is 0 bytes, expected more");
    }
    if (config.maxReads == 0)
    {
        throw std::invalid_argument("RcRequester: maxReads is 0, expected more");
    }
    if (config.reorderPackets == 0)
    {
        throw std::invalid_argument("RcRequester: reorderPackets is 0, expected more");
    }
    *this = RcRequester();
    m_config = config;
    m_config.initialPsn %= RC_PSN_MODULUS;
    m_window = config.windowBytes;
    // Extended PSNs start at the initial one, so that their low bits are those on the wire.
    m_acked = m_next = m_high = m_end = m_ackRequestEnd = m_config.initialPsn;
    m_selective = config.recovery == RcRecovery::SELECTIVE_REPEAT;
    m_scoreboard.Reset(m_acked, config.reorderPackets);
}

uint64_t
RcRequester::Post(RcOperation operation,
                  uint64_t bytes,
                  uint64_t tag,
                  uint32_t immediate,
                  FabricTick posted)
{
    const bool read = operation == RcOperation::READ;
    if (read && bytes > RC_MAX_READ_BYTES)
    {
        throw std::invalid_argument("RcRequester: READ of " + std::to_string(bytes) +
                                    " bytes, expected at most " +
                                    std::to_string(RC_MAX_READ_BYTES));
    }
    if (read && m_config.recovery != RcRecovery::GO_BACK_N)
    {
        throw std::invalid_argument(std::string("RcRequester: READ with Recovery ") +
                                    ToString(m_config.recovery) + ", expected GoBackN");
    }
    const uint64_t packets = CountPackets(bytes, m_config.mtu);
    m_messages.push_back(
        {{operation, bytes, tag, m_nextId, posted, immediate}, m_end, packets, m_postedBytes});
    m_end += packets;
    if (read)
    {
        ++m_reads; // its data comes from the other end
    }
    else
    {
        m_postedBytes += bytes;
    }
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
    if (m_config.windowPackets && packets >= m_config.windowPackets)
    {
        return false;
    }
    return packets < RC_PSN_WINDOW &&
           (m_window == 0 || packets == 0 || nextByte - m_ackedBytes + payload <= m_window);
}

void
RcRequester::SetWindow(uint64_t bytes)
{
    const uint64_t other = m_config.windowBytes;
    m_window = bytes && (other == 0 || bytes < other) ? bytes : other;
}

uint64_t
RcRequester::GetOutstandingBytes() const
{
    return m_nextByte - m_ackedBytes;
}

bool
RcRequester::HasPacket() const
{
    if (m_failed || m_rnrWait)
    {
        return false;
    }
    if (m_selective && m_scoreboard.HasHole())
    {
        return true;
    }
    if (m_next == m_end)
    {
        return false;
    }
    const Posted& posted = m_messages[m_cursor];
    if (posted.IsRead())
    {
        return m_readsOut < m_config.maxReads && posted.GetEnd() - m_acked <= RC_PSN_WINDOW;
    }
    const uint64_t packets = m_next - m_acked;
    // A window that has shrunk below what is under way, when nothing of that has asked for an
    // acknowledgment, would wait for ever: one more packet goes, and asks.
    return FitsWindow(m_nextByte, packets, GetPayload(posted, m_next - posted.firstPsn)) ||
           (packets < RC_PSN_WINDOW && m_ackRequestEnd <= m_acked);
}

/** @returns a packet of a message that is no READ, without ackRequest */
RcPacket
RcRequester::MakePacket(const Posted& posted, uint64_t psn) const
{
    const uint64_t index = psn - posted.firstPsn;
    RcPacket packet;
    packet.first = index == 0;
    packet.opcode = GetOpcode(posted.message.operation, packet.first, index + 1 == posted.packets);
    packet.psn = static_cast<uint32_t>(psn % RC_PSN_MODULUS);
    packet.payload = GetPayload(posted, index);
    packet.tag = posted.message.tag;
    packet.messageBytes = posted.message.bytes;
    packet.offset = index * m_config.mtu;
    packet.immediate = posted.message.immediate;
    packet.retransmission = psn < m_high;
    if (m_selective && IbOpcode::IsWrite(packet.opcode) && !packet.first)
    {
        packet.opcode |= IbOpcode::SELECTIVE_CLASS; // each packet says where its data goes
    }
    return packet;
}

/** @returns the lost packet that is sent again next: its ACK is what the sender waits for */
RcPacket
RcRequester::PeekHole() const
{
    const uint64_t psn = m_scoreboard.GetHole();
    RcPacket packet = MakePacket(m_messages[FindMessage(psn)], psn);
    packet.ackRequest = true;
    return packet;
}

RcPacket
RcRequester::Peek() const
{
    if (m_selective && m_scoreboard.HasHole())
    {
        return PeekHole();
    }
    const Posted& posted = m_messages[m_cursor];
    const uint64_t index = m_next - posted.firstPsn;
    const bool last = index + 1 == posted.packets;
    RcPacket packet;
    if (posted.IsRead())
    {
        const uint64_t done = index * m_config.mtu;
        packet.first = true; // whatever is left is asked for at once
        packet.opcode = IbOpcode::RC_READ_REQUEST;
        packet.psn = static_cast<uint32_t>(m_next % RC_PSN_MODULUS);
        packet.tag = posted.message.tag + done;
        packet.messageBytes = posted.message.bytes - done;
        packet.retransmission = m_next < m_high;
        packet.ackRequest = true;
        return packet;
    }
    packet = MakePacket(posted, m_next);
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
    if (m_selective && m_scoreboard.HasHole())
    {
        m_ackRequestEnd = std::max(m_ackRequestEnd, m_scoreboard.GetHole() + 1);
        m_scoreboard.Resent();
        return packet;
    }
    const Posted& posted = m_messages[m_cursor];
    if (posted.IsRead())
    {
        m_next = posted.GetEnd();
        ++m_readsOut;
    }
    else
    {
        ++m_next;
    }
    m_nextByte += packet.payload;
    m_high = std::max(m_high, m_next);
    if (m_next == posted.GetEnd())
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
    return posted.firstByte + (posted.IsRead() ? 0 : (psn - posted.firstPsn) * m_config.mtu);
}

/** @returns the first PSN before end whose READ response has not come in; end if there is none */
uint64_t
RcRequester::FindUnread(uint64_t end) const
{
    if (m_reads == 0)
    {
        return end;
    }
    for (std::size_t i = FindMessage(m_acked);
         i < m_messages.size() && m_messages[i].firstPsn < end;
         ++i)
    {
        if (m_messages[i].IsRead() && m_messages[i].GetEnd() > m_acked)
        {
            return std::max(m_messages[i].firstPsn, m_acked);
        }
    }
    return end;
}

/** Everything before PSN end is about to be acknowledged: READs that end there are over. */
void
RcRequester::CompleteReads(uint64_t end)
{
    for (std::size_t i = FindMessage(m_acked);
         i < m_messages.size() && m_messages[i].GetEnd() <= end;
         ++i)
    {
        if (m_messages[i].IsRead() && m_messages[i].GetEnd() > m_acked)
        {
            --m_reads;
            m_readsOut -= i < m_cursor;
        }
    }
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
    m_rnrRetries = 0;
    m_readingAgain = false;
    if (m_reads)
    {
        CompleteReads(m_acked + packets);
    }
    m_acked += packets;
    const uint64_t bytes = CountBytesBefore(m_acked);
    result.packets = packets;
    result.bytes = bytes - m_ackedBytes;
    m_ackedBytes = bytes;
    if (m_selective)
    {
        m_scoreboard.Advance(m_acked);
    }
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
    if (m_failed || packets > m_high - m_acked)
    {
        return AckResult();
    }
    const uint64_t end = m_acked + packets;
    const uint64_t arrived = FindUnread(end);
    AckResult result = Advance(arrived - m_acked);
    if (arrived < end)
    {
        ReadAgain(result);
    }
    return result;
}

RcRequester::AckResult
RcRequester::OnReadResponse(uint32_t psn)
{
    const uint64_t distance = (psn - m_acked) % RC_PSN_MODULUS;
    if (m_failed || distance >= m_high - m_acked)
    {
        return AckResult();
    }
    const uint64_t extended = m_acked + distance;
    if (!m_messages[FindMessage(extended)].IsRead())
    {
        return AckResult();
    }
    const uint64_t arrived = FindUnread(extended);
    if (arrived < extended)
    {
        AckResult result = Advance(arrived - m_acked);
        ReadAgain(result);
        return result;
    }
    AckResult result = Advance(distance + 1);
    result.accepted = true;
    return result;
}

/** A READ response is missing. What was under way behind it says so again: once is enough. */
void
RcRequester::ReadAgain(AckResult& result)
{
    result.gap = true;
    if (m_readingAgain)
    {
        return;
    }
    m_readingAgain = true;
    if (result.packets == 0)
    {
        result.failed = !UseRetry();
    }
    GoBack();
}

RcRequester::AckResult
RcRequester::OnNak(uint32_t psn)
{
    if (IsRestart(psn))
    {
        GoBack();
        return AckResult();
    }
    const uint64_t packets = (psn - m_acked) % RC_PSN_MODULUS;
    if (m_failed || packets >= m_high - m_acked)
    {
        return AckResult();
    }
    const uint64_t end = m_acked + packets;
    const uint64_t arrived = FindUnread(end);
    AckResult result = Advance(arrived - m_acked);
    if (arrived < end)
    {
        ReadAgain(result);
        return result;
    }
    if (packets == 0)
    {
        result.failed = !UseRetry();
    }
    GoBack();
    return result;
}

RcRequester::AckResult
RcRequester::OnSack(uint32_t psn, uint32_t sacked, uint8_t before)
{
    const uint64_t packets = (psn - m_acked) % RC_PSN_MODULUS;
    if (m_failed || !m_selective)
    {
        return AckResult();
    }
    // It may have been overtaken by a newer one; what it says of single packets is still true.
    const AckResult result = packets < m_high - m_acked ? Advance(packets) : AckResult();
    const uint64_t distance = (sacked - m_acked) % RC_PSN_MODULUS;
    if (distance < m_high - m_acked)
    {
        // The oldest one first, so that none is taken for lost that is reported here.
        for (uint32_t i = 8; i > 0; --i)
        {
            if ((before >> (i - 1) & 1) && distance >= i)
            {
                m_scoreboard.Sacked(m_acked + distance - i, m_high);
            }
        }
        m_scoreboard.Sacked(m_acked + distance, m_high);
    }
    return result;
}

RcRequester::AckResult
RcRequester::OnRnrNak(uint32_t psn)
{
    const uint64_t packets = (psn - m_acked) % RC_PSN_MODULUS;
    if (m_failed || m_rnrWait || packets >= m_high - m_acked)
    {
        return AckResult();
    }
    const uint64_t end = m_acked + packets;
    const uint64_t arrived = FindUnread(end);
    AckResult result = Advance(arrived - m_acked);
    if (arrived < end)
    {
        ReadAgain(result);
        return result;
    }
    result.failed = !UseRnrRetry();
    GoBack();
    m_rnrWait = !result.failed;
    return result;
}

void
RcRequester::EndRnrWait()
{
    m_rnrWait = false;
}

bool
RcRequester::IsReadingAgain() const
{
    return m_readingAgain;
}

bool
RcRequester::IsRnrWaiting() const
{
    return m_rnrWait;
}

bool
RcRequester::OnTimeout()
{
    if (m_failed)
    {
        return false;
    }
    m_readingAgain = false;
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
    if (m_selective)
    {
        m_scoreboard.Restart(m_high);
        return;
    }
    if (m_config.recovery == RcRecovery::GO_BACK_ZERO)
    {
        StartOver();
    }
    m_next = m_acked;
    m_nextByte = m_ackedBytes;
    m_cursor = FindMessage(m_next);
    m_sinceRequest = 0;
    m_readsOut = 0;
    m_ackRequestEnd = m_acked; // nothing is awaited before it is sent again
}

/** Take back what is acknowledged of the message in progress. */
void
RcRequester::StartOver()
{
    const Posted& posted = m_messages[FindMessage(m_acked)];
    m_acked = posted.firstPsn;
    m_ackedBytes = posted.firstByte;
}

/** @returns true if a NAK asks for the beginning of the message in progress (go-back-0) */
bool
RcRequester::IsRestart(uint32_t psn) const
{
    if (m_failed || m_config.recovery != RcRecovery::GO_BACK_ZERO || m_acked >= m_high)
    {
        return false;
    }
    return m_messages[FindMessage(m_acked)].firstPsn % RC_PSN_MODULUS == psn;
}

bool
RcRequester::UseRetry()
{
    m_failed = m_retries >= m_config.retryCount;
    ++m_retries;
    return !m_failed;
}

bool
RcRequester::UseRnrRetry()
{
    constexpr uint8_t WITHOUT_END = 7;
    m_failed = m_config.rnrRetryCount != WITHOUT_END && m_rnrRetries >= m_config.rnrRetryCount;
    ++m_rnrRetries;
    return !m_failed;
}

void
RcRequester::Fail()
{
    m_failed = true;
    m_rnrWait = false;
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
    return !m_messages.empty() && m_messages.front().GetEnd() <= m_acked;
}

RcMessage
RcRequester::TakeCompleted()
{
    const RcMessage message = m_messages.front().message;
    m_messages.pop_front();
    --m_cursor; // a complete message lies before the one being sent
    return message;
}

RcMessage
RcRequester::TakeFailed()
{
    const RcMessage message = m_messages.front().message;
    m_messages.pop_front();
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
    hash.Add(m_failed);
    if (m_failed)
    {
        return;
    }
    hash.Add(m_next - m_acked);
    hash.Add(m_high - m_acked);
    hash.Add(m_ackRequestEnd > m_acked ? m_ackRequestEnd - m_acked : 0);
    hash.Add(m_nextByte - m_ackedBytes);
    hash.Add(m_sinceRequest);
    hash.Add(m_retries);
    hash.Add(m_rnrWait);
    hash.Add(m_rnrWait || m_config.rnrRetryCount != 7 ? m_rnrRetries : 0);
    hash.Add(m_readsOut);
    hash.Add(m_readingAgain);
    if (m_selective)
    {
        m_scoreboard.HashState(hash);
    }
    for (std::size_t i = m_reads ? FindMessage(m_acked) : m_cursor; i < m_cursor; ++i)
    {
        if (m_messages[i].IsRead() && m_messages[i].GetEnd() > m_acked)
        {
            hash.Add(std::max(m_messages[i].firstPsn, m_acked) - m_acked);
            hash.Add(m_messages[i].GetEnd() - m_acked);
        }
    }
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
