/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "sonic-config-reader.h"

#include "sonic-tables.h"

#include <map>
#include <set>
#include <stdexcept>

namespace ns3
{

namespace
{

const std::string LOSSLESS_POOL = "ingress_lossless_pool"; // SONiC's own fixed name

/** Makes the lossless priority groups that SONiC makes at run time. */
class LosslessGroups
{
  public:
    LosslessGroups(SonicConfig& config, const SonicPgProfiles* profiles, const SonicFiles& files)
        : m_config(config),
          m_buffers(config.buffers),
          m_profiles(profiles),
          m_files(files)
    {
    }

    void Make()
    {
        std::set<std::string> ports;
        for (const auto& [name, port] : m_buffers.ports)
        {
            ports.insert(name);
        }
        for (const auto& [name, port] : m_config.qos.ports)
        {
            ports.insert(name);
        }
        const std::size_t written = m_buffers.priorityGroups.size();
        for (const std::string& port : ports)
        {
            MakeMissing(port, m_config.qos.GetPort(port).pfc);
        }
        for (std::size_t i = 0; i < written; ++i)
        {
            FillNull(i);
        }
        ShareHeadroom();
        for (const auto& [cause, ports] : m_missing)
        {
            std::string list;
            for (const std::string& port : ports)
            {
                list += (list.empty() ? "" : ", ") + port;
            }
            m_config.notes.push_back(
                "no lossless priority groups made for " + std::to_string(ports.size()) +
                (ports.size() == 1 ? " port, " : " ports, ") + cause + ": " + list);
        }
    }

  private:
    /** Groups of a port with PFC of which BUFFER_PG says nothing. */
    void MakeMissing(const std::string& port, uint8_t pfc)
    {
        uint8_t written = 0;
        for (const SonicBufferUse& use : m_buffers.priorityGroups)
        {
            for (const std::string& name : use.ports)
            {
                for (uint8_t pg = use.range.first; name == port && pg <= use.range.last; ++pg)
                {
                    written = static_cast<uint8_t>(written | (1U << pg));
                }
            }
        }
        for (uint8_t pg = 0; pg <= SonicBufferConfig::MAX_PG; ++pg)
        {
            const SonicBufferProfile* profile = m_buffers.FindPg(port, pg);
            if ((pfc >> pg & 1) != 0 && profile && !profile->IsLossless())
            {
                m_config.notes.push_back(profile->place + ": BUFFER_PROFILE|" + profile->name +
                                         " has no xoff, but PFC is on for priority group " +
                                         std::to_string(pg) + " of " + port);
            }
        }
        const uint8_t missing = pfc & ~written;
        for (uint8_t pg = 0; pg <= SonicBufferConfig::MAX_PG; ++pg)
        {
            if ((missing >> pg & 1) == 0)
            {
                continue;
            }
            SonicRange range{pg, pg};
            while (range.last < SonicBufferConfig::MAX_PG && (missing >> (range.last + 1) & 1) != 0)
            {
                ++range.last;
            }
            pg = range.last;
            const std::string name = MakeProfile(port);
            if (name.empty())
            {
                return;
            }
            SonicBufferUse use;
            use.place = m_buffers.FindProfile(name)->place;
            use.ports = {port};
            use.range = range;
            use.profile = name;
            use.isGenerated = true;
            m_buffers.priorityGroups.push_back(use);
        }
    }

    /** A row with the profile "NULL": each of its ports gets the profile of its own. */
    void FillNull(std::size_t index)
    {
        if (!m_buffers.priorityGroups[index].profile.empty())
        {
            return;
        }
        const SonicBufferUse row = m_buffers.priorityGroups[index];
        std::vector<SonicBufferUse> made;
        for (const std::string& port : row.ports)
        {
            SonicBufferUse use = row;
            use.ports = {port};
            use.profile = MakeProfile(port);
            use.isGenerated = !use.profile.empty();
            made.push_back(use);
        }
        m_buffers.priorityGroups[index] = made.front();
        m_buffers.priorityGroups.insert(m_buffers.priorityGroups.end(),
                                        made.begin() + 1,
                                        made.end());
    }

