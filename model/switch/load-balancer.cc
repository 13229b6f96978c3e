/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "load-balancer.h"

#include <algorithm>
#include <limits>

namespace ns3
{

LoadBalancer::LoadBalancer()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

void
LoadBalancer::Configure(const Config& config)
{
    m_config = config;
    m_flowlets.assign(config.mode == FLOWLET ? FLOWLETS : 0, Flowlet());
    m_next = 0;
}

uint16_t
LoadBalancer::Choose(const FabricFrame& frame,
                     const std::vector<Ptr<FabricNetDevice>>& devices,
                     const std::vector<uint16_t>& ports,
                     FabricTick now)
{
    switch (m_config.mode)
    {
    case PER_PACKET:
        return ChooseRandom(ports);
    case ROUND_ROBIN:
        return ports[m_next++ % ports.size()];
    case ADAPTIVE:
        return ChooseLeast(frame, devices, ports, now);
    default:
        const uint32_t hash = FlowHash::Compute(m_config.hash, m_config.seed, frame);
        return m_config.mode == FLOWLET ? ChooseFlowlet(hash, ports, now)
                                        : ports[hash % ports.size()];
    }
}

uint16_t
LoadBalancer::ChooseRandom(const std::vector<uint16_t>& ports)
{
    return ports[m_random->GetInteger(0, static_cast<uint32_t>(ports.size()) - 1)];
}

uint16_t
LoadBalancer::ChooseFlowlet(uint32_t hash, const std::vector<uint16_t>& ports, FabricTick now)
{
    Flowlet& flowlet = m_flowlets[hash % FLOWLETS];
    const bool known =
        flowlet.used && std::find(ports.begin(), ports.end(), flowlet.port) != ports.end();
    if (!known || now - flowlet.last > m_config.gap)
    {
        flowlet.port = ChooseRandom(ports);
        flowlet.used = true;
        ++m_begun;
    }
    flowlet.last = now;
    return flowlet.port;
}

uint16_t
LoadBalancer::ChooseLeast(const FabricFrame& frame,
                          const std::vector<Ptr<FabricNetDevice>>& devices,
                          const std::vector<uint16_t>& ports,
                          FabricTick now)
{
    uint64_t least = std::numeric_limits<uint64_t>::max();
    for (const uint16_t port : ports)
    {
        const FabricPort& out = devices[port]->GetPort();
        const FabricTick rest = std::max<FabricTick>(0, out.GetBusyUntil() - now);
        const double wire = FabricSeconds(rest) * static_cast<double>(out.GetBitRate()) / 8;
        // What is on the wire rounds up: an idle port is better than one that sends.
        const uint64_t load = out.GetQueuedBytes(frame.cls) + static_cast<uint64_t>(wire);
        const uint64_t grade = (load + m_config.gradeBytes - 1) / m_config.gradeBytes;
        if (grade < least)
        {
            least = grade;
            m_least.clear();
        }
        if (grade == least)
        {
            m_least.push_back(port);
        }
    }
    return m_least.size() == 1 ? m_least.front() : ChooseRandom(m_least);
}

uint64_t
LoadBalancer::GetFlowlets() const
{
    return m_begun;
}

int64_t
LoadBalancer::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

bool
LoadBalancer::HashState(StateHash& hash, FabricTick now) const
{
    hash.Add(m_config.mode == ROUND_ROBIN ? m_next : 0);
    for (const Flowlet& flowlet : m_flowlets)
    {
        // One that has paused for long enough may go anywhere.
        const bool open = flowlet.used && now - flowlet.last <= m_config.gap;
        hash.Add(open ? now - flowlet.last : -1);
        hash.Add(open ? flowlet.port : -1);
    }
    return m_config.mode == ECMP || m_config.mode == ROUND_ROBIN;
}

void
LoadBalancer::Shift(FabricTick by)
{
    for (Flowlet& flowlet : m_flowlets)
    {
        flowlet.last += by;
    }
}

} // namespace ns3
