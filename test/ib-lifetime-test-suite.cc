/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// How long a frame may wait in an InfiniBand switch: head-of-queue and switch lifetime limits,
// stalled lanes, and what is counted. Times are exact.

#include "support/link-rig.h"

#include "ns3/ib-net-device.h"
#include "ns3/ib-port-counters.h"
#include "ns3/ib-switch.h"
#include "ns3/rdma-helper.h"
#include "ns3/test.h"

#include <map>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::linkrig;

namespace
{

constexpr uint32_t FRAME = 1024 + 26;  //!< bytes of every frame here
constexpr FabricTick WIRE = 84;        //!< ns on the wire at 100 Gb/s
constexpr FabricTick FIRST = 10 + 250; //!< ns until the head of the first frame is in the switch
constexpr FabricTick LIFE = 32768;     //!< ns: 4.096 us x 2^3

/** A receiver that keeps what it gets until it is told to let go. */
class Hoarder : public FabricFrameSink
{
  public:
    explicit Hoarder(const Ptr<FabricNetDevice>& device)
        : m_device(device)
    {
        device->SetFrameSink(this, 0);
    }

    void ReceiveFrame(FabricFrame* frame, FabricNetDevice* /* device */) override
    {
        arrivals[frame->sl].push_back(FabricNow());
        m_held.emplace_back(frame->cls, frame->frameBytes);
        FabricFramePool::Release(frame);
        if (m_open)
        {
            LetGo();
        }
    }

    /** Give all room free, and keep nothing from now on. */
    void Open()
    {
        m_open = true;
        LetGo();
    }

    std::map<uint8_t, std::vector<FabricTick>> arrivals; //!< by service level

    /** Give all room free that is held now. */
    void LetGo()
    {
        for (const auto& held : m_held)
        {
            m_device->FreeBuffer(held.first, held.second, FabricNow());
        }
        m_held.clear();
    }

  private:
    Ptr<FabricNetDevice> m_device;                    //!< whose buffer it is
    std::vector<std::pair<uint8_t, uint32_t>> m_held; //!< class and bytes
    bool m_open{false};                               //!< keep nothing
};

/** Two hosts and a switch; the second host has room for one frame of each lane. */
class LifetimeCase : public TestCase
{
  public:
    explicit LifetimeCase(const std::string& what)
        : TestCase(what)
    {
    }

  protected:
    void SetUp(const std::vector<std::pair<std::string, uint8_t>>& limits)
    {
        IbHelper helper;
        helper.SetDeviceAttribute("DataRate", StringValue("100Gbps"));
        helper.SetDeviceAttribute("IbMtu", UintegerValue(1024));
        helper.SetHostAttribute("ReceiveLatency", TimeValue(NanoSeconds(0)));
        helper.SetChannelAttribute("Delay", TimeValue(NanoSeconds(10)));
        helper.SetHostFlowControlAttribute("BufferBytes", UintegerValue(17 * 64));
        for (const auto& limit : limits)
        {
            helper.SetSwitchAttribute(limit.first, UintegerValue(limit.second));
        }
        m_star = std::make_unique<Star>(helper, 2);
        m_hoarder = std::make_unique<Hoarder>(m_star->devices[1]);
        m_out = DynamicCast<IbNetDevice>(m_star->sw->GetPort(1));
        m_out->TraceConnectWithoutContext("FrameDrop", MakeCallback(&LifetimeCase::Drop, this));
        m_drops.clear();
    }

    void Send(uint32_t frames, uint8_t sl)
    {
        const Ptr<FabricNetDevice> from = m_star->devices[0];
        for (uint32_t i = 0; i < frames; ++i)
        {
            FabricFrame* frame = FabricFramePool::Allocate();
            frame->src = from->GetFabricAddress();
            frame->dst = m_star->devices[1]->GetFabricAddress();
            frame->opcode = IbOpcode::RC_WRITE_MIDDLE;
            frame->payload = 1024;
            frame->sl = sl;
            from->ClassifyFrame(*frame);
            from->SizeFrame(*frame);
            from->GetPort().Enqueue(frame);
        }
    }

