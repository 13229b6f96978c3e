/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// HPCC, TIMELY, Swift and DCTCP step for step against their equations, with scripted
// acknowledgments. Times are in ns, ns-3's default.

#include "ns3/boolean.h"
#include "ns3/dctcp-rate-control.h"
#include "ns3/double.h"
#include "ns3/ecn-echo.h"
#include "ns3/fabric-frame-codec.h"
#include "ns3/fabric-frame-size.h"
#include "ns3/fabric-frame.h"
#include "ns3/hpcc-rate-control.h"
#include "ns3/ib-opcode.h"
#include "ns3/nstime.h"
#include "ns3/rate-control-presets.h"
#include "ns3/rc-requester.h"
#include "ns3/round-trip-times.h"
#include "ns3/static-rate-control.h"
#include "ns3/string.h"
#include "ns3/swift-rate-control.h"
#include "ns3/timely-rate-control.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <gtest/gtest.h>
#include <stdexcept>

using namespace ns3;

namespace
{

constexpr double EXACT = 1e-9;

/** Relative error of at most 1e-9. */
void
ExpectNear(double actual, double expected)
{
    EXPECT_NEAR(actual, expected, EXACT * std::abs(expected));
}

/** @returns an acknowledgment with telemetry of one hop */
RateControlAck
MakeAck(const FabricTelemetry& telemetry, uint64_t acked, uint64_t next)
{
    RateControlAck ack;
    ack.packets = 1;
    ack.ackedPackets = acked;
    ack.nextPacket = next;
    ack.telemetry = &telemetry;
    return ack;
}

/** @returns a record of one hop */
FabricTelemetry
MakeHop(uint32_t timestamp, uint32_t busy, uint16_t drain)
{
    FabricTelemetry telemetry;
    telemetry.Stamp(5, {timestamp, busy, drain});
    return telemetry;
}

/** HPCC at 100 Gb/s with T of 10 us: a window of 125000 bytes. */
Ptr<HpccRateControl>
MakeHpcc(uint32_t maxStage)
{
    const auto control = CreateObject<HpccRateControl>();
    control->SetAttribute("BaseRtt", TimeValue(MicroSeconds(10)));
    control->SetAttribute("MaxStage", UintegerValue(maxStage));
    control->SetPacketBytes(4096);
    control->SetLineRate(100000000000);
    return control;
}

} // namespace

TEST(Hpcc, FollowsTheEquations)
{
    const auto control = MakeHpcc(0);
    EXPECT_EQ(control->GetRate(), 0);
    ExpectNear(control->GetCurrentWindow(), 125000);
    FabricTelemetry telemetry = MakeHop(1000, 500, 125); // queue of 1 us
    control->OnAck(MakeAck(telemetry, 1, 30), 0);
    ExpectNear(control->GetCurrentWindow(), 125000); // the first only tells where it begins
    // 2 us later the port was busy all the time, and min(queue, queue before) takes 1 us:
    // u = 1 + 1/10, tau / T = 0.2, so U = 0.22. Still Wc of the first round.
    telemetry = MakeHop(3000, 2500, 250);
    control->OnAck(MakeAck(telemetry, 2, 31), 0);
    double u = 0.2 * 1.1;
    ExpectNear(control->GetUtilisation(), u);
    ExpectNear(control->GetCurrentWindow(), 125000); // 125000 / (U / 0.95) + 80 is more than W_init
    ExpectNear(control->GetReferenceWindow(), 125000);
    // 20 us later: tau is at most T, so that U = u.
    telemetry = MakeHop(23000, 22500, 500);
    control->OnAck(MakeAck(telemetry, 20, 40), 0);
    u = 1 + 2.0 / 10;
    ExpectNear(control->GetUtilisation(), u);
    const double w = 125000 / (u / 0.95) + 80;
    ExpectNear(control->GetCurrentWindow(), w);
    ExpectNear(control->GetReferenceWindow(), 125000); // packet 30 is not yet acknowledged
    EXPECT_EQ(control->GetWindow(), static_cast<uint64_t>(w));
    EXPECT_EQ(control->GetRate(), static_cast<uint64_t>(w * 8 / 10e-6));
    // Past packet 30 the round is over: W is computed from the old Wc, then Wc = W.
    telemetry = MakeHop(33000, 31500, 0);
    control->OnAck(MakeAck(telemetry, 31, 60), 0);
    u = 0.9; // no queue now
    ExpectNear(control->GetUtilisation(), u);
    ExpectNear(control->GetReferenceWindow(), control->GetCurrentWindow());
    ExpectNear(control->GetCurrentWindow(), 125000);
    StateHash hash;
    EXPECT_FALSE(control->HashState(hash, 0)); // clocks of switches can't be shifted
}

