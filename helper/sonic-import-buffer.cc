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
    const SonicBufferProfile* lossless = nullptr;
    uint64_t headroom = 0;
    uint64_t groups = 0;
    for (const SonicPortPlan& port : m_plan.ports)
    {
        for (const SonicPriorityPlan& priority : port.priorities)
        {
            if (!priority.isLossless || !priority.ingress || !priority.ingress->IsLossless())
            {
                continue;
            }
            ++groups;
            headroom = std::max(headroom, priority.headroom);
            lossless = lossless ? lossless : priority.ingress;
        }
    }
    const uint64_t reserved = lossless ? lossless->GetReserved() : 0;
    m_switch->SetAttribute("ReservedBytes", UintegerValue(reserved));
    m_switch->SetAttribute("HeadroomBytes", UintegerValue(headroom));
    if (lossless && lossless->dynamicTh)
    {
        m_switch->SetAttribute("Alpha", DoubleValue(lossless->GetAlpha()));
    }
    if (lossless && lossless->xonOffset)
    {
        m_switch->SetAttribute("XonOffsetBytes", UintegerValue(*lossless->xonOffset));
    }
    m_switch->SetAttribute(
        "BufferBytes",
        UintegerValue(m_plan.shared.lossless + groups * headroom +
                      m_plan.ports.size() * SonicPortPlan::PRIORITIES * reserved));
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
