/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The books of a shared buffer against closed forms and a second set of books.

#include "ns3/shared-buffer.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <gtest/gtest.h>
#include <random>
#include <stdexcept>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint8_t PRIORITY = 3;
constexpr uint32_t FRAME = 4158;

/** @returns headroom of ports, for one lossless priority each */
std::vector<std::vector<uint64_t>>
OneLossless(uint16_t ports, uint64_t headroom)
{
    std::vector<uint64_t> port(8, 0);
    port[PRIORITY] = headroom;
    return std::vector<std::vector<uint64_t>>(ports, port);
}

/** @returns a configuration whose shared pool has a given size */
SharedBuffer::Config
WithPool(uint64_t pool, double alpha, uint16_t ports, uint64_t headroom, uint64_t reserved = 0)
{
    SharedBuffer::Config config;
    config.totalBytes = pool + ports * (headroom + 8 * reserved);
    config.alpha = alpha;
    config.reservedBytes = reserved;
    return config;
}

} // namespace

// A17: n blocked groups hold alpha * B / (1 + n * alpha) each, to a frame.
TEST(SharedBuffer, DynamicThreshold)
{
    constexpr uint64_t POOL = 4000000;
    constexpr uint32_t BYTES = 1000;
    for (const double alpha : {1.0, 0.125})
    {
        for (const uint16_t n : {1, 2, 4, 8})
        {
            for (const bool lossless : {true, false})
            {
                SharedBuffer buffer;
                const uint64_t headroom = lossless ? 50000 : 0;
                buffer.Configure(WithPool(POOL, alpha, n, headroom), OneLossless(n, headroom));
                ASSERT_EQ(buffer.GetSharedSize(), POOL);
                std::vector<uint64_t> held(n, 0);
                std::vector<bool> stopped(n, false);
                // In turn, until all are stopped (lossless) or dropped (lossy).
                while (std::count(stopped.begin(), stopped.end(), false))
                {
                    for (uint16_t port = 0; port < n; ++port)
                    {
                        if (stopped[port])
                        {
                            continue;
                        }
                        const auto verdict = buffer.Admit(port, PRIORITY, BYTES);
                        stopped[port] = verdict == (lossless ? SharedBuffer::Verdict::ADMIT_XOFF
                                                             : SharedBuffer::Verdict::DROP);
                        held[port] += verdict == SharedBuffer::Verdict::DROP ? 0 : BYTES;
                    }
                }
                const double expected = alpha * POOL / (1 + n * alpha);
                // A lossless group stops with the frame that reaches the threshold; what one stops
                // short of, the last ones get.
                const uint32_t tolerance = lossless ? 2 * BYTES : BYTES;
                for (const uint64_t bytes : held)
                {
                    EXPECT_NEAR(static_cast<double>(bytes), expected, tolerance)
                        << "alpha " << alpha << " n " << n << (lossless ? " lossless" : " lossy");
                }
                EXPECT_EQ(buffer.GetMaxHeadroomUsed(), 0U);
                EXPECT_EQ(buffer.GetSharedUsed(), buffer.GetUsed());
                EXPECT_EQ(buffer.GetThreshold(),
                          static_cast<uint64_t>(
                              alpha * static_cast<double>(POOL - buffer.GetSharedUsed())));
            }
        }
    }
}

