/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SONIC_PORT_PLAN_H
#define SONIC_PORT_PLAN_H

#include "sonic-config-reader.h"

#include <array>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/** @ingroup ai-fabric
 * What one priority of a port gets. Sizes in bytes. */
struct SonicPriorityPlan
{
    bool isUsed{false};     //!< a traffic class goes there
    bool isLossless{false}; //!< PFC is on

    uint8_t pg{0};                              //!< its priority group
    const SonicBufferProfile* ingress{nullptr}; //!< of the group; null: none
    uint64_t headroom{0};                       //!< of its own, or what it may take of the shared
    const SonicBufferProfile* egress{nullptr};  //!< of the queue; null: none

    const SonicScheduler* scheduler{nullptr}; //!< of the queue; null: none
    const SonicWred* wred{nullptr};           //!< of the queue; null: none
    bool hasWatchdog{false};                  //!< against pause storms
};

/** @ingroup ai-fabric
 * What a port gets. */
struct SonicPortPlan
{
    static constexpr uint8_t PRIORITIES = 8; //!< of 802.1Q

    std::string name;                                       //!< "Ethernet0"
    SonicPort port;                                         //!< speed, MTU, cable
    std::array<SonicPriorityPlan, PRIORITIES> priorities{}; //!< by egress queue
    bool hasDscpMap{false};                                 //!< there is one
    std::array<uint8_t, 64> priorityOfDscp{};               //!< egress queue of a DSCP
    std::optional<SonicWatchdog> watchdog;                  //!< of PFC_WD

    /** @returns mask of the lossless priorities */
    uint8_t GetLossless() const;
};

/** @ingroup ai-fabric
 * What all ports share. Sizes in bytes. */
struct SonicSharedPlan
{
    uint64_t lossless{0};           //!< shared part of the pool of the lossless groups
    uint64_t headroom{0};           //!< shared headroom; 0: each group has its own
    uint64_t lossy{0};              //!< shared part of another ingress pool; 0: all share one
    std::string losslessPool;       //!< name of that pool
    std::string lossyPool;          //!< name of the other one; empty: none
    uint64_t egressLossless{0};     //!< shared part of the egress pool of lossless queues
    uint64_t egressLossy{0};        //!< shared part of another egress pool; 0: all share one
    std::string egressLosslessPool; //!< name of that pool; empty: none
    std::string egressLossyPool;    //!< name of the other one; empty: none
};

/** @ingroup ai-fabric
 * What the ports of a switch get out of its configuration. In this model a frame has one priority,
 * which is its priority group, its PFC priority and its egress queue; in SONiC the three are mapped
 * from a traffic class. The priority is the egress queue, and takes the buffer of the priority
 * group of the lowest traffic class that goes there. */
struct SonicPlan
{
    SonicSharedPlan shared;           //!< by all
    std::vector<SonicPortPlan> ports; //!< in the order asked for
    std::vector<std::string> notes;   //!< where the model is simpler than the configuration
};

/**
 * @ingroup ai-fabric
 * @param config of a switch; must outlive the plan
 * @returns names of the ports that have a buffer or PFC, in natural order (Ethernet4 before
 * Ethernet12)
 */
std::vector<std::string> ListSonicPorts(const SonicConfig& config);

/**
 * @ingroup ai-fabric
 * @param config of a switch; must outlive the plan
 * @param ports names of the ports to plan
 * @returns what they get
 * @throws std::invalid_argument if the configuration knows no such port
 */
SonicPlan PlanSonicPorts(const SonicConfig& config, const std::vector<std::string>& ports);

/**
 * @ingroup ai-fabric
 * Print what ports get: equal ports and equal priorities together.
 * @param ports to print
 * @param os where to
 */
void PrintSonicPorts(const std::vector<SonicPortPlan>& ports, std::ostream& os);

} // namespace ns3

#endif // SONIC_PORT_PLAN_H
