/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ib-flow-control-header.h"

#include "ib-crc.h"

#include <array>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IbFlowControlHeader);

TypeId
IbFlowControlHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IbFlowControlHeader")
                            .SetParent<Header>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<IbFlowControlHeader>();
    return tid;
}

TypeId
IbFlowControlHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
IbFlowControlHeader::SetOp(uint8_t op)
{
    m_op = op & 0x0f;
}

uint8_t
IbFlowControlHeader::GetOp() const
{
    return m_op;
}

void
IbFlowControlHeader::SetFctbs(uint16_t fctbs)
{
    m_fctbs = fctbs & 0x0fff;
}

uint16_t
IbFlowControlHeader::GetFctbs() const
{
    return m_fctbs;
}

void
IbFlowControlHeader::SetVl(uint8_t vl)
{
    m_vl = vl & 0x0f;
}

uint8_t
IbFlowControlHeader::GetVl() const
{
    return m_vl;
}

void
IbFlowControlHeader::SetFccl(uint16_t fccl)
{
    m_fccl = fccl & 0x0fff;
}

uint16_t
IbFlowControlHeader::GetFccl() const
{
    return m_fccl;
}

void
IbFlowControlHeader::SetLpcrc(uint16_t lpcrc)
{
    m_lpcrc = lpcrc;
}

uint16_t
IbFlowControlHeader::GetLpcrc() const
{
    return m_lpcrc;
}

uint32_t
IbFlowControlHeader::GetSerializedSize() const
{
    return SIZE;
}

void
IbFlowControlHeader::Serialize(Buffer::Iterator start) const
{
    start.WriteHtonU16(m_op << 12 | m_fctbs);
    start.WriteHtonU16(m_vl << 12 | m_fccl);
    start.WriteU8(m_lpcrc & 0xff);
    start.WriteU8(m_lpcrc >> 8);
}

uint32_t
IbFlowControlHeader::Deserialize(Buffer::Iterator start)
{
    if (start.GetRemainingSize() < SIZE)
    {
        return 0;
    }
    const uint16_t sent = start.ReadNtohU16();
    SetOp(sent >> 12);
    SetFctbs(sent);
    const uint16_t limit = start.ReadNtohU16();
    SetVl(limit >> 12);
    SetFccl(limit);
    const uint16_t low = start.ReadU8();
    SetLpcrc(low | start.ReadU8() << 8);
    return SIZE;
}

void
IbFlowControlHeader::Print(std::ostream& os) const
{
    os << "FCP (op " << +m_op << ") vl " << +m_vl << " fctbs " << m_fctbs << " fccl " << m_fccl;
}

uint16_t
IbFlowControlHeader::ComputeLpcrc() const
{
    const std::array<uint8_t, 4> bytes{static_cast<uint8_t>(m_op << 4 | m_fctbs >> 8),
                                       static_cast<uint8_t>(m_fctbs),
                                       static_cast<uint8_t>(m_vl << 4 | m_fccl >> 8),
                                       static_cast<uint8_t>(m_fccl)};
    return IbCrc::Crc16(bytes.data(), bytes.size());
}

} // namespace ns3
