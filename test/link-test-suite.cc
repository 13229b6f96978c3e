/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The link layer at ns-3's default resolution of a nanosecond, where most frames do not take whole
// ticks.

#include "support/credit-rig.h"
#include "support/link-rig.h"

#include "ns3/credit-flow-control.h"
#include "ns3/pause-flow-control.h"
#include "ns3/test.h"

#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::linkrig;

namespace
{

/**
 * @ingroup ai-fabric-tests
 * Two hosts and a cable between them.
 */
struct Cable
{
    /** @param helper of the fabric */
    explicit Cable(FabricHelper& helper)
    {
        NodeContainer nodes;
        nodes.Create(2);
        const NetDeviceContainer ends = helper.Install(nodes.Get(0), nodes.Get(1));
        a = DynamicCast<FabricNetDevice>(ends.Get(0));
        b = DynamicCast<FabricNetDevice>(ends.Get(1));
    }

    Ptr<FabricNetDevice> a; //!< sends
    Ptr<FabricNetDevice> b; //!< receives
};

/**
 * @ingroup ai-fabric-tests
 * Has frames of one size for several classes.
 */
class ClassSource : public FabricFrameSource
{
  public:
    /**
     * @param cable the sender's device gets this source
     * @param payload of each frame
     */
    ClassSource(const Cable& cable, uint32_t payload)
        : m_device(cable.a)
    {
        m_frame.src = cable.a->GetFabricAddress();
        m_frame.dst = cable.b->GetFabricAddress();
        m_frame.opcode = IbOpcode::RC_WRITE_MIDDLE;
        m_frame.payload = payload;
        cable.a->SizeFrame(m_frame);
        cable.a->GetPort().SetSource(this);
    }

    /**
     * @param cls a class
     * @param frames how many more frames it has
     */
    void Add(uint8_t cls, uint32_t frames)
    {
        m_left[cls] += frames;
        m_device->GetPort().Kick();
    }

    /** @returns bytes of a frame in a buffer */
    uint32_t GetFrameBytes() const
    {
        return m_frame.frameBytes;
    }

    /** @returns bytes of a frame on the wire */
    uint32_t GetWireBytes() const
    {
        return m_frame.wireBytes;
    }

    uint32_t GetReadyClasses() override
    {
        uint32_t ready = 0;
        for (uint8_t cls = 0; cls < FabricPort::CLASSES; ++cls)
        {
            ready |= m_left[cls] ? 1U << cls : 0;
        }
        return ready;
    }

    uint32_t PeekFrameBytes(uint8_t /* cls */) override
    {
        return m_frame.frameBytes;
    }

    FabricFrame* Pull(uint8_t cls) override
    {
        --m_left[cls];
        FabricFrame* frame = FabricFramePool::Allocate();
        *frame = m_frame;
        frame->cls = cls;
        return frame;
    }

  private:
    Ptr<FabricNetDevice> m_device;                      //!< pulls
    FabricFrame m_frame;                                //!< what all frames have in common
    std::array<uint32_t, FabricPort::CLASSES> m_left{}; //!< frames to be sent
};

/**
 * @ingroup ai-fabric-tests
 * Takes frames, and frees their room in the buffer at once, later or never.
 */
class LateSink : public FabricFrameSink
{
  public:
    /** @param cable the receiver's device gets this sink */
    explicit LateSink(const Cable& cable)
        : m_device(cable.b)
    {
        m_device->SetFrameSink(this, 0);
    }

    /**
     * @param cls a class
     * @param hold true: from now on, room is not freed before it is told to
     */
    void Hold(uint8_t cls, bool hold)
    {
        m_hold[cls] = hold;
    }

    /**
     * Free what is held.
     * @param cls a class
     * @param frames how many frames
     */
    void Free(uint8_t cls, uint32_t frames)
    {
        for (; frames && !m_held[cls].empty(); --frames)
        {
            m_device->FreeBuffer(cls, m_held[cls].back(), FabricNow());
            m_held[cls].pop_back();
        }
    }

