/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Adaptive routing of InfiniBand switches: flows whose paths by destination collide.

#include "support/end-to-end-rig.h"
#include "support/link-rig.h"

#include "ns3/ib-switch.h"
#include "ns3/random-variable-stream.h"
#include "ns3/test.h"

#include <algorithm>
#include <memory>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t HOSTS = 8;  //!< four at each of two leaves
constexpr uint32_t SPINES = 4; //!< as many as hosts at a leaf: no oversubscription

/** What a run has shown. */
struct Outcome
{
    FabricTick last{0};        //!< when the last message was delivered
    uint64_t retransmitted{0}; //!< packets
    uint64_t outOfSequence{0}; //!< packets
    uint64_t diverted{0};      //!< packets that left the path by destination
};

/** @returns leaf switches */
std::vector<Ptr<IbSwitch>>
GetLeaves(const FabricTopology& topology)
{
    return {DynamicCast<IbSwitch>(FabricHelper::GetSwitch(topology.switches.Get(0))),
            DynamicCast<IbSwitch>(FabricHelper::GetSwitch(topology.switches.Get(1)))};
}

/**
 * Write tables as a subnet manager without luck would: destinations 0 and 1 of a leaf share the
 * first uplink, 2 and 3 the second; the others are idle.
 */
void
MakePathsCollide(const FabricTopology& topology)
{
    const std::vector<Ptr<IbSwitch>> leaves = GetLeaves(topology);
    for (uint32_t host = 0; host < HOSTS; ++host)
    {
        const uint64_t lid =
            DynamicCast<FabricNetDevice>(topology.hostDevices.Get(host))->GetFabricAddress();
        const Ptr<IbSwitch> other = leaves[1 - host / (HOSTS / 2)];
        std::vector<uint16_t> ports = other->GetRoute(lid);
        std::sort(ports.begin(), ports.end());
        // The switch takes entry lid mod 4: turn the list until that is the one wanted.
        const uint32_t wanted = host % (HOSTS / 2) / 2;
        std::rotate(ports.begin(),
                    ports.begin() + (wanted + SPINES - lid % SPINES) % SPINES,
                    ports.end());
        other->SetRoute(lid, ports);
    }
}

/** Base of the cases. */
class AdaptiveCase : public TestCase
{
  public:
    explicit AdaptiveCase(const std::string& what)
        : TestCase(what)
    {
    }

  protected:
    /**
     * @param adaptive route adaptively
     * @param flows how many of the eight hosts send to the host four further on
     * @param slMask service levels that are routed adaptively
     */
    static Outcome Shift(bool adaptive, uint32_t flows, uint16_t slMask = 0xffff)
    {
        const auto helper = endrig::MakeHelper("ib");
        helper->SetSwitchAttribute("AdaptiveRouting", BooleanValue(adaptive));
        helper->SetSwitchAttribute("AdaptiveSlMask", UintegerValue(slMask));
        Outcome outcome;
        {
            endrig::Cluster cluster(*helper, FabricShape::Parse("leaf-spine:2x4x4", HOSTS));
            cluster.CountMessages();
            MakePathsCollide(cluster.m_topology);
            for (uint32_t from = 0; from < flows; ++from)
            {
                cluster.m_transport->Send(from, (from + HOSTS / 2) % HOSTS, 1048576, 0);
            }
            Simulator::Run();
            Read(cluster, outcome);
        }
        Simulator::Destroy();
        return outcome;
    }

    static void Read(const endrig::Cluster& cluster, Outcome& outcome)
    {
        outcome.last = cluster.m_lastDelivered;
        outcome.retransmitted = cluster.Sum(&FabricNicCounters::retransmitted);
        outcome.outOfSequence = cluster.Sum(&FabricNicCounters::outOfSequence);
        for (const Ptr<IbSwitch>& leaf : GetLeaves(cluster.m_topology))
        {
            outcome.diverted +=
                leaf->GetAdaptiveRouter() ? leaf->GetAdaptiveRouter()->GetDiverted() : 0;
        }
    }
};

