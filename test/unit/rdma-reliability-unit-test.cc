/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Requester and responder over a pipe that loses what it is told to lose.

#include "ns3/ib-opcode.h"
#include "ns3/rc-requester.h"
#include "ns3/rc-responder.h"

#include <deque>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/** One connection over two pipes; time is counted in packet slots. */
class LossyPipe
{
  public:
    /** Decides what is lost. Arguments: the packet, how often its PSN has been sent before. */
    using DataLoss = std::function<bool(const RcPacket&, uint32_t)>;
    /** Decides what is lost. Arguments: true for a NAK, its number among all answers. */
    using AnswerLoss = std::function<bool(bool, uint32_t)>;

    explicit LossyPipe(const RcRequester::Config& config)
    {
        requester.Configure(config);
        responder.Configure(config.initialPsn, config.ackInterval);
    }

    /** Run until everything is acknowledged, the connection fails or nothing happens any more. */
    void Run()
    {
        uint64_t due = 0;
        bool armed = false;
        for (uint64_t slot = 0; slot < MAX_SLOTS; ++slot)
        {
            if (requester.IsIdle() || requester.HasFailed())
            {
                return;
            }
            bool progress = false;
            while (!m_answers.empty() && m_answers.front().slot <= slot)
            {
                const Answer answer = m_answers.front();
                m_answers.pop_front();
                const auto result =
                    answer.nak ? requester.OnNak(answer.psn) : requester.OnAck(answer.psn);
                progress = progress || result.packets;
                while (requester.HasCompleted())
                {
                    completed.push_back(requester.TakeCompleted().tag);
                }
            }
            while (!m_data.empty() && m_data.front().slot <= slot)
            {
                const RcPacket packet = m_data.front().packet;
                m_data.pop_front();
                Receive(packet, slot);
            }
            // The timer of the requester's owner.
            if (progress || !requester.IsAwaitingAck())
            {
                armed = requester.IsAwaitingAck();
                due = slot + TIMEOUT;
            }
            if (armed && slot >= due)
            {
                ++timeouts;
                armed = false;
                requester.OnTimeout();
            }
            if (requester.HasPacket())
            {
                Send(slot);
                if (requester.IsAwaitingAck() && !armed)
                {
                    armed = true;
                    due = slot + TIMEOUT;
                }
            }
        }
        ADD_FAILURE() << "not done after " << MAX_SLOTS << " packet slots";
    }

    static constexpr uint64_t DELAY = 5;           //!< slots one way
    static constexpr uint64_t TIMEOUT = 100;       //!< slots
    static constexpr uint64_t MAX_SLOTS = 1000000; //!< give up

    RcRequester requester;
    RcResponder responder;
    DataLoss loseData = [](const RcPacket&, uint32_t) { return false; };
    AnswerLoss loseAnswer = [](bool, uint32_t) { return false; };
    std::vector<uint64_t> completed;      //!< tags, at the requester
    std::vector<uint64_t> delivered;      //!< tags, at the responder
    std::vector<uint64_t> deliveredBytes; //!< lengths
    uint64_t sent{0};                     //!< data packets
    uint64_t retransmitted{0};            //!< of them, repeated
    uint64_t timeouts{0};                 //!< of the requester
    uint64_t naks{0};                     //!< sent
    uint64_t acks{0};                     //!< sent

  private:
    struct Flying
    {
        uint64_t slot;
        RcPacket packet;
    };

    struct Answer
    {
        uint64_t slot;
        bool nak;
        uint32_t psn;
    };

    void Send(uint64_t slot)
    {
        const RcPacket packet = requester.Send();
        ++sent;
        retransmitted += packet.retransmission;
        if (packet.psn >= m_times.size())
        {
            m_times.resize(packet.psn + 1);
        }
        if (!loseData(packet, m_times[packet.psn]++))
        {
            m_data.push_back({slot + DELAY, packet});
        }
    }

