/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SONIC_PG_PROFILE_READER_H
#define SONIC_PG_PROFILE_READER_H

#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/** @ingroup ai-fabric
 * Buffer of a lossless priority group at one speed and cable length. Sizes in bytes. */
struct SonicPgProfile
{
    uint32_t speed{0};                 //!< Mb/s
    std::string cable;                 //!< as the file writes it: "5m"
    double cableMeters{0};             //!< the same as a number
    uint64_t size{0};                  //!< reserved
    uint64_t xon{0};                   //!< below this a stopped group goes on; 0: see xonOffset
    uint64_t xoff{0};                  //!< headroom
    int64_t threshold{0};              //!< log2 of alpha in a dynamic pool, bytes in a static one
    std::optional<uint64_t> xonOffset; //!< how far below its threshold a stopped group goes on
    uint32_t line{0};                  //!< of the file, from 1
};

/**
 * @ingroup ai-fabric
 * A length of cable as SONiC writes it: "5m", "0.5m".
 * @param text the length
 * @returns meters, or nothing if it is not one
 */
std::optional<double> ParseSonicCable(const std::string& text);

/** @ingroup ai-fabric
 * What a pg_profile_lookup.ini says: one profile per speed and cable length. */
struct SonicPgProfiles
{
    std::string file;                     //!< its name, for messages
    std::vector<SonicPgProfile> profiles; //!< in the file's order

    /**
     * SONiC's buffer manager takes only a row that is exactly the port's; without one the port gets
     * no lossless buffer at all.
     * @param speed in Mb/s
     * @param cable length, "5m"
     * @returns the profile, or null if there is none
     */
    const SonicPgProfile* Find(uint32_t speed, const std::string& cable) const;
    /**
     * The safe substitute for a missing row: headroom for a longer cable is enough.
     * @param speed in Mb/s
     * @param cable length, "5m"
     * @returns the profile of this length or else of the shortest longer cable, or null
     */
    const SonicPgProfile* FindAtLeast(uint32_t speed, const std::string& cable) const;
    /**
     * @param speed in Mb/s
     * @returns what there is, for messages: "5m, 40m at 100000 Mb/s", or the speeds if there is
     * nothing at this one
     */
    std::string Describe(uint32_t speed) const;
};

/**
 * @ingroup ai-fabric
 * Reads SONiC's pg_profile_lookup.ini: rows of speed (Mb/s), cable length, size, xon, xoff,
 * threshold and perhaps xon_offset, with blanks or tabs between. Blank lines and those that begin
 * with "#" say nothing.
 */
class SonicPgProfileReader
{
  public:
    /**
     * @param path of the file
     * @returns what it says
     * @throws std::runtime_error if it can not be read; std::invalid_argument with file, line,
     * cause and what was expected if it is wrong or holds no profile
     */
    static SonicPgProfiles ReadFile(const std::string& path);

    /**
     * @param text the rows
     * @param name of the file, for errors
     * @returns what they say
     * @throws std::invalid_argument as ReadFile()
     */
    static SonicPgProfiles Read(const std::string& text, const std::string& name);
};

} // namespace ns3

#endif // SONIC_PG_PROFILE_READER_H
