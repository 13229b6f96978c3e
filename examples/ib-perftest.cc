/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What the perftest programs (ib_write_lat, ib_write_bw, ib_read_*, ib_send_*) would show between
// two hosts of an idle fabric, with switches in a row between them. Latency is half of a round trip
// of messages to and fro, or for READ from posting to the data; bandwidth is that of messages of
// which some are always under way.
//
//     host 0 --- switch --- ... --- switch --- host 1

#include "ns3/ai-fabric-module.h"
#include "ns3/data-rate.h"
#include "ns3/fabric-frame-size.h"
#include "ns3/ib-opcode.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t MTU = 4096;                 //!< payload of a full packet in bytes
constexpr uint32_t ETHERNET_GAP = 20;          //!< preamble and inter-frame gap in bytes
constexpr double PICOSECONDS_PER_METRE = 5000; //!< in fibre and copper, about

/** What is measured. */
struct Verb
{
    std::string name;      //!< as --verb takes it
    RcOperation operation; //!< how it travels
    bool datagram;         //!< UD instead of RC
};

const std::vector<Verb> VERBS = {
    {"write", RcOperation::WRITE, false},
    {"write-imm", RcOperation::WRITE_IMM, false},
    {"send", RcOperation::SEND, false},
    {"read", RcOperation::READ, false},
    {"ud", RcOperation::SEND, true},
};

/** What the user asks for. */
struct Options
{
    std::string verb{"all"};                                            //!< a name, or all of them
    std::string fabric{"ib"};                                           //!< ib, roce or both
    std::string sizes{"2,8,64,512,4096,32768,262144,2097152,8388608"};  //!< bytes of a message
    BoundedOption<uint32_t> hops{"hops", 1, 0, 60};                     //!< switches in a row
    BoundedOption<uint32_t> qps{"qps", 1, 1, 1000};                     //!< connections (bandwidth)
    BoundedOption<uint32_t> depth{"depth", 128, 1, 100000};             //!< messages under way
    BoundedOption<uint32_t> iterations{"iterations", 1000, 1, 1000000}; //!< of each line
    BoundedOption<double> megabytes{"megabytes", 64, 1, 1e6};           //!< most of each line
    BoundedOption<double> gbps{"gbps", 400, 1, 3200};                   //!< rate of all links
    BoundedOption<double> metres{"metres", 2, 0, 100000};               //!< of a cable
};

/** @returns the verbs of a list such as "write,read" */
std::vector<Verb>
ParseVerbs(const std::string& text)
{
    if (text == "all")
    {
        return VERBS;
    }
    std::vector<Verb> verbs;
    for (const std::string& item : SplitOption("verb", text))
    {
        const auto verb = std::find_if(VERBS.begin(), VERBS.end(), [&item](const Verb& known) {
            return known.name == item;
        });
        if (verb == VERBS.end())
        {
            throw std::invalid_argument("--verb=" + item +
                                        ", expected write, write-imm, send, read, ud or all");
        }
        verbs.push_back(*verb);
    }
    return verbs;
}

/** @returns the fabrics that a name means */
std::vector<std::string>
ParseFabrics(const std::string& name)
{
    if (name == "both")
    {
        return {"ib", "roce"};
    }
    if (name != "ib" && name != "roce")
    {
        throw std::invalid_argument("--fabric=" + name + ", expected ib, roce or both");
    }
    return {name};
}

/** The figures of a fabric's devices. */
struct Devices
{
    SwitchModel sw; //!< each switch
    NicModel nic;   //!< each host

    explicit Devices(const std::string& fabric)
        : sw(FindSwitchModel(fabric == "ib" ? "quantum-2" : "spectrum-4")),
          nic(FindNicModel("connectx-7"))
    {
    }
};

/** Two hosts and what lies between them. */
class Bench
{
  public:
    Bench(const std::string& fabric, const Verb& verb, uint64_t bytes, const Options& options)
        : m_verb(verb),
          m_bytes(bytes)
    {
        const Devices devices(fabric);
        std::unique_ptr<FabricHelper> helper;
        if (fabric == "ib")
        {
            helper = std::make_unique<IbHelper>();
        }
        else
        {
            helper = std::make_unique<RoceHelper>();
            helper->SetDeviceAttribute("Mtu", UintegerValue(MTU + 104));
        }
        helper->SetDeviceAttribute(
            "DataRate",
            DataRateValue(DataRate(static_cast<uint64_t>(options.gbps * 1e9))));
        helper->SetChannelAttribute(
            "Delay",
            TimeValue(PicoSeconds(std::llround(options.metres * PICOSECONDS_PER_METRE))));
        helper->SetSwitchModel(devices.sw.name);
        helper->SetNicModel(devices.nic.name);
        NodeContainer hosts(2);
        NodeContainer row(options.hops);
        for (uint32_t i = 0; i < row.GetN(); ++i)
        {
            helper->InstallSwitch(row.Get(i));
        }
        for (uint32_t i = 0; i + 1 < row.GetN(); ++i)
        {
            helper->Install(row.Get(i), row.Get(i + 1));
        }
        if (row.GetN() == 0)
        {
            helper->Install(hosts.Get(0), hosts.Get(1));
        }
        else
        {
            helper->Install(hosts.Get(0), row.Get(0));
            helper->Install(hosts.Get(1), row.Get(row.GetN() - 1));
            helper->Configure(row);
        }
        for (uint32_t i = 0; i < options.qps; ++i)
        {
            Connect(hosts);
        }
    }

