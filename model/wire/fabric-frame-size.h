/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_FRAME_SIZE_H
#define FABRIC_FRAME_SIZE_H

#include "ib-opcode.h"

#include <algorithm>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * @param payload payload bytes
 * @returns payload with its pad: a multiple of 4
 */
inline constexpr uint32_t
PaddedPayloadBytes(uint32_t payload)
{
    return (payload + 3) & ~uint32_t{3};
}

/**
 * @ingroup ai-fabric
 * Bytes of an InfiniBand packet, LRH through VCRC: LRH 8, BTH 12, extension headers, payload, ICRC
 * 4, VCRC 2.
 * @param opcode BTH opcode
 * @param payload payload bytes, without pad
 * @param grh true if a global route header (40 bytes) is present
 * @returns bytes
 */
inline constexpr uint32_t
IbFrameBytes(uint8_t opcode, uint32_t payload, bool grh = false)
{
    return 26 + (grh ? 40 : 0) + IbOpcode::GetExtensionBytes(opcode) + PaddedPayloadBytes(payload);
}

/**
 * @ingroup ai-fabric
 * Bytes of a RoCEv2 frame over IPv4, MAC header through FCS: MAC 14, IPv4 20, UDP 8, BTH 12,
 * extension headers, payload, ICRC 4, FCS 4; at least 64.
 * @param opcode BTH opcode
 * @param payload payload bytes, without pad
 * @param vlan true if there is an 802.1Q tag (4 bytes)
 * @param telemetry bytes of in-band telemetry between pad and ICRC
 * @returns bytes
 */
inline constexpr uint32_t
RoceFrameBytes(uint8_t opcode, uint32_t payload, bool vlan, uint32_t telemetry = 0)
{
    return std::max<uint32_t>(64,
                              62 + (vlan ? 4 : 0) + IbOpcode::GetExtensionBytes(opcode) +
                                  PaddedPayloadBytes(payload) + telemetry);
}

} // namespace ns3

#endif // FABRIC_FRAME_SIZE_H
