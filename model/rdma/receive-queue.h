/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RECEIVE_QUEUE_H
#define RECEIVE_QUEUE_H

#include "ns3/fabric-tick.h"
#include "ns3/state-hash.h"

#include <cstdint>
#include <deque>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * The receive requests of a queue pair. A message takes one; its owner posts it again, or, as a
 * model of a host that needs some time for each message, it comes back by itself.
 *
 * What comes back is looked at when a message needs it: no event.
 */
class ReceiveQueue
{
  public:
    /**
     * @param depth receive requests at the start
     * @param repost ticks after which one that was taken is there again; 0: never by itself
     */
    ReceiveQueue(uint32_t depth, FabricTick repost)
        : m_ready(depth),
          m_repost(repost)
    {
    }

    /**
     * @param count receive requests that are there from now on
     */
    void Post(uint32_t count)
    {
        m_ready += count;
    }

    /**
     * @param now the current tick
     * @returns true if there is no receive request
     */
    bool IsEmpty(FabricTick now)
    {
        while (!m_back.empty() && m_back.front() <= now)
        {
            m_back.pop_front();
            ++m_ready;
        }
        return m_ready == 0;
    }

    /**
     * A message takes a request. IsEmpty(now) must be false.
     * @param now the current tick
     */
    void Take(FabricTick now)
    {
        --m_ready;
        if (m_repost)
        {
            m_back.push_back(now + m_repost);
        }
    }

    /**
     * @param hash takes the relative state
     * @param now the current tick
     */
    void HashState(StateHash& hash, FabricTick now) const
    {
        uint64_t ready = m_ready;
        for (const FabricTick back : m_back)
        {
            ready += back <= now;
        }
        hash.Add(ready);
        for (const FabricTick back : m_back)
        {
            if (back > now)
            {
                hash.Add(back - now);
            }
        }
    }

    /** @param by ticks by which everything pending moves */
    void Shift(FabricTick by)
    {
        for (FabricTick& back : m_back)
        {
            back += by;
        }
    }

  private:
    uint64_t m_ready;              //!< requests that are there
    FabricTick m_repost;           //!< see constructor
    std::deque<FabricTick> m_back; //!< when requests come back, in order
};

} // namespace ns3

#endif // RECEIVE_QUEUE_H
