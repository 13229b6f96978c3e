/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-frame-codec.h"

#include "fabric-transport-codec.h"

#include "ns3/ethernet-header.h"
#include "ns3/ethernet-trailer.h"
#include "ns3/header-reader.h"
#include "ns3/ib-crc-trailers.h"
#include "ns3/ib-crc.h"
#include "ns3/ib-grh-header.h"
#include "ns3/ib-lrh-header.h"
#include "ns3/ib-opcode.h"
#include "ns3/ipoib-header.h"
#include "ns3/ipv4-header.h"
#include "ns3/mac48-integer.h"
#include "ns3/udp-header.h"
#include "ns3/vlan-tag-header.h"
#include "ns3/zero-padding.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

constexpr uint32_t IPV4_BYTES = 20;          //!< without options
constexpr uint32_t IPV6_BYTES = 40;          //!< without extension headers
constexpr uint32_t UDP_BYTES = 8;            //!< UDP header
constexpr uint32_t MIN_ETHERNET_BYTES = 60;  //!< MAC header through padding
constexpr uint8_t UDP_PROTOCOL = 17;         //!< in the IPv4 header
constexpr uint16_t ROCE_PORT = 4791;         //!< UDP destination port
constexpr uint16_t IPV4_PROTOCOL = 0x0800;   //!< EtherType
constexpr uint16_t IPV6_PROTOCOL = 0x86dd;   //!< EtherType
constexpr uint64_t FIRST_MULTICAST = 0xc000; //!< LID
constexpr uint64_t LAST_MULTICAST = 0xfffe;  //!< LID

/** @returns true if InfiniBand wants a GRH */
bool
NeedsGrh(const FabricFrame& frame)
{
    return IbOpcode::IsDatagram(frame.opcode) && frame.dst >= FIRST_MULTICAST &&
           frame.dst <= LAST_MULTICAST;
}

/** @returns all bytes of a packet */
std::vector<uint8_t>
ToBytes(const Ptr<const Packet>& packet)
{
    std::vector<uint8_t> bytes(packet->GetSize());
    packet->CopyData(bytes.data(), bytes.size());
    return bytes;
}

/** @returns the bytes of a packet from begin, and before end */
Ptr<Packet>
Cut(const Ptr<const Packet>& packet, uint32_t begin, uint32_t end)
{
    Ptr<Packet> part = packet->Copy();
    part->RemoveAtEnd(packet->GetSize() - end);
    part->RemoveAtStart(begin);
    return part;
}

/** Take over what was decoded, and leave the link of the pool and what is local to a hop. */
void
Commit(FabricFrame& decoded, FabricFrame& frame)
{
    decoded.next = frame.next;
    decoded.cls = frame.cls;
    decoded.corrupt = frame.corrupt;
    decoded.inPort = frame.inPort;
    decoded.inCls = frame.inCls;
    decoded.hops = frame.hops;
    decoded.inBytes = frame.inBytes;
    decoded.frameBytes = frame.frameBytes;
    decoded.wireBytes = frame.wireBytes;
    decoded.arrival = frame.arrival;
    decoded.tailOnWire = frame.tailOnWire;
    frame = decoded;
}

/** @returns the payload of a PACKET frame on InfiniBand: encapsulation header and packet */
Ptr<Packet>
EncapsulateIpoib(const FabricFrame& frame)
{
    Ptr<Packet> packet;
    if (frame.etherType == IPOIB_ARP_PROTOCOL)
    {
        packet = ToIpoibArp(frame.packet, frame.srcQp);
    }
    if (!packet)
    {
        packet = frame.packet->Copy();
    }
    IpoibHeader ipoib;
    ipoib.SetProtocol(frame.etherType);
    packet->AddHeader(ipoib);
    return packet;
}

/**
 * Look at the packet of an Ethernet frame: take padding off, and read its traffic class.
 * @param packet the packet with padding
 * @param frame takes dscp and ecn
 */
