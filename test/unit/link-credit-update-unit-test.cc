/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// When credits are announced, what each lane's buffer is, and the buffer of the management lane.

#include "../support/credit-rig.h"
#include "../support/picosecond-test.h"

#include "ns3/boolean.h"
#include "ns3/error-model.h"
#include "ns3/ib-flow-control-header.h"
#include "ns3/pointer.h"

#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::linkrig;

namespace
{

constexpr FabricTick PACKET = 82440;          //!< a full packet at 400 Gb/s, ps
constexpr FabricTick CONTROL = 160;           //!< a flow-control packet
constexpr FabricTick MAX_INTERVAL = 65536000; //!< default of FcMaxInterval

const std::array<const char*, 3> POLICIES = {"EveryRelease", "Threshold", "Interval"};

class LinkCreditUpdate : public ::testing::Test
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

/** A cable of 400 Gb/s with credits announced in some way. */
struct Setting
{
    std::string policy;      //!< CreditUpdate
    uint64_t packets;        //!< in the buffer of a lane
    FabricTick delay;        //!< of the cable, ps
    uint32_t threshold{128}; //!< blocks
    FabricTick min{256000};  //!< FcMinInterval, ps

    /** @returns two ends of the cable */
    std::vector<Ptr<FabricNetDevice>> Install() const
    {
        const auto helper = MakeHelper("ib", "400Gbps");
        Apply(*helper);
        return InstallCable(*helper);
    }

    /** @param helper gets the attributes */
    void Apply(FabricHelper& helper) const
    {
        helper.SetChannelAttribute("Delay", TimeValue(PicoSeconds(delay)));
        helper.SetFlowControlAttribute("BufferBytes",
                                       UintegerValue(packets * IB_PACKET_BLOCKS * 64));
        helper.SetFlowControlAttribute("CreditUpdate", StringValue(policy));
        helper.SetFlowControlAttribute("FcUpdateThresholdBlocks", UintegerValue(threshold));
        helper.SetFlowControlAttribute("FcMinInterval", TimeValue(PicoSeconds(min)));
    }
};

/** @returns the credits from a device to its peer */
CreditFlowControl*
CreditsOf(const Ptr<FabricNetDevice>& device)
{
    return dynamic_cast<CreditFlowControl*>(device->GetPort().GetFlowControl());
}

void
ReadCredit(CreditFlowControl* credits, std::vector<uint32_t>* seen)
{
    seen->push_back(credits->GetCredit(0));
}

void
NoteControl(std::vector<FabricTick>* times, Ptr<const Packet> /* bytes */, Time at)
{
    times->push_back(at.GetTimeStep());
}

void
NoteLag(FabricTick* most, Ptr<const Packet> /* bytes */, Time at)
{
    *most = std::max(*most, FabricNow() - at.GetTimeStep());
}

/** Takes the first frames. */
class LoseFirst : public ErrorModel
{
  public:
    explicit LoseFirst(uint32_t frames)
        : m_left(frames)
    {
    }

  private:
    bool DoCorrupt(Ptr<Packet> /* packet */) override
    {
        return m_left > 0 && m_left-- > 0;
    }

    void DoReset() override
    {
    }

    uint32_t m_left; //!< still to be lost
};

/** @returns what connecting the setting complains about */
std::string
Complaint(const std::string& name, const AttributeValue& value)
{
    const auto helper = MakeHelper("ib", "400Gbps");
    helper->SetFlowControlAttribute(name, value);
    try
    {
        InstallCable(*helper);
    }
    catch (const std::exception& error)
    {
        return error.what();
    }
    return "";
}

} // namespace

// One flow-control packet for each packet, for each threshold, or for each interval; the link is
// full all the same.
TEST_F(LinkCreditUpdate, CountsOfFlowControlPackets)
{
    constexpr uint64_t FRAMES = 4000;
    for (const std::string policy : POLICIES)
    {
        const auto ends = Setting{policy, 30, 100000, 4 * IB_PACKET_BLOCKS}.Install();
        Blaster blaster(ends[0], ends[1]->GetFabricAddress(), 4096, FRAMES);
        Counter counter(ends[1]);
        blaster.Start();
        Simulator::Run();
        ASSERT_EQ(counter.frames, FRAMES);
        EXPECT_EQ(counter.last - counter.first, (FRAMES - 1) * PACKET) << policy;
        const uint64_t controls = ends[1]->GetPort().GetCounters().controlFrames;
        if (policy == "Interval")
        {
            const double intervals = (counter.last - counter.first) / 256000.0;
            EXPECT_NEAR(controls, intervals, 2);
        }
        else
        {
            // The latest one is sent when somebody asks.
            EXPECT_NEAR(controls, policy == "Threshold" ? FRAMES / 4 : FRAMES, 1) << policy;
        }
        Simulator::Destroy();
    }
}

