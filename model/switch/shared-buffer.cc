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
    std::vector<PortConfig> groups(headroom.size());
    for (std::size_t port = 0; port < headroom.size(); ++port)
    {
        for (uint8_t priority = 0; priority < PRIORITIES; ++priority)
        {
            GroupConfig& group = groups[port][priority];
            group.reservedBytes = config.reservedBytes;
            group.alpha = config.alpha;
            group.xonOffsetBytes = config.xonOffsetBytes;
            group.headroomBytes = headroom[port].at(priority);
        }
    }
    Configure(config, groups);
}

void
SharedBuffer::Configure(const Config& config, const std::vector<PortConfig>& groups)
{
    m_config = config;
    m_accounts.assign(groups.size() * PRIORITIES, Account());
    uint64_t reserved = 0;
    uint64_t headroom = 0;
    for (const PortConfig& port : groups)
    {
        for (const GroupConfig& group : port)
        {
            reserved += group.reservedBytes;
            headroom += group.headroomBytes;
        }
    }
    // What is promised must be there: a switch that promises more drops in the worst case.
    headroom = config.headroomPoolBytes ? config.headroomPoolBytes : headroom;
    const uint64_t set = reserved + headroom + config.lossyPoolBytes;
    if (set >= config.totalBytes)
    {
        throw std::invalid_argument(
            "SharedBuffer: reserved bytes and headroom of " + std::to_string(groups.size()) +
            " ports take " + std::to_string(set) + " bytes of a buffer of " +
            std::to_string(config.totalBytes) + "; expected less, so that a shared pool is left");
    }
    const std::size_t pools = config.model == SHARED     ? 1
                              : config.model == PER_PORT ? groups.size()
                                                         : m_accounts.size();
    m_pools.assign(std::max<std::size_t>(pools, 1) + 1, 0);
    m_sharedSize = (config.totalBytes - set) / (m_pools.size() - 1);
    m_used = m_maxHeadroom = m_headroom = 0;
    m_stopped.clear();
    for (uint16_t port = 0; port < groups.size(); ++port)
    {
        for (uint8_t priority = 0; priority < PRIORITIES; ++priority)
        {
            const GroupConfig& group = groups[port][priority];
            Check("port " + std::to_string(port) + ", priority " + std::to_string(priority), group);
            Account& account = At(port, priority);
            account.config = group;
            account.pool = group.inLossyPool          ? m_pools.size() - 1
                           : config.model == SHARED   ? 0
                           : config.model == PER_PORT ? port
                                                      : port * PRIORITIES + priority;
        }
    }
}

void
SharedBuffer::Check(const std::string& where, const GroupConfig& group) const
{
    std::string problem;
    const uint64_t size = group.inLossyPool ? m_config.lossyPoolBytes : m_sharedSize;
    if (group.inLossyPool && (group.headroomBytes || !m_config.lossyPoolBytes))
    {
        problem = "is in the lossy pool, expected a lossy group and a lossy pool";
    }
    else if (group.alpha < 0 || (group.alpha == 0 && !group.staticBytes))
    {
        problem = "has no threshold, expected an alpha of more than 0, or static bytes";
    }
    else if (group.alpha == 0 && group.staticBytes > size)
    {
        problem = "has a static threshold of " + std::to_string(group.staticBytes) +
                  " bytes, expected at most the " + std::to_string(size) + " of its pool";
    }
    else if (m_config.headroomPoolBytes && group.headroomBytes > m_config.headroomPoolBytes)
    {
        problem = "has a headroom of " + std::to_string(group.headroomBytes) +
                  " bytes, expected at most the " + std::to_string(m_config.headroomPoolBytes) +
                  " of its pool";
    }
    if (!problem.empty())
    {
        throw std::invalid_argument("SharedBuffer: " + where + " " + problem);
    }
}

SharedBuffer::Account&
SharedBuffer::At(uint16_t port, uint8_t priority)
{
    return m_accounts[port * PRIORITIES + priority];
}

