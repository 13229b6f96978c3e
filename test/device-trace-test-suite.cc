/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The trace sources of both devices: what they show, when, and that looking changes nothing.

#include "support/device-rig.h"
#include "support/stack-rig.h"

#include "ns3/bulk-send-helper.h"
#include "ns3/config.h"
#include "ns3/credit-flow-control.h"
#include "ns3/error-model.h"
#include "ns3/ethernet-header.h"
#include "ns3/fabric-frame-codec.h"
#include "ns3/ib-flow-control-header.h"
#include "ns3/inet-socket-address.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/pause-flow-control.h"
#include "ns3/pfc-header.h"
#include "ns3/pointer.h"

#include <list>
#include <utility>

using namespace ns3;
using namespace ns3::devicerig;

namespace
{

constexpr uint32_t PAYLOAD = 4096;      //!< of RDMA frames
constexpr FabricTick IB_FRAME = 4122;   //!< LRH to VCRC; ns on the wire
constexpr uint32_t IB_BLOCKS = 65;      //!< credit for it
constexpr FabricTick IB_CONTROL = 8;    //!< a flow-control packet, ns on the wire
constexpr FabricTick ROCE_FRAME = 4178; //!< preamble to gap; ns on the wire
constexpr FabricTick PFC_FRAME = 84;    //!< same of a pause frame
constexpr uint32_t PRIORITY = 3;        //!< of RDMA frames

/** Begins and ends of stalls or pauses, or link control messages, with times. */
struct EventLog
{
    /** A begin or an end. */
    struct Edge
    {
        uint8_t cls;   //!< class
        bool begin;    //!< begin or end
        FabricTick at; //!< when

        bool operator==(const Edge& other) const
        {
            return cls == other.cls && begin == other.begin && at == other.at;
        }
    };

    void AddEdge(uint8_t cls, bool begin)
    {
        edges.push_back({cls, begin, FabricNow()});
    }

    void AddControl(Ptr<const Packet> bytes, Time at)
    {
        messages.push_back(bytes->Copy());
        times.push_back(at.GetTimeStep());
    }

    void AddDrop(const FabricFrame& frame, const char* reason, bool lossless)
    {
        drops.emplace_back(reason, lossless);
        corrupt.push_back(frame.corrupt);
    }

    std::vector<Edge> edges;                         //!< of Stall or Pause
    std::vector<Ptr<Packet>> messages;               //!< of LinkControl
    std::vector<FabricTick> times;                   //!< same
    std::vector<std::pair<std::string, bool>> drops; //!< of FrameDrop: reason, lossless
    std::vector<bool> corrupt;                       //!< same
};

/** @returns true if two packets have the same bytes */
bool
IsEqual(const Ptr<Packet>& a, const Ptr<Packet>& b)
{
    std::vector<uint8_t> left(a->GetSize());
    std::vector<uint8_t> right(b->GetSize());
    a->CopyData(left.data(), left.size());
    b->CopyData(right.data(), right.size());
    return left == right;
}

/**
 * @ingroup ai-fabric-tests
 * The way of packets of the stack, source by source.
 */
class PathTestCase : public DeviceTestCase
{
  public:
    explicit PathTestCase(const std::string& fabric)
        : DeviceTestCase(fabric, "trace sources fire at the tick, with the bytes of the wire")
    {
    }

