/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// AllReduce of growing vectors by ring, tree and in-network reduction (SHARP-like) on an idle
// InfiniBand fabric: how long each takes, and where they cross, against the closed forms.
//
// A host sends and gets 2 (n-1)/n of the vector on a ring and the whole of it with in-network
// reduction; on the tree, inner ranks send and get three times the vector.

#include "ns3/ai-fabric-module.h"
#include "ns3/config.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
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

constexpr uint32_t MTU = 4096;                    //!< payload of a packet
constexpr double CABLE_SECONDS = 10e-9;           //!< 2 m
constexpr uint64_t MAX_BYTES = uint64_t{1} << 30; //!< of a vector

/** What the user asks for. */
struct Options
{
    BoundedOption<uint32_t> hosts{"hosts", 16, 2, 1024};                 //!< ranks
    BoundedOption<uint32_t> hostsPerLeaf{"hostsPerLeaf", 8, 1, 512};     //!< of a leaf
    BoundedOption<uint32_t> spines{"spines", 8, 1, 64};                  //!< between leaves
    std::string linkSpeed{"4xNDR"};                                      //!< of all links
    std::string algorithms{"ring,tree,sharp"};                           //!< to compare
    BoundedOption<uint64_t> minBytes{"minBytes", 8, 1, MAX_BYTES};       //!< first vector
    BoundedOption<uint64_t> maxBytes{"maxBytes", 4194304, 1, MAX_BYTES}; //!< last vector
    BoundedOption<uint64_t> factor{"factor", 8, 2, 1024};                //!< to the next
    BoundedOption<double> aggregationRate{"aggregationRate", 0, 0, 1e6}; //!< Gb/s; 0: no limit
    BoundedOption<double> aggregationLatency{"aggregationLatency", 0, 0, 1e6}; //!< ns per switch
    BoundedOption<uint32_t> window{"window", 64, 1, 65536};                    //!< segments
    BoundedOption<uint64_t> treeChunk{"treeChunk", 524288, 1, MAX_BYTES};      //!< bytes
};

/** A way to do it. */
struct Algorithm
{
    std::string name;                     //!< as --algorithms takes it
    TypeId factory;                       //!< makes its schedules
    std::function<double(double)> theory; //!< seconds by bytes
};

/** @returns the shape of a fabric that holds all hosts */
FabricShape
GetShape(const Options& options)
{
    FabricShape shape;
    if (options.hosts > options.hostsPerLeaf)
    {
        if (options.hosts % options.hostsPerLeaf)
        {
            throw std::invalid_argument(
                "--hosts=" + std::to_string(options.hosts) +
                ", expected a multiple of --hostsPerLeaf=" + std::to_string(options.hostsPerLeaf));
        }
        shape.leaves = options.hosts / options.hostsPerLeaf;
        shape.spines = options.spines;
        shape.hostsPerLeaf = options.hostsPerLeaf;
    }
    else
    {
        shape.hostsPerLeaf = options.hosts;
    }
    return shape;
}

