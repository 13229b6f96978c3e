/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SONIC_QOS_CONFIG_H
#define SONIC_QOS_CONFIG_H

#include "sonic-value.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

class SonicTables;

/** @ingroup ai-fabric
 * A row of SCHEDULER. */
struct SonicScheduler
{
    /** How it serves. */
    enum Type
    {
        DWRR,   //!< deficit weighted round robin, by bytes
        WRR,    //!< weighted round robin, by packets
        STRICT, //!< before all others
    };

    std::string name;               //!< its key
    Type type{DWRR};                //!< how it serves
    uint32_t weight{1};             //!< of DWRR and WRR
    uint64_t pir{0};                //!< peak rate of a shaper, bytes/s or packets/s; 0: none
    uint64_t pbs{0};                //!< its burst, bytes or packets; 0: not given
    bool isMeteredInPackets{false}; //!< units of pir and pbs
};

/** @ingroup ai-fabric
 * A row of WRED_PROFILE. */
struct SonicWred
{
    /** Curve of one colour. */
    struct Curve
    {
        bool isOn{false};      //!< wred_COLOUR_enable
        uint64_t min{0};       //!< bytes
        uint64_t max{0};       //!< bytes
        double probability{0}; //!< at max, 0..1
    };

    /** Colours. */
    enum Colour
    {
        GREEN,
        YELLOW,
        RED,
        COLOURS,
    };

    std::string name;                    //!< its key
    std::array<Curve, COLOURS> curves{}; //!< by colour
    std::array<bool, COLOURS> marks{};   //!< ECN-capable packets are marked, not dropped
};

/** @ingroup ai-fabric
 * A row of PORT_QOS_MAP. Names are empty where it says nothing. */
struct SonicPortQos
{
    std::string place;      //!< `file:line`
    std::string dscpToTc;   //!< of DSCP_TO_TC_MAP
    std::string tcToPg;     //!< of TC_TO_PRIORITY_GROUP_MAP
    std::string tcToQueue;  //!< of TC_TO_QUEUE_MAP
    std::string pfcToQueue; //!< of MAP_PFC_PRIORITY_TO_QUEUE
    bool hasPfc{false};     //!< it says something about PFC
    uint8_t pfc{0};         //!< mask of priorities with PFC
    uint8_t watchdog{0};    //!< mask of priorities with a PFC watchdog
};

/** @ingroup ai-fabric
 * A row of QUEUE. */
struct SonicQueue
{
    std::string place;              //!< `file:line`
    std::vector<std::string> ports; //!< names
    SonicRange range{0, 0};         //!< queues
    std::string scheduler;          //!< of SCHEDULER; may be empty
    std::string wred;               //!< of WRED_PROFILE; may be empty
};

/** @ingroup ai-fabric
 * A row of PFC_WD. Times in milliseconds. */
struct SonicWatchdog
{
    /** What becomes of a queue in a storm. */
    enum Action
    {
        DROP,
        FORWARD,
        ALERT,
    };

    Action action{DROP};         //!< on a storm
    uint32_t detectionTime{0};   //!< paused without sending
    uint32_t restorationTime{0}; //!< without pause
};

/** @ingroup ai-fabric
 * Everything that SONiC's files say about quality of service, checked. */
struct SonicQosConfig
{
    using Dscps = std::array<uint8_t, 64>;  //!< traffic class of a DSCP
    using Classes = std::array<uint8_t, 8>; //!< priority group or queue of a class or priority

    std::map<std::string, Dscps> dscpToTc;          //!< DSCP_TO_TC_MAP
    std::map<std::string, Classes> tcToPg;          //!< TC_TO_PRIORITY_GROUP_MAP
    std::map<std::string, Classes> tcToQueue;       //!< TC_TO_QUEUE_MAP
    std::map<std::string, Classes> pfcToQueue;      //!< MAP_PFC_PRIORITY_TO_QUEUE
    std::vector<SonicScheduler> schedulers;         //!< SCHEDULER
    std::vector<SonicWred> wreds;                   //!< WRED_PROFILE
    std::map<std::string, SonicPortQos> ports;      //!< PORT_QOS_MAP without "global"
    SonicPortQos global;                            //!< its row "global"
    std::vector<SonicQueue> queues;                 //!< QUEUE
    std::map<std::string, SonicWatchdog> watchdogs; //!< PFC_WD, by port
    std::optional<uint32_t> watchdogPoll;           //!< PFC_WD GLOBAL POLL_INTERVAL, ms

    /**
     * @param port its name
     * @returns its row of PORT_QOS_MAP, filled up from "global"
     */
    SonicPortQos GetPort(const std::string& port) const;
    /**
     * @param port its name
     * @param queue its number
     * @returns its row of QUEUE, or null if it has none
     */
    const SonicQueue* FindQueue(const std::string& port, uint8_t queue) const;
    /**
     * @param port its name
     * @param queue its number
     * @returns its scheduler, or null if it has none
     */
    const SonicScheduler* FindScheduler(const std::string& port, uint8_t queue) const;
    /**
     * @param port its name
     * @param queue its number
     * @returns its WRED profile, or null if it has none
     */
    const SonicWred* FindWred(const std::string& port, uint8_t queue) const;

    static constexpr uint8_t MAX_QUEUE = 63; //!< highest queue; those of a CPU port go beyond 7
};

/**
 * @ingroup ai-fabric
 * Take the tables DSCP_TO_TC_MAP, TC_TO_PRIORITY_GROUP_MAP, TC_TO_QUEUE_MAP,
 * MAP_PFC_PRIORITY_TO_QUEUE, PORT_QOS_MAP, SCHEDULER, QUEUE, WRED_PROFILE and PFC_WD.
 * @param tables of the files
 * @returns what they say
 * @throws std::invalid_argument with file, line, cause and what was expected
 */
SonicQosConfig ReadSonicQos(SonicTables& tables);

} // namespace ns3

#endif // SONIC_QOS_CONFIG_H
