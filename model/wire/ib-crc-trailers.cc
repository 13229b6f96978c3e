/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ib-crc-trailers.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IbIcrcTrailer);
NS_OBJECT_ENSURE_REGISTERED(IbVcrcTrailer);

TypeId
IbIcrcTrailer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IbIcrcTrailer")
                            .SetParent<Trailer>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<IbIcrcTrailer>();
    return tid;
}

TypeId
IbIcrcTrailer::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
IbIcrcTrailer::SetCrc(uint32_t crc)
{
    m_crc = crc;
}

uint32_t
IbIcrcTrailer::GetCrc() const
{
    return m_crc;
}

uint32_t
IbIcrcTrailer::GetSerializedSize() const
{
    return SIZE;
}

void
IbIcrcTrailer::Serialize(Buffer::Iterator end) const
{
    end.Prev(SIZE);
    for (uint32_t shift = 0; shift < 32; shift += 8)
    {
        end.WriteU8(m_crc >> shift & 0xff);
    }
}

uint32_t
IbIcrcTrailer::Deserialize(Buffer::Iterator end)
{
    if (end.GetSize() < SIZE)
    {
        return 0;
    }
    end.Prev(SIZE);
    m_crc = 0;
    for (uint32_t shift = 0; shift < 32; shift += 8)
    {
        m_crc |= uint32_t{end.ReadU8()} << shift;
    }
    return SIZE;
}

void
IbIcrcTrailer::Print(std::ostream& os) const
{
    os << "ICRC 0x" << std::hex << m_crc << std::dec;
}

TypeId
IbVcrcTrailer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IbVcrcTrailer")
                            .SetParent<Trailer>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<IbVcrcTrailer>();
    return tid;
}

TypeId
IbVcrcTrailer::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
IbVcrcTrailer::SetCrc(uint16_t crc)
{
    m_crc = crc;
}

uint16_t
IbVcrcTrailer::GetCrc() const
{
    return m_crc;
}

uint32_t
IbVcrcTrailer::GetSerializedSize() const
{
    return SIZE;
}

void
IbVcrcTrailer::Serialize(Buffer::Iterator end) const
{
    end.Prev(SIZE);
    end.WriteU8(m_crc & 0xff);
    end.WriteU8(m_crc >> 8);
}

uint32_t
IbVcrcTrailer::Deserialize(Buffer::Iterator end)
{
    if (end.GetSize() < SIZE)
    {
        return 0;
    }
    end.Prev(SIZE);
    const uint16_t low = end.ReadU8();
    m_crc = low | end.ReadU8() << 8;
    return SIZE;
}

void
IbVcrcTrailer::Print(std::ostream& os) const
{
    os << "VCRC 0x" << std::hex << m_crc << std::dec;
}

} // namespace ns3