/** The shift permutation. */
class ShiftCase : public AdaptiveCase
{
  public:
    ShiftCase()
        : AdaptiveCase("a permutation whose paths collide by destination gets the full rate")
    {
    }

  private:
    void DoRun() override
    {
        const Outcome alone = Shift(false, 1);
        const Outcome fixed = Shift(false, HOSTS);
        const Outcome adaptive = Shift(true, HOSTS);
        const Outcome masked = Shift(true, HOSTS, 0xfffe);
        // Two flows share an uplink: the serialization of a message counts twice.
        const auto wire = static_cast<double>(256 * (4096 + 26) + 16) * 20 / 1000; // ns
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(fixed.last - alone.last),
                                  wire,
                                  0.01 * wire,
                                  "by destination: half the rate");
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(adaptive.last),
                                  static_cast<double>(alone.last),
                                  0.005 * static_cast<double>(alone.last),
                                  "adaptive: as if alone");
        NS_TEST_EXPECT_MSG_GT(adaptive.diverted, 0U, "other paths are used");
        NS_TEST_EXPECT_MSG_EQ(adaptive.retransmitted, 0U, "in order");
        NS_TEST_EXPECT_MSG_EQ(adaptive.outOfSequence, 0U, "in order");
        NS_TEST_EXPECT_MSG_EQ(masked.last, fixed.last, "not this service level");
        NS_TEST_EXPECT_MSG_EQ(masked.diverted, 0U, "not this service level");
    }
};

/** Every host sends messages to the hosts of the other leaf, one after the other. */
class MessagesCase : public AdaptiveCase
{
  public:
    MessagesCase()
        : AdaptiveCase("message after message: in order without retransmission, and sooner")
    {
    }

  private:
    void SendNext(uint32_t from)
    {
        if (m_left[from]-- > 0)
        {
            // Another leaf, so that there is a choice: the next host of it, or any.
            const uint32_t other = from < HOSTS / 2 ? HOSTS / 2 : 0;
            const uint32_t next = m_isRandom ? m_random->GetInteger(0, HOSTS / 2 - 1)
                                             : (from + m_left[from]) % (HOSTS / 2);
            const uint32_t to = other + next;
            m_cluster->m_transport->Send(from, to, 65536, 0);
        }
    }

    void Sent(uint32_t from, uint32_t /* to */, uint64_t /* tag */)
    {
        SendNext(from);
    }

    Outcome Run(bool adaptive, bool isRandom)
    {
        const auto helper = endrig::MakeHelper("ib");
        helper->SetSwitchAttribute("AdaptiveRouting", BooleanValue(adaptive));
        m_isRandom = isRandom;
        m_random = CreateObject<UniformRandomVariable>();
        m_random->SetStream(7);
        m_left.assign(HOSTS, 200);
        m_cluster =
            std::make_unique<endrig::Cluster>(*helper,
                                              FabricShape::Parse("leaf-spine:2x4x4", HOSTS));
        m_cluster->CountMessages();
        m_cluster->m_transport->SetSentCallback(MakeCallback(&MessagesCase::Sent, this));
        MakePathsCollide(m_cluster->m_topology);
        for (uint32_t from = 0; from < HOSTS; ++from)
        {
            SendNext(from);
        }
        Simulator::Run();
        Outcome outcome;
        Read(*m_cluster, outcome);
        NS_TEST_EXPECT_MSG_EQ(m_cluster->m_deliveredCount, 200 * HOSTS, "all arrive");
        NS_TEST_EXPECT_MSG_EQ(m_cluster->GetTotals().losslessDrops, 0U, "no loss");
        m_cluster.reset();
        m_random = nullptr;
        Simulator::Destroy();
        return outcome;
    }

