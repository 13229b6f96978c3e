/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ib-grh-header.h"

#include "ns3/ipv6-address.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IbGrhHeader);

TypeId
IbGrhHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IbGrhHeader")
                            .SetParent<Header>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<IbGrhHeader>();
    return tid;
}

TypeId
IbGrhHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
IbGrhHeader::SetTrafficClass(uint8_t trafficClass)
{
    m_trafficClass = trafficClass;
}

uint8_t
IbGrhHeader::GetTrafficClass() const
{
    return m_trafficClass;
}

void
IbGrhHeader::SetFlowLabel(uint32_t flowLabel)
{
    m_flowLabel = flowLabel & 0xfffff;
}

uint32_t
IbGrhHeader::GetFlowLabel() const
{
    return m_flowLabel;
}

void
IbGrhHeader::SetPayloadLength(uint16_t payloadLength)
{
    m_payloadLength = payloadLength;
}

uint16_t
IbGrhHeader::GetPayloadLength() const
{
    return m_payloadLength;
}

void
IbGrhHeader::SetNextHeader(uint8_t nextHeader)
{
    m_nextHeader = nextHeader;
}

uint8_t
IbGrhHeader::GetNextHeader() const
{
    return m_nextHeader;
}

void
IbGrhHeader::SetHopLimit(uint8_t hopLimit)
{
    m_hopLimit = hopLimit;
}

uint8_t
IbGrhHeader::GetHopLimit() const
{
    return m_hopLimit;
}

void
IbGrhHeader::SetSourceGid(IbGid sourceGid)
{
    m_sourceGid = sourceGid;
}

IbGid
IbGrhHeader::GetSourceGid() const
{
    return m_sourceGid;
}

void
IbGrhHeader::SetDestinationGid(IbGid destinationGid)
{
    m_destinationGid = destinationGid;
}

IbGid
IbGrhHeader::GetDestinationGid() const
{
    return m_destinationGid;
}

uint32_t
IbGrhHeader::GetSerializedSize() const
{
    return SIZE;
}

void
IbGrhHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU32(uint32_t{IP_VERSION} << 28 | uint32_t{m_trafficClass} << 20 | m_flowLabel);
    start.WriteHtonU16(m_payloadLength);
    start.WriteU8(m_nextHeader);
    start.WriteU8(m_hopLimit);
    start.Write(m_sourceGid.data(), m_sourceGid.size());
    start.Write(m_destinationGid.data(), m_destinationGid.size());
}

uint32_t
IbGrhHeader::Deserialize(Buffer::Iterator start)
{
    if (start.GetRemainingSize() < SIZE)
    {
        return 0;
    }
    const uint32_t first = start.ReadNtohU32();
    if (first >> 28 != IP_VERSION)
    {
        return 0;
    }
    SetTrafficClass(first >> 20 & 0xff);
    SetFlowLabel(first);
    SetPayloadLength(start.ReadNtohU16());
    SetNextHeader(start.ReadU8());
    SetHopLimit(start.ReadU8());
    start.Read(m_sourceGid.data(), m_sourceGid.size());
    start.Read(m_destinationGid.data(), m_destinationGid.size());
    return SIZE;
}

void
IbGrhHeader::Print(std::ostream& os) const
{
    os << "GRH (tclass " << +m_trafficClass << " flow " << m_flowLabel << " paylen "
       << m_payloadLength << " hoplmt " << +m_hopLimit << ") sgid "
       << Ipv6Address::Deserialize(m_sourceGid.data()) << " dgid "
       << Ipv6Address::Deserialize(m_destinationGid.data());
}

} // namespace ns3
