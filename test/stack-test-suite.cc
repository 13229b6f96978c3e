/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// ns-3's own internet stack, applications and bridge over fabric devices, with RDMA traffic on the
// same links.

#include "support/stack-rig.h"

#include "ns3/application-container.h"
#include "ns3/arp-header.h"
#include "ns3/boolean.h"
#include "ns3/bulk-send-helper.h"
#include "ns3/config.h"
#include "ns3/double.h"
#include "ns3/fabric-frame-codec.h"
#include "ns3/global-value.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/socket.h"
#include "ns3/test.h"
#include "ns3/udp-echo-helper.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::stackrig;

namespace
{

constexpr uint16_t PORT = 9;              //!< of all servers
constexpr double START_SECONDS = 3;       //!< traffic begins: IPv6 has checked its addresses
constexpr uint16_t ARP_PROTOCOL = 0x0806; //!< EtherType
constexpr uint32_t IPV4_UDP_BYTES = 28;   //!< IPv4 and UDP header

/** @returns when traffic begins */
Time
GetStart()
{
    return Seconds(START_SECONDS);
}

/** @returns a time after everything */
Time
GetEnd()
{
    return Seconds(60);
}

/**
 * @ingroup ai-fabric-tests
 * A test on one fabric and one shape, with IPv4 or IPv6.
 */
class StackTestCase : public TestCase
{
  public:
    StackTestCase(const std::string& fabric, Shape shape, bool ipv6, const std::string& what)
        : TestCase(fabric + ", " + stackrig::GetName(shape) + (ipv6 ? ", IPv6: " : ", IPv4: ") +
                   what),
          m_fabric(fabric),
          m_shape(shape),
          m_ipv6(ipv6)
    {
    }

  protected:
    /** Give the hosts addresses of the family under test. */
    void InstallStack(Hosts& hosts) const
    {
        m_ipv6 ? hosts.InstallIpv6() : hosts.InstallIpv4();
    }

    /** @returns the address of a host */
    Address GetIp(const Hosts& hosts, uint32_t host) const
    {
        // Index 0 is the link-local address, 1 the global one.
        return m_ipv6 ? Address(hosts.ipv6.GetAddress(host, 1))
                      : Address(hosts.ipv4.GetAddress(host));
    }

    /** @returns the address of a server on a host */
    Address GetServer(const Hosts& hosts, uint32_t host) const
    {
        return m_ipv6 ? Address(Inet6SocketAddress(hosts.ipv6.GetAddress(host, 1), PORT))
                      : Address(InetSocketAddress(hosts.ipv4.GetAddress(host), PORT));
    }

    /** @returns the address to which servers bind */
    Address GetAny() const
    {
        return m_ipv6 ? Address(Inet6SocketAddress(Ipv6Address::GetAny(), PORT))
                      : Address(InetSocketAddress(Ipv4Address::GetAny(), PORT));
    }

    /** Everything is over: nothing may be left. */
    void Finish()
    {
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(FabricFramePool::GetOutstanding(), 0, "a frame is lost for good");
    }

    std::string m_fabric; //!< "ib" or "roce"
    Shape m_shape;        //!< how the hosts are connected
    bool m_ipv6;          //!< family
};

/**
 * @ingroup ai-fabric-tests
 * ns-3's bulk transfers complete while RDMA messages share the links, and the other way round.
 */
class BulkTestCase : public StackTestCase
{
  public:
    BulkTestCase(const std::string& fabric, Shape shape, bool ipv6, uint8_t ipoibSl)
        : StackTestCase(fabric,
                        shape,
                        ipv6,
                        "TCP bulk transfers and RDMA share the links" +
                            std::string(ipoibSl ? ", lane for lane" : "")),
          m_ipoibSl(ipoibSl)
    {
    }

  private:
    /** When the last byte of each kind of traffic had arrived. */
    struct Times
    {
        Time tcp;  //!< of TCP
        Time rdma; //!< of RDMA
    };

    static constexpr uint64_t TCP_BYTES = 2500000; //!< of each transfer

    static void Record(Time* last, Ptr<const Packet> /* packet */, const Address& /* from */)
    {
        *last = Simulator::Now();
    }

    /** A packet on the bridge: is it RDMA as a UDP packet? */
    static void Look(uint64_t* bytes, Ptr<const Packet> packet)
    {
        FabricFrame frame;
        if (DecodeRoceIp(packet, frame))
        {
            *bytes += frame.payload;
        }
    }

