/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup ai-fabric-tests
 * Simulate small scenes of both fabrics, capture every port, and say what a reader of the captures
 * must see.
 *
 * What must be seen is computed from the messages and the standards, not taken from frames; only
 * how often PFC and ECN act is taken from counters. The result is DIR/checks.tsv, a check a line:
 * capture file, display filter, fields, and a file with what tshark must print for them.
 * captures-test.sh carries the checks out.
 */

#include "ns3/boolean.h"
#include "ns3/command-line.h"
#include "ns3/credit-flow-control.h"
#include "ns3/double.h"
#include "ns3/fabric-nic.h"
#include "ns3/global-value.h"
#include "ns3/ib-helper.h"
#include "ns3/ib-net-device.h"
#include "ns3/ib-opcode.h"
#include "ns3/icmpv4.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-raw-socket-factory.h"
#include "ns3/pause-flow-control.h"
#include "ns3/roce-helper.h"
#include "ns3/roce-net-device.h"
#include "ns3/roce-switch.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t MTU = 4096;       //!< payload of a full packet in bytes
constexpr uint16_t ROCE_PORT = 4791; //!< UDP destination port

/** @returns a number as tshark prints it in hexadecimal */
std::string
Hex(uint64_t value, int digits)
{
    char text[24];
    std::snprintf(text, sizeof(text), "0x%0*llx", digits, static_cast<unsigned long long>(value));
    return text;
}

/** @returns the columns of a line of tshark's output */
std::string
Line(const std::vector<std::string>& columns)
{
    std::string line;
    for (const std::string& column : columns)
    {
        line += (&column == &columns.front() ? "" : "\t") + column;
    }
    return line;
}

/** @returns a number in decimal */
template <typename T>
std::string
Dec(T value)
{
    return std::to_string(value);
}

/** Stop if a scene does not show what it is there for. */
void
Require(bool condition, const std::string& what)
{
    if (!condition)
    {
        throw std::runtime_error("capture-writer: " + what);
    }
}

/** The checks, and where they are written to. */
class Checks
{
  public:
    /** @param folder an existing folder */
    explicit Checks(const std::string& folder)
        : m_folder(folder),
          m_index(folder + "/checks.tsv")
    {
        Require(m_index.good(), "cannot write to " + folder + ", expected a folder (--out)");
    }

    /**
     * @param capture name of the capture file
     * @param filter display filter
     * @param fields fields, separated by spaces
     * @param lines what they must be, a line per packet
     */
    void Add(const std::string& capture,
             const std::string& filter,
             const std::string& fields,
             const std::vector<std::string>& lines)
    {
        const std::string name = "expected-" + Dec(m_number++) + ".txt";
        std::ofstream file(m_folder + "/" + name);
        for (const std::string& line : lines)
        {
            file << line << "\n";
        }
        m_index << capture << "\t" << filter << "\t" << fields << "\t" << name << "\n";
    }

    /** @returns path of a capture file */
    std::string GetPath(const std::string& capture) const
    {
        return m_folder + "/" + capture;
    }

  private:
    std::string m_folder;  //!< where to
    std::ofstream m_index; //!< one line per check
    uint32_t m_number{0};  //!< checks so far
};

/** A message that is sent. */
struct Message
{
    RcOperation operation; //!< how
    uint64_t bytes;        //!< length
    uint64_t tag;          //!< virtual address of a WRITE
};

/** A packet as the standard wants it. */
struct Segmented
{
    uint8_t opcode;   //!< of the BTH
    uint32_t psn;     //!< 24 bits
    uint32_t payload; //!< bytes
    bool ackRequest;  //!< BTH.A
    bool hasReth;     //!< RETH follows
    Message message;  //!< its message

    /** @returns pad bytes */
    uint32_t GetPad() const
    {
        return (4 - payload % 4) % 4;
    }

    /** @returns bytes from the BTH through the ICRC */
    uint32_t GetTransportBytes() const
    {
        return 12 + (hasReth ? 16 : 0) + payload + GetPad() + 4;
    }
};

/** @returns packets of a reliable connection: messages cut as IBA vol 1, 9.7.2 says */
std::vector<Segmented>
Segment(const std::vector<Message>& messages, uint32_t psn, uint32_t ackInterval)
{
    std::vector<Segmented> packets;
    uint32_t sinceRequest = 0;
    for (const Message& message : messages)
    {
        const bool write = message.operation == RcOperation::WRITE;
        uint64_t left = message.bytes;
        bool first = true;
        do
        {
            Segmented packet{};
            packet.payload = static_cast<uint32_t>(std::min<uint64_t>(left, MTU));
            left -= packet.payload;
            // Table 38: SEND first 0, middle 1, last 2, only 4; RDMA WRITE 6, 7, 8, 10.
            const int place = first ? (left ? 0 : 4) : (left ? 1 : 2);
            packet.opcode = static_cast<uint8_t>((write ? 6 : 0) + place);
            packet.psn = psn;
            packet.hasReth = write && first;
            packet.ackRequest = left == 0 || (ackInterval && sinceRequest + 1 == ackInterval);
            packet.message = message;
            sinceRequest = packet.ackRequest ? 0 : sinceRequest + 1;
            psn = (psn + 1) & 0xffffff;
            first = false;
            packets.push_back(packet);
        } while (left);
    }
    return packets;
}

