/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef VLAN_TAG_HEADER_H
#define VLAN_TAG_HEADER_H

#include "ns3/header.h"

#include <cstdint>
#include <ostream>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * The part of an IEEE 802.1Q tag after the TPID, which stands in the EtherType of the header before
 * it, and the EtherType that follows.
 */
class VlanTagHeader : public Header
{
  public:
    static constexpr uint32_t SIZE = 4;      //!< bytes
    static constexpr uint16_t TPID = 0x8100; //!< EtherType that announces the tag

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

    /** @param priority PCP, priority code point, 0..7 */
    void SetPriority(uint8_t priority);
    /** @returns PCP, priority code point, 0..7 */
    uint8_t GetPriority() const;
    /** @param dropEligible DEI, drop eligible indicator */
    void SetDropEligible(bool dropEligible);
    /** @returns DEI, drop eligible indicator */
    bool GetDropEligible() const;
    /** @param vlanId VID, 12 bit */
    void SetVlanId(uint16_t vlanId);
    /** @returns VID, 12 bit */
    uint16_t GetVlanId() const;
    /** @param etherType EtherType of what follows */
    void SetEtherType(uint16_t etherType);
    /** @returns EtherType of what follows */
    uint16_t GetEtherType() const;

  private:
    uint8_t m_priority{0};      //!< PCP
    bool m_dropEligible{false}; //!< DEI
    uint16_t m_vlanId{0};       //!< VID
    uint16_t m_etherType{0};    //!< EtherType
};

} // namespace ns3

#endif // VLAN_TAG_HEADER_H
