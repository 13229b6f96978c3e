/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/fabric-frame-codec.h"
#include "ns3/ib-crc.h"
#include "ns3/ib-opcode.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <ostream>
#include <random>
#include <stdexcept>
#include <string>
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

Ptr<Packet>
ToPacket(const Bytes& bytes)
{
    return Create<Packet>(bytes.data(), bytes.size());
}

/** Everything above "local to a hop". */
void
ExpectSame(const FabricFrame& a, const FabricFrame& b)
{
    EXPECT_EQ(a.src, b.src);
    EXPECT_EQ(a.dst, b.dst);
    EXPECT_EQ(a.srcIp, b.srcIp);
    EXPECT_EQ(a.dstIp, b.dstIp);
    EXPECT_EQ(a.udpSrc, b.udpSrc);
    EXPECT_EQ(a.etherType, b.etherType);
    EXPECT_EQ(a.kind, b.kind);
    EXPECT_EQ(a.sl, b.sl);
    EXPECT_EQ(a.dscp, b.dscp);
    EXPECT_EQ(a.ecn, b.ecn);
    EXPECT_EQ(a.opcode, b.opcode);
    EXPECT_EQ(a.solicited, b.solicited);
    EXPECT_EQ(a.ackReq, b.ackReq);
    EXPECT_EQ(a.fecn, b.fecn);
    EXPECT_EQ(a.becn, b.becn);
    EXPECT_EQ(a.dstQp, b.dstQp);
    EXPECT_EQ(a.psn, b.psn);
    EXPECT_EQ(a.payload, b.payload);
    EXPECT_EQ(a.va, b.va);
    EXPECT_EQ(a.rkey, b.rkey);
    EXPECT_EQ(a.dmaLen, b.dmaLen);
    EXPECT_EQ(a.msn, b.msn);
    EXPECT_EQ(a.syndrome, b.syndrome);
    EXPECT_EQ(a.srcQp, b.srcQp);
    EXPECT_EQ(a.qkey, b.qkey);
    EXPECT_EQ(a.immediate, b.immediate);
    ASSERT_EQ(static_cast<bool>(a.packet), static_cast<bool>(b.packet));
    if (a.packet)
    {
        EXPECT_EQ(ToBytes(a.packet), ToBytes(b.packet));
    }
}

/** A frame with another value in every field that its opcode has on the wire. */
FabricFrame
MakeRdma(uint8_t opcode, uint32_t payload)
{
    FabricFrame frame;
    frame.opcode = opcode;
    frame.payload = payload;
    frame.solicited = opcode & 1;
    frame.ackReq = IbOpcode::EndsMessage(opcode);
    frame.dstQp = 0xabcdef;
    frame.psn = 0xfffffe;
    const uint16_t extensions = IbOpcode::GetExtensions(opcode);
    if (extensions & IbOpcode::RETH)
    {
        frame.va = 0x0123456789abcdef;
        frame.rkey = 0xcafe0001;
        frame.dmaLen = 0x80000001;
    }
    if (extensions & IbOpcode::AETH)
    {
        frame.msn = 0x800001;
        frame.syndrome = 0x60;
    }
    if (extensions & IbOpcode::DETH)
    {
        frame.srcQp = 0x000123;
        frame.qkey = 0x11111111;
    }
    if (extensions & IbOpcode::IMM_DT)
    {
        frame.immediate = 0xfedcba98;
    }
    frame.becn = IbOpcode::IsCongestionNotification(opcode);
    frame.fecn = !frame.becn;
    return frame;
}

FabricFrame
MakeIb(uint8_t opcode, uint32_t payload)
{
    FabricFrame frame = MakeRdma(opcode, payload);
    frame.src = 0xbfff;
    frame.dst = 0x0001;
    frame.sl = 11;
    frame.cls = 3;
    return frame;
}

FabricFrame
MakeRoce(uint8_t opcode, uint32_t payload)
{
    FabricFrame frame = MakeRdma(opcode, payload);
    frame.src = 0x0200000000fe;
    frame.dst = 0xfedcba987654;
    frame.srcIp = 0x0a000001;
    frame.dstIp = 0xc0a8ff02;
    frame.udpSrc = 0xc0de;
    frame.dscp = 26;
    frame.ecn = 3;
    frame.cls = 5;
    return frame;
}

