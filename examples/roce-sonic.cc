/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A RoCE switch configured by the files of a SONiC switch: what it gets, and how it stands an
// incast.
//
//     sender at Ethernet4  ---> |        |
//     sender at Ethernet8  ---> | switch | ---> receiver at Ethernet0
//     ...                       |        |
//
// Without options it reads the small files that come with the module.

#include "ns3/ai-fabric-module.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <iostream>
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
    std::string buffers;
    std::string qos;
    std::string pgProfiles;
    std::string configDb;
    std::string ports;
    std::string congestionControl{"none"};
    std::string cable;
    BoundedOption<double> speedGbps{"speedGbps", 0, 0, 10000};
    BoundedOption<uint32_t> senders{"senders", 4, 1, 255};
    BoundedOption<double> kilobytes{"kilobytes", 4000, 1, 1e7};
    BoundedOption<uint32_t> dscp{"dscp", 3, 0, 63};
    bool nextLongerCable{false};
};

/** @returns the files that the options name, or those that come with the module */
SonicFiles
FindFiles(Options& options)
{
    if (options.buffers.empty() && options.qos.empty() && options.configDb.empty() &&
        options.pgProfiles.empty())
    {
        options.configDb = SonicImport::FindShipped("config_db.json");
        options.buffers = SonicImport::FindShipped("buffers.json");
        options.qos = SonicImport::FindShipped("qos.json");
        options.pgProfiles = SonicImport::FindShipped("pg_profile_lookup.ini");
    }
    SonicFiles files;
    for (const std::string& path : {options.configDb, options.buffers, options.qos})
    {
        if (!path.empty())
        {
            files.configs.push_back(path);
        }
    }
    files.pgProfiles = options.pgProfiles;
    files.defaultSpeed = static_cast<uint32_t>(options.speedGbps * 1000);
    files.defaultCable = options.cable;
    files.takesLongerCable = options.nextLongerCable;
    return files;
}

/** @returns the receiver's port and those of the senders */
std::vector<std::string>
ChoosePorts(const Options& options, const SonicConfig& config)
{
    if (!options.ports.empty())
    {
        return SplitOption("ports", options.ports);
    }
    std::vector<std::string> ports = ListSonicPorts(config);
    std::stable_partition(ports.begin(), ports.end(), [&config](const std::string& port) {
        return config.qos.GetPort(port).pfc != 0;
    });
    if (ports.size() < options.senders + 1U)
    {
        throw std::invalid_argument("the files have " + std::to_string(ports.size()) +
                                    " ports with a buffer or PFC, expected " +
                                    std::to_string(options.senders + 1U) +
                                    " for --senders=" + std::to_string(options.senders));
    }
    ports.resize(options.senders + 1);
    return ports;
}

/** Note when the latest message was there. */
void
NoteArrival(FabricTick* latest,
            uint32_t /* from */,
            uint32_t /* to */,
            uint64_t /* bytes */,
            Time /* latency */)
{
    *latest = FabricNow();
}

