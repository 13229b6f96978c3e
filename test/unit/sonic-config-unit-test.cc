/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// SONiC's buffers.json, qos.json and config_db.json: what is read and what is made of it. What is
// refused is in sonic-error-unit-test.cc.

#include "ns3/sonic-config-reader.h"
#include "ns3/sonic-summary.h"
#include "ns3/sonic-tables.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unistd.h>

using namespace ns3;

namespace
{

const char* const BUFFERS = R"({
  "BUFFER_POOL": {
    "ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "10000000",
                              "xoff": 2000000},
    "ingress_lossy_pool": {"type": "ingress", "mode": "static", "size": 4000000},
    "egress_lossless_pool": {"type": "egress", "mode": "static", "size": "12000000"}
  },
  "BUFFER_PROFILE": {
    "ingress_lossy_profile": {"pool": "[BUFFER_POOL|ingress_lossy_pool]", "size": "0",
                              "static_th": "3000000"},
    "egress_lossless_profile": {"pool": "egress_lossless_pool", "size": "1518",
                                "static_th": "12000000"},
    "egress_lossy_profile": {"pool": "egress_lossless_pool", "size": 1000, "dynamic_th": -1},
    "my_lossless": {"pool": "ingress_lossless_pool", "size": "60000", "xon": "20000",
                    "xoff": "40000", "dynamic_th": "-3", "xon_offset": "2496"}
  },
  "BUFFER_PG": {
    "Ethernet0,Ethernet4|0": {"profile": "ingress_lossy_profile"},
    "Ethernet4|3-4": {"profile": "[BUFFER_PROFILE|my_lossless]"}
  },
  "BUFFER_QUEUE": {
    "Ethernet0,Ethernet4|3-4": {"profile": "egress_lossless_profile"},
    "Ethernet0|0-2": {"profile": "egress_lossy_profile"}
  },
  "CABLE_LENGTH": {"AZURE": {"Ethernet0": "5m", "Ethernet4": "40m", "Ethernet8": "0m"}}
}
)";

const char* const QOS = R"({
  "DSCP_TO_TC_MAP": {"AZURE": {"3": "3", "4": 4, "46": "5", "48": "6"}},
  "TC_TO_PRIORITY_GROUP_MAP": {"AZURE": {"3": "3", "4": "4", "7": "7"}},
  "TC_TO_QUEUE_MAP": {"AZURE": {"0": "0", "3": "3", "4": "4", "5": "5", "6": "6"}},
  "MAP_PFC_PRIORITY_TO_QUEUE": {"AZURE": {"3": "3", "4": "4"}},
  "PORT_QOS_MAP": {
    "global": {"dscp_to_tc_map": "AZURE"},
    "Ethernet0,Ethernet4": {"tc_to_pg_map": "[TC_TO_PRIORITY_GROUP_MAP|AZURE]",
                            "tc_to_queue_map": "AZURE", "pfc_to_queue_map": "AZURE",
                            "pfc_enable": "3,4", "pfcwd_sw_enable": "3"},
    "Ethernet8": {"pfc_enable": "3-4"}
  },
  "SCHEDULER": {
    "scheduler.0": {"type": "DWRR", "weight": "14"},
    "scheduler.1": {"type": "STRICT", "pir": "125000000"},
    "scheduler.2": {}
  },
  "WRED_PROFILE": {
    "AZURE_LOSSLESS": {"wred_green_enable": "true", "wred_yellow_enable": "false",
      "ecn": "ecn_green_red", "green_min_threshold": "1048576", "green_max_threshold": 2097152,
      "green_drop_probability": "5"}
  },
  "QUEUE": {
    "Ethernet0,Ethernet4|3-4": {"scheduler": "[SCHEDULER|scheduler.0]",
                                "wred_profile": "AZURE_LOSSLESS"},
    "Ethernet0|6": {"scheduler": "scheduler.1"}
  },
  "PFC_WD": {
    "GLOBAL": {"POLL_INTERVAL": "200"},
    "Ethernet0": {"action": "forward", "detection_time": "300", "restoration_time": 400},
    "Ethernet4": {"detection_time": "200"}
  }
}
)";

