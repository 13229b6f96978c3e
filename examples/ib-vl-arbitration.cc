/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// How do virtual lanes share an InfiniBand link?
//
//     host 0 --SL a--> |        |
//     host 1 --SL b--> | switch | ==VL arbitration==> receiver
//     ...              |        |
//
// Every lane is backlogged with RDMA WRITEs of a service level of its own. The table has the share
// of the link that each lane has got and the one that the arbitration tables give it; the curve
// shows it over time. Tables come from the command line, or from an OpenSM configuration.

#include "ns3/ai-fabric-module.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <array>
#include <cmath>
#include <iostream>
#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

using Shares = std::array<double, FabricPort::CLASSES>;

/** What the command line says. */
struct Options
{
    std::string rate{"4xEDR"};
    std::string high;
    std::string low{"0:16,1:32,2:64,3:128"};
    BoundedOption<uint32_t> highLimit{"highLimit", 0, 0, 255};
    std::string qosFile;
    bool singleHost{false};
    BoundedOption<uint32_t> mtu{"mtu", 1024, 256, 4096};
    BoundedOption<uint32_t> bufferBytes{"bufferBytes", 131072, 8192, 1 << 24};
    BoundedOption<double> warmUpUs{"warmUpUs", 200, 0, 1e6};
    BoundedOption<double> windowUs{"windowUs", 2000, 1, 1e6};
    BoundedOption<double> sampleUs{"sampleUs", 50, 1, 1e6};

    /** @returns the tables; std::invalid_argument if they are wrong */
    OpenSmQos GetQos() const;
};

OpenSmQos
Options::GetQos() const
{
    if (!qosFile.empty())
    {
        return OpenSmQosReader::ReadFile(qosFile);
    }
    const auto parse =
        [](const std::string& option, const std::string& key, const std::string& is) {
            std::istringstream text(is.empty() ? "" : key + " " + is);
            return OpenSmQosReader::Read(text, option).hosts.arbitration;
        };
    OpenSmQos qos;
    IbVlArbitration arbitration;
    arbitration.low = low.empty() ? arbitration.low : parse("--low", "qos_vlarb_low", low).low;
    arbitration.high =
        high.empty() ? arbitration.high : parse("--high", "qos_vlarb_high", high).high;
    arbitration.highLimit = static_cast<uint8_t>(highLimit.Get());
    // A service level for each lane that has weight, of the same number.
    IbPortQos port;
    port.arbitration = arbitration;
    port.slToVl.fill(IbSlToVl::DROP);
    for (const auto& table : {arbitration.high, arbitration.low})
    {
        for (const auto& entry : table)
        {
            port.slToVl[entry.vl] = entry.weight ? entry.vl : port.slToVl[entry.vl];
        }
    }
    qos.hosts = qos.switchPorts = port;
    return qos;
}

/** @returns a level for each lane, by lane, of those that hosts and switches let pass */
std::map<uint8_t, uint8_t>
FindLevels(const OpenSmQos& qos, bool atHost)
{
    std::map<uint8_t, uint8_t> levels;
    const auto served = [](const IbPortQos& port) {
        return IbVlArbiter(port.arbitration, IbOperationalVls(port.maxVls)).GetServedClasses();
    };
    const uint32_t ofHosts = served(qos.hosts);
    const uint32_t ofSwitch = served(qos.switchPorts);
    for (uint8_t sl = 0; sl < 16; ++sl)
    {
        const uint8_t first = qos.hosts.slToVl[sl];
        const uint8_t second = qos.switchPorts.slToVl[sl];
        if (first != IbSlToVl::DROP && second != IbSlToVl::DROP && (ofHosts >> first & 1) &&
            (ofSwitch >> second & 1))
        {
            levels.emplace(atHost ? first : second, sl);
        }
    }
    if (levels.empty())
    {
        throw std::invalid_argument("no service level has a virtual lane, expected one at least");
    }
    return levels;
}