/** @returns columns reth.va and reth.dmalen */
std::vector<std::string>
RethColumns(const Segmented& packet)
{
    if (!packet.hasReth)
    {
        return {"", ""};
    }
    return {Hex(packet.message.tag, 16), Dec(packet.message.bytes)};
}

/** Hosts around a switch, or two with a cable: NICs, IP, captures. */
struct Scene
{
    /**
     * @param helper of the fabric
     * @param hosts number of hosts
     * @param withSwitch false: a cable between two hosts
     */
    Scene(FabricHelper& helper, uint32_t hosts, bool withSwitch)
    {
        nodes.Create(hosts);
        if (withSwitch)
        {
            center.Create(1);
            sw = helper.InstallSwitch(center.Get(0));
            devices = helper.Install(nodes, center.Get(0));
            helper.Configure(center);
        }
        else
        {
            devices = helper.Install(nodes.Get(0), nodes.Get(1));
        }
        InternetStackHelper internet;
        internet.Install(nodes);
        Ipv4AddressHelper addresses;
        addresses.SetBase("10.0.0.0", "255.255.255.0");
        addresses.Assign(devices);
        for (uint32_t i = 0; i < hosts; ++i)
        {
            const Ptr<FabricNic> nic = CreateObject<FabricNic>();
            nic->SetDevice(DynamicCast<FabricNetDevice>(devices.Get(i)));
            nic->SetIpAddress(Ipv4Address(GetIp(i).c_str()));
            nics.push_back(nic);
        }
    }

    /** @returns IPv4 address of a host */
    static std::string GetIp(uint32_t host)
    {
        return "10.0.0." + Dec(host + 1);
    }

    /** @returns a host's device */
    Ptr<FabricNetDevice> GetDevice(uint32_t host) const
    {
        return DynamicCast<FabricNetDevice>(devices.Get(host));
    }

    /** @returns a host's MAC address */
    std::string GetMac(uint32_t host) const
    {
        return Text(Mac48Address::ConvertFrom(GetDevice(host)->GetAddress()));
    }

    /** @returns the address of the port of the switch that a host is connected to */
    std::string GetPortMac(uint32_t host) const
    {
        return Text(Mac48Address::ConvertFrom(sw->GetPort(host)->GetAddress()));
    }

    /** @returns an address as tshark prints it */
    static std::string Text(const Mac48Address& address)
    {
        std::ostringstream text;
        text << address;
        return text.str();
    }

    /** @returns the sending queue pair of a new connection */
    Ptr<RcQueuePair> Connect(uint32_t from, uint32_t to, const ObjectFactory& attributes)
    {
        const auto a = attributes.Create<RcQueuePair>();
        const auto b = attributes.Create<RcQueuePair>();
        nics[from]->AddQueuePair(a);
        nics[to]->AddQueuePair(b);
        FabricNic::Connect(a, b);
        return a;
    }

    /** Capture every port: NAME-host-I.pcap and NAME-port-I.pcap. */
    void Capture(FabricHelper& helper, const Checks& checks, const std::string& name)
    {
        for (uint32_t i = 0; i < devices.GetN(); ++i)
        {
            helper.EnablePcap(checks.GetPath(name + "-host-" + Dec(i) + ".pcap"),
                              devices.Get(i),
                              true,
                              true);
            if (sw)
            {
                helper.EnablePcap(checks.GetPath(name + "-port-" + Dec(i) + ".pcap"),
                                  sw->GetPort(i),
                                  true,
                                  true);
            }
        }
    }

    /** Send an ICMP echo request. */
    void Ping(uint32_t from, uint32_t to)
    {
        const Ptr<Socket> socket =
            Socket::CreateSocket(nodes.Get(from), Ipv4RawSocketFactory::GetTypeId());
        socket->SetAttribute("Protocol", UintegerValue(1));
        Icmpv4Echo echo;
        echo.SetIdentifier(7);
        echo.SetSequenceNumber(3);
        echo.SetData(Create<Packet>(56));
        const auto packet = Create<Packet>();
        packet->AddHeader(echo);
        Icmpv4Header header;
        header.EnableChecksum();
        header.SetType(Icmpv4Header::ICMPV4_ECHO);
        packet->AddHeader(header);
        socket->SendTo(packet, 0, InetSocketAddress(Ipv4Address(GetIp(to).c_str()), 0));
    }

    NodeContainer nodes;              //!< hosts
    NodeContainer center;             //!< the switch's node
    Ptr<FabricSwitch> sw;             //!< may be null
    NetDeviceContainer devices;       //!< of the hosts
    std::vector<Ptr<FabricNic>> nics; //!< of the hosts
};

