/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Lost packets on whole connections: everything arrives, and costs what the closed forms say.

#include "support/rdma-rig.h"

#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/loss-recovery-scenario.h"
#include "ns3/pointer.h"

#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::rdmarig;

namespace
{

/** Takes every so-manieth packet: as a switch did that dropped by the last byte of the IP ID. */
class PeriodicErrorModel : public ErrorModel
{
  public:
    explicit PeriodicErrorModel(uint32_t period)
        : m_period(period)
    {
    }

  private:
    bool DoCorrupt(Ptr<Packet> /* packet */) override
    {
        return ++m_count % m_period == 0;
    }

    void DoReset() override
    {
        m_count = 0;
    }

    uint32_t m_period;   //!< packets
    uint32_t m_count{0}; //!< packets
};

/**
 * @ingroup ai-fabric-tests
 * With frame losses of about 1e-3 in both directions, all messages arrive in full and in order.
 */
class RandomLossTestCase : public FabricTestCase
{
  public:
    RandomLossTestCase(const std::string& fabric, RcRecovery recovery)
        : FabricTestCase(fabric,
                         std::string("bit errors on each link, all arrives: ") +
                             ToString(recovery)),
          m_recovery(recovery)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t MESSAGES = 60;
        Pair pair(m_fabric);
        ObjectFactory factory = Pair::Defaults();
        factory.Set("TimeoutExponent", UintegerValue(4));
        factory.Set("Recovery", EnumValue(m_recovery));
        factory.Set("InitialPsn", UintegerValue(RC_PSN_MODULUS - 1000));
        std::vector<Ptr<RcQueuePair>> ends;
        for (uint32_t i = 0; i < 4; ++i)
        {
            ends.push_back(pair.Connect(factory));
        }
        for (uint32_t i = 0; i < 2; ++i)
        {
            // 1 - (1 - rate)^(8 x 4178) = 1.0e-3 for a full packet.
            pair.devices[i]->SetAttribute("BitErrorRate", DoubleValue(3e-8));
            NS_TEST_EXPECT_MSG_EQ(pair.devices[i]->AssignStreams(20 + i), 1, "its own stream");
        }
        std::map<Ptr<RcQueuePair>, uint64_t> bytes;
        for (uint32_t i = 0; i < MESSAGES; ++i)
        {
            const uint32_t end = i % 4;
            for (const Ptr<RcQueuePair>& from : {ends[end], pair.nics[1]->GetQueuePair(end)})
            {
                const uint64_t length = 50 * MTU + i * 37;
                from->Post(length, i, static_cast<RcOperation>(i % 4));
                bytes[from] += length;
            }
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(Pair::Count(pair.delivered), 2 * MESSAGES, "all of them");
        NS_TEST_EXPECT_MSG_EQ(Pair::Count(pair.acked), 2 * MESSAGES, "all of them");
        NS_TEST_EXPECT_MSG_EQ(pair.errors.size(), 0, "no connection fails");
        for (uint32_t i = 0; i < 4; ++i)
        {
            const Ptr<RcQueuePair> peer = pair.nics[1]->GetQueuePair(i);
            NS_TEST_EXPECT_MSG_EQ(peer->GetResponder().GetBytes(), bytes[ends[i]], "exact bytes");
            NS_TEST_EXPECT_MSG_EQ(ends[i]->GetResponder().GetBytes(), bytes[peer], "exact bytes");
        }
        for (const auto& [end, events] : pair.delivered)
        {
            for (std::size_t i = 0; i < events.size(); ++i)
            {
                NS_TEST_EXPECT_MSG_EQ(events[i].id, i, "in order");
            }
        }
        for (uint32_t i = 0; i < 2; ++i)
        {
            NS_TEST_EXPECT_MSG_GT(pair.devices[i]->GetReceiveErrors(), 0, "there were losses");
            NS_TEST_EXPECT_MSG_EQ(pair.devices[i]->GetLosslessDrops(),
                                  0,
                                  "a broken frame is no lack of room");
            NS_TEST_EXPECT_MSG_GT(pair.nics[i]->GetCounters().retransmitted, 0, "sent again");
        }
        Finish();
    }

    RcRecovery m_recovery; //!< of all connections
};

/**
 * @ingroup ai-fabric-tests
 * Both ends must recover in the same way.
 */
class MixTestCase : public FabricTestCase
{
  public:
    explicit MixTestCase(const std::string& fabric)
        : FabricTestCase(fabric, "different ways of recovery are refused, and READs without GBN")
    {
    }

