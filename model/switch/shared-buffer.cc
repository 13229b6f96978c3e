/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "shared-buffer.h"

#include <algorithm>
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
    m_sharedSize = config.totalBytes - set;
    m_sharedUsed = m_used = m_maxHeadroom = 0;
    m_stopped.clear();
}

SharedBuffer::Account&
SharedBuffer::At(uint16_t port, uint8_t priority)
{
    return m_accounts[port * PRIORITIES + priority];
}

uint64_t
SharedBuffer::GetThreshold() const
{
    const double threshold =
        m_config.alpha * static_cast<double>(m_sharedSize - std::min(m_sharedUsed, m_sharedSize));
    return static_cast<uint64_t>(threshold);
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
    const bool poolHasRoom = m_sharedUsed + rest <= m_sharedSize;
    const bool below = account.shared + rest <= GetThreshold();
    if (poolHasRoom && !account.stopped && (below || lossless))
    {
        account.reserved += toReserved;
        account.shared += rest;
        m_sharedUsed += rest;
        m_used += bytes;
        if (lossless && account.shared >= GetThreshold())
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
    m_sharedUsed -= fromShared;
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
    const uint64_t threshold = GetThreshold();
    const uint64_t offset = std::min(m_config.xonOffsetBytes, threshold);
    auto kept = m_stopped.begin();
    for (const Group& group : m_stopped)
    {
        Account& account = At(group.port, group.priority);
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
    return m_sharedUsed;
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
