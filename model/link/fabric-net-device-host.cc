/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The host side of a fabric device: what ns3::NetDevice promises to the stack and to bridges.

#include "fabric-channel.h"
#include "fabric-net-device.h"

#include "ns3/log.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricNetDeviceHost");

bool
FabricNetDevice::Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber)
{
    return DoSend(packet, m_address, dest, protocolNumber, true);
}

bool
FabricNetDevice::SendFrom(Ptr<Packet> packet,
                          const Address& source,
                          const Address& dest,
                          uint16_t protocolNumber)
{
    return SupportsSendFrom() &&
           DoSend(packet, Mac48Address::ConvertFrom(source), dest, protocolNumber, false);
}

bool
FabricNetDevice::SupportsSendFrom() const
{
    return true;
}

bool
FabricNetDevice::DoSend(const Ptr<Packet>& packet,
                        const Mac48Address& source,
                        const Address& dest,
                        uint16_t protocolNumber,
                        bool ours)
{
    NS_LOG_FUNCTION(this << packet << dest << protocolNumber);
    m_macTx(packet);
    FabricFrame* frame = FabricFramePool::Allocate();
    frame->kind = FabricFrameKind::PACKET;
    frame->packet = packet;
    frame->etherType = protocolNumber;
    if (!m_linkUp || packet->GetSize() > m_mtu ||
        !AddressPacket(*frame, source, Mac48Address::ConvertFrom(dest)))
    {
        FabricFramePool::Release(frame);
        m_macTxDrop(packet);
        return false;
    }
    ClassifyFrame(*frame);
    SizeFrame(*frame);
    if (frame->cls == FabricPort::NO_CLASS)
    {
        m_macTxDrop(packet);
        frame->cls = 0; // it came in on no lane
        DropFrame(frame, NO_LANE);
        return false;
    }
    // A host's own packets may be refused in any class; what a bridge forwards in a lossless class
    // may not.
    if ((ours || !m_port.GetFlowControl()->IsLossless(frame->cls)) &&
        m_port.GetQueuedBytes(frame->cls) + frame->frameBytes > m_txQueueBytes)
    {
        FabricFramePool::Release(frame);
        m_macTxDrop(packet);
        return false;
    }
    m_port.Enqueue(frame);
    return true;
}

bool
FabricNetDevice::IsOwnAddress(uint64_t address) const
{
    return address == GetFabricAddress();
}

uint64_t
FabricNetDevice::GetPathAddress(uint64_t address, uint8_t /* pathBits */) const
{
    return address;
}

uint8_t
FabricNetDevice::GetPathServiceLevel(uint64_t /* address */, uint8_t wanted) const
{
    return wanted;
}

void
FabricNetDevice::ReceiveFrame(FabricFrame* frame, FabricNetDevice* /* device */)
{
    FreeBuffer(frame->cls, frame->frameBytes, DrainFrame(frame->frameBytes));
    if (frame->kind == FabricFrameKind::PACKET && m_rdmaSink && IsOwnAddress(frame->dst))
    {
        RecognizeRdma(*frame);
    }
    Mac48Address source;
    Mac48Address dest;
    if (frame->kind == FabricFrameKind::PACKET)
    {
        GetMacAddresses(*frame, source, dest);
        DeliverPacket(frame->packet, frame->etherType, source, dest);
        FabricFramePool::Release(frame);
        return;
    }
    if (m_rdmaSink && IsOwnAddress(frame->dst))
    {
        m_rdmaSink->ReceiveFrame(frame, this);
        return;
    }
    uint16_t protocol = 0;
    const Ptr<Packet> packet =
        m_promiscReceive.IsNull() ? nullptr : GetRdmaAsPacket(*frame, protocol);
    if (!packet)
    {
        DropFrame(frame, NOT_MINE);
        return;
    }
    GetMacAddresses(*frame, source, dest);
    FabricFramePool::Release(frame);
    DeliverPacket(packet, protocol, source, dest);
}

