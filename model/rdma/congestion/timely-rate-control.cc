/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "timely-rate-control.h"

#include "rate-control-bits.h"

#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("TimelyRateControl");
NS_OBJECT_ENSURE_REGISTERED(TimelyRateControl);

TypeId
TimelyRateControl::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::TimelyRateControl")
            .SetParent<RateControl>()
            .SetGroupName("AiFabric")
            .AddConstructor<TimelyRateControl>()
            .AddAttribute("Alpha",
                          "Weight of the newest difference of round-trip times (0.875).",
                          DoubleValue(0.875),
                          MakeDoubleAccessor(&TimelyRateControl::m_alpha),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("Beta",
                          "Factor of decreases (paper: 0.8).",
                          DoubleValue(0.8),
                          MakeDoubleAccessor(&TimelyRateControl::m_beta),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("LowThreshold",
                          "Tlow: below this round-trip time the rate rises (paper: 50 us).",
                          TimeValue(MicroSeconds(50)),
                          MakeTimeAccessor(&TimelyRateControl::m_low),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("HighThreshold",
                          "Thigh: above this round-trip time the rate falls (paper: 500 us).",
                          TimeValue(MicroSeconds(500)),
                          MakeTimeAccessor(&TimelyRateControl::m_high),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("MinimumRtt",
                          "Round-trip time without queues, by which the gradient is divided "
                          "(paper: 20 us).",
                          TimeValue(MicroSeconds(20)),
                          MakeTimeAccessor(&TimelyRateControl::m_minimumRtt),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("AdditiveStep",
                          "delta (paper: 10 Mb/s, for 10 Gb/s).",
                          DataRateValue(DataRate("10Mbps")),
                          MakeDataRateAccessor(&TimelyRateControl::m_additiveStep),
                          MakeDataRateChecker())
            .AddAttribute("StepReference",
                          "Line rate to which AdditiveStep belongs; on other links it is scaled; "
                          "0: the same on every link.",
                          DataRateValue(DataRate("10Gbps")),
                          MakeDataRateAccessor(&TimelyRateControl::m_stepReference),
                          MakeDataRateChecker())
            .AddAttribute("HyperEvents",
                          "Completion events in a row with a gradient of at most 0 from which on "
                          "increases are hyperactive (paper: 5).",
                          UintegerValue(5),
                          MakeUintegerAccessor(&TimelyRateControl::m_hyperEvents),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("HyperFactor",
                          "N: by how much they are larger (paper: 5).",
                          DoubleValue(5),
                          MakeDoubleAccessor(&TimelyRateControl::m_hyperFactor),
                          MakeDoubleChecker<double>(1))
            .AddAttribute("MinimumRate",
                          "The rate is never below (HPCC authors' simulator: 1 Gb/s).",
                          DataRateValue(DataRate("1Gbps")),
                          MakeDataRateAccessor(&TimelyRateControl::m_minimumRate),
                          MakeDataRateChecker())
            .AddAttribute("InitialRate",
                          "Rate at the start; 0: line rate.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&TimelyRateControl::m_initialRate),
                          MakeDataRateChecker())
            .AddTraceSource("Rate",
                            "A completion event has set the rate.",
                            MakeTraceSourceAccessor(&TimelyRateControl::m_rateTrace),
                            "ns3::TimelyRateControl::RateTracedCallback");
    return tid;
}

uint8_t
TimelyRateControl::GetFeedback() const
{
    return TIMESTAMP;
}

void
TimelyRateControl::SetLineRate(uint64_t bitsPerSecond)
{
    m_lineRate = static_cast<double>(bitsPerSecond);
    const auto reference = static_cast<double>(m_stepReference.GetBitRate());
    m_step = static_cast<double>(m_additiveStep.GetBitRate()) *
             (reference > 0 ? m_lineRate / reference : 1);
    m_rate = m_initialRate.GetBitRate()
                 ? std::min(m_lineRate, static_cast<double>(m_initialRate.GetBitRate()))
                 : m_lineRate;
}

double
TimelyRateControl::GetCurrentRate() const
{
    return m_rate;
}

double
TimelyRateControl::GetRttDifference() const
{
    return m_difference;
}

uint64_t
TimelyRateControl::GetRate() const
{
    return m_rate < m_lineRate ? std::max<uint64_t>(1, static_cast<uint64_t>(m_rate)) : 0;
}

void
TimelyRateControl::OnAck(const RateControlAck& ack, FabricTick /* now */)
{
    if (!ack.rtt)
    {
        return;
    }
    const double rtt = TimeStep(ack.rtt).GetSeconds();
    if (m_previous == 0)
    {
        m_previous = rtt; // a difference takes two
        return;
    }
    m_difference = (1 - m_alpha) * m_difference + m_alpha * (rtt - m_previous);
    m_previous = rtt;
    const double gradient = m_difference / m_minimumRtt.GetSeconds();
    if (rtt < m_low.GetSeconds())
    {
        m_rate += m_step;
    }
    else if (rtt > m_high.GetSeconds())
    {
        m_events = 0;
        m_rate *= 1 - m_beta * (1 - m_high.GetSeconds() / rtt);
    }
    else if (gradient <= 0)
    {
        ++m_events;
        m_rate += (m_events >= m_hyperEvents ? m_hyperFactor : 1) * m_step;
    }
    else
    {
        m_events = 0;
        m_rate *= 1 - m_beta * gradient;
    }
    m_rate =
        std::min(std::max(m_rate, static_cast<double>(m_minimumRate.GetBitRate())), m_lineRate);
    NS_LOG_DEBUG("RTT " << rtt << " s, gradient " << gradient << ", rate " << m_rate);
    m_rateTrace(m_rate, rtt, gradient);
}

bool
TimelyRateControl::HashState(StateHash& hash, FabricTick /* now */) const
{
    hash.Add(GetRateControlBits(m_rate));
    hash.Add(GetRateControlBits(m_difference));
    hash.Add(GetRateControlBits(m_previous));
    hash.Add(std::min(m_events, m_hyperEvents));
    return true;
}

void
TimelyRateControl::Shift(FabricTick /* by */)
{
}

} // namespace ns3
