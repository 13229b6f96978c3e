/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/rdma-rig.h"

#include "ns3/error-model.h"
#include "ns3/ib-opcode.h"
#include "ns3/pointer.h"
#include "ns3/rdma-transport.h"

#include <list>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::rdmarig;

namespace
{

/**
 * @ingroup ai-fabric-tests
 * Messages of all sizes in both directions of one connection, with exact times.
 */
class DeliveryTestCase : public FabricTestCase
{
  public:
    explicit DeliveryTestCase(const std::string& fabric)
        : FabricTestCase(fabric, "messages arrive in order, with tags and to the tick")
    {
    }

  private:
    void DoRun() override
    {
        Pair pair(m_fabric);
        const Ptr<RcQueuePair> a = pair.Connect(Pair::Defaults());
        const Ptr<RcQueuePair> b = pair.nics[1]->GetQueuePair(0);
        NS_TEST_ASSERT_MSG_EQ(a->GetMtu(), MTU, "the device's largest payload is the default");
        NS_TEST_EXPECT_MSG_EQ(a->GetQpn(), FabricNic::FIRST_QPN, "numbers start there");
        const std::vector<uint64_t> sizes{MTU, 0, 1, MTU + 1, 1000000, 0};
        for (std::size_t i = 0; i < sizes.size(); ++i)
        {
            a->Post(sizes[i], 1000 + i);
            b->Post(sizes[i], 2000 + i, RcOperation::SEND);
        }
        Simulator::Run();
        for (std::size_t i = 0; i < sizes.size(); ++i)
        {
            const Pair::Event& atB = pair.delivered.at(b).at(i);
            NS_TEST_EXPECT_MSG_EQ(atB.id, i, "in order");
            NS_TEST_EXPECT_MSG_EQ(atB.bytes, sizes[i], "in full");
            NS_TEST_EXPECT_MSG_EQ(atB.tag, 1000 + i, "a WRITE carries its tag");
            const Pair::Event& atA = pair.delivered.at(a).at(i);
            NS_TEST_EXPECT_MSG_EQ(atA.bytes, sizes[i], "in full");
            NS_TEST_EXPECT_MSG_EQ(atA.tag, 0, "a SEND does not");
            NS_TEST_EXPECT_MSG_EQ(pair.acked.at(a).at(i).tag, 1000 + i, "the sender's tag");
            NS_TEST_EXPECT_MSG_EQ(pair.acked.at(b).at(i).tag, 2000 + i, "the sender's tag");
        }
        // First message: one packet with RETH, then the cable.
        const uint64_t bits = (MTU + 16 + GetOverhead(m_fabric)) * 8;
        NS_TEST_EXPECT_MSG_EQ(pair.delivered.at(b).at(0).at.GetNanoSeconds(),
                              bits / 400 + 100,
                              "serialization and propagation");
        const FabricNicCounters& counters = pair.nics[0]->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(counters.txBytes, 1004096 + 1 + 4097, "no byte twice");
        NS_TEST_EXPECT_MSG_EQ(counters.rxBytes, counters.txBytes, "both directions are alike");
        NS_TEST_EXPECT_MSG_EQ(counters.retransmitted, 0, "nothing is lost");
        NS_TEST_EXPECT_MSG_EQ(counters.posted, sizes.size(), "all of them");
        NS_TEST_EXPECT_MSG_EQ(counters.delivered, sizes.size(), "all of them");
        NS_TEST_EXPECT_MSG_EQ(pair.devices[0]->GetDrops(), 0, "all frames were for somebody");
        Finish();
    }
};

/** What is lost, and what it must cost. */
struct LossCase
{
    std::string name;               //!< for the report
    std::list<uint32_t> atReceiver; //!< numbers of the frames lost there
    std::list<uint32_t> atSender;   //!< same at the sender: answers
    uint64_t timeouts;              //!< expected
    uint64_t naks;                  //!< expected
};

/**
 * @ingroup ai-fabric-tests
 * One frame of each kind is lost: first, middle, last data packet, ACK, NAK, resent packet.
 */
class LossTestCase : public FabricTestCase
{
  public:
    LossTestCase(const std::string& fabric, const LossCase& loss)
        : FabricTestCase(fabric, "message completes after the loss of " + loss.name),
          m_loss(loss)
    {
    }

