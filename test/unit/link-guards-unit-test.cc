/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What must not go wrong when rates, sizes or settings of the two ends of a link do not match, or
// frames get lost.

#include "../support/link-rig.h"
#include "../support/picosecond-test.h"

#include "ns3/boolean.h"
#include "ns3/credit-flow-control.h"
#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/fabric-channel.h"
#include "ns3/ib-net-device.h"
#include "ns3/pause-flow-control.h"
#include "ns3/pointer.h"
#include "ns3/roce-net-device.h"
#include "ns3/roce-switch.h"

#include <gtest/gtest.h>
#include <stdexcept>

using namespace ns3;
using namespace ns3::linkrig;

namespace
{

/** Picosecond resolution, and nothing left behind. */
class LinkGuards : public ::testing::Test
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

/** Takes the first frames. */
class LoseFirst : public ErrorModel
{
  public:
    explicit LoseFirst(uint32_t frames)
        : m_left(frames)
    {
    }

  private:
    bool DoCorrupt(Ptr<Packet> /* packet */) override
    {
        return m_left > 0 && m_left-- > 0;
    }

    void DoReset() override
    {
    }

    uint32_t m_left; //!< still to be lost
};

void
ReadCredit(CreditFlowControl* credits, uint32_t* credit)
{
    *credit = credits->GetCredit(0);
}

} // namespace

// Lost credits come back after FcMaxInterval at the latest, however many flow-control packets the
// other direction causes, and not only when the traffic ends.
TEST_F(LinkGuards, CreditsHealUnderTwoWayTraffic)
{
    for (const FabricTick delay : {20000, 500000})
    {
        auto helper = MakeHelper("ib", "400Gbps");
        helper->SetChannelAttribute("Delay", TimeValue(PicoSeconds(delay)));
        NodeContainer nodes(2);
        const NetDeviceContainer devices = helper->Install(nodes.Get(0), nodes.Get(1));
        const auto a = DynamicCast<FabricNetDevice>(devices.Get(0));
        const auto b = DynamicCast<FabricNetDevice>(devices.Get(1));
        constexpr uint32_t LOST = 12;
        const auto model = CreateObject<LoseFirst>(LOST);
        b->SetAttribute("ReceiveErrorModel", PointerValue(model));
        constexpr uint64_t FRAMES = 4000; // 330 us
        Blaster forth(a, b->GetFabricAddress(), 4096, FRAMES);
        Blaster back(b, a->GetFabricAddress(), 4096, FRAMES);
        Counter atA(a);
        Counter atB(b);
        forth.Start();
        back.Start();
        uint32_t credit = 0;
        Simulator::Schedule(MilliSeconds(1),
                            &ReadCredit,
                            dynamic_cast<CreditFlowControl*>(a->GetPort().GetFlowControl()),
                            &credit);
        Simulator::Run();
        ASSERT_EQ(atB.frames, FRAMES - LOST);
        // Long before the end the wire is full again: with lost credits it would be slower on the
        // long cable.
        const double expected = 400e9 * 4096 / (4122 + 8);
        EXPECT_NEAR(atB.Goodput(1500, 3500, 4096) / expected, 1, 1e-3) << delay;
        EXPECT_EQ(credit, 1024U);
        Simulator::Destroy();
    }
}

// A host four times as fast as its switch port goes on four times as long while the pause waits.
TEST_F(LinkGuards, HeadroomOfUnequalRates)
{
    auto helper = MakeHelper("roce", "100Gbps");
    helper->SetHostAttribute("DataRate", StringValue("400Gbps"));
    helper->SetSwitchAttribute("Alpha", DoubleValue(0.01));
    helper->SetSwitchAttribute("BufferBytes", UintegerValue(20000000));
    Star star(*helper, 5);
    Counter counter(star.devices[0]);
    std::vector<std::unique_ptr<Blaster>> blasters;
    std::vector<std::unique_ptr<Counter>> counters;
    for (uint32_t i = 1; i < 5; ++i)
    {
        blasters.push_back(std::make_unique<Blaster>(star.devices[i],
                                                     star.devices[0]->GetFabricAddress(),
                                                     4096,
                                                     2000));
        blasters.back()->Start();
        // Traffic towards the senders makes their pauses wait.
        blasters.push_back(std::make_unique<Blaster>(star.sw->GetPort(i),
                                                     star.devices[i]->GetFabricAddress(),
                                                     4096,
                                                     2000));
        blasters.back()->Start();
        counters.push_back(std::make_unique<Counter>(star.devices[i]));
    }
    Simulator::Run();
    EXPECT_EQ(counter.frames, 8000U);
    const auto sw = DynamicCast<RoceSwitch>(star.sw);
    EXPECT_GT(sw->GetBuffer().GetMaxHeadroomUsed(), 0U);
    for (uint16_t port = 0; port < 5; ++port)
    {
        EXPECT_EQ(star.sw->GetPort(port)->GetDrops(), 0U);
    }
}

