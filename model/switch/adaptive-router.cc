/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "adaptive-router.h"

#include <algorithm>
#include <limits>

namespace ns3
{

AdaptiveRouter::AdaptiveRouter(const Config& config)
    : m_config(config)
{
}

std::size_t
AdaptiveRouter::GetIndex(const FabricFrame& frame)
{
    StateHash hash;
    hash.Add(frame.src);
    hash.Add(frame.dst);
    hash.Add(frame.dstQp);
    return hash.Get() % FLOWS;
}

uint64_t
AdaptiveRouter::GetLoad(const FabricFrame& frame, const FabricNetDevice& device, FabricTick now)
{
    // The class is that of the output link, which may differ from port to port.
    FabricFrame probe;
    probe.sl = frame.sl;
    probe.inPort = frame.inPort;
    probe.inCls = frame.inCls;
    probe.cls = frame.cls;
    device.ClassifyFrame(probe);
    if (probe.cls == FabricPort::NO_CLASS)
    {
        return std::numeric_limits<uint64_t>::max(); // it would be dropped there
    }
    const FabricPort& port = device.GetPort();
    const FabricTick rest = std::max<FabricTick>(0, port.GetBusyUntil() - now);
    const double wire = FabricSeconds(rest) * static_cast<double>(port.GetBitRate()) / 8;
    return port.GetQueuedBytes(probe.cls) + static_cast<uint64_t>(wire);
}

uint16_t
AdaptiveRouter::FindBest(const FabricFrame& frame,
                         const std::vector<Ptr<FabricNetDevice>>& devices,
                         const std::vector<uint16_t>& ports,
                         uint16_t start,
                         FabricTick now) const
{
    uint64_t least = GetLoad(frame, *devices[start], now);
    if (least < m_config.threshold)
    {
        return start;
    }
    uint16_t best = start;
    const auto first = std::find(ports.begin(), ports.end(), start) - ports.begin();
    for (std::size_t i = 1; i < ports.size(); ++i)
    {
        const uint16_t port = ports[(first + i) % ports.size()];
        const uint64_t load = GetLoad(frame, *devices[port], now);
        if (load < least)
        {
            least = load;
            best = port;
        }
    }
    return best;
}

uint16_t
AdaptiveRouter::Choose(FabricFrame& frame,
                       const std::vector<Ptr<FabricNetDevice>>& devices,
                       const std::vector<uint16_t>& ports,
                       uint16_t start,
                       FabricTick now)
{
    if (!(m_config.slMask >> frame.sl & 1))
    {
        return start;
    }
    if (!m_config.inOrder)
    {
        const uint16_t port = FindBest(frame, devices, ports, start, now);
        m_diverted += port == start ? 0 : 1;
        return port;
    }
    Flow& flow = m_flows[GetIndex(frame)];
    const bool known = flow.used && std::find(ports.begin(), ports.end(), flow.port) != ports.end();
    const bool keeps = known && (flow.inside > 0 || now < flow.end + m_config.gap);
    const uint16_t last = known ? flow.port : start;
    const uint16_t port = keeps ? last : FindBest(frame, devices, ports, last, now);
    flow.port = port;
    flow.used = true;
    ++flow.inside;
    frame.adaptive = true;
    m_diverted += port == start ? 0 : 1;
    return port;
}

void
AdaptiveRouter::Left(FabricFrame& frame, FabricTick end)
{
    if (!frame.adaptive)
    {
        return;
    }
    frame.adaptive = false;
    Flow& flow = m_flows[GetIndex(frame)];
    --flow.inside;
    flow.end = std::max(flow.end, end);
}

uint64_t
AdaptiveRouter::GetDiverted() const
{
    return m_diverted;
}

void
AdaptiveRouter::HashState(StateHash& hash, FabricTick now) const
{
    for (const Flow& flow : m_flows)
    {
        const FabricTick free = flow.end + m_config.gap - now;
        hash.Add(flow.inside);
        hash.Add(std::max<FabricTick>(free, 0));
        hash.Add(flow.used ? flow.port : -1);
    }
}

void
AdaptiveRouter::Shift(FabricTick by)
{
    for (Flow& flow : m_flows)
    {
        flow.end += by;
    }
}

} // namespace ns3
