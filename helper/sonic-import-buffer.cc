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

SharedBuffer::GroupConfig
MakeGroup(const SonicPriorityPlan& priority, const SonicSharedPlan& shared)
{
    SharedBuffer::GroupConfig group;
    const SonicBufferProfile& profile = *priority.ingress;
    group.reservedBytes = profile.GetReserved();
    group.inLossyPool = !shared.lossyPool.empty() && profile.pool == shared.lossyPool;
    if (profile.staticTh)
    {
        group.staticBytes =
            ClampStatic(*profile.staticTh, group.inLossyPool ? shared.lossy : shared.lossless);
    }
    else
    {
        group.alpha = profile.GetAlpha();
    }
    group.headroomBytes = priority.isLossless ? priority.headroom : 0;
    group.xonOffsetBytes = profile.xonOffset.value_or(0);
    group.xonBytes = profile.xon;
    return group;
}

EgressBuffer::QueueConfig
MakeQueue(const SonicBufferProfile& profile, uint64_t pool)
{
    EgressBuffer::QueueConfig queue;
    queue.reservedBytes = profile.GetReserved();
    if (profile.staticTh)
    {
        queue.limitBytes = ClampStatic(*profile.staticTh, pool);
    }
    else
    {
        queue.alpha = profile.GetAlpha();
    }
    return queue;
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
        const uint16_t number = m_numbers[i];
        for (uint8_t cls = 0; cls < SonicPortPlan::PRIORITIES; ++cls)
        {
            const SonicPriorityPlan& priority = m_plan.ports[i].priorities[cls];
            if (priority.ingress)
            {
                const SharedBuffer::GroupConfig group = MakeGroup(priority, shared);
                m_switch->SetGroup(number, cls, group);
                own += group.reservedBytes + (shared.headroom == 0 ? group.headroomBytes : 0);
            }
            if (priority.isLossless && priority.headroom == 0)
            {
                m_notApplied.insert(m_plan.ports[i].name + " priority " + std::to_string(cls) +
                                    ": PFC without a lossless profile; the group is lossy");
            }
            if (priority.egress)
            {
                const bool isLossy = !shared.egressLossyPool.empty() &&
                                     priority.egress->pool == shared.egressLossyPool;
                m_switch->SetEgressQueue(
                    number,
                    cls,
                    MakeQueue(*priority.egress,
                              isLossy ? shared.egressLossy : shared.egressLossless));
            }
        }
    }
    m_switch->SetAttribute("LossyPoolBytes", UintegerValue(shared.lossy));
    m_switch->SetAttribute("HeadroomPoolBytes", UintegerValue(shared.headroom));
    m_switch->SetAttribute("ReservedBytes", UintegerValue(0));
    m_switch->SetAttribute("BufferBytes",
                           UintegerValue(shared.lossless + shared.lossy + shared.headroom + own));
    if (!shared.egressLosslessPool.empty())
    {
        m_notApplied.insert("egress pools: dynamic thresholds of queues count on " +
                            std::to_string(shared.lossy > 0
                                               ? shared.lossy
                                               : shared.lossless + shared.headroom + own) +
                            " bytes, the ingress pool's size");
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
            m_switch->SetWred(m_numbers[port], queue, curve);
        }
    }
    m_switch->SetAttribute("Ecn", BooleanValue(marksAny));
}

} // namespace ns3
