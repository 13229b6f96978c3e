/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Deadlocks of lossless Ethernet, and what breaks them.
//
// ring: switches in a circle, every host sends to a host some switches further on, all the same way
// round. The buffers of the ring wait for each other at some point; the run names the cycle. A PFC
// watchdog breaks it by drops, which the senders repair.
//
// loop: two switches send a destination to each other (a routing loop). The time to live bounds how
// often a packet goes round, so the loop carries a flow of up to 2 x link rate / TTL; a faster one
// fills the buffers and deadlocks, for ever (Hu et al., HotNets 2016).

#include "ns3/ai-fabric-module.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
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
    std::string watchdogs{"Off,Drop"};                                   //!< of the ring
    std::string rates{"4,6"};                                            //!< Gb/s into the loop
    BoundedOption<uint32_t> switches{"switches", 3, 3, 60};              //!< in the ring
    BoundedOption<uint32_t> hosts{"hosts", 2, 1, 16};                    //!< at each switch
    BoundedOption<uint32_t> hops{"hops", 2, 1, 30};                      //!< between the two hosts
    BoundedOption<uint64_t> bytes{"bytes", 2000000, 1, 1000000000};      //!< of a message
    BoundedOption<uint64_t> buffer{"bufferBytes", 1200000, 1, 1 << 30};  //!< of a switch
    BoundedOption<uint32_t> detectionUs{"detectionUs", 200, 1, 5000000}; //!< of the watchdog
    BoundedOption<uint32_t> restorationUs{"restorationUs", 200, 1, 5000000}; //!< of the watchdog
    BoundedOption<uint32_t> ttl{"ttl", 16, 2, 255};                          //!< in the loop
    BoundedOption<uint32_t> loopUs{"loopUs", 5000, 100, 10000000}; //!< for which it is fed
};

/** What became of a run. */
struct Result
{
    std::string cycle;         //!< of the first deadlock; empty if there was none
    double deadlockAt{NONE};   //!< seconds
    double end{NONE};          //!< when the last message was delivered, seconds
    uint64_t deadlocks{0};     //!< found
    uint64_t delivered{0};     //!< messages
    uint64_t expected{0};      //!< messages
    uint64_t storms{0};        //!< detected by watchdogs
    uint64_t watchdogDrops{0}; //!< frames
    uint64_t ttlDrops{0};      //!< frames
    uint64_t retransmits{0};   //!< packets
    bool stands{false};        //!< at the end, nothing moves although frames wait
};

/** Sums what the ports of a fabric have counted. */
void
CountPorts(const NodeContainer& switches, Result& result)
{
    for (uint32_t i = 0; i < switches.GetN(); ++i)
    {
        const Ptr<FabricSwitch> sw = FabricHelper::GetSwitch(switches.Get(i));
        for (uint16_t port = 0; port < sw->GetNPorts(); ++port)
        {
            const auto device = DynamicCast<RoceNetDevice>(sw->GetPort(port));
            result.watchdogDrops += device->GetWatchdogDrops();
            result.ttlDrops += device->GetHopLimitDrops();
            for (uint8_t priority = 0; device->GetPfcWatchdog() && priority < 8; ++priority)
            {
                result.storms += device->GetPfcWatchdog()->GetStorms(priority);
            }
        }
        result.stands |= DynamicCast<RoceSwitch>(sw)->GetBuffer().GetUsed() > 0;
    }
}

/** Keeps the first deadlock that the detector of a fabric finds. */
class FirstDeadlock
{
  public:
    explicit FirstDeadlock(const NodeContainer& switches)
        : m_detector(FabricDeadlockDetector::Find(FabricHelper::GetSwitch(switches.Get(0))))
    {
        m_detector->TraceConnectWithoutContext("Deadlock",
                                               MakeCallback(&FirstDeadlock::Found, this));
    }

    ~FirstDeadlock()
    {
        m_detector->TraceDisconnectWithoutContext("Deadlock",
                                                  MakeCallback(&FirstDeadlock::Found, this));
    }

    /** Takes what was found. */
    void Count(Result& result) const
    {
        result.deadlocks = m_detector->GetDeadlocks();
        result.cycle = m_cycle;
        result.deadlockAt = m_at;
    }

  private:
    void Found(const std::string& cycle)
    {
        if (m_cycle.empty())
        {
            m_cycle = cycle;
            m_at = FabricSeconds(FabricNow());
        }
    }

    Ptr<FabricDeadlockDetector> m_detector; //!< of the fabric
    std::string m_cycle;                    //!< the first; empty: none
    double m_at{NONE};                      //!< seconds
};

