/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PACKET_PACER_H
#define PACKET_PACER_H

#include "send-pace.h"

#include "ns3/fabric-tick.h"
#include "ns3/state-hash.h"
#include "ns3/tx-clock.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Spaces the packets of one flow: the gap between two starts is the time that the first takes at
 * the flow's rate.
 *
 * Fractions of a tick are carried on, and a packet that only waited for the wire does not delay
 * those after it, so the rate is met exactly over any number of packets. A flow that had nothing to
 * send starts afresh.
 */
class PacketPacer
{
  public:
    /**
     * Change the rate. The gap after the latest packet becomes that of the new rate.
     * @param rate bits per second; 0: no limit
     * @param now the current tick
     */
    void SetRate(uint64_t rate, FabricTick now)
    {
        SendPace pace;
        pace.rate = rate;
        SetPace(pace, now);
    }

    /**
     * Change the pace. The gap after the latest packet becomes that of the new pace.
     * @param pace rate and stretch
     * @param now the current tick
     */
    void SetPace(const SendPace& pace, FabricTick now)
    {
        if (pace == m_pace)
        {
            return;
        }
        const bool paced = m_pace.rate != 0;
        m_pace = pace;
        if (pace.rate)
        {
            m_clock = TxClock();
            m_clock.SetRate(pace.rate, FabricTicksPerSecond(), pace.numerator, pace.denominator);
            m_clock.Start(paced ? m_lastStart : now, paced ? m_lastBytes : 0);
        }
    }

    /** @returns rate and stretch */
    const SendPace& GetPace() const
    {
        return m_pace;
    }

    /**
     * @param now the current tick
     * @returns true if the next packet must wait until GetDue()
     */
    bool HoldsBack(FabricTick now) const
    {
        return m_pace.rate && m_clock.GetBusyUntil() > now;
    }

    /** @returns tick at which the next packet may leave, if there is a limit */
    FabricTick GetDue() const
    {
        return m_clock.GetBusyUntil();
    }

    /**
     * A packet may leave and waits for the wire.
     * @param onTime true if it was there when it was due; false if it came later
     */
    void SetOnTime(bool onTime)
    {
        m_onTime = onTime;
    }

    /**
     * A packet leaves.
     * @param wireBytes its length on the wire
     * @param now the current tick
     */
    void Sent(uint32_t wireBytes, FabricTick now)
    {
        if (m_pace.rate)
        {
            const FabricTick due = m_clock.GetBusyUntil();
            // One gap may be made up for, not a pause of the link.
            const bool onTime = m_onTime && now - due < m_clock.GetTicks(m_lastBytes);
            m_lastStart = m_clock.Start(onTime ? due : now, wireBytes);
            m_lastBytes = wireBytes;
        }
    }

    /**
     * @param hash takes the relative state (see StateHash)
     * @param now the current tick
     * @param waits true if a packet waits for the wire
     */
    void HashState(StateHash& hash, FabricTick now, bool waits) const
    {
        hash.Add(m_pace.rate);
        if (m_pace.rate)
        {
            hash.Add(m_pace.numerator);
            hash.Add(m_pace.denominator);
            const bool late = waits && m_onTime;
            const FabricTick due = m_clock.GetBusyUntil();
            hash.Add(late);
            hash.Add(late || due > now ? due - now : 0);
            hash.Add(late || due >= now ? m_clock.GetRest() : 0);
            hash.Add(m_lastBytes);
        }
    }

    /** @param by ticks by which everything moves */
    void Shift(FabricTick by)
    {
        m_clock.Shift(by);
        m_lastStart += by;
    }

  private:
    SendPace m_pace; //!< rate and stretch
    TxClock m_clock; //!< when the next packet is due; valid if there is a limit
    FabricTick m_lastStart{
        0}; //!< when the latest packet left, or would have without others on the wire
    uint32_t m_lastBytes{0}; //!< its length on the wire
    bool m_onTime{false};    //!< see SetOnTime()
};

} // namespace ns3

#endif // PACKET_PACER_H
