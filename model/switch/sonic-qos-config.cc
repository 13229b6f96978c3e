/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "sonic-qos-config.h"

#include "sonic-tables.h"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{

/** @returns what a map table says, one array per row; numbers that a row leaves out map to 0 */
template <std::size_t N>
std::map<std::string, std::array<uint8_t, N>>
ReadMaps(SonicTables& tables, const char* table)
{
    std::map<std::string, std::array<uint8_t, N>> maps;
    for (const SonicRow& row : tables.Take(table, {}))
    {
        std::array<uint8_t, N>& map = maps[row.GetKey()];
        map.fill(0);
        for (const JsonNode& field : row.GetFields())
        {
            const auto from = ParseSonicUnsigned(field.key);
            if (!from || *from >= N)
            {
                row.Fail(field.key, "not a number to map", "0.." + std::to_string(N - 1));
            }
            map[*from] = static_cast<uint8_t>(*row.GetInteger(field.key, 0, 7));
        }
    }
    return maps;
}

template <typename Map>
std::string
ListKeys(const Map& map)
{
    std::string list;
    for (const auto& [key, value] : map)
    {
        list += (list.empty() ? "" : ", ") + key;
    }
    return list.empty() ? "none" : list;
}

/** @returns the name a row refers to, which must be there; empty if the row has the field not */
template <typename Map>
std::string
GetKnown(const SonicRow& row, const std::string& field, const std::string& table, const Map& map)
{
    const auto name = row.GetReference(field, table);
    if (name && map.count(*name) == 0)
    {
        row.Fail(field,
                 "there is no " + QuoteSonic(*name),
                 "one of " + table + ": " + ListKeys(map));
    }
    return name.value_or("");
}

void
ReadPortQos(SonicTables& tables, SonicQosConfig& config)
{
    for (const SonicRow& row : tables.Take("PORT_QOS_MAP",
                                           {"dscp_to_tc_map",
                                            "tc_to_pg_map",
                                            "tc_to_queue_map",
                                            "pfc_to_queue_map",
                                            "pfc_enable",
                                            "pfcwd_sw_enable"}))
    {
        SonicPortQos port;
        port.place = row.GetPlace();
        port.dscpToTc = GetKnown(row, "dscp_to_tc_map", "DSCP_TO_TC_MAP", config.dscpToTc);
        port.tcToPg = GetKnown(row, "tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP", config.tcToPg);
        port.tcToQueue = GetKnown(row, "tc_to_queue_map", "TC_TO_QUEUE_MAP", config.tcToQueue);
        port.pfcToQueue =
            GetKnown(row, "pfc_to_queue_map", "MAP_PFC_PRIORITY_TO_QUEUE", config.pfcToQueue);
        port.hasPfc = row.Has("pfc_enable");
        port.pfc = row.GetPriorities("pfc_enable");
        port.watchdog = row.GetPriorities("pfcwd_sw_enable");
        if ((port.watchdog & ~port.pfc) != 0 && port.hasPfc)
        {
            row.Fail("pfcwd_sw_enable",
                     "a watchdog for a priority without PFC",
                     "priorities of pfc_enable only");
        }
        if (row.GetKey() == "global")
        {
            config.global = port;
            continue;
        }
        for (const std::string& name : SplitSonic(row.GetKey(), ','))
        {
            if (name.empty() || !config.ports.emplace(name, port).second)
            {
                row.Fail("",
                         name.empty() ? "a port without a name" : name + " is also in another row",
                         "each port in one row");
            }
        }
    }
}

void
ReadSchedulers(SonicTables& tables, SonicQosConfig& config)
{
    for (const SonicRow& row :
         tables.Take("SCHEDULER", {"type", "weight", "meter_type", "pir", "pbs"}))
    {
        SonicScheduler scheduler;
        scheduler.name = row.GetKey();
        const std::array<SonicScheduler::Type, 3> types{SonicScheduler::DWRR,
                                                        SonicScheduler::WRR,
                                                        SonicScheduler::STRICT};
        scheduler.type = types[row.GetChoice("type", {"DWRR", "WRR", "STRICT"}).value_or(1)];
        scheduler.weight = static_cast<uint32_t>(row.GetInteger("weight", 1, 100).value_or(1));
        scheduler.isMeteredInPackets =
            row.GetChoice("meter_type", {"bytes", "packets"}).value_or(0) == 1;
        const auto max = static_cast<int64_t>(SONIC_MAX_BYTES);
        scheduler.pir = static_cast<uint64_t>(row.GetInteger("pir", 0, max).value_or(0));
        scheduler.pbs = static_cast<uint64_t>(row.GetInteger("pbs", 0, max).value_or(0));
        config.schedulers.push_back(scheduler);
    }
}