const char* const PG_PROFILES = "100000 5m 1000 0 30000 0 2000\n"
                                "100000 40m 50000 18432 31000 1\n"
                                "400000 40m 1000 0 90000 -2\n";

/** @returns what two texts say, with the profiles of PG_PROFILES */
SonicConfig
Read(const std::string& buffers, const std::string& qos, const SonicFiles& files = {})
{
    SonicTables tables;
    tables.AddText(buffers, "buffers.json");
    tables.AddText(qos, "qos.json");
    const SonicPgProfiles profiles = SonicPgProfileReader::Read(PG_PROFILES, "pg.ini");
    return SonicConfigReader::Read(tables, &profiles, files);
}

bool
HasNote(const SonicConfig& config, const std::string& note)
{
    return std::count(config.notes.begin(), config.notes.end(), note) == 1;
}

TEST(SonicConfig, ReadsPoolsAndProfiles)
{
    SonicTables tables;
    tables.AddText(BUFFERS, "b.json");
    const SonicConfig config = SonicConfigReader::Read(tables, nullptr, {});
    const SonicBufferConfig& buffers = config.buffers;
    ASSERT_EQ(buffers.pools.size(), 3U);
    const SonicBufferPool* pool = buffers.FindPool("ingress_lossless_pool");
    EXPECT_TRUE(pool->isIngress);
    EXPECT_FALSE(pool->isEgress);
    EXPECT_FALSE(pool->isStatic);
    EXPECT_EQ(pool->size, 10000000U);
    EXPECT_EQ(pool->xoff, 2000000U);
    EXPECT_EQ(pool->place, "b.json:3");
    EXPECT_TRUE(buffers.FindPool("ingress_lossy_pool")->isStatic);
    EXPECT_TRUE(buffers.FindPool("egress_lossless_pool")->isEgress);

    const SonicBufferProfile* lossless = buffers.FindProfile("my_lossless");
    EXPECT_EQ(lossless->pool, "ingress_lossless_pool");
    EXPECT_EQ(lossless->GetAlpha(), 0.125);
    EXPECT_EQ(lossless->xon, 20000U);
    EXPECT_EQ(lossless->xonOffset.value(), 2496U);
    EXPECT_TRUE(lossless->IsLossless());
    EXPECT_EQ(lossless->GetReserved(), 20000U) << "size = xon + xoff holds the headroom";
    const SonicBufferProfile* lossy = buffers.FindProfile("ingress_lossy_profile");
    EXPECT_EQ(lossy->pool, "ingress_lossy_pool");
    EXPECT_EQ(lossy->staticTh.value(), 3000000U);
    EXPECT_FALSE(lossy->dynamicTh.has_value());
    EXPECT_FALSE(lossy->IsLossless());
    EXPECT_EQ(buffers.FindProfile("egress_lossy_profile")->GetAlpha(), 0.5);
    EXPECT_EQ(buffers.FindProfile("egress_lossy_profile")->GetReserved(), 1000U);

    EXPECT_EQ(buffers.FindPg("Ethernet0", 0), lossy);
    EXPECT_EQ(buffers.FindPg("Ethernet4", 0), lossy);
    EXPECT_EQ(buffers.FindPg("Ethernet4", 3), lossless);
    EXPECT_EQ(buffers.FindPg("Ethernet4", 4), lossless);
    EXPECT_EQ(buffers.FindPg("Ethernet4", 5), nullptr);
    EXPECT_EQ(buffers.FindPg("Ethernet0", 3), nullptr);
    EXPECT_EQ(buffers.FindQueue("Ethernet4", 4)->name, "egress_lossless_profile");
    EXPECT_EQ(buffers.FindQueue("Ethernet0", 2)->name, "egress_lossy_profile");
    EXPECT_EQ(buffers.FindQueue("Ethernet4", 2), nullptr);
    EXPECT_EQ(buffers.ports.at("Ethernet4").cable, "40m");
    EXPECT_TRUE(config.notes.empty()) << config.notes.front();
}

