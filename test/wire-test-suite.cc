/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/cnp-header.h"
#include "ns3/ethernet-header.h"
#include "ns3/ethernet-trailer.h"
#include "ns3/fabric-frame-codec.h"
#include "ns3/ib-bth-header.h"
#include "ns3/ib-crc-trailers.h"
#include "ns3/ib-crc.h"
#include "ns3/ib-extended-headers.h"
#include "ns3/ib-flow-control-header.h"
#include "ns3/ib-grh-header.h"
#include "ns3/ib-lrh-header.h"
#include "ns3/ib-opcode.h"
#include "ns3/ipoib-header.h"
#include "ns3/ipv4-header.h"
#include "ns3/pfc-header.h"
#include "ns3/test.h"
#include "ns3/udp-header.h"
#include "ns3/vlan-tag-header.h"

#include <string>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @ingroup ai-fabric-tests
 * Every header and trailer is known to ns-3 by its name, so that packets can be printed.
 */
class WireTypeIdTest : public TestCase
{
  public:
    WireTypeIdTest()
        : TestCase("headers and trailers are registered")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string name : {"IbLrhHeader",
                                       "IbGrhHeader",
                                       "IbBthHeader",
                                       "IbRethHeader",
                                       "IbAethHeader",
                                       "IbDethHeader",
                                       "IbImmDtHeader",
                                       "IbFlowControlHeader",
                                       "IbIcrcTrailer",
                                       "IbVcrcTrailer",
                                       "IpoibHeader",
                                       "VlanTagHeader",
                                       "PfcHeader",
                                       "CnpHeader",
                                       "ErfHeader"})
        {
            TypeId tid;
            const bool found = TypeId::LookupByNameFailSafe("ns3::" + name, &tid);
            NS_TEST_ASSERT_MSG_EQ(found, true, name << " is registered");
            NS_TEST_ASSERT_MSG_EQ(tid.HasConstructor(), true, name << " can be created");
            NS_TEST_ASSERT_MSG_EQ(tid.GetGroupName(), "AiFabric", name << " has its group");
        }
    }
};

/**
 * @ingroup ai-fabric-tests
 * The headers of an InfiniBand packet come off one by one, also after it was cut and put together.
 */
class WireIbPacketTest : public TestCase
{
  public:
    WireIbPacketTest()
        : TestCase("an InfiniBand packet, header by header")
    {
    }

  private:
    void DoRun() override
    {
        FabricFrame frame;
        frame.src = 0x12;
        frame.dst = 0x34;
        frame.sl = 3;
        frame.cls = 2;
        frame.opcode = IbOpcode::RC_WRITE_FIRST;
        frame.dstQp = 0x55;
        frame.psn = 77;
        frame.payload = 4096;
        frame.va = 1ULL << 40;
        frame.rkey = 9;
        frame.dmaLen = 8192;
        IbFrameOptions options;
        options.crc = true;
        Ptr<Packet> packet = EncodeIb(frame, options);
        NS_TEST_ASSERT_MSG_EQ(packet->GetSize(), 4138, "payload and 42 bytes");

        // Fragments, as a queue disc or a remote rank may make them.
        Ptr<Packet> whole = packet->CreateFragment(0, 21);
        whole->AddAtEnd(packet->CreateFragment(21, 4138 - 21));

        IbVcrcTrailer vcrc;
        NS_TEST_ASSERT_MSG_EQ(whole->RemoveTrailer(vcrc), 2, "VCRC");
        std::vector<uint8_t> bytes(whole->GetSize());
        whole->CopyData(bytes.data(), bytes.size());
        NS_TEST_ASSERT_MSG_EQ(vcrc.GetCrc(),
                              IbCrc::Crc16(bytes.data(), bytes.size()),
                              "VCRC covers LRH through ICRC");
        IbIcrcTrailer icrc;
        NS_TEST_ASSERT_MSG_EQ(whole->RemoveTrailer(icrc), 4, "ICRC");
        NS_TEST_ASSERT_MSG_EQ(icrc.GetCrc(),
                              IbCrc::IbIcrc(bytes.data(), bytes.size() - 4),
                              "ICRC covers LRH through payload");
        IbLrhHeader lrh;
        NS_TEST_ASSERT_MSG_EQ(whole->RemoveHeader(lrh), 8, "LRH");
        NS_TEST_ASSERT_MSG_EQ(+lrh.GetVl(), 2, "VL is the class");
        NS_TEST_ASSERT_MSG_EQ(+lrh.GetSl(), 3, "SL");
        NS_TEST_ASSERT_MSG_EQ(lrh.GetPacketLength(), (4138 - 2) / 4, "all but the VCRC");
        IbBthHeader bth;
        NS_TEST_ASSERT_MSG_EQ(whole->RemoveHeader(bth), 12, "BTH");
        NS_TEST_ASSERT_MSG_EQ(+bth.GetOpcode(), 0x06, "RDMA WRITE first");
        NS_TEST_ASSERT_MSG_EQ(bth.GetPsn(), 77, "PSN");
        IbRethHeader reth;
        NS_TEST_ASSERT_MSG_EQ(whole->RemoveHeader(reth), 16, "RETH");
        NS_TEST_ASSERT_MSG_EQ(reth.GetVirtualAddress(), 1ULL << 40, "VA");
        NS_TEST_ASSERT_MSG_EQ(reth.GetDmaLength(), 8192, "DMALen");
        NS_TEST_ASSERT_MSG_EQ(whole->GetSize(), 4096, "the payload is left");

        FabricFrame decoded;
        NS_TEST_ASSERT_MSG_EQ(DecodeIb(packet, decoded), true, "the packet is unchanged");
        NS_TEST_ASSERT_MSG_EQ(decoded.va, frame.va, "VA");
    }
};