void
ReadWreds(SonicTables& tables, SonicQosConfig& config)
{
    const std::array<std::string, SonicWred::COLOURS> colours{"green", "yellow", "red"};
    std::vector<std::string> fields{"ecn"};
    for (const std::string& colour : colours)
    {
        for (const char* what : {"_min_threshold", "_max_threshold", "_drop_probability"})
        {
            fields.push_back(colour + what);
        }
        fields.push_back("wred_" + colour + "_enable");
    }
    for (const SonicRow& row : tables.Take("WRED_PROFILE", fields))
    {
        SonicWred wred;
        wred.name = row.GetKey();
        const std::vector<std::string> modes{"ecn_none",
                                             "ecn_green",
                                             "ecn_yellow",
                                             "ecn_green_yellow",
                                             "ecn_red",
                                             "ecn_green_red",
                                             "ecn_yellow_red",
                                             "ecn_all"};
        const std::size_t mode = row.GetChoice("ecn", modes).value_or(0); // a mask of the colours
        for (std::size_t i = 0; i < colours.size(); ++i)
        {
            wred.marks[i] = (mode >> i & 1) != 0;
            SonicWred::Curve& curve = wred.curves[i];
            const std::string& colour = colours[i];
            curve.isOn =
                row.GetChoice("wred_" + colour + "_enable", {"false", "true"}).value_or(0) == 1;
            const auto max = static_cast<int64_t>(SONIC_MAX_BYTES);
            const std::string minField = colour + "_min_threshold";
            const std::string maxField = colour + "_max_threshold";
            if (curve.isOn)
            {
                row.NeedInteger(maxField, 0, max);
            }
            curve.min = static_cast<uint64_t>(row.GetInteger(minField, 0, max).value_or(0));
            curve.max = static_cast<uint64_t>(row.GetInteger(maxField, 0, max).value_or(0));
            curve.probability =
                static_cast<double>(
                    row.GetInteger(colour + "_drop_probability", 0, 100).value_or(100)) /
                100;
            if (curve.min > curve.max && row.Has(maxField))
            {
                row.Fail(minField,
                         std::to_string(curve.min),
                         "no more than " + maxField + " " + std::to_string(curve.max));
            }
        }
        config.wreds.push_back(wred);
    }
}

template <typename Named>
const Named*
FindNamed(const std::vector<Named>& items, const std::string& name)
{
    const auto found = std::find_if(items.begin(), items.end(), [&name](const Named& item) {
        return item.name == name;
    });
    return found == items.end() ? nullptr : &*found;
}

template <typename Named>
std::string
GetNamed(const SonicRow& row,
         const std::string& field,
         const std::string& table,
         const std::vector<Named>& items)
{
    std::map<std::string, bool> names;
    for (const Named& item : items)
    {
        names[item.name] = true;
    }
    return GetKnown(row, field, table, names);
}

void
ReadQueues(SonicTables& tables, SonicQosConfig& config)
{
    std::map<std::pair<std::string, uint8_t>, std::string> taken; // place by (port, queue)
    for (const SonicRow& row : tables.Take("QUEUE", {"scheduler", "wred_profile"}))
    {
        SonicQueue queue;
        queue.place = row.GetPlace();
        const SonicRow::PortKey key = row.GetPortKey(SonicQosConfig::MAX_QUEUE);
        queue.ports = key.ports;
        queue.range = key.range;
        for (const std::string& port : queue.ports)
        {
            for (uint8_t number = queue.range.first; number <= queue.range.last; ++number)
            {
                const auto [other, isNew] =
                    taken.emplace(std::make_pair(port, number), queue.place);
                if (!isNew)
                {
                    row.Fail("",
                             port + " " + std::to_string(number) + " is also in the row at " +
                                 other->second,
                             "each in one row");
                }
            }
        }
        queue.scheduler = GetNamed(row, "scheduler", "SCHEDULER", config.schedulers);
        queue.wred = GetNamed(row, "wred_profile", "WRED_PROFILE", config.wreds);
        config.queues.push_back(queue);
    }
}

