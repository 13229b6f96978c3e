/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Quality of service on InfiniBand: shares of virtual lanes by their weights, SL to VL tables, and
// head-of-line blocking. Shares are closed forms, in whole rounds of the tables.

#include "support/link-rig.h"

#include "ns3/ib-net-device.h"
#include "ns3/ib-port-counters.h"
#include "ns3/ib-switch.h"
#include "ns3/rdma-helper.h"
#include "ns3/test.h"

#include <algorithm>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::linkrig;

namespace
{

constexpr uint64_t ENDLESS = 1ULL << 40;

/** Always has packets of some service levels for one destination. */
class LaneSource : public FabricFrameSource
{
  public:
    /** @param payloads bytes, by service level */
    LaneSource(const Ptr<FabricNetDevice>& from,
               uint64_t to,
               const std::map<uint8_t, uint32_t>& payloads)
    {
        for (const auto& flow : payloads)
        {
            FabricFrame frame;
            frame.src = from->GetFabricAddress();
            frame.dst = to;
            frame.opcode = IbOpcode::RC_WRITE_MIDDLE;
            frame.payload = flow.second;
            frame.sl = flow.first;
            from->ClassifyFrame(frame);
            from->SizeFrame(frame);
            m_frames[frame.cls] = frame;
            left[frame.cls] = ENDLESS;
        }
        from->GetPort().SetSource(this);
    }

    uint32_t GetReadyClasses() override
    {
        uint32_t ready = 0;
        for (const auto& lane : left)
        {
            ready |= lane.second ? 1U << lane.first : 0;
        }
        return ready;
    }

    uint32_t PeekFrameBytes(uint8_t cls) override
    {
        return m_frames.at(cls).frameBytes;
    }

    FabricFrame* Pull(uint8_t cls) override
    {
        --left.at(cls);
        FabricFrame* frame = FabricFramePool::Allocate();
        *frame = m_frames.at(cls);
        return frame;
    }

    std::map<uint8_t, uint64_t> left; //!< packets, by lane

  private:
    std::map<uint8_t, FabricFrame> m_frames; //!< by lane
};

/** Notes what comes in; may keep some lanes' room. */
class Log : public FabricFrameSink
{
  public:
    explicit Log(const Ptr<FabricNetDevice>& device)
    {
        device->SetFrameSink(this, 0);
    }

    void ReceiveFrame(FabricFrame* frame, FabricNetDevice* device) override
    {
        lanes.push_back(frame->cls);
        levels.push_back(frame->sl);
        times.push_back(FabricNow());
        if (!(keep >> frame->cls & 1))
        {
            device->FreeBuffer(frame->cls, frame->frameBytes, FabricNow());
        }
        FabricFramePool::Release(frame);
    }

    /** @returns packets by lane among those numbered from..to-1 */
    std::vector<uint64_t> Count(std::size_t from, std::size_t to) const
    {
        std::vector<uint64_t> counts(16, 0);
        for (std::size_t i = from; i < to; ++i)
        {
            ++counts[lanes.at(i)];
        }
        return counts;
    }

