/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Congestion controls in a fabric: incast as in the papers of HPCC, TIMELY and Swift, what
// telemetry costs, and feedback that nobody asked for.

#include "support/rdma-rig.h"

#include "ns3/data-rate.h"
#include "ns3/hpcc-rate-control.h"
#include "ns3/incast-scenario.h"
#include "ns3/rate-control-presets.h"
#include "ns3/timely-rate-control.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::rdmarig;

namespace
{

/** Attributes of a control, as text. */
using Settings = std::vector<std::pair<std::string, std::string>>;

/** @returns the factory of a control with other attributes */
ObjectFactory
MakeControl(const std::string& name, const Settings& settings = {})
{
    ObjectFactory factory = *RateControlPresets::Get(name);
    for (const auto& setting : settings)
    {
        factory.Set(setting.first, StringValue(setting.second));
    }
    return factory;
}

/** @returns what an incast at 100 Gb/s makes */
IncastScenario::Result
RunIncast(IncastScenario::Parameters parameters)
{
    IncastScenario::Result result;
    {
        IncastScenario scenario(parameters);
        result = scenario.Run();
    }
    Simulator::Destroy();
    return result;
}

/**
 * @ingroup ai-fabric-tests
 * Telemetry makes each data packet and each acknowledgment 42 bytes longer, and nothing else.
 */
class TelemetryOverheadTestCase : public FabricTestCase
{
  public:
    TelemetryOverheadTestCase()
        : FabricTestCase("roce", "in-band telemetry costs 42 bytes a packet, exactly")
    {
    }

  private:
    static constexpr uint64_t PACKETS = 1000;

    /** What one run has cost. */
    struct Cost
    {
        uint64_t data{0};    //!< bytes of data frames
        uint64_t answers{0}; //!< bytes of acknowledgments
        uint64_t acks{0};    //!< acknowledgments
        Time end;            //!< when the message was there
    };

    Cost Run(bool telemetry)
    {
        Pair pair(m_fabric);
        if (telemetry)
        {
            pair.nics[0]->SetRateControl(MakeControl("hpcc"));
        }
        const Ptr<RcQueuePair> a = pair.Connect(Pair::Defaults());
        a->Post(PACKETS * MTU, 0);
        Simulator::Run();
        Cost cost;
        cost.data = pair.devices[0]->GetPort().GetCounters().frameBytes;
        cost.answers = pair.devices[1]->GetPort().GetCounters().frameBytes;
        cost.acks = pair.nics[1]->GetCounters().acksSent;
        NS_TEST_EXPECT_MSG_EQ(Pair::Count(pair.delivered), 1, "the message");
        if (Pair::Count(pair.delivered))
        {
            cost.end = pair.delivered.begin()->second.at(0).at;
        }
        Finish();
        return cost;
    }

    void DoRun() override
    {
        const Cost without = Run(false);
        const Cost with = Run(true);
        NS_TEST_EXPECT_MSG_EQ(with.data - without.data, 42 * PACKETS, "data");
        NS_TEST_EXPECT_MSG_EQ(with.acks, without.acks, "as many");
        NS_TEST_EXPECT_MSG_EQ(with.answers - without.answers, 42 * with.acks, "acknowledgments");
        // Goodput R x M / (M + 82 + 42): 400 Gb/s, 16 bytes of RETH once, 100 ns of cable.
        const uint64_t bytes = PACKETS * (MTU + 82 + 42) + 16 - 20; // without the last gap
        const auto nanoseconds = static_cast<int64_t>(bytes * 8 / 400 + 100);
        NS_TEST_EXPECT_MSG_EQ_TOL(with.end.GetNanoSeconds(), nanoseconds, 1, "closed form");
        NS_TEST_EXPECT_MSG_EQ(FabricTelemetryHolder::GetOutstanding(), 0, "all records are back");
    }
};

/**
 * @ingroup ai-fabric-tests
 * What can't be carried is refused.
 */
class TelemetryRefusedTestCase : public FabricTestCase
{
  public:
    explicit TelemetryRefusedTestCase(const std::string& fabric)
        : FabricTestCase(fabric, "telemetry where it has no room")
    {
    }

