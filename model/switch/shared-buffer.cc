/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "shared-buffer.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

namespace ns3
{

void
SharedBuffer::Configure(const Config& config, const std::vector<std::vector<uint64_t>>& headroom)
{
    m_config = config;
    m_accounts.assign(headroom.size() * PRIORITIES, Account());
    uint64_t set = 0;
    for (std::size_t port = 0; port < headroom.size(); ++port)
    {
        for (uint8_t priority = 0; priority < PRIORITIES; ++priority)
        {
            At(port, priority).headroomSize = headroom[port].at(priority);
            set += headroom[port][priority] + config.reservedBytes;
        }
    }
    if (set >= config.totalBytes)
    {
        throw std::invalid_argument(
            "SharedBuffer: reserved bytes and headroom of " + std::to_string(headroom.size()) +
            " ports take " + std::to_string(set) + " bytes of a buffer of " +
            std::to_string(config.totalBytes) + "; expected less, so that a shared pool is left");
    }
    const std::size_t pools = config.model == SHARED     ? 1
                              : config.model == PER_PORT ? headroom.size()
                                                         : m_accounts.size();
    m_pools.assign(std::max<std::size_t>(pools, 1), 0);
    m_sharedSize = (config.totalBytes - set) / m_pools.size();
    m_used = m_maxHeadroom = 0;
    m_stopped.clear();
}

SharedBuffer::Account&
SharedBuffer::At(uint16_t port, uint8_t priority)
{
    return m_accounts[port * PRIORITIES + priority];
}

std::size_t
SharedBuffer::GetPool(uint16_t port, uint8_t priority) const
{
    switch (m_config.model)
    {
    case PER_PORT:
        return port;
    case PER_QUEUE:
        return port * PRIORITIES + priority;
    default:
        return 0;
    }
}

uint64_t
SharedBuffer::GetThreshold(uint16_t port, uint8_t priority) const
{
    if (m_config.model == PER_QUEUE)
    {
        return m_sharedSize;
    }
    const uint64_t used = std::min(m_pools[GetPool(port, priority)], m_sharedSize);
    return static_cast<uint64_t>(m_config.alpha * static_cast<double>(m_sharedSize - used));
}

SharedBuffer::Verdict
SharedBuffer::Admit(uint16_t port, uint8_t priority, uint32_t bytes)
{
    Account& account = At(port, priority);
    const bool lossless = account.headroomSize > 0;
    const uint64_t toReserved =
        std::min<uint64_t>(bytes, m_config.reservedBytes - account.reserved);
    const uint64_t rest = bytes - toReserved;
    if (rest == 0)
    {
        account.reserved += bytes;
        m_used += bytes;
        return Verdict::ADMIT;
    }
    uint64_t& pool = m_pools[GetPool(port, priority)];
    const bool poolHasRoom = pool + rest <= m_sharedSize;
    const bool below = account.shared + rest <= GetThreshold(port, priority);
    if (poolHasRoom && !account.stopped && (below || lossless))
    {
        account.reserved += toReserved;
        account.shared += rest;
        pool += rest;
        m_used += bytes;
        if (lossless && account.shared >= GetThreshold(port, priority))
        {
            account.stopped = true;
            m_stopped.push_back({port, priority});
            return Verdict::ADMIT_XOFF;
        }
        return Verdict::ADMIT;
    }
    if (!lossless || account.headroom + rest > account.headroomSize)
    {
        return Verdict::DROP;
    }
    account.reserved += toReserved;
    account.headroom += rest;
    m_used += bytes;
    m_maxHeadroom = std::max(m_maxHeadroom, account.headroom);
    if (!account.stopped)
    {
        account.stopped = true;
        m_stopped.push_back({port, priority});
        return Verdict::ADMIT_XOFF;
    }
    return Verdict::ADMIT;
}

void
SharedBuffer::Release(uint16_t port, uint8_t priority, uint32_t bytes)
{
    Account& account = At(port, priority);
    const uint64_t fromHeadroom = std::min<uint64_t>(bytes, account.headroom);
    const uint64_t fromShared = std::min<uint64_t>(bytes - fromHeadroom, account.shared);
    account.headroom -= fromHeadroom;
    account.shared -= fromShared;
    account.reserved -= bytes - fromHeadroom - fromShared;
    m_pools[GetPool(port, priority)] -= fromShared;
    m_used -= bytes;
}

void
SharedBuffer::TakeResumed(std::vector<Group>& resumed)
{
    resumed.clear();
    if (m_stopped.empty())
    {
        return;
    }
    auto kept = m_stopped.begin();
    for (const Group& group : m_stopped)
    {
        Account& account = At(group.port, group.priority);
        const uint64_t threshold = GetThreshold(group.port, group.priority);
        const uint64_t offset = std::min(m_config.xonOffsetBytes, threshold);
        // A group that holds nothing of the pool always goes on: nothing of it could be released
        // later.
        if (account.headroom == 0 && (account.shared == 0 || account.shared + offset <= threshold))
        {
            account.stopped = false;
            resumed.push_back(group);
        }
        else
        {
            *kept++ = group;
        }
    }
    m_stopped.erase(kept, m_stopped.end());
}

bool
SharedBuffer::HasStopped() const
{
    return !m_stopped.empty();
}

uint64_t
SharedBuffer::GetSharedSize() const
{
    return m_sharedSize;
}

uint64_t
SharedBuffer::GetSharedUsed() const
{
    return std::accumulate(m_pools.begin(), m_pools.end(), uint64_t{0});
}

uint64_t
SharedBuffer::GetUsed() const
{
    return m_used;
}

uint64_t
SharedBuffer::GetMaxHeadroomUsed() const
{
    return m_maxHeadroom;
}

} // namespace ns3