const std::string IB_FIELDS =
    "infiniband.lrh.vl infiniband.lrh.sl infiniband.lrh.slid infiniband.lrh.dlid "
    "infiniband.lrh.pktlen infiniband.bth.opcode infiniband.bth.padcnt infiniband.bth.p_key "
    "infiniband.bth.destqp infiniband.bth.psn infiniband.bth.a infiniband.reth.va "
    "infiniband.reth.dmalen infiniband.aeth.syndrome infiniband.aeth.msn";

/** @returns what IB_FIELDS are for the data of a connection */
std::vector<std::string>
IbDataLines(const std::vector<Segmented>& packets,
            uint32_t sl,
            uint32_t slid,
            uint32_t dlid,
            uint32_t qpn)
{
    std::vector<std::string> lines;
    for (const Segmented& packet : packets)
    {
        const std::vector<std::string> reth = RethColumns(packet);
        // PktLen counts words from the LRH through the ICRC.
        lines.push_back(Line({Hex(sl % 4, 2),
                              Dec(sl),
                              Dec(slid),
                              Dec(dlid),
                              Dec((8 + packet.GetTransportBytes()) / 4),
                              Dec(packet.opcode),
                              Dec(packet.GetPad()),
                              "65535",
                              Hex(qpn, 6),
                              Dec(packet.psn),
                              Dec(+packet.ackRequest),
                              reth[0],
                              reth[1],
                              "",
                              ""}));
    }
    return lines;
}

/** @returns what IB_FIELDS are for an ACK */
std::string
IbAckLine(uint32_t sl, uint32_t slid, uint32_t dlid, uint32_t qpn, uint32_t psn, uint32_t msn)
{
    return Line({Hex(sl % 4, 2),
                 Dec(sl),
                 Dec(slid),
                 Dec(dlid),
                 Dec((8 + 12 + 4 + 4) / 4),
                 "17",
                 "0",
                 "65535",
                 Hex(qpn, 6),
                 Dec(psn),
                 "0",
                 "",
                 "",
                 "31", // ACK without end-to-end credits
                 Dec(msn)});
}

/** @returns an IB helper for all scenes */
std::unique_ptr<IbHelper>
MakeIbHelper(bool crc)
{
    auto helper = std::make_unique<IbHelper>();
    helper->SetDeviceAttribute("DataRate", StringValue("100Gbps"));
    helper->SetDeviceAttribute("ComputeCrc", BooleanValue(crc));
    return helper;
}

/** A cable with credits for two packets at a time: flow-control packets, to the last one. */
void
IbCredits(Checks& checks, bool crc)
{
    constexpr uint32_t BLOCKS = 65;     // of a full packet
    constexpr uint32_t BUFFER = 130;    // blocks
    constexpr uint32_t PACKETS = 70;    // so that the 12-bit counters wrap
    constexpr uint32_t PSN = 0xfffffeU; // so that the PSN wraps, too
    auto helper = MakeIbHelper(crc);
    helper->SetChannelAttribute("Delay", TimeValue(MicroSeconds(1)));
    helper->SetFlowControlAttribute("BufferBytes", UintegerValue(BUFFER * 64));
    Scene scene(*helper, 2, false);
    scene.Capture(*helper, checks, "ib-credits");
    ObjectFactory attributes("ns3::RcQueuePair");
    attributes.Set("InitialPsn", UintegerValue(PSN));
    attributes.Set("AckInterval", UintegerValue(0));
    const Message message{RcOperation::WRITE, PACKETS * MTU, 0x123456789abcdefULL};
    scene.Connect(0, 1, attributes)->Post(message.bytes, message.tag, message.operation);
    Simulator::Run();
    const auto credits =
        dynamic_cast<CreditFlowControl*>(scene.GetDevice(0)->GetPort().GetFlowControl());
    Require(credits->GetHeldTicks() > 0, "the sender never lacked credit");

    const std::vector<Segmented> packets = Segment({message}, PSN, 0);
    std::vector<std::string> data = IbDataLines(packets, 0, 1, 2, FabricNic::FIRST_QPN);
    data.push_back(IbAckLine(0, 2, 1, FabricNic::FIRST_QPN, packets.back().psn, 1));
    // The receiver frees a packet at once, and says so before its ACK; the sender frees the ACK.
    std::vector<std::string> link;
    for (uint32_t k = 1; k <= PACKETS; ++k)
    {
        link.push_back(Line({"0", "0", "0", Dec((BUFFER + k * BLOCKS) % 4096)}));
    }
    link.push_back(Line({"0", Dec(PACKETS * BLOCKS % 4096), "0", Dec(BUFFER + 1)}));
    for (const std::string end : {"0", "1"})
    {
        const std::string capture = "ib-credits-host-" + end + ".pcap";
        checks.Add(capture, "infiniband.lrh", IB_FIELDS, data);
        checks.Add(
            capture,
            "infiniband_link",
            "infiniband_link.op infiniband_link.fctbs infiniband_link.vl infiniband_link.fccl",
            link);
    }
    Simulator::Destroy();
}

