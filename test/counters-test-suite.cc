/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Counters of ports and classes, of both fabrics, against what was sent.

#include "support/link-rig.h"

#include "ns3/boolean.h"
#include "ns3/error-model.h"
#include "ns3/fabric-counters-helper.h"
#include "ns3/ib-net-device.h"
#include "ns3/ib-port-counters.h"
#include "ns3/pause-flow-control.h"
#include "ns3/pointer.h"
#include "ns3/roce-switch.h"
#include "ns3/test.h"

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::linkrig;

namespace
{

/** Base of the cases. */
class CountersCase : public TestCase
{
  public:
    explicit CountersCase(const std::string& what)
        : TestCase(what)
    {
    }

  protected:
    /** Queue frames of one class at a host. */
    static void Send(Ptr<FabricNetDevice> from,
                     Ptr<FabricNetDevice> to,
                     uint32_t frames,
                     uint8_t sl)
    {
        for (uint32_t i = 0; i < frames; ++i)
        {
            FabricFrame* frame = FabricFramePool::Allocate();
            frame->src = from->GetFabricAddress();
            frame->dst = to->GetFabricAddress();
            frame->opcode = IbOpcode::RC_WRITE_MIDDLE;
            frame->payload = 1024;
            frame->sl = sl;
            frame->dscp = 26;
            frame->ecn = 2;
            from->ClassifyFrame(*frame);
            from->SizeFrame(*frame);
            from->GetPort().Enqueue(frame);
        }
    }

    /** @returns lines of a file */
    std::vector<std::string> ReadLines(const std::string& path)
    {
        std::ifstream file(path);
        std::vector<std::string> lines;
        for (std::string line; std::getline(file, line);)
        {
            lines.push_back(line);
        }
        return lines;
    }
};

/** Words, packets, errors and waits of an InfiniBand port. */
class IbCase : public CountersCase
{
  public:
    IbCase()
        : CountersCase("ib: PortCounters of three lanes, with errors, and waits to the tick")
    {
    }

