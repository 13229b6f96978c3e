/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPOIB_ARP_H
#define IPOIB_ARP_H

#include "ib-grh-header.h"

#include "ns3/mac48-address.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <cstdint>

namespace ns3
{

/** EtherType of ARP. */
inline constexpr uint16_t IPOIB_ARP_PROTOCOL = 0x0806;
/** Bytes of an ARP packet for IPv4 over InfiniBand. */
inline constexpr uint32_t IPOIB_ARP_BYTES = 56;
/** Bytes of an ARP packet for IPv4 over Ethernet. */
inline constexpr uint32_t ETHERNET_ARP_BYTES = 28;

/**
 * @ingroup ai-fabric
 * A port's modified EUI-64: the MAC-48 address with ff:fe in its middle and the universal bit
 * inverted (RFC 4391, 8).
 * @param mac a MAC-48 address
 * @returns the interface identifier, most significant byte first
 */
uint64_t ToInterfaceId(const Mac48Address& mac);

/**
 * @ingroup ai-fabric
 * The inverse of ToInterfaceId.
 * @param interfaceId the interface identifier
 * @param mac takes the address
 * @returns false if the identifier was not made from a MAC-48 address; mac is unchanged then
 */
bool FromInterfaceId(uint64_t interfaceId, Mac48Address& mac);

/**
 * @ingroup ai-fabric
 * @param interfaceId an interface identifier
 * @returns the link-local GID, fe80::/64
 */
IbGid ToLinkLocalGid(uint64_t interfaceId);

/**
 * @ingroup ai-fabric
 * @param partitionKey P_Key
 * @returns GID of the IPv4 broadcast group, ff12:401b:P_Key::ffff:ffff (RFC 4391, 4)
 */
IbGid ToBroadcastGid(uint16_t partitionKey);

/**
 * @ingroup ai-fabric
 * Translate ARP for IPv4 over Ethernet into ARP for IPv4 over InfiniBand (RFC 4391, 9.3): hardware
 * type 32, addresses of 20 bytes (flags, queue pair, GID).
 *
 * The broadcast address becomes that of the broadcast group, the address of zeros stays zeros, and
 * any other one becomes the queue pair and the link-local GID.
 * @param arp the packet as ns-3 makes it; bytes beyond its 28 are dropped
 * @param queuePair queue pair of IPoIB, 24 bit
 * @returns the translated packet; null if arp is something else
 */
Ptr<Packet> ToIpoibArp(Ptr<const Packet> arp, uint32_t queuePair);

/**
 * @ingroup ai-fabric
 * The inverse of ToIpoibArp.
 * @param arp the packet as it is on InfiniBand; bytes beyond its 56 are dropped
 * @returns the translated packet; null if arp is something else, or its GIDs are not made from
 * MAC-48 addresses
 */
Ptr<Packet> FromIpoibArp(Ptr<const Packet> arp);

} // namespace ns3

#endif // IPOIB_ARP_H
