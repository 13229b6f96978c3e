/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IB_CRC_H
#define IB_CRC_H

#include <cstddef>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * The cyclic redundancy checks of InfiniBand and Ethernet (IBA vol 1, 7.8; IEEE 802.3, 3.2.9).
 *
 * All work least significant bit first, start from ones and are complemented at the end; on the
 * wire their least significant byte comes first. The specification prints the ICRC as the
 * big-endian reading of these four bytes.
 */
struct IbCrc
{
    /**
     * CRC-32, polynomial 0x04C11DB7: the frame check sequence of Ethernet, and what the ICRC is
     * made with.
     * @param data the bytes
     * @param size their number
     * @returns the CRC
     */
    static uint32_t Crc32(const uint8_t* data, std::size_t size);

    /**
     * CRC-16, polynomial 0x100B: VCRC (LRH through ICRC) and LPCRC (the first 4 bytes of a
     * flow-control packet).
     * @param data the bytes
     * @param size their number
     * @returns the CRC
     */
    static uint16_t Crc16(const uint8_t* data, std::size_t size);

    /**
     * Invariant CRC of an InfiniBand packet. What may change on the way counts as ones: without a
     * GRH the VL, with a GRH all of the LRH, and the GRH's traffic class, flow label and hop limit;
     * always the BTH's byte 4.
     * @param data the packet from LRH through the pad, without ICRC
     * @param size bytes; fields that are not there are not masked
     * @returns the CRC
     */
    static uint32_t IbIcrc(const uint8_t* data, std::size_t size);

    /**
     * Invariant CRC of a RoCEv2 packet over IPv4: 8 bytes of ones in place of the LRH, then the
     * packet with type of service, time to live, both checksums and the BTH's byte 4 as ones.
     * @param data the packet from the IPv4 header through the pad, without ICRC
     * @param size bytes; fields that are not there are not masked
     * @returns the CRC
     */
    static uint32_t RoceIcrc(const uint8_t* data, std::size_t size);
};

} // namespace ns3

#endif // IB_CRC_H