    uint32_t keep{0};              //!< bit i: room of lane i is not given free
    std::vector<uint8_t> lanes;    //!< of all packets
    std::vector<uint8_t> levels;   //!< of all packets
    std::vector<FabricTick> times; //!< of all packets
};

/** @returns a helper for 100 Gb/s without latencies, and buffers that never hold a lane back */
std::unique_ptr<IbHelper>
MakeQosHelper(const IbPortQos& qos)
{
    auto helper = std::make_unique<IbHelper>();
    helper->SetDeviceAttribute("DataRate", StringValue("100Gbps"));
    helper->SetHostAttribute("ReceiveLatency", TimeValue(NanoSeconds(0)));
    helper->SetFlowControlAttribute("BufferBytes", UintegerValue(2048 * 64));
    helper->SetQos(qos);
    return helper;
}

/** @returns tables with four lanes in operation */
IbPortQos
MakeQos(const std::vector<IbVlArbitration::Entry>& high,
        const std::vector<IbVlArbitration::Entry>& low,
        uint8_t limit)
{
    IbPortQos qos = IbPortQos::GetOpenSmDefault();
    qos.maxVls = 4;
    qos.arbitration.high = high;
    qos.arbitration.low = low;
    qos.arbitration.highLimit = limit;
    qos.slToVl.fill(IbSlToVl::DROP);
    for (const auto& table : {high, low})
    {
        for (const auto& entry : table)
        {
            qos.slToVl[entry.vl] = entry.vl;
        }
    }
    return qos;
}

/** @returns what went wrong; empty if nothing did */
template <typename F>
std::string
ErrorOf(F what)
{
    try
    {
        what();
    }
    catch (const std::invalid_argument& error)
    {
        return error.what();
    }
    return "";
}

/** Saturated lanes have the shares that the tables say. */
class ShareCase : public TestCase
{
  public:
    /** @param payloads by lane; @param expected packets of each lane in a round */
    ShareCase(const std::string& what,
              const IbPortQos& qos,
              const std::map<uint8_t, uint32_t>& payloads,
              const std::vector<uint64_t>& expected)
        : TestCase(what),
          m_qos(qos),
          m_payloads(payloads),
          m_expected(expected)
    {
    }

  private:
    void CheckRounds(const Log& log, const std::string& where)
    {
        uint64_t round = 0;
        for (const uint64_t packets : m_expected)
        {
            round += packets;
        }
        constexpr std::size_t ROUNDS = 20;
        const std::size_t warmUp = 200 + 4 * round; // buffers on the way are full by then
        NS_TEST_ASSERT_MSG_GT_OR_EQ(log.lanes.size(), warmUp + ROUNDS * round, where);
        const auto counts = log.Count(warmUp, warmUp + ROUNDS * round);
        for (std::size_t lane = 0; lane < counts.size(); ++lane)
        {
            const uint64_t expected = lane < m_expected.size() ? ROUNDS * m_expected[lane] : 0;
            NS_TEST_EXPECT_MSG_EQ(counts[lane],
                                  expected,
                                  where << ": packets of lane " << lane << " in whole rounds");
        }
    }

    void DoRun() override
    {
        // All lanes at the NIC of one host.
        {
            const auto helper = MakeQosHelper(m_qos);
            Star star(*helper, 2);
            LaneSource source(star.devices[0], star.devices[1]->GetFabricAddress(), m_payloads);
            Log log(star.devices[1]);
            star.devices[0]->GetPort().Kick();
            Simulator::Stop(MicroSeconds(500));
            Simulator::Run();
            CheckRounds(log, "one host");
            star.devices[0]->GetPort().SetSource(nullptr);
            Simulator::Destroy();
        }
        // One lane for each of several hosts, which meet in a switch.
        {
            const auto helper = MakeQosHelper(m_qos);
            Star star(*helper, static_cast<uint32_t>(m_payloads.size()) + 1);
            std::vector<std::unique_ptr<LaneSource>> sources;
            const uint64_t to = star.devices.back()->GetFabricAddress();
            Log log(star.devices.back());
            for (const auto& flow : m_payloads)
            {
                const auto& device = star.devices[sources.size()];
                const std::map<uint8_t, uint32_t> one{flow};
                sources.push_back(std::make_unique<LaneSource>(device, to, one));
                device->GetPort().Kick();
            }
            Simulator::Stop(MicroSeconds(500));
            Simulator::Run();
            CheckRounds(log, "through a switch");
            for (const auto& device : star.devices)
            {
                NS_TEST_EXPECT_MSG_EQ(device->GetLosslessDrops(), 0U, "nothing is lost");
                device->GetPort().SetSource(nullptr);
            }
            Simulator::Destroy();
        }
    }

    IbPortQos m_qos;                        //!< of all ports
    std::map<uint8_t, uint32_t> m_payloads; //!< by lane
    std::vector<uint64_t> m_expected;       //!< packets of each lane in a round
};

/** Without a limit, low sends when high has nothing; alone, a lane has the whole wire. */
class StarvationCase : public TestCase
{
  public:
    StarvationCase()
        : TestCase("limit 255 starves the low table; a lane alone has the line rate; VL15 passes")
    {
    }

