/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ib-congestion-index.h"

#include <algorithm>

namespace ns3
{

IbCongestionIndex::IbCongestionIndex(uint8_t serviceLevel,
                                     const IbCongestionSetting& setting,
                                     uint16_t limit)
    : m_serviceLevel(serviceLevel),
      m_setting(setting),
      m_limit(limit),
      m_index(std::min<uint16_t>(setting.min, limit)),
      m_interval(std::max<FabricTick>(1, NanoSeconds(TIMER_UNIT_NS * setting.timer).GetTimeStep())),
      m_timer(Create<MemberTimer<IbCongestionIndex>>(this, &IbCongestionIndex::TimerDue))
{
}

IbCongestionIndex::~IbCongestionIndex()
{
    m_timer->Detach();
}

void
IbCongestionIndex::SetChangedCallback(ChangedCallback callback)
{
    m_changed = callback;
}

void
IbCongestionIndex::SetFallenCallback(Callback<void> callback)
{
    m_fallen = callback;
}

void
IbCongestionIndex::OnBecn(FabricTick now)
{
    const uint32_t raised = std::min<uint32_t>(uint32_t{m_index} + m_setting.increase, m_limit);
    Move(static_cast<uint16_t>(raised));
    m_triggers += m_setting.triggerThreshold && raised >= m_setting.triggerThreshold;
    if (m_index > m_setting.min && m_setting.timer && !m_timer->IsPending())
    {
        m_timer->Set(now + m_interval);
    }
}

bool
IbCongestionIndex::IsAtRest() const
{
    return m_index <= m_setting.min && !m_timer->IsPending();
}

void
IbCongestionIndex::AddUser(IbCongestionUserHook& user)
{
    m_users.push_back(user);
}

void
IbCongestionIndex::HashState(StateHash& hash, FabricTick now) const
{
    hash.Add(m_index);
    m_timer->HashState(hash, now);
}

void
IbCongestionIndex::Shift(const IbCongestionUserHook& user, FabricTick by)
{
    if (&m_users.front() == &user)
    {
        m_timer->Shift(by);
    }
}

void
IbCongestionIndex::Move(uint16_t index)
{
    if (index != m_index)
    {
        m_index = index;
        if (!m_changed.IsNull())
        {
            m_changed(m_serviceLevel, index);
        }
    }
}

void
IbCongestionIndex::TimerDue()
{
    Move(m_index - 1);
    if (m_index > m_setting.min)
    {
        m_timer->Set(FabricNow() + m_interval);
    }
    if (!m_fallen.IsNull())
    {
        m_fallen();
    }
}

} // namespace ns3
