/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The verbs over one cable, each to the picosecond: READ, immediate data, RNR NAK, UD, errors.

#include "../support/picosecond-test.h"
#include "../support/rdma-rig.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/fabric-topology-helper.h"
#include "ns3/ib-opcode.h"
#include "ns3/message-latency-collector.h"
#include "ns3/pointer.h"
#include "ns3/rdma-helper.h"
#include "ns3/rnr-timer.h"
#include "ns3/ud-queue-pair.h"

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::rdmarig;

namespace
{

constexpr FabricTick CABLE = 100000; //!< ps
constexpr FabricTick BYTE = 20;      //!< ps at 400 Gb/s

class RdmaVerbs : public ::testing::TestWithParam<std::string>
{
  public:
    void SetUp() override
    {
        USE_PICOSECONDS();
        pair = std::make_unique<Pair>(GetParam());
    }

    void TearDown() override
    {
        pair.reset();
        Simulator::Destroy();
        EXPECT_EQ(FabricFramePool::GetOutstanding(), 0U);
    }

    /** @returns the queue pair of the first host; completions of both ends are recorded */
    Ptr<RcQueuePair> Connect(const std::vector<std::pair<std::string, uint64_t>>& attributes = {})
    {
        ObjectFactory factory = Pair::Defaults();
        for (const auto& [name, value] : attributes)
        {
            factory.Set(name, UintegerValue(value));
        }
        const Ptr<RcQueuePair> first = pair->Connect(factory);
        Watch(first);
        return first;
    }

    void Watch(const Ptr<RcQueuePair>& first)
    {
        first->SetCompletionCallback(MakeCallback(&RdmaVerbs::Completed, this));
        pair->nics[1]->GetQueuePair(0)->SetReceivedCallback(
            MakeCallback(&RdmaVerbs::Received, this));
    }

    void Completed(Ptr<RcQueuePair> /* queuePair */, const WorkCompletion& completion)
    {
        completed.push_back(completion);
    }

    void Received(Ptr<RcQueuePair> /* queuePair */, const WorkCompletion& completion)
    {
        received.push_back(completion);
    }

    void ReceivedDatagram(Ptr<UdQueuePair> /* queuePair */, const WorkCompletion& completion)
    {
        received.push_back(completion);
    }

    void SentDatagram(Ptr<UdQueuePair> /* queuePair */, const WorkCompletion& completion)
    {
        completed.push_back(completion);
    }

    /** @returns ps that a packet takes on the wire */
    FabricTick Wire(uint32_t extensions, uint32_t payload) const
    {
        return BYTE * (GetOverhead(GetParam()) + extensions + payload);
    }

    /** @returns ps that the flow-control packet for a freed buffer takes */
    FabricTick GetFcp() const
    {
        return GetParam() == "ib" ? 8 * BYTE : 0;
    }

    /** @returns from the arrival of a packet until its answer is there, on an idle wire */
    FabricTick AnswerTime() const
    {
        // RoCE: the ACK of 66 bytes, preamble and gap 20.
        return GetFcp() + Wire(4, 0) + CABLE;
    }