TEST(SonicConfig, ReadsQualityOfService)
{
    SonicTables tables;
    tables.AddText(QOS, "q.json");
    const SonicConfig config = SonicConfigReader::Read(tables, nullptr, {});
    const SonicQosConfig& qos = config.qos;
    const SonicPortQos port = qos.GetPort("Ethernet0");
    EXPECT_EQ(port.dscpToTc, "AZURE") << "from global";
    EXPECT_EQ(port.tcToPg, "AZURE");
    EXPECT_EQ(port.tcToQueue, "AZURE");
    EXPECT_EQ(port.pfcToQueue, "AZURE");
    EXPECT_EQ(port.pfc, 0x18);
    EXPECT_EQ(port.watchdog, 0x08);
    EXPECT_EQ(qos.GetPort("Ethernet8").pfc, 0x18);
    EXPECT_EQ(qos.GetPort("Ethernet8").tcToPg, "");
    EXPECT_EQ(qos.GetPort("Ethernet99").pfc, 0);
    EXPECT_EQ(qos.dscpToTc.at("AZURE")[4], 4);
    EXPECT_EQ(qos.dscpToTc.at("AZURE")[48], 6);
    EXPECT_EQ(qos.dscpToTc.at("AZURE")[5], 0);
    EXPECT_EQ(qos.tcToPg.at("AZURE")[7], 7);
    EXPECT_EQ(qos.tcToPg.at("AZURE")[6], 0);
    EXPECT_EQ(qos.tcToQueue.at("AZURE")[6], 6);
    EXPECT_EQ(qos.pfcToQueue.at("AZURE")[3], 3);

    const SonicScheduler* dwrr = qos.FindScheduler("Ethernet4", 4);
    EXPECT_EQ(dwrr->type, SonicScheduler::DWRR);
    EXPECT_EQ(dwrr->weight, 14U);
    const SonicScheduler* strict = qos.FindScheduler("Ethernet0", 6);
    EXPECT_EQ(strict->type, SonicScheduler::STRICT);
    EXPECT_EQ(strict->pir, 125000000U);
    EXPECT_EQ(qos.FindScheduler("Ethernet4", 6), nullptr);
    EXPECT_EQ(qos.schedulers[2].type, SonicScheduler::WRR) << "SONiC's default";
    EXPECT_EQ(qos.schedulers[2].weight, 1U);

    const SonicWred* wred = qos.FindWred("Ethernet4", 3);
    ASSERT_NE(wred, nullptr);
    EXPECT_EQ(qos.FindWred("Ethernet0", 6), nullptr);
    const SonicWred::Curve& green = wred->curves[SonicWred::GREEN];
    EXPECT_TRUE(green.isOn);
    EXPECT_EQ(green.min, 1048576U);
    EXPECT_EQ(green.max, 2097152U);
    EXPECT_EQ(green.probability, 0.05);
    EXPECT_FALSE(wred->curves[SonicWred::YELLOW].isOn);
    EXPECT_TRUE(wred->marks[SonicWred::GREEN]);
    EXPECT_FALSE(wred->marks[SonicWred::YELLOW]);
    EXPECT_TRUE(wred->marks[SonicWred::RED]);

    EXPECT_EQ(qos.watchdogPoll.value(), 200U);
    const SonicWatchdog& given = qos.watchdogs.at("Ethernet0");
    EXPECT_EQ(given.action, SonicWatchdog::FORWARD);
    EXPECT_EQ(given.detectionTime, 300U);
    EXPECT_EQ(given.restorationTime, 400U);
    const SonicWatchdog& open = qos.watchdogs.at("Ethernet4");
    EXPECT_EQ(open.action, SonicWatchdog::DROP);
    EXPECT_EQ(open.restorationTime, 400U) << "twice the detection time";
    EXPECT_TRUE(HasNote(config,
                        "no lossless priority groups made for 3 ports, BUFFER_POOL is not there: "
                        "Ethernet0, Ethernet4, Ethernet8"));
}

