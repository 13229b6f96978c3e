/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_TRANSPORT_CODEC_H
#define FABRIC_TRANSPORT_CODEC_H

#include "fabric-frame.h"

#include "ns3/header-reader.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * The part of a packet that InfiniBand and RoCE have in common: BTH, extension headers, payload and
 * pad.
 */
struct FabricTransportCodec
{
    /**
     * Throw std::invalid_argument if the opcode has headers that a frame has no fields for.
     * @param frame the frame
     */
    static void CheckOpcode(const FabricFrame& frame);

    /**
     * Put BTH and extension headers before the payload, and the pad behind it.
     * @param packet the payload
     * @param frame the frame
     * @param partitionKey P_Key
     */
    static void AddHeaders(const Ptr<Packet>& packet,
                           const FabricFrame& frame,
                           uint16_t partitionKey);

    /**
     * The inverse of AddHeaders.
     * @param reader stands before the BTH
     * @param end offset of the ICRC
     * @param frame takes the fields
     * @param telemetry the packet that the reader reads, if it may hold in-band telemetry
     * @returns false if something is missing, or the opcode can't be represented
     */
    static bool ReadHeaders(HeaderReader& reader,
                            uint32_t end,
                            FabricFrame& frame,
                            Ptr<const Packet> telemetry = nullptr);
};

} // namespace ns3

#endif // FABRIC_TRANSPORT_CODEC_H
