/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pfc-headroom.h"

#include "ns3/pause-flow-control.h"

#include <cmath>

namespace ns3
{

uint64_t
PfcHeadroom::GetWireBytes(const Link& link)
{
    constexpr double SECONDS_PER_METER = 5e-9;
    const double cable =
        2 * link.meters * SECONDS_PER_METER * static_cast<double>(link.bitRate) / 8;
    // A cable of whole bytes must not become one byte longer by the rounding of a double.
    constexpr double ROUNDING = 1e-6;
    return uint64_t{link.ownFrameBytes} + PauseFlowControl::PFC_WIRE_BYTES +
           static_cast<uint64_t>(std::ceil(cable - ROUNDING)) +
           uint64_t{link.responseQuanta} * (PauseFlowControl::QUANTUM_BITS / 8) +
           link.peerFrameBytes + link.interfaceBytes;
}

uint64_t
PfcHeadroom::GetSonicXoff(const SonicLink& link)
{
    constexpr double METERS_PER_SECOND = 1.98e8;
    constexpr double KIB = 1024;
    constexpr double SMALLEST_PACKET = 64;
    const double cell = link.cellBytes;
    const double occupancy =
        cell > 2 * SMALLEST_PACKET ? cell / SMALLEST_PACKET : 2 * cell / (1 + cell);
    const double cable = 2 * link.meters * link.bitRate / (8 * METERS_PER_SECOND);
    const double bytes =
        link.losslessMtu + occupancy * (link.portMtu + cable + 2 * link.gearboxBytes +
                                        link.macPhyBytes + link.peerResponseBytes);
    return static_cast<uint64_t>(std::ceil(bytes / KIB)) * 1024;
}

} // namespace ns3