TEST(SonicConfig, MakesLosslessGroupsAsTheSwitchDoes)
{
    SonicFiles files;
    files.defaultSpeed = 100000;
    const SonicConfig config = Read(BUFFERS, QOS, files);
    const SonicBufferConfig& buffers = config.buffers;
    const SonicBufferProfile* made = buffers.FindPg("Ethernet0", 3);
    ASSERT_NE(made, nullptr);
    EXPECT_EQ(made->name, "pg_lossless_100000_5m_profile");
    EXPECT_EQ(made->place, "pg.ini:1");
    EXPECT_EQ(made->pool, "ingress_lossless_pool");
    EXPECT_EQ(made->size, 1000U);
    EXPECT_EQ(made->GetReserved(), 1000U) << "the headroom is not part of size";
    EXPECT_EQ(made->xoff, 30000U);
    EXPECT_EQ(made->dynamicTh.value(), 0);
    EXPECT_EQ(made->xonOffset.value(), 2000U);
    EXPECT_EQ(buffers.FindPg("Ethernet0", 4), made);
    EXPECT_EQ(buffers.FindPg("Ethernet4", 3)->name, "my_lossless") << "what is written stays";
    EXPECT_EQ(buffers.FindPg("Ethernet8", 3), nullptr);
    EXPECT_TRUE(HasNote(config,
                        "no lossless priority groups made for 1 port, the cable is 0m: "
                        "Ethernet8"));
    const SonicSummary summary = SummarizeSonic(config);
    EXPECT_EQ(summary.groups, 2U);
    EXPECT_EQ(summary.losslessGroups, 1U);
    EXPECT_EQ(summary.generatedGroups, 1U);
    EXPECT_EQ(summary.generatedProfiles, 1U);
    EXPECT_EQ(summary.losslessProfiles, 1U);
}

TEST(SonicConfig, FillsNullProfilesAndReusesNames)
{
    const std::string buffers = R"({
  "PORT": {"Ethernet0": {"speed": "400000", "mtu": "9100"}, "Ethernet4": {"speed": 100000}},
  "CABLE_LENGTH": {"AZURE": {"Ethernet0": "40m", "Ethernet4": "40m", "Ethernet8": "5m"}},
  "BUFFER_POOL": {"ingress_lossless_pool": {"type": "both", "mode": "static", "size": "1000000"}},
  "BUFFER_PROFILE": {"pg_lossless_100000_40m_profile": {"pool": "ingress_lossless_pool",
                     "size": "0", "xoff": "77", "static_th": "88"}},
  "BUFFER_PG": {"Ethernet0,Ethernet4|3-4": {"profile": "NULL"}}
})";
    SonicTables tables;
    tables.AddText(buffers, "b.json");
    const SonicPgProfiles profiles =
        SonicPgProfileReader::Read("400000 40m 1000 0 90000 55000\n", "pg.ini");
    const SonicConfig config = SonicConfigReader::Read(tables, &profiles, {});
    EXPECT_EQ(config.buffers.FindPg("Ethernet0", 3)->xoff, 90000U);
    EXPECT_EQ(config.buffers.FindPg("Ethernet0", 4)->staticTh.value(), 55000U);
    EXPECT_FALSE(config.buffers.FindPg("Ethernet0", 4)->dynamicTh.has_value());
    EXPECT_EQ(config.buffers.FindPg("Ethernet4", 3)->xoff, 77U);
    EXPECT_EQ(config.buffers.ports.at("Ethernet0").speed, 400000U);
    EXPECT_EQ(config.buffers.ports.at("Ethernet0").mtu, 9100U);
    EXPECT_TRUE(HasNote(config, "b.json:3: CABLE_LENGTH|AZURE Ethernet8: not a port of PORT"));
}

TEST(SonicConfig, SharesHeadroomAndTakesTheThresholdOfTheDynamicModel)
{
    std::string buffers = BUFFERS;
    buffers.replace(buffers.rfind('}'), 1, R"(,
  "DEFAULT_LOSSLESS_BUFFER_PARAMETER": {"AZURE": {"default_dynamic_th": "-4",
                                                  "over_subscribe_ratio": "2"}},
  "LOSSLESS_TRAFFIC_PATTERN": {"AZURE": {"mtu": "1024", "small_packet_percentage": "100"}}
})");
    const std::string xoff = ",\n                              \"xoff\": 2000000";
    buffers.erase(buffers.find(xoff), xoff.size());
    SonicFiles files;
    files.defaultSpeed = 100000;
    const SonicConfig config = Read(buffers, QOS, files);
    EXPECT_EQ(config.buffers.FindPg("Ethernet0", 3)->GetAlpha(), 0.0625);
    EXPECT_EQ(config.buffers.FindPg("Ethernet4", 3)->GetAlpha(), 0.125) << "as written";
    // (2 x 40000 + 2 x 30000) / 2
    EXPECT_EQ(config.buffers.FindPool("ingress_lossless_pool")->xoff, 70000U);
    EXPECT_EQ(config.buffers.losslessMtu.value(), 1024U);
    EXPECT_EQ(config.buffers.smallPackets.value(), 100U);
}

