/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// InfiniBand's congestion control at the source: table, index, pace. Times are in nanoseconds, the
// resolution of a process that does not choose another.

#include "ns3/boolean.h"
#include "ns3/fabric-tick.h"
#include "ns3/ib-congestion-agent.h"
#include "ns3/ib-congestion-control.h"
#include "ns3/ib-congestion-table.h"
#include "ns3/packet-pacer.h"
#include "ns3/simulator.h"
#include "ns3/tx-clock.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <gtest/gtest.h>
#include <stdexcept>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

using Entries = std::vector<IbCongestionEntry>;
using Trace = std::vector<std::pair<int64_t, uint16_t>>;

/** Writes down each new index and when. */
void
Record(Trace* trace, uint8_t /* serviceLevel */, uint16_t index)
{
    trace->emplace_back(Simulator::Now().GetNanoSeconds(), index);
}

/** A BECN comes in. */
void
Becn(Ptr<IbCongestionControl> control)
{
    control->OnCnp(FabricNow());
}

/** @returns congestion control of a queue pair of a service level at 400 Gb/s */
Ptr<IbCongestionControl>
Connect(const Ptr<IbCongestionAgent>& agent, uint8_t serviceLevel)
{
    const auto control = DynamicCast<IbCongestionControl>(agent->CreateRateControl());
    control->SetServiceLevel(serviceLevel);
    control->SetLineRate(400000000000);
    return control;
}

/** @returns an agent whose index goes from 1 to 7, up by 2 and down every 3.072 us */
Ptr<IbCongestionAgent>
MakeAgent()
{
    const auto agent = CreateObject<IbCongestionAgent>();
    agent->SetAttribute("CctiIncrease", UintegerValue(2));
    agent->SetAttribute("CctiLimit", UintegerValue(7));
    agent->SetAttribute("CctiMin", UintegerValue(1));
    agent->SetAttribute("CctiTimer", UintegerValue(3));
    agent->SetAttribute("TriggerThreshold", UintegerValue(6));
    return agent;
}

TEST(IbCongestionTable, EntriesHaveTwoAndFourteenBits)
{
    IbCongestionEntry entry;
    entry.shift = 3;
    entry.multiplier = 11;
    EXPECT_EQ(entry.Encode(), 0xc00b);
    EXPECT_EQ(IbCongestionEntry::Decode(0x7fff).shift, 1);
    EXPECT_EQ(IbCongestionEntry::Decode(0x7fff).multiplier, 16383);
    // Packet time and 11/8 of it.
    const SendPace pace = entry.GetPace(400000000000);
    EXPECT_EQ(pace.rate, 400000000000U);
    EXPECT_EQ(pace.numerator, 19U);
    EXPECT_EQ(pace.denominator, 8U);
    EXPECT_TRUE(pace.IsSlowerThan(168421052632));
    EXPECT_FALSE(pace.IsSlowerThan(168421052631));
}

TEST(IbCongestionTable, RefusesWhatCannotBe)
{
    EXPECT_THROW(IbCongestionTable(Entries{}), std::invalid_argument);
    EXPECT_THROW(IbCongestionTable(Entries{{4, 0}}), std::invalid_argument);
    EXPECT_THROW(IbCongestionTable(Entries{{0, 0}, {0, 16384}}), std::invalid_argument);
    EXPECT_THROW(IbCongestionTable::MakeLinear(128, 128, 0), std::invalid_argument);
    const IbCongestionTable table = IbCongestionTable::MakeLinear(127, 129, 2);
    EXPECT_EQ(table.GetLimit(), 127);
    EXPECT_EQ(table.Get(0).multiplier, 0);
    EXPECT_EQ(table.Get(127).multiplier, 16383);
    EXPECT_EQ(table.Get(127).shift, 2);
    EXPECT_EQ(IbCongestionTable().GetLimit(), 0);
}

