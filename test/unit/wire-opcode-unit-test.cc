/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/fabric-frame-size.h"
#include "ns3/ib-opcode.h"

#include <cstdint>
#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/** What the standard says about an opcode. */
struct OpcodeCase
{
    uint8_t opcode;      //!< value
    uint16_t extensions; //!< headers behind the BTH
    uint32_t overhead;   //!< bytes of an InfiniBand packet that are not payload, without GRH
    bool payload;        //!< may carry some
    char place;          //!< First, Middle, Last, Only; '-' for no message
};

constexpr OpcodeCase OPCODES[] = {
    {0x00, 0, 26, true, 'F'},
    {0x01, 0, 26, true, 'M'},
    {0x02, 0, 26, true, 'L'},
    {0x03, IbOpcode::IMM_DT, 30, true, 'L'},
    {0x04, 0, 26, true, 'O'},
    {0x05, IbOpcode::IMM_DT, 30, true, 'O'},
    {0x06, IbOpcode::RETH, 42, true, 'F'},
    {0x07, 0, 26, true, 'M'},
    {0x08, 0, 26, true, 'L'},
    {0x09, IbOpcode::IMM_DT, 30, true, 'L'},
    {0x0a, IbOpcode::RETH, 42, true, 'O'},
    {0x0b, IbOpcode::RETH | IbOpcode::IMM_DT, 46, true, 'O'},
    {0x0c, IbOpcode::RETH, 42, false, '-'},
    {0x0d, IbOpcode::AETH, 30, true, 'F'},
    {0x0e, 0, 26, true, 'M'},
    {0x0f, IbOpcode::AETH, 30, true, 'L'},
    {0x10, IbOpcode::AETH, 30, true, 'O'},
    {0x11, IbOpcode::AETH, 30, false, '-'},
    {0x12, IbOpcode::AETH | IbOpcode::ATOMIC_ACK_ETH, 38, false, '-'},
    {0x13, IbOpcode::ATOMIC_ETH, 54, false, '-'},
    {0x14, IbOpcode::ATOMIC_ETH, 54, false, '-'},
    {0x16, IbOpcode::IETH, 30, true, 'L'},
    {0x17, IbOpcode::IETH, 30, true, 'O'},
    {0x64, IbOpcode::DETH, 34, true, 'O'},
    {0x65, IbOpcode::DETH | IbOpcode::IMM_DT, 38, true, 'O'},
    {0x80, IbOpcode::CNP_RESERVED, 42, false, '-'},
    {0x81, IbOpcode::CNP_RESERVED, 42, false, '-'},
    {0xc7, IbOpcode::RETH, 42, true, 'M'},
    {0xc8, IbOpcode::RETH, 42, true, 'L'},
    {0xc9, IbOpcode::RETH | IbOpcode::IMM_DT, 46, true, 'L'},
    {0xd1, IbOpcode::AETH | IbOpcode::IMM_DT, 34, false, '-'},
};

class Opcode : public testing::TestWithParam<OpcodeCase>
{
};

TEST_P(Opcode, IsAsTheStandardSays)
{
    const OpcodeCase& test = GetParam();
    EXPECT_TRUE(IbOpcode::IsKnown(test.opcode));
    EXPECT_EQ(IbOpcode::GetExtensions(test.opcode), test.extensions);
    EXPECT_EQ(IbOpcode::GetExtensionBytes(test.opcode), test.overhead - 26);
    EXPECT_EQ(IbOpcode::HasPayload(test.opcode), test.payload);
    EXPECT_EQ(IbOpcode::IsFirst(test.opcode), test.place == 'F');
    EXPECT_EQ(IbOpcode::IsMiddle(test.opcode), test.place == 'M');
    EXPECT_EQ(IbOpcode::IsLast(test.opcode), test.place == 'L');
    EXPECT_EQ(IbOpcode::IsOnly(test.opcode), test.place == 'O');
    EXPECT_EQ(IbOpcode::StartsMessage(test.opcode), test.place == 'F' || test.place == 'O');
    EXPECT_EQ(IbOpcode::EndsMessage(test.opcode), test.place == 'L' || test.place == 'O');
    EXPECT_EQ(IbFrameBytes(test.opcode, 0), test.overhead);
    EXPECT_EQ(IbFrameBytes(test.opcode, 4096), test.overhead + 4096);
    EXPECT_EQ(IbFrameBytes(test.opcode, 4096, true), test.overhead + 4096 + 40);
    EXPECT_EQ(RoceFrameBytes(test.opcode, 4096, false), test.overhead - 26 + 62 + 4096);
    EXPECT_EQ(RoceFrameBytes(test.opcode, 4096, true), test.overhead - 26 + 66 + 4096);
}

