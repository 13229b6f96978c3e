/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "sonic-buffer-config.h"

#include "sonic-pg-profile-reader.h"
#include "sonic-tables.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ns3
{

namespace
{

/** @returns names with commas between, for messages */
template <typename Named>
std::string
ListNames(const std::vector<Named>& items)
{
    std::string list;
    for (const Named& item : items)
    {
        list += (list.empty() ? "" : ", ") + item.name;
    }
    return list.empty() ? "none" : list;
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

uint64_t
GetBytes(const SonicRow& row, const std::string& field)
{
    return static_cast<uint64_t>(
        row.GetInteger(field, 0, static_cast<int64_t>(SONIC_MAX_BYTES)).value_or(0));
}

void
ReadPools(SonicTables& tables, SonicBufferConfig& config)
{
    for (const SonicRow& row : tables.Take("BUFFER_POOL", {"type", "mode", "size", "xoff"}))
    {
        SonicBufferPool pool;
        pool.name = row.GetKey();
        pool.place = row.GetPlace();
        const auto type = row.GetChoice("type", {"ingress", "egress", "both"});
        if (!type)
        {
            row.Fail("", "no type", "ingress, egress or both");
        }
        pool.isIngress = *type != 1;
        pool.isEgress = *type != 0;
        pool.isStatic = row.GetChoice("mode", {"dynamic", "static"}).value_or(0) == 1;
        // With SONiC's dynamic buffer model a file has no sizes; they are then in the switch only.
        pool.size = static_cast<uint64_t>(
            row.NeedInteger("size", 1, static_cast<int64_t>(SONIC_MAX_BYTES)));
        pool.xoff = GetBytes(row, "xoff");
        if (pool.xoff > 0 && !pool.isIngress)
        {
            row.Fail("xoff", "headroom of an egress pool", "it in an ingress pool only");
        }
        if (pool.xoff > pool.size)
        {
            row.Fail("xoff",
                     std::to_string(pool.xoff) + " bytes of headroom",
                     "no more than the pool's size of " + std::to_string(pool.size));
        }
        config.pools.push_back(pool);
    }
}

void
ReadProfiles(SonicTables& tables, SonicBufferConfig& config)
{
    for (const SonicRow& row :
         tables.Take("BUFFER_PROFILE",
                     {"pool", "size", "xon", "xoff", "xon_offset", "dynamic_th", "static_th"}))
    {
        SonicBufferProfile profile;
        profile.name = row.GetKey();
        profile.place = row.GetPlace();
        const auto pool = row.GetReference("pool", "BUFFER_POOL");
        if (!pool)
        {
            row.Fail("", "no pool", "the name of a pool in BUFFER_POOL");
        }
        profile.pool = *pool;
        const SonicBufferPool* known = config.FindPool(*pool);
        if (!known)
        {
            row.Fail("pool",
                     "there is no pool " + QuoteSonic(*pool),
                     "one of BUFFER_POOL: " + ListNames(config.pools));
        }
        profile.size = GetBytes(row, "size");
        profile.xon = GetBytes(row, "xon");
        profile.xoff = GetBytes(row, "xoff");
        if (profile.xoff > 0 && !known->isIngress)
        {
            row.Fail("xoff", "headroom in an egress pool", "it in an ingress pool only");
        }
        if (row.Has("xon_offset"))
        {
            profile.xonOffset = GetBytes(row, "xon_offset");
        }
        if (const auto th =
                row.GetInteger("dynamic_th", SONIC_MIN_DYNAMIC_TH, SONIC_MAX_DYNAMIC_TH))
        {
            profile.dynamicTh = static_cast<int32_t>(*th);
        }
        if (row.Has("static_th"))
        {
            profile.staticTh = GetBytes(row, "static_th");
        }
        if (profile.dynamicTh && profile.staticTh)
        {
            row.Fail("static_th", "a static and a dynamic threshold", "one of them");
        }
        if (!profile.dynamicTh && !profile.staticTh)
        {
            row.Fail("", "no threshold", "dynamic_th (log2 of alpha) or static_th (bytes)");
        }
        if (profile.size > known->size)
        {
            row.Fail("size",
                     std::to_string(profile.size) + " bytes reserved",
                     "no more than the " + std::to_string(known->size) + " of pool " + *pool);
        }
        config.profiles.push_back(profile);
    }
}

/** Complain if a row uses a profile that is not there or is of the wrong side. */
void
CheckProfile(const SonicBufferConfig& config,
             const SonicRow& row,
             const std::string& field,
             const std::string& name,
             bool isIngress)
{
    const SonicBufferProfile* profile = config.FindProfile(name);
    if (!profile)
    {
        row.Fail(field,
                 "there is no profile " + QuoteSonic(name),
                 "one of BUFFER_PROFILE: " + ListNames(config.profiles));
    }
    const SonicBufferPool* pool = config.FindPool(profile->pool);
    if (isIngress ? !pool->isIngress : !pool->isEgress)
    {
        row.Fail(field,
                 "profile " + QuoteSonic(name) + " is of pool " + profile->pool,
                 std::string("a profile of an ") + (isIngress ? "ingress" : "egress") + " pool");
    }
}

std::vector<SonicBufferUse>
ReadUses(SonicTables& tables, const SonicBufferConfig& config, const char* table, bool isIngress)
{
    std::vector<SonicBufferUse> uses;
    std::map<std::pair<std::string, uint8_t>, std::string> taken; // place by (port, number)
    for (const SonicRow& row : tables.Take(table, {"profile"}))
    {
        SonicBufferUse use;
        use.place = row.GetPlace();
        const SonicRow::PortKey key =
            row.GetPortKey(isIngress ? SonicBufferConfig::MAX_PG : SonicBufferConfig::MAX_QUEUE);
        use.ports = key.ports;
        use.range = key.range;
        for (const std::string& port : use.ports)
        {
            for (uint8_t number = use.range.first; number <= use.range.last; ++number)
            {
                const auto [other, isNew] = taken.emplace(std::make_pair(port, number), use.place);
                if (!isNew)
                {
                    row.Fail("",
                             port + " " + std::to_string(number) + " is also in the row at " +
                                 other->second,
                             "each in one row");
                }
            }
        }
        const auto profile = row.GetReference("profile", "BUFFER_PROFILE");
        if (!profile)
        {
            row.Fail("", "no profile", "the name of a profile in BUFFER_PROFILE");
        }
        if (*profile != "NULL" || !isIngress)
        {
            CheckProfile(config, row, "profile", *profile, isIngress);
            use.profile = *profile;
        }
        uses.push_back(use);
    }
    return uses;
}

void
ReadPorts(SonicTables& tables, SonicBufferConfig& config)
{
    for (const SonicRow& row : tables.Take("PORT", {}))
    {
        SonicPort& port = config.ports[row.GetKey()];
        port.place = row.Describe();
        port.speed = static_cast<uint32_t>(row.GetInteger("speed", 1, SONIC_MAX_SPEED).value_or(0));
        port.mtu = static_cast<uint32_t>(row.GetInteger("mtu", 68, 65535).value_or(0));
    }
    const bool knowsPorts = !config.ports.empty();
    for (const SonicRow& row : tables.Take("CABLE_LENGTH", {}))
    {
        for (const JsonNode& field : row.GetFields())
        {
            const std::string cable = *row.GetText(field.key);
            if (!ParseSonicCable(cable))
            {
                row.Fail(field.key, QuoteSonic(cable), "a length in meters such as 5m");
            }
            if (knowsPorts && config.ports.count(field.key) == 0)
            {
                config.cablesWithoutPort.push_back(field.key);
            }
            SonicPort& port = config.ports[field.key];
            if (!port.cable.empty() && port.cable != cable)
            {
                row.Fail(field.key,
                         cable + ", but " + port.cable + " in " + port.cablePlace,
                         "one length per port");
            }
            port.cable = cable;
            port.cablePlace = row.DescribeField(field.key);
        }
    }
}

void
ReadLists(SonicTables& tables, const SonicBufferConfig& config)
{
    for (const bool isIngress : {true, false})
    {
        for (const SonicRow& row : tables.Take(isIngress ? "BUFFER_PORT_INGRESS_PROFILE_LIST"
                                                         : "BUFFER_PORT_EGRESS_PROFILE_LIST",
                                               {"profile_list"}))
        {
            for (const std::string& name : row.GetReferences("profile_list", "BUFFER_PROFILE"))
            {
                CheckProfile(config, row, "profile_list", name, isIngress);
            }
        }
    }
}

void
ReadDefaults(SonicTables& tables, SonicBufferConfig& config)
{
    for (const SonicRow& row :
         tables.Take("LOSSLESS_TRAFFIC_PATTERN", {"mtu", "small_packet_percentage"}))
    {
        if (const auto mtu = row.GetInteger("mtu", 64, 10240))
        {
            config.losslessMtu = static_cast<uint32_t>(*mtu);
        }
        if (const auto percent = row.GetInteger("small_packet_percentage", 0, 100))
        {
            config.smallPackets = static_cast<uint32_t>(*percent);
        }
    }
    for (const SonicRow& row : tables.Take("DEFAULT_LOSSLESS_BUFFER_PARAMETER",
                                           {"default_dynamic_th", "over_subscribe_ratio"}))
    {
        if (const auto th =
                row.GetInteger("default_dynamic_th", SONIC_MIN_DYNAMIC_TH, SONIC_MAX_DYNAMIC_TH))
        {
            config.defaultDynamicTh = static_cast<int32_t>(*th);
        }
        if (const auto ratio = row.GetInteger("over_subscribe_ratio", 0, 1024))
        {
            config.overSubscribeRatio = static_cast<double>(*ratio);
        }
    }
    for (const SonicRow& row : tables.Take("DEVICE_METADATA", {}))
    {
        if (row.GetKey() == "localhost")
        {
            config.platform = row.GetText("platform").value_or("");
        }
    }
    config.isReservedOutside = config.platform.find("mlnx") != std::string::npos ||
                               config.platform.find("nvidia") != std::string::npos;
}

const SonicBufferProfile*
FindUsed(const SonicBufferConfig& config,
         const std::vector<SonicBufferUse>& uses,
         const std::string& port,
         uint8_t number)
{
    for (const SonicBufferUse& use : uses)
    {
        if (number >= use.range.first && number <= use.range.last &&
            std::find(use.ports.begin(), use.ports.end(), port) != use.ports.end())
        {
            return config.FindProfile(use.profile);
        }
    }
    return nullptr;
}

} // namespace

bool
SonicBufferProfile::IsLossless() const
{
    return xoff > 0;
}

double
SonicBufferProfile::GetAlpha() const
{
    return std::exp2(dynamicTh.value());
}

uint64_t
SonicBufferProfile::GetReserved() const
{
    return xoff > 0 && size >= xon + xoff ? size - xoff : size;
}

const SonicBufferPool*
SonicBufferConfig::FindPool(const std::string& name) const
{
    return FindNamed(pools, name);
}

const SonicBufferProfile*
SonicBufferConfig::FindProfile(const std::string& name) const
{
    return FindNamed(profiles, name);
}

const SonicBufferProfile*
SonicBufferConfig::FindPg(const std::string& port, uint8_t pg) const
{
    return FindUsed(*this, priorityGroups, port, pg);
}

const SonicBufferProfile*
SonicBufferConfig::FindQueue(const std::string& port, uint8_t queue) const
{
    return FindUsed(*this, queues, port, queue);
}

SonicBufferConfig
ReadSonicBuffers(SonicTables& tables)
{
    SonicBufferConfig config;
    ReadPools(tables, config);
    ReadProfiles(tables, config);
    config.priorityGroups = ReadUses(tables, config, "BUFFER_PG", true);
    config.queues = ReadUses(tables, config, "BUFFER_QUEUE", false);
    ReadPorts(tables, config);
    ReadLists(tables, config);
    ReadDefaults(tables, config);
    return config;
}

void
CheckSonicPools(const SonicBufferConfig& config)
{
    std::map<std::string, uint64_t> needed; // bytes by pool
    for (const auto* uses : {&config.priorityGroups, &config.queues})
    {
        for (const SonicBufferUse& use : *uses)
        {
            const SonicBufferProfile* profile = config.FindProfile(use.profile);
            if (!profile)
            {
                continue;
            }
            const bool hasOwnHeadroom =
                profile->IsLossless() && config.FindPool(profile->pool)->xoff == 0;
            const uint64_t each =
                profile->GetReserved() + (hasOwnHeadroom ? profile->xoff : uint64_t(0));
            needed[profile->pool] +=
                each * use.ports.size() * (use.range.last - use.range.first + 1U);
        }
    }
    for (const SonicBufferPool& pool : config.pools)
    {
        const uint64_t all = needed[pool.name] + pool.xoff;
        if (!config.isReservedOutside && all > pool.size)
        {
            throw std::invalid_argument(
                pool.place + ": BUFFER_POOL|" + pool.name + ": " + std::to_string(all) +
                " bytes are reserved and headroom, expected no more than its size of " +
                std::to_string(pool.size));
        }
    }
}

} // namespace ns3
