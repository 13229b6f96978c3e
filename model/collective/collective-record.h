/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_RECORD_H
#define COLLECTIVE_RECORD_H

#include "collective-schedule.h"

#include "ns3/fabric-tick.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * What is remembered of a collective.
 */
struct CollectiveRecord
{
    uint64_t id{0};                            //!< index in the engine's list of records
    std::string name;                          //!< given by the user
    CollectiveOp op{CollectiveOp::ALL_REDUCE}; //!< operation
    std::string algorithm;                     //!< name of the schedule
    uint64_t bytes{0};                         //!< length of the vector
    uint32_t ranks{0};                         //!< number of ranks
    FabricTick firstEnter{FABRIC_NEVER};       //!< the first rank entered
    FabricTick lastEnter{FABRIC_NEVER};        //!< the last rank entered
    FabricTick done{FABRIC_NEVER};             //!< the last rank was done
    std::string error;                         //!< why it will never be done, empty if it is well
};

} // namespace ns3

#endif // COLLECTIVE_RECORD_H
