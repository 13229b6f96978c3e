/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HPCC_RATE_CONTROL_H
#define HPCC_RATE_CONTROL_H

#include "rate-control.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <array>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * HPCC (Li et al., SIGCOMM 2019, algorithm 1): each acknowledgment brings in-band telemetry of all
 * hops; the window follows the utilisation of the busiest one, and the rate is window by base RTT.
 * Both limits hold: the window bounds payload under way, the rate spaces packets on the wire.
 *
 * A window is computed from every acknowledgment, but from the reference window Wc, which moves
 * once per round trip only (UpdatePerAck false), so that one event is not reacted to twice.
 *
 * The rate is not limited while the telemetry of the path is not known.
 */
class HpccRateControl : public RateControl
{
  public:
    /** @returns the TypeId */
    static TypeId GetTypeId();

    /** @returns the window W in bytes, with its fraction */
    double GetCurrentWindow() const;
    /** @returns the reference window Wc in bytes */
    double GetReferenceWindow() const;
    /** @returns the utilisation U of the busiest hop */
    double GetUtilisation() const;
    /** @returns additive increases in a row */
    uint32_t GetStage() const;

    uint8_t GetFeedback() const override;
    void SetLineRate(uint64_t bitsPerSecond) override;
    uint64_t GetRate() const override;
    uint64_t GetWindow() const override;
    void OnAck(const RateControlAck& ack, FabricTick now) override;
    bool HashState(StateHash& hash, FabricTick now) const override;
    void Shift(FabricTick by) override;

    /**
     * TracedCallback signature of Window.
     * @param window W in bytes
     * @param rate in bits per second on the wire
     * @param utilisation U
     */
    typedef void (*WindowTracedCallback)(double window, double rate, double utilisation);

  private:
    bool Measure(const FabricTelemetry& telemetry);

    // Attributes
    Time m_baseRtt;          //!< T
    double m_eta;            //!< target utilisation
    uint32_t m_maxStage;     //!< additive increases in a row
    uint64_t m_additiveStep; //!< W_AI in bytes; 0: from the line rate
    uint32_t m_flows;        //!< N of the default W_AI
    DataRate m_minimumRate;  //!< never below
    bool m_updatePerAck;     //!< Wc follows each acknowledgment

    double m_lineRate{0};    //!< bits per second
    double m_first{0};       //!< W at the start, which is the most, in bytes
    double m_step{0};        //!< W_AI in bytes
    double m_window{0};      //!< W in bytes
    double m_reference{0};   //!< Wc in bytes
    double m_utilisation{0}; //!< U
    uint32_t m_stage{0};     //!< additive increases in a row
    bool m_known{false};     //!< m_last is valid
    FabricTick m_lastAt{0};  //!< when
    FabricTelemetry m_last;  //!< L: what the latest acknowledgment said
    uint64_t m_updateAt{0};  //!< Wc moves when more packets than these are acknowledged
    TracedCallback<double, double, double> m_windowTrace; //!< see above
};

} // namespace ns3

#endif // HPCC_RATE_CONTROL_H
