/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/error-model.h"
#include "ns3/fabric-nic.h"
#include "ns3/ib-helper.h"
#include "ns3/ib-opcode.h"
#include "ns3/object-factory.h"
#include "ns3/pointer.h"
#include "ns3/rdma-transport.h"
#include "ns3/roce-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <list>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t MTU = 4096; //!< payload of a full packet in bytes

/** @returns a helper of a fabric by its name: 400 Gb/s, cables of 100 ns, hosts without latency */
std::unique_ptr<FabricHelper>
MakeHelper(const std::string& fabric)
{
    std::unique_ptr<FabricHelper> helper;
    if (fabric == "ib")
    {
        helper = std::make_unique<IbHelper>();
    }
    else
    {
        helper = std::make_unique<RoceHelper>();
        helper->SetDeviceAttribute("Mtu", UintegerValue(4200));
    }
    helper->SetHostAttribute("ReceiveLatency", TimeValue(NanoSeconds(0)));
    helper->SetDeviceAttribute("DataRate", StringValue("400Gbps"));
    helper->SetChannelAttribute("Delay", TimeValue(NanoSeconds(100)));
    return helper;
}

/** @returns bytes on the wire of a data packet, beyond its payload and a RETH */
uint32_t
GetOverhead(const std::string& fabric)
{
    return fabric == "ib" ? 26 : 82;
}

/**
 * @ingroup ai-fabric-tests
 * Two hosts with a NIC each and a cable between them; records what happens.
 */
struct Pair
{
    /** A message that has come in or has been acknowledged. */
    struct Event
    {
        uint64_t id;    //!< of the message
        uint64_t bytes; //!< of the message
        uint64_t tag;   //!< of the message
        Time at;        //!< when
    };

    explicit Pair(const std::string& fabric)
    {
        const std::unique_ptr<FabricHelper> helper = MakeHelper(fabric);
        NodeContainer nodes;
        nodes.Create(2);
        const NetDeviceContainer both = helper->Install(nodes.Get(0), nodes.Get(1));
        for (uint32_t i = 0; i < 2; ++i)
        {
            devices[i] = DynamicCast<FabricNetDevice>(both.Get(i));
            nics[i] = CreateObject<FabricNic>();
            nics[i]->SetDevice(devices[i]);
        }
    }

    /**
     * Make a connection.
     * @param attributes of both queue pairs
     * @returns the queue pair of the first host
     */
    Ptr<RcQueuePair> Connect(const ObjectFactory& attributes)
    {
        std::array<Ptr<RcQueuePair>, 2> ends;
        for (uint32_t i = 0; i < 2; ++i)
        {
            ends[i] = attributes.Create<RcQueuePair>();
            nics[i]->AddQueuePair(ends[i]);
        }
        FabricNic::Connect(ends[0], ends[1]);
        for (const Ptr<RcQueuePair>& end : ends)
        {
            end->SetDeliveredCallback(MakeCallback(&Pair::Delivered, this));
            end->SetAckedCallback(MakeCallback(&Pair::Acked, this));
            end->SetErrorCallback(MakeCallback(&Pair::Failed, this));
        }
        return ends[0];
    }

    /** @returns a factory of queue pairs with default attributes */
    static ObjectFactory Defaults()
    {
        ObjectFactory factory;
        factory.SetTypeId("ns3::RcQueuePair");
        return factory;
    }

    void Delivered(Ptr<RcQueuePair> queuePair, uint64_t id, uint64_t bytes, uint64_t tag)
    {
        delivered[queuePair].push_back({id, bytes, tag, Simulator::Now()});
    }

    void Acked(Ptr<RcQueuePair> queuePair, uint64_t id, uint64_t bytes, uint64_t tag)
    {
        acked[queuePair].push_back({id, bytes, tag, Simulator::Now()});
    }

    void Failed(Ptr<RcQueuePair> /* queuePair */, std::string what)
    {
        errors.emplace_back(what, Simulator::Now());
    }

