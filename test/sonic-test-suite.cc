/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Switches configured by SONiC's files: what devices, cables and the buffer are told, and what
// becomes of an incast.

#include "ns3/node-container.h"
#include "ns3/pause-flow-control.h"
#include "ns3/rdma-helper.h"
#include "ns3/rdma-transport.h"
#include "ns3/roce-net-device.h"
#include "ns3/simulator.h"
#include "ns3/sonic-import.h"
#include "ns3/sonic-tables.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

const char* const CONFIG = R"({
  "BUFFER_POOL": {"ingress_lossless_pool": {"type": "ingress", "size": 1000000, "xoff": 100000},
                  "out": {"type": "egress", "size": 900000}},
  "BUFFER_PROFILE": {
    "lossy": {"pool": "ingress_lossless_pool", "size": 0, "dynamic_th": -1},
    "lossless": {"pool": "ingress_lossless_pool", "size": 3000, "xon": 0, "xon_offset": 2500,
                 "xoff": 50000, "dynamic_th": -1},
    "q": {"pool": "out", "size": 0, "dynamic_th": 1}
  },
  "BUFFER_PG": {"Ethernet0,Ethernet4,Ethernet8|3": {"profile": "lossless"},
                "Ethernet0,Ethernet4,Ethernet8|0": {"profile": "lossy"}},
  "BUFFER_QUEUE": {"Ethernet0|5": {"profile": "q"}},
  "PORT": {"Ethernet0": {"speed": 100000, "mtu": 9100}, "Ethernet4": {"speed": 50000},
           "Ethernet8": {"speed": 100000, "mtu": 4200}},
  "CABLE_LENGTH": {"A": {"Ethernet0": "100m", "Ethernet4": "1m", "Ethernet8": "3m"}},
  "DSCP_TO_TC_MAP": {"M": {"26": 3, "48": 6}},
  "PORT_QOS_MAP": {"Ethernet0,Ethernet8": {"dscp_to_tc_map": "M", "pfc_enable": "3",
                                           "pfcwd_sw_enable": "3"},
                   "Ethernet4": {"pfc_enable": "3"}},
  "SCHEDULER": {"s": {"type": "STRICT", "pir": 9, "meter_type": "packets"},
                "w": {"type": "WRR", "weight": 20, "pir": 1250000000, "pbs": 9300}},
  "PFC_WD": {"Ethernet0": {"action": "forward", "detection_time": 300, "restoration_time": 400},
             "GLOBAL": {"POLL_INTERVAL": 100}},
  "WRED_PROFILE": {"e": {"wred_green_enable": true, "green_min_threshold": 2000,
                         "green_max_threshold": 9000, "green_drop_probability": 10,
                         "ecn": "ecn_all"}},
  "QUEUE": {"Ethernet0|3": {"scheduler": "w", "wred_profile": "e"},
            "Ethernet0|6": {"scheduler": "s"}}
})";

SonicConfig
ReadConfig()
{
    SonicTables tables;
    tables.AddText(CONFIG, "x.json");
    return SonicConfigReader::Read(tables, nullptr, {});
}

/** @returns an attribute as text */
std::string
GetText(const Ptr<Object>& object, const std::string& name)
{
    StringValue value;
    object->GetAttribute(name, value);
    return value.Get();
}

Time
GetTime(const Ptr<Object>& object, const std::string& name)
{
    TimeValue value;
    object->GetAttribute(name, value);
    return value.Get();
}

bool
SaysNotApplied(const SonicImport& import, const std::string& line)
{
    const std::vector<std::string> lines = import.GetNotApplied();
    return std::count(lines.begin(), lines.end(), line) == 1;
}

/** Both ends of a cable get rate, MTU, delay, maps and PFC of the port. */
class CableCase : public TestCase
{
  public:
    CableCase()
        : TestCase("cables get what the port has")
    {
    }

