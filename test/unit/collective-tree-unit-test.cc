/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/collective-cost.h"
#include "ns3/in-network-algorithm.h"
#include "ns3/tree-algorithm.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

/**
 * @file
 * @ingroup ai-fabric-tests
 * Proves the tree schedule by running it on symbols: a chunk is the list of how often each rank's
 * data is in it.
 */

using namespace ns3;

namespace
{

/** How often the data of each rank is in a chunk. */
using Contributions = std::vector<uint32_t>;

/** A message in flight. */
struct Message
{
    uint32_t from;        //!< sender
    uint32_t to;          //!< receiver
    uint32_t step;        //!< of both
    CollectiveChunk what; //!< part of the vector
    Contributions data;   //!< at the time of sending
};

/** @returns what each rank holds of each chunk at the end; messages arrive in random order */
std::vector<std::vector<Contributions>>
Execute(const CollectiveAlgorithm& algorithm, uint32_t chunks, uint32_t seed)
{
    const uint32_t n = algorithm.GetSize();
    std::vector<std::vector<Contributions>> held(
        n,
        std::vector<Contributions>(chunks, Contributions(n, 0)));
    std::vector<std::vector<bool>> arrived(n);
    std::vector<uint32_t> usable(n, 0);
    std::vector<uint32_t> sent(n, 0);
    for (uint32_t rank = 0; rank < n; ++rank)
    {
        arrived[rank].resize(algorithm.GetSteps(rank), false);
        for (uint32_t chunk = 0; chunk < chunks; ++chunk)
        {
            held[rank][chunk][rank] = 1;
        }
    }
    std::vector<Message> flying;
    std::mt19937 random(seed);
    const auto progress = [&](uint32_t rank) {
        const uint32_t steps = algorithm.GetSteps(rank);
        while (usable[rank] < steps &&
               (arrived[rank][usable[rank]] ||
                algorithm.GetStep(rank, usable[rank]).recvFrom == CollectiveStep::NO_RANK))
        {
            ++usable[rank];
        }
        for (; sent[rank] < steps; ++sent[rank])
        {
            const CollectiveStep step = algorithm.GetStep(rank, sent[rank]);
            if (step.needs > usable[rank])
            {
                return;
            }
            if (step.sendTo != CollectiveStep::NO_RANK)
            {
                flying.push_back(
                    {rank, step.sendTo, step.index, step.sent, held[rank][step.sent.id]});
            }
        }
    };
    for (uint32_t rank = 0; rank < n; ++rank)
    {
        progress(rank);
    }
    while (!flying.empty())
    {
        std::swap(flying[random() % flying.size()], flying.back());
        const Message message = flying.back();
        flying.pop_back();
        const CollectiveStep step = algorithm.GetStep(message.to, message.step);
        EXPECT_EQ(step.recvFrom, message.from);
        EXPECT_EQ(step.received.id, message.what.id);
        EXPECT_EQ(step.received.offset, message.what.offset);
        EXPECT_EQ(step.received.bytes, message.what.bytes);
        EXPECT_FALSE(arrived[message.to][message.step]);
        arrived[message.to][message.step] = true;
        Contributions& mine = held[message.to][message.what.id];
        for (uint32_t rank = 0; rank < n; ++rank)
        {
            mine[rank] = step.action == CollectiveStep::Action::REDUCE
                             ? mine[rank] + message.data[rank]
                             : message.data[rank];
        }
        progress(message.to);
    }
    for (uint32_t rank = 0; rank < n; ++rank)
    {
        EXPECT_EQ(usable[rank], algorithm.GetSteps(rank)) << "rank " << rank << " got all";
        EXPECT_EQ(sent[rank], algorithm.GetSteps(rank)) << "rank " << rank << " sent all";
    }
    return held;
}

} // namespace

TEST(TreeAlgorithm, EachContributionOnceForAllSizes)
{
    for (uint32_t n = 1; n <= 33; ++n)
    {
        std::vector<uint32_t> order(n);
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), std::mt19937(n));
        for (const uint32_t chunks : {1U, 2U, 5U})
        {
            const uint64_t bytes = uint64_t{64} * chunks - 7;
            const TreeAlgorithm tree(std::make_shared<RankOrder>(order), bytes, 64);
            const auto held = Execute(tree, chunks, 100 * n + chunks);
            for (uint32_t rank = 0; rank < n; ++rank)
            {
                for (uint32_t chunk = 0; chunk < chunks; ++chunk)
                {
                    ASSERT_EQ(held[rank][chunk], Contributions(n, 1))
                        << n << " ranks, rank " << rank << ", chunk " << chunk;
                }
            }
        }
    }
}

