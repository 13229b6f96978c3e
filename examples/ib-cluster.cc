/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A cluster from the output of ibnetdiscover, routed by a subnet manager, under load.
//
//     ibnetdiscover > cluster.ibnetdiscover          on a machine of the cluster
//     ib-cluster --topology=cluster.ibnetdiscover --engine=updn --dumpLfts=cluster.lfts
//
// Tells what there is, whether the forwarding tables can deadlock, how long paths are and how many
// LIDs go over each cable. Then all hosts send at once, each to the one so many places further on:
// in a fat tree with good tables, every such shift has the full rate.

#include "ns3/ai-fabric-module.h"
#include "ns3/boolean.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/** What the command line says. */
struct Options
{
    std::string topology{"mixed-fat-tree"};
    std::string engine{"minhop"};
    std::string shifts{"1,4,8,16"};
    std::string dumpLfts;
    std::string defaultSpeed;
    BoundedOption<uint64_t> bytes{"bytes", 1048576, 1, uint64_t{1} << 40};
    BoundedOption<uint32_t> lmc{"lmc", 0, 0, 7};
    BoundedOption<uint32_t> dataLanes{"dataLanes", 4, 1, 15};
    BoundedOption<double> cableMeters{"cableMeters", 10, 0, 100000};
    bool adaptive{false};
};

/** Each host sends one message to the one some places further on. */
class Shift
{
  public:
    Shift(const IbCluster& cluster, uint32_t shift, uint64_t bytes)
        : m_transport(CreateObject<RdmaTransport>()),
          m_begin(FabricNow()),
          m_bytes(bytes)
    {
        const std::vector<Ptr<FabricNic>> nics = cluster.GetNics();
        m_transport->SetNics(nics);
        m_transport->SetDeliveredCallback(MakeCallback(&Shift::Delivered, this));
        m_transport->SetErrorCallback(MakeCallback(&Shift::Failed, this));
        for (uint32_t from = 0; from < nics.size(); ++from)
        {
            const auto to = static_cast<uint32_t>((from + shift) % nics.size());
            if (from != to)
            {
                m_transport->Send(from, to, bytes, 0);
            }
        }
    }

    ~Shift()
    {
        m_transport->Dispose();
    }

    std::vector<double> goodputs; //!< of messages, bits per second
    std::vector<double> shares;   //!< of these, of the slower of both ends' links

  private:
    void Delivered(uint32_t from, uint32_t to, uint64_t /* tag */)
    {
        const double goodput =
            8.0 * static_cast<double>(m_bytes) / FabricSeconds(FabricNow() - m_begin);
        const uint64_t rate = std::min(m_transport->GetNic(from)->GetDevice()->GetBitRate(),
                                       m_transport->GetNic(to)->GetDevice()->GetBitRate());
        goodputs.push_back(goodput);
        shares.push_back(goodput / static_cast<double>(rate));
    }

    void Failed(uint32_t from, uint32_t to, std::string what)
    {
        throw std::runtime_error("connection " + std::to_string(from) + " to " +
                                 std::to_string(to) + ": " + what);
    }

    Ptr<RdmaTransport> m_transport; //!< between all adapters
    FabricTick m_begin;             //!< when all began
    uint64_t m_bytes;               //!< of a message
};

/** @returns the mean of some numbers */
double
Mean(const std::vector<double>& numbers)
{
    double sum = 0;
    for (const double number : numbers)
    {
        sum += number;
    }
    return sum / static_cast<double>(numbers.size());
}

/** Tell what there is. */
void
AddInventory(ProgramReport& report, const IbNetDiscover& net)
{
    const SubnetSummary summary(net.graph);
    std::ostringstream line;
    line << summary.switches << " switches, " << summary.hosts << " hosts, " << summary.adapters
         << " adapters (" << summary.aggregationNodes << " of them aggregation nodes), "
         << summary.routers << " routers; " << summary.links << " links";
    const char* separator = ": ";
    for (const auto& width : summary.linksByWidth)
    {
        line << separator << width.second << " "
             << (width.first.empty() ? "of unknown speed" : width.first);
        separator = ", ";
    }
    report.AddNote(line.str());
    for (const std::string& warning : net.warnings)
    {
        report.AddNote("warning: " + warning);
    }
}

/** Tell what the routing engine has made of it. */
void
AddRouting(ProgramReport& report, const Ptr<IbSubnetManager>& manager)
{
    const SubnetRoutes& routes = manager->GetRoutes();
    const std::string engine = "engine " + manager->GetRoutingEngine()->GetName() + ": ";
    report.AddNote(engine + (manager->GetDeadlock().empty()
                                 ? "free of deadlocks on " + std::to_string(routes.layers) +
                                       (routes.layers == 1 ? " virtual lane" : " virtual lanes")
                                 : "can deadlock: " + manager->GetDeadlock()));
    const SubnetUsage usage(manager->GetGraph(), routes);
    std::ostringstream paths;
    const char* separator = "paths by switches passed: ";
    for (const auto& length : usage.paths)
    {
        paths << separator << length.second << " over " << length.first;
        separator = ", ";
    }
    report.AddNote(paths.str());
    report.AddNote("LIDs over a cable between switches, each way: " +
                   std::to_string(usage.minLids) + ".." + std::to_string(usage.maxLids));
}

