/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PAUSE_RESPONSE_H
#define PAUSE_RESPONSE_H

#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Longest time that a port may go on sending after a pause frame has come in (IEEE 802.3, 31B.3.7).
 * @param bitRate of the port, bits per second. For a rate between those of the standard, that of
 * the next one counts in bit times, which is never too short; outside of 10 to 800 Gb/s that of the
 * nearest.
 * @returns pause quanta of 512 bit times: 60 at 10 Gb/s, 80 at 25, 118 at 40, 147 at 50, 394 at
 * 100, 453 at 200, 905 at 400 and 800
 */
constexpr uint32_t
GetMaxPauseResponseQuanta(uint64_t bitRate)
{
    constexpr uint64_t GIGA = 1000000000;
    return bitRate <= 10 * GIGA    ? 60
           : bitRate <= 25 * GIGA  ? 80
           : bitRate <= 40 * GIGA  ? 118
           : bitRate <= 50 * GIGA  ? 147
           : bitRate <= 100 * GIGA ? 394
           : bitRate <= 200 * GIGA ? 453
                                   : 905;
}

} // namespace ns3

#endif // PAUSE_RESPONSE_H