    /** Everything is over. */
    void Finish()
    {
        for (uint16_t port = 0; port < 2; ++port)
        {
            const Ptr<FabricNetDevice> device = m_star->sw->GetPort(port);
            NS_TEST_EXPECT_MSG_EQ(device->GetIncomingFlowControl()->GetOccupancy(),
                                  0U,
                                  "the room of what was discarded is free again");
            NS_TEST_EXPECT_MSG_EQ(device->GetLosslessDrops(), 0U, "no loss: that is the limit");
        }
        m_hoarder.reset();
        m_star.reset();
        m_out = nullptr;
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(FabricFramePool::GetOutstanding(), 0U, "frames are given back");
    }

    std::unique_ptr<Star> m_star;                            //!< hosts and switch
    std::unique_ptr<Hoarder> m_hoarder;                      //!< second host
    Ptr<IbNetDevice> m_out;                                  //!< port to the second host
    std::vector<std::pair<std::string, FabricTick>> m_drops; //!< reason and when

  private:
    void Drop(const FabricFrame& /* frame */, const char* reason, bool lossless)
    {
        m_drops.emplace_back(reason, FabricNow());
        NS_TEST_EXPECT_MSG_EQ(lossless, false, "the limit takes the promise back");
    }
};

/** A12: HLL 3, credit never comes back. */
class HeadOfQueueCase : public LifetimeCase
{
  public:
    HeadOfQueueCase()
        : LifetimeCase("discards at 32.768 us after a frame came to the head; 7 stall the lane")
    {
    }

  private:
    void DoRun() override
    {
        SetUp({{"LeafHoqLife", 3}});
        Send(20, 0);
        // Frame 1 finds the queue empty and no credit; each next one comes to the head when its
        // predecessor is discarded.
        const FabricTick head = FIRST + WIRE;
        const FabricTick stall = head + 7 * LIFE;
        const FabricTick over = stall + 8 * LIFE;
        // In the stall everything is discarded on arrival, up to its last tick.
        Simulator::Schedule(NanoSeconds(over - 1 - FIRST), &HeadOfQueueCase::Send, this, 1, 0);
        Simulator::Schedule(NanoSeconds(over - FIRST + WIRE), &HeadOfQueueCase::Send, this, 1, 0);
        Simulator::Run();

        const std::string byHead = FabricNetDevice::HEAD_OF_QUEUE_LIFETIME;
        const std::string stalled = FabricNetDevice::LANE_STALLED;
        NS_TEST_ASSERT_MSG_EQ(m_drops.size(), 21U, "all but the first");
        for (uint32_t i = 0; i < 7; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(m_drops[i].first, byHead, "reason");
            NS_TEST_EXPECT_MSG_EQ(m_drops[i].second, head + (i + 1) * LIFE, "exact");
        }
        for (uint32_t i = 7; i < 19; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(m_drops[i].first, stalled, "the rest at once");
            NS_TEST_EXPECT_MSG_EQ(m_drops[i].second, stall, "with the seventh");
        }
        NS_TEST_EXPECT_MSG_EQ(m_drops[19].first, stalled, "still");
        NS_TEST_EXPECT_MSG_EQ(m_drops[19].second, over - 1, "on arrival");
        NS_TEST_EXPECT_MSG_EQ(m_drops[20].first, byHead, "again a normal lane");
        NS_TEST_EXPECT_MSG_EQ(m_drops[20].second, over + WIRE + LIFE, "exact");
        NS_TEST_EXPECT_MSG_EQ(m_hoarder->arrivals[0].size(), 1U, "one had credit");

        const IbPortCounters counters = IbPortCounters::Read(*m_out);
        NS_TEST_EXPECT_MSG_EQ(counters.portXmitDiscards, 21U, "PortXmitDiscards");
        NS_TEST_EXPECT_MSG_EQ(counters.portXmitPkts, 1U, "PortXmitPkts");
        NS_TEST_EXPECT_MSG_EQ(counters.portXmitWait, 8U * LIFE, "PortXmitWait: 7 and 1 in vain");
        NS_TEST_EXPECT_MSG_EQ(m_out->GetDrops(), 21U, "all drops");
        NS_TEST_EXPECT_MSG_EQ(m_out->GetLifetimeDiscards(), 21U, "all by the limit");
        Finish();
    }
};

/** Success ends the row of discards. */
class RowCase : public LifetimeCase
{
  public:
    RowCase()
        : LifetimeCase("a frame that is sent ends the row of discards; other lanes go on")
    {
    }

