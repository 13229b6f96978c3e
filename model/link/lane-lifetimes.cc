/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "lane-lifetimes.h"

#include "fabric-net-device.h"
#include "fabric-port.h"

#include <algorithm>

namespace ns3
{

namespace
{

/** @returns a tick that lies a span after another; FABRIC_NEVER if the span has no end */
FabricTick
After(FabricTick from, FabricTick span)
{
    return span == FABRIC_NEVER ? FABRIC_NEVER : from + span;
}

} // namespace

FabricTick
LaneLifetimes::GetTicks(uint8_t exponent)
{
    constexpr int64_t UNIT_NS = 4096;
    return exponent >= NO_LIMIT ? FABRIC_NEVER : NanoSeconds(UNIT_NS << exponent).GetTimeStep();
}

LaneLifetimes::LaneLifetimes(FabricPort* port, const Limits& limits)
    : m_port(port),
      m_limits(limits),
      m_timer(Create<MemberTimer<LaneLifetimes>>(this, &LaneLifetimes::Due))
{
}

LaneLifetimes::~LaneLifetimes()
{
    m_timer->Detach();
}

const LaneLifetimes::Limits&
LaneLifetimes::GetLimits() const
{
    return m_limits;
}

void
LaneLifetimes::SetContext(uint32_t context)
{
    m_timer->SetContext(context);
}

bool
LaneLifetimes::IsStalled(uint8_t cls, FabricTick now) const
{
    return now < m_lanes[cls].stalledUntil;
}

void
LaneLifetimes::SetHead(uint8_t cls, const FabricFrame* head, FabricTick now)
{
    Lane& lane = m_lanes[cls];
    if (!head)
    {
        lane.headSince = lane.deadline = FABRIC_NEVER;
        return;
    }
    lane.headSince = now;
    // A frame keeps the tick at which it came in for as long as it is in the switch. If it is too
    // old when it comes to the head, it goes at once.
    lane.deadline =
        std::max(now, std::min(After(now, m_limits.head), After(head->arrival, m_limits.total)));
    m_timer->SetEarlier(lane.deadline);
}

void
LaneLifetimes::Queued(uint8_t cls, const FabricFrame* head, FabricTick now)
{
    if (head && m_lanes[cls].headSince == FABRIC_NEVER)
    {
        SetHead(cls, head, now);
    }
}

void
LaneLifetimes::Sent(uint8_t cls, const FabricFrame* head, FabricTick now)
{
    m_lanes[cls].discarded = 0;
    SetHead(cls, head, now);
}

void
LaneLifetimes::Expire(uint8_t cls, FabricTick now)
{
    Lane& lane = m_lanes[cls];
    const bool byHead = After(lane.headSince, m_limits.head) <= now;
    m_port->DiscardHead(cls,
                        byHead ? FabricNetDevice::HEAD_OF_QUEUE_LIFETIME
                               : FabricNetDevice::SWITCH_LIFETIME);
    if (byHead && ++lane.discarded >= m_limits.stallCount)
    {
        lane.discarded = 0;
        lane.stalledUntil = now + STALL_FACTOR * m_limits.head;
        while (m_port->GetHead(cls))
        {
            m_port->DiscardHead(cls, FabricNetDevice::LANE_STALLED);
        }
    }
    SetHead(cls, m_port->GetHead(cls), now);
}

void
LaneLifetimes::Due()
{
    const FabricTick now = FabricNow();
    m_port->Kick(); // what may leave in this very tick does
    for (uint8_t cls = 0; cls < CLASSES; ++cls)
    {
        while (m_lanes[cls].deadline <= now)
        {
            Expire(cls, now);
        }
    }
    m_port->Kick(); // a smaller frame may have come to the head
    FabricTick next = FABRIC_NEVER;
    for (const Lane& lane : m_lanes)
    {
        next = std::min(next, lane.deadline);
    }
    if (next != FABRIC_NEVER)
    {
        m_timer->Set(next);
    }
}

void
LaneLifetimes::HashState(StateHash& hash, FabricTick now) const
{
    for (const Lane& lane : m_lanes)
    {
        hash.Add(lane.deadline == FABRIC_NEVER ? FABRIC_NEVER : lane.deadline - now);
        hash.Add(lane.headSince == FABRIC_NEVER ? FABRIC_NEVER : now - lane.headSince);
        hash.Add(std::max<FabricTick>(lane.stalledUntil - now, 0));
        hash.Add(lane.discarded);
    }
}

void
LaneLifetimes::Shift(FabricTick by)
{
    for (Lane& lane : m_lanes)
    {
        lane.headSince += lane.headSince == FABRIC_NEVER ? 0 : by;
        lane.deadline += lane.deadline == FABRIC_NEVER ? 0 : by;
        lane.stalledUntil += by;
    }
    m_timer->Shift(by);
}

} // namespace ns3
