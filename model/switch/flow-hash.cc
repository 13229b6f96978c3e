/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "flow-hash.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint16_t IPV4_PROTOCOL = 0x0800;
constexpr uint16_t IPV6_PROTOCOL = 0x86dd;
constexpr uint8_t TCP = 6;
constexpr uint8_t UDP = 17;
constexpr uint16_t ROCE_PORT = 4791;

/** Microsoft's key for verifying receive side scaling. */
constexpr std::array<uint8_t, 40> TOEPLITZ_KEY = {
    0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67, 0x25, 0x3d, 0x43, 0xa3,
    0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb, 0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3,
    0x80, 0x30, 0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa};

/** @returns what each byte does to a reflected CRC of a polynomial */
template <typename T>
constexpr std::array<T, 256>
MakeCrcTable(T reflected)
{
    std::array<T, 256> table{};
    for (uint32_t byte = 0; byte < table.size(); ++byte)
    {
        T value = static_cast<T>(byte);
        for (int bit = 0; bit < 8; ++bit)
        {
            value = static_cast<T>(value & 1 ? (value >> 1) ^ reflected : value >> 1);
        }
        table[byte] = value;
    }
    return table;
}

template <typename T>
T
Crc(const std::array<T, 256>& table, T value, const uint8_t* bytes, std::size_t size)
{
    for (std::size_t i = 0; i < size; ++i)
    {
        value = static_cast<T>(table[(value ^ bytes[i]) & 0xff] ^ (value >> 8));
    }
    return value;
}

/** What each byte at each place adds to the hash: XOR of 32-bit windows of the key. */
class ToeplitzTable
{
  public:
    ToeplitzTable()
    {
        for (std::size_t place = 0; place < m_parts.size(); ++place)
        {
            for (uint32_t byte = 0; byte < 256; ++byte)
            {
                uint32_t part = 0;
                for (uint32_t bit = 0; bit < 8; ++bit)
                {
                    part ^= byte & (0x80U >> bit) ? GetWindow(8 * place + bit) : 0;
                }
                m_parts[place][byte] = part;
            }
        }
    }

    uint32_t Hash(const uint8_t* bytes, std::size_t size) const
    {
        uint32_t hash = 0;
        for (std::size_t i = 0; i < std::min(size, m_parts.size()); ++i)
        {
            hash ^= m_parts[i][bytes[i]];
        }
        return hash;
    }

  private:
    /** @returns 32 bits of the key from a bit on; the key goes round for the protocol of IPv6 */
    static uint32_t GetWindow(std::size_t begin)
    {
        uint32_t window = 0;
        for (std::size_t i = begin; i < begin + 32; ++i)
        {
            const uint8_t byte = TOEPLITZ_KEY[i / 8 % TOEPLITZ_KEY.size()];
            window = window << 1 | (byte >> (7 - i % 8) & 1);
        }
        return window;
    }

    std::array<std::array<uint32_t, 256>, FlowHash::MAX_BYTES> m_parts{}; //!< by place and byte
};

/** Appends fields in network order. */
class Writer
{
  public:
    explicit Writer(FlowHash::Fields& fields)
        : m_fields(fields)
    {
    }

    void Add(uint64_t value, int bytes)
    {
        while (bytes-- > 0)
        {
            m_fields.bytes[m_fields.size++] = static_cast<uint8_t>(value >> (8 * bytes));
        }
    }

    void Add(const uint8_t* bytes, std::size_t size)
    {
        std::copy(bytes, bytes + size, m_fields.bytes.begin() + m_fields.size);
        m_fields.size += size;
    }

  private:
    FlowHash::Fields& m_fields; //!< what grows
};

/** @returns true if these are the fields of an IP packet */
bool
AddIpFields(const FabricFrame& frame, Writer& writer)
{
    constexpr uint32_t LONGEST = 64; // IPv4 with all options, and two ports
    std::array<uint8_t, LONGEST> start{};
    const uint32_t size = frame.packet->CopyData(start.data(), start.size());
    uint32_t ports = 0;
    uint8_t protocol = 0;
    if (frame.etherType == IPV4_PROTOCOL && size >= 20)
    {
        protocol = start[9];
        // A later fragment has no ports, so no fragment of a packet may count them.
        const bool fragment = (start[6] & 0x3f) || start[7];
        ports = fragment ? LONGEST : (start[0] & 0xf) * 4;
        writer.Add(&start[12], 8);
    }
    else if (frame.etherType == IPV6_PROTOCOL && size >= 40)
    {
        protocol = start[6];
        ports = 40;
        writer.Add(&start[8], 32);
    }
    else
    {
        return false;
    }
    const bool known = (protocol == TCP || protocol == UDP) && ports + 4 <= size;
    static constexpr std::array<uint8_t, 4> NONE{};
    writer.Add(known ? &start[ports] : NONE.data(), 4);
    writer.Add(protocol, 1);
    return true;
}

/** @returns a number all of whose bits depend on all bits of the arguments */
uint32_t
Mix(uint32_t hash, uint32_t seed)
{
    // The finalizer of splitmix64 (Steele et al., OOPSLA 2014).
    uint64_t value = (uint64_t{seed} << 32 | hash) + 0x9e3779b97f4a7c15;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return static_cast<uint32_t>((value ^ (value >> 31)) >> 32);
}

} // namespace

FlowHash::Fields
FlowHash::GetFields(const FabricFrame& frame)
{
    Fields fields;
    Writer writer(fields);
    if (frame.kind == FabricFrameKind::RDMA && (frame.srcIp || frame.dstIp))
    {
        writer.Add(frame.srcIp, 4);
        writer.Add(frame.dstIp, 4);
        writer.Add(frame.udpSrc, 2);
        writer.Add(ROCE_PORT, 2);
        writer.Add(UDP, 1);
    }
    else if (frame.kind == FabricFrameKind::RDMA || !AddIpFields(frame, writer))
    {
        writer.Add(frame.src, 6);
        writer.Add(frame.dst, 6);
        writer.Add(frame.kind == FabricFrameKind::RDMA ? frame.udpSrc : frame.etherType, 2);
    }
    return fields;
}

uint32_t
FlowHash::Compute(Function function, const uint8_t* bytes, std::size_t size)
{
    static constexpr auto CRC16_TABLE = MakeCrcTable<uint16_t>(0xa001);
    static constexpr auto CRC32_TABLE = MakeCrcTable<uint32_t>(0xedb88320);
    static const ToeplitzTable toeplitz;
    switch (function)
    {
    case CRC16:
        return Crc<uint16_t>(CRC16_TABLE, 0, bytes, size);
    case TOEPLITZ:
        return toeplitz.Hash(bytes, size);
    default:
        return ~Crc<uint32_t>(CRC32_TABLE, ~0U, bytes, size);
    }
}

uint32_t
FlowHash::Compute(Function function, uint32_t seed, const FabricFrame& frame)
{
    const Fields fields = GetFields(frame);
    return Mix(Compute(function, fields.bytes.data(), fields.size), seed);
}

} // namespace ns3
