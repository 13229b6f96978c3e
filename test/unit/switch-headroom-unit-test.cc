/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Headroom: published tables, and the worst case in a switch, aligned against it.

#include "../support/link-rig.h"
#include "../support/picosecond-test.h"

#include "ns3/boolean.h"
#include "ns3/pause-flow-control.h"
#include "ns3/pause-response.h"
#include "ns3/pfc-headroom.h"
#include "ns3/roce-net-device.h"
#include "ns3/roce-switch.h"

#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::linkrig;

namespace
{

constexpr uint64_t GIGA = 1000000000;
constexpr uint32_t TABLE_WIRE = 4178; //!< of the frames of the worked table, on the wire
constexpr uint32_t PAYLOAD = 4160;    //!< of the largest frame that an MTU of 4200 allows
constexpr uint32_t FRAME = 4222;      //!< of that frame, in a buffer
constexpr uint32_t WIRE = 4242;       //!< of that frame, on the wire
constexpr uint8_t PRIORITY = 3;       //!< of the frames

/** A link rate and a cable length. */
struct Case
{
    uint32_t gbps;   //!< of all links
    uint32_t meters; //!< of the sender's cable
};

/** What came of a run. */
struct Outcome
{
    FabricTick pausedAt{-1}; //!< when the sender's pause began
    uint64_t headroom{0};    //!< most that was used of it, bytes
    uint64_t needed{0};      //!< what the switch computes
    uint64_t drops{0};       //!< frames of a lossless class
};

/** Notes when a pause begins. */
void
NotePause(Outcome* outcome, uint8_t /* priority */, bool begin)
{
    if (begin && outcome->pausedAt < 0)
    {
        outcome->pausedAt = FabricNow();
    }
}

/** Sends one full frame from the switch to the sender. */
void
SendBack(Ptr<FabricSwitch> sw, uint64_t to)
{
    FabricFrame* frame = FabricFramePool::Allocate();
    frame->src = to;
    frame->dst = to;
    frame->opcode = IbOpcode::RC_WRITE_MIDDLE;
    frame->payload = PAYLOAD;
    frame->dscp = 0; // not the priority that is stopped
    sw->SendLocal(frame, 0);
}

/**
 * One sender saturates a port whose receiver does not take anything.
 * @param backAt when a full frame leaves in the reverse direction; negative: none does
 * @param headroom bytes; 0: what the switch computes
 */
Outcome
FillUp(const Case& link, FabricTick backAt, uint64_t headroom)
{
    auto helper = MakeHelper("roce", std::to_string(link.gbps) + "Gbps");
    helper->SetChannelAttribute("Delay", TimeValue(NanoSeconds(5 * link.meters)));
    helper->SetFlowControlAttribute("StandardReaction", BooleanValue(true));
    helper->SetSwitchAttribute("BufferBytes", UintegerValue(4000000));
    helper->SetSwitchAttribute("HeadroomBytes", UintegerValue(headroom));
    helper->SetSwitchAttribute("WarnHeadroom", BooleanValue(false));
    helper->SetSwitchAttribute("Latency", TimeValue(NanoSeconds(0)));
    Star star(*helper, 2);
    const auto sw = DynamicCast<RoceSwitch>(star.sw);
    Outcome outcome;
    outcome.needed = sw->ComputeHeadroom(0);
    star.devices[0]->TraceConnectWithoutContext("Pause", MakeBoundCallback(&NotePause, &outcome));
    // The receiver pauses from the start.
    DynamicCast<RoceNetDevice>(star.devices[1])->SetPauseStorm(1 << PRIORITY);
    Blaster blaster(star.devices[0], star.devices[1]->GetFabricAddress(), PAYLOAD, 100000);
    Simulator::Schedule(MicroSeconds(10), &Blaster::Start, &blaster);
    if (backAt >= 0)
    {
        Simulator::Schedule(TimeStep(backAt), &SendBack, star.sw, uint64_t{1});
    }
    Simulator::Stop(MilliSeconds(2));
    Simulator::Run();
    outcome.headroom = sw->GetBuffer().GetMaxHeadroomUsed();
    outcome.drops = star.sw->GetPort(0)->GetLosslessDrops();
    Simulator::Destroy();
    return outcome;
}

} // namespace

/** The worked table: byte-exact, 4178-byte frames, with the response time of the standard and with
 * none. */