/** An RDMA frame to send around. */
struct RdmaCase
{
    uint8_t opcode;   //!< BTH opcode
    uint32_t payload; //!< bytes
};

/** @param os output @param test the case @returns os */
std::ostream&
operator<<(std::ostream& os, const RdmaCase& test)
{
    return os << "opcode " << +test.opcode << " payload " << test.payload;
}

constexpr RdmaCase RDMA_CASES[] = {
    {IbOpcode::RC_SEND_FIRST, 4096},
    {IbOpcode::RC_SEND_MIDDLE, 1024},
    {IbOpcode::RC_SEND_LAST, 1},
    {IbOpcode::RC_SEND_LAST_IMM, 7},
    {IbOpcode::RC_SEND_ONLY, 0},
    {IbOpcode::RC_SEND_ONLY, 2},
    {IbOpcode::RC_WRITE_FIRST, 4096},
    {IbOpcode::RC_WRITE_MIDDLE, 256},
    {IbOpcode::RC_WRITE_LAST, 3},
    {IbOpcode::RC_WRITE_LAST_IMM, 4},
    {IbOpcode::RC_WRITE_ONLY, 4095},
    {IbOpcode::RC_WRITE_ONLY_IMM, 0},
    {IbOpcode::RC_READ_REQUEST, 0},
    {IbOpcode::RC_READ_RESPONSE_FIRST, 512},
    {IbOpcode::RC_READ_RESPONSE_MIDDLE, 512},
    {IbOpcode::RC_READ_RESPONSE_LAST, 5},
    {IbOpcode::RC_READ_RESPONSE_ONLY, 6},
    {IbOpcode::RC_ACK, 0},
    {IbOpcode::UC_CLASS | IbOpcode::RC_WRITE_ONLY, 100},
    {IbOpcode::UD_SEND_ONLY, 2048},
    {IbOpcode::UD_SEND_ONLY_IMM, 33},
    {IbOpcode::CN, 0},
    {IbOpcode::CNP, 0},
    {IbOpcode::SR_WRITE_MIDDLE, 256},
    {IbOpcode::SR_WRITE_LAST, 3},
    {IbOpcode::SR_WRITE_LAST_IMM, 1},
    {IbOpcode::SR_SACK, 0},
};

class CodecRdma : public testing::TestWithParam<RdmaCase>
{
};

TEST_P(CodecRdma, InfinibandIsInverse)
{
    const FabricFrame frame = MakeIb(GetParam().opcode, GetParam().payload);
    for (const bool crc : {false, true})
    {
        IbFrameOptions options;
        options.crc = crc;
        const auto packet = EncodeIb(frame, options);
        EXPECT_EQ(packet->GetSize(), IbFrameBytes(frame.opcode, frame.payload));
        FabricFrame decoded;
        ASSERT_TRUE(DecodeIb(packet, decoded));
        ExpectSame(decoded, frame);
        EXPECT_EQ(decoded.cls, 3);
    }
}

TEST_P(CodecRdma, RoceIsInverse)
{
    const FabricFrame frame = MakeRoce(GetParam().opcode, GetParam().payload);
    for (const uint16_t vlan : {0, 4094})
    {
        RoceFrameOptions options;
        options.crc = vlan;
        options.vlanId = vlan;
        const auto packet = EncodeRoce(frame, options);
        EXPECT_EQ(packet->GetSize(), RoceFrameBytes(frame.opcode, frame.payload, vlan));
        FabricFrame decoded;
        decoded.cls = 1;
        ASSERT_TRUE(DecodeRoce(packet, decoded));
        ExpectSame(decoded, frame);
        EXPECT_EQ(decoded.cls, vlan ? 5 : 1);
    }
}

TEST_P(CodecRdma, RoceIpIsInverse)
{
    FabricFrame frame = MakeRoce(GetParam().opcode, GetParam().payload);
    auto packet = EncodeRoceIp(frame);
    packet->AddPaddingAtEnd(9); // of a minimum Ethernet frame
    FabricFrame decoded;
    ASSERT_TRUE(DecodeRoceIp(packet, decoded));
    frame.src = frame.dst = 0;
    ExpectSame(decoded, frame);
}