INSTANTIATE_TEST_SUITE_P(WireOpcode, Opcode, testing::ValuesIn(OPCODES));

TEST(WireOpcode, NoOtherOpcodeIsKnown)
{
    uint32_t known = 0;
    for (uint32_t opcode = 0; opcode < 256; ++opcode)
    {
        known += IbOpcode::IsKnown(opcode);
    }
    // 23 of RC, 12 of UC, 2 of UD, 2 of congestion notification, 4 of selective repeat
    EXPECT_EQ(known, 43U);
    for (const uint8_t opcode : {0x15, 0x18, 0x1f, 0x2c, 0x40, 0x63, 0x66, 0x82, 0xc0, 0xc6, 0xca, 0xcb, 0xd0, 0xff})
    {
        EXPECT_FALSE(IbOpcode::IsKnown(opcode)) << +opcode;
        EXPECT_EQ(IbOpcode::GetExtensionBytes(opcode), 0U);
    }
}

TEST(WireOpcode, Groups)
{
    for (uint32_t opcode = 0; opcode < 0x20; ++opcode)
    {
        EXPECT_EQ(IbOpcode::IsWrite(opcode), opcode >= 0x06 && opcode <= 0x0b) << opcode;
        EXPECT_EQ(IbOpcode::IsReadResponse(opcode), opcode >= 0x0d && opcode <= 0x10) << opcode;
        EXPECT_FALSE(IbOpcode::IsDatagram(opcode)) << opcode;
    }
    EXPECT_TRUE(IbOpcode::IsWrite(IbOpcode::UC_CLASS | IbOpcode::RC_WRITE_ONLY));
    EXPECT_FALSE(IbOpcode::IsWrite(0x66));
    EXPECT_TRUE(IbOpcode::IsWrite(IbOpcode::SR_WRITE_MIDDLE));
    EXPECT_TRUE(IbOpcode::TakesReceive(IbOpcode::SR_WRITE_LAST_IMM));
    EXPECT_FALSE(IbOpcode::TakesReceive(IbOpcode::SR_WRITE_LAST));
    EXPECT_FALSE(IbOpcode::IsWrite(IbOpcode::SR_SACK));
    EXPECT_TRUE(IbOpcode::IsDatagram(0x64));
    EXPECT_TRUE(IbOpcode::IsCongestionNotification(0x80));
    EXPECT_TRUE(IbOpcode::IsCongestionNotification(0x81));
    EXPECT_FALSE(IbOpcode::IsCongestionNotification(0x11));
}

TEST(WireOpcode, SizesOfWholeFrames)
{
    EXPECT_EQ(RoceFrameBytes(IbOpcode::RC_ACK, 0, false), 66U);
    EXPECT_EQ(RoceFrameBytes(IbOpcode::CNP, 0, false), 78U);
    EXPECT_EQ(RoceFrameBytes(IbOpcode::RC_SEND_ONLY, 0, false), 64U); // 62, padded
    EXPECT_EQ(RoceFrameBytes(IbOpcode::RC_SEND_ONLY, 0, true), 66U);
    EXPECT_EQ(RoceFrameBytes(IbOpcode::RC_SEND_ONLY, 1, false), 66U);
    EXPECT_EQ(IbFrameBytes(IbOpcode::RC_WRITE_MIDDLE, 4096), 4122U);
    for (uint32_t pad = 0; pad < 4; ++pad)
    {
        EXPECT_EQ(IbFrameBytes(IbOpcode::RC_WRITE_LAST, 8 - pad), 34U);
    }
}

static_assert(IbFrameBytes(IbOpcode::RC_WRITE_FIRST, 256) == 298, "usable in constant expressions");

} // namespace