    /**
     * @param count messages to and fro, or READs, after one that does not count
     * @returns their latencies
     */
    LatencySamples MeasureLatency(uint32_t count)
    {
        m_left = m_verb.operation == RcOperation::READ ? count + 1 : 2 * count + 2;
        m_pingPong = true;
        PostPing(0);
        Simulator::Run();
        return m_samples;
    }

    /**
     * @param count messages in all
     * @param depth messages of each connection under way
     * @returns seconds from the first posting to the last completion
     */
    double MeasureBandwidth(uint64_t count, uint32_t depth)
    {
        m_unposted = m_left = count;
        for (uint32_t i = 0; i < depth; ++i)
        {
            for (std::size_t c = 0; c < m_connections.size() && m_unposted; ++c)
            {
                --m_unposted;
                Post(c, 0);
            }
        }
        Simulator::Run();
        return FabricSeconds(m_end);
    }

  private:
    /** Both ends of a connection. */
    struct Connection
    {
        std::array<Ptr<RcQueuePair>, 2> rc; //!< null for UD
        std::array<Ptr<UdQueuePair>, 2> ud; //!< null for RC
    };

    void Connect(const NodeContainer& hosts)
    {
        Connection connection;
        for (uint32_t i = 0; i < 2; ++i)
        {
            const Ptr<FabricNic> nic = RdmaHelper::GetNic(hosts.Get(i));
            const uint64_t cookie = 2 * m_connections.size() + i;
            if (m_verb.datagram)
            {
                connection.ud[i] = CreateObject<UdQueuePair>();
                connection.ud[i]->SetCookie(cookie);
                connection.ud[i]->SetReceivedCallback(MakeCallback(&Bench::Datagram, this));
                nic->AddQueuePair(connection.ud[i]);
            }
            else
            {
                connection.rc[i] = nic->CreateQueuePair();
                connection.rc[i]->SetCookie(cookie);
                connection.rc[i]->SetDeliveredCallback(MakeCallback(&Bench::Delivered, this));
                connection.rc[i]->SetAckedCallback(MakeCallback(&Bench::Acked, this));
            }
        }
        if (!m_verb.datagram)
        {
            FabricNic::Connect(connection.rc[0], connection.rc[1]);
        }
        m_connections.push_back(connection);
    }

    void Post(std::size_t connection, uint32_t end)
    {
        const Connection& c = m_connections[connection];
        if (m_verb.datagram)
        {
            c.ud[end]->Post(c.ud[1 - end]->Describe(), static_cast<uint32_t>(m_bytes), 0);
        }
        else
        {
            c.rc[end]->Post(m_bytes, 0, m_verb.operation);
        }
    }

    void PostPing(uint32_t end)
    {
        if (end == 0)
        {
            m_begin = FabricNow();
        }
        Post(0, end);
    }

    void Delivered(Ptr<RcQueuePair> queuePair,
                   uint64_t /* id */,
                   uint64_t /* bytes */,
                   uint64_t /* tag */)
    {
        if (m_pingPong)
        {
            Pong(queuePair->GetCookie() % 2);
        }
    }

    void Datagram(Ptr<UdQueuePair> queuePair, const WorkCompletion& /* completion */)
    {
        if (m_pingPong)
        {
            Pong(queuePair->GetCookie() % 2);
        }
        else
        {
            Done(queuePair->GetCookie() / 2);
        }
    }

    void Acked(Ptr<RcQueuePair> queuePair,
               uint64_t /* id */,
               uint64_t /* bytes */,
               uint64_t /* tag */)
    {
        if (!m_pingPong)
        {
            Done(queuePair->GetCookie() / 2);
        }
        else if (m_verb.operation == RcOperation::READ)
        {
            Sample(1);
            if (--m_left)
            {
                PostPing(0);
            }
        }
    }