  private:
    void DoRun() override
    {
        SetUp({{"LeafHoqLife", 3}, {"VlStallCount", 3}});
        Send(6, 0); // one sent, two discarded, one sent, two discarded
        Send(3, 1); // another lane: one sent, two discarded
        Simulator::Schedule(NanoSeconds(2 * LIFE + LIFE / 2), &Hoarder::LetGo, m_hoarder.get());
        Simulator::Schedule(NanoSeconds(6 * LIFE), &Hoarder::Open, m_hoarder.get());
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_hoarder->arrivals[0].size(), 2U, "lane 0");
        NS_TEST_EXPECT_MSG_EQ(m_hoarder->arrivals[1].size(), 1U, "lane 1");
        NS_TEST_EXPECT_MSG_EQ(m_drops.size(), 6U, "four and two");
        for (const auto& drop : m_drops)
        {
            NS_TEST_EXPECT_MSG_EQ(drop.first,
                                  std::string(FabricNetDevice::HEAD_OF_QUEUE_LIFETIME),
                                  "no stall");
        }
        Finish();
    }
};

/** The switch lifetime counts from the arrival. */
class SwitchLifetimeCase : public LifetimeCase
{
  public:
    SwitchLifetimeCase()
        : LifetimeCase("a frame is discarded when it has been in the switch for too long")
    {
    }

  private:
    void DoRun() override
    {
        SetUp({{"SwitchLifetime", 2}});
        Send(10, 0);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_drops.size(), 9U, "all but the first");
        for (uint32_t i = 0; i < 9; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(m_drops[i].first,
                                  std::string(FabricNetDevice::SWITCH_LIFETIME),
                                  "reason");
            NS_TEST_EXPECT_MSG_EQ(m_drops[i].second,
                                  FIRST + (i + 1) * WIRE + 16384,
                                  "4.096 us x 2^2 after its head came in");
        }
        Finish();
    }
};

/** Limits cost no events where nothing waits, and are off unless asked for. */
class OffCase : public LifetimeCase
{
  public:
    OffCase()
        : LifetimeCase("no limit by default; with one, one event per limit at most")
    {
    }

  private:
    uint64_t CountEvents(const std::vector<std::pair<std::string, uint8_t>>& limits)
    {
        SetUp(limits);
        m_hoarder->Open();
        NS_TEST_EXPECT_MSG_EQ((m_out->GetPort().GetLifetimes() == nullptr),
                              limits.empty(),
                              "no object without a limit");
        Send(50, 0);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_hoarder->arrivals[0].size(), 50U, "all arrive");
        const uint64_t events = Simulator::GetEventCount();
        NS_TEST_EXPECT_MSG_EQ(m_drops.size(), 0U, "none waits for long");
        Finish();
        return events;
    }

    void DoRun() override
    {
        const uint64_t without = CountEvents({});
        const uint64_t with = CountEvents({{"LeafHoqLife", 4}, {"HoqLife", 20}});
        NS_TEST_EXPECT_MSG_LT_OR_EQ(with, without + 1, "50 frames in less than one limit");
        // Per-port limits take the place of the attributes.
        SetUp({{"LeafHoqLife", 4}});
        const auto sw = DynamicCast<IbSwitch>(m_star->sw);
        sw->SetHoqLife(1, 0);
        sw->Configure();
        NS_TEST_EXPECT_MSG_EQ(m_out->GetPort().GetLifetimes()->GetLimits().head, 4096, "HLL 0");
        NS_TEST_EXPECT_MSG_EQ(sw->GetPort(0)->GetPort().GetLifetimes()->GetLimits().head,
                              65536,
                              "HLL 4");
        Finish();
    }
};

/** A32 with limits: a ring of switches whose buffers wait for each other. */
class DeadlockCase : public TestCase
{
  public:
    DeadlockCase()
        : TestCase("a credit loop stops for ever without a limit, and goes on with one")
    {
    }

