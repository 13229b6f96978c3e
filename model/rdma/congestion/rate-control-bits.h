/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RATE_CONTROL_BITS_H
#define RATE_CONTROL_BITS_H

#include <cstdint>
#include <cstring>

namespace ns3
{

/** @param value any number
 * @returns its bits, for a hash */
inline uint64_t
GetRateControlBits(double value)
{
    uint64_t bits;
    static_assert(sizeof bits == sizeof value, "a double has 64 bits");
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

} // namespace ns3

#endif // RATE_CONTROL_BITS_H