/** The ring, its traffic, and what is seen of it. */
class Ring
{
  public:
    Ring(const std::string& watchdog, const Options& options)
        : m_options(options)
    {
        m_fabric.SetDeviceAttribute("DataRate", StringValue("100Gbps"));
        m_fabric.SetSwitchAttribute("BufferBytes", UintegerValue(options.buffer));
        m_fabric.SetDeviceAttribute("PfcWatchdog", StringValue(watchdog));
        m_fabric.SetDeviceAttribute("PfcWatchdogDetection",
                                    TimeValue(MicroSeconds(options.detectionUs)));
        m_fabric.SetDeviceAttribute("PfcWatchdogRestoration",
                                    TimeValue(MicroSeconds(options.restorationUs)));
        // If nobody acts, nothing will happen any more.
        const bool acts = watchdog == "Drop" || watchdog == "Forward";
        m_fabric.SetDeadlockDetectorAttribute("Reaction", StringValue(acts ? "Report" : "Stop"));
        m_fabric.SetDeadlockDetectorAttribute("CheckInterval", TimeValue(MicroSeconds(20)));
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
        NetDeviceContainer devices;
        for (uint32_t i = 0; i < m_hosts.GetN(); ++i)
        {
            devices.Add(m_fabric.Install(m_hosts.Get(i), m_switches.Get(i / options.hosts)).Get(0));
        }
        m_fabric.Configure(m_switches);
        RouteClockwise(devices);
    }

    Result Run()
    {
        const Ptr<RdmaTransport> transport = RdmaHelper::CreateTransport(m_hosts);
        transport->SetDeliveredCallback(MakeCallback(&Ring::Delivered, this));
        transport->SetErrorCallback(MakeCallback(&Ring::Failed, this));
        // Senders look again soon after a watchdog has dropped their packets.
        transport->SetQueuePairAttribute("TimeoutExponent", UintegerValue(8));
        const FirstDeadlock first(m_switches);
        const uint32_t n = m_hosts.GetN();
        for (uint32_t host = 0; host < n; ++host)
        {
            transport->Send(host,
                            (host + m_options.hops * m_options.hosts) % n,
                            m_options.bytes,
                            0);
        }
        Simulator::Run();
        m_result.expected = n;
        first.Count(m_result);
        CountPorts(m_switches, m_result);
        for (uint32_t i = 0; i < n; ++i)
        {
            m_result.retransmits += RdmaHelper::GetNic(m_hosts.Get(i))->GetCounters().retransmitted;
        }
        transport->Dispose();
        return m_result;
    }

  private:
    void RouteClockwise(const NetDeviceContainer& devices)
    {
        for (uint32_t host = 0; host < devices.GetN(); ++host)
        {
            const auto device = DynamicCast<FabricNetDevice>(devices.Get(host));
            for (uint32_t i = 0; i < m_options.switches; ++i)
            {
                if (i != host / m_options.hosts)
                {
                    // The last cable comes back to switch 0, as its second.
                    FabricHelper::GetSwitch(m_switches.Get(i))
                        ->SetRoute(device->GetFabricAddress(),
                                   {static_cast<uint16_t>(i == 0 ? 0 : 1)});
                }
            }
        }
    }

    void Delivered(uint32_t /* from */, uint32_t /* to */, uint64_t /* tag */)
    {
        m_result.end = FabricSeconds(FabricNow());
        ++m_result.delivered;
    }

    void Failed(uint32_t /* from */, uint32_t /* to */, std::string /* what */)
    {
        // A message less; the table says so.
    }

    const Options& m_options; //!< what the user asks for
    RoceHelper m_fabric;      //!< of the ring
    NodeContainer m_switches; //!< in the order of the ring
    NodeContainer m_hosts;    //!< switch by switch
    Result m_result;          //!< so far
};

/** Feeds a loop of two switches at a rate, then stops and looks whether it runs empty. */
Result
RunLoop(uint64_t rate, const Options& options)
{
    RoceHelper fabric;
    fabric.SetDeviceAttribute("DataRate", StringValue("40Gbps"));
    fabric.SetSwitchAttribute("BufferBytes", UintegerValue(options.buffer));
    fabric.SetDeadlockDetectorAttribute("Reaction", StringValue("Report"));
    fabric.SetDeadlockDetectorAttribute("CheckInterval", TimeValue(MicroSeconds(50)));
    NodeContainer switches(2);
    NodeContainer hosts(2);
    for (uint32_t i = 0; i < 2; ++i)
    {
        fabric.InstallSwitch(switches.Get(i));
    }
    fabric.Install(switches.Get(0), switches.Get(1));
    const auto from =
        DynamicCast<FabricNetDevice>(fabric.Install(hosts.Get(0), switches.Get(0)).Get(0));
    const auto to =
        DynamicCast<FabricNetDevice>(fabric.Install(hosts.Get(1), switches.Get(1)).Get(0));
    fabric.Configure(switches);
    const Ptr<RdmaTransport> transport = RdmaHelper::CreateTransport(hosts);
    transport->SetQueuePairAttribute("Ttl", UintegerValue(options.ttl));
    transport->SetQueuePairAttribute("MaxRate", DataRateValue(DataRate(rate)));
    transport->SetQueuePairAttribute("TimeoutExponent", UintegerValue(0));
    // The wrong entry: switch 1 sends what is for its host back to switch 0.
    FabricHelper::GetSwitch(switches.Get(1))->SetRoute(to->GetFabricAddress(), {0});
    const FirstDeadlock first(switches);
    const uint64_t bytes = rate / 8 * options.loopUs / 1000000;
    transport->Send(0, 1, bytes, 0);
    Simulator::Stop(MicroSeconds(3 * options.loopUs));
    Simulator::Run();
    Result result;
    first.Count(result);
    CountPorts(switches, result);
    transport->Dispose();
    return result;
}