  private:
    void DoRun() override
    {
        Pair pair(m_fabric);
        ObjectFactory factory = Pair::Defaults();
        factory.Set("TimeoutExponent", UintegerValue(4)); // 65.536 us
        const Ptr<RcQueuePair> a = pair.Connect(factory);
        pair.devices[1]->SetAttribute("ReceiveErrorModel", PointerValue(Lose(m_loss.atReceiver)));
        pair.devices[0]->SetAttribute("ReceiveErrorModel", PointerValue(Lose(m_loss.atSender)));
        a->Post(PACKETS * MTU, 1);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(Pair::Count(pair.delivered), 1, "exactly once");
        NS_TEST_EXPECT_MSG_EQ(Pair::Count(pair.acked), 1, "exactly once");
        NS_TEST_EXPECT_MSG_EQ(pair.nics[1]->GetQueuePair(0)->GetResponder().GetBytes(),
                              PACKETS * MTU,
                              "every byte once");
        const FabricNicCounters& sender = pair.nics[0]->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(sender.timeouts, m_loss.timeouts, "only where there is no NAK");
        NS_TEST_EXPECT_MSG_EQ(pair.nics[1]->GetCounters().naksSent, m_loss.naks, "one per gap");
        NS_TEST_EXPECT_MSG_EQ(sender.txPackets - sender.retransmitted, PACKETS, "each once new");
        const std::size_t lost = m_loss.atReceiver.size() + m_loss.atSender.size();
        NS_TEST_EXPECT_MSG_EQ(pair.devices[0]->GetDrops() + pair.devices[1]->GetDrops(),
                              lost,
                              "all losses have happened");
        // An event of the timeout may still have been pending, but nothing is sent any more.
        Finish();
    }

    static constexpr uint32_t PACKETS = 40; //!< of the message

    LossCase m_loss; //!< what is lost
};

/**
 * @ingroup ai-fabric-tests
 * Bit errors everywhere, several connections: everything arrives all the same.
 */
class ErrorRateTestCase : public FabricTestCase
{
  public:
    explicit ErrorRateTestCase(const std::string& fabric)
        : FabricTestCase(fabric, "error rate of 1e-3 on each link delays messages, no more")
    {
    }

  private:
    void DoRun() override
    {
        Pair pair(m_fabric);
        ObjectFactory factory = Pair::Defaults();
        factory.Set("TimeoutExponent", UintegerValue(4));
        std::vector<Ptr<RcQueuePair>> queuePairs;
        for (uint32_t i = 0; i < 4; ++i)
        {
            queuePairs.push_back(pair.Connect(factory));
        }
        for (uint32_t i = 0; i < 2; ++i)
        {
            const Ptr<RateErrorModel> model = CreateObject<RateErrorModel>();
            model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
            model->SetRate(1e-3);
            model->AssignStreams(71 + i);
            pair.devices[i]->SetAttribute("ReceiveErrorModel", PointerValue(model));
        }
        for (uint32_t i = 0; i < 40; ++i)
        {
            queuePairs[i % 4]->Post(100 * MTU + i, i);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(Pair::Count(pair.delivered), 40, "all of them");
        NS_TEST_EXPECT_MSG_EQ(Pair::Count(pair.acked), 40, "all of them");
        NS_TEST_EXPECT_MSG_EQ(pair.errors.size(), 0, "no connection fails");
        NS_TEST_EXPECT_MSG_GT(pair.nics[0]->GetCounters().retransmitted, 0, "there were losses");
        Finish();
    }
};

/**
 * @ingroup ai-fabric-tests
 * The ACK interval is what it says, and a small window does not stall.
 */
class AckIntervalTestCase : public FabricTestCase
{
  public:
    explicit AckIntervalTestCase(const std::string& fabric)
        : FabricTestCase(fabric, "one ACK per AckInterval packets; window below it")
    {
    }

