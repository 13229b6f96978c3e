/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rc-scoreboard.h"

#include <algorithm>

namespace ns3
{

void
RcScoreboard::Reset(uint64_t acked, uint32_t reorder)
{
    m_sacked.Reset(acked);
    m_lostEnd = m_next = m_recoveryEnd = m_timeoutEnd = acked;
    m_reorder = reorder;
}

void
RcScoreboard::FindNext(uint64_t from)
{
    m_next = from < m_lostEnd ? m_sacked.FindUnset(from, m_lostEnd) : from;
}

void
RcScoreboard::Recover(uint64_t high)
{
    if (!IsRecovering())
    {
        m_recoveryEnd = high;
    }
}

void
RcScoreboard::Sacked(uint64_t psn, uint64_t high)
{
    if (psn < m_sacked.GetBase() || !m_sacked.Set(psn))
    {
        return;
    }
    if (psn >= m_sacked.GetBase() + m_reorder)
    {
        m_lostEnd = std::max(m_lostEnd, psn + 1 - m_reorder);
        Recover(high);
    }
    FindNext(m_next);
}

void
RcScoreboard::Advance(uint64_t acked)
{
    m_sacked.Advance(acked);
    m_lostEnd = std::max(m_lostEnd, acked < m_timeoutEnd ? acked + 1 : acked);
    FindNext(std::max(m_next, acked));
}

void
RcScoreboard::Restart(uint64_t high)
{
    m_lostEnd = std::max(m_lostEnd, m_sacked.GetBase() + 1);
    m_recoveryEnd = m_timeoutEnd = high;
    FindNext(m_sacked.GetBase());
}

void
RcScoreboard::Resent()
{
    FindNext(m_next + 1);
}

void
RcScoreboard::HashState(StateHash& hash) const
{
    const uint64_t base = m_sacked.GetBase();
    m_sacked.HashState(hash);
    hash.Add(m_lostEnd - base);
    hash.Add(m_next - base);
    hash.Add(std::max(m_recoveryEnd, base) - base);
    hash.Add(std::max(m_timeoutEnd, base) - base);
}

} // namespace ns3
