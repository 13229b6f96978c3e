/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What GpuTrafficHelper and the fabric helpers say when they are given what can't be.

#include "../support/end-to-end-rig.h"

#include "ns3/gpu-traffic-helper.h"

#include <functional>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::endrig;

namespace
{

/** Expects one line that contains all the words. */
void
ExpectComplaint(const std::function<void()>& action, const std::vector<std::string>& words)
{
    try
    {
        action();
    }
    catch (const std::exception& error)
    {
        const std::string what = error.what();
        EXPECT_EQ(what.find('\n'), std::string::npos) << what;
        for (const std::string& word : words)
        {
            EXPECT_NE(what.find(word), std::string::npos) << "'" << what << "' lacks " << word;
        }
        return;
    }
    ADD_FAILURE() << "no complaint, expected one with " << words.front();
}

/** @returns path of a file of the tests */
std::string
DataFile(const std::string& name)
{
    return std::string(AI_FABRIC_TEST_DATA_DIR) + "/models/" + name;
}

} // namespace

TEST(GpuTrafficErrors, Model)
{
    ExpectComplaint([] { GpuTrafficHelper("no-such-model", "h100"); },
                    {"no-such-model", "expected", "gpt2-xl"});
    ExpectComplaint([] { GpuTrafficHelper("/no/such/config.json", "h100"); },
                    {"/no/such/config.json"});
    ExpectComplaint([] { GpuTrafficHelper(DataFile("broken.json"), "h100"); },
                    {"broken.json:4:", "expected"});
    ExpectComplaint([] { GpuTrafficHelper("", "h100"); }, {"model", "expected"});
    ExpectComplaint([] { GpuTrafficHelper("/tmp", "h100"); }, {"/tmp"});
}

TEST(GpuTrafficErrors, Device)
{
    for (const std::string device :
         {"h1000", "", "tflops", "tflops=", "tflops=fast", "tflops=0", "tflops=-5", "h100,x=1"})
    {
        ExpectComplaint([&device] { GpuTrafficHelper("gpt2-xl", device); }, {"expected"});
    }
}

TEST(GpuTrafficErrors, Policy)
{
    GpuTrafficHelper gpus("gpt2-xl", "h100");
    for (const std::string policy : {"", "FIFO", "lifo", "ns3::Node", "ns3::NoSuchPolicy"})
    {
        ExpectComplaint([&gpus, &policy] { gpus.SetPolicy(policy); },
                        {"policy '" + policy + "'", "expected sequential, fifo"});
    }
    gpus.SetPolicy("fifo");
    gpus.SetPolicy("sequential");
    gpus.SetPolicy("ns3::FifoPolicy");
}

TEST(GpuTrafficErrors, Layers)
{
    GpuTrafficHelper gpus("gpt2-xl", "h100");
    ExpectComplaint([&gpus] { gpus.SetLayers(49); }, {"49 layers", "gpt2-xl", "48"});
    gpus.SetLayers(48);
    gpus.SetLayers(0);
    EXPECT_EQ(gpus.GetModel().layers, 48U);
    gpus.SetLayers(2);
    EXPECT_EQ(gpus.GetModel().layers, 2U);
}

TEST(GpuTrafficErrors, Nodes)
{
    GpuTrafficHelper gpus(DataFile("tiny-dense.json"), "h100");
    ExpectComplaint([&gpus] { gpus.Install(NodeContainer()); }, {"expected", "at least one rank"});
    const auto helper = MakeHelper("ib");
    FabricTopology topology = FabricTopologyHelper(*helper).CreateStar(2);
    const Ptr<Node> bare = CreateObject<Node>();
    topology.hosts.Add(bare);
    ExpectComplaint([&gpus, &topology] { gpus.Install(topology.hosts); },
                    {"node " + std::to_string(bare->GetId()), "no fabric device", "expected"});
    Simulator::Destroy();
}

TEST(GpuTrafficErrors, SwitchIsNoGpu)
{
    GpuTrafficHelper gpus(DataFile("tiny-dense.json"), "h100");
    const auto helper = MakeHelper("ib");
    const FabricTopology topology = FabricTopologyHelper(*helper).CreateStar(2);
    ExpectComplaint([&gpus, &topology] { gpus.Install(topology.switches); },
                    {"node " + std::to_string(topology.switches.Get(0)->GetId()) + " is a switch",
                     "expected a host"});
    Simulator::Destroy();
}

TEST(FabricHelperErrors, ConfigureWithoutSwitch)
{
    for (const std::string fabric : {"ib", "roce"})
    {
        const auto helper = MakeHelper(fabric);
        const NodeContainer nodes(1);
        ExpectComplaint([&helper, &nodes] { helper->Configure(nodes); },
                        {"node " + std::to_string(nodes.Get(0)->GetId()), "no switch", "expected"});
        Simulator::Destroy();
    }
}

// One GPU alone has nothing to send and still trains.
TEST(GpuTraffic, OneGpu)
{
    const auto helper = MakeHelper("roce");
    const FabricTopology topology = FabricTopologyHelper(*helper).CreateStar(1);
    GpuTrafficHelper gpus(DataFile("tiny-dense.json"), "h100");
    ApplicationContainer apps = gpus.Install(topology.hosts);
    apps.Start(Seconds(0));
    Simulator::Run();
    EXPECT_TRUE(gpus.GetJob()->IsFinished());
    const StepRecord& record = gpus.GetJob()->GetRecords().at(0);
    EXPECT_EQ(record.end - record.begin, record.compute);
    EXPECT_EQ(gpus.GetTransport()->GetNic(0)->GetCounters().txPackets, 0U);
    Simulator::Destroy();
}
