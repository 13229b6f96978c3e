/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SONIC_CONFIG_READER_H
#define SONIC_CONFIG_READER_H

#include "sonic-buffer-config.h"
#include "sonic-pg-profile-reader.h"
#include "sonic-qos-config.h"

#include <optional>
#include <string>
#include <vector>

namespace ns3
{

class SonicTables;

/** @ingroup ai-fabric
 * What SONiC's files say of a switch, checked and complete. */
struct SonicConfig
{
    SonicBufferConfig buffers;              //!< pools, profiles, priority groups, queues, cables
    SonicQosConfig qos;                     //!< maps, PFC, schedulers, ECN, watchdog
    std::vector<std::string> ignoredTables; //!< that the files have and nobody reads
    std::vector<std::string> notes;         //!< what the user should know, one line each
};

/** @ingroup ai-fabric
 * The files of a switch and what they may leave open. */
struct SonicFiles
{
    /** JSON files: config_db.json, buffers.json, qos.json; a later one replaces rows of an earlier
     * one. */
    std::vector<std::string> configs;
    std::string pgProfiles;       //!< pg_profile_lookup.ini; empty: none
    uint32_t defaultSpeed{0};     //!< Mb/s of ports that have none in PORT; 0: unknown
    std::string defaultCable;     //!< of ports that have none in CABLE_LENGTH; empty: unknown
    bool takesLongerCable{false}; //!< where a cable has no profile, take that of the next longer
};

/**
 * @ingroup ai-fabric
 * Reads the buffer and QoS configuration of a SONiC switch.
 *
 * A port with PFC needs a lossless buffer for these priorities. Where BUFFER_PG has none, or the
 * profile "NULL", one is made as SONiC's buffer manager does at run time: the profile
 * pg_lossless_SPEED_CABLE_profile in ingress_lossless_pool with the values that
 * pg_profile_lookup.ini has for the port's speed and cable. Its threshold is default_dynamic_th of
 * DEFAULT_LOSSLESS_BUFFER_PARAMETER, if there is such a thing, and with over_subscribe_ratio the
 * shared headroom is the sum of all xoff divided by it. A cable of 0m gets none. What can not be
 * made because a file is missing is noted.
 */
class SonicConfigReader
{
  public:
    /**
     * @param files to read
     * @returns what they say
     * @throws std::runtime_error if one can not be read or is not JSON; std::invalid_argument with
     * file, line, cause and what was expected if one is wrong
     */
    static SonicConfig ReadFiles(const SonicFiles& files);

    /**
     * @param tables of the JSON files
     * @param profiles of pg_profile_lookup.ini, or null
     * @param files what is open; names of files are not used
     * @returns what they say
     * @throws std::invalid_argument as ReadFiles()
     */
    static SonicConfig Read(SonicTables& tables,
                            const SonicPgProfiles* profiles,
                            const SonicFiles& files);
};

} // namespace ns3

#endif // SONIC_CONFIG_READER_H