    /** A message has come in at an end: send one back. */
    void Pong(uint32_t end)
    {
        if (end == 0)
        {
            Sample(2);
        }
        if (--m_left)
        {
            PostPing(end);
        }
    }

    void Sample(uint32_t parts)
    {
        if (m_isWarm) // nothing was on the wire before the first message
        {
            m_samples.Add(FabricSeconds(FabricNow() - m_begin) / parts);
        }
        m_isWarm = true;
    }

    /** A message of the bandwidth test is complete: post the next one. */
    void Done(std::size_t connection)
    {
        m_end = FabricNow();
        --m_left;
        if (m_unposted)
        {
            --m_unposted;
            Post(connection, 0);
        }
    }

    Verb m_verb;                           //!< what is measured
    uint64_t m_bytes;                      //!< of a message
    std::vector<Connection> m_connections; //!< all
    bool m_pingPong{false};                //!< latency
    bool m_isWarm{false};                  //!< the first round is over
    uint64_t m_left{0};                    //!< messages that are not complete
    uint64_t m_unposted{0};                //!< messages to be posted
    FabricTick m_begin{0};                 //!< of the round
    FabricTick m_end{0};                   //!< latest completion
    LatencySamples m_samples;              //!< of rounds
};

/** Bytes on the wire of the packets that carry a message's data. */
struct WireBytes
{
    uint64_t all{0};   //!< the whole message
    uint64_t first{0}; //!< its first packet, the longest
};

WireBytes
CountWireBytes(const std::string& fabric, const Verb& verb, uint64_t bytes)
{
    const auto size = [&fabric](uint8_t opcode, uint32_t payload) -> uint64_t {
        return fabric == "ib" ? IbFrameBytes(opcode, payload)
                              : RoceFrameBytes(opcode, payload, false) + ETHERNET_GAP;
    };
    WireBytes wire;
    if (verb.datagram)
    {
        wire.all = wire.first = size(IbOpcode::UD_SEND_ONLY, static_cast<uint32_t>(bytes));
        return wire;
    }
    const uint64_t packets = RcRequester::CountPackets(bytes, MTU);
    const auto opcode = [&](bool first, bool last) -> uint8_t {
        if (verb.operation == RcOperation::READ)
        {
            return first && last ? IbOpcode::RC_READ_RESPONSE_ONLY
                   : first       ? IbOpcode::RC_READ_RESPONSE_FIRST
                   : last        ? IbOpcode::RC_READ_RESPONSE_LAST
                                 : IbOpcode::RC_READ_RESPONSE_MIDDLE;
        }
        return RcRequester::GetOpcode(verb.operation, first, last);
    };
    const uint64_t last = bytes - (packets - 1) * MTU;
    if (packets == 1)
    {
        wire.all = wire.first = size(opcode(true, true), static_cast<uint32_t>(last));
        return wire;
    }
    wire.first = size(opcode(true, false), MTU);
    wire.all = wire.first + (packets - 2) * size(opcode(false, false), MTU) +
               size(opcode(false, true), static_cast<uint32_t>(last));
    return wire;
}

/**
 * @returns seconds that a message takes over an idle fabric: its bytes at the rate of the links,
 * its first packet once more at each switch that stores it, switches, cables and hosts; a READ's
 * request before that
 */
double
ComputeLatency(const std::string& fabric, const Verb& verb, uint64_t bytes, const Options& options)
{
    const Devices devices(fabric);
    const double byte = 8 / (options.gbps * 1e9);
    const double stores = devices.sw.cutThrough ? 0 : options.hops;
    const double path = options.hops * devices.sw.latencyNs * 1e-9 +
                        (options.hops + 1) * options.metres * PICOSECONDS_PER_METRE * 1e-12 +
                        (devices.nic.transmitNs + devices.nic.receiveNs) * 1e-9;
    const WireBytes wire = CountWireBytes(fabric, verb, bytes);
    double seconds = path + static_cast<double>(wire.all) * byte +
                     stores * static_cast<double>(wire.first) * byte;
    if (verb.operation == RcOperation::READ)
    {
        const double request =
            fabric == "ib" ? IbFrameBytes(IbOpcode::RC_READ_REQUEST, 0)
                           : RoceFrameBytes(IbOpcode::RC_READ_REQUEST, 0, false) + ETHERNET_GAP;
        seconds += path + (1 + stores) * request * byte;
    }
    return seconds;
}

