/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What ns-3 documents for a NetDevice, on both devices, and what they refuse.

#include "support/device-rig.h"

#include "ns3/boolean.h"
#include "ns3/fabric-channel.h"
#include "ns3/fabric-frame-codec.h"
#include "ns3/ib-address-table.h"
#include "ns3/ib-crc.h"
#include "ns3/ib-net-device.h"
#include "ns3/ipv6-header.h"
#include "ns3/roce-net-device.h"

#include <functional>
#include <stdexcept>
#include <tuple>

using namespace ns3;
using namespace ns3::devicerig;

namespace
{

/**
 * @ingroup ai-fabric-tests
 * Getters and setters of NetDevice.
 */
class IdentityTestCase : public DeviceTestCase
{
  public:
    explicit IdentityTestCase(const std::string& fabric)
        : DeviceTestCase(fabric, "addresses, index, MTU and kind")
    {
    }

  private:
    void DoRun() override
    {
        Cable cable(m_fabric);
        cable.Install();
        const Ptr<NetDevice> a = cable.a;
        const Ptr<NetDevice> b = cable.b;
        NS_TEST_EXPECT_MSG_EQ(a->GetNode(), cable.nodes.Get(0), "its node");
        NS_TEST_EXPECT_MSG_EQ(a->GetIfIndex(), 0, "the node has numbered it");
        a->SetIfIndex(5);
        NS_TEST_EXPECT_MSG_EQ(a->GetIfIndex(), 5, "kept");
        NS_TEST_EXPECT_MSG_EQ(a->GetChannel(), b->GetChannel(), "one cable");
        NS_TEST_EXPECT_MSG_EQ(Mac48Address::IsMatchingType(a->GetAddress()), true, "as ARP wants");
        NS_TEST_EXPECT_MSG_NE(a->GetAddress(), b->GetAddress(), "its own");
        const Mac48Address address("02:03:04:05:06:07");
        a->SetAddress(address);
        NS_TEST_EXPECT_MSG_EQ(a->GetAddress(), Address(address), "kept");
        NS_TEST_EXPECT_MSG_EQ(a->IsBroadcast(), true, "can send to all");
        NS_TEST_EXPECT_MSG_EQ(a->GetBroadcast(), Address(Mac48Address::GetBroadcast()), "to all");
        NS_TEST_EXPECT_MSG_EQ(a->IsMulticast(), true, "can send to groups");
        NS_TEST_EXPECT_MSG_EQ(a->GetMulticast(Ipv4Address("224.129.2.3")),
                              Address(Mac48Address("01:00:5e:01:02:03")),
                              "RFC 1112");
        NS_TEST_EXPECT_MSG_EQ(a->GetMulticast(Ipv6Address("ff02::1:ff01:203")),
                              Address(Mac48Address("33:33:ff:01:02:03")),
                              "RFC 2464");
        NS_TEST_EXPECT_MSG_EQ(a->IsBridge(), false, "a port");
        NS_TEST_EXPECT_MSG_EQ(a->IsPointToPoint(), false, "a switch may be there");
        NS_TEST_EXPECT_MSG_EQ(a->NeedsArp(), true, "hosts have link addresses");
        NS_TEST_EXPECT_MSG_EQ(a->SupportsSendFrom(), !IsIb(), "a LID can't be lent");
        // The largest MTU is accepted, one byte more is not, and changes nothing.
        const uint16_t largest = IsIb() ? 4092 : 9216;
        NS_TEST_EXPECT_MSG_EQ(a->GetMtu(), (IsIb() ? 4092 : 4200), "as configured");
        NS_TEST_EXPECT_MSG_EQ(a->SetMtu(largest), true, "fits");
        NS_TEST_EXPECT_MSG_EQ(a->SetMtu(largest + 1), false, "too large");
        NS_TEST_EXPECT_MSG_EQ(a->SetMtu(0), false, "nothing would fit");
        NS_TEST_EXPECT_MSG_EQ(a->GetMtu(), largest, "kept");
        NS_TEST_EXPECT_MSG_EQ(a->SetMtu(1500), true, "fits");
        NS_TEST_EXPECT_MSG_EQ(a->GetMtu(), 1500, "kept");
        if (IsIb())
        {
            a->SetAttribute("IbMtu", UintegerValue(1024));
            NS_TEST_EXPECT_MSG_EQ(a->GetMtu(), 1020, "4 bytes are IPoIB's");
            NS_TEST_EXPECT_MSG_EQ(a->SetMtu(1021), false, "too large");
        }
        Finish();
    }
};

/**
 * @ingroup ai-fabric-tests
 * The link is up when both ends are there; before, nothing can be sent.
 */
class LinkUpTestCase : public DeviceTestCase
{
  public:
    explicit LinkUpTestCase(const std::string& fabric)
        : DeviceTestCase(fabric, "link goes up with the second end, and says so once")
    {
    }

