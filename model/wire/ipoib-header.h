/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPOIB_HEADER_H
#define IPOIB_HEADER_H

#include "ns3/header.h"

#include <cstdint>
#include <ostream>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Encapsulation header of IP over InfiniBand in datagram mode (RFC 4391, 6).
 */
class IpoibHeader : public Header
{
  public:
    static constexpr uint32_t SIZE = 4;               //!< bytes
    static constexpr uint32_t QUEUE_KEY = 0x00000b1b; //!< Q_Key of the broadcast group

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

    /** @param protocol protocol number of what follows: an EtherType */
    void SetProtocol(uint16_t protocol);
    /** @returns protocol number of what follows: an EtherType */
    uint16_t GetProtocol() const;

  private:
    uint16_t m_protocol{0}; //!< EtherType
};

} // namespace ns3

#endif // IPOIB_HEADER_H
