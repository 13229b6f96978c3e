/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLOW_HASH_H
#define FLOW_HASH_H

#include "ns3/fabric-frame.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Hash of a flow for equal-cost multipath: over source and destination address, source and
 * destination port, and protocol, in the order of the wire. The entropy of an RDMA flow is its UDP
 * source port. Without an IP header, the MAC addresses and the EtherType are the flow.
 *
 * CRC and Toeplitz are linear: another seed of theirs only renumbers the ports, and flows that have
 * come together stay together on the next tier. So the seed is mixed in behind them, and not
 * linearly; switches with the same seed still send all their flows the same way (polarisation).
 */
class FlowHash
{
  public:
    /** How the fields become a number. */
    enum Function
    {
        CRC16,    //!< CRC-16/ARC, polynomial 0x8005, as merchant silicon offers it
        CRC32,    //!< CRC-32 of IEEE 802.3
        TOEPLITZ, //!< of receive side scaling, with Microsoft's verification key
    };

    static constexpr std::size_t MAX_BYTES = 37; //!< of the fields: IPv6

    /** The fields of a flow, as bytes. */
    struct Fields
    {
        std::array<uint8_t, MAX_BYTES> bytes{}; //!< the first `size` count
        std::size_t size{0};                    //!< how many
    };

    /**
     * @param frame a frame
     * @returns its fields: 13 bytes with IPv4, 37 with IPv6, 14 without IP
     */
    static Fields GetFields(const FabricFrame& frame);

    /**
     * @param function how
     * @param bytes fields
     * @param size their number; at most 37 for TOEPLITZ, or the rest does not count
     * @returns the hash as the function defines it, without a seed
     */
    static uint32_t Compute(Function function, const uint8_t* bytes, std::size_t size);

    /**
     * @param function how
     * @param seed of the switch
     * @param frame a frame
     * @returns the hash that chooses among ports
     */
    static uint32_t Compute(Function function, uint32_t seed, const FabricFrame& frame);
};

} // namespace ns3

#endif // FLOW_HASH_H
