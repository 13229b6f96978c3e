/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The buffer and the ECN curve of a switch that is configured by SONiC's files.

#include "sonic-import.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <limits>
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
    bool marksAny = false;
    for (std::size_t port = 0; port < m_plan.ports.size(); ++port)
    {
        for (uint8_t queue = 0; queue < SonicPortPlan::PRIORITIES; ++queue)
        {
            const SonicWred* wred = m_plan.ports[port].priorities[queue].wred;
            const uint64_t never = std::numeric_limits<uint64_t>::max();
            WredMarker::Curve curve{never, never, 0};
            if (wred && wred->curves[SonicWred::GREEN].isOn)
            {
                const SonicWred::Curve& green = wred->curves[SonicWred::GREEN];
                if (wred->marks[SonicWred::GREEN])
                {
                    curve = {green.min, green.max, green.probability};
                    marksAny = true;
                }
                else
                {
                    m_notApplied.insert("WRED_PROFILE|" + wred->name + ": drops without ECN");
                }
            }
            m_switch->SetWred(static_cast<uint16_t>(port), queue, curve);
        }
    }
    m_switch->SetAttribute("Ecn", BooleanValue(marksAny));
}

} // namespace ns3