  private:
    void DoRun() override
    {
        Pair pair(m_fabric);
        ObjectFactory factory = Pair::Defaults();
        const auto a = factory.Create<RcQueuePair>();
        factory.Set("Recovery", EnumValue(RcRecovery::SELECTIVE_REPEAT));
        const auto b = factory.Create<RcQueuePair>();
        pair.nics[0]->AddQueuePair(a);
        pair.nics[1]->AddQueuePair(b);
        std::string what;
        try
        {
            FabricNic::Connect(a, b);
        }
        catch (const std::invalid_argument& error)
        {
            what = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ(what,
                              "RcQueuePair: Recovery is GoBackN at this end and SelectiveRepeat at "
                              "the other, expected the same",
                              "one line");
        const Ptr<RcQueuePair> selective = pair.Connect(factory);
        what.clear();
        try
        {
            selective->Post(10, 0, RcOperation::READ);
        }
        catch (const std::invalid_argument& error)
        {
            what = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ(what,
                              "RcRequester: READ with Recovery SelectiveRepeat, expected GoBackN",
                              "one line");
        Finish();
    }
};

/**
 * @ingroup ai-fabric-tests
 * Goodput under random loss against the closed forms.
 */
class ClosedFormTestCase : public TestCase
{
  public:
    ClosedFormTestCase(RcRecovery recovery, double loss, uint8_t timeoutExponent)
        : TestCase(std::string(ToString(recovery)) + ", loss rate " + std::to_string(loss) +
                   ", timeout 2^" + std::to_string(timeoutExponent) + ": closed form"),
          m_recovery(recovery),
          m_loss(loss),
          m_timeoutExponent(timeoutExponent)
    {
    }

  private:
    void DoRun() override
    {
        LossRecoveryScenario::Config config;
        config.recovery = m_recovery;
        config.lossRate = m_loss;
        config.rate = DataRate("40Gbps");
        config.delay = MicroSeconds(8);
        config.messageBytes = 64 * config.mtu;
        config.slots = 40000;
        config.timeoutExponent = m_timeoutExponent;
        const LossRecoveryScenario::Result result = LossRecoveryScenario::Run(config);
        // The loop: the next packet, two cables, the NAK, and what is on the wire by then.
        const double slot = 8.0 * 4198 / 40e9;
        NS_TEST_EXPECT_MSG_EQ_TOL(result.loopSlots, 2 + 16e-6 / slot, 1.0, "W");
        // 2 %, and three standard deviations of the timeouts: they are few, and each costs T.
        double tolerance = 0.02;
        if (m_recovery != RcRecovery::SELECTIVE_REPEAT)
        {
            const double timeouts = 40000 * m_loss * m_loss;
            tolerance += 3 * std::sqrt(timeouts) * result.timeoutSlots / 40000;
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(result.share,
                                  result.closedForm,
                                  tolerance * result.closedForm,
                                  "the closed form");

        // Also while a timeout is awaited: what is sent then is in vain.
        NS_TEST_EXPECT_MSG_GT(result.lineUse, 0.98, "busy line");
        const double losses = 40000 * m_loss;
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(result.lost),
                                  losses * result.lineUse,
                                  3.5 * std::sqrt(losses) + 0.5,
                                  "losses are as frequent as the bit error rate says");
    }

    RcRecovery m_recovery;     //!< of the connection
    double m_loss;             //!< of packets
    uint8_t m_timeoutExponent; //!< of the local ACK timeout
};

/**
 * @ingroup ai-fabric-tests
 * Livelock of go-back-0 (Guo et al., SIGCOMM 2016, section 4.1).
 */
class LivelockTestCase : public TestCase
{
  public:
    LivelockTestCase()
        : TestCase("4 MB messages, every 256th packet lost: go-back-0 never completes one")
    {
    }

  private:
    static LossRecoveryScenario::Result Run(RcRecovery recovery)
    {
        LossRecoveryScenario::Config config;
        config.recovery = recovery;
        config.errorModel = Create<PeriodicErrorModel>(256);
        config.rate = DataRate("40Gbps");
        config.delay = NanoSeconds(500);
        config.mtu = 1024;
        config.messageBytes = 4 << 20;
        config.slots = 30000;
        return LossRecoveryScenario::Run(config);
    }

    void DoRun() override
    {
        const LossRecoveryScenario::Result zero = Run(RcRecovery::GO_BACK_ZERO);
        NS_TEST_EXPECT_MSG_EQ(zero.goodputBps, 0, "not one message");
        NS_TEST_EXPECT_MSG_GT(zero.lineUse, 0.99, "although the line is busy");
        const LossRecoveryScenario::Result n = Run(RcRecovery::GO_BACK_N);
        NS_TEST_EXPECT_MSG_GT(n.share, 0.9, "go-back-N at a short loop");
        const LossRecoveryScenario::Result selective = Run(RcRecovery::SELECTIVE_REPEAT);
        NS_TEST_EXPECT_MSG_EQ_TOL(selective.share, 255.0 / 256, 1e-3, "all but what is lost");
    }
};

/**
 * @ingroup ai-fabric-tests
 * BDP-FC: packets in flight and throughput under a cap.
 */
class BdpCapTestCase : public TestCase
{
  public:
    explicit BdpCapTestCase(uint64_t capBytes)
        : TestCase("BdpCapBytes " + std::to_string(capBytes) + ": in flight and throughput"),
          m_capBytes(capBytes)
    {
    }

  private:
    void DoRun() override
    {
        LossRecoveryScenario::Config config;
        config.recovery = RcRecovery::SELECTIVE_REPEAT;
        config.rate = DataRate("100Gbps");
        config.delay = MicroSeconds(4);
        config.messageBytes = 256 * config.mtu;
        config.slots = 20000;
        config.ackInterval = 1;
        config.bdpCapBytes = m_capBytes;
        const LossRecoveryScenario::Result result = LossRecoveryScenario::Run(config);
        const uint64_t cap = (m_capBytes + config.mtu - 1) / config.mtu;
        // On the wire: 4096 + 78 headers and FCS + 20 preamble and gap; an ACK 66 + 20.
        const double slot = 8.0 * (4096 + 78 + 20) / 100e9;
        const double loop = slot + 8e-6 + 8.0 * 86 / 100e9;
        const double share = std::min(1.0, static_cast<double>(cap) * slot / loop);
        NS_TEST_EXPECT_MSG_EQ_TOL(result.share, share, 1e-3, "min(R, BDP / RTT)");
        if (share < 1)
        {
            NS_TEST_EXPECT_MSG_EQ(result.maxInFlight, cap, "ceil(BDP / M)");
        }
        NS_TEST_EXPECT_MSG_LT_OR_EQ(result.maxInFlight, cap, "never more");
        NS_TEST_EXPECT_MSG_EQ(result.retransmitted, 0, "nothing is lost");
    }

    uint64_t m_capBytes; //!< attribute
};

/**
 * @ingroup ai-fabric-tests
 * An incast into a switch that drops what does not fit: selective repeat needs no PFC, and loses by
 * going back, or without a cap of what is in flight (Mittal et al., IRN, SIGCOMM 2018).
 */
class IncastTestCase : public TestCase
{
  public:
    explicit IncastTestCase(uint32_t bufferBytes)
        : TestCase("lossy incast, buffer of " + std::to_string(bufferBytes) +
                   " bytes: IRN, IRN without BDP-FC, IRN with go-back-N"),
          m_bufferBytes(bufferBytes)
    {
    }

  private:
    /** What an incast has taken. */
    struct Outcome
    {
        double seconds;   //!< until all was acknowledged
        uint64_t resent;  //!< packets
        uint64_t dropped; //!< frames
    };

    Outcome Run(RcRecovery recovery, uint64_t capBytes)
    {
        constexpr uint32_t SENDERS = 2;
        constexpr uint64_t BYTES = 2000000;
        RoceHelper helper;
        helper.SetFlowControl("ns3::NoFlowControl");
        helper.SetDeviceAttribute("Mtu", UintegerValue(4200));
        helper.SetDeviceAttribute("DataRate", StringValue("40Gbps"));
        helper.SetChannelAttribute("Delay", TimeValue(MicroSeconds(2)));
        helper.SetSwitchAttribute("BufferBytes", UintegerValue(m_bufferBytes));
        NodeContainer hosts(SENDERS + 1);
        NodeContainer center(1);
        helper.InstallSwitch(center.Get(0));
        const NetDeviceContainer devices = helper.Install(hosts, center.Get(0));
        helper.Configure(center);
        std::vector<Ptr<FabricNic>> nics;
        for (uint32_t i = 0; i <= SENDERS; ++i)
        {
            nics.push_back(CreateObject<FabricNic>());
            nics.back()->SetDevice(DynamicCast<FabricNetDevice>(hosts.Get(i)->GetDevice(0)));
        }
        ObjectFactory factory = Pair::Defaults();
        factory.Set("Recovery", EnumValue(recovery));
        factory.Set("BdpCapBytes", UintegerValue(capBytes));
        factory.Set("AckInterval", UintegerValue(1));
        factory.Set("TimeoutExponent", UintegerValue(6)); // 262 us
        m_acked = 0;
        for (uint32_t i = 1; i <= SENDERS; ++i)
        {
            const auto from = factory.Create<RcQueuePair>();
            const auto to = factory.Create<RcQueuePair>();
            nics[i]->AddQueuePair(from);
            nics[0]->AddQueuePair(to);
            FabricNic::Connect(from, to);
            from->SetAckedCallback(MakeCallback(&IncastTestCase::Acked, this));
            from->Post(BYTES, i);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_acked, SENDERS, "all messages arrive");
        Outcome outcome{m_last.GetSeconds(), 0, 0};
        for (const Ptr<FabricNic>& nic : nics)
        {
            outcome.resent += nic->GetCounters().retransmitted;
        }
        for (uint32_t i = 0; i < center.Get(0)->GetNDevices(); ++i)
        {
            if (const auto port = DynamicCast<FabricNetDevice>(center.Get(0)->GetDevice(i)))
            {
                outcome.dropped += port->GetDrops();
            }
        }
        Simulator::Destroy();
        return outcome;
    }

    void Acked(Ptr<RcQueuePair> /* queuePair */, uint64_t, uint64_t, uint64_t)
    {
        ++m_acked;
        m_last = Simulator::Now();
    }

    void DoRun() override
    {
        // Two cables of 2 us each way, and a packet on each: 49 kB at 40 Gb/s.
        constexpr uint64_t BDP = 49000;
        const Outcome irn = Run(RcRecovery::SELECTIVE_REPEAT, BDP);
        const Outcome uncapped = Run(RcRecovery::SELECTIVE_REPEAT, 0);
        const Outcome goBack = Run(RcRecovery::GO_BACK_N, BDP);
        NS_TEST_EXPECT_MSG_GT(irn.dropped, 0, "the buffer does not hold all windows");
        NS_TEST_EXPECT_MSG_LT(irn.dropped, uncapped.dropped, "BDP-FC keeps the queue short");
        NS_TEST_EXPECT_MSG_LT(irn.seconds, uncapped.seconds, "and helps");
        NS_TEST_EXPECT_MSG_GT(goBack.resent, 2 * irn.resent, "going back sends much in vain");
        NS_TEST_EXPECT_MSG_LT(uncapped.seconds, goBack.seconds, "and takes longest");
    }

    uint32_t m_bufferBytes; //!< of the switch
    uint32_t m_acked{0};    //!< messages
    Time m_last;            //!< when the last one was acknowledged
};

/**
 * @ingroup ai-fabric-tests
 * Lost packets: everything arrives, and costs what it must.
 */
class RecoveryTestSuite : public TestSuite
{
  public:
    RecoveryTestSuite()
        : TestSuite("ai-fabric-recovery", TestSuite::Type::UNIT)
    {
        for (const std::string fabric : {"ib", "roce"})
        {
            for (const RcRecovery recovery :
                 {RcRecovery::GO_BACK_N, RcRecovery::GO_BACK_ZERO, RcRecovery::SELECTIVE_REPEAT})
            {
                AddTestCase(new RandomLossTestCase(fabric, recovery));
            }
            AddTestCase(new MixTestCase(fabric));
        }
        for (const double loss : {1e-5, 1e-4, 1e-3, 1e-2})
        {
            AddTestCase(new ClosedFormTestCase(RcRecovery::GO_BACK_N, loss, 4));
            AddTestCase(new ClosedFormTestCase(RcRecovery::GO_BACK_N, loss, 8));
            AddTestCase(new ClosedFormTestCase(RcRecovery::SELECTIVE_REPEAT, loss, 0));
            AddTestCase(new ClosedFormTestCase(RcRecovery::GO_BACK_ZERO, loss, 4));
        }
        AddTestCase(new LivelockTestCase);
        for (const uint32_t bytes : {100000, 150000, 240000})
        {
            AddTestCase(new IncastTestCase(bytes));
        }
        for (const uint64_t bytes : {4096, 40000, 80000, 200000})
        {
            AddTestCase(new BdpCapTestCase(bytes));
        }
    }
};

RecoveryTestSuite g_recoveryTestSuite; //!< the suite

} // namespace
