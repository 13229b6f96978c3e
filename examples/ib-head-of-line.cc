/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Head-of-line blocking on InfiniBand, and its cure.
//
//     blocked --> |   |                  |   | --> hot receiver  <-- others, at the second switch
//                 | 1 | ==one cable====> | 2 |
//     victim ---> |   |                  |   | --> idle receiver
//
// The blocked flow waits for its turn at the hot receiver, and its packets fill the input buffer of
// the second switch. On the same virtual lane, the victim takes turns with it for the same
// credits; on its own lane, it has the line rate. The cable carries twice that.

#include "ns3/ai-fabric-module.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/** What the command line says. */
struct Options
{
    BoundedOption<double> rateGbps{"rateGbps", 100, 1, 100000};
    BoundedOption<uint32_t> others{"others", 3, 1, 64};
    BoundedOption<uint32_t> bufferBytes{"bufferBytes", 65536, 8192, 1 << 24};
    BoundedOption<double> warmUpUs{"warmUpUs", 200, 0, 1e6};
    BoundedOption<double> windowUs{"windowUs", 1000, 1, 1e6};
    BoundedOption<double> sampleUs{"sampleUs", 20, 1, 1e6};
};

constexpr uint32_t BLOCKED = 0;
constexpr uint32_t VICTIM = 1;
constexpr uint32_t HOT = 2;
constexpr uint32_t IDLE = 3;
constexpr uint32_t OTHERS = 4; //!< the first of them

Time
FromMicroseconds(double microseconds)
{
    return PicoSeconds(std::llround(microseconds * 1e6));
}

/** @returns 4-octet words that a host has sent */
double
ReadWords(const Ptr<NetDevice>& device)
{
    return static_cast<double>(
        IbPortCounters::Read(*DynamicCast<IbNetDevice>(device)).portXmitData);
}

/** Run once and add the rows. */
void
Measure(ProgramReport& report, ProgramReport& series, const Options& options, bool ownLane)
{
    const auto rate = static_cast<uint64_t>(options.rateGbps * 1e9);
    IbPortQos qos;
    qos.maxVls = 2;
    qos.arbitration.low = {{0, 64}, {1, 64}};
    qos.slToVl.fill(0);
    qos.slToVl[1] = ownLane ? 1 : 0;
    IbHelper helper;
    helper.SetFlowControlAttribute("BufferBytes", UintegerValue(options.bufferBytes));
    helper.SetDeviceAttribute("DataRate", DataRateValue(DataRate(rate)));
    helper.SetQos(qos);
    NodeContainer switches(2);
    NodeContainer hosts(OTHERS + options.others);
    helper.InstallSwitch(switches.Get(0));
    helper.InstallSwitch(switches.Get(1));
    NetDeviceContainer devices;
    for (uint32_t i = 0; i < hosts.GetN(); ++i)
    {
        devices.Add(helper.Install(hosts.Get(i), switches.Get(i < HOT ? 0 : 1)).Get(0));
    }
    helper.SetDeviceAttribute("DataRate", DataRateValue(DataRate(2 * rate)));
    helper.Install(switches.Get(0), switches.Get(1));
    helper.Configure(switches);

    const double total = (options.warmUpUs.Get() + options.windowUs.Get()) * 1e-6;
    const auto bytes = static_cast<uint64_t>(2 * total * static_cast<double>(rate) / 8) + 1;
    const Ptr<RdmaTransport> onZero = RdmaHelper::CreateTransport(hosts);
    const Ptr<RdmaTransport> onOne = RdmaHelper::CreateTransport(hosts);
    onOne->SetServiceLevel(1);
    onZero->Send(BLOCKED, HOT, bytes, 0);
    onOne->Send(VICTIM, IDLE, bytes, 0);
    for (uint32_t i = 0; i < options.others; ++i)
    {
        onZero->Send(OTHERS + i, HOT, bytes, 0);
    }
    Simulator::Stop(FromMicroseconds(options.warmUpUs));
    Simulator::Run();

    const std::string lane = ownLane ? "its own" : "shared";
    // Senders have nothing else on their wire.
    const std::vector<std::pair<std::string, uint32_t>> flows{{"blocked", BLOCKED},
                                                              {"victim", VICTIM}};
    std::vector<double> begin;
    std::vector<double> last;
    for (const auto& flow : flows)
    {
        begin.push_back(ReadWords(devices.Get(flow.second)));
    }
    last = begin;
    double elapsed = 0;
    while (elapsed < options.windowUs)
    {
        const double step = std::min<double>(options.sampleUs, options.windowUs - elapsed);
        Simulator::Stop(FromMicroseconds(step));
        Simulator::Run();
        elapsed += step;
        for (std::size_t i = 0; i < flows.size(); ++i)
        {
            const double now = ReadWords(devices.Get(flows[i].second));
            series.AddRow({lane,
                           flows[i].first,
                           (options.warmUpUs + elapsed) * 1e-6,
                           (now - last[i]) * 32 / (step * 1e-6)});
            last[i] = now;
        }
    }
    const double line = static_cast<double>(rate);
    const double blocked = line / (options.others.Get() + 1);
    for (std::size_t i = 0; i < flows.size(); ++i)
    {
        const double got = (last[i] - begin[i]) * 32 / (options.windowUs * 1e-6);
        const double expected = i == 1 && ownLane ? line : blocked;
        report.AddRow({lane, flows[i].first, expected, got, got / expected - 1});
    }
    onZero->Dispose();
    onOne->Dispose();
    Simulator::Destroy();
}

int
Run(int argc, char* argv[])
{
    Options options;
    ProgramReport report("ib-head-of-line",
                         "A victim behind a blocked flow: on the same virtual lane, and on its "
                         "own.");
    report.AddOption("rateGbps",
                     "Rate of the hosts in Gb/s; the cable has twice that",
                     options.rateGbps);
    report.AddOption("others", "Other senders to the hot receiver", options.others);
    report.AddOption("bufferBytes", "Receive buffer of a lane in bytes", options.bufferBytes);
    report.AddOption("warmUpUs", "Time before measuring in us", options.warmUpUs);
    report.AddOption("windowUs", "Time of measuring in us", options.windowUs);
    report.AddOption("sampleUs", "Time between two points of the curve in us", options.sampleUs);
    report.Parse(argc, argv);
    report.Begin({{"victimLane", "victim's lane"},
                  {"flow", "flow"},
                  {"expectedBps", "expected Gb/s", 1e-9, 2},
                  {"throughputBps", "measured Gb/s", 1e-9, 2},
                  {"relativeError", "error %", 100, 2}});
    ProgramReport& series = report.AddSeries("throughput",
                                             {{"victimLane", "victim's lane"},
                                              {"flow", "flow"},
                                              {"seconds", "time in us", 1e6, 0},
                                              {"throughputBps", "Gb/s", 1e-9, 1}});
    for (const bool ownLane : {false, true})
    {
        report.ShowProgress(ownLane ? "its own lane" : "shared lane");
        Measure(report, series, options, ownLane);
    }
    report.AddNote("expected: the blocked flow has its turn at the hot receiver. On a shared lane "
                   "the victim has no more; on its own it has the line rate. With headers.");
    series.AddCurve({"throughput",
                     "Head-of-line blocking",
                     "seconds",
                     "throughputBps",
                     {"flow", "victimLane"},
                     false,
                     false});
    report.Finish(std::cout);
    return 0;
}

} // namespace

int
main(int argc, char* argv[])
{
    return ProgramReport::Main("ib-head-of-line", &Run, argc, argv);
}