  private:
    void DoRun() override
    {
        Pair pair(m_fabric);
        pair.nics[0]->SetRateControl(MakeControl("hpcc"));
        if (m_fabric == "roce")
        {
            // 4096 and headers of 60 fit, 42 more do not.
            pair.devices[0]->SetMtu(4160);
            pair.devices[1]->SetMtu(4160);
        }
        std::string what;
        try
        {
            pair.Connect(Pair::Defaults());
        }
        catch (const std::invalid_argument& e)
        {
            what = e.what();
        }
        const std::string word = m_fabric == "roce" ? "expected at least 4198" : "InfiniBand";
        NS_TEST_EXPECT_MSG_NE(what.find(word), std::string::npos, "it said: " << what);
        Simulator::Destroy();
    }
};

/**
 * @ingroup ai-fabric-tests
 * HPCC, SIGCOMM 2019: links are used to eta, queues are near zero, short flows are fast, nothing is
 * paused; DCQCN keeps a queue.
 */
class HpccIncastTestCase : public TestCase
{
  public:
    HpccIncastTestCase()
        : TestCase("HPCC incast: no queue, 95 % used, short flows far faster than with DCQCN")
    {
    }

  private:
    void DoRun() override
    {
        IncastScenario::Parameters parameters;
        parameters.control = MakeControl("hpcc", {{"BaseRtt", "7us"}});
        parameters.warmUp = MicroSeconds(2000);
        parameters.window = MicroSeconds(2000);
        parameters.shortBytes = 0;
        const auto steady = RunIncast(parameters);
        const double packet = 4096 + 82 + 42;
        const double expected = 0.95 * 100e9 * 4096 / packet;
        NS_TEST_EXPECT_MSG_EQ_TOL(steady.GetTotal() / expected, 1, 0.04, "eta, less telemetry");
        NS_TEST_EXPECT_MSG_LT(steady.queue.GetMean(), 4 * packet, "a few packets of 8 flows");
        NS_TEST_EXPECT_MSG_LT(steady.queue.GetQuantile(0.99), 12 * packet, "nearly always");
        NS_TEST_EXPECT_MSG_GT(steady.GetJain(), 0.98, "fair");
        NS_TEST_EXPECT_MSG_EQ(steady.pauses, 0, "lossless without pauses");

        // From the start of a 32:1 incast on, when queues are made (validation target C13).
        parameters.senders = 32;
        parameters.warmUp = Time(0);
        parameters.window = MicroSeconds(2000);
        parameters.shortBytes = 16384;
        const auto hpcc = RunIncast(parameters);
        parameters.control = MakeControl("dcqcn");
        const auto dcqcn = RunIncast(parameters);
        NS_TEST_EXPECT_MSG_EQ(hpcc.pauses, 0, "HPCC makes no pauses");
        NS_TEST_EXPECT_MSG_LT(hpcc.shortTimes.GetQuantile(0.95),
                              0.3 * dcqcn.shortTimes.GetQuantile(0.95),
                              "short flows, 95th percentile: HPCC "
                                  << hpcc.shortTimes.GetQuantile(0.95) << " s, DCQCN "
                                  << dcqcn.shortTimes.GetQuantile(0.95) << " s");
        NS_TEST_EXPECT_MSG_LT(hpcc.queue.GetMean(), dcqcn.queue.GetMean(), "queues");
    }
};

/**
 * @ingroup ai-fabric-tests
 * DCTCP keeps the queue at its threshold K; rare acknowledgments do not stall its window.
 */
class DctcpIncastTestCase : public TestCase
{
  public:
    explicit DctcpIncastTestCase(uint32_t ackInterval)
        : TestCase("DCTCP incast: queue at K, every " + std::to_string(ackInterval) +
                   " packets acknowledged"),
          m_ackInterval(ackInterval)
    {
    }