// A threshold of two packets is a credit loop of packets twice as long.
TEST_F(LinkCreditUpdate, ThresholdLengthensTheLoop)
{
    for (const uint64_t pairs : {1, 2, 3, 5})
    {
        const auto ends = Setting{"Threshold", 2 * pairs, 500000, 2 * IB_PACKET_BLOCKS}.Install();
        const FabricTick loop = 2 * PACKET + 2 * 500000 + CONTROL;
        const CreditRun run = Saturate(ends[0], ends[1], 2 * pairs, 20);
        EXPECT_EQ(run.windowTicks, std::max(loop, 2 * static_cast<FabricTick>(pairs) * PACKET));
    }
}

// A threshold beyond the buffer is never reached: credit comes after FcMaxInterval, and nothing
// stops for good.
TEST_F(LinkCreditUpdate, ThresholdBeyondTheBuffer)
{
    const auto ends = Setting{"Threshold", 2, 500000, 200}.Install();
    const CreditRun run = Saturate(ends[0], ends[1], 2, 20);
    EXPECT_EQ(run.windowTicks, PACKET + 2 * 500000 + CONTROL + MAX_INTERVAL);
}

// Short loops of one packet wait for the interval.
TEST_F(LinkCreditUpdate, IntervalHoldsBack)
{
    for (const FabricTick delay : {5000, 50000, 200000})
    {
        const auto ends = Setting{"Interval", 1, delay}.Install();
        const CreditRun run = Saturate(ends[0], ends[1], 1, 20);
        EXPECT_EQ(run.windowTicks, std::max<FabricTick>(256000, PACKET + 2 * delay + CONTROL));
    }
}

// An idle link has no events; credit is there when its time has come.
TEST_F(LinkCreditUpdate, IdleLinksCostNoEvents)
{
    std::vector<uint64_t> events;
    for (const std::string policy : POLICIES)
    {
        const auto ends = Setting{policy, 10, 100000, 200}.Install();
        Blaster blaster(ends[0], ends[1]->GetFabricAddress(), 4096, 2);
        Counter counter(ends[1]);
        blaster.Start();
        Simulator::Run();
        EXPECT_EQ(FabricNow(), counter.last) << policy << ": no event after the last frame";
        events.push_back(Simulator::GetEventCount());
        EXPECT_EQ(events.back(), events.front()) << policy;
        const FabricTick back = CONTROL + 100000;
        // Without a flow-control packet before, the first release is announced at once.
        const FabricTick due = policy == "EveryRelease" ? counter.last
                               : policy == "Threshold"  ? counter.first + MAX_INTERVAL
                                                        : counter.first + 256000;
        std::vector<uint32_t> seen;
        for (const FabricTick at : {due + back - 1, due + back})
        {
            Simulator::Schedule(PicoSeconds(at - FabricNow()),
                                &ReadCredit,
                                CreditsOf(ends[0]),
                                &seen);
        }
        Simulator::Run();
        const uint32_t before = policy == "Threshold" ? 520 : 585;
        EXPECT_EQ(seen, (std::vector<uint32_t>{before, 650})) << policy;
        Simulator::Destroy();
    }
}

// Somebody who looks at the wire changes nothing, and sees what was sent when it comes in. Over a
// switch, room becomes free at ticks that are known ahead, also while a packet waits for the wire.
TEST_F(LinkCreditUpdate, WatchedIsTheSame)
{
    for (const std::string policy : POLICIES)
    {
        for (const uint64_t packets : {1, 2, 3, 5})
        {
            std::vector<FabricTick> plain;
            for (const bool watched : {false, true})
            {
                const auto helper = MakeHelper("ib", "400Gbps");
                Setting{policy, packets, 30000, 100}.Apply(*helper);
                helper->SetFlowControlAttribute("FcMaxInterval", TimeValue(NanoSeconds(700)));
                const Star star(*helper, 3);
                const auto& hosts = star.devices;
                Blaster forth(hosts[0], hosts[1]->GetFabricAddress(), 4096, 300);
                Blaster back(hosts[1], hosts[0]->GetFabricAddress(), 1024, 300);
                Blaster third(hosts[2], hosts[0]->GetFabricAddress(), 2048, 300);
                Counter there(hosts[1]);
                Counter here(hosts[0]);
                FabricTick lag = 0;
                for (uint16_t i = 0; watched && i < 3; ++i)
                {
                    hosts[i]->TraceConnectWithoutContext("LinkControl",
                                                         MakeBoundCallback(&NoteLag, &lag));
                }
                forth.Start();
                back.Start();
                third.Start();
                Simulator::Run();
                ASSERT_EQ(there.times.size(), 300U) << policy;
                ASSERT_EQ(here.times.size(), 600U) << policy;
                there.times.insert(there.times.end(), here.times.begin(), here.times.end());
                if (watched)
                {
                    EXPECT_EQ(there.times, plain) << policy << " " << packets;
                    EXPECT_EQ(lag, CONTROL + 30000) << policy << " " << packets;
                }
                plain = there.times;
                Simulator::Destroy();
            }
        }
    }
}