/** Measure one verb with one size. */
void
AddLine(ProgramReport& report,
        const std::string& fabric,
        const Verb& verb,
        uint64_t bytes,
        const Options& options)
{
    const double most = std::max(8.0, options.megabytes * 1e6 / std::max<double>(1, bytes));
    const auto count = static_cast<uint32_t>(std::min<double>(options.iterations, most));
    LatencySamples samples;
    {
        Options one = options;
        one.qps.Set(1);
        Bench bench(fabric, verb, bytes, one);
        samples = bench.MeasureLatency(count);
    }
    Simulator::Destroy();
    double seconds;
    {
        Bench bench(fabric, verb, bytes, options);
        seconds = bench.MeasureBandwidth(count, options.depth);
    }
    Simulator::Destroy();
    const double share =
        static_cast<double>(bytes) / static_cast<double>(CountWireBytes(fabric, verb, bytes).all);
    report.AddRow({fabric,
                   verb.name,
                   static_cast<double>(bytes),
                   static_cast<double>(count),
                   static_cast<double>(bytes) * count * 8 / seconds,
                   options.gbps * 1e9 * share,
                   count / seconds,
                   samples.GetQuantile(0),
                   samples.GetQuantile(0.5),
                   samples.GetQuantile(0.99),
                   samples.GetQuantile(0.999),
                   ComputeLatency(fabric, verb, bytes, options)});
}

int
Run(int argc, char* argv[])
{
    Options options;
    ProgramReport report("ib-perftest",
                         "Bandwidth, message rate and latency of RDMA verbs between two hosts, as "
                         "the perftest programs show them.");
    report.AddOption("verb", "write, write-imm, send, read, ud, a list, or all", options.verb);
    report.AddOption("fabric", "ib, roce or both", options.fabric);
    report.AddOption("hops", "Switches between the hosts", options.hops);
    report.AddOption("qps", "Connections of the bandwidth test", options.qps);
    report.AddOption("depth", "Messages of a connection under way at a time", options.depth);
    report.AddOption("iterations", "Messages of each line", options.iterations);
    report.AddOption("megabytes", "Most of each line: fewer of large messages", options.megabytes);
    report.AddOption("sizes", "Bytes of a message, a list: 0..2^30", options.sizes);
    report.AddOption("gbps", "Rate of all links in Gb/s", options.gbps);
    report.AddOption("metres", "Length of each cable in metres", options.metres);
    report.Parse(argc, argv);
    const std::vector<std::string> fabrics = ParseFabrics(options.fabric);
    const std::vector<Verb> verbs = ParseVerbs(options.verb);
    const std::vector<uint64_t> sizes = SplitNumbers<uint64_t>("sizes", options.sizes, 0, 1 << 30);
    report.Begin({{"fabric", "fabric"},
                  {"verb", "verb"},
                  {"messageBytes", "bytes"},
                  {"iterations", "iterations"},
                  {"bandwidthBps", "BW Gb/s", 1e-9, 3},
                  {"wireLimitBps", "limit Gb/s", 1e-9, 3},
                  {"messageRate", "Mmsg/s", 1e-6, 4},
                  {"minSeconds", "t_min us", 1e6, 3},
                  {"typicalSeconds", "t_typical us", 1e6, 3},
                  {"p99Seconds", "p99 us", 1e6, 3},
                  {"p999Seconds", "p99.9 us", 1e6, 3},
                  {"computedSeconds", "computed us", 1e6, 3}});
    for (const std::string& fabric : fabrics)
    {
        for (const Verb& verb : verbs)
        {
            for (const uint64_t bytes : sizes)
            {
                if (verb.datagram && bytes > MTU)
                {
                    continue; // a datagram is one packet
                }
                report.ShowProgress(fabric + ", " + verb.name + ", " + std::to_string(bytes) +
                                    " bytes");
                AddLine(report, fabric, verb, bytes, options);
            }
        }
        const Devices devices(fabric);
        report.AddNote(
            fabric + ": " + devices.sw.name + " " + std::to_string(devices.sw.latencyNs) + " ns (" +
            ToString(devices.sw.evidence) + "), NICs " + std::to_string(devices.nic.transmitNs) +
            " + " + std::to_string(devices.nic.receiveNs) + " ns (" +
            ToString(devices.nic.evidence) + ")");
    }
    report.AddNote("BW runs from the first posting to the last completion, so that few messages "
                   "show the latency. limit: data's share of the wire.");
    report.AddNote("Latency is half of a round trip, for READ all of it; computed: the sum of its "
                   "parts on an idle fabric. No host bus.");
    report.AddCurve({"bandwidth",
                     "Bandwidth",
                     "messageBytes",
                     "bandwidthBps",
                     {"fabric", "verb"},
                     true,
                     false});
    report.AddCurve(
        {"latency", "Latency", "messageBytes", "typicalSeconds", {"fabric", "verb"}, true, true});
    report.Finish(std::cout);
    return 0;
}

} // namespace

int
main(int argc, char* argv[])
{
    return ProgramReport::Main("ib-perftest", Run, argc, argv);
}