TEST(Hpcc, ReferenceMovesOncePerRound)
{
    const auto control = MakeHpcc(0);
    double reference = 125000;
    uint32_t clock = (1U << 24) - 15000; // wraps in the second step
    uint32_t busy = 100;
    FabricTelemetry telemetry = MakeHop(clock, busy, 1250);
    control->OnAck(MakeAck(telemetry, 1, 10), 0);
    for (uint64_t round = 1; round <= 4; ++round)
    {
        for (uint64_t i = 1; i <= 10; ++i)
        {
            clock = (clock + 10000) % (1U << 24);
            busy += 10000;
            telemetry = MakeHop(clock, busy, 1250); // 10 us of queue: u = 2
            control->OnAck(MakeAck(telemetry, round * 10 + i, round * 10 + 10), 0);
            const double expected = reference / (2 / 0.95) + 80;
            ExpectNear(control->GetCurrentWindow(), expected);
            if (i == 1)
            {
                reference = expected;
                // From now on W comes from the new Wc.
                ExpectNear(control->GetReferenceWindow(), reference);
            }
            if (round * 10 + i == round * 10 + 10)
            {
                ExpectNear(control->GetReferenceWindow(), reference);
            }
        }
    }
}

TEST(Hpcc, StagesOfAdditiveIncrease)
{
    const auto control = MakeHpcc(2);
    control->SetAttribute("UpdatePerAck", BooleanValue(true));
    FabricTelemetry telemetry = MakeHop(0, 0, 1250);
    control->OnAck(MakeAck(telemetry, 1, 10), 0);
    telemetry = MakeHop(10000, 10000, 1250); // u = 2
    control->OnAck(MakeAck(telemetry, 2, 10), 0);
    double w = 125000 / (2 / 0.95) + 80;
    ExpectNear(control->GetCurrentWindow(), w);
    EXPECT_EQ(control->GetStage(), 0);
    uint32_t busy = 10000;
    for (uint32_t stage = 1; stage <= 2; ++stage)
    {
        busy += 5000; // u = 0.5, less than eta
        telemetry = MakeHop(10000 + stage * 10000, busy, 0);
        control->OnAck(MakeAck(telemetry, 2 + stage, 20), 0);
        w += 80;
        ExpectNear(control->GetCurrentWindow(), w);
        EXPECT_EQ(control->GetStage(), stage);
    }
    busy += 8000; // u = 0.8: multiplicative, since two stages are over
    telemetry = MakeHop(40000, busy, 0);
    control->OnAck(MakeAck(telemetry, 5, 20), 0);
    w = w / (0.8 / 0.95) + 80;
    ExpectNear(control->GetCurrentWindow(), w);
    EXPECT_EQ(control->GetStage(), 0);
}

TEST(Hpcc, BusiestHopCountsAndAnotherPathStartsOver)
{
    const auto control = MakeHpcc(0);
    FabricTelemetry a;
    a.Stamp(1, {0, 0, 0});
    a.Stamp(2, {0, 0, 0});
    control->OnAck(MakeAck(a, 1, 10), 0);
    FabricTelemetry b;
    b.Stamp(1, {10000, 3000, 0});
    b.Stamp(2, {10000, 9800, 0});
    control->OnAck(MakeAck(b, 2, 10), 0);
    ExpectNear(control->GetUtilisation(), 0.98);
    FabricTelemetry other;
    other.Stamp(1, {20000, 13000, 60000});
    other.Stamp(3, {20000, 19000, 60000});
    control->OnAck(MakeAck(other, 3, 10), 0);
    ExpectNear(control->GetUtilisation(), 0.98); // nothing can be said yet
}