  private:
    void DoRun() override
    {
        const auto helper = MakeHelper("ib", "100Gbps");
        helper->SetDeviceAttribute("IbMtu", UintegerValue(1024));
        // The receiver takes a microsecond, and has room for one packet of a lane.
        helper->SetHostAttribute("ReceiveLatency", TimeValue(NanoSeconds(1000)));
        helper->SetChannelAttribute("Delay", TimeValue(NanoSeconds(10)));
        helper->SetHostFlowControlAttribute("BufferBytes", UintegerValue(17 * 64));
        Star star(*helper, 2);
        Counter counter(star.devices[1]);
        Send(star.devices[0], star.devices[1], 1, 0);
        Send(star.devices[0], star.devices[1], 5, 1);
        const auto model = CreateObject<ReceiveListErrorModel>();
        model->SetList({0});
        star.devices[1]->SetAttribute("ReceiveErrorModel", PointerValue(model));
        Simulator::Run();

        const auto out = DynamicCast<IbNetDevice>(star.sw->GetPort(1));
        const auto host = DynamicCast<IbNetDevice>(star.devices[1]);
        const IbPortCounters sent = IbPortCounters::Read(*out);
        const IbPortCounters received = IbPortCounters::Read(*host);
        constexpr uint64_t WORDS = (8 + 12 + 1024 + 4) / 4; // LRH, BTH, payload, ICRC
        NS_TEST_EXPECT_MSG_EQ(sent.portXmitPkts, 6U, "PortXmitPkts");
        NS_TEST_EXPECT_MSG_EQ(sent.portXmitData, 6 * WORDS, "PortXmitData");
        NS_TEST_EXPECT_MSG_EQ(received.portRcvPkts, 6U, "PortRcvPkts, the broken one too");
        NS_TEST_EXPECT_MSG_EQ(received.portRcvData, 6 * WORDS, "PortRcvData, the broken one too");
        NS_TEST_EXPECT_MSG_EQ(received.portRcvErrors, 1U, "PortRcvErrors");
        NS_TEST_EXPECT_MSG_EQ(counter.frames, 5U, "the good ones");
        NS_TEST_EXPECT_MSG_EQ(sent.portVlXmitPkts[0], 1U, "lane 0");
        NS_TEST_EXPECT_MSG_EQ(sent.portVlXmitPkts[1], 5U, "lane 1");
        NS_TEST_EXPECT_MSG_EQ(received.portVlRcvData[1], 5 * WORDS, "lane 1");
        NS_TEST_EXPECT_MSG_EQ(sent.portXmitDiscards + received.portXmitDiscards, 0U, "no limit");
        NS_TEST_EXPECT_MSG_EQ(host->GetClassCounters(0).drops, 1U, "the broken one, by lane");
        NS_TEST_EXPECT_MSG_EQ(host->GetClassCounters(1).drops, 0U, "none of the other lane");

        // Each packet of lane 1 waits for the credit of the one before: from the end of that one
        // on the wire, both ways of the cable and a microsecond; the flow-control packet of 8 bytes
        // (0.64 ns) ends within its tick. The first of them follows lane 0 without wait.
        NS_TEST_EXPECT_MSG_EQ(sent.portXmitWait, 4U * (1000 + 2 * 10), "PortXmitWait");
        NS_TEST_EXPECT_MSG_EQ(sent.portVlXmitWait[1], sent.portXmitWait, "of lane 1");
        NS_TEST_EXPECT_MSG_EQ(sent.portVlXmitWait[0], 0U, "lane 0 never waits");
        NS_TEST_EXPECT_MSG_EQ(out->GetPort().GetFlowControl()->GetHeldTicks(),
                              static_cast<FabricTick>(sent.portXmitWait),
                              "flow control agrees");

        std::ostringstream text;
        received.Print(text, host->GetLid(), 1);
        NS_TEST_EXPECT_MSG_EQ((text.str().find("# Port counters: Lid 2 port 1\n") == 0),
                              true,
                              "headline");
        NS_TEST_EXPECT_MSG_EQ(
            (text.str().find("\nPortRcvPkts:.....................6\n") != std::string::npos),
            true,
            text.str());

        const std::string path = CreateTempDirFilename("ib-ports.csv");
        FabricCountersHelper::WriteIbPortCounters(path, NodeContainer(star.nodes, star.center));
        const std::vector<std::string> lines = ReadLines(path);
        NS_TEST_ASSERT_MSG_EQ(lines.size(), 5U, "four ports");
        NS_TEST_EXPECT_MSG_EQ(lines[0].substr(0, 34), "node,device,port,lid,PortRcvErrors", "head");
        NS_TEST_EXPECT_MSG_EQ(lines[2].substr(0, 10), "1,0,,2,1,0", "second host");
        Simulator::Destroy();
    }
};

/** Pauses, marks and drops of an Ethernet port. */
class RoceCase : public CountersCase
{
  public:
    RoceCase()
        : CountersCase("roce: frames, pauses, waits, marks and queues by priority")
    {
    }

