/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RELEASE_QUEUE_H
#define RELEASE_QUEUE_H

#include "ns3/fabric-tick.h"
#include "ns3/state-hash.h"

#include <boost/circular_buffer.hpp>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Room in a receive buffer that will become free at known ticks: no event is needed until somebody
 * asks.
 */
class ReleaseQueue
{
  public:
    /** Room that becomes free. */
    struct Release
    {
        FabricTick when; //!< tick
        uint32_t bytes;  //!< how much
        uint8_t cls;     //!< of which class
    };

    /** @param release kept in order of time; equal times in order of insertion */
    void Insert(const Release& release)
    {
        if (m_queue.full())
        {
            m_queue.set_capacity(2 * m_queue.capacity() + 8);
        }
        auto position = m_queue.end();
        while (position != m_queue.begin() && (position - 1)->when > release.when)
        {
            --position;
        }
        m_queue.insert(position, release);
    }

    /** @returns true if the first release is due */
    bool IsDue(FabricTick now) const
    {
        return !m_queue.empty() && m_queue.front().when <= now;
    }

    /** @returns the first release, taken out */
    Release Pop()
    {
        const Release release = m_queue.front();
        m_queue.pop_front();
        return release;
    }

    /** @returns all releases, in order of time */
    const boost::circular_buffer<Release>& Get() const
    {
        return m_queue;
    }

    /**
     * @param hash takes the releases
     * @param now the current tick
     */
    void HashState(StateHash& hash, FabricTick now) const
    {
        hash.Add(m_queue.size());
        for (const Release& release : m_queue)
        {
            hash.Add(release.when - now);
            hash.Add(release.bytes);
            hash.Add(release.cls);
        }
    }

    /** @param by ticks by which all releases move */
    void Shift(FabricTick by)
    {
        for (Release& release : m_queue)
        {
            release.when += by;
        }
    }

  private:
    boost::circular_buffer<Release> m_queue; //!< in order of time
};

} // namespace ns3

#endif // RELEASE_QUEUE_H