    Times Measure(bool tcp, bool rdma)
    {
        Hosts hosts(m_fabric, m_shape);
        Messages messages(hosts);
        InstallStack(hosts);
        uint64_t bridged = 0;
        if (m_shape == Shape::BRIDGE)
        {
            for (uint32_t i = 0; i < Hosts::COUNT; ++i)
            {
                const auto port = DynamicCast<FabricNetDevice>(hosts.middle.Get(0)->GetDevice(i));
                port->TraceConnectWithoutContext("MacPromiscRx",
                                                 MakeBoundCallback(&Look, &bridged));
            }
        }
        Times times;
        ApplicationContainer sinks;
        if (tcp)
        {
            // Across the fabric in both directions; both share their cables with RDMA messages.
            for (const auto& flow : std::vector<std::pair<uint32_t, uint32_t>>{{0, 2}, {3, 1}})
            {
                BulkSendHelper source("ns3::TcpSocketFactory", GetServer(hosts, flow.second));
                source.SetAttribute("MaxBytes", UintegerValue(TCP_BYTES));
                source.SetAttribute("SendSize", UintegerValue(8192));
                source.Install(hosts.nodes.Get(flow.first)).Start(GetStart());
                PacketSinkHelper sink("ns3::TcpSocketFactory", GetAny());
                sinks.Add(sink.Install(hosts.nodes.Get(flow.second)));
                sinks.Get(sinks.GetN() - 1)
                    ->TraceConnectWithoutContext("Rx", MakeBoundCallback(&Record, &times.tcp));
            }
        }
        if (rdma)
        {
            Simulator::Schedule(GetStart(), &Messages::Post, &messages, 0, 2, 10, 250000);
            Simulator::Schedule(GetStart(), &Messages::Post, &messages, 2, 0, 10, 99999);
            Simulator::Schedule(GetStart(), &Messages::Post, &messages, 3, 1, 300, 4095);
            Simulator::Schedule(GetStart(), &Messages::Post, &messages, 1, 3, 5, 1);
        }
        Simulator::Stop(GetEnd());
        Simulator::Run();
        for (uint32_t i = 0; i < sinks.GetN(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(DynamicCast<PacketSink>(sinks.Get(i))->GetTotalRx(),
                                  TCP_BYTES,
                                  "every byte");
        }
        NS_TEST_EXPECT_MSG_EQ(messages.IsComplete(), true, "every message once and in full");
        for (uint32_t i = 0; i < Hosts::COUNT; ++i)
        {
            const FabricNicCounters& counters = messages.GetNic(i)->GetCounters();
            NS_TEST_EXPECT_MSG_EQ(counters.retransmitted, 0, "nothing was lost or out of order");
            NS_TEST_EXPECT_MSG_EQ(counters.discarded, 0, "nothing was unreadable");
        }
        NS_TEST_EXPECT_MSG_EQ(Hosts::CountDrops(), 0, "no frame is dropped");
        if (m_shape == Shape::BRIDGE)
        {
            NS_TEST_EXPECT_MSG_EQ(bridged, messages.GetBytes(), "the bridge saw real packets");
        }
        times.rdma = messages.GetEnd();
        Finish();
        return times;
    }

    void DoRun() override
    {
        // TCP notices if the fabric changes a byte, and would never complete.
        GlobalValue::Bind("ChecksumEnabled", BooleanValue(true));
        Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(4000));
        // TCP must not wait for an address until RDMA is over.
        const StringValue none("ns3::ConstantRandomVariable[Constant=0]");
        Config::SetDefault("ns3::ArpL3Protocol::RequestJitter", none);
        Config::SetDefault("ns3::Icmpv6L4Protocol::SolicitationJitter", none);
        Config::SetDefault("ns3::IbNetDevice::IpoibSl", UintegerValue(m_ipoibSl));
        const Times tcp = Measure(true, false);
        const Times rdma = Measure(false, true);
        const Times both = Measure(true, true);
        Config::Reset();
        GlobalValue::Bind("ChecksumEnabled", BooleanValue(false));
        NS_TEST_EXPECT_MSG_GT(tcp.tcp, GetStart(), "TCP has run");
        NS_TEST_EXPECT_MSG_GT(both.tcp, tcp.tcp, "TCP has less of the wire");
        NS_TEST_EXPECT_MSG_GT(both.rdma, rdma.rdma, "RDMA has less of the wire");
        // RDMA alone: its busiest cable carries 2.5 MB at 10 Gb/s, with headers, and is never idle.
        const double seconds = (rdma.rdma - GetStart()).GetSeconds();
        NS_TEST_EXPECT_MSG_GT(seconds, 2500045 * 8 / 10e9, "not faster than the cable");
        NS_TEST_EXPECT_MSG_LT(seconds, 2500045 * 8 / 10e9 * 1.05, "nor much slower");
        // Classes, and queue and NIC inside a class, are served in turn: while both have something
        // to send, neither gets less than about one half.
        const double alone = (tcp.tcp - GetStart()).GetSeconds();
        const double slowdown = (both.tcp - GetStart()).GetSeconds() / alone;
        NS_TEST_EXPECT_MSG_GT(slowdown, 1.8, "RDMA gets its half");
        NS_TEST_EXPECT_MSG_LT(slowdown, 2.1, "TCP gets its half");
        NS_TEST_EXPECT_MSG_GT((both.rdma - GetStart()).GetSeconds(), 1.7 * seconds, "as well");
    }

