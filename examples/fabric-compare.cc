/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The same training step on InfiniBand and on RoCE, side by side: a table on stdout, summary.json
// and collectives.csv in a folder.
//
//     gpu ... gpu     gpu ... gpu       one NIC per GPU
//       \  ||  /        \  ||  /
//        leaf 0   ...    leaf L         every leaf cabled to every spine
//           \  \____  ____/  /
//            spine 0 ... spine S        (or --topology=star: one switch)

#include "ns3/ai-fabric-module.h"
#include "ns3/command-line.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/** What the command line says. */
struct Options
{
    std::string model{"qwen2.5-0.5b"};
    std::string device{"h100"};
    BoundedOption<uint32_t> gpus{"gpus", 8, 1, 49151}; // as many as a subnet has unicast LIDs
    std::string topology{"leaf-spine:2x2x4"};
    std::string fabrics{"ib,roce"};
    std::string policies{"sequential,fifo"};
    std::string rate{"400Gbps"};
    BoundedOption<double> cableMeters{"cableMeters", 10, 0, 100000};
    BoundedOption<uint32_t> mtu{"mtu", 4096, 256, 4096};
    BoundedOption<uint32_t> sequenceLength{"sequenceLength", 2048, 1, 1 << 24};
    BoundedOption<uint32_t> sequences{"sequences", 4, 1, 1 << 20};
    BoundedOption<uint32_t> layers{"layers", 0, 0, 100000};
    BoundedOption<uint32_t> iterations{"iterations", 1, 1, 1000000};
    BoundedOption<double> bucketMib{"bucketMib", 25, 1e-3, 1e6};
    BoundedOption<uint64_t> incastBytes{"incastBytes", 0, 0, uint64_t{1} << 40};
    BoundedOption<double> hostLatencyNs{"hostLatencyNs", 300, 0, 1e9};
    BoundedOption<double> ibSwitchLatencyNs{"ibSwitchLatencyNs", 250, 0, 1e9};
    BoundedOption<double> roceSwitchLatencyNs{"roceSwitchLatencyNs", 600, 0, 1e9};
    bool flowControl{true};
    std::string congestionControl{"none"};
    bool timeline{false};
    bool quick{false};
    bool progress{isatty(STDERR_FILENO) != 0};
    BoundedOption<uint32_t> seed{"seed", 1, 1, 4294944442}; // what RngStream takes
    std::string out{"fabric-compare-report"};

    /** @returns the values by name, for the report */
    std::map<std::string, std::string> List() const;
    /** Throws std::invalid_argument naming the first option that can't be. */
    void Check() const;
};

template <typename T>
std::string
ToText(const T& value)
{
    std::ostringstream text;
    text << std::boolalpha << value;
    return text.str();
}

std::map<std::string, std::string>
Options::List() const
{
    return {{"model", model},
            {"device", device},
            {"gpus", ToText(gpus)},
            {"topology", topology},
            {"fabrics", fabrics},
            {"policies", policies},
            {"rate", rate},
            {"cableMeters", ToText(cableMeters)},
            {"mtu", ToText(mtu)},
            {"sequenceLength", ToText(sequenceLength)},
            {"sequences", ToText(sequences)},
            {"layers", ToText(layers)},
            {"iterations", ToText(iterations)},
            {"bucketMib", ToText(bucketMib)},
            {"incastBytes", ToText(incastBytes)},
            {"hostLatencyNs", ToText(hostLatencyNs)},
            {"ibSwitchLatencyNs", ToText(ibSwitchLatencyNs)},
            {"roceSwitchLatencyNs", ToText(roceSwitchLatencyNs)},
            {"flowControl", ToText(flowControl)},
            {"congestionControl", congestionControl},
            {"timeline", ToText(timeline)},
            {"seed", ToText(seed)}};
}

