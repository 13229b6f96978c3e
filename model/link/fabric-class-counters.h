/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_CLASS_COUNTERS_H
#define FABRIC_CLASS_COUNTERS_H

#include "ns3/fabric-tick.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * What one class of one link direction has counted; never reset. The port that transmits keeps it,
 * for both ends.
 */
struct PortClassCounters
{
    uint64_t frames{0};        //!< sent, without link control
    uint64_t frameBytes{0};    //!< their frameBytes
    uint64_t arrived{0};       //!< reached the far end, broken ones included
    uint64_t arrivedBytes{0};  //!< their frameBytes
    uint64_t marks{0};         //!< marked here: CE (RoCE) or FECN (IB)
    uint64_t maxQueueBytes{0}; //!< most that was ever queued
    FabricTick waited{0};      //!< ticks of ended waits for flow control
    FabricTick waitBegin{0};   //!< of the wait that goes on; valid while the port waits
};

/**
 * @ingroup ai-fabric
 * What one class (priority or virtual lane) of a device has counted, in both directions, as of now.
 */
struct FabricClassCounters
{
    uint64_t txFrames{0};      //!< frames sent, without link control
    uint64_t txBytes{0};       //!< their bytes: LRH..VCRC (IB), MAC header..FCS (Ethernet)
    uint64_t rxFrames{0};      //!< frames that came in, broken ones included
    uint64_t rxBytes{0};       //!< their bytes
    uint64_t drops{0};         //!< frames dropped here, for any reason; see FrameDrop
    uint64_t marks{0};         //!< frames marked by the switch as they left here: CE or FECN
    uint64_t pausesOut{0};     //!< pause frames sent that name the class, XON and refreshes too
    uint64_t pausesIn{0};      //!< pause frames received that name the class
    FabricTick pausedTicks{0}; //!< ticks during which the far end had it paused
    FabricTick waitTicks{0};   //!< ticks during which frames waited for credit or the end of a
                               //!< pause, and the wire was idle when the wait began
    uint64_t maxQueueBytes{0}; //!< most bytes that ever waited here to be sent
};

} // namespace ns3

#endif // FABRIC_CLASS_COUNTERS_H