// The frame that reaches the threshold counts to the pool, those after it to the headroom, and XON
// gives nothing away.
TEST(SharedBuffer, XoffHeadroomXon)
{
    constexpr uint64_t POOL = 100000;
    SharedBuffer buffer;
    auto config = WithPool(POOL, 1, 1, 10000);
    config.xonOffsetBytes = 8000;
    buffer.Configure(config, OneLossless(1, 10000));
    std::vector<SharedBuffer::Group> resumed;
    // The threshold of one group with alpha 1 is half of the pool.
    uint32_t frames = 0;
    while (buffer.Admit(0, PRIORITY, 1000) == SharedBuffer::Verdict::ADMIT)
    {
        ++frames;
    }
    EXPECT_EQ(frames, 49U);
    EXPECT_EQ(buffer.GetSharedUsed(), 50000U);
    EXPECT_TRUE(buffer.HasStopped());
    for (uint32_t i = 0; i < 10; ++i)
    {
        EXPECT_EQ(buffer.Admit(0, PRIORITY, 1000), SharedBuffer::Verdict::ADMIT) << i;
        EXPECT_EQ(buffer.GetSharedUsed(), 50000U);
    }
    EXPECT_EQ(buffer.GetMaxHeadroomUsed(), 10000U);
    EXPECT_EQ(buffer.Admit(0, PRIORITY, 1), SharedBuffer::Verdict::DROP);
    EXPECT_EQ(buffer.GetUsed(), 60000U);
    // The headroom empties first; then s + 8000 <= 100000 - s must hold: s <= 46000.
    for (uint32_t released = 1; released <= 13; ++released)
    {
        buffer.Release(0, PRIORITY, 1000);
        buffer.TakeResumed(resumed);
        EXPECT_TRUE(resumed.empty()) << released;
    }
    EXPECT_EQ(buffer.GetSharedUsed(), 47000U);
    // It holds less than its threshold of 53000, but goes on only below the offset: stopped, it
    // takes headroom.
    EXPECT_EQ(buffer.Admit(0, PRIORITY, 1000), SharedBuffer::Verdict::ADMIT);
    EXPECT_EQ(buffer.GetSharedUsed(), 47000U);
    buffer.Release(0, PRIORITY, 1000);
    buffer.TakeResumed(resumed);
    EXPECT_TRUE(resumed.empty());
    buffer.Release(0, PRIORITY, 1000);
    buffer.TakeResumed(resumed);
    ASSERT_EQ(resumed.size(), 1U);
    EXPECT_EQ(resumed[0].port, 0);
    EXPECT_EQ(resumed[0].priority, PRIORITY);
    EXPECT_FALSE(buffer.HasStopped());
    buffer.TakeResumed(resumed);
    EXPECT_TRUE(resumed.empty()) << "only once";
    EXPECT_EQ(buffer.Admit(0, PRIORITY, 1000), SharedBuffer::Verdict::ADMIT);
    EXPECT_EQ(buffer.GetSharedUsed(), 47000U);
}

// A group whose threshold the others have taken to nothing goes on when it is empty, or it never
// would.
TEST(SharedBuffer, EmptyGroupGoesOn)
{
    SharedBuffer buffer;
    auto config = WithPool(10000, 8, 2, 20000);
    config.xonOffsetBytes = 5000;
    buffer.Configure(config, OneLossless(2, 20000));
    while (buffer.Admit(0, PRIORITY, 1000) == SharedBuffer::Verdict::ADMIT)
    {
    }
    // 9000 of 10000: the second group is stopped at its first frame, whether or not it fits into
    // the pool.
    EXPECT_EQ(buffer.GetSharedUsed(), 9000U);
    EXPECT_EQ(buffer.Admit(1, PRIORITY, 2000), SharedBuffer::Verdict::ADMIT_XOFF);
    EXPECT_EQ(buffer.GetSharedUsed(), 9000U);
    EXPECT_EQ(buffer.GetMaxHeadroomUsed(), 2000U);
    std::vector<SharedBuffer::Group> resumed;
    buffer.Release(1, PRIORITY, 2000);
    buffer.TakeResumed(resumed);
    ASSERT_EQ(resumed.size(), 1U);
    EXPECT_EQ(resumed[0].port, 1);
}

// M9: what is promised to the groups must leave a pool.
TEST(SharedBuffer, TooSmall)
{
    SharedBuffer buffer;
    SharedBuffer::Config config;
    config.alpha = 1;
    config.reservedBytes = 100;
    for (const uint64_t total : {0, 1, 9999, 10000 + 8 * 100 * 2})
    {
        config.totalBytes = total;
        try
        {
            buffer.Configure(config, OneLossless(2, 5000));
            FAIL() << total;
        }
        catch (const std::invalid_argument& problem)
        {
            const std::string what = problem.what();
            EXPECT_NE(what.find("11600"), std::string::npos) << what;
            EXPECT_NE(what.find(std::to_string(total)), std::string::npos) << what;
            EXPECT_EQ(what.find('\n'), std::string::npos);
        }
    }
    config.totalBytes = 11601;
    buffer.Configure(config, OneLossless(2, 5000));
    EXPECT_EQ(buffer.GetSharedSize(), 1U);
}

