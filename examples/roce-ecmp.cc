/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// How evenly does traffic spread over equal paths?
//
// First the flow hash alone: k elephant flows over m paths, over many seeds, beside what chance
// gives (balls in bins). Then a permutation over a non-blocking leaf-spine, every host to one on
// another leaf, under each way to choose a path: colliding flows of ECMP share a link, while
// spreading packet by packet fills all of them if the receiver accepts packets out of order.

#include "ns3/ai-fabric-module.h"
#include "ns3/double.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr double NONE = std::numeric_limits<double>::quiet_NaN();

/** What the user asks for. */
struct Options
{
    std::string modes{"Ecmp,Flowlet,PerPacket,RoundRobin,Adaptive"}; //!< to be compared
    std::string recoveries{"GoBackN,SelectiveRepeat"};               //!< of queue pairs
    std::string hashes{"Crc16,Crc32,Toeplitz"};                      //!< to be compared
    BoundedOption<uint32_t> flows{"flows", 16, 1, 4096};             //!< of the hash
    BoundedOption<uint32_t> paths{"paths", 16, 1, 1024};             //!< of the hash
    BoundedOption<uint32_t> seeds{"seeds", 1000, 2, 1000000};        //!< of the hash
    BoundedOption<uint32_t> leaves{"leaves", 4, 2, 64};              //!< of the fabric
    BoundedOption<uint32_t> spines{"spines", 4, 1, 64};              //!< and hosts of a leaf
    BoundedOption<uint64_t> bytes{"bytes", 4000000, 1, 1ULL << 40};  //!< of each message
    BoundedOption<uint32_t> ecmpSeed{"ecmpSeed", 1, 0, 1000000000};  //!< of the first switch
};

/** @returns the names of two lists, one of them per index, as an enumeration of the hash */
FlowHash::Function
GetFunction(const std::string& name)
{
    return name == "Crc16"   ? FlowHash::CRC16
           : name == "Crc32" ? FlowHash::CRC32
                             : FlowHash::TOEPLITZ;
}

/** Mean and standard error of many samples. */
class Mean
{
  public:
    void Add(double value)
    {
        m_sum += value;
        m_squares += value * value;
        ++m_count;
    }

    double Get() const
    {
        return m_sum / m_count;
    }

    double GetError() const
    {
        const double mean = Get();
        return std::sqrt(std::max(0.0, m_squares / m_count - mean * mean) / m_count);
    }

  private:
    double m_sum{0};     //!< of samples
    double m_squares{0}; //!< of samples
    double m_count{0};   //!< of samples
};

/**
 * @returns expected number of balls in the fullest of some bins, exactly: sum over k of
 * P(max >= k), where P(max < k) is the coefficient of x^balls in (sum x^j / j!, j < k)^bins times
 * balls! / bins^balls
 */
double
ExpectFullest(uint32_t balls, uint32_t bins)
{
    double expected = 0;
    for (uint32_t k = 1; k <= balls; ++k)
    {
        // Probability that no bin has k or more, bin by bin: ways[n] has n balls placed, each bin's
        // share as a binomial of what is left.
        std::vector<double> none(balls + 1, 0);
        none[0] = 1;
        for (uint32_t bin = 0; bin < bins; ++bin)
        {
            std::vector<double> next(balls + 1, 0);
            for (uint32_t placed = 0; placed <= balls; ++placed)
            {
                double term = none[placed];
                for (uint32_t here = 0; here < k && placed + here <= balls && term > 0; ++here)
                {
                    next[placed + here] += term;
                    // Poisson weights of mean balls / bins keep numbers in range.
                    term *= static_cast<double>(balls) / bins / (here + 1);
                }
            }
            for (double& value : next)
            {
                value *= std::exp(-static_cast<double>(balls) / bins);
            }
            none = next;
        }
        // Conditioned on all balls being placed: divide by the Poisson probability of that.
        const double all = std::exp(balls * std::log(static_cast<double>(balls)) - balls -
                                    std::lgamma(balls + 1.0));
        const double less = none[balls] / all;
        expected += 1 - less;
        if (less > 1 - 1e-12)
        {
            break;
        }
    }
    return expected;
}