  private:
    void DoRun() override
    {
        Cable cable(m_fabric);
        cable.helper->SetHostAttribute("ReceiveLatency", TimeValue(NanoSeconds(50)));
        cable.Install();
        const std::vector<std::string> sources{"MacTx",
                                               "PhyTxBegin",
                                               "PhyTxEnd",
                                               "PhyRxEnd",
                                               "Sniffer",
                                               "PromiscSniffer",
                                               "MacRx",
                                               "MacTxDrop",
                                               "PhyRxDrop"};
        std::map<std::string, PacketLog> atA;
        std::map<std::string, PacketLog> atB;
        for (const std::string& source : sources)
        {
            atA[source].Connect(cable.a, source);
            atB[source].Connect(cable.b, source);
        }
        std::vector<Ptr<Packet>> sent;
        for (uint8_t i = 0; i < 2; ++i)
        {
            const std::vector<uint8_t> content(1000, i + 1);
            sent.push_back(Create<Packet>(content.data(), content.size()));
            cable.a->Send(sent[i]->Copy(), cable.b->GetAddress(), TEST_PROTOCOL);
        }
        Simulator::Run();
        // Ethernet: 14 + 1000 + 4, and 20 around it. IPoIB: 8 + 12 + 8 + 4 + 1000 + 4 + 2.
        constexpr FabricTick WIRE = 1038;
        const uint32_t frame = IsIb() ? 1038 : 1018;
        const std::vector<FabricTick> none;
        const std::vector<FabricTick> posted{0, 0};
        const std::vector<FabricTick> begins{0, WIRE};
        const std::vector<FabricTick> ends{WIRE, 2 * WIRE};
        const std::vector<FabricTick> arrivals{WIRE + DELAY + 50, 2 * WIRE + DELAY + 50};
        const std::map<std::string, std::pair<std::vector<FabricTick>, std::vector<FabricTick>>>
            expected{
                {"MacTx", {posted, none}},
                {"PhyTxBegin", {begins, none}},
                {"PhyTxEnd", {ends, none}},
                {"PhyRxEnd", {none, arrivals}},
                {"Sniffer", {begins, arrivals}},
                {"PromiscSniffer", {begins, arrivals}},
                {"MacRx", {none, arrivals}},
                {"MacTxDrop", {none, none}},
                {"PhyRxDrop", {none, none}},
            };
        for (const std::string& source : sources)
        {
            NS_TEST_EXPECT_MSG_EQ((atA[source].times == expected.at(source).first),
                                  true,
                                  source << " at the sender");
            NS_TEST_EXPECT_MSG_EQ((atB[source].times == expected.at(source).second),
                                  true,
                                  source << " at the receiver");
        }
        for (std::size_t i = 0; i < 2; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(IsEqual(atB["MacRx"].packets.at(i), sent[i]), true, "content");
            for (const std::string source : {"PhyTxBegin", "PhyTxEnd", "Sniffer"})
            {
                const Ptr<Packet> bytes = atA[source].packets.at(i);
                NS_TEST_EXPECT_MSG_EQ(bytes->GetSize(), frame, source << " shows link headers");
                FabricFrame parsed;
                const bool good = IsIb() ? DecodeIb(bytes, parsed) : DecodeRoce(bytes, parsed);
                NS_TEST_ASSERT_MSG_EQ(good, true, source << " shows a frame");
                NS_TEST_EXPECT_MSG_EQ(IsEqual(parsed.packet, sent[i]), true, source);
                NS_TEST_EXPECT_MSG_EQ(parsed.etherType, TEST_PROTOCOL, source);
                NS_TEST_EXPECT_MSG_EQ(parsed.src, cable.a->GetFabricAddress(), source);
                NS_TEST_EXPECT_MSG_EQ(parsed.dst, cable.b->GetFabricAddress(), source);
            }
        }
        Finish();
    }
};

/**
 * @ingroup ai-fabric-tests
 * Dropped frames say why, and whether somebody had promised that it would not happen.
 */
class DropTestCase : public DeviceTestCase
{
  public:
    explicit DropTestCase(const std::string& fabric)
        : DeviceTestCase(fabric, "PhyRxDrop and FrameDrop tell of bit errors and strays")
    {
    }