/** @returns shares when all lanes are backlogged with packets of a size, in a whole round */
Shares
Expect(const IbPortQos& qos, const std::map<uint8_t, uint8_t>& levels, uint32_t frameBytes)
{
    IbVlArbiter arbiter(qos.arbitration, IbOperationalVls(qos.maxVls));
    uint32_t backlogged = 0;
    for (const auto& lane : levels)
    {
        backlogged |= 1U << lane.first;
    }
    Shares shares{};
    constexpr uint32_t PACKETS = 1000000; // many rounds: a round has 64 x 64 packets at most
    for (uint32_t i = 0; i < PACKETS; ++i)
    {
        shares[arbiter.Choose(backlogged)] += 1.0 / PACKETS;
        arbiter.Sent(frameBytes);
    }
    return shares;
}

/** @returns words that the lanes have sent */
Shares
ReadLanes(const IbNetDevice& device)
{
    const IbPortCounters counters = IbPortCounters::Read(device);
    Shares words{};
    for (std::size_t lane = 0; lane < words.size(); ++lane)
    {
        words[lane] = static_cast<double>(counters.portVlXmitData[lane]);
    }
    return words;
}

Time
FromMicroseconds(double microseconds)
{
    return PicoSeconds(std::llround(microseconds * 1e6));
}

/** @returns the weights of a lane in a table, as they are written */
std::string
Weights(const std::vector<IbVlArbitration::Entry>& table, uint8_t lane)
{
    std::string text;
    for (const auto& entry : table)
    {
        if (entry.vl == lane)
        {
            text += (text.empty() ? "" : "+") + std::to_string(entry.weight);
        }
    }
    return text.empty() ? "-" : text;
}

