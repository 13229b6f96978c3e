/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ib-net-device.h"

#include "credit-flow-control.h"
#include "fabric-frame-codec.h"
#include "ib-vl-arbiter.h"

#include "ns3/ib-opcode.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IbNetDevice");
NS_OBJECT_ENSURE_REGISTERED(IbNetDevice);

namespace
{

constexpr uint16_t IPV4_PROTOCOL = 0x0800;
constexpr uint16_t IPV6_PROTOCOL = 0x86dd;

/** @returns the MAC-48 address of the group that a packet for all ports of the subnet was meant for
 */
Mac48Address
GetGroupAddress(const Packet& packet, uint16_t protocol)
{
    std::array<uint8_t, 40> header{};
    packet.CopyData(header.data(), header.size());
    if (protocol == IPV4_PROTOCOL)
    {
        const Ipv4Address group = Ipv4Address::Deserialize(header.data() + 16);
        if (group.IsMulticast())
        {
            return Mac48Address::GetMulticast(group);
        }
    }
    else if (protocol == IPV6_PROTOCOL)
    {
        const Ipv6Address group = Ipv6Address::Deserialize(header.data() + 24);
        if (group.IsMulticast())
        {
            return Mac48Address::GetMulticast(group);
        }
    }
    return Mac48Address::GetBroadcast();
}

} // namespace

TypeId
IbNetDevice::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IbNetDevice")
            .SetParent<FabricNetDevice>()
            .SetGroupName("AiFabric")
            .AddConstructor<IbNetDevice>()
            .AddAttribute("IbMtu",
                          "Largest payload of a packet in bytes: 256, 512, 1024, 2048 or 4096.",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&IbNetDevice::SetIbMtu, &IbNetDevice::GetIbMtu),
                          MakeUintegerChecker<uint32_t>(256, 4096))
            .AddAttribute("DelimiterBytes",
                          "Bytes that each packet takes on the wire beyond LRH..VCRC: delimiters "
                          "and idle symbols.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&IbNetDevice::m_delimiterBytes),
                          MakeUintegerChecker<uint32_t>(0, 1024))
            .AddAttribute("IpoibSl",
                          "Service level of the ns-3 stack's packets.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&IbNetDevice::m_ipoibSl),
                          MakeUintegerChecker<uint8_t>(0, 15));
    return tid;
}

IbNetDevice::IbNetDevice()
{
    ObjectFactory factory;
    factory.SetTypeId("ns3::CreditFlowControl");
    SetFlowControl(factory);
}

void
IbNetDevice::DoDispose()
{
    m_addresses = nullptr;
    FabricNetDevice::DoDispose();
}

void
IbNetDevice::SetIbMtu(uint32_t mtu)
{
    m_ibMtu = mtu; // checked when the link goes up: an object under construction can't refuse
    SetMtu(GetMaxMtu());
}

uint32_t
IbNetDevice::GetIbMtu() const
{
    return m_ibMtu;
}

uint16_t
IbNetDevice::GetMaxMtu() const
{
    return static_cast<uint16_t>(m_ibMtu - IPOIB_HEADER_BYTES);
}

uint32_t
IbNetDevice::GetMaxRdmaPayload() const
{
    return m_ibMtu;
}

void
IbNetDevice::SetAddress(Address address)
{
    if (m_addresses)
    {
        m_addresses->Readdress(m_address, Mac48Address::ConvertFrom(address));
    }
    FabricNetDevice::SetAddress(address);
}

uint32_t
IbNetDevice::GetLargestFrameBytes() const
{
    // Any extension headers (28 bytes at most) and a GRH.
    return IbFrameBytes(IbOpcode::RC_WRITE_MIDDLE, m_ibMtu, true) + 28;
}

void
IbNetDevice::SetAddressTable(const Ptr<IbAddressTable>& table)
{
    m_addresses = table;
}

