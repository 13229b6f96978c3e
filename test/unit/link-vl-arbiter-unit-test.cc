/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// VL arbitration against orders computed by hand, and SL to VL tables.

#include "ns3/ib-vl-arbiter.h"

#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

using namespace ns3;

namespace
{

constexpr uint32_t PACKET = 4096 + 26; //!< bytes: 65 units
constexpr uint32_t SMALL = 256 + 26;   //!< bytes: 5 units

/** @returns the lanes that are chosen one after the other, all of the mask being backlogged */
std::string
OrderOf(IbVlArbiter& arbiter, uint32_t sendable, uint32_t packets, uint32_t bytes = PACKET)
{
    std::string order;
    for (uint32_t i = 0; i < packets; ++i)
    {
        order += std::to_string(arbiter.Choose(sendable)) + (i + 1 < packets ? " " : "");
        arbiter.Sent(bytes);
    }
    return order;
}

/** @returns what went wrong; empty if nothing did */
template <typename F>
std::string
ErrorOf(F what)
{
    try
    {
        what();
    }
    catch (const std::invalid_argument& error)
    {
        return error.what();
    }
    return "";
}

TEST(IbVlArbiter, WeightsAreUnitsOf64BytesAndMayBeOverdrawn)
{
    IbVlArbitration tables;
    tables.low = {{0, 64}, {1, 192}};
    IbVlArbiter exact(tables, 2);
    EXPECT_EQ(OrderOf(exact, 3, 10), "0 1 1 1 0 1 1 1 0 1");
    // 65 units of 65 are one packet, 66 are two; nothing is owed afterwards.
    tables.low = {{0, 65}, {1, 66}};
    IbVlArbiter overdrawn(tables, 2);
    EXPECT_EQ(OrderOf(overdrawn, 3, 7), "0 1 1 0 1 1 0");
    // 4 packets of 5 units have used up 20, not 16.
    tables.low = {{0, 16}, {1, 1}};
    IbVlArbiter small(tables, 2);
    EXPECT_EQ(OrderOf(small, 3, 6, SMALL), "0 0 0 0 1 0");
}

TEST(IbVlArbiter, ALaneMayHaveSeveralEntries)
{
    IbVlArbitration tables;
    tables.low = {{0, 128}, {1, 1}, {0, 1}, {2, 1}, {3, 0}};
    IbVlArbiter arbiter(tables, 4);
    EXPECT_EQ(OrderOf(arbiter, 7, 10), "0 0 1 0 2 0 0 1 0 2");
    EXPECT_EQ(arbiter.GetServedClasses(), 0x8007U) << "weight 0 is skipped";
}

TEST(IbVlArbiter, WhoCanNotSendLosesTheRestOfItsTurn)
{
    IbVlArbitration tables;
    tables.low = {{0, 192}, {1, 128}};
    IbVlArbiter arbiter(tables, 2);
    EXPECT_EQ(OrderOf(arbiter, 3, 2), "0 0");
    EXPECT_EQ(OrderOf(arbiter, 2, 1), "1");
    EXPECT_EQ(OrderOf(arbiter, 3, 5), "1 0 0 0 1") << "full weight when its turn comes again";
    EXPECT_EQ(OrderOf(arbiter, 1, 7), "0 0 0 0 0 0 0") << "alone it has everything";
}

TEST(IbVlArbiter, LimitOfHighPriority)
{
    IbVlArbitration tables;
    tables.high = {{1, 255}};
    tables.low = {{0, 255}};
    const auto order = [&tables](uint8_t limit, uint32_t packets) {
        tables.highLimit = limit;
        IbVlArbiter arbiter(tables, 2);
        return OrderOf(arbiter, 3, packets);
    };
    EXPECT_EQ(order(0, 5), "1 0 1 0 1") << "a packet each";
    EXPECT_EQ(order(1, 5), "1 0 1 0 1") << "64 units";
    EXPECT_EQ(order(2, 5), "1 1 0 1 1") << "128 units";
    EXPECT_EQ(order(4, 10), "1 1 1 1 0 1 1 1 1 0") << "256 units";
    EXPECT_EQ(order(255, 5), "1 1 1 1 1") << "no limit";

    tables.highLimit = 0;
    IbVlArbiter small(tables, 2);
    EXPECT_EQ(OrderOf(small, 3, 4, 64), "1 0 1 0") << "a packet each, however short";

    // What high sends while nothing else can does not count.
    tables.highLimit = 2;
    IbVlArbiter arbiter(tables, 2);
    EXPECT_EQ(OrderOf(arbiter, 2, 9), "1 1 1 1 1 1 1 1 1");
    EXPECT_EQ(OrderOf(arbiter, 3, 4), "1 1 0 1");
    EXPECT_EQ(OrderOf(arbiter, 1, 2), "0 0") << "high has nothing to send";
    EXPECT_EQ(OrderOf(arbiter, 3, 3), "1 1 0");
}

TEST(IbVlArbiter, TheLowTableHasWeightsOfItsOwn)
{
    IbVlArbitration tables;
    tables.high = {{0, 64}, {1, 64}};
    tables.low = {{2, 128}, {3, 64}, {0, 64}};
    tables.highLimit = 2;
    IbVlArbiter arbiter(tables, 4);
    EXPECT_EQ(OrderOf(arbiter, 15, 15), "0 1 2 0 1 2 0 1 3 0 1 0 0 1 2");
}

TEST(IbVlArbiter, ManagementGoesFirstAndIsNotCounted)
{
    IbVlArbitration tables;
    tables.high = {{0, 128}};
    tables.low = {{1, 64}};
    tables.highLimit = 2;
    IbVlArbiter arbiter(tables, 2);
    EXPECT_EQ(OrderOf(arbiter, 3, 1), "0");
    EXPECT_EQ(OrderOf(arbiter, 0x8003, 2), "15 15");
    EXPECT_EQ(OrderOf(arbiter, 3, 4), "0 1 0 0") << "as if it had not been there";
}

TEST(IbVlArbiter, LanesNotInOperationAreSkipped)
{
    IbVlArbitration tables;
    tables.high = {{4, 255}};
    tables.low = {{0, 64}, {7, 255}, {1, 64}};
    IbVlArbiter arbiter(tables, 2);
    EXPECT_EQ(arbiter.GetServedClasses(), 0x8003U);
    EXPECT_EQ(OrderOf(arbiter, 3, 4), "0 1 0 1");
}

TEST(IbVlArbiter, StateIsInTheHash)
{
    IbVlArbitration tables;
    tables.high = {{0, 128}};
    tables.low = {{1, 64}, {0, 128}};
    tables.highLimit = 2;
    IbVlArbiter arbiter(tables, 2);
    const auto hash = [&arbiter]() {
        StateHash state;
        arbiter.HashState(state);
        return state.Get();
    };
    OrderOf(arbiter, 3, 20);
    // A round: 0 0 1, 0 0 0, 0 0 0.
    std::vector<uint64_t> hashes;
    for (uint32_t i = 0; i < 18; ++i)
    {
        OrderOf(arbiter, 3, 1);
        hashes.push_back(hash());
    }
    for (uint32_t i = 0; i < 9; ++i)
    {
        EXPECT_EQ(hashes[i], hashes[i + 9]) << "the same after a round";
        for (uint32_t j = i + 1; j < 9; ++j)
        {
            EXPECT_NE(hashes[i], hashes[j]) << "and different in it";
        }
    }
}

TEST(IbVlArbiter, Errors)
{
    IbVlArbitration tables;
    tables.low.assign(64, {0, 1});
    EXPECT_EQ(ErrorOf([&] { IbVlArbiter(tables, 1); }), "");
    tables.low.assign(65, {0, 1});
    EXPECT_NE(ErrorOf([&] { IbVlArbiter(tables, 1); }).find("low-priority table has 65 entries"),
              std::string::npos);
    tables.low.clear();
    tables.high = {{15, 1}};
    EXPECT_NE(ErrorOf([&] { IbVlArbiter(tables, 1); }).find("expected 0..14"), std::string::npos);
}

TEST(IbSlToVl, EqualTablesAreShared)
{
    IbSlToVl::Table other = IbSlToVl::GetOpenSmDefault();
    other[3] = IbSlToVl::DROP;
    IbSlToVl tables(IbSlToVl::GetOpenSmDefault());
    EXPECT_EQ(tables.Get(0, 15), 7);
    EXPECT_EQ(tables.GetTables(), 1U);
    tables.Set(5, other);
    tables.Set(2, other);
    tables.Set(7, IbSlToVl::GetOpenSmDefault());
    EXPECT_EQ(tables.GetTables(), 2U);
    for (uint16_t port = 0; port < 10; ++port)
    {
        EXPECT_EQ(tables.Get(port, 3), port == 5 || port == 2 ? IbSlToVl::DROP : 3);
        EXPECT_EQ(tables.Get(port, 4), 4);
    }
    EXPECT_EQ(tables.GetUsedLanes(), 0x7fffU);
    other[0] = 16;
    EXPECT_NE(ErrorOf([&] { tables.Set(1, other); }).find("SL 0 has virtual lane 16"),
              std::string::npos);
    EXPECT_NE(ErrorOf([&] { IbSlToVl wrong(other); }), "");
}

TEST(IbSlToVl, OperationalVlsArePowers)
{
    const uint8_t expected[] = {1, 1, 2, 2, 4, 4, 4, 4, 8, 8, 8, 8, 8, 8, 8, 15};
    for (uint8_t vls = 0; vls < 16; ++vls)
    {
        EXPECT_EQ(IbOperationalVls(vls), expected[vls]);
    }
}

} // namespace
