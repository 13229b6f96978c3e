/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Requester and responder with selective repeat and with go-back-0, over a pipe that loses and
// reorders what it is told to.

#include "ns3/ib-opcode.h"
#include "ns3/psn-bitmap.h"
#include "ns3/rc-reorder-buffer.h"
#include "ns3/rc-requester.h"
#include "ns3/rc-responder.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t MTU = 1024; //!< bytes

RcRequester::Config
MakeConfig(RcRecovery recovery)
{
    RcRequester::Config config;
    config.mtu = MTU;
    config.ackInterval = 8;
    config.recovery = recovery;
    return config;
}

/** One connection over two pipes; time is counted in packet slots. */
class ReorderingPipe
{
  public:
    /** How long a packet travels; 0: it is lost. Arguments: packet, times that its PSN was sent. */
    using DataDelay = std::function<uint64_t(const RcPacket&, uint32_t)>;
    /** Decides which answers are lost. Arguments: what it is, its number among all answers. */
    using AnswerLoss = std::function<bool(RcResponder::Answer, uint32_t)>;

    static constexpr uint64_t DELAY = 5;          //!< slots one way
    static constexpr uint64_t TIMEOUT = 100;      //!< slots
    static constexpr uint64_t MAX_SLOTS = 200000; //!< give up

    explicit ReorderingPipe(const RcRequester::Config& config)
        : m_selective(config.recovery == RcRecovery::SELECTIVE_REPEAT)
    {
        requester.Configure(config);
        responder.Configure(config.initialPsn,
                            config.ackInterval,
                            config.recovery,
                            config.reorderPackets);
    }

    /** Run until everything is acknowledged, or the slots are over. */
    void Run(uint64_t slots = MAX_SLOTS)
    {
        uint64_t due = 0;
        bool armed = false;
        for (slot = 0; slot < slots && !requester.IsIdle() && !requester.HasFailed(); ++slot)
        {
            bool progress = false;
            for (; !m_answers.empty() && m_answers.begin()->first <= slot;
                 m_answers.erase(m_answers.begin()))
            {
                progress = Answered(m_answers.begin()->second) || progress;
            }
            for (; !m_data.empty() && m_data.begin()->first <= slot; m_data.erase(m_data.begin()))
            {
                Receive(m_data.begin()->second);
            }
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
                Send();
                if (requester.IsAwaitingAck() && !armed)
                {
                    armed = true;
                    due = slot + TIMEOUT;
                }
            }
            maxInFlight = std::max(maxInFlight, requester.GetOutstandingPackets());
        }
    }

    /** Everything has come and was told of in order. */
    void ExpectAll(const std::vector<uint64_t>& tags, uint64_t bytes) const
    {
        EXPECT_TRUE(requester.IsIdle());
        EXPECT_EQ(completed, tags);
        EXPECT_EQ(delivered, tags);
        EXPECT_EQ(responder.GetBytes(), bytes);
        EXPECT_FALSE(responder.HasKept());
        EXPECT_FALSE(responder.HasSack());
        EXPECT_EQ(requester.GetScoreboard().GetSacked(), 0U);
        EXPECT_FALSE(requester.GetScoreboard().HasHole());
    }

    RcRequester requester;
    RcResponder responder;
    DataDelay delay = [](const RcPacket&, uint32_t) { return DELAY; };
    AnswerLoss loseAnswer = [](RcResponder::Answer, uint32_t) { return false; };
    uint64_t slot{0};                //!< now
    std::vector<uint64_t> completed; //!< tags, at the requester
    std::vector<uint64_t> delivered; //!< tags, at the responder
    std::vector<uint32_t> resent;    //!< PSNs in the order of resending
    uint64_t sent{0};                //!< data packets
    uint64_t timeouts{0};            //!< of the requester
    uint64_t naks{0};                //!< NAKs, and SACKs that are one
    uint64_t maxInFlight{0};         //!< unacknowledged packets

  private:
    struct Answer
    {
        RcResponder::Answer kind;
        uint32_t psn;
        RcResponder::Sack sack;
    };

    void Send()
    {
        const RcPacket peeked = requester.Peek();
        const RcPacket packet = requester.Send();
        EXPECT_EQ(peeked.psn, packet.psn);
        EXPECT_EQ(peeked.opcode, packet.opcode);
        EXPECT_EQ(packet.retransmission, m_times.count(packet.psn) > 0);
        if (packet.retransmission)
        {
            resent.push_back(packet.psn);
        }
        ++sent;
        if (const uint64_t slots = delay(packet, m_times[packet.psn]++))
        {
            m_data.emplace(slot + slots, packet);
        }
    }

    void Receive(const RcPacket& packet)
    {
        if (m_selective && IbOpcode::IsWrite(packet.opcode))
        {
            // Each packet says where its data goes.
            EXPECT_TRUE(IbOpcode::GetExtensions(packet.opcode) & IbOpcode::RETH);
        }
        const auto result = responder.OnPacket(packet.opcode,
                                               packet.psn,
                                               packet.payload,
                                               packet.ackRequest,
                                               packet.tag);
        Note(result);
        RcResponder::Answer answer = result.answer;
        while (result.order == RcResponder::Order::EXPECTED && responder.HasKept())
        {
            const auto kept = responder.TakeKept(true);
            Note(kept);
            answer = kept.answer;
        }
        if (answer == RcResponder::Answer::NONE)
        {
            return;
        }
        Answer message{answer, 0, {}};
        const bool gap = answer == RcResponder::Answer::SACK || answer == RcResponder::Answer::NAK;
        message.psn = gap ? responder.GetExpectedPsn() : responder.GetAckPsn();
        if (answer == RcResponder::Answer::SACK)
        {
            message.sack = responder.TakeSack();
        }
        naks += answer == RcResponder::Answer::NAK || message.sack.lost;
        if (!loseAnswer(answer, m_answerCount++))
        {
            m_answers.emplace(slot + DELAY, message);
        }
    }

    void Note(const RcResponder::Result& result)
    {
        if (result.messageComplete)
        {
            EXPECT_EQ(result.messageId, delivered.size());
            delivered.push_back(result.tag);
        }
    }

    bool Answered(const Answer& answer)
    {
        const auto result = answer.kind == RcResponder::Answer::SACK
                                ? requester.OnSack(answer.psn, answer.sack.psn, answer.sack.before)
                            : answer.kind == RcResponder::Answer::NAK ? requester.OnNak(answer.psn)
                                                                      : requester.OnAck(answer.psn);
        while (requester.HasCompleted())
        {
            completed.push_back(requester.TakeCompleted().tag);
        }
        return result.packets > 0;
    }

    bool m_selective;
    std::multimap<uint64_t, RcPacket> m_data; //!< by slot of arrival
    std::multimap<uint64_t, Answer> m_answers;
    std::map<uint32_t, uint32_t> m_times; //!< sendings of each PSN
    uint32_t m_answerCount{0};
};