/** @returns bits per second; std::invalid_argument if the text is not a rate, or out of bounds */
DataRate
ParseRate(const std::string& text)
{
    DataRate rate;
    std::istringstream stream(text);
    stream >> rate;
    // Slower links run into the timeouts of the queue pairs.
    if (stream.fail() || !stream.eof() || rate < DataRate("1Gbps") || rate > DataRate("100000Gbps"))
    {
        throw std::invalid_argument("--rate=" + text +
                                    ", expected a rate 1Gbps..100000Gbps, such as 400Gbps");
    }
    return rate;
}

void
Options::Check() const
{
    for (const std::string& fabric : SplitOption("fabrics", fabrics))
    {
        if (fabric != "ib" && fabric != "roce")
        {
            throw std::invalid_argument("--fabrics=" + fabrics + ", expected ib, roce or ib,roce");
        }
    }
    ParseRate(rate);
    RoceHelper().SetCongestionControl(congestionControl);
    if (mtu & (mtu - 1))
    {
        throw std::invalid_argument("--mtu=" + ToText(mtu) +
                                    ", expected 256, 512, 1024, 2048 or 4096 bytes");
    }
    FabricShape::Parse(topology, gpus);
    GpuTrafficHelper trial(model, device);
    trial.SetLayers(layers);
    for (const std::string& policy : SplitOption("policies", policies))
    {
        trial.SetPolicy(policy);
    }
    trial.MakeStep();
}

Time
FromNanoseconds(double nanoseconds)
{
    return PicoSeconds(std::llround(nanoseconds * 1000));
}

std::unique_ptr<FabricHelper>
MakeFabric(const std::string& name, const Options& options)
{
    std::unique_ptr<FabricHelper> fabric;
    double latency = options.ibSwitchLatencyNs;
    if (name == "ib")
    {
        fabric = std::make_unique<IbHelper>();
        fabric->SetDeviceAttribute("IbMtu", UintegerValue(options.mtu));
    }
    else
    {
        auto roce = std::make_unique<RoceHelper>();
        roce->SetCongestionControl(options.congestionControl);
        fabric = std::move(roce);
        latency = options.roceSwitchLatencyNs;
    }
    if (!options.flowControl)
    {
        fabric->SetFlowControl("ns3::NoFlowControl");
        if (name == "ib")
        {
            fabric->SetFlowControlAttribute("BufferBytes", UintegerValue(65536));
        }
    }
    fabric->SetDeviceAttribute("DataRate", DataRateValue(ParseRate(options.rate)));
    fabric->SetChannelAttribute("Delay", TimeValue(FromNanoseconds(options.cableMeters * 5)));
    fabric->SetHostAttribute("ReceiveLatency", TimeValue(FromNanoseconds(options.hostLatencyNs)));
    fabric->SetSwitchAttribute("Latency", TimeValue(FromNanoseconds(latency)));
    return fabric;
}

/** Shows how far a run is, on long runs, on stderr. */
class Progress
{
  public:
    Progress(const std::string& label, std::size_t total, bool on)
        : m_label(label),
          m_total(total),
          m_on(on)
    {
    }

    ~Progress()
    {
        if (m_shown)
        {
            std::cerr << "\r\033[K" << std::flush;
        }
    }

    void Step(const CollectiveRecord& /* record */)
    {
        ++m_done;
        const auto now = std::chrono::steady_clock::now();
        if (m_on && now - m_last > std::chrono::milliseconds(500))
        {
            m_last = now;
            m_shown = true;
            std::cerr << "\r\033[K" << m_label << ": " << m_done << " of " << m_total
                      << " collectives" << std::flush;
        }
    }

  private:
    std::string m_label;
    std::size_t m_total;
    bool m_on;
    bool m_shown{false};
    std::size_t m_done{0};
    std::chrono::steady_clock::time_point m_last{std::chrono::steady_clock::now()};
};

void
AddLatency(LatencySamples* samples,
           uint32_t /* from */,
           uint32_t /* to */,
           uint64_t /* bytes */,
           Time t)
{
    samples->Add(t.GetSeconds());
}

