/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// PFC and DCQCN together: shares of a switch that is fair to its inputs, convergence at one
// bottleneck, the law of ECN marking, and all four combinations of the two.

#include "ns3/boolean.h"
#include "ns3/roce-switch.h"
#include "ns3/roce-testbed.h"
#include "ns3/run-report.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <string>

using namespace ns3;

namespace
{

/**
 * @ingroup ai-fabric-tests
 * Three remote flows and a local one to one host, PFC only: each input of the last switch has the
 * same share.
 */
class ParkingLotTestCase : public TestCase
{
  public:
    explicit ParkingLotTestCase(uint32_t inputs)
        : TestCase("three flows over " + std::to_string(inputs) + " uplinks and a local one"),
          m_inputs(inputs)
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t seed = 1; seed <= 200; ++seed)
        {
            bool done = false;
            {
                RoceTestbedOptions options;
                options.ecmpSeed = seed;
                RoceTestbed testbed(options);
                const uint32_t r = 3 * RoceTestbed::HOSTS_PER_TOR;
                for (uint32_t i = 0; i < 3; ++i)
                {
                    testbed.AddFlow("H" + std::to_string(i + 1), i, r);
                }
                testbed.AddFlow("H4", r + 1, r);
                testbed.Probe();
                done = testbed.CountInputs(r, {0, 1, 2}) == m_inputs &&
                       !testbed.IsCoupled(r, {0, 1, 2});
                if (done)
                {
                    Check(testbed, static_cast<double>(options.mtu) / testbed.GetWireBytes());
                }
            }
            Simulator::Destroy();
            if (done)
            {
                return;
            }
        }
        NS_TEST_EXPECT_MSG_EQ(true, false, "no seed sends the flows that way");
    }

    void Check(RoceTestbed& testbed, double payload)
    {
        const RoceTestbedResult result = testbed.Run(MilliSeconds(3), MilliSeconds(4));
        const double local = 40e9 / (1 + m_inputs);
        const double rate = result.flows[3].rate / payload;
        const double others = (result.GetTotalRate() - result.flows[3].rate) / payload / 3;
        NS_TEST_EXPECT_MSG_EQ_TOL(rate, local, 0.02 * local, "the local flow");
        NS_TEST_EXPECT_MSG_EQ_TOL(others, (40e9 - local) / 3, 0.02 * local, "mean of the others");
        NS_TEST_EXPECT_MSG_GT(result.pauses, 100, "PFC does that");
        NS_TEST_EXPECT_MSG_EQ(result.drops, 0, "no loss");
    }

    uint32_t m_inputs; //!< on which the three come in
};

/**
 * @ingroup ai-fabric-tests
 * DCQCN with the paper's parameters at one bottleneck: shares are fair, the queue is around the
 * marking region, and PFC has nothing to do.
 */
class ConvergenceTestCase : public TestCase
{
  public:
    explicit ConvergenceTestCase(uint32_t flows)
        : TestCase("DCQCN: " + std::to_string(flows) + " flows converge"),
          m_flows(flows)
    {
    }

  private:
    void DoRun() override
    {
        {
            RoceTestbedOptions options;
            options.congestionControl = "paper";
            RoceTestbed testbed(options, m_flows + 1);
            for (uint32_t i = 0; i < m_flows; ++i)
            {
                testbed.AddFlow("flow " + std::to_string(i), i, m_flows);
            }
            testbed.Watch(m_flows, MicroSeconds(5), false);
            const RoceTestbedResult result = testbed.Run(MilliSeconds(30), MilliSeconds(60));
            const double full = 40e9 * options.mtu / testbed.GetWireBytes();
            NS_TEST_EXPECT_MSG_GT(result.GetJainIndex(), 0.98, "fair");
            NS_TEST_EXPECT_MSG_GT(result.GetTotalRate(), 0.95 * full, "and the link is full");
            NS_TEST_EXPECT_MSG_GT(result.GetMeanQueue(), options.kmin, "queue");
            NS_TEST_EXPECT_MSG_LT(result.GetMeanQueue(), 1.5 * options.kmax, "queue");
            NS_TEST_EXPECT_MSG_EQ(result.pauses, 0, "no pause");
            NS_TEST_EXPECT_MSG_EQ(result.drops, 0, "no loss");
            NS_TEST_EXPECT_MSG_GT(result.cnps, 0, "by CNPs");
        }
        Simulator::Destroy();
    }

    uint32_t m_flows; //!< number of flows
};

/**
 * @ingroup ai-fabric-tests
 * The share of marked frames at a queue that windows hold where it is.
 */
class EcnLawTestCase : public TestCase
{
  public:
    EcnLawTestCase()
        : TestCase("ECN: marks follow the curve to 3 sigma")
    {
    }

  private:
    void DoRun() override
    {
        Run(50000, 400000, 0.2);
        Run(50000, 400000, 1);
        Run(1000000, 2000000, 1); // below
        Run(5000, 20000, 0.01);   // above
    }