// Random traffic on 128 ports, every number compared with a second set of books after every step.
TEST(SharedBuffer, Conservation)
{
    constexpr uint16_t PORTS = 128;
    constexpr uint64_t HEADROOM = 20000;
    constexpr uint64_t RESERVED = 3000;
    constexpr uint64_t POOL = 2000000;
    for (const double alpha : {0.125, 1.0, 8.0})
    {
        struct Group
        {
            uint64_t reserved{0};
            uint64_t shared{0};
            uint64_t headroom{0};
            bool stopped{false};
            std::deque<uint32_t> frames;
        };

        SharedBuffer buffer;
        auto config = WithPool(POOL, alpha, PORTS, HEADROOM, RESERVED);
        config.xonOffsetBytes = 5000;
        buffer.Configure(config, OneLossless(PORTS, HEADROOM));
        std::vector<Group> groups(PORTS * 8);
        std::vector<SharedBuffer::Group> resumed;
        uint64_t shared = 0;
        uint64_t used = 0;
        uint64_t most = 0;
        uint64_t drops = 0;
        uint64_t xoffs = 0;
        std::mt19937 random(7);
        std::vector<std::size_t> busy;
        const auto threshold = [&shared, alpha]() {
            return static_cast<uint64_t>(alpha * static_cast<double>(POOL - shared));
        };
        for (uint32_t step = 0; step < 60000; ++step)
        {
            const bool fills = step / 10000 % 2 == 0;
            // Mostly few groups, so that thresholds are reached; lossless and lossy ones.
            const uint16_t port = random() % (random() % 4 ? 16 : PORTS);
            const uint8_t priority = random() % 2 ? PRIORITY : random() % 8;
            Group& group = groups[port * 8 + priority];
            if (random() % 10 < (fills ? 8U : 3U))
            {
                const uint32_t bytes = 64 + random() % 9000;
                const bool lossless = priority == PRIORITY;
                const uint64_t toReserved = std::min<uint64_t>(bytes, RESERVED - group.reserved);
                const uint64_t rest = bytes - toReserved;
                auto expected = SharedBuffer::Verdict::ADMIT;
                if (rest && !group.stopped && shared + rest <= POOL &&
                    (lossless || group.shared + rest <= threshold()))
                {
                    group.shared += rest;
                    shared += rest;
                    if (lossless && group.shared >= threshold())
                    {
                        expected = SharedBuffer::Verdict::ADMIT_XOFF;
                    }
                }
                else if (rest && lossless && group.headroom + rest <= HEADROOM)
                {
                    group.headroom += rest;
                    most = std::max(most, group.headroom);
                    expected = group.stopped ? SharedBuffer::Verdict::ADMIT
                                             : SharedBuffer::Verdict::ADMIT_XOFF;
                }
                else if (rest)
                {
                    expected = SharedBuffer::Verdict::DROP;
                }
                ASSERT_EQ(buffer.Admit(port, priority, bytes), expected) << step;
                group.stopped = group.stopped || expected == SharedBuffer::Verdict::ADMIT_XOFF;
                if (expected == SharedBuffer::Verdict::DROP)
                {
                    ++drops;
                }
                else
                {
                    group.reserved += toReserved;
                    group.frames.push_back(bytes);
                    used += bytes;
                }
                xoffs += expected == SharedBuffer::Verdict::ADMIT_XOFF;
            }
            else if (!group.frames.empty())
            {
                const uint32_t bytes = group.frames.front();
                group.frames.pop_front();
                buffer.Release(port, priority, bytes);
                const uint64_t fromHeadroom = std::min<uint64_t>(bytes, group.headroom);
                const uint64_t fromShared = std::min(bytes - fromHeadroom, group.shared);
                group.headroom -= fromHeadroom;
                group.shared -= fromShared;
                group.reserved -= bytes - fromHeadroom - fromShared;
                shared -= fromShared;
                used -= bytes;
                buffer.TakeResumed(resumed);
                for (const auto& on : resumed)
                {
                    Group& goesOn = groups[on.port * 8 + on.priority];
                    ASSERT_TRUE(goesOn.stopped);
                    ASSERT_EQ(goesOn.headroom, 0U);
                    goesOn.stopped = false;
                }
                for (const Group& other : groups)
                {
                    // Nobody is forgotten.
                    ASSERT_FALSE(
                        other.stopped && other.headroom == 0 &&
                        (other.shared == 0 ||
                         other.shared + std::min<uint64_t>(5000, threshold()) <= threshold()));
                }
            }
            ASSERT_EQ(buffer.GetUsed(), used) << step;
            ASSERT_EQ(buffer.GetSharedUsed(), shared) << step;
            ASSERT_EQ(buffer.GetThreshold(), threshold()) << step;
            ASSERT_EQ(buffer.GetMaxHeadroomUsed(), most) << step;
            ASSERT_LE(shared, POOL);
            ASSERT_LE(used, config.totalBytes);
            if (step % 1000 == 0)
            {
                uint64_t parts = 0;
                for (const Group& each : groups)
                {
                    parts += each.reserved + each.shared + each.headroom;
                    ASSERT_LE(each.reserved, RESERVED);
                    ASSERT_LE(each.headroom, HEADROOM);
                }
                ASSERT_EQ(parts, used) << step;
            }
        }
        EXPECT_GT(drops, 0U) << alpha;
        EXPECT_GT(xoffs, 0U) << alpha;
        EXPECT_GT(most, 0U) << alpha;
        for (std::size_t index = 0; index < groups.size(); ++index)
        {
            for (const uint32_t bytes : groups[index].frames)
            {
                buffer.Release(index / 8, index % 8, bytes);
            }
        }
        buffer.TakeResumed(resumed);
        EXPECT_EQ(buffer.GetUsed(), 0U);
        EXPECT_EQ(buffer.GetSharedUsed(), 0U);
        EXPECT_FALSE(buffer.HasStopped());
    }
}

