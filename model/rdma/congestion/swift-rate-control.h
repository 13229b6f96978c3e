/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SWIFT_RATE_CONTROL_H
#define SWIFT_RATE_CONTROL_H

#include "rate-control.h"

#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Swift (Kumar et al., SIGCOMM 2020): a window in packets that holds the round-trip time at a
 * target, which grows with the hops of the path and as the window shrinks (flow scaling). Increases
 * are additive, decreases multiplicative, at most once per round trip. Below one packet, the rate
 * is the window by the round-trip time.
 *
 * The delay is that of the fabric; hosts have none here, so that the paper's second window, for the
 * delay of end points, would never be the smaller one.
 */
class SwiftRateControl : public RateControl
{
  public:
    /** @returns the TypeId */
    static TypeId GetTypeId();

    /** @returns the window in packets, with its fraction */
    double GetCurrentWindow() const;
    /**
     * @param hops switches of the path
     * @returns the target delay in seconds with the current window
     */
    double GetTarget(uint8_t hops) const;

    uint8_t GetFeedback() const override;
    void SetPacketBytes(uint32_t bytes) override;
    void SetLineRate(uint64_t bitsPerSecond) override;
    uint64_t GetRate() const override;
    uint64_t GetWindow() const override;
    void OnAck(const RateControlAck& ack, FabricTick now) override;
    void OnSent(uint32_t wireBytes, FabricTick now) override;
    void OnTimeout(FabricTick now) override;
    bool HashState(StateHash& hash, FabricTick now) const override;
    void Shift(FabricTick by) override;

    /**
     * TracedCallback signature of Window.
     * @param window in packets
     * @param rtt in seconds
     * @param target in seconds
     */
    typedef void (*WindowTracedCallback)(double window, double rtt, double target);

  private:
    bool MayDecrease(FabricTick now) const;
    void Bound();

    // Attributes
    Time m_baseTarget;        //!< of the target delay
    Time m_hopTarget;         //!< h
    double m_scalingRange;    //!< fs_range in base targets
    double m_scalingMin;      //!< fs_min in packets
    double m_scalingMax;      //!< fs_max in packets
    double m_additive;        //!< ai in packets
    double m_beta;            //!< of decreases
    double m_maxDecrease;     //!< max_mdf
    double m_minimumWindow;   //!< packets
    double m_maximumWindow;   //!< packets; 0: see there
    double m_initialWindow;   //!< packets; 0: as the maximum
    uint32_t m_resetTimeouts; //!< timeouts in a row

    double m_scalingA{0};                                 //!< in seconds
    double m_scalingB{0};                                 //!< in seconds
    double m_packetBytes{0};                              //!< payload of a packet
    double m_wireBytes{0};                                //!< of the latest packet
    double m_most{0};                                     //!< packets
    double m_window{0};                                   //!< packets
    FabricTick m_rtt{0};                                  //!< the latest
    FabricTick m_decreased{0};                            //!< when the window was last decreased
    bool m_hasDecreased{false};                           //!< it was
    uint32_t m_timeouts{0};                               //!< in a row
    TracedCallback<double, double, double> m_windowTrace; //!< see above
};

} // namespace ns3

#endif // SWIFT_RATE_CONTROL_H