constexpr uint32_t PACKETS = 40; //!< of the message

/** Losses, and exactly what they must cost. */
struct Loss
{
    std::string name;
    std::vector<std::pair<uint32_t, uint32_t>> data; //!< PSN and which of its sendings is lost
    std::vector<uint32_t> answers;                   //!< numbers of the answers that are lost
    std::vector<uint32_t> resent;                    //!< expected: PSNs in this order
    uint64_t timeouts;                               //!< expected
};

class SelectiveLoss : public ::testing::TestWithParam<Loss>
{
};

TEST_P(SelectiveLoss, MessageCompletes)
{
    const Loss& loss = GetParam();
    // Near the end of the PSNs, too.
    for (const uint32_t psn : {0U, RC_PSN_MODULUS - 10})
    {
        RcRequester::Config config = MakeConfig(RcRecovery::SELECTIVE_REPEAT);
        config.initialPsn = psn;
        ReorderingPipe pipe(config);
        pipe.delay = [&loss, psn](const RcPacket& packet, uint32_t time) {
            const std::pair<uint32_t, uint32_t> which{(packet.psn - psn) % RC_PSN_MODULUS, time};
            const bool lost = std::count(loss.data.begin(), loss.data.end(), which) > 0;
            return lost ? 0 : ReorderingPipe::DELAY;
        };
        pipe.loseAnswer = [&loss](RcResponder::Answer, uint32_t number) {
            return std::count(loss.answers.begin(), loss.answers.end(), number) > 0;
        };
        pipe.requester.Post(RcOperation::WRITE, PACKETS * MTU - 7, 5);
        pipe.Run();
        pipe.ExpectAll({5}, PACKETS * MTU - 7);
        std::vector<uint32_t> resent = pipe.resent;
        for (uint32_t& one : resent)
        {
            one = (one - psn) % RC_PSN_MODULUS;
        }
        EXPECT_EQ(resent, loss.resent);
        EXPECT_EQ(pipe.timeouts, loss.timeouts);
        EXPECT_EQ(pipe.sent, PACKETS + resent.size());
    }
}