    uint8_t m_ipoibSl; //!< service level of TCP; RDMA has 0
};

/**
 * @ingroup ai-fabric-tests
 * How often ARP packets travel is known exactly: no loss, no duplicate, no loop.
 */
class ArpTestCase : public StackTestCase
{
  public:
    ArpTestCase(const std::string& fabric, Shape shape)
        : StackTestCase(fabric, shape, false, "ARP reaches each host once")
    {
    }

  private:
    void Received(Ptr<NetDevice> /* device */,
                  Ptr<const Packet> packet,
                  uint16_t /* protocol */,
                  const Address& /* from */,
                  const Address& /* to */,
                  NetDevice::PacketType /* type */)
    {
        ArpHeader arp;
        packet->PeekHeader(arp);
        ++(arp.IsRequest() ? m_requests : m_replies);
        m_bytes += packet->GetSize();
    }

    void DoRun() override
    {
        Hosts hosts(m_fabric, m_shape);
        hosts.InstallIpv4();
        for (uint32_t i = 0; i < Hosts::COUNT; ++i)
        {
            hosts.nodes.Get(i)->RegisterProtocolHandler(MakeCallback(&ArpTestCase::Received, this),
                                                        ARP_PROTOCOL,
                                                        hosts.devices.Get(i));
        }
        UdpEchoServerHelper(PORT).Install(hosts.nodes.Get(3));
        UdpEchoClientHelper client(GetIp(hosts, 3), PORT);
        client.SetAttribute("MaxPackets", UintegerValue(1));
        client.Install(hosts.nodes.Get(0)).Start(GetStart());
        Simulator::Stop(GetEnd());
        Simulator::Run();
        // Client and server ask for each other, everybody hears it, and the one who is meant
        // answers.
        NS_TEST_EXPECT_MSG_EQ(m_requests, 6, "two requests reach three hosts each");
        NS_TEST_EXPECT_MSG_EQ(m_replies, 2, "two replies reach one host each");
        NS_TEST_EXPECT_MSG_EQ(m_bytes, 8 * 28, "the stack sees Ethernet's form, without padding");
        const bool large = m_shape == Shape::LEAF_SPINE;
        const uint64_t broadcast = large ? 6 : 4; // cables of the tree, each once
        const uint64_t unicast = large ? 4 : 2;   // cables of a path
        NS_TEST_EXPECT_MSG_EQ(Hosts::CountFrames(),
                              2 * broadcast + 2 * unicast + 2 * unicast,
                              "requests, replies, the datagram and its echo: no frame more");
        NS_TEST_EXPECT_MSG_EQ(Hosts::CountDrops(), 0, "no frame is dropped");
        Finish();
    }

    uint32_t m_requests{0}; //!< requests received
    uint32_t m_replies{0};  //!< replies received
    uint32_t m_bytes{0};    //!< of all of them
};

/**
 * @ingroup ai-fabric-tests
 * Datagrams of all sizes come back with the bytes with which they left; fragments, too.
 */
class EchoTestCase : public StackTestCase
{
  public:
    EchoTestCase(const std::string& fabric, Shape shape, bool ipv6)
        : StackTestCase(fabric, shape, ipv6, "UDP datagrams are echoed to the byte")
    {
    }