    /** @returns number of messages in a map of events */
    static std::size_t Count(const std::map<Ptr<RcQueuePair>, std::vector<Event>>& events)
    {
        std::size_t count = 0;
        for (const auto& entry : events)
        {
            count += entry.second.size();
        }
        return count;
    }

    std::array<Ptr<FabricNetDevice>, 2> devices;              //!< the ports
    std::array<Ptr<FabricNic>, 2> nics;                       //!< the NICs
    std::map<Ptr<RcQueuePair>, std::vector<Event>> delivered; //!< by receiving queue pair
    std::map<Ptr<RcQueuePair>, std::vector<Event>> acked;     //!< by sending queue pair
    std::vector<std::pair<std::string, Time>> errors;         //!< failures
};

/** @returns an error model that takes the frames with these numbers */
Ptr<ErrorModel>
Lose(const std::list<uint32_t>& frames)
{
    const Ptr<ReceiveListErrorModel> model = CreateObject<ReceiveListErrorModel>();
    model->SetList(frames);
    return model;
}

/**
 * @ingroup ai-fabric-tests
 * A test of one fabric.
 */
class FabricTestCase : public TestCase
{
  public:
    FabricTestCase(const std::string& fabric, const std::string& what)
        : TestCase(fabric + ": " + what),
          m_fabric(fabric)
    {
    }

  protected:
    /** Everything is over: nothing may be left. */
    void Finish()
    {
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(FabricFramePool::GetOutstanding(), 0, "a frame is lost for good");
    }

    std::string m_fabric; //!< "ib" or "roce"
};

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
 * A rate limit is met to the tick, over any number of packets.
 */
class PacingTestCase : public FabricTestCase
{
  public:
    explicit PacingTestCase(const std::string& fabric)
        : FabricTestCase(fabric, "packets leave at MaxRate without drift; a shift moves the rest")
    {
    }

  private:
    static void Record(std::vector<int64_t>* starts, Ptr<const Packet> /* frame */)
    {
        starts->push_back(Simulator::Now().GetNanoSeconds());
    }

    static void Shift(Ptr<FabricNic> nic, int64_t by)
    {
        nic->Shift(by);
    }

    void DoRun() override
    {
        Pair pair(m_fabric);
        ObjectFactory factory = Pair::Defaults();
        factory.Set("MaxRate", DataRateValue(DataRate("37Gbps")));
        const Ptr<RcQueuePair> a = pair.Connect(factory);
        std::vector<int64_t> starts;
        pair.devices[0]->TraceConnectWithoutContext("PhyTxBegin",
                                                    MakeBoundCallback(&Record, &starts));
        a->Post(1000 * MTU, 0);
        // Between two packets nothing of the sender is pending but its timers.
        const int64_t gap = (MTU + GetOverhead(m_fabric)) * 8 / 37;
        Simulator::Schedule(NanoSeconds(500 * gap + gap / 2),
                            &PacingTestCase::Shift,
                            pair.nics[0],
                            10000);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(starts.size(), 1000, "one frame per packet");
        uint64_t bytes = 0;
        uint64_t shifted = 0;
        for (std::size_t i = 0; i < starts.size(); ++i)
        {
            const int64_t expected = bytes * 8 / 37;
            const int64_t shift = starts[i] - expected;
            shifted += shift == 10000;
            NS_TEST_EXPECT_MSG_EQ((shift == 0 || shift == 10000), true, "packet " << i);
            bytes += MTU + GetOverhead(m_fabric) + (i == 0 ? 16 : 0);
        }
        NS_TEST_EXPECT_MSG_GT(shifted, 490, "the second half");
        NS_TEST_EXPECT_MSG_LT(shifted, 510, "the second half");
        Finish();
    }
};

/**
 * @ingroup ai-fabric-tests
 * Paced queue pairs meet their rates although they share a wire.
 */
class SharedPacingTestCase : public FabricTestCase
{
  public:
    explicit SharedPacingTestCase(const std::string& fabric)
        : FabricTestCase(fabric, "three queue pairs of 120 Gbps on one wire of 400 Gbps")
    {
    }