    /** @returns when frames of a class came in */
    const std::vector<FabricTick>& GetTimes(uint8_t cls) const
    {
        return m_times[cls];
    }

    void ReceiveFrame(FabricFrame* frame, FabricNetDevice* device) override
    {
        m_times[frame->cls].push_back(FabricNow());
        if (m_hold[frame->cls])
        {
            m_held[frame->cls].push_back(frame->frameBytes);
        }
        else
        {
            device->FreeBuffer(frame->cls, frame->frameBytes, FabricNow());
        }
        FabricFramePool::Release(frame);
    }

  private:
    Ptr<FabricNetDevice> m_device;                                    //!< receives
    std::array<bool, FabricPort::CLASSES> m_hold{};                   //!< do not free at once
    std::array<std::vector<uint32_t>, FabricPort::CLASSES> m_held;    //!< bytes of frames not freed
    std::array<std::vector<FabricTick>, FabricPort::CLASSES> m_times; //!< arrivals
};

/**
 * @ingroup ai-fabric-tests
 * Ends with nothing left.
 */
class LinkTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /** Everything is over. */
    void Finish()
    {
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(FabricFramePool::GetOutstanding(), 0, "a frame is lost for good");
    }
};

/**
 * @ingroup ai-fabric-tests
 * One saturating flow reaches the rate that the headers leave (A1, A2).
 */
class GoodputTestCase : public LinkTestCase
{
  public:
    /**
     * @param fabric "ib" or "roce"
     * @param gbps data rate
     * @param payload bytes of a packet
     * @param overSwitch false: a cable between two hosts
     */
    GoodputTestCase(const std::string& fabric, uint64_t gbps, uint32_t payload, bool overSwitch)
        : LinkTestCase(fabric + ": goodput at " + std::to_string(gbps) + " Gbps, payload " +
                       std::to_string(payload) + (overSwitch ? ", over a switch" : ", direct")),
          m_fabric(fabric),
          m_gbps(gbps),
          m_payload(payload),
          m_overSwitch(overSwitch)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t FRAMES = 5000;
        constexpr uint32_t WARM_UP = 1000;
        const auto helper = MakeHelper(m_fabric, std::to_string(m_gbps) + "Gbps");
        Ptr<FabricNetDevice> a;
        Ptr<FabricNetDevice> b;
        if (m_overSwitch)
        {
            const Star star(*helper, 2);
            a = star.devices[0];
            b = star.devices[1];
        }
        else
        {
            const Cable cable(*helper);
            a = cable.a;
            b = cable.b;
        }
        Blaster blaster(a, b->GetFabricAddress(), m_payload, FRAMES);
        Counter counter(b);
        blaster.Start();
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(counter.frames, FRAMES, "none is lost");
        NS_TEST_EXPECT_MSG_EQ(counter.inOrder, true, "none overtakes");
        const double expected = m_gbps * 1e9 * m_payload / (m_payload + Overhead(m_fabric));
        NS_TEST_EXPECT_MSG_EQ_TOL(counter.Goodput(WARM_UP, FRAMES - 1, m_payload) / expected,
                                  1,
                                  1e-3,
                                  "payload / (payload + overhead)");
        Finish();
    }

    std::string m_fabric; //!< "ib" or "roce"
    uint64_t m_gbps;      //!< data rate
    uint32_t m_payload;   //!< bytes
    bool m_overSwitch;    //!< or direct
};

/** A credit loop. */
struct CreditLoop
{
    uint32_t meters; //!< of cable, 5 ns each
    uint32_t blocks; //!< in the receive buffer
    double gbps;     //!< what it lets through at 400 Gb/s
};

/**
 * @ingroup ai-fabric-tests
 * Throughput is what the credits of a round trip allow (A4, A5).
 */
