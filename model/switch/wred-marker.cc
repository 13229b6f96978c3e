/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "wred-marker.h"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace ns3
{

namespace
{

/** A published curve. */
struct PublishedCurve
{
    const char* name;   //!< of the preset
    uint64_t kmin;      //!< bytes
    uint64_t kmax;      //!< bytes
    double pmax;        //!< probability
    uint64_t reference; //!< bits per second to which the lengths belong; 0: they are for any rate
};

constexpr PublishedCurve CURVES[] = {
    {"hpcc", 100000, 400000, 0.2, 25000000000},
    {"dcqcn-paper", 5000, 200000, 0.01, 0},
    {"ns3-rdma", 40000, 1000000, 1, 0},
    {"dctcp", 30000, 30000, 1, 10000000000},
    {"sonic-lossless", 1 << 20, 2 << 20, 0.05, 0},
    {"nvidia", 150000, 1500000, 1, 0},
};

} // namespace

WredMarker::Curve
WredMarker::Preset(const std::string& name, uint64_t bitRate)
{
    std::string known;
    for (const PublishedCurve& published : CURVES)
    {
        if (name == published.name)
        {
            Curve curve{published.kmin, published.kmax, published.pmax};
            if (published.reference)
            {
                const double factor =
                    static_cast<double>(bitRate) / static_cast<double>(published.reference);
                curve.kmin = std::llround(static_cast<double>(curve.kmin) * factor);
                curve.kmax = std::llround(static_cast<double>(curve.kmax) * factor);
            }
            return curve;
        }
        known += (known.empty() ? "" : ", ") + std::string(published.name);
    }
    throw std::invalid_argument("ECN curve '" + name + "', expected one of " + known);
}

std::vector<std::string>
WredMarker::GetPresets()
{
    std::vector<std::string> names;
    for (const PublishedCurve& published : CURVES)
    {
        names.emplace_back(published.name);
    }
    return names;
}

void
WredMarker::Configure(std::size_t ports, uint8_t averaging)
{
    Queue none;
    none.curve.kmin = none.curve.kmax = std::numeric_limits<uint64_t>::max();
    m_queues.assign(ports * PRIORITIES, none);
    m_weight = std::ldexp(1.0, -averaging);
}

void
WredMarker::SetCurve(uint16_t port, uint8_t priority, const Curve& curve)
{
    if (curve.kmin > curve.kmax || !(curve.pmax >= 0 && curve.pmax <= 1))
    {
        throw std::invalid_argument(
            "WredMarker: port " + std::to_string(port) + ", priority " + std::to_string(priority) +
            ": Kmin " + std::to_string(curve.kmin) + ", Kmax " + std::to_string(curve.kmax) +
            ", Pmax " + std::to_string(curve.pmax) + ", expected Kmin <= Kmax and a probability");
    }
    m_queues.at(port * PRIORITIES + priority).curve = curve;
}

const WredMarker::Curve&
WredMarker::GetCurve(uint16_t port, uint8_t priority) const
{
    return m_queues.at(port * PRIORITIES + priority).curve;
}

double
WredMarker::Pass(uint16_t port, uint8_t priority, uint64_t queued)
{
    Queue& queue = m_queues[port * PRIORITIES + priority];
    auto length = static_cast<double>(queued);
    if (m_weight < 1)
    {
        length = queue.average += m_weight * (length - queue.average);
    }
    const auto kmin = static_cast<double>(queue.curve.kmin);
    const auto kmax = static_cast<double>(queue.curve.kmax);
    if (length <= kmin)
    {
        return 0;
    }
    return length >= kmax ? 1 : queue.curve.pmax * (length - kmin) / (kmax - kmin);
}

double
WredMarker::GetAverage(uint16_t port, uint8_t priority) const
{
    return m_queues.at(port * PRIORITIES + priority).average;
}

} // namespace ns3
