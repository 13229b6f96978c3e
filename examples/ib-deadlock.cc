/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A ring of InfiniBand switches under different routing engines. Every host sends to a host that
// is some switches further on, all the same way round. With shortest paths the buffers of the ring
// wait for each other, and at some point for ever; the run says which. Paths that never turn from
// down to up (updn), or a second virtual lane (lash), don't close the circle.
//
//        hosts      hosts
//          |          |
//       switch 0 - switch 1
//          |          |            (any number of switches)
//       switch 3 - switch 2
//          |          |
//        hosts      hosts

#include "ns3/ai-fabric-module.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <iostream>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/** What the user asks for. */
struct Options
{
    std::string engines{"minhop,updn,lash"};                             //!< to be compared
    BoundedOption<uint32_t> switches{"switches", 5, 3, 60};              //!< in the ring
    BoundedOption<uint32_t> hosts{"hosts", 2, 1, 16};                    //!< at each switch
    BoundedOption<uint32_t> hops{"hops", 2, 1, 30};                      //!< between the two hosts
    BoundedOption<uint64_t> bytes{"bytes", 4000000, 1, 1000000000};      //!< of a message
    BoundedOption<uint64_t> buffer{"bufferBytes", 65536, 4224, 1 << 20}; //!< of a lane
    BoundedOption<uint32_t> sampleUs{"sampleUs", 20, 1, 1000000};        //!< of the curve
};

/** What became of a run. */
struct Result
{
    std::string proof;    //!< cycle of the tables; empty: proven that there is none
    uint32_t lanes{0};    //!< virtual lanes that the engine needs
    std::string cycle;    //!< of the deadlock; empty if there was none
    double deadlockAt{0}; //!< seconds
    double end{0};        //!< when the last message was delivered, seconds
    uint64_t messages{0}; //!< delivered
};

/** The ring, its traffic, and what is seen of it. */
class Ring
{
  public:
    Ring(const std::string& engine, const Options& options, ProgramReport& curve)
        : m_engine(engine),
          m_options(options),
          m_curve(curve)
    {
        m_fabric.SetLinkSpeed("4xHDR");
        m_fabric.SetFlowControlAttribute("BufferBytes", UintegerValue(options.buffer));
        m_fabric.SetDeadlockDetectorAttribute("Reaction", StringValue("Stop"));
        m_fabric.SetRoutingEngine(engine);
        m_switches.Create(options.switches);
        for (uint32_t i = 0; i < options.switches; ++i)
        {
            m_fabric.InstallSwitch(m_switches.Get(i));
        }
        for (uint32_t i = 0; i < options.switches; ++i)
        {
            m_fabric.Install(m_switches.Get(i), m_switches.Get((i + 1) % options.switches));
        }
        m_hosts.Create(options.switches * options.hosts);
        for (uint32_t i = 0; i < m_hosts.GetN(); ++i)
        {
            m_fabric.Install(m_hosts.Get(i), m_switches.Get(i / options.hosts));
        }
        m_fabric.Configure(m_switches);
    }

    Result Run()
    {
        Result result;
        result.lanes = m_fabric.GetSubnetManager()->GetRoutes().layers;
        result.proof = m_fabric.GetSubnetManager()->GetDeadlock();
        const Ptr<RdmaTransport> transport = RdmaHelper::CreateTransport(m_hosts);
        transport->SetDeliveredCallback(MakeCallback(&Ring::Delivered, this));
        const uint32_t n = m_hosts.GetN();
        for (uint32_t host = 0; host < n; ++host)
        {
            transport->Send(host,
                            (host + m_options.hops * m_options.hosts) % n,
                            m_options.bytes,
                            0);
        }
        Sample();
        Simulator::Run();
        const Ptr<FabricDeadlockDetector> detector =
            FabricDeadlockDetector::Find(FabricHelper::GetSwitch(m_switches.Get(0)));
        result.cycle = detector->GetCycle();
        result.deadlockAt = result.cycle.empty() ? std::numeric_limits<double>::quiet_NaN()
                                                 : FabricSeconds(detector->GetFoundAt());
        result.messages = m_delivered;
        result.end = m_end;
        transport->Dispose();
        return result;
    }

  private:
    void Delivered(uint32_t /* from */, uint32_t /* to */, uint64_t /* tag */)
    {
        m_end = FabricSeconds(FabricNow());
        ++m_delivered;
    }