/** @returns an InfiniBand fabric as the command line wants it */
std::unique_ptr<IbHelper>
MakeFabric(const Options& options)
{
    auto fabric = std::make_unique<IbHelper>();
    fabric->SetRoutingEngine(options.engine);
    fabric->SetSubnetManagerAttribute("Lmc", UintegerValue(options.lmc));
    fabric->SetSwitchAttribute("AdaptiveRouting", BooleanValue(options.adaptive));
    fabric->SetFlowControlAttribute("DataLanes", UintegerValue(options.dataLanes));
    fabric->SetAutoBuffer(true);
    fabric->SetChannelAttribute(
        "Delay",
        TimeValue(PicoSeconds(static_cast<uint64_t>(options.cableMeters * 5000))));
    return fabric;
}

int
Main(int argc, char* argv[])
{
    Options options;
    ProgramReport report("ib-cluster",
                         "Build a cluster from the output of ibnetdiscover, have a subnet manager "
                         "route it, and run shift permutations of RDMA WRITEs.");
    report.AddOption("topology",
                     "File of ibnetdiscover, or the name of one that is shipped",
                     options.topology);
    report.AddOption("engine", "Routing engine, by OpenSM's name", options.engine);
    report.AddOption("lmc", "LID mask control of hosts", options.lmc);
    report.AddOption("adaptive", "Switches choose among equally good ports", options.adaptive);
    report.AddOption("dataLanes", "Virtual lanes for data", options.dataLanes);
    report.AddOption("defaultSpeed",
                     "Speed of links that the file has none of, such as 4xNDR",
                     options.defaultSpeed);
    report.AddOption("cableMeters",
                     "Length of all cables in meters, 5 ns each",
                     options.cableMeters);
    report.AddOption("shifts", "Places further on, a list", options.shifts);
    report.AddOption("bytes", "Bytes of each message", options.bytes);
    report.AddOption("dumpLfts",
                     "File for the forwarding tables, as dump_lfts prints them",
                     options.dumpLfts);
    report.Parse(argc, argv);
    const std::vector<uint32_t> shifts = SplitNumbers<uint32_t>("shifts", options.shifts, 1, 49151);
    const IbNetDiscover net =
        IbNetDiscoverReader::ReadFile(IbClusterHelper::FindTopology(options.topology));
    const std::unique_ptr<IbHelper> fabric = MakeFabric(options);
    IbClusterHelper builder(*fabric);
    if (!options.defaultSpeed.empty())
    {
        builder.SetDefaultLinkSpeed(options.defaultSpeed);
    }
    const IbCluster cluster = builder.Create(net.graph);
    const Ptr<IbSubnetManager> manager = fabric->GetSubnetManager();

    report.Begin({{"fabric", "fabric"},
                  {"engine", "engine"},
                  {"shift", "shift"},
                  {"messages", "messages"},
                  {"messageBytes", "bytes"},
                  {"meanGoodputBps", "mean Gb/s", 1e-9, 2},
                  {"minGoodputBps", "min Gb/s", 1e-9, 2},
                  {"meanShare", "mean share", 1, 4},
                  {"minShare", "min share", 1, 4}});
    AddInventory(report, net);
    AddRouting(report, manager);
    for (const uint32_t shift : shifts)
    {
        report.ShowProgress("shift " + std::to_string(shift));
        Shift traffic(cluster, shift, options.bytes);
        Simulator::Run();
        if (traffic.goodputs.empty())
        {
            continue; // every host is its own receiver
        }
        report.AddRow({"ib",
                       options.engine,
                       static_cast<double>(shift),
                       static_cast<double>(traffic.goodputs.size()),
                       static_cast<double>(options.bytes),
                       Mean(traffic.goodputs),
                       *std::min_element(traffic.goodputs.begin(), traffic.goodputs.end()),
                       Mean(traffic.shares),
                       *std::min_element(traffic.shares.begin(), traffic.shares.end())});
    }
    Simulator::Destroy();
    report.AddNote("share: goodput of a message, from when all begin to its last packet, of the "
                   "rate of the slower of its two host links.");
    report.AddCurve({"goodput-over-shift",
                     "Goodput of shift permutations",
                     "shift",
                     "meanGoodputBps",
                     {"engine"},
                     false,
                     false});
    report.Finish(std::cout);
    if (!options.dumpLfts.empty())
    {
        std::ostringstream text;
        manager->DumpLfts(text);
        const std::filesystem::path path(options.dumpLfts);
        std::cout << ReportFiles::Write(path.has_parent_path() ? path.parent_path().string() : ".",
                                        path.filename().string(),
                                        text.str())
                  << std::endl;
    }
    return 0;
}

} // namespace

int
main(int argc, char* argv[])
{
    return ProgramReport::Main("ib-cluster", Main, argc, argv);
}