TEST(SonicConfig, TakesTheNextLongerCableIfAsked)
{
    std::string buffers = BUFFERS;
    buffers.replace(buffers.find("\"5m\""), 4, "\"7m\"");
    SonicFiles files;
    files.defaultSpeed = 100000;
    files.takesLongerCable = true;
    const SonicConfig config = Read(buffers, QOS, files);
    EXPECT_EQ(config.buffers.FindPg("Ethernet0", 3)->name, "pg_lossless_100000_7m_profile");
    EXPECT_EQ(config.buffers.FindPg("Ethernet0", 3)->xoff, 31000U);
    EXPECT_TRUE(HasNote(config,
                        "buffers.json:25: CABLE_LENGTH|AZURE Ethernet0: no profile of 7m at "
                        "100000 Mb/s, that of 40m is used"));
}

TEST(SonicConfig, ReadsFlatTablesAndLaterFilesWin)
{
    SonicTables tables;
    tables.AddText(R"({
"BUFFER_POOL|p": {"type": "egress", "size": "5000"},
"BUFFER_PROFILE|x": {"pool": "[BUFFER_POOL|p]", "dynamic_th": "3"},
"BUFFER_QUEUE|Ethernet0|0-2": {"profile": "[BUFFER_PROFILE|x]"},
"BUFFER_PORT_EGRESS_PROFILE_LIST|Ethernet0": {"profile_list":
    "[BUFFER_PROFILE|x],[BUFFER_PROFILE|x]"},
"VERSIONS|DATABASE": {"VERSION": "1"},
"VERSIONS|DATABASE": {"VERSION": "2"},
"SYSLOG": ["not", "a table"],
"ACL": {"a": 1}
})",
                   "db.json");
    tables.AddText(
        "{\"BUFFER_POOL\": {\n \"p\": {\"type\": \"egress\", \"size\": 6000,\n"
        "  \"color\": \"red\"}, \"r\": {\"color\": 1, \"type\": \"egress\", \"size\": 7}}}",
        "b.json");
    const SonicConfig config = SonicConfigReader::Read(tables, nullptr, {});
    EXPECT_EQ(config.buffers.FindPool("p")->size, 6000U);
    EXPECT_FALSE(config.buffers.FindPool("p")->isStatic);
    EXPECT_EQ(config.buffers.FindQueue("Ethernet0", 1)->GetAlpha(), 8);
    EXPECT_EQ(config.ignoredTables, (std::vector<std::string>{"ACL", "SYSLOG", "VERSIONS"}));
    ASSERT_EQ(config.notes.size(), 2U);
    EXPECT_EQ(config.notes[0], "b.json:2: BUFFER_POOL|p replaces the one at db.json:2");
    EXPECT_EQ(config.notes[1],
              "b.json:2: BUFFER_POOL|p: field \"color\" is not used, and so in 1 other row of this "
              "table");
}

