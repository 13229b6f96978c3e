/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Both books of a switch buffer hold the same bytes whenever one looks.

#include "../support/link-rig.h"
#include "../support/picosecond-test.h"

#include "ns3/double.h"
#include "ns3/pause-flow-control.h"
#include "ns3/roce-switch.h"

#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::linkrig;

namespace
{

/** Simulates at picoseconds. */
class SwitchBuffer : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        USE_PICOSECONDS();
    }
};

/** Compares both books again and again. */
class Auditor
{
  public:
    explicit Auditor(const Ptr<RoceSwitch>& sw)
        : m_switch(sw)
    {
        Look();
    }

    uint64_t looks{0};  //!< so far
    uint64_t wrong{0};  //!< when they did not agree
    uint64_t most{0};   //!< bytes in the buffer
    uint64_t copies{0}; //!< most bytes of copies

  private:
    void Look()
    {
        ++looks;
        wrong += m_switch->GetEgressBuffer().GetUsed() ==
                         m_switch->GetBuffer().GetUsed() + m_switch->GetCopiedBytes()
                     ? 0
                     : 1;
        most = std::max(most, m_switch->GetBuffer().GetUsed());
        copies = std::max(copies, m_switch->GetCopiedBytes());
        if (Simulator::Now() < MicroSeconds(300))
        {
            Simulator::Schedule(PicoSeconds(131337), &Auditor::Look, this);
        }
    }

    Ptr<RoceSwitch> m_switch;
};

/** Counts what is dropped. */
struct Drops
{
    void Count(const FabricFrame& /* frame */, const char* reason, bool lossless)
    {
        ++reasons[reason];
        promised += lossless ? 1 : 0;
    }

    std::map<std::string, uint32_t> reasons;
    uint32_t promised{0}; //!< of lossless classes
};

/** What an incast came to. */
struct Incast
{
    uint64_t drops{0};
    uint64_t pauses{0};
    uint64_t wrong{0};
    uint64_t left{0};
};

/** @returns what n hosts that send 60 frames each to one do to a switch of some ports */
Incast
RunIncast(uint32_t n, uint32_t ports, uint64_t staticBytes)
{
    auto helper = MakeHelper("roce", "100Gbps");
    helper->SetSwitchAttribute("BufferBytes", UintegerValue(ports * 100000));
    helper->SetSwitchAttribute("StaticThreshold", UintegerValue(staticBytes));
    helper->SetSwitchAttribute("Alpha", DoubleValue(0.01));
    helper->SetSwitchAttribute("XonOffsetBytes", UintegerValue(4096));
    helper->SetSwitchAttribute("ReservedBytes", UintegerValue(1000));
    Star star(*helper, ports);
    const auto sw = DynamicCast<RoceSwitch>(star.sw);
    Auditor auditor(sw);
    Counter counter(star.devices[0]);
    std::vector<std::unique_ptr<Blaster>> blasters;
    for (uint32_t i = 1; i <= n; ++i)
    {
        blasters.push_back(std::make_unique<Blaster>(star.devices[i],
                                                     star.devices[0]->GetFabricAddress(),
                                                     4096,
                                                     60));
        blasters.back()->Start();
    }
    Simulator::Run();
    Incast incast;
    for (uint16_t port = 0; port < ports; ++port)
    {
        incast.drops += sw->GetPort(port)->GetDrops();
        incast.pauses +=
            dynamic_cast<PauseFlowControl*>(sw->GetPort(port)->GetIncomingFlowControl())
                ->GetPauseFrames();
    }
    incast.wrong = auditor.wrong;
    incast.left = sw->GetBuffer().GetUsed() + sw->GetEgressBuffer().GetUsed();
    EXPECT_EQ(counter.frames, 60 * n);
    Simulator::Destroy();
    return incast;
}

} // namespace

// Row 3 of the faults of others: N to 1, static and dynamic.
TEST_F(SwitchBuffer, IncastPausesAndLosesNothing)
{
    for (const uint64_t threshold : {0, 30000})
    {
        for (uint32_t n = 2; n <= 63; ++n)
        {
            const Incast incast = RunIncast(n, 64, threshold);
            EXPECT_EQ(incast.drops, 0U) << n << " static " << threshold;
            EXPECT_GT(incast.pauses, 0U) << n << " static " << threshold;
            EXPECT_EQ(incast.wrong, 0U) << n << " static " << threshold;
            EXPECT_EQ(incast.left, 0U) << n << " static " << threshold;
        }
    }
}