/** @returns the shortest time of each bucket on this fabric: a ring at line-rate goodput, no
 * latency */
std::vector<double>
GetIdealSeconds(const TrainingStep& step, const Options& options, const FabricNetDevice& device)
{
    FabricFrame frame;
    frame.opcode = IbOpcode::RC_WRITE_MIDDLE;
    frame.payload = options.mtu;
    device.SizeFrame(frame);
    const double goodput =
        static_cast<double>(device.GetBitRate()) / 8 * frame.payload / frame.wireBytes;
    std::vector<double> seconds;
    for (const StepBucket& bucket : step.buckets)
    {
        seconds.push_back(CollectiveCost::RingSeconds(CollectiveOp::ALL_REDUCE,
                                                      options.gpus,
                                                      bucket.bytes,
                                                      0,
                                                      goodput));
    }
    return seconds;
}

RunReport
Run(const std::string& name,
    const std::string& policy,
    const Options& options,
    std::vector<std::string>& files)
{
    const auto begin = std::chrono::steady_clock::now();
    RngSeedManager::SetSeed(options.seed);
    const std::unique_ptr<FabricHelper> fabric = MakeFabric(name, options);
    const FabricTopology topology =
        FabricTopologyHelper(*fabric).Create(FabricShape::Parse(options.topology, options.gpus));
    const NodeContainer all(topology.hosts, topology.switches);
    fabric->AssignStreams(all, 0);

    GpuTrafficHelper gpus(options.model, options.device);
    TokenBatch batch;
    batch.sequenceLength = options.sequenceLength;
    batch.sequences = options.sequences;
    gpus.SetBatch(batch);
    BucketCaps caps;
    caps.otherBytes = static_cast<uint64_t>(options.bucketMib * 1024 * 1024);
    caps.firstBytes = std::min(caps.firstBytes, caps.otherBytes);
    gpus.SetBucketCaps(caps);
    gpus.SetLayers(options.layers);
    gpus.SetPolicy(policy);
    gpus.SetJobAttribute("Iterations", UintegerValue(options.iterations));
    gpus.SetQueuePairAttribute("Mtu", UintegerValue(options.mtu));
    ApplicationContainer apps = gpus.Install(topology.hosts);
    GpuTrafficHelper::AssignStreams(apps, 1000);

    RunReport report;
    gpus.GetTransport()->TraceConnectWithoutContext(
        "MessageLatency",
        MakeBoundCallback(&AddLatency, &report.latency));
    const TrainingStep step = gpus.MakeStep();
    Progress progress(name + ", " + policy,
                      step.buckets.size() * options.iterations,
                      options.progress);
    gpus.GetEngine()->TraceConnectWithoutContext("CollectiveDone",
                                                 MakeCallback(&Progress::Step, &progress));
    TimelineHelper timeline;
    if (options.timeline)
    {
        timeline.AddGpus(apps);
        timeline.AddMessages(gpus.GetTransport());
        timeline.AddFabric(all);
    }
    apps.Start(Seconds(0));
    if (options.incastBytes)
    {
        RdmaHelper::InstallIncast(topology.hosts, topology.hosts.Get(0), options.incastBytes)
            .Start(Seconds(step.forward));
    }
    Simulator::Run();
    if (!gpus.GetJob()->IsFinished())
    {
        throw std::runtime_error(name + ", " + policy + ": the simulation stands still: " +
                                 gpus.GetEngine()->DescribePending());
    }

    if (options.timeline)
    {
        files.push_back(timeline.Write(options.out, "timeline-" + name + "-" + policy + ".json"));
    }

    StepMeasurement measurement = MeasureSteps(gpus.GetJob()->GetRecords());
    const auto device = DynamicCast<FabricNetDevice>(topology.hostDevices.Get(0));
    const std::vector<ReleasedWork> work =
        GetBarrierWork(step, GetIdealSeconds(step, options, *device));
    measurement.limitSeconds = GetLimitSeconds(step.GetComputeSeconds(), work);
    measurement.sequentialSeconds = GetSequentialSeconds(step.GetComputeSeconds(), work);
    measurement.modelFlops = gpus.GetStepFlops();
    measurement.peakFlops = gpus.GetDevice().peakFlops;

    report.fabric = name;
    report.policy = policy;
    report.gpus = options.gpus;
    report.step = MakeStepReport(measurement);
    report.collectives = gpus.GetEngine()->GetRecords();
    report.fabricTotals.Add(all);
    for (uint32_t rank = 0; rank < options.gpus; ++rank)
    {
        const FabricNicCounters& counters = gpus.GetTransport()->GetNic(rank)->GetCounters();
        report.retransmits += counters.retransmitted;
        report.cnps += counters.cnpsSent;
    }
    report.events = Simulator::GetEventCount();
    Simulator::Destroy();
    report.wallSeconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    report.peakRssBytes = GetPeakRssBytes();
    return report;
}