  private:
    void DoRun() override
    {
        const auto helper = MakeQosHelper(MakeQos({{0, 1}}, {{1, 1}}, 255));
        Star star(*helper, 2);
        const Ptr<FabricNetDevice> from = star.devices[0];
        const uint64_t to = star.devices[1]->GetFabricAddress();
        LaneSource source(from, to, {{0, 4096}, {1, 4096}});
        source.left[0] = 300;
        source.left[1] = 300;
        Log log(star.devices[1]);
        from->GetPort().Kick();
        // A management packet comes in the middle of it, and waits for one packet at most.
        constexpr FabricTick AT = 30000;
        const auto sendManagement = [&]() {
            FabricFrame* frame = FabricFramePool::Allocate();
            frame->src = from->GetFabricAddress();
            frame->dst = to;
            frame->opcode = IbOpcode::UD_SEND_ONLY;
            frame->payload = 256;
            frame->cls = 15;
            from->SizeFrame(*frame);
            from->GetPort().Enqueue(frame);
        };
        Simulator::Schedule(NanoSeconds(AT), sendManagement);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(log.lanes.size(), 601U, "all arrive");
        const auto management = std::find(log.lanes.begin(), log.lanes.end(), 15);
        NS_TEST_ASSERT_MSG_EQ((management != log.lanes.end()), true, "on VL15 all the way");
        const FabricTick at = log.times[management - log.lanes.begin()];
        // At each of two ports it waits for the end of one packet of 4122 bytes.
        const FabricTick packet = 4122 * 8 / 100 + 1;
        NS_TEST_EXPECT_MSG_LT(at, AT + 2 * packet + 250 + 2 * 30, "VL15 goes first");
        log.times.erase(log.times.begin() + (management - log.lanes.begin()));
        log.lanes.erase(management);
        NS_TEST_EXPECT_MSG_EQ(log.Count(0, 300)[0], 300U, "high first, all of it");
        NS_TEST_EXPECT_MSG_EQ(log.Count(300, 600)[1], 300U, "low then");
        for (const std::size_t first : {50U, 350U})
        {
            const double rate =
                200 * 4122 * 8 / FabricSeconds(log.times[first + 200] - log.times[first]);
            NS_TEST_EXPECT_MSG_EQ_TOL(rate, 100e9, 0.01 * 100e9, "line rate with weight 1");
        }
        Simulator::Destroy();
    }
};

/** A lane without credit does not hold the others. */
class CreditCase : public TestCase
{
  public:
    CreditCase()
        : TestCase("a lane without credit leaves its share to others")
    {
    }

  private:
    void DoRun() override
    {
        const auto helper = MakeQosHelper(MakeQos({{0, 255}}, {{1, 1}, {2, 255}}, 255));
        Star star(*helper, 2);
        LaneSource source(star.devices[0],
                          star.devices[1]->GetFabricAddress(),
                          {{0, 4096}, {1, 4096}, {2, 4096}});
        Log log(star.devices[1]);
        log.keep = 1U << 0 | 1U << 2;
        star.devices[0]->GetPort().Kick();
        Simulator::Stop(MicroSeconds(300));
        Simulator::Run();
        const auto counts = log.Count(0, log.lanes.size());
        NS_TEST_EXPECT_MSG_EQ(counts[0], 2048U / 65, "lane 0: its buffer at the host");
        NS_TEST_EXPECT_MSG_EQ(counts[2], 2048U / 65, "lane 2 as well");
        // The wire is always busy: the rest of it is lane 1's.
        const std::size_t n = log.times.size();
        const double rate = 500 * 4122 * 8 / FabricSeconds(log.times[n - 1] - log.times[n - 501]);
        NS_TEST_EXPECT_MSG_EQ_TOL(rate, 100e9, 0.01 * 100e9, "line rate for lane 1");
        NS_TEST_EXPECT_MSG_EQ(log.Count(n - 500, n)[1], 500U, "which is alone");
        star.devices[0]->GetPort().SetSource(nullptr);
        Simulator::Destroy();
    }
};

/** SL to VL by input and output port; what has no lane is dropped. */
class SlToVlCase : public TestCase
{
  public:
    SlToVlCase()
        : TestCase("SL to VL tables by input port; entry 15 and lanes not in operation drop")
    {
    }