  private:
    void DoRun() override
    {
        IncastScenario::Parameters parameters;
        parameters.control = MakeControl("dctcp", {{"BaseRtt", "7us"}});
        parameters.ecnKmin = parameters.ecnKmax = 100000;
        parameters.ackInterval = m_ackInterval;
        parameters.warmUp = MicroSeconds(2000);
        parameters.window = MicroSeconds(2000);
        parameters.shortBytes = 0;
        const auto result = RunIncast(parameters);
        NS_TEST_EXPECT_MSG_EQ_TOL(result.queue.GetMean() / 100000, 1, 0.3, "near K");
        NS_TEST_EXPECT_MSG_GT(result.GetTotal(), 0.99 * 100e9 * 4096 / 4178, "full");
        NS_TEST_EXPECT_MSG_GT(result.GetJain(), 0.95, "fair");
        NS_TEST_EXPECT_MSG_EQ(result.pauses + result.retransmits, 0, "smooth");
    }

    uint32_t m_ackInterval; //!< packets
};

/**
 * @ingroup ai-fabric-tests
 * Swift holds the round-trip time at its target (validation target C15).
 */
class SwiftIncastTestCase : public TestCase
{
  public:
    SwiftIncastTestCase()
        : TestCase("Swift incast: round-trip times at the target, full link, fair")
    {
    }

  private:
    void Note(double /* window */, double rtt, double target)
    {
        if (Simulator::Now() > MicroSeconds(2000))
        {
            m_ratios.push_back(rtt / target);
        }
    }

    void DoRun() override
    {
        IncastScenario::Parameters parameters;
        parameters.control = MakeControl("swift");
        parameters.warmUp = MicroSeconds(2000);
        parameters.window = MicroSeconds(2000);
        parameters.shortBytes = 0;
        IncastScenario::Result result;
        {
            IncastScenario scenario(parameters);
            for (uint32_t i = 0; i < parameters.senders; ++i)
            {
                scenario.GetTransport()
                    ->GetQueuePair(i, parameters.senders)
                    ->GetRateControl()
                    ->TraceConnectWithoutContext("Window",
                                                 MakeCallback(&SwiftIncastTestCase::Note, this));
            }
            result = scenario.Run();
        }
        Simulator::Destroy();
        NS_TEST_ASSERT_MSG_GT(m_ratios.size(), 1000, "acknowledgments");
        double sum = 0;
        for (const double ratio : m_ratios)
        {
            sum += ratio;
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(sum / static_cast<double>(m_ratios.size()), 1, 0.2, "the target");
        NS_TEST_EXPECT_MSG_GT(result.GetTotal(), 0.99 * 100e9 * 4096 / 4178, "full");
        NS_TEST_EXPECT_MSG_GT(result.GetJain(), 0.98, "fair");
        NS_TEST_EXPECT_MSG_EQ(result.pauses, 0, "no pauses");
    }

    std::vector<double> m_ratios; //!< round-trip times by their targets
};

/**
 * @ingroup ai-fabric-tests
 * TIMELY at 10 Gb/s, as in the paper: rates rise until round-trip times pass Tlow, where their
 * gradient begins to count; so they come back to Tlow again and again, and do not reach Thigh.
 */
class TimelyIncastTestCase : public TestCase
{
  public:
    TimelyIncastTestCase()
        : TestCase("TIMELY incast: round-trip times come up to Tlow and stay below Thigh")
    {
    }

  private:
    void Note(double /* rate */, double rtt, double /* gradient */)
    {
        if (Simulator::Now() > MilliSeconds(20))
        {
            ++m_all;
            m_above += rtt > 500e-6;
            m_over += rtt > 50e-6;
        }
    }