TEST_P(CodecRdma, TruncatedPacketsAreRefused)
{
    const RdmaCase& test = GetParam();
    const Bytes ib = ToBytes(EncodeIb(MakeIb(test.opcode, test.payload), {}));
    const Bytes ip = ToBytes(EncodeRoceIp(MakeRoce(test.opcode, test.payload)));
    for (std::size_t size = 0; size < ib.size(); ++size)
    {
        FabricFrame frame;
        EXPECT_FALSE(DecodeIb(ToPacket(Bytes(ib.begin(), ib.begin() + size)), frame)) << size;
    }
    for (std::size_t size = 0; size < ip.size(); ++size)
    {
        FabricFrame frame;
        EXPECT_FALSE(DecodeRoceIp(ToPacket(Bytes(ip.begin(), ip.begin() + size)), frame)) << size;
    }
}

INSTANTIATE_TEST_SUITE_P(WireCodec, CodecRdma, testing::ValuesIn(RDMA_CASES));

TEST(WireCodec, IbWriteByByte)
{
    FabricFrame frame;
    frame.src = 0x0102;
    frame.dst = 0x0304;
    frame.sl = 5;
    frame.cls = 6;
    frame.opcode = IbOpcode::RC_WRITE_ONLY;
    frame.ackReq = true;
    frame.dstQp = 0x0a0b0c;
    frame.psn = 0x010203;
    frame.payload = 5;
    frame.va = 0x1122334455667788;
    frame.rkey = 0x99aabbcc;
    frame.dmaLen = 5;
    const Bytes expected{
        0x60, 0x52, 0x03, 0x04, 0x00, 0x0c, 0x01, 0x02,                         // LRH, 48 bytes
        0x0a, 0x30, 0xff, 0xff, 0x00, 0x0a, 0x0b, 0x0c, 0x80, 0x01, 0x02, 0x03, // BTH, pad 3
        0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, // RETH
        0x00, 0x00, 0x00, 0x05,                                                 //
        0,    0,    0,    0,    0,    0,    0,    0,                            // payload, pad
        0,    0,    0,    0,    0,    0,                                        // ICRC, VCRC
    };
    EXPECT_EQ(ToBytes(EncodeIb(frame, {})), expected);
}

// The payload of the specification's sample packet is not zero, so its headers are checked, and the
// CRCs of ours.
TEST(WireCodec, IbCrcsCoverThePacket)
{
    IbFrameOptions options;
    options.crc = true;
    const Bytes bytes = ToBytes(EncodeIb(MakeIb(IbOpcode::RC_WRITE_FIRST, 14), options));
    const std::size_t end = bytes.size();
    const uint32_t icrc = IbCrc::IbIcrc(bytes.data(), end - 6);
    const uint16_t vcrc = IbCrc::Crc16(bytes.data(), end - 2);
    EXPECT_NE(icrc, 0U);
    EXPECT_EQ(bytes[end - 6], icrc & 0xff);
    EXPECT_EQ(bytes[end - 3], icrc >> 24);
    EXPECT_EQ(bytes[end - 2], vcrc & 0xff);
    EXPECT_EQ(bytes[end - 1], vcrc >> 8);
}

TEST(WireCodec, RoceCnpByByte)
{
    FabricFrame frame;
    frame.src = 0x7cfe90643b32;
    frame.dst = 0xe41d2dab2bc2;
    frame.srcIp = 0x0a001101;
    frame.dstIp = 0x0a001201;
    frame.dscp = 48;
    frame.ecn = 2;
    frame.opcode = IbOpcode::CNP;
    frame.becn = true;
    frame.dstQp = 0x118;
    // A CNP captured from a ConnectX-4 Lx, but with identification 0: its IPv4 checksum is 0x716c
    // larger.
    const Bytes expected{
        0xe4, 0x1d, 0x2d, 0xab, 0x2b, 0xc2, 0x7c, 0xfe, 0x90, 0x64, 0x3b, 0x32, 0x08, 0x00, // MAC
        0x45, 0xc2, 0x00, 0x3c, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11, 0x02, 0xee,             // IPv4
        0x0a, 0x00, 0x11, 0x01, 0x0a, 0x00, 0x12, 0x01,                                     //
        0x00, 0x00, 0x12, 0xb7, 0x00, 0x28, 0x00, 0x00,                                     // UDP
        0x81, 0x00, 0xff, 0xff, 0x40, 0x00, 0x01, 0x18, 0x00, 0x00, 0x00, 0x00,             // BTH
        0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0, // reserved
        0,    0,    0,    0,                                                 //
        0,    0,    0,    0,    0,    0,    0,    0,                         // ICRC, FCS
    };
    EXPECT_EQ(ToBytes(EncodeRoce(frame, {})), expected);
    EXPECT_EQ(expected.size(), 78U);
}