/** @returns seconds that one AllReduce takes */
double
Measure(const Options& options, TypeId algorithm, uint64_t bytes)
{
    double seconds = 0;
    {
        IbHelper fabric;
        fabric.SetLinkSpeed(options.linkSpeed);
        fabric.SetAutoBuffer(true);
        fabric.SetChannelAttribute("Delay", TimeValue(Seconds(CABLE_SECONDS)));
        fabric.SetSwitchModel("quantum-2");
        fabric.SetNicModel("connectx-7");
        const FabricShape shape = GetShape(options);
        FabricTopologyHelper builder(fabric);
        const FabricTopology topology =
            shape.spines ? builder.Create(shape) : builder.CreateStar(options.hosts);
        SharpHelper helper;
        helper.SetNodeAttribute(
            "AggregationRate",
            DataRateValue(DataRate(static_cast<uint64_t>(options.aggregationRate * 1e9))));
        helper.SetNodeAttribute("Latency", TimeValue(Seconds(options.aggregationLatency * 1e-9)));
        const uint64_t memory = uint64_t{options.window} * MTU;
        helper.SetNodeAttribute("BufferBytes", UintegerValue(memory));
        helper.SetTransportAttribute("Window", UintegerValue(options.window));
        helper.Install(topology.switches);
        const Ptr<SharpTransport> sharp = helper.CreateTransport(topology.hosts);
        const Ptr<RdmaTransport> transport = RdmaHelper::CreateTransport(topology.hosts);
        const auto engine =
            CreateObjectWithAttributes<CollectiveEngine>("Algorithm", TypeIdValue(algorithm));
        engine->SetTransport(transport);
        engine->SetReduction(sharp);
        const uint64_t id = engine->Create(CollectiveOp::ALL_REDUCE, bytes, "sum");
        for (uint32_t rank = 0; rank < options.hosts; ++rank)
        {
            engine->Enter(id, rank);
        }
        Simulator::Run();
        const CollectiveRecord record = engine->GetRecords()[id];
        if (engine->GetPendingCount())
        {
            throw std::runtime_error("the AllReduce did not end: " + engine->DescribePending());
        }
        seconds = FabricSeconds(record.done - record.firstEnter);
        engine->Dispose();
        transport->Dispose();
        sharp->Dispose();
    }
    Simulator::Destroy();
    return seconds;
}

/** @returns the ways to do it, with their closed forms on this fabric */
std::vector<Algorithm>
GetAlgorithms(const Options& options)
{
    const IbLinkSpeed speed = IbLinkSpeed::Parse(options.linkSpeed, "ib-sharp");
    const auto rate = static_cast<double>(speed.GetDataRate().GetBitRate());
    const auto wire = [rate](uint8_t opcode, uint32_t payload) {
        return 8 * IbFrameBytes(opcode, payload) / rate;
    };
    const SwitchModel& model = FindSwitchModel("quantum-2");
    const NicModel& nic = FindNicModel("connectx-7");
    const double nicSeconds = 1e-9 * (nic.transmitNs + nic.receiveNs);
    const double hop = CABLE_SECONDS + 1e-9 * model.latencyNs;
    const FabricShape shape = GetShape(options);
    const bool isStar = shape.spines == 0;
    const uint32_t n = options.hosts;
    // What a message takes beyond its bytes: over one switch or, between leaves, three.
    const uint32_t perLeaf = isStar ? n : shape.hostsPerLeaf;
    const auto message = [=](uint32_t from, uint32_t to) {
        const uint32_t switches = from / perLeaf == to / perLeaf ? 1 : 3;
        return nicSeconds + switches * hop + CABLE_SECONDS + wire(IbOpcode::RC_WRITE_ONLY, 0);
    };
    // A chunk goes around the ring almost twice; the one that is most often between leaves is last.
    double ringAlpha = 0;
    for (uint32_t start = 0; start < n; ++start)
    {
        double sum = 0;
        for (uint32_t i = start; i < start + 2 * (n - 1); ++i)
        {
            sum += message(i % n, (i + 1) % n);
        }
        ringAlpha = std::max(ringAlpha, sum);
    }
    const auto treeAlpha = [=](uint32_t rank) { return message(rank, (rank - 1) / 2); };
    const double beta = wire(IbOpcode::RC_WRITE_MIDDLE, MTU) / MTU;
    const double adderRate = options.aggregationRate * 1e9;
    const double adder = 1e-9 * options.aggregationLatency;
    const double segment = wire(IbOpcode::UD_SEND_ONLY, 0);
    const double roundTrip = nicSeconds + (isStar ? 2 : 4) * CABLE_SECONDS +
                             (isStar ? 1 : 3) * 1e-9 * model.latencyNs +
                             (isStar ? 1 : 2) * (segment + adder) + segment;

    const double perWire = wire(IbOpcode::UD_SEND_ONLY, MTU) / MTU;
    const double perAdder = adderRate > 0 ? 8 / adderRate : 0;
    const double levels = isStar ? 1 : 2;
    const std::vector<Algorithm> known{
        {"ring",
         RingAlgorithmFactory::GetTypeId(),
         [=](double bytes) { return ringAlpha + 2 * (n - 1) * bytes / n * beta; }},
        {"tree",
         TreeAlgorithmFactory::GetTypeId(),
         [=](double bytes) { return CollectiveCost::TreeSeconds(n, bytes, treeAlpha, 1 / beta); }},
        {"sharp", InNetworkAlgorithmFactory::GetTypeId(), [=](double bytes) {
             // Each wire but the last, and each adder, sees the first segment whole; then
             // segments follow each other at the pace of the slower.
             const double first = std::min<double>(bytes, MTU);
             return roundTrip + first * ((levels + 1) * perWire + levels * perAdder) +
                    (bytes - first) * std::max(perWire, perAdder);
         }}};

    std::vector<Algorithm> wanted;
    for (const std::string& name : SplitOption("algorithms", options.algorithms))
    {
        const auto found = std::find_if(known.begin(), known.end(), [&name](const Algorithm& one) {
            return one.name == name;
        });
        if (found == known.end())
        {
            throw std::invalid_argument("--algorithms: " + name +
                                        " found, expected ring, tree or sharp");
        }
        wanted.push_back(*found);
    }
    return wanted;
}