FabricTick
FabricNetDevice::DrainFrame(uint32_t bytes)
{
    const FabricTick now = FabricNow();
    if (m_drainRate.GetBitRate() == 0)
    {
        return now;
    }
    m_drain.Start(now, bytes);
    return m_drain.GetBusyUntil();
}

void
FabricNetDevice::DeliverPacket(const Ptr<Packet>& packet,
                               uint16_t protocol,
                               const Mac48Address& source,
                               const Mac48Address& dest)
{
    NetDevice::PacketType type = NetDevice::PACKET_OTHERHOST;
    if (dest.IsBroadcast())
    {
        type = NetDevice::PACKET_BROADCAST;
    }
    else if (dest.IsGroup())
    {
        type = NetDevice::PACKET_MULTICAST;
    }
    else if (dest == m_address)
    {
        type = NetDevice::PACKET_HOST;
    }
    if (!m_promiscReceive.IsNull())
    {
        m_macPromiscRx(packet);
        m_promiscReceive(this, packet->Copy(), protocol, source, dest, type);
    }
    if (type != NetDevice::PACKET_OTHERHOST && !m_receive.IsNull())
    {
        m_macRx(packet);
        m_receive(this, packet->Copy(), protocol, source);
    }
}

bool
FabricNetDevice::RecognizeRdma(FabricFrame& /* frame */) const
{
    return false;
}

Ptr<Packet>
FabricNetDevice::GetRdmaAsPacket(const FabricFrame& /* frame */, uint16_t& /* protocol */) const
{
    return nullptr;
}

void
FabricNetDevice::SetIfIndex(const uint32_t index)
{
    m_ifIndex = index;
}

uint32_t
FabricNetDevice::GetIfIndex() const
{
    return m_ifIndex;
}

Ptr<Channel>
FabricNetDevice::GetChannel() const
{
    return m_channel;
}

void
FabricNetDevice::SetAddress(Address address)
{
    m_address = Mac48Address::ConvertFrom(address);
}

Address
FabricNetDevice::GetAddress() const
{
    return m_address;
}

bool
FabricNetDevice::SetMtu(const uint16_t mtu)
{
    if (mtu == 0 || mtu > GetMaxMtu())
    {
        NS_LOG_WARN("MTU " << mtu << " refused, expected 1.." << GetMaxMtu());
        return false;
    }
    m_mtu = mtu;
    return true;
}

uint16_t
FabricNetDevice::GetMtu() const
{
    return m_mtu;
}

bool
FabricNetDevice::IsLinkUp() const
{
    return m_linkUp;
}

void
FabricNetDevice::AddLinkChangeCallback(Callback<void> callback)
{
    m_linkChange.ConnectWithoutContext(callback);
}

bool
FabricNetDevice::IsBroadcast() const
{
    return true;
}

Address
FabricNetDevice::GetBroadcast() const
{
    return Mac48Address::GetBroadcast();
}

bool
FabricNetDevice::IsMulticast() const
{
    return true;
}

Address
FabricNetDevice::GetMulticast(Ipv4Address multicastGroup) const
{
    return Mac48Address::GetMulticast(multicastGroup);
}

Address
FabricNetDevice::GetMulticast(Ipv6Address addr) const
{
    return Mac48Address::GetMulticast(addr);
}

bool
FabricNetDevice::IsBridge() const
{
    return false;
}

bool
FabricNetDevice::IsPointToPoint() const
{
    return false; // a switch may be at the other end, and ARP is needed
}

Ptr<Node>
FabricNetDevice::GetNode() const
{
    return m_node;
}

void
FabricNetDevice::SetNode(Ptr<Node> node)
{
    m_node = node;
    m_port.SetContext(node->GetId());
}

bool
FabricNetDevice::NeedsArp() const
{
    return true;
}

void
FabricNetDevice::SetReceiveCallback(NetDevice::ReceiveCallback cb)
{
    m_receive = cb;
}

void
FabricNetDevice::SetPromiscReceiveCallback(PromiscReceiveCallback cb)
{
    m_promiscReceive = cb;
}

} // namespace ns3