    void Receive(const RcPacket& packet, uint64_t slot)
    {
        const auto result = responder.OnPacket(packet.opcode,
                                               packet.psn,
                                               packet.payload,
                                               packet.ackRequest,
                                               packet.tag);
        if (result.messageComplete)
        {
            EXPECT_EQ(result.messageId, delivered.size());
            delivered.push_back(result.tag);
            deliveredBytes.push_back(result.messageBytes);
        }
        if (result.answer != RcResponder::Answer::NONE)
        {
            const bool nak = result.answer == RcResponder::Answer::NAK;
            ++(nak ? naks : acks);
            if (!loseAnswer(nak, m_answerCount++))
            {
                m_answers.push_back(
                    {slot + DELAY, nak, nak ? responder.GetExpectedPsn() : responder.GetAckPsn()});
            }
        }
    }

    std::deque<Flying> m_data;
    std::deque<Answer> m_answers;
    std::vector<uint32_t> m_times;
    uint32_t m_answerCount{0};
};

constexpr uint32_t MTU = 1024;   //!< bytes
constexpr uint32_t PACKETS = 40; //!< of the message
constexpr uint32_t INTERVAL = 8; //!< of ACKs

RcRequester::Config
MakeConfig()
{
    RcRequester::Config config;
    config.mtu = MTU;
    config.ackInterval = INTERVAL;
    return config;
}

/** A single loss, and exactly what it must cost. */
struct Loss
{
    std::string name;
    std::vector<std::pair<uint32_t, uint32_t>> data; //!< PSN and which of its sendings is lost
    int32_t nak;                                     //!< number of the NAK that is lost, -1: none
    int32_t ack;            //!< number of the answer that is lost, -1: none
    uint64_t timeouts;      //!< expected
    uint64_t naks;          //!< expected
    uint64_t retransmitted; //!< expected
};

class SingleLoss : public ::testing::TestWithParam<Loss>
{
};

TEST_P(SingleLoss, MessageCompletes)
{
    const Loss& loss = GetParam();
    LossyPipe pipe(MakeConfig());
    pipe.loseData = [&loss](const RcPacket& packet, uint32_t time) {
        for (const auto& [psn, which] : loss.data)
        {
            if (packet.psn == psn && time == which)
            {
                return true;
            }
        }
        return false;
    };
    int32_t naks = 0;
    pipe.loseAnswer = [&loss, &naks](bool nak, uint32_t number) {
        return nak ? naks++ == loss.nak : static_cast<int32_t>(number) == loss.ack;
    };
    pipe.requester.Post(RcOperation::WRITE, PACKETS * MTU - 7, 5);
    pipe.Run();
    EXPECT_EQ(pipe.completed, std::vector<uint64_t>{5});
    EXPECT_EQ(pipe.delivered, std::vector<uint64_t>{5});
    EXPECT_EQ(pipe.deliveredBytes, std::vector<uint64_t>{PACKETS * MTU - 7});
    EXPECT_EQ(pipe.responder.GetBytes(), PACKETS * MTU - 7);
    EXPECT_EQ(pipe.timeouts, loss.timeouts);
    EXPECT_EQ(pipe.naks, loss.naks);
    EXPECT_EQ(pipe.retransmitted, loss.retransmitted);
}

// The loop has 2 x 5 slots. The packet after a lost one n arrives in slot n + 1 + 5, its NAK in
// slot n + 11, in which n is sent again: n .. n + 10 have been sent, so 11 packets, n included, are
// sent twice (fewer at the message's end). Without a NAK, everything after the last acknowledged
// packet is sent again when the timer expires.
INSTANTIATE_TEST_SUITE_P(
    OfEachKind,
    SingleLoss,
    ::testing::Values(Loss{"nothing", {}, -1, -1, 0, 0, 0},
                      Loss{"first packet", {{0, 0}}, -1, -1, 0, 1, 11},
                      Loss{"middle packet", {{19, 0}}, -1, -1, 0, 1, 11},
                      Loss{"packet that asks for an ACK", {{15, 0}}, -1, -1, 0, 1, 11},
                      Loss{"last but one packet", {{38, 0}}, -1, -1, 0, 1, 2},
                      Loss{"last packet", {{39, 0}}, -1, -1, 1, 0, 8},
                      Loss{"middle and NAK", {{19, 0}}, 0, -1, 1, 1, 24},
                      Loss{"middle and resent", {{19, 0}, {19, 1}}, -1, -1, 1, 1, 32},
                      Loss{"last twice", {{39, 0}, {39, 1}}, -1, -1, 2, 0, 9},
                      Loss{"first ACK", {}, -1, 0, 0, 0, 0},
                      Loss{"last ACK", {}, -1, 4, 1, 0, 8}),
    [](const auto& info) {
        std::string name = info.param.name;
        for (char& c : name)
        {
            c = c == ' ' ? '_' : c;
        }
        return name;
    });