/** Says where two algorithms cross. */
std::string
DescribeCrossover(const Options& options,
                  const Algorithm& a,
                  const Algorithm& b,
                  const std::map<std::string, std::map<uint64_t, double>>& seconds)
{
    const bool isFirst = a.theory(1) <= b.theory(1); // with short vectors
    const Algorithm& fast = isFirst ? a : b;
    const Algorithm& slow = isFirst ? b : a;
    const auto format = [](double bytes) {
        std::ostringstream text;
        text << std::llround(bytes) << " bytes";
        return text.str();
    };
    std::string line = fast.name + " and " + slow.name + ": ";
    if (fast.theory(MAX_BYTES) <= slow.theory(MAX_BYTES))
    {
        line += fast.name + " is faster at every size, in theory";
        for (const auto& point : seconds.at(fast.name))
        {
            if (point.second > seconds.at(slow.name).at(point.first))
            {
                return line + "; in the simulation not at " +
                       format(static_cast<double>(point.first)) +
                       (slow.name == "tree" ? ", where the tree has chunks" : "");
            }
        }
        return line;
    }
    double low = 1;
    double high = MAX_BYTES;
    while (high > 1.0001 * low)
    {
        const double middle = std::sqrt(low * high);
        (fast.theory(middle) <= slow.theory(middle) ? low : high) = middle;
    }
    line += "cross at " + format(low) + " in theory";
    // Between two sizes of the table, then by halving.
    low = 0;
    high = 0;
    for (const auto& point : seconds.at(fast.name))
    {
        const bool isFast = point.second <= seconds.at(slow.name).at(point.first);
        if (isFast)
        {
            low = static_cast<double>(point.first);
            high = 0;
        }
        else if (high == 0)
        {
            high = static_cast<double>(point.first);
        }
    }
    if (low == 0 || high == 0)
    {
        return line + ", outside of the sizes measured";
    }
    while (high > 1.02 * low)
    {
        const double middle = std::sqrt(low * high);
        const auto bytes = static_cast<uint64_t>(middle);
        const bool isFast =
            Measure(options, fast.factory, bytes) <= Measure(options, slow.factory, bytes);
        (isFast ? low : high) = middle;
    }
    return line + ", at " + format(std::sqrt(low * high)) + " in the simulation";
}