class CreditLimitTestCase : public LinkTestCase
{
  public:
    /** @param loop the loop */
    explicit CreditLimitTestCase(const CreditLoop& loop)
        : LinkTestCase("ib: " + std::to_string(loop.blocks) + " blocks of credit over " +
                       std::to_string(loop.meters) + " m"),
          m_loop(loop)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t LOOPS = 40;
        const auto helper = MakeHelper("ib", "400Gbps");
        helper->SetChannelAttribute("Delay", TimeValue(NanoSeconds(5 * m_loop.meters)));
        helper->SetFlowControlAttribute("BufferBytes", UintegerValue(m_loop.blocks * 64));
        const Cable cable(*helper);
        const uint32_t window = std::min(m_loop.blocks, CreditCounters::MAX_CREDIT) / 65;
        Blaster blaster(cable.a, cable.b->GetFabricAddress(), 4096, window * (LOOPS + 1));
        Counter counter(cable.b);
        blaster.Start();
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(counter.frames, window * (LOOPS + 1), "none is lost");
        // Whole packets only: a window of them in each loop. In the loop, the end of a packet and
        // that of a flow-control packet are each rounded to a tick.
        const double packet = 4122 * 8 / 400.0;
        const double loop = packet + 2 * 5.0 * m_loop.meters + 8 * 8 / 400.0;
        const double seen =
            static_cast<double>(counter.times[window * LOOPS] - counter.times[0]) / LOOPS;
        NS_TEST_EXPECT_MSG_EQ_TOL(seen, std::max(loop, window * packet), 1, "ns in a loop");
        NS_TEST_EXPECT_MSG_EQ_TOL(counter.Goodput(0, window * LOOPS, 4096) / (m_loop.gbps * 1e9),
                                  1,
                                  1 / loop + 2e-4,
                                  "published row");
        const auto credits = dynamic_cast<CreditFlowControl*>(cable.a->GetPort().GetFlowControl());
        NS_TEST_EXPECT_MSG_LT_OR_EQ(credits->GetMaxOccupancyBlocks(),
                                    m_loop.blocks,
                                    "never more than the buffer holds");
        NS_TEST_EXPECT_MSG_EQ(cable.b->GetDrops(), 0, "lossless");
        Finish();
    }

    CreditLoop m_loop; //!< the loop
};

/**
 * @ingroup ai-fabric-tests
 * Throughput over buffer and cable length at one rate (A4, A5).
 *
 * A packet and a flow-control packet come in on the tick in which they end, so that a loop that
 * credits limit is short by up to two ticks: 0.1 % of 2 us, but more of a short loop. A link that
 * is full has no such error, since it carries what does not fill a tick.
 */
class CreditSweepTestCase : public LinkTestCase
{
  public:
    /** @param gbps data rate */
    explicit CreditSweepTestCase(uint32_t gbps)
        : LinkTestCase("ib: buffer against cable length at " + std::to_string(gbps) + " Gbps"),
          m_gbps(gbps)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t LOOPS = 40;
        for (const uint32_t meters : {1, 3, 10, 30, 50, 100, 300, 1000})
        {
            const IbCreditLoop loop = MakeIdealLoop(m_gbps, meters);
            for (const uint32_t blocks : InterestingBuffers(loop))
            {
                const auto helper = MakeHelper("ib", std::to_string(m_gbps) + "Gbps");
                helper->SetChannelAttribute("Delay", TimeValue(NanoSeconds(5 * meters)));
                helper->SetFlowControlAttribute("BufferBytes", UintegerValue(blocks * 64));
                const uint64_t window = IbCreditLoop::GetWindow(blocks, IB_PACKET_BYTES, 64);
                const std::vector<Ptr<FabricNetDevice>> ends = InstallCable(*helper);
                const CreditRun run = Saturate(ends[0], ends[1], window, LOOPS);
                const std::string where =
                    std::to_string(meters) + " m, " + std::to_string(blocks) + " blocks";
                const double exact = window / loop.GetPacketRate(window) * 1e9;
                const bool limited = window < loop.GetFullRatePackets();
                NS_TEST_EXPECT_MSG_LT_OR_EQ(run.windowTicks, exact + 1.0 / LOOPS, where);
                NS_TEST_EXPECT_MSG_GT_OR_EQ(run.windowTicks,
                                            exact - (limited ? 2 : 1.0 / LOOPS),
                                            where);
                if (!limited || exact > 2000)
                {
                    NS_TEST_EXPECT_MSG_EQ_TOL(run.goodput / loop.GetGoodput(window, 4096),
                                              1,
                                              1e-3,
                                              where);
                }
                NS_TEST_EXPECT_MSG_EQ(run.drops, 0, "lossless");
                NS_TEST_EXPECT_MSG_LT_OR_EQ(run.most, blocks, "never more than the buffer holds");
            }
        }
        Finish();
    }

    uint32_t m_gbps; //!< data rate
};

