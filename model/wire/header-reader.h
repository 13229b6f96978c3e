/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HEADER_READER_H
#define HEADER_READER_H

#include "ns3/buffer.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Reads the headers at the start of a packet. It does so on a copy of these bytes, because
 * Packet::RemoveHeader aborts if ns-3's packet metadata says that other headers were added: only
 * the bytes count here.
 */
class HeaderReader
{
  public:
    /** @param packet the packet */
    explicit HeaderReader(const Ptr<const Packet>& packet)
    {
        std::array<uint8_t, MAX_HEADER_BYTES> bytes;
        const uint32_t size = packet->CopyData(bytes.data(), bytes.size());
        m_buffer.AddAtStart(size);
        m_buffer.Begin().Write(bytes.data(), size);
    }

    /**
     * @param header takes the next bytes
     * @returns false if there are too few of them, or the header refuses them
     */
    template <typename H>
    bool Read(H& header)
    {
        Buffer::Iterator start = m_buffer.Begin();
        start.Next(m_offset);
        if (start.GetRemainingSize() < header.GetSerializedSize())
        {
            return false;
        }
        const uint32_t size = header.Deserialize(start);
        m_offset += size;
        return size != 0;
    }

    /** @returns bytes read */
    uint32_t GetOffset() const
    {
        return m_offset;
    }

  private:
    /** More than all headers of a packet: MAC, tag, IPv4, UDP, or LRH, GRH; BTH, extensions, IPoIB.
     */
    static constexpr std::size_t MAX_HEADER_BYTES = 128;

    Buffer m_buffer;      //!< the first bytes
    uint32_t m_offset{0}; //!< bytes read
};

} // namespace ns3

#endif // HEADER_READER_H
