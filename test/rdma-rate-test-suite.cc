/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/rdma-rig.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/ib-opcode.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

using namespace ns3;
using namespace ns3::rdmarig;

namespace
{

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

    void OnAck(const RateControlAck& ack, FabricTick /* now */) override
    {
        acked += ack.bytes;
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
            // The rule of the notification point, told once more: InfiniBand has no interval.
            const FabricTick now = FabricNow();
            if (!m_roce || !expected || now - m_last >= 4000)
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
        : FabricTestCase(fabric,
                         fabric == "ib" ? "each mark makes a notification; its rate is obeyed"
                                        : "marks make one notification per interval; its rate is "
                                          "obeyed")
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
        NS_TEST_EXPECT_MSG_EQ(receiver.cnpsSent,
                              (enabled ? marker.expected : 0),
                              "one per 4 us, or mark");
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
 * Who sends how fast, and in which order, on both fabrics.
 */
class RdmaRateTestSuite : public TestSuite
{
  public:
    RdmaRateTestSuite()
        : TestSuite("ai-fabric-rdma-rate", TestSuite::Type::UNIT)
    {
        for (const std::string fabric : {"ib", "roce"})
        {
            AddTestCase(new PacingTestCase(fabric));
            AddTestCase(new SharedPacingTestCase(fabric));
            AddTestCase(new FairnessTestCase(fabric));
            AddTestCase(new CnpTestCase(fabric));
            AddTestCase(new StateTestCase(fabric));
        }
    }
};

RdmaRateTestSuite g_rdmaRateTestSuite; //!< the suite

} // namespace
