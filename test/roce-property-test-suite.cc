/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Random lossless Ethernet fabrics under random traffic: nothing is lost, every byte comes in, and
// the books of every shared buffer are right at every delivery and zero at the end.

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/fabric-frame.h"
#include "ns3/rdma-helper.h"
#include "ns3/roce-helper.h"
#include "ns3/roce-switch.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <random>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

using Random = std::mt19937; //!< the same on every machine

constexpr uint32_t FABRICS = 10; //!< number of fabrics

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
        mtu = Pick<uint32_t>(random, {256, 1024, 4096});
        lossless = Pick<uint32_t>(random, {0x08, 0x18, 0x7e, 0xff});
        const std::string model = Pick<std::string>(random, {"Shared", "PerPort", "PerQueue"});
        const double alpha = Pick<double>(random, {0.0625, 0.125, 1, 8});
        const bool control = number % 2;
        const bool ecn = control || random() % 2;
        m_text << "mtu " << mtu << ", lossless mask " << lossless << ", " << model << ", alpha "
               << alpha << ", DCQCN " << control << ", ECN " << ecn << "; cables:";
        if (control)
        {
            m_helper.SetCongestionControl(
                Pick<std::string>(random, {"paper", "hpcc-paper", "hpcc-vendor", "nic"}));
        }
        m_helper.SetFlowControlAttribute("LosslessMask", UintegerValue(lossless));
        m_helper.SetFlowControlAttribute("PauseQuanta",
                                         UintegerValue(Pick<uint32_t>(random, {0xffff, 4000})));
        m_helper.SetFlowControlAttribute("ReactionDelay", TimeValue(NanoSeconds(random() % 2000)));
        m_helper.SetSwitchAttribute("Ecn", BooleanValue(ecn));
        m_helper.SetSwitchAttribute("EcnKmin", UintegerValue(random() % 2 ? 5000 : 0));
        m_helper.SetSwitchAttribute("BufferModel", StringValue(model));
        m_helper.SetSwitchAttribute("Alpha", DoubleValue(alpha));
        m_helper.SetSwitchAttribute("ReservedBytes",
                                    UintegerValue(Pick<uint32_t>(random, {0, 1000, 4096})));
        m_helper.SetSwitchAttribute("XonOffsetBytes",
                                    UintegerValue(Pick<uint32_t>(random, {0, 2000, 16384})));
        m_helper.SetSwitchAttribute("CutThrough", BooleanValue(random() % 2));
        m_helper.SetSwitchAttribute("Latency", TimeValue(NanoSeconds(random() % 800)));
        m_helper.SetSwitchAttribute("BufferBytes", UintegerValue(uint64_t{1} << 30));
        switches.Create(1 + random() % 5);
        for (uint32_t i = 0; i < switches.GetN(); ++i)
        {
            m_helper.InstallSwitch(switches.Get(i));
        }
        for (uint32_t i = 1; i < switches.GetN(); ++i)
        {
            const uint32_t other = random() % i;
            for (uint32_t cables = 1 + random() % 3; cables; --cables)
            {
                m_text << " " << i << "-" << other;
                Cable(random, switches.Get(i), switches.Get(other));
            }
        }
        for (uint32_t i = 0; i < switches.GetN(); ++i)
        {
            NodeContainer own(2 + random() % 3);
            for (uint32_t h = 0; h < own.GetN(); ++h)
            {
                m_text << " host-" << i;
                Cable(random, own.Get(h), switches.Get(i));
            }
            hosts.Add(own);
        }
        m_helper.Configure(switches);
        SetBuffers(Pick<uint64_t>(random, {0, 1000, 4000}));
        m_helper.AssignStreams(NodeContainer(hosts, switches), 0);
    }

    /** @returns what was built, for those who look for a fault */
    std::string Describe() const
    {
        return m_text.str();
    }

    NodeContainer switches; //!< a tree
    NodeContainer hosts;    //!< at least two
    uint32_t mtu;           //!< bytes
    uint32_t lossless;      //!< bit i: priority i

  private:
    void Cable(Random& random, const Ptr<Node>& a, const Ptr<Node>& b)
    {
        const auto gbps = Pick<uint64_t>(random, {10, 25, 40, 100, 400});
        const uint32_t delay = random() % 1500;
        m_text << " (" << gbps << "G, " << delay << " ns)";
        m_helper.SetDeviceAttribute("DataRate", DataRateValue(DataRate(gbps * 1000000000)));
        m_helper.SetChannelAttribute("Delay", TimeValue(NanoSeconds(delay)));
        m_helper.Install(a, b);
    }

    /** @param spare bytes for each priority group, beyond the smallest buffer that works */
    void SetBuffers(uint64_t spare)
    {
        m_text << ", spare " << spare;
        for (uint32_t i = 0; i < switches.GetN(); ++i)
        {
            const auto device = DynamicCast<RoceSwitch>(FabricHelper::GetSwitch(switches.Get(i)));
            uint64_t bytes = 0;
            for (uint16_t port = 0; port < device->GetNPorts(); ++port)
            {
                const uint64_t frame = device->GetLargestFrame(port);
                bytes += RoceSwitch::PRIORITIES *
                         (device->ComputeHeadroom(port) + 2 * frame + 4096 + spare);
            }
            device->SetAttribute("BufferBytes", UintegerValue(bytes));
            device->Configure(); // once more, with the buffer that fits
        }
    }

    RoceHelper m_helper;       //!< installs
    std::ostringstream m_text; //!< what was built
};