/** Three hosts and a switch: messages of all kinds and lengths, two service levels, IPoIB with ARP.
 */
void
IbStar(Checks& checks, bool crc)
{
    auto helper = MakeIbHelper(crc);
    Scene scene(*helper, 3, true);
    scene.Capture(*helper, checks, "ib-star");
    ObjectFactory first("ns3::RcQueuePair");
    first.Set("InitialPsn", UintegerValue(1000));
    ObjectFactory second("ns3::RcQueuePair");
    second.Set("InitialPsn", UintegerValue(2000));
    second.Set("AckInterval", UintegerValue(4));
    second.Set("ServiceLevel", UintegerValue(5));
    // SENDs end in at least 13 bytes: tshark 4.0 takes shorter ones for truncated RPC over RDMA.
    const std::vector<Message> toB{{RcOperation::WRITE, 5 * MTU - 1, 0x1000},
                                   {RcOperation::WRITE, 0, 0x2000},
                                   {RcOperation::SEND, 13, 0},
                                   {RcOperation::WRITE, MTU, 0x3000}};
    const std::vector<Message> toC{{RcOperation::SEND, 10 * MTU + 14, 0},
                                   {RcOperation::WRITE, 2 * MTU, 0x4000}};
    const auto ab = scene.Connect(0, 1, first);
    const auto ac = scene.Connect(0, 2, second);
    for (const Message& message : toB)
    {
        ab->Post(message.bytes, message.tag, message.operation);
    }
    for (const Message& message : toC)
    {
        ac->Post(message.bytes, message.tag, message.operation);
    }
    Simulator::Schedule(MicroSeconds(50), &Scene::Ping, &scene, 2U, 1U);
    Simulator::Run();

    const uint32_t a = 1; // LIDs count from 1
    const std::vector<std::string> dataB =
        IbDataLines(Segment(toB, 1000, 16), 0, a, 2, FabricNic::FIRST_QPN);
    const std::vector<std::string> dataC =
        IbDataLines(Segment(toC, 2000, 4), 5, a, 3, FabricNic::FIRST_QPN);
    // The data of a connection is the same at every point of its way.
    const std::string rc = "infiniband.bth.opcode < 17 && infiniband.lrh.dlid == ";
    for (const std::string place : {"host-0", "port-1"})
    {
        checks.Add("ib-star-" + place + ".pcap", rc + "2", IB_FIELDS, dataB);
    }
    for (const std::string place : {"port-0", "host-2"})
    {
        checks.Add("ib-star-" + place + ".pcap", rc + "3", IB_FIELDS, dataC);
    }
    // Acknowledged: PSN 1003 is the fourth of 1000..1003 and so on; packets that ask are answered
    // one by one here.
    std::vector<std::string> acksC;
    uint32_t msn = 0;
    for (const Segmented& packet : Segment(toC, 2000, 4))
    {
        msn += packet.opcode == IbOpcode::RC_SEND_LAST || packet.opcode == IbOpcode::RC_WRITE_LAST;
        if (packet.ackRequest)
        {
            acksC.push_back(IbAckLine(5, 3, a, FabricNic::FIRST_QPN + 1, packet.psn, msn));
        }
    }
    for (const std::string place : {"host-0", "host-2"})
    {
        checks.Add("ib-star-" + place + ".pcap",
                   "infiniband.bth.opcode == 17 && infiniband.lrh.slid == 3",
                   IB_FIELDS,
                   acksC);
    }
    // The request for B's address goes to the broadcast group; the answer and the pings go from
    // port to port.
    const std::string datagrams =
        "infiniband.lrh.slid infiniband.lrh.dlid infiniband.lrh.lnh infiniband.grh.nxthdr "
        "infiniband.bth.opcode infiniband.bth.destqp infiniband.deth.q_key infiniband.deth.srcqp "
        "arp.hw.type arp.hw.size arp.opcode arp.src.proto_ipv4 arp.dst.proto_ipv4 "
        "ip.src ip.dst icmp.type icmp.ident icmp.seq data.len";
    const std::string qkey = Hex(0xb1b, 16);
    const std::string qp = Hex(0x10, 8);
    const std::string ipB = Scene::GetIp(1);
    const std::string ipC = Scene::GetIp(2);
    // clang-format off
    const std::vector<std::string> stack{
        Line({"3", "49152", "0x03", "27", "100", "0xffffff", qkey, qp,
              "32", "20", "1", ipC, ipB, "", "", "", "", "", ""}),
        Line({"2", "3", "0x02", "", "100", "0x000010", qkey, qp,
              "32", "20", "2", ipB, ipC, "", "", "", "", "", ""}),
        Line({"3", "2", "0x02", "", "100", "0x000010", qkey, qp,
              "", "", "", "", "", ipC, ipB, "8", "7", "3", "48"}),
        Line({"2", "49152", "0x03", "27", "100", "0xffffff", qkey, qp,
              "32", "20", "1", ipB, ipC, "", "", "", "", "", ""}),
        Line({"3", "2", "0x02", "", "100", "0x000010", qkey, qp,
              "32", "20", "2", ipC, ipB, "", "", "", "", "", ""}),
        Line({"2", "3", "0x02", "", "100", "0x000010", qkey, qp,
              "", "", "", "", "", ipB, ipC, "0", "7", "3", "48"})};
    // clang-format on
    for (const std::string place : {"host-1", "port-2"})
    {
        checks.Add("ib-star-" + place + ".pcap", "infiniband.deth", datagrams, stack);
    }
    Simulator::Destroy();
}