  private:
    void DoRun() override
    {
        const auto helper = MakeHelper("roce", "100Gbps");
        helper->SetChannelAttribute("Delay", TimeValue(NanoSeconds(100)));
        helper->SetSwitchAttribute("Ecn", BooleanValue(true));
        constexpr uint64_t FRAME = 62 + 1024;
        helper->SetSwitchAttribute("EcnKmin", UintegerValue(2 * FRAME));
        helper->SetSwitchAttribute("EcnKmax", UintegerValue(2 * FRAME + 1));
        Star star(*helper, 2);
        Counter counter(star.devices[1]);
        const Ptr<FabricNetDevice> out = star.sw->GetPort(1);
        const Ptr<FabricNetDevice> host = star.devices[1];
        // The receiver stops priority 3 for ten microseconds.
        const auto pause = dynamic_cast<PauseFlowControl*>(host->GetIncomingFlowControl());
        pause->SetPaused(3, true);
        Simulator::Schedule(MicroSeconds(10), &PauseFlowControl::SetPaused, pause, 3, false);
        Simulator::Schedule(NanoSeconds(50), &RoceCase::Look, this, out, host);
        Send(star.devices[0], host, 10, 0);
        Simulator::Run();

        const FabricClassCounters sent = out->GetClassCounters(3);
        const FabricClassCounters received = host->GetClassCounters(3);
        NS_TEST_EXPECT_MSG_EQ(counter.frames, 10U, "all arrive");
        NS_TEST_EXPECT_MSG_EQ(sent.txFrames, 10U, "sent");
        NS_TEST_EXPECT_MSG_EQ(sent.txBytes, 10 * FRAME, "sent");
        NS_TEST_EXPECT_MSG_EQ(received.rxFrames, 10U, "received");
        NS_TEST_EXPECT_MSG_EQ(received.rxBytes, 10 * FRAME, "received");
        NS_TEST_EXPECT_MSG_EQ(received.pausesOut, 2U, "stop and go");
        NS_TEST_EXPECT_MSG_EQ(sent.pausesIn, 2U, "stop and go");
        NS_TEST_EXPECT_MSG_EQ(received.pausesIn + sent.pausesOut, 0U, "not the other way");
        NS_TEST_EXPECT_MSG_EQ(sent.pausedTicks, 10000, "ten microseconds, to the tick");
        NS_TEST_EXPECT_MSG_EQ(sent.maxQueueBytes, 10 * FRAME, "all of them");
        // Frame i leaves with 9 - i behind it; marked are those with more than two.
        NS_TEST_EXPECT_MSG_EQ(sent.marks, 7U, "marks");
        NS_TEST_EXPECT_MSG_EQ(DynamicCast<RoceSwitch>(star.sw)->GetEcnMarks(), 7U, "marks");
        // From the arrival of the first frame in the switch (store-and-forward, 600 ns) until the
        // pause frame that ends it has come in.
        const FabricTick wire = out->GetPort().GetTxTicks(FRAME + 20);
        const FabricTick control = out->GetPort().GetTxTicks(PauseFlowControl::PFC_WIRE_BYTES);
        NS_TEST_EXPECT_MSG_EQ(sent.waitTicks,
                              10000 + control + 100 - (wire + 100 + 600),
                              "wait for the end of the pause");
        for (const uint8_t other : {0, 1, 2, 4, 5, 6, 7, 15})
        {
            const FabricClassCounters none = out->GetClassCounters(other);
            NS_TEST_EXPECT_MSG_EQ(none.txFrames + none.pausesIn + none.marks + none.drops,
                                  0U,
                                  "other classes");
        }

        const std::string path = CreateTempDirFilename("classes.csv");
        FabricCountersHelper::WriteClassCounters(path, NodeContainer(star.nodes, star.center));
        const std::vector<std::string> lines = ReadLines(path);
        NS_TEST_ASSERT_MSG_EQ(lines.size(), 5U, "one class of four devices");
        NS_TEST_EXPECT_MSG_EQ(lines[2].substr(0, 6), "1,0,,3", "second host, priority 3");
        NS_TEST_EXPECT_MSG_EQ(
            (lines[4].find(",10,10860,0,0,0,7,0,2,1.0000000000000001e-05,") != std::string::npos),
            true,
            lines[4]);
        bool refused = false;
        try
        {
            FabricCountersHelper::WriteClassCounters(path + "/none.csv", star.nodes);
        }
        catch (const std::runtime_error&)
        {
            refused = true;
        }
        NS_TEST_EXPECT_MSG_EQ(refused, true, "a file that can't be made");
        Simulator::Destroy();
    }

    /** The first pause frame is on its way. */
    void Look(Ptr<FabricNetDevice> out, Ptr<FabricNetDevice> host)
    {
        NS_TEST_EXPECT_MSG_EQ(host->GetClassCounters(3).pausesOut, 1U, "sent");
        NS_TEST_EXPECT_MSG_EQ(out->GetClassCounters(3).pausesIn, 0U, "not there yet");
    }
};

/** Drops are counted by the class in which a frame came in. */
class DropCase : public CountersCase
{
  public:
    explicit DropCase(const std::string& fabric)
        : CountersCase(fabric + ": drops by class"),
          m_fabric(fabric)
    {
    }

  private:
    void DoRun() override
    {
        const auto helper = MakeHelper(m_fabric, "100Gbps");
        Star star(*helper, 2);
        // Nobody listens at the second host.
        Send(star.devices[0], star.devices[1], 3, 2);
        Simulator::Run();
        const uint8_t cls = m_fabric == "ib" ? 2 : 3;
        for (uint8_t i = 0; i < FabricPort::CLASSES; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(star.devices[1]->GetClassCounters(i).drops,
                                  (i == cls ? 3U : 0U),
                                  "class " << +i);
        }
        Simulator::Destroy();
    }

    std::string m_fabric; //!< "ib" or "roce"
};

/** The suite. */
class CountersTestSuite : public TestSuite
{
  public:
    CountersTestSuite()
        : TestSuite("ai-fabric-counters", TestSuite::Type::UNIT)
    {
        AddTestCase(new IbCase);
        AddTestCase(new RoceCase);
        AddTestCase(new DropCase("ib"));
        AddTestCase(new DropCase("roce"));
    }
};

CountersTestSuite g_countersTestSuite; //!< registers the suite

} // namespace
