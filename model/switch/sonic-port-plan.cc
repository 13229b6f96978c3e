/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "sonic-port-plan.h"

#include "sonic-summary.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <tuple>

namespace ns3
{

namespace
{

/** @returns a key that puts Ethernet4 before Ethernet12 */
std::tuple<std::string, uint64_t, std::string>
NaturalKey(const std::string& name)
{
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    return {name.substr(0, digits), ParseSonicUnsigned(name.substr(digits)).value_or(0), name};
}

template <typename Map>
const typename Map::mapped_type*
FindMap(const Map& maps, const std::string& name)
{
    const auto found = maps.find(name);
    return found == maps.end() ? nullptr : &found->second;
}

/** One side of the buffer: the pool of lossless traffic, and that of the rest. */
struct Side
{
    uint64_t lossless{0};     //!< shared part in bytes
    uint64_t headroom{0};     //!< shared headroom in bytes
    uint64_t lossy{0};        //!< shared part in bytes
    std::string losslessPool; //!< name
    std::string lossyPool;    //!< name; empty: none
};

/** @returns bytes that groups or queues have for themselves, by pool */
std::map<std::string, uint64_t>
SumOwn(const SonicBufferConfig& buffers, const std::vector<SonicBufferUse>& uses)
{
    std::map<std::string, uint64_t> sums;
    for (const SonicBufferUse& use : uses)
    {
        const SonicBufferProfile* profile = buffers.FindProfile(use.profile);
        if (!profile)
        {
            continue;
        }
        const bool hasOwnHeadroom = buffers.FindPool(profile->pool)->xoff == 0;
        sums[profile->pool] += (profile->GetReserved() + (hasOwnHeadroom ? profile->xoff : 0)) *
                               use.ports.size() * (use.range.last - use.range.first + 1U);
    }
    return sums;
}

/** @returns the pool of the groups with headroom; without any, empty */
std::string
FindLosslessPool(const SonicBufferConfig& buffers, std::vector<std::string>& notes)
{
    std::string lossless;
    for (const SonicBufferUse& use : buffers.priorityGroups)
    {
        const SonicBufferProfile* profile = buffers.FindProfile(use.profile);
        if (!profile || !profile->IsLossless() || profile->pool == lossless)
        {
            continue;
        }
        if (lossless.empty())
        {
            lossless = profile->pool;
            continue;
        }
        const std::string note = profile->place + ": BUFFER_PROFILE|" + profile->name +
                                 ": lossless groups in a second pool share that of the first, " +
                                 lossless;
        if (std::find(notes.begin(), notes.end(), note) == notes.end())
        {
            notes.push_back(note);
        }
    }
    return lossless;
}

/** @returns the pools of one side; the lossless one by its name, or else the first */
Side
PlanSide(const SonicBufferConfig& buffers,
         bool isIngress,
         const std::string& losslessPool,
         std::vector<std::string>& notes)
{
    const std::map<std::string, uint64_t> own =
        SumOwn(buffers, isIngress ? buffers.priorityGroups : buffers.queues);
    Side side;
    side.losslessPool = buffers.FindPool(losslessPool) ? losslessPool : "";
    for (const SonicBufferPool& pool : buffers.pools)
    {
        if (isIngress ? !pool.isIngress : !pool.isEgress)
        {
            continue;
        }
        const uint64_t headroom = isIngress ? pool.xoff : 0;
        const auto found = own.find(pool.name);
        const uint64_t taken = (found == own.end() ? 0 : found->second) + headroom;
        const uint64_t size = buffers.isReservedOutside ? pool.size : pool.size - taken;
        if (side.losslessPool.empty() || pool.name == side.losslessPool)
        {
            side.losslessPool = pool.name;
            side.lossless = size;
            side.headroom = headroom;
        }
        else if (side.lossyPool.empty())
        {
            side.lossyPool = pool.name;
            side.lossy = size;
        }
        else
        {
            notes.push_back(pool.place + ": BUFFER_POOL|" + pool.name +
                            ": a third pool of its side is left out");
        }
    }
    return side;
}

SonicSharedPlan
PlanShared(const SonicConfig& config, std::vector<std::string>& notes)
{
    const SonicBufferConfig& buffers = config.buffers;
    const std::string lossless = FindLosslessPool(buffers, notes);
    const Side in =
        PlanSide(buffers, true, lossless.empty() ? "ingress_lossless_pool" : lossless, notes);
    const Side out = PlanSide(buffers, false, "egress_lossless_pool", notes);
    SonicSharedPlan shared;
    shared.lossless = in.lossless;
    shared.headroom = in.headroom;
    shared.lossy = in.lossy;
    shared.losslessPool = in.losslessPool;
    shared.lossyPool = in.lossyPool;
    shared.egressLossless = out.lossless;
    shared.egressLossy = out.lossy;
    shared.egressLosslessPool = out.losslessPool;
    shared.egressLossyPool = out.lossyPool;
    return shared;
}

/** Which traffic class a queue has; the lowest of several. */
std::array<std::optional<uint8_t>, SonicPortPlan::PRIORITIES>
FindClasses(const SonicQosConfig::Classes& queueOfTc)
{
    std::array<std::optional<uint8_t>, SonicPortPlan::PRIORITIES> classes;
    for (uint8_t tc = 0; tc < SonicPortPlan::PRIORITIES; ++tc)
    {
        if (!classes[queueOfTc[tc]])
        {
            classes[queueOfTc[tc]] = tc;
        }
    }
    return classes;
}

/** Plans ports; collects notes about all of them. */
class Planner
{
  public:
    explicit Planner(const SonicConfig& config)
        : m_config(config)
    {
    }

