/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LATENCY_SAMPLES_H
#define LATENCY_SAMPLES_H

#include <cstddef>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Collects durations and gives exact quantiles: every sample is kept.
 */
class LatencySamples
{
  public:
    /** @param seconds a duration */
    void Add(double seconds);
    /** @returns number of samples */
    std::size_t GetCount() const;
    /** @returns arithmetic mean in seconds; NaN without samples */
    double GetMean() const;
    /**
     * @param q in 0..1
     * @returns the smallest sample that at least a share q of the samples does not exceed (nearest
     * rank), in seconds; the minimum for 0; NaN without samples
     */
    double GetQuantile(double q) const;

    /** @returns all samples in seconds, in no order that matters */
    const std::vector<double>& GetAll() const;

  private:
    mutable std::vector<double> m_samples; //!< seconds; sorted when a quantile is asked for
    mutable bool m_sorted{true};           //!< m_samples is sorted
};

} // namespace ns3

#endif // LATENCY_SAMPLES_H
