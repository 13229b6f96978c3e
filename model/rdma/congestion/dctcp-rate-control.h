/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DCTCP_RATE_CONTROL_H
#define DCTCP_RATE_CONTROL_H

#include "rate-control.h"

#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * A window in the manner of DCTCP (Alizadeh et al., SIGCOMM 2010; RFC 8257): alpha estimates the
 * part of bytes that is marked, once per window of data; an acknowledgment that echoes a mark cuts
 * the window by half of alpha, at most once per window of data; others raise it by one packet per
 * window.
 *
 * There is no slow start: NICs begin at the line rate, which is a window of line rate times base
 * RTT.
 */
class DctcpRateControl : public RateControl
{
  public:
    /** @returns the TypeId */
    static TypeId GetTypeId();

    /** @returns the window in bytes, with its fraction */
    double GetCurrentWindow() const;
    /** @returns the estimate alpha */
    double GetAlpha() const;

    uint8_t GetFeedback() const override;
    void SetPacketBytes(uint32_t bytes) override;
    void SetLineRate(uint64_t bitsPerSecond) override;
    uint64_t GetRate() const override;
    uint64_t GetWindow() const override;
    void OnAck(const RateControlAck& ack, FabricTick now) override;
    void OnTimeout(FabricTick now) override;
    bool HashState(StateHash& hash, FabricTick now) const override;
    void Shift(FabricTick by) override;

    /**
     * TracedCallback signature of Window.
     * @param window in bytes
     * @param alpha the estimate
     */
    typedef void (*WindowTracedCallback)(double window, double alpha);

  private:
    // Attributes
    double m_g;               //!< gain of alpha
    double m_initialAlpha;    //!< alpha at the start
    Time m_baseRtt;           //!< of the default initial window
    uint64_t m_initialWindow; //!< bytes; 0: line rate x base RTT
    uint64_t m_maximumWindow; //!< bytes; 0: ten times the initial one
    double m_additive;        //!< packets per window

    double m_packetBytes{0}; //!< payload of a packet
    double m_most{0};        //!< bytes
    double m_window{0};      //!< bytes
    double m_alpha{1};       //!< estimate
    uint64_t m_bytes{0};     //!< acknowledged in this window of data
    uint64_t m_marked{0};    //!< of them, marked
    uint64_t m_acked{0};     //!< packets acknowledged since the start
    uint64_t m_windowEnd{0}; //!< this window of data ends when these packets are acknowledged
    uint64_t m_cutEnd{0};    //!< no other cut before more packets than these are acknowledged
    TracedCallback<double, double> m_windowTrace; //!< see above
};

} // namespace ns3

#endif // DCTCP_RATE_CONTROL_H
