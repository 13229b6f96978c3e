/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ib-bth-header.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IbBthHeader);

TypeId
IbBthHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IbBthHeader")
                            .SetParent<Header>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<IbBthHeader>();
    return tid;
}

TypeId
IbBthHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
IbBthHeader::SetOpcode(uint8_t opcode)
{
    m_opcode = opcode;
}

uint8_t
IbBthHeader::GetOpcode() const
{
    return m_opcode;
}

void
IbBthHeader::SetSolicited(bool solicited)
{
    m_solicited = solicited;
}

bool
IbBthHeader::GetSolicited() const
{
    return m_solicited;
}

void
IbBthHeader::SetMigReq(bool migReq)
{
    m_migReq = migReq;
}

bool
IbBthHeader::GetMigReq() const
{
    return m_migReq;
}

void
IbBthHeader::SetPadCount(uint8_t padCount)
{
    m_padCount = padCount & 0x03;
}

uint8_t
IbBthHeader::GetPadCount() const
{
    return m_padCount;
}

void
IbBthHeader::SetVersion(uint8_t version)
{
    m_version = version & 0x0f;
}

uint8_t
IbBthHeader::GetVersion() const
{
    return m_version;
}

void
IbBthHeader::SetPartitionKey(uint16_t partitionKey)
{
    m_partitionKey = partitionKey;
}

uint16_t
IbBthHeader::GetPartitionKey() const
{
    return m_partitionKey;
}

void
IbBthHeader::SetFecn(bool fecn)
{
    m_fecn = fecn;
}

bool
IbBthHeader::GetFecn() const
{
    return m_fecn;
}

void
IbBthHeader::SetBecn(bool becn)
{
    m_becn = becn;
}

bool
IbBthHeader::GetBecn() const
{
    return m_becn;
}

void
IbBthHeader::SetTelemetry(bool telemetry)
{
    m_telemetry = telemetry;
}

bool
IbBthHeader::GetTelemetry() const
{
    return m_telemetry;
}

void
IbBthHeader::SetDestinationQp(uint32_t destinationQp)
{
    m_destinationQp = destinationQp & 0xffffff;
}

uint32_t
IbBthHeader::GetDestinationQp() const
{
    return m_destinationQp;
}

void
IbBthHeader::SetAckReq(bool ackReq)
{
    m_ackReq = ackReq;
}

bool
IbBthHeader::GetAckReq() const
{
    return m_ackReq;
}

void
IbBthHeader::SetPsn(uint32_t psn)
{
    m_psn = psn & 0xffffff;
}

uint32_t
IbBthHeader::GetPsn() const
{
    return m_psn;
}

uint32_t
IbBthHeader::GetSerializedSize() const
{
    return SIZE;
}

void
IbBthHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteU8(m_opcode);
    start.WriteU8((m_solicited ? 0x80 : 0) | (m_migReq ? 0x40 : 0) | m_padCount << 4 | m_version);
    start.WriteHtonU16(m_partitionKey);
    start.WriteHtonU32((m_fecn ? 0x80000000 : 0) | (m_becn ? 0x40000000 : 0) |
                       (m_telemetry ? 0x20000000 : 0) | m_destinationQp);
    start.WriteHtonU32((m_ackReq ? 0x80000000 : 0) | m_psn);
}

uint32_t
IbBthHeader::Deserialize(Buffer::Iterator start)
{
    if (start.GetRemainingSize() < SIZE)
    {
        return 0;
    }
    SetOpcode(start.ReadU8());
    const uint8_t flags = start.ReadU8();
    SetSolicited(flags & 0x80);
    SetMigReq(flags & 0x40);
    SetPadCount(flags >> 4);
    SetVersion(flags);
    SetPartitionKey(start.ReadNtohU16());
    const uint32_t destination = start.ReadNtohU32();
    SetFecn(destination & 0x80000000);
    SetBecn(destination & 0x40000000);
    SetTelemetry(destination & 0x20000000);
    SetDestinationQp(destination);
    const uint32_t sequence = start.ReadNtohU32();
    SetAckReq(sequence & 0x80000000);
    SetPsn(sequence);
    return SIZE;
}

void
IbBthHeader::Print(std::ostream& os) const
{
    os << "BTH (op 0x" << std::hex << +m_opcode << std::dec << " se " << m_solicited << " pad "
       << +m_padCount << " fecn " << m_fecn << " becn " << m_becn << " a " << m_ackReq << ") qp "
       << m_destinationQp << " psn " << m_psn;
}

} // namespace ns3
