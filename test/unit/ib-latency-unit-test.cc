/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The latency of one message over an idle fabric: to the picosecond as the sum of its parts, and
// with presets within the range of published figures.

#include "../support/chain-rig.h"
#include "../support/picosecond-test.h"

#include "ns3/boolean.h"
#include "ns3/device-models.h"
#include "ns3/ib-helper.h"
#include "ns3/roce-helper.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <set>

using namespace ns3;
using namespace ns3::chainrig;

namespace
{

class IbLatency : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        USE_PICOSECONDS();
    }

    void TearDown() override
    {
        Simulator::Destroy();
        EXPECT_EQ(FabricFramePool::GetOutstanding(), 0U);
    }
};

/** @returns one-way ticks of messages that find the fabric idle */
template <typename Traffic = OneByOne>
std::vector<FabricTick>
Measure(FabricHelper& helper, uint32_t hops, uint64_t bytes, uint32_t count)
{
    const Chain chain(helper, hops);
    const Traffic traffic(chain, bytes, count);
    Simulator::Run();
    return traffic.oneWay;
}

/** @returns one-way seconds of an 8-byte WRITE over switches and cables of 2 m */
double
MeasurePreset(const std::string& rate,
              const std::string& switchModel,
              const std::string& nicModel,
              uint32_t hops,
              uint64_t bytes = 8)
{
    IbHelper helper;
    helper.SetDeviceAttribute("DataRate", StringValue(rate));
    helper.SetChannelAttribute("Delay", TimeValue(NanoSeconds(10)));
    helper.SetSwitchModel(switchModel);
    helper.SetNicModel(nicModel);
    const std::vector<FabricTick> ticks = Measure(helper, hops, bytes, 1);
    Simulator::Destroy();
    return FabricSeconds(ticks.at(0));
}

struct Parts
{
    uint32_t hops;
    uint32_t bytes;
    bool cutThrough;
};

class SumOfParts : public IbLatency, public ::testing::WithParamInterface<Parts>
{
};

} // namespace

// A9, cut-through and store-and-forward: T = NIC + h t_sw + (h + 1) t_p + P/R, the last term h + 1
// times if every switch stores the frame.
TEST_P(SumOfParts, ToTheTick)
{
    const Parts& p = GetParam();
    IbHelper helper;
    helper.SetDeviceAttribute("DataRate", StringValue("400Gbps"));
    helper.SetHostAttribute("ReceiveLatency", TimeValue(PicoSeconds(601234)));
    helper.SetChannelAttribute("Delay", TimeValue(PicoSeconds(9876)));
    helper.SetSwitchAttribute("Latency", TimeValue(PicoSeconds(200000)));
    helper.SetSwitchAttribute("CutThrough", BooleanValue(p.cutThrough));
    const std::vector<FabricTick> ticks = Measure(helper, p.hops, p.bytes, 2);
    const FabricTick wire = 20 * (p.bytes + 26 + 16); // 20 ps a byte; headers, CRCs and RETH
    const FabricTick expected =
        601234 + 9876 * (p.hops + 1) + 200000 * p.hops + wire * (p.cutThrough ? 1 : p.hops + 1);
    ASSERT_EQ(ticks.size(), 4U);
    for (const FabricTick tick : ticks)
    {
        EXPECT_EQ(tick, expected);
    }
}

INSTANTIATE_TEST_SUITE_P(All,
                         SumOfParts,
                         ::testing::Values(Parts{1, 8, true},
                                           Parts{1, 8, false},
                                           Parts{3, 8, true},
                                           Parts{3, 8, false},
                                           Parts{3, 4096, true},
                                           Parts{3, 4096, false}));

// The example of A9: 4138 bytes at 400 Gb/s over three switches of 200 ns.
TEST_F(IbLatency, ReferenceExample)
{
    for (const bool cutThrough : {true, false})
    {
        IbHelper helper;
        helper.SetDeviceAttribute("DataRate", StringValue("400Gbps"));
        helper.SetHostAttribute("ReceiveLatency", TimeValue(NanoSeconds(0)));
        helper.SetChannelAttribute("Delay", TimeValue(NanoSeconds(0)));
        helper.SetSwitchAttribute("Latency", TimeValue(NanoSeconds(200)));
        helper.SetSwitchAttribute("CutThrough", BooleanValue(cutThrough));
        EXPECT_EQ(Measure(helper, 3, 4096, 1).at(0), cutThrough ? 682760 : 931040);
        Simulator::Destroy();
    }
}

// An idle fabric has no jitter at all.
TEST_F(IbLatency, NoJitter)
{
    for (const uint32_t hops : {1, 3})
    {
        for (const uint64_t bytes : {8, 65536})
        {
            IbHelper helper;
            helper.SetSwitchModel("quantum-2");
            helper.SetNicModel("connectx-7");
            helper.SetChannelAttribute("Delay", TimeValue(NanoSeconds(10)));
            const std::vector<FabricTick> ticks = Measure(helper, hops, bytes, 500);
            Simulator::Destroy();
            ASSERT_EQ(ticks.size(), 1000U);
            const std::set<FabricTick> different(ticks.begin(), ticks.end());
            EXPECT_EQ(different.size(), 1U) << hops << " switches, " << bytes << " bytes";
        }
    }
}