  private:
    void Received(Ptr<const Packet> packet)
    {
        std::vector<uint8_t> bytes(packet->GetSize());
        packet->CopyData(bytes.data(), bytes.size());
        m_received.push_back(bytes);
    }

    void DoRun() override
    {
        GlobalValue::Bind("ChecksumEnabled", BooleanValue(true));
        Hosts hosts(m_fabric, m_shape);
        Messages messages(hosts);
        InstallStack(hosts);
        UdpEchoServerHelper(PORT).Install(hosts.nodes.Get(2));
        const uint32_t largest = hosts.GetDevice(0)->GetMtu() - IPV4_UDP_BYTES;
        const std::vector<uint32_t> sizes{1, 18, 1000, largest, largest + 1, 20000};
        std::vector<std::vector<uint8_t>> expected;
        for (std::size_t i = 0; i < sizes.size(); ++i)
        {
            std::vector<uint8_t> content(sizes[i]);
            for (std::size_t k = 0; k < content.size(); ++k)
            {
                content[k] = static_cast<uint8_t>(k * 7 + (k >> 8) + i + 1);
            }
            UdpEchoClientHelper client(GetIp(hosts, 2), PORT);
            client.SetAttribute("MaxPackets", UintegerValue(1));
            ApplicationContainer app = client.Install(hosts.nodes.Get(1));
            client.SetFill(app.Get(0), content.data(), sizes[i], sizes[i]);
            app.Get(0)->TraceConnectWithoutContext("Rx",
                                                   MakeCallback(&EchoTestCase::Received, this));
            // The first one alone: while an address is being resolved, ns-3 keeps few packets.
            app.Start(GetStart() + MilliSeconds(i ? 100 + i : 0));
            expected.push_back(content);
        }
        Simulator::Schedule(GetStart(), &Messages::Post, &messages, 1, 2, 20, 100000);
        Simulator::Stop(GetEnd());
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ((m_received == expected), true, "all bytes, in order of sending");
        NS_TEST_EXPECT_MSG_EQ(messages.IsComplete(), true, "every message once and in full");
        NS_TEST_EXPECT_MSG_EQ(Hosts::CountDrops(), 0, "no frame is dropped");
        Finish();
        GlobalValue::Bind("ChecksumEnabled", BooleanValue(false));
    }

    std::vector<std::vector<uint8_t>> m_received; //!< echoes
};

/**
 * @ingroup ai-fabric-tests
 * A datagram for everybody: subnet broadcast (IPv4) or the all-nodes group (IPv6).
 */
class GroupTestCase : public StackTestCase
{
  public:
    GroupTestCase(const std::string& fabric, Shape shape, bool ipv6)
        : StackTestCase(fabric, shape, ipv6, "a datagram to all hosts reaches each one once")
    {
    }

  private:
    void Received(Ptr<Socket> socket)
    {
        while (const Ptr<Packet> packet = socket->Recv())
        {
            m_bytes.at(socket->GetNode()->GetId()) += packet->GetSize();
        }
    }

    static void Send(Ptr<Socket> socket, Address to)
    {
        socket->SendTo(Create<Packet>(777), 0, to);
    }

    void DoRun() override
    {
        Hosts hosts(m_fabric, m_shape);
        InstallStack(hosts);
        std::vector<Ptr<Socket>> sockets;
        m_bytes.assign(NodeList::GetNNodes(), 0);
        for (uint32_t i = 0; i < Hosts::COUNT; ++i)
        {
            sockets.push_back(
                Socket::CreateSocket(hosts.nodes.Get(i), UdpSocketFactory::GetTypeId()));
            sockets[i]->Bind(GetAny());
            sockets[i]->BindToNetDevice(hosts.devices.Get(i));
            sockets[i]->SetAllowBroadcast(true);
            sockets[i]->SetRecvCallback(MakeCallback(&GroupTestCase::Received, this));
        }
        const Address all =
            m_ipv6 ? Address(Inet6SocketAddress(Ipv6Address::GetAllNodesMulticast(), PORT))
                   : Address(InetSocketAddress(Ipv4Address("10.1.1.255"), PORT));
        const uint64_t before = Hosts::CountFrames();
        NS_TEST_EXPECT_MSG_EQ(before, 0, "nothing has run");
        Simulator::Schedule(GetStart(), &GroupTestCase::Send, sockets[1], all);
        Simulator::Stop(GetEnd());
        Simulator::Run();
        for (uint32_t i = 0; i < Hosts::COUNT; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(m_bytes.at(hosts.nodes.Get(i)->GetId()),
                                  (i == 1 ? 0 : 777),
                                  "once to each but the sender");
        }
        if (!m_ipv6)
        {
            const uint64_t cables = m_shape == Shape::LEAF_SPINE ? 6 : 4;
            NS_TEST_EXPECT_MSG_EQ(Hosts::CountFrames(), cables, "each cable of the tree once");
        }
        NS_TEST_EXPECT_MSG_EQ(Hosts::CountDrops(), 0, "no frame is dropped");
        Finish();
    }