  private:
    void DoRun() override
    {
        Pair pair(m_fabric);
        ObjectFactory factory = Pair::Defaults();
        factory.Set("MaxRate", DataRateValue(DataRate("120Gbps")));
        const uint64_t packets = 3000;
        for (uint32_t i = 0; i < 3; ++i)
        {
            pair.Connect(factory)->Post(packets * MTU, i);
        }
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(Pair::Count(pair.delivered), 3, "all of them");
        const double expected = (packets * (MTU + GetOverhead(m_fabric)) + 16.0) * 8 / 120; // ns
        for (const auto& entry : pair.delivered)
        {
            const double rate = expected / entry.second.at(0).at.GetNanoSeconds();
            NS_TEST_EXPECT_MSG_EQ_TOL(rate, 1, 0.001, "0.1 % of the rate asked for");
        }
        Finish();
    }
};

/**
 * @ingroup ai-fabric-tests
 * Queue pairs are served in turn, and idle ones cost nothing.
 */
class FairnessTestCase : public FabricTestCase
{
  public:
    explicit FairnessTestCase(const std::string& fabric)
        : FabricTestCase(fabric, "queue pairs in turn; 1000 idle ones change nothing")
    {
    }

  private:
    void Sample(Ptr<FabricNic> receiver)
    {
        std::vector<uint64_t> bytes;
        for (const std::size_t i : m_busy)
        {
            bytes.push_back(receiver->GetQueuePair(i)->GetResponder().GetBytes());
        }
        const auto range = std::minmax_element(bytes.begin(), bytes.end());
        NS_TEST_EXPECT_MSG_GT(*range.first, 0, "none is starved");
        // One packet is a turn; the first one had sent another before the others came.
        NS_TEST_EXPECT_MSG_LT(*range.second - *range.first, 2 * MTU + 1, "nobody is ahead");
    }

    std::tuple<Time, uint64_t> Run(uint32_t idle)
    {
        Pair pair(m_fabric);
        const uint64_t events = Simulator::GetEventCount();
        std::vector<Ptr<RcQueuePair>> busy;
        m_busy.clear();
        for (uint32_t i = 0; i < 5; ++i)
        {
            for (uint32_t k = 0; k < idle / 5; ++k)
            {
                pair.Connect(Pair::Defaults());
            }
            m_busy.push_back(pair.nics[0]->GetQueuePairs());
            busy.push_back(pair.Connect(Pair::Defaults()));
        }
        for (const Ptr<RcQueuePair>& queuePair : busy)
        {
            queuePair->Post(400 * MTU, 0);
        }
        for (uint32_t i = 1; i <= 20; ++i)
        {
            Simulator::Schedule(NanoSeconds(7001 * i),
                                &FairnessTestCase::Sample,
                                this,
                                pair.nics[1]);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(Pair::Count(pair.acked), 5, "all of them");
        Time last;
        for (const auto& entry : pair.acked)
        {
            last = std::max(last, entry.second.back().at);
        }
        const uint64_t used = Simulator::GetEventCount() - events;
        Finish();
        return {last, used};
    }

    void DoRun() override
    {
        const auto alone = Run(0);
        const auto crowded = Run(1000);
        NS_TEST_EXPECT_MSG_EQ(std::get<0>(alone), std::get<0>(crowded), "same end");
        NS_TEST_EXPECT_MSG_EQ(std::get<1>(alone), std::get<1>(crowded), "same number of events");
    }

    std::vector<std::size_t> m_busy; //!< indices of the queue pairs that send
};

/**
 * @ingroup ai-fabric-tests
 * Congestion control that counts and, from the first notification on, sends at a quarter of the
 * line rate.
 */
class QuarterRateControl : public RateControl
{
  public:
    /** @returns the TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::QuarterRateControl")
                                .SetParent<RateControl>()
                                .SetGroupName("AiFabric")
                                .AddConstructor<QuarterRateControl>();
        return tid;
    }

    void SetLineRate(uint64_t bitsPerSecond) override
    {
        m_lineRate = bitsPerSecond;
    }

    uint64_t GetRate() const override
    {
        return cnps ? m_lineRate / 4 : 0;
    }

    void OnCnp(FabricTick now) override
    {
        first = cnps++ ? first : now;
    }

    void OnAck(uint64_t bytes, FabricTick /* now */) override
    {
        acked += bytes;
    }

