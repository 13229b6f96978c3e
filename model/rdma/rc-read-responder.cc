/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rc-read-responder.h"

#include "ns3/ib-opcode.h"

#include <algorithm>

namespace ns3
{

void
RcReadResponder::Configure(uint32_t mtu, uint32_t most)
{
    m_mtu = mtu;
    m_most = most;
    m_owed.clear();
}

void
RcReadResponder::Forget(uint32_t psn)
{
    while (!m_owed.empty())
    {
        const Owed& last = m_owed.back();
        const auto end =
            static_cast<uint32_t>(last.psn + RcRequester::CountPackets(last.left, m_mtu));
        const uint32_t beyond = (end - psn) % RC_PSN_MODULUS;
        if (beyond == 0 || beyond > RC_PSN_WINDOW)
        {
            return; // ends before
        }
        m_owed.pop_back();
    }
}

bool
RcReadResponder::HasRoom() const
{
    return m_owed.size() < m_most;
}

void
RcReadResponder::Add(uint32_t psn, uint32_t bytes, bool repeated)
{
    if (m_owed.capacity() < m_most)
    {
        m_owed.set_capacity(m_most); // at the first READ: most connections have none
    }
    m_owed.push_back({psn, bytes, false, repeated});
}

void
RcReadResponder::Clear()
{
    m_owed.clear();
}

RcPacket
RcReadResponder::Peek() const
{
    const Owed& owed = m_owed.front();
    const bool last = owed.left <= m_mtu;
    RcPacket packet;
    packet.opcode =
        owed.started ? (last ? IbOpcode::RC_READ_RESPONSE_LAST : IbOpcode::RC_READ_RESPONSE_MIDDLE)
                     : (last ? IbOpcode::RC_READ_RESPONSE_ONLY : IbOpcode::RC_READ_RESPONSE_FIRST);
    packet.psn = owed.psn;
    packet.payload = std::min(owed.left, m_mtu);
    packet.first = !owed.started;
    packet.retransmission = owed.repeated;
    return packet;
}

RcPacket
RcReadResponder::Send()
{
    const RcPacket packet = Peek();
    Owed& owed = m_owed.front();
    if (owed.left <= m_mtu)
    {
        m_owed.pop_front();
    }
    else
    {
        owed.psn = (owed.psn + 1) % RC_PSN_MODULUS;
        owed.left -= m_mtu;
        owed.started = true;
    }
    return packet;
}

void
RcReadResponder::HashState(StateHash& hash) const
{
    hash.Add(m_owed.size());
    for (const Owed& owed : m_owed)
    {
        hash.Add(owed.left);
        hash.Add(owed.started);
    }
}

} // namespace ns3
