/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MAC_PAUSE_HEADER_H
#define MAC_PAUSE_HEADER_H

#include "ns3/header.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Payload of a link-level pause frame (IEEE 802.3, annex 31B) behind the MAC header, padded to the
 * minimum of 46 bytes: it stops all priorities of a link.
 */
class MacPauseHeader : public Header
{
  public:
    static constexpr uint32_t SIZE = 46;       //!< bytes, with padding
    static constexpr uint16_t OPCODE = 0x0001; //!< PAUSE

    /** @returns the TypeId */
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    /**
     * @param start where to read
     * @returns bytes read; 0, with nothing changed, if fewer are left or the opcode is another one
     */
    uint32_t Deserialize(Buffer::Iterator start) override;
    void Print(std::ostream& os) const override;

    /** @param quanta pause time in units of 512 bit times; 0 ends the pause */
    void SetQuanta(uint16_t quanta);
    /** @returns pause time in units of 512 bit times */
    uint16_t GetQuanta() const;

  private:
    uint16_t m_quanta{0}; //!< pause time
};

} // namespace ns3

#endif // MAC_PAUSE_HEADER_H