uint16_t
IbNetDevice::GetLid() const
{
    return m_lid;
}

void
IbNetDevice::SetLid(uint16_t lid)
{
    m_lid = lid;
}

uint8_t
IbNetDevice::GetLmc() const
{
    return m_lmc;
}

void
IbNetDevice::SetLmc(uint8_t lmc)
{
    m_lmc = lmc;
}

bool
IbNetDevice::IsOwnAddress(uint64_t address) const
{
    return address >> m_lmc == static_cast<uint64_t>(m_lid) >> m_lmc;
}

uint64_t
IbNetDevice::GetPathAddress(uint64_t address, uint8_t pathBits) const
{
    return address + (pathBits & ((1U << m_lmc) - 1)); // the LMC is the same in all of the subnet
}

uint8_t
IbNetDevice::GetPathServiceLevel(uint64_t address, uint8_t wanted) const
{
    return m_addresses ? m_addresses->GetServiceLevel(m_lid, static_cast<uint16_t>(address), wanted)
                       : wanted;
}

uint64_t
IbNetDevice::GetFabricAddress() const
{
    return m_lid;
}

void
IbNetDevice::NotifyLinkUp()
{
    if (m_ibMtu & (m_ibMtu - 1))
    {
        throw std::invalid_argument("IbNetDevice: IbMtu is " + std::to_string(m_ibMtu) +
                                    ", expected 256, 512, 1024, 2048 or 4096");
    }
    if (const auto credits = dynamic_cast<CreditFlowControl*>(m_port.GetFlowControl()))
    {
        m_dataLanes = credits->GetLanes();
        FabricFrame largest;
        largest.opcode = IbOpcode::RC_WRITE_ONLY_IMM;
        largest.payload = m_ibMtu;
        SizeFrame(largest);
        const uint32_t room = credits->GetSmallestBufferBlocks() * credits->GetBlockBytes();
        if (largest.frameBytes > room)
        {
            throw std::invalid_argument("IbNetDevice: IbMtu " + std::to_string(m_ibMtu) +
                                        " makes packets of " + std::to_string(largest.frameBytes) +
                                        " bytes, but the receive buffer of a lane is " +
                                        std::to_string(room) +
                                        " bytes; expected at least one packet");
        }
    }
    ApplyQos();
    FabricNetDevice::NotifyLinkUp();
}

void
IbNetDevice::SetVlArbitration(const IbVlArbitration& arbitration)
{
    m_arbitration = std::make_unique<IbVlArbitration>(arbitration);
    ApplyQos();
}

void
IbNetDevice::SetSlToVl(const std::shared_ptr<const IbSlToVl>& slToVl)
{
    m_slToVl = slToVl;
    ApplyQos();
}

const std::shared_ptr<const IbSlToVl>&
IbNetDevice::GetSlToVl() const
{
    return m_slToVl;
}

void
IbNetDevice::SetQos(const IbPortQos& qos, const std::shared_ptr<const IbSlToVl>& slToVl)
{
    m_maxVls = qos.maxVls;
    m_arbitration = std::make_unique<IbVlArbitration>(qos.arbitration);
    m_slToVl = slToVl ? slToVl : std::make_shared<const IbSlToVl>(qos.slToVl);
    ApplyQos();
}

uint8_t
IbNetDevice::GetOperationalVls() const
{
    return m_operationalVls;
}

void
IbNetDevice::ApplyQos()
{
    if (!m_port.GetFlowControl())
    {
        return; // done when the link goes up
    }
    m_operationalVls = m_maxVls ? IbOperationalVls(std::min(m_maxVls, m_dataLanes)) : m_dataLanes;
    m_openLanes = (1U << m_operationalVls) - 1;
    if (!m_arbitration)
    {
        return;
    }
    auto arbiter = std::make_unique<IbVlArbiter>(*m_arbitration, m_operationalVls);
    const uint32_t used = (m_slToVl ? m_slToVl->GetUsedLanes() : ~0U) & m_openLanes;
    m_openLanes &= arbiter->GetServedClasses();
    if (used & ~m_openLanes)
    {
        NS_LOG_WARN("service levels lead to virtual lanes without weight in VL arbitration, mask "
                    << (used & ~m_openLanes) << ": their packets are dropped");
    }
    m_port.SetArbiter(std::move(arbiter));
}