  private:
    uint64_t CountAcks(uint32_t interval, uint64_t window)
    {
        Pair pair(m_fabric);
        ObjectFactory factory = Pair::Defaults();
        factory.Set("AckInterval", UintegerValue(interval));
        factory.Set("WindowBytes", UintegerValue(window));
        pair.Connect(factory)->Post(800 * MTU, 0);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(Pair::Count(pair.acked), 1, "the message completes");
        const uint64_t acks = pair.nics[1]->GetCounters().acksSent;
        NS_TEST_EXPECT_MSG_EQ(pair.nics[0]->GetCounters().acksReceived, acks, "none is lost");
        NS_TEST_EXPECT_MSG_EQ(pair.nics[0]->GetCounters().timeouts, 0, "nobody waits in vain");
        Finish();
        return acks;
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(CountAcks(8, 0), 100, "800 / 8");
        NS_TEST_EXPECT_MSG_EQ(CountAcks(1, 0), 800, "each");
        NS_TEST_EXPECT_MSG_EQ(CountAcks(0, 0), 1, "the last packet only");
        NS_TEST_EXPECT_MSG_EQ(CountAcks(1000, MTU), 800, "a window of one packet");
        NS_TEST_EXPECT_MSG_GT(CountAcks(1000, 10 * MTU), 79, "at least one per window");
    }
};

/**
 * @ingroup ai-fabric-tests
 * A dead link: retries, then an error, at the exact time.
 */
class RetryTestCase : public FabricTestCase
{
  public:
    explicit RetryTestCase(const std::string& fabric)
        : FabricTestCase(fabric, "retries are counted, then the connection fails")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t retries : {0, 3, 7})
        {
            Pair pair(m_fabric);
            ObjectFactory factory = Pair::Defaults();
            factory.Set("TimeoutExponent", UintegerValue(6));
            factory.Set("RetryCount", UintegerValue(retries));
            const Ptr<RcQueuePair> a = pair.Connect(factory);
            const Ptr<RateErrorModel> model = CreateObject<RateErrorModel>();
            model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
            model->SetRate(1);
            pair.devices[1]->SetAttribute("ReceiveErrorModel", PointerValue(model));
            a->Post(10, 0);
            Simulator::Run();
            NS_TEST_ASSERT_MSG_EQ(pair.errors.size(), 1, "one error");
            NS_TEST_EXPECT_MSG_EQ(pair.errors[0].second.GetNanoSeconds(),
                                  (retries + 1) * (4096 << 6),
                                  "as many timeouts as sendings");
            NS_TEST_EXPECT_MSG_EQ(a->HasFailed(), true, "for good");
            NS_TEST_EXPECT_MSG_EQ(pair.nics[0]->GetCounters().txPackets, retries + 1, "sendings");
            NS_TEST_EXPECT_MSG_EQ(pair.nics[0]->GetCounters().errors, 1, "counted");
            NS_TEST_EXPECT_MSG_EQ(Refuses(a), true, "no message for a dead connection");
            Finish();
        }
    }

    /** @returns true if the queue pair refuses a message */
    static bool Refuses(const Ptr<RcQueuePair>& queuePair)
    {
        try
        {
            queuePair->Post(1, 1);
        }
        catch (const std::runtime_error&)
        {
            return true;
        }
        return false;
    }
};

/**
 * @ingroup ai-fabric-tests
 * Frames for nobody are dropped and counted; a NIC without queue pairs works.
 */