    void Sample()
    {
        uint64_t packets = 0;
        for (uint32_t i = 0; i < m_hosts.GetN(); ++i)
        {
            packets += RdmaHelper::GetNic(m_hosts.Get(i))->GetCounters().rxPackets;
        }
        m_curve.AddRow({m_engine, FabricSeconds(FabricNow()), static_cast<double>(packets)});
        if (m_delivered < m_hosts.GetN())
        {
            Simulator::Schedule(MicroSeconds(m_options.sampleUs), &Ring::Sample, this);
        }
    }

    std::string m_engine;     //!< its name
    const Options& m_options; //!< what the user asks for
    ProgramReport& m_curve;   //!< packets over time
    IbHelper m_fabric;        //!< of the ring
    NodeContainer m_switches; //!< in the order of the ring
    NodeContainer m_hosts;    //!< switch by switch
    uint64_t m_delivered{0};  //!< messages
    double m_end{0};          //!< of the latest message, seconds
};

int
Run(int argc, char* argv[])
{
    Options options;
    ProgramReport report("ib-deadlock",
                         "A ring of InfiniBand switches under different routing engines: do the "
                         "tables have a cycle of buffers, and does the run deadlock?");
    report.AddOption("engines", "Routing engines, a list", options.engines);
    report.AddOption("switches", "Switches in the ring", options.switches);
    report.AddOption("hosts", "Hosts at each switch", options.hosts);
    report.AddOption("hops", "Switches from a host to the one that it sends to", options.hops);
    report.AddOption("bytes", "Bytes that each host sends", options.bytes);
    report.AddOption("bufferBytes", "Receive buffer of a virtual lane", options.buffer);
    report.AddOption("sampleUs", "Time between two points of the curve in us", options.sampleUs);
    report.Parse(argc, argv);
    if (options.hops >= options.switches)
    {
        throw std::invalid_argument("--hops=" + std::to_string(options.hops) +
                                    ", expected less than the " + std::to_string(options.switches) +
                                    " switches");
    }
    const std::vector<std::string> engines = SplitOption("engines", options.engines);
    for (const std::string& engine : engines)
    {
        RoutingEngine::Create(engine); // throws if there is none
    }
    report.Begin({{"fabric", "fabric"},
                  {"engine", "engine"},
                  {"lanes", "lanes"},
                  {"tables", "tables"},
                  {"outcome", "outcome"},
                  {"deadlockSeconds", "deadlock us", 1e6, 1},
                  {"messages", "messages"},
                  {"expectedMessages", "of"},
                  {"seconds", "end us", 1e6, 1},
                  {"goodputBps", "goodput Gb/s", 8e-9, 2}});
    ProgramReport& curve = report.AddSeries(
        "progress",
        {{"engine", "engine"}, {"seconds", "time us", 1e6, 1}, {"packets", "packets received"}});
    for (const std::string& engine : engines)
    {
        report.ShowProgress(engine);
        Result result;
        {
            Ring ring(engine, options, curve);
            result = ring.Run();
        }
        Simulator::Destroy();
        const double nan = std::numeric_limits<double>::quiet_NaN();
        const bool dead = !result.cycle.empty();
        const auto messages = static_cast<double>(result.messages);
        report.AddRow({"ib",
                       engine,
                       static_cast<double>(result.lanes),
                       result.proof.empty() ? "no cycle" : "cycle",
                       dead ? "deadlock" : "done",
                       result.deadlockAt,
                       messages,
                       static_cast<double>(options.switches * options.hosts),
                       dead ? nan : result.end,
                       dead ? nan : messages * static_cast<double>(options.bytes) / result.end});
        if (!result.proof.empty())
        {
            report.AddNote(engine + ", tables: " + result.proof);
        }
        if (dead)
        {
            report.AddNote(engine + ", run: " + result.cycle);
        }
    }
    report.AddNote("Port n of a switch in the tables is its device n - 1 in the run.");
    curve.AddCurve({"progress", "Packets received by all hosts", "seconds", "packets", {"engine"}});
    report.Finish(std::cout);
    return 0;
}

} // namespace

int
main(int argc, char* argv[])
{
    return ProgramReport::Main("ib-deadlock", Run, argc, argv);
}
