/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Random InfiniBand fabrics under random traffic of all verbs: every byte comes in exactly once and
// in order, nothing is lost, and the credits of every lane of every link add up at every instant.

#include "support/audited-flow-control.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/fabric-switch.h"
#include "ns3/ib-helper.h"
#include "ns3/rdma-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(AuditedFlowControl);

} // namespace ns3

using namespace ns3;

namespace
{

using Random = std::mt19937; //!< the same on every machine

/** @returns one of the items */
template <typename T>
T
Pick(Random& random, const std::vector<T>& items)
{
    return items[random() % items.size()];
}

/** A tree of switches, some of them with several cables between them, and hosts at each. */
class RandomFabric
{
  public:
    explicit RandomFabric(uint32_t number)
    {
        Random random(number);
        mtu = 256U << number % 5; // each of the five twice in ten fabrics
        lanes = Pick<uint32_t>(random, {1, 2, 4, 8, 15});
        m_helper.SetFlowControl("ns3::AuditedFlowControl");
        m_helper.SetDeviceAttribute("IbMtu", UintegerValue(mtu));
        m_helper.SetFlowControlAttribute("DataLanes", UintegerValue(lanes));
        // From a single packet to more than credits can say (2,048 blocks).
        const uint32_t packet = (mtu + 46 + 63) / 64 * 64;
        m_helper.SetFlowControlAttribute(
            "BufferBytes",
            UintegerValue(Pick<uint32_t>(random, {packet, 2 * packet + 64, 9 * packet, 200000})));
        m_helper.SetFlowControlAttribute(
            "CreditUpdate",
            StringValue(Pick<std::string>(random, {"EveryRelease", "Interval"})));
        m_helper.SetSwitchAttribute("CutThrough", BooleanValue(random() % 2));
        m_helper.SetSwitchAttribute("Latency", TimeValue(NanoSeconds(random() % 300)));
        switches.Create(1 + random() % 5);
        for (uint32_t i = 0; i < switches.GetN(); ++i)
        {
            m_helper.InstallSwitch(switches.Get(i));
        }
        for (uint32_t i = 1; i < switches.GetN(); ++i)
        {
            const Ptr<Node> other = switches.Get(random() % i);
            for (uint32_t cables = 1 + random() % 3; cables; --cables)
            {
                Cable(random, switches.Get(i), other);
            }
        }
        for (uint32_t i = 0; i < switches.GetN(); ++i)
        {
            NodeContainer own(1 + random() % 3 + (switches.GetN() == 1));
            for (uint32_t h = 0; h < own.GetN(); ++h)
            {
                Cable(random, own.Get(h), switches.Get(i));
            }
            hosts.Add(own);
        }
        m_helper.Configure(switches);
    }

    NodeContainer switches; //!< a tree
    NodeContainer hosts;    //!< at least two
    uint32_t mtu;           //!< bytes
    uint32_t lanes;         //!< data lanes

  private:
    void Cable(Random& random, const Ptr<Node>& a, const Ptr<Node>& b)
    {
        // 1x..12x of several generations
        const auto gbps = Pick<uint64_t>(random, {8, 25, 100, 200, 400});
        m_helper.SetDeviceAttribute("DataRate", DataRateValue(DataRate(gbps * 1000000000)));
        m_helper.SetChannelAttribute("Delay", TimeValue(NanoSeconds(random() % 1500)));
        m_helper.Install(a, b);
    }

    IbHelper m_helper; //!< installs
};

/** Connections and datagrams between random hosts, and what comes of them. */
class RandomTraffic
{
  public:
    RandomTraffic(const RandomFabric& fabric, uint32_t seed)
        : m_fabric(fabric),
          m_random(seed)
    {
        for (uint32_t i = 0; i < 8; ++i)
        {
            AddConnection();
            AddDatagrams();
        }
        for (uint32_t i = 0; i < 60; ++i)
        {
            Simulator::Schedule(NanoSeconds(m_random() % 200000), &AuditedFlowControl::AuditAll);
        }
    }

