/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ib-crc.h"

#include <algorithm>
#include <array>
#include <boost/crc.hpp>
#include <initializer_list>

namespace ns3
{

namespace
{

/** CRC-16 of VCRC and LPCRC. */
using Crc16Engine = boost::crc_optimal<16, 0x100B, 0xFFFF, 0xFFFF, true, true>;

/** Bits of one byte that count as ones. */
struct Mask
{
    std::size_t offset; //!< of the byte
    uint8_t bits;       //!< that count as ones
};

/**
 * CRC-32 with some bits replaced by ones.
 * @param crc takes the bytes
 * @param data the bytes
 * @param size their number
 * @param masks the bits to replace; offsets must not exceed the longest headers
 * @returns the CRC
 */
uint32_t
MaskedCrc32(boost::crc_32_type& crc,
            const uint8_t* data,
            std::size_t size,
            std::initializer_list<Mask> masks)
{
    // The longest run up to the last masked byte: IPv4 with options, UDP and BTH.
    std::array<uint8_t, 80> head;
    const std::size_t headSize = std::min(size, head.size());
    std::copy_n(data, headSize, head.begin());
    for (const Mask& mask : masks)
    {
        if (mask.offset < headSize)
        {
            head[mask.offset] |= mask.bits;
        }
    }
    crc.process_bytes(head.data(), headSize);
    crc.process_bytes(data + headSize, size - headSize);
    return crc.checksum();
}

} // namespace

uint32_t
IbCrc::Crc32(const uint8_t* data, std::size_t size)
{
    boost::crc_32_type crc;
    crc.process_bytes(data, size);
    return crc.checksum();
}

uint16_t
IbCrc::Crc16(const uint8_t* data, std::size_t size)
{
    Crc16Engine crc;
    crc.process_bytes(data, size);
    return crc.checksum();
}

uint32_t
IbCrc::IbIcrc(const uint8_t* data, std::size_t size)
{
    boost::crc_32_type crc;
    const bool global = size > 1 && (data[1] & 0x03) == 3;
    if (!global)
    {
        return MaskedCrc32(crc, data, size, {{0, 0xf0}, {12, 0xff}});
    }
    return MaskedCrc32(crc,
                       data,
                       size,
                       {{0, 0xff},
                        {1, 0xff},
                        {2, 0xff},
                        {3, 0xff},
                        {4, 0xff},
                        {5, 0xff},
                        {6, 0xff},
                        {7, 0xff},
                        {8, 0x0f},
                        {9, 0xff},
                        {10, 0xff},
                        {11, 0xff},
                        {15, 0xff},
                        {52, 0xff}});
}

uint32_t
IbCrc::RoceIcrc(const uint8_t* data, std::size_t size)
{
    boost::crc_32_type crc;
    constexpr std::array<uint8_t, 8> ONES{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    crc.process_bytes(ONES.data(), ONES.size());
    const std::size_t udp = size ? (data[0] & 0x0f) * std::size_t{4} : 0;
    return MaskedCrc32(crc,
                       data,
                       size,
                       {{1, 0xff},
                        {8, 0xff},
                        {10, 0xff},
                        {11, 0xff},
                        {udp + 6, 0xff},
                        {udp + 7, 0xff},
                        {udp + 12, 0xff}});
}

} // namespace ns3