    void Run(uint64_t kmin, uint64_t kmax, double pmax)
    {
        {
            RoceTestbedOptions options;
            options.kmin = kmin;
            options.kmax = kmax;
            options.pmax = pmax;
            RoceTestbed testbed(options, 3);
            testbed.GetTransport()->SetQueuePairAttribute("WindowBytes",
                                                          UintegerValue(100 * options.mtu));
            const Ptr<FabricSwitch> device = FabricHelper::GetSwitch(testbed.GetSwitches().Get(0));
            testbed.AddFlow("a", 0, 2);
            testbed.AddFlow("b", 1, 2);
            // Marking begins when the queue is there.
            Simulator::Schedule(MicroSeconds(200), &EcnLawTestCase::Begin, this, device);
            testbed.Watch(2, NanoSeconds(1013), false);
            const RoceTestbedResult result = testbed.Run(MicroSeconds(200), MilliSeconds(8));
            const double frames = device->GetPort(2)->GetClassCounters(3).txFrames - m_frames;
            const double queue = result.GetMeanQueue();
            const double p = queue <= kmin   ? 0
                             : queue >= kmax ? 1
                                             : pmax * (queue - kmin) / (kmax - kmin);
            const double sigma = std::sqrt(frames * p * (1 - p));
            NS_TEST_EXPECT_MSG_GT(frames, 20000, "enough of them");
            NS_TEST_EXPECT_MSG_EQ_TOL(result.marks, frames * p, 3 * sigma + 1, "queue " << queue);
        }
        Simulator::Destroy();
    }

    void Begin(Ptr<FabricSwitch> device)
    {
        device->SetAttribute("Ecn", BooleanValue(true));
        m_frames = device->GetPort(2)->GetClassCounters(3).txFrames;
    }

    uint64_t m_frames{0}; //!< sent before marking began
};

/**
 * @ingroup ai-fabric-tests
 * PFC on or off, DCQCN on or off: all four run, and all bytes come in.
 */
class CombinationsTestCase : public TestCase
{
  public:
    CombinationsTestCase()
        : TestCase("PFC and DCQCN, each on or off")
    {
    }

  private:
    /** What one run counted. */
    struct Counts
    {
        uint64_t drops{0};         //!< frames
        uint64_t pauses{0};        //!< frames
        uint64_t retransmitted{0}; //!< packets
        uint64_t cnps{0};          //!< received
    };

    Counts Run(bool pfc, bool control)
    {
        constexpr uint32_t SENDERS = 8;
        constexpr uint64_t BYTES = 1000000;
        Counts counts;
        {
            RoceTestbedOptions options;
            options.pfc = pfc;
            options.congestionControl = control ? "paper" : "none";
            options.sharedBytes = 600000;
            RoceTestbed testbed(options, SENDERS + 1);
            const Ptr<RdmaTransport> transport = testbed.GetTransport();
            transport->SetQueuePairAttribute("TimeoutExponent", UintegerValue(8));
            for (uint32_t i = 0; i < SENDERS; ++i)
            {
                transport->Send(i, SENDERS, BYTES, i);
            }
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(transport->GetPending(), 0, "all messages");
            FabricTotals totals;
            totals.Add(NodeContainer(testbed.GetHosts(), testbed.GetSwitches()));
            counts.drops = totals.drops;
            counts.pauses = totals.pauseFrames;
            for (uint32_t i = 0; i < SENDERS; ++i)
            {
                const FabricNicCounters& nic = transport->GetNic(i)->GetCounters();
                counts.retransmitted += nic.retransmitted;
                counts.cnps += nic.cnpsReceived;
                NS_TEST_EXPECT_MSG_EQ(
                    transport->GetQueuePair(SENDERS, i)->GetResponder().GetBytes(),
                    BYTES,
                    "all bytes");
                NS_TEST_EXPECT_MSG_EQ(nic.errors, 0, "no connection fails");
            }
            const auto device =
                DynamicCast<RoceSwitch>(FabricHelper::GetSwitch(testbed.GetSwitches().Get(0)));
            NS_TEST_EXPECT_MSG_EQ(device->GetBuffer().GetUsed(), 0, "books at the end");
        }
        Simulator::Destroy();
        return counts;
    }

    void DoRun() override
    {
        const Counts pfc = Run(true, false);
        NS_TEST_EXPECT_MSG_GT(pfc.pauses, 100, "PFC alone pauses");
        NS_TEST_EXPECT_MSG_EQ(pfc.drops, 0, "and loses nothing");
        NS_TEST_EXPECT_MSG_EQ(pfc.retransmitted, 0, "and repeats nothing");
        NS_TEST_EXPECT_MSG_EQ(pfc.cnps, 0, "without CNPs");
        const Counts both = Run(true, true);
        NS_TEST_EXPECT_MSG_LT(both.pauses, pfc.pauses, "DCQCN makes a difference");
        NS_TEST_EXPECT_MSG_EQ(both.drops, 0, "no loss");
        NS_TEST_EXPECT_MSG_GT(both.cnps, 0, "by CNPs");
        const Counts neither = Run(false, false);
        NS_TEST_EXPECT_MSG_EQ(neither.pauses, 0, "PFC is off");
        NS_TEST_EXPECT_MSG_GT(neither.drops, 0, "so there are losses");
        NS_TEST_EXPECT_MSG_GT(neither.retransmitted, 0, "which are repaired");
        const Counts control = Run(false, true);
        NS_TEST_EXPECT_MSG_EQ(control.pauses, 0, "PFC is off");
        NS_TEST_EXPECT_MSG_GT(control.cnps, 0, "DCQCN works without it");
        NS_TEST_EXPECT_MSG_LT(control.drops, neither.drops, "and loses less than nothing at all");
    }
};

/**
 * @ingroup ai-fabric-tests
 * PFC and DCQCN together.
 */
class DcqcnTestSuite : public TestSuite
{
  public:
    DcqcnTestSuite()
        : TestSuite("ai-fabric-dcqcn", TestSuite::Type::SYSTEM)
    {
        AddTestCase(new ParkingLotTestCase(1));
        AddTestCase(new ParkingLotTestCase(2));
        for (const uint32_t flows : {2, 8, 16})
        {
            AddTestCase(new ConvergenceTestCase(flows));
        }
        AddTestCase(new EcnLawTestCase);
        AddTestCase(new CombinationsTestCase);
    }
};

DcqcnTestSuite g_dcqcnTestSuite; //!< the suite

} // namespace