/** A figure for the table; a dash where it has no meaning. */
std::string
Cell(double value, double scale, int digits)
{
    if (!std::isfinite(value))
    {
        return "-";
    }
    const double unit = std::pow(10, digits);
    std::ostringstream text;
    // Adding 0 turns a negative zero into zero.
    text << std::fixed << std::setprecision(digits)
         << std::round(value * scale * unit) / unit + 0.0;
    return text.str();
}

void
PrintTable(const std::vector<RunReport>& runs)
{
    const std::vector<std::string> titles = {"fabric",
                                             "policy",
                                             "step ms",
                                             "compute ms",
                                             "exposed ms",
                                             "limit ms",
                                             "overlap %",
                                             "MFU %",
                                             "p50 us",
                                             "p99 us",
                                             "stall ms",
                                             "pauses",
                                             "drops",
                                             "Mhops",
                                             "wall s"};
    std::vector<std::vector<std::string>> rows = {titles};
    for (const RunReport& run : runs)
    {
        const FabricTotals& totals = run.fabricTotals;
        rows.push_back({run.fabric,
                        run.policy,
                        Cell(run.step.stepSeconds, 1e3, 3),
                        Cell(run.step.computeSeconds, 1e3, 3),
                        Cell(run.step.exposedCommSeconds, 1e3, 3),
                        Cell(run.step.limitSeconds, 1e3, 3),
                        Cell(run.step.overlapEfficiency, 1e2, 1),
                        Cell(run.step.mfu, 1e2, 1),
                        Cell(run.latency.GetQuantile(0.5), 1e6, 2),
                        Cell(run.latency.GetQuantile(0.99), 1e6, 2),
                        totals.hasCredits ? Cell(totals.creditStallSeconds, 1e3, 3)
                                          : Cell(totals.pausedSeconds, 1e3, 3),
                        totals.hasPause ? ToText(totals.pauseFrames) : "-",
                        ToText(totals.drops),
                        Cell(static_cast<double>(totals.packetHops), 1e-6, 2),
                        Cell(run.wallSeconds, 1, 1)});
    }
    for (const auto& row : rows)
    {
        for (std::size_t column = 0; column < row.size(); ++column)
        {
            std::size_t width = 0;
            for (const auto& other : rows)
            {
                width = std::max(width, other[column].size());
            }
            const std::string gap(width - row[column].size(), ' ');
            std::cout << (column ? "  " : "")
                      << (column < 2 ? row[column] + gap : gap + row[column]);
        }
        std::cout << '\n';
    }
    std::cout << "p50, p99: message latency, posted to delivered. stall: waits for credits (ib) or "
                 "pauses (roce), all ports.\n";
}

