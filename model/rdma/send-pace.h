/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SEND_PACE_H
#define SEND_PACE_H

#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * How fast a flow may send, exactly: after a packet, the next one may start when stretch times the
 * packet's time at a rate have passed. The stretch is a fraction, since a rate in whole bits per
 * second can't say "one packet time and three eighths of it".
 */
struct SendPace
{
    uint64_t rate{0};        //!< bits per second on the wire; 0: no limit
    uint32_t numerator{1};   //!< of the stretch, 1..2^15
    uint32_t denominator{1}; //!< of the stretch, 1..8

    /**
     * @param other bits per second, more than 0
     * @returns true if this pace lets fewer bits go
     */
    bool IsSlowerThan(uint64_t other) const
    {
        return rate && rate * denominator < other * numerator;
    }

    /** @returns true if both are the same limit */
    bool operator==(const SendPace& other) const
    {
        return rate == other.rate && numerator == other.numerator &&
               denominator == other.denominator;
    }
};

} // namespace ns3

#endif // SEND_PACE_H