void
TrimPacket(const Ptr<Packet>& packet, FabricFrame& frame)
{
    std::array<uint8_t, 6> start{};
    packet->CopyData(start.data(), start.size());
    uint32_t length = packet->GetSize();
    uint8_t trafficClass = 0;
    if (frame.etherType == IPV4_PROTOCOL && length >= IPV4_BYTES)
    {
        length = std::max<uint32_t>(IPV4_BYTES, start[2] << 8 | start[3]);
        trafficClass = start[1];
    }
    else if (frame.etherType == IPV6_PROTOCOL && length >= IPV6_BYTES)
    {
        length = IPV6_BYTES + (start[4] << 8 | start[5]);
        trafficClass = (start[0] & 0x0f) << 4 | start[1] >> 4;
    }
    else if (frame.etherType == IPOIB_ARP_PROTOCOL)
    {
        length = ETHERNET_ARP_BYTES;
    }
    if (length < packet->GetSize())
    {
        packet->RemoveAtEnd(packet->GetSize() - length);
    }
    frame.dscp = trafficClass >> 2;
    frame.ecn = trafficClass & 3;
}

} // namespace

Ptr<Packet>
EncodeIb(const FabricFrame& frame, const IbFrameOptions& options)
{
    FabricTransportCodec::CheckOpcode(frame);
    if (frame.kind == FabricFrameKind::PACKET && frame.opcode != IbOpcode::UD_SEND_ONLY)
    {
        throw std::invalid_argument("FabricFrameCodec: opcode " + std::to_string(frame.opcode) +
                                    " of a PACKET frame: expected 100 (UD SEND only)");
    }
    Ptr<Packet> packet = frame.kind == FabricFrameKind::PACKET ? EncapsulateIpoib(frame)
                                                               : Create<Packet>(frame.payload);
    FabricTransportCodec::AddHeaders(packet, frame, options.partitionKey);
    const bool global = NeedsGrh(frame);
    if (global)
    {
        IbGrhHeader grh;
        grh.SetPayloadLength(packet->GetSize() + IbIcrcTrailer::SIZE);
        grh.SetSourceGid(ToLinkLocalGid(options.interfaceId ? options.interfaceId : frame.src));
        grh.SetDestinationGid(ToBroadcastGid(options.partitionKey));
        packet->AddHeader(grh);
    }
    IbLrhHeader lrh;
    lrh.SetVl(frame.cls);
    lrh.SetSl(frame.sl);
    lrh.SetLnh(global ? IbLrhHeader::LNH_IBA_GLOBAL : IbLrhHeader::LNH_IBA_LOCAL);
    lrh.SetDlid(static_cast<uint16_t>(frame.dst));
    lrh.SetSlid(static_cast<uint16_t>(frame.src));
    lrh.SetPacketLength((IbLrhHeader::SIZE + packet->GetSize() + IbIcrcTrailer::SIZE) /
                        IbLrhHeader::WORD_BYTES);
    packet->AddHeader(lrh);
    IbIcrcTrailer icrc;
    IbVcrcTrailer vcrc;
    if (options.crc)
    {
        const std::vector<uint8_t> bytes = ToBytes(packet);
        icrc.SetCrc(IbCrc::IbIcrc(bytes.data(), bytes.size()));
    }
    packet->AddTrailer(icrc);
    if (options.crc)
    {
        const std::vector<uint8_t> bytes = ToBytes(packet);
        vcrc.SetCrc(IbCrc::Crc16(bytes.data(), bytes.size()));
    }
    packet->AddTrailer(vcrc);
    return packet;
}

