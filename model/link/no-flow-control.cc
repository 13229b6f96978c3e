/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "no-flow-control.h"

#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(NoFlowControl);

TypeId
NoFlowControl::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::NoFlowControl")
            .SetParent<LinkFlowControl>()
            .SetGroupName("AiFabric")
            .AddConstructor<NoFlowControl>()
            .AddAttribute("BufferBytes",
                          "Receive buffer of all classes together, in bytes; what does not fit is "
                          "dropped. 0: without limit.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&NoFlowControl::m_bufferBytes),
                          MakeUintegerChecker<uint64_t>());
    return tid;
}

bool
NoFlowControl::MaySend(uint8_t /* cls */, uint32_t /* bytes */, FabricTick /* now */)
{
    return true;
}

FabricTick
NoFlowControl::NextChance(uint8_t /* cls */, uint32_t /* bytes */, FabricTick now)
{
    return now;
}

void
NoFlowControl::Sent(uint8_t /* cls */, uint32_t /* bytes */, FabricTick /* now */)
{
}

bool
NoFlowControl::Arrived(uint8_t /* cls */, uint32_t bytes, FabricTick now)
{
    while (m_releases.IsDue(now))
    {
        m_occupancy -= m_releases.Pop().bytes;
    }
    if (m_bufferBytes && m_occupancy + bytes > m_bufferBytes)
    {
        return false;
    }
    m_occupancy += bytes;
    return true;
}

void
NoFlowControl::Freed(uint8_t cls, uint32_t bytes, FabricTick when)
{
    if (when <= FabricNow())
    {
        m_occupancy -= bytes;
    }
    else
    {
        m_releases.Insert({when, bytes, cls});
    }
}

bool
NoFlowControl::IsLossless(uint8_t /* cls */) const
{
    return false;
}

uint64_t
NoFlowControl::GetOccupancy() const
{
    uint64_t freed = 0;
    for (const auto& release : m_releases.Get())
    {
        freed += release.when <= FabricNow() ? release.bytes : 0;
    }
    return m_occupancy - freed;
}

FabricTick
NoFlowControl::GetHeldTicks() const
{
    return 0;
}

bool
NoFlowControl::HashState(StateHash& hash, FabricTick now) const
{
    hash.Add(m_occupancy);
    m_releases.HashState(hash, now);
    return true;
}

void
NoFlowControl::Shift(FabricTick by)
{
    m_releases.Shift(by);
}

} // namespace ns3
