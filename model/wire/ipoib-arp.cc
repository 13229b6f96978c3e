/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipoib-arp.h"

#include "mac48-integer.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace ns3
{

namespace
{

using EthernetArp = std::array<uint8_t, ETHERNET_ARP_BYTES>;
using IpoibArp = std::array<uint8_t, IPOIB_ARP_BYTES>;
using ArpStart = std::array<uint8_t, 6>;

/** Hardware type, protocol type and address lengths of both forms; the operation follows. */
constexpr ArpStart ETHERNET_START{0, 1, 0x08, 0x00, 6, 4};
constexpr ArpStart IPOIB_START{0, 32, 0x08, 0x00, 20, 4};

constexpr std::size_t OPERATION = 6;           //!< offset in both forms
constexpr std::size_t ADDRESSES = 8;           //!< offset of the sender's addresses in both forms
constexpr std::size_t IP_BYTES = 4;            //!< IPv4 address
constexpr std::size_t MAC_BYTES = 6;           //!< MAC-48 address
constexpr std::size_t IPOIB_BYTES = 20;        //!< flags, queue pair and GID
constexpr std::size_t GID_OFFSET = 4;          //!< in an IPoIB address
constexpr std::size_t GID_KEY_OFFSET = 4;      //!< P_Key in a multicast GID
constexpr uint32_t MULTICAST_QP = 0xffffff;    //!< queue pair of groups
constexpr uint16_t DEFAULT_PARTITION = 0xffff; //!< P_Key

constexpr uint64_t INSERTED = 0xfffe;                 //!< between the halves of a MAC-48 address
constexpr uint64_t UNIVERSAL_BIT = uint64_t{2} << 56; //!< universal/local bit of an EUI-64

using MacBytes = std::array<uint8_t, MAC_BYTES>;
using IpoibBytes = std::array<uint8_t, IPOIB_BYTES>;

constexpr MacBytes NO_MAC{};
constexpr MacBytes BROADCAST_MAC{0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

IpoibBytes
MakeIpoibAddress(uint32_t queuePair, const IbGid& gid)
{
    IpoibBytes address{0,
                       static_cast<uint8_t>(queuePair >> 16),
                       static_cast<uint8_t>(queuePair >> 8),
                       static_cast<uint8_t>(queuePair)};
    std::copy(gid.begin(), gid.end(), address.begin() + GID_OFFSET);
    return address;
}

/** @returns the 20-byte address of a port or group */
IpoibBytes
ToIpoibAddress(const MacBytes& bytes, uint32_t queuePair)
{
    if (bytes == NO_MAC)
    {
        return IpoibBytes{};
    }
    if (bytes == BROADCAST_MAC)
    {
        return MakeIpoibAddress(MULTICAST_QP, ToBroadcastGid(DEFAULT_PARTITION));
    }
    Mac48Address mac;
    mac.CopyFrom(bytes.data());
    return MakeIpoibAddress(queuePair, ToLinkLocalGid(ToInterfaceId(mac)));
}

/** @returns false if the 20-byte address does not come from ToIpoibAddress */
bool
FromIpoibAddress(const IpoibBytes& address, MacBytes& bytes)
{
    if (address == IpoibBytes{})
    {
        bytes = NO_MAC;
        return true;
    }
    IbGid gid;
    std::copy(address.begin() + GID_OFFSET, address.end(), gid.begin());
    const auto key = static_cast<uint16_t>(gid[GID_KEY_OFFSET] << 8 | gid[GID_KEY_OFFSET + 1]);
    if (gid == ToBroadcastGid(key))
    {
        bytes = BROADCAST_MAC;
        return true;
    }
    uint64_t interfaceId = 0;
    for (std::size_t i = 8; i < gid.size(); ++i)
    {
        interfaceId = interfaceId << 8 | gid[i];
    }
    Mac48Address mac;
    if (gid != ToLinkLocalGid(interfaceId) || !FromInterfaceId(interfaceId, mac))
    {
        return false;
    }
    mac.CopyTo(bytes.data());
    return true;
}

/** @returns true if the packet is long enough and starts as it should; bytes takes it */
template <typename Bytes>
bool
ReadArp(const Ptr<const Packet>& packet, const ArpStart& start, Bytes& bytes)
{
    return packet->CopyData(bytes.data(), bytes.size()) == bytes.size() &&
           std::equal(start.begin(), start.end(), bytes.begin());
}

} // namespace

uint64_t
ToInterfaceId(const Mac48Address& mac)
{
    const uint64_t value = Mac48ToInteger(mac);
    return (value >> 24 << 40 | INSERTED << 24 | (value & 0xffffff)) ^ UNIVERSAL_BIT;
}

bool
FromInterfaceId(uint64_t interfaceId, Mac48Address& mac)
{
    if ((interfaceId >> 24 & 0xffff) != INSERTED)
    {
        return false;
    }
    interfaceId ^= UNIVERSAL_BIT;
    mac = IntegerToMac48(interfaceId >> 40 << 24 | (interfaceId & 0xffffff));
    return true;
}

IbGid
ToLinkLocalGid(uint64_t interfaceId)
{
    IbGid gid{0xfe, 0x80};
    for (std::size_t i = gid.size(); i-- > 8;)
    {
        gid[i] = interfaceId & 0xff;
        interfaceId >>= 8;
    }
    return gid;
}

IbGid
ToBroadcastGid(uint16_t partitionKey)
{
    IbGid gid{0xff, 0x12, 0x40, 0x1b};
    gid[GID_KEY_OFFSET] = partitionKey >> 8;
    gid[GID_KEY_OFFSET + 1] = partitionKey & 0xff;
    std::fill(gid.begin() + 12, gid.end(), uint8_t{0xff});
    return gid;
}

Ptr<Packet>
ToIpoibArp(Ptr<const Packet> arp, uint32_t queuePair)
{
    EthernetArp in;
    if (!ReadArp(arp, ETHERNET_START, in))
    {
        return nullptr;
    }
    IpoibArp out;
    auto to = std::copy(IPOIB_START.begin(), IPOIB_START.end(), out.begin());
    to = std::copy(in.begin() + OPERATION, in.begin() + ADDRESSES, to);
    auto from = in.begin() + ADDRESSES;
    while (to != out.end())
    {
        MacBytes mac;
        std::copy_n(from, MAC_BYTES, mac.begin());
        const IpoibBytes address = ToIpoibAddress(mac, queuePair);
        to = std::copy(address.begin(), address.end(), to);
        to = std::copy_n(from + MAC_BYTES, IP_BYTES, to);
        from += MAC_BYTES + IP_BYTES;
    }
    return Create<Packet>(out.data(), out.size());
}

Ptr<Packet>
FromIpoibArp(Ptr<const Packet> arp)
{
    IpoibArp in;
    if (!ReadArp(arp, IPOIB_START, in))
    {
        return nullptr;
    }
    EthernetArp out;
    auto to = std::copy(ETHERNET_START.begin(), ETHERNET_START.end(), out.begin());
    to = std::copy(in.begin() + OPERATION, in.begin() + ADDRESSES, to);
    auto from = in.begin() + ADDRESSES;
    while (to != out.end())
    {
        IpoibBytes address;
        std::copy_n(from, IPOIB_BYTES, address.begin());
        MacBytes mac;
        if (!FromIpoibAddress(address, mac))
        {
            return nullptr;
        }
        to = std::copy(mac.begin(), mac.end(), to);
        to = std::copy_n(from + IPOIB_BYTES, IP_BYTES, to);
        from += IPOIB_BYTES + IP_BYTES;
    }
    return Create<Packet>(out.data(), out.size());
}

} // namespace ns3