  private:
    void DoRun() override
    {
        Cable cable(m_fabric);
        cable.Install();
        EventLog log;
        PacketLog dropped;
        PacketLog good;
        cable.b->TraceConnectWithoutContext("FrameDrop", MakeCallback(&EventLog::AddDrop, &log));
        dropped.Connect(cable.b, "PhyRxDrop");
        good.Connect(cable.b, "PhyRxEnd");
        const auto model = CreateObject<ReceiveListErrorModel>();
        model->SetList({1});
        cable.b->SetAttribute("ReceiveErrorModel", PointerValue(model));
        // Three RDMA frames; nobody is there for them, and the second one is broken.
        linkrig::Blaster blaster(cable.a, cable.b->GetFabricAddress(), PAYLOAD, 3);
        blaster.Start();
        Simulator::Run();
        const std::vector<std::pair<std::string, bool>> expected{{FabricNetDevice::NOT_MINE, true},
                                                                 {FabricNetDevice::CORRUPT, false},
                                                                 {FabricNetDevice::NOT_MINE, true}};
        NS_TEST_EXPECT_MSG_EQ((log.drops == expected), true, "reasons and promises");
        NS_TEST_EXPECT_MSG_EQ((log.corrupt == std::vector<bool>{false, true, false}), true, "mark");
        NS_TEST_EXPECT_MSG_EQ(cable.b->GetDrops(), 3, "all");
        NS_TEST_EXPECT_MSG_EQ(cable.b->GetLosslessDrops(), 2, "those that should not have been");
        const FabricTick frame = IsIb() ? IB_FRAME : ROCE_FRAME;
        const std::vector<FabricTick> times{frame + DELAY, 2 * frame + DELAY, 3 * frame + DELAY};
        NS_TEST_EXPECT_MSG_EQ((dropped.times == times), true, "at their arrival");
        NS_TEST_EXPECT_MSG_EQ(dropped.packets.at(1)->GetSize(),
                              (IsIb() ? IB_FRAME : ROCE_FRAME - 20),
                              "with its bytes");
        NS_TEST_EXPECT_MSG_EQ(good.times.size(), 2, "a broken frame has not come in");
        Finish();
    }
};

/**
 * @ingroup ai-fabric-tests
 * Credits for one packet: the second one waits for the flow-control packet, to the tick.
 */
class CreditStallTestCase : public DeviceTestCase
{
  public:
    CreditStallTestCase()
        : DeviceTestCase("ib", "Stall and LinkControl show how credits run out and come back")
    {
    }

  private:
    void DoRun() override
    {
        Cable cable(m_fabric);
        cable.helper->SetFlowControlAttribute("BufferBytes", UintegerValue(IB_BLOCKS * 64));
        cable.Install();
        EventLog stalls;
        EventLog atA;
        EventLog atB;
        cable.a->TraceConnectWithoutContext("Stall", MakeCallback(&EventLog::AddEdge, &stalls));
        cable.a->TraceConnectWithoutContext("LinkControl",
                                            MakeCallback(&EventLog::AddControl, &atA));
        cable.b->TraceConnectWithoutContext("LinkControl",
                                            MakeCallback(&EventLog::AddControl, &atB));
        constexpr uint32_t FRAMES = 70; // FCCL passes its modulus
        linkrig::Blaster blaster(cable.a, cable.b->GetFabricAddress(), PAYLOAD, FRAMES);
        linkrig::Counter counter(cable.b);
        blaster.Start();
        // 1,038 bytes or 17 blocks the other way, before anything comes in.
        cable.b->Send(Create<Packet>(1000), cable.a->GetAddress(), TEST_PROTOCOL);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(counter.frames, FRAMES, "all of them");
        constexpr FabricTick LOOP = IB_FRAME + DELAY + IB_CONTROL + DELAY;
        std::vector<EventLog::Edge> edges;
        for (FabricTick i = 0; i + 1 < FRAMES; ++i)
        {
            // Behind the first frame, A has a flow-control packet to send.
            const FabricTick own = i == 0 ? IB_CONTROL : 0;
            edges.push_back({0, true, i * LOOP + IB_FRAME + own});
            edges.push_back({0, false, (i + 1) * LOOP});
            NS_TEST_EXPECT_MSG_EQ(counter.times.at(i), i * LOOP + IB_FRAME + DELAY, "on time");
        }
        NS_TEST_EXPECT_MSG_EQ((stalls.edges == edges), true, "from wire free to credit there");
        NS_TEST_EXPECT_MSG_EQ(cable.a->GetPort().GetFlowControl()->GetHeldTicks(),
                              (FRAMES - 1) * (LOOP - IB_FRAME) - IB_CONTROL,
                              "the same in sum");
        // Frame i frees its room at B at once. Once, A sends a message, too: for the packet of B.
        uint32_t own = 0;
        uint32_t found = 0;
        for (std::size_t i = 0; i < atB.messages.size(); ++i)
        {
            IbFlowControlHeader header;
            atB.messages[i]->PeekHeader(header);
            NS_TEST_EXPECT_MSG_EQ(header.GetOp(), IbFlowControlHeader::OP_NORMAL, "link is up");
            NS_TEST_EXPECT_MSG_EQ(header.GetVl(), 0, "lane");
            if (header.GetFctbs() == 17)
            {
                // B's: it has sent 17 blocks, and has received and freed found + 1 packets.
                NS_TEST_EXPECT_MSG_EQ(header.GetFccl(), IB_BLOCKS * (found + 2) % 4096, "limit");
                NS_TEST_EXPECT_MSG_EQ(atB.times[i], found * LOOP + IB_FRAME + DELAY, "leaves");
                ++found;
            }
            else
            {
                // A's, for the packet that has come in: 65 blocks sent by then.
                NS_TEST_EXPECT_MSG_EQ(header.GetFctbs(), IB_BLOCKS, "A's counter");
                NS_TEST_EXPECT_MSG_EQ(header.GetFccl(), IB_BLOCKS + 17, "A's limit");
                NS_TEST_EXPECT_MSG_EQ(atB.times[i], IB_FRAME + IB_CONTROL + DELAY, "after frame");
                ++own;
            }
        }
        NS_TEST_EXPECT_MSG_EQ(found, FRAMES, "one for each frame");
        NS_TEST_EXPECT_MSG_EQ(own, 1, "one for the packet");
        found = 0;
        for (std::size_t i = 0; i < atA.messages.size(); ++i)
        {
            IbFlowControlHeader header;
            atA.messages[i]->PeekHeader(header);
            if (header.GetFctbs() == 17)
            {
                NS_TEST_EXPECT_MSG_EQ(atA.times[i], (found + 1) * LOOP, "comes in");
                ++found;
            }
            else
            {
                NS_TEST_EXPECT_MSG_EQ(atA.times[i], IB_FRAME, "leaves at the frame boundary");
            }
        }
        NS_TEST_EXPECT_MSG_EQ(found, FRAMES, "each one arrives");
        Finish();
    }
};

/**
 * @ingroup ai-fabric-tests
 * A pause and its end, to the tick.
 */
class PauseStallTestCase : public DeviceTestCase
{
  public:
    PauseStallTestCase()
        : DeviceTestCase("roce", "Pause, Stall and LinkControl show a pause frame and its end")
    {
    }