  private:
    void DoRun() override
    {
        IbPortQos qos = MakeQos({}, {{0, 64}, {1, 64}, {2, 64}, {3, 64}}, 0);
        qos.maxVls = 3; // two in operation
        qos.slToVl = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
        const auto helper = MakeQosHelper(qos);
        Star star(*helper, 3);
        const auto sw = DynamicCast<IbSwitch>(star.sw);
        const auto out = DynamicCast<IbNetDevice>(sw->GetPort(2));
        NS_TEST_EXPECT_MSG_EQ(+out->GetOperationalVls(), 2, "of 1, 2, 4, 8, 15");
        NS_TEST_EXPECT_MSG_EQ(
            (out->GetSlToVl() == DynamicCast<IbNetDevice>(sw->GetPort(0))->GetSlToVl()),
            true,
            "one table for all");
        IbSlToVl::Table table = qos.slToVl;
        table[0] = 1;
        table[1] = IbSlToVl::DROP;
        table[2] = 2; // not in operation, although within maxVls
        sw->SetSlToVl(1, 2, table);

        Log log(star.devices[2]);
        for (uint32_t host = 0; host < 2; ++host)
        {
            for (uint8_t sl = 0; sl < 3; ++sl)
            {
                for (uint32_t i = 0; i < 10; ++i)
                {
                    FabricFrame* frame = FabricFramePool::Allocate();
                    frame->src = star.devices[host]->GetFabricAddress();
                    frame->dst = star.devices[2]->GetFabricAddress();
                    frame->opcode = IbOpcode::RC_WRITE_MIDDLE;
                    frame->payload = 1024;
                    frame->sl = sl;
                    star.devices[host]->ClassifyFrame(*frame);
                    star.devices[host]->SizeFrame(*frame);
                    star.devices[host]->GetPort().Enqueue(frame);
                }
            }
        }
        Simulator::Run();
        const IbPortCounters counters = IbPortCounters::Read(*out);
        NS_TEST_EXPECT_MSG_EQ(counters.portVlXmitPkts[0], 20U, "host 0: SL 0 and 2");
        NS_TEST_EXPECT_MSG_EQ(counters.portVlXmitPkts[1], 20U, "host 0: SL 1; host 1: SL 0");
        NS_TEST_EXPECT_MSG_EQ(std::count(log.levels.begin(), log.levels.end(), 1), 10, "host 0's");
        for (uint16_t port = 0; port < 3; ++port)
        {
            const auto in = DynamicCast<IbNetDevice>(sw->GetPort(port));
            NS_TEST_EXPECT_MSG_EQ(in->GetVlMappingErrors(), (port == 1 ? 20U : 0U), "counted");
            NS_TEST_EXPECT_MSG_EQ(IbPortCounters::Read(*in).portVlMappingErrors,
                                  in->GetVlMappingErrors(),
                                  "under its name");
            NS_TEST_EXPECT_MSG_EQ(in->GetDrops(), in->GetVlMappingErrors(), "all drops");
            NS_TEST_EXPECT_MSG_EQ(in->GetLosslessDrops(), 0U, "the table asks for it: no loss");
            NS_TEST_EXPECT_MSG_EQ(in->GetIncomingFlowControl()->GetOccupancy(), 0U, "no room kept");
        }

        NS_TEST_EXPECT_MSG_NE(ErrorOf([&] { sw->SetSlToVl(0, 3, table); }).find("to port 3"),
                              std::string::npos,
                              "no such port");
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(FabricFramePool::GetOutstanding(), 0U, "frames are given back");
    }
};

/** What can't work is refused. */
class RefusalCase : public TestCase
{
  public:
    RefusalCase()
        : TestCase("lanes that no table serves, and levels that a host can't send, are refused")
    {
    }