TEST(WireCodec, RoceTaggedByByte)
{
    FabricFrame frame = MakeRoce(IbOpcode::RC_SEND_ONLY, 0);
    RoceFrameOptions options;
    options.vlanId = 0x123;
    const Bytes bytes = ToBytes(EncodeRoce(frame, options));
    const Bytes expected{0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x02, 0x00, 0x00, 0x00,
                         0x00, 0xfe, 0x81, 0x00, 0xa1, 0x23, 0x08, 0x00, 0x45, 26 << 2 | 3};
    EXPECT_EQ(Bytes(bytes.begin(), bytes.begin() + expected.size()), expected);
}

TEST(WireCodec, RoceCrcsCoverTheFrame)
{
    RoceFrameOptions options;
    options.crc = true;
    const Bytes bytes = ToBytes(EncodeRoce(MakeRoce(IbOpcode::RC_WRITE_MIDDLE, 64), options));
    const std::size_t end = bytes.size();
    const uint32_t icrc = IbCrc::RoceIcrc(bytes.data() + 14, end - 14 - 8);
    EXPECT_NE(icrc, 0U);
    EXPECT_EQ(bytes[end - 8], icrc & 0xff);
    EXPECT_EQ(bytes[end - 5], icrc >> 24);
    // What every receiver checks: the CRC over frame and FCS is a constant.
    EXPECT_EQ(IbCrc::Crc32(bytes.data(), end), 0x2144df1cU);
}

/** A minimal IPv4 packet of the stack. */
Ptr<Packet>
MakeIpv4(uint16_t length, uint8_t tos)
{
    Bytes bytes(length, 0x5a);
    const Bytes start{0x45, tos, static_cast<uint8_t>(length >> 8), static_cast<uint8_t>(length)};
    std::copy(start.begin(), start.end(), bytes.begin());
    bytes[9] = 6;
    return ToPacket(bytes);
}

Ptr<Packet>
MakeArp()
{
    return ToPacket({0x00, 0x01, 0x08, 0x00, 0x06, 0x04, 0x00, 0x02, 0x00, 0x11,
                     0x22, 0x33, 0x44, 0x55, 0x0a, 0x00, 0x00, 0x01, 0x02, 0x11,
                     0x22, 0x33, 0x44, 0x66, 0x0a, 0x00, 0x00, 0x02});
}

Ptr<Packet>
MakeIpv6(uint16_t payload)
{
    Bytes bytes(40 + payload, 0x6b);
    bytes[0] = 0x6b;
    bytes[1] = 0x90; // traffic class 0xb9
    bytes[4] = payload >> 8;
    bytes[5] = payload & 0xff;
    return ToPacket(bytes);
}

FabricFrame
MakeIpoib(uint16_t etherType, const Ptr<Packet>& packet, uint64_t dst)
{
    FabricFrame frame;
    frame.kind = FabricFrameKind::PACKET;
    frame.src = 7;
    frame.dst = dst;
    frame.sl = 2;
    frame.cls = 1;
    frame.opcode = IbOpcode::UD_SEND_ONLY;
    frame.dstQp = 0xffffff;
    frame.srcQp = 0x10;
    frame.qkey = 0x0b1b;
    frame.etherType = etherType;
    frame.packet = packet;
    frame.payload = 4 + (etherType == 0x0806 ? 56 : packet->GetSize());
    return frame;
}

TEST(WireCodec, IpoibIsInverse)
{
    for (const uint64_t dst : {0x0005, 0xc000, 0xffff})
    {
        for (const auto& frame : {MakeIpoib(0x0800, MakeIpv4(20, 0), dst),
                                  MakeIpoib(0x0800, MakeIpv4(1501, 0xb8), dst),
                                  MakeIpoib(0x86dd, MakeIpv6(3), dst),
                                  MakeIpoib(0x0806, MakeArp(), dst)})
        {
            const auto packet = EncodeIb(frame, {});
            EXPECT_EQ(packet->GetSize(), IbFrameBytes(frame.opcode, frame.payload, dst == 0xc000));
            FabricFrame decoded;
            ASSERT_TRUE(DecodeIb(packet, decoded));
            ExpectSame(decoded, frame);
            for (uint32_t size = 0; size < packet->GetSize(); ++size)
            {
                EXPECT_FALSE(DecodeIb(packet->CreateFragment(0, size), decoded)) << size;
            }
        }
    }
}