  private:
    static void SetPaused(Ptr<FabricNetDevice> device, bool paused)
    {
        dynamic_cast<PauseFlowControl*>(device->GetIncomingFlowControl())
            ->SetPaused(PRIORITY, paused);
    }

    void DoRun() override
    {
        constexpr FabricTick REACTION = 40;
        Cable cable(m_fabric);
        cable.helper->SetFlowControlAttribute("ReactionDelay", TimeValue(NanoSeconds(REACTION)));
        cable.Install();
        EventLog stalls;
        EventLog pauses;
        EventLog atA;
        EventLog atB;
        cable.a->TraceConnectWithoutContext("Stall", MakeCallback(&EventLog::AddEdge, &stalls));
        cable.a->TraceConnectWithoutContext("Pause", MakeCallback(&EventLog::AddEdge, &pauses));
        cable.a->TraceConnectWithoutContext("LinkControl",
                                            MakeCallback(&EventLog::AddControl, &atA));
        cable.b->TraceConnectWithoutContext("LinkControl",
                                            MakeCallback(&EventLog::AddControl, &atB));
        linkrig::Blaster blaster(cable.a, cable.b->GetFabricAddress(), PAYLOAD, 10);
        linkrig::Counter counter(cable.b);
        blaster.Start();
        constexpr FabricTick XOFF = 1000;
        constexpr FabricTick XON = 20000;
        Simulator::Schedule(NanoSeconds(XOFF), &PauseStallTestCase::SetPaused, cable.b, true);
        Simulator::Schedule(NanoSeconds(XON), &PauseStallTestCase::SetPaused, cable.b, false);
        Simulator::Run();
        constexpr FabricTick FLIGHT = PFC_FRAME + DELAY;
        const std::vector<EventLog::Edge> paused{{PRIORITY, true, XOFF + FLIGHT + REACTION},
                                                 {PRIORITY, false, XON + FLIGHT + REACTION}};
        NS_TEST_EXPECT_MSG_EQ((pauses.edges == paused), true, "from reaction to reaction");
        const std::vector<EventLog::Edge> held{{PRIORITY, true, ROCE_FRAME},
                                               {PRIORITY, false, XON + FLIGHT + REACTION}};
        NS_TEST_EXPECT_MSG_EQ((stalls.edges == held), true, "from the end of the first frame");
        NS_TEST_EXPECT_MSG_EQ((atB.times == std::vector<FabricTick>{XOFF, XON}), true, "leave");
        NS_TEST_EXPECT_MSG_EQ((atA.times == std::vector<FabricTick>{XOFF + FLIGHT, XON + FLIGHT}),
                              true,
                              "come in");
        NS_TEST_ASSERT_MSG_EQ(counter.frames, 10, "all of them");
        NS_TEST_EXPECT_MSG_EQ(counter.times.at(0), ROCE_FRAME + DELAY, "before the pause");
        NS_TEST_EXPECT_MSG_EQ(counter.times.at(1),
                              XON + FLIGHT + REACTION + ROCE_FRAME + DELAY,
                              "after it");
        for (const EventLog* log : {&atA, &atB})
        {
            for (std::size_t i = 0; i < 2; ++i)
            {
                const Ptr<Packet> frame = log->messages.at(i)->Copy();
                NS_TEST_EXPECT_MSG_EQ(frame->GetSize(), 64, "smallest Ethernet frame");
                EthernetHeader ethernet(false);
                PfcHeader pfc;
                frame->RemoveHeader(ethernet);
                frame->RemoveHeader(pfc);
                NS_TEST_EXPECT_MSG_EQ(ethernet.GetDestination(),
                                      Mac48Address("01:80:c2:00:00:01"),
                                      "never forwarded");
                NS_TEST_EXPECT_MSG_EQ(ethernet.GetSource(),
                                      Mac48Address::ConvertFrom(cable.b->GetAddress()),
                                      "the receiver's");
                NS_TEST_EXPECT_MSG_EQ(ethernet.GetLengthType(), 0x8808, "MAC control");
                NS_TEST_EXPECT_MSG_EQ(pfc.GetEnableVector(), 1U << PRIORITY, "one priority");
                NS_TEST_EXPECT_MSG_EQ(pfc.GetQuanta(PRIORITY), (i ? 0 : 0xffff), "stop, go on");
            }
        }
        Finish();
    }
};

/** Connects sinks that do nothing to trace sources of all devices. */
class Watcher
{
  public:
    /** @param sources names of trace sources */
    explicit Watcher(const std::vector<std::string>& sources)
    {
        for (const auto& device : stackrig::Hosts::GetAllDevices())
        {
            for (const std::string& source : sources)
            {
                Connect(device, source);
            }
        }
    }

