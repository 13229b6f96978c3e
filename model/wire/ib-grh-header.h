/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IB_GRH_HEADER_H
#define IB_GRH_HEADER_H

#include "ns3/header.h"

#include <array>
#include <cstdint>
#include <ostream>

namespace ns3
{

/** A global identifier: 128 bit, most significant byte first. */
using IbGid = std::array<uint8_t, 16>;

/**
 * @ingroup ai-fabric
 * Global route header (IBA vol 1, 8.3): the form of an IPv6 header.
 */
class IbGrhHeader : public Header
{
  public:
    static constexpr uint32_t SIZE = 40;             //!< bytes
    static constexpr uint8_t IP_VERSION = 6;         //!< IPVer
    static constexpr uint8_t NEXT_HEADER_IBA = 0x1b; //!< a BTH follows

    /** @returns the TypeId */
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    /**
     * @param start where to read
     * @returns bytes read; 0, with nothing changed, if fewer are left or IPVer is not 6
     */
    uint32_t Deserialize(Buffer::Iterator start) override;
    void Print(std::ostream& os) const override;

    /** @param trafficClass TClass */
    void SetTrafficClass(uint8_t trafficClass);
    /** @returns TClass */
    uint8_t GetTrafficClass() const;
    /** @param flowLabel flow label, 20 bit */
    void SetFlowLabel(uint32_t flowLabel);
    /** @returns flow label, 20 bit */
    uint32_t GetFlowLabel() const;
    /** @param payloadLength PayLen: bytes after the GRH through the ICRC */
    void SetPayloadLength(uint16_t payloadLength);
    /** @returns PayLen: bytes after the GRH through the ICRC */
    uint16_t GetPayloadLength() const;
    /** @param nextHeader NxtHdr; 0x1B for a BTH */
    void SetNextHeader(uint8_t nextHeader);
    /** @returns NxtHdr; 0x1B for a BTH */
    uint8_t GetNextHeader() const;
    /** @param hopLimit HopLmt */
    void SetHopLimit(uint8_t hopLimit);
    /** @returns HopLmt */
    uint8_t GetHopLimit() const;
    /** @param sourceGid SGID, most significant byte first */
    void SetSourceGid(IbGid sourceGid);
    /** @returns SGID, most significant byte first */
    IbGid GetSourceGid() const;
    /** @param destinationGid DGID, most significant byte first */
    void SetDestinationGid(IbGid destinationGid);
    /** @returns DGID, most significant byte first */
    IbGid GetDestinationGid() const;

  private:
    uint8_t m_trafficClass{0};             //!< TClass
    uint32_t m_flowLabel{0};               //!< flow label
    uint16_t m_payloadLength{0};           //!< PayLen, bytes
    uint8_t m_nextHeader{NEXT_HEADER_IBA}; //!< NxtHdr
    uint8_t m_hopLimit{0};                 //!< HopLmt
    IbGid m_sourceGid{};                   //!< SGID
    IbGid m_destinationGid{};              //!< DGID
};

} // namespace ns3

#endif // IB_GRH_HEADER_H