    /** @returns the name of the profile for a port; empty if none can be made */
    std::string MakeProfile(const std::string& name)
    {
        const auto found = m_buffers.ports.find(name);
        const SonicPort port = found == m_buffers.ports.end() ? SonicPort() : found->second;
        const uint32_t speed = port.speed != 0 ? port.speed : m_files.defaultSpeed;
        const std::string cable = port.cable.empty() ? m_files.defaultCable : port.cable;
        const std::string cause = m_buffers.pools.empty() ? "BUFFER_POOL is not there"
                                  : !m_profiles           ? "pg_profile_lookup.ini is not given"
                                  : speed == 0            ? "PORT tells no speed"
                                  : cable.empty()         ? "CABLE_LENGTH tells no cable"
                                  : cable == "0m"         ? "the cable is 0m"
                                                          : "";
        if (!cause.empty())
        {
            m_missing[cause].insert(name);
            return "";
        }
        const std::string profileName =
            "pg_lossless_" + std::to_string(speed) + "_" + cable + "_profile";
        if (m_buffers.FindProfile(profileName))
        {
            return profileName;
        }
        const std::string place = !port.cablePlace.empty() ? port.cablePlace
                                  : !port.place.empty()
                                      ? port.place
                                      : m_config.qos.GetPort(name).place + ": PORT_QOS_MAP|" + name;
        const SonicBufferPool* pool = m_buffers.FindPool(LOSSLESS_POOL);
        if (!pool)
        {
            throw std::invalid_argument(place + ": PFC needs a lossless buffer, expected a pool " +
                                        LOSSLESS_POOL + " in BUFFER_POOL");
        }
        const SonicPgProfile* source = m_profiles->Find(speed, cable);
        if (!source && m_files.takesLongerCable)
        {
            source = m_profiles->FindAtLeast(speed, cable);
            if (source)
            {
                m_config.notes.push_back(place + ": no profile of " + cable + " at " +
                                         std::to_string(speed) + " Mb/s, that of " + source->cable +
                                         " is used");
            }
        }
        if (!source)
        {
            throw std::invalid_argument(place + ": " + m_profiles->file + " has no profile of " +
                                        cable + " at " + std::to_string(speed) +
                                        " Mb/s, expected one of " + m_profiles->Describe(speed));
        }
        m_buffers.profiles.push_back(Convert(*source, *pool, profileName));
        return profileName;
    }

    SonicBufferProfile Convert(const SonicPgProfile& source,
                               const SonicBufferPool& pool,
                               const std::string& name) const
    {
        SonicBufferProfile profile;
        profile.name = name;
        profile.place = m_profiles->file + ":" + std::to_string(source.line);
        profile.pool = pool.name;
        profile.size = source.size;
        profile.xon = source.xon;
        profile.xoff = source.xoff;
        profile.xonOffset = source.xonOffset;
        profile.isGenerated = true;
        const bool isInRange =
            pool.isStatic ? source.threshold >= 0 : source.threshold <= SONIC_MAX_DYNAMIC_TH;
        if (!isInRange)
        {
            throw std::invalid_argument(profile.place + ": threshold \"" +
                                        std::to_string(source.threshold) + "\", expected " +
                                        (pool.isStatic
                                             ? "bytes, because pool " + pool.name + " is static"
                                             : std::to_string(SONIC_MIN_DYNAMIC_TH) + ".." +
                                                   std::to_string(SONIC_MAX_DYNAMIC_TH) +
                                                   " (log2 of alpha), because pool " + pool.name +
                                                   " is dynamic"));
        }
        if (pool.isStatic)
        {
            profile.staticTh = static_cast<uint64_t>(source.threshold);
        }
        else
        {
            profile.dynamicTh =
                m_buffers.defaultDynamicTh.value_or(static_cast<int32_t>(source.threshold));
        }
        return profile;
    }

    /** The shared headroom, if it is given by its over-subscription. */
    void ShareHeadroom()
    {
        const double ratio = m_buffers.overSubscribeRatio.value_or(0);
        for (SonicBufferPool& pool : m_buffers.pools)
        {
            if (pool.name != LOSSLESS_POOL || pool.xoff != 0 || ratio <= 0)
            {
                continue;
            }
            uint64_t sum = 0;
            for (const SonicBufferUse& use : m_buffers.priorityGroups)
            {
                const SonicBufferProfile* profile = m_buffers.FindProfile(use.profile);
                if (profile && profile->pool == pool.name)
                {
                    sum +=
                        profile->xoff * use.ports.size() * (use.range.last - use.range.first + 1U);
                }
            }
            pool.xoff = static_cast<uint64_t>(static_cast<double>(sum) / ratio);
            m_config.notes.push_back(pool.place + ": BUFFER_POOL|" + pool.name +
                                     ": shared headroom " + std::to_string(pool.xoff) +
                                     " bytes, by over_subscribe_ratio");
        }
    }

    SonicConfig& m_config;                                  //!< to complete
    SonicBufferConfig& m_buffers;                           //!< its buffers
    const SonicPgProfiles* m_profiles;                      //!< or null
    const SonicFiles& m_files;                              //!< what is open
    std::map<std::string, std::set<std::string>> m_missing; //!< ports by cause
};

} // namespace

SonicConfig
SonicConfigReader::ReadFiles(const SonicFiles& files)
{
    SonicTables tables;
    for (const std::string& path : files.configs)
    {
        tables.AddFile(path);
    }
    std::optional<SonicPgProfiles> profiles;
    if (!files.pgProfiles.empty())
    {
        profiles = SonicPgProfileReader::ReadFile(files.pgProfiles);
    }
    return Read(tables, profiles ? &*profiles : nullptr, files);
}

SonicConfig
SonicConfigReader::Read(SonicTables& tables,
                        const SonicPgProfiles* profiles,
                        const SonicFiles& files)
{
    SonicConfig config;
    config.buffers = ReadSonicBuffers(tables);
    config.qos = ReadSonicQos(tables);
    config.ignoredTables = tables.GetIgnored();
    config.notes = tables.GetNotes();
    for (const std::string& port : config.buffers.cablesWithoutPort)
    {
        config.notes.push_back(config.buffers.ports[port].cablePlace + ": not a port of PORT");
    }
    LosslessGroups(config, profiles, files).Make();
    CheckSonicPools(config.buffers);
    return config;
}

} // namespace ns3
