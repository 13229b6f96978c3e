/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Eight GPUs train GPT-2 XL over InfiniBand: how long does a step take?
//
//     gpu0 ... gpu3        gpu4 ... gpu7
//        \  ||  /            \  ||  /
//         leaf 0              leaf 1
//            \ \_____  _____/ /
//             \ _____\/_____ /
//            spine 0    spine 1

#include "ns3/ai-fabric-module.h"
#include "ns3/command-line.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <iostream>

using namespace ns3;

int
main(int argc, char* argv[])
{
    CommandLine cmd;
    cmd.Parse(argc, argv);
    Time::SetResolution(Time::PS);

    IbHelper fabric; // or RoceHelper
    fabric.SetDeviceAttribute("DataRate", StringValue("400Gbps"));
    FabricTopology topology = FabricTopologyHelper(fabric).CreateLeafSpine(2, 2, 4);

    GpuTrafficHelper gpus("gpt2-xl", "h100");
    gpus.SetLayers(2); // of 48, to be done in a second
    ApplicationContainer apps = gpus.Install(topology.hosts);
    apps.Start(Seconds(0));

    Simulator::Run();
    for (const StepRecord& step : gpus.GetJob()->GetRecords())
    {
        std::cout << "step " << FabricSeconds(step.end - step.begin) * 1e3
                  << " ms, of which compute " << FabricSeconds(step.compute) * 1e3 << " ms, "
                  << step.buckets.size() << " buckets\n";
    }
    Simulator::Destroy();
    return 0;
}