    std::vector<uint64_t> m_bytes; //!< received, by node
};

/**
 * @ingroup ai-fabric-tests
 * The priority of the stack's packets is lossy on RoCE: TCP loses some and completes all the same,
 * RDMA loses none.
 */
class LossyTestCase : public StackTestCase
{
  public:
    LossyTestCase()
        : StackTestCase("roce", Shape::STAR, false, "TCP loses frames in a full switch, RDMA none")
    {
    }

  private:
    void DoRun() override
    {
        Config::SetDefault("ns3::RoceSwitch::BufferBytes", UintegerValue(400000));
        Config::SetDefault("ns3::RoceSwitch::Alpha", DoubleValue(0.0625));
        Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(4000));
        Config::SetDefault("ns3::ArpL3Protocol::RequestJitter",
                           StringValue("ns3::ConstantRandomVariable[Constant=0]"));
        Hosts hosts(m_fabric, m_shape);
        Messages messages(hosts);
        InstallStack(hosts);
        constexpr uint64_t BYTES = 2000000;
        for (const uint32_t from : {0, 1, 2})
        {
            BulkSendHelper source("ns3::TcpSocketFactory", GetServer(hosts, 3));
            source.SetAttribute("MaxBytes", UintegerValue(BYTES));
            source.Install(hosts.nodes.Get(from)).Start(GetStart());
            Simulator::Schedule(GetStart(), &Messages::Post, &messages, from, 3, 20, 100000);
        }
        PacketSinkHelper helper("ns3::TcpSocketFactory", GetAny());
        const ApplicationContainer sink = helper.Install(hosts.nodes.Get(3));
        Simulator::Stop(GetEnd());
        Simulator::Run();
        uint64_t drops = 0;
        uint64_t lossless = 0;
        for (const auto& device : Hosts::GetAllDevices())
        {
            drops += device->GetDrops();
            lossless += device->GetLosslessDrops();
        }
        NS_TEST_EXPECT_MSG_GT(drops, 0, "the buffer was full");
        NS_TEST_EXPECT_MSG_EQ(lossless, 0, "but not for RDMA");
        NS_TEST_EXPECT_MSG_EQ(DynamicCast<PacketSink>(sink.Get(0))->GetTotalRx(),
                              3 * BYTES,
                              "TCP repeats what it has lost");
        NS_TEST_EXPECT_MSG_EQ(messages.IsComplete(), true, "every message once and in full");
        Finish();
        Config::Reset();
    }
};

/**
 * @ingroup ai-fabric-tests
 * The stack over both fabrics.
 */
class StackTestSuite : public TestSuite
{
  public:
    StackTestSuite()
        : TestSuite("ai-fabric-stack", TestSuite::Type::UNIT)
    {
        for (const std::string fabric : {"roce", "ib"})
        {
            for (const Shape shape : {Shape::BRIDGE, Shape::STAR, Shape::LEAF_SPINE})
            {
                // InfiniBand's source addresses are those of ports: no bridge can keep a sender's.
                if (shape == Shape::BRIDGE && fabric == "ib")
                {
                    continue;
                }
                AddTestCase(new ArpTestCase(fabric, shape));
                for (const bool ipv6 : {false, true})
                {
                    AddTestCase(new BulkTestCase(fabric, shape, ipv6, 0));
                    AddTestCase(new EchoTestCase(fabric, shape, ipv6));
                    AddTestCase(new GroupTestCase(fabric, shape, ipv6));
                }
            }
        }
        AddTestCase(new BulkTestCase("ib", Shape::STAR, false, 1));
        AddTestCase(new BulkTestCase("ib", Shape::LEAF_SPINE, true, 1));
        AddTestCase(new LossyTestCase());
    }
};

StackTestSuite g_stackTestSuite; //!< the suite

} // namespace
