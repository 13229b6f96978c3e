/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "static-rate-control.h"

#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(StaticRateControl);

TypeId
StaticRateControl::GetTypeId()
{
    static TypeId tid = TypeId("ns3::StaticRateControl")
                            .SetParent<RateControl>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<StaticRateControl>()
                            .AddAttribute("Rate",
                                          "Rate in bits per second on the wire; 0: no limit.",
                                          DataRateValue(DataRate(0)),
                                          MakeDataRateAccessor(&StaticRateControl::m_rate),
                                          MakeDataRateChecker())
                            .AddAttribute("Window",
                                          "Most payload under way in bytes; 0: no limit.",
                                          UintegerValue(0),
                                          MakeUintegerAccessor(&StaticRateControl::m_window),
                                          MakeUintegerChecker<uint64_t>());
    return tid;
}

uint8_t
StaticRateControl::GetFeedback() const
{
    return 0;
}

uint64_t
StaticRateControl::GetRate() const
{
    return m_rate.GetBitRate();
}

uint64_t
StaticRateControl::GetWindow() const
{
    return m_window;
}

bool
StaticRateControl::HashState(StateHash& /* hash */, FabricTick /* now */) const
{
    return true;
}

void
StaticRateControl::Shift(FabricTick /* by */)
{
}

} // namespace ns3
