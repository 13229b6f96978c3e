/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// One bad receiver in a lossless Ethernet fabric, without and with a PFC watchdog.
//
// All hosts of a leaf-spine send to a partner on another leaf; one host of every other leaf also
// sends to the first host. At some time that host begins to pause its priority for ever (a storm),
// or becomes slow. Pauses spread from its leaf to the spines and from there to all leaves, and
// flows that have nothing to do with it stand still, unless a watchdog breaks the storm where it
// begins.

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
    std::string faults{"storm,slow"};                                    //!< of the receiver
    std::string watchdogs{"Off,Drop,Forward,Alert"};                     //!< in a storm
    BoundedOption<uint32_t> slowGbps{"slowGbps", 5, 1, 1000};            //!< of a slow receiver
    BoundedOption<uint32_t> leaves{"leaves", 3, 2, 64};                  //!< leaf switches
    BoundedOption<uint32_t> spines{"spines", 2, 1, 64};                  //!< spine switches
    BoundedOption<uint32_t> hosts{"hosts", 4, 2, 64};                    //!< of a leaf
    BoundedOption<uint32_t> stormUs{"stormUs", 2000, 10, 100000000};     //!< length of the fault
    BoundedOption<uint32_t> windowUs{"windowUs", 300, 10, 10000000};     //!< before and after
    BoundedOption<uint32_t> detectionUs{"detectionUs", 200, 1, 5000000}; //!< of the watchdog
    BoundedOption<uint32_t> restorationUs{"restorationUs", 200, 1, 5000000}; //!< of the watchdog
    BoundedOption<uint32_t> sampleUs{"sampleUs", 20, 1, 1000000};            //!< of the curve
    BoundedOption<uint64_t> buffer{"bufferBytes", 4000000, 1, 1 << 30};      //!< of a switch
};

/** What became of a run. */
struct Result
{
    double before{0};           //!< bytes per second of flows to other hosts, until the fault
    double during{0};           //!< in its second half
    double after{0};            //!< from the restoration time after its end on
    uint32_t pausedPorts{0};    //!< switch ports whose priority was paused in the middle of it
    uint32_t pausedSwitches{0}; //!< switches with such a port
    uint32_t pausedHosts{0};    //!< hosts that were paused then
    double detected{NONE};      //!< seconds from the beginning of the fault
    double restored{NONE};      //!< seconds from its end
    uint64_t storms{0};         //!< detected by all watchdogs
    uint64_t watchdogDrops{0};  //!< frames
    uint64_t losslessDrops{0};  //!< frames, for want of room
    uint64_t pauses{0};         //!< pause frames sent
};

/** The fabric, its traffic, and what is seen of it. */
class Storm
{
  public:
    static constexpr uint8_t PRIORITY = 3; //!< of all data

    Storm(bool slow, const std::string& watchdog, const Options& options, ProgramReport& curve)
        : m_slow(slow),
          m_name(std::string(slow ? "slow" : "storm") + " " + watchdog),
          m_options(options),
          m_curve(curve)
    {
        m_fabric.SetDeviceAttribute("DataRate", StringValue("100Gbps"));
        m_fabric.SetDeviceAttribute("PfcWatchdog", StringValue(watchdog));
        m_fabric.SetDeviceAttribute("PfcWatchdogDetection",
                                    TimeValue(MicroSeconds(options.detectionUs)));
        m_fabric.SetDeviceAttribute("PfcWatchdogRestoration",
                                    TimeValue(MicroSeconds(options.restorationUs)));
        m_fabric.SetSwitchAttribute("BufferBytes", UintegerValue(options.buffer));
        // A host that is slow says so: its buffer has thresholds of its own.
        m_fabric.SetHostFlowControlAttribute("XoffBytes", UintegerValue(200000));
        m_fabric.SetHostFlowControlAttribute("XonBytes", UintegerValue(100000));
        m_fabric.SetDeadlockDetectorAttribute("Reaction", StringValue("Report"));
        m_topology = FabricTopologyHelper(m_fabric).CreateLeafSpine(options.leaves,
                                                                    options.spines,
                                                                    options.hosts);
        for (uint32_t i = 0; i < m_topology.switches.GetN(); ++i)
        {
            m_switches.push_back(FabricHelper::GetSwitch(m_topology.switches.Get(i)));
        }
    }

