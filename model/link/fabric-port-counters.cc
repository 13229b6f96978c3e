/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What a port counts: by class, and how long it waited.

#include "fabric-port.h"

#include <algorithm>

namespace ns3
{

FabricPort::Counters
FabricPort::GetCounters() const
{
    Counters counters = m_counters;
    for (const PortClassCounters& one : m_classCounters)
    {
        counters.frames += one.frames;
        counters.frameBytes += one.frameBytes;
        counters.arrived += one.arrived;
    }
    return counters;
}

const PortClassCounters&
FabricPort::GetClassCounters(uint8_t cls) const
{
    return m_classCounters.at(cls);
}

void
FabricPort::CountMark(uint8_t cls)
{
    ++m_classCounters[cls].marks;
}

FabricTick
FabricPort::GetWaitTicks(uint8_t cls) const
{
    const PortClassCounters& counters = m_classCounters.at(cls);
    const bool waits = m_waiting & (1U << cls);
    return counters.waited +
           (waits ? std::max<FabricTick>(0, FabricNow() - counters.waitBegin) : 0);
}

FabricTick
FabricPort::GetWaitTicks() const
{
    const bool waits = m_idleSince != FABRIC_NEVER;
    return m_idleTicks + (waits ? std::max<FabricTick>(0, FabricNow() - m_idleSince) : 0);
}

void
FabricPort::BeginWaits(uint32_t classes, FabricTick now)
{
    const uint32_t fresh = classes & ~m_waiting;
    m_waiting |= classes;
    // Link control on the wire is no wait.
    const FabricTick begin = std::max(now, m_clock.GetBusyUntil());
    if (m_idleSince == FABRIC_NEVER)
    {
        m_idleSince = begin;
    }
    for (uint8_t cls = 0; fresh >> cls; ++cls)
    {
        if (fresh & (1U << cls))
        {
            m_classCounters[cls].waitBegin = begin;
        }
    }
}

void
FabricPort::EndWait(uint8_t cls, FabricTick now)
{
    PortClassCounters& counters = m_classCounters[cls];
    counters.waited += std::max<FabricTick>(0, now - counters.waitBegin);
}

void
FabricPort::EndIdleWait(FabricTick now)
{
    m_idleTicks += std::max<FabricTick>(0, now - m_idleSince);
    m_idleSince = FABRIC_NEVER;
}

} // namespace ns3
