/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/link-rig.h"
#include "support/rdma-rig.h"

#include "ns3/boolean.h"
#include "ns3/credit-flow-control.h"
#include "ns3/hot-spot-scenario.h"
#include "ns3/ib-congestion-agent.h"
#include "ns3/ib-congestion-control.h"
#include "ns3/ib-switch.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/string.h"

#include <cmath>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/**
 * @ingroup ai-fabric-tests
 * Takes frames at a host and notes which have FECN.
 */
class FecnRecorder : public FabricFrameSink
{
  public:
    /** @param device of the host */
    explicit FecnRecorder(const Ptr<FabricNetDevice>& device)
    {
        device->SetRdmaSink(this);
    }

    void ReceiveFrame(FabricFrame* frame, FabricNetDevice* /* device */) override
    {
        fecn.push_back(frame->fecn);
        FabricFramePool::Release(frame);
    }

    std::vector<bool> fecn; //!< in order of arrival
};

/**
 * @ingroup ai-fabric-tests
 * Two hosts send to a third over one switch; each frame must be marked exactly if the rule says so.
 */
class MarkingCase : public TestCase
{
  public:
    /** What is different from case to case. */
    struct Setup
    {
        const char* what;      //!< name of the test
        const char* drain;     //!< at which the receiving host empties its buffer
        uint32_t payload;      //!< of all frames
        uint8_t packetSize;    //!< in 64 bytes
        uint16_t markingRate;  //!< packets between marks
        bool victimHosts;      //!< the port marks without credits
        bool expectMarks;      //!< some are marked
        bool expectLastMarked; //!< so is the last one for which enough is queued
    };

    explicit MarkingCase(const Setup& setup)
        : TestCase(setup.what),
          m_setup(setup)
    {
    }

  private:
    static constexpr uint64_t LIMIT = 20000; //!< threshold in bytes
    static constexpr uint64_t FRAMES = 400;  //!< of each sender

    void Transmitted(Ptr<const Packet> /* frame */)
    {
        // Nothing but the two counters of the port.
        FabricPort& port = m_out->GetPort();
        const auto credit = dynamic_cast<CreditFlowControl*>(port.GetFlowControl());
        const bool has = credit->GetCredit(0) * credit->GetBlockBytes() >= m_frameBytes;
        const bool congested = port.GetQueuedBytes(0) > LIMIT;
        m_congested.push_back(congested);
        m_root.push_back(has);
    }

    void Marked(uint16_t port, uint8_t lane, uint64_t queued)
    {
        NS_TEST_EXPECT_MSG_EQ(port, 2, "the port of the receiver");
        NS_TEST_EXPECT_MSG_EQ(static_cast<int>(lane), 0, "its lane");
        NS_TEST_EXPECT_MSG_GT(queued, LIMIT, "more than the threshold");
        ++m_traced;
    }

