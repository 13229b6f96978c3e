/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Collectives over the whole stack against closed forms, to the picosecond. Every test is its own
// process under ctest, so the resolution can be set; the suites run at ns-3's default resolution.

#include "../support/end-to-end-rig.h"
#include "../support/picosecond-test.h"

#include "ns3/collective-cost.h"
#include "ns3/credit-flow-control.h"

#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <tuple>
#include <unistd.h>
#include <vector>

using namespace ns3;
using namespace ns3::endrig;

namespace
{

class EndToEndExact : public ::testing::Test
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

/** Fabric and number of ranks. */
class RingExact : public EndToEndExact,
                  public ::testing::WithParamInterface<std::tuple<std::string, uint32_t>>
{
  protected:
    void RunOne(uint64_t chunk, uint32_t ackInterval);
};

/** @returns wire bytes in ticks; whole ones at 400 Gb/s and picoseconds */
FabricTick
GetWireTicks(uint64_t bytes)
{
    return static_cast<FabricTick>(bytes * 20);
}

} // namespace

// On an idle star every rank receives as fast as it sends, so whatever a receiver answers takes
// wire time of the data that flows the same way: an ACK at the end of a message delays the next
// one, an ACK within a message the rest of it. On IB each of these frames, and each data frame but
// the last, makes room that is announced by a flow-control packet; two of them, for the last data
// frame and for the ACK, lie between two messages.
void
RingExact::RunOne(uint64_t chunk, uint32_t ackInterval)
{
    const auto [fabric, ranks] = GetParam();
    const auto helper = MakeHelper(fabric);
    Cluster cluster(*helper, ranks);
    cluster.m_transport->SetQueuePairAttribute("AckInterval", UintegerValue(ackInterval));
    const Ptr<CollectiveEngine> engine = cluster.MakeEngine();
    const uint64_t id = engine->Create(CollectiveOp::ALL_REDUCE, ranks * chunk, "ring");
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        engine->Enter(id, rank);
    }
    Simulator::Run();
    const CollectiveRecord& record = engine->GetRecords().at(id);
    ASSERT_NE(record.done, FABRIC_NEVER);

    const FabricNetDevice& device = *cluster.m_devices[0];
    const auto frames = ListWireBytes(device, chunk);
    const auto packets = static_cast<FabricTick>(frames.size());
    const FabricTick steps = 2 * (ranks - 1);
    const FabricTick message = std::llround(GetMessageSeconds(fabric, frames) * 1e12);
    const FabricTick ack = GetWireTicks(GetAckWireBytes(device));
    const FabricTick control = fabric == "ib" ? GetWireTicks(CreditFlowControl::PACKET_BYTES) : 0;
    const FabricTick acksWithin = ackInterval ? (packets - 1) / ackInterval : 0;
    const FabricTick within = (packets - 1) * control + acksWithin * (ack + control);
    const FabricTick between = ack + 2 * control;
    EXPECT_EQ(record.done - record.firstEnter, steps * (message + within) + (steps - 1) * between)
        << "chunks of " << chunk << " bytes, ACK every " << ackInterval << " packets";
    EXPECT_EQ(cluster.GetTotals().drops, 0U);
    EXPECT_EQ(cluster.GetOccupancy(), 0U);
    engine->Dispose();
    Simulator::Destroy();
}

TEST_P(RingExact, AllReduce)
{
    for (const uint64_t chunk : {16, 4096, 8192, 65536, 1048576})
    {
        RunOne(chunk, 0);
        RunOne(chunk, 16);
    }
    // The ACK of packet 16 would come too late to delay packet 17.
    RunOne(17 * MTU, 0);
}

INSTANTIATE_TEST_SUITE_P(Fabrics,
                         RingExact,
                         ::testing::Combine(::testing::Values("ib", "roce"),
                                            ::testing::Values(2, 3, 4, 8, 16)));

// ReduceScatter and AllGather are half of it each.
TEST_F(EndToEndExact, HalvesOfAllReduce)
{
    for (const std::string fabric : {"ib", "roce"})
    {
        const auto helper = MakeHelper(fabric);
        Cluster cluster(*helper, 4);
        const Ptr<CollectiveEngine> engine = cluster.MakeEngine();
        for (const CollectiveOp op : {CollectiveOp::REDUCE_SCATTER, CollectiveOp::ALL_GATHER})
        {
            const uint64_t id = engine->Create(op, 4 * MTU, "half");
            for (uint32_t rank = 0; rank < 4; ++rank)
            {
                engine->Enter(id, rank);
            }
            Simulator::Run();
            const FabricNetDevice& device = *cluster.m_devices[0];
            const FabricTick message =
                std::llround(GetMessageSeconds(fabric, ListWireBytes(device, MTU)) * 1e12);
            const FabricTick between =
                GetWireTicks(GetAckWireBytes(device) +
                             (fabric == "ib" ? 2 * CreditFlowControl::PACKET_BYTES : 0));
            const CollectiveRecord& record = engine->GetRecords().at(id);
            EXPECT_EQ(record.done - record.firstEnter, 3 * message + 2 * between)
                << fabric << " " << CollectiveOpName(op);
        }
        engine->Dispose();
        Simulator::Destroy();
    }
}

// One message alone: the sum of parts, whatever its last packet is.
TEST_F(EndToEndExact, OneMessage)
{
    for (const std::string fabric : {"ib", "roce"})
    {
        for (const uint64_t bytes : {0, 1, 4095, 4096, 4097, 8191, 100000, 1048577})
        {
            const auto helper = MakeHelper(fabric);
            Cluster cluster(*helper, 2);
            cluster.CountMessages();
            // On IB the room that an ACK takes is announced by the sender, on the wire of the data.
            cluster.m_transport->SetQueuePairAttribute("AckInterval", UintegerValue(0));
            cluster.m_transport->Send(0, 1, bytes, 0);
            Simulator::Run();
            const auto frames = ListWireBytes(*cluster.m_devices[0], bytes);
            EXPECT_EQ(cluster.m_lastDelivered,
                      std::llround(GetMessageSeconds(fabric, frames) * 1e12))
                << fabric << ", " << bytes << " bytes";
            Simulator::Destroy();
        }
    }
}

// Two processes with the same seed come to the same end.
TEST_F(EndToEndExact, TwoProcesses)
{
    for (const uint32_t seed : {3, 4})
    {
        int ends[2];
        ASSERT_EQ(pipe(ends), 0);
        const pid_t child = fork();
        ASSERT_GE(child, 0);
        if (child == 0)
        {
            close(ends[0]);
            const std::vector<int64_t> result = RunMarked(seed);
            const auto bytes = static_cast<ssize_t>(result.size() * sizeof(int64_t));
            const bool good =
                write(ends[1], result.data(), result.size() * sizeof(int64_t)) == bytes;
            _exit(good ? 0 : 1);
        }
        close(ends[1]);
        std::vector<int64_t> theirs(1000);
        std::size_t length = 0;
        ssize_t got = 0;
        auto* to = reinterpret_cast<char*>(theirs.data());
        while ((got = read(ends[0], to + length, theirs.size() * sizeof(int64_t) - length)) > 0)
        {
            length += static_cast<std::size_t>(got);
        }
        close(ends[0]);
        int status = 1;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFEXITED(status));
        ASSERT_EQ(WEXITSTATUS(status), 0);
        theirs.resize(length / sizeof(int64_t));
        const std::vector<int64_t> ours = RunMarked(seed);
        EXPECT_GT(ours.at(0), 0) << "frames are marked";
        EXPECT_EQ(ours, theirs);
    }
    RngSeedManager::SetSeed(1);
}
