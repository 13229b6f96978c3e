/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What ports get out of SONiC's tables: maps composed, pools divided, groups and queues brought
// together under one priority.

#include "ns3/sonic-port-plan.h"
#include "ns3/sonic-tables.h"

#include <gtest/gtest.h>
#include <sstream>
#include <stdexcept>
#include <string>

using namespace ns3;

namespace
{

/** Two traffic classes share queue 1; queue 6 is strict; PFC on 3. */
const char* const CONFIG = R"({
  "BUFFER_POOL": {
    "ingress_lossless_pool": {"type": "ingress", "size": 100000, "xoff": XOFF},
    "ingress_lossy_pool": {"type": "ingress", "size": 50000},
    "egress_pool": {"type": "egress", "size": 90000}
  },
  "BUFFER_PROFILE": {
    "lossy": {"pool": "ingress_lossy_pool", "size": 100, "static_th": 40000},
    "lossless": {"pool": "ingress_lossless_pool", "size": 1000, "xon": 0, "xoff": 5000,
                 "dynamic_th": -2},
    "out": {"pool": "egress_pool", "size": 10, "dynamic_th": 1}
  },
  "BUFFER_PG": {"Ethernet0,Ethernet4,Ethernet12|0": {"profile": "lossy"},
                "Ethernet0,Ethernet4|3": {"profile": "lossless"}},
  "BUFFER_QUEUE": {"Ethernet0,Ethernet4|0-7": {"profile": "out"}},
  "CABLE_LENGTH": {"A": {"Ethernet0": "5m"}},
  "DSCP_TO_TC_MAP": {"M": {"3": "3", "46": "5", "48": "6"}},
  "TC_TO_QUEUE_MAP": {"M": {"0": 1, "1": 1, "2": 2, "3": 3, "4": 4, "5": 5, "6": 6, "7": 7}},
  "TC_TO_PRIORITY_GROUP_MAP": {"M": {"3": 3, "7": 7}},
  "SCHEDULER": {"s": {"type": "STRICT"}, "w": {"type": "DWRR", "weight": 20}},
  "WRED_PROFILE": {"e": {"wred_green_enable": true, "green_min_threshold": 2000,
                         "green_max_threshold": 9000, "green_drop_probability": 10,
                         "ecn": "ecn_all"}},
  "QUEUE": {"Ethernet0|3": {"scheduler": "w", "wred_profile": "e"},
            "Ethernet0|6": {"scheduler": "s"}},
  "PFC_WD": {"Ethernet0": {"detection_time": 200}},
  "PORT_QOS_MAP": {"Ethernet0": {"dscp_to_tc_map": "M", "tc_to_queue_map": "M",
                                 "tc_to_pg_map": "M", "pfc_enable": "3", "pfcwd_sw_enable": "3"}}
})";

SonicConfig
Read(const std::string& xoff, const std::string& more = "")
{
    std::string text = CONFIG;
    text.replace(text.find("XOFF"), 4, xoff);
    text.insert(text.rfind('}'), more);
    SonicTables tables;
    tables.AddText(text, "x.json");
    return SonicConfigReader::Read(tables, nullptr, {});
}

TEST(SonicPortPlan, ListsPortsInNaturalOrder)
{
    EXPECT_EQ(ListSonicPorts(Read("0")),
              (std::vector<std::string>{"Ethernet0", "Ethernet4", "Ethernet12"}));
}

TEST(SonicPortPlan, DividesPools)
{
    // Lossless: 2 groups of 1000, and 5000 of headroom each; lossy: 3 groups of 100.
    SonicPlan plan = PlanSonicPorts(Read("0"), {});
    EXPECT_EQ(plan.shared.losslessPool, "ingress_lossless_pool");
    EXPECT_EQ(plan.shared.lossless, 100000U - 2 * 6000);
    EXPECT_EQ(plan.shared.headroom, 0U);
    EXPECT_EQ(plan.shared.lossyPool, "ingress_lossy_pool");
    EXPECT_EQ(plan.shared.lossy, 50000U - 3 * 100);
    // Egress: 2 ports x 8 queues of 10 bytes, one pool for all.
    EXPECT_EQ(plan.shared.egressLosslessPool, "egress_pool");
    EXPECT_EQ(plan.shared.egressLossless, 90000U - 16 * 10);
    EXPECT_EQ(plan.shared.egressLossyPool, "");
    EXPECT_EQ(plan.shared.egressLossy, 0U);
    // With a shared headroom of 8000 the groups have none of their own.
    plan = PlanSonicPorts(Read("8000"), {});
    EXPECT_EQ(plan.shared.lossless, 100000U - 2 * 1000 - 8000);
    EXPECT_EQ(plan.shared.headroom, 8000U);
    // NVIDIA's sizes are shared as they are.
    plan = PlanSonicPorts(
        Read("8000", ", \"DEVICE_METADATA\": {\"localhost\": {\"platform\": \"x-mlnx_1\"}}"),
        {});
    EXPECT_EQ(plan.shared.lossless, 100000U);
    EXPECT_EQ(plan.shared.lossy, 50000U);
}

