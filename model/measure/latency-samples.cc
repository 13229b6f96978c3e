/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "latency-samples.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace ns3
{

void
LatencySamples::Add(double seconds)
{
    m_sorted = m_sorted && (m_samples.empty() || m_samples.back() <= seconds);
    m_samples.push_back(seconds);
}

std::size_t
LatencySamples::GetCount() const
{
    return m_samples.size();
}

const std::vector<double>&
LatencySamples::GetAll() const
{
    return m_samples;
}

double
LatencySamples::GetMean() const
{
    if (m_samples.empty())
    {
        return std::numeric_limits<double>::quiet_NaN();
    }
    return std::accumulate(m_samples.begin(), m_samples.end(), 0.0) /
           static_cast<double>(m_samples.size());
}

double
LatencySamples::GetQuantile(double q) const
{
    if (m_samples.empty())
    {
        return std::numeric_limits<double>::quiet_NaN();
    }
    if (!m_sorted)
    {
        std::sort(m_samples.begin(), m_samples.end());
        m_sorted = true;
    }
    // A little less than the product, whose rounding would make 7.000000000000001 of 0.28 * 25.
    constexpr double SHRINK = 1 - 4 * std::numeric_limits<double>::epsilon();
    const auto rank =
        static_cast<std::size_t>(std::ceil(q * static_cast<double>(m_samples.size()) * SHRINK));
    return m_samples[std::min(std::max<std::size_t>(rank, 1), m_samples.size()) - 1];
}

} // namespace ns3