TEST(IbCongestionTable, GeometricStepsAreAsEvenAsTheBitsAllow)
{
    // Delays of 1.125^i - 1 packet times, in eighths: 0, 1, 2.125, 3.39, 4.81, 6.42.
    const IbCongestionTable table = IbCongestionTable::MakeGeometric(82, 1.125);
    const std::vector<uint16_t> first = {0, 1, 2, 3, 5, 6};
    for (uint16_t i = 0; i < first.size(); ++i)
    {
        EXPECT_EQ(table.Get(i).shift, 3);
        EXPECT_EQ(table.Get(i).multiplier, first[i]);
    }
    // 1.125^82 = 15649.7: 15649 packet times, and no shift is left.
    EXPECT_EQ(table.Get(82).shift, 0);
    EXPECT_EQ(table.Get(82).multiplier, 15649);
    // 1.125^65 = 2113.07: in eighths that is 16897, too much; in quarters 8448.
    EXPECT_EQ(table.Get(65).shift, 2);
    for (uint16_t i = 1; i <= table.GetLimit(); ++i)
    {
        const IbCongestionEntry& entry = table.Get(i);
        const double delay = std::ldexp(entry.multiplier, -entry.shift);
        EXPECT_NEAR(delay, std::pow(1.125, i) - 1, std::ldexp(0.5, -entry.shift) + 1e-9);
    }
    EXPECT_EQ(IbCongestionTable::MakeGeometric(3, 1).Get(3).multiplier, 0);
    EXPECT_THROW(IbCongestionTable::MakeGeometric(83, 1.125), std::invalid_argument);
    EXPECT_THROW(IbCongestionTable::MakeGeometric(3, 0.5), std::invalid_argument);
}

TEST(IbCongestionControl, LinearTableDividesTheRate)
{
    const auto agent = CreateObject<IbCongestionAgent>();
    const auto control = Connect(agent, 0);
    for (uint32_t index = 0; index <= 127; ++index)
    {
        const SendPace pace = control->GetPace();
        EXPECT_EQ(pace.rate, 400000000000U);
        EXPECT_EQ(pace.numerator, index + 1);
        EXPECT_EQ(pace.denominator, 1U);
        EXPECT_EQ(control->GetRate(), 400000000000U / (index + 1));
        control->OnCnp(FabricNow());
    }
    EXPECT_EQ(control->GetIndex(), 127); // CCTI_Limit
    EXPECT_EQ(agent->GetBecns(), 128U);
    control->Dispose();
    Simulator::Destroy();
}

TEST(IbCongestionControl, PacesToTheTick)
{
    // 4122 bytes at 400 Gb/s take 82.44 ns; with a delay of 11/8 of it, 195.795 ns.
    IbCongestionEntry entry;
    entry.shift = 3;
    entry.multiplier = 11;
    PacketPacer pacer;
    pacer.SetPace(entry.GetPace(400000000000), 0);
    for (int64_t i = 0; i < 2000; ++i)
    {
        ASSERT_EQ(pacer.GetDue(), i * 195795 / 1000);
        pacer.Sent(4122, pacer.GetDue());
    }
}

TEST(IbCongestionControl, LongestDelayFitsIntoAnyResolution)
{
    TxClock clock;
    for (const uint64_t perSecond : {uint64_t{1000000000}, uint64_t{1000000000000000}})
    {
        clock.SetRate(400000000000, perSecond, 16391, 8);
        const double exact = 16391.0 * 8 / 8 / 400e9 * static_cast<double>(perSecond);
        EXPECT_NEAR(static_cast<double>(clock.GetTicks(4096)), 4096 * exact, 1.0 + exact * 1e-9);
        clock.SetRate(96969696969, perSecond, 16391, 8); // no common factor with anything
        const double odd = 16391.0 * 8 / 8 / 96969696969.0 * static_cast<double>(perSecond);
        EXPECT_NEAR(static_cast<double>(clock.GetTicks(4096)), 4096 * odd, 1.0 + odd * 1e-9);
    }
    clock.SetRate(400000000000, 1000000000000000, 16391, 8);
    EXPECT_EQ(clock.GetTicks(1), 40977500);
}

TEST(IbCongestionControl, FollowsAScriptOfBecns)
{
    const auto agent = MakeAgent();
    Trace trace;
    agent->TraceConnectWithoutContext("Index", MakeBoundCallback(&Record, &trace));
    const auto control = Connect(agent, 0);
    EXPECT_EQ(control->GetIndex(), 1);
    for (const int64_t at : {100, 200, 300, 400, 7000})
    {
        Simulator::Schedule(NanoSeconds(at), &Becn, control);
    }
    Simulator::Run();
    const Trace expected = {{100, 3}, // the timer starts here and runs on
                            {200, 5},
                            {300, 7}, // and nothing at 400: the limit
                            {3172, 6},
                            {6244, 5},
                            {7000, 7},
                            {9316, 6},
                            {12388, 5},
                            {15460, 4},
                            {18532, 3},
                            {21604, 2},
                            {24676, 1}};
    EXPECT_EQ(trace, expected);
    // At rest nothing is pending.
    EXPECT_EQ(Simulator::Now().GetNanoSeconds(), 24676);
    const Ptr<IbCongestionIndex> other = agent->GetIndex(0);
    EXPECT_TRUE(other->IsAtRest());
    StateHash used;
    StateHash fresh;
    EXPECT_TRUE(control->HashState(used, FabricNow()));
    other->HashState(fresh, 0);
    EXPECT_EQ(used.Get(), fresh.Get());
    control->Dispose();
    Simulator::Destroy();
}

