/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// DCQCN at one bottleneck: N hosts write to one, over one switch. Shares, queue against the marking
// region and the fixed point of the fluid model (Zhu et al., CoNEXT 2016), pauses; rates and queue
// over time.

#include "ns3/ai-fabric-module.h"
#include "ns3/data-rate.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <regex>
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
    std::string flows{"2,8,16"};
    std::string set{"paper"};
    std::string settings;
    std::string rate{"40Gbps"};
    BoundedOption<uint64_t> kmin{"kmin", 5000, 1, 1 << 30};
    BoundedOption<uint64_t> kmax{"kmax", 200000, 1, 1 << 30};
    BoundedOption<double> pmax{"pmax", 0.01, 0, 1};
    BoundedOption<double> cnpUs{"cnpUs", 50, 0, 1e6};
    BoundedOption<double> warmUpMs{"warmUpMs", 30, 0, 1e5};
    BoundedOption<double> windowMs{"windowMs", 60, 0.01, 1e5};
    BoundedOption<double> sampleUs{"sampleUs", 5, 0.1, 1e6};
    BoundedOption<double> gapMs{"gapMs", 0, 0, 1e5};
    bool pfc{true};
};

/** @returns so many milliseconds */
Time
FromMilliseconds(double milliseconds)
{
    return NanoSeconds(std::llround(milliseconds * 1e6));
}

/** @returns numbers of flows */
std::vector<uint32_t>
GetFlows(const std::string& text)
{
    std::vector<uint32_t> list;
    std::istringstream stream(text + ",");
    std::string item;
    while (std::getline(stream, item, ','))
    {
        if (item.empty() || item.size() > 4 ||
            item.find_first_not_of("0123456789") != std::string::npos || std::stoul(item) < 1 ||
            std::stoul(item) > 1000)
        {
            throw std::invalid_argument("--flows=" + text +
                                        ", expected numbers 1..1000 with commas, such as 2,8,16");
        }
        list.push_back(std::stoul(item));
    }
    return list;
}

/** @returns true if the text has the form of a value; ns-3 aborts at what it can't read to the end
 */
bool
HasForm(const std::string& type, const std::string& text)
{
    const std::string number = "[0-9]{1,18}([.][0-9]{1,18})?";
    const std::string form = type == "ns3::DoubleValue"     ? number
                             : type == "ns3::UintegerValue" ? "[0-9]{1,18}"
                             : type == "ns3::TimeValue"     ? number + "(ps|ns|us|ms|s)"
                             : type == "ns3::DataRateValue" ? number + "[kMG]?bps"
                                                            : "[A-Za-z]+";
    return std::regex_match(text, std::regex(form));
}

/** @returns attributes of the rate control: NAME=VALUE with commas */
DcqcnSettings
GetSettings(const Options& options)
{
    DcqcnSettings settings;
    std::istringstream stream(options.settings);
    std::string item;
    const std::string expected = ", expected NAME=VALUE,... with attributes of DcqcnRateControl";
    ObjectFactory factory = DcqcnRateControl::Preset(options.set);
    while (std::getline(stream, item, ','))
    {
        const auto equals = item.find('=');
        TypeId::AttributeInformation info;
        const std::string name = item.substr(0, equals);
        if (equals == std::string::npos ||
            !DcqcnRateControl::GetTypeId().LookupAttributeByName(name, &info) ||
            !HasForm(info.checker->GetValueTypeName(), item.substr(equals + 1)) ||
            !info.checker->CreateValidValue(StringValue(item.substr(equals + 1))))
        {
            throw std::invalid_argument("--settings: '" + item + "'" + expected);
        }
        settings.emplace_back(name, item.substr(equals + 1));
    }
    return settings;
}

/** @returns value of an attribute of the rate control */
template <typename Value>
Value
Get(const Options& options, const DcqcnSettings& settings, const std::string& name)
{
    ObjectFactory factory = DcqcnRateControl::Preset(options.set);
    for (const auto& [key, value] : settings)
    {
        factory.Set(key, StringValue(value));
    }
    Value value;
    factory.Create<DcqcnRateControl>()->GetAttribute(name, value);
    return value;
}