  private:
    void Changed()
    {
        ++m_changes;
    }

    void DoRun() override
    {
        const auto table = CreateObject<IbAddressTable>();
        std::vector<Ptr<FabricNetDevice>> devices;
        NodeContainer nodes;
        nodes.Create(3);
        for (uint16_t i = 0; i < 3; ++i)
        {
            ObjectFactory factory;
            factory.SetTypeId(IsIb() ? "ns3::IbNetDevice" : "ns3::RoceNetDevice");
            devices.push_back(factory.Create<FabricNetDevice>());
            if (const auto ib = DynamicCast<IbNetDevice>(devices[i]))
            {
                ib->SetAddressTable(table);
                ib->SetLid(i + 1);
                table->Assign(Mac48Address::ConvertFrom(ib->GetAddress()), i + 1);
            }
            nodes.Get(i)->AddDevice(devices[i]);
            devices[i]->AddLinkChangeCallback(MakeCallback(&LinkUpTestCase::Changed, this));
        }
        PacketLog drops;
        drops.Connect(devices[0], "MacTxDrop");
        const auto channel = CreateObject<FabricChannel>();
        channel->SetAttribute("Delay", TimeValue(NanoSeconds(DELAY)));
        const auto send = [&]() {
            return devices[0]->Send(Create<Packet>(100), devices[1]->GetAddress(), TEST_PROTOCOL);
        };
        NS_TEST_EXPECT_MSG_EQ(send(), false, "no cable");
        NS_TEST_EXPECT_MSG_EQ(devices[0]->Attach(channel), true, "free");
        NS_TEST_EXPECT_MSG_EQ(devices[0]->IsLinkUp(), false, "nobody at the other end");
        NS_TEST_EXPECT_MSG_EQ(send(), false, "nobody at the other end");
        NS_TEST_EXPECT_MSG_EQ(m_changes, 0, "nothing has changed");
        NS_TEST_EXPECT_MSG_EQ(drops.times.size(), 2, "both are counted");
        NS_TEST_EXPECT_MSG_EQ(devices[1]->Attach(channel), true, "free");
        NS_TEST_EXPECT_MSG_EQ(m_changes, 2, "each device says it once");
        NS_TEST_EXPECT_MSG_EQ(devices[0]->IsLinkUp() && devices[1]->IsLinkUp(), true, "both");
        NS_TEST_EXPECT_MSG_EQ(devices[0]->Attach(CreateObject<FabricChannel>()),
                              false,
                              "it has a cable");
        NS_TEST_EXPECT_MSG_EQ(devices[2]->Attach(channel), false, "both ends are taken");
        NS_TEST_EXPECT_MSG_EQ(devices[2]->GetChannel(), nullptr, "it still has none");
        NS_TEST_EXPECT_MSG_EQ(channel->GetNDevices(), 2, "two ends");
        NS_TEST_EXPECT_MSG_EQ(channel->GetDevice(0), devices[0], "in order");
        NS_TEST_EXPECT_MSG_EQ(channel->GetDevice(1), devices[1], "in order");
        NS_TEST_EXPECT_MSG_EQ(channel->GetDelay(), NanoSeconds(DELAY), "as set");
        PacketLog received;
        received.Connect(devices[1], "PhyRxEnd");
        NS_TEST_EXPECT_MSG_EQ(send(), true, "now");
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(received.times.size(), 1, "the accepted one only");
        NS_TEST_EXPECT_MSG_EQ(m_changes, 2, "no further change");
        Finish();
    }