/**
 * @ingroup ai-fabric-tests
 * ns-3's own Ethernet, IPv4 and UDP classes accept a RoCE frame, checksums and FCS included.
 */
class WireRocePacketTest : public TestCase
{
  public:
    WireRocePacketTest()
        : TestCase("a RoCE frame, judged by ns-3's headers")
    {
    }

  private:
    void DoRun() override
    {
        FabricFrame frame;
        frame.src = 0x020000000001;
        frame.dst = 0x020000000002;
        frame.srcIp = 0x0a010001;
        frame.dstIp = 0x0a010002;
        frame.udpSrc = 0xc123;
        frame.dscp = 26;
        frame.ecn = 2;
        frame.opcode = IbOpcode::RC_ACK;
        frame.dstQp = 6;
        frame.psn = 8;
        frame.msn = 3;
        frame.syndrome = IbAethHeader::Ack();
        RoceFrameOptions options;
        options.crc = true;
        Ptr<Packet> packet = EncodeRoce(frame, options);
        NS_TEST_ASSERT_MSG_EQ(packet->GetSize(), 66, "size of an acknowledge");

        EthernetTrailer fcs;
        packet->RemoveTrailer(fcs);
        fcs.EnableFcs(true);
        NS_TEST_ASSERT_MSG_EQ(fcs.CheckFcs(packet), true, "FCS is the one that ns-3 computes");
        EthernetHeader ethernet(false);
        packet->RemoveHeader(ethernet);
        NS_TEST_ASSERT_MSG_EQ(ethernet.GetSource(), Mac48Address("02:00:00:00:00:01"), "source");
        NS_TEST_ASSERT_MSG_EQ(ethernet.GetLengthType(), 0x0800, "IPv4");
        Ipv4Header ip;
        ip.EnableChecksum();
        packet->RemoveHeader(ip);
        NS_TEST_ASSERT_MSG_EQ(ip.IsChecksumOk(), true, "IPv4 checksum");
        NS_TEST_ASSERT_MSG_EQ(ip.IsDontFragment(), true, "DF");
        NS_TEST_ASSERT_MSG_EQ(+ip.GetTtl(), 64, "TTL");
        NS_TEST_ASSERT_MSG_EQ(+ip.GetTos(), (26 << 2 | 2), "DSCP and ECN");
        NS_TEST_ASSERT_MSG_EQ(ip.GetPayloadSize(), packet->GetSize(), "total length");
        UdpHeader udp;
        packet->RemoveHeader(udp);
        NS_TEST_ASSERT_MSG_EQ(udp.GetDestinationPort(), 4791, "RoCEv2");
        NS_TEST_ASSERT_MSG_EQ(udp.GetSourcePort(), 0xc123, "entropy");
        IbIcrcTrailer icrc;
        packet->RemoveTrailer(icrc);
        IbBthHeader bth;
        packet->RemoveHeader(bth);
        NS_TEST_ASSERT_MSG_EQ(+bth.GetOpcode(), 0x11, "acknowledge");
        IbAethHeader aeth;
        packet->RemoveHeader(aeth);
        NS_TEST_ASSERT_MSG_EQ(IbAethHeader::IsAck(aeth.GetSyndrome()), true, "ACK");
        NS_TEST_ASSERT_MSG_EQ(aeth.GetMsn(), 3, "MSN");
        NS_TEST_ASSERT_MSG_EQ(packet->GetSize(), 0, "nothing is left");
    }
};

