/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_FRAME_CODEC_H
#define FABRIC_FRAME_CODEC_H

#include "fabric-frame.h"

#include "ns3/fabric-frame-size.h"
#include "ns3/ipoib-arp.h"

#include <cstdint>

/**
 * @file
 * Frames to bytes and back.
 *
 * Encoding and decoding are inverse functions on what the wire carries of a FabricFrame: of an RDMA
 * frame on InfiniBand src, dst, sl and the transport fields; on RoCE src, dst, the IPv4, UDP and
 * transport fields; of a PACKET frame src, dst, etherType, packet and, on InfiniBand, sl and the
 * datagram's transport fields, on RoCE the dscp and ecn that the packet's own IP header has.
 * Extended header fields count only if the opcode has the header. Content of RDMA payload and
 * immediate data are not simulated: they are zeros, and not looked at when decoding.
 *
 * Decoders never read beyond the packet, and leave the frame alone if they return false. If they
 * return true, they have set all fields above "local to a hop" except `next`, and of the others
 * only what they say. CRCs are not checked, since they may be zeros: a frame that was hit by a bit
 * error says so in `corrupt`.
 */

namespace ns3
{

/**
 * @ingroup ai-fabric
 * How an InfiniBand packet is made.
 */
struct IbFrameOptions
{
    bool crc{false};               //!< real ICRC and VCRC; zeros otherwise
    uint16_t partitionKey{0xffff}; //!< BTH.P_Key
    uint64_t interfaceId{0};       //!< low half of the source GID of a GRH; 0: the source LID
};

/**
 * @ingroup ai-fabric
 * How a RoCE frame is made.
 */
struct RoceFrameOptions
{
    bool crc{false};               //!< real ICRC and FCS; zeros otherwise
    uint16_t vlanId{0};            //!< 802.1Q VLAN, its priority is the frame's cls; 0: untagged
    uint16_t partitionKey{0xffff}; //!< BTH.P_Key
};

/**
 * @ingroup ai-fabric
 * Make the bytes of a frame on InfiniBand: LRH [GRH] BTH [extension headers] payload [pad] ICRC
 * VCRC.
 *
 * The VL is the frame's cls. Datagrams to a multicast LID have a GRH. A PACKET frame becomes a UD
 * SEND with the IPoIB encapsulation header; ARP is translated (see ToIpoibArp), and anything else
 * keeps its bytes.
 * @param frame the frame; std::invalid_argument if its opcode has headers that frames have no
 * fields for
 * @param options how to make it
 * @returns the bytes
 */
Ptr<Packet> EncodeIb(const FabricFrame& frame, const IbFrameOptions& options);

/**
 * @ingroup ai-fabric
 * The inverse of EncodeIb. A UD SEND with IPoIB's Q_Key is a PACKET frame, whose payload counts the
 * encapsulation header; everything else is an RDMA frame. Sets cls, too.
 * @param packet LRH through VCRC
 * @param frame takes the fields
 * @returns false if this is not such a packet
 */
bool DecodeIb(Ptr<const Packet> packet, FabricFrame& frame);

/**
 * @ingroup ai-fabric
 * Make the bytes of a frame on Ethernet: MAC header [802.1Q tag], then what EncodeRoceIp makes or
 * the packet of a PACKET frame, padding to 60 bytes, FCS.
 * @param frame the frame; std::invalid_argument if its opcode has headers that frames have no
 * fields for
 * @param options how to make it
 * @returns the bytes
 */
Ptr<Packet> EncodeRoce(const FabricFrame& frame, const RoceFrameOptions& options);

/**
 * @ingroup ai-fabric
 * The inverse of EncodeRoce. Padding behind IPv4, IPv6 and ARP is taken off. Sets cls, too, if
 * there is a tag.
 * @param packet MAC header through FCS
 * @param frame takes the fields
 * @returns false if this is not an Ethernet frame
 */
bool DecodeRoce(Ptr<const Packet> packet, FabricFrame& frame);

/**
 * @ingroup ai-fabric
 * Make the IPv4 packet of an RDMA frame, as it crosses plain ns-3 devices: IPv4 (do not fragment,
 * TTL less the switches passed), UDP (port 4791, no checksum), BTH, extension headers, payload,
 * pad, ICRC.
 * @param frame an RDMA frame; std::invalid_argument if it is none, or its opcode has headers that
 * frames have no fields for
 * @param options how to make it; vlanId has no meaning
 * @returns the bytes
 */
Ptr<Packet> EncodeRoceIp(const FabricFrame& frame, const RoceFrameOptions& options = {});

/**
 * @ingroup ai-fabric
 * The inverse of EncodeRoceIp, except src and dst, which become 0. Bytes beyond the IPv4 packet are
 * ignored.
 * @param packet an IPv4 packet
 * @param frame takes the fields
 * @returns false if this is not RoCEv2 over IPv4, or has an opcode without representation in a
 * frame
 */
bool DecodeRoceIp(Ptr<const Packet> packet, FabricFrame& frame);

} // namespace ns3

#endif // FABRIC_FRAME_CODEC_H