    void OnSent(uint32_t wireBytes, FabricTick /* now */) override
    {
        sent += wireBytes;
    }

    bool HashState(StateHash& hash, FabricTick /* now */) const override
    {
        hash.Add(cnps != 0);
        return true;
    }

    void Shift(FabricTick /* by */) override
    {
    }

    uint64_t cnps{0};    //!< notifications
    FabricTick first{0}; //!< when the first one came
    uint64_t acked{0};   //!< payload bytes
    uint64_t sent{0};    //!< bytes on the wire

  private:
    uint64_t m_lineRate{0}; //!< of the link
};

NS_OBJECT_ENSURE_REGISTERED(QuarterRateControl);

/**
 * @ingroup ai-fabric-tests
 * Sits between a device and its NIC and marks data as a congested switch does.
 */
class Marker : public FabricFrameSink
{
  public:
    /** @param device the device @param nic its NIC @param roce true: CE, false: FECN */
    Marker(const Ptr<FabricNetDevice>& device, const Ptr<FabricNic>& nic, bool roce)
        : m_nic(nic),
          m_roce(roce)
    {
        device->SetRdmaSink(this);
    }

    void ReceiveFrame(FabricFrame* frame, FabricNetDevice* device) override
    {
        if (IbOpcode::HasPayload(frame->opcode))
        {
            ++marked;
            correct = correct && frame->ecn == (m_roce ? 2 : 0);
            frame->ecn = m_roce ? 3 : 0;
            frame->fecn = !m_roce;
            // The rule of the notification point, told once more.
            const FabricTick now = FabricNow();
            if (!expected || now - m_last >= 4000)
            {
                ++expected;
                m_last = now;
            }
        }
        m_nic->ReceiveFrame(frame, device);
    }

    uint64_t marked{0};   //!< frames
    uint64_t expected{0}; //!< notifications
    bool correct{true};   //!< data came in capable and not marked

  private:
    Ptr<FabricNic> m_nic; //!< where frames go
    bool m_roce;          //!< kind of mark
    FabricTick m_last{0}; //!< latest notification
};

/**
 * @ingroup ai-fabric-tests
 * Marked data makes notifications, one per interval, and those reach congestion control.
 */
class CnpTestCase : public FabricTestCase
{
  public:
    explicit CnpTestCase(const std::string& fabric)
        : FabricTestCase(fabric, "marks make one notification per interval; its rate is obeyed")
    {
    }

  private:
    void Run(bool enabled)
    {
        Pair pair(m_fabric);
        ObjectFactory control;
        control.SetTypeId("ns3::QuarterRateControl");
        pair.nics[0]->SetRateControl(control);
        pair.nics[1]->SetAttribute("CnpEnabled", BooleanValue(enabled));
        Marker marker(pair.devices[1], pair.nics[1], m_fabric == "roce");
        const Ptr<RcQueuePair> a = pair.Connect(Pair::Defaults());
        const uint32_t packets = 1000;
        a->Post(packets * MTU, 0);
        Simulator::Run();
        const auto rate = DynamicCast<QuarterRateControl>(a->GetRateControl());
        const FabricNicCounters& receiver = pair.nics[1]->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(marker.correct, true, "data is ECN-capable on RoCE only");
        NS_TEST_EXPECT_MSG_EQ(receiver.ecnMarked, packets, "each was marked");
        NS_TEST_EXPECT_MSG_EQ(receiver.cnpsSent, (enabled ? marker.expected : 0), "one per 4 us");
        NS_TEST_EXPECT_MSG_EQ(pair.nics[0]->GetCounters().cnpsReceived,
                              receiver.cnpsSent,
                              "none is lost");
        NS_TEST_EXPECT_MSG_EQ(rate->cnps, receiver.cnpsSent, "all are told");
        NS_TEST_EXPECT_MSG_EQ(rate->acked, packets * MTU, "all bytes");
        const uint64_t wire = packets * (MTU + GetOverhead(m_fabric)) + 16;
        NS_TEST_EXPECT_MSG_EQ(rate->sent, wire, "all bytes");
        const int64_t end = pair.delivered.begin()->second.at(0).at.GetNanoSeconds();
        if (enabled)
        {
            NS_TEST_EXPECT_MSG_GT(marker.expected, 50, "the transfer takes a while");
            // Line rate until the first notification, a quarter of it afterwards, to one packet.
            const double slow = wire * 8.0 - 400.0 * rate->first;
            NS_TEST_EXPECT_MSG_EQ_TOL(end, rate->first + slow / 100, 350, "100 Gb/s");
        }
        else
        {
            // Credits for the ACKs take a few bytes of this wire.
            NS_TEST_EXPECT_MSG_EQ_TOL(end, wire * 8.0 / 400 + 100, 15, "line rate");
        }
        Finish();
    }