    uint32_t m_changes{0}; //!< calls
};

/**
 * @ingroup ai-fabric-tests
 * Who gets a packet, by its destination.
 */
class ReceiveTestCase : public DeviceTestCase
{
  public:
    explicit ReceiveTestCase(const std::string& fabric)
        : DeviceTestCase(fabric, "unicast, broadcast, multicast and packets for others")
    {
    }

  private:
    /** What a callback was told: size, protocol, sender, receiver, type. */
    using Event = std::tuple<uint32_t, uint16_t, Address, Address, int>;

    bool Receive(Ptr<NetDevice> device,
                 Ptr<const Packet> packet,
                 uint16_t protocol,
                 const Address& from)
    {
        m_received.emplace_back(packet->GetSize(), protocol, from, device->GetAddress(), 0);
        return true;
    }

    bool ReceiveAll(Ptr<NetDevice> /* device */,
                    Ptr<const Packet> packet,
                    uint16_t protocol,
                    const Address& from,
                    const Address& to,
                    NetDevice::PacketType type)
    {
        m_all.emplace_back(packet->GetSize(), protocol, from, to, type);
        return true;
    }

    void DoRun() override
    {
        Cable cable(m_fabric);
        cable.Install();
        // A third port of the subnet, elsewhere.
        NodeContainer others;
        others.Create(2);
        const Address other =
            cable.helper->Install(others.Get(0), others.Get(1)).Get(0)->GetAddress();
        const Ptr<NetDevice> a = cable.a;
        const Ptr<NetDevice> b = cable.b;
        b->SetReceiveCallback(MakeCallback(&ReceiveTestCase::Receive, this));
        b->SetPromiscReceiveCallback(MakeCallback(&ReceiveTestCase::ReceiveAll, this));
        PacketLog macRx;
        PacketLog macPromiscRx;
        macRx.Connect(cable.b, "MacRx");
        macPromiscRx.Connect(cable.b, "MacPromiscRx");
        const Ipv4Address group4("224.1.2.3");
        const Ipv6Address group6("ff02::1:ff01:203");
        auto packet6 = Create<Packet>(60);
        Ipv6Header header6;
        header6.SetSource(Ipv6Address("fe80::1"));
        header6.SetDestination(group6);
        header6.SetPayloadLength(60);
        packet6->AddHeader(header6);
        const Address group = Mac48Address("01:80:c2:00:00:0e");
        a->Send(MakeIpv4(101, Ipv4Address("10.0.0.2")), b->GetAddress(), IPV4_PROTOCOL);
        a->Send(Create<Packet>(102), a->GetBroadcast(), TEST_PROTOCOL);
        a->Send(MakeIpv4(103, group4), a->GetMulticast(group4), IPV4_PROTOCOL);
        a->Send(packet6, a->GetMulticast(group6), IPV6_PROTOCOL);
        a->Send(MakeIpv4(105, Ipv4Address("10.0.0.255")), a->GetBroadcast(), IPV4_PROTOCOL);
        a->Send(Create<Packet>(106), group, TEST_PROTOCOL);
        a->Send(MakeIpv4(107, Ipv4Address("10.0.0.3")), other, IPV4_PROTOCOL);
        Simulator::Run();
        const Address from = a->GetAddress();
        const Address broadcast = Mac48Address::GetBroadcast();
        // InfiniBand knows the group of a packet from its IP header.
        const Event unknown = IsIb() ? Event(106, TEST_PROTOCOL, from, broadcast, BROADCAST)
                                     : Event(106, TEST_PROTOCOL, from, group, MULTICAST);
        const std::vector<Event> all{
            Event(101, IPV4_PROTOCOL, from, b->GetAddress(), HOST),
            Event(102, TEST_PROTOCOL, from, broadcast, BROADCAST),
            Event(103, IPV4_PROTOCOL, from, a->GetMulticast(group4), MULTICAST),
            Event(100, IPV6_PROTOCOL, from, a->GetMulticast(group6), MULTICAST),
            Event(105, IPV4_PROTOCOL, from, broadcast, BROADCAST),
            unknown,
            Event(107, IPV4_PROTOCOL, from, other, OTHER),
        };
        NS_TEST_EXPECT_MSG_EQ((m_all == all), true, "promiscuous receivers get everything");
        std::vector<Event> mine;
        for (const Event& event : all)
        {
            if (std::get<4>(event) != OTHER)
            {
                mine.emplace_back(std::get<0>(event), std::get<1>(event), from, b->GetAddress(), 0);
            }
        }
        NS_TEST_EXPECT_MSG_EQ((m_received == mine), true, "the stack gets what is for this host");
        NS_TEST_EXPECT_MSG_EQ(macRx.times.size(), mine.size(), "as often");
        NS_TEST_EXPECT_MSG_EQ(macPromiscRx.times.size(), all.size(), "as often");
        NS_TEST_EXPECT_MSG_EQ(cable.b->GetDrops(), 0, "packets for others are no loss");
        Finish();
    }

