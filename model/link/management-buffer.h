/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MANAGEMENT_BUFFER_H
#define MANAGEMENT_BUFFER_H

#include "release-queue.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * The receive buffer of VL15. Nothing holds its sender back, so what does not fit is dropped (IBA
 * vol 1, 7.6.4; counter VL15Dropped).
 */
class ManagementBuffer
{
  public:
    /**
     * A packet came in.
     * @param bytes its frameBytes
     * @param size of the buffer, bytes
     * @param now the current tick
     * @returns false if there is no room: it is dropped, and counted here
     */
    bool Arrived(uint32_t bytes, uint64_t size, FabricTick now)
    {
        while (m_releases.IsDue(now))
        {
            m_held -= m_releases.Pop().bytes;
        }
        if (m_held + bytes > size)
        {
            ++m_drops;
            return false;
        }
        m_held += bytes;
        return true;
    }

    /**
     * A packet leaves the buffer.
     * @param bytes its frameBytes
     * @param when tick at which the room becomes free: now or later
     * @param now the current tick
     */
    void Freed(uint32_t bytes, FabricTick when, FabricTick now)
    {
        if (when <= now)
        {
            m_held -= bytes;
        }
        else
        {
            m_releases.Insert({when, bytes, 0});
        }
    }

    /**
     * @param now the current tick
     * @returns bytes in the buffer
     */
    uint64_t GetOccupancy(FabricTick now) const
    {
        uint64_t held = m_held;
        for (const ReleaseQueue::Release& release : m_releases.Get())
        {
            held -= release.when <= now ? release.bytes : 0; // noticed by the next packet
        }
        return held;
    }

    /** @returns packets dropped */
    uint64_t GetDrops() const
    {
        return m_drops;
    }

    /**
     * @param hash takes the relative state
     * @param now the current tick
     */
    void HashState(StateHash& hash, FabricTick now) const
    {
        hash.Add(GetOccupancy(now));
        for (const ReleaseQueue::Release& release : m_releases.Get())
        {
            if (release.when > now)
            {
                hash.Add(release.when - now);
                hash.Add(release.bytes);
            }
        }
    }

    /** @param by ticks by which everything moves */
    void Shift(FabricTick by)
    {
        m_releases.Shift(by);
    }

  private:
    uint64_t m_held{0};      //!< bytes in the buffer, releases that are not noticed yet included
    ReleaseQueue m_releases; //!< room that becomes free later
    uint64_t m_drops{0};     //!< packets dropped
};

} // namespace ns3

#endif // MANAGEMENT_BUFFER_H