/** @returns a row of the table */
std::vector<ProgramReport::Cell>
MakeRow(const std::string& scenario,
        const std::string& watchdog,
        double rate,
        const Result& result,
        const std::string& outcome)
{
    const bool ring = scenario == "ring";
    return {"roce",
            scenario,
            watchdog,
            rate,
            outcome,
            result.deadlockAt,
            static_cast<double>(result.deadlocks),
            static_cast<double>(result.storms),
            ring ? static_cast<double>(result.delivered) : NONE,
            ring ? static_cast<double>(result.expected) : NONE,
            result.delivered == result.expected ? result.end : NONE,
            static_cast<double>(result.watchdogDrops),
            static_cast<double>(result.ttlDrops),
            ring ? static_cast<double>(result.retransmits) : NONE};
}

int
Run(int argc, char* argv[])
{
    Options options;
    ProgramReport report(
        "roce-deadlock",
        "Deadlocks of lossless Ethernet: a ring of switches without and with a PFC "
        "watchdog, and a routing loop below and above the rate that it can carry.");
    report.AddOption("watchdogs",
                     "PFC watchdogs of the ring, a list of Off, Drop, Forward, Alert",
                     options.watchdogs);
    report.AddOption("rates", "Rates into the routing loop in Gb/s, a list", options.rates);
    report.AddOption("switches", "Switches in the ring", options.switches);
    report.AddOption("hosts", "Hosts at each switch", options.hosts);
    report.AddOption("hops", "Switches from a host to the one that it sends to", options.hops);
    report.AddOption("bytes", "Bytes that each host of the ring sends", options.bytes);
    report.AddOption("bufferBytes", "Buffer of a switch", options.buffer);
    report.AddOption("detectionUs", "Detection time of the watchdog in us", options.detectionUs);
    report.AddOption("restorationUs",
                     "Restoration time of the watchdog in us",
                     options.restorationUs);
    report.AddOption("ttl", "Time to live in the loop", options.ttl);
    report.AddOption("loopUs", "Time for which the loop is fed in us", options.loopUs);
    report.Parse(argc, argv);
    if (options.hops >= options.switches)
    {
        throw std::invalid_argument("--hops=" + std::to_string(options.hops) +
                                    ", expected less than the " + std::to_string(options.switches) +
                                    " switches");
    }
    const std::vector<std::string> watchdogs = SplitOption("watchdogs", options.watchdogs);
    CheckNames("watchdogs", watchdogs, {"Off", "Drop", "Forward", "Alert"});
    const std::vector<uint64_t> rates = SplitNumbers<uint64_t>("rates", options.rates, 1, 40);
    report.Begin({{"fabric", "fabric"},
                  {"scenario", "scenario"},
                  {"watchdog", "watchdog"},
                  {"rateBps", "rate Gb/s", 1e-9, 1},
                  {"outcome", "outcome"},
                  {"deadlockSeconds", "deadlock us", 1e6, 1},
                  {"deadlocks", "deadlocks"},
                  {"storms", "storms"},
                  {"messages", "messages"},
                  {"expectedMessages", "of"},
                  {"seconds", "end us", 1e6, 1},
                  {"watchdogDrops", "wd drops"},
                  {"ttlDrops", "TTL drops"},
                  {"retransmits", "retransmits"}});
    for (const std::string& watchdog : watchdogs)
    {
        report.ShowProgress("ring, watchdog " + watchdog);
        Result result;
        {
            Ring ring(watchdog, options);
            result = ring.Run();
        }
        Simulator::Destroy();
        const bool done = result.delivered == result.expected;
        const std::string outcome = !done              ? "deadlock"
                                    : result.deadlocks ? "deadlock, resolved"
                                                       : "done";
        report.AddRow(MakeRow("ring", watchdog, NONE, result, outcome));
        if (!result.cycle.empty())
        {
            report.AddNote("ring, watchdog " + watchdog + ": " + result.cycle);
        }
    }
    for (const uint64_t rate : rates)
    {
        report.ShowProgress("loop, " + std::to_string(rate) + " Gb/s");
        const Result result = RunLoop(rate * 1000000000, options);
        Simulator::Destroy();
        report.AddRow(MakeRow("loop",
                              "Off",
                              static_cast<double>(rate) * 1e9,
                              result,
                              result.stands ? "deadlock" : "runs empty"));
        if (!result.cycle.empty())
        {
            report.AddNote("loop, " + std::to_string(rate) + " Gb/s: " + result.cycle);
        }
    }
    report.AddNote("The loop of two 40 Gb/s links and TTL " + std::to_string(options.ttl) +
                   " carries up to " +
                   std::to_string(80.0 / static_cast<double>(options.ttl)).substr(0, 5) +
                   " Gb/s (2 x 40 / TTL).");
    report.Finish(std::cout);
    return 0;
}

} // namespace

int
main(int argc, char* argv[])
{
    return ProgramReport::Main("roce-deadlock", Run, argc, argv);
}