bool
DecodeIb(Ptr<const Packet> packet, FabricFrame& frame)
{
    HeaderReader reader(packet);
    IbLrhHeader lrh;
    if (!reader.Read(lrh) || lrh.GetVersion() != 0)
    {
        return false;
    }
    const uint32_t length = lrh.GetPacketLength() * IbLrhHeader::WORD_BYTES;
    if (length + IbVcrcTrailer::SIZE != packet->GetSize() ||
        length < IbLrhHeader::SIZE + IbIcrcTrailer::SIZE)
    {
        return false;
    }
    if (lrh.GetLnh() == IbLrhHeader::LNH_IBA_GLOBAL)
    {
        IbGrhHeader grh;
        if (!reader.Read(grh) || grh.GetNextHeader() != IbGrhHeader::NEXT_HEADER_IBA)
        {
            return false;
        }
    }
    else if (lrh.GetLnh() != IbLrhHeader::LNH_IBA_LOCAL)
    {
        return false;
    }
    FabricFrame decoded;
    if (!FabricTransportCodec::ReadHeaders(reader, length - IbIcrcTrailer::SIZE, decoded))
    {
        return false;
    }
    if (decoded.opcode == IbOpcode::UD_SEND_ONLY && decoded.qkey == IpoibHeader::QUEUE_KEY)
    {
        const uint32_t end = reader.GetOffset() + decoded.payload;
        IpoibHeader ipoib;
        if (decoded.payload < IpoibHeader::SIZE || !reader.Read(ipoib))
        {
            return false;
        }
        decoded.kind = FabricFrameKind::PACKET;
        decoded.etherType = ipoib.GetProtocol();
        decoded.packet = Cut(packet, reader.GetOffset(), end);
        if (decoded.etherType == IPOIB_ARP_PROTOCOL)
        {
            const Ptr<Packet> arp = FromIpoibArp(decoded.packet);
            decoded.packet = arp ? arp : decoded.packet;
        }
    }
    decoded.src = lrh.GetSlid();
    decoded.dst = lrh.GetDlid();
    decoded.sl = lrh.GetSl();
    Commit(decoded, frame);
    frame.cls = lrh.GetVl();
    return true;
}

Ptr<Packet>
EncodeRoceIp(const FabricFrame& frame, const RoceFrameOptions& options)
{
    if (frame.kind != FabricFrameKind::RDMA)
    {
        throw std::invalid_argument("FabricFrameCodec: a PACKET frame: expected an RDMA frame");
    }
    FabricTransportCodec::CheckOpcode(frame);
    auto packet = Create<Packet>(frame.payload);
    FabricTransportCodec::AddHeaders(packet, frame, options.partitionKey);
    // Both headers count the ICRC, which in turn covers them.
    packet->AddTrailer(IbIcrcTrailer());
    UdpHeader udp;
    udp.SetSourcePort(frame.udpSrc);
    udp.SetDestinationPort(ROCE_PORT);
    packet->AddHeader(udp);
    Ipv4Header ip;
    ip.SetSource(Ipv4Address(frame.srcIp));
    ip.SetDestination(Ipv4Address(frame.dstIp));
    ip.SetProtocol(UDP_PROTOCOL);
    ip.SetTtl(frame.hops < frame.ttl ? frame.ttl - frame.hops : 0);
    ip.SetTos(frame.dscp << 2 | (frame.ecn & 3));
    ip.SetDontFragment();
    ip.SetPayloadSize(packet->GetSize());
    ip.EnableChecksum();
    packet->AddHeader(ip);
    if (options.crc)
    {
        IbIcrcTrailer icrc;
        packet->RemoveTrailer(icrc);
        const std::vector<uint8_t> bytes = ToBytes(packet);
        icrc.SetCrc(IbCrc::RoceIcrc(bytes.data(), bytes.size()));
        packet->AddTrailer(icrc);
    }
    return packet;
}

