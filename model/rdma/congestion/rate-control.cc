/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rate-control.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RateControl);

TypeId
RateControl::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RateControl").SetParent<Object>().SetGroupName("AiFabric");
    return tid;
}

void
RateControl::DoDispose()
{
    m_rateChanged = Callback<void>();
    Object::DoDispose();
}

void
RateControl::SetServiceLevel(uint8_t /* serviceLevel */)
{
}

SendPace
RateControl::GetPace() const
{
    SendPace pace;
    pace.rate = GetRate();
    return pace;
}

void
RateControl::SetLineRate(uint64_t /* bitsPerSecond */)
{
}

void
RateControl::OnAck(const RateControlAck& /* ack */, FabricTick /* now */)
{
}

void
RateControl::OnCnp(FabricTick /* now */)
{
}

void
RateControl::SetPacketBytes(uint32_t /* bytes */)
{
}

uint8_t
RateControl::GetFeedback() const
{
    return CNP;
}

uint64_t
RateControl::GetWindow() const
{
    return 0;
}

void
RateControl::OnSent(uint32_t /* wireBytes */, FabricTick /* now */)
{
}

void
RateControl::OnTimeout(FabricTick /* now */)
{
}

void
RateControl::SetRateChangedCallback(Callback<void> callback)
{
    m_rateChanged = callback;
}

void
RateControl::RateChanged()
{
    if (!m_rateChanged.IsNull())
    {
        m_rateChanged();
    }
}

} // namespace ns3