    /** @returns what went wrong; empty if nothing did */
    std::string GetComplaint() const
    {
        std::string complaint = AuditedFlowControl::GetComplaint(); // the cause, if there is one
        if (complaint.empty())
        {
            complaint = m_complaint;
        }
        for (const auto& [queuePair, expected] : m_expected)
        {
            if (!expected.empty() && complaint.empty())
            {
                complaint = std::to_string(expected.size()) + " messages have not come in";
            }
        }
        return complaint;
    }

    /** @returns bytes that have come in, exactly once each */
    uint64_t GetBytes() const
    {
        return m_bytes;
    }

    /** @returns bytes posted */
    uint64_t GetPosted() const
    {
        return m_posted;
    }

  private:
    /** A message that must come in. */
    struct Expected
    {
        uint64_t id;
        uint64_t bytes;
        uint64_t tag;
    };

    uint64_t PickSize()
    {
        const uint64_t mtu = m_fabric.mtu;
        switch (m_random() % 12)
        {
        case 0:
            return 0;
        case 1:
            return mtu - 1 + m_random() % 3;
        case 2:
            return 300 * mtu + m_random() % mtu; // huge
        case 3:
        case 4:
            return m_random() % (40 * mtu);
        default:
            return m_random() % 3000;
        }
    }

    std::pair<Ptr<Node>, Ptr<Node>> PickHosts()
    {
        const uint32_t from = m_random() % m_fabric.hosts.GetN();
        const uint32_t to =
            (from + 1 + m_random() % (m_fabric.hosts.GetN() - 1)) % m_fabric.hosts.GetN();
        return {m_fabric.hosts.Get(from), m_fabric.hosts.Get(to)};
    }

    void AddConnection()
    {
        const auto [from, to] = PickHosts();
        ObjectFactory factory("ns3::RcQueuePair");
        factory.Set("ServiceLevel", UintegerValue(m_random() % 16));
        factory.Set("AckInterval", UintegerValue(m_random() % 20));
        factory.Set("MaxRdAtomic", UintegerValue(1 + m_random() % 4));
        factory.Set("InitialPsn", UintegerValue(RC_PSN_MODULUS - 1 - m_random() % 300));
        factory.Set("TimeoutExponent", UintegerValue(0)); // nothing is lost, so no timer may help
        const auto a = factory.Create<RcQueuePair>();
        const auto b = factory.Create<RcQueuePair>();
        RdmaHelper::GetNic(from)->AddQueuePair(a);
        RdmaHelper::GetNic(to)->AddQueuePair(b);
        FabricNic::Connect(a, b);
        for (const Ptr<RcQueuePair>& end : {a, b})
        {
            end->SetDeliveredCallback(MakeCallback(&RandomTraffic::Delivered, this));
            end->SetAckedCallback(MakeCallback(&RandomTraffic::Acked, this));
            end->SetErrorCallback(MakeCallback(&RandomTraffic::Failed, this));
        }
        for (uint32_t i = 4 + m_random() % 6; i; --i)
        {
            const bool back = m_random() % 3 == 0;
            const auto operation = Pick<RcOperation>(m_random,
                                                     {RcOperation::WRITE,
                                                      RcOperation::SEND,
                                                      RcOperation::READ,
                                                      RcOperation::READ,
                                                      RcOperation::WRITE_IMM,
                                                      RcOperation::SEND_IMM});
            Simulator::Schedule(NanoSeconds(m_random() % 100000),
                                &RandomTraffic::Post,
                                this,
                                back ? b : a,
                                back ? a : b,
                                PickSize(),
                                operation);
        }
    }