/**
 * @ingroup ai-fabric-tests
 * A class whose receiver frees nothing stops alone; the others use the whole wire.
 */
class IndependenceTestCase : public LinkTestCase
{
  public:
    /** @param fabric "ib" or "roce" */
    explicit IndependenceTestCase(const std::string& fabric)
        : LinkTestCase(fabric + ": a stalled class does not block another"),
          m_fabric(fabric)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t FRAMES = 2000;
        constexpr uint64_t XOFF = 50000;
        const bool ib = m_fabric == "ib";
        const auto helper = MakeHelper(m_fabric, "400Gbps");
        helper->SetChannelAttribute("Delay", TimeValue(NanoSeconds(100)));
        if (!ib)
        {
            helper->SetFlowControlAttribute("XoffBytes", UintegerValue(XOFF));
            helper->SetFlowControlAttribute("XonBytes", UintegerValue(XOFF / 2));
        }
        const Cable cable(*helper);
        ClassSource source(cable, 4096);
        LateSink sink(cable);
        const uint8_t stalled = ib ? 0 : 3;
        const uint8_t other = ib ? 1 : 4;
        sink.Hold(stalled, true);
        source.Add(stalled, FRAMES);
        source.Add(other, FRAMES);
        Simulator::Stop(MicroSeconds(300));
        Simulator::Run();
        const std::size_t before = sink.GetTimes(stalled).size();
        if (ib)
        {
            NS_TEST_EXPECT_MSG_EQ(before, 1024 / 65, "whole packets that fit into 65,536 bytes");
        }
        else
        {
            // In turn with the other class: XOFF is 13 frames; 107 ns later it acts.
            NS_TEST_EXPECT_MSG_EQ(before, 13 + 1, "up to XOFF, and one on its way");
        }
        const std::vector<FabricTick>& times = sink.GetTimes(other);
        NS_TEST_ASSERT_MSG_EQ(times.size(), FRAMES, "the other class is through");
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(times.back() - times[100]) / (FRAMES - 101),
                                  source.GetWireBytes() * 8 / 400.0,
                                  0.01,
                                  "and has had the wire for itself, ns a frame");
        sink.Hold(stalled, false);
        sink.Free(stalled, FRAMES);
        const FabricTick freed = FabricNow();
        Simulator::Stop(MicroSeconds(300));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(sink.GetTimes(stalled).size(), FRAMES, "goes on when room is freed");
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(sink.GetTimes(stalled)[before] - freed),
                                  (ib ? 8 : 84) * 8 / 400.0 + 100 +
                                      source.GetWireBytes() * 8 / 400.0 + 100,
                                  2, // each end is rounded down
                                  "after a message back and a frame forth, ns");
        NS_TEST_EXPECT_MSG_EQ(cable.b->GetDrops(), 0, "lossless");
        Finish();
    }

    std::string m_fabric; //!< "ib" or "roce"
};

/**
 * @ingroup ai-fabric-tests
 * VL15 has no credits: nothing stops it, and it takes no room of the data lanes.
 */
