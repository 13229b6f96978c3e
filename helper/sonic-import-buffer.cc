/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The buffer and the ECN curves of a switch that is configured by SONiC's files.

#include "sonic-import.h"

#include "ns3/boolean.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace ns3
{

namespace
{

/** @returns a static threshold within its pool; not 0, which means a dynamic one */
uint64_t
ClampStatic(uint64_t bytes, uint64_t pool)
{
    return std::min(std::max<uint64_t>(bytes, 1), std::max<uint64_t>(pool, 1));
}

PriorityGroup
MakeGroup(const SonicPriorityPlan& priority, const SonicSharedPlan& shared)
{
    PriorityGroup group;
    const SonicBufferProfile& profile = *priority.ingress;
    group.reservedBytes = profile.GetReserved();
    group.lossyPool = !shared.lossyPool.empty() && profile.pool == shared.lossyPool;
    if (profile.staticTh)
    {
        group.staticBytes =
            ClampStatic(*profile.staticTh, group.lossyPool ? shared.lossy : shared.lossless);
    }
    else
    {
        group.alpha = profile.GetAlpha();
    }
    group.headroomBytes = priority.headroom > 0 ? priority.headroom : PriorityGroup::COMPUTED;
    group.xonOffsetBytes = profile.xonOffset.value_or(0);
    group.xonBytes = profile.xon;
    return group;
}

EgressLimits
MakeLimits(const SonicBufferProfile& profile, const SonicSharedPlan& shared)
{
    EgressLimits limits;
    limits.reservedBytes = profile.GetReserved();
    limits.lossyPool = !shared.egressLossyPool.empty() && profile.pool == shared.egressLossyPool;
    if (profile.staticTh)
    {
        limits.staticBytes =
            ClampStatic(*profile.staticTh,
                        limits.lossyPool ? shared.egressLossy : shared.egressLossless);
    }
    else
    {
        limits.alpha = profile.GetAlpha();
    }
    return limits;
}

} // namespace

void
SonicImport::SetUpBuffer()
{
    if (!m_switch)
    {
        throw std::invalid_argument("SonicImport: no switch, expected InstallSwitch before");
    }
    SetUpEcn();
    if (m_config.buffers.pools.empty())
    {
        m_notApplied.insert("BUFFER_POOL is not there: the switch has its own buffer");
        return;
    }
    const SonicSharedPlan& shared = m_plan.shared;
    uint64_t own = 0; // bytes of groups alone
    for (std::size_t i = 0; i < m_plan.ports.size(); ++i)
    {
        const auto number = static_cast<uint16_t>(i);
        for (uint8_t cls = 0; cls < SonicPortPlan::PRIORITIES; ++cls)
        {
            const SonicPriorityPlan& priority = m_plan.ports[i].priorities[cls];
            if (priority.ingress)
            {
                const PriorityGroup group = MakeGroup(priority, shared);
                m_switch->SetGroup(number, cls, group);
                own += group.reservedBytes;
            }
            if (priority.isLossless && priority.headroom == 0)
            {
                m_notApplied.insert(m_plan.ports[i].name + " priority " + std::to_string(cls) +
                                    ": PFC without a lossless profile; its headroom is computed");
            }
            if (priority.isLossless && shared.headroom == 0)
            {
                own += priority.headroom > 0
                           ? priority.headroom
                           : m_switch->ComputeHeadroom(number) + m_switch->GetLargestFrame(number);
            }
            if (priority.egress)
            {
                m_switch->SetEgressQueue(number, cls, MakeLimits(*priority.egress, shared));
            }
        }
    }
    m_switch->SetAttribute("SharedPoolBytes", UintegerValue(shared.lossless));
    m_switch->SetAttribute("LossyPoolBytes", UintegerValue(shared.lossy));
    m_switch->SetAttribute("HeadroomPoolBytes", UintegerValue(shared.headroom));
    m_switch->SetAttribute("EgressPoolBytes", UintegerValue(shared.egressLossless));
    m_switch->SetAttribute("EgressLossyPoolBytes", UintegerValue(shared.egressLossy));
    m_switch->SetAttribute("ReservedBytes", UintegerValue(0));
    m_switch->SetAttribute("BufferBytes",
                           UintegerValue(shared.lossless + shared.lossy + shared.headroom + own));
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
