/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Many to one on RoCE under several congestion controls: what becomes of the queue, of the long
// flows that make it, and of short messages that have to pass it?
//
//     sender 0 ... sender N-1   short sender
//          \         |         /
//                  switch --- receiver
//
// Every control runs with the same fabric; the whole configuration is in summary.json.

#include "ns3/ai-fabric-module.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <cmath>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/** What the command line says. */
struct Options
{
    std::string control{"none,dcqcn,dctcp,timely,swift,hpcc"};
    std::string rate{"100Gbps"};
    BoundedOption<uint32_t> senders{"senders", 8, 1, 1024};
    BoundedOption<double> delayUs{"delayUs", 1, 0, 1e4};
    BoundedOption<uint32_t> ackInterval{"ackInterval", 0, 0, 1024};
    BoundedOption<uint64_t> kminBytes{"kminBytes", 0, 0, uint64_t{1} << 40};
    BoundedOption<uint64_t> kmaxBytes{"kmaxBytes", 0, 0, uint64_t{1} << 40};
    BoundedOption<uint64_t> shortBytes{"shortBytes", 16384, 0, uint64_t{1} << 30};
    BoundedOption<double> shortUs{"shortUs", 50, 1, 1e6};
    BoundedOption<double> warmUpUs{"warmUpUs", 0, 0, 1e7};
    BoundedOption<double> windowUs{"windowUs", 5000, 1, 1e7};
    BoundedOption<double> sampleUs{"sampleUs", 2, 0.01, 1e6};
    BoundedOption<double> baseRttUs{"baseRttUs", 0, 0, 1e5};
    BoundedOption<double> staticShare{"staticShare", 0.9, 0.001, 1};
    bool lossy{false};

    /** @param report takes all of them as options */
    void AddTo(ProgramReport& report);
    /** @returns rate of all links; std::invalid_argument if the text is not one */
    DataRate GetRate() const;
    /**
     * @param name of a control
     * @returns the scenario; std::invalid_argument if there is no such control
     */
    IncastScenario::Parameters GetParameters(const std::string& name) const;
};

void
Options::AddTo(ProgramReport& report)
{
    report.AddOption("control", "Congestion controls by name, a list", control);
    report.AddOption("rate", "Rate of all links", rate);
    report.AddOption("senders", "Of long flows", senders);
    report.AddOption("delayUs", "Of each cable in us", delayUs);
    report.AddOption("ackInterval",
                     "Packets from one acknowledgment to the next; 0: 16 for timely, else 1",
                     ackInterval);
    report.AddOption("kminBytes", "Marking begins; 0 with kmaxBytes 0: by the rate", kminBytes);
    report.AddOption("kmaxBytes", "Marking of all; 0: by the rate", kmaxBytes);
    report.AddOption("shortBytes", "Of a short message; 0: none", shortBytes);
    report.AddOption("shortUs", "From one short message to the next in us", shortUs);
    report.AddOption("warmUpUs", "Time before measuring in us; 0: the start counts", warmUpUs);
    report.AddOption("windowUs", "Time of measuring in us", windowUs);
    report.AddOption("sampleUs", "Time between two samples in us", sampleUs);
    report.AddOption("baseRttUs", "Of hpcc and dctcp in us; 0: that of these cables", baseRttUs);
    report.AddOption("staticShare", "Of static: all flows together, of the rate", staticShare);
    report.AddOption("lossy", "No PFC", lossy);
}

DataRate
Options::GetRate() const
{
    DataRate value;
    std::istringstream stream(rate);
    stream >> value;
    if (stream.fail() || !stream.eof() || value < DataRate("1Gbps") ||
        value > DataRate("10000Gbps"))
    {
        throw std::invalid_argument("--rate=" + rate +
                                    ", expected a rate 1Gbps..10000Gbps, such as 100Gbps");
    }
    return value;
}

/** @returns so many microseconds */
Time
FromMicroseconds(double microseconds)
{
    return NanoSeconds(std::llround(microseconds * 1e3));
}