    SonicPortPlan Plan(const std::string& name)
    {
        SonicPortPlan plan;
        plan.name = name;
        const auto known = m_config.buffers.ports.find(name);
        if (known != m_config.buffers.ports.end())
        {
            plan.port = known->second;
        }
        const SonicQosConfig& qos = m_config.qos;
        const SonicPortQos row = qos.GetPort(name);
        SonicQosConfig::Classes same;
        for (uint8_t i = 0; i < SonicPortPlan::PRIORITIES; ++i)
        {
            same[i] = i;
        }
        const auto* queueOfTc = FindMap(qos.tcToQueue, row.tcToQueue);
        const auto* pgOfTc = FindMap(qos.tcToPg, row.tcToPg);
        const auto* queueOfPfc = FindMap(qos.pfcToQueue, row.pfcToQueue);
        const auto* tcOfDscp = FindMap(qos.dscpToTc, row.dscpToTc);
        const SonicQosConfig::Classes& queues = queueOfTc ? *queueOfTc : same;
        const SonicQosConfig::Classes& groups = pgOfTc ? *pgOfTc : same;
        plan.hasDscpMap = tcOfDscp != nullptr;
        for (std::size_t dscp = 0; dscp < plan.priorityOfDscp.size(); ++dscp)
        {
            plan.priorityOfDscp[dscp] =
                tcOfDscp ? queues[(*tcOfDscp)[dscp]] : static_cast<uint8_t>(dscp >> 3);
        }
        const auto classes = FindClasses(queues);
        for (uint8_t queue = 0; queue < SonicPortPlan::PRIORITIES; ++queue)
        {
            SonicPriorityPlan& priority = plan.priorities[queue];
            priority.isUsed = classes[queue].has_value();
            priority.pg = classes[queue] ? groups[*classes[queue]] : queue;
            priority.ingress = FindIngress(name, priority.pg);
            priority.egress = m_config.buffers.FindQueue(name, queue);
            priority.scheduler = qos.FindScheduler(name, queue);
            priority.wred = qos.FindWred(name, queue);
        }
        PlanPfc(plan, row, queueOfPfc ? *queueOfPfc : same);
        if (const auto* watchdog = FindMap(qos.watchdogs, name))
        {
            plan.watchdog = *watchdog;
        }
        NoteSharing(plan);
        return plan;
    }

