/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "sonic-summary.h"

namespace ns3
{

namespace
{

/** @returns "52 x 5m, 4 x 40m", the longest list first */
template <typename Map>
std::string
PrintCounts(const Map& counts, const char* unit)
{
    std::string list;
    for (const auto& [value, count] : counts)
    {
        std::string text;
        if constexpr (std::is_same_v<typename Map::key_type, std::string>)
        {
            text = value;
        }
        else
        {
            text = std::to_string(value);
        }
        list += (list.empty() ? "" : ", ") + std::to_string(count) + " x " + text + unit;
    }
    return list;
}

void
PrintBuffers(const SonicConfig& config, const SonicSummary& summary, std::ostream& os)
{
    for (const SonicBufferPool& pool : config.buffers.pools)
    {
        os << "pool " << pool.name << ": "
           << (pool.isIngress ? (pool.isEgress ? "both" : "ingress") : "egress") << ", "
           << (pool.isStatic ? "static" : "dynamic") << ", " << pool.size << " bytes";
        if (pool.xoff > 0)
        {
            os << ", shared headroom " << pool.xoff << " bytes";
        }
        os << "\n";
    }
    os << "buffer profiles: " << summary.profiles << " (" << summary.losslessProfiles
       << " lossless), and " << summary.generatedProfiles << " made from pg_profile_lookup.ini\n"
       << "priority groups: " << summary.groups << " rows (" << summary.losslessGroups
       << " lossless), and " << summary.generatedGroups << " made\n"
       << "queue buffers: " << summary.queues << " rows (" << summary.losslessQueues
       << " lossless)\n";
    if (!summary.cables.empty())
    {
        os << "cables: " << PrintCounts(summary.cables, "") << "\n";
    }
    if (!summary.speeds.empty())
    {
        os << "speeds: " << PrintCounts(summary.speeds, " Mb/s") << "\n";
    }
}

void
PrintQos(const SonicConfig& config, const SonicSummary& summary, std::ostream& os)
{
    for (const auto& [priorities, ports] : summary.pfc)
    {
        os << "PFC: priorities " << priorities << " on " << ports << " ports\n";
    }
    for (const SonicScheduler& scheduler : config.qos.schedulers)
    {
        os << "scheduler " << scheduler.name << ": ";
        if (scheduler.type == SonicScheduler::STRICT)
        {
            os << "STRICT\n";
            continue;
        }
        os << (scheduler.type == SonicScheduler::DWRR ? "DWRR" : "WRR") << ", weight "
           << scheduler.weight << "\n";
    }
    for (const SonicWred& wred : config.qos.wreds)
    {
        const SonicWred::Curve& green = wred.curves[SonicWred::GREEN];
        os << "WRED " << wred.name << ": green " << green.min << ".." << green.max << " bytes, "
           << green.probability * 100 << " %, "
           << (wred.marks[SonicWred::GREEN] ? "marks" : "does not mark") << "\n";
    }
    if (summary.scheduledQueues > 0)
    {
        os << "queues: " << summary.scheduledQueues << " rows (" << summary.wredQueues
           << " with WRED)\n";
    }
    if (summary.watchdogs > 0)
    {
        os << "PFC watchdog: " << summary.watchdogs << " ports\n";
    }
}

} // namespace

std::string
PrintPriorities(uint8_t mask)
{
    std::string list;
    for (int priority = 0; priority < 8; ++priority)
    {
        if ((mask >> priority & 1) != 0)
        {
            list += (list.empty() ? "" : ",") + std::to_string(priority);
        }
    }
    return list;
}

SonicSummary
SummarizeSonic(const SonicConfig& config)
{
    SonicSummary summary;
    const SonicBufferConfig& buffers = config.buffers;
    summary.pools = static_cast<uint32_t>(buffers.pools.size());
    for (const SonicBufferProfile& profile : buffers.profiles)
    {
        (profile.isGenerated ? summary.generatedProfiles : summary.profiles) += 1;
        summary.losslessProfiles += !profile.isGenerated && profile.IsLossless() ? 1 : 0;
    }
    for (const SonicBufferUse& use : buffers.priorityGroups)
    {
        const SonicBufferProfile* profile = buffers.FindProfile(use.profile);
        (use.isGenerated ? summary.generatedGroups : summary.groups) += 1;
        summary.losslessGroups += !use.isGenerated && profile && profile->IsLossless() ? 1 : 0;
    }
    for (const SonicBufferUse& use : buffers.queues)
    {
        summary.queues += 1;
        summary.losslessQueues += use.profile.rfind("egress_lossless", 0) == 0 ? 1 : 0;
    }
    for (const auto& [name, port] : buffers.ports)
    {
        if (!port.cable.empty())
        {
            summary.cables[port.cable] += 1;
        }
        if (port.speed > 0)
        {
            summary.speeds[port.speed] += 1;
        }
    }
    for (const auto& [name, port] : config.qos.ports)
    {
        const uint8_t pfc = config.qos.GetPort(name).pfc;
        if (pfc != 0)
        {
            summary.pfc[PrintPriorities(pfc)] += 1;
        }
    }
    for (const SonicQueue& queue : config.qos.queues)
    {
        summary.scheduledQueues += 1;
        summary.wredQueues += queue.wred.empty() ? 0 : 1;
    }
    summary.watchdogs = static_cast<uint32_t>(config.qos.watchdogs.size());
    return summary;
}

void
PrintSonicSummary(const SonicConfig& config, std::ostream& os)
{
    const SonicSummary summary = SummarizeSonic(config);
    PrintBuffers(config, summary, os);
    PrintQos(config, summary, os);
    std::string ignored;
    for (const std::string& table : config.ignoredTables)
    {
        ignored += (ignored.empty() ? "" : ", ") + table;
    }
    if (!ignored.empty())
    {
        os << "tables not read: " << ignored << "\n";
    }
    for (const std::string& note : config.notes)
    {
        os << "note: " << note << "\n";
    }
}

} // namespace ns3