// What becomes free before a flow-control packet has started goes into it, and whoever waits knows
// it, also if no other frame of the way back tells it.
TEST_F(LinkCreditUpdate, WaitingPacketTakesItAll)
{
    for (const std::string policy : {"Threshold", "Interval"})
    {
        const auto ends = Setting{policy, 2, 1000, IB_PACKET_BLOCKS}.Install();
        CreditFlowControl* credits = CreditsOf(ends[0]);
        Simulator::Run();
        Blaster back(ends[1], ends[0]->GetFabricAddress(), 4096, 1);
        Counter here(ends[0]);
        back.Start();
        for (const FabricTick when : {1000, 2000})
        {
            credits->Sent(0, IB_PACKET_BYTES, 0);
            credits->Arrived(0, IB_PACKET_BYTES, 0);
            credits->Freed(0, IB_PACKET_BYTES, when);
        }
        credits->EmitDue(1000); // the first one has to wait for the frame
        EXPECT_EQ(credits->NextChance(0, 2 * IB_PACKET_BLOCKS * 64, 1000), PACKET + CONTROL + 1000)
            << policy;
        credits->NoLongerWaiting(0, 1000);
        Simulator::Run();
        Simulator::Destroy();
    }
}

// What is held back is state: the same at another time is another state.
TEST_F(LinkCreditUpdate, HeldBackIsState)
{
    for (const std::string policy : POLICIES)
    {
        std::vector<uint64_t> hashes;
        for (const FabricTick ago : {1000, 1001})
        {
            const auto ends = Setting{policy, 4, 100, 100}.Install();
            CreditFlowControl* credits = CreditsOf(ends[0]);
            Simulator::Stop(PicoSeconds(1000000 - ago));
            Simulator::Run();
            for (int frame = 0; frame < 2; ++frame) // the first one is announced under Interval
            {
                credits->Sent(0, 100, FabricNow());
                credits->Arrived(0, 100, FabricNow());
                credits->Freed(0, 100, FabricNow());
            }
            Simulator::Stop(PicoSeconds(ago));
            Simulator::Run();
            credits->GetCredit(0); // what has come in is noticed
            StateHash hash;
            EXPECT_TRUE(credits->HashState(hash, FabricNow()));
            hashes.push_back(hash.Get());
            Simulator::Destroy();
        }
        EXPECT_EQ(hashes[0] == hashes[1], policy == "EveryRelease") << policy;
    }
}

// At most one flow-control packet of a lane in each interval, whatever the traffic.
TEST_F(LinkCreditUpdate, IntervalIsKept)
{
    const auto ends = Setting{"Interval", 8, 30000}.Install();
    Blaster forth(ends[0], ends[1]->GetFabricAddress(), 2048, 1000);
    Counter there(ends[1]);
    std::vector<FabricTick> times;
    ends[1]->TraceConnectWithoutContext("LinkControl", MakeBoundCallback(&NoteControl, &times));
    forth.Start();
    Simulator::Run();
    ASSERT_EQ(there.frames, 1000U);
    ASSERT_GT(times.size(), 50U);
    FabricTick least = FABRIC_NEVER;
    for (std::size_t i = 1; i < times.size(); ++i)
    {
        least = std::min(least, times[i] - times[i - 1]);
    }
    EXPECT_EQ(least, 256000);
}

/** Notes when flow-control packets come in, by lane. */
void
NoteLane(std::vector<std::vector<FabricTick>>* times, Ptr<const Packet> bytes, Time at)
{
    IbFlowControlHeader header;
    bytes->PeekHeader(header);
    times->at(header.GetVl()).push_back(at.GetTimeStep());
}