// Answers before a loss at 19 are the ACKs of 7 and 15 (numbers 0 and 1); from the packet after it
// on, each arrival is answered. When the timer expires, 31 is the last one acknowledged.
INSTANTIATE_TEST_SUITE_P(
    OfEachKind,
    SelectiveLoss,
    ::testing::Values(Loss{"nothing", {}, {}, {}, 0},
                      Loss{"first", {{0, 0}}, {}, {0}, 0},
                      Loss{"middle", {{19, 0}}, {}, {19}, 0},
                      Loss{"two in a row", {{19, 0}, {20, 0}}, {}, {19, 20}, 0},
                      Loss{"two apart", {{19, 0}, {25, 0}}, {}, {19, 25}, 0},
                      Loss{"last but one", {{38, 0}}, {}, {38}, 0},
                      Loss{"last", {{39, 0}}, {}, {32, 39}, 1},
                      Loss{"last twice", {{39, 0}, {39, 1}}, {}, {32, 39, 39}, 2},
                      Loss{"last two", {{38, 0}, {39, 0}}, {}, {32, 38, 39}, 1},
                      Loss{"middle and its SACK", {{19, 0}}, {2}, {19}, 0},
                      Loss{"middle and eight SACKs", {{19, 0}}, {2, 3, 4, 5, 6, 7, 8, 9}, {19}, 0},
                      Loss{"resent", {{19, 0}, {19, 1}}, {}, {19, 19}, 1},
                      Loss{"first ACK", {}, {0}, {}, 0},
                      Loss{"last ACK", {}, {4}, {32}, 1},
                      Loss{"all of them",
                           {{0, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0}, {6, 0}, {7, 0}},
                           {},
                           {0, 1, 2, 3, 4, 5, 6, 7},
                           0}),
    [](const auto& info) {
        std::string name = info.param.name;
        std::replace(name.begin(), name.end(), ' ', '_');
        return name;
    });

TEST(SelectiveRepeat, ReorderingWithinTheToleranceIsNoLoss)
{
    // Each packet may be overtaken by those of the next 7 slots.
    for (const uint32_t tolerance : {1U, 8U})
    {
        std::mt19937 random(3);
        RcRequester::Config config = MakeConfig(RcRecovery::SELECTIVE_REPEAT);
        config.reorderPackets = tolerance;
        ReorderingPipe pipe(config);
        pipe.delay = [&random](const RcPacket&, uint32_t) {
            return ReorderingPipe::DELAY + random() % 8;
        };
        std::vector<uint64_t> tags;
        for (uint64_t tag = 0; tag < 50; ++tag)
        {
            pipe.requester.Post(RcOperation::WRITE, 20 * MTU, tag);
            tags.push_back(tag);
        }
        pipe.Run();
        pipe.ExpectAll(tags, 50 * 20 * MTU);
        EXPECT_EQ(pipe.resent.empty(), tolerance == 8) << tolerance;
        EXPECT_EQ(pipe.naks == 0, tolerance == 8) << tolerance;
        EXPECT_EQ(pipe.timeouts, 0U);
    }
}

TEST(SelectiveRepeat, LossIsFoundAtTheToleranceAndNotBefore)
{
    RcRequester::Config config = MakeConfig(RcRecovery::SELECTIVE_REPEAT);
    config.reorderPackets = 4;
    RcRequester requester;
    requester.Configure(config);
    requester.Post(RcOperation::SEND, 20 * MTU, 0);
    for (uint32_t i = 0; i < 10; ++i)
    {
        requester.Send();
    }
    requester.OnSack(2, 3, 0);
    requester.OnSack(2, 5, 1);
    EXPECT_EQ(requester.GetScoreboard().GetSacked(), 3U);
    EXPECT_FALSE(requester.GetScoreboard().HasHole());
    EXPECT_FALSE(requester.GetScoreboard().IsRecovering());
    requester.OnSack(2, 6, 0);
    EXPECT_TRUE(requester.GetScoreboard().IsRecovering());
    const RcPacket hole = requester.Send();
    EXPECT_EQ(hole.psn, 2U);
    EXPECT_TRUE(hole.ackRequest);
    EXPECT_EQ(hole.opcode, IbOpcode::RC_SEND_MIDDLE) << "a SEND has no address";
    EXPECT_EQ(requester.Peek().psn, 10U) << "each lost packet once, then new ones";
    requester.OnSack(2, 8, 0); // 7 is missing, but only one ahead of it has come
    EXPECT_EQ(requester.Peek().psn, 10U);
    EXPECT_EQ(requester.OnAck(6).packets, 5U);
    EXPECT_TRUE(requester.GetScoreboard().IsRecovering()) << "10 had been sent by then";
    EXPECT_EQ(requester.OnAck(9).packets, 3U);
    EXPECT_FALSE(requester.GetScoreboard().IsRecovering());
}