    static constexpr int HOST = NetDevice::PACKET_HOST;           //!< for this device
    static constexpr int BROADCAST = NetDevice::PACKET_BROADCAST; //!< for all
    static constexpr int MULTICAST = NetDevice::PACKET_MULTICAST; //!< for a group
    static constexpr int OTHER = NetDevice::PACKET_OTHERHOST;     //!< for another host

    std::vector<Event> m_received; //!< by the normal callback
    std::vector<Event> m_all;      //!< by the promiscuous one
};

/**
 * @ingroup ai-fabric-tests
 * A bridge sends with the address of the original sender; on InfiniBand it can't.
 */
class SendFromTestCase : public DeviceTestCase
{
  public:
    explicit SendFromTestCase(const std::string& fabric)
        : DeviceTestCase(fabric, "SendFrom keeps the given source, or is refused")
    {
    }

  private:
    bool Receive(Ptr<NetDevice> /* device */,
                 Ptr<const Packet> /* packet */,
                 uint16_t /* protocol */,
                 const Address& from)
    {
        m_sources.push_back(from);
        return true;
    }

    void DoRun() override
    {
        Cable cable(m_fabric);
        cable.Install();
        const Ptr<NetDevice> b = cable.b;
        b->SetReceiveCallback(MakeCallback(&SendFromTestCase::Receive, this));
        const Address lent = Mac48Address("02:00:00:00:12:34");
        const bool sent =
            cable.a->SendFrom(Create<Packet>(100), lent, b->GetAddress(), TEST_PROTOCOL);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(sent, !IsIb(), "as SupportsSendFrom says");
        NS_TEST_EXPECT_MSG_EQ(m_sources.size(), (IsIb() ? 0 : 1), "as it said");
        if (!m_sources.empty())
        {
            NS_TEST_EXPECT_MSG_EQ(m_sources[0], lent, "the given source");
        }
        Finish();
    }

    std::vector<Address> m_sources; //!< received
};

/**
 * @ingroup ai-fabric-tests
 * What does not fit or has no way to its receiver is refused and counted.
 */
class RefusalTestCase : public DeviceTestCase
{
  public:
    explicit RefusalTestCase(const std::string& fabric)
        : DeviceTestCase(fabric, "oversize and undeliverable packets are refused")
    {
    }

  private:
    void DoRun() override
    {
        Cable cable(m_fabric);
        cable.Install();
        const Ptr<NetDevice> a = cable.a;
        PacketLog offered;
        PacketLog refused;
        PacketLog received;
        offered.Connect(cable.a, "MacTx");
        refused.Connect(cable.a, "MacTxDrop");
        received.Connect(cable.b, "MacRx");
        const Address to = cable.b->GetAddress();
        const uint16_t mtu = a->GetMtu();
        NS_TEST_EXPECT_MSG_EQ(a->Send(Create<Packet>(mtu), to, TEST_PROTOCOL), true, "just fits");
        NS_TEST_EXPECT_MSG_EQ(a->Send(Create<Packet>(mtu + 1), to, TEST_PROTOCOL), false, "no");
        // Ethernet sends to an address that nobody has; a subnet manager has no path to it.
        const Address nobody = Mac48Address("02:00:00:00:99:99");
        NS_TEST_EXPECT_MSG_EQ(a->Send(Create<Packet>(50), nobody, TEST_PROTOCOL), !IsIb(), "path");
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(offered.times.size(), 3, "all of them");
        NS_TEST_EXPECT_MSG_EQ(refused.times.size(), (IsIb() ? 2 : 1), "those that failed");
        NS_TEST_EXPECT_MSG_EQ(refused.packets[0]->GetSize(), mtu + 1, "the oversize one");
        NS_TEST_ASSERT_MSG_EQ(received.times.size(), 1, "the good one");
        NS_TEST_EXPECT_MSG_EQ(received.packets[0]->GetSize(), mtu, "the good one");
        Finish();
    }
};

/**
 * @ingroup ai-fabric-tests
 * A host's packets have a limited transmit queue in each class; a bridge may not lose what has come
 * in lossless.
 */
class QueueLimitTestCase : public DeviceTestCase
{
  public:
    explicit QueueLimitTestCase(const std::string& fabric)
        : DeviceTestCase(fabric, "the transmit queue is limited; DSCP and SL choose the class")
    {
    }

