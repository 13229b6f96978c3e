/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ZERO_PADDING_H
#define ZERO_PADDING_H

#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Add zeros to the end of a packet. Packet::AddPaddingAtEnd does not: its bytes are whatever the
 * memory held before.
 * @param packet the packet
 * @param bytes how many
 */
inline void
AddZeroPadding(const Ptr<Packet>& packet, uint32_t bytes)
{
    if (bytes)
    {
        packet->AddAtEnd(Create<Packet>(bytes));
    }
}

} // namespace ns3

#endif // ZERO_PADDING_H