    std::unique_ptr<Pair> pair;
    std::vector<WorkCompletion> completed; //!< at the first host
    std::vector<WorkCompletion> received;  //!< at the second host
};

TEST_P(RdmaVerbs, ReadTakesOneRoundTripAndTheData)
{
    const Ptr<RcQueuePair> end = Connect();

    // PSNs count packets; READ request: RETH; responses: AETH on first, last and only.
    struct Case
    {
        uint64_t bytes;
        FabricTick data;
    };

    const std::vector<Case> cases{
        {0, Wire(4, 0)},
        {8, Wire(4, 8)},
        {4096, Wire(4, 4096)},
        {4100, Wire(4, 4096) + Wire(4, 4)},
        {5 * 4096 + 12, Wire(4, 4096) + 4 * Wire(0, 4096) + Wire(4, 12)},
    };
    FabricTick at = 0;
    for (const Case& c : cases)
    {
        Simulator::Schedule(TimeStep(at) - Simulator::Now(),
                            [end, c]() { end->Post(c.bytes, 0x1000, RcOperation::READ); });
        at += 10000000;
    }
    Simulator::Run();
    ASSERT_EQ(completed.size(), cases.size());
    for (std::size_t i = 0; i < cases.size(); ++i)
    {
        EXPECT_EQ(completed[i].status, WcStatus::SUCCESS);
        EXPECT_EQ(completed[i].opcode, WcOpcode::RDMA_READ);
        EXPECT_EQ(completed[i].id, i);
        EXPECT_EQ(completed[i].bytes, cases[i].bytes);
        EXPECT_EQ(completed[i].tag, 0x1000U);
        EXPECT_EQ(completed[i].completed - completed[i].posted,
                  Wire(16, 0) + 2 * CABLE + GetFcp() + cases[i].data)
            << cases[i].bytes << " bytes";
    }
    EXPECT_TRUE(pair->delivered.empty()) << "nothing arrives at the responder";
    EXPECT_EQ(end->GetReadBytes(), 8U + 4096 + 4100 + 5 * 4096 + 12);
    EXPECT_EQ(pair->nics[0]->GetCounters().acksReceived, 0U) << "responses are enough";
    EXPECT_EQ(pair->nics[0]->GetCounters().delivered, cases.size());
}

TEST_P(RdmaVerbs, ResponsesArePacedByTheResponder)
{
    ObjectFactory factory = Pair::Defaults();
    std::array<Ptr<RcQueuePair>, 2> ends;
    for (uint32_t i = 0; i < 2; ++i)
    {
        factory.Set("MaxRate", DataRateValue(DataRate(i ? 100000000000ULL : 0)));
        ends[i] = factory.Create<RcQueuePair>();
        pair->nics[i]->AddQueuePair(ends[i]);
    }
    FabricNic::Connect(ends[0], ends[1]);
    Watch(ends[0]);
    ends[0]->Post(100 * 4096, 0, RcOperation::READ);
    ends[0]->Post(100 * 4096, 0, RcOperation::WRITE);
    Simulator::Run();
    ASSERT_EQ(completed.size(), 2U);
    // Each response starts four of its wire times after the one before: 100 of 400 Gb/s. That the
    // first one waits for a flow-control packet does not delay the others.
    const FabricTick data = 4 * (Wire(4, 4096) + 98 * Wire(0, 4096)) + Wire(4, 4096);
    EXPECT_EQ(completed[0].opcode, WcOpcode::RDMA_READ);
    EXPECT_EQ(completed[0].completed, Wire(16, 0) + 2 * CABLE + data);
    // The WRITE's data has long been there; its ACK comes after the last response.
    EXPECT_EQ(completed[1].completed, completed[0].completed + Wire(4, 0));
}

TEST_P(RdmaVerbs, ImmediateDataTakesAReceiveRequest)
{
    const Ptr<RcQueuePair> end = Connect();
    end->Post(3 * 4096, 0x77, RcOperation::WRITE_IMM, 0xdeadbeef);
    end->Post(5, 0, RcOperation::SEND_IMM, 7);
    end->Post(6, 0, RcOperation::SEND);
    end->Post(7, 0x78, RcOperation::WRITE);
    Simulator::Run();
    ASSERT_EQ(received.size(), 3U) << "a WRITE is one-sided";
    EXPECT_EQ(received[0].opcode, WcOpcode::RECV_RDMA_WITH_IMM);
    EXPECT_TRUE(received[0].hasImmediate);
    EXPECT_EQ(received[0].immediate, 0xdeadbeefU);
    EXPECT_EQ(received[0].bytes, 3U * 4096);
    EXPECT_EQ(received[0].tag, 0x77U);
    EXPECT_EQ(received[0].completed, Wire(16, 4096) + Wire(0, 4096) + Wire(4, 4096) + CABLE);
    EXPECT_EQ(received[1].opcode, WcOpcode::RECV);
    EXPECT_EQ(received[1].immediate, 7U);
    EXPECT_EQ(received[1].id, 1U);
    EXPECT_EQ(received[2].opcode, WcOpcode::RECV);
    EXPECT_FALSE(received[2].hasImmediate);
    ASSERT_EQ(completed.size(), 4U);
    EXPECT_EQ(completed[0].opcode, WcOpcode::RDMA_WRITE);
    EXPECT_EQ(completed[0].immediate, 0xdeadbeefU);
    EXPECT_EQ(completed[1].opcode, WcOpcode::SEND);
}

TEST_P(RdmaVerbs, ReceiverNotReady)
{
    constexpr uint32_t BYTES = 4096;
    constexpr uint8_t CODE = 1; // 10 us
    ObjectFactory factory = Pair::Defaults();
    factory.Set("ReceiveQueueDepth", UintegerValue(1));
    factory.Set("ReceiveRepostDelay", TimeValue(MicroSeconds(15)));
    factory.Set("MinRnrTimer", UintegerValue(CODE));
    const Ptr<RcQueuePair> end = pair->Connect(factory);
    Watch(end);
    end->Post(BYTES, 0, RcOperation::SEND);
    end->Post(BYTES, 0, RcOperation::SEND);
    Simulator::Run();
    ASSERT_EQ(received.size(), 2U);
    const FabricTick first = Wire(0, BYTES) + CABLE;
    EXPECT_EQ(received[0].completed, first);
    // The second one finds nothing; after 10 us again nothing, after 20 us a request.
    const FabricTick again = AnswerTime() + 10000000 + Wire(0, BYTES) + CABLE;
    EXPECT_EQ(received[1].completed, first + Wire(0, BYTES) + 2 * again);
    ASSERT_EQ(completed.size(), 2U);
    EXPECT_EQ(completed[1].completed, received[1].completed + AnswerTime());
    EXPECT_EQ(pair->nics[1]->GetCounters().rnrNaksSent, 2U);
    EXPECT_EQ(pair->nics[0]->GetCounters().rnrNaksReceived, 2U);
    EXPECT_EQ(pair->nics[0]->GetCounters().timeouts, 0U);
    EXPECT_EQ(pair->nics[0]->GetCounters().retransmitted, 2U);
}

TEST_P(RdmaVerbs, WriteWithImmediateWaitsAtItsLastPacket)
{
    const Ptr<RcQueuePair> end = Connect({{"ReceiveQueueDepth", 1}, {"MinRnrTimer", 4}}); // 40 us
    const Ptr<RcQueuePair> peer = pair->nics[1]->GetQueuePair(0);
    end->Post(1, 0, RcOperation::SEND);
    end->Post(2 * 4096 + 4, 9, RcOperation::WRITE_IMM, 3);
    Simulator::Schedule(MicroSeconds(20), &RcQueuePair::PostReceive, peer, 1);
    Simulator::Run();
    ASSERT_EQ(received.size(), 2U);
    const FabricTick refused = Wire(0, 4) + Wire(16, 4096) + Wire(0, 4096) + Wire(4, 4) + CABLE;
    EXPECT_EQ(received[1].completed, refused + AnswerTime() + 40000000 + Wire(4, 4) + CABLE)
        << "only the packet with the immediate data is sent again";
    EXPECT_EQ(pair->nics[0]->GetCounters().retransmitted, 1U);
    EXPECT_EQ(received[1].bytes, 2U * 4096 + 4);
}

TEST_P(RdmaVerbs, RnrRetriesExhausted)
{
    const Ptr<RcQueuePair> end =
        Connect({{"ReceiveQueueDepth", 1}, {"MinRnrTimer", 2}, {"RnrRetryCount", 2}}); // 20 us
    for (uint32_t i = 0; i < 4; ++i)
    {
        end->Post(4096, i, i < 3 ? RcOperation::SEND : RcOperation::READ);
    }
    Simulator::Run();
    ASSERT_EQ(completed.size(), 4U);
    EXPECT_EQ(completed[0].status, WcStatus::SUCCESS);
    EXPECT_EQ(completed[1].status, WcStatus::RNR_RETRY_EXC_ERR);
    EXPECT_EQ(completed[2].status, WcStatus::WR_FLUSH_ERR);
    EXPECT_EQ(completed[3].status, WcStatus::WR_FLUSH_ERR);
    EXPECT_EQ(completed[3].opcode, WcOpcode::RDMA_READ);
    const FabricTick refused = 2 * Wire(0, 4096) + CABLE + AnswerTime();
    const FabricTick again = 20000000 + Wire(0, 4096) + CABLE + AnswerTime();
    EXPECT_EQ(completed[1].completed, refused + 2 * again);
    EXPECT_EQ(completed[3].completed, completed[1].completed);
    EXPECT_TRUE(end->HasFailed());
    ASSERT_EQ(pair->errors.size(), 1U);
    EXPECT_THROW(end->Post(1, 0), std::runtime_error);
}

TEST_P(RdmaVerbs, RetriesExhausted)
{
    const Ptr<RcQueuePair> end = Connect({{"TimeoutExponent", 3}, {"RetryCount", 1}}); // 32.768 us
    pair->devices[1]->SetAttribute("ReceiveErrorModel", PointerValue(Lose({0, 1, 2, 3})));
    end->Post(8, 0);
    end->Post(8, 0);
    Simulator::Run();
    ASSERT_EQ(completed.size(), 2U);
    EXPECT_EQ(completed[0].status, WcStatus::RETRY_EXC_ERR);
    EXPECT_EQ(completed[0].completed, 2 * 32768000);
    EXPECT_EQ(completed[1].status, WcStatus::WR_FLUSH_ERR);
    EXPECT_EQ(ToString(completed[0].status), "IBV_WC_RETRY_EXC_ERR");
}

TEST_P(RdmaVerbs, LostResponseIsReadAgain)
{
    for (const uint32_t lost : {0, 3, 9}) // first, middle, last
    {
        Pair other(GetParam());
        const Ptr<RcQueuePair> end = other.Connect(Pair::Defaults());
        other.devices[0]->SetAttribute("ReceiveErrorModel", PointerValue(Lose({lost})));
        end->Post(10 * 4096, 0, RcOperation::READ);
        end->Post(8, 0, RcOperation::WRITE);
        Simulator::Run();
        EXPECT_EQ(other.acked[end].size(), 2U);
        EXPECT_EQ(end->GetReadBytes(), 10U * 4096);
        EXPECT_EQ(other.nics[0]->GetCounters().timeouts, 0U) << "what follows tells";
        EXPECT_EQ(other.nics[0]->GetCounters().retransmitted, 2U) << "READ and WRITE again";
        EXPECT_GE(other.nics[1]->GetCounters().retransmitted, 10 - lost);
        EXPECT_EQ(other.delivered.size(), 1U) << "the WRITE once";
        EXPECT_TRUE(other.errors.empty());
    }
}

TEST_P(RdmaVerbs, DatagramToTheTick)
{
    std::array<Ptr<UdQueuePair>, 2> ends;
    for (uint32_t i = 0; i < 2; ++i)
    {
        ends[i] = CreateObject<UdQueuePair>();
        pair->nics[i]->AddQueuePair(ends[i]);
    }
    ends[0]->SetCompletionCallback(MakeCallback(&RdmaVerbs::SentDatagram, this));
    ends[1]->SetReceivedCallback(MakeCallback(&RdmaVerbs::ReceivedDatagram, this));
    const UdQueuePair::Destination to = ends[1]->Describe();
    EXPECT_EQ(ends[0]->Post(to, 100, 5), 0U);
    EXPECT_EQ(ends[0]->Post(to, 4096, 6, 0x1234), 1U);
    Simulator::Run();
    ASSERT_EQ(received.size(), 2U);
    EXPECT_EQ(received[0].completed, Wire(8, 100) + CABLE);
    EXPECT_EQ(received[1].completed, Wire(8, 100) + Wire(12, 4096) + CABLE);
    EXPECT_EQ(received[0].srcQp, ends[0]->GetQpn());
    EXPECT_EQ(received[0].source, pair->devices[0]->GetFabricAddress());
    EXPECT_FALSE(received[0].hasImmediate);
    EXPECT_EQ(received[1].immediate, 0x1234U);
    EXPECT_EQ(received[1].bytes, 4096U);
    ASSERT_EQ(completed.size(), 2U);
    EXPECT_EQ(completed[0].tag, 5U);
    EXPECT_EQ(completed[1].completed, Wire(8, 100)) << "complete when it leaves";
    EXPECT_THROW(ends[0]->Post(to, 4097, 0), std::invalid_argument);
    EXPECT_THROW(ends[0]->Post(ends[0]->Describe(), 1, 0), std::invalid_argument);
}

TEST_P(RdmaVerbs, DatagramsAreLostWithoutAWord)
{
    ObjectFactory factory("ns3::UdQueuePair");
    std::array<Ptr<UdQueuePair>, 2> ends;
    for (uint32_t i = 0; i < 2; ++i)
    {
        factory.Set("QKey", UintegerValue(0x80000000U + i));
        factory.Set("ReceiveQueueDepth", UintegerValue(2));
        ends[i] = factory.Create<UdQueuePair>();
        pair->nics[i]->AddQueuePair(ends[i]);
    }
    ends[1]->SetReceivedCallback(MakeCallback(&RdmaVerbs::ReceivedDatagram, this));
    UdQueuePair::Destination to = ends[1]->Describe();
    ends[0]->Post(to, 8, 0); // a controlled Q_Key: the sender's own goes, which is wrong
    Simulator::Run();
    EXPECT_TRUE(received.empty());
    EXPECT_EQ(pair->nics[1]->GetCounters().datagramsLost, 1U);

    ends[1]->SetAttribute("QKey", UintegerValue(0x222));
    to = ends[1]->Describe();
    pair->devices[1]->SetAttribute("ReceiveErrorModel", PointerValue(Lose({0})));
    for (uint32_t i = 0; i < 4; ++i)
    {
        ends[0]->Post(to, 10 + i, 0);
    }
    Simulator::Run();
    // The first is lost on the wire, the fourth finds no receive request.
    ASSERT_EQ(received.size(), 2U);
    EXPECT_EQ(received[0].bytes, 11U);
    EXPECT_EQ(received[1].bytes, 12U);
    EXPECT_EQ(pair->nics[1]->GetCounters().datagramsLost, 2U);
    EXPECT_EQ(pair->nics[0]->GetCounters().retransmitted, 0U);
}

TEST_P(RdmaVerbs, LatenciesAreCollected)
{
    const Ptr<RcQueuePair> end = Connect();
    const auto collector = CreateObject<MessageLatencyCollector>();
    collector->Connect(pair->nics[0]);
    collector->SetOpcode(WcOpcode::RDMA_READ);
    for (uint32_t i = 0; i < 4; ++i)
    {
        Simulator::Schedule(MicroSeconds(10 * i), [end, i]() {
            end->Post(i < 3 ? 8 : 4096, 0, RcOperation::READ);
            end->Post(8, 0, RcOperation::WRITE);
        });
    }
    Simulator::Run();
    const LatencySamples& samples = collector->GetSamples();
    ASSERT_EQ(samples.GetCount(), 4U);
    const double small = (Wire(16, 0) + 2 * CABLE + GetFcp() + Wire(4, 8)) * 1e-12;
    const double large = (Wire(16, 0) + 2 * CABLE + GetFcp() + Wire(4, 4096)) * 1e-12;
    EXPECT_DOUBLE_EQ(samples.GetQuantile(0.75), small);
    EXPECT_DOUBLE_EQ(samples.GetQuantile(0.76), large);
    std::ostringstream cdf;
    collector->WriteCdf(cdf);
    std::ostringstream expected;
    expected.precision(12);
    expected << "seconds,share\n" << small << ",0.75\n" << large << ",1\n";
    EXPECT_EQ(cdf.str(), expected.str());
    std::ostringstream histogram;
    collector->WriteHistogram(histogram, 1); // all are between 100 ns and 1 us
    EXPECT_EQ(histogram.str(), "fromSeconds,toSeconds,count\n1e-07,1e-06,4\n");
}

class ReadIncast : public ::testing::TestWithParam<std::string>
{
};

// Two hosts answer READs of a third: where their responses meet, the switch marks them, the
// requester says so, and the responders slow down.
TEST_P(ReadIncast, RespondersSlowDown)
{
    constexpr uint64_t BYTES = 8000000;
    std::array<FabricTick, 2> held{};
    for (const bool controlled : {false, true})
    {
        std::unique_ptr<FabricHelper> helper;
        ObjectFactory control("ns3::DcqcnRateControl");
        if (GetParam() == "ib")
        {
            auto ib = std::make_unique<IbHelper>();
            if (controlled)
            {
                ib->SetCongestionControl("gran2010");
            }
            helper = std::move(ib);
        }
        else
        {
            helper = std::make_unique<RoceHelper>();
            helper->SetDeviceAttribute("Mtu", UintegerValue(4200));
            helper->SetSwitchAttribute("Ecn", BooleanValue(true));
            helper->SetSwitchAttribute("BufferBytes", UintegerValue(1000000));
            helper->SetSwitchAttribute("EcnKmin", UintegerValue(20000));
            helper->SetSwitchAttribute("EcnKmax", UintegerValue(80000));
        }
        helper->SetDeviceAttribute("DataRate", StringValue("100Gbps"));
        const FabricTopology star = FabricTopologyHelper(*helper).CreateStar(3);
        std::vector<Ptr<FabricNic>> nics;
        for (uint32_t i = 0; i < 3; ++i)
        {
            nics.push_back(RdmaHelper::GetNic(star.hosts.Get(i)));
            if (controlled && GetParam() == "roce")
            {
                nics[i]->SetRateControl(control);
            }
        }
        std::vector<Ptr<RcQueuePair>> ends;
        for (uint32_t i = 1; i < 3; ++i)
        {
            ends.push_back(nics[0]->CreateQueuePair());
            FabricNic::Connect(ends.back(), nics[i]->CreateQueuePair());
            ends.back()->Post(BYTES, 0, RcOperation::READ);
        }
        Simulator::Run();
        for (uint32_t i = 0; i < 2; ++i)
        {
            const Ptr<FabricNic>& responder = nics[i + 1];
            EXPECT_EQ(ends[i]->GetReadBytes(), BYTES);
            EXPECT_EQ(responder->GetCounters().retransmitted, 0U);
            if (controlled)
            {
                EXPECT_GE(responder->GetCounters().cnpsReceived, 2U);
                EXPECT_EQ(responder->GetCounters().cnpsSent, 0U) << "READ requests meet nobody";
            }
            LinkFlowControl* flow = responder->GetDevice()->GetPort().GetFlowControl();
            held[controlled] += flow->GetHeldTicks();
        }
        EXPECT_EQ(nics[0]->GetCounters().cnpsReceived, 0U);
        Simulator::Destroy();
    }
    // Held back by the link much less, since they send less by themselves.
    EXPECT_LT(held[true], held[false] / 2);
    EXPECT_EQ(FabricFramePool::GetOutstanding(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Fabrics, ReadIncast, ::testing::Values("ib", "roce"));

INSTANTIATE_TEST_SUITE_P(Fabrics, RdmaVerbs, ::testing::Values("ib", "roce"));

TEST(RnrTimer, Table45)
{
    // ms, IBA vol 1, table 45
    const std::array<double, 32> table{
        655.36, 0.01,  0.02,  0.03,  0.04,  0.06,   0.08,   0.12,   0.16,   0.24,  0.32,
        0.48,   0.64,  0.96,  1.28,  1.92,  2.56,   3.84,   5.12,   7.68,   10.24, 15.36,
        20.48,  30.72, 40.96, 61.44, 81.92, 122.88, 163.84, 245.76, 327.68, 491.52};
    for (uint8_t code = 0; code < 32; ++code)
    {
        EXPECT_EQ(RnrTimer::GetNanoseconds(code), std::llround(table[code] * 1e6));
    }
}

TEST(RcResponderReady, RefusesOnceAndIsSilent)
{
    RcResponder responder;
    responder.Configure(0, 0);
    const auto send = [&responder](uint32_t psn, bool ready) {
        return responder.OnPacket(IbOpcode::RC_SEND_ONLY, psn, 8, true, 0, ready).answer;
    };
    EXPECT_EQ(send(0, true), RcResponder::Answer::ACK);
    EXPECT_EQ(send(1, false), RcResponder::Answer::RNR_NAK);
    EXPECT_EQ(send(2, false), RcResponder::Answer::NONE) << "no sequence error";
    EXPECT_EQ(send(0, false), RcResponder::Answer::ACK) << "a duplicate needs no request";
    EXPECT_EQ(send(1, false), RcResponder::Answer::RNR_NAK) << "asked again";
    EXPECT_EQ(send(1, true), RcResponder::Answer::ACK);
    EXPECT_EQ(responder.GetMsn(), 2U);
    EXPECT_EQ(responder.OnReadRequest(2, 5, false).answer, RcResponder::Answer::INVALID_NAK);
    EXPECT_EQ(responder.OnReadRequest(2, 5, true).answer, RcResponder::Answer::NONE);
    EXPECT_EQ(responder.GetExpectedPsn(), 7U);
}

} // namespace