// To and fro, a message follows the acknowledgment of the one before on its wire, and the
// flow-control packet that returns the credit for it: later by so many bytes, and never otherwise.
TEST_F(IbLatency, PingPong)
{
    IbHelper helper;
    helper.SetDeviceAttribute("DataRate", StringValue("400Gbps"));
    helper.SetSwitchModel("quantum-2");
    helper.SetNicModel("connectx-7");
    helper.SetChannelAttribute("Delay", TimeValue(NanoSeconds(10)));
    const std::vector<FabricTick> ticks = Measure<PingPong>(helper, 1, 8, 500);
    ASSERT_EQ(ticks.size(), 1000U);
    const FabricTick alone = 750000 + 250000 + 2 * 10000 + 20 * (8 + 26 + 16);
    EXPECT_EQ(ticks[0], alone);
    for (std::size_t i = 1; i < ticks.size(); ++i)
    {
        ASSERT_EQ(ticks[i], alone + 20 * (30 + 8)) << i;
    }
}

// B15: 0.83 us for 32 bytes over EDR; from 4 KB to 32 KB it grows as the line rate says.
TEST_F(IbLatency, PublishedEdr)
{
    EXPECT_NEAR(MeasurePreset("100Gbps", "switch-ib-2", "edr", 1, 32), 0.83e-6, 0.083e-6);
    const double slope = MeasurePreset("100Gbps", "switch-ib-2", "edr", 1, 32768) -
                         MeasurePreset("100Gbps", "switch-ib-2", "edr", 1, 4096);
    EXPECT_NEAR(slope, 4.57e-6 - 2.27e-6, 0.23e-6);
    // Three switches: two more, and two more cables.
    EXPECT_NEAR(MeasurePreset("100Gbps", "switch-ib-2", "edr", 3, 32) -
                    MeasurePreset("100Gbps", "switch-ib-2", "edr", 1, 32),
                2 * (90e-9 + 10e-9),
                1e-15);
}

// B16: 1.2 us in a cluster of HDR virtual machines, which has more than one tier; one switch is in
// the range of back-to-back claims and one hop.
TEST_F(IbLatency, PublishedHdr)
{
    EXPECT_NEAR(MeasurePreset("200Gbps", "quantum", "connectx-6", 3), 1.2e-6, 0.24e-6);
    const double one = MeasurePreset("200Gbps", "quantum", "connectx-6", 1);
    EXPECT_GT(one, 0.6e-6 + 130e-9);
    EXPECT_LT(one, 1.2e-6);
}

// B16: below 2 us over NDR.
TEST_F(IbLatency, PublishedNdr)
{
    for (const uint32_t hops : {1, 3})
    {
        const double seconds = MeasurePreset("400Gbps", "quantum-2", "connectx-7", hops);
        EXPECT_GT(seconds, 0.6e-6 + hops * 150e-9);
        EXPECT_LT(seconds, 2e-6);
    }
}

TEST(DeviceModels, NamesAreKnownOrListed)
{
    std::set<std::string> names;
    for (const SwitchModel& model : ListSwitchModels())
    {
        EXPECT_TRUE(names.insert(model.name).second) << model.name;
        EXPECT_EQ(&FindSwitchModel(model.name), &model);
        EXPECT_FALSE(ToString(model.evidence).empty());
    }
    for (const NicModel& model : ListNicModels())
    {
        EXPECT_EQ(&FindNicModel(model.name), &model);
    }
    EXPECT_EQ(FindSwitchModel("switch-ib-2").latencyNs, 90U);
    EXPECT_EQ(FindSwitchModel("quantum").latencyNs, 130U);
    RoceHelper helper;
    try
    {
        helper.SetSwitchModel("quantum-9");
        FAIL() << "unknown names are refused";
    }
    catch (const std::invalid_argument& error)
    {
        const std::string text = error.what();
        EXPECT_NE(text.find("\"quantum-9\""), std::string::npos) << text;
        EXPECT_NE(text.find("quantum-2"), std::string::npos) << text;
        EXPECT_EQ(text.find('\n'), std::string::npos);
    }
    EXPECT_THROW(helper.SetNicModel(""), std::invalid_argument);
}

TEST(DeviceModels, SetLatencyAndForwarding)
{
    RoceHelper helper;
    helper.SetSwitchModel("trident-2");
    NodeContainer node(1);
    const Ptr<FabricSwitch> made = helper.InstallSwitch(node.Get(0));
    TimeValue latency;
    made->GetAttribute("Latency", latency);
    EXPECT_EQ(latency.Get(), NanoSeconds(600));
    BooleanValue cutThrough;
    made->GetAttribute("CutThrough", cutThrough);
    EXPECT_TRUE(cutThrough.Get());
    Simulator::Destroy();
}