// Thresholds of a link and a shared buffer would contradict each other.
TEST_F(LinkGuards, SwitchRefusesThresholdsOfTheLink)
{
    auto helper = MakeHelper("roce", "100Gbps");
    helper->SetFlowControlAttribute("XoffBytes", UintegerValue(400000));
    NodeContainer nodes(2);
    NodeContainer center(1);
    helper->InstallSwitch(center.Get(0));
    helper->Install(nodes, center.Get(0));
    EXPECT_THROW(helper->Configure(center), std::invalid_argument);
    Simulator::Destroy();

    auto right = MakeHelper("roce", "100Gbps");
    right->SetHostFlowControlAttribute("XoffBytes", UintegerValue(100000));
    right->SetHostFlowControlAttribute("XonBytes", UintegerValue(50000));
    right->SetHostAttribute("DrainRate", StringValue("20Gbps"));
    Star star(*right, 2);
    Blaster blaster(star.devices[0], star.devices[1]->GetFabricAddress(), 4096, 3000);
    Counter counter(star.devices[1]);
    blaster.Start();
    Simulator::Run();
    EXPECT_EQ(counter.frames, 3000U);
    const auto pause =
        dynamic_cast<PauseFlowControl*>(star.sw->GetPort(1)->GetPort().GetFlowControl());
    EXPECT_GT(pause->GetPauseFrames(), 10U); // the slow host stops the switch
}

// A frame that can never leave is dropped and counted instead of waiting for ever.
TEST_F(LinkGuards, FramesThatCanNeverLeave)
{
    for (const bool tooSmall : {true, false})
    {
        auto helper = MakeHelper("ib", "100Gbps");
        NodeContainer nodes(2);
        NodeContainer center(1);
        const auto sw = helper->InstallSwitch(center.Get(0));
        const auto a =
            DynamicCast<FabricNetDevice>(helper->Install(nodes.Get(0), center.Get(0)).Get(0));
        uint64_t to = 0x0999;
        if (tooSmall)
        {
            helper->SetDeviceAttribute("IbMtu", UintegerValue(1024));
            helper->SetFlowControlAttribute("BufferBytes", UintegerValue(2048));
            to = DynamicCast<FabricNetDevice>(helper->Install(nodes.Get(1), center.Get(0)).Get(0))
                     ->GetFabricAddress();
        }
        helper->Configure(center);
        if (!tooSmall)
        {
            // A port without a cable.
            const auto bare = CreateObject<IbNetDevice>();
            center.Get(0)->AddDevice(bare);
            sw->SetRoute(to, {sw->AddPort(bare)});
        }
        Blaster blaster(a, to, 4096, 10);
        blaster.Start();
        Simulator::Run();
        EXPECT_EQ(sw->GetPort(0)->GetLosslessDrops(), 10U);
        EXPECT_EQ(sw->GetPort(0)->GetIncomingFlowControl()->GetOccupancy(), 0U);
        Simulator::Destroy();
    }
}

// Both ends of a cable must count the same lanes.
TEST_F(LinkGuards, EndsMustAgreeOnLanes)
{
    ObjectFactory four("ns3::CreditFlowControl");
    four.Set("DataLanes", UintegerValue(4));
    ObjectFactory eight("ns3::CreditFlowControl");
    eight.Set("DataLanes", UintegerValue(8));
    NodeContainer nodes(2);
    const auto a = CreateObject<IbNetDevice>();
    const auto b = CreateObject<IbNetDevice>();
    a->SetFlowControl(four);
    b->SetFlowControl(eight);
    nodes.Get(0)->AddDevice(a);
    nodes.Get(1)->AddDevice(b);
    const auto channel = CreateObject<FabricChannel>();
    a->Attach(channel);
    EXPECT_THROW(b->Attach(channel), std::invalid_argument);
}

// A cable has one kind of device at its ends.
TEST_F(LinkGuards, EndsMustBeOfOneKind)
{
    NodeContainer nodes(2);
    const auto a = CreateObject<IbNetDevice>();
    const auto b = CreateObject<RoceNetDevice>();
    nodes.Get(0)->AddDevice(a);
    nodes.Get(1)->AddDevice(b);
    const auto channel = CreateObject<FabricChannel>();
    a->Attach(channel);
    EXPECT_THROW(b->Attach(channel), std::invalid_argument);
}

// A node may go away in the middle of a run: the others go on.
TEST_F(LinkGuards, DeviceDisposedInTheMiddle)
{
    for (const char* fabric : {"ib", "roce"})
    {
        auto helper = MakeHelper(fabric, "100Gbps");
        Star star(*helper, 3);
        Counter counter(star.devices[1]);
        Blaster one(star.devices[0], star.devices[1]->GetFabricAddress(), 4096, 1000);
        Blaster two(star.devices[2], star.devices[1]->GetFabricAddress(), 4096, 1000);
        one.Start();
        two.Start();
        Simulator::Schedule(MicroSeconds(50), &Node::Dispose, star.nodes.Get(2));
        Simulator::Run();
        EXPECT_GE(counter.frames, 1000U) << fabric;
        EXPECT_LT(counter.frames, 2000U) << fabric;
        Simulator::Destroy();
    }
}