/** Adds a row for one hash function. */
void
AddHashRow(const std::string& name, const Options& options, ProgramReport& report)
{
    Mean idle;
    Mean fullest;
    const uint32_t paths = options.paths;
    for (uint32_t seed = 1; seed <= options.seeds; ++seed)
    {
        std::vector<uint32_t> load(paths, 0);
        for (uint32_t flow = 0; flow < options.flows; ++flow)
        {
            FabricFrame frame;
            frame.srcIp = 0x0a000001 + flow;
            frame.dstIp = 0x0a010001 + flow;
            frame.udpSrc = RcFrameMaker::GetEntropyPort(17 + flow, 4000 + 3 * flow);
            ++load[FlowHash::Compute(GetFunction(name), seed, frame) % paths];
        }
        idle.Add(static_cast<double>(std::count(load.begin(), load.end(), 0)) / paths);
        fullest.Add(*std::max_element(load.begin(), load.end()));
    }
    const double empty = std::pow(1 - 1.0 / paths, static_cast<double>(options.flows));
    report.AddRow({name,
                   static_cast<double>(options.flows),
                   static_cast<double>(paths),
                   static_cast<double>(options.seeds),
                   idle.Get(),
                   idle.GetError(),
                   empty,
                   fullest.Get(),
                   fullest.GetError(),
                   ExpectFullest(options.flows, paths)});
}

/** What became of a permutation. */
struct Result
{
    double seconds{NONE};    //!< until the last message is there
    double slowest{0};       //!< goodput of the slowest flow, bytes per second
    double mean{0};          //!< of all flows
    uint64_t retransmits{0}; //!< packets
    uint64_t drops{0};       //!< frames
    uint64_t outOfOrder{0};  //!< packets that came before their turn
    uint32_t delivered{0};   //!< messages
};

/** A permutation over a leaf-spine. */
class Permutation
{
  public:
    Permutation(const std::string& mode, const std::string& recovery, const Options& options)
        : m_bytes(options.bytes)
    {
        RoceHelper fabric;
        fabric.SetDeviceAttribute("DataRate", StringValue("100Gbps"));
        fabric.SetSwitchAttribute("LoadBalancing", StringValue(mode));
        m_topology = FabricTopologyHelper(fabric).CreateLeafSpine(options.leaves,
                                                                  options.spines,
                                                                  options.spines);
        for (uint32_t i = 0; i < m_topology.switches.GetN(); ++i)
        {
            const auto sw = FabricHelper::GetSwitch(m_topology.switches.Get(i));
            sw->SetAttribute("EcmpSeed", UintegerValue(options.ecmpSeed + i));
        }
        m_transport = RdmaHelper::CreateTransport(m_topology.hosts);
        m_transport->SetQueuePairAttribute("Recovery", StringValue(recovery));
        if (recovery == "SelectiveRepeat")
        {
            // Paths of one length differ by what is queued: a packet that is late is not lost.
            m_transport->SetQueuePairAttribute("ReorderPackets", UintegerValue(REORDER));
        }
        m_transport->SetDeliveredCallback(MakeCallback(&Permutation::Delivered, this));
        m_transport->SetErrorCallback(MakeCallback(&Permutation::Failed, this));
    }

    Result Run(uint32_t step)
    {
        const uint32_t n = m_topology.hosts.GetN();
        for (uint32_t host = 0; host < n; ++host)
        {
            m_transport->Send(host, (host + step) % n, m_bytes, host);
        }
        Simulator::Run();
        m_result.mean /= std::max(1U, m_result.delivered);
        for (uint32_t host = 0; host < n; ++host)
        {
            const FabricNicCounters& counters =
                RdmaHelper::GetNic(m_topology.hosts.Get(host))->GetCounters();
            m_result.retransmits += counters.retransmitted;
            m_result.outOfOrder += counters.outOfSequence;
        }
        for (uint32_t i = 0; i < m_topology.switches.GetN(); ++i)
        {
            const auto sw = FabricHelper::GetSwitch(m_topology.switches.Get(i));
            for (uint16_t port = 0; port < sw->GetNPorts(); ++port)
            {
                m_result.drops += sw->GetPort(port)->GetDrops();
            }
        }
        m_transport->Dispose();
        return m_result;
    }

  private:
    static constexpr uint32_t REORDER = 256; //!< packets by which one may be overtaken

    void Delivered(uint32_t /* from */, uint32_t /* to */, uint64_t /* tag */)
    {
        const double seconds = FabricSeconds(FabricNow());
        const double rate = static_cast<double>(m_bytes) / seconds;
        m_result.seconds = seconds;
        m_result.slowest = rate; // the last one is the slowest
        m_result.mean += rate;
        ++m_result.delivered;
    }

    void Failed(uint32_t /* from */, uint32_t /* to */, std::string /* what */)
    {
        m_result.seconds = NONE;
    }

