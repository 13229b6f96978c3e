/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TIMELY_RATE_CONTROL_H
#define TIMELY_RATE_CONTROL_H

#include "rate-control.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * TIMELY (Mittal et al., SIGCOMM 2015, algorithm 1): the rate follows the gradient of the
 * round-trip time between two thresholds, and the time itself outside of them.
 *
 * Each acknowledgment with a round-trip time is one completion event; the paper has one every 16 to
 * 64 KB, which is RcQueuePair's AckInterval.
 */
class TimelyRateControl : public RateControl
{
  public:
    /** @returns the TypeId */
    static TypeId GetTypeId();

    /** @returns the rate in bits per second, with its fraction */
    double GetCurrentRate() const;
    /** @returns the smoothed difference of round-trip times in seconds */
    double GetRttDifference() const;

    uint8_t GetFeedback() const override;
    void SetLineRate(uint64_t bitsPerSecond) override;
    uint64_t GetRate() const override;
    void OnAck(const RateControlAck& ack, FabricTick now) override;
    bool HashState(StateHash& hash, FabricTick now) const override;
    void Shift(FabricTick by) override;

    /**
     * TracedCallback signature of Rate.
     * @param rate in bits per second
     * @param rtt in seconds
     * @param gradient of the round-trip time, normalized
     */
    typedef void (*RateTracedCallback)(double rate, double rtt, double gradient);

  private:
    // Attributes
    double m_alpha;           //!< weight of the newest difference
    double m_beta;            //!< of decreases
    Time m_low;               //!< Tlow
    Time m_high;              //!< Thigh
    Time m_minimumRtt;        //!< normalizes the gradient
    DataRate m_additiveStep;  //!< delta
    DataRate m_stepReference; //!< line rate to which it belongs; 0: any
    uint32_t m_hyperEvents;   //!< events in a row from which increases are hyperactive
    double m_hyperFactor;     //!< N
    DataRate m_minimumRate;   //!< never below
    DataRate m_initialRate;   //!< at the start; 0: line rate

    double m_lineRate{0};                               //!< bits per second
    double m_step{0};                                   //!< delta in bits per second
    double m_rate{0};                                   //!< bits per second
    double m_difference{0};                             //!< seconds
    double m_previous{0};                               //!< seconds; 0: none yet
    uint32_t m_events{0};                               //!< increases by gradient in a row
    TracedCallback<double, double, double> m_rateTrace; //!< see above
};

} // namespace ns3

#endif // TIMELY_RATE_CONTROL_H