/** Connections between random hosts, and what comes of them. */
class RandomTraffic
{
  public:
    RandomTraffic(const RandomFabric& fabric, uint32_t seed)
        : m_fabric(fabric),
          m_random(seed)
    {
        for (uint32_t priority = 0; priority < RoceSwitch::PRIORITIES; ++priority)
        {
            if (fabric.lossless >> priority & 1)
            {
                m_priorities.push_back(priority);
            }
        }
        m_hot = m_random() % fabric.hosts.GetN(); // many send to it
        for (uint32_t i = 0; i < 14; ++i)
        {
            AddConnection();
        }
    }

    /** @returns what went wrong; empty if nothing did */
    const std::string& GetComplaint() const
    {
        return m_complaint;
    }

    /** @returns bytes that have come in */
    uint64_t GetBytes() const
    {
        return m_bytes;
    }

    /** @returns bytes posted */
    uint64_t GetPosted() const
    {
        return m_posted;
    }

    /** Look into the books of all buffers. */
    void Audit()
    {
        for (uint32_t i = 0; i < m_fabric.switches.GetN(); ++i)
        {
            const auto device =
                DynamicCast<RoceSwitch>(FabricHelper::GetSwitch(m_fabric.switches.Get(i)));
            UintegerValue size;
            device->GetAttribute("BufferBytes", size);
            // A sum that has gone below zero is more than any buffer.
            const SharedBuffer& buffer = device->GetBuffer();
            if (buffer.GetUsed() > size.Get() || buffer.GetSharedUsed() > buffer.GetUsed())
            {
                Complain("switch " + std::to_string(i) + " uses " +
                         std::to_string(buffer.GetUsed()) + " bytes of " +
                         std::to_string(size.Get()) + ", of them " +
                         std::to_string(buffer.GetSharedUsed()) + " shared");
            }
        }
    }

  private:
    void AddConnection()
    {
        const uint32_t hosts = m_fabric.hosts.GetN();
        const uint32_t to = m_random() % 2 ? m_hot : m_random() % hosts;
        const uint32_t from = (to + 1 + m_random() % (hosts - 1)) % hosts;
        const uint8_t priority = Pick(m_random, m_priorities);
        ObjectFactory factory("ns3::RcQueuePair");
        factory.Set("Mtu", UintegerValue(m_fabric.mtu));
        factory.Set("Dscp", UintegerValue(8 * priority + m_random() % 8));
        factory.Set("AckInterval", UintegerValue(m_random() % 20));
        factory.Set("InitialPsn", UintegerValue(RC_PSN_MODULUS - 1 - m_random() % 300));
        factory.Set("TimeoutExponent", UintegerValue(0)); // nothing is lost, so no timer may help
        const auto a = factory.Create<RcQueuePair>();
        const auto b = factory.Create<RcQueuePair>();
        RdmaHelper::GetNic(m_fabric.hosts.Get(from))->AddQueuePair(a);
        RdmaHelper::GetNic(m_fabric.hosts.Get(to))->AddQueuePair(b);
        FabricNic::Connect(a, b);
        for (const Ptr<RcQueuePair>& end : {a, b})
        {
            end->SetDeliveredCallback(MakeCallback(&RandomTraffic::Delivered, this));
            end->SetErrorCallback(MakeCallback(&RandomTraffic::Failed, this));
        }
        for (uint32_t i = 2 + m_random() % 4; i; --i)
        {
            Simulator::Schedule(NanoSeconds(m_random() % 100000),
                                &RandomTraffic::Post,
                                this,
                                m_random() % 4 ? a : b,
                                PickSize());
        }
    }

    uint64_t PickSize()
    {
        const uint64_t mtu = m_fabric.mtu;
        return m_random() % 3 ? m_random() % (100 * mtu) : m_random() % 3000;
    }

    void Post(Ptr<RcQueuePair> end, uint64_t bytes)
    {
        m_posted += bytes;
        end->Post(bytes, 0);
    }