    /** @returns calls of sinks */
    uint64_t GetCalls() const
    {
        return m_calls;
    }

  private:
    void Connect(const Ptr<FabricNetDevice>& device, const std::string& source)
    {
        if (source == "Stall" || source == "Pause")
        {
            device->TraceConnectWithoutContext(source, MakeCallback(&Watcher::Edge, this));
        }
        else if (source == "LinkControl")
        {
            device->TraceConnectWithoutContext(source, MakeCallback(&Watcher::Control, this));
        }
        else
        {
            device->TraceConnectWithoutContext(source, MakeCallback(&Watcher::Bytes, this));
        }
    }

    void Edge(uint8_t /* cls */, bool /* begin */)
    {
        ++m_calls;
    }

    void Control(Ptr<const Packet> /* bytes */, Time /* at */)
    {
        ++m_calls;
    }

    void Bytes(Ptr<const Packet> /* bytes */)
    {
        ++m_calls;
    }

    uint64_t m_calls{0}; //!< of all sinks
};

/**
 * @ingroup ai-fabric-tests
 * Every arrival is at the same tick, whoever looks on.
 */
class WatchedTestCase : public DeviceTestCase
{
  public:
    explicit WatchedTestCase(const std::string& fabric)
        : DeviceTestCase(fabric, "looking at the wire changes no arrival")
    {
    }