  private:
    void DoRun() override
    {
        Cable cable(m_fabric);
        cable.helper->SetDeviceAttribute("TxQueueBytes", UintegerValue(10000));
        if (IsIb())
        {
            cable.helper->SetDeviceAttribute("IpoibSl", UintegerValue(6));
        }
        cable.Install();
        const Ptr<NetDevice> a = cable.a;
        const FabricPort& port = cable.a->GetPort();
        PacketLog refused;
        PacketLog received;
        refused.Connect(cable.a, "MacTxDrop");
        received.Connect(cable.b, "MacRx");
        const auto burst = [&](uint8_t dscp, bool bridge) {
            uint32_t accepted = 0;
            for (uint32_t i = 0; i < 30; ++i)
            {
                const Ptr<Packet> packet = MakeIpv4(1000, Ipv4Address("10.0.0.2"), dscp);
                const Address to = cable.b->GetAddress();
                accepted += bridge ? a->SendFrom(packet, a->GetAddress(), to, IPV4_PROTOCOL)
                                   : a->Send(packet, to, IPV4_PROTOCOL);
            }
            return accepted;
        };
        // The first one goes on the wire at once, nine more fit.
        NS_TEST_EXPECT_MSG_EQ(burst(5, false), 10, "first class");
        uint32_t accepted = 10;
        if (IsIb())
        {
            NS_TEST_EXPECT_MSG_EQ(port.GetQueuedBytes(2), 9 * 1038, "service level 6 modulo 4");
        }
        else
        {
            NS_TEST_EXPECT_MSG_EQ(port.GetQueuedBytes(0), 9 * 1018, "DSCP / 8");
            NS_TEST_EXPECT_MSG_EQ(burst(26, false), 9, "each class has its own limit");
            NS_TEST_EXPECT_MSG_EQ(burst(26, true), 30, "forwarded, lossless");
            NS_TEST_EXPECT_MSG_EQ(port.GetQueuedBytes(3), 39 * 1018, "DSCP / 8");
            NS_TEST_EXPECT_MSG_EQ(burst(63, true), 9, "forwarded, lossy");
            NS_TEST_EXPECT_MSG_EQ(port.GetQueuedBytes(7), 9 * 1018, "DSCP / 8");
            accepted += 9 + 30 + 9;
        }
        NS_TEST_EXPECT_MSG_EQ(refused.times.size(), (IsIb() ? 20 : 62), "all others are counted");
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(received.times.size(), accepted, "what was accepted has arrived");
        NS_TEST_EXPECT_MSG_EQ(cable.a->GetDrops() + cable.b->GetDrops(), 0, "refused, not dropped");
        Finish();
    }
};

/**
 * @ingroup ai-fabric-tests
 * The stack may give an InfiniBand port another address; path queries know the new one.
 */
class ReaddressTestCase : public DeviceTestCase
{
  public:
    ReaddressTestCase()
        : DeviceTestCase("ib", "SetAddress moves the LID to the new address")
    {
    }

