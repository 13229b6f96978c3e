/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mac-pause-header.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(MacPauseHeader);

TypeId
MacPauseHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::MacPauseHeader")
                            .SetParent<Header>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<MacPauseHeader>();
    return tid;
}

TypeId
MacPauseHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

uint32_t
MacPauseHeader::GetSerializedSize() const
{
    return SIZE;
}

void
MacPauseHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU16(OPCODE);
    start.WriteHtonU16(m_quanta);
    start.WriteU8(0, SIZE - 4);
}

uint32_t
MacPauseHeader::Deserialize(Buffer::Iterator start)
{
    if (start.GetRemainingSize() < SIZE || start.ReadNtohU16() != OPCODE)
    {
        return 0;
    }
    m_quanta = start.ReadNtohU16();
    return SIZE;
}

void
MacPauseHeader::Print(std::ostream& os) const
{
    os << "PAUSE " << m_quanta;
}

void
MacPauseHeader::SetQuanta(uint16_t quanta)
{
    m_quanta = quanta;
}

uint16_t
MacPauseHeader::GetQuanta() const
{
    return m_quanta;
}

} // namespace ns3