const std::string ROCE_FIELDS =
    "eth.src eth.dst vlan.id vlan.priority ip.src ip.dst ip.dsfield.dscp ip.len ip.ttl "
    "udp.srcport udp.dstport udp.length infiniband.bth.opcode infiniband.bth.padcnt "
    "infiniband.bth.p_key infiniband.bth.destqp infiniband.bth.psn infiniband.bth.a "
    "infiniband.reth.va infiniband.reth.dmalen infiniband.aeth.syndrome infiniband.aeth.msn";

/** What the link and network headers of a connection have in common. */
struct RoceFlow
{
    std::string srcMac; //!< of the sender
    std::string dstMac; //!< of the receiver
    std::string srcIp;  //!< of the sender
    std::string dstIp;  //!< of the receiver
    uint32_t vlan;      //!< 0: untagged
    uint32_t dscp;      //!< the priority is its upper half
    uint32_t srcQp;     //!< for the UDP source port
    uint32_t dstQp;     //!< of the receiver

    /** @returns the UDP source port as Linux makes it of the queue pair numbers */
    uint32_t GetSourcePort() const
    {
        const uint32_t label = srcQp * dstQp; // below 2^20 for all numbers here
        return ((label & 0x3fff) ^ (label >> 14)) | 0xc000;
    }

    /** @returns the columns eth.src..udp.length of a packet with so many bytes behind UDP */
    std::vector<std::string> GetColumns(uint32_t transportBytes, uint32_t ttl) const
    {
        return {srcMac,
                dstMac,
                vlan ? Dec(vlan) : "",
                vlan ? Dec(dscp >> 3) : "",
                srcIp,
                dstIp,
                Dec(dscp),
                Dec(20 + 8 + transportBytes),
                Dec(ttl),
                Dec(GetSourcePort()),
                Dec(ROCE_PORT),
                Dec(8 + transportBytes)};
    }
};

/** @returns what ROCE_FIELDS are for the data of a connection where its time to live is so much */
std::vector<std::string>
RoceDataLines(const std::vector<Segmented>& packets, const RoceFlow& flow, uint32_t ttl)
{
    std::vector<std::string> lines;
    for (const Segmented& packet : packets)
    {
        std::vector<std::string> columns = flow.GetColumns(packet.GetTransportBytes(), ttl);
        const std::vector<std::string> reth = RethColumns(packet);
        for (const std::string& column : {Dec(packet.opcode),
                                          Dec(packet.GetPad()),
                                          std::string("65535"),
                                          Hex(flow.dstQp, 6),
                                          Dec(packet.psn),
                                          Dec(+packet.ackRequest),
                                          reth[0],
                                          reth[1],
                                          std::string(),
                                          std::string()})
        {
            columns.push_back(column);
        }
        lines.push_back(Line(columns));
    }
    return lines;
}

