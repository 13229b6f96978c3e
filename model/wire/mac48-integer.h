/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MAC48_INTEGER_H
#define MAC48_INTEGER_H

#include "ns3/mac48-address.h"

#include <array>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @param address a MAC-48 address
 * @returns it as an integer, first byte most significant: the form in which frames carry it
 */
inline uint64_t
Mac48ToInteger(const Mac48Address& address)
{
    std::array<uint8_t, 6> bytes;
    address.CopyTo(bytes.data());
    uint64_t value = 0;
    for (const uint8_t byte : bytes)
    {
        value = value << 8 | byte;
    }
    return value;
}

/**
 * @ingroup ai-fabric
 * @param value the integer; bits above the 48 lowest do not matter
 * @returns the MAC-48 address
 */
inline Mac48Address
IntegerToMac48(uint64_t value)
{
    std::array<uint8_t, 6> bytes;
    for (auto byte = bytes.rbegin(); byte != bytes.rend(); ++byte)
    {
        *byte = value & 0xff;
        value >>= 8;
    }
    Mac48Address address;
    address.CopyFrom(bytes.data());
    return address;
}

} // namespace ns3

#endif // MAC48_INTEGER_H