// With PeriodicUpdates no lane of a link in use is silent for longer than FcMaxInterval, in either
// direction; a link that nobody uses any more lets the simulation end.
TEST_F(LinkCreditUpdate, PeriodicUpdates)
{
    for (const bool periodic : {false, true})
    {
        const auto helper = MakeHelper("ib", "100Gbps");
        helper->SetFlowControlAttribute("PeriodicUpdates", BooleanValue(periodic));
        const auto ends = InstallCable(*helper);
        Blaster blaster(ends[0], ends[1]->GetFabricAddress(), 4096, 3000); // 989 us
        Counter counter(ends[1]);
        std::vector<std::vector<FabricTick>> times(4); // of both directions
        ends[0]->TraceConnectWithoutContext("LinkControl", MakeBoundCallback(&NoteLane, &times));
        blaster.Start();
        Simulator::Run();
        ASSERT_EQ(counter.frames, 3000U);
        EXPECT_LT(FabricNow() - counter.last, 2 * MAX_INTERVAL) << "it ends";
        // On the way of the data there is nothing but periodic ones: 15 x 65.5 us, and one more at
        // the end, since the link was in use before.
        const uint64_t there = ends[0]->GetPort().GetCounters().controlFrames;
        EXPECT_GE(there, periodic ? 4 * 15U : 0U);
        EXPECT_LE(there, periodic ? 4 * 16U : 0U);
        for (uint8_t lane = 1; lane < 4; ++lane)
        {
            EXPECT_GE(times[lane].size(), periodic ? 2 * 15U : 0U) << +lane;
            EXPECT_LE(times[lane].size(), periodic ? 2 * 16U : 0U) << +lane;
            for (std::size_t i = 1; i < times[lane].size(); ++i)
            {
                EXPECT_LE(times[lane][i] - times[lane][i - 1], MAX_INTERVAL + 4 * PACKET) << i;
            }
        }
        Simulator::Destroy();
    }
}

// A8: eight hosts send to one over two lanes, each way of announcing: nothing is dropped, nothing
// overflows, all of it arrives.
TEST_F(LinkCreditUpdate, NeverOverflows)
{
    for (const std::string policy : POLICIES)
    {
        for (const uint64_t packets : {1, 2, 7, 40})
        {
            const auto helper = MakeHelper("ib", "400Gbps");
            Setting{policy, packets, 50000, 100}.Apply(*helper);
            helper->SetFlowControlAttribute("FcMaxInterval", TimeValue(NanoSeconds(1500)));
            const Star star(*helper, 9);
            Counter counter(star.devices[0]);
            std::vector<std::unique_ptr<Blaster>> blasters;
            for (uint32_t i = 1; i < 9; ++i)
            {
                blasters.push_back(std::make_unique<Blaster>(star.devices[i],
                                                             star.devices[0]->GetFabricAddress(),
                                                             i % 2 ? 4096 : 512,
                                                             200));
                blasters.back()->Start();
            }
            Simulator::Run();
            EXPECT_EQ(counter.frames, 1600U) << policy << " " << packets;
            for (uint32_t i = 0; i < 9; ++i)
            {
                EXPECT_EQ(star.sw->GetPort(i)->GetDrops(), 0U);
                EXPECT_LE(CreditsOf(star.devices[i])->GetMaxOccupancyBlocks(),
                          packets * IB_PACKET_BLOCKS);
                EXPECT_EQ(CreditsOf(star.devices[i])->GetOccupancy(), 0U);
            }
            Simulator::Destroy();
        }
    }
}

// A7: what a broken packet has taken comes back, each way of announcing.
TEST_F(LinkCreditUpdate, LostCreditsHeal)
{
    for (const std::string policy : POLICIES)
    {
        const auto ends = Setting{policy, 4, 100000, 100}.Install();
        ends[1]->SetAttribute("ReceiveErrorModel", PointerValue(CreateObject<LoseFirst>(1)));
        Blaster blaster(ends[0], ends[1]->GetFabricAddress(), 4096, 1);
        Counter counter(ends[1]);
        blaster.Start();
        std::vector<uint32_t> seen;
        // The sender's flow-control packet comes after FcMaxInterval, the receiver's follows it,
        // under Threshold another FcMaxInterval later.
        for (const FabricTick at : {MAX_INTERVAL, 3 * MAX_INTERVAL})
        {
            Simulator::Schedule(PicoSeconds(at), &ReadCredit, CreditsOf(ends[0]), &seen);
        }
        Simulator::Run();
        EXPECT_EQ(counter.frames, 0U);
        EXPECT_EQ(seen, (std::vector<uint32_t>{195, 260})) << policy;
        Simulator::Destroy();
    }
}