class ManagementLaneTestCase : public LinkTestCase
{
  public:
    ManagementLaneTestCase()
        : LinkTestCase("ib: VL15 is not flow controlled")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t FRAMES = 1000;
        const auto helper = MakeHelper("ib", "100Gbps");
        helper->SetFlowControlAttribute("BufferBytes", UintegerValue(8192));
        helper->SetFlowControlAttribute("ManagementBufferBytes", UintegerValue(FRAMES * 282));
        const Cable cable(*helper);
        ClassSource source(cable, 256);
        LateSink sink(cable);
        const uint8_t management = CreditFlowControl::MANAGEMENT_LANE;
        for (const uint8_t lane : {uint8_t{0}, management})
        {
            sink.Hold(lane, true);
            source.Add(lane, FRAMES);
        }
        Simulator::Stop(MilliSeconds(1));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(sink.GetTimes(0).size(), 128 / 5, "282 bytes are 5 of 128 blocks");
        NS_TEST_EXPECT_MSG_EQ(sink.GetTimes(management).size(), FRAMES, "all of them");
        const auto credits = dynamic_cast<CreditFlowControl*>(cable.a->GetPort().GetFlowControl());
        NS_TEST_EXPECT_MSG_EQ(credits->IsLossless(management), false, "may be dropped");
        NS_TEST_EXPECT_MSG_EQ(credits->GetOccupancy(), 25 * 5 * 64, "VL0 only");
        NS_TEST_EXPECT_MSG_EQ(credits->GetManagementOccupancy(), FRAMES * 282, "has its own");
        NS_TEST_EXPECT_MSG_EQ(credits->GetManagementDrops(), 0, "and it was large enough");
        Finish();
    }
};

/**
 * @ingroup ai-fabric-tests
 * The receiver's own thresholds, at 8 Gb/s, where a byte takes a nanosecond and everything is
 * exact.
 */
class PauseThresholdTestCase : public LinkTestCase
{
  public:
    /** @param reaction of the sender to a pause frame, ns */
    explicit PauseThresholdTestCase(FabricTick reaction)
        : LinkTestCase("roce: XOFF and XON at the receiver's thresholds, reaction " +
                       std::to_string(reaction) + " ns"),
          m_reaction(reaction)
    {
    }

  private:
    void DoRun() override
    {
        constexpr FabricTick WIRE = 1002; // payload of whole words
        constexpr FabricTick DELAY = 100;
        constexpr FabricTick PFC = 84;
        constexpr uint64_t FRAME = WIRE - 20; // without preamble and gap
        constexpr FabricTick FIRST_FREE = 20000;
        const auto helper = MakeHelper("roce", "8Gbps");
        helper->SetChannelAttribute("Delay", TimeValue(NanoSeconds(DELAY)));
        helper->SetFlowControlAttribute("XoffBytes", UintegerValue(10 * FRAME - 1));
        helper->SetFlowControlAttribute("XonBytes", UintegerValue(5 * FRAME));
        helper->SetFlowControlAttribute("ReactionDelay", TimeValue(NanoSeconds(m_reaction)));
        const Cable cable(*helper);
        ClassSource source(cable, WIRE - 82);
        LateSink sink(cable);
        NS_TEST_ASSERT_MSG_EQ(source.GetFrameBytes(), FRAME, "of a frame");
        sink.Hold(3, true);
        // XOFF is decided on when the tenth frame has come in.
        const FabricTick xoff = 10 * WIRE + DELAY + PFC + DELAY + m_reaction;
        const FabricTick before = (xoff + WIRE - 1) / WIRE; // started before it
        const FabricTick frees = before - 5;
        const FabricTick xon = FIRST_FREE + (frees - 1) * WIRE + PFC + DELAY + m_reaction;
        source.Add(3, static_cast<uint32_t>(before + 2));
        for (uint32_t i = 0; i < 12; ++i)
        {
            Simulator::Schedule(NanoSeconds(FIRST_FREE + i * WIRE), &LateSink::Free, &sink, 3, 1);
        }
        Simulator::Run();
        const std::vector<FabricTick>& times = sink.GetTimes(3);
        NS_TEST_ASSERT_MSG_EQ(times.size(), before + 2, "all in the end");
        NS_TEST_EXPECT_MSG_EQ(times[before - 1], before * WIRE + DELAY, "the last one before");
        NS_TEST_EXPECT_MSG_EQ(times[before], xon + WIRE + DELAY, "the first one after");
        NS_TEST_EXPECT_MSG_EQ(times[before + 1], xon + 2 * WIRE + DELAY, "and on");
        const auto pause = dynamic_cast<PauseFlowControl*>(cable.a->GetPort().GetFlowControl());
        NS_TEST_EXPECT_MSG_EQ(pause->GetPauseFrames(), 2, "one XOFF, one XON");
        NS_TEST_EXPECT_MSG_EQ(pause->GetPausedTicks(), xon - xoff, "paused");
        NS_TEST_EXPECT_MSG_EQ(pause->GetHeldTicks(), xon - before * WIRE, "and had to wait");
        NS_TEST_EXPECT_MSG_EQ(cable.b->GetPort().GetCounters().controlBytes,
                              2 * PFC,
                              "on the wire back");
        Finish();
    }