// However many senders there are and however small the pool: a group that sends what was on its way
// when it was stopped loses nothing. One frame more than that is needed for a group that finds the
// pool exhausted by the others.
TEST(SharedBuffer, IncastWithinHeadroomLosesNothing)
{
    constexpr uint64_t ON_ITS_WAY = 20000;
    for (const double alpha : {0.125, 1.0, 8.0})
    {
        for (const uint64_t pool : {10000, 100000, 1000000})
        {
            uint64_t most = 0;
            for (uint16_t n = 2; n <= 63; ++n)
            {
                constexpr uint16_t PORTS = 128;
                SharedBuffer buffer;
                const uint64_t headroom = ON_ITS_WAY + FRAME;
                buffer.Configure(WithPool(pool, alpha, PORTS, headroom),
                                 OneLossless(PORTS, headroom));
                std::vector<uint64_t> left(n, ON_ITS_WAY / FRAME * FRAME);
                std::vector<bool> stopped(n, false);
                for (uint32_t round = 0; round < 2000; ++round)
                {
                    for (uint16_t port = 0; port < n; ++port)
                    {
                        if (stopped[port] && left[port] == 0)
                        {
                            continue;
                        }
                        left[port] -= stopped[port] ? FRAME : 0;
                        const auto verdict = buffer.Admit(port, PRIORITY, FRAME);
                        ASSERT_NE(verdict, SharedBuffer::Verdict::DROP)
                            << n << " senders, pool " << pool << ", alpha " << alpha;
                        stopped[port] =
                            stopped[port] || verdict == SharedBuffer::Verdict::ADMIT_XOFF;
                    }
                }
                EXPECT_EQ(std::count(stopped.begin(), stopped.end(), true), n);
                most = std::max(most, buffer.GetMaxHeadroomUsed());
            }
            // The frame more is needed where the pool is small for so many.
            if (pool <= 100000 && alpha >= 1)
            {
                EXPECT_EQ(most, (ON_ITS_WAY / FRAME + 1) * FRAME);
            }
        }
    }
}