TEST(Timely, FollowsTheEquations)
{
    const auto control = CreateObject<TimelyRateControl>();
    control->SetAttribute("InitialRate", StringValue("40Gbps"));
    control->SetLineRate(100000000000);
    ExpectNear(control->GetCurrentRate(), 40e9);
    const double step = 10e6 * 10; // 100 Gb/s are ten times 10 Gb/s
    double rate = 40e9;
    double difference = 0;
    double previous = 60e-6;
    const auto ack = [&](double rtt) {
        RateControlAck a;
        a.packets = 16;
        a.rtt = std::llround(rtt * 1e9);
        control->OnAck(a, 0);
        difference = 0.125 * difference + 0.875 * (rtt - previous);
        previous = rtt;
    };
    RateControlAck first;
    first.rtt = 60000;
    control->OnAck(first, 0);
    ExpectNear(control->GetCurrentRate(), 40e9); // a difference takes two
    ack(40e-6);                                  // below Tlow
    rate += step;
    ExpectNear(control->GetCurrentRate(), rate);
    ack(600e-6); // above Thigh
    rate *= 1 - 0.8 * (1 - 500e-6 / 600e-6);
    ExpectNear(control->GetCurrentRate(), rate);
    ack(100e-6); // falls: one step
    rate += step;
    for (int i = 2; i <= 6; ++i)
    {
        ack(100e-6 - i * 1e-6); // the fifth in a row is hyperactive
        rate += i >= 5 ? 5 * step : step;
    }
    ExpectNear(control->GetCurrentRate(), rate);
    ack(100e-6); // rises
    EXPECT_NEAR(control->GetRttDifference(), difference, 1e-15);
    rate *= 1 - 0.8 * difference / 20e-6;
    ExpectNear(control->GetCurrentRate(), rate);
    ack(400e-6); // by more than the rate can fall
    ExpectNear(control->GetCurrentRate(), 1e9);
    EXPECT_EQ(control->GetRate(), 1000000000);
}

TEST(Swift, FollowsTheEquations)
{
    const auto control = CreateObject<SwiftRateControl>();
    control->SetAttribute("InitialWindow", DoubleValue(16));
    control->SetPacketBytes(4096);
    control->SetLineRate(100000000000);
    const double a = 100e-6 / (1 / std::sqrt(0.1) - 0.1);
    const auto target = [&](double w, int hops) {
        return 25e-6 + hops * 1e-6 + std::min(std::max(a / std::sqrt(w) - a * 0.1, 0.0), 100e-6);
    };
    ExpectNear(control->GetTarget(3), target(16, 3));
    double w = 16;
    RateControlAck ack;
    ack.packets = 2;
    ack.hops = 3;
    ack.rtt = 20000; // below the target
    control->OnAck(ack, 20000);
    w += 2 / w;
    ExpectNear(control->GetCurrentWindow(), w);
    EXPECT_EQ(control->GetWindow(), static_cast<uint64_t>(w * 4096));
    EXPECT_EQ(control->GetRate(), 0); // the window is the only limit
    ack.rtt = 50000;                  // above
    const double delay = 50e-6;
    control->OnAck(ack, 100000);
    w *= 1 - 0.8 * (delay - target(w, 3)) / delay;
    ExpectNear(control->GetCurrentWindow(), w);
    control->OnAck(ack, 149999); // less than a round trip ago
    ExpectNear(control->GetCurrentWindow(), w);
    ack.rtt = 1000000;
    control->OnAck(ack, 1150000); // at most by half
    w *= 0.5;
    ExpectNear(control->GetCurrentWindow(), w);
    for (int i = 1; w > 0.3; ++i)
    {
        control->OnAck(ack, 1150000 + i * 1000000);
        w *= std::max(0.5, 1 - 0.8 * (1e-3 - target(w, 3)) / 1e-3);
        ExpectNear(control->GetCurrentWindow(), w);
    }
    control->OnSent(4178, 0);
    ASSERT_LT(w, 1);
    EXPECT_EQ(control->GetRate(),
              static_cast<uint64_t>(w * 4178 * 8 / 1e-3)); // one packet per RTT/w
    ack.rtt = 10000;
    control->OnAck(ack, 1000000000);
    ExpectNear(control->GetCurrentWindow(), w + 2); // ai x acknowledged packets
    w += 2;
    control->OnTimeout(2000000000);
    ExpectNear(control->GetCurrentWindow(), w / 2);
    for (int i = 0; i < 4; ++i)
    {
        control->OnTimeout(2000000000);
    }
    ExpectNear(control->GetCurrentWindow(), 0.001);
}