  private:
    using Ticks = std::vector<FabricTick>;

    static void Record(Ticks* ticks, Ptr<const Packet> /* packet */, const Address& /* from */)
    {
        ticks->push_back(FabricNow());
    }

    static void Note(Ticks* ticks,
                     uint32_t /* qpn */,
                     uint64_t /* id */,
                     uint64_t /* bytes */,
                     uint64_t /* tag */)
    {
        ticks->push_back(FabricNow());
    }

    /** Three senders to one receiver, whose port holds them back; frames go the other way, too. */
    Ticks RunIncast(const std::vector<std::string>& sources, bool expectCalls)
    {
        const auto helper = linkrig::MakeHelper(m_fabric, "400Gbps");
        if (!IsIb())
        {
            helper->SetSwitchAttribute("BufferBytes", UintegerValue(1000000));
        }
        linkrig::Star star(*helper, 4);
        const Watcher watcher(sources);
        std::vector<std::unique_ptr<linkrig::Blaster>> blasters;
        std::vector<std::unique_ptr<linkrig::Counter>> counters;
        for (std::size_t i = 0; i < 4; ++i)
        {
            counters.push_back(std::make_unique<linkrig::Counter>(star.devices[i]));
            const uint64_t to = star.devices[i == 0 ? 1 : 0]->GetFabricAddress();
            const uint32_t payload = i == 0 ? 777 : 4096 - static_cast<uint32_t>(i) * 400;
            blasters.push_back(
                std::make_unique<linkrig::Blaster>(star.devices[i], to, payload, 400));
            blasters.back()->Start();
        }
        Simulator::Run();
        Ticks ticks = counters[0]->times;
        ticks.insert(ticks.end(), counters[1]->times.begin(), counters[1]->times.end());
        NS_TEST_EXPECT_MSG_EQ(ticks.size(), 1600, "everything has arrived");
        FabricTick held = 0;
        for (std::size_t i = 1; i < 4; ++i)
        {
            held += star.devices[i]->GetPort().GetFlowControl()->GetHeldTicks();
        }
        NS_TEST_EXPECT_MSG_GT(held, 0, "flow control had work");
        NS_TEST_EXPECT_MSG_EQ((watcher.GetCalls() > 0), expectCalls, "somebody has looked");
        Finish();
        return ticks;
    }

    /** TCP and RDMA over leaf and spine. */
    Ticks RunStack(const std::vector<std::string>& sources)
    {
        Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1460));
        const StringValue none("ns3::ConstantRandomVariable[Constant=0]");
        Config::SetDefault("ns3::ArpL3Protocol::RequestJitter", none);
        stackrig::Hosts hosts(m_fabric, stackrig::Shape::LEAF_SPINE, "100Gbps");
        stackrig::Messages messages(hosts);
        hosts.InstallIpv4();
        const Watcher watcher(sources);
        constexpr uint16_t PORT = 9;
        Ticks ticks;
        BulkSendHelper source("ns3::TcpSocketFactory",
                              InetSocketAddress(hosts.ipv4.GetAddress(3), PORT));
        source.SetAttribute("MaxBytes", UintegerValue(1000000));
        source.Install(hosts.nodes.Get(0)).Start(Seconds(1));
        PacketSinkHelper sink("ns3::TcpSocketFactory",
                              InetSocketAddress(Ipv4Address::GetAny(), PORT));
        const ApplicationContainer sinks = sink.Install(hosts.nodes.Get(3));
        sinks.Get(0)->TraceConnectWithoutContext("Rx", MakeBoundCallback(&Record, &ticks));
        for (uint32_t i = 0; i < 3; ++i)
        {
            Simulator::Schedule(Seconds(1), &stackrig::Messages::Post, &messages, i, 3, 20, 30000);
            messages.GetNic(3)->TraceConnectWithoutContext("MessageDelivered",
                                                           MakeBoundCallback(&Note, &ticks));
        }
        Simulator::Stop(Seconds(20));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(DynamicCast<PacketSink>(sinks.Get(0))->GetTotalRx(),
                              1000000,
                              "every byte");
        NS_TEST_EXPECT_MSG_EQ(messages.IsComplete(), true, "every message");
        Finish();
        Config::Reset();
        return ticks;
    }

    void DoRun() override
    {
        const std::vector<std::string> all{"MacTx",
                                           "MacRx",
                                           "MacPromiscRx",
                                           "PhyTxBegin",
                                           "PhyTxEnd",
                                           "PhyRxEnd",
                                           "Sniffer",
                                           "PromiscSniffer",
                                           "LinkControl",
                                           "Stall",
                                           "Pause"};
        const Ticks alone = RunIncast({}, false);
        for (const std::string source : {"PhyTxEnd", "PromiscSniffer", "LinkControl", "Stall"})
        {
            NS_TEST_EXPECT_MSG_EQ((RunIncast({source}, true) == alone), true, source);
        }
        NS_TEST_EXPECT_MSG_EQ((RunIncast(all, true) == alone), true, "all of them");
        const Ticks stack = RunStack({});
        NS_TEST_EXPECT_MSG_GT(stack.size(), 100, "many arrivals");
        NS_TEST_EXPECT_MSG_EQ((RunStack(all) == stack), true, "TCP and RDMA");
    }
};

