/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ib-congestion-agent.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/ib-congestion-control.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

#include <stdexcept>
#include <string>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IbCongestionAgent);

TypeId
IbCongestionAgent::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IbCongestionAgent")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddConstructor<IbCongestionAgent>()
            .AddAttribute("PerServiceLevel",
                          "All queue pairs of a service level share one index (Port_Control bit "
                          "0); otherwise each has its own.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&IbCongestionAgent::m_perServiceLevel),
                          MakeBooleanChecker())
            .AddAttribute("CctiIncrease",
                          "Added to the index for each BECN (CCTI_Increase).",
                          UintegerValue(1),
                          MakeUintegerAccessor(&IbCongestionAgent::m_increase),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("CctiLimit",
                          "Last index of the table (CCTI_Limit).",
                          UintegerValue(127),
                          MakeUintegerAccessor(&IbCongestionAgent::m_limit),
                          MakeUintegerChecker<uint16_t>())
            .AddAttribute("CctiMin",
                          "Index at rest (CCTI_Min); at most CctiLimit.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&IbCongestionAgent::m_min),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("CctiTimer",
                          "Time in which the index falls by 1, in units of 1.024 us (CCTI_Timer); "
                          "0: it never falls.",
                          UintegerValue(150),
                          MakeUintegerAccessor(&IbCongestionAgent::m_timer),
                          MakeUintegerChecker<uint16_t>())
            .AddAttribute("TriggerThreshold",
                          "BECNs that leave the index there or above are counted; 0: none. It has "
                          "no other effect (Trigger_Threshold).",
                          UintegerValue(0),
                          MakeUintegerAccessor(&IbCongestionAgent::m_triggerThreshold),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("TableMultiplier",
                          "Entry i of the table is a delay of i x TableMultiplier / 2^TableShift "
                          "packet times, unless SetTable gives another table.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&IbCongestionAgent::m_tableMultiplier),
                          MakeUintegerChecker<uint16_t>(0, IbCongestionEntry::MAX_MULTIPLIER))
            .AddAttribute("TableShift",
                          "See TableMultiplier.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&IbCongestionAgent::m_tableShift),
                          MakeUintegerChecker<uint8_t>(0, IbCongestionEntry::MAX_SHIFT))
            .AddAttribute("TableGrowth",
                          "If not 0, entry i of the table is the delay that leaves 1 / "
                          "TableGrowth^i of the line rate, instead; 1 or more.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&IbCongestionAgent::m_tableGrowth),
                          MakeDoubleChecker<double>(0, 16384))
            .AddTraceSource("Index",
                            "CCTI of a queue pair or service level has changed.",
                            MakeTraceSourceAccessor(&IbCongestionAgent::m_indexTrace),
                            "ns3::IbCongestionAgent::IndexTracedCallback");
    return tid;
}

void
IbCongestionAgent::DoDispose()
{
    for (Ptr<IbCongestionIndex>& index : m_indices)
    {
        index = nullptr;
    }
    Object::DoDispose();
}

void
IbCongestionAgent::SetTable(const std::vector<IbCongestionEntry>& entries)
{
    m_table = IbCongestionTable(entries);
    m_hasTable = true;
}

void
IbCongestionAgent::SetSetting(uint8_t serviceLevel, const IbCongestionSetting& setting)
{
    if (serviceLevel >= SERVICE_LEVELS)
    {
        throw std::invalid_argument("IbCongestionAgent: setting of service level " +
                                    std::to_string(serviceLevel) + ", expected 0..15");
    }
    m_settings[serviceLevel] = setting;
    m_hasSetting |= 1U << serviceLevel;
}

const IbCongestionTable&
IbCongestionAgent::GetTable()
{
    if (!m_hasTable)
    {
        m_table = m_tableGrowth > 0
                      ? IbCongestionTable::MakeGeometric(m_limit, m_tableGrowth)
                      : IbCongestionTable::MakeLinear(m_limit, m_tableMultiplier, m_tableShift);
        m_hasTable = true;
    }
    return m_table;
}

IbCongestionSetting
IbCongestionAgent::GetSetting(uint8_t serviceLevel) const
{
    if (m_hasSetting & 1U << serviceLevel)
    {
        return m_settings[serviceLevel];
    }
    IbCongestionSetting setting;
    setting.increase = m_increase;
    setting.timer = m_timer;
    setting.min = m_min;
    setting.triggerThreshold = m_triggerThreshold;
    return setting;
}

Ptr<IbCongestionIndex>
IbCongestionAgent::GetIndex(uint8_t serviceLevel)
{
    if (m_perServiceLevel && m_indices.at(serviceLevel))
    {
        return m_indices[serviceLevel];
    }
    const IbCongestionSetting setting = GetSetting(serviceLevel);
    const uint16_t limit = GetTable().GetLimit();
    if (setting.min > limit)
    {
        throw std::invalid_argument("IbCongestionAgent: CctiMin is " + std::to_string(setting.min) +
                                    ", expected at most CctiLimit, which is " +
                                    std::to_string(limit));
    }
    const auto index = Create<IbCongestionIndex>(serviceLevel, setting, limit);
    index->SetChangedCallback(MakeCallback(&IbCongestionAgent::IndexChanged, this));
    if (m_perServiceLevel)
    {
        m_indices[serviceLevel] = index;
    }
    return index;
}

bool
IbCongestionAgent::IsPerServiceLevel() const
{
    return m_perServiceLevel;
}

Ptr<RateControl>
IbCongestionAgent::CreateRateControl()
{
    const auto control = CreateObject<IbCongestionControl>();
    control->SetAgent(this);
    return control;
}

void
IbCongestionAgent::IndexChanged(uint8_t serviceLevel, uint16_t index)
{
    m_indexTrace(serviceLevel, index);
}

} // namespace ns3