TEST(RcResponderGap, OneNakThenSilenceUntilTheGapCloses)
{
    RcResponder responder;
    responder.Configure(100, 0);
    auto offer = [&responder](uint32_t psn) {
        return responder.OnPacket(IbOpcode::RC_WRITE_MIDDLE, psn, 256, false, 0);
    };
    EXPECT_EQ(offer(100).answer, RcResponder::Answer::NONE);
    EXPECT_EQ(offer(102).answer, RcResponder::Answer::NAK);
    EXPECT_TRUE(responder.HasGap());
    EXPECT_EQ(responder.GetExpectedPsn(), 101U);
    EXPECT_EQ(offer(103).answer, RcResponder::Answer::NONE);
    EXPECT_EQ(offer(102).answer, RcResponder::Answer::NONE);
    EXPECT_EQ(offer(102).order, RcResponder::Order::LATER);
    // A duplicate is acknowledged, and does not open the gap again.
    EXPECT_EQ(offer(100).answer, RcResponder::Answer::ACK);
    EXPECT_EQ(offer(100).order, RcResponder::Order::DUPLICATE);
    EXPECT_EQ(offer(104).answer, RcResponder::Answer::NONE);
    EXPECT_EQ(offer(101).order, RcResponder::Order::EXPECTED);
    EXPECT_FALSE(responder.HasGap());
    EXPECT_EQ(offer(103).answer, RcResponder::Answer::NAK) << "a new gap";
    EXPECT_EQ(responder.GetBytes(), 512U);
}

TEST(RcRequesterNak, AcknowledgesWhatComesBefore)
{
    RcRequester requester;
    requester.Configure(MakeConfig());
    for (uint64_t tag = 0; tag < 3; ++tag)
    {
        requester.Post(RcOperation::SEND, 4 * MTU, tag);
    }
    while (requester.HasPacket())
    {
        requester.Send();
    }
    const RcRequester::AckResult result = requester.OnNak(6);
    EXPECT_EQ(result.packets, 6U);
    EXPECT_EQ(result.bytes, 6 * MTU);
    EXPECT_FALSE(result.failed);
    ASSERT_TRUE(requester.HasCompleted());
    EXPECT_EQ(requester.TakeCompleted().tag, 0U);
    EXPECT_FALSE(requester.HasCompleted());
    EXPECT_EQ(requester.GetOutstandingPackets(), 0U);
    EXPECT_FALSE(requester.IsAwaitingAck());
    const RcPacket packet = requester.Send();
    EXPECT_EQ(packet.psn, 6U);
    EXPECT_EQ(packet.opcode, IbOpcode::RC_SEND_MIDDLE);
    EXPECT_TRUE(packet.retransmission);
    // An ACK for packets that are about to be sent again: they need not be.
    EXPECT_EQ(requester.OnAck(9).packets, 4U);
    EXPECT_EQ(requester.TakeCompleted().tag, 1U);
    EXPECT_EQ(requester.Peek().psn, 10U);
    EXPECT_EQ(requester.Peek().opcode, IbOpcode::RC_SEND_MIDDLE);
}

TEST(RcRequesterNak, OldAndImpossibleAnswersChangeNothing)
{
    RcRequester requester;
    requester.Configure(MakeConfig());
    requester.Post(RcOperation::WRITE, 10 * MTU, 0);
    for (uint32_t i = 0; i < 5; ++i)
    {
        requester.Send();
    }
    EXPECT_EQ(requester.OnAck(2).packets, 3U);
    EXPECT_EQ(requester.OnAck(1).packets, 0U);
    EXPECT_EQ(requester.OnAck(5).packets, 0U) << "never sent";
    EXPECT_EQ(requester.OnNak(1).packets, 0U);
    EXPECT_EQ(requester.OnNak(5).packets, 0U) << "never sent";
    EXPECT_EQ(requester.GetOutstandingPackets(), 2U);
    EXPECT_EQ(requester.Peek().psn, 5U);
}

