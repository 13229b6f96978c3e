/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PFC_HEADER_H
#define PFC_HEADER_H

#include "ns3/header.h"

#include <array>
#include <cstdint>
#include <ostream>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Payload of a priority-based flow control frame (IEEE 802.1Qbb; 802.3, annex 31D) behind the MAC
 * header, padded to the minimum of 46 bytes.
 */
class PfcHeader : public Header
{
  public:
    static constexpr uint32_t SIZE = 46;           //!< bytes, with padding
    static constexpr uint16_t ETHER_TYPE = 0x8808; //!< MAC control
    static constexpr uint16_t OPCODE = 0x0101;     //!< class-based pause
    static constexpr uint8_t PRIORITIES = 8;       //!< classes

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

    /**
     * Put a priority into the frame.
     * @param priority the priority, 0..7
     * @param quanta pause time in units of 512 bit times; 0 ends the pause
     */
    void SetPause(uint8_t priority, uint16_t quanta);
    /** @returns class-enable vector: bit i is set if priority i is meant */
    uint8_t GetEnableVector() const;
    /**
     * @param priority the priority, 0..7
     * @returns true if the frame means it
     */
    bool IsEnabled(uint8_t priority) const;
    /**
     * @param priority the priority, 0..7
     * @returns its pause time in units of 512 bit times; 0 if the frame does not mean it
     */
    uint16_t GetQuanta(uint8_t priority) const;

  private:
    uint8_t m_enabled{0};                        //!< class-enable vector
    std::array<uint16_t, PRIORITIES> m_quanta{}; //!< pause times
};

} // namespace ns3

#endif // PFC_HEADER_H