TEST(SelectiveRepeat, OldAndImpossibleAnswersChangeNothing)
{
    RcRequester requester;
    requester.Configure(MakeConfig(RcRecovery::SELECTIVE_REPEAT));
    requester.Post(RcOperation::WRITE, 10 * MTU, 0);
    for (uint32_t i = 0; i < 5; ++i)
    {
        requester.Send();
    }
    EXPECT_EQ(requester.OnAck(2).packets, 3U);
    EXPECT_EQ(requester.OnSack(1, 2, 0xff).packets, 0U) << "old";
    EXPECT_EQ(requester.OnSack(5, 6, 0).packets, 0U) << "never sent";
    EXPECT_EQ(requester.GetScoreboard().GetSacked(), 0U);
    EXPECT_EQ(requester.Peek().psn, 5U);
    // An old one that tells of a packet which is still open.
    EXPECT_EQ(requester.OnSack(1, 4, 0).packets, 0U);
    EXPECT_EQ(requester.Peek().psn, 3U);
}

TEST(SelectiveRepeat, NoMorePacketsInFlightThanTheCap)
{
    for (const uint32_t cap : {1U, 3U, 7U})
    {
        RcRequester::Config config = MakeConfig(RcRecovery::SELECTIVE_REPEAT);
        config.windowPackets = cap;
        config.ackInterval = 1;
        ReorderingPipe pipe(config);
        pipe.requester.Post(RcOperation::WRITE, 700 * MTU, 0);
        pipe.Run();
        pipe.ExpectAll({0}, 700 * MTU);
        EXPECT_EQ(pipe.maxInFlight, cap);
        // A window per loop of 2 x 5 slots: the last ACK comes in the slot after the last loop.
        EXPECT_EQ(pipe.slot, (700 - 1) / cap * 10 + (700 - 1) % cap + 10 + 1) << cap;
    }
}

TEST(SelectiveRepeat, RandomLossAndReorderingNeverLoseAMessage)
{
    for (uint32_t seed = 0; seed < 60; ++seed)
    {
        std::mt19937 random(seed);
        RcRequester::Config config = MakeConfig(RcRecovery::SELECTIVE_REPEAT);
        config.initialPsn = random() % 2 ? RC_PSN_MODULUS - 100 : 0;
        config.reorderPackets = 1 + random() % 6;
        config.windowPackets = random() % 3 * 10;
        config.retryCount = 255; // three of ten are lost: it takes some
        const uint32_t jitter = 1 + random() % 10;
        const double p = seed % 4 * 0.1;
        std::bernoulli_distribution lost(p);
        ReorderingPipe pipe(config);
        pipe.delay = [&](const RcPacket&, uint32_t) {
            return lost(random) ? 0 : ReorderingPipe::DELAY + random() % jitter;
        };
        pipe.loseAnswer = [&](RcResponder::Answer, uint32_t) { return lost(random); };
        std::vector<uint64_t> tags;
        uint64_t bytes = 0;
        for (uint64_t tag = 0; tag < 30; ++tag)
        {
            const uint64_t length = random() % (12 * MTU);
            const auto operation = static_cast<RcOperation>(random() % 4);
            // Only a WRITE carries its tag.
            const bool write =
                operation == RcOperation::WRITE || operation == RcOperation::WRITE_IMM;
            pipe.requester.Post(operation, length, write ? tag : 0);
            tags.push_back(write ? tag : 0);
            bytes += length;
        }
        pipe.Run();
        pipe.ExpectAll(tags, bytes);
    }
}