  private:
    void DoRun() override
    {
        Cable cable(m_fabric);
        cable.Install();
        const Address before = cable.b->GetAddress();
        const Address after = Mac48Address("02:00:00:00:00:77");
        cable.b->SetAddress(after);
        PacketLog received;
        received.Connect(cable.b, "MacRx");
        NS_TEST_EXPECT_MSG_EQ(cable.a->Send(Create<Packet>(9), before, TEST_PROTOCOL),
                              false,
                              "nobody has it");
        NS_TEST_EXPECT_MSG_EQ(cable.a->Send(Create<Packet>(10), after, TEST_PROTOCOL),
                              true,
                              "known");
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(received.times.size(), 1, "there");
        bool refused = false;
        try
        {
            cable.a->SetAddress(after);
        }
        catch (const std::invalid_argument&)
        {
            refused = true;
        }
        NS_TEST_EXPECT_MSG_EQ(refused, true, "two ports can't have one address");
        Finish();
    }
};

/**
 * @ingroup ai-fabric-tests
 * A datagram to a group has a GRH: if it then exceeds the buffer, credit for it would never come.
 */
class LargestGroupTestCase : public DeviceTestCase
{
  public:
    LargestGroupTestCase()
        : DeviceTestCase("ib", "a datagram that no buffer can hold is refused, not held for ever")
    {
    }

  private:
    void DoRun() override
    {
        Cable cable(m_fabric);
        cable.helper->SetFlowControlAttribute("BufferBytes", UintegerValue(65 * 64));
        cable.Install();
        PacketLog received;
        received.Connect(cable.b, "MacRx");
        const Ptr<NetDevice> a = cable.a;
        // Room for 4,160 bytes: LRH to VCRC without payload are 34 bytes, the GRH 40, IPoIB's
        // header 4.
        NS_TEST_EXPECT_MSG_EQ(a->Send(Create<Packet>(4083), a->GetBroadcast(), TEST_PROTOCOL),
                              false,
                              "4,162 bytes");
        NS_TEST_EXPECT_MSG_EQ(a->Send(Create<Packet>(4080), a->GetBroadcast(), TEST_PROTOCOL),
                              true,
                              "4,158 bytes");
        NS_TEST_EXPECT_MSG_EQ(a->Send(Create<Packet>(4092), cable.b->GetAddress(), TEST_PROTOCOL),
                              true,
                              "4,130 bytes without GRH");
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(received.times.size(), 2, "what was accepted");
        Finish();
    }
};

/**
 * @ingroup ai-fabric-tests
 * An RDMA frame at a device without NIC becomes an IP packet for plain ns-3 devices, with a real
 * ICRC if asked for.
 */
class PlainPacketTestCase : public DeviceTestCase
{
  public:
    PlainPacketTestCase()
        : DeviceTestCase("roce", "RDMA frames leave the fabric as UDP packets, and come back")
    {
    }

  private:
    bool ReceiveAll(Ptr<NetDevice> /* device */,
                    Ptr<const Packet> packet,
                    uint16_t protocol,
                    const Address& from,
                    const Address& to,
                    NetDevice::PacketType /* type */)
    {
        NS_TEST_EXPECT_MSG_EQ(protocol, IPV4_PROTOCOL, "IP");
        m_packets.push_back(packet->Copy());
        m_from = from;
        m_to = to;
        return true;
    }

    void DoRun() override
    {
        Cable cable(m_fabric);
        cable.helper->SetDeviceAttribute("ComputeCrc", BooleanValue(true));
        cable.Install();
        const Ptr<NetDevice> b = cable.b;
        b->SetPromiscReceiveCallback(MakeCallback(&PlainPacketTestCase::ReceiveAll, this));
        linkrig::Blaster blaster(cable.a, cable.b->GetFabricAddress(), 1000, 1);
        blaster.Start();
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_packets.size(), 1, "one frame, one packet");
        std::vector<uint8_t> bytes(m_packets[0]->GetSize());
        m_packets[0]->CopyData(bytes.data(), bytes.size());
        NS_TEST_ASSERT_MSG_EQ(bytes.size(), 1044, "IPv4, UDP, BTH, payload, ICRC");
        const uint32_t icrc = IbCrc::RoceIcrc(bytes.data(), bytes.size() - 4);
        const uint32_t found = bytes[1040] | bytes[1041] << 8 | bytes[1042] << 16 |
                               static_cast<uint32_t>(bytes[1043]) << 24;
        NS_TEST_EXPECT_MSG_EQ(found, icrc, "least significant byte first");
        NS_TEST_EXPECT_MSG_EQ(m_from, cable.a->GetAddress(), "sender");
        NS_TEST_EXPECT_MSG_EQ(m_to, b->GetAddress(), "receiver");
        // Sent on by a bridge, it is an RDMA frame again where there is a NIC.
        linkrig::Counter counter(cable.a);
        cable.b->SendFrom(m_packets[0], m_from, cable.a->GetAddress(), IPV4_PROTOCOL);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(counter.frames, 1, "recognized");
        NS_TEST_EXPECT_MSG_EQ(counter.bytes, 1000, "with its payload");
        Finish();
    }