TEST(Dctcp, FollowsTheEquations)
{
    const auto control = CreateObject<DctcpRateControl>();
    control->SetAttribute("InitialWindow", UintegerValue(40000));
    control->SetPacketBytes(1000);
    control->SetLineRate(100000000000);
    double w = 40000;
    double alpha = 1;
    RateControlAck ack;
    const auto send = [&](uint64_t packets, bool mark, uint64_t next) {
        ack.packets = packets;
        ack.bytes = packets * 1000;
        ack.ackedPackets += packets;
        ack.nextPacket = next;
        ack.ecnEcho = mark;
        control->OnAck(ack, 0);
    };
    send(4, false, 44); // ends the first window of data: nothing was marked
    alpha *= 15.0 / 16;
    w += 1000 * 4000.0 / w;
    ExpectNear(control->GetAlpha(), alpha);
    ExpectNear(control->GetCurrentWindow(), w);
    send(10, true, 54); // cuts
    w *= 1 - alpha / 2;
    ExpectNear(control->GetCurrentWindow(), w);
    send(20, true, 64); // the same window of data
    ExpectNear(control->GetCurrentWindow(), w);
    send(10, false, 70); // up to packet 44, which is not past it
    w += 1000 * 10000.0 / w;
    ExpectNear(control->GetAlpha(), alpha);
    send(10, true, 80); // now it is: 40 of 50 packets were marked; cut until 54: not again
    alpha = alpha * 15 / 16 + 40.0 / 50 / 16;
    ExpectNear(control->GetAlpha(), alpha);
    ExpectNear(control->GetCurrentWindow(), w);
    send(1, true, 90);
    w *= 1 - alpha / 2;
    ExpectNear(control->GetCurrentWindow(), w);
    control->OnTimeout(0);
    ExpectNear(control->GetCurrentWindow(), 1000);
}

TEST(EcnEcho, AnAcknowledgmentForEachState)
{
    EcnEcho echo;
    EXPECT_FALSE(echo.OnPacket(false, 9, 0));
    EXPECT_FALSE(echo.OnPacket(false, 10, 0));
    EXPECT_TRUE(echo.OnPacket(true, 11, 1)); // 10 and 11 are told as not marked
    EXPECT_TRUE(echo.IsHeld());
    EXPECT_EQ(echo.GetHeldPsn(), 11);
    EXPECT_EQ(echo.GetHeldMsn(), 1);
    EXPECT_FALSE(echo.Take());
    EXPECT_FALSE(echo.IsHeld());
    EXPECT_TRUE(echo.Take());                  // 12 is marked
    EXPECT_FALSE(echo.OnPacket(false, 12, 1)); // all before is acknowledged: nothing to hold
    EXPECT_FALSE(echo.Take());
}

TEST(RoundTripTimes, LatestCountsAndRepetitionsDoNot)
{
    RoundTripTimes times;
    for (uint64_t i = 1; i <= 40; ++i)
    {
        times.Sent(16 * i, static_cast<FabricTick>(100 * i));
    }
    EXPECT_EQ(times.Acknowledged(15, 5000), 0);
    EXPECT_EQ(times.Acknowledged(40, 5000), 4800); // of the packet that ended at 32
    EXPECT_EQ(times.Acknowledged(40, 5100), 0);
    times.Shift(50);
    EXPECT_EQ(times.Acknowledged(640, 5150), 1100);
    times.Sent(656, 6000);
    times.Forget();
    EXPECT_EQ(times.Acknowledged(656, 7000), 0);
}

TEST(RcRequesterWindow, ShrinksBelowWhatIsUnderWayWithoutAStall)
{
    RcRequester requester;
    RcRequester::Config config;
    config.mtu = 1000;
    config.ackInterval = 0; // nothing asks but what must
    requester.Configure(config);
    requester.Post(RcOperation::WRITE, 100000, 0);
    requester.SetWindow(20000);
    for (int i = 0; i < 10; ++i)
    {
        EXPECT_FALSE(requester.Send().ackRequest);
    }
    EXPECT_EQ(requester.GetOutstandingBytes(), 10000);
    requester.SetWindow(3000); // less than what is under way, which has asked for nothing
    ASSERT_TRUE(requester.HasPacket());
    EXPECT_TRUE(requester.Send().ackRequest);
    EXPECT_FALSE(requester.HasPacket()); // now an acknowledgment is on its way
    requester.OnAck(10);
    ASSERT_TRUE(requester.HasPacket());
    EXPECT_FALSE(requester.Send().ackRequest);
    EXPECT_FALSE(requester.Send().ackRequest);
    EXPECT_TRUE(requester.Send().ackRequest);
    EXPECT_FALSE(requester.HasPacket());
    requester.SetWindow(0);
    EXPECT_TRUE(requester.HasPacket());
}