/** @returns queue of the fluid model at rest, in bytes; NaN beyond the marking region, or where the
 * model has no byte counter */
double
GetFluidQueue(const Options& options, const DcqcnSettings& settings, double rate, uint32_t flows)
{
    constexpr double WIRE_BYTES = 1106;            // of a packet of 1 KiB
    const double capacity = rate / 8 / WIRE_BYTES; // packets per second
    const double k = Get<TimeValue>(options, settings, "AlphaInterval").Get().GetSeconds();
    const double t = Get<TimeValue>(options, settings, "IncreaseInterval").Get().GetSeconds();
    const double b = Get<UintegerValue>(options, settings, "ByteCounter").Get() / WIRE_BYTES;
    const auto step = Get<DataRateValue>(options, settings, "AdditiveStep").Get().GetBitRate();
    const auto reference =
        Get<DataRateValue>(options, settings, "StepReference").Get().GetBitRate();
    const double rai = step * (reference ? rate / reference : 1) / 8 / WIRE_BYTES;
    const double events = (b > 0 ? 1 / b : 0) + flows / (t * capacity);
    const double p = std::cbrt(rai * flows * flows / (k * capacity * capacity) * events * events);
    const double queue =
        options.kmin + p / options.pmax * (static_cast<double>(options.kmax) - options.kmin);
    return queue <= options.kmax ? queue : std::numeric_limits<double>::quiet_NaN();
}