IncastScenario::Parameters
Options::GetParameters(const std::string& name) const
{
    IncastScenario::Parameters parameters;
    parameters.control = RateControlPresets::Get(name);
    parameters.rate = GetRate();
    if (name == "hpcc" || name == "dctcp")
    {
        // Four cables, a switch and a NIC of 600 ns each way with a margin, and a packet on two
        // links. Too short a base RTT makes a window that the link waits for.
        const double packetUs = 2 * 4300 * 8e6 / static_cast<double>(GetRate().GetBitRate());
        const double base = baseRttUs > 0 ? baseRttUs.Get() : 4 * delayUs + 2.5 + packetUs;
        parameters.control->Set("BaseRtt", TimeValue(FromMicroseconds(base)));
    }
    if (name == "static")
    {
        const double share = staticShare / senders;
        parameters.control->Set("Rate",
                                DataRateValue(DataRate(static_cast<uint64_t>(
                                    share * static_cast<double>(GetRate().GetBitRate())))));
    }
    parameters.senders = senders;
    parameters.delay = FromMicroseconds(delayUs);
    parameters.lossless = !lossy;
    parameters.ecnKmin = kminBytes;
    parameters.ecnKmax = kmaxBytes;
    // TIMELY counts segments of 16 to 64 KB.
    parameters.ackInterval = ackInterval > 0 ? ackInterval.Get() : name == "timely" ? 16 : 1;
    parameters.shortBytes = shortBytes;
    parameters.shortInterval = FromMicroseconds(shortUs);
    parameters.warmUp = FromMicroseconds(warmUpUs);
    parameters.window = FromMicroseconds(windowUs);
    parameters.period = FromMicroseconds(sampleUs);
    return parameters;
}

/** @returns the curve of one quantity over time */
ProgramReport::Curve
MakeCurve(const std::string& name, const std::string& title)
{
    ProgramReport::Curve curve;
    curve.name = name;
    curve.title = title;
    curve.x = "seconds";
    curve.y = name;
    curve.series = {"control"};
    return curve;
}

int
Compare(int argc, char* argv[])
{
    Options options;
    ProgramReport report("roce-congestion",
                         "Many to one on RoCE under several congestion controls.");
    options.AddTo(report);
    report.Parse(argc, argv);
    if (options.kmaxBytes && !options.kminBytes)
    {
        throw std::invalid_argument(
            "--kminBytes=0, expected more with --kmaxBytes, since 0 means by "
            "the rate");
    }
    if (options.kminBytes > options.kmaxBytes)
    {
        throw std::invalid_argument("--kminBytes=" + std::to_string(options.kminBytes) +
                                    ", expected at most the " + std::to_string(options.kmaxBytes) +
                                    " of kmaxBytes");
    }
    const std::vector<std::string> names = SplitOption("control", options.control);
    for (const std::string& name : names)
    {
        options.GetParameters(name); // all of them are known before the first runs
    }
    report.Begin({{"fabric", "fabric"},
                  {"control", "control"},
                  {"senders", "senders"},
                  {"goodputBps", "goodput Gb/s", 1e-9, 2},
                  {"jain", "Jain", 1, 4},
                  {"queueMeanBytes", "queue mean kB", 1e-3, 1},
                  {"queueP99Bytes", "p99 kB", 1e-3, 1},
                  {"queueMaxBytes", "max kB", 1e-3, 1},
                  {"shortP50Seconds", "short p50 us", 1e6, 1},
                  {"shortP99Seconds", "p99 us", 1e6, 1},
                  {"pauses", "pauses"},
                  {"drops", "drops"},
                  {"retransmits", "retransmits"}});
    ProgramReport& series = report.AddSeries("curves",
                                             {{"control", "control"},
                                              {"seconds", "time in us", 1e6, 0},
                                              {"queueBytes", "queue in kB", 1e-3, 1},
                                              {"goodputBps", "goodput in Gb/s", 1e-9, 1}});
    for (const std::string& name : names)
    {
        report.ShowProgress(name);
        IncastScenario::Result result;
        {
            IncastScenario scenario(options.GetParameters(name));
            result = scenario.Run();
        }
        Simulator::Destroy();
        report.AddRow({"roce",
                       name,
                       static_cast<double>(options.senders),
                       result.GetTotal(),
                       result.GetJain(),
                       result.queue.GetMean(),
                       result.queue.GetQuantile(0.99),
                       result.queue.GetQuantile(1),
                       result.shortTimes.GetQuantile(0.5),
                       result.shortTimes.GetQuantile(0.99),
                       static_cast<double>(result.pauses),
                       static_cast<double>(result.drops),
                       static_cast<double>(result.retransmits)});
        for (const IncastScenario::Sample& sample : result.samples)
        {
            series.AddRow(
                {name, sample.at.GetSeconds(), static_cast<double>(sample.queue), sample.goodput});
        }
    }
    series.AddCurve(MakeCurve("queueBytes", "Queue before the receiver"));
    series.AddCurve(MakeCurve("goodputBps", "Goodput of the long flows"));
    report.Finish(std::cout);
    return 0;
}

} // namespace

int
main(int argc, char* argv[])
{
    return ProgramReport::Main("roce-congestion", &Compare, argc, argv);
}