  private:
    void DoRun() override
    {
        const SonicConfig config = ReadConfig();
        RoceHelper fabric;
        SonicImport import(config, fabric);
        NodeContainer nodes(3);
        import.InstallSwitch(nodes.Get(0));
        const NetDeviceContainer first = import.Install(nodes.Get(1), "Ethernet0");
        const NetDeviceContainer second = import.Install(nodes.Get(2), "Ethernet4");
        std::string map;
        for (int dscp = 8; dscp < 64; ++dscp)
        {
            const int priority = dscp == 26 ? 3 : dscp == 48 ? 6 : 0;
            if (priority != dscp / 8)
            {
                map += (map.empty() ? "" : ",") + std::to_string(dscp) + ":" +
                       std::to_string(priority);
            }
        }
        for (uint32_t end = 0; end < 2; ++end)
        {
            const auto device = DynamicCast<RoceNetDevice>(first.Get(end));
            NS_TEST_EXPECT_MSG_EQ(device->GetBitRate(), 100000000000U, "rate");
            NS_TEST_EXPECT_MSG_EQ(device->GetMtu(), 9100, "MTU");
            NS_TEST_EXPECT_MSG_EQ(GetText(device, "DscpMap"), map, "DSCP map");
            NS_TEST_EXPECT_MSG_EQ(GetText(device, "Ets"), "1,1,1,20,1,1,strict,1", "ETS");
            NS_TEST_EXPECT_MSG_EQ(device->GetPort().GetPropagation(),
                                  NanoSeconds(500).GetTimeStep(),
                                  "100 m at 5 ns");
            const auto* pause =
                dynamic_cast<const PauseFlowControl*>(device->GetIncomingFlowControl());
            NS_TEST_ASSERT_MSG_NE(pause, nullptr, "no PFC");
            NS_TEST_EXPECT_MSG_EQ(pause->IsLossless(3), true, "PFC on 3");
            NS_TEST_EXPECT_MSG_EQ(pause->IsLossless(4), false, "and only there");
        }
        const auto ours = DynamicCast<RoceNetDevice>(first.Get(1));
        const auto hosts = DynamicCast<RoceNetDevice>(first.Get(0));
        NS_TEST_EXPECT_MSG_EQ(GetText(ours, "Shaping"), "3:10000000000bps:9300", "shaper");
        NS_TEST_EXPECT_MSG_EQ(GetText(hosts, "Shaping"), "", "a host has none");
        NS_TEST_EXPECT_MSG_EQ(GetText(ours, "PfcWatchdog"), "Forward", "watchdog");
        NS_TEST_EXPECT_MSG_EQ(GetText(hosts, "PfcWatchdog"), "Off", "a host has none");
        NS_TEST_EXPECT_MSG_EQ(GetTime(ours, "PfcWatchdogDetection"), MilliSeconds(300), "watchdog");
        NS_TEST_EXPECT_MSG_EQ(GetTime(ours, "PfcWatchdogRestoration"),
                              MilliSeconds(400),
                              "watchdog");
        NS_TEST_EXPECT_MSG_EQ(GetTime(ours, "PfcWatchdogPoll"), MilliSeconds(100), "watchdog");
        NS_TEST_EXPECT_MSG_EQ(GetText(DynamicCast<RoceNetDevice>(second.Get(1)), "PfcWatchdog"),
                              "Off",
                              "no row in PFC_WD");
        const auto other = DynamicCast<RoceNetDevice>(second.Get(1));
        NS_TEST_EXPECT_MSG_EQ(other->GetBitRate(), 50000000000U, "rate");
        NS_TEST_EXPECT_MSG_EQ(other->GetPort().GetPropagation(),
                              NanoSeconds(5).GetTimeStep(),
                              "1 m");
        NS_TEST_EXPECT_MSG_EQ(GetText(other, "DscpMap"), "", "no map");
        NS_TEST_EXPECT_MSG_EQ(GetText(other, "Ets"), "", "no scheduler");
        NS_TEST_EXPECT_MSG_EQ(
            SaysNotApplied(import,
                           "SCHEDULER|w: weights of packets; they are taken as weights of bytes"),
            true,
            "WRR");
        NS_TEST_EXPECT_MSG_EQ(SaysNotApplied(import, "SCHEDULER|s: pir in packets"),
                              true,
                              "shaper");
        Simulator::Destroy();
    }
};

/** What can not be installed is refused in one line. */
class RefusalCase : public TestCase
{
  public:
    RefusalCase()
        : TestCase("what can not be is refused")
    {
    }

  private:
    void DoRun() override
    {
        const SonicConfig config = ReadConfig();
        RoceHelper fabric;
        SonicImport import(config, fabric);
        NodeContainer nodes(2);
        const auto errorOf = [&import, &nodes](const std::string& port) -> std::string {
            try
            {
                port.empty() ? import.SetUpBuffer() : void(import.Install(nodes.Get(1), port));
            }
            catch (const std::invalid_argument& error)
            {
                return error.what();
            }
            return "";
        };
        NS_TEST_EXPECT_MSG_EQ(
            errorOf("Ethernet0"),
            "SonicImport: port Ethernet0 has no switch, expected InstallSwitch before",
            "no switch");
        NS_TEST_EXPECT_MSG_EQ(errorOf(""),
                              "SonicImport: no switch, expected InstallSwitch before",
                              "no switch");
        import.InstallSwitch(nodes.Get(0));
        NS_TEST_EXPECT_MSG_EQ(errorOf("Ethernet1"),
                              "the configuration has no port \"Ethernet1\", expected one of "
                              "Ethernet0 .. Ethernet8",
                              "no port");
        NS_TEST_EXPECT_MSG_EQ(errorOf("Ethernet0"), "", "good");
        NS_TEST_EXPECT_MSG_EQ(errorOf("Ethernet0"),
                              "SonicImport: port Ethernet0 has a cable, expected one that is free",
                              "a second cable");
        Simulator::Destroy();
    }
};