int
Show(int argc, char* argv[])
{
    Options options;
    ProgramReport report("roce-dcqcn", "DCQCN at one bottleneck.");
    report.AddOption("flows", "Numbers of flows, with commas", options.flows);
    report.AddOption("set", "Parameters of DCQCN, by name; none: PFC only", options.set);
    report.AddOption("settings", "Attributes that replace some, NAME=VALUE,...", options.settings);
    report.AddOption("rate", "Rate of all links", options.rate);
    report.AddOption("kmin", "Queue in bytes at which marking begins", options.kmin);
    report.AddOption("kmax", "Queue in bytes from which all is marked", options.kmax);
    report.AddOption("pmax", "Share marked just below kmax", options.pmax);
    report.AddOption("cnpUs", "Shortest time between two CNPs of a flow in us", options.cnpUs);
    report.AddOption("warmUpMs", "Time before measuring in ms", options.warmUpMs);
    report.AddOption("windowMs", "Time of measuring in ms", options.windowMs);
    report.AddOption("sampleUs", "Time between two looks at the queue in us", options.sampleUs);
    report.AddOption("gapMs", "Each flow begins so much after the last one, ms", options.gapMs);
    report.AddOption("pfc", "Data is lossless", options.pfc);
    report.Parse(argc, argv);
    const std::vector<uint32_t> counts = GetFlows(options.flows);
    const bool control = options.set != "none";
    const DcqcnSettings settings = control ? GetSettings(options) : DcqcnSettings();
    if (options.kmax < options.kmin)
    {
        throw std::invalid_argument("--kmax=" + std::to_string(options.kmax) +
                                    ", expected kmin or more");
    }
    DataRate rate;
    std::istringstream stream(options.rate);
    stream >> rate;
    if (stream.fail() || !stream.eof() || rate < DataRate("1Gbps") || rate > DataRate("1600Gbps"))
    {
        throw std::invalid_argument("--rate=" + options.rate +
                                    ", expected a rate 1Gbps..1600Gbps, such as 40Gbps");
    }
    report.Begin({{"congestionControl", "DCQCN"},
                  {"fabric", "fabric"},
                  {"flows", "flows"},
                  {"minBps", "min Gb/s", 1e-9, 2},
                  {"maxBps", "max Gb/s", 1e-9, 2},
                  {"totalBps", "total", 1e-9, 2},
                  {"jain", "Jain", 1, 4},
                  {"queueBytes", "queue KB", 1e-3, 1},
                  {"queueP5", "p5", 1e-3, 1},
                  {"queueP95", "p95", 1e-3, 1},
                  {"fluidBytes", "fluid", 1e-3, 1},
                  {"pauses", "pauses"},
                  {"drops", "drops"},
                  {"cnps", "CNPs"}});
    ProgramReport& series = report.AddSeries("over-time",
                                             {{"flows", "flows"},
                                              {"what", "what"},
                                              {"seconds", "time in ms", 1e3, 3},
                                              {"value", "Gb/s, or queue in MB", 1, 6}});
    for (const uint32_t count : counts)
    {
        report.ShowProgress(std::to_string(count) + " flows");
        {
            RoceTestbedOptions bed;
            bed.rate = rate;
            bed.congestionControl = options.set;
            bed.settings = settings;
            bed.kmin = options.kmin;
            bed.kmax = options.kmax;
            bed.pmax = options.pmax;
            bed.pfc = options.pfc;
            bed.cnpInterval = FromMilliseconds(options.cnpUs / 1000);
            RoceTestbed testbed(bed, count + 1);
            for (uint32_t i = 0; i < count; ++i)
            {
                testbed.AddFlow("flow " + std::to_string(i),
                                i,
                                count,
                                FromMilliseconds(options.gapMs * i));
            }
            testbed.Watch(count, FromMilliseconds(options.sampleUs / 1000), true);
            const RoceTestbedResult result =
                testbed.Run(FromMilliseconds(options.warmUpMs), FromMilliseconds(options.windowMs));
            double least = result.flows[0].rate;
            double most = least;
            for (const RoceTestbedFlow& flow : result.flows)
            {
                least = std::min(least, flow.rate);
                most = std::max(most, flow.rate);
            }
            const double bits = static_cast<double>(rate.GetBitRate());
            report.AddRow({options.set,
                           "roce",
                           static_cast<double>(count),
                           least,
                           most,
                           result.GetTotalRate(),
                           result.GetJainIndex(),
                           result.GetMeanQueue(),
                           static_cast<double>(result.GetQueue(0.05)),
                           static_cast<double>(result.GetQueue(0.95)),
                           control ? GetFluidQueue(options, settings, bits, count)
                                   : std::numeric_limits<double>::quiet_NaN(),
                           static_cast<double>(result.pauses),
                           static_cast<double>(result.drops),
                           static_cast<double>(result.cnps)});
            // Means of 100 samples: what a curve can show.
            const auto& samples = testbed.GetSamples();
            constexpr std::size_t MEAN_OF = 100;
            for (std::size_t i = 0; i + MEAN_OF <= samples.size(); i += MEAN_OF)
            {
                double queue = 0;
                std::vector<double> rates(count, 0);
                for (std::size_t k = i; k < i + MEAN_OF; ++k)
                {
                    queue += static_cast<double>(samples[k].queue) / MEAN_OF;
                    for (uint32_t flow = 0; flow < count; ++flow)
                    {
                        rates[flow] += samples[k].rates[flow] / MEAN_OF;
                    }
                }
                const double seconds = samples[i + MEAN_OF - 1].end.GetSeconds();
                const auto number = static_cast<double>(count);
                series.AddRow({number, "queue in MB", seconds, queue / 1e6});
                for (uint32_t flow = 0; flow < count; ++flow)
                {
                    series.AddRow({number, result.flows[flow].name, seconds, rates[flow] / 1e9});
                }
            }
        }
        Simulator::Destroy();
    }
    report.AddNote("fluid: queue of the fluid model at rest; none beyond the marking region of " +
                   std::to_string(options.kmin) + " to " + std::to_string(options.kmax) + " bytes");
    ProgramReport::Curve curve;
    curve.name = "over-time";
    curve.title = "DCQCN at one bottleneck";
    curve.x = "seconds";
    curve.y = "value";
    curve.series = {"flows", "what"};
    series.AddCurve(curve);
    report.Finish(std::cout);
    return 0;
}

} // namespace

int
main(int argc, char* argv[])
{
    return ProgramReport::Main("roce-dcqcn", &Show, argc, argv);
}
