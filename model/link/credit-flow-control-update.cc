/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// When a grown credit limit is announced (CreditUpdate), and what the transmitter can know of it
// ahead.

#include "credit-flow-control.h"
#include "fabric-port.h"

#include <algorithm>

namespace ns3
{

FabricTick
CreditFlowControl::WhenToAnnounce(uint32_t growth,
                                  FabricTick due,
                                  FabricTick latest,
                                  FabricTick postponed) const
{
    switch (m_updatePolicy)
    {
    case THRESHOLD:
        return growth >= m_thresholdBlocks ? due
                                           : std::min(postponed, due + m_maxInterval.GetTimeStep());
    case INTERVAL:
        return std::max(due, latest + m_minInterval.GetTimeStep());
    default:
        return due;
    }
}

bool
CreditFlowControl::Postpone(Lane& lane, uint32_t limit, FabricTick due)
{
    const FabricTick when =
        WhenToAnnounce((limit + CreditCounters::MODULUS - lane.announced) % CreditCounters::MODULUS,
                       due,
                       lane.packetStart,
                       lane.postponed);
    if (when <= due)
    {
        return false;
    }
    SetPostponed(lane, when);
    if (lane.waitBlocks && CreditCounters::MaySend(limit, lane.fctbs, lane.waitBlocks))
    {
        m_forward->WakeAt(PredictNews(when));
    }
    if (IsWatched())
    {
        m_show->SetEarlier(std::max(when, FabricNow()));
    }
    return true;
}

void
CreditFlowControl::SetPostponed(Lane& lane, FabricTick at)
{
    lane.postponed = at;
    m_postponed = FABRIC_NEVER;
    for (const Lane& other : m_lanes)
    {
        m_postponed = std::min(m_postponed, other.postponed);
    }
}

void
CreditFlowControl::AnnouncePostponed()
{
    uint8_t cls = 0;
    while (m_lanes[cls].postponed != m_postponed)
    {
        ++cls;
    }
    Announce(cls, m_postponed, true);
}

bool
CreditFlowControl::IsPacketWaiting(const Lane& lane, FabricTick at) const
{
    return lane.packetStart > at && lane.packet >= m_applied;
}

FabricTick
CreditFlowControl::PredictChance(uint8_t cls, uint32_t blocks) const
{
    const Lane& lane = m_lanes[cls];
    uint64_t free = lane.free;
    uint32_t announced = lane.announced;
    FabricTick latest = lane.packetStart;
    FabricTick postponed = lane.postponed;
    // Go through what is known of the time to come as EmitDue() will, until a limit suffices.
    const auto suffices = [&](FabricTick at) {
        announced = CreditCounters::CreditLimit(lane.abr, free);
        latest = at;
        postponed = FABRIC_NEVER;
        return CreditCounters::MaySend(announced, lane.fctbs, blocks);
    };
    for (const auto& release : m_releases.Get())
    {
        if (release.cls != cls)
        {
            continue;
        }
        const FabricTick before = postponed;
        if (before < release.when && suffices(before))
        {
            return PredictNews(before);
        }
        free += CreditCounters::Blocks(release.bytes, m_blockBytes);
        const uint32_t limit = CreditCounters::CreditLimit(lane.abr, free);
        if (m_updatePolicy != EVERY_RELEASE && IsPacketWaiting(lane, release.when))
        {
            if (CreditCounters::MaySend(limit, lane.fctbs, blocks))
            {
                return m_announced[lane.packet - m_applied].at;
            }
            announced = limit; // goes into that packet
            continue;
        }
        const FabricTick when =
            WhenToAnnounce((limit + CreditCounters::MODULUS - announced) % CreditCounters::MODULUS,
                           release.when,
                           latest,
                           postponed);
        if (when > release.when)
        {
            postponed = when;
        }
        else if (suffices(when))
        {
            return PredictNews(when);
        }
    }
    const FabricTick last = postponed;
    return last != FABRIC_NEVER && suffices(last) ? PredictNews(last) : FABRIC_NEVER;
}

void
CreditFlowControl::KeepUpdating(FabricTick now)
{
    m_inUse = true;
    if (!m_periodic->IsPending())
    {
        m_periodic->Set(now + m_maxInterval.GetTimeStep());
    }
}

void
CreditFlowControl::PeriodicDue()
{
    if (!m_inUse)
    {
        return; // a link that nobody uses keeps no simulation alive
    }
    m_inUse = false;
    const FabricTick now = FabricNow();
    const FabricTick interval = m_maxInterval.GetTimeStep();
    const FabricTick early = interval / 16; // so that lanes stay together: one event for all
    EmitDue(now);
    FabricTick next = FABRIC_NEVER;
    for (uint8_t cls = 0; cls < m_lanes.size(); ++cls)
    {
        if (m_lanes[cls].packetStart + interval - early <= now)
        {
            Announce(cls, now, true);
        }
        next = std::min(next, m_lanes[cls].packetStart + interval);
    }
    m_periodic->Set(next);
}

} // namespace ns3
