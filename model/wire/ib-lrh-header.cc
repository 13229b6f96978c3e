/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ib-lrh-header.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IbLrhHeader);

TypeId
IbLrhHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IbLrhHeader")
                            .SetParent<Header>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<IbLrhHeader>();
    return tid;
}

TypeId
IbLrhHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
IbLrhHeader::SetVl(uint8_t vl)
{
    m_vl = vl & 0x0f;
}

uint8_t
IbLrhHeader::GetVl() const
{
    return m_vl;
}

void
IbLrhHeader::SetVersion(uint8_t version)
{
    m_version = version & 0x0f;
}

uint8_t
IbLrhHeader::GetVersion() const
{
    return m_version;
}

void
IbLrhHeader::SetSl(uint8_t sl)
{
    m_sl = sl & 0x0f;
}

uint8_t
IbLrhHeader::GetSl() const
{
    return m_sl;
}

void
IbLrhHeader::SetLnh(uint8_t lnh)
{
    m_lnh = lnh & 0x03;
}

uint8_t
IbLrhHeader::GetLnh() const
{
    return m_lnh;
}

void
IbLrhHeader::SetDlid(uint16_t dlid)
{
    m_dlid = dlid;
}

uint16_t
IbLrhHeader::GetDlid() const
{
    return m_dlid;
}

void
IbLrhHeader::SetPacketLength(uint16_t packetLength)
{
    m_packetLength = packetLength & 0x07ff;
}

uint16_t
IbLrhHeader::GetPacketLength() const
{
    return m_packetLength;
}

void
IbLrhHeader::SetSlid(uint16_t slid)
{
    m_slid = slid;
}

uint16_t
IbLrhHeader::GetSlid() const
{
    return m_slid;
}

uint32_t
IbLrhHeader::GetSerializedSize() const
{
    return SIZE;
}

void
IbLrhHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteU8(m_vl << 4 | m_version);
    start.WriteU8(m_sl << 4 | m_lnh);
    start.WriteHtonU16(m_dlid);
    start.WriteHtonU16(m_packetLength);
    start.WriteHtonU16(m_slid);
}

uint32_t
IbLrhHeader::Deserialize(Buffer::Iterator start)
{
    if (start.GetRemainingSize() < SIZE)
    {
        return 0;
    }
    const uint8_t first = start.ReadU8();
    SetVl(first >> 4);
    SetVersion(first);
    const uint8_t second = start.ReadU8();
    SetSl(second >> 4);
    SetLnh(second);
    SetDlid(start.ReadNtohU16());
    SetPacketLength(start.ReadNtohU16());
    SetSlid(start.ReadNtohU16());
    return SIZE;
}

void
IbLrhHeader::Print(std::ostream& os) const
{
    os << "LRH (vl " << +m_vl << " sl " << +m_sl << " lnh " << +m_lnh << " pktlen "
       << m_packetLength << ") slid " << m_slid << " dlid " << m_dlid;
}

} // namespace ns3
