/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "swift-rate-control.h"

#include "rate-control-bits.h"

#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("SwiftRateControl");
NS_OBJECT_ENSURE_REGISTERED(SwiftRateControl);

TypeId
SwiftRateControl::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::SwiftRateControl")
            .SetParent<RateControl>()
            .SetGroupName("AiFabric")
            .AddConstructor<SwiftRateControl>()
            .AddAttribute("BaseTarget",
                          "Base of the target delay (paper: 25 to 50 us).",
                          TimeValue(MicroSeconds(25)),
                          MakeTimeAccessor(&SwiftRateControl::m_baseTarget),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("HopTarget",
                          "Target delay for each switch of the path.",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&SwiftRateControl::m_hopTarget),
                          MakeTimeChecker(NanoSeconds(0)))
            .AddAttribute("ScalingRange",
                          "Most that flow scaling adds, in base targets (4); 0: no flow scaling.",
                          DoubleValue(4),
                          MakeDoubleAccessor(&SwiftRateControl::m_scalingRange),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("ScalingMinWindow",
                          "Window in packets at and below which flow scaling adds the most (0.1).",
                          DoubleValue(0.1),
                          MakeDoubleAccessor(&SwiftRateControl::m_scalingMin),
                          MakeDoubleChecker<double>(1e-6))
            .AddAttribute("ScalingMaxWindow",
                          "Window in packets from which on flow scaling adds nothing (100).",
                          DoubleValue(100),
                          MakeDoubleAccessor(&SwiftRateControl::m_scalingMax),
                          MakeDoubleChecker<double>(1e-6))
            .AddAttribute("AdditiveIncrement",
                          "ai: packets by which the window rises per round trip (1).",
                          DoubleValue(1),
                          MakeDoubleAccessor(&SwiftRateControl::m_additive),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("Beta",
                          "Factor of decreases (0.8).",
                          DoubleValue(0.8),
                          MakeDoubleAccessor(&SwiftRateControl::m_beta),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("MaxDecrease",
                          "max_mdf: largest part of the window that one decrease takes (0.5).",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&SwiftRateControl::m_maxDecrease),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("MinimumWindow",
                          "Packets.",
                          DoubleValue(0.001),
                          MakeDoubleAccessor(&SwiftRateControl::m_minimumWindow),
                          MakeDoubleChecker<double>(1e-6))
            .AddAttribute("MaximumWindow",
                          "Packets; 0: line rate times five base targets.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&SwiftRateControl::m_maximumWindow),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("InitialWindow",
                          "Packets; 0: line rate times the base target.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&SwiftRateControl::m_initialWindow),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("ResetTimeouts",
                          "Timeouts in a row after which the window is at its minimum (paper: "
                          "RETX_RESET_THRESHOLD).",
                          UintegerValue(5),
                          MakeUintegerAccessor(&SwiftRateControl::m_resetTimeouts),
                          MakeUintegerChecker<uint32_t>(1))
            .AddTraceSource("Window",
                            "An acknowledgment has set the window.",
                            MakeTraceSourceAccessor(&SwiftRateControl::m_windowTrace),
                            "ns3::SwiftRateControl::WindowTracedCallback");
    return tid;
}

uint8_t
SwiftRateControl::GetFeedback() const
{
    return TIMESTAMP;
}

void
SwiftRateControl::SetPacketBytes(uint32_t bytes)
{
    m_packetBytes = m_wireBytes = bytes;
}

void
SwiftRateControl::SetLineRate(uint64_t bitsPerSecond)
{
    const double base = m_baseTarget.GetSeconds();
    const double packets = static_cast<double>(bitsPerSecond) / 8 / m_packetBytes;
    m_most = m_maximumWindow > 0 ? m_maximumWindow : packets * base * 5;
    m_window = m_initialWindow > 0 ? m_initialWindow : packets * base;
    m_scalingA = m_scalingB = 0;
    if (m_scalingMin < m_scalingMax)
    {
        m_scalingA =
            m_scalingRange * base / (1 / std::sqrt(m_scalingMin) - 1 / std::sqrt(m_scalingMax));
        m_scalingB = -m_scalingA / std::sqrt(m_scalingMax);
    }
    Bound();
}

double
SwiftRateControl::GetCurrentWindow() const
{
    return m_window;
}

double
SwiftRateControl::GetTarget(uint8_t hops) const
{
    const double base = m_baseTarget.GetSeconds();
    const double scaling = m_scalingA / std::sqrt(m_window) + m_scalingB;
    return base + hops * m_hopTarget.GetSeconds() +
           std::min(std::max(scaling, 0.0), m_scalingRange * base);
}

uint64_t
SwiftRateControl::GetRate() const
{
    if (m_window >= 1 || !m_rtt)
    {
        return 0;
    }
    return std::max<uint64_t>(
        1,
        static_cast<uint64_t>(m_window * m_wireBytes * 8 / TimeStep(m_rtt).GetSeconds()));
}

uint64_t
SwiftRateControl::GetWindow() const
{
    return std::max<uint64_t>(1, static_cast<uint64_t>(m_window * m_packetBytes));
}

bool
SwiftRateControl::MayDecrease(FabricTick now) const
{
    return !m_hasDecreased || now - m_decreased >= m_rtt;
}

void
SwiftRateControl::Bound()
{
    m_window = std::min(std::max(m_window, m_minimumWindow), m_most);
}

void
SwiftRateControl::OnAck(const RateControlAck& ack, FabricTick now)
{
    m_timeouts = 0;
    if (!ack.rtt)
    {
        return;
    }
    m_rtt = ack.rtt;
    const double delay = TimeStep(ack.rtt).GetSeconds();
    const double target = GetTarget(ack.hops);
    if (delay < target)
    {
        const auto acked = static_cast<double>(ack.packets);
        m_window += m_window >= 1 ? m_additive / m_window * acked : m_additive * acked;
    }
    else if (MayDecrease(now))
    {
        m_window *= std::max(1 - m_beta * (delay - target) / delay, 1 - m_maxDecrease);
        m_decreased = now;
        m_hasDecreased = true;
    }
    Bound();
    NS_LOG_DEBUG("RTT " << delay << " s, target " << target << " s, window " << m_window);
    m_windowTrace(m_window, delay, target);
}

void
SwiftRateControl::OnSent(uint32_t wireBytes, FabricTick /* now */)
{
    m_wireBytes = wireBytes;
}

void
SwiftRateControl::OnTimeout(FabricTick now)
{
    if (++m_timeouts >= m_resetTimeouts)
    {
        m_window = m_minimumWindow;
    }
    else if (MayDecrease(now))
    {
        m_window *= 1 - m_maxDecrease;
        m_decreased = now;
        m_hasDecreased = true;
    }
    Bound();
}

bool
SwiftRateControl::HashState(StateHash& hash, FabricTick now) const
{
    hash.Add(GetRateControlBits(m_window));
    hash.Add(GetRateControlBits(m_wireBytes));
    hash.Add(m_rtt);
    hash.Add(m_hasDecreased ? std::min(now - m_decreased, m_rtt) : m_rtt);
    hash.Add(m_timeouts);
    return true;
}

void
SwiftRateControl::Shift(FabricTick by)
{
    m_decreased += by;
}

} // namespace ns3