/**
 * @ingroup ai-fabric-tests
 * Credit of a packet that a bit error took comes back, at a known tick.
 */
class HealTestCase : public DeviceTestCase
{
  public:
    HealTestCase()
        : DeviceTestCase("ib", "credit of lost packets comes back after FcMaxInterval")
    {
    }

  private:
    static void Query(CreditFlowControl* credits, std::vector<uint32_t>* answers)
    {
        answers->push_back(credits->GetCredit(0));
    }

    /** The latest tick at which the credit may be back: flow-control packets there and back. */
    static constexpr FabricTick INTERVAL = 65536;
    static constexpr FabricTick LOST = IB_FRAME + DELAY;
    static constexpr FabricTick HEALED = LOST + INTERVAL + 2 * (IB_CONTROL + DELAY);

    /** @returns cable on which the frames with these numbers get lost */
    static void Install(Cable& cable, uint32_t blocks, const std::list<uint32_t>& lost)
    {
        cable.helper->SetFlowControlAttribute("BufferBytes", UintegerValue(blocks * 64));
        cable.Install();
        const auto model = CreateObject<ReceiveListErrorModel>();
        model->SetList(lost);
        cable.b->SetAttribute("ReceiveErrorModel", PointerValue(model));
    }

    void RunOneLoss()
    {
        Cable cable(m_fabric);
        Install(cable, 1000, {0});
        const auto credits = dynamic_cast<CreditFlowControl*>(cable.a->GetPort().GetFlowControl());
        linkrig::Blaster blaster(cable.a, cable.b->GetFabricAddress(), PAYLOAD, 1);
        linkrig::Counter counter(cable.b);
        blaster.Start();
        std::vector<uint32_t> answers;
        for (const FabricTick at : {FabricTick{1}, LOST, HEALED - 1, HEALED, 10 * HEALED})
        {
            Simulator::Schedule(NanoSeconds(at), &HealTestCase::Query, credits, &answers);
        }
        Simulator::Run();
        const uint32_t less = 1000 - IB_BLOCKS;
        NS_TEST_EXPECT_MSG_EQ((answers == std::vector<uint32_t>{less, less, less, 1000, 1000}),
                              true,
                              "gone with the frame, back at the tick");
        NS_TEST_EXPECT_MSG_EQ(counter.frames, 0, "the frame itself does not come back");
        Finish();
    }

    void RunStarved()
    {
        Cable cable(m_fabric);
        Install(cable, IB_BLOCKS, {0});
        linkrig::Blaster blaster(cable.a, cable.b->GetFabricAddress(), PAYLOAD, 2);
        linkrig::Counter counter(cable.b);
        EventLog stalls;
        cable.a->TraceConnectWithoutContext("Stall", MakeCallback(&EventLog::AddEdge, &stalls));
        blaster.Start();
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(counter.frames, 1, "the second one");
        NS_TEST_EXPECT_MSG_EQ(counter.last, HEALED + IB_FRAME + DELAY, "when credit is back");
        const std::vector<EventLog::Edge> held{{0, true, IB_FRAME}, {0, false, HEALED}};
        NS_TEST_EXPECT_MSG_EQ((stalls.edges == held), true, "held back until then");
        Finish();
    }

