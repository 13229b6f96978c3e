/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "egress-buffer.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

namespace ns3
{

void
EgressBuffer::Configure(uint64_t poolBytes, const std::vector<PortConfig>& queues)
{
    m_poolSize = poolBytes;
    m_pool = m_used = 0;
    m_queues.assign(queues.size() * PRIORITIES, Queue());
    for (std::size_t port = 0; port < queues.size(); ++port)
    {
        for (std::size_t priority = 0; priority < PRIORITIES; ++priority)
        {
            const QueueConfig& queue = queues[port][priority];
            if (queue.alpha < 0 || (queue.alpha > 0 && !poolBytes))
            {
                throw std::invalid_argument("EgressBuffer: port " + std::to_string(port) +
                                            ", priority " + std::to_string(priority) +
                                            " has alpha " + std::to_string(queue.alpha) +
                                            " and a pool of " + std::to_string(poolBytes) +
                                            " bytes, expected 0, or more than 0 and a pool");
            }
            m_queues[port * PRIORITIES + priority].config = queue;
        }
    }
}

uint64_t
EgressBuffer::GetShared(const Queue& queue) const
{
    return queue.held - std::min(queue.held, queue.config.reservedBytes);
}

uint64_t
EgressBuffer::GetLimit(const Queue& queue) const
{
    if (queue.config.alpha > 0)
    {
        const uint64_t free = m_poolSize - std::min(m_pool, m_poolSize);
        return static_cast<uint64_t>(queue.config.alpha * static_cast<double>(free));
    }
    return queue.config.limitBytes ? queue.config.limitBytes : std::numeric_limits<uint64_t>::max();
}

bool
EgressBuffer::Admit(uint16_t port, uint8_t priority, uint32_t bytes)
{
    Queue& queue = m_queues[port * PRIORITIES + priority];
    const uint64_t before = GetShared(queue);
    const uint64_t held = queue.held + bytes;
    const uint64_t after = held - std::min(held, queue.config.reservedBytes);
    if (after > before && after > GetLimit(queue))
    {
        return false;
    }
    queue.held = held;
    m_used += bytes;
    m_pool += queue.config.alpha > 0 ? after - before : 0;
    return true;
}

void
EgressBuffer::Release(uint16_t port, uint8_t priority, uint32_t bytes)
{
    Queue& queue = m_queues[port * PRIORITIES + priority];
    const uint64_t before = GetShared(queue);
    queue.held -= bytes;
    m_used -= bytes;
    m_pool -= queue.config.alpha > 0 ? before - GetShared(queue) : 0;
}

uint64_t
EgressBuffer::GetLimit(uint16_t port, uint8_t priority) const
{
    return GetLimit(m_queues.at(port * PRIORITIES + priority));
}

uint64_t
EgressBuffer::GetHeld(uint16_t port, uint8_t priority) const
{
    return m_queues.at(port * PRIORITIES + priority).held;
}

uint64_t
EgressBuffer::GetUsed() const
{
    return m_used;
}

} // namespace ns3
