/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROUND_TRIP_TIMES_H
#define ROUND_TRIP_TIMES_H

#include "ns3/fabric-tick.h"
#include "ns3/state-hash.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Measures round-trip times at the sender: from when a packet that asks for an acknowledgment
 * begins to leave until an acknowledgment covers it. Packets that are sent again are not measured
 * (Karn's rule).
 */
class RoundTripTimes
{
  public:
    /**
     * A packet that asks for an acknowledgment leaves for the first time.
     * @param end packets sent since the start, with this one
     * @param now the current tick
     */
    void Sent(uint64_t end, FabricTick now)
    {
        if (m_size == m_ring.size())
        {
            Grow();
        }
        m_ring[(m_first + m_size++) % m_ring.size()] = {end, now};
    }

    /**
     * @param acked packets acknowledged since the start
     * @param now the current tick
     * @returns time since the latest measured one of them left; 0: there is none
     */
    FabricTick Acknowledged(uint64_t acked, FabricTick now)
    {
        FabricTick rtt = 0;
        while (m_size && m_ring[m_first].end <= acked)
        {
            rtt = now - m_ring[m_first].tick;
            m_first = (m_first + 1) % m_ring.size();
            --m_size;
        }
        return rtt;
    }

    /** Packets are sent again: what is under way can't be told from its repetition. */
    void Forget()
    {
        m_size = 0;
    }

    /**
     * @param hash takes the relative state
     * @param acked packets acknowledged since the start
     * @param now the current tick
     */
    void HashState(StateHash& hash, uint64_t acked, FabricTick now) const
    {
        hash.Add(m_size);
        for (std::size_t i = 0; i < m_size; ++i)
        {
            const Entry& entry = m_ring[(m_first + i) % m_ring.size()];
            hash.Add(entry.end - acked);
            hash.Add(now - entry.tick);
        }
    }

    /** @param by ticks by which everything moves
     * @param packets by which the count of packets moves */
    void Shift(FabricTick by)
    {
        for (Entry& entry : m_ring)
        {
            entry.tick += by;
        }
    }

  private:
    /** A packet under way. */
    struct Entry
    {
        uint64_t end{0};    //!< packets sent, with this one
        FabricTick tick{0}; //!< when it left
    };

    void Grow()
    {
        std::vector<Entry> ring(m_ring.empty() ? 16 : 2 * m_ring.size());
        for (std::size_t i = 0; i < m_size; ++i)
        {
            ring[i] = m_ring[(m_first + i) % m_ring.size()];
        }
        m_ring.swap(ring);
        m_first = 0;
    }

    std::vector<Entry> m_ring; //!< grows to what is under way at most, and stays so
    std::size_t m_first{0};    //!< index of the oldest
    std::size_t m_size{0};     //!< how many are in use
};

} // namespace ns3

#endif // ROUND_TRIP_TIMES_H
