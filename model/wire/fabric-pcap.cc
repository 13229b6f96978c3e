/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-pcap.h"

#include "zero-padding.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ErfHeader);

TypeId
ErfHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::ErfHeader")
                            .SetParent<Header>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<ErfHeader>();
    return tid;
}

TypeId
ErfHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
ErfHeader::SetType(FabricErfType type)
{
    m_type = type;
}

FabricErfType
ErfHeader::GetType() const
{
    return m_type;
}

void
ErfHeader::SetTimestamp(uint64_t timestamp)
{
    m_timestamp = timestamp;
}

uint64_t
ErfHeader::GetTimestamp() const
{
    return m_timestamp;
}

void
ErfHeader::SetRecordLength(uint16_t recordLength)
{
    m_recordLength = recordLength;
}

uint16_t
ErfHeader::GetRecordLength() const
{
    return m_recordLength;
}

void
ErfHeader::SetWireLength(uint16_t wireLength)
{
    m_wireLength = wireLength;
}

uint16_t
ErfHeader::GetWireLength() const
{
    return m_wireLength;
}

uint32_t
ErfHeader::GetSerializedSize() const
{
    return SIZE;
}

void
ErfHeader::Serialize(Buffer::Iterator start) const
{
    for (uint32_t shift = 0; shift < 64; shift += 8)
    {
        start.WriteU8(m_timestamp >> shift & 0xff);
    }
    start.WriteU8(static_cast<uint8_t>(m_type));
    start.WriteU8(VARYING_LENGTH);
    start.WriteHtonU16(m_recordLength);
    start.WriteHtonU16(0); // nothing was lost
    start.WriteHtonU16(m_wireLength);
}

uint32_t
ErfHeader::Deserialize(Buffer::Iterator start)
{
    if (start.GetRemainingSize() < SIZE)
    {
        return 0;
    }
    m_timestamp = 0;
    for (uint32_t shift = 0; shift < 64; shift += 8)
    {
        m_timestamp |= uint64_t{start.ReadU8()} << shift;
    }
    m_type = static_cast<FabricErfType>(start.ReadU8());
    start.Next(1);
    m_recordLength = start.ReadNtohU16();
    start.Next(2);
    m_wireLength = start.ReadNtohU16();
    return SIZE;
}

void
ErfHeader::Print(std::ostream& os) const
{
    os << "ERF (type " << +static_cast<uint8_t>(m_type) << " rlen " << m_recordLength << " wlen "
       << m_wireLength << ")";
}

uint64_t
ToErfTimestamp(Time time)
{
    // The fraction is taken in two steps: picoseconds have 40 bit, so 24 more fit.
    constexpr uint64_t SECOND = 1000000000000;
    const auto picoseconds = static_cast<uint64_t>(time.GetPicoSeconds());
    const uint64_t high = (picoseconds % SECOND) << 24;
    const uint64_t low = high % SECOND << 8;
    return picoseconds / SECOND << 32 | high / SECOND << 8 | low / SECOND;
}

Ptr<Packet>
ToErfRecord(Ptr<const Packet> bytes, FabricErfType type, Time time)
{
    Ptr<Packet> record = bytes->Copy();
    if (type == FabricErfType::INFINIBAND_LINK && record->GetSize() < ERF_LINK_PACKET_BYTES)
    {
        AddZeroPadding(record, ERF_LINK_PACKET_BYTES - record->GetSize());
    }
    ErfHeader header;
    header.SetType(type);
    header.SetTimestamp(ToErfTimestamp(time));
    header.SetWireLength(record->GetSize());
    header.SetRecordLength(ErfHeader::SIZE + record->GetSize());
    record->AddHeader(header);
    return record;
}

} // namespace ns3
