/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SONIC_SUMMARY_H
#define SONIC_SUMMARY_H

#include "sonic-config-reader.h"

#include <map>
#include <ostream>
#include <string>

namespace ns3
{

/** @ingroup ai-fabric
 * What was found in SONiC's files, in numbers that a user can compare with them. */
struct SonicSummary
{
    uint32_t pools{0};                      //!< rows of BUFFER_POOL
    uint32_t profiles{0};                   //!< rows of BUFFER_PROFILE
    uint32_t losslessProfiles{0};           //!< of these, with headroom
    uint32_t generatedProfiles{0};          //!< made from pg_profile_lookup.ini, in addition
    uint32_t groups{0};                     //!< rows of BUFFER_PG
    uint32_t losslessGroups{0};             //!< of these, with headroom
    uint32_t generatedGroups{0};            //!< made as SONiC does at run time, in addition
    uint32_t queues{0};                     //!< rows of BUFFER_QUEUE
    uint32_t losslessQueues{0};             //!< of these, with SONiC's egress_lossless_profile
    std::map<std::string, uint32_t> cables; //!< ports by length of the cable
    std::map<uint32_t, uint32_t> speeds;    //!< ports by speed, Mb/s
    std::map<std::string, uint32_t> pfc;    //!< ports by priorities with PFC: "3,4"
    uint32_t scheduledQueues{0};            //!< rows of QUEUE
    uint32_t wredQueues{0};                 //!< of these, with a WRED profile
    uint32_t watchdogs{0};                  //!< ports in PFC_WD
};

/**
 * @ingroup ai-fabric
 * @param config what the files say
 * @returns it in numbers
 */
SonicSummary SummarizeSonic(const SonicConfig& config);

/**
 * @ingroup ai-fabric
 * Print what was found: pools, numbers of rows, schedulers, curves, tables that are not read,
 * notes.
 * @param config what the files say
 * @param os where to
 */
void PrintSonicSummary(const SonicConfig& config, std::ostream& os);

/**
 * @ingroup ai-fabric
 * @param mask of priorities
 * @returns "3,4"
 */
std::string PrintPriorities(uint8_t mask);

} // namespace ns3

#endif // SONIC_SUMMARY_H