const SharedBuffer::Account&
SharedBuffer::At(uint16_t port, uint8_t priority) const
{
    return m_accounts.at(port * PRIORITIES + priority);
}

uint64_t
SharedBuffer::GetThreshold(const Account& account) const
{
    const uint64_t size = account.config.inLossyPool ? m_config.lossyPoolBytes : m_sharedSize;
    if (m_config.model == PER_QUEUE && !account.config.inLossyPool)
    {
        return size;
    }
    if (account.config.alpha == 0)
    {
        return account.config.staticBytes;
    }
    const uint64_t used = std::min(m_pools[account.pool], size);
    return static_cast<uint64_t>(account.config.alpha * static_cast<double>(size - used));
}

uint64_t
SharedBuffer::GetThreshold(uint16_t port, uint8_t priority) const
{
    return GetThreshold(At(port, priority));
}

SharedBuffer::Verdict
SharedBuffer::Admit(uint16_t port, uint8_t priority, uint32_t bytes)
{
    Account& account = At(port, priority);
    const bool lossless = account.config.headroomBytes > 0;
    const uint64_t toReserved =
        std::min<uint64_t>(bytes, account.config.reservedBytes - account.reserved);
    const uint64_t rest = bytes - toReserved;
    if (rest == 0)
    {
        account.reserved += bytes;
        m_used += bytes;
        return Verdict::ADMIT;
    }
    uint64_t& pool = m_pools[account.pool];
    const uint64_t size = account.config.inLossyPool ? m_config.lossyPoolBytes : m_sharedSize;
    const bool poolHasRoom = pool + rest <= size;
    const bool below = account.shared + rest <= GetThreshold(account);
    if (poolHasRoom && !account.stopped && (below || lossless))
    {
        account.reserved += toReserved;
        account.shared += rest;
        pool += rest;
        m_used += bytes;
        if (lossless && account.shared >= GetThreshold(account))
        {
            account.stopped = true;
            m_stopped.push_back({port, priority});
            return Verdict::ADMIT_XOFF;
        }
        return Verdict::ADMIT;
    }
    const bool poolFull =
        m_config.headroomPoolBytes && m_headroom + rest > m_config.headroomPoolBytes;
    if (!lossless || poolFull || account.headroom + rest > account.config.headroomBytes)
    {
        return Verdict::DROP;
    }
    account.reserved += toReserved;
    account.headroom += rest;
    m_headroom += rest;
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
    m_headroom -= fromHeadroom;
    account.shared -= fromShared;
    account.reserved -= bytes - fromHeadroom - fromShared;
    m_pools[account.pool] -= fromShared;
    m_used -= bytes;
}

/** @returns true if a stopped group may go on */
bool
SharedBuffer::HasDrained(const Account& account) const
{
    if (account.headroom)
    {
        return false;
    }
    if (account.config.xonBytes)
    {
        return account.reserved + account.shared <= account.config.xonBytes;
    }
    const uint64_t threshold = GetThreshold(account);
    const uint64_t offset = std::min(account.config.xonOffsetBytes, threshold);
    // A group that holds nothing of the pool always goes on: nothing of it could be released later.
    return account.shared == 0 || account.shared + offset <= threshold;
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
        if (HasDrained(account))
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
SharedBuffer::GetHeadroomUsed() const
{
    return m_headroom;
}

uint64_t
SharedBuffer::GetLossyUsed() const
{
    return m_pools.empty() ? 0 : m_pools.back();
}

uint64_t
SharedBuffer::GetHeld(uint16_t port, uint8_t priority) const
{
    const Account& account = At(port, priority);
    return account.reserved + account.shared + account.headroom;
}

const SharedBuffer::GroupConfig&
SharedBuffer::GetGroupConfig(uint16_t port, uint8_t priority) const
{
    return At(port, priority).config;
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
