/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What ib_write_lat would show: half the round trip of an RDMA WRITE over switches in a row, by
// generation of the hardware. The fabric is idle unless --load says otherwise, so that minimum and
// maximum are equal to the picosecond. The first round trip is not counted.
//
//     host 0 --- switch --- ... --- switch --- host 1
//                  /
//     load --------      (sends to host 1, too)

#include "ns3/ai-fabric-module.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <array>
#include <cmath>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/** A generation of InfiniBand hardware. */
struct Generation
{
    std::string name;        //!< as --generation takes it
    std::string switchModel; //!< its switch, which says the rate, too
    std::string nicModel;    //!< its NIC
};

const std::vector<Generation> GENERATIONS = {
    {"edr", "switch-ib-2", "edr"},
    {"hdr", "quantum", "connectx-6"},
    {"ndr", "quantum-2", "connectx-7"},
};

/** What the user asks for. */
struct Options
{
    std::string generation{"all"};                                      //!< a name, or all of them
    std::string switches{"1,3"};                                        //!< lengths of the row
    std::string sizes{"2,8,64,256,1024,4096,32768,1048576"};            //!< bytes of a message
    BoundedOption<uint32_t> iterations{"iterations", 1000, 1, 1000000}; //!< round trips
    BoundedOption<double> metres{"metres", 2, 0, 100000};               //!< of a cable
    BoundedOption<double> load{"load", 0, 0, 0.9};                      //!< of the last link
};

/** @returns the generations that a name means */
std::vector<Generation>
ParseGenerations(const std::string& name)
{
    std::string known = "all";
    for (const Generation& generation : GENERATIONS)
    {
        if (generation.name == name)
        {
            return {generation};
        }
        known += ", " + generation.name;
    }
    if (name == "all")
    {
        return GENERATIONS;
    }
    throw std::invalid_argument("--generation=" + name + ", expected one of " + known);
}

/** Two hosts that send a message to and fro, and one that loads the link to the second. */
class PingPong
{
  public:
    PingPong(const Generation& generation, uint32_t switches, const Options& options)
        : m_left(2 * options.iterations + 2)
    {
        const DataRate rate(FindSwitchModel(generation.switchModel).rate);
        IbHelper fabric;
        fabric.SetDeviceAttribute("DataRate", DataRateValue(rate));
        fabric.SetChannelAttribute(
            "Delay",
            TimeValue(PicoSeconds(std::llround(options.metres * PICOSECONDS_PER_METRE))));
        fabric.SetSwitchModel(generation.switchModel);
        fabric.SetNicModel(generation.nicModel);
        m_hosts.Create(3);
        NodeContainer row(switches);
        for (uint32_t i = 0; i < switches; ++i)
        {
            fabric.InstallSwitch(row.Get(i));
        }
        for (uint32_t i = 0; i + 1 < switches; ++i)
        {
            fabric.Install(row.Get(i), row.Get(i + 1));
        }
        for (uint32_t i = 0; i < 3; ++i)
        {
            fabric.Install(m_hosts.Get(i), row.Get(i == 1 ? switches - 1 : 0));
        }
        fabric.Configure(row);
        m_ends = Connect(0, 1, 0);
        for (const Ptr<RcQueuePair>& end : m_ends)
        {
            end->SetDeliveredCallback(MakeCallback(&PingPong::Delivered, this));
        }
        if (options.load > 0)
        {
            const auto bitRate = static_cast<double>(rate.GetBitRate()) * options.load;
            m_load = Connect(2, 1, static_cast<uint64_t>(bitRate));
        }
    }

    /**
     * @param bytes of each message
     * @returns half of each round trip in seconds
     */
    LatencySamples Run(uint64_t bytes)
    {
        m_bytes = bytes;
        if (m_load[0])
        {
            m_load[0]->Post(LOAD_BYTES, 0);
        }
        Post(m_ends[0]);
        Simulator::Run();
        return m_samples;
    }

  private:
    static constexpr double PICOSECONDS_PER_METRE = 5000;     //!< in fibre and copper, about
    static constexpr uint64_t LOAD_BYTES = uint64_t(1) << 40; //!< more than is ever sent

    /** @returns both ends of a connection between two hosts; rate in bit/s, 0 for no limit */
    std::array<Ptr<RcQueuePair>, 2> Connect(uint32_t a, uint32_t b, uint64_t bitRate)
    {
        std::array<Ptr<RcQueuePair>, 2> ends;
        for (uint32_t i = 0; i < 2; ++i)
        {
            ends[i] = CreateObject<RcQueuePair>();
            ends[i]->SetAttribute("MaxRate", DataRateValue(DataRate(bitRate)));
            RdmaHelper::GetNic(m_hosts.Get(i ? b : a))->AddQueuePair(ends[i]);
        }
        FabricNic::Connect(ends[0], ends[1]);
        return ends;
    }