/**
 * @ingroup ai-fabric-tests
 * A PFC frame has 64 bytes, and the tag of 802.1Q sits between MAC header and payload.
 */
class WireEthernetControlTest : public TestCase
{
  public:
    WireEthernetControlTest()
        : TestCase("PFC frame and VLAN tag")
    {
    }

  private:
    void DoRun() override
    {
        PfcHeader pfc;
        pfc.SetPause(3, 0xffff);
        EthernetHeader ethernet(false);
        ethernet.SetDestination(Mac48Address("01:80:c2:00:00:01"));
        ethernet.SetSource(Mac48Address("02:00:00:00:00:01"));
        ethernet.SetLengthType(PfcHeader::ETHER_TYPE);
        auto packet = Create<Packet>();
        packet->AddHeader(pfc);
        packet->AddHeader(ethernet);
        packet->AddTrailer(EthernetTrailer());
        NS_TEST_ASSERT_MSG_EQ(packet->GetSize(), 64, "size of a PFC frame");
        EthernetHeader seen(false);
        packet->RemoveHeader(seen);
        NS_TEST_ASSERT_MSG_EQ(seen.GetLengthType(), 0x8808, "MAC control");
        PfcHeader read;
        NS_TEST_ASSERT_MSG_EQ(packet->RemoveHeader(read), 46, "PFC");
        NS_TEST_ASSERT_MSG_EQ(+read.GetEnableVector(), 0x08, "priority 3");
        NS_TEST_ASSERT_MSG_EQ(read.GetQuanta(3), 0xffff, "quanta");

        FabricFrame frame;
        frame.kind = FabricFrameKind::PACKET;
        frame.etherType = 0x88cc;
        frame.packet = Create<Packet>(100);
        frame.cls = 6;
        RoceFrameOptions options;
        options.vlanId = 42;
        packet = EncodeRoce(frame, options);
        NS_TEST_ASSERT_MSG_EQ(packet->GetSize(), 122, "MAC header, tag, packet, FCS");
        packet->RemoveHeader(seen);
        NS_TEST_ASSERT_MSG_EQ(seen.GetLengthType(), 0x8100, "802.1Q");
        VlanTagHeader tag;
        packet->RemoveHeader(tag);
        NS_TEST_ASSERT_MSG_EQ(+tag.GetPriority(), 6, "PCP is the class");
        NS_TEST_ASSERT_MSG_EQ(tag.GetVlanId(), 42, "VID");
        NS_TEST_ASSERT_MSG_EQ(tag.GetEtherType(), 0x88cc, "EtherType behind the tag");
        NS_TEST_ASSERT_MSG_EQ(frame.packet->GetSize(), 100, "the frame's packet is unchanged");
    }
};

/**
 * @ingroup ai-fabric-tests
 * The wire formats.
 */
class WireTestSuite : public TestSuite
{
  public:
    WireTestSuite()
        : TestSuite("ai-fabric-wire", TestSuite::Type::UNIT)
    {
        AddTestCase(new WireTypeIdTest);
        AddTestCase(new WireIbPacketTest);
        AddTestCase(new WireRocePacketTest);
        AddTestCase(new WireEthernetControlTest);
    }
};

} // namespace

static WireTestSuite g_wireTestSuite; //!< registers the suite