    Result Run()
    {
        const Ptr<RdmaTransport> transport = RdmaHelper::CreateTransport(m_topology.hosts);
        transport->SetErrorCallback(MakeCallback(&Storm::Failed, this));
        transport->SetQueuePairAttribute("TimeoutExponent", UintegerValue(6)); // 262 us
        const uint32_t n = m_topology.hosts.GetN();
        constexpr uint64_t FOR_EVER = 1ULL << 40;
        for (uint32_t host = 1; host < n; ++host)
        {
            // A partner on the next leaf; nobody's is host 0.
            const uint32_t to = (host + m_options.hosts) % n;
            if (to)
            {
                transport->Send(host, to, FOR_EVER, 0);
            }
            if (host % m_options.hosts == 0)
            {
                transport->Send(host, 0, FOR_EVER, 0);
            }
        }
        const Time begin = MicroSeconds(m_options.windowUs + WARM_UP_US);
        const Time length = MicroSeconds(m_options.stormUs);
        const Time settle = MicroSeconds(2 * m_options.restorationUs + SETTLE_US);
        Simulator::Schedule(MicroSeconds(WARM_UP_US), &Storm::Mark, this);
        Simulator::Schedule(begin, &Storm::Mark, this);
        Simulator::Schedule(begin, &Storm::SetFault, this, true);
        Simulator::Schedule(begin + length / 2, &Storm::Mark, this);
        Simulator::Schedule(begin + length / 2, &Storm::CountPaused, this);
        Simulator::Schedule(begin + length, &Storm::Mark, this);
        Simulator::Schedule(begin + length, &Storm::SetFault, this, false);
        Simulator::Schedule(begin + length + settle, &Storm::Mark, this);
        Simulator::Schedule(begin + length + settle + MicroSeconds(m_options.windowUs),
                            &Storm::Mark,
                            this);
        Sample();
        Simulator::Stop(begin + length + settle + MicroSeconds(m_options.windowUs) +
                        NanoSeconds(1));
        Simulator::Run();
        m_result.before = GetRate(0, 1);
        m_result.during = GetRate(2, 3);
        m_result.after = GetRate(4, 5);
        Count(begin, begin + length);
        transport->Dispose();
        return m_result;
    }

  private:
    static constexpr uint32_t WARM_UP_US = 100; //!< until all flows run
    static constexpr uint32_t SETTLE_US = 600;  //!< until all senders have tried again

    /** @returns payload that hosts other than the bad one have got so far */
    uint64_t CountBytes() const
    {
        uint64_t bytes = 0;
        for (uint32_t host = 1; host < m_topology.hosts.GetN(); ++host)
        {
            const Ptr<FabricNic> nic = RdmaHelper::GetNic(m_topology.hosts.Get(host));
            for (std::size_t i = 0; i < nic->GetQueuePairs(); ++i)
            {
                bytes += nic->GetQueuePair(i)->GetResponder().GetBytes();
            }
        }
        return bytes;
    }

    void Mark()
    {
        m_marks.push_back({FabricSeconds(FabricNow()), static_cast<double>(CountBytes())});
    }

    double GetRate(std::size_t from, std::size_t to) const
    {
        return (m_marks.at(to).bytes - m_marks.at(from).bytes) /
               (m_marks.at(to).at - m_marks.at(from).at);
    }

    void SetFault(bool begin)
    {
        const auto device = DynamicCast<RoceNetDevice>(m_topology.hostDevices.Get(0));
        if (m_slow)
        {
            device->SetDrainRate(DataRate(begin ? m_options.slowGbps * 1000000000ULL : 0));
        }
        else
        {
            device->SetPauseStorm(begin ? 1 << PRIORITY : 0);
        }
    }