    void Post(Ptr<RcQueuePair> end, Ptr<RcQueuePair> peer, uint64_t bytes, RcOperation operation)
    {
        const uint64_t tag = ++m_tags;
        m_posted += bytes;
        const uint64_t id = end->Post(bytes, tag, operation);
        // It comes in at the peer, what is read at this end. Either is told in order.
        const bool hasTag = operation == RcOperation::WRITE || operation == RcOperation::WRITE_IMM;
        if (operation != RcOperation::READ)
        {
            m_expected[peer].push_back({id, bytes, hasTag ? tag : 0});
        }
        m_unacked[end].push_back({id, bytes, tag});
        m_isRead[tag] = operation == RcOperation::READ;
    }

    void AddDatagrams()
    {
        const auto [from, to] = PickHosts();
        ObjectFactory factory("ns3::UdQueuePair");
        factory.Set("ServiceLevel", UintegerValue(m_random() % 16));
        const auto a = factory.Create<UdQueuePair>();
        const auto b = factory.Create<UdQueuePair>();
        RdmaHelper::GetNic(from)->AddQueuePair(a);
        RdmaHelper::GetNic(to)->AddQueuePair(b);
        b->SetReceivedCallback(MakeCallback(&RandomTraffic::ReceivedDatagram, this));
        for (uint32_t i = m_random() % 20; i; --i)
        {
            Simulator::Schedule(NanoSeconds(m_random() % 100000),
                                &RandomTraffic::PostDatagram,
                                this,
                                a,
                                b,
                                m_random() % (m_fabric.mtu + 1));
        }
    }

    void PostDatagram(Ptr<UdQueuePair> from, Ptr<UdQueuePair> to, uint32_t bytes)
    {
        m_posted += bytes;
        from->Post(to->Describe(), bytes, 0, ++m_tags);
        m_expected[to].push_back({m_datagrams[to]++, bytes, m_tags});
    }

    void Take(std::deque<Expected>& list, uint64_t id, uint64_t bytes, uint64_t tag)
    {
        if (list.empty())
        {
            Complain("message that nobody expects");
            return;
        }
        const Expected expected = list.front();
        list.pop_front();
        if (expected.id != id || expected.bytes != bytes || expected.tag != tag)
        {
            Complain("message " + std::to_string(id) + " of " + std::to_string(bytes) +
                     " bytes, expected " + std::to_string(expected.id) + " of " +
                     std::to_string(expected.bytes));
        }
    }

    void Delivered(Ptr<RcQueuePair> end, uint64_t id, uint64_t bytes, uint64_t tag)
    {
        Take(m_expected[end], id, bytes, tag);
        m_bytes += bytes;
    }

    void Acked(Ptr<RcQueuePair> end, uint64_t id, uint64_t bytes, uint64_t tag)
    {
        Take(m_unacked[end], id, bytes, tag);
        if (m_isRead[tag])
        {
            m_bytes += bytes;
            m_read[end] += bytes;
            if (m_unacked[end].empty() && end->GetReadBytes() != m_read[end])
            {
                Complain("READs brought " + std::to_string(end->GetReadBytes()) +
                         " bytes, expected " + std::to_string(m_read[end]));
            }
        }
    }

    void ReceivedDatagram(Ptr<UdQueuePair> end, const WorkCompletion& completion)
    {
        Take(m_expected[end], completion.id, completion.bytes, completion.immediate);
        m_bytes += completion.bytes;
    }

    void Failed(Ptr<RcQueuePair> /* end */, std::string what)
    {
        Complain(what);
    }

    void Complain(const std::string& what)
    {
        m_complaint = m_complaint.empty() ? what : m_complaint;
    }