TEST(WireCodec, IpoibMulticastByByte)
{
    IbFrameOptions options;
    options.interfaceId = 0x021122fffe334455;
    const auto packet = EncodeIb(MakeIpoib(0x0800, MakeIpv4(21, 0), 0xc000), options);
    const Bytes expected{
        0x10, 0x23, 0xc0, 0x00, 0x00, 0x19, 0x00, 0x07, // LRH, 100 bytes
        0x60, 0x00, 0x00, 0x00, 0x00, 0x34, 0x1b, 0x00, // GRH, 52 bytes follow
        0xfe, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, //
        0x02, 0x11, 0x22, 0xff, 0xfe, 0x33, 0x44, 0x55, //
        0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, 0x00, 0x00, //
        0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, //
        0x64, 0x30, 0xff, 0xff, 0x00, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, // BTH, pad 3
        0x00, 0x00, 0x0b, 0x1b, 0x00, 0x00, 0x00, 0x10,                         // DETH
        0x08, 0x00, 0x00, 0x00, 0x45, 0x00, 0x00, 0x15,                         // IPoIB, IPv4
    };
    const Bytes bytes = ToBytes(packet);
    EXPECT_EQ(bytes.size(), 102U);
    EXPECT_EQ(Bytes(bytes.begin(), bytes.begin() + expected.size()), expected);
}

TEST(WireCodec, EthernetPacketsAreInverse)
{
    struct
    {
        uint16_t etherType;
        Ptr<Packet> packet;
        uint8_t trafficClass;
        uint32_t bytes;
    } const cases[] = {{0x0800, MakeIpv4(20, 0x03), 0x03, 64},
                       {0x0800, MakeIpv4(46, 0), 0, 64},
                       {0x0800, MakeIpv4(47, 0), 0, 65},
                       {0x0800, MakeIpv4(1500, 0x6a), 0x6a, 1518},
                       {0x86dd, MakeIpv6(0), 0xb9, 64},
                       {0x86dd, MakeIpv6(100), 0xb9, 158},
                       {0x0806, MakeArp(), 0, 64},
                       {0x88cc, ToPacket(Bytes(60, 1)), 0, 78}};

    for (const auto& test : cases)
    {
        FabricFrame frame;
        frame.kind = FabricFrameKind::PACKET;
        frame.src = 0x020000000001;
        frame.dst = 0xffffffffffff;
        frame.etherType = test.etherType;
        frame.packet = test.packet;
        frame.dscp = test.trafficClass >> 2;
        frame.ecn = test.trafficClass & 3;
        const auto packet = EncodeRoce(frame, {});
        EXPECT_EQ(packet->GetSize(), test.bytes);
        FabricFrame decoded;
        ASSERT_TRUE(DecodeRoce(packet, decoded));
        ExpectSame(decoded, frame);
    }
}

TEST(WireCodec, RefusesWhatIsNotRoce)
{
    const FabricFrame frame = MakeRoce(IbOpcode::RC_WRITE_ONLY, 16);
    const Bytes good = ToBytes(EncodeRoceIp(frame));
    FabricFrame untouched = MakeRoce(IbOpcode::RC_ACK, 0);

    struct
    {
        std::size_t offset;
        uint8_t value;
        const char* what;
    } const cases[] = {{0, 0x46, "options"},
                       {0, 0x65, "IPv6"},
                       {3, 10, "length within the header"},
                       {2, 0xff, "length beyond the packet"},
                       {6, 0x60, "more fragments"},
                       {7, 1, "a later fragment"},
                       {9, 6, "TCP"},
                       {22, 0x13, "another port"},
                       {28, 0x13, "an atomic operation"},
                       {28, 0xff, "an unknown opcode"},
                       {28, 0x11, "an acknowledge with payload"},
                       {29, 0x01, "another transport version"}};

    for (const auto& test : cases)
    {
        Bytes bytes = good;
        bytes[test.offset] = test.value;
        EXPECT_FALSE(DecodeRoceIp(ToPacket(bytes), untouched)) << test.what;
        ExpectSame(untouched, MakeRoce(IbOpcode::RC_ACK, 0));
    }
}