// Row 4: more ports than a chip has.
TEST_F(SwitchBuffer, HundredAndTwentyEightPorts)
{
    const Incast incast = RunIncast(127, 128, 0);
    EXPECT_EQ(incast.drops, 0U);
    EXPECT_GT(incast.pauses, 127U);
    EXPECT_EQ(incast.wrong, 0U);
    EXPECT_EQ(incast.left, 0U);
}

// A lossy queue is dropped at the egress, by its own name, and no promise is broken; broadcasts are
// in the books of the egress once for each copy.
TEST_F(SwitchBuffer, LossyEgressAndCopies)
{
    auto helper = MakeHelper("roce", "100Gbps");
    helper->SetFlowControlAttribute("LosslessMask", UintegerValue(0x10)); // 3 is lossy
    helper->SetSwitchAttribute("EgressAlpha", DoubleValue(0.01));
    Star star(*helper, 4);
    const auto sw = DynamicCast<RoceSwitch>(star.sw);
    Drops drops;
    sw->GetPort(0)->TraceConnectWithoutContext("FrameDrop", MakeCallback(&Drops::Count, &drops));
    Auditor auditor(sw);
    Counter counter(star.devices[0]);
    Blaster one(star.devices[1], star.devices[0]->GetFabricAddress(), 4096, 300);
    Blaster two(star.devices[2], star.devices[0]->GetFabricAddress(), 4096, 300);
    one.Start();
    two.Start();
    for (int i = 0; i < 5; ++i)
    {
        star.devices[3]->Send(Create<Packet>(1000), star.devices[3]->GetBroadcast(), 0x88b5);
    }
    Simulator::Run();
    EXPECT_GT(drops.reasons[FabricNetDevice::EGRESS_FULL], 0U);
    EXPECT_EQ(counter.frames + drops.reasons[FabricNetDevice::EGRESS_FULL], 600U);
    EXPECT_EQ(sw->GetPort(0)->GetDrops(), drops.reasons[FabricNetDevice::EGRESS_FULL]);
    EXPECT_EQ(drops.promised, 0U);
    EXPECT_EQ(auditor.wrong, 0U);
    EXPECT_GT(auditor.looks, 1000U);
    EXPECT_GT(auditor.copies, 0U);
    EXPECT_EQ(sw->GetEgressBuffer().GetUsed() + sw->GetBuffer().GetUsed(), 0U);
    Simulator::Destroy();
    EXPECT_EQ(FabricFramePool::GetOutstanding(), 0U);
}

// One port and priority apart from the rest.
TEST_F(SwitchBuffer, SettingsOfOneGroup)
{
    auto helper = MakeHelper("roce", "100Gbps");
    Star star(*helper, 3);
    const auto sw = DynamicCast<RoceSwitch>(star.sw);
    SharedBuffer::GroupConfig group = sw->GetBuffer().GetGroupConfig(1, 3);
    group.alpha = 0;
    group.staticBytes = 12345;
    group.headroomBytes = 1000;
    sw->SetGroup(1, 3, group);
    EgressBuffer::QueueConfig queue;
    queue.limitBytes = 777;
    sw->SetEgressQueue(2, 0, queue);
    sw->Configure();
    EXPECT_EQ(sw->GetBuffer().GetThreshold(1, 3), 12345U);
    EXPECT_NE(sw->GetBuffer().GetThreshold(0, 3), 12345U);
    EXPECT_EQ(sw->GetEgressBuffer().GetLimit(2, 0), 777U);
    EXPECT_EQ(sw->GetEgressBuffer().GetLimit(1, 0), ~uint64_t{0});
    ASSERT_EQ(sw->GetWarnings().size(), 1U) << "1000 bytes of headroom";
    EXPECT_EQ(sw->GetWarnings()[0].find("port 1: headroom of 1000 bytes is too small"), 0U);
    Simulator::Destroy();
}