    FabricTick m_reaction; //!< ns
};

/**
 * @ingroup ai-fabric-tests
 * A pause holds as long as it is repeated, and no longer.
 */
class PauseRefreshTestCase : public LinkTestCase
{
  public:
    PauseRefreshTestCase()
        : LinkTestCase("roce: a pause is repeated at half of its time, and expires if it is not")
    {
    }

  private:
    void DoRun() override
    {
        constexpr FabricTick WIRE = 1002; // payload of whole words
        constexpr FabricTick DELAY = 100;
        constexpr FabricTick PFC = 84;
        constexpr FabricTick QUANTUM = 64;
        constexpr FabricTick FREED = 20000000; // nearly five times the longest pause
        const auto helper = MakeHelper("roce", "8Gbps");
        helper->SetChannelAttribute("Delay", TimeValue(NanoSeconds(DELAY)));
        helper->SetFlowControlAttribute("XoffBytes", UintegerValue(1));
        const Cable cable(*helper);
        const auto pause = dynamic_cast<PauseFlowControl*>(cable.a->GetPort().GetFlowControl());
        ClassSource source(cable, WIRE - 82);
        LateSink sink(cable);
        sink.Hold(3, true);
        source.Add(3, 3);
        Simulator::Stop(NanoSeconds(FREED));
        Simulator::Run();
        // XOFF leaves when the first frame has come in; the second one is on its way then.
        NS_TEST_EXPECT_MSG_EQ(sink.GetTimes(3).size(), 2, "held, though no pause lasts that long");
        const uint64_t refreshes = (FREED - WIRE - DELAY) / (0xffff / 2 * QUANTUM);
        NS_TEST_EXPECT_MSG_EQ(pause->GetPauseFrames(), 1 + refreshes, "at half of the time");
        NS_TEST_EXPECT_MSG_EQ(pause->GetPausedTicks(),
                              FREED - (WIRE + DELAY + PFC + DELAY),
                              "without a gap");
        sink.Hold(3, false);
        sink.Free(3, 2);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(sink.GetTimes(3).size(), 3, "goes on");
        NS_TEST_EXPECT_MSG_EQ(sink.GetTimes(3)[2], FREED + PFC + DELAY + WIRE + DELAY, "at XON");

        // Nobody repeats this one.
        const FabricTick begin = FabricNow();
        std::array<uint16_t, PauseFlowControl::PRIORITIES> quanta{};
        quanta[3] = 1000;
        pause->ReceivePause(1 << 3, quanta);
        source.Add(3, 1);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(sink.GetTimes(3).size(), 4, "goes on by itself");
        NS_TEST_EXPECT_MSG_EQ(sink.GetTimes(3)[3],
                              begin + 1000 * QUANTUM + WIRE + DELAY,
                              "when the pause is over");
        Finish();
    }
};

/**
 * @ingroup ai-fabric-tests
 * An XOFF that is taken back before its frame has left acts never; one that comes while the wire is
 * busy acts after it.
 */
class PauseMergeTestCase : public LinkTestCase
{
  public:
    PauseMergeTestCase()
        : LinkTestCase("roce: what is decided before a pause frame starts goes into it")
    {
    }