// A port that fills its own pool takes nothing from another; its priorities share by the dynamic
// threshold.
TEST(SharedBuffer, PoolPerPort)
{
    constexpr uint64_t POOL = 120000;
    SharedBuffer buffer;
    auto config = WithPool(2 * POOL, 1, 2, 10000);
    config.model = SharedBuffer::PER_PORT;
    buffer.Configure(config, OneLossless(2, 10000));
    EXPECT_EQ(buffer.GetSharedSize(), POOL);
    // Two greedy groups of port 0 settle at a third of its pool each (A17: alpha 1, n = 2).
    std::vector<uint64_t> held(2, 0);
    for (uint32_t round = 0; round < 100; ++round)
    {
        for (const uint8_t priority : {0, 1})
        {
            held[priority] += buffer.Admit(0, priority, 1000) == SharedBuffer::Verdict::ADMIT;
        }
    }
    EXPECT_EQ(held[0], 40U);
    EXPECT_EQ(held[1], 40U);
    EXPECT_EQ(buffer.GetThreshold(0, PRIORITY), 40000U);
    EXPECT_EQ(buffer.GetThreshold(1, PRIORITY), POOL) << "port 1 has all of its own";
    uint32_t frames = 1;
    while (buffer.Admit(1, PRIORITY, 1000) == SharedBuffer::Verdict::ADMIT)
    {
        ++frames;
    }
    EXPECT_EQ(frames, 60U) << "stopped at half of an empty pool";
    buffer.Release(0, 0, 40000);
    EXPECT_EQ(buffer.GetThreshold(0, PRIORITY), 80000U);
    EXPECT_EQ(buffer.GetThreshold(1, PRIORITY), 60000U) << "what port 0 gives back is not for 1";
}

// A group with a pool of its own may fill it; nobody else notices.
TEST(SharedBuffer, PoolPerQueue)
{
    constexpr uint64_t POOL = 50000;
    SharedBuffer buffer;
    auto config = WithPool(16 * POOL, 0.125, 2, 10000);
    config.model = SharedBuffer::PER_QUEUE;
    config.xonOffsetBytes = 8000;
    buffer.Configure(config, OneLossless(2, 10000));
    EXPECT_EQ(buffer.GetSharedSize(), POOL);
    for (const uint16_t port : {0, 1})
    {
        uint32_t lossy = 0;
        while (buffer.Admit(port, 0, 1000) == SharedBuffer::Verdict::ADMIT)
        {
            ++lossy;
        }
        EXPECT_EQ(lossy, 50U) << "a lossy group fills its pool and is dropped then";
        uint32_t lossless = 1;
        while (buffer.Admit(port, PRIORITY, 1000) == SharedBuffer::Verdict::ADMIT)
        {
            ++lossless;
        }
        EXPECT_EQ(lossless, 50U) << "a lossless group is stopped by the frame that fills it";
        for (uint32_t i = 0; i < 10; ++i)
        {
            EXPECT_EQ(buffer.Admit(port, PRIORITY, 1000), SharedBuffer::Verdict::ADMIT);
        }
        EXPECT_EQ(buffer.Admit(port, PRIORITY, 1), SharedBuffer::Verdict::DROP);
    }
    std::vector<SharedBuffer::Group> resumed;
    for (uint32_t i = 0; i < 17; ++i)
    {
        buffer.Release(1, PRIORITY, 1000);
        buffer.TakeResumed(resumed);
        EXPECT_TRUE(resumed.empty()) << i;
    }
    buffer.Release(1, PRIORITY, 1000);
    buffer.TakeResumed(resumed);
    ASSERT_EQ(resumed.size(), 1U) << "10 frames of headroom and 8 of the pool have left";
    EXPECT_EQ(resumed[0].port, 1);
}
