/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// RDMA READ as pure logic: the two ends over a pipe that loses what it is told to lose, in order.

#include "ns3/ib-opcode.h"
#include "ns3/rc-read-responder.h"
#include "ns3/rc-requester.h"
#include "ns3/rc-responder.h"

#include <deque>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t MTU = 1024; //!< bytes

/** One connection over two pipes; time is counted in packet slots. */
class ReadPipe
{
  public:
    /** Decides what is lost. Arguments: opcode, PSN counted from the first one, how often a packet
     * with this opcode and PSN has been sent before. */
    using Loss = std::function<bool(uint8_t, uint32_t, uint32_t)>;

    explicit ReadPipe(const RcRequester::Config& config)
        : m_config(config)
    {
        requester.Configure(config);
        responder.Configure(config.initialPsn, config.ackInterval);
        reads.Configure(config.mtu, config.maxReads);
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
            while (!m_back.empty() && m_back.front().slot <= slot)
            {
                const Flying flying = m_back.front();
                m_back.pop_front();
                progress = TakeBack(flying) || progress;
                while (requester.HasCompleted())
                {
                    completed.push_back(requester.TakeCompleted().tag);
                }
            }
            while (!m_there.empty() && m_there.front().slot <= slot)
            {
                const RcPacket packet = m_there.front().packet;
                m_there.pop_front();
                Receive(packet);
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
            Answer(slot);
            if (requester.HasPacket())
            {
                const RcPacket packet = requester.Send();
                requests += packet.opcode == IbOpcode::RC_READ_REQUEST;
                if (packet.opcode == IbOpcode::RC_READ_REQUEST)
                {
                    asked.push_back({packet.tag, packet.messageBytes});
                }
                if (!IsLost(packet.opcode, packet.psn))
                {
                    m_there.push_back({slot + DELAY, packet, false});
                }
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
    static constexpr uint64_t MAX_SLOTS = 2000000; //!< give up

    RcRequester requester;
    RcResponder responder;
    RcReadResponder reads;
    Loss lose = [](uint8_t, uint32_t, uint32_t) { return false; };
    std::vector<uint64_t> completed;                  //!< tags, at the requester
    std::vector<std::pair<uint64_t, uint64_t>> asked; //!< address and length of READ requests
    std::vector<uint8_t> opcodes;                     //!< of responses
    uint64_t accepted{0};                             //!< payload bytes of READs
    uint64_t requests{0};                             //!< READ requests sent
    uint64_t responses{0};                            //!< sent
    uint64_t acks{0};                                 //!< sent
    uint64_t timeouts{0};                             //!< of the requester

  private:
    struct Flying
    {
        uint64_t slot;
        RcPacket packet;
        bool nak;
    };

    bool IsLost(uint8_t opcode, uint32_t psn)
    {
        const uint32_t number = (psn - m_config.initialPsn) % RC_PSN_MODULUS;
        uint32_t& times = m_times[{opcode, number}];
        return lose(opcode, number, times++);
    }

    bool TakeBack(const Flying& flying)
    {
        const RcPacket& packet = flying.packet;
        if (packet.opcode == IbOpcode::RC_ACK)
        {
            const auto result =
                flying.nak ? requester.OnNak(packet.psn) : requester.OnAck(packet.psn);
            return result.packets;
        }
        const auto result = requester.OnReadResponse(packet.psn);
        accepted += result.accepted ? packet.payload : 0;
        return result.packets;
    }

    void Receive(const RcPacket& packet)
    {
        if (packet.opcode == IbOpcode::RC_READ_REQUEST)
        {
            const bool repeated = responder.IsDuplicate(packet.psn);
            if (repeated)
            {
                reads.Forget(packet.psn);
            }
            ASSERT_TRUE(reads.HasRoom());
            const auto count =
                static_cast<uint32_t>(RcRequester::CountPackets(packet.messageBytes, MTU));
            const auto result = responder.OnReadRequest(packet.psn, count, true);
            if (result.answer != RcResponder::Answer::NONE)
            {
                m_due = result.answer;
            }
            else if (result.order != RcResponder::Order::LATER)
            {
                reads.Add(packet.psn, static_cast<uint32_t>(packet.messageBytes), repeated);
            }
            return;
        }
        const auto result = responder.OnPacket(packet.opcode,
                                               packet.psn,
                                               packet.payload,
                                               packet.ackRequest,
                                               packet.tag);
        if (result.answer != RcResponder::Answer::NONE)
        {
            m_due = result.answer;
        }
    }

    /** Send a response or, if none is owed, an ACK or NAK that is. */
    void Answer(uint64_t slot)
    {
        RcPacket packet;
        bool nak = false;
        if (reads.HasPacket())
        {
            packet = reads.Send();
            opcodes.push_back(packet.opcode);
            ++responses;
        }
        else if (m_due != RcResponder::Answer::NONE)
        {
            nak = m_due == RcResponder::Answer::NAK && responder.HasGap();
            packet.opcode = IbOpcode::RC_ACK;
            packet.psn = nak ? responder.GetExpectedPsn() : responder.GetAckPsn();
            m_due = RcResponder::Answer::NONE;
            ++acks;
        }
        else
        {
            return;
        }
        if (!IsLost(packet.opcode, packet.psn))
        {
            m_back.push_back({slot + DELAY, packet, nak});
        }
    }

    RcRequester::Config m_config;
    std::deque<Flying> m_there;
    std::deque<Flying> m_back;
    std::map<std::pair<uint8_t, uint32_t>, uint32_t> m_times;
    RcResponder::Answer m_due{RcResponder::Answer::NONE};
};

RcRequester::Config
MakeConfig(uint32_t initialPsn = 0)
{
    RcRequester::Config config;
    config.mtu = MTU;
    config.ackInterval = 8;
    config.initialPsn = initialPsn;
    return config;
}

constexpr uint8_t REQUEST = IbOpcode::RC_READ_REQUEST;
constexpr uint8_t FIRST = IbOpcode::RC_READ_RESPONSE_FIRST;
constexpr uint8_t MIDDLE = IbOpcode::RC_READ_RESPONSE_MIDDLE;
constexpr uint8_t LAST = IbOpcode::RC_READ_RESPONSE_LAST;
constexpr uint8_t ONLY = IbOpcode::RC_READ_RESPONSE_ONLY;

TEST(RcRead, RequestTakesThePsnsOfItsResponses)
{
    RcRequester requester;
    requester.Configure(MakeConfig(0xfffffe));
    requester.Post(RcOperation::WRITE, 1, 0x10);
    requester.Post(RcOperation::READ, 3 * MTU + 5, 0x2000);
    requester.Post(RcOperation::SEND, 1, 0);
    EXPECT_EQ(requester.Send().psn, 0xfffffeU);
    const RcPacket request = requester.Send();
    EXPECT_EQ(request.opcode, REQUEST);
    EXPECT_EQ(request.psn, 0xffffffU);
    EXPECT_EQ(request.payload, 0U);
    EXPECT_EQ(request.tag, 0x2000U);
    EXPECT_EQ(request.messageBytes, 3 * MTU + 5);
    EXPECT_TRUE(requester.IsAwaitingAck());
    // 0xffffff, 0, 1, 2 are those of the responses.
    EXPECT_EQ(requester.Send().psn, 3U);

    // A response acknowledges what comes before it.
    EXPECT_EQ(requester.OnReadResponse(0xffffff).packets, 2U);
    EXPECT_EQ(requester.TakeCompleted().tag, 0x10U);
    EXPECT_FALSE(requester.HasCompleted());
    for (const uint32_t psn : {0, 1})
    {
        EXPECT_TRUE(requester.OnReadResponse(psn).accepted);
        EXPECT_FALSE(requester.HasCompleted());
    }
    EXPECT_FALSE(requester.OnReadResponse(1).accepted) << "a duplicate";
    EXPECT_FALSE(requester.OnReadResponse(3).accepted) << "the PSN of a SEND";
    EXPECT_TRUE(requester.OnReadResponse(2).accepted);
    EXPECT_EQ(requester.TakeCompleted().tag, 0x2000U);
    EXPECT_EQ(requester.OnAck(3).packets, 1U);
    EXPECT_TRUE(requester.IsIdle());
    EXPECT_EQ(requester.GetPostedBytes(), 2U) << "what is read is not sent";
}

TEST(RcRead, ResponsesByLength)
{
    const std::vector<std::pair<uint32_t, std::vector<uint8_t>>> cases{
        {0, {ONLY}},
        {1, {ONLY}},
        {MTU, {ONLY}},
        {MTU + 1, {FIRST, LAST}},
        {3 * MTU, {FIRST, MIDDLE, LAST}},
        {4 * MTU + 7, {FIRST, MIDDLE, MIDDLE, MIDDLE, LAST}}};
    for (const auto& [bytes, opcodes] : cases)
    {
        RcReadResponder reads;
        reads.Configure(MTU, 1);
        reads.Add(0xffffff, bytes, false);
        EXPECT_FALSE(reads.HasRoom());
        uint32_t psn = 0xffffff;
        uint32_t sum = 0;
        for (const uint8_t opcode : opcodes)
        {
            ASSERT_TRUE(reads.HasPacket());
            const RcPacket packet = reads.Send();
            EXPECT_EQ(packet.opcode, opcode);
            EXPECT_EQ(packet.psn, psn);
            EXPECT_FALSE(packet.retransmission);
            psn = (psn + 1) & 0xffffff;
            sum += packet.payload;
        }
        EXPECT_FALSE(reads.HasPacket());
        EXPECT_EQ(sum, bytes);
    }
}

TEST(RcRead, DuplicateRequestReplacesWhatIsOwedFromThereOn)
{
    RcReadResponder reads;
    reads.Configure(MTU, 16);
    reads.Add(0xfffff0, 4 * MTU, false);  // ..0xfffff3
    reads.Add(0xfffff4, 20 * MTU, false); // ..7
    reads.Add(8, 1, false);
    reads.Send();
    reads.Forget(2); // in the second one
    reads.Add(2, 6 * MTU, true);
    std::vector<uint32_t> psns;
    std::vector<bool> repeated;
    while (reads.HasPacket())
    {
        const RcPacket packet = reads.Send();
        psns.push_back(packet.psn);
        repeated.push_back(packet.retransmission);
    }
    EXPECT_EQ(psns, (std::vector<uint32_t>{0xfffff1, 0xfffff2, 0xfffff3, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(repeated,
              (std::vector<bool>{false, false, false, true, true, true, true, true, true}));
}

TEST(RcRead, NoMoreUnderWayThanAllowed)
{
    RcRequester::Config config = MakeConfig();
    config.maxReads = 2;
    RcRequester requester;
    requester.Configure(config);
    for (uint32_t i = 0; i < 4; ++i)
    {
        requester.Post(RcOperation::READ, 2 * MTU, i);
    }
    requester.Send();
    requester.Send();
    EXPECT_FALSE(requester.HasPacket());
    requester.OnReadResponse(0);
    EXPECT_FALSE(requester.HasPacket());
    requester.OnReadResponse(1);
    ASSERT_TRUE(requester.HasPacket());
    EXPECT_EQ(requester.Send().psn, 4U);
    EXPECT_FALSE(requester.HasPacket());
    // Both are asked for again, the first of them from its second packet on.
    requester.OnReadResponse(2);
    EXPECT_TRUE(requester.OnTimeout());
    RcPacket packet = requester.Send();
    EXPECT_EQ(packet.psn, 3U);
    EXPECT_EQ(packet.tag, 1 + MTU);
    EXPECT_EQ(packet.messageBytes, MTU);
    EXPECT_TRUE(packet.retransmission);
    EXPECT_EQ(requester.Send().psn, 4U);
    EXPECT_FALSE(requester.HasPacket());
}

TEST(RcRead, LongestIsHalfThePsns)
{
    RcRequester::Config config = MakeConfig();
    config.mtu = 256;
    RcRequester requester;
    requester.Configure(config);
    requester.Post(RcOperation::WRITE, 1, 0);
    requester.Post(RcOperation::READ, RC_MAX_READ_BYTES, 0);
    requester.Send();
    EXPECT_FALSE(requester.HasPacket()) << "2^23 + 1 PSNs";
    requester.OnAck(0);
    EXPECT_TRUE(requester.HasPacket());
    EXPECT_THROW(requester.Post(RcOperation::READ, RC_MAX_READ_BYTES + 1, 0),
                 std::invalid_argument);
}

/** A single loss, and exactly what it must cost. */
struct Loss
{
    std::string name;
    std::vector<std::tuple<uint8_t, uint32_t, uint32_t>> lost; //!< opcode, PSN, which time
    uint64_t timeouts;                                         //!< expected
    uint64_t requests;                                         //!< expected, of 2 READs
    uint64_t responses;                                        //!< expected, of 22
    uint32_t askedAgain; //!< packet of the first READ from which it is asked again; 99: not
};

class ReadLoss : public ::testing::TestWithParam<std::tuple<Loss, uint32_t>>
{
};

TEST_P(ReadLoss, CompletesOnce)
{
    const auto& [loss, initialPsn] = GetParam();
    ReadPipe pipe(MakeConfig(initialPsn));
    pipe.lose = [&loss = loss](uint8_t opcode, uint32_t psn, uint32_t time) {
        for (const auto& entry : loss.lost)
        {
            if (entry == std::make_tuple(opcode, psn, time))
            {
                return true;
            }
        }
        return false;
    };
    pipe.requester.Post(RcOperation::READ, 20 * MTU, 0x100000); // PSN 0..19
    pipe.requester.Post(RcOperation::READ, MTU + 3, 0x200000);  // 20, 21
    pipe.requester.Post(RcOperation::WRITE, 5, 0x300000);       // 22
    pipe.Run();
    EXPECT_EQ(pipe.completed, (std::vector<uint64_t>{0x100000, 0x200000, 0x300000}));
    EXPECT_EQ(pipe.accepted, 21 * MTU + 3);
    EXPECT_EQ(pipe.timeouts, loss.timeouts);
    EXPECT_EQ(pipe.requests, loss.requests);
    EXPECT_EQ(pipe.responses, loss.responses);
    bool again = false;
    for (std::size_t i = 2; i < pipe.asked.size(); ++i)
    {
        again = again || pipe.asked[i] == std::make_pair(uint64_t{0x100000} + loss.askedAgain * MTU,
                                                         uint64_t{20 - loss.askedAgain} * MTU);
    }
    EXPECT_EQ(again, loss.askedAgain != 99);
}

// The loop has 2 x 5 slots. The response after a lost one n leaves in slot n + 1 and arrives in
// slot n + 6, in which n is asked for again; until that arrives, n + 10 has left: 11 responses, n
// included, are sent twice (fewer at the end). If what is asked for again is lost, everything after
// it is ignored until the timer expires, and sent once more.
INSTANTIATE_TEST_SUITE_P(
    OfEachKind,
    ReadLoss,
    ::testing::Combine(
        ::testing::Values(
            Loss{"nothing", {}, 0, 2, 22, 99},
            Loss{"request", {{REQUEST, 0, 0}}, 0, 4, 22, 0},
            Loss{"first response", {{FIRST, 0, 0}}, 0, 4, 33, 0},
            Loss{"middle response", {{MIDDLE, 7, 0}}, 0, 4, 33, 7},
            Loss{"last response", {{LAST, 19, 0}}, 0, 4, 25, 19},
            Loss{"middle and what is asked again", {{MIDDLE, 7, 0}, {FIRST, 7, 0}}, 1, 6, 48, 7},
            Loss{"middle and the new request", {{MIDDLE, 7, 0}, {REQUEST, 7, 0}}, 1, 6, 37, 7},
            Loss{"last of all", {{LAST, 21, 0}}, 0, 3, 23, 99},
            Loss{"ACK behind", {{IbOpcode::RC_ACK, 22, 0}}, 1, 2, 22, 99}),
        ::testing::Values(0, RC_PSN_MODULUS - 1, RC_PSN_MODULUS - 8, RC_PSN_MODULUS - 20)),
    [](const auto& info) {
        std::string name = std::get<0>(info.param).name;
        for (char& c : name)
        {
            c = c == ' ' ? '_' : c;
        }
        return name + "_" + std::to_string(std::get<1>(info.param));
    });

/** Loss probability in percent, initial PSN. */
class ReadRandomLoss : public ::testing::TestWithParam<std::tuple<uint32_t, uint32_t>>
{
};

TEST_P(ReadRandomLoss, MixOfVerbsCompletesInOrder)
{
    const auto [percent, initialPsn] = GetParam();
    for (uint32_t seed = 1; seed <= 30; ++seed)
    {
        RcRequester::Config config = MakeConfig(initialPsn);
        config.maxReads = 1 + seed % 4;
        ReadPipe pipe(config);
        std::mt19937 random(seed);
        pipe.lose = [&random, percent = percent](uint8_t, uint32_t, uint32_t) {
            return random() % 100 < percent;
        };
        std::vector<uint64_t> tags;
        uint64_t read = 0;
        uint64_t sent = 0;
        for (uint64_t i = 0; i < 40; ++i)
        {
            const uint64_t bytes = random() % 4 == 0 ? 0 : random() % (12 * MTU);
            const uint64_t tag = i << 32;
            const uint32_t kind = random() % 3;
            tags.push_back(tag);
            (kind == 0 ? read : sent) += bytes;
            pipe.requester.Post(kind == 0   ? RcOperation::READ
                                : kind == 1 ? RcOperation::SEND
                                            : RcOperation::WRITE_IMM,
                                bytes,
                                tag);
        }
        pipe.Run();
        ASSERT_FALSE(pipe.requester.HasFailed()) << "seed " << seed;
        EXPECT_EQ(pipe.completed, tags);
        EXPECT_EQ(pipe.accepted, read);
        EXPECT_EQ(pipe.responder.GetBytes(), sent);
        EXPECT_EQ(pipe.responder.GetMsn(), 40U);
    }
}

INSTANTIATE_TEST_SUITE_P(Rates,
                         ReadRandomLoss,
                         ::testing::Combine(::testing::Values(0, 1, 8),
                                            ::testing::Values(0, RC_PSN_MODULUS - 50)));

TEST(RcRead, LostForGoodMeansFailed)
{
    RcRequester::Config config = MakeConfig();
    config.retryCount = 3;
    ReadPipe pipe(config);
    pipe.lose = [](uint8_t opcode, uint32_t, uint32_t) { return opcode == ONLY; };
    pipe.requester.Post(RcOperation::READ, 5, 1);
    pipe.Run();
    EXPECT_TRUE(pipe.requester.HasFailed());
    EXPECT_EQ(pipe.timeouts, 4U);
    EXPECT_EQ(pipe.requests, 4U);
    EXPECT_EQ(pipe.requester.GetMessages(), 1U);
    EXPECT_EQ(pipe.requester.TakeFailed().tag, 1U);
}

TEST(RcRead, StateTellsReadsApart)
{
    const auto hash = [](uint64_t bytes, uint32_t responses) {
        RcRequester requester;
        requester.Configure(MakeConfig());
        requester.Post(RcOperation::READ, bytes, 0);
        requester.Post(RcOperation::WRITE, 1, 0);
        requester.Send();
        for (uint32_t psn = 0; psn < responses; ++psn)
        {
            requester.OnReadResponse(psn);
        }
        StateHash state;
        requester.HashState(state);
        return state.Get();
    };
    EXPECT_EQ(hash(4 * MTU, 0), hash(4 * MTU, 0));
    EXPECT_NE(hash(4 * MTU, 0), hash(5 * MTU, 0));
    EXPECT_NE(hash(4 * MTU, 0), hash(4 * MTU, 1));
    EXPECT_EQ(hash(5 * MTU, 1), hash(4 * MTU, 0)) << "what is over does not matter";

    const auto owed = [](uint32_t bytes, uint32_t sent) {
        RcReadResponder reads;
        reads.Configure(MTU, 4);
        reads.Add(17 * bytes, bytes, false);
        for (uint32_t i = 0; i < sent; ++i)
        {
            reads.Send();
        }
        StateHash state;
        reads.HashState(state);
        return state.Get();
    };
    EXPECT_EQ(owed(4 * MTU, 1), owed(5 * MTU, 2));
    EXPECT_NE(owed(4 * MTU, 1), owed(3 * MTU, 0)) << "first and middle";
    EXPECT_NE(owed(4 * MTU, 0), owed(5 * MTU, 0));
}

} // namespace
