/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CLASS_SHAPER_H
#define CLASS_SHAPER_H

#include "tx-clock.h"

#include "ns3/fabric-tick.h"
#include "ns3/state-hash.h"

#include <array>
#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Limits how fast each class of a port may send: a token bucket per class, counting bytes on the
 * wire. A frame may start if the bucket is not overdrawn; it may overdraw it, so that any frame
 * gets through and the rate is met exactly.
 */
class ClassShaper
{
  public:
    static constexpr uint8_t CLASSES = 16; //!< of a port

    /** Limit of one class. */
    struct Limit
    {
        uint64_t rate{0};  //!< bits per second; 0: no limit
        uint32_t burst{0}; //!< bytes that may leave at once after a pause
    };

    /** Limits of all classes. */
    using Limits = std::array<Limit, CLASSES>;

    /**
     * @param text items class:rate or class:rate:burst with commas, such as "3:10Gbps,5:1Gbps:9216"
     * @param classes number of classes of the link
     * @returns the limits
     * @throws std::invalid_argument with one line that names the item
     */
    static Limits Parse(const std::string& text, uint8_t classes);

    /** @param limits of the classes */
    explicit ClassShaper(const Limits& limits);

    /**
     * @param cls a class
     * @param at a tick
     * @returns true if no frame of the class may start then
     */
    bool HoldsBack(uint8_t cls, FabricTick at) const
    {
        return m_buckets[cls].rate && GetDue(cls) > at;
    }

    /**
     * @param cls a class that HoldsBack() speaks of
     * @returns tick at which the next frame may start
     */
    FabricTick GetDue(uint8_t cls) const
    {
        return m_buckets[cls].clock.GetBusyUntil() - m_buckets[cls].burst;
    }

    /**
     * A frame starts.
     * @param cls its class
     * @param wireBytes its length on the wire
     * @param now the current tick
     */
    void Sent(uint8_t cls, uint32_t wireBytes, FabricTick now)
    {
        if (m_buckets[cls].rate)
        {
            m_buckets[cls].clock.Start(now, wireBytes);
        }
    }

    /**
     * @param hash takes the relative state
     * @param now the current tick
     */
    void HashState(StateHash& hash, FabricTick now) const;
    /** @param by ticks by which everything moves */
    void Shift(FabricTick by);

  private:
    /** One class. */
    struct Bucket
    {
        TxClock clock;       //!< when all that has been sent is paid for
        uint64_t rate{0};    //!< bits per second; 0: no limit
        FabricTick burst{0}; //!< ticks that the burst takes at the rate
    };

    std::array<Bucket, CLASSES> m_buckets; //!< by class
};

} // namespace ns3

#endif // CLASS_SHAPER_H
