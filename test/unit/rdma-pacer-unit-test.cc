/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// When a paced flow may send its next packet. Times are computed for the Time resolution in force.

#include "ns3/packet-pacer.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/** @returns a rate at which one byte takes a number of thirds of a tick */
uint64_t
ThirdsPerByte(uint64_t thirds)
{
    return 8 * FabricTicksPerSecond() * 3 / thirds;
}

TEST(PacketPacer, NoLimitHoldsNothingBack)
{
    PacketPacer pacer;
    pacer.Sent(1000000, 5);
    EXPECT_FALSE(pacer.HoldsBack(5));
}

TEST(PacketPacer, CarriesFractionsOfATick)
{
    PacketPacer pacer;
    pacer.SetRate(ThirdsPerByte(1), 0);
    for (FabricTick i = 0; i < 1000; ++i)
    {
        EXPECT_EQ(pacer.GetDue(), i * 100 / 3);
        pacer.Sent(100, pacer.GetDue());
    }
}

TEST(PacketPacer, MakesUpForTheWireButNotForIdleness)
{
    PacketPacer pacer;
    pacer.SetRate(ThirdsPerByte(3), 0);
    pacer.Sent(100, 0);
    EXPECT_EQ(pacer.GetDue(), 100);
    pacer.SetOnTime(true);
    pacer.Sent(100, 130); // waited 30 ticks for the wire
    EXPECT_EQ(pacer.GetDue(), 200);
    pacer.SetOnTime(true);
    pacer.Sent(100, 350); // waited longer than a gap
    EXPECT_EQ(pacer.GetDue(), 450);
    pacer.SetOnTime(false);
    pacer.Sent(100, 480); // came late
    EXPECT_EQ(pacer.GetDue(), 580);
    EXPECT_TRUE(pacer.HoldsBack(579));
    EXPECT_FALSE(pacer.HoldsBack(580));
}

TEST(PacketPacer, NewRateChangesTheGapInProgress)
{
    PacketPacer pacer;
    pacer.SetRate(ThirdsPerByte(3), 0);
    pacer.Sent(100, 1000);
    pacer.SetRate(ThirdsPerByte(6), 1010);
    EXPECT_EQ(pacer.GetDue(), 1200);
    pacer.SetRate(ThirdsPerByte(1), 1020);
    EXPECT_EQ(pacer.GetDue(), 1033);
    pacer.SetRate(0, 1030);
    EXPECT_FALSE(pacer.HoldsBack(1030));
    // What was sent without a limit counts for nothing.
    pacer.Sent(100, 2000);
    pacer.SetRate(ThirdsPerByte(3), 2010);
    EXPECT_FALSE(pacer.HoldsBack(2010));
}

TEST(PacketPacer, StateIsRelative)
{
    PacketPacer a;
    PacketPacer b;
    a.SetRate(ThirdsPerByte(1), 0);
    b.SetRate(ThirdsPerByte(1), 0);
    a.Sent(100, 7);
    b.Sent(100, 1007);
    StateHash hashA;
    StateHash hashB;
    a.HashState(hashA, 10, false);
    b.HashState(hashB, 1010, false);
    EXPECT_EQ(hashA.Get(), hashB.Get());
    a.Shift(1000);
    EXPECT_EQ(a.GetDue(), b.GetDue());
    StateHash later;
    b.HashState(later, 1011, false);
    EXPECT_NE(later.Get(), hashB.Get());
}

} // namespace