  private:
    void DoRun() override
    {
        IbPortQos qos = MakeQos({}, {{0, 64}}, 0);
        qos.slToVl[3] = 3;
        qos.slToVl[4] = 4;
        qos.slToVl[5] = 0;
        const auto helper = MakeQosHelper(qos);
        Star star(*helper, 2);
        const Ptr<RdmaTransport> transport = RdmaHelper::CreateTransport(star.nodes);
        // To 15; without weight; not in operation.
        for (const uint8_t sl : {2, 3, 4})
        {
            transport->SetServiceLevel(sl);
            const std::string error = ErrorOf([&] { transport->Send(0, 1, 100, 0); });
            NS_TEST_EXPECT_MSG_NE(
                error.find("ServiceLevel " + std::to_string(sl) + " has no virtual lane"),
                std::string::npos,
                "a host would drop its own packets: " << error);
        }
        Simulator::Destroy();
    }
};

/** Two RDMA transports on service levels with weights 1:3. */
class RdmaCase : public TestCase
{
  public:
    RdmaCase()
        : TestCase("messages of two service levels share a link 1:3")
    {
    }

  private:
    void DoRun() override
    {
        const auto helper = MakeQosHelper(MakeQos({}, {{0, 64}, {1, 192}}, 0));
        Star star(*helper, 3);
        std::vector<Ptr<RdmaTransport>> transports;
        for (uint8_t sl = 0; sl < 2; ++sl)
        {
            transports.push_back(RdmaHelper::CreateTransport(star.nodes));
            transports[sl]->SetServiceLevel(sl);
            transports[sl]->Send(sl, 2, 1 << 24, 0);
        }
        const auto out = DynamicCast<IbNetDevice>(star.sw->GetPort(2));
        Simulator::Stop(MicroSeconds(200));
        Simulator::Run();
        const IbPortCounters before = IbPortCounters::Read(*out);
        Simulator::Stop(MicroSeconds(800));
        Simulator::Run();
        const IbPortCounters after = IbPortCounters::Read(*out);
        double sent[2];
        for (uint8_t lane = 0; lane < 2; ++lane)
        {
            sent[lane] =
                static_cast<double>(after.portVlXmitPkts[lane] - before.portVlXmitPkts[lane]);
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(sent[1] / (sent[0] + sent[1]), 0.75, 0.0075, "within 1 %");
        NS_TEST_EXPECT_MSG_EQ_TOL((sent[0] + sent[1]) * 4122 * 8 / 800e-6,
                                  100e9,
                                  0.01 * 100e9,
                                  "of a busy wire");
        for (const auto& transport : transports)
        {
            transport->Dispose();
        }
        Simulator::Destroy();
    }
};

/** A victim behind a blocked flow, on the same lane and on its own. */
class HeadOfLineCase : public TestCase
{
  public:
    HeadOfLineCase()
        : TestCase("a victim shares the fate of a blocked flow on its lane, and none on its own")
    {
    }

  private:
    static constexpr uint32_t OTHERS = 3; //!< hosts that contend for the hot receiver

