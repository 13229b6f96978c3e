/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TX_CLOCK_H
#define TX_CLOCK_H

#include "ns3/fabric-tick.h"

#include <cstdint>
#include <numeric>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Serialization at a bit rate, in ticks of any size: what does not fill a tick is carried to the
 * next frame.
 *
 * So a 400 Gb/s link carries 400 Gb/s at NS as at PS resolution, as long as it is busy.
 */
class TxClock
{
  public:
    /**
     * @param bitRate bits per second, more than 0
     * @param ticksPerSecond the Time resolution
     * @param times everything takes so many times longer
     * @param over divided by this
     */
    void SetRate(uint64_t bitRate, uint64_t ticksPerSecond, uint32_t times = 1, uint32_t over = 1)
    {
        // ticks = bytes * 8 * ticksPerSecond / bitRate * times / over, as a reduced fraction split
        // into whole and broken part per byte, so that nothing overflows at FS resolution.
        const uint64_t whole = 8 * ticksPerSecond / bitRate * times;
        const uint64_t broken = 8 * ticksPerSecond % bitRate * times + whole % over * bitRate;
        m_denominator = bitRate * over;
        m_wholePerByte = whole / over + broken / m_denominator;
        m_restPerByte = broken % m_denominator;
        const uint64_t gcd = std::gcd(m_restPerByte, m_denominator);
        m_restPerByte /= gcd;
        m_denominator /= gcd;
        m_rest = 0;
    }

    /**
     * Put bytes on the wire.
     * @param earliest tick at which they could start
     * @param bytes how many
     * @returns tick at which the first one starts
     */
    FabricTick Start(FabricTick earliest, uint64_t bytes)
    {
        FabricTick start = m_busyUntil;
        if (earliest > m_busyUntil)
        {
            start = earliest;
            m_rest = 0; // an idle wire starts on a tick
        }
        const uint64_t broken = m_restPerByte * bytes + m_rest;
        m_busyUntil =
            start + static_cast<FabricTick>(m_wholePerByte * bytes + broken / m_denominator);
        m_rest = broken % m_denominator;
        return start;
    }

    /** @returns tick at which the last bit committed so far has left, rounded down */
    FabricTick GetBusyUntil() const
    {
        return m_busyUntil;
    }

    /** @returns what has left after that tick, in units of 1 / GetDenominator() ticks */
    uint64_t GetRest() const
    {
        return m_rest;
    }

    /**
     * @param bytes how many
     * @returns ticks they take alone, rounded up
     */
    FabricTick GetTicks(uint64_t bytes) const
    {
        const uint64_t broken = m_restPerByte * bytes;
        return static_cast<FabricTick>(m_wholePerByte * bytes +
                                       (broken + m_denominator - 1) / m_denominator);
    }

    /** @param by ticks by which everything moves */
    void Shift(FabricTick by)
    {
        m_busyUntil += by;
    }

  private:
    uint64_t m_wholePerByte{0}; //!< whole ticks per byte
    uint64_t m_restPerByte{0};  //!< and this many denominators more
    uint64_t m_denominator{1};  //!< of the broken part
    uint64_t m_rest{0};         //!< carried to the next frame
    FabricTick m_busyUntil{0};  //!< first free tick
};

} // namespace ns3

#endif // TX_CLOCK_H
