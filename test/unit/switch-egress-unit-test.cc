/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Egress queues, and what priority groups of one switch may have of their own.

#include "ns3/egress-buffer.h"
#include "ns3/shared-buffer.h"

#include <gtest/gtest.h>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

using Verdict = SharedBuffer::Verdict;

/** @returns the line that is thrown; empty if nothing is */
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

/** @returns ports whose groups are all the same */
std::vector<SharedBuffer::PortConfig>
Ports(std::size_t count, const SharedBuffer::GroupConfig& group)
{
    SharedBuffer::PortConfig port;
    port.fill(group);
    return std::vector<SharedBuffer::PortConfig>(count, port);
}

/** @returns a lossy group by alpha */
SharedBuffer::GroupConfig
Lossy(double alpha)
{
    SharedBuffer::GroupConfig group;
    group.alpha = alpha;
    return group;
}

/** @returns a lossless group by alpha */
SharedBuffer::GroupConfig
Lossless(double alpha, uint64_t headroom)
{
    SharedBuffer::GroupConfig group;
    group.alpha = alpha;
    group.headroomBytes = headroom;
    return group;
}

} // namespace

TEST(EgressBuffer, DynamicLimitOfGreedyQueues)
{
    // n greedy queues settle at alpha * B / (1 + n * alpha) each.
    constexpr uint64_t POOL = 1000000;
    for (const double alpha : {1.0, 0.125})
    {
        for (const std::size_t n : {1, 2, 4, 8})
        {
            EgressBuffer::PortConfig port;
            port[0].alpha = alpha;
            EgressBuffer buffer;
            buffer.Configure(POOL, std::vector<EgressBuffer::PortConfig>(n, port));
            for (bool more = true; more;)
            {
                more = false;
                for (uint16_t i = 0; i < n; ++i)
                {
                    more = buffer.Admit(i, 0, 100) || more;
                }
            }
            const double share = alpha * POOL / (1 + static_cast<double>(n) * alpha);
            for (uint16_t i = 0; i < n; ++i)
            {
                EXPECT_NEAR(static_cast<double>(buffer.GetHeld(i, 0)), share, 100);
            }
        }
    }
}

TEST(EgressBuffer, ReservedStaticAndUnlimited)
{
    EgressBuffer::PortConfig port;
    port[0] = {1000, 0, 2000};
    port[1] = {500, 1, 0};
    EgressBuffer buffer;
    buffer.Configure(4000, {port});
    EXPECT_TRUE(buffer.Admit(0, 0, 3000));
    EXPECT_FALSE(buffer.Admit(0, 0, 1)) << "reserved and static limit are used up";
    EXPECT_EQ(buffer.GetHeld(0, 0), 3000U);
    EXPECT_EQ(buffer.GetLimit(0, 1), 4000U) << "static queues are not of the pool";
    EXPECT_TRUE(buffer.Admit(0, 1, 500)) << "reserved";
    EXPECT_EQ(buffer.GetLimit(0, 1), 4000U);
    EXPECT_TRUE(buffer.Admit(0, 1, 2000));
    EXPECT_EQ(buffer.GetLimit(0, 1), 2000U);
    EXPECT_FALSE(buffer.Admit(0, 1, 1));
    EXPECT_EQ(buffer.GetLimit(0, 2), std::numeric_limits<uint64_t>::max());
    EXPECT_TRUE(buffer.Admit(0, 2, 1 << 30));
    EXPECT_EQ(buffer.GetUsed(), 3000U + 2500U + (1U << 30));
    buffer.Release(0, 0, 3000);
    buffer.Release(0, 1, 2500);
    buffer.Release(0, 2, 1 << 30);
    EXPECT_EQ(buffer.GetUsed(), 0U);
    EXPECT_EQ(buffer.GetLimit(0, 1), 4000U) << "the pool is free again";
    EXPECT_EQ(ErrorOf([&buffer, &port] { buffer.Configure(0, {port}); }),
              "EgressBuffer: port 0, priority 1 has alpha 1.000000 and a pool of 0 bytes, expected "
              "0, or more than 0 and a pool");
}

TEST(SharedBufferGroups, StaticThreshold)
{
    SharedBuffer::GroupConfig group = Lossless(0, 5000);
    group.staticBytes = 10000;
    group.xonOffsetBytes = 2000;
    SharedBuffer::Config config;
    config.totalBytes = 2 * 8 * 5000 + 50000;
    SharedBuffer buffer;
    buffer.Configure(config, Ports(2, group));
    // Another group's use does not move it.
    for (int i = 0; i < 9; ++i)
    {
        EXPECT_EQ(buffer.Admit(1, 0, 1000), Verdict::ADMIT);
    }
    EXPECT_EQ(buffer.GetThreshold(0, 0), 10000U);
    for (int i = 0; i < 9; ++i)
    {
        EXPECT_EQ(buffer.Admit(0, 0, 1000), Verdict::ADMIT);
    }
    EXPECT_EQ(buffer.Admit(0, 0, 1000), Verdict::ADMIT_XOFF);
    std::vector<SharedBuffer::Group> resumed;
    buffer.Release(0, 0, 1000);
    buffer.TakeResumed(resumed);
    EXPECT_TRUE(resumed.empty());
    buffer.Release(0, 0, 1000);
    buffer.TakeResumed(resumed);
    ASSERT_EQ(resumed.size(), 1U) << "2000 below the threshold";
    EXPECT_EQ(resumed[0].port, 0);
}