    void CountPaused()
    {
        for (const Ptr<FabricSwitch>& sw : m_switches)
        {
            uint32_t paused = 0;
            for (uint16_t port = 0; port < sw->GetNPorts(); ++port)
            {
                paused += IsPaused(sw->GetPort(port)) ? 1 : 0;
            }
            m_result.pausedPorts += paused;
            m_result.pausedSwitches += paused ? 1 : 0;
        }
        for (uint32_t i = 0; i < m_topology.hostDevices.GetN(); ++i)
        {
            const auto device = DynamicCast<FabricNetDevice>(m_topology.hostDevices.Get(i));
            m_result.pausedHosts += IsPaused(device) ? 1 : 0;
        }
    }

    static bool IsPaused(const Ptr<FabricNetDevice>& device)
    {
        const auto pause = dynamic_cast<PauseFlowControl*>(device->GetPort().GetFlowControl());
        return pause && pause->GetPausedUntil(PRIORITY) > FabricNow();
    }

    void Count(Time begin, Time end)
    {
        for (const Ptr<FabricSwitch>& sw : m_switches)
        {
            for (uint16_t port = 0; port < sw->GetNPorts(); ++port)
            {
                const auto device = DynamicCast<RoceNetDevice>(sw->GetPort(port));
                m_result.watchdogDrops += device->GetWatchdogDrops();
                m_result.losslessDrops += device->GetLosslessDrops();
                m_result.pauses += device->GetClassCounters(PRIORITY).pausesOut;
                const PfcWatchdog* watchdog = device->GetPfcWatchdog();
                m_result.storms += watchdog ? watchdog->GetStorms(PRIORITY) : 0;
                const bool bad =
                    device->GetPort().GetPeer() == PeekPointer(m_topology.hostDevices.Get(0));
                if (bad && watchdog && watchdog->GetStorms(PRIORITY))
                {
                    const FabricTick restored = watchdog->GetRestoredAt(PRIORITY);
                    m_result.detected =
                        FabricSeconds(watchdog->GetDetectedAt(PRIORITY) - begin.GetTimeStep());
                    m_result.restored = restored == FABRIC_NEVER
                                            ? NONE
                                            : FabricSeconds(restored - end.GetTimeStep());
                }
            }
        }
    }

    void Sample()
    {
        const auto bytes = static_cast<double>(CountBytes());
        if (FabricNow() > 0)
        {
            m_curve.AddRow({m_name,
                            FabricSeconds(FabricNow()),
                            (bytes - m_sampled) / m_options.sampleUs * 1e6});
        }
        m_sampled = bytes;
        Simulator::Schedule(MicroSeconds(m_options.sampleUs), &Storm::Sample, this);
    }

    void Failed(uint32_t /* from */, uint32_t /* to */, std::string /* what */)
    {
        // The curve shows what is missing.
    }

    /** How much had been received at some time. */
    struct MarkPoint
    {
        double at;    //!< seconds
        double bytes; //!< payload
    };

    bool m_slow;                               //!< a slow receiver, no storm
    std::string m_name;                        //!< of the curve
    const Options& m_options;                  //!< what the user asks for
    ProgramReport& m_curve;                    //!< throughput over time
    RoceHelper m_fabric;                       //!< installs
    FabricTopology m_topology;                 //!< the nodes
    std::vector<Ptr<FabricSwitch>> m_switches; //!< leaves and spines
    std::vector<MarkPoint> m_marks;            //!< beginning and end of three windows
    double m_sampled{0};                       //!< bytes at the latest sample
    Result m_result;                           //!< so far
};