TEST(RcRetries, ExhaustedMeansFailed)
{
    for (const uint8_t retries : {0, 1, 7})
    {
        RcRequester::Config config = MakeConfig();
        config.retryCount = retries;
        LossyPipe pipe(config);
        pipe.loseData = [](const RcPacket& packet, uint32_t) { return packet.psn == 3; };
        pipe.loseAnswer = [](bool nak, uint32_t) { return nak; };
        pipe.requester.Post(RcOperation::WRITE, PACKETS * MTU, 0);
        pipe.Run();
        EXPECT_TRUE(pipe.requester.HasFailed());
        EXPECT_FALSE(pipe.requester.HasPacket());
        EXPECT_TRUE(pipe.completed.empty());
        // The first resending of packets 0..2 is progress, which gives all retries back.
        EXPECT_EQ(pipe.timeouts, retries == 0 ? 1U : retries + 2U);
    }
}

TEST(RcRetries, NakWithoutProgressUsesOne)
{
    RcRequester::Config config = MakeConfig();
    config.retryCount = 2;
    RcRequester requester;
    requester.Configure(config);
    requester.Post(RcOperation::WRITE, 10 * MTU, 0);
    requester.Send();
    requester.Send();
    EXPECT_FALSE(requester.OnNak(0).failed);
    requester.Send();
    EXPECT_FALSE(requester.OnNak(1).failed) << "progress: both are back";
    requester.Send();
    EXPECT_FALSE(requester.OnNak(1).failed);
    requester.Send();
    EXPECT_FALSE(requester.OnNak(1).failed);
    requester.Send();
    EXPECT_TRUE(requester.OnNak(1).failed);
    EXPECT_TRUE(requester.HasFailed());
}

TEST(RcRetries, ProgressGivesThemBack)
{
    RcRequester::Config config = MakeConfig();
    config.retryCount = 1;
    LossyPipe pipe(config);
    // Every eighth packet is lost once, in the order in which they are sent: each loss stands
    // alone.
    pipe.loseData = [](const RcPacket& packet, uint32_t time) {
        return packet.psn % 8 == 0 && time == 0;
    };
    pipe.requester.Post(RcOperation::WRITE, 400 * MTU, 3);
    pipe.Run();
    EXPECT_FALSE(pipe.requester.HasFailed());
    EXPECT_EQ(pipe.completed, std::vector<uint64_t>{3});
}

/** Loss probability in percent of data, in percent of answers, window in bytes. */
class RandomLoss : public ::testing::TestWithParam<std::tuple<uint32_t, uint32_t, uint64_t>>
{
};

TEST_P(RandomLoss, EverythingArrivesOnceAndInOrder)
{
    const auto [dataLoss, answerLoss, window] = GetParam();
    for (uint32_t seed = 1; seed <= 20; ++seed)
    {
        RcRequester::Config config = MakeConfig();
        config.windowBytes = window;
        config.retryCount = 7;
        LossyPipe pipe(config);
        std::mt19937 random(seed);
        pipe.loseData = [&random, loss = dataLoss](const RcPacket&, uint32_t) {
            return random() % 100 < loss;
        };
        pipe.loseAnswer = [&random, loss = answerLoss](bool, uint32_t) {
            return random() % 100 < loss;
        };
        std::vector<uint64_t> tags;
        std::vector<uint64_t> lengths;
        for (uint64_t tag = 0; tag < 30; ++tag)
        {
            lengths.push_back(random() % 3 == 0 ? 0 : random() % (20 * MTU));
            tags.push_back(tag);
            pipe.requester.Post(tag % 2 ? RcOperation::SEND : RcOperation::WRITE,
                                lengths.back(),
                                tag);
        }
        pipe.Run();
        ASSERT_FALSE(pipe.requester.HasFailed()) << "seed " << seed;
        EXPECT_EQ(pipe.completed, tags);
        EXPECT_EQ(pipe.delivered, tags);
        EXPECT_EQ(pipe.deliveredBytes, lengths);
    }
}

INSTANTIATE_TEST_SUITE_P(Rates,
                         RandomLoss,
                         ::testing::Combine(::testing::Values(0, 1, 10),
                                            ::testing::Values(0, 10),
                                            ::testing::Values(0, 1, 6000)));

} // namespace