    /** @returns bits per second of the victim on the wire */
    double Run(uint8_t victimLane)
    {
        IbPortQos qos = MakeQos({}, {{0, 64}, {1, 64}}, 0);
        qos.slToVl[1] = victimLane;
        const auto helper = MakeQosHelper(qos);
        // Hosts: blocked sender, victim, hot receiver, idle receiver, others.
        NodeContainer switches(2);
        NodeContainer hosts(4 + OTHERS);
        const Ptr<FabricSwitch> first = helper->InstallSwitch(switches.Get(0));
        const Ptr<FabricSwitch> second = helper->InstallSwitch(switches.Get(1));
        std::vector<Ptr<FabricNetDevice>> devices;
        for (uint32_t i = 0; i < hosts.GetN(); ++i)
        {
            const auto ends = helper->Install(hosts.Get(i), switches.Get(i < 2 ? 0 : 1));
            devices.push_back(DynamicCast<FabricNetDevice>(ends.Get(0)));
        }
        helper->SetDeviceAttribute("DataRate", StringValue("200Gbps"));
        helper->Install(switches.Get(0), switches.Get(1));
        helper->Configure(switches);
        const uint64_t hot = devices[2]->GetFabricAddress();
        const uint64_t idle = devices[3]->GetFabricAddress();
        std::vector<std::unique_ptr<LaneSource>> sources;
        const std::map<uint8_t, uint32_t> onZero{{0, 4096}};
        const std::map<uint8_t, uint32_t> onOne{{1, 4096}};
        sources.push_back(std::make_unique<LaneSource>(devices[0], hot, onZero));
        sources.push_back(std::make_unique<LaneSource>(devices[1], idle, onOne));
        for (uint32_t i = 4; i < devices.size(); ++i)
        {
            sources.push_back(std::make_unique<LaneSource>(devices[i], hot, onZero));
        }
        Log atHot(devices[2]);
        Log atIdle(devices[3]);
        for (const auto& device : devices)
        {
            device->GetPort().Kick();
        }
        Simulator::Stop(MicroSeconds(400));
        Simulator::Run();
        const std::size_t n = atIdle.times.size();
        const std::size_t half = n / 2;
        const double rate = static_cast<double>(n - 1 - half) * 4122 * 8 /
                            FabricSeconds(atIdle.times[n - 1] - atIdle.times[half]);
        for (const auto& device : devices)
        {
            device->GetPort().SetSource(nullptr);
        }
        Simulator::Destroy();
        return rate;
    }

    void DoRun() override
    {
        // The blocked flow has its share of the hot receiver. The victim's packets take turns with
        // it for the same credits, and so get no more.
        constexpr double LINE = 100e9;
        NS_TEST_EXPECT_MSG_EQ_TOL(Run(0),
                                  LINE / (OTHERS + 1),
                                  0.01 * LINE / (OTHERS + 1),
                                  "as the blocked flow");
        NS_TEST_EXPECT_MSG_EQ_TOL(Run(1), LINE, 0.01 * LINE, "line rate");
    }
};

/** The suite. */
class IbQosTestSuite : public TestSuite
{
  public:
    IbQosTestSuite()
        : TestSuite("ai-fabric-ib-qos", TestSuite::Type::UNIT)
    {
        // 4096 bytes of payload are 65 units of weight, 1024 are 17.
        const std::map<uint8_t, uint32_t> two{{0, 4096}, {1, 4096}};
        AddTestCase(
            new ShareCase("two lanes 1:3", MakeQos({}, {{0, 64}, {1, 192}}, 0), two, {1, 3}));
        AddTestCase(new ShareCase("two lanes 1:3, in the high table",
                                  MakeQos({{0, 64}, {1, 192}}, {}, 0),
                                  two,
                                  {1, 3}));
        AddTestCase(new ShareCase("four lanes 1:2:4:8",
                                  MakeQos({}, {{0, 16}, {1, 32}, {2, 64}, {3, 128}}, 0),
                                  {{0, 1024}, {1, 1024}, {2, 1024}, {3, 1024}},
                                  {1, 2, 4, 8}));
        // 16 units against 64: four small packets for a large one.
        AddTestCase(new ShareCase("packets of different sizes share bytes, not packets",
                                  MakeQos({}, {{0, 192}, {1, 64}}, 0),
                                  {{0, 996}, {1, 4060}},
                                  {12, 1}));
        // Limit L: high starts packets as long as it has sent less than 64 L units.
        const std::pair<uint8_t, uint64_t> limits[] =
            {{0, 1}, {1, 1}, {2, 2}, {4, 4}, {10, 10}, {20, 20}};
        for (const auto& limit : limits)
        {
            AddTestCase(new ShareCase("limit of high priority " + std::to_string(limit.first),
                                      MakeQos({{0, 255}}, {{1, 1}}, limit.first),
                                      two,
                                      {limit.second, 1}));
        }
        AddTestCase(new StarvationCase);
        AddTestCase(new CreditCase);
        AddTestCase(new SlToVlCase);
        AddTestCase(new RefusalCase);
        AddTestCase(new RdmaCase);
        AddTestCase(new HeadOfLineCase);
    }
};

IbQosTestSuite g_ibQosTestSuite; //!< registers the suite

} // namespace