void
IbNetDevice::SizeFrame(FabricFrame& frame) const
{
    if (frame.kind == FabricFrameKind::PACKET)
    {
        frame.payload = frame.packet->GetSize() + IPOIB_HEADER_BYTES;
        if (frame.etherType == IPOIB_ARP_PROTOCOL)
        {
            frame.payload = IPOIB_HEADER_BYTES + IPOIB_ARP_BYTES;
        }
        frame.frameBytes = IbFrameBytes(frame.opcode, frame.payload);
        if (frame.dst >= IbAddressTable::MULTICAST_LID)
        {
            frame.frameBytes += 40; // GRH
        }
    }
    else
    {
        frame.frameBytes = IbFrameBytes(frame.opcode, frame.payload);
    }
    frame.wireBytes = frame.frameBytes + m_delimiterBytes;
}

void
IbNetDevice::ClassifyFrame(FabricFrame& frame) const
{
    if (frame.inCls == CreditFlowControl::MANAGEMENT_LANE)
    {
        frame.cls = CreditFlowControl::MANAGEMENT_LANE; // on all its way, whatever its SL
    }
    else
    {
        const uint8_t vl =
            m_slToVl ? m_slToVl->Get(frame.inPort, frame.sl) : frame.sl % m_dataLanes;
        frame.cls = m_openLanes >> vl & 1 ? vl : FabricPort::NO_CLASS;
    }
}

Ptr<Packet>
IbNetDevice::MaterializeFrame(const FabricFrame& frame) const
{
    IbFrameOptions options;
    options.crc = m_computeCrc;
    return EncodeIb(frame, options);
}

bool
IbNetDevice::SupportsSendFrom() const
{
    return false; // the source address is the port's LID
}

bool
IbNetDevice::AddressPacket(FabricFrame& frame,
                           const Mac48Address& /* source */,
                           const Mac48Address& dest) const
{
    const uint16_t lid = m_addresses ? m_addresses->GetLid(dest) : 0;
    if (lid == 0 || m_lid == 0)
    {
        return false;
    }
    frame.src = m_lid;
    frame.dst = lid;
    frame.opcode = IbOpcode::UD_SEND_ONLY;
    frame.srcQp = IPOIB_QP;
    frame.dstQp = lid >= IbAddressTable::MULTICAST_LID ? MULTICAST_QP : IPOIB_QP;
    frame.qkey = IPOIB_QKEY;
    frame.sl = GetPathServiceLevel(lid, m_ipoibSl);
    // With its GRH, a datagram may be longer than any RDMA packet: credit for it would never come.
    ClassifyFrame(frame);
    SizeFrame(frame);
    return frame.cls == FabricPort::NO_CLASS ||
           frame.frameBytes <= m_port.GetFlowControl()->GetLargestFrame(frame.cls);
}

void
IbNetDevice::GetMacAddresses(const FabricFrame& frame,
                             Mac48Address& source,
                             Mac48Address& dest) const
{
    source = dest = Mac48Address::GetBroadcast();
    if (m_addresses)
    {
        source = m_addresses->GetMac(static_cast<uint16_t>(frame.src));
        dest = IsOwnAddress(frame.dst) ? m_address
                                       : m_addresses->GetMac(static_cast<uint16_t>(frame.dst));
    }
    if (frame.packet && frame.dst >= IbAddressTable::MULTICAST_LID)
    {
        dest = GetGroupAddress(*frame.packet, frame.etherType);
    }
}

} // namespace ns3