/** Two hosts send to a third one, each in its priority: pauses, marks and notifications. */
void
RoceIncast(Checks& checks, bool crc, uint32_t vlan)
{
    const std::string name = vlan ? "roce-vlan" : "roce";
    RoceHelper helper;
    helper.SetDeviceAttribute("DataRate", StringValue("100Gbps"));
    helper.SetDeviceAttribute("ComputeCrc", BooleanValue(crc));
    helper.SetDeviceAttribute("VlanId", UintegerValue(vlan));
    helper.SetSwitchAttribute("BufferBytes", UintegerValue(260000));
    helper.SetSwitchAttribute("ReservedBytes", UintegerValue(0));
    helper.SetSwitchAttribute("XonOffsetBytes", UintegerValue(8192));
    helper.SetSwitchAttribute("Alpha", DoubleValue(0.5));
    helper.SetSwitchAttribute("Ecn", BooleanValue(true));
    helper.SetSwitchAttribute("EcnKmin", UintegerValue(10000));
    helper.SetSwitchAttribute("EcnKmax", UintegerValue(40000));
    Scene scene(helper, 3, true);
    helper.AssignStreams(scene.center, 1);
    scene.Capture(helper, checks, name);
    const std::vector<uint32_t> dscps{26, 34}; // priorities 3 and 4
    const std::vector<uint32_t> psns{0xffffc0, 500};
    std::vector<std::vector<Segmented>> packets;
    for (uint32_t sender = 0; sender < 2; ++sender)
    {
        ObjectFactory attributes("ns3::RcQueuePair");
        attributes.Set("InitialPsn", UintegerValue(psns[sender]));
        attributes.Set("Dscp", UintegerValue(dscps[sender]));
        const Message message{RcOperation::WRITE, 150 * MTU + 1, 0x7f0000000000ULL + sender};
        scene.Connect(sender, 2, attributes)->Post(message.bytes, message.tag, message.operation);
        packets.push_back(Segment({message}, psns[sender], 16));
    }
    Simulator::Schedule(MicroSeconds(150), &Scene::Ping, &scene, 0U, 1U);
    Simulator::Run();

    const auto roceSwitch = DynamicCast<RoceSwitch>(scene.sw);
    uint64_t notifications = 0;
    for (uint32_t sender = 0; sender < 2; ++sender)
    {
        const RoceFlow flow{scene.GetMac(sender),
                            scene.GetMac(2),
                            Scene::GetIp(sender),
                            Scene::GetIp(2),
                            vlan,
                            dscps[sender],
                            FabricNic::FIRST_QPN,
                            FabricNic::FIRST_QPN + sender};
        const std::string fromSender = "infiniband.bth.opcode < 17 && ip.src == " + flow.srcIp;
        const std::vector<std::string> data = RoceDataLines(packets[sender], flow, 64);
        const std::string number = Dec(sender);
        checks.Add(name + "-host-" + number + ".pcap", fromSender, ROCE_FIELDS, data);
        // The switch has counted it down.
        checks.Add(name + "-host-2.pcap",
                   fromSender,
                   ROCE_FIELDS,
                   RoceDataLines(packets[sender], flow, 63));
        // Not yet marked at the sender.
        const std::string capture = name + "-host-" + number + ".pcap";
        checks.Add(capture,
                   fromSender,
                   "ip.dsfield.ecn",
                   std::vector<std::string>(data.size(), "2"));
        // ACKs: the last one is for everything.
        checks.Add(capture,
                   "infiniband.bth.opcode == 17 && infiniband.bth.psn == " +
                       Dec(packets[sender].back().psn),
                   "eth.src eth.dst ip.src ip.dst ip.dsfield.dscp ip.dsfield.ecn ip.len "
                   "udp.dstport infiniband.bth.destqp infiniband.aeth.syndrome infiniband.aeth.msn",
                   {Line({flow.dstMac,
                          flow.srcMac,
                          flow.dstIp,
                          flow.srcIp,
                          Dec(flow.dscp),
                          "0",
                          Dec(20 + 8 + 12 + 4 + 4),
                          Dec(ROCE_PORT),
                          Hex(FabricNic::FIRST_QPN, 6),
                          "31",
                          "1"})});
        checks.Add(capture,
                   "infiniband.bth.opcode == 17",
                   "infiniband.aeth.syndrome",
                   std::vector<std::string>(scene.nics[sender]->GetCounters().acksReceived, "31"));
        // Notifications: opcode 0x81, BECN set, in the class of their own, not ECN capable.
        const uint64_t cnps = scene.nics[sender]->GetCounters().cnpsReceived;
        notifications += cnps;
        checks.Add(capture,
                   "infiniband.bth.opcode == 129 && infiniband.bth[4:1] == 40",
                   "eth.src eth.dst vlan.priority ip.src ip.dst ip.dsfield.dscp ip.dsfield.ecn "
                   "ip.len udp.dstport infiniband.bth.destqp infiniband.bth.psn",
                   std::vector<std::string>(cnps,
                                            Line({flow.dstMac,
                                                  flow.srcMac,
                                                  vlan ? "6" : "",
                                                  flow.dstIp,
                                                  flow.srcIp,
                                                  "48",
                                                  "0",
                                                  Dec(20 + 8 + 12 + 16 + 4),
                                                  Dec(ROCE_PORT),
                                                  Hex(FabricNic::FIRST_QPN, 6),
                                                  "0"})));
        // Pauses: XOFF and XON in turn for the one priority. None lasts until its refresh.
        const auto pause =
            dynamic_cast<PauseFlowControl*>(scene.GetDevice(sender)->GetPort().GetFlowControl());
        const uint64_t pauses = pause->GetPauseFrames();
        Require(pauses >= 4 && pauses % 2 == 0, "too few pause frames");
        std::vector<std::string> lines;
        for (uint64_t i = 0; i < pauses; ++i)
        {
            std::vector<std::string> columns{scene.GetPortMac(sender),
                                             "01:80:c2:00:00:01",
                                             "",
                                             "0x0101",
                                             Hex(1U << (3 + sender), 4)};
            for (uint32_t priority = 0; priority < 8; ++priority)
            {
                columns.emplace_back(priority == 3 + sender && i % 2 == 0 ? "65535" : "0");
            }
            lines.push_back(Line(columns));
        }
        for (const std::string& place : {"host-" + number, "port-" + number})
        {
            checks.Add(name + "-" + place + ".pcap",
                       "macc",
                       "eth.src eth.dst vlan.id macc.opcode macc.cbfc.enbv "
                       "macc.cbfc.pause_time.c0 macc.cbfc.pause_time.c1 macc.cbfc.pause_time.c2 "
                       "macc.cbfc.pause_time.c3 macc.cbfc.pause_time.c4 macc.cbfc.pause_time.c5 "
                       "macc.cbfc.pause_time.c6 macc.cbfc.pause_time.c7",
                       lines);
        }
    }
    const uint64_t marks = roceSwitch->GetEcnMarks();
    Require(marks > 0 && marks == scene.nics[2]->GetCounters().ecnMarked, "no marks");
    Require(notifications > 1 && notifications == scene.nics[2]->GetCounters().cnpsSent,
            "no notifications");
    checks.Add(name + "-host-2.pcap",
               "ip.dsfield.ecn == 3",
               "ip.dst",
               std::vector<std::string>(marks, Scene::GetIp(2)));
    // ARP and ping from the first to the second host.
    const std::string tag = vlan ? Dec(vlan) : "";
    const std::string ipA = Scene::GetIp(0);
    const std::string ipB = Scene::GetIp(1);
    const std::string macA = scene.GetMac(0);
    const std::string macB = scene.GetMac(1);
    // clang-format off
    const std::vector<std::string> stack{
        Line({macA, "ff:ff:ff:ff:ff:ff", tag, "1", ipA, ipB, "", "", "", "", ""}),
        Line({macB, macA, tag, "2", ipB, ipA, "", "", "", "", ""}),
        Line({macA, macB, tag, "", "", "", ipA, ipB, "8", "7", "3"}),
        Line({macB, "ff:ff:ff:ff:ff:ff", tag, "1", ipB, ipA, "", "", "", "", ""}),
        Line({macA, macB, tag, "2", ipA, ipB, "", "", "", "", ""}),
        Line({macB, macA, tag, "", "", "", ipB, ipA, "0", "7", "3"})};
    // clang-format on
    for (const std::string place : {"host-0", "port-1"})
    {
        checks.Add(name + "-" + place + ".pcap",
                   "arp || icmp",
                   "eth.src eth.dst vlan.id arp.opcode arp.src.proto_ipv4 arp.dst.proto_ipv4 "
                   "ip.src ip.dst icmp.type icmp.ident icmp.seq",
                   stack);
    }
    Simulator::Destroy();
}