    const RandomFabric& m_fabric;                              //!< carries it
    Random m_random;                                           //!< of this traffic
    std::map<Ptr<QueuePair>, std::deque<Expected>> m_expected; //!< by receiver, in order
    std::map<Ptr<QueuePair>, std::deque<Expected>> m_unacked;  //!< by sender, in order
    std::map<Ptr<QueuePair>, uint64_t> m_datagrams;            //!< posted, by receiver
    std::map<Ptr<QueuePair>, uint64_t> m_read;                 //!< bytes, by requester
    std::map<uint64_t, bool> m_isRead;                         //!< by tag
    uint64_t m_tags{0};                                        //!< given so far
    uint64_t m_posted{0};                                      //!< bytes
    uint64_t m_bytes{0};                                       //!< bytes that have come in
    std::string m_complaint;                                   //!< the first one
};

/** One fabric under ten loads. */
class PropertyTestCase : public TestCase
{
  public:
    explicit PropertyTestCase(uint32_t number)
        : TestCase("random fabric " + std::to_string(number)),
          m_number(number)
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t seed = 1; seed <= 10; ++seed)
        {
            AuditedFlowControl::GetComplaint().clear();
            AuditedFlowControl::GetAudits() = 0;
            {
                const RandomFabric fabric(m_number);
                RandomTraffic traffic(fabric, 1000 * m_number + seed);
                Simulator::Run();
                NS_TEST_EXPECT_MSG_EQ(traffic.GetComplaint(), "", "seed " << seed);
                NS_TEST_EXPECT_MSG_EQ(traffic.GetBytes(), traffic.GetPosted(), "seed " << seed);
                NS_TEST_EXPECT_MSG_GT(traffic.GetPosted(), 0, "seed " << seed << ": no traffic");
                Check(fabric, seed);
            }
            Simulator::Destroy();
            NS_TEST_EXPECT_MSG_EQ(FabricFramePool::GetOutstanding(), 0, "a frame is lost for good");
        }
    }

    void Check(const RandomFabric& fabric, uint32_t seed)
    {
        AuditedFlowControl::AuditAll();
        NS_TEST_EXPECT_MSG_EQ(AuditedFlowControl::GetComplaint(), "", "at the end");
        NS_TEST_EXPECT_MSG_EQ(AuditedFlowControl::CountBusy(), 0, "at the end");
        NS_TEST_EXPECT_MSG_GT(AuditedFlowControl::GetAudits(), 1000, "hardly an audit");
        for (const NodeContainer& nodes : {fabric.hosts, fabric.switches})
        {
            for (uint32_t i = 0; i < nodes.GetN(); ++i)
            {
                for (uint32_t d = 0; d < nodes.Get(i)->GetNDevices(); ++d)
                {
                    const auto device = DynamicCast<FabricNetDevice>(nodes.Get(i)->GetDevice(d));
                    const uint64_t drops = device ? device->GetDrops() : 0;
                    NS_TEST_EXPECT_MSG_EQ(drops, 0, "seed " << seed);
                    const auto nic = device ? device->GetObject<FabricNic>() : nullptr;
                    if (nic)
                    {
                        const FabricNicCounters& counters = nic->GetCounters();
                        NS_TEST_EXPECT_MSG_EQ(counters.retransmitted, 0, "seed " << seed);
                        NS_TEST_EXPECT_MSG_EQ(counters.duplicates, 0, "seed " << seed);
                        NS_TEST_EXPECT_MSG_EQ(counters.outOfSequence, 0, "seed " << seed);
                        NS_TEST_EXPECT_MSG_EQ(counters.discarded, 0, "seed " << seed);
                        NS_TEST_EXPECT_MSG_EQ(counters.datagramsLost, 0, "seed " << seed);
                    }
                }
            }
        }
    }

    uint32_t m_number; //!< of the fabric
};

/**
 * @ingroup ai-fabric-tests
 * Properties of InfiniBand that hold for every fabric and every load.
 */
class IbPropertyTestSuite : public TestSuite
{
  public:
    IbPropertyTestSuite()
        : TestSuite("ai-fabric-ib-property", TestSuite::Type::SYSTEM)
    {
        for (uint32_t number = 1; number <= 10; ++number)
        {
            AddTestCase(new PropertyTestCase(number));
        }
    }
};

IbPropertyTestSuite g_ibPropertyTestSuite; //!< the suite

} // namespace