TEST(Telemetry, RoundTripOnTheWire)
{
    ASSERT_EQ(FabricTelemetry::BYTES, 42);
    FabricFrame frame;
    frame.opcode = IbOpcode::RC_WRITE_ONLY;
    frame.payload = 1021; // with a pad
    frame.srcIp = 0x0a000001;
    frame.dstIp = 0x0a000002;
    frame.dstQp = 0x123456;
    frame.psn = 77;
    frame.fecn = true;
    frame.telemetry.Create();
    for (uint32_t i = 0; i < 7; ++i) // two more than there is room for
    {
        frame.telemetry->Stamp(static_cast<uint16_t>(1 << i),
                               {0xfffff0 + i, 0x123450 + i, static_cast<uint16_t>(0xff00 + i)});
    }
    const Ptr<Packet> packet = EncodeRoce(frame, RoceFrameOptions());
    // MAC 14, IPv4 20, UDP 8, BTH 12, RETH 16, payload and pad 1024, telemetry 42, ICRC 4, FCS 4
    EXPECT_EQ(packet->GetSize(), 14 + 20 + 8 + 12 + 16 + 1024 + 42 + 4 + 4);
    EXPECT_EQ(packet->GetSize(), RoceFrameBytes(frame.opcode, frame.payload, false, 42));
    FabricFrame decoded;
    ASSERT_TRUE(DecodeRoce(packet, decoded));
    ASSERT_TRUE(decoded.telemetry);
    EXPECT_EQ(decoded.payload, 1021);
    EXPECT_EQ(decoded.dstQp, 0x123456);
    EXPECT_TRUE(decoded.fecn);
    EXPECT_FALSE(decoded.becn);
    EXPECT_EQ(decoded.telemetry->count, 7);
    EXPECT_EQ(decoded.telemetry->path, 0x7f);
    for (uint32_t i = 0; i < 5; ++i)
    {
        EXPECT_EQ(decoded.telemetry->hops[i].timestamp, 0xfffff0 + i);
        EXPECT_EQ(decoded.telemetry->hops[i].busy, 0x123450 + i);
        EXPECT_EQ(decoded.telemetry->hops[i].drain, 0xff00 + i);
    }
    frame.telemetry.Clear();
    ASSERT_TRUE(DecodeRoce(EncodeRoce(frame, RoceFrameOptions()), decoded));
    EXPECT_FALSE(decoded.telemetry);
}

TEST(Telemetry, CopiesAreTheirOwnAndComeFromAPool)
{
    const std::size_t before = FabricTelemetryHolder::GetOutstanding();
    {
        FabricFrame* frame = FabricFramePool::Allocate();
        frame->telemetry.Create();
        frame->telemetry->Stamp(3, {1, 2, 3});
        FabricFrame* copy = FabricFramePool::Allocate();
        *copy = *frame;
        copy->telemetry->Stamp(4, {4, 5, 6});
        EXPECT_EQ(frame->telemetry->count, 1);
        EXPECT_EQ(copy->telemetry->count, 2);
        EXPECT_EQ(FabricTelemetryHolder::GetOutstanding(), before + 2);
        FabricFramePool::Release(frame);
        FabricFramePool::Release(copy);
    }
    EXPECT_EQ(FabricTelemetryHolder::GetOutstanding(), before);
}

TEST(RateControlPresets, NamesMakeObjectsAndOthersAreRefused)
{
    for (const std::string& name : RateControlPresets::GetNames())
    {
        const auto factory = RateControlPresets::Get(name);
        ASSERT_EQ(factory.has_value(), name != "none") << name;
        if (factory)
        {
            EXPECT_TRUE(factory->Create<RateControl>()) << name;
        }
    }
    try
    {
        RateControlPresets::Get("cubic");
        FAIL() << "accepted";
    }
    catch (const std::invalid_argument& e)
    {
        const std::string what = e.what();
        for (const char* word :
             {"cubic", "none", "static", "dcqcn", "hpcc", "timely", "swift", "dctcp"})
        {
            EXPECT_NE(what.find(word), std::string::npos) << word;
        }
    }
}

TEST(StaticRate, SaysWhatItIsTold)
{
    const auto control = CreateObject<StaticRateControl>();
    control->SetAttribute("Rate", StringValue("37Gbps"));
    control->SetAttribute("Window", UintegerValue(5000));
    EXPECT_EQ(control->GetRate(), 37000000000);
    EXPECT_EQ(control->GetWindow(), 5000);
    EXPECT_EQ(control->GetFeedback(), 0);
}