int
Run(int argc, char* argv[])
{
    Options options;
    ProgramReport report("roce-storm",
                         "A receiver that storms pause frames, or is slow: how far its congestion "
                         "spreads in a lossless leaf-spine, without and with a PFC watchdog.");
    report.AddOption("faults",
                     "What is wrong with the receiver, a list of storm, slow",
                     options.faults);
    report.AddOption("watchdogs",
                     "PFC watchdogs in a storm, a list of Off, Drop, Forward, Alert",
                     options.watchdogs);
    report.AddOption("slowGbps", "Gb/s at which a slow receiver takes data", options.slowGbps);
    report.AddOption("leaves", "Leaf switches", options.leaves);
    report.AddOption("spines", "Spine switches", options.spines);
    report.AddOption("hosts", "Hosts at each leaf", options.hosts);
    report.AddOption("stormUs", "Length of the fault in us", options.stormUs);
    report.AddOption("windowUs",
                     "Time before and after it that is measured in us",
                     options.windowUs);
    report.AddOption("detectionUs", "Detection time of the watchdog in us", options.detectionUs);
    report.AddOption("restorationUs",
                     "Restoration time of the watchdog in us",
                     options.restorationUs);
    report.AddOption("sampleUs", "Time between two points of the curve in us", options.sampleUs);
    report.AddOption("bufferBytes", "Buffer of a switch", options.buffer);
    report.Parse(argc, argv);
    const std::vector<std::string> faults = SplitOption("faults", options.faults);
    CheckNames("faults", faults, {"storm", "slow"});
    const std::vector<std::string> watchdogs = SplitOption("watchdogs", options.watchdogs);
    CheckNames("watchdogs", watchdogs, {"Off", "Drop", "Forward", "Alert"});
    report.Begin({{"fabric", "fabric"},
                  {"fault", "fault"},
                  {"watchdog", "watchdog"},
                  {"beforeBps", "before Gb/s", 8e-9, 1},
                  {"duringBps", "during", 8e-9, 1},
                  {"afterBps", "after", 8e-9, 1},
                  {"pausedPorts", "paused ports"},
                  {"pausedSwitches", "switches"},
                  {"pausedHosts", "hosts"},
                  {"detectedSeconds", "detected us", 1e6, 1},
                  {"restoredSeconds", "restored us", 1e6, 1},
                  {"storms", "storms"},
                  {"watchdogDrops", "wd drops"},
                  {"losslessDrops", "lossless drops"},
                  {"pauseFrames", "pauses"}});
    ProgramReport& curve = report.AddSeries(
        "throughput",
        {{"run", "run"}, {"seconds", "time us", 1e6, 1}, {"bps", "Gb/s", 8e-9, 1}});
    for (const std::string& fault : faults)
    {
        for (const std::string& watchdog : watchdogs)
        {
            if (fault == "slow" && watchdog != watchdogs.front())
            {
                continue; // its pauses end: no storm
            }
            report.ShowProgress(fault + ", watchdog " + watchdog);
            Result result;
            {
                Storm storm(fault == "slow", watchdog, options, curve);
                result = storm.Run();
            }
            Simulator::Destroy();
            report.AddRow({"roce",
                           fault,
                           watchdog,
                           result.before,
                           result.during,
                           result.after,
                           static_cast<double>(result.pausedPorts),
                           static_cast<double>(result.pausedSwitches),
                           static_cast<double>(result.pausedHosts),
                           result.detected,
                           result.restored,
                           static_cast<double>(result.storms),
                           static_cast<double>(result.watchdogDrops),
                           static_cast<double>(result.losslessDrops),
                           static_cast<double>(result.pauses)});
        }
    }
    report.AddNote("Throughput is that of all hosts but the bad one; \"during\" is the second half "
                   "of the fault, paused is what was paused in its middle.");
    report.AddNote("Detection counts from the beginning of the fault, restoration from its end.");
    curve.AddCurve({"throughput", "Received by all but the bad host", "seconds", "bps", {"run"}});
    report.Finish(std::cout);
    return 0;
}

} // namespace

int
main(int argc, char* argv[])
{
    return ProgramReport::Main("roce-storm", Run, argc, argv);
}
