/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/cnp-header.h"
#include "ns3/fabric-pcap.h"
#include "ns3/ib-bth-header.h"
#include "ns3/ib-crc-trailers.h"
#include "ns3/ib-extended-headers.h"
#include "ns3/ib-flow-control-header.h"
#include "ns3/ib-grh-header.h"
#include "ns3/ib-lrh-header.h"
#include "ns3/ipoib-header.h"
#include "ns3/mac-pause-header.h"
#include "ns3/packet.h"
#include "ns3/pfc-header.h"
#include "ns3/vlan-tag-header.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

using namespace ns3;

namespace
{

using Bytes = std::vector<uint8_t>;

Bytes
ToBytes(const Buffer& buffer)
{
    Bytes bytes(buffer.GetSize());
    buffer.CopyData(bytes.data(), bytes.size());
    return bytes;
}

/** Bytes of a header or trailer. */
template <typename T>
Bytes
Serialize(const T& chunk)
{
    Buffer buffer;
    buffer.AddAtStart(chunk.GetSerializedSize());
    const bool trailer = std::is_base_of<Trailer, T>::value;
    chunk.Serialize(trailer ? buffer.End() : buffer.Begin());
    return ToBytes(buffer);
}

/** Read a header or trailer from bytes; returns what Deserialize does. */
template <typename T>
uint32_t
Deserialize(const Bytes& bytes, T& chunk)
{
    Buffer buffer;
    buffer.AddAtStart(bytes.size());
    Buffer::Iterator start = buffer.Begin();
    start.Write(bytes.data(), bytes.size());
    const bool trailer = std::is_base_of<Trailer, T>::value;
    return chunk.Deserialize(trailer ? buffer.End() : buffer.Begin());
}

/** One header with the bytes that the standard gives it. */
struct HeaderCase
{
    std::string name;                                      //!< of the class
    Bytes bytes;                                           //!< written down by hand
    std::function<Bytes()> make;                           //!< the header's own bytes
    std::function<uint32_t(const Bytes&, Bytes*)> reparse; //!< read, write again
};

template <typename T>
HeaderCase
Case(const std::string& name, const Bytes& bytes, const std::function<void(T&)>& fill)
{
    return {name,
            bytes,
            [fill]() {
                T chunk;
                fill(chunk);
                return Serialize(chunk);
            },
            [](const Bytes& input, Bytes* output) {
                T chunk;
                const Bytes untouched = Serialize(chunk);
                const uint32_t size = Deserialize(input, chunk);
                *output = Serialize(chunk);
                if (size == 0)
                {
                    EXPECT_EQ(*output, untouched) << "a failed read changes nothing";
                }
                std::ostringstream text;
                chunk.Print(text);
                EXPECT_FALSE(text.str().empty());
                return size;
            }};
}

std::vector<HeaderCase>
MakeCases()
{
    Bytes pfc{0x01, 0x01, 0x00, 0x09, 0xff, 0xff, 0, 0, 0, 0, 0x12, 0x34};
    pfc.resize(46);
    return {
        Case<IbLrhHeader>("Lrh",
                          {0x70, 0x12, 0x37, 0x5c, 0x00, 0x0e, 0x17, 0xd2},
                          [](IbLrhHeader& h) {
                              h.SetVl(7);
                              h.SetSl(1);
                              h.SetLnh(IbLrhHeader::LNH_IBA_LOCAL);
                              h.SetDlid(0x375c);
                              h.SetPacketLength(14);
                              h.SetSlid(0x17d2);
                          }),
        Case<IbLrhHeader>("LrhLimits",
                          {0xfe, 0xf3, 0xff, 0xff, 0x07, 0xff, 0xc0, 0x00},
                          [](IbLrhHeader& h) {
                              h.SetVl(15);
                              h.SetVersion(14);
                              h.SetSl(15);
                              h.SetLnh(3);
                              h.SetDlid(0xffff);
                              h.SetPacketLength(0xffff); // keeps 11 bit
                              h.SetSlid(0xc000);
                          }),
        Case<IbGrhHeader>(
            "Grh",
            {0x61, 0x2a, 0xbc, 0xde, 0x00, 0x32, 0x1b, 0x10, 0xfe, 0x80, 0,    0,    0,    0,
             0,    0,    0x02, 0x11, 0x22, 0xff, 0xfe, 0x33, 0x44, 0x55, 0xff, 0x12, 0x40, 0x1b,
             0xff, 0xff, 0,    0,    0,    0,    0,    0,    0xff, 0xff, 0xff, 0xff},
            [](IbGrhHeader& h) {
                h.SetTrafficClass(0x12);
                h.SetFlowLabel(0xabcde);
                h.SetPayloadLength(0x32);
                h.SetHopLimit(16);
                h.SetSourceGid(
                    {0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0x02, 0x11, 0x22, 0xff, 0xfe, 0x33, 0x44, 0x55});
                h.SetDestinationGid(
                    {0xff, 0x12, 0x40, 0x1b, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff});
            }),
        Case<IbBthHeader>("Bth",
                          {0x0a, 0x20, 0x24, 0x87, 0x00, 0x87, 0xb1, 0xb3, 0x00, 0x0d, 0xec, 0x2a},
                          [](IbBthHeader& h) {
                              h.SetOpcode(0x0a);
                              h.SetPadCount(2);
                              h.SetPartitionKey(0x2487);
                              h.SetDestinationQp(0x87b1b3);
                              h.SetPsn(0x0dec2a);
                          }),
        Case<IbBthHeader>("BthFlags",
                          {0x81, 0xf5, 0xff, 0xff, 0xc0, 0xff, 0xff, 0xff, 0x80, 0xff, 0xff, 0xff},
                          [](IbBthHeader& h) {
                              h.SetOpcode(0x81);
                              h.SetSolicited(true);
                              h.SetMigReq(true);
                              h.SetPadCount(3);
                              h.SetVersion(5);
                              h.SetFecn(true);
                              h.SetBecn(true);
                              h.SetDestinationQp(0xffffffff); // keeps 24 bit
                              h.SetAckReq(true);
                              h.SetPsn(0xffffffff);
                          }),
        Case<IbBthHeader>("BthBecn",
                          {0x11, 0x00, 0xff, 0xff, 0x40, 0x00, 0x01, 0x18, 0x00, 0x00, 0x00, 0x00},
                          [](IbBthHeader& h) {
                              h.SetOpcode(0x11);
                              h.SetBecn(true);
                              h.SetDestinationQp(0x118);
                          }),
        Case<IbRethHeader>("Reth",
                           {0x01,
                            0x71,
                            0x0a,
                            0x1c,
                            0x01,
                            0x5d,
                            0x40,
                            0x02,
                            0x38,
                            0xf2,
                            0x7a,
                            0x05,
                            0x00,
                            0x00,
                            0x00,
                            0x0e},
                           [](IbRethHeader& h) {
                               h.SetVirtualAddress(0x01710a1c015d4002);
                               h.SetRemoteKey(0x38f27a05);
                               h.SetDmaLength(14);
                           }),
        Case<IbAethHeader>("Aeth",
                           {0x60, 0xab, 0xcd, 0xef},
                           [](IbAethHeader& h) {
                               h.SetSyndrome(
                                   IbAethHeader::Nak(IbAethHeader::NAK_PSN_SEQUENCE_ERROR));
                               h.SetMsn(0x12abcdef); // keeps 24 bit
                           }),
        Case<IbDethHeader>("Deth",
                           {0x00, 0x00, 0x0b, 0x1b, 0x00, 0x00, 0x00, 0x10},
                           [](IbDethHeader& h) {
                               h.SetQueueKey(0x0b1b);
                               h.SetSourceQp(0xff000010); // keeps 24 bit
                           }),
        Case<IbImmDtHeader>("ImmDt",
                            {0xde, 0xad, 0xbe, 0xef},
                            [](IbImmDtHeader& h) { h.SetData(0xdeadbeef); }),
        Case<IbIcrcTrailer>("Icrc",
                            {0x96, 0x25, 0xb7, 0x5a},
                            [](IbIcrcTrailer& t) { t.SetCrc(0x5ab72596); }),
        Case<IbVcrcTrailer>("Vcrc", {0x45, 0xfa}, [](IbVcrcTrailer& t) { t.SetCrc(0xfa45); }),
        Case<IbFlowControlHeader>("FlowControl",
                                  {0x0a, 0xbc, 0x3d, 0xef, 0x4c, 0x71},
                                  [](IbFlowControlHeader& h) {
                                      h.SetFctbs(0xabc);
                                      h.SetVl(3);
                                      h.SetFccl(0xfdef); // keeps 12 bit
                                      h.SetLpcrc(h.ComputeLpcrc());
                                  }),
        Case<IbFlowControlHeader>("FlowControlInit",
                                  {0x11, 0x23, 0x24, 0x56, 0x81, 0xe3},
                                  [](IbFlowControlHeader& h) {
                                      h.SetOp(IbFlowControlHeader::OP_INITIALIZE);
                                      h.SetFctbs(0x123);
                                      h.SetVl(2);
                                      h.SetFccl(0x456);
                                      h.SetLpcrc(h.ComputeLpcrc());
                                  }),
        Case<IpoibHeader>("Ipoib",
                          {0x86, 0xdd, 0x00, 0x00},
                          [](IpoibHeader& h) { h.SetProtocol(0x86dd); }),
        Case<VlanTagHeader>("VlanTag",
                            {0x7f, 0xfe, 0x08, 0x00},
                            [](VlanTagHeader& h) {
                                h.SetPriority(3);
                                h.SetDropEligible(true);
                                h.SetVlanId(0xfffe); // keeps 12 bit
                                h.SetEtherType(0x0800);
                            }),
        Case<PfcHeader>("Pfc",
                        pfc,
                        [](PfcHeader& h) {
                            h.SetPause(0, 0xffff);
                            h.SetPause(3, 0x1234);
                        }),
        Case<CnpHeader>("Cnp", Bytes(16), [](CnpHeader&) {}),
        Case<ErfHeader>("Erf",
                        {0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 25, 4, 0, 24, 0, 0, 0, 8},
                        [](ErfHeader& h) {
                            h.SetTimestamp(0x1122334455667788);
                            h.SetType(FabricErfType::INFINIBAND_LINK);
                            h.SetRecordLength(24);
                            h.SetWireLength(8);
                        }),
    };
}

class WireHeader : public testing::TestWithParam<HeaderCase>
{
};

TEST_P(WireHeader, HasTheBytesOfTheStandard)
{
    EXPECT_EQ(GetParam().make(), GetParam().bytes);
}

TEST_P(WireHeader, ParsesWhatItWrites)
{
    Bytes again;
    EXPECT_EQ(GetParam().reparse(GetParam().bytes, &again), GetParam().bytes.size());
    EXPECT_EQ(again, GetParam().bytes);
}

TEST_P(WireHeader, RefusesEveryShorterInput)
{
    for (std::size_t size = 0; size < GetParam().bytes.size(); ++size)
    {
        Bytes again;
        const Bytes input(GetParam().bytes.begin(), GetParam().bytes.begin() + size);
        EXPECT_EQ(GetParam().reparse(input, &again), 0U) << size << " bytes";
    }
}

INSTANTIATE_TEST_SUITE_P(WireHeaders,
                         WireHeader,
                         testing::ValuesIn(MakeCases()),
                         [](const testing::TestParamInfo<HeaderCase>& info) {
                             return info.param.name;
                         });

TEST(WireHeaders, FieldsComeBackOneByOne)
{
    IbBthHeader bth;
    ASSERT_EQ(Deserialize({0x07, 0x90, 0x80, 0x01, 0x80, 1, 2, 3, 0x80, 4, 5, 6}, bth), 12U);
    EXPECT_EQ(bth.GetOpcode(), 0x07);
    EXPECT_TRUE(bth.GetSolicited());
    EXPECT_FALSE(bth.GetMigReq());
    EXPECT_EQ(bth.GetPadCount(), 1);
    EXPECT_EQ(bth.GetVersion(), 0);
    EXPECT_EQ(bth.GetPartitionKey(), 0x8001);
    EXPECT_TRUE(bth.GetFecn());
    EXPECT_FALSE(bth.GetBecn());
    EXPECT_EQ(bth.GetDestinationQp(), 0x010203U);
    EXPECT_TRUE(bth.GetAckReq());
    EXPECT_EQ(bth.GetPsn(), 0x040506U);

    IbLrhHeader lrh;
    ASSERT_EQ(Deserialize({0x3a, 0x52, 0x12, 0x34, 0xfc, 0x08, 0x56, 0x78}, lrh), 8U);
    EXPECT_EQ(lrh.GetVl(), 3);
    EXPECT_EQ(lrh.GetVersion(), 10);
    EXPECT_EQ(lrh.GetSl(), 5);
    EXPECT_EQ(lrh.GetLnh(), 2);
    EXPECT_EQ(lrh.GetDlid(), 0x1234);
    EXPECT_EQ(lrh.GetPacketLength(), 0x408); // reserved bits are ignored
    EXPECT_EQ(lrh.GetSlid(), 0x5678);

    IbFlowControlHeader fcp;
    ASSERT_EQ(Deserialize({0x18, 0x01, 0xe7, 0xff, 0x34, 0x12}, fcp), 6U);
    EXPECT_EQ(fcp.GetOp(), 1);
    EXPECT_EQ(fcp.GetFctbs(), 0x801);
    EXPECT_EQ(fcp.GetVl(), 14);
    EXPECT_EQ(fcp.GetFccl(), 0x7ff);
    EXPECT_EQ(fcp.GetLpcrc(), 0x1234);
}

TEST(WireHeaders, SyndromesOfTheAcknowledgeHeader)
{
    EXPECT_EQ(IbAethHeader::Ack(), 0x1f);
    EXPECT_EQ(IbAethHeader::Ack(7), 0x07);
    EXPECT_EQ(IbAethHeader::RnrNak(14), 0x2e);
    EXPECT_EQ(IbAethHeader::Nak(IbAethHeader::NAK_PSN_SEQUENCE_ERROR), 0x60);
    EXPECT_EQ(IbAethHeader::Nak(IbAethHeader::NAK_REMOTE_ACCESS_ERROR), 0x62);
    for (uint32_t syndrome = 0; syndrome < 256; ++syndrome)
    {
        EXPECT_EQ(IbAethHeader::IsAck(syndrome), syndrome < 0x20) << syndrome;
        EXPECT_EQ(IbAethHeader::IsRnrNak(syndrome), syndrome >= 0x20 && syndrome < 0x40);
        EXPECT_EQ(IbAethHeader::IsNak(syndrome), syndrome >= 0x60 && syndrome < 0x80);
        EXPECT_EQ(IbAethHeader::GetCode(syndrome), syndrome % 32);
    }
}

TEST(WireHeaders, GrhRefusesOtherIpVersions)
{
    Bytes bytes(40);
    bytes[0] = 0x45;
    IbGrhHeader grh;
    EXPECT_EQ(Deserialize(bytes, grh), 0U);
}

TEST(WireHeaders, PfcKnowsItsPriorities)
{
    Bytes bytes(46);
    bytes[0] = bytes[1] = 0x01;
    bytes[3] = 0x81;
    bytes[19] = 0x05;
    PfcHeader pfc;
    ASSERT_EQ(Deserialize(bytes, pfc), 46U);
    EXPECT_EQ(pfc.GetEnableVector(), 0x81);
    EXPECT_TRUE(pfc.IsEnabled(0));
    EXPECT_FALSE(pfc.IsEnabled(3));
    EXPECT_TRUE(pfc.IsEnabled(7));
    EXPECT_FALSE(pfc.IsEnabled(8));
    EXPECT_EQ(pfc.GetQuanta(0), 0);
    EXPECT_EQ(pfc.GetQuanta(7), 5);
    EXPECT_THROW(pfc.SetPause(8, 1), std::out_of_range);
    bytes[1] = 0x02;
    EXPECT_EQ(Deserialize(bytes, pfc), 0U) << "another MAC control opcode";
    EXPECT_EQ(pfc.GetQuanta(7), 5);
}

TEST(WirePcap, TimestampIsFixedPoint)
{
    EXPECT_EQ(ToErfTimestamp(Seconds(0)), 0U);
    EXPECT_EQ(ToErfTimestamp(Seconds(3)), uint64_t{3} << 32);
    EXPECT_EQ(ToErfTimestamp(MilliSeconds(500)), uint64_t{1} << 31);
    EXPECT_EQ(ToErfTimestamp(MilliSeconds(1250)), (uint64_t{1} << 32) + (uint64_t{1} << 30));
    EXPECT_EQ(ToErfTimestamp(NanoSeconds(1)), 4U);                  // 4.29
    EXPECT_EQ(ToErfTimestamp(NanoSeconds(999999999)), 4294967291U); // 2^32 - 4.29
}

TEST(WirePcap, RecordOfADataPacket)
{
    const Bytes data(30, 0xab);
    const auto packet = Create<Packet>(data.data(), data.size());
    const auto record = ToErfRecord(packet, FabricErfType::INFINIBAND, MilliSeconds(500));
    const Bytes header{0, 0, 0, 0x80, 0, 0, 0, 0, 21, 4, 0, 46, 0, 0, 0, 30};
    Bytes expected(header.size() + data.size(), 0xab);
    std::copy(header.begin(), header.end(), expected.begin());
    Bytes bytes(record->GetSize());
    record->CopyData(bytes.data(), bytes.size());
    EXPECT_EQ(bytes, expected);
    EXPECT_EQ(packet->GetSize(), 30U);
}

TEST(WirePcap, RecordOfAFlowControlPacketIsPadded)
{
    {
        const Bytes dirt(2000, 0xee); // memory that ns-3 uses again
        Create<Packet>(dirt.data(), dirt.size());
    }
    const auto packet = Create<Packet>();
    packet->AddHeader(IbFlowControlHeader());
    const auto record = ToErfRecord(packet, FabricErfType::INFINIBAND_LINK, Seconds(1));
    Bytes expected{0, 0, 0, 0, 1, 0, 0, 0, 25, 4, 0, 16 + 60, 0, 0, 0, 60};
    expected.resize(16 + 60, 0);
    Bytes bytes(record->GetSize());
    record->CopyData(bytes.data(), bytes.size());
    EXPECT_EQ(bytes, expected);
}

} // namespace

TEST(MacPauseHeader, IsThatOfAnnex31B)
{
    MacPauseHeader pause;
    pause.SetQuanta(0x1234);
    auto packet = Create<Packet>();
    packet->AddHeader(pause);
    ASSERT_EQ(packet->GetSize(), 46U);
    std::vector<uint8_t> bytes(46);
    packet->CopyData(bytes.data(), bytes.size());
    std::vector<uint8_t> expected(46, 0);
    expected[1] = 0x01;
    expected[2] = 0x12;
    expected[3] = 0x34;
    EXPECT_EQ(bytes, expected);
    MacPauseHeader read;
    EXPECT_EQ(packet->PeekHeader(read), 46U);
    EXPECT_EQ(read.GetQuanta(), 0x1234);
    // A PFC frame is none, and neither is one that was cut off.
    PfcHeader pfc;
    auto other = Create<Packet>();
    other->AddHeader(pfc);
    EXPECT_EQ(other->PeekHeader(read), 0U);
    packet->RemoveAtEnd(1);
    EXPECT_EQ(packet->PeekHeader(read), 0U);
}
