/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IB_FLOW_CONTROL_HEADER_H
#define IB_FLOW_CONTROL_HEADER_H

#include "ns3/header.h"

#include <cstdint>
#include <ostream>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * A link-level flow-control packet (IBA vol 1, 7.9.4): it has no payload.
 *
 * The least significant byte of the CRC is first on the wire.
 */
class IbFlowControlHeader : public Header
{
  public:
    static constexpr uint32_t SIZE = 6;         //!< bytes
    static constexpr uint8_t OP_NORMAL = 0;     //!< the link is up
    static constexpr uint8_t OP_INITIALIZE = 1; //!< the link is being initialized

    /** @returns the TypeId */
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    /**
     * @param start where to read
     * @returns bytes read; 0, with nothing changed, if fewer are left
     */
    uint32_t Deserialize(Buffer::Iterator start) override;
    void Print(std::ostream& os) const override;

    /** @param op operation: OP_NORMAL or OP_INITIALIZE; 4 bit */
    void SetOp(uint8_t op);
    /** @returns operation: OP_NORMAL or OP_INITIALIZE; 4 bit */
    uint8_t GetOp() const;
    /** @param fctbs flow control total blocks sent, 12 bit */
    void SetFctbs(uint16_t fctbs);
    /** @returns flow control total blocks sent, 12 bit */
    uint16_t GetFctbs() const;
    /** @param vl virtual lane, 0..14 */
    void SetVl(uint8_t vl);
    /** @returns virtual lane, 0..14 */
    uint8_t GetVl() const;
    /** @param fccl flow control credit limit, 12 bit */
    void SetFccl(uint16_t fccl);
    /** @returns flow control credit limit, 12 bit */
    uint16_t GetFccl() const;
    /** @param lpcrc link packet CRC as IbCrc returns it */
    void SetLpcrc(uint16_t lpcrc);
    /** @returns link packet CRC as IbCrc returns it */
    uint16_t GetLpcrc() const;

    /** @returns the CRC that belongs to the other fields */
    uint16_t ComputeLpcrc() const;

  private:
    uint8_t m_op{OP_NORMAL}; //!< operation
    uint16_t m_fctbs{0};     //!< FCTBS
    uint8_t m_vl{0};         //!< virtual lane
    uint16_t m_fccl{0};      //!< FCCL
    uint16_t m_lpcrc{0};     //!< LPCRC
};

} // namespace ns3

#endif // IB_FLOW_CONTROL_HEADER_H