  private:
    void DoRun() override
    {
        constexpr FabricTick WIRE = 1002; // payload of whole words
        constexpr FabricTick DELAY = 100;
        constexpr FabricTick PFC = 84;
        const auto helper = MakeHelper("roce", "8Gbps");
        helper->SetChannelAttribute("Delay", TimeValue(NanoSeconds(DELAY)));
        const Cable cable(*helper);
        const auto pause = dynamic_cast<PauseFlowControl*>(cable.a->GetPort().GetFlowControl());
        ClassSource source(cable, WIRE - 82);
        LateSink sink(cable);
        // The wire back is busy first, so that pause frames wait.
        Blaster back(cable.b, cable.a->GetFabricAddress(), WIRE - 82, 1);
        Counter counter(cable.a);
        back.Start();
        source.Add(3, 5);
        source.Add(4, 5);
        Simulator::Schedule(NanoSeconds(100), &PauseFlowControl::SetPaused, pause, 3, true);
        Simulator::Schedule(NanoSeconds(200), &PauseFlowControl::SetPaused, pause, 4, true);
        Simulator::Schedule(NanoSeconds(300), &PauseFlowControl::SetPaused, pause, 3, false);
        Simulator::Schedule(NanoSeconds(50000), &PauseFlowControl::SetPaused, pause, 4, false);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(pause->GetPauseFrames(), 2, "three decisions in one frame");
        NS_TEST_ASSERT_MSG_EQ(sink.GetTimes(3).size(), 5, "never stopped");
        NS_TEST_ASSERT_MSG_EQ(sink.GetTimes(4).size(), 5, "stopped, and gone on");
        // In turn: 3, 4 until the pause of 4 acts, while the second frame is on the wire; then 3
        // alone.
        NS_TEST_EXPECT_MSG_EQ(sink.GetTimes(3).back(), 6 * WIRE + DELAY, "without a gap");
        NS_TEST_EXPECT_MSG_EQ(sink.GetTimes(4).front(), 2 * WIRE + DELAY, "before the pause");
        NS_TEST_EXPECT_MSG_EQ(sink.GetTimes(4)[1], 50000 + PFC + DELAY + WIRE + DELAY, "after it");
        NS_TEST_EXPECT_MSG_EQ(pause->GetPausedTicks(), 50000 - WIRE, "priority 4 only");
        Finish();
    }
};

/**
 * @ingroup ai-fabric-tests
 * The link layer at nanosecond resolution.
 */
class LinkTestSuite : public TestSuite
{
  public:
    LinkTestSuite()
        : TestSuite("ai-fabric-link", TestSuite::Type::UNIT)
    {
        for (const std::string fabric : {"ib", "roce"})
        {
            for (const uint64_t gbps : {100, 200, 400, 800})
            {
                for (const uint32_t payload : {256, 512, 1024, 2048, 4096})
                {
                    AddTestCase(new GoodputTestCase(fabric, gbps, payload, false));
                    AddTestCase(new GoodputTestCase(fabric, gbps, payload, true));
                }
            }
            AddTestCase(new IndependenceTestCase(fabric));
        }
        for (const CreditLoop& loop : {CreditLoop{100, 65, 30.27},
                                       CreditLoop{100, 130, 60.54},
                                       CreditLoop{100, 260, 121.07},
                                       CreditLoop{100, 520, 242.14},
                                       CreditLoop{100, 780, 363.21},
                                       CreditLoop{100, 910, 397.48},
                                       CreditLoop{50, 65, 56.24},
                                       CreditLoop{50, 130, 112.49},
                                       CreditLoop{50, 195, 168.73},
                                       CreditLoop{50, 260, 224.98},
                                       CreditLoop{50, 520, 397.48},
                                       CreditLoop{300, 16384, 329.5},
                                       CreditLoop{300, 65536, 329.5}})
        {
            AddTestCase(new CreditLimitTestCase(loop));
        }
        for (const uint32_t gbps : {100, 200, 400, 800})
        {
            AddTestCase(new CreditSweepTestCase(gbps));
        }
        AddTestCase(new ManagementLaneTestCase());
        for (const FabricTick reaction : {0, 500, 1000})
        {
            AddTestCase(new PauseThresholdTestCase(reaction));
        }
        AddTestCase(new PauseRefreshTestCase());
        AddTestCase(new PauseMergeTestCase());
    }
};

LinkTestSuite g_linkTestSuite; //!< the suite

} // namespace