    std::vector<Ptr<Packet>> m_packets; //!< received
    Address m_from;                     //!< of the latest one
    Address m_to;                       //!< same
};

/**
 * @ingroup ai-fabric-tests
 * Configurations that can't work are refused in one clear line.
 */
class ConfigTestCase : public DeviceTestCase
{
  public:
    explicit ConfigTestCase(const std::string& fabric)
        : DeviceTestCase(fabric, "configurations that can't work are refused in one line")
    {
    }

  private:
    /** Something must throw std::invalid_argument with one line that contains all these words. */
    void Refuse(const std::function<void()>& what, const std::vector<std::string>& words)
    {
        std::string line;
        try
        {
            what();
        }
        catch (const std::invalid_argument& error)
        {
            line = error.what();
        }
        NS_TEST_EXPECT_MSG_NE(line, "", "refused: " << words.front());
        NS_TEST_EXPECT_MSG_EQ(line.find('\n'), std::string::npos, "one line");
        for (const std::string& word : words)
        {
            NS_TEST_EXPECT_MSG_NE(line.find(word), std::string::npos, word << " in: " << line);
        }
    }

    void DoRun() override
    {
        Refuse(
            [this]() {
                Cable cable(m_fabric);
                cable.helper->SetDeviceAttribute("DataRate", StringValue("0bps"));
                cable.Install();
            },
            {"DataRate", "0 bit/s", "expected"});
        if (IsIb())
        {
            Refuse(
                [this]() {
                    Cable cable(m_fabric);
                    cable.helper->SetDeviceAttribute("IbMtu", UintegerValue(1000));
                    cable.Install();
                },
                {"IbMtu", "1000", "expected 256, 512, 1024, 2048 or 4096"});
            Refuse(
                [this]() {
                    Cable cable(m_fabric);
                    cable.helper->SetFlowControlAttribute("BufferBytes", UintegerValue(4096));
                    cable.Install();
                },
                {"IbMtu 4096", "4142", "4096 bytes", "expected"});
        }
        else
        {
            Refuse(
                [this]() {
                    Cable cable(m_fabric);
                    cable.helper->SetFlowControl("ns3::CreditFlowControl");
                    cable.Install();
                },
                {"DataLanes", "is 4", "expected 8"});
            Cable cable(m_fabric);
            cable.Install();
            NS_TEST_EXPECT_MSG_EQ(cable.a->SetAttributeFailSafe("Mtu", UintegerValue(9217)),
                                  false,
                                  "above the device's");
            NS_TEST_EXPECT_MSG_EQ(cable.a->GetMtu(), 4200, "unchanged");
            // Credits with a lane for each priority do work.
            Cable credits(m_fabric);
            credits.helper->SetFlowControl("ns3::CreditFlowControl");
            credits.helper->SetFlowControlAttribute("DataLanes", UintegerValue(8));
            credits.Install();
            NS_TEST_EXPECT_MSG_EQ(credits.a->IsLinkUp(), true, "accepted");
        }
        Finish();
    }
};

/**
 * @ingroup ai-fabric-tests
 * The devices as ns-3 devices.
 */
class DeviceTestSuite : public TestSuite
{
  public:
    DeviceTestSuite()
        : TestSuite("ai-fabric-device", TestSuite::Type::UNIT)
    {
        for (const std::string fabric : {"ib", "roce"})
        {
            AddTestCase(new IdentityTestCase(fabric));
            AddTestCase(new LinkUpTestCase(fabric));
            AddTestCase(new ReceiveTestCase(fabric));
            AddTestCase(new SendFromTestCase(fabric));
            AddTestCase(new RefusalTestCase(fabric));
            AddTestCase(new QueueLimitTestCase(fabric));
            AddTestCase(new ConfigTestCase(fabric));
        }
        AddTestCase(new ReaddressTestCase());
        AddTestCase(new LargestGroupTestCase());
        AddTestCase(new PlainPacketTestCase());
    }
};

DeviceTestSuite g_deviceTestSuite; //!< the suite

} // namespace
