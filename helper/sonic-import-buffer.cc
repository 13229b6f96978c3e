/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The buffer and the ECN curve of a switch that is configured by SONiC's files.

#include "sonic-import.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/sonic-summary.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{

void
SonicImport::SetUpBuffer()
{
    if (!m_switch)
    {
        throw std::invalid_argument("SonicImport: no switch, expected InstallSwitch before");
    }
    SetUpEcn();
    CheckHeadroom();
    if (m_config.buffers.pools.empty())
    {
        m_notApplied.insert("BUFFER_POOL is not there: the switch has its own buffer");
        return;
    }
    // The groups with headroom decide; of several profiles, that with the most.
    const SonicBufferProfile* chosen = nullptr;
    uint64_t groups = 0;
    for (const SonicPortPlan& port : m_plan.ports)
    {
        for (const SonicPriorityPlan& priority : port.priorities)
        {
            if (!priority.isLossless || priority.headroom == 0)
            {
                continue;
            }
            ++groups;
            if (!chosen || priority.headroom > chosen->xoff)
            {
                chosen = priority.ingress;
            }
        }
    }
    if (!chosen)
    {
        m_notApplied.insert("no priority group is lossless: the switch has its own buffer");
        return;
    }
    const uint64_t reserved = chosen->GetReserved();
    m_switch->SetAttribute("ReservedBytes", UintegerValue(reserved));
    m_switch->SetAttribute("HeadroomBytes", UintegerValue(chosen->xoff));
    if (chosen->dynamicTh)
    {
        m_switch->SetAttribute("Alpha", DoubleValue(chosen->GetAlpha()));
    }
    m_switch->SetAttribute("XonOffsetBytes", UintegerValue(chosen->xonOffset.value_or(0)));
    m_switch->SetAttribute(
        "BufferBytes",
        UintegerValue(m_plan.shared.lossless + groups * chosen->xoff +
                      m_plan.ports.size() * SonicPortPlan::PRIORITIES * reserved));
    NoteSimplifications(*chosen);
}

void
SonicImport::NoteSimplifications(const SonicBufferProfile& chosen)
{
    const std::string rule = ", that of " + chosen.name + " is applied to all priority groups";
    if (chosen.staticTh)
    {
        m_notApplied.insert("BUFFER_PROFILE|" + chosen.name + ": static_th; the switch has alpha");
    }
    if (chosen.xon > 0)
    {
        m_notApplied.insert("BUFFER_PROFILE|" + chosen.name + ": xon; a group goes on " +
                            std::to_string(chosen.xonOffset.value_or(0)) +
                            " bytes below its threshold");
    }
    if (m_plan.shared.headroom > 0)
    {
        m_notApplied.insert("BUFFER_POOL|" + m_plan.shared.losslessPool +
                            ": shared headroom; each priority group has its own");
    }
    if (!m_plan.shared.lossyPool.empty())
    {
        m_notApplied.insert("BUFFER_POOL|" + m_plan.shared.lossyPool + ": lossy groups share " +
                            m_plan.shared.losslessPool);
    }
    for (const SonicPortPlan& port : m_plan.ports)
    {
        for (const SonicPriorityPlan& priority : port.priorities)
        {
            const SonicBufferProfile* other = priority.ingress;
            if (other && (other->dynamicTh != chosen.dynamicTh || other->staticTh))
            {
                m_notApplied.insert("BUFFER_PROFILE|" + other->name + ": threshold" + rule);
            }
            if (other && other->GetReserved() != chosen.GetReserved())
            {
                m_notApplied.insert("BUFFER_PROFILE|" + other->name + ": reserved bytes" + rule);
            }
            if (priority.headroom > 0 && priority.headroom != chosen.xoff)
            {
                m_notApplied.insert("BUFFER_PROFILE|" + other->name + ": headroom" + rule);
            }
            if (priority.egress)
            {
                m_notApplied.insert("BUFFER_PROFILE|" + priority.egress->name +
                                    ": egress queues have no limit");
            }
            if (priority.hasWatchdog && port.watchdog)
            {
                m_notApplied.insert("PFC_WD: there is no watchdog");
            }
        }
    }
}

void
SonicImport::CheckHeadroom()
{
    m_warnings.clear();
    for (std::size_t i = 0; i < m_plan.ports.size(); ++i)
    {
        const SonicPortPlan& port = m_plan.ports[i];
        for (uint8_t cls = 0; cls < SonicPortPlan::PRIORITIES; ++cls)
        {
            const SonicPriorityPlan& priority = port.priorities[cls];
            if (!priority.isLossless)
            {
                continue;
            }
            const uint64_t needed = m_switch->ComputeHeadroom(static_cast<uint16_t>(i));
            if (priority.headroom < needed)
            {
                m_warnings.push_back(port.name + " priority " + std::to_string(cls) +
                                     ": headroom " + std::to_string(priority.headroom) +
                                     " is too small to be lossless, expected " +
                                     std::to_string(needed) + " bytes");
            }
        }
    }
}

void
SonicImport::SetUpEcn()
{
    const SonicWred* first = nullptr;
    uint8_t with = 0;
    for (const SonicPortPlan& port : m_plan.ports)
    {
        for (std::size_t i = 0; i < port.priorities.size(); ++i)
        {
            const SonicWred* wred = port.priorities[i].wred;
            if (!wred || !wred->curves[SonicWred::GREEN].isOn)
            {
                continue;
            }
            if (!wred->marks[SonicWred::GREEN])
            {
                m_notApplied.insert("WRED_PROFILE|" + wred->name +
                                    ": drops by the curve (no ECN) are not applied");
                continue;
            }
            if (first && first != wred)
            {
                m_notApplied.insert("WRED_PROFILE|" + wred->name + " is not applied, " +
                                    first->name + " is");
            }
            first = first ? first : wred;
            with = static_cast<uint8_t>(with | (1U << i));
        }
    }
    m_switch->SetAttribute("Ecn", BooleanValue(first != nullptr));
    if (first)
    {
        const SonicWred::Curve& curve = first->curves[SonicWred::GREEN];
        m_switch->SetAttribute("EcnKmin", UintegerValue(curve.min));
        m_switch->SetAttribute("EcnKmax", UintegerValue(curve.max));
        m_switch->SetAttribute("EcnPmax", DoubleValue(curve.probability));
        m_notApplied.insert("WRED_PROFILE|" + first->name + ": applies to all queues, not only " +
                            PrintPriorities(with));
    }
}

} // namespace ns3
