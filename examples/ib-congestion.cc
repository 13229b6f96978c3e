/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Two hot spots on InfiniBand, without and with congestion control: what do they take from flows
// that only share links with them?
//
//     hot 0   contributors, victims    hot 1   contributors, victims    contributors, victims
//        \      |      |                  \      |      |                 |      |
//             leaf 0                           leaf 1            ...     leaf L
//                \________________    ___________/  ____________________/ /
//                                 \  /             /   ___________________/
//                               spine 0        spine 1
//
// Without congestion control the spines' buffers are full of packets for the hot spots, and victims
// crawl (tree saturation). With it, switches mark, and contributors slow down.

#include "ns3/ai-fabric-module.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

using Role = HotSpotScenario::Role;

/** A whole number that replaces one of the set, unless it is -1. */
using Override = BoundedOption<int64_t>;

/** What the command line says. */
struct Options
{
    std::string set{"hot-spot-400g"};
    std::string rate{"400Gbps"};
    BoundedOption<uint32_t> leaves{"leaves", 4, 3, 64};
    BoundedOption<uint32_t> contributors{"contributors", 1, 1, 64};
    BoundedOption<uint32_t> bufferBytes{"bufferBytes", 65536, 8192, 1 << 24};
    BoundedOption<double> warmUpUs{"warmUpUs", 2000, 0, 1e6};
    BoundedOption<double> windowUs{"windowUs", 2000, 1, 1e6};
    BoundedOption<double> sampleUs{"sampleUs", 50, 1, 1e6};
    Override threshold{"threshold", -1, -1, 15};
    Override thresholdBytes{"thresholdBytes", -1, -1, 1 << 30};
    Override markingRate{"markingRate", -1, -1, 65535};
    Override packetSize{"packetSize", -1, -1, 255};
    Override cctiIncrease{"cctiIncrease", -1, -1, 255};
    Override cctiLimit{"cctiLimit", -1, -1, 65535};
    Override cctiMin{"cctiMin", -1, -1, 255};
    Override cctiTimer{"cctiTimer", -1, -1, 65535};
    Override tableMultiplier{"tableMultiplier", -1, -1, 16383};
    Override tableShift{"tableShift", -1, -1, 3};
    BoundedOption<double> tableGrowth{"tableGrowth", -1, -1, 16384};
    bool perServiceLevel{false};
    bool victimHosts{false};

    /** @param report takes all of them as options */
    void AddTo(ProgramReport& report);
    /** @returns rate of all links; std::invalid_argument if the text is not one */
    DataRate GetRate() const;
    /** @returns the set with what the user wants otherwise */
    IbCongestionParameters GetParameters() const;
};

void
Options::AddTo(ProgramReport& report)
{
    report.AddOption("set", "Parameters of congestion control, by name", set);
    report.AddOption("rate", "Rate of all links", rate);
    report.AddOption("leaves", "Number of leaves", leaves);
    report.AddOption("contributors", "On each leaf to each hot spot", contributors);
    report.AddOption("bufferBytes", "Receive buffer of a lane in bytes", bufferBytes);
    report.AddOption("warmUpUs", "Time before measuring, with it on, in us", warmUpUs);
    report.AddOption("windowUs", "Time of measuring in us", windowUs);
    report.AddOption("sampleUs", "Time between two points of the curve in us", sampleUs);
    report.AddOption("threshold", "Of switches, 0..15; -1: as the set", threshold);
    report.AddOption("thresholdBytes", "In its place, bytes; -1: as the set", thresholdBytes);
    report.AddOption("markingRate", "Mean packets between marks; -1: as the set", markingRate);
    report.AddOption("packetSize", "Smallest packet marked, 64 bytes; -1: as the set", packetSize);
    report.AddOption("cctiIncrease", "For each BECN; -1: as the set", cctiIncrease);
    report.AddOption("cctiLimit", "Last index of the table; -1: as the set", cctiLimit);
    report.AddOption("cctiMin", "Index at rest; -1: as the set", cctiMin);
    report.AddOption("cctiTimer", "In 1.024 us; -1: as the set", cctiTimer);
    report.AddOption("tableMultiplier", "Of the linear table; -1: as the set", tableMultiplier);
    report.AddOption("tableShift", "Of the linear table; -1: as the set", tableShift);
    report.AddOption("tableGrowth",
                     "Of the geometric table; 0: linear; -1: as the set",
                     tableGrowth);
    report.AddOption("perServiceLevel", "One index for all queue pairs of a NIC", perServiceLevel);
    report.AddOption("victimHosts", "Ports towards hosts mark without credits", victimHosts);
}

DataRate
Options::GetRate() const
{
    DataRate value;
    std::istringstream stream(rate);
    stream >> value;
    if (stream.fail() || !stream.eof() || value < DataRate("1Gbps") ||
        value > DataRate("100000Gbps"))
    {
        throw std::invalid_argument("--rate=" + rate +
                                    ", expected a rate 1Gbps..100000Gbps, such as 400Gbps");
    }
    return value;
}