TEST(IbCongestionControl, TriggerThresholdOnlyCounts)
{
    const auto agent = MakeAgent();
    const Ptr<IbCongestionIndex> index = agent->GetIndex(0);
    for (const uint64_t triggers : {0, 0, 1, 2})
    {
        index->OnBecn(0);
        EXPECT_EQ(index->GetTriggers(), triggers);
    }
    EXPECT_EQ(index->Get(), 7);
    Simulator::Destroy();
}

TEST(IbCongestionControl, WithoutATimerTheIndexStays)
{
    const auto agent = MakeAgent();
    agent->SetAttribute("CctiTimer", UintegerValue(0));
    const auto control = Connect(agent, 0);
    control->OnCnp(0);
    Simulator::Run();
    EXPECT_EQ(control->GetIndex(), 3);
    control->Dispose();
    Simulator::Destroy();
}

TEST(IbCongestionControl, QueuePairsHaveAnIndexEachOrOnePerServiceLevel)
{
    for (const bool shared : {false, true})
    {
        const auto agent = MakeAgent();
        agent->SetAttribute("PerServiceLevel", BooleanValue(shared));
        const auto a = Connect(agent, 3);
        const auto b = Connect(agent, 3);
        const auto other = Connect(agent, 5);
        a->OnCnp(0);
        b->OnCnp(0);
        EXPECT_EQ(a->GetIndex(), shared ? 5 : 3);
        EXPECT_EQ(b->GetIndex(), shared ? 5 : 3);
        EXPECT_EQ(other->GetIndex(), 1);
        // Each is shifted once, and so is the timer that they share.
        Trace trace;
        agent->TraceConnectWithoutContext("Index", MakeBoundCallback(&Record, &trace));
        for (const auto& control : {a, b, other})
        {
            control->Shift(500);
        }
        Simulator::Stop(NanoSeconds(4000));
        Simulator::Run();
        const Trace each = {{3572, 2}, {3572, 2}};
        const Trace both = {{3572, 4}};
        EXPECT_EQ(trace, shared ? both : each);
        // The first one goes; the others go on.
        a->Dispose();
        b->Shift(0);
        b->OnCnp(FabricNow());
        EXPECT_EQ(b->GetIndex(), shared ? 6 : 4);
        b->Dispose();
        other->Dispose();
        agent->Dispose();
        Simulator::Destroy();
    }
}

TEST(IbCongestionControl, ServiceLevelsCanDiffer)
{
    const auto agent = MakeAgent();
    IbCongestionSetting setting;
    setting.increase = 5;
    setting.min = 0;
    agent->SetSetting(9, setting);
    EXPECT_THROW(agent->SetSetting(16, setting), std::invalid_argument);
    const auto plain = Connect(agent, 8);
    const auto special = Connect(agent, 9);
    plain->OnCnp(0);
    special->OnCnp(0);
    EXPECT_EQ(plain->GetIndex(), 3);
    EXPECT_EQ(special->GetIndex(), 5);
    plain->Dispose();
    special->Dispose();
    Simulator::Destroy();
}

TEST(IbCongestionControl, RefusesAMinimumBeyondTheTable)
{
    const auto agent = MakeAgent();
    agent->SetTable({{0, 0}});
    EXPECT_THROW(agent->GetIndex(0), std::invalid_argument);
    agent->SetTable({{0, 0}, {1, 3}});
    const auto control = Connect(agent, 0);
    // CCTI_Min 1: one packet time and 3/2 of it.
    EXPECT_EQ(control->GetRate(), 160000000000U);
    control->Dispose();
}

TEST(IbCongestionControl, HasDefaultsWithoutAnAgent)
{
    const auto control = CreateObject<IbCongestionControl>();
    EXPECT_EQ(control->GetIndex(), 0);
    EXPECT_EQ(control->GetRate(), 0U);
    control->SetServiceLevel(0);
    control->SetLineRate(100);
    control->OnCnp(0);
    EXPECT_EQ(control->GetRate(), 50U);
    control->Dispose();
    Simulator::Destroy();
}

} // namespace