TEST(SelectiveRepeat, ReceiverNotReadyForAKeptPacketAsksForItAgain)
{
    RcResponder responder;
    responder.Configure(0, 0, RcRecovery::SELECTIVE_REPEAT);
    auto offer = [&responder](uint32_t psn) {
        return responder.OnPacket(IbOpcode::RC_SEND_ONLY_IMM, psn, 10, true, 0, true, 100 + psn);
    };
    EXPECT_EQ(offer(1).order, RcResponder::Order::KEPT);
    EXPECT_EQ(offer(1).order, RcResponder::Order::DUPLICATE);
    EXPECT_EQ(offer(2).order, RcResponder::Order::KEPT);
    EXPECT_TRUE(responder.HasSack());
    EXPECT_EQ(offer(0).order, RcResponder::Order::EXPECTED);
    ASSERT_TRUE(responder.HasKept());
    EXPECT_EQ(responder.PeekKept().immediate, 101U);
    const auto refused = responder.TakeKept(false);
    EXPECT_EQ(refused.order, RcResponder::Order::REFUSED);
    EXPECT_EQ(refused.answer, RcResponder::Answer::RNR_NAK);
    EXPECT_EQ(responder.GetExpectedPsn(), 1U);
    EXPECT_TRUE(responder.HasGap());
    EXPECT_TRUE(offer(1).messageComplete);
    EXPECT_TRUE(responder.TakeKept(true).messageComplete);
    EXPECT_FALSE(responder.HasKept());
    EXPECT_EQ(responder.GetMessages(), 3U);
    EXPECT_EQ(responder.GetBytes(), 30U);
}

TEST(SelectiveRepeat, SackTellsOfEightPacketsBeforeAndOfALoss)
{
    RcResponder responder;
    responder.Configure(RC_PSN_MODULUS - 2, 0, RcRecovery::SELECTIVE_REPEAT, 3);
    auto offer = [&responder](uint32_t ahead) {
        return responder.OnPacket(IbOpcode::RC_SEND_MIDDLE,
                                  (RC_PSN_MODULUS - 2 + ahead) % RC_PSN_MODULUS,
                                  MTU,
                                  false,
                                  0);
    };
    EXPECT_EQ(offer(1).answer, RcResponder::Answer::SACK);
    RcResponder::Sack sack = responder.TakeSack();
    EXPECT_EQ(sack.psn, RC_PSN_MODULUS - 1);
    EXPECT_EQ(sack.before, 0U);
    EXPECT_FALSE(sack.lost) << "one ahead of the expected one";
    EXPECT_FALSE(responder.HasSack());
    offer(3);
    offer(2); // the answer of 3 has not left: one tells of both
    sack = responder.TakeSack();
    EXPECT_EQ(sack.psn, 1U);
    EXPECT_EQ(sack.before, 0b11U);
    EXPECT_TRUE(sack.lost);
    offer(11);
    EXPECT_EQ(responder.TakeSack().before, 0b10000000U);
    offer(5);
    EXPECT_EQ(offer(0).order, RcResponder::Order::EXPECTED);
    EXPECT_TRUE(responder.HasSack()) << "5 is still out of order";
    while (responder.HasKept())
    {
        responder.TakeKept(true);
    }
    EXPECT_EQ(responder.GetExpectedPsn(), 2U);
    offer(4);
    responder.TakeKept(true);
    responder.TakeKept(true);
    EXPECT_FALSE(responder.HasSack()) << "nothing out of order that was not told of";
}

TEST(GoBackZero, TheWholeMessageIsSentAgain)
{
    ReorderingPipe pipe(MakeConfig(RcRecovery::GO_BACK_ZERO));
    pipe.delay = [](const RcPacket& packet, uint32_t time) {
        return packet.psn == 30 && time == 0 ? 0 : ReorderingPipe::DELAY;
    };
    pipe.requester.Post(RcOperation::WRITE, 20 * MTU, 1);
    pipe.requester.Post(RcOperation::WRITE, 20 * MTU, 2);
    pipe.Run();
    pipe.ExpectAll({1, 2}, 40 * MTU);
    EXPECT_EQ(pipe.resent.size(), 20U);
    EXPECT_EQ(pipe.resent.front(), 20U) << "from the first packet of the second message";
    EXPECT_EQ(pipe.naks, 1U);
    EXPECT_EQ(pipe.timeouts, 0U);
}