    const std::set<std::string>& GetNotes() const
    {
        return m_notes;
    }

  private:
    /** A group without a profile has nothing of its own; it shares the pool as group 0 does. */
    const SonicBufferProfile* FindIngress(const std::string& port, uint8_t pg)
    {
        const SonicBufferProfile* profile = m_config.buffers.FindPg(port, pg);
        return profile ? profile : m_config.buffers.FindPg(port, 0);
    }

    void PlanPfc(SonicPortPlan& plan,
                 const SonicPortQos& row,
                 const SonicQosConfig::Classes& queueOfPfc)
    {
        for (uint8_t pfc = 0; pfc < SonicPortPlan::PRIORITIES; ++pfc)
        {
            if ((row.pfc >> pfc & 1) == 0)
            {
                continue;
            }
            // The PFC priority is also the number of the priority group that asks for it.
            SonicPriorityPlan& priority = plan.priorities[queueOfPfc[pfc]];
            const SonicBufferProfile* profile = m_config.buffers.FindPg(plan.name, pfc);
            priority.isLossless = true;
            priority.pg = pfc;
            priority.ingress = profile ? profile : priority.ingress;
            priority.headroom = profile ? profile->xoff : 0;
            priority.hasWatchdog = (row.watchdog >> pfc & 1) != 0;
            if (queueOfPfc[pfc] != pfc)
            {
                m_notes.insert("PFC priority " + std::to_string(pfc) + " pauses queue " +
                               std::to_string(queueOfPfc[pfc]) +
                               ": PFC frames name the queue instead");
            }
        }
    }

    void NoteSharing(const SonicPortPlan& plan)
    {
        std::map<uint8_t, uint8_t> queuesOfPg; // masks
        for (uint8_t queue = 0; queue < SonicPortPlan::PRIORITIES; ++queue)
        {
            if (!plan.priorities[queue].isUsed)
            {
                continue;
            }
            uint8_t& mask = queuesOfPg[plan.priorities[queue].pg];
            mask = static_cast<uint8_t>(mask | (1U << queue));
        }
        for (const auto& [pg, mask] : queuesOfPg)
        {
            if ((mask & (mask - 1)) != 0)
            {
                m_notes.insert("priority group " + std::to_string(pg) + " of queues " +
                               PrintPriorities(mask) +
                               " is counted for each of these queues on its own");
            }
        }
    }