    void RunManyLosses()
    {
        Cable cable(m_fabric);
        Install(cable, 4 * IB_BLOCKS, {0, 3, 4, 50, 51, 52, 199});
        linkrig::Blaster blaster(cable.a, cable.b->GetFabricAddress(), PAYLOAD, 200);
        linkrig::Counter counter(cable.b);
        const auto credits = dynamic_cast<CreditFlowControl*>(cable.a->GetPort().GetFlowControl());
        std::vector<uint32_t> answers;
        blaster.Start();
        Simulator::Schedule(MilliSeconds(10), &HealTestCase::Query, credits, &answers);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(counter.frames, 193, "all but the lost ones");
        NS_TEST_EXPECT_MSG_LT(FabricSeconds(counter.last), 0.01, "before the question");
        NS_TEST_EXPECT_MSG_EQ(answers.at(0), 4 * IB_BLOCKS, "no credit leaks");
        NS_TEST_EXPECT_MSG_EQ(credits->GetOccupancy(), 0, "the buffer is empty");
        Finish();
    }

    /** A real transfer in both directions, with losses on both. */
    void RunTransfer()
    {
        Cable cable(m_fabric);
        cable.helper->SetFlowControlAttribute("BufferBytes", UintegerValue(4 * IB_BLOCKS * 64));
        cable.Install();
        const auto transport = CreateObject<RdmaTransport>();
        transport->SetQueuePairAttribute("TimeoutExponent", UintegerValue(6));
        std::vector<Ptr<FabricNic>> nics;
        uint32_t seed = 11;
        for (const Ptr<FabricNetDevice>& device : {cable.a, cable.b})
        {
            nics.push_back(CreateObject<FabricNic>());
            nics.back()->SetDevice(device);
            const auto model = CreateObject<RateErrorModel>();
            model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
            model->SetRate(0.005);
            model->AssignStreams(seed++);
            device->SetAttribute("ReceiveErrorModel", PointerValue(model));
        }
        transport->SetNics(nics);
        constexpr uint64_t BYTES = 4000000;
        transport->Send(0, 1, BYTES, 1);
        transport->Send(1, 0, BYTES, 2);
        std::vector<uint32_t> answers;
        for (const Ptr<FabricNetDevice>& device : {cable.a, cable.b})
        {
            Simulator::Schedule(
                Seconds(10),
                &HealTestCase::Query,
                dynamic_cast<CreditFlowControl*>(device->GetPort().GetFlowControl()),
                &answers);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(transport->GetPending(), 0, "both messages arrive");
        NS_TEST_EXPECT_MSG_GT(nics[0]->GetCounters().retransmitted, 0, "there were losses");
        for (const Ptr<FabricNetDevice>& device : {cable.a, cable.b})
        {
            NS_TEST_EXPECT_MSG_GT(device->GetDrops(), 0, "there were losses");
            NS_TEST_EXPECT_MSG_EQ(device->GetLosslessDrops(), 0, "but only by bit errors");
        }
        NS_TEST_EXPECT_MSG_EQ((answers == std::vector<uint32_t>(2, 4 * IB_BLOCKS)),
                              true,
                              "no credit leaks");
        transport->Dispose();
        Finish();
    }

    void DoRun() override
    {
        RunOneLoss();
        RunStarved();
        RunManyLosses();
        RunTransfer();
    }
};

/**
 * @ingroup ai-fabric-tests
 * What the devices show.
 */
class DeviceTraceTestSuite : public TestSuite
{
  public:
    DeviceTraceTestSuite()
        : TestSuite("ai-fabric-device-trace", TestSuite::Type::UNIT)
    {
        for (const std::string fabric : {"ib", "roce"})
        {
            AddTestCase(new PathTestCase(fabric));
            AddTestCase(new DropTestCase(fabric));
            AddTestCase(new WatchedTestCase(fabric));
        }
        AddTestCase(new CreditStallTestCase());
        AddTestCase(new PauseStallTestCase());
        AddTestCase(new HealTestCase());
    }
};

DeviceTraceTestSuite g_deviceTraceTestSuite; //!< the suite

} // namespace
