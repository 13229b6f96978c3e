/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SONIC_BUFFER_CONFIG_H
#define SONIC_BUFFER_CONFIG_H

#include "sonic-value.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

class SonicTables;

/** @ingroup ai-fabric
 * A row of BUFFER_POOL. */
struct SonicBufferPool
{
    std::string name;     //!< its key
    std::string place;    //!< `file:line`
    bool isIngress{true}; //!< type is "ingress" or "both"
    bool isEgress{false}; //!< type is "egress" or "both"
    bool isStatic{false}; //!< mode of the thresholds that are made for it
    uint64_t size{0};     //!< bytes
    uint64_t xoff{0};     //!< bytes of the shared headroom pool; 0: each group has its own headroom
};

/** @ingroup ai-fabric
 * A row of BUFFER_PROFILE. */
struct SonicBufferProfile
{
    std::string name;                  //!< its key
    std::string place;                 //!< `file:line`
    std::string pool;                  //!< its pool
    uint64_t size{0};                  //!< bytes reserved
    uint64_t xon{0};                   //!< bytes
    uint64_t xoff{0};                  //!< bytes of headroom; 0: lossy, or an egress profile
    std::optional<uint64_t> xonOffset; //!< bytes below the threshold where a group goes on
    std::optional<int32_t> dynamicTh;  //!< log2 of alpha
    std::optional<uint64_t> staticTh;  //!< bytes
    bool isGenerated{false};           //!< made from pg_profile_lookup.ini

    /** @returns true if it is one for lossless priority groups */
    bool IsLossless() const;
    /** @returns 2 to the power of dynamic_th; only with one */
    double GetAlpha() const;
    /**
     * What a priority group has for itself below its threshold. NVIDIA's profiles count the
     * headroom in size (size = xon + xoff), Broadcom's do not; if it is in, it comes out here.
     * @returns bytes
     */
    uint64_t GetReserved() const;
};

/** @ingroup ai-fabric
 * A row of BUFFER_PG or BUFFER_QUEUE. */
struct SonicBufferUse
{
    std::string place;              //!< `file:line`
    std::vector<std::string> ports; //!< names
    SonicRange range{0, 0};         //!< priority groups or queues
    std::string profile;            //!< name; empty: to be made from pg_profile_lookup.ini ("NULL")
    bool isGenerated{false};        //!< made as SONiC's buffer manager does at run time
};

/** @ingroup ai-fabric
 * A port, as far as buffers ask for it. */
struct SonicPort
{
    uint32_t speed{0};      //!< Mb/s; 0: not known
    uint32_t mtu{0};        //!< bytes; 0: not known
    std::string place;      //!< `file:line: TABLE|key` in PORT; empty: not there
    std::string cable;      //!< "5m"; empty: not known
    std::string cablePlace; //!< `file:line: TABLE|key field` of the cable
};

/** @ingroup ai-fabric
 * Everything that SONiC's files say about buffers, checked. */
struct SonicBufferConfig
{
    std::vector<SonicBufferPool> pools;         //!< BUFFER_POOL
    std::vector<SonicBufferProfile> profiles;   //!< BUFFER_PROFILE
    std::vector<SonicBufferUse> priorityGroups; //!< BUFFER_PG
    std::vector<SonicBufferUse> queues;         //!< BUFFER_QUEUE
    std::map<std::string, SonicPort> ports;     //!< PORT and CABLE_LENGTH
    std::vector<std::string> cablesWithoutPort; //!< named in CABLE_LENGTH, but not in PORT
    std::optional<int32_t> defaultDynamicTh;    //!< DEFAULT_LOSSLESS_BUFFER_PARAMETER
    std::optional<double> overSubscribeRatio;   //!< of the shared headroom, the same table
    std::optional<uint32_t> losslessMtu;        //!< LOSSLESS_TRAFFIC_PATTERN, bytes
    std::optional<uint32_t> smallPackets;       //!< LOSSLESS_TRAFFIC_PATTERN, percent
    std::string platform;                       //!< DEVICE_METADATA; empty: not known
    /** True if what groups have for themselves comes on top of a pool's size, as NVIDIA counts it;
     * else it is part of it. */
    bool isReservedOutside{false};

    /**
     * @param name of a pool
     * @returns it, or null
     */
    const SonicBufferPool* FindPool(const std::string& name) const;
    /**
     * @param name of a profile
     * @returns it, or null
     */
    const SonicBufferProfile* FindProfile(const std::string& name) const;
    /**
     * @param port its name
     * @param pg priority group
     * @returns its profile, or null if it has none
     */
    const SonicBufferProfile* FindPg(const std::string& port, uint8_t pg) const;
    /**
     * @param port its name
     * @param queue egress queue
     * @returns its profile, or null if it has none
     */
    const SonicBufferProfile* FindQueue(const std::string& port, uint8_t queue) const;

    static constexpr uint8_t MAX_PG = 7;     //!< highest priority group
    static constexpr uint8_t MAX_QUEUE = 63; //!< highest queue; those of a CPU port go beyond 7
};

/**
 * @ingroup ai-fabric
 * Take the tables BUFFER_POOL, BUFFER_PROFILE, BUFFER_PG, BUFFER_QUEUE, CABLE_LENGTH, PORT,
 * BUFFER_PORT_INGRESS_PROFILE_LIST, BUFFER_PORT_EGRESS_PROFILE_LIST, LOSSLESS_TRAFFIC_PATTERN,
 * DEFAULT_LOSSLESS_BUFFER_PARAMETER and the platform in DEVICE_METADATA.
 * @param tables of the files
 * @returns what they say
 * @throws std::invalid_argument with file, line, cause and what was expected
 */
SonicBufferConfig ReadSonicBuffers(SonicTables& tables);

/**
 * @ingroup ai-fabric
 * Check that what priority groups and queues have for themselves fits in their pools.
 * @param config with all groups
 * @throws std::invalid_argument that names the pool's file and line
 */
void CheckSonicPools(const SonicBufferConfig& config);

} // namespace ns3

#endif // SONIC_BUFFER_CONFIG_H