    void DoRun() override
    {
        IbHelper helper;
        helper.SetDeviceAttribute("DataRate", StringValue("400Gbps"));
        helper.SetHostAttribute("DrainRate", StringValue(m_setup.drain));
        IbCongestionParameters parameters;
        parameters.thresholdBytes = LIMIT;
        parameters.packetSize = m_setup.packetSize;
        parameters.markingRate = m_setup.markingRate;
        parameters.victimHosts = m_setup.victimHosts;
        helper.SetCongestionControl(parameters);
        NodeContainer hosts(3);
        NodeContainer switches(1);
        const auto ib = DynamicCast<IbSwitch>(helper.InstallSwitch(switches.Get(0)));
        const NetDeviceContainer devices = helper.Install(hosts, switches.Get(0));
        helper.Configure(switches);
        NS_TEST_EXPECT_MSG_EQ(helper.AssignStreams(switches, 7), 1, "one stream");
        m_out = ib->GetPort(2);
        const auto receiver = DynamicCast<FabricNetDevice>(devices.Get(2));
        FecnRecorder recorder(receiver);
        std::vector<linkrig::Blaster> senders;
        senders.reserve(2);
        for (uint32_t i = 0; i < 2; ++i)
        {
            senders.emplace_back(DynamicCast<FabricNetDevice>(devices.Get(i)),
                                 receiver->GetFabricAddress(),
                                 m_setup.payload,
                                 FRAMES);
        }
        m_frameBytes = senders[0].GetFrameBytes();
        m_out->TraceConnectWithoutContext("PhyTxBegin",
                                          MakeCallback(&MarkingCase::Transmitted, this));
        ib->GetCongestionMarker()->TraceConnectWithoutContext(
            "Mark",
            MakeCallback(&MarkingCase::Marked, this));
        senders[0].Start();
        senders[1].Start();
        Simulator::Run();

        NS_TEST_ASSERT_MSG_EQ(recorder.fecn.size(), 2 * FRAMES, "all of them");
        const bool large = m_frameBytes >= m_setup.packetSize * 64U;
        uint64_t eligible = 0;
        uint64_t marked = 0;
        bool lastMarked = false;
        for (std::size_t i = 0; i < recorder.fecn.size(); ++i)
        {
            const bool may = m_congested[i] && large && (m_root[i] || m_setup.victimHosts);
            eligible += may;
            marked += recorder.fecn[i];
            lastMarked = m_congested[i] ? recorder.fecn[i] : lastMarked;
            if (m_setup.markingRate == 0 || !may)
            {
                NS_TEST_EXPECT_MSG_EQ(recorder.fecn[i], may, "frame " << i);
            }
        }
        NS_TEST_EXPECT_MSG_EQ((marked > 0), m_setup.expectMarks, "marks");
        NS_TEST_EXPECT_MSG_EQ(marked, m_traced, "each is traced");
        NS_TEST_EXPECT_MSG_EQ(marked, ib->GetCongestionMarker()->GetMarks(), "and counted");
        if (m_setup.markingRate)
        {
            // Gaps between marks are even in 0..2 r, so their variance is ((2 r + 1)^2 - 1) / 12;
            // the number of marks is that of renewals of r + 1 packets.
            const double mean = m_setup.markingRate + 1.0;
            const double width = 2 * m_setup.markingRate + 1.0;
            const double sigma = std::sqrt(static_cast<double>(eligible) * (width * width - 1) /
                                           12 / (mean * mean * mean));
            NS_TEST_EXPECT_MSG_EQ_TOL(marked, eligible / mean, 4 * sigma, "one in so many");
            NS_TEST_EXPECT_MSG_GT(eligible, 500, "enough of them");
        }
        else
        {
            NS_TEST_EXPECT_MSG_EQ(lastMarked, m_setup.expectLastMarked, "steady state");
        }
        Simulator::Destroy();
    }

    Setup m_setup;                 //!< what is different
    Ptr<FabricNetDevice> m_out;    //!< the port of the receiver
    uint32_t m_frameBytes{0};      //!< of each frame
    uint64_t m_traced{0};          //!< marks traced
    std::vector<bool> m_congested; //!< by frame: the queue behind it was above the threshold
    std::vector<bool> m_root;      //!< by frame: there were credits for another one
};

/**
 * @ingroup ai-fabric-tests
 * The scale of thresholds, and that off means off.
 */