TEST(SharedBufferGroups, XonBytes)
{
    SharedBuffer::GroupConfig group = Lossless(1, 5000);
    group.xonBytes = 3000;
    SharedBuffer::Config config;
    config.totalBytes = 8 * 5000 + 20000;
    SharedBuffer buffer;
    buffer.Configure(config, Ports(1, group));
    uint64_t held = 1000;
    while (buffer.Admit(0, 2, 1000) == Verdict::ADMIT)
    {
        held += 1000;
    }
    EXPECT_EQ(held, 10000U); // alpha 1, alone: half of the pool
    std::vector<SharedBuffer::Group> resumed;
    while (resumed.empty())
    {
        ASSERT_GT(held, 3000U);
        buffer.Release(0, 2, 1000);
        held -= 1000;
        buffer.TakeResumed(resumed);
    }
    EXPECT_EQ(held, 3000U);
    EXPECT_EQ(buffer.GetHeld(0, 2), 3000U);
}

TEST(SharedBufferGroups, HeadroomPool)
{
    SharedBuffer::Config config;
    config.headroomPoolBytes = 6000;
    config.totalBytes = 6000 + 40000;
    SharedBuffer buffer;
    // Each may use 5000 of the 6000.
    buffer.Configure(config, Ports(2, Lossless(1.0 / 8, 5000)));
    EXPECT_EQ(buffer.GetSharedSize(), 40000U);
    for (const uint16_t port : {0, 1})
    {
        while (buffer.Admit(port, 3, 1000) != Verdict::ADMIT_XOFF)
        {
        }
    }
    for (int i = 0; i < 5; ++i)
    {
        EXPECT_EQ(buffer.Admit(0, 3, 1000), Verdict::ADMIT);
    }
    EXPECT_EQ(buffer.Admit(0, 3, 1000), Verdict::DROP) << "its own";
    EXPECT_EQ(buffer.Admit(1, 3, 1000), Verdict::ADMIT);
    EXPECT_EQ(buffer.Admit(1, 3, 1000), Verdict::DROP) << "that of the pool";
    EXPECT_EQ(buffer.GetHeadroomUsed(), 6000U);
    buffer.Release(0, 3, 1000);
    EXPECT_EQ(buffer.Admit(1, 3, 1000), Verdict::ADMIT);
}

TEST(SharedBufferGroups, LossyPoolIsApart)
{
    SharedBuffer::GroupConfig lossy = Lossy(1);
    lossy.inLossyPool = true;
    std::vector<SharedBuffer::PortConfig> ports = Ports(2, lossy);
    ports[0][3] = ports[1][3] = Lossless(1, 4000);
    SharedBuffer::Config config;
    config.totalBytes = 2 * 4000 + 10000 + 30000;
    config.lossyPoolBytes = 10000;
    SharedBuffer buffer;
    buffer.Configure(config, ports);
    EXPECT_EQ(buffer.GetSharedSize(), 30000U);
    uint64_t lossyBytes = 0;
    while (buffer.Admit(0, 0, 100) == Verdict::ADMIT)
    {
        lossyBytes += 100;
    }
    EXPECT_EQ(lossyBytes, 5000U) << "half of the lossy pool";
    EXPECT_EQ(buffer.GetLossyUsed(), 5000U);
    EXPECT_EQ(buffer.GetThreshold(0, 3), 30000U) << "nothing of the others is used";
    while (buffer.Admit(0, 3, 100) == Verdict::ADMIT)
    {
    }
    EXPECT_EQ(buffer.GetHeld(0, 3), 15000U);
    EXPECT_EQ(buffer.GetThreshold(1, 0), 5000U) << "nor of the lossy ones";
}

TEST(SharedBufferGroups, RefusesWhatCanNotBe)
{
    SharedBuffer buffer;
    SharedBuffer::Config config;
    config.totalBytes = 100000;
    const auto errorOf = [&](const SharedBuffer::GroupConfig& group) {
        return ErrorOf([&] { buffer.Configure(config, Ports(1, group)); });
    };
    EXPECT_EQ(errorOf(Lossless(1, 12500)),
              "SharedBuffer: reserved bytes and headroom of 1 ports take 100000 bytes of a buffer "
              "of 100000; expected less, so that a shared pool is left");
    EXPECT_EQ(
        errorOf(Lossless(0, 100)),
        "SharedBuffer: port 0, priority 0 has no threshold, expected an alpha of more than 0, "
        "or static bytes");
    SharedBuffer::GroupConfig large = Lossless(0, 100);
    large.staticBytes = 99201;
    EXPECT_EQ(errorOf(large),
              "SharedBuffer: port 0, priority 0 has a static threshold of 99201 bytes, expected at "
              "most the 99200 of its pool");
    large.staticBytes = 99200;
    EXPECT_EQ(errorOf(large), "");
    SharedBuffer::GroupConfig lost = Lossy(1);
    lost.inLossyPool = true;
    EXPECT_EQ(errorOf(lost),
              "SharedBuffer: port 0, priority 0 is in the lossy pool, expected a lossy group and a "
              "lossy pool");
    config.headroomPoolBytes = 1000;
    EXPECT_EQ(errorOf(Lossless(1, 1001)),
              "SharedBuffer: port 0, priority 0 has a headroom of 1001 bytes, expected at most the "
              "1000 of its pool");
}
