/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/ib-crc.h"

#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

using Bytes = std::vector<uint8_t>;

const std::string CHECK_TEXT = "123456789";

const uint8_t*
CheckBytes()
{
    return reinterpret_cast<const uint8_t*>(CHECK_TEXT.data());
}

/** IBA vol 1, 7.8: sample packet without GRH, RDMA WRITE only of 14 bytes, LRH through pad. */
const Bytes IBA_LOCAL_SAMPLE{
    0x70, 0x12, 0x37, 0x5c, 0x00, 0x0e, 0x17, 0xd2,                         // LRH
    0x0a, 0x20, 0x24, 0x87, 0x00, 0x87, 0xb1, 0xb3, 0x00, 0x0d, 0xec, 0x2a, // BTH
    0x01, 0x71, 0x0a, 0x1c, 0x01, 0x5d, 0x40, 0x02, 0x38, 0xf2, 0x7a, 0x05, // RETH
    0x00, 0x00, 0x00, 0x0e,                                                 //
    0xbb, 0x88, 0x4d, 0x85, 0xfd, 0x5c, 0xfb, 0xa4, 0x72, 0x8b, 0xc0, 0x69, // payload
    0x0e, 0xd4, 0x00, 0x00};

/** The same with GRH. */
const Bytes IBA_GLOBAL_SAMPLE{
    0x70, 0x13, 0x37, 0x5c, 0x00, 0x18, 0x17, 0xd2,                         // LRH
    0x60, 0x00, 0x00, 0x00, 0x00, 0x32, 0x00, 0x10, 0x00, 0x00, 0x00, 0x00, // GRH
    0x00, 0x00, 0x01, 0x25, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x26, //
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x17, 0x00, 0x00, 0x00, 0x00, //
    0x00, 0x00, 0x00, 0x96,                                                 //
    0x0a, 0x20, 0x24, 0x87, 0x00, 0x87, 0xb1, 0xb3, 0x00, 0x0d, 0xec, 0x2a, // BTH
    0x01, 0x71, 0x0a, 0x1c, 0x01, 0x5d, 0x40, 0x02, 0x38, 0xf2, 0x7a, 0x05, // RETH
    0x00, 0x00, 0x00, 0x0e,                                                 //
    0xbb, 0x88, 0x4d, 0x85, 0xfd, 0x5c, 0xfb, 0xa4, 0x72, 0x8b, 0xc0, 0x69, // payload
    0x0e, 0xd4, 0x00, 0x00};

/** A CNP captured from a ConnectX-4 Lx, IPv4 through reserved bytes. */
const Bytes CAPTURED_CNP{
    0x45, 0xc2, 0x00, 0x3c, 0x71, 0x8c, 0x40, 0x00, 0x40, 0x11, 0x91, 0x61, // IPv4
    0x0a, 0x00, 0x11, 0x01, 0x0a, 0x00, 0x12, 0x01,                         //
    0x00, 0x00, 0x12, 0xb7, 0x00, 0x28, 0x00, 0x00,                         // UDP
    0x81, 0x00, 0xff, 0xff, 0x40, 0x00, 0x01, 0x18, 0x00, 0x00, 0x00, 0x00, // BTH
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, // reserved
    0x00, 0x00, 0x00, 0x00};

/** A UC SEND only of a software RoCE implementation, IPv4 through pad. */
const Bytes CAPTURED_UC_SEND{
    0x45, 0x01, 0x00, 0x40, 0x04, 0x78, 0x40, 0x00, 0x40, 0x11, 0xb4, 0xd5, // IPv4
    0xc0, 0xa8, 0x00, 0x07, 0xc0, 0xa8, 0x00, 0x07,                         //
    0xc0, 0x00, 0x12, 0xb7, 0x00, 0x2c, 0xac, 0xa2,                         // UDP
    0x24, 0x60, 0xff, 0xff, 0x00, 0x00, 0x00, 0xd3, 0x00, 0xcf, 0x17, 0x10, // BTH
    0x46, 0x30, 0x81, 0x8b, 0xe2, 0x89, 0x35, 0xd9, 0x0e, 0x9a, 0x95, 0x50, // payload
    0x54, 0x01, 0xbe, 0x88, 0x5e, 0x50, 0x00, 0x00};

TEST(WireCrc, Crc32HasItsCheckValue)
{
    EXPECT_EQ(IbCrc::Crc32(CheckBytes(), CHECK_TEXT.size()), 0xcbf43926U);
    EXPECT_EQ(IbCrc::Crc32(nullptr, 0), 0U);
}

// Computed bit by bit from x^16 + x^12 + x^3 + x + 1, apart from this code.
TEST(WireCrc, Crc16HasItsCheckValue)
{
    EXPECT_EQ(IbCrc::Crc16(CheckBytes(), CHECK_TEXT.size()), 0x0a3d);
    EXPECT_EQ(IbCrc::Crc16(nullptr, 0), 0);
}