class ThresholdCase : public TestCase
{
  public:
    ThresholdCase()
        : TestCase("thresholds are parts of the receive buffer; off installs nothing")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint8_t threshold : {0, 1, 8, 15})
        {
            IbHelper helper;
            helper.SetFlowControlAttribute("LaneBufferBytes", StringValue("32768,16384"));
            IbCongestionParameters parameters;
            parameters.threshold = threshold;
            helper.SetCongestionControl(parameters);
            NodeContainer hosts(1);
            NodeContainer switches(1);
            const auto ib = DynamicCast<IbSwitch>(helper.InstallSwitch(switches.Get(0)));
            const NetDeviceContainer devices = helper.Install(hosts, switches.Get(0));
            helper.Configure(switches);
            const Ptr<IbCongestionMarker> marker = ib->GetCongestionMarker();
            const auto agent = devices.Get(0)->GetObject<IbCongestionAgent>();
            NS_TEST_EXPECT_MSG_EQ((marker != nullptr), (threshold != 0), "no marker");
            NS_TEST_EXPECT_MSG_EQ((agent != nullptr), (threshold != 0), "no agent");
            if (marker)
            {
                NS_TEST_EXPECT_MSG_EQ(marker->GetLaneThreshold(0, 0),
                                      2048U * (16 - threshold),
                                      "sixteenths");
                NS_TEST_EXPECT_MSG_EQ(marker->GetLaneThreshold(0, 1),
                                      1024U * (16 - threshold),
                                      "each lane has its own buffer");
            }
        }
        Simulator::Destroy();
    }
};

/**
 * @ingroup ai-fabric-tests
 * A queue pair at a fixed index leaves the delay of its entry, to the tick.
 */
class DelayCase : public TestCase
{
  public:
    DelayCase()
        : TestCase("packets leave with the delay of their entry, to the tick")
    {
    }

  private:
    static void Record(std::vector<int64_t>* starts, Ptr<const Packet> /* frame */)
    {
        starts->push_back(Simulator::Now().GetNanoSeconds());
    }

    void DoRun() override
    {
        rdmarig::Pair pair("ib");
        const auto agent = CreateObject<IbCongestionAgent>();
        agent->SetTable({{0, 0}, {2, 5}});
        agent->SetAttribute("CctiMin", UintegerValue(1));
        pair.devices[0]->AggregateObject(agent);
        const Ptr<RcQueuePair> a = pair.Connect(rdmarig::Pair::Defaults());
        std::vector<int64_t> starts;
        pair.devices[0]->TraceConnectWithoutContext("PhyTxBegin",
                                                    MakeBoundCallback(&Record, &starts));
        const uint32_t packets = 500;
        a->Post(packets * rdmarig::MTU, 0);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(starts.size(), packets, "one frame per packet");
        int64_t bytes = 0;
        for (uint32_t i = 0; i < packets; ++i)
        {
            // 400 Gb/s, and 5/4 of the time of each packet behind it.
            NS_TEST_EXPECT_MSG_EQ(starts[i], bytes * 8 * 9 / (4 * 400), "packet " << i);
            bytes += rdmarig::MTU + rdmarig::GetOverhead("ib") + (i == 0 ? 16 : 0);
        }
        Simulator::Destroy();
    }
};

/**
 * @ingroup ai-fabric-tests
 * Two hot spots and their victims.
 */
class HotSpotCase : public TestCase
{
  public:
    using Role = HotSpotScenario::Role;

    /**
     * @param set of parameters
     * @param rate of all links
     * @param contributors on each leaf to each hot spot
     */
    HotSpotCase(const std::string& set, const std::string& rate, uint32_t contributors)
        : TestCase(set + " at " + rate + ", " + std::to_string(4 * contributors) +
                   " contributors to each hot spot"),
          m_set(set),
          m_rate(rate),
          m_contributors(contributors)
    {
    }