TEST(TreeAlgorithm, ChunksCoverTheVector)
{
    const TreeAlgorithm tree(std::make_shared<RankOrder>(2), 1000, 300);
    std::vector<std::pair<uint64_t, uint64_t>> sent;
    for (uint32_t k = 0; k < tree.GetSteps(1); ++k)
    {
        const CollectiveStep step = tree.GetStep(1, k);
        if (step.sendTo == 0)
        {
            sent.emplace_back(step.sent.offset, step.sent.bytes);
        }
    }
    const std::vector<std::pair<uint64_t, uint64_t>> expected{{0, 300},
                                                              {300, 300},
                                                              {600, 300},
                                                              {900, 100}};
    EXPECT_EQ(sent, expected);
}

TEST(TreeAlgorithm, HeightIsThatOfAHeap)
{
    const std::vector<uint32_t> heights{0, 1, 1, 2, 2, 2, 2, 3};
    for (uint32_t n = 1; n <= heights.size(); ++n)
    {
        EXPECT_EQ(TreeAlgorithm::GetHeight(n), heights[n - 1]) << n << " ranks";
    }
}

TEST(TreeAlgorithm, CostIsTheClosedFormOnFullLevels)
{
    const auto alpha = [](uint32_t) { return 3.0; };
    for (const uint32_t height : {0U, 1U, 2U, 5U})
    {
        const uint32_t ranks = (2U << height) - 1;
        EXPECT_DOUBLE_EQ(CollectiveCost::TreeSeconds(ranks, 1000, alpha, 100),
                         2 * height * (3 + 20.0));
    }
    EXPECT_DOUBLE_EQ(CollectiveCost::TreeSeconds(2, 1000, alpha, 100), 2 * (3 + 10.0));
    // Position 3 is 13 late at position 1, and finds the link of 0 free of position 2.
    EXPECT_DOUBLE_EQ(CollectiveCost::TreeSeconds(4, 1000, alpha, 100), 13 + 13 + 23 + 13.0);
}

TEST(TreeAlgorithm, RefusesWhatItCannotDo)
{
    const auto order = std::make_shared<RankOrder>(4);
    EXPECT_THROW(TreeAlgorithm(order, 100, 0), std::invalid_argument);
    EXPECT_THROW(TreeAlgorithm(order, uint64_t{1} << 20, 1), std::invalid_argument);
    EXPECT_NO_THROW(TreeAlgorithm(order, (uint64_t{1} << 20) - 1, 1));
    const auto factory = CreateObject<TreeAlgorithmFactory>();
    EXPECT_THROW(factory->CreateAlgorithm(CollectiveOp::ALL_GATHER, order, 8),
                 std::invalid_argument);
}

TEST(InNetworkAlgorithm, IsOneStepOfTheNetwork)
{
    const auto factory = CreateObject<InNetworkAlgorithmFactory>();
    const auto algorithm =
        factory->CreateAlgorithm(CollectiveOp::ALL_REDUCE, std::make_shared<RankOrder>(5), 77);
    EXPECT_EQ(algorithm->GetName(), "sharp");
    EXPECT_TRUE(algorithm->NeedsNetwork());
    for (uint32_t rank = 0; rank < 5; ++rank)
    {
        ASSERT_EQ(algorithm->GetSteps(rank), 1U);
        const CollectiveStep step = algorithm->GetStep(rank, 0);
        EXPECT_EQ(step.sendTo, CollectiveStep::NETWORK);
        EXPECT_EQ(step.recvFrom, CollectiveStep::NETWORK);
        EXPECT_EQ(step.sent.bytes, 77U);
        EXPECT_EQ(step.received.bytes, 77U);
    }
    EXPECT_THROW(
        factory->CreateAlgorithm(CollectiveOp::REDUCE_SCATTER, std::make_shared<RankOrder>(5), 77),
        std::invalid_argument);
}
