/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "vlan-tag-header.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(VlanTagHeader);

TypeId
VlanTagHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::VlanTagHeader")
                            .SetParent<Header>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<VlanTagHeader>();
    return tid;
}

TypeId
VlanTagHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
VlanTagHeader::SetPriority(uint8_t priority)
{
    m_priority = priority & 0x07;
}

uint8_t
VlanTagHeader::GetPriority() const
{
    return m_priority;
}

void
VlanTagHeader::SetDropEligible(bool dropEligible)
{
    m_dropEligible = dropEligible;
}

bool
VlanTagHeader::GetDropEligible() const
{
    return m_dropEligible;
}

void
VlanTagHeader::SetVlanId(uint16_t vlanId)
{
    m_vlanId = vlanId & 0x0fff;
}

uint16_t
VlanTagHeader::GetVlanId() const
{
    return m_vlanId;
}

void
VlanTagHeader::SetEtherType(uint16_t etherType)
{
    m_etherType = etherType;
}

uint16_t
VlanTagHeader::GetEtherType() const
{
    return m_etherType;
}

uint32_t
VlanTagHeader::GetSerializedSize() const
{
    return SIZE;
}

void
VlanTagHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU16(m_priority << 13 | (m_dropEligible ? 0x1000 : 0) | m_vlanId);
    start.WriteHtonU16(m_etherType);
}

uint32_t
VlanTagHeader::Deserialize(Buffer::Iterator start)
{
    if (start.GetRemainingSize() < SIZE)
    {
        return 0;
    }
    const uint16_t control = start.ReadNtohU16();
    SetPriority(control >> 13);
    SetDropEligible(control & 0x1000);
    SetVlanId(control);
    SetEtherType(start.ReadNtohU16());
    return SIZE;
}

void
VlanTagHeader::Print(std::ostream& os) const
{
    os << "802.1Q (pcp " << +m_priority << " dei " << m_dropEligible << ") vid " << m_vlanId
       << " type 0x" << std::hex << m_etherType << std::dec;
}

} // namespace ns3