    void DoRun() override
    {
        Run(true);
        Run(false);
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
 * The state of a NIC does not depend on the time of day nor on absolute sequence numbers.
 */
class StateTestCase : public FabricTestCase
{
  public:
    explicit StateTestCase(const std::string& fabric)
        : FabricTestCase(fabric, "state is relative to now and to the first PSN")
    {
    }

  private:
    void Sample(Ptr<FabricNic> nic)
    {
        StateHash hash;
        NS_TEST_EXPECT_MSG_EQ(nic->HashState(hash, FabricNow()), true, "it can be skipped");
        m_samples.push_back(hash.Get());
    }

    std::vector<uint64_t> Run(Time start, uint32_t initialPsn)
    {
        m_samples.clear();
        Pair pair(m_fabric);
        ObjectFactory factory = Pair::Defaults();
        factory.Set("InitialPsn", UintegerValue(initialPsn));
        factory.Set("WindowBytes", UintegerValue(20 * MTU));
        std::vector<Ptr<RcQueuePair>> senders;
        for (uint32_t i = 0; i < 3; ++i)
        {
            factory.Set("MaxRate", DataRateValue(DataRate(i == 2 ? 50000000000 : 0)));
            senders.push_back(pair.Connect(factory));
            Simulator::Schedule(start, &StateTestCase::Post, senders.back(), 200 * MTU);
        }
        for (uint32_t i = 1; i < 40; ++i)
        {
            const Time at = start + NanoSeconds(i * 1013);
            Simulator::Schedule(at, &StateTestCase::Sample, this, pair.nics[0]);
            Simulator::Schedule(at, &StateTestCase::Sample, this, pair.nics[1]);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(Pair::Count(pair.acked), 3, "all of them");
        Finish();
        return m_samples;
    }

    static void Post(Ptr<RcQueuePair> queuePair, uint64_t bytes)
    {
        queuePair->Post(bytes, 0);
    }

    void DoRun() override
    {
        const std::vector<uint64_t> one = Run(NanoSeconds(0), 0);
        const std::vector<uint64_t> two = Run(NanoSeconds(777777), 0xfffff0);
        NS_TEST_EXPECT_MSG_EQ((one == two), true, "the same states");
        NS_TEST_EXPECT_MSG_EQ((one[0] != one[10]), true, "states do change");
    }

    std::vector<uint64_t> m_samples; //!< hashes
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
 * The RDMA floor on both fabrics.
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
            AddTestCase(new PacingTestCase(fabric));
            AddTestCase(new SharedPacingTestCase(fabric));
            AddTestCase(new FairnessTestCase(fabric));
            AddTestCase(new CnpTestCase(fabric));
            AddTestCase(new RetryTestCase(fabric));
            AddTestCase(new StrangerTestCase(fabric));
            AddTestCase(new StateTestCase(fabric));
            AddTestCase(new TransportTestCase(fabric));
        }
    }
};

RdmaTestSuite g_rdmaTestSuite; //!< the suite

} // namespace
