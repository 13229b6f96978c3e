/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_TICK_H
#define FABRIC_TICK_H

#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <cstdint>
#include <limits>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * A point in simulated time, or a span of it, in steps of the current ns-3 Time resolution.
 *
 * The packet path computes with these integers instead of Time objects: exact, and cheap.
 */
using FabricTick = int64_t;

/** A tick that never comes: "no time is known". */
inline constexpr FabricTick FABRIC_NEVER = std::numeric_limits<FabricTick>::max();

/** @returns the current simulated time in ticks. */
inline FabricTick
FabricNow()
{
    return Simulator::Now().GetTimeStep();
}

/** @returns the number of ticks per second at the current Time resolution. */
inline uint64_t
FabricTicksPerSecond()
{
    return static_cast<uint64_t>(Seconds(1).GetTimeStep());
}

/**
 * @param span a span of ticks
 * @returns the span in seconds
 */
inline double
FabricSeconds(FabricTick span)
{
    return static_cast<double>(span) / static_cast<double>(FabricTicksPerSecond());
}

} // namespace ns3

#endif // FABRIC_TICK_H