/**
 * @param option what the user wants
 * @param value replaced by it, unless it is -1
 */
template <typename T, typename U>
void
Replace(const BoundedOption<T>& option, U& value)
{
    if (option.Get() >= 0)
    {
        value = static_cast<U>(option.Get());
    }
}

IbCongestionParameters
Options::GetParameters() const
{
    IbCongestionParameters parameters = IbCongestionParameters::Get(set);
    Replace(threshold, parameters.threshold);
    Replace(thresholdBytes, parameters.thresholdBytes);
    Replace(markingRate, parameters.markingRate);
    Replace(packetSize, parameters.packetSize);
    Replace(cctiIncrease, parameters.increase);
    Replace(cctiLimit, parameters.limit);
    Replace(cctiMin, parameters.min);
    Replace(cctiTimer, parameters.timer);
    Replace(tableMultiplier, parameters.tableMultiplier);
    Replace(tableShift, parameters.tableShift);
    Replace(tableGrowth, parameters.tableGrowth);
    parameters.perServiceLevel = perServiceLevel;
    parameters.victimHosts = victimHosts;
    return parameters;
}

/** @returns so many microseconds */
Time
FromMicroseconds(double microseconds)
{
    return PicoSeconds(std::llround(microseconds * 1e6));
}

/**
 * @param options what the command line says
 * @param parameters of congestion control
 * @returns what the flows got
 */
HotSpotScenario::Result
Run(const Options& options, const IbCongestionParameters& parameters)
{
    HotSpotScenario::Result result;
    {
        IbHelper fabric;
        fabric.SetDeviceAttribute("DataRate", DataRateValue(options.GetRate()));
        fabric.SetFlowControlAttribute("BufferBytes", UintegerValue(options.bufferBytes));
        fabric.SetCongestionControl(parameters);
        HotSpotScenario scenario(fabric, options.leaves, options.contributors, 4096);
        const FabricTopology& topology = scenario.GetTopology();
        fabric.AssignStreams(NodeContainer(topology.hosts, topology.switches), 0);
        result = scenario.Run(FromMicroseconds(options.warmUpUs),
                              FromMicroseconds(options.windowUs),
                              FromMicroseconds(options.sampleUs));
    }
    Simulator::Destroy();
    return result;
}

/** @returns a percentage */
std::string
ToPercent(double share)
{
    return std::to_string(std::lround(share * 100)) + " %";
}

int
Compare(int argc, char* argv[])
{
    Options options;
    ProgramReport report("ib-congestion",
                         "Hot spots on InfiniBand with and without congestion control.");
    options.AddTo(report);
    report.Parse(argc, argv);
    const IbCongestionParameters wanted = options.GetParameters();
    options.GetRate();
    report.Begin({{"congestionControl", "congestion control"},
                  {"fabric", "fabric"},
                  {"role", "role"},
                  {"flow", "flow"},
                  {"fairShareBps", "fair Gb/s", 1e-9, 1},
                  {"throughputBps", "got Gb/s", 1e-9, 1},
                  {"share", "share %", 100, 1}});
    ProgramReport& series = report.AddSeries("throughput",
                                             {{"congestionControl", "congestion control"},
                                              {"role", "role"},
                                              {"seconds", "time in us", 1e6, 0},
                                              {"throughputBps", "payload in Gb/s", 1e-9, 1}});
    for (const bool on : {false, true})
    {
        const std::string name = on ? options.set : "off";
        report.ShowProgress(name);
        const auto result = Run(options, on ? wanted : IbCongestionParameters());
        for (const HotSpotScenario::Flow& flow : result.flows)
        {
            report.AddRow({name,
                           "ib",
                           flow.role == Role::VICTIM ? "victim" : "contributor",
                           std::to_string(flow.from) + " to " + std::to_string(flow.to),
                           flow.fairShare,
                           flow.rate,
                           flow.rate / flow.fairShare});
        }
        for (const HotSpotScenario::Sample& sample : result.samples)
        {
            const double seconds = sample.end.GetSeconds();
            series.AddRow({name, "contributors", seconds, sample.contributors});
            series.AddRow({name, "victims", seconds, sample.victims});
        }
        report.AddNote(name + ": victims have " + ToPercent(result.GetMeanShare(Role::VICTIM)) +
                       " of their fair share, the worst of them " +
                       ToPercent(result.GetSmallestShare(Role::VICTIM)) +
                       "; links to the hot spots are used to " + ToPercent(result.utilization[0]) +
                       " and " + ToPercent(result.utilization[1]) + "; " +
                       std::to_string(result.notifications) + " BECNs, " +
                       std::to_string(result.drops) + " drops");
    }
    ProgramReport::Curve curve;
    curve.name = "throughput";
    curve.title = "Two hot spots and their victims";
    curve.x = "seconds";
    curve.y = "throughputBps";
    curve.series = {"role", "congestionControl"};
    series.AddCurve(curve);
    report.Finish(std::cout);
    return 0;
}

} // namespace

int
main(int argc, char* argv[])
{
    return ProgramReport::Main("ib-congestion", &Compare, argc, argv);
}