    uint64_t m_bytes;               //!< of each message
    FabricTopology m_topology;      //!< the nodes
    Ptr<RdmaTransport> m_transport; //!< between the hosts
    Result m_result;                //!< so far
};

int
Run(int argc, char* argv[])
{
    Options options;
    ProgramReport report("roce-ecmp",
                         "How evenly traffic spreads over equal paths: the flow hash against "
                         "chance, and a permutation over a leaf-spine under each way to choose a "
                         "path, with go-back-N and with receivers that take packets out of order.");
    report.AddOption("modes",
                     "Ways to choose a path, a list of Ecmp, Flowlet, PerPacket, RoundRobin, "
                     "Adaptive",
                     options.modes);
    report.AddOption("recoveries",
                     "Loss recovery of queue pairs, a list of GoBackN, SelectiveRepeat",
                     options.recoveries);
    report.AddOption("hashes", "Hash functions, a list of Crc16, Crc32, Toeplitz", options.hashes);
    report.AddOption("flows", "Flows of the hash", options.flows);
    report.AddOption("paths", "Paths of the hash", options.paths);
    report.AddOption("seeds", "Seeds over which the hash is averaged", options.seeds);
    report.AddOption("leaves", "Leaf switches of the permutation", options.leaves);
    report.AddOption("spines", "Spine switches, and hosts at each leaf", options.spines);
    report.AddOption("bytes", "Bytes that each host sends", options.bytes);
    report.AddOption("ecmpSeed", "Hash seed of the first switch; others follow", options.ecmpSeed);
    report.Parse(argc, argv);
    const std::vector<std::string> modes = SplitOption("modes", options.modes);
    CheckNames("modes", modes, {"Ecmp", "Flowlet", "PerPacket", "RoundRobin", "Adaptive"});
    const std::vector<std::string> recoveries = SplitOption("recoveries", options.recoveries);
    CheckNames("recoveries", recoveries, {"GoBackN", "SelectiveRepeat"});
    const std::vector<std::string> hashes = SplitOption("hashes", options.hashes);
    CheckNames("hashes", hashes, {"Crc16", "Crc32", "Toeplitz"});
    report.Begin({{"fabric", "fabric"},
                  {"mode", "mode"},
                  {"recovery", "recovery"},
                  {"messages", "messages"},
                  {"seconds", "end us", 1e6, 1},
                  {"slowestBps", "slowest Gb/s", 8e-9, 2},
                  {"meanBps", "mean Gb/s", 8e-9, 2},
                  {"share", "of line %", 100, 1},
                  {"outOfOrder", "out of order"},
                  {"retransmits", "retransmits"},
                  {"drops", "drops"}});
    ProgramReport& hash = report.AddSeries("hash",
                                           {{"hash", "hash"},
                                            {"flows", "flows"},
                                            {"paths", "paths"},
                                            {"seeds", "seeds"},
                                            {"idle", "idle %", 100, 2},
                                            {"idleError", "+-", 100, 2},
                                            {"idleExpected", "chance", 100, 2},
                                            {"fullest", "fullest", 1, 3},
                                            {"fullestError", "+-", 1, 3},
                                            {"fullestExpected", "chance", 1, 3}});
    for (const std::string& name : hashes)
    {
        report.ShowProgress(name);
        AddHashRow(name, options, hash);
    }
    hash.PrintTable(std::cout);
    std::cout << std::endl;
    for (const std::string& mode : modes)
    {
        for (const std::string& recovery : recoveries)
        {
            report.ShowProgress(mode + ", " + recovery);
            Result result;
            {
                Permutation permutation(mode, recovery, options);
                result = permutation.Run(options.spines);
            }
            Simulator::Destroy();
            // A RETH in each packet where they may come in any order.
            const double overhead = recovery == "SelectiveRepeat" ? 98 : 82;
            const double line = 100e9 / 8 * 4096 / (4096 + overhead);
            report.AddRow({"roce",
                           mode,
                           recovery,
                           static_cast<double>(result.delivered),
                           result.seconds,
                           result.slowest,
                           result.mean,
                           result.slowest / line,
                           static_cast<double>(result.outOfOrder),
                           static_cast<double>(result.retransmits),
                           static_cast<double>(result.drops)});
        }
    }
    report.AddNote("Share: the slowest flow, of the goodput of an empty 100 Gb/s line; latency of "
                   "the first packet included.");
    report.Finish(std::cout);
    return 0;
}

} // namespace

int
main(int argc, char* argv[])
{
    return ProgramReport::Main("roce-ecmp", Run, argc, argv);
}