void
ReadWatchdogs(SonicTables& tables, SonicQosConfig& config)
{
    for (const SonicRow& row :
         tables.Take("PFC_WD", {"action", "detection_time", "restoration_time", "POLL_INTERVAL"}))
    {
        if (row.GetKey() == "GLOBAL")
        {
            if (const auto poll = row.GetInteger("POLL_INTERVAL", 100, 3000))
            {
                config.watchdogPoll = static_cast<uint32_t>(*poll);
            }
            continue;
        }
        // Limits and default action are those of SONiC's orchestration agent; the default
        // restoration time is that of its command pfcwd.
        SonicWatchdog watchdog;
        const std::array<SonicWatchdog::Action, 3> actions{SonicWatchdog::DROP,
                                                           SonicWatchdog::FORWARD,
                                                           SonicWatchdog::ALERT};
        watchdog.action =
            actions[row.GetChoice("action", {"drop", "forward", "alert"}).value_or(0)];
        watchdog.detectionTime =
            static_cast<uint32_t>(row.NeedInteger("detection_time", 100, 5000));
        watchdog.restorationTime =
            static_cast<uint32_t>(row.GetInteger("restoration_time", 100, 60000)
                                      .value_or(2 * int64_t(watchdog.detectionTime)));
        for (const std::string& port : SplitSonic(row.GetKey(), ','))
        {
            config.watchdogs[port] = watchdog;
        }
    }
}

} // namespace

SonicPortQos
SonicQosConfig::GetPort(const std::string& port) const
{
    const auto found = ports.find(port);
    SonicPortQos row = found == ports.end() ? SonicPortQos() : found->second;
    for (const auto field : {&SonicPortQos::dscpToTc,
                             &SonicPortQos::tcToPg,
                             &SonicPortQos::tcToQueue,
                             &SonicPortQos::pfcToQueue})
    {
        if ((row.*field).empty())
        {
            row.*field = global.*field;
        }
    }
    if (!row.hasPfc)
    {
        row.hasPfc = global.hasPfc;
        row.pfc = global.pfc;
        row.watchdog = global.watchdog;
    }
    return row;
}

const SonicScheduler*
SonicQosConfig::FindScheduler(const std::string& port, uint8_t number) const
{
    const SonicQueue* queue = FindQueue(port, number);
    return queue ? FindNamed(schedulers, queue->scheduler) : nullptr;
}

const SonicWred*
SonicQosConfig::FindWred(const std::string& port, uint8_t number) const
{
    const SonicQueue* queue = FindQueue(port, number);
    return queue ? FindNamed(wreds, queue->wred) : nullptr;
}

const SonicQueue*
SonicQosConfig::FindQueue(const std::string& port, uint8_t number) const
{
    for (const SonicQueue& queue : queues)
    {
        if (number >= queue.range.first && number <= queue.range.last &&
            std::find(queue.ports.begin(), queue.ports.end(), port) != queue.ports.end())
        {
            return &queue;
        }
    }
    return nullptr;
}

SonicQosConfig
ReadSonicQos(SonicTables& tables)
{
    SonicQosConfig config;
    config.dscpToTc = ReadMaps<64>(tables, "DSCP_TO_TC_MAP");
    config.tcToPg = ReadMaps<8>(tables, "TC_TO_PRIORITY_GROUP_MAP");
    config.tcToQueue = ReadMaps<8>(tables, "TC_TO_QUEUE_MAP");
    config.pfcToQueue = ReadMaps<8>(tables, "MAP_PFC_PRIORITY_TO_QUEUE");
    ReadPortQos(tables, config);
    ReadSchedulers(tables, config);
    ReadWreds(tables, config);
    ReadQueues(tables, config);
    ReadWatchdogs(tables, config);
    return config;
}

} // namespace ns3