int
Main(int argc, char* argv[])
{
    Options options;
    CommandLine cmd;
    cmd.Usage("Run the same data-parallel training step on InfiniBand and on RoCE, and compare.");
    cmd.AddValue("model", "Built-in model, or path of a config.json", options.model);
    cmd.AddValue("device",
                 "Accelerator: h100, a100, ascend-910b, or tflops=N,efficiency=F",
                 options.device);
    cmd.AddValue("gpus", "Number of GPUs, one NIC each", options.gpus);
    cmd.AddValue("topology",
                 "star, or leaf-spine:LxSxH (leaves, spines, hosts at each leaf)",
                 options.topology);
    cmd.AddValue("fabrics", "Fabrics to run, of ib,roce", options.fabrics);
    cmd.AddValue("policies", "Communication policies to run, of sequential,fifo", options.policies);
    cmd.AddValue("rate", "Data rate of all links", options.rate);
    cmd.AddValue("cableMeters", "Length of all cables in meters, 5 ns each", options.cableMeters);
    cmd.AddValue("mtu", "Payload of a full RDMA packet in bytes", options.mtu);
    cmd.AddValue("sequenceLength", "Tokens in a sequence", options.sequenceLength);
    cmd.AddValue("sequences", "Sequences per GPU and step", options.sequences);
    cmd.AddValue("layers", "Layers of the model to keep; 0: all", options.layers);
    cmd.AddValue("iterations", "Steps to run; the table shows their mean", options.iterations);
    cmd.AddValue("bucketMib",
                 "Gradient bucket size in MiB; the first one has 1",
                 options.bucketMib);
    cmd.AddValue("incastBytes",
                 "Every other GPU sends so many bytes to GPU 0 when the backward pass begins",
                 options.incastBytes);
    cmd.AddValue("hostLatencyNs", "Receive latency of hosts in ns", options.hostLatencyNs);
    cmd.AddValue("ibSwitchLatencyNs",
                 "Port-to-port latency of IB switches in ns",
                 options.ibSwitchLatencyNs);
    cmd.AddValue("roceSwitchLatencyNs",
                 "Port-to-port latency of RoCE switches in ns",
                 options.roceSwitchLatencyNs);
    cmd.AddValue("flowControl",
                 "Credits on ib and PFC on roce; without, full buffers drop",
                 options.flowControl);
    cmd.AddValue("congestionControl",
                 "On roce: none, DCQCN parameters (paper, hpcc-paper, hpcc-vendor, nic), hpcc, "
                 "timely, swift, dctcp",
                 options.congestionControl);
    cmd.AddValue("timeline",
                 "Write a timeline of each run, for chrome://tracing or Perfetto",
                 options.timeline);
    cmd.AddValue("quick", "A small job: 4 GPUs around one switch, 1 layer", options.quick);
    cmd.AddValue("progress", "Show progress on stderr", options.progress);
    cmd.AddValue("seed", "Seed of all random streams", options.seed);
    cmd.AddValue("out", "Folder for summary.json and collectives.csv", options.out);
    cmd.Parse(argc, argv);
    if (cmd.GetNExtraNonOptions() > 0)
    {
        throw std::invalid_argument("argument '" + cmd.GetExtraNonOption(0) +
                                    "', expected options of the form --NAME=VALUE");
    }
    if (options.quick)
    {
        options.gpus.Set(4);
        options.topology = "star";
        options.layers.Set(1);
        options.sequences.Set(1);
    }
    options.Check();
    Time::SetResolution(Time::PS);
    const ReportWriter writer(options.out);

    std::vector<RunReport> runs;
    std::vector<std::string> files;
    for (const std::string& fabric : SplitOption("fabrics", options.fabrics))
    {
        for (const std::string& policy : SplitOption("policies", options.policies))
        {
            runs.push_back(Run(fabric, policy, options, files));
        }
    }
    PrintTable(runs);
    for (const std::string& path : writer.Write("fabric-compare", options.List(), runs))
    {
        files.push_back(path);
    }
    for (const std::string& path : files)
    {
        std::cout << path << '\n';
    }
    return 0;
}

} // namespace

int
main(int argc, char* argv[])
{
    try
    {
        return Main(argc, argv);
    }
    catch (const std::exception& error)
    {
        std::cerr << "fabric-compare: " << error.what() << std::endl;
        return 1;
    }
}