TEST(PfcHeadroom, WorkedTable)
{
    struct Row
    {
        uint64_t gbps;
        uint64_t standard[4];
        uint64_t least[4];
    };

    const double lengths[4] = {5, 40, 100, 300};
    const std::vector<Row> rows = {
        {100, {34281, 38656, 46156, 71156}, {9065, 13440, 20940, 45940}},
        {200, {38682, 47432, 62432, 112432}, {9690, 18440, 33440, 83440}},
        {400, {68860, 86360, 116360, 216360}, {10940, 28440, 58440, 158440}},
        {800, {71360, 106360, 166360, 366360}, {13440, 48440, 108440, 308440}}};
    for (const Row& row : rows)
    {
        for (int i = 0; i < 4; ++i)
        {
            PfcHeadroom::Link link;
            link.bitRate = row.gbps * GIGA;
            link.meters = lengths[i];
            link.ownFrameBytes = link.peerFrameBytes = TABLE_WIRE;
            EXPECT_EQ(PfcHeadroom::GetWireBytes(link), row.least[i]) << row.gbps;
            link.responseQuanta = GetMaxPauseResponseQuanta(link.bitRate);
            EXPECT_EQ(PfcHeadroom::GetWireBytes(link), row.standard[i]) << row.gbps;
            link.ownFrameBytes = link.peerFrameBytes = 9236;
            EXPECT_EQ(PfcHeadroom::GetWireBytes(link), row.standard[i] + 10116) << row.gbps;
        }
    }
}

/** A21: all 15 values of ACS-MSN2700's pg_profile_lookup.ini. */
TEST(PfcHeadroom, SpectrumTable)
{
    struct Row
    {
        double gbps;
        uint64_t xoff[3];
    };

    const double lengths[3] = {5, 40, 300};
    const std::vector<Row> rows = {{10, {29696, 29696, 36864}},
                                   {25, {29696, 31744, 48128}},
                                   {40, {29696, 32768, 59392}},
                                   {50, {29696, 33792, 66560}},
                                   {100, {30720, 38912, 104448}}};
    for (const Row& row : rows)
    {
        for (int i = 0; i < 3; ++i)
        {
            PfcHeadroom::SonicLink link;
            link.bitRate = row.gbps * 1e9;
            link.meters = lengths[i];
            link.cellBytes = 96;
            EXPECT_EQ(PfcHeadroom::GetSonicXoff(link), row.xoff[i])
                << row.gbps << " Gb/s, " << lengths[i] << " m";
        }
    }
}

/**
 * A16: what the switch computes is enough in the worst case, and one frame less is not. In the
 * worst case a full frame has begun in the reverse direction just before the decision to stop, so
 * that the pause frame waits for all of it.
 */
TEST(PfcHeadroom, ExactlyEnoughInTheWorstCase)
{
    USE_PICOSECONDS();
    for (const uint32_t gbps : {25, 50, 100, 200, 400, 800})
    {
        for (const uint32_t meters : {1, 5, 40, 100, 300})
        {
            const Case link{gbps, meters};
            const std::string what =
                std::to_string(gbps) + " Gb/s, " + std::to_string(meters) + " m";
            const double bit = 1e12 / (static_cast<double>(gbps) * 1e9);
            const auto reaction = static_cast<FabricTick>(
                std::ceil(GetMaxPauseResponseQuanta(gbps * GIGA) * 512 * bit));
            const auto onWire = static_cast<FabricTick>(84 * 8 * bit);
            const uint64_t needed = FillUp(link, -1, 0).needed;
            for (const uint64_t headroom : {needed, needed - FRAME})
            {
                // When is the decision? The pause acts after its frame, the cable and the reaction.
                // The headroom changes the size of the pool, and so the time.
                const Outcome idle = FillUp(link, -1, headroom);
                ASSERT_GE(idle.pausedAt, 0) << what;
                const FabricTick decision =
                    idle.pausedAt - reaction - onWire - FabricTick{5000} * meters;
                const Outcome worst = FillUp(link, decision - 1, headroom);
                // The frame in the reverse direction was in the way, for all of its length but a
                // tick.
                EXPECT_NEAR(static_cast<double>(worst.pausedAt - idle.pausedAt), WIRE * 8 * bit, 3)
                    << what;
                EXPECT_LE(worst.headroom, headroom) << what;
                EXPECT_GT(worst.headroom, headroom - FRAME) << what;
                EXPECT_EQ(worst.drops > 0, headroom < needed) << what;
            }
        }
    }
}