int
Run(int argc, char* argv[])
{
    Options options;
    ProgramReport report("roce-sonic",
                         "A switch configured by SONiC's buffers.json, qos.json, "
                         "pg_profile_lookup.ini and config_db.json: what its ports get, and an "
                         "incast through it.");
    report.AddOption("buffers", "Path of buffers.json", options.buffers);
    report.AddOption("qos", "Path of qos.json", options.qos);
    report.AddOption("pgProfiles", "Path of pg_profile_lookup.ini", options.pgProfiles);
    report.AddOption("configDb",
                     "Path of config_db.json; rows of the other files replace its own",
                     options.configDb);
    report.AddOption(
        "ports",
        "Receiver's port and senders' ports, with commas between; empty: the first with PFC",
        options.ports);
    report.AddOption("senders", "Senders, if ports are not named", options.senders);
    report.AddOption("kilobytes", "Message of each sender", options.kilobytes);
    report.AddOption("dscp", "DSCP of the messages", options.dscp);
    report.AddOption("congestionControl",
                     "Set of DCQCN parameters, or none",
                     options.congestionControl);
    report.AddOption("speedGbps", "Of ports without speed; 0: none", options.speedGbps);
    report.AddOption("cable", "Of ports without cable, such as 5m", options.cable);
    report.AddOption("nextLongerCable",
                     "Take the profile of the next longer cable if there is none",
                     options.nextLongerCable);
    report.Parse(argc, argv);
    if (!options.cable.empty() && !ParseSonicCable(options.cable))
    {
        throw std::invalid_argument("--cable=" + options.cable +
                                    ", expected a length in meters such as 5m");
    }

    const SonicConfig config = SonicConfigReader::ReadFiles(FindFiles(options));
    const std::vector<std::string> names = ChoosePorts(options, config);
    RoceHelper fabric;
    fabric.SetCongestionControl(options.congestionControl);
    if (options.speedGbps > 0)
    {
        fabric.SetDeviceAttribute(
            "DataRate",
            DataRateValue(DataRate(static_cast<uint64_t>(options.speedGbps * 1e9))));
    }
    SonicImport import(config, fabric);
    NodeContainer center(1);
    NodeContainer hosts(static_cast<uint32_t>(names.size()));
    const Ptr<RoceSwitch> device = import.InstallSwitch(center.Get(0));
    std::vector<NetDeviceContainer> cables;
    for (uint32_t i = 0; i < names.size(); ++i)
    {
        cables.push_back(import.Install(hosts.Get(i), names[i]));
    }
    import.SetUpBuffer();
    fabric.Configure(center);

    const Ptr<RdmaTransport> transport = RdmaHelper::CreateTransport(hosts);
    transport->SetDscp(static_cast<uint8_t>(options.dscp));
    for (uint32_t i = 1; i < names.size(); ++i)
    {
        transport->Send(i, 0, static_cast<uint64_t>(options.kilobytes * 1000), 0);
    }
    FabricTick latest = 0;
    transport->TraceConnectWithoutContext("MessageLatency",
                                          MakeBoundCallback(&NoteArrival, &latest));
    Simulator::Run();

    report.Begin({{"port", "port"},
                  {"priority", "priority"},
                  {"lossless", "lossless"},
                  {"bitRateBps", "Gb/s", 1e-9, 0},
                  {"rxFrames", "frames in"},
                  {"txFrames", "frames out"},
                  {"drops", "drops"},
                  {"marks", "marks"},
                  {"pauseFrames", "pauses sent"},
                  {"maxQueueBytes", "longest queue KB", 1e-3, 1}});
    for (uint32_t i = 0; i < names.size(); ++i)
    {
        const auto port = DynamicCast<FabricNetDevice>(cables[i].Get(1));
        const uint8_t lossless = import.GetPlan().ports[i].GetLossless();
        for (uint8_t cls = 0; cls < RoceSwitch::PRIORITIES; ++cls)
        {
            const FabricClassCounters counters = port->GetClassCounters(cls);
            if (counters.rxFrames == 0 && counters.txFrames == 0)
            {
                continue;
            }
            report.AddRow({names[i],
                           static_cast<double>(cls),
                           (lossless >> cls & 1) != 0 ? "yes" : "no",
                           static_cast<double>(port->GetBitRate()),
                           static_cast<double>(counters.rxFrames),
                           static_cast<double>(counters.txFrames),
                           static_cast<double>(counters.drops),
                           static_cast<double>(counters.marks),
                           static_cast<double>(counters.pausesOut),
                           static_cast<double>(counters.maxQueueBytes)});
        }
    }
    std::ostringstream end;
    end << names.size() - 1 << " messages to " << names[0] << ": the last was there after "
        << FabricSeconds(latest) * 1e6 << " us, " << transport->GetPending() << " never";
    report.AddNote(end.str());
    PrintSonicSummary(config, std::cout);
    PrintSonicPorts(import.GetPlan().ports, std::cout);
    for (const std::string& line : device->GetWarnings())
    {
        std::cout << "warning: " << line << "\n";
    }
    for (const std::string& line : import.GetNotApplied())
    {
        std::cout << "not applied: " << line << "\n";
    }
    std::cout << "\n";
    report.Finish(std::cout);
    transport->Dispose();
    Simulator::Destroy();
    return 0;
}

} // namespace

int
main(int argc, char* argv[])
{
    return ProgramReport::Main("roce-sonic", &Run, argc, argv);
}