/** Two senders to one receiver, on a lossless or on a lossy priority. */
class IncastCase : public TestCase
{
  public:
    explicit IncastCase(bool isLossless)
        : TestCase(isLossless ? "a lossless incast pauses and loses nothing"
                              : "a lossy incast drops"),
          m_isLossless(isLossless)
    {
    }

  private:
    void DoRun() override
    {
        const SonicConfig config = ReadConfig();
        RoceHelper fabric;
        SonicImport import(config, fabric);
        NodeContainer nodes(4);
        const Ptr<RoceSwitch> device = import.InstallSwitch(nodes.Get(0));
        NodeContainer hosts;
        std::vector<Ptr<FabricNetDevice>> ports;
        // The receiver has half the rate of the senders.
        for (const char* name : {"Ethernet4", "Ethernet0", "Ethernet8"})
        {
            hosts.Add(nodes.Get(1 + hosts.GetN()));
            const NetDeviceContainer ends = import.Install(hosts.Get(hosts.GetN() - 1), name);
            ports.push_back(DynamicCast<FabricNetDevice>(ends.Get(1)));
        }
        import.SetUpBuffer();
        fabric.Configure(NodeContainer(nodes.Get(0)));
        // 1,000,000 less 100,000 of shared headroom and 3,000 of three groups.
        NS_TEST_EXPECT_MSG_EQ(device->GetBuffer().GetSharedSize(), 891000U, "shared pool");
        NS_TEST_EXPECT_MSG_EQ(device->GetBuffer().GetThreshold(0, 3), 445500U, "alpha 1/2");
        NS_TEST_EXPECT_MSG_EQ(device->GetEgressBuffer().GetLimit(1, 5),
                              2U * 1000000U,
                              "egress alpha 2");
        NS_TEST_EXPECT_MSG_EQ(device->GetEgressBuffer().GetLimit(1, 4),
                              std::numeric_limits<uint64_t>::max(),
                              "no profile, no limit");
        const WredMarker::Curve& curve = device->GetWred().GetCurve(1, 3);
        NS_TEST_EXPECT_MSG_EQ(curve.kmin, 2000U, "WRED");
        NS_TEST_EXPECT_MSG_EQ(curve.kmax, 9000U, "WRED");
        NS_TEST_EXPECT_MSG_EQ(curve.pmax, 0.1, "WRED");
        NS_TEST_EXPECT_MSG_GT(device->GetWred().GetCurve(1, 2).kmin, 1ULL << 60, "no WRED");
        NS_TEST_EXPECT_MSG_GT(device->GetWred().GetCurve(0, 3).kmin, 1ULL << 60, "no WRED");

        const Ptr<RdmaTransport> transport = RdmaHelper::CreateTransport(hosts);
        transport->SetDscp(m_isLossless ? 26 : 0);
        transport->Send(1, 0, 3000000, 0);
        transport->Send(2, 0, 3000000, 0);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(transport->GetPending(), 0U, "all is delivered");
        uint64_t drops = 0;
        uint64_t pauses = 0;
        const uint8_t priority = m_isLossless ? 3 : 0;
        for (const auto& port : ports)
        {
            drops += port->GetDrops();
            pauses += port->GetClassCounters(priority).pausesOut;
        }
        NS_TEST_EXPECT_MSG_EQ((drops == 0), m_isLossless, drops << " drops");
        NS_TEST_EXPECT_MSG_EQ((pauses > 0), m_isLossless, pauses << " pauses");
        NS_TEST_EXPECT_MSG_EQ(device->GetBuffer().GetUsed(), 0U, "the buffer is empty again");
        transport->Dispose();
        Simulator::Destroy();
    }

    bool m_isLossless; //!< the priority
};

/** Registers the cases. */
class SonicTestSuite : public TestSuite
{
  public:
    SonicTestSuite()
        : TestSuite("ai-fabric-sonic", TestSuite::Type::UNIT)
    {
        AddTestCase(new CableCase);
        AddTestCase(new RefusalCase);
        AddTestCase(new IncastCase(true));
        AddTestCase(new IncastCase(false));
    }
};

SonicTestSuite g_sonicTestSuite; //!< registers the suite

} // namespace
