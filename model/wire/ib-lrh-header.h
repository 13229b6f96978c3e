/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IB_LRH_HEADER_H
#define IB_LRH_HEADER_H

#include "ns3/header.h"

#include <cstdint>
#include <ostream>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Local route header (IBA vol 1, 7.7).
 *
 * Setters keep the bits that the field has.
 */
class IbLrhHeader : public Header
{
  public:
    static constexpr uint32_t SIZE = 8;          //!< bytes
    static constexpr uint8_t LNH_IBA_LOCAL = 2;  //!< a BTH follows
    static constexpr uint8_t LNH_IBA_GLOBAL = 3; //!< a GRH follows
    static constexpr uint32_t WORD_BYTES = 4;    //!< unit of the packet length

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

    /** @param vl virtual lane, 0..15 */
    void SetVl(uint8_t vl);
    /** @returns virtual lane, 0..15 */
    uint8_t GetVl() const;
    /** @param version LVer, link version, 4 bit; 0 */
    void SetVersion(uint8_t version);
    /** @returns LVer, link version, 4 bit; 0 */
    uint8_t GetVersion() const;
    /** @param sl service level, 0..15 */
    void SetSl(uint8_t sl);
    /** @returns service level, 0..15 */
    uint8_t GetSl() const;
    /** @param lnh LNH, link next header, 0..3 */
    void SetLnh(uint8_t lnh);
    /** @returns LNH, link next header, 0..3 */
    uint8_t GetLnh() const;
    /** @param dlid destination LID */
    void SetDlid(uint16_t dlid);
    /** @returns destination LID */
    uint16_t GetDlid() const;
    /** @param packetLength PktLen, 11 bit: LRH through the byte before the VCRC, in words of 4
     * bytes */
    void SetPacketLength(uint16_t packetLength);
    /** @returns PktLen, 11 bit: LRH through the byte before the VCRC, in words of 4 bytes */
    uint16_t GetPacketLength() const;
    /** @param slid source LID */
    void SetSlid(uint16_t slid);
    /** @returns source LID */
    uint16_t GetSlid() const;

  private:
    uint8_t m_vl{0};              //!< virtual lane
    uint8_t m_version{0};         //!< LVer
    uint8_t m_sl{0};              //!< service level
    uint8_t m_lnh{LNH_IBA_LOCAL}; //!< LNH
    uint16_t m_dlid{0};           //!< destination LID
    uint16_t m_packetLength{0};   //!< PktLen, words
    uint16_t m_slid{0};           //!< source LID
};

} // namespace ns3

#endif // IB_LRH_HEADER_H
