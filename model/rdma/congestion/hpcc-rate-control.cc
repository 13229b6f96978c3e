/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-rate-control.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("HpccRateControl");
NS_OBJECT_ENSURE_REGISTERED(HpccRateControl);

TypeId
HpccRateControl::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::HpccRateControl")
            .SetParent<RateControl>()
            .SetGroupName("AiFabric")
            .AddConstructor<HpccRateControl>()
            .AddAttribute("BaseRtt",
                          "T: round-trip time of the longest path without queues (paper: 13 us).",
                          TimeValue(MicroSeconds(13)),
                          MakeTimeAccessor(&HpccRateControl::m_baseRtt),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("Eta",
                          "Target utilisation of links (paper: 0.95).",
                          DoubleValue(0.95),
                          MakeDoubleAccessor(&HpccRateControl::m_eta),
                          MakeDoubleChecker<double>(0.01, 1))
            .AddAttribute("MaxStage",
                          "Additive increases in a row before a multiplicative one. (The paper's "
                          "text says 5; its simulations use 0, and its authors call 5 a misprint.)",
                          UintegerValue(0),
                          MakeUintegerAccessor(&HpccRateControl::m_maxStage),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("AdditiveStep",
                          "W_AI in bytes (paper: 80); 0: line rate x T x (1 - Eta) / Flows, its "
                          "rule of thumb.",
                          UintegerValue(80),
                          MakeUintegerAccessor(&HpccRateControl::m_additiveStep),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Flows",
                          "N of the rule for AdditiveStep 0: flows that share a link at most.",
                          UintegerValue(100),
                          MakeUintegerAccessor(&HpccRateControl::m_flows),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("MinimumRate",
                          "Window by T is never below; 0: one byte. (Authors' simulator: 1 Gb/s; "
                          "100 Mb/s in its configurations.)",
                          DataRateValue(DataRate("100Mbps")),
                          MakeDataRateAccessor(&HpccRateControl::m_minimumRate),
                          MakeDataRateChecker())
            .AddAttribute("UpdatePerAck",
                          "Wc moves with each acknowledgment, not once per round trip (the paper's "
                          "per-ACK variant, which overreacts).",
                          BooleanValue(false),
                          MakeBooleanAccessor(&HpccRateControl::m_updatePerAck),
                          MakeBooleanChecker())
            .AddTraceSource("Window",
                            "A window has been computed.",
                            MakeTraceSourceAccessor(&HpccRateControl::m_windowTrace),
                            "ns3::HpccRateControl::WindowTracedCallback");
    return tid;
}

uint8_t
HpccRateControl::GetFeedback() const
{
    return TELEMETRY;
}

void
HpccRateControl::SetLineRate(uint64_t bitsPerSecond)
{
    m_lineRate = static_cast<double>(bitsPerSecond);
    m_first = m_lineRate / 8 * m_baseRtt.GetSeconds();
    m_step = m_additiveStep ? static_cast<double>(m_additiveStep) : m_first * (1 - m_eta) / m_flows;
    m_window = m_reference = m_first;
}

double
HpccRateControl::GetCurrentWindow() const
{
    return m_window;
}

double
HpccRateControl::GetReferenceWindow() const
{
    return m_reference;
}

double
HpccRateControl::GetUtilisation() const
{
    return m_utilisation;
}

uint32_t
HpccRateControl::GetStage() const
{
    return m_stage;
}

uint64_t
HpccRateControl::GetRate() const
{
    if (m_window >= m_first)
    {
        return 0;
    }
    return std::max<uint64_t>(1, static_cast<uint64_t>(m_window * 8 / m_baseRtt.GetSeconds()));
}

uint64_t
HpccRateControl::GetWindow() const
{
    return std::max<uint64_t>(1, static_cast<uint64_t>(m_window));
}

/** MeasureInflight of the paper. @returns false if time has not passed */
bool
HpccRateControl::Measure(const FabricTelemetry& telemetry)
{
    const double base = m_baseRtt.GetSeconds() * 1e9;
    double busiest = -1;
    double tau = 0;
    for (std::size_t i = 0; i < telemetry.GetRecorded(); ++i)
    {
        const FabricTelemetry::Hop& hop = telemetry.hops[i];
        const FabricTelemetry::Hop& last = m_last.hops[i];
        const uint32_t time = (hop.timestamp - last.timestamp) % FabricTelemetry::CLOCK_MODULUS;
        if (time == 0)
        {
            continue; // two packets in one nanosecond say nothing of a rate
        }
        const uint32_t busy = (hop.busy - last.busy) % FabricTelemetry::CLOCK_MODULUS;
        const double drain =
            static_cast<double>(std::min(hop.drain, last.drain)) * FabricTelemetry::DRAIN_UNIT;
        const double u = drain / base + static_cast<double>(busy) / time;
        if (u > busiest)
        {
            busiest = u;
            tau = time;
        }
    }
    if (busiest < 0)
    {
        return false;
    }
    const double weight = std::min(tau, base) / base;
    m_utilisation = (1 - weight) * m_utilisation + weight * busiest;
    return true;
}

void
HpccRateControl::OnAck(const RateControlAck& ack, FabricTick now)
{
    if (!ack.telemetry || ack.telemetry->count == 0)
    {
        return;
    }
    const FabricTelemetry& telemetry = *ack.telemetry;
    // The clocks of the switches are short: after a longer silence they can't be compared.
    constexpr uint64_t LONGEST = FabricTelemetry::CLOCK_MODULUS / 2;
    if (now - m_lastAt >= NanoSeconds(LONGEST).GetTimeStep())
    {
        m_known = false;
    }
    m_lastAt = now;
    if (!m_known || telemetry.path != m_last.path || telemetry.count != m_last.count)
    {
        // The first of this path: differences come with the next one.
        m_known = true;
        m_last = telemetry;
        m_updateAt = ack.nextPacket;
        return;
    }
    if (!Measure(telemetry))
    {
        return;
    }
    m_last = telemetry;
    const bool update = m_updatePerAck || ack.ackedPackets > m_updateAt;
    const bool multiply = m_utilisation >= m_eta || m_stage >= m_maxStage;
    // An idle path has no utilisation to divide by: the window is at its most then.
    const double window =
        (multiply ? m_utilisation > 0 ? m_reference * m_eta / m_utilisation : m_first
                  : m_reference) +
        m_step;
    const double least = m_minimumRate.GetBitRate() / 8.0 * m_baseRtt.GetSeconds();
    m_window = std::min(std::max({window, least, 1.0}), m_first);
    if (update)
    {
        m_stage = multiply ? 0 : m_stage + 1;
        m_reference = m_window;
        m_updateAt = ack.nextPacket;
    }
    NS_LOG_DEBUG("U " << m_utilisation << ", W " << m_window << ", Wc " << m_reference);
    m_windowTrace(m_window, m_window * 8 / m_baseRtt.GetSeconds(), m_utilisation);
}

bool
HpccRateControl::HashState(StateHash& /* hash */, FabricTick /* now */) const
{
    return !m_known; // timestamps of the switches are absolute
}

void
HpccRateControl::Shift(FabricTick /* by */)
{
}

} // namespace ns3