class StrangerTestCase : public FabricTestCase
{
  public:
    explicit StrangerTestCase(const std::string& fabric)
        : FabricTestCase(fabric, "frames for unknown queue pairs are dropped and counted")
    {
    }

  private:
    void DoRun() override
    {
        Pair pair(m_fabric);
        const std::vector<uint32_t> strangers{0, 0x10, 0x11, 0x12, 0xffffff};
        for (const uint32_t qpn : strangers)
        {
            FabricFrame* frame = FabricFramePool::Allocate();
            frame->src = pair.devices[0]->GetFabricAddress();
            frame->dst = pair.devices[1]->GetFabricAddress();
            frame->dstQp = qpn;
            frame->opcode = IbOpcode::RC_ACK;
            pair.devices[0]->ClassifyFrame(*frame);
            pair.devices[0]->SizeFrame(*frame);
            pair.devices[0]->GetPort().Enqueue(frame);
        }
        NS_TEST_EXPECT_MSG_EQ(pair.nics[0]->GetReadyClasses(), 0, "nothing to send");
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(pair.devices[1]->GetDrops(), strangers.size(), "each of them");
        Finish();
    }
};

/**
 * @ingroup ai-fabric-tests
 * Messages between the ranks of a communicator, all to all through a switch.
 */
class TransportTestCase : public FabricTestCase
{
  public:
    explicit TransportTestCase(const std::string& fabric)
        : FabricTestCase(fabric, "all to all between four ranks")
    {
    }

  private:
    using Key = std::tuple<uint32_t, uint32_t, uint64_t>; //!< from, to, tag

    void Delivered(uint32_t from, uint32_t to, uint64_t tag)
    {
        ++m_delivered[{from, to, tag}];
    }

    void Sent(uint32_t from, uint32_t to, uint64_t tag)
    {
        ++m_sent[{from, to, tag}];
    }

    void Latency(uint32_t /* from */, uint32_t /* to */, uint64_t /* bytes */, Time latency)
    {
        m_latencies.push_back(latency);
    }

    void Failed(uint32_t from, uint32_t to, std::string /* what */)
    {
        m_failed.emplace_back(from, to);
    }