/** A packet with any of the extension headers. */
struct VerbPacket
{
    uint32_t opcode;       //!< of the BTH
    uint32_t pad;          //!< pad bytes
    uint32_t destQp;       //!< of the BTH
    uint32_t psn;          //!< 24 bits
    bool ackRequest;       //!< BTH.A
    std::string reth;      //!< columns reth.va and reth.dmalen
    std::string aeth;      //!< columns aeth.syndrome and aeth.msn
    std::string immediate; //!< column immdt
    std::string deth;      //!< columns deth.q_key and deth.srcqp
};

/** A cable, and all verbs over it one after the other: READ, immediate data, an RNR NAK,
 * datagrams. */
void
Verbs(Checks& checks, bool crc, const std::string& fabric)
{
    constexpr uint32_t PSN = 0xfffffe; // so that a READ goes over the wrap
    constexpr uint32_t QKEY = 0x22222222;
    std::unique_ptr<FabricHelper> helper;
    if (fabric == "ib")
    {
        helper = MakeIbHelper(crc);
    }
    else
    {
        helper = std::make_unique<RoceHelper>();
        helper->SetDeviceAttribute("DataRate", StringValue("100Gbps"));
        helper->SetDeviceAttribute("ComputeCrc", BooleanValue(crc));
        helper->SetDeviceAttribute("Mtu", UintegerValue(MTU + 104));
    }
    Scene scene(*helper, 2, false);
    const std::string name = fabric + "-verbs";
    scene.Capture(*helper, checks, name);
    ObjectFactory attributes("ns3::RcQueuePair");
    attributes.Set("InitialPsn", UintegerValue(PSN));
    attributes.Set("ReceiveQueueDepth", UintegerValue(1));
    attributes.Set("MinRnrTimer", UintegerValue(1)); // 10 us
    const Ptr<RcQueuePair> end = scene.Connect(0, 1, attributes);
    const Ptr<RcQueuePair> peer = scene.nics[1]->GetQueuePair(0);
    ObjectFactory datagrams("ns3::UdQueuePair");
    datagrams.Set("QKey", UintegerValue(QKEY));
    std::vector<Ptr<UdQueuePair>> ud;
    for (const Ptr<FabricNic>& nic : scene.nics)
    {
        ud.push_back(datagrams.Create<UdQueuePair>());
        nic->AddQueuePair(ud.back());
    }
    const auto at = [](uint32_t microseconds, const std::function<void()>& what) {
        Simulator::Schedule(MicroSeconds(microseconds), [what]() { what(); });
    };
    at(0, [end]() { end->Post(3 * MTU + 5, 0x1000, RcOperation::READ); });
    at(20, [end]() { end->Post(MTU + 16, 0x2000, RcOperation::WRITE_IMM, 0xdeadbeef); });
    at(40, [end]() { end->Post(20, 0, RcOperation::SEND_IMM, 7); });
    at(45, [peer]() { peer->PostReceive(1); });
    at(60, [end]() { end->Post(20, 0x3000, RcOperation::READ); });
    at(80, [ud]() { ud[0]->Post(ud[1]->Describe(), 100, 0); });
    at(90, [ud]() { ud[0]->Post(ud[1]->Describe(), 30, 0, 0x12345678); });
    Simulator::Run();
    Require(scene.nics[1]->GetCounters().rnrNaksSent == 1, "no RNR NAK");
    Require(scene.nics[1]->GetCounters().delivered == 4, "a message is missing");

    const uint32_t rc = FabricNic::FIRST_QPN;
    const auto reth = [](uint64_t address, uint32_t bytes) {
        return Line({Hex(address, 16), Dec(bytes)});
    };
    const auto aeth = [](uint32_t syndrome, uint32_t msn) {
        return Line({Dec(syndrome), Dec(msn)});
    };
    const auto imm = [](uint32_t data) {
        const std::string digits = Hex(data, 8).substr(2);
        return digits + "," + digits; // tshark calls the header and its content the same
    };
    const std::string none = Line({"", ""});
    const std::string deth = Line({Hex(QKEY, 16), Hex(rc + 1, 8)});
    // IBA vol 1, table 38 for opcodes, 9.7.3 for the PSNs of a READ, 9.7.5.2 for the answers.
    const std::vector<VerbPacket> packets{
        {12, 0, rc, 0xfffffe, true, reth(0x1000, 3 * MTU + 5), none, "", none},
        {13, 0, rc, 0xfffffe, false, none, aeth(31, 1), "", none},
        {14, 0, rc, 0xffffff, false, none, none, "", none},
        {14, 0, rc, 0, false, none, none, "", none},
        {15, 3, rc, 1, false, none, aeth(31, 1), "", none},
        {6, 0, rc, 2, false, reth(0x2000, MTU + 16), none, "", none},
        {9, 0, rc, 3, true, none, none, imm(0xdeadbeef), none},
        {17, 0, rc, 3, false, none, aeth(31, 2), "", none},
        {5, 0, rc, 4, true, none, none, imm(7), none},
        {17, 0, rc, 4, false, none, aeth(0x20 | 1, 2), "", none},
        {5, 0, rc, 4, true, none, none, imm(7), none},
        {17, 0, rc, 4, false, none, aeth(31, 3), "", none},
        {12, 0, rc, 5, true, reth(0x3000, 20), none, "", none},
        {16, 0, rc, 5, false, none, aeth(31, 4), "", none},
        {100, 0, rc + 1, 0, false, none, none, "", deth},
        {101, 2, rc + 1, 1, false, none, none, imm(0x12345678), deth},
    };
    std::vector<std::string> lines;
    for (const VerbPacket& packet : packets)
    {
        lines.push_back(Line({Dec(packet.opcode),
                              Dec(packet.pad),
                              Hex(packet.destQp, 6),
                              Dec(packet.psn),
                              Dec(+packet.ackRequest),
                              packet.reth,
                              packet.aeth,
                              packet.immediate,
                              packet.deth}));
    }
    for (const std::string host : {"0", "1"})
    {
        checks.Add(name + "-host-" + host + ".pcap",
                   "infiniband.bth",
                   "infiniband.bth.opcode infiniband.bth.padcnt infiniband.bth.destqp "
                   "infiniband.bth.psn infiniband.bth.a infiniband.reth.va infiniband.reth.dmalen "
                   "infiniband.aeth.syndrome infiniband.aeth.msn infiniband.immdt "
                   "infiniband.deth.q_key infiniband.deth.srcqp",
                   lines);
    }
    Simulator::Destroy();
}

} // namespace

int
main(int argc, char* argv[])
{
    std::string out = ".";
    bool crc = false;
    GlobalValue::Bind("ChecksumEnabled", BooleanValue(true)); // of the ns-3 stack
    CommandLine cmd;
    cmd.AddValue("out", "Existing folder for captures and checks", out);
    cmd.AddValue("crc", "Compute real CRCs", crc);
    cmd.Parse(argc, argv);
    try
    {
        Checks checks(out);
        IbCredits(checks, crc);
        IbStar(checks, crc);
        RoceIncast(checks, crc, 0);
        RoceIncast(checks, crc, 100);
        Verbs(checks, crc, "ib");
        Verbs(checks, crc, "roce");
    }
    catch (const std::exception& problem)
    {
        std::cerr << problem.what() << std::endl;
        return 1;
    }
    return 0;
}