int
Run(int argc, char* argv[])
{
    Options options;
    ProgramReport report("ib-sharp",
                         "AllReduce by ring, tree and in-network reduction over InfiniBand: time, "
                         "bandwidth, and where they cross.");
    report.AddOption("hosts", "Ranks; more than hostsPerLeaf: a leaf-spine", options.hosts);
    report.AddOption("hostsPerLeaf", "Hosts at each leaf switch", options.hostsPerLeaf);
    report.AddOption("spines", "Switches between leaves", options.spines);
    report.AddOption("linkSpeed", "Width and speed of links, such as 4xNDR", options.linkSpeed);
    report.AddOption("algorithms", "ring, tree, sharp: a list", options.algorithms);
    report.AddOption("minBytes", "Bytes of the first vector", options.minBytes);
    report.AddOption("maxBytes", "Bytes of the last vector", options.maxBytes);
    report.AddOption("factor", "From one size to the next", options.factor);
    report.AddOption("aggregationRate",
                     "Of each switch in Gb/s of payload; 0: no limit",
                     options.aggregationRate);
    report.AddOption("aggregationLatency",
                     "Of each switch in ns, beyond its port-to-port latency",
                     options.aggregationLatency);
    report.AddOption("window", "Segments under way in a group", options.window);
    report.AddOption("treeChunk", "Bytes of a chunk of the tree", options.treeChunk);
    report.Parse(argc, argv);
    if (options.minBytes > options.maxBytes)
    {
        throw std::invalid_argument(
            "--minBytes=" + std::to_string(options.minBytes) +
            ", expected at most --maxBytes=" + std::to_string(options.maxBytes));
    }
    GetShape(options);
    const std::vector<Algorithm> algorithms = GetAlgorithms(options);
    Config::SetDefault("ns3::TreeAlgorithmFactory::ChunkBytes", UintegerValue(options.treeChunk));
    report.Begin({{"fabric", "fabric"},
                  {"algorithm", "algorithm"},
                  {"gpus", "hosts"},
                  {"messageBytes", "bytes"},
                  {"seconds", "time us", 1e6, 3},
                  {"theorySeconds", "theory us", 1e6, 3},
                  {"algBwBps", "algbw GB/s", 1e-9, 3},
                  {"busBwBps", "busbw GB/s", 1e-9, 3}});
    std::map<std::string, std::map<uint64_t, double>> seconds;
    for (uint64_t bytes = options.minBytes; bytes <= options.maxBytes; bytes *= options.factor)
    {
        for (const Algorithm& algorithm : algorithms)
        {
            report.ShowProgress(algorithm.name + ", " + std::to_string(bytes) + " bytes");
            const double took = Measure(options, algorithm.factory, bytes);
            seconds[algorithm.name][bytes] = took;
            // The closed form of the tree is that of one chunk.
            const bool isPipelined = algorithm.name == "tree" && bytes > options.treeChunk;
            report.AddRow({"ib",
                           algorithm.name,
                           static_cast<double>(options.hosts),
                           static_cast<double>(bytes),
                           took,
                           isPipelined ? std::numeric_limits<double>::quiet_NaN()
                                       : algorithm.theory(static_cast<double>(bytes)),
                           CollectiveCost::AlgorithmBandwidth(bytes, took),
                           CollectiveCost::BusBandwidth(CollectiveOp::ALL_REDUCE,
                                                        options.hosts,
                                                        bytes,
                                                        took)});
        }
    }
    for (std::size_t i = 0; i < algorithms.size(); ++i)
    {
        for (std::size_t k = i + 1; k < algorithms.size(); ++k)
        {
            report.ShowProgress("where " + algorithms[i].name + " and " + algorithms[k].name +
                                " cross");
            report.AddNote(DescribeCrossover(options, algorithms[i], algorithms[k], seconds));
        }
    }
    report.AddNote("Theory is alpha + S beta on idle links, with the beta of full packets, for a "
                   "tree of one chunk; adding at hosts takes no time.");
    report.AddCurve({"allreduce",
                     "AllReduce over InfiniBand",
                     "messageBytes",
                     "seconds",
                     {"algorithm"},
                     true,
                     true});
    report.Finish(std::cout);
    return 0;
}

} // namespace

int
main(int argc, char* argv[])
{
    return ProgramReport::Main("ib-sharp", Run, argc, argv);
}
