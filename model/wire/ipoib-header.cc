/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipoib-header.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IpoibHeader);

TypeId
IpoibHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IpoibHeader")
                            .SetParent<Header>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<IpoibHeader>();
    return tid;
}

TypeId
IpoibHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
IpoibHeader::SetProtocol(uint16_t protocol)
{
    m_protocol = protocol;
}

uint16_t
IpoibHeader::GetProtocol() const
{
    return m_protocol;
}

uint32_t
IpoibHeader::GetSerializedSize() const
{
    return SIZE;
}

void
IpoibHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU16(m_protocol);
    start.WriteHtonU16(0);
}

uint32_t
IpoibHeader::Deserialize(Buffer::Iterator start)
{
    if (start.GetRemainingSize() < SIZE)
    {
        return 0;
    }
    SetProtocol(start.ReadNtohU16());
    return SIZE;
}

void
IpoibHeader::Print(std::ostream& os) const
{
    os << "IPoIB protocol 0x" << std::hex << m_protocol << std::dec;
}

} // namespace ns3