TEST(SonicPortPlan, BringsMapsTogether)
{
    const SonicConfig config = Read("0");
    const SonicPlan plan = PlanSonicPorts(config, {"Ethernet4", "Ethernet0"});
    ASSERT_EQ(plan.ports.size(), 2U);
    const SonicPortPlan& port = plan.ports[1];
    EXPECT_EQ(port.name, "Ethernet0");
    EXPECT_EQ(port.port.cable, "5m");
    EXPECT_TRUE(port.hasDscpMap);
    EXPECT_EQ(port.priorityOfDscp[3], 3);
    EXPECT_EQ(port.priorityOfDscp[46], 5);
    EXPECT_EQ(port.priorityOfDscp[48], 6);
    EXPECT_EQ(port.priorityOfDscp[0], 1) << "class 0 goes to queue 1";
    EXPECT_EQ(port.GetLossless(), 0x08);
    const SonicPriorityPlan& lossless = port.priorities[3];
    EXPECT_EQ(lossless.ingress->name, "lossless");
    EXPECT_EQ(lossless.headroom, 5000U);
    EXPECT_EQ(lossless.egress->name, "out");
    EXPECT_EQ(lossless.scheduler->weight, 20U);
    EXPECT_EQ(lossless.wred->curves[SonicWred::GREEN].max, 9000U);
    EXPECT_TRUE(lossless.hasWatchdog);
    EXPECT_EQ(port.watchdog->restorationTime, 400U);
    const SonicPriorityPlan& strict = port.priorities[6];
    EXPECT_FALSE(strict.isLossless);
    EXPECT_EQ(strict.pg, 0);
    EXPECT_EQ(strict.ingress->name, "lossy");
    EXPECT_EQ(strict.headroom, 0U);
    EXPECT_EQ(strict.scheduler->type, SonicScheduler::STRICT);
    EXPECT_EQ(port.priorities[7].pg, 7);
    EXPECT_EQ(port.priorities[7].ingress->name, "lossy") << "as group 0: 7 has no profile";
    EXPECT_EQ(port.priorities[1].scheduler, nullptr);

    // Without rows in the QoS tables: DSCP / 8, nothing lossless.
    EXPECT_FALSE(plan.ports[0].hasDscpMap);
    EXPECT_EQ(plan.ports[0].priorityOfDscp[26], 3);
    EXPECT_EQ(plan.ports[0].GetLossless(), 0);
    EXPECT_EQ(plan.notes,
              (std::vector<std::string>{"priority group 0 of queues 1,2,4,5,6 is counted for each "
                                        "of these queues on its own"}));
}

TEST(SonicPortPlan, FollowsTheQueueThatAPfcPriorityPauses)
{
    const SonicConfig config =
        Read("0",
             ", \"MAP_PFC_PRIORITY_TO_QUEUE\": {\"M\": {\"3\": 5}},"
             "\"PORT_QOS_MAP|Ethernet4\": {\"pfc_enable\": \"3\", \"pfc_to_queue_map\": \"M\"}");
    const SonicPlan plan = PlanSonicPorts(config, {"Ethernet4"});
    EXPECT_EQ(plan.ports[0].GetLossless(), 0x20);
    EXPECT_EQ(plan.ports[0].priorities[5].pg, 3);
    EXPECT_EQ(plan.ports[0].priorities[5].headroom, 5000U);
    EXPECT_EQ(plan.notes.front(),
              "PFC priority 3 pauses queue 5: PFC frames name the queue instead");
}

TEST(SonicPortPlan, RefusesAPortThatIsNotThere)
{
    const SonicConfig config = Read("0");
    try
    {
        PlanSonicPorts(config, {"Ethernet8"});
        FAIL() << "planned";
    }
    catch (const std::invalid_argument& error)
    {
        EXPECT_STREQ(error.what(),
                     "the configuration has no port \"Ethernet8\", expected one of Ethernet0 .. "
                     "Ethernet12");
    }
}

TEST(SonicPortPlan, PrintsEqualPortsAndPrioritiesTogether)
{
    const SonicConfig config = Read("0");
    std::ostringstream text;
    PrintSonicPorts(PlanSonicPorts(config, {"Ethernet0", "Ethernet4", "Ethernet12"}).ports, text);
    const std::string lossy = "lossy; in: 100 bytes reserved, up to 40000 bytes";
    const std::string out = "; out: 10 bytes reserved, alpha 2";
    EXPECT_EQ(text.str(),
              "Ethernet0, cable 5m\n"
              "  priority 0,1,2,4,5,7: " +
                  lossy + out +
                  "\n"
                  "  priority 3: lossless; in: 1000 bytes reserved, alpha 0.25, headroom 5000" +
                  out +
                  "; weight 20; ECN 2000..9000 bytes 10 %; watchdog 200 ms\n"
                  "  priority 6: " +
                  lossy + out +
                  "; strict\n"
                  "Ethernet4\n"
                  "  priority 0,1,2,4,5,6,7: " +
                  lossy + out +
                  "\n"
                  "  priority 3: lossy; in: 1000 bytes reserved, alpha 0.25" +
                  out +
                  "\n"
                  "Ethernet12\n"
                  "  priority 0,1,2,3,4,5,6,7: " +
                  lossy + "\n");
}

} // namespace