// By hand: each bit of 0xff meets a one at the end of the register, so there is no feedback and 8
// zeros are shifted in: 0x00ff, complemented 0xff00.
TEST(WireCrc, Crc16OfOneByteByHand)
{
    const uint8_t ones = 0xff;
    EXPECT_EQ(IbCrc::Crc16(&ones, 1), 0xff00);
}

TEST(WireCrc, IcrcOfTheSpecificationsSample)
{
    // The specification prints 0x9625B75A, which is the big-endian reading of the wire bytes.
    EXPECT_EQ(IbCrc::IbIcrc(IBA_LOCAL_SAMPLE.data(), IBA_LOCAL_SAMPLE.size()), 0x5ab72596U);
    EXPECT_EQ(IbCrc::IbIcrc(IBA_GLOBAL_SAMPLE.data(), IBA_GLOBAL_SAMPLE.size()), 0x46ec9314U);
}

TEST(WireCrc, VcrcOfTheSpecificationsSample)
{
    Bytes packet = IBA_LOCAL_SAMPLE;
    packet.insert(packet.end(), {0x96, 0x25, 0xb7, 0x5a});
    EXPECT_EQ(IbCrc::Crc16(packet.data(), packet.size()), 0xfa45);
}

TEST(WireCrc, IcrcOfCapturedRocePackets)
{
    // On the wire 82 fd 00 2a and 78 f3 53 f3.
    EXPECT_EQ(IbCrc::RoceIcrc(CAPTURED_CNP.data(), CAPTURED_CNP.size()), 0x2a00fd82U);
    EXPECT_EQ(IbCrc::RoceIcrc(CAPTURED_UC_SEND.data(), CAPTURED_UC_SEND.size()), 0xf353f378U);
}

struct MaskCase
{
    const char* name;                                   //!< of the kind of packet
    const Bytes* packet;                                //!< without ICRC
    uint32_t (*crc)(const uint8_t*, std::size_t);       //!< its ICRC
    std::vector<std::pair<std::size_t, uint8_t>> masks; //!< bits that do not matter
};

class IcrcMask : public testing::TestWithParam<MaskCase>
{
};

// Each bit of the headers in turn: the CRC changes unless the bit may change on the way.
TEST_P(IcrcMask, CoversAllButTheVariantBits)
{
    const MaskCase& test = GetParam();
    const uint32_t crc = test.crc(test.packet->data(), test.packet->size());
    for (std::size_t offset = 0; offset < test.packet->size(); ++offset)
    {
        uint8_t variant = 0;
        for (const auto& mask : test.masks)
        {
            variant |= mask.first == offset ? mask.second : 0;
        }
        for (uint8_t bit = 0; bit < 8; ++bit)
        {
            // LNH and IHL say which bits are masked: flipping them compares different rules.
            const bool selector =
                test.packet == &CAPTURED_CNP ? offset == 0 && bit < 4 : offset == 1 && bit < 2;
            Bytes packet = *test.packet;
            packet[offset] ^= 1 << bit;
            if (!selector)
            {
                EXPECT_EQ(test.crc(packet.data(), packet.size()) == crc, variant >> bit & 1)
                    << "byte " << offset << " bit " << +bit;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    WireCrc,
    IcrcMask,
    testing::Values(
        MaskCase{"IbLocal", &IBA_LOCAL_SAMPLE, &IbCrc::IbIcrc, {{0, 0xf0}, {12, 0xff}}},
        MaskCase{"IbGlobal",
                 &IBA_GLOBAL_SAMPLE,
                 &IbCrc::IbIcrc,
                 {{0, 0xff},
                  {1, 0xff},
                  {2, 0xff},
                  {3, 0xff},
                  {4, 0xff},
                  {5, 0xff},
                  {6, 0xff},
                  {7, 0xff},
                  {8, 0x0f},
                  {9, 0xff},
                  {10, 0xff},
                  {11, 0xff},
                  {15, 0xff},
                  {52, 0xff}}},
        MaskCase{
            "Roce",
            &CAPTURED_CNP,
            &IbCrc::RoceIcrc,
            {{1, 0xff}, {8, 0xff}, {10, 0xff}, {11, 0xff}, {26, 0xff}, {27, 0xff}, {32, 0xff}}}),
    [](const testing::TestParamInfo<MaskCase>& info) { return std::string(info.param.name); });

TEST(WireCrc, ShortInputIsNotReadBeyond)
{
    for (std::size_t size = 0; size <= IBA_GLOBAL_SAMPLE.size(); ++size)
    {
        const Bytes ib(IBA_GLOBAL_SAMPLE.begin(), IBA_GLOBAL_SAMPLE.begin() + size);
        IbCrc::IbIcrc(ib.data(), ib.size());
        IbCrc::RoceIcrc(ib.data(), ib.size());
    }
}

} // namespace