// Each lane has the credits of its own buffer.
TEST_F(LinkCreditUpdate, BufferOfEachLane)
{
    const auto helper = MakeHelper("ib", "400Gbps");
    helper->SetFlowControlAttribute("BufferBytes", UintegerValue(65 * 64));
    helper->SetFlowControlAttribute("LaneBufferBytes", StringValue("16640,8320"));
    const auto ends = InstallCable(*helper);
    const CreditFlowControl* credits = CreditsOf(ends[0]);
    EXPECT_EQ(credits->GetBufferBlocks(0), 260U);
    EXPECT_EQ(credits->GetBufferBlocks(1), 130U);
    EXPECT_EQ(credits->GetBufferBlocks(2), 65U);
    EXPECT_EQ(credits->GetBufferBlocks(3), 65U);
    EXPECT_EQ(credits->GetSmallestBufferBlocks(), 65U);
    EXPECT_EQ(credits->GetLargestFrame(0), 16640U);
    EXPECT_EQ(credits->GetLargestFrame(3), 4160U);
    EXPECT_GT(credits->GetLargestFrame(15), 1000000U);
    EXPECT_EQ(CreditsOf(ends[0])->GetCredit(0), 260U);
    EXPECT_EQ(CreditsOf(ends[0])->GetCredit(1), 130U);
    // The measured throughput is that of lane 0.
    const IbCreditLoop loop = MakeIdealLoop(400, 10);
    EXPECT_NEAR(Saturate(ends[0], ends[1], 4, 20).goodput / loop.GetGoodput(4, 4096), 1, 1e-9);
}

TEST_F(LinkCreditUpdate, RefusesBadSettings)
{
    EXPECT_EQ(Complaint("LaneBufferBytes", StringValue("65536,32768,65536,8000")), "");
    for (const std::string text : {"65536,x",
                                   "1,2",
                                   "65536,",
                                   ",65536",
                                   "-1",
                                   "65536;65536",
                                   "9999999999999",
                                   "1e5",
                                   "8000,8000,8000,8000,8000",
                                   "63"})
    {
        const std::string complaint = Complaint("LaneBufferBytes", StringValue(text));
        if (text == "65536,")
        {
            EXPECT_EQ(complaint, ""); // nothing follows
            continue;
        }
        EXPECT_NE(complaint.find("CreditFlowControl: LaneBufferBytes \"" + text + "\", item "),
                  std::string::npos)
            << text << ": " << complaint;
        EXPECT_EQ(complaint.find('\n'), std::string::npos);
    }
    EXPECT_NE(Complaint("LaneBufferBytes", StringValue("65536,64")).find("at least one packet"),
              std::string::npos);
    const auto helper = MakeHelper("ib", "400Gbps");
    helper->SetFlowControlAttribute("CreditUpdate", StringValue("Interval"));
    helper->SetFlowControlAttribute("FcMinInterval", TimeValue(MilliSeconds(1)));
    EXPECT_THROW(InstallCable(*helper), std::invalid_argument);
}

// The buffer of VL15 is finite: what does not fit is dropped and counted, and breaks no promise.
TEST_F(LinkCreditUpdate, ManagementBuffer)
{
    const auto helper = MakeHelper("ib", "400Gbps");
    helper->SetFlowControlAttribute("ManagementBufferBytes", UintegerValue(1000));
    const auto ends = InstallCable(*helper);
    CreditFlowControl* credits = CreditsOf(ends[0]);
    const uint8_t lane = CreditFlowControl::MANAGEMENT_LANE;
    EXPECT_TRUE(credits->MaySend(lane, 4122, 0)) << "always";
    EXPECT_TRUE(credits->Arrived(lane, 400, 0));
    EXPECT_TRUE(credits->Arrived(lane, 400, 0));
    EXPECT_FALSE(credits->Arrived(lane, 201, 0));
    EXPECT_TRUE(credits->Arrived(lane, 200, 0));
    EXPECT_EQ(credits->GetManagementOccupancy(), 1000U);
    EXPECT_EQ(credits->GetManagementDrops(), 1U);
    EXPECT_EQ(credits->GetOccupancy(), 0U) << "data lanes only";
    credits->Freed(lane, 200, 0);
    EXPECT_EQ(credits->GetManagementOccupancy(), 800U);
    credits->Freed(lane, 400, 50); // as a switch does: when it will have left
    EXPECT_FALSE(credits->Arrived(lane, 300, 49));
    EXPECT_TRUE(credits->Arrived(lane, 300, 50));
    EXPECT_EQ(credits->GetManagementDrops(), 2U);
    EXPECT_FALSE(credits->IsLossless(lane));
}
