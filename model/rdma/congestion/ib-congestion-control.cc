/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ib-congestion-control.h"

#include "ns3/pointer.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IbCongestionControl);

TypeId
IbCongestionControl::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IbCongestionControl")
            .SetParent<RateControl>()
            .SetGroupName("AiFabric")
            .AddConstructor<IbCongestionControl>()
            .AddAttribute(
                "Agent",
                "Table and settings of the port; null: one of its own with defaults.",
                PointerValue(),
                MakePointerAccessor(&IbCongestionControl::SetAgent, &IbCongestionControl::GetAgent),
                MakePointerChecker<IbCongestionAgent>());
    return tid;
}

void
IbCongestionControl::DoDispose()
{
    unlink();
    if (m_index && !m_agent->IsPerServiceLevel())
    {
        m_index->SetFallenCallback(Callback<void>());
        m_index->SetChangedCallback(IbCongestionIndex::ChangedCallback());
    }
    m_index = nullptr;
    m_agent = nullptr;
    RateControl::DoDispose();
}

void
IbCongestionControl::SetAgent(const Ptr<IbCongestionAgent>& agent)
{
    m_agent = agent;
}

Ptr<IbCongestionAgent>
IbCongestionControl::GetAgent() const
{
    return m_agent;
}

uint16_t
IbCongestionControl::GetIndex() const
{
    return m_index ? m_index->Get() : 0;
}

void
IbCongestionControl::SetServiceLevel(uint8_t serviceLevel)
{
    if (!m_agent)
    {
        m_agent = CreateObject<IbCongestionAgent>();
    }
    unlink();
    m_index = m_agent->GetIndex(serviceLevel);
    m_index->AddUser(*this);
    if (!m_agent->IsPerServiceLevel())
    {
        m_index->SetFallenCallback(MakeCallback(&IbCongestionControl::RateChanged, this));
    }
}

void
IbCongestionControl::SetLineRate(uint64_t bitsPerSecond)
{
    m_lineRate = bitsPerSecond;
}

uint64_t
IbCongestionControl::GetRate() const
{
    const SendPace pace = GetPace();
    return pace.rate * pace.denominator / pace.numerator;
}

SendPace
IbCongestionControl::GetPace() const
{
    return m_index ? m_agent->GetTable().Get(m_index->Get()).GetPace(m_lineRate) : SendPace();
}

void
IbCongestionControl::OnCnp(FabricTick now)
{
    m_agent->CountBecn();
    m_index->OnBecn(now);
}

bool
IbCongestionControl::HashState(StateHash& hash, FabricTick now) const
{
    m_index->HashState(hash, now);
    return true;
}

void
IbCongestionControl::Shift(FabricTick by)
{
    m_index->Shift(*this, by);
}

} // namespace ns3
