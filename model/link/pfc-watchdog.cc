/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pfc-watchdog.h"

#include "pause-flow-control.h"
#include "roce-net-device.h"

#include <algorithm>

namespace ns3
{

PfcWatchdog::PfcWatchdog(RoceNetDevice* device, PauseFlowControl* pause, const Config& config)
    : m_device(device),
      m_pause(pause),
      m_config(config),
      m_timer(Create<MemberTimer<PfcWatchdog>>(this, &PfcWatchdog::Look))
{
    if (!m_config.poll)
    {
        m_config.poll = std::max<FabricTick>(1, m_config.detection / 10);
    }
    if (const Ptr<Node> node = device->GetNode())
    {
        m_timer->SetContext(node->GetId()); // a look may send frames
    }
    m_pause->SetWatchdog(this);
}

PfcWatchdog::~PfcWatchdog()
{
    m_timer->Detach();
    m_pause->SetWatchdog(nullptr);
}

void
PfcWatchdog::PauseBegins(FabricTick at)
{
    m_timer->SetEarlier(std::max(at, FabricNow()));
}

void
PfcWatchdog::Look()
{
    const FabricTick now = FabricNow();
    bool again = false;
    for (uint8_t priority = 0; priority < PRIORITIES; ++priority)
    {
        LookAt(priority, now);
        again |= m_queues[priority].storm || m_pause->GetPausedUntil(priority) > now;
    }
    if (again)
    {
        m_timer->SetEarlier(now + m_config.poll);
    }
}

void
PfcWatchdog::LookAt(uint8_t priority, FabricTick now)
{
    Queue& queue = m_queues[priority];
    const FabricTick pausedUntil = m_pause->GetPausedUntil(priority);
    if (queue.storm)
    {
        const FabricTick quiet = std::max(pausedUntil, queue.detectedAt);
        if (now - quiet >= m_config.restoration)
        {
            SetStorm(priority, false, now);
        }
        return;
    }
    FabricPort& port = m_device->GetPort();
    const uint64_t sent = port.GetClassCounters(priority).frames;
    if (pausedUntil <= now || !port.HasFrames(priority))
    {
        queue.since = FABRIC_NEVER;
    }
    else if (queue.since == FABRIC_NEVER || queue.sent != sent)
    {
        queue.since = now;
        queue.sent = sent;
    }
    else if (now - queue.since >= m_config.detection)
    {
        queue.since = FABRIC_NEVER;
        SetStorm(priority, true, now);
    }
}

void
PfcWatchdog::SetStorm(uint8_t priority, bool storm, FabricTick now)
{
    Queue& queue = m_queues[priority];
    queue.storm = storm;
    queue.storms += storm ? 1 : 0;
    (storm ? queue.detectedAt : queue.restoredAt) = now;
    m_device->NotifyPfcStorm(priority, storm);
    // What a host's queue pairs have waits in memory: it can't be dropped, and sent in spite of the
    // pause it would be lost in the switch.
    const bool host = !m_device->GetFrameSink();
    if (m_config.action == DROP && !host)
    {
        m_device->SetDiscarding(priority, storm);
    }
    else if (m_config.action == DROP)
    {
        // What comes in is none of the storm's business.
        m_device->GetPort().SetDiscarding(priority, storm, FabricNetDevice::PFC_WATCHDOG);
    }
    if (m_config.action == FORWARD || (m_config.action == DROP && !host))
    {
        m_pause->SetIgnored(priority, storm); // last: it looks for frames to send
    }
    m_device->GetPort().Kick();
}

bool
PfcWatchdog::IsStorming(uint8_t priority) const
{
    return m_queues.at(priority).storm;
}

uint64_t
PfcWatchdog::GetStorms(uint8_t priority) const
{
    return m_queues.at(priority).storms;
}

FabricTick
PfcWatchdog::GetDetectedAt(uint8_t priority) const
{
    return m_queues.at(priority).detectedAt;
}

FabricTick
PfcWatchdog::GetRestoredAt(uint8_t priority) const
{
    return m_queues.at(priority).restoredAt;
}

void
PfcWatchdog::HashState(StateHash& hash, FabricTick now) const
{
    for (const Queue& queue : m_queues)
    {
        hash.Add(queue.storm);
        hash.Add(queue.since == FABRIC_NEVER ? -1 : now - queue.since);
        hash.Add(queue.storm ? now - queue.detectedAt : 0);
    }
    m_timer->HashState(hash, now);
}

void
PfcWatchdog::Shift(FabricTick by)
{
    for (Queue& queue : m_queues)
    {
        for (FabricTick* at : {&queue.since, &queue.detectedAt, &queue.restoredAt})
        {
            *at += *at == FABRIC_NEVER ? 0 : by;
        }
    }
    m_timer->Shift(by);
}

} // namespace ns3