TEST(SonicConfig, ReadsFilesAndPrintsWhatItFound)
{
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("ai-fabric-sonic-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "buffers.json") << BUFFERS;
    std::ofstream(folder / "qos.json") << QOS;
    std::ofstream(folder / "pg.ini") << PG_PROFILES;
    SonicFiles files;
    files.configs = {folder / "buffers.json", folder / "qos.json"};
    files.pgProfiles = folder / "pg.ini";
    files.defaultSpeed = 100000;
    const SonicConfig config = SonicConfigReader::ReadFiles(files);
    std::filesystem::remove_all(folder);
    std::ostringstream text;
    PrintSonicSummary(config, text);
    EXPECT_EQ(text.str(),
              "pool ingress_lossless_pool: ingress, dynamic, 10000000 bytes, shared headroom "
              "2000000 bytes\n"
              "pool ingress_lossy_pool: ingress, static, 4000000 bytes\n"
              "pool egress_lossless_pool: egress, static, 12000000 bytes\n"
              "buffer profiles: 4 (1 lossless), and 1 made from pg_profile_lookup.ini\n"
              "priority groups: 2 rows (1 lossless), and 1 made\n"
              "queue buffers: 2 rows (1 lossless)\n"
              "cables: 1 x 0m, 1 x 40m, 1 x 5m\n"
              "PFC: priorities 3,4 on 3 ports\n"
              "scheduler scheduler.0: DWRR, weight 14\n"
              "scheduler scheduler.1: STRICT\n"
              "scheduler scheduler.2: WRR, weight 1\n"
              "WRED AZURE_LOSSLESS: green 1048576..2097152 bytes, 5 %, marks\n"
              "queues: 2 rows (1 with WRED)\n"
              "PFC watchdog: 2 ports\n"
              "note: no lossless priority groups made for 1 port, the cable is 0m: Ethernet8\n");
}

// ---- files of switches ----

/** Reads files below the folder of samples; skips the test if there is none. */
class SonicSamples : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        const char* folder = std::getenv("AI_FABRIC_SAMPLES");
        if (!folder)
        {
            GTEST_SKIP() << "AI_FABRIC_SAMPLES is not set";
        }
        m_folder = folder;
    }

    SonicConfig Read(const std::vector<std::string>& names, SonicFiles files = {}) const
    {
        for (const std::string& name : names)
        {
            files.configs.push_back(m_folder / name);
        }
        return SonicConfigReader::ReadFiles(files);
    }

    std::filesystem::path m_folder;
};

TEST_F(SonicSamples, Tomahawk)
{
    const SonicConfig config = Read({"sonic-buffers/broadcom-th-t0-buffers.json"});
    const SonicSummary summary = SummarizeSonic(config);
    EXPECT_EQ(summary.pools, 3U);
    EXPECT_EQ(summary.profiles, 3U);
    EXPECT_EQ(summary.groups, 28U);
    EXPECT_EQ(summary.queues, 84U);
    EXPECT_EQ(summary.losslessQueues, 28U);
    EXPECT_EQ(summary.cables, (std::map<std::string, uint32_t>{{"5m", 52}, {"40m", 4}}));
    const SonicBufferPool* pool = config.buffers.FindPool("ingress_lossless_pool");
    EXPECT_EQ(pool->size, 10875072U);
    EXPECT_EQ(pool->xoff, 4194112U);
    EXPECT_EQ(config.buffers.FindPool("egress_lossy_pool")->size, 9243812U);
    EXPECT_EQ(config.buffers.FindPool("egress_lossless_pool")->size, 15982720U);
    EXPECT_TRUE(config.buffers.FindPool("egress_lossless_pool")->isStatic);
}

TEST_F(SonicSamples, Tomahawk5)
{
    const SonicConfig config = Read({"sonic-buffers/broadcom-th5-ft2-buffers.json"});
    const SonicSummary summary = SummarizeSonic(config);
    EXPECT_EQ(summary.pools, 2U);
    EXPECT_EQ(summary.profiles, 3U);
    EXPECT_EQ(summary.groups, 63U);
    EXPECT_EQ(summary.queues, 189U);
    EXPECT_EQ(summary.losslessQueues, 63U);
    EXPECT_EQ(summary.cables, (std::map<std::string, uint32_t>{{"5m", 64}}));
    for (const SonicBufferPool& pool : config.buffers.pools)
    {
        EXPECT_EQ(pool.size, 164733224U);
    }
    EXPECT_EQ(config.buffers.FindPool("ingress_lossless_pool")->xoff, 17962880U);
    EXPECT_EQ(config.buffers.FindProfile("ingress_lossy_profile")->staticTh.value(), 82434938U);
}