    void Post(const Ptr<RcQueuePair>& end)
    {
        if (end == m_ends[0])
        {
            m_begin = FabricNow();
        }
        end->Post(m_bytes, 0);
    }

    void Delivered(Ptr<RcQueuePair> end,
                   uint64_t /* id */,
                   uint64_t /* bytes */,
                   uint64_t /* tag */)
    {
        if (end == m_ends[0] && !m_isWarm)
        {
            m_isWarm = true; // nothing was on the wire before the first message
        }
        else if (end == m_ends[0])
        {
            m_samples.Add(FabricSeconds(FabricNow() - m_begin) / 2);
        }
        if (--m_left == 0)
        {
            Simulator::Stop();
            return;
        }
        Post(end);
    }

    NodeContainer m_hosts;                  //!< 0 and 1 play, 2 loads
    std::array<Ptr<RcQueuePair>, 2> m_ends; //!< of the game
    std::array<Ptr<RcQueuePair>, 2> m_load; //!< null without load
    uint64_t m_bytes{0};                    //!< of a message
    uint32_t m_left;                        //!< messages to be delivered
    bool m_isWarm{false};                   //!< the first round trip is over
    FabricTick m_begin{0};                  //!< of the round trip
    LatencySamples m_samples;               //!< halves of round trips
};

int
Run(int argc, char* argv[])
{
    Options options;
    ProgramReport report("ib-latency",
                         "Half the round trip of an RDMA WRITE over InfiniBand, as ib_write_lat "
                         "measures it, for generations of hardware.");
    report.AddOption("generation", "edr, hdr, ndr or all", options.generation);
    report.AddOption("switches", "Switches in a row, a list: 1..60", options.switches);
    report.AddOption("sizes", "Bytes of a message, a list: 0..1e9", options.sizes);
    report.AddOption("iterations", "Round trips of each line", options.iterations);
    report.AddOption("metres", "Length of each cable in metres", options.metres);
    report.AddOption("load", "Share of the last link that another host takes", options.load);
    report.Parse(argc, argv);
    const std::vector<Generation> generations = ParseGenerations(options.generation);
    const std::vector<uint32_t> rows = SplitNumbers<uint32_t>("switches", options.switches, 1, 60);
    const std::vector<uint64_t> sizes =
        SplitNumbers<uint64_t>("sizes", options.sizes, 0, 1000000000);
    report.Begin({{"fabric", "fabric"},
                  {"generation", "gen"},
                  {"switches", "switches"},
                  {"messageBytes", "bytes"},
                  {"iterations", "iterations"},
                  {"minSeconds", "t_min us", 1e6, 3},
                  {"typicalSeconds", "t_typical us", 1e6, 3},
                  {"maxSeconds", "t_max us", 1e6, 3}});
    for (const Generation& generation : generations)
    {
        for (const uint32_t switches : rows)
        {
            for (const uint64_t bytes : sizes)
            {
                report.ShowProgress(generation.name + ", " + std::to_string(switches) +
                                    " switches, " + std::to_string(bytes) + " bytes");
                LatencySamples samples;
                {
                    PingPong game(generation, switches, options);
                    samples = game.Run(bytes);
                }
                Simulator::Destroy();
                report.AddRow({"ib",
                               generation.name,
                               static_cast<double>(switches),
                               static_cast<double>(bytes),
                               static_cast<double>(options.iterations),
                               samples.GetQuantile(0),
                               samples.GetQuantile(0.5),
                               samples.GetQuantile(1)});
            }
        }
        const SwitchModel& model = FindSwitchModel(generation.switchModel);
        const NicModel& nic = FindNicModel(generation.nicModel);
        report.AddNote(generation.name + ": " + model.name + " " + std::to_string(model.latencyNs) +
                       " ns (" + ToString(model.evidence) + "), NICs " +
                       std::to_string(nic.transmitNs) + " + " + std::to_string(nic.receiveNs) +
                       " ns (" + ToString(nic.evidence) + ")");
    }
    report.AddNote("Each message follows the acknowledgment of the one before. No host bus: larger "
                   "messages take longer in fact.");
    report.AddCurve({"latency",
                     "Latency of an RDMA WRITE",
                     "messageBytes",
                     "typicalSeconds",
                     {"generation", "switches"},
                     true,
                     true});
    report.Finish(std::cout);
    return 0;
}

} // namespace

int
main(int argc, char* argv[])
{
    return ProgramReport::Main("ib-latency", Run, argc, argv);
}