    void DoRun() override
    {
        IncastScenario::Parameters parameters;
        // Flows begin at a share of the line, as the paper has it.
        parameters.control =
            MakeControl("timely", {{"InitialRate", "1Gbps"}, {"MinimumRate", "100Mbps"}});
        parameters.rate = DataRate("10Gbps");
        parameters.ackInterval = 4; // segments of 16 KB
        parameters.warmUp = MilliSeconds(20);
        parameters.window = MilliSeconds(20);
        parameters.period = MicroSeconds(20);
        parameters.shortBytes = 0;
        IncastScenario::Result result;
        {
            IncastScenario scenario(parameters);
            for (uint32_t i = 0; i < parameters.senders; ++i)
            {
                scenario.GetTransport()
                    ->GetQueuePair(i, parameters.senders)
                    ->GetRateControl()
                    ->TraceConnectWithoutContext("Rate",
                                                 MakeCallback(&TimelyIncastTestCase::Note, this));
            }
            result = scenario.Run();
        }
        Simulator::Destroy();
        NS_TEST_ASSERT_MSG_GT(m_all, 100, "completion events");
        NS_TEST_EXPECT_MSG_GT(m_over, 10, "Tlow is passed");
        NS_TEST_EXPECT_MSG_LT(m_over / m_all, 0.2, "which brings them back");
        NS_TEST_EXPECT_MSG_EQ(m_above, 0, "Thigh");
        NS_TEST_EXPECT_MSG_GT(result.GetTotal(), 0.9 * 10e9 * 4096 / 4178, "used");
        NS_TEST_EXPECT_MSG_EQ(result.pauses, 0, "no pauses");
    }

    double m_all{0};   //!< completion events
    double m_above{0}; //!< of them, above Thigh
    double m_over{0};  //!< of them, above Tlow
};

/**
 * @ingroup ai-fabric-tests
 * Two flows that begin at 9:1 (Zhu et al., CoNEXT 2016; validation target C16): DCQCN has one fixed
 * point, which is fair; TIMELY has any number, and need not leave the one where it is.
 */
class FixedPointTestCase : public TestCase
{
  public:
    FixedPointTestCase()
        : TestCase("two flows that begin at 9:1: DCQCN becomes fair, TIMELY need not")
    {
    }

  private:
    static double Run(const std::string& control, const std::string& attribute, Settings settings)
    {
        IncastScenario::Parameters parameters;
        parameters.control = MakeControl(control, settings);
        parameters.senders = 2;
        parameters.rate = DataRate("10Gbps");
        parameters.ackInterval = 4;
        parameters.warmUp = MilliSeconds(60);
        parameters.window = MilliSeconds(20);
        parameters.period = MicroSeconds(100);
        parameters.shortBytes = 0;
        double jain = 0;
        {
            IncastScenario scenario(parameters);
            settings.emplace_back(attribute, "9Gbps");
            scenario.GetTransport()->GetNic(0)->SetRateControl(MakeControl(control, settings));
            settings.back().second = "1Gbps";
            scenario.GetTransport()->GetNic(1)->SetRateControl(MakeControl(control, settings));
            jain = scenario.Run().GetJain();
        }
        Simulator::Destroy();
        return jain;
    }

    void DoRun() override
    {
        const double dcqcn = Run("dcqcn", "FirstCnpRate", {});
        const double timely = Run("timely", "InitialRate", {{"MinimumRate", "100Mbps"}});
        NS_TEST_EXPECT_MSG_GT(dcqcn, 0.98, "DCQCN: Jain's index");
        NS_TEST_EXPECT_MSG_LT(timely, dcqcn, "TIMELY: Jain's index");
        NS_TEST_EXPECT_MSG_LT(timely, 0.95, "TIMELY: Jain's index");
    }
};

/**
 * @ingroup ai-fabric-tests
 * Suite of congestion controls in a fabric.
 */
class CongestionTestSuite : public TestSuite
{
  public:
    CongestionTestSuite()
        : TestSuite("ai-fabric-congestion", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new TelemetryOverheadTestCase);
        AddTestCase(new TelemetryRefusedTestCase("roce"));
        AddTestCase(new TelemetryRefusedTestCase("ib"));
        AddTestCase(new HpccIncastTestCase);
        AddTestCase(new DctcpIncastTestCase(1));
        AddTestCase(new DctcpIncastTestCase(64));
        AddTestCase(new SwiftIncastTestCase);
        AddTestCase(new TimelyIncastTestCase);
        AddTestCase(new FixedPointTestCase);
    }
};

CongestionTestSuite g_congestionTestSuite; //!< the suite

} // namespace