  private:
    void DoRun() override
    {
        RngSeedManager::SetSeed(1);
        HotSpotScenario::Result result;
        {
            IbHelper helper;
            helper.SetDeviceAttribute("DataRate", StringValue(m_rate));
            helper.SetCongestionControl(m_set);
            HotSpotScenario scenario(helper, 4, m_contributors, 4096);
            const FabricTopology& topology = scenario.GetTopology();
            helper.AssignStreams(NodeContainer(topology.hosts, topology.switches), 0);
            const bool on = m_set != "opensm";
            // Slow ones have further to go: one step for each timer is lost on the way.
            result = scenario.Run(MicroSeconds(on ? 1500 + 600 * m_contributors : 200),
                                  MicroSeconds(on ? 2000 : 300),
                                  MicroSeconds(50));
        }
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(result.drops, 0, "InfiniBand does not drop");
        const double victims = result.GetMeanShare(Role::VICTIM);
        const double worst = result.GetSmallestShare(Role::VICTIM);
        if (m_set == "opensm")
        {
            CheckCollapse(result);
            return;
        }
        NS_TEST_EXPECT_MSG_GT(result.marks, 0, "marked");
        NS_TEST_EXPECT_MSG_GT(result.notifications, 0, "notified");
        NS_TEST_EXPECT_MSG_GT(victims, 0.9, "victims have their share");
        NS_TEST_EXPECT_MSG_GT(worst, 0.85, "and so has, nearly, each of them");
        for (const double utilization : result.utilization)
        {
            NS_TEST_EXPECT_MSG_GT(utilization, 0.9, "the hot spot's link stays full");
        }
    }

    void CheckCollapse(const HotSpotScenario::Result& result)
    {
        // The last switch serves its input ports in turn: the contributors on its own leaf have one
        // each, all others share the spine's. Victims get what the contributor does that shares
        // their way up.
        const double ports = m_contributors + 1;
        for (const HotSpotScenario::Flow& flow : result.flows)
        {
            const double hot = 4 * m_contributors * result.flows[0].fairShare;
            const bool local = flow.from / (6 + 2 * m_contributors) == flow.spot;
            const double expected = local ? hot / ports : hot / ports / (3 * m_contributors);
            NS_TEST_EXPECT_MSG_EQ_TOL(flow.rate / expected, 1, 0.02, "flow from " << flow.from);
        }
        NS_TEST_EXPECT_MSG_LT(result.GetMeanShare(Role::VICTIM), 0.25, "less than a quarter");
        for (const double utilization : result.utilization)
        {
            NS_TEST_EXPECT_MSG_GT(utilization, 0.999, "the hot spot's link is full");
        }
        NS_TEST_EXPECT_MSG_EQ(result.marks, 0, "off");
    }

    std::string m_set;       //!< of parameters
    std::string m_rate;      //!< of all links
    uint32_t m_contributors; //!< on each leaf to each hot spot
};

/**
 * @ingroup ai-fabric-tests
 * InfiniBand's congestion control, from the mark to the rate.
 */
class IbCongestionTestSuite : public TestSuite
{
  public:
    IbCongestionTestSuite()
        : TestSuite("ai-fabric-ib-congestion", TestSuite::Type::UNIT)
    {
        for (const MarkingCase::Setup& setup : std::vector<MarkingCase::Setup>{
                 {"a root marks", "0bps", 4096, 8, 0, false, true, true},
                 {"a victim does not mark", "100Gbps", 4096, 8, 0, false, true, false},
                 {"a victim of the mask marks", "100Gbps", 4096, 8, 0, true, true, true},
                 {"a packet of 538 bytes is 512 or more", "0bps", 512, 8, 0, false, true, true},
                 {"and less than 576", "0bps", 512, 9, 0, false, false, false},
                 {"one in ten", "0bps", 4096, 8, 9, false, true, false},
             })
        {
            AddTestCase(new MarkingCase(setup));
        }
        AddTestCase(new ThresholdCase);
        AddTestCase(new DelayCase);
        for (const uint32_t contributors : {1, 3})
        {
            AddTestCase(new HotSpotCase("opensm", "400Gbps", contributors));
            AddTestCase(new HotSpotCase("hot-spot-400g", "400Gbps", contributors));
        }
        AddTestCase(new HotSpotCase("hot-spot-400g", "100Gbps", 1));
    }
};

IbCongestionTestSuite g_ibCongestionTestSuite; //!< the suite

} // namespace