TEST(WireCodec, RefusesWhatIsNotInfiniband)
{
    const Bytes good = ToBytes(EncodeIb(MakeIb(IbOpcode::RC_WRITE_ONLY, 16), {}));
    FabricFrame untouched = MakeIb(IbOpcode::RC_ACK, 0);

    struct
    {
        std::size_t offset;
        uint8_t value;
        const char* what;
    } const cases[] = {{0, 0x31, "another link version"},
                       {1, 0xb0, "a raw packet"},
                       {1, 0xb3, "a GRH that is none"},
                       {5, 0x01, "too short a packet length"},
                       {5, 0xff, "too long a packet length"},
                       {8, 0x40, "reliable datagram"},
                       {8, 0x13, "an atomic operation"}};

    for (const auto& test : cases)
    {
        Bytes bytes = good;
        bytes[test.offset] = test.value;
        EXPECT_FALSE(DecodeIb(ToPacket(bytes), untouched)) << test.what;
        ExpectSame(untouched, MakeIb(IbOpcode::RC_ACK, 0));
    }
}

// Decoders must survive anything: random bytes, and real packets with random bytes in them.
TEST(WireCodec, SurvivesGarbage)
{
    std::mt19937 random(1);
    const Bytes models[] = {
        ToBytes(EncodeIb(MakeIb(IbOpcode::RC_WRITE_ONLY, 16), {})),
        ToBytes(EncodeIb(MakeIpoib(0x0806, MakeArp(), 0xc000), {})),
        ToBytes(EncodeRoceIp(MakeRoce(IbOpcode::RC_WRITE_ONLY, 16))),
        ToBytes(EncodeRoce(MakeRoce(IbOpcode::CNP, 0), {})),
    };
    uint32_t accepted = 0;
    for (uint32_t round = 0; round < 20000; ++round)
    {
        Bytes bytes = models[round % 4];
        bytes.resize(random() % 4 ? bytes.size() : random() % (bytes.size() + 1));
        for (uint32_t change = random() % 4; change > 0 && !bytes.empty(); --change)
        {
            bytes[random() % bytes.size()] = random();
        }
        FabricFrame frame;
        accepted += DecodeIb(ToPacket(bytes), frame);
        accepted += DecodeRoceIp(ToPacket(bytes), frame);
        accepted += DecodeRoce(ToPacket(bytes), frame);
    }
    EXPECT_GT(accepted, 0U);
}

TEST(WireCodec, LeavesWhatIsLocalToAHop)
{
    FabricFrame pooled;
    FabricFrame other;
    pooled.next = &other;
    pooled.hops = 3;
    pooled.corrupt = true;
    pooled.inPort = 9;
    pooled.frameBytes = 77;
    pooled.arrival = 123;
    ASSERT_TRUE(DecodeRoceIp(EncodeRoceIp(MakeRoce(IbOpcode::RC_ACK, 0)), pooled));
    EXPECT_EQ(pooled.next, &other);
    EXPECT_EQ(pooled.hops, 3);
    EXPECT_TRUE(pooled.corrupt);
    EXPECT_EQ(pooled.inPort, 9);
    EXPECT_EQ(pooled.frameBytes, 77U);
    EXPECT_EQ(pooled.arrival, 123);
}

TEST(WireCodec, RefusesToEncodeWhatAFrameCannotHold)
{
    FabricFrame frame = MakeIb(IbOpcode::RC_COMPARE_SWAP, 0);
    EXPECT_THROW(EncodeIb(frame, {}), std::invalid_argument);
    EXPECT_THROW(EncodeRoce(frame, {}), std::invalid_argument);
    frame = MakeIpoib(0x0800, MakeIpv4(20, 0), 1);
    EXPECT_THROW(EncodeRoceIp(frame), std::invalid_argument);
    frame.opcode = IbOpcode::RC_SEND_ONLY;
    EXPECT_THROW(EncodeIb(frame, {}), std::invalid_argument);
}

} // namespace