    void DoRun() override
    {
        const Outcome fixed = Run(false, false);
        const Outcome adaptive = Run(true, false);
        const Outcome again = Run(true, false);
        NS_TEST_EXPECT_MSG_LT(static_cast<double>(adaptive.last),
                              0.8 * static_cast<double>(fixed.last),
                              "idle uplinks are used");
        NS_TEST_EXPECT_MSG_EQ(fixed.outOfSequence, 0U, "one path");
        NS_TEST_EXPECT_MSG_EQ(adaptive.outOfSequence, 0U, "in order");
        NS_TEST_EXPECT_MSG_EQ(adaptive.retransmitted, 0U, "in order");
        NS_TEST_EXPECT_MSG_EQ(again.last, adaptive.last, "the same again");
        NS_TEST_EXPECT_MSG_EQ(again.diverted, adaptive.diverted, "the same again");
        // Receivers that several hosts send to at once: queues behind the spines differ.
        const Outcome fixedRandom = Run(false, true);
        const Outcome random = Run(true, true);
        NS_TEST_EXPECT_MSG_LT(random.last, fixedRandom.last, "idle uplinks are used");
        NS_TEST_EXPECT_MSG_EQ(random.outOfSequence, 0U, "in order by the default gap");
        NS_TEST_EXPECT_MSG_EQ(random.retransmitted, 0U, "in order by the default gap");
    }

    std::unique_ptr<endrig::Cluster> m_cluster; //!< the hosts
    Ptr<UniformRandomVariable> m_random;        //!< receivers
    bool m_isRandom{false};                     //!< receivers are drawn; otherwise in turn
    std::vector<int32_t> m_left;                //!< messages to send, by host
};

/** A29: every packet on its own. */
class PerPacketCase : public AdaptiveCase
{
  public:
    PerPacketCase()
        : AdaptiveCase("per packet: full rate even if one path was chosen for all")
    {
    }

  private:
    /** @returns goodput of the slowest of four flows in bits per second */
    double Slowest(bool adaptive)
    {
        const auto helper = linkrig::MakeHelper("ib", "400Gbps");
        helper->SetSwitchAttribute("AdaptiveRouting", BooleanValue(adaptive));
        helper->SetSwitchAttribute("AdaptiveInOrder", BooleanValue(false));
        const FabricTopology topology = FabricTopologyHelper(*helper).CreateLeafSpine(2, 4, 4);
        MakePathsCollide(topology);
        constexpr uint64_t FRAMES = 3000;
        std::vector<std::unique_ptr<linkrig::Blaster>> senders;
        std::vector<std::unique_ptr<linkrig::Counter>> receivers;
        for (uint32_t i = 0; i < HOSTS / 2; ++i)
        {
            const auto from = DynamicCast<FabricNetDevice>(topology.hostDevices.Get(i));
            const auto to = DynamicCast<FabricNetDevice>(topology.hostDevices.Get(i + HOSTS / 2));
            receivers.push_back(std::make_unique<linkrig::Counter>(to));
            senders.push_back(
                std::make_unique<linkrig::Blaster>(from, to->GetFabricAddress(), 4096, FRAMES));
            senders.back()->Start();
        }
        Simulator::Run();
        double slowest = 1e12;
        for (const auto& receiver : receivers)
        {
            NS_TEST_EXPECT_MSG_EQ(receiver->frames, FRAMES, "all arrive");
            slowest = std::min(slowest, receiver->Goodput(500, FRAMES - 1, 4096));
        }
        Simulator::Destroy();
        return slowest;
    }

    void DoRun() override
    {
        const double full = 400e9 * 4096 / (4096 + 26);
        NS_TEST_EXPECT_MSG_EQ_TOL(Slowest(false), full / 2, 0.01 * full, "two flows on one uplink");
        NS_TEST_EXPECT_MSG_EQ_TOL(Slowest(true), full, 0.01 * full, "all uplinks");
    }
};

/** The suite. */
class AdaptiveRoutingTestSuite : public TestSuite
{
  public:
    AdaptiveRoutingTestSuite()
        : TestSuite("ai-fabric-adaptive-routing", TestSuite::Type::UNIT)
    {
        AddTestCase(new ShiftCase);
        AddTestCase(new MessagesCase);
        AddTestCase(new PerPacketCase);
    }
};

AdaptiveRoutingTestSuite g_adaptiveRoutingTestSuite; //!< registers the suite

} // namespace
