/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pfc-header.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PfcHeader);

namespace
{

/** Opcode, class-enable vector and times. */
constexpr uint32_t USED_BYTES = 4 + 2 * PfcHeader::PRIORITIES;

} // namespace

TypeId
PfcHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::PfcHeader")
                            .SetParent<Header>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<PfcHeader>();
    return tid;
}

TypeId
PfcHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

uint32_t
PfcHeader::GetSerializedSize() const
{
    return SIZE;
}

void
PfcHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU16(OPCODE);
    start.WriteHtonU16(m_enabled);
    for (const uint16_t quanta : m_quanta)
    {
        start.WriteHtonU16(quanta);
    }
    start.WriteU8(0, SIZE - USED_BYTES);
}

uint32_t
PfcHeader::Deserialize(Buffer::Iterator start)
{
    if (start.GetRemainingSize() < SIZE)
    {
        return 0;
    }
    if (start.ReadNtohU16() != OPCODE)
    {
        return 0;
    }
    m_enabled = start.ReadNtohU16() & 0xff;
    for (uint16_t& quanta : m_quanta)
    {
        quanta = start.ReadNtohU16();
    }
    return SIZE;
}

void
PfcHeader::Print(std::ostream& os) const
{
    os << "PFC";
    for (uint8_t priority = 0; priority < PRIORITIES; ++priority)
    {
        if (IsEnabled(priority))
        {
            os << " " << +priority << ":" << m_quanta[priority];
        }
    }
}

void
PfcHeader::SetPause(uint8_t priority, uint16_t quanta)
{
    m_quanta.at(priority) = quanta;
    m_enabled |= 1 << priority;
}

uint8_t
PfcHeader::GetEnableVector() const
{
    return m_enabled;
}

bool
PfcHeader::IsEnabled(uint8_t priority) const
{
    return priority < PRIORITIES && (m_enabled >> priority & 1);
}

uint16_t
PfcHeader::GetQuanta(uint8_t priority) const
{
    return m_quanta.at(priority);
}

} // namespace ns3
