/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dctcp-rate-control.h"

#include "rate-control-bits.h"

#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("DctcpRateControl");
NS_OBJECT_ENSURE_REGISTERED(DctcpRateControl);

TypeId
DctcpRateControl::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::DctcpRateControl")
            .SetParent<RateControl>()
            .SetGroupName("AiFabric")
            .AddConstructor<DctcpRateControl>()
            .AddAttribute("G",
                          "Gain of alpha (paper: 1/16).",
                          DoubleValue(1.0 / 16),
                          MakeDoubleAccessor(&DctcpRateControl::m_g),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("InitialAlpha",
                          "Alpha at the start (RFC 8257: 1).",
                          DoubleValue(1),
                          MakeDoubleAccessor(&DctcpRateControl::m_initialAlpha),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("BaseRtt",
                          "Round-trip time without queues, of which the initial window is made.",
                          TimeValue(MicroSeconds(13)),
                          MakeTimeAccessor(&DctcpRateControl::m_baseRtt),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("InitialWindow",
                          "Bytes; 0: line rate times BaseRtt.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&DctcpRateControl::m_initialWindow),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("MaximumWindow",
                          "Bytes; 0: ten times the initial one.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&DctcpRateControl::m_maximumWindow),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("AdditiveIncrement",
                          "Packets by which the window rises per window of data (1).",
                          DoubleValue(1),
                          MakeDoubleAccessor(&DctcpRateControl::m_additive),
                          MakeDoubleChecker<double>(0))
            .AddTraceSource("Window",
                            "An acknowledgment has set the window.",
                            MakeTraceSourceAccessor(&DctcpRateControl::m_windowTrace),
                            "ns3::DctcpRateControl::WindowTracedCallback");
    return tid;
}

uint8_t
DctcpRateControl::GetFeedback() const
{
    return ECN_ECHO;
}

void
DctcpRateControl::SetPacketBytes(uint32_t bytes)
{
    m_packetBytes = bytes;
}

void
DctcpRateControl::SetLineRate(uint64_t bitsPerSecond)
{
    m_window = m_initialWindow ? static_cast<double>(m_initialWindow)
                               : static_cast<double>(bitsPerSecond) / 8 * m_baseRtt.GetSeconds();
    m_window = std::max(m_window, m_packetBytes);
    m_most = m_maximumWindow ? static_cast<double>(m_maximumWindow) : 10 * m_window;
    m_alpha = m_initialAlpha;
}

double
DctcpRateControl::GetCurrentWindow() const
{
    return m_window;
}

double
DctcpRateControl::GetAlpha() const
{
    return m_alpha;
}

uint64_t
DctcpRateControl::GetRate() const
{
    return 0;
}

uint64_t
DctcpRateControl::GetWindow() const
{
    return static_cast<uint64_t>(m_window);
}

void
DctcpRateControl::OnAck(const RateControlAck& ack, FabricTick /* now */)
{
    m_acked = ack.ackedPackets;
    m_bytes += ack.bytes;
    m_marked += ack.ecnEcho ? ack.bytes : 0;
    if (m_acked > m_windowEnd)
    {
        const double part =
            m_bytes ? static_cast<double>(m_marked) / static_cast<double>(m_bytes) : 0;
        m_alpha = (1 - m_g) * m_alpha + m_g * part;
        m_bytes = m_marked = 0;
        m_windowEnd = ack.nextPacket;
    }
    if (!ack.ecnEcho)
    {
        m_window += m_additive * m_packetBytes * static_cast<double>(ack.bytes) / m_window;
    }
    else if (m_acked > m_cutEnd)
    {
        m_window *= 1 - m_alpha / 2;
        m_cutEnd = ack.nextPacket;
    }
    m_window = std::min(std::max(m_window, m_packetBytes), m_most);
    NS_LOG_DEBUG("alpha " << m_alpha << ", window " << m_window);
    m_windowTrace(m_window, m_alpha);
}

void
DctcpRateControl::OnTimeout(FabricTick /* now */)
{
    m_window = m_packetBytes; // RFC 8257, 3.5: as TCP does
}

bool
DctcpRateControl::HashState(StateHash& hash, FabricTick /* now */) const
{
    hash.Add(GetRateControlBits(m_window));
    hash.Add(GetRateControlBits(m_alpha));
    hash.Add(m_bytes);
    hash.Add(m_marked);
    hash.Add(m_windowEnd > m_acked ? m_windowEnd - m_acked : 0);
    hash.Add(m_cutEnd > m_acked ? m_cutEnd - m_acked : 0);
    return true;
}

void
DctcpRateControl::Shift(FabricTick /* by */)
{
}

} // namespace ns3