TEST_F(SonicSamples, Tomahawk5WithItsLosslessGroups)
{
    // Every port of the QoS file is one of the buffer file's, so it gets what the table has.
    SonicFiles files;
    files.pgProfiles = m_folder / "sonic-pg-profile/th5-o128-pg_profile_lookup.ini";
    files.defaultSpeed = 400000;
    const SonicConfig config =
        Read({"sonic-buffers/broadcom-th5-ft2-buffers.json", "sonic-qos/broadcom-th2-t0-qos.json"},
             files);
    const SonicBufferProfile* made = config.buffers.FindPg("Ethernet40", 4);
    ASSERT_NE(made, nullptr);
    EXPECT_EQ(made->size, 18796U);
    EXPECT_EQ(made->xoff, 445770U);
    EXPECT_EQ(made->xonOffset.value(), 3556U);
    EXPECT_EQ(made->GetAlpha(), 1);
    EXPECT_EQ(SummarizeSonic(config).generatedProfiles, 1U);
}

TEST_F(SonicSamples, Spectrum)
{
    const SonicConfig config = Read({"sonic-config-db/spectrum-t0-config_db-1.0.1.json"});
    const SonicSummary summary = SummarizeSonic(config);
    EXPECT_EQ(summary.pools, 4U);
    EXPECT_EQ(config.buffers.FindPool("egress_lossless_pool")->size, 16777152U);
    EXPECT_EQ(config.buffers.FindPool("ingress_lossless_pool")->size, 4194304U);
    EXPECT_EQ(config.buffers.FindPool("egress_lossy_pool")->size, 7340032U);
    EXPECT_EQ(config.buffers.FindPool("ingress_lossy_pool")->size, 7340032U);
    EXPECT_EQ(summary.profiles, 12U);
    EXPECT_EQ(summary.losslessProfiles, 7U);
    EXPECT_EQ(summary.groups, 60U);
    EXPECT_EQ(summary.losslessGroups, 32U);
    EXPECT_EQ(summary.queues, 84U);
    EXPECT_EQ(summary.speeds.at(100000), 26U);
    uint32_t ports = 0;
    for (const auto& [speed, count] : summary.speeds)
    {
        ports += count;
    }
    EXPECT_EQ(ports, 32U);
    EXPECT_EQ(summary.cables, (std::map<std::string, uint32_t>{{"5m", 28}, {"40m", 4}}));
    EXPECT_TRUE(config.buffers.isReservedOutside);
    EXPECT_EQ(config.buffers.FindPg("Ethernet124", 3)->xoff, 23552U);
    EXPECT_EQ(config.buffers.FindPg("Ethernet124", 3)->GetReserved(), 18432U);
}

TEST_F(SonicSamples, Tomahawk2QualityOfService)
{
    const SonicConfig config = Read({"sonic-qos/broadcom-th2-t0-qos.json"});
    const SonicSummary summary = SummarizeSonic(config);
    EXPECT_EQ(summary.pfc, (std::map<std::string, uint32_t>{{"3,4", 22}}));
    EXPECT_EQ(summary.scheduledQueues, 154U);
    EXPECT_EQ(summary.wredQueues, 44U);
    ASSERT_EQ(config.qos.schedulers.size(), 2U);
    EXPECT_EQ(config.qos.schedulers[0].weight, 14U);
    EXPECT_EQ(config.qos.schedulers[1].weight, 15U);
    EXPECT_EQ(config.qos.schedulers[1].type, SonicScheduler::DWRR);
    ASSERT_EQ(config.qos.wreds.size(), 1U);
    const SonicWred& wred = config.qos.wreds[0];
    EXPECT_EQ(wred.curves[SonicWred::GREEN].min, 2000000U);
    EXPECT_EQ(wred.curves[SonicWred::GREEN].max, 10000000U);
    EXPECT_EQ(wred.curves[SonicWred::GREEN].probability, 0.05);
    EXPECT_EQ(wred.marks, (std::array<bool, 3>{true, true, true}));
    const SonicPortQos port = config.qos.GetPort("Ethernet40");
    EXPECT_EQ(config.qos.dscpToTc.at(port.dscpToTc)[46], 5);
    EXPECT_EQ(config.qos.dscpToTc.at(port.dscpToTc)[8], 0);
}

} // namespace