    const SonicConfig& m_config;   //!< to plan from
    std::set<std::string> m_notes; //!< each once
};

/** @returns "alpha 0.5" or "up to 4096 bytes" */
std::string
PrintThreshold(const SonicBufferProfile& profile)
{
    std::ostringstream text;
    if (profile.dynamicTh)
    {
        text << "alpha " << profile.GetAlpha();
    }
    else
    {
        text << "up to " << profile.staticTh.value_or(0) << " bytes";
    }
    return text.str();
}

/** @returns what a priority gets, without its number */
std::string
PrintPriority(const SonicPortPlan& port, const SonicPriorityPlan& priority)
{
    std::ostringstream text;
    text << (priority.isLossless ? "lossless" : "lossy");
    if (priority.ingress)
    {
        text << "; in: " << priority.ingress->GetReserved() << " bytes reserved, "
             << PrintThreshold(*priority.ingress);
    }
    if (priority.headroom > 0)
    {
        text << ", headroom " << priority.headroom;
    }
    if (priority.egress)
    {
        text << "; out: " << priority.egress->GetReserved() << " bytes reserved, "
             << PrintThreshold(*priority.egress);
    }
    if (priority.scheduler)
    {
        text << "; "
             << (priority.scheduler->type == SonicScheduler::STRICT
                     ? "strict"
                     : "weight " + std::to_string(priority.scheduler->weight));
    }
    if (priority.wred && priority.wred->curves[SonicWred::GREEN].isOn)
    {
        const SonicWred::Curve& curve = priority.wred->curves[SonicWred::GREEN];
        text << "; " << (priority.wred->marks[SonicWred::GREEN] ? "ECN " : "WRED ") << curve.min
             << ".." << curve.max << " bytes " << curve.probability * 100 << " %";
    }
    if (priority.hasWatchdog && port.watchdog)
    {
        text << "; watchdog " << port.watchdog->detectionTime << " ms";
    }
    return text.str();
}

/** @returns what a port gets, without its name */
std::string
PrintPort(const SonicPortPlan& port)
{
    std::string text;
    if (port.port.speed > 0)
    {
        text += ", " + std::to_string(port.port.speed) + " Mb/s";
    }
    if (!port.port.cable.empty())
    {
        text += ", cable " + port.port.cable;
    }
    text += "\n";
    std::vector<std::pair<std::string, uint8_t>> kinds; // what it gets, and mask of priorities
    for (uint8_t i = 0; i < SonicPortPlan::PRIORITIES; ++i)
    {
        const std::string kind = PrintPriority(port, port.priorities[i]);
        const auto same = std::find_if(kinds.begin(), kinds.end(), [&kind](const auto& other) {
            return other.first == kind;
        });
        auto& mask =
            same == kinds.end() ? kinds.emplace_back(kind, uint8_t(0)).second : same->second;
        mask = static_cast<uint8_t>(mask | (1U << i));
    }
    for (const auto& [kind, mask] : kinds)
    {
        text += "  priority " + PrintPriorities(mask) + ": " + kind + "\n";
    }
    return text;
}

} // namespace

uint8_t
SonicPortPlan::GetLossless() const
{
    uint8_t mask = 0;
    for (uint8_t i = 0; i < PRIORITIES; ++i)
    {
        mask = static_cast<uint8_t>(mask | (priorities[i].isLossless ? 1U << i : 0U));
    }
    return mask;
}

std::vector<std::string>
ListSonicPorts(const SonicConfig& config)
{
    std::set<std::string> names;
    for (const auto* uses : {&config.buffers.priorityGroups, &config.buffers.queues})
    {
        for (const SonicBufferUse& use : *uses)
        {
            names.insert(use.ports.begin(), use.ports.end());
        }
    }
    for (const auto& [name, port] : config.qos.ports)
    {
        names.insert(name);
    }
    std::vector<std::string> list(names.begin(), names.end());
    std::sort(list.begin(), list.end(), [](const std::string& a, const std::string& b) {
        return NaturalKey(a) < NaturalKey(b);
    });
    return list;
}

SonicPlan
PlanSonicPorts(const SonicConfig& config, const std::vector<std::string>& ports)
{
    const std::vector<std::string> known = ListSonicPorts(config);
    SonicPlan plan;
    plan.shared = PlanShared(config, plan.notes);
    Planner planner(config);
    for (const std::string& name : ports)
    {
        if (std::find(known.begin(), known.end(), name) == known.end())
        {
            throw std::invalid_argument(
                "the configuration has no port " + QuoteSonic(name) + ", expected one of " +
                (known.empty() ? "none" : known.front() + " .. " + known.back()));
        }
        plan.ports.push_back(planner.Plan(name));
    }
    plan.notes.insert(plan.notes.end(), planner.GetNotes().begin(), planner.GetNotes().end());
    return plan;
}

void
PrintSonicPorts(const std::vector<SonicPortPlan>& ports, std::ostream& os)
{
    std::vector<std::pair<std::string, std::string>> groups; // what they get, and who they are
    for (const SonicPortPlan& port : ports)
    {
        const std::string text = PrintPort(port);
        const auto same = std::find_if(groups.begin(), groups.end(), [&text](const auto& group) {
            return group.first == text;
        });
        if (same == groups.end())
        {
            groups.emplace_back(text, port.name);
        }
        else
        {
            same->second += ", " + port.name;
        }
    }
    for (const auto& [text, names] : groups)
    {
        os << names << text;
    }
}

} // namespace ns3
