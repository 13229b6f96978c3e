/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ib-extended-headers.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IbRethHeader);
NS_OBJECT_ENSURE_REGISTERED(IbAethHeader);
NS_OBJECT_ENSURE_REGISTERED(IbDethHeader);
NS_OBJECT_ENSURE_REGISTERED(IbImmDtHeader);

TypeId
IbRethHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IbRethHeader")
                            .SetParent<Header>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<IbRethHeader>();
    return tid;
}

TypeId
IbRethHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
IbRethHeader::SetVirtualAddress(uint64_t virtualAddress)
{
    m_virtualAddress = virtualAddress;
}

uint64_t
IbRethHeader::GetVirtualAddress() const
{
    return m_virtualAddress;
}

void
IbRethHeader::SetRemoteKey(uint32_t remoteKey)
{
    m_remoteKey = remoteKey;
}

uint32_t
IbRethHeader::GetRemoteKey() const
{
    return m_remoteKey;
}

void
IbRethHeader::SetDmaLength(uint32_t dmaLength)
{
    m_dmaLength = dmaLength;
}

uint32_t
IbRethHeader::GetDmaLength() const
{
    return m_dmaLength;
}

uint32_t
IbRethHeader::GetSerializedSize() const
{
    return SIZE;
}

void
IbRethHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU64(m_virtualAddress);
    start.WriteHtonU32(m_remoteKey);
    start.WriteHtonU32(m_dmaLength);
}

uint32_t
IbRethHeader::Deserialize(Buffer::Iterator start)
{
    if (start.GetRemainingSize() < SIZE)
    {
        return 0;
    }
    SetVirtualAddress(start.ReadNtohU64());
    SetRemoteKey(start.ReadNtohU32());
    SetDmaLength(start.ReadNtohU32());
    return SIZE;
}

void
IbRethHeader::Print(std::ostream& os) const
{
    os << "RETH va 0x" << std::hex << m_virtualAddress << " rkey 0x" << m_remoteKey << std::dec
       << " dmalen " << m_dmaLength;
}

TypeId
IbAethHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IbAethHeader")
                            .SetParent<Header>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<IbAethHeader>();
    return tid;
}

TypeId
IbAethHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
IbAethHeader::SetSyndrome(uint8_t syndrome)
{
    m_syndrome = syndrome;
}

uint8_t
IbAethHeader::GetSyndrome() const
{
    return m_syndrome;
}

void
IbAethHeader::SetMsn(uint32_t msn)
{
    m_msn = msn & 0xffffff;
}

uint32_t
IbAethHeader::GetMsn() const
{
    return m_msn;
}

uint32_t
IbAethHeader::GetSerializedSize() const
{
    return SIZE;
}

void
IbAethHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU32(uint32_t{m_syndrome} << 24 | m_msn);
}

uint32_t
IbAethHeader::Deserialize(Buffer::Iterator start)
{
    if (start.GetRemainingSize() < SIZE)
    {
        return 0;
    }
    const uint32_t word = start.ReadNtohU32();
    SetSyndrome(word >> 24);
    SetMsn(word);
    return SIZE;
}

void
IbAethHeader::Print(std::ostream& os) const
{
    os << "AETH syndrome 0x" << std::hex << +m_syndrome << std::dec << " msn " << m_msn;
}

TypeId
IbDethHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IbDethHeader")
                            .SetParent<Header>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<IbDethHeader>();
    return tid;
}

TypeId
IbDethHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
IbDethHeader::SetQueueKey(uint32_t queueKey)
{
    m_queueKey = queueKey;
}

uint32_t
IbDethHeader::GetQueueKey() const
{
    return m_queueKey;
}

void
IbDethHeader::SetSourceQp(uint32_t sourceQp)
{
    m_sourceQp = sourceQp & 0xffffff;
}

uint32_t
IbDethHeader::GetSourceQp() const
{
    return m_sourceQp;
}

uint32_t
IbDethHeader::GetSerializedSize() const
{
    return SIZE;
}

void
IbDethHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU32(m_queueKey);
    start.WriteHtonU32(m_sourceQp);
}

uint32_t
IbDethHeader::Deserialize(Buffer::Iterator start)
{
    if (start.GetRemainingSize() < SIZE)
    {
        return 0;
    }
    SetQueueKey(start.ReadNtohU32());
    SetSourceQp(start.ReadNtohU32());
    return SIZE;
}

void
IbDethHeader::Print(std::ostream& os) const
{
    os << "DETH qkey 0x" << std::hex << m_queueKey << std::dec << " srcqp " << m_sourceQp;
}

TypeId
IbImmDtHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IbImmDtHeader")
                            .SetParent<Header>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<IbImmDtHeader>();
    return tid;
}

TypeId
IbImmDtHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
IbImmDtHeader::SetData(uint32_t data)
{
    m_data = data;
}

uint32_t
IbImmDtHeader::GetData() const
{
    return m_data;
}

uint32_t
IbImmDtHeader::GetSerializedSize() const
{
    return SIZE;
}

void
IbImmDtHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU32(m_data);
}

uint32_t
IbImmDtHeader::Deserialize(Buffer::Iterator start)
{
    if (start.GetRemainingSize() < SIZE)
    {
        return 0;
    }
    SetData(start.ReadNtohU32());
    return SIZE;
}

void
IbImmDtHeader::Print(std::ostream& os) const
{
    os << "ImmDt 0x" << std::hex << m_data << std::dec;
}

} // namespace ns3