int
Run(int argc, char* argv[])
{
    Options options;
    ProgramReport report("ib-vl-arbitration",
                         "Backlog virtual lanes of an InfiniBand link, and compare their shares "
                         "with the VL arbitration tables.");
    report.AddOption("rate", "Link speed, such as 4xNDR", options.rate);
    report.AddOption("high", "High-priority table, VL:WEIGHT in 64 bytes, ...", options.high);
    report.AddOption("low", "Low-priority table", options.low);
    report.AddOption("highLimit", "Limit of high priority in 4096 bytes", options.highLimit);
    report.AddOption("qosFile", "OpenSM configuration, in place of the tables", options.qosFile);
    report.AddOption("singleHost", "All lanes at one NIC, not one host each", options.singleHost);
    report.AddOption("mtu", "Payload of a packet in bytes", options.mtu);
    report.AddOption("bufferBytes", "Receive buffer of a lane in bytes", options.bufferBytes);
    report.AddOption("warmUpUs", "Time before measuring in us", options.warmUpUs);
    report.AddOption("windowUs", "Time of measuring in us", options.windowUs);
    report.AddOption("sampleUs", "Time between two points of the curve in us", options.sampleUs);
    report.Parse(argc, argv);
    if (options.mtu & (options.mtu - 1))
    {
        throw std::invalid_argument("--mtu=" + std::to_string(options.mtu) +
                                    ", expected 256, 512, 1024, 2048 or 4096 bytes");
    }
    const IbLinkSpeed speed = IbLinkSpeed::Parse(options.rate, "--rate");
    const OpenSmQos qos = options.GetQos();
    const IbPortQos& tables = options.singleHost ? qos.hosts : qos.switchPorts;
    const std::map<uint8_t, uint8_t> levels = FindLevels(qos, options.singleHost);

    IbHelper helper;
    helper.SetLinkSpeed(options.rate);
    helper.SetDeviceAttribute("IbMtu", UintegerValue(options.mtu));
    helper.SetFlowControlAttribute("BufferBytes", UintegerValue(options.bufferBytes));
    helper.SetQos(qos);
    NodeContainer nodes(static_cast<uint32_t>(levels.size()) + 1);
    NodeContainer center(1);
    const Ptr<FabricSwitch> sw = helper.InstallSwitch(center.Get(0));
    const NetDeviceContainer devices = helper.Install(nodes, center.Get(0));
    helper.Configure(center);
    const uint32_t receiver = nodes.GetN() - 1;
    const Ptr<NetDevice> ofSwitch = sw->GetPort(receiver);
    const Ptr<NetDevice> sending = options.singleHost ? devices.Get(0) : ofSwitch;
    const auto contended = DynamicCast<IbNetDevice>(sending);
    const Shares expected =
        Expect(tables, levels, IbFrameBytes(IbOpcode::RC_WRITE_MIDDLE, options.mtu));

    report.Begin({{"vl", "VL"},
                  {"sl", "SL"},
                  {"high", "high"},
                  {"low", "low"},
                  {"expectedShare", "expected %", 100, 2},
                  {"share", "measured %", 100, 2},
                  {"relativeError", "error %", 100, 3},
                  {"dataBps", "Gb/s", 1e-9, 2}});
    ProgramReport& series = report.AddSeries(
        "share",
        {{"vl", "VL"}, {"seconds", "time in us", 1e6, 0}, {"share", "share in %", 100, 1}});
    const double total = (options.warmUpUs.Get() + options.windowUs.Get()) * 1e-6;
    const double bytes = 2 * total * static_cast<double>(speed.GetDataRate().GetBitRate()) / 8;
    std::vector<Ptr<RdmaTransport>> transports;
    for (const auto& lane : levels)
    {
        const Ptr<RdmaTransport> transport = RdmaHelper::CreateTransport(nodes);
        transport->SetServiceLevel(lane.second);
        const auto from = static_cast<uint32_t>(options.singleHost ? 0 : transports.size());
        transport->Send(from, receiver, static_cast<uint64_t>(bytes) + 1, 0);
        transports.push_back(transport);
    }
    const auto advance = [](Time by) {
        Simulator::Stop(by);
        Simulator::Run();
    };
    advance(FromMicroseconds(options.warmUpUs));
    const Shares begin = ReadLanes(*contended);
    Shares last = begin;
    double elapsed = 0;
    while (elapsed < options.windowUs)
    {
        report.ShowProgress(std::to_string(std::lround(elapsed)) + " us");
        const double step = std::min<double>(options.sampleUs, options.windowUs - elapsed);
        advance(FromMicroseconds(step));
        elapsed += step;
        const Shares now = ReadLanes(*contended);
        double sum = 0;
        for (std::size_t lane = 0; lane < now.size(); ++lane)
        {
            sum += now[lane] - last[lane];
        }
        for (const auto& lane : levels)
        {
            series.AddRow({std::to_string(lane.first),
                           (options.warmUpUs + elapsed) * 1e-6,
                           sum > 0 ? (now[lane.first] - last[lane.first]) / sum : 0});
        }
        last = now;
    }
    double sum = 0;
    for (std::size_t lane = 0; lane < last.size(); ++lane)
    {
        sum += last[lane] - begin[lane];
    }
    for (const auto& lane : levels)
    {
        const double words = last[lane.first] - begin[lane.first];
        const double share = sum > 0 ? words / sum : 0;
        const double right = expected[lane.first];
        report.AddRow({std::to_string(lane.first),
                       std::to_string(lane.second),
                       Weights(tables.arbitration.high, lane.first),
                       Weights(tables.arbitration.low, lane.first),
                       right,
                       share,
                       right > 0 ? share / right - 1 : std::numeric_limits<double>::quiet_NaN(),
                       words * 32 / (options.windowUs * 1e-6)});
    }
    report.AddNote("limit of high priority: " + std::to_string(tables.arbitration.highLimit) +
                   "; expected: all lanes backlogged, in whole rounds of the tables.");
    report.AddNote("with headers, the lanes have used the link to " +
                   std::to_string(std::lround(sum * 32 / (options.windowUs * 1e-6) * 100 /
                                              speed.GetDataRate().GetBitRate())) +
                   " %.");
    series.AddCurve({"share", "Shares of virtual lanes", "seconds", "share", {"vl"}, false, false});
    for (const auto& transport : transports)
    {
        transport->Dispose();
    }
    Simulator::Destroy();
    report.Finish(std::cout);
    return 0;
}

} // namespace

int
main(int argc, char* argv[])
{
    return ProgramReport::Main("ib-vl-arbitration", &Run, argc, argv);
}