TEST(GoBackZero, TailLossAndLostNakRestartByTheTimer)
{
    for (const bool loseNak : {false, true})
    {
        ReorderingPipe pipe(MakeConfig(RcRecovery::GO_BACK_ZERO));
        const uint32_t lost = loseNak ? 30 : 39;
        pipe.delay = [lost](const RcPacket& packet, uint32_t time) {
            return packet.psn == lost && time == 0 ? 0 : ReorderingPipe::DELAY;
        };
        pipe.loseAnswer = [](RcResponder::Answer answer, uint32_t) {
            return answer == RcResponder::Answer::NAK;
        };
        pipe.requester.Post(RcOperation::WRITE, 40 * MTU, 1);
        pipe.Run();
        pipe.ExpectAll({1}, 40 * MTU);
        EXPECT_EQ(pipe.timeouts, 1U);
        EXPECT_EQ(pipe.resent.front(), 0U);
        EXPECT_EQ(pipe.resent.size(), 40U);
    }
}

TEST(GoBackZero, EndlessLossOfTheSamePacketIsALivelock)
{
    // SIGCOMM 2016, section 4.1: one packet in 32 is lost, and a message has 40.
    uint64_t number = 0;
    auto lossy = [&number](const RcPacket&, uint32_t) -> uint64_t {
        return number++ % 32 == 31 ? 0 : ReorderingPipe::DELAY;
    };
    ReorderingPipe zero(MakeConfig(RcRecovery::GO_BACK_ZERO));
    zero.delay = lossy;
    zero.requester.Post(RcOperation::WRITE, 40 * MTU, 1);
    zero.Run(20000);
    EXPECT_TRUE(zero.delivered.empty());
    EXPECT_FALSE(zero.requester.HasFailed()) << "it is busy, not broken";
    EXPECT_GT(zero.sent, 19000U) << "the link is saturated";
    number = 0;
    ReorderingPipe n(MakeConfig(RcRecovery::GO_BACK_N));
    n.delay = lossy;
    n.requester.Post(RcOperation::WRITE, 40 * MTU, 1);
    n.Run(20000);
    EXPECT_EQ(n.delivered, std::vector<uint64_t>{1});
}

TEST(Recovery, ReadNeedsGoBackN)
{
    for (const RcRecovery recovery : {RcRecovery::GO_BACK_ZERO, RcRecovery::SELECTIVE_REPEAT})
    {
        RcRequester requester;
        requester.Configure(MakeConfig(recovery));
        EXPECT_THROW(requester.Post(RcOperation::READ, 100, 0), std::invalid_argument);
        EXPECT_TRUE(requester.IsIdle());
    }
}

TEST(PsnBitmap, IsLikeASet)
{
    for (uint32_t seed = 0; seed < 20; ++seed)
    {
        std::mt19937 random(seed);
        PsnBitmap bitmap;
        uint64_t base = random() % 1000;
        bitmap.Reset(base);
        std::set<uint64_t> expected;
        const uint32_t width = 1 + random() % 300;
        for (uint32_t step = 0; step < 2000; ++step)
        {
            const uint64_t number = base + random() % width;
            if (random() % 4)
            {
                ASSERT_EQ(bitmap.Set(number), expected.insert(number).second);
            }
            else
            {
                base += random() % (random() % 8 ? 5 : 2 * width);
                bitmap.Advance(base);
                expected.erase(expected.begin(), expected.lower_bound(base));
            }
            ASSERT_EQ(bitmap.GetCount(), expected.size());
            ASSERT_EQ(bitmap.GetEnd(), expected.empty() ? bitmap.GetEnd() : *expected.rbegin() + 1);
            const uint64_t from = base + random() % width;
            uint64_t unset = from;
            while (expected.count(unset) && unset < from + 100)
            {
                ++unset;
            }
            ASSERT_EQ(bitmap.FindUnset(from, from + 100), unset);
            ASSERT_EQ(bitmap.Test(from), expected.count(from) > 0);
        }
        EXPECT_LE(bitmap.GetCapacity(), 1024U) << "as wide as the window, not as the numbers";
    }
}

TEST(PsnBitmap, HashIsRelative)
{
    auto hash = [](uint64_t base) {
        PsnBitmap bitmap;
        bitmap.Reset(base);
        for (const uint64_t number : {3, 4, 70, 200})
        {
            bitmap.Set(base + number);
        }
        StateHash state;
        bitmap.HashState(state);
        return state.Get();
    };
    EXPECT_EQ(hash(0), hash(12345));
}

} // namespace
