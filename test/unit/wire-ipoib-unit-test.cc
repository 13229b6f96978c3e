/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/arp-header.h"
#include "ns3/ipoib-arp.h"
#include "ns3/mac48-integer.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

using namespace ns3;

namespace
{

using Bytes = std::vector<uint8_t>;

Bytes
ToBytes(const Ptr<const Packet>& packet)
{
    Bytes bytes(packet->GetSize());
    packet->CopyData(bytes.data(), bytes.size());
    return bytes;
}

const Bytes ETHERNET_REQUEST{
    0x00, 0x01, 0x08, 0x00, 0x06, 0x04, 0x00, 0x01, // hardware, protocol, lengths, request
    0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x0a, 0x00, 0x00, 0x01, // sender
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0a, 0x00, 0x00, 0x02, // target
};

const Bytes IPOIB_REQUEST{
    0x00, 0x20, 0x08, 0x00, 0x14, 0x04, 0x00, 0x01, // hardware, protocol, lengths, request
    0x00, 0x00, 0x00, 0x10,                         // sender: flags, queue pair
    0xfe, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x02, 0x11, 0x22, 0xff, 0xfe, 0x33, 0x44, 0x55, // GID
    0x0a, 0x00, 0x00, 0x01,                         //
    0x00, 0xff, 0xff, 0xff,                         // target: the broadcast group
    0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, // GID
    0x0a, 0x00, 0x00, 0x02,                         //
};

TEST(WireIpoib, RequestHasTheBytesOfTheStandard)
{
    const auto arp = Create<Packet>(ETHERNET_REQUEST.data(), ETHERNET_REQUEST.size());
    const auto translated = ToIpoibArp(arp, 0x10);
    ASSERT_TRUE(translated);
    EXPECT_EQ(ToBytes(translated), IPOIB_REQUEST);
    const auto back = FromIpoibArp(translated);
    ASSERT_TRUE(back);
    EXPECT_EQ(ToBytes(back), ETHERNET_REQUEST);
}

TEST(WireIpoib, RepliesOfTheStackComeBack)
{
    const Mac48Address source("02:00:00:00:00:07");
    for (const char* target : {"fe:dc:ba:98:76:54", "00:00:00:00:00:00", "ff:ff:ff:ff:ff:ff"})
    {
        ArpHeader arp;
        arp.SetReply(source,
                     Ipv4Address("10.1.0.1"),
                     Mac48Address(target),
                     Ipv4Address("10.1.0.2"));
        auto packet = Create<Packet>();
        packet->AddHeader(arp);
        const auto translated = ToIpoibArp(packet, 0xabcdef);
        ASSERT_TRUE(translated) << target;
        EXPECT_EQ(translated->GetSize(), IPOIB_ARP_BYTES);
        const auto back = FromIpoibArp(translated);
        ASSERT_TRUE(back) << target;
        EXPECT_EQ(ToBytes(back), ToBytes(packet)) << target;
    }
}

TEST(WireIpoib, AddressOfZerosStaysZeros)
{
    Bytes request = ETHERNET_REQUEST;
    std::fill(request.begin() + 18, request.begin() + 24, uint8_t{0});
    const auto arp = Create<Packet>(request.data(), request.size());
    const Bytes translated = ToBytes(ToIpoibArp(arp, 0x10));
    for (std::size_t i = 32; i < 52; ++i)
    {
        EXPECT_EQ(translated[i], 0) << i;
    }
}

TEST(WireIpoib, RefusesOtherPackets)
{
    for (std::size_t size = 0; size < ETHERNET_REQUEST.size(); ++size)
    {
        EXPECT_FALSE(ToIpoibArp(Create<Packet>(ETHERNET_REQUEST.data(), size), 1)) << size;
    }
    for (std::size_t size = 0; size < IPOIB_REQUEST.size(); ++size)
    {
        EXPECT_FALSE(FromIpoibArp(Create<Packet>(IPOIB_REQUEST.data(), size))) << size;
    }
    for (std::size_t offset = 0; offset < 6; ++offset)
    {
        Bytes other = ETHERNET_REQUEST;
        other[offset] ^= 0x40;
        EXPECT_FALSE(ToIpoibArp(Create<Packet>(other.data(), other.size()), 1)) << offset;
        other = IPOIB_REQUEST;
        other[offset] ^= 0x40;
        EXPECT_FALSE(FromIpoibArp(Create<Packet>(other.data(), other.size()))) << offset;
    }
    for (const std::size_t offset : {12, 17, 23, 24, 36, 44, 51})
    {
        Bytes other = IPOIB_REQUEST;
        other[offset] ^= 0x40;
        EXPECT_FALSE(FromIpoibArp(Create<Packet>(other.data(), other.size())))
            << "a GID that no MAC-48 address makes, byte " << offset;
    }
}

TEST(WireIpoib, InterfaceIdAndBack)
{
    EXPECT_EQ(ToInterfaceId(Mac48Address("00:11:22:33:44:55")), 0x021122fffe334455U);
    EXPECT_EQ(ToInterfaceId(Mac48Address("02:11:22:33:44:55")), 0x001122fffe334455U);
    for (const uint64_t value : {0x0ULL, 0x1ULL, 0xfedcba987654ULL, 0xffffffffffffULL})
    {
        Mac48Address mac;
        ASSERT_TRUE(FromInterfaceId(ToInterfaceId(IntegerToMac48(value)), mac));
        EXPECT_EQ(Mac48ToInteger(mac), value);
    }
    Mac48Address mac("00:00:00:00:00:09");
    EXPECT_FALSE(FromInterfaceId(0x021122fffd334455U, mac));
    EXPECT_EQ(Mac48ToInteger(mac), 9U);
}

TEST(WireIpoib, MacAsInteger)
{
    EXPECT_EQ(Mac48ToInteger(Mac48Address("01:80:c2:00:00:01")), 0x0180c2000001U);
    EXPECT_EQ(IntegerToMac48(0x0180c2000001U), Mac48Address("01:80:c2:00:00:01"));
}

} // namespace