    void DoRun() override
    {
        const uint32_t ranks = 4;
        const std::unique_ptr<FabricHelper> helper = MakeHelper(m_fabric);
        NodeContainer hosts;
        hosts.Create(ranks);
        NodeContainer center;
        center.Create(1);
        helper->InstallSwitch(center.Get(0));
        const NetDeviceContainer devices = helper->Install(hosts, center.Get(0));
        helper->Configure(center);
        std::vector<Ptr<FabricNic>> nics;
        for (uint32_t i = 0; i < ranks; ++i)
        {
            nics.push_back(CreateObject<FabricNic>());
            nics.back()->SetDevice(DynamicCast<FabricNetDevice>(devices.Get(i)));
            NS_TEST_EXPECT_MSG_EQ(devices.Get(i)->GetObject<FabricNic>(),
                                  nics.back(),
                                  "found by its device");
        }
        const Ptr<RdmaTransport> transport = CreateObject<RdmaTransport>();
        transport->SetNics(nics);
        transport->SetServiceLevel(1);
        transport->SetDscp(34);
        transport->SetQueuePairAttribute("TimeoutExponent", UintegerValue(8));
        transport->SetDeliveredCallback(MakeCallback(&TransportTestCase::Delivered, this));
        transport->SetSentCallback(MakeCallback(&TransportTestCase::Sent, this));
        transport->SetErrorCallback(MakeCallback(&TransportTestCase::Failed, this));
        transport->TraceConnectWithoutContext("MessageLatency",
                                              MakeCallback(&TransportTestCase::Latency, this));
        NS_TEST_EXPECT_MSG_EQ(transport->GetSize(), ranks, "ranks");
        for (uint64_t tag = 0; tag < 3; ++tag)
        {
            for (uint32_t from = 0; from < ranks; ++from)
            {
                for (uint32_t to = 0; to < ranks; ++to)
                {
                    if (from != to)
                    {
                        transport->Send(from, to, tag * 50000, tag);
                    }
                }
            }
        }
        NS_TEST_EXPECT_MSG_EQ(transport->GetPending(), 36, "all on the way");
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(transport->GetConnections(), 6, "both directions share one");
        NS_TEST_EXPECT_MSG_EQ(m_delivered.size(), 36, "all messages");
        NS_TEST_EXPECT_MSG_EQ(m_sent.size(), 36, "all messages");
        for (const auto& entry : m_delivered)
        {
            NS_TEST_EXPECT_MSG_EQ(entry.second, 1, "once");
        }
        NS_TEST_EXPECT_MSG_EQ(m_latencies.size(), 36, "a sample each");
        NS_TEST_EXPECT_MSG_EQ(transport->GetPending(), 0, "none on the way");
        NS_TEST_EXPECT_MSG_EQ(m_failed.size(), 0, "no failure");

        // The cable of rank 3 breaks.
        const Ptr<RateErrorModel> model = CreateObject<RateErrorModel>();
        model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        model->SetRate(1);
        devices.Get(3)->SetAttribute("ReceiveErrorModel", PointerValue(model));
        transport->Send(1, 3, 10, 9);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_failed.size(), 1, "it is told");
        NS_TEST_EXPECT_MSG_EQ((m_failed[0] == std::make_pair(1U, 3U)), true, "who with whom");
        transport->Send(1, 3, 10, 10);
        NS_TEST_EXPECT_MSG_EQ(m_failed.size(), 2, "told at once");
        NS_TEST_EXPECT_MSG_EQ(Refuses(transport, 2, 2), true, "no message to oneself");
        NS_TEST_EXPECT_MSG_EQ(Refuses(transport, 0, 4), true, "no such rank");
        transport->Dispose();
        Finish();
    }

    /** @returns true if the transport refuses a message */
    static bool Refuses(const Ptr<RdmaTransport>& transport, uint32_t from, uint32_t to)
    {
        try
        {
            transport->Send(from, to, 1, 1);
        }
        catch (const std::invalid_argument&)
        {
            return true;
        }
        return false;
    }

    std::map<Key, uint32_t> m_delivered;                 //!< arrivals
    std::map<Key, uint32_t> m_sent;                      //!< acknowledgments
    std::vector<Time> m_latencies;                       //!< samples
    std::vector<std::pair<uint32_t, uint32_t>> m_failed; //!< broken connections
};

/**
 * @ingroup ai-fabric-tests
 * Reliable delivery on both fabrics.
 */
class RdmaTestSuite : public TestSuite
{
  public:
    RdmaTestSuite()
        : TestSuite("ai-fabric-rdma", TestSuite::Type::UNIT)
    {
        const std::vector<LossCase> losses{
            {"the first packet", {0}, {}, 0, 1},
            {"a middle packet", {19}, {}, 0, 1},
            {"the last packet", {39}, {}, 1, 0},
            {"an ACK", {}, {0}, 0, 0},
            {"the last ACK", {}, {2}, 1, 0},
            // Packets 0..15 are acknowledged, 16 is lost: the second answer is the NAK.
            {"a packet and its NAK", {16}, {1}, 1, 1},
        };
        for (const std::string fabric : {"ib", "roce"})
        {
            AddTestCase(new DeliveryTestCase(fabric));
            for (const LossCase& loss : losses)
            {
                AddTestCase(new LossTestCase(fabric, loss));
            }
            AddTestCase(new ErrorRateTestCase(fabric));
            AddTestCase(new AckIntervalTestCase(fabric));
            AddTestCase(new RetryTestCase(fabric));
            AddTestCase(new StrangerTestCase(fabric));
            AddTestCase(new TransportTestCase(fabric));
        }
    }
};

RdmaTestSuite g_rdmaTestSuite; //!< the suite

} // namespace