bool
DecodeRoceIp(Ptr<const Packet> packet, FabricFrame& frame)
{
    std::array<uint8_t, IPV4_BYTES> start;
    if (packet->CopyData(start.data(), start.size()) != start.size())
    {
        return false;
    }
    const uint32_t length = start[2] << 8 | start[3];
    const bool fragment = (start[6] & 0x3f) || start[7];
    if (start[0] != 0x45 || start[9] != UDP_PROTOCOL || fragment || length > packet->GetSize() ||
        length < IPV4_BYTES + UDP_BYTES + IbIcrcTrailer::SIZE)
    {
        return false;
    }
    HeaderReader reader(packet);
    Ipv4Header ip;
    UdpHeader udp;
    FabricFrame decoded;
    if (!reader.Read(ip) || !reader.Read(udp) || udp.GetDestinationPort() != ROCE_PORT ||
        !FabricTransportCodec::ReadHeaders(reader, length - IbIcrcTrailer::SIZE, decoded, packet))
    {
        return false;
    }
    decoded.srcIp = ip.GetSource().Get();
    decoded.dstIp = ip.GetDestination().Get();
    decoded.dscp = ip.GetTos() >> 2;
    decoded.ecn = ip.GetTos() & 3;
    decoded.ttl = static_cast<uint8_t>(std::min(255, ip.GetTtl() + frame.hops));
    decoded.udpSrc = udp.GetSourcePort();
    Commit(decoded, frame);
    return true;
}

Ptr<Packet>
EncodeRoce(const FabricFrame& frame, const RoceFrameOptions& options)
{
    const bool rdma = frame.kind == FabricFrameKind::RDMA;
    Ptr<Packet> packet = rdma ? EncodeRoceIp(frame, options) : frame.packet->Copy();
    uint16_t etherType = rdma ? IPV4_PROTOCOL : frame.etherType;
    if (options.vlanId)
    {
        VlanTagHeader tag;
        tag.SetPriority(frame.cls);
        tag.SetVlanId(options.vlanId);
        tag.SetEtherType(etherType);
        packet->AddHeader(tag);
        etherType = VlanTagHeader::TPID;
    }
    EthernetHeader ethernet(false);
    ethernet.SetSource(IntegerToMac48(frame.src));
    ethernet.SetDestination(IntegerToMac48(frame.dst));
    ethernet.SetLengthType(etherType);
    packet->AddHeader(ethernet);
    if (packet->GetSize() < MIN_ETHERNET_BYTES)
    {
        AddZeroPadding(packet, MIN_ETHERNET_BYTES - packet->GetSize());
    }
    EthernetTrailer fcs;
    if (options.crc)
    {
        const std::vector<uint8_t> bytes = ToBytes(packet);
        fcs.SetFcs(IbCrc::Crc32(bytes.data(), bytes.size()));
    }
    packet->AddTrailer(fcs);
    return packet;
}

bool
DecodeRoce(Ptr<const Packet> packet, FabricFrame& frame)
{
    HeaderReader reader(packet);
    EthernetHeader ethernet(false);
    const uint32_t fcsBytes = EthernetTrailer().GetSerializedSize();
    if (!reader.Read(ethernet))
    {
        return false;
    }
    uint16_t etherType = ethernet.GetLengthType();
    VlanTagHeader tag;
    const bool tagged = etherType == VlanTagHeader::TPID;
    if (tagged)
    {
        if (!reader.Read(tag))
        {
            return false;
        }
        etherType = tag.GetEtherType();
    }
    if (reader.GetOffset() + fcsBytes > packet->GetSize())
    {
        return false;
    }
    const Ptr<Packet> content = Cut(packet, reader.GetOffset(), packet->GetSize() - fcsBytes);
    FabricFrame decoded;
    if (etherType != IPV4_PROTOCOL || !DecodeRoceIp(content, decoded))
    {
        decoded.kind = FabricFrameKind::PACKET;
        decoded.etherType = etherType;
        decoded.packet = content;
        TrimPacket(content, decoded);
    }
    decoded.src = Mac48ToInteger(ethernet.GetSource());
    decoded.dst = Mac48ToInteger(ethernet.GetDestination());
    Commit(decoded, frame);
    if (tagged)
    {
        frame.cls = tag.GetPriority();
    }
    return true;
}

} // namespace ns3