    void Delivered(Ptr<RcQueuePair> /* end */,
                   uint64_t /* id */,
                   uint64_t bytes,
                   uint64_t /* tag */)
    {
        m_bytes += bytes;
        Audit();
    }

    void Failed(Ptr<RcQueuePair> /* end */, std::string what)
    {
        Complain(what);
    }

    void Complain(const std::string& what)
    {
        m_complaint = m_complaint.empty() ? what : m_complaint;
    }

    const RandomFabric& m_fabric;      //!< carries it
    Random m_random;                   //!< of this traffic
    std::vector<uint8_t> m_priorities; //!< lossless ones
    uint32_t m_hot{0};                 //!< host
    uint64_t m_posted{0};              //!< bytes
    uint64_t m_bytes{0};               //!< bytes that have come in
    std::string m_complaint;           //!< the first one
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
        uint64_t pauses = 0;
        for (uint32_t seed = 1; seed <= 10; ++seed)
        {
            {
                const RandomFabric fabric(m_number);
                RandomTraffic traffic(fabric, 1000 * m_number + seed);
                m_where = "seed " + std::to_string(seed) + ": " + fabric.Describe();
                Simulator::Run();
                traffic.Audit();
                NS_TEST_EXPECT_MSG_EQ(traffic.GetComplaint(), "", m_where);
                NS_TEST_EXPECT_MSG_EQ(traffic.GetBytes(), traffic.GetPosted(), m_where);
                NS_TEST_EXPECT_MSG_GT(traffic.GetPosted(), 0, m_where);
                for (uint32_t i = 0; i < fabric.switches.GetN(); ++i)
                {
                    const auto device =
                        DynamicCast<RoceSwitch>(FabricHelper::GetSwitch(fabric.switches.Get(i)));
                    NS_TEST_EXPECT_MSG_EQ(device->GetBuffer().GetUsed(), 0, m_where);
                    NS_TEST_EXPECT_MSG_EQ(device->GetBuffer().GetSharedUsed(), 0, m_where);
                    NS_TEST_EXPECT_MSG_EQ(device->GetBuffer().HasStopped(), false, m_where);
                }
                for (const NodeContainer& nodes : {fabric.hosts, fabric.switches})
                {
                    pauses += Check(nodes);
                }
            }
            Simulator::Destroy();
            NS_TEST_EXPECT_MSG_EQ(FabricFramePool::GetOutstanding(),
                                  0,
                                  "lost for good: " << m_where);
        }
        // A buffer that never stops anybody proves little.
        static uint32_t fabricsWithPauses = 0;
        fabricsWithPauses += pauses > 0;
        if (m_number == FABRICS)
        {
            NS_TEST_EXPECT_MSG_GT(fabricsWithPauses, FABRICS / 2, "fabrics with pauses");
        }
    }

    uint64_t Check(const NodeContainer& nodes)
    {
        uint64_t pauses = 0;
        for (uint32_t i = 0; i < nodes.GetN(); ++i)
        {
            for (uint32_t d = 0; d < nodes.Get(i)->GetNDevices(); ++d)
            {
                const auto device = DynamicCast<FabricNetDevice>(nodes.Get(i)->GetDevice(d));
                if (!device)
                {
                    continue;
                }
                NS_TEST_EXPECT_MSG_EQ(device->GetLosslessDrops(), 0, m_where);
                for (uint8_t priority = 0; priority < RoceSwitch::PRIORITIES; ++priority)
                {
                    pauses += device->GetClassCounters(priority).pausesOut;
                }
                if (const auto nic = device->GetObject<FabricNic>())
                {
                    const FabricNicCounters& counters = nic->GetCounters();
                    NS_TEST_EXPECT_MSG_EQ(counters.retransmitted, 0, m_where);
                    NS_TEST_EXPECT_MSG_EQ(counters.outOfSequence, 0, m_where);
                    NS_TEST_EXPECT_MSG_EQ(counters.errors, 0, m_where);
                }
            }
        }
        return pauses;
    }

    uint32_t m_number;   //!< of the fabric
    std::string m_where; //!< seed and fabric, for failures
};

/**
 * @ingroup ai-fabric-tests
 * Properties of lossless Ethernet that hold for every fabric and every load.
 */
class RocePropertyTestSuite : public TestSuite
{
  public:
    RocePropertyTestSuite()
        : TestSuite("ai-fabric-roce-property", TestSuite::Type::SYSTEM)
    {
        for (uint32_t number = 1; number <= FABRICS; ++number)
        {
            AddTestCase(new PropertyTestCase(number));
        }
    }
};

RocePropertyTestSuite g_rocePropertyTestSuite; //!< the suite

} // namespace
