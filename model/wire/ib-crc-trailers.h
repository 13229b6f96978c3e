/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IB_CRC_TRAILERS_H
#define IB_CRC_TRAILERS_H

#include "ns3/trailer.h"

#include <cstdint>
#include <ostream>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Invariant CRC (IBA vol 1, 7.8.1); the least significant byte of the value is first on the wire.
 */
class IbIcrcTrailer : public Trailer
{
  public:
    static constexpr uint32_t SIZE = 4; //!< bytes

    /** @returns the TypeId */
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator end) const override;
    /**
     * @param end end of the bytes to read
     * @returns bytes read; 0, with nothing changed, if the packet is shorter
     */
    uint32_t Deserialize(Buffer::Iterator end) override;
    void Print(std::ostream& os) const override;

    /** @param crc the CRC as IbCrc returns it */
    void SetCrc(uint32_t crc);
    /** @returns the CRC as IbCrc returns it */
    uint32_t GetCrc() const;

  private:
    uint32_t m_crc{0}; //!< the CRC
};

/**
 * @ingroup ai-fabric
 * Variant CRC (IBA vol 1, 7.8.2); the least significant byte of the value is first on the wire.
 */
class IbVcrcTrailer : public Trailer
{
  public:
    static constexpr uint32_t SIZE = 2; //!< bytes

    /** @returns the TypeId */
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator end) const override;
    /**
     * @param end end of the bytes to read
     * @returns bytes read; 0, with nothing changed, if the packet is shorter
     */
    uint32_t Deserialize(Buffer::Iterator end) override;
    void Print(std::ostream& os) const override;

    /** @param crc the CRC as IbCrc returns it */
    void SetCrc(uint16_t crc);
    /** @returns the CRC as IbCrc returns it */
    uint16_t GetCrc() const;

  private:
    uint16_t m_crc{0}; //!< the CRC
};

} // namespace ns3

#endif // IB_CRC_TRAILERS_H