  private:
    /** @returns frames that arrive within a millisecond, and discards */
    std::pair<uint64_t, uint64_t> Run(uint8_t exponent)
    {
        IbHelper helper;
        helper.SetDeviceAttribute("DataRate", StringValue("100Gbps"));
        helper.SetHostAttribute("ReceiveLatency", TimeValue(NanoSeconds(0)));
        helper.SetFlowControlAttribute("BufferBytes", UintegerValue(4 * 65 * 64));
        helper.SetSwitchAttribute("HoqLife", UintegerValue(exponent));
        NodeContainer ring(3);
        NodeContainer hosts(6);
        for (uint32_t i = 0; i < 3; ++i)
        {
            helper.InstallSwitch(ring.Get(i));
        }
        for (uint32_t i = 0; i < 3; ++i)
        {
            helper.Install(ring.Get(i), ring.Get((i + 1) % 3));
        }
        std::vector<Ptr<FabricNetDevice>> devices;
        for (uint32_t i = 0; i < 6; ++i)
        {
            devices.push_back(
                DynamicCast<FabricNetDevice>(helper.Install(hosts.Get(i), ring.Get(i / 2)).Get(0)));
        }
        helper.Configure(ring);
        // Clockwise only. Switch 0 goes on by its port 0, the others by port 1.
        std::vector<std::unique_ptr<Blaster>> blasters;
        std::vector<std::unique_ptr<Counter>> counters;
        for (uint32_t i = 0; i < 6; ++i)
        {
            for (uint32_t at = 0; at < 3; ++at)
            {
                if (at != i / 2)
                {
                    FabricHelper::GetSwitch(ring.Get(at))
                        ->SetRoute(devices[i]->GetFabricAddress(),
                                   {static_cast<uint16_t>(at == 0 ? 0 : 1)});
                }
            }
            counters.push_back(std::make_unique<Counter>(devices[i]));
        }
        for (uint32_t i = 0; i < 6; ++i)
        {
            const uint64_t to = devices[(i + 4) % 6]->GetFabricAddress();
            blasters.push_back(std::make_unique<Blaster>(devices[i], to, 4096, 1000000));
            // Not in step: switches that discard at the same tick would do so for ever.
            Simulator::Schedule(NanoSeconds(1300 * i), &Blaster::Start, blasters.back().get());
        }
        Simulator::Stop(MilliSeconds(1));
        Simulator::Run();
        const auto count = [&counters]() {
            uint64_t frames = 0;
            for (const auto& counter : counters)
            {
                frames += counter->frames;
            }
            return frames;
        };
        const uint64_t before = count();
        Simulator::Stop(MilliSeconds(1));
        Simulator::Run();
        uint64_t discards = 0;
        for (uint32_t i = 0; i < 3; ++i)
        {
            const Ptr<FabricSwitch> sw = FabricHelper::GetSwitch(ring.Get(i));
            for (uint16_t port = 0; port < sw->GetNPorts(); ++port)
            {
                discards += sw->GetPort(port)->GetLifetimeDiscards();
            }
        }
        const uint64_t arrived = count() - before;
        Simulator::Destroy();
        return {arrived, discards};
    }

    void DoRun() override
    {
        const auto without = Run(LaneLifetimes::NO_LIMIT);
        NS_TEST_EXPECT_MSG_EQ(without.first, 0U, "deadlock: nothing in the second millisecond");
        NS_TEST_EXPECT_MSG_EQ(without.second, 0U, "and nothing is discarded");
        const auto with = Run(0);
        NS_TEST_EXPECT_MSG_GT(with.first, 0U, "frames arrive");
        NS_TEST_EXPECT_MSG_GT(with.second, 0U, "because others were discarded");
    }
};

/** The suite. */
class IbLifetimeTestSuite : public TestSuite
{
  public:
    IbLifetimeTestSuite()
        : TestSuite("ai-fabric-ib-lifetime", TestSuite::Type::UNIT)
    {
        AddTestCase(new HeadOfQueueCase);
        AddTestCase(new RowCase);
        AddTestCase(new SwitchLifetimeCase);
        AddTestCase(new OffCase);
        AddTestCase(new DeadlockCase);
    }
};

IbLifetimeTestSuite g_ibLifetimeTestSuite; //!< registers the suite

} // namespace
