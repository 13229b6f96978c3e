/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Broken SONiC files: one input per kind of fault; the message names file, line, cause and what was
// expected.

#include "ns3/sonic-config-reader.h"
#include "ns3/sonic-tables.h"

#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

using namespace ns3;

namespace
{

/** @returns what went wrong; empty if nothing did */
std::string
ErrorOf(const std::string& text, const std::string& pgProfiles = "", uint32_t defaultSpeed = 0)
{
    try
    {
        SonicTables tables;
        tables.AddText(text, "x.json");
        SonicFiles files;
        files.defaultSpeed = defaultSpeed;
        if (pgProfiles.empty())
        {
            SonicConfigReader::Read(tables, nullptr, files);
            return "";
        }
        const SonicPgProfiles profiles = SonicPgProfileReader::Read(pgProfiles, "pg.ini");
        SonicConfigReader::Read(tables, &profiles, files);
    }
    catch (const std::runtime_error& error)
    {
        return error.what();
    }
    catch (const std::invalid_argument& error)
    {
        return error.what();
    }
    return "";
}

/** @returns what is wrong with a table that stands in lines 5 and following, after good pools,
 * profiles and maps */
std::string
ErrorIn(const std::string& table)
{
    return ErrorOf(
        R"({"BUFFER_POOL": {"in": {"type": "ingress", "size": "1000"}, "out": {"type": "egress", "size": 900}},
"BUFFER_PROFILE": {"lossy": {"pool": "in", "dynamic_th": "0"}, "q": {"pool": "out", "dynamic_th": "0"}},
"DSCP_TO_TC_MAP": {"AZURE": {"3": "3"}}, "SCHEDULER": {"s": {"type": "STRICT"}},
"WRED_PROFILE": {"w": {"ecn": "ecn_none"}},
)" + table +
        "\n}");
}

/** @returns what is wrong with a pool in line 2 */
std::string
ErrorOfPool(const std::string& fields)
{
    return ErrorOf("{\"BUFFER_POOL\":\n{\"p\": {" + fields + "}}}");
}

/** @returns what is wrong with a profile in line 3 */
std::string
ErrorOfProfile(const std::string& fields)
{
    return ErrorOf(R"({"BUFFER_POOL": {"in": {"type": "ingress", "size": "1000"},
"out": {"type": "egress", "size": 900}},
"BUFFER_PROFILE": {"x": {)" +
                   fields + "}}}");
}

TEST(SonicError, Json)
{
    EXPECT_EQ(ErrorOf("{\n  \"BUFFER_POOL\": {\n    \"p\": {\"size\": \"1\",}\n  }\n}"),
              "x.json:3:23: not valid JSON (syntax error): unexpected '}'; expected one JSON "
              "object");
    EXPECT_EQ(ErrorOf("{\n  \"BUFFER_POOL\": {\n"),
              "x.json:3:1: not valid JSON (incomplete JSON): the file ends too early; expected one "
              "JSON object");
    EXPECT_EQ(ErrorOf("[\n{\"BUFFER_POOL_TABLE:p\": {}, \"OP\": \"SET\"}\n]"),
              "x.json:1:1: expected a JSON object {...} at the top");
    try
    {
        SonicFiles files;
        files.configs = {"no-such-folder/buffers.json"};
        SonicConfigReader::ReadFiles(files);
        FAIL() << "read";
    }
    catch (const std::runtime_error& error)
    {
        EXPECT_STREQ(error.what(), "no-such-folder/buffers.json: can not be opened for reading");
    }
}

TEST(SonicError, Tables)
{
    EXPECT_EQ(ErrorOf("{\n\"BUFFER_POOL\": [1, 2]\n}"),
              "x.json:2: BUFFER_POOL: a list, expected an object {...} with fields");
    EXPECT_EQ(ErrorOf("{\n\"BUFFER_POOL\": {\n\"p\": 7}}"),
              "x.json:3: BUFFER_POOL|p: a number, expected an object {...} with fields");
    EXPECT_EQ(ErrorOf("{\n\"BUFFER_POOL|p\": \"x\"}"),
              "x.json:2: BUFFER_POOL|p: a string, expected an object {...} with fields");
    EXPECT_EQ(ErrorOf("{\n\"BUFFER_POOL|p\": {\"type\": \"egress\", \"size\": 1},\n"
                      "\"BUFFER_POOL\": {\n\"p\": {}}}"),
              "x.json:4: BUFFER_POOL|p: a second time, the first is at x.json:2, expected one of a "
              "name");
    EXPECT_EQ(ErrorOfPool("\"size\": 1,\n\"size\": 2"),
              "x.json:2: BUFFER_POOL|p size: comes again in line 3, expected one of a name");
}

TEST(SonicError, Pools)
{
    EXPECT_EQ(ErrorOfPool("\"size\": 1"),
              "x.json:2: BUFFER_POOL|p: no type, expected ingress, egress or both");
    EXPECT_EQ(ErrorOfPool("\n\"type\": \"inside\""),
              "x.json:3: BUFFER_POOL|p type: \"inside\", expected ingress, egress or both");
    EXPECT_EQ(ErrorOfPool("\"type\": \"egress\",\n \"mode\": \"Dynamic\""),
              "x.json:3: BUFFER_POOL|p mode: \"Dynamic\", expected dynamic or static");
    EXPECT_EQ(ErrorOfPool("\"type\": \"egress\""),
              "x.json:2: BUFFER_POOL|p: no size, expected a whole number in 1..1099511627776");
    EXPECT_EQ(ErrorOfPool("\"type\": \"egress\",\n\n\"size\": \"12MB\""),
              "x.json:4: BUFFER_POOL|p size: \"12MB\", expected a whole number in "
              "1..1099511627776");
    EXPECT_EQ(ErrorOfPool("\"type\": \"egress\", \"size\": null"),
              "x.json:2: BUFFER_POOL|p size: null, expected a string or a number");
    EXPECT_EQ(ErrorOfPool("\"type\": \"egress\", \"size\": {}"),
              "x.json:2: BUFFER_POOL|p size: an object, expected a string or a number");
    EXPECT_EQ(ErrorOfPool("\"type\": \"egress\", \"size\": 1.5"),
              "x.json:2: BUFFER_POOL|p size: \"1.5\", expected a whole number in "
              "1..1099511627776");
    EXPECT_EQ(ErrorOfPool("\"type\": \"ingress\", \"size\": 10,\n\"xoff\": 11"),
              "x.json:3: BUFFER_POOL|p xoff: 11 bytes of headroom, expected no more than the "
              "pool's size of 10");
    EXPECT_EQ(ErrorOfPool("\"type\": \"egress\", \"size\": 10, \"xoff\": 1"),
              "x.json:2: BUFFER_POOL|p xoff: headroom of an egress pool, expected it in an ingress "
              "pool only");
}

TEST(SonicError, Profiles)
{
    EXPECT_EQ(ErrorOfProfile("\"dynamic_th\": 1"),
              "x.json:3: BUFFER_PROFILE|x: no pool, expected the name of a pool in BUFFER_POOL");
    EXPECT_EQ(ErrorOfProfile("\"size\": 0,\n\"pool\": \"inn\""),
              "x.json:4: BUFFER_PROFILE|x pool: there is no pool \"inn\", expected one of "
              "BUFFER_POOL: in, out");
    EXPECT_EQ(ErrorOfProfile("\"pool\": \"[BUFFER_PROFILE|in]\""),
              "x.json:3: BUFFER_PROFILE|x pool: \"[BUFFER_PROFILE|in]\", expected a name in "
              "BUFFER_POOL or [BUFFER_POOL|name]");
    EXPECT_EQ(ErrorOfProfile("\"pool\": \"[BUFFER_POOL|in\""),
              "x.json:3: BUFFER_PROFILE|x pool: \"[BUFFER_POOL|in\", expected a name in "
              "BUFFER_POOL or [BUFFER_POOL|name]");
    EXPECT_EQ(ErrorOfProfile("\"pool\": \"in\", \"dynamic_th\": 1,\n\"static_th\": 1"),
              "x.json:4: BUFFER_PROFILE|x static_th: a static and a dynamic threshold, expected "
              "one of them");
    EXPECT_EQ(ErrorOfProfile("\"pool\": \"in\""),
              "x.json:3: BUFFER_PROFILE|x: no threshold, expected dynamic_th (log2 of alpha) or "
              "static_th (bytes)");
    EXPECT_EQ(ErrorOfProfile("\"pool\": \"in\", \"dynamic_th\": \"9\""),
              "x.json:3: BUFFER_PROFILE|x dynamic_th: \"9\", expected a whole number in -8..8");
    EXPECT_EQ(ErrorOfProfile("\"pool\": \"in\", \"dynamic_th\": \"\""),
              "x.json:3: BUFFER_PROFILE|x dynamic_th: \"\", expected a whole number in -8..8");
    EXPECT_EQ(ErrorOfProfile("\"pool\": \"in\", \"static_th\": -1"),
              "x.json:3: BUFFER_PROFILE|x static_th: \"-1\", expected a whole number in "
              "0..1099511627776");
    EXPECT_EQ(ErrorOfProfile("\"pool\": \"in\", \"dynamic_th\": 1, \"size\": 1001"),
              "x.json:3: BUFFER_PROFILE|x size: 1001 bytes reserved, expected no more than the "
              "1000 of pool in");
    EXPECT_EQ(ErrorOfProfile("\"pool\": \"out\", \"dynamic_th\": 1,\n\"xoff\": 5"),
              "x.json:4: BUFFER_PROFILE|x xoff: headroom in an egress pool, expected it in an "
              "ingress pool only");
}

TEST(SonicError, PriorityGroupsAndQueues)
{
    EXPECT_EQ(ErrorIn("\"BUFFER_PG\": {\"Ethernet0\": {\"profile\": \"lossy\"}}"),
              "x.json:5: BUFFER_PG|Ethernet0: the key does not name ports and a range, expected "
              "PORTS|N or PORTS|N-M with numbers in 0..7");
    EXPECT_EQ(ErrorIn("\"BUFFER_PG\": {\n\"Ethernet0|4-3\": {\"profile\": \"lossy\"}}"),
              "x.json:6: BUFFER_PG|Ethernet0|4-3: the key does not name ports and a range, "
              "expected PORTS|N or PORTS|N-M with numbers in 0..7");
    EXPECT_EQ(ErrorIn("\"BUFFER_PG|Ethernet0,|3-8\": {\"profile\": \"lossy\"}"),
              "x.json:5: BUFFER_PG|Ethernet0,|3-8: the key does not name ports and a range, "
              "expected PORTS|N or PORTS|N-M with numbers in 0..7");
    EXPECT_EQ(ErrorIn("\"BUFFER_QUEUE\": {\"Ethernet0,|3\": {\"profile\": \"q\"}}"),
              "x.json:5: BUFFER_QUEUE|Ethernet0,|3: the key does not name ports and a range, "
              "expected PORTS|N or PORTS|N-M with numbers in 0..63");
    EXPECT_EQ(ErrorIn("\"BUFFER_PG\": {\"Ethernet0|3-4\": {}}"),
              "x.json:5: BUFFER_PG|Ethernet0|3-4: no profile, expected the name of a profile in "
              "BUFFER_PROFILE");
    EXPECT_EQ(ErrorIn("\"BUFFER_PG\": {\"Ethernet0|3-4\": {\"profile\":\"lossi\"}}"),
              "x.json:5: BUFFER_PG|Ethernet0|3-4 profile: there is no profile \"lossi\", expected "
              "one of BUFFER_PROFILE: lossy, q");
    EXPECT_EQ(ErrorIn("\"BUFFER_QUEUE\": {\"Ethernet0|3-4\": {\"profile\":\"lossy\"}}"),
              "x.json:5: BUFFER_QUEUE|Ethernet0|3-4 profile: profile \"lossy\" is of pool in, "
              "expected a profile of an egress pool");
    EXPECT_EQ(ErrorIn("\"BUFFER_PG\": {\"Ethernet0|3-4\": {\"profile\":\"q\"}}"),
              "x.json:5: BUFFER_PG|Ethernet0|3-4 profile: profile \"q\" is of pool out, expected a "
              "profile of an ingress pool");
    EXPECT_EQ(ErrorIn("\"BUFFER_PG\": {\"Ethernet0|3-4\": {\"profile\":\"lossy\"},\n"
                      "\"Ethernet4,Ethernet0|4\": {\"profile\":\"lossy\"}}"),
              "x.json:6: BUFFER_PG|Ethernet4,Ethernet0|4: Ethernet0 4 is also in the row at "
              "x.json:5, expected each in one row");
    EXPECT_EQ(ErrorIn("\"BUFFER_PORT_EGRESS_PROFILE_LIST\": {\"Ethernet0\":\n"
                      "{\"profile_list\": \"q,[BUFFER_PROFILE|w]\"}}"),
              "x.json:6: BUFFER_PORT_EGRESS_PROFILE_LIST|Ethernet0 profile_list: there is no "
              "profile \"w\", expected one of BUFFER_PROFILE: lossy, q");
}

TEST(SonicError, PortsAndDefaults)
{
    EXPECT_EQ(ErrorOf("{\"PORT\": {\"Ethernet0\":\n{\"speed\": \"100G\"}}}"),
              "x.json:2: PORT|Ethernet0 speed: \"100G\", expected a whole number in 1..10000000");
    EXPECT_EQ(ErrorOf("{\"CABLE_LENGTH\": {\"AZURE\": {\n\"Ethernet0\": \"5 m\"}}}"),
              "x.json:2: CABLE_LENGTH|AZURE Ethernet0: \"5 m\", expected a length in meters such "
              "as 5m");
    EXPECT_EQ(ErrorOf("{\"CABLE_LENGTH\": {\"A\": {\n\"Ethernet0\": \"5m\"},\n"
                      "\"B\": {\"Ethernet0\": \"6m\"}}}"),
              "x.json:3: CABLE_LENGTH|B Ethernet0: 6m, but 5m in x.json:2: CABLE_LENGTH|A "
              "Ethernet0, expected one length per port");
    EXPECT_EQ(ErrorOf("{\"DEFAULT_LOSSLESS_BUFFER_PARAMETER\": {\"A\":\n"
                      "{\"default_dynamic_th\": \"x\"}}}"),
              "x.json:2: DEFAULT_LOSSLESS_BUFFER_PARAMETER|A default_dynamic_th: \"x\", expected a "
              "whole number in -8..8");
    EXPECT_EQ(ErrorOf("{\"LOSSLESS_TRAFFIC_PATTERN\": {\"A\":\n"
                      "{\"small_packet_percentage\": \"101\"}}}"),
              "x.json:2: LOSSLESS_TRAFFIC_PATTERN|A small_packet_percentage: \"101\", expected a "
              "whole number in 0..100");
}

TEST(SonicError, MapsAndPorts)
{
    EXPECT_EQ(ErrorOf("{\"DSCP_TO_TC_MAP\": {\"A\": {\"3\": \"3\",\n\"64\": \"1\"}}}"),
              "x.json:2: DSCP_TO_TC_MAP|A 64: not a number to map, expected 0..63");
    EXPECT_EQ(ErrorOf("{\"DSCP_TO_TC_MAP\": {\"A\": {\"3\":\n\"8\"}}}"),
              "x.json:1: DSCP_TO_TC_MAP|A 3: \"8\", expected a whole number in 0..7");
    EXPECT_EQ(ErrorOf("{\"TC_TO_QUEUE_MAP\": {\"A\": {\"tc\": 1}}}"),
              "x.json:1: TC_TO_QUEUE_MAP|A tc: not a number to map, expected 0..7");
    EXPECT_EQ(ErrorIn("\"PORT_QOS_MAP\": {\"Ethernet0\": {\n\"dscp_to_tc_map\": \"AZUR\"}}"),
              "x.json:6: PORT_QOS_MAP|Ethernet0 dscp_to_tc_map: there is no \"AZUR\", expected one "
              "of DSCP_TO_TC_MAP: AZURE");
    EXPECT_EQ(ErrorIn("\"PORT_QOS_MAP\": {\"global\": {\"tc_to_pg_map\": \"AZURE\"}}"),
              "x.json:5: PORT_QOS_MAP|global tc_to_pg_map: there is no \"AZURE\", expected one of "
              "TC_TO_PRIORITY_GROUP_MAP: none");
    EXPECT_EQ(ErrorIn("\"PORT_QOS_MAP\": {\"Ethernet0\": {\"pfc_enable\": \"3;4\"}}"),
              "x.json:5: PORT_QOS_MAP|Ethernet0 pfc_enable: \"3;4\", expected priorities 0..7 with "
              "commas between, such as 3,4");
    EXPECT_EQ(ErrorIn("\"PORT_QOS_MAP\": {\"Ethernet0\": {\"pfc_enable\": \"3\",\n"
                      "\"pfcwd_sw_enable\": \"3,4\"}}"),
              "x.json:6: PORT_QOS_MAP|Ethernet0 pfcwd_sw_enable: a watchdog for a priority without "
              "PFC, expected priorities of pfc_enable only");
    EXPECT_EQ(ErrorIn("\"PORT_QOS_MAP\": {\"Ethernet0,Ethernet4\": {},\n\"Ethernet4\": {}}"),
              "x.json:6: PORT_QOS_MAP|Ethernet4: Ethernet4 is also in another row, expected each "
              "port in one row");
}

TEST(SonicError, SchedulersQueuesAndCurves)
{
    EXPECT_EQ(ErrorOf("{\"SCHEDULER\": {\"s\": {\"type\": \"ETS\"}}}"),
              "x.json:1: SCHEDULER|s type: \"ETS\", expected DWRR, WRR or STRICT");
    EXPECT_EQ(ErrorOf("{\"SCHEDULER\": {\"s\": {\"type\": \"DWRR\",\n\"weight\": \"0\"}}}"),
              "x.json:2: SCHEDULER|s weight: \"0\", expected a whole number in 1..100");
    EXPECT_EQ(ErrorIn("\"QUEUE\": {\"Ethernet0|3\": {\"scheduler\": \"t\"}}"),
              "x.json:5: QUEUE|Ethernet0|3 scheduler: there is no \"t\", expected one of "
              "SCHEDULER: s");
    EXPECT_EQ(ErrorIn("\"QUEUE\": {\"Ethernet0|3\": {\"wred_profile\": \"v\"}}"),
              "x.json:5: QUEUE|Ethernet0|3 wred_profile: there is no \"v\", expected one of "
              "WRED_PROFILE: w");
    EXPECT_EQ(ErrorIn("\"QUEUE\": {\"Ethernet0|3\": {}, \"Ethernet0|2-3\": {}}"),
              "x.json:5: QUEUE|Ethernet0|2-3: Ethernet0 3 is also in the row at x.json:5, expected "
              "each in one row");
    EXPECT_EQ(ErrorOf("{\"WRED_PROFILE\": {\"w\": {\"ecn\": \"ecn_some\"}}}"),
              "x.json:1: WRED_PROFILE|w ecn: \"ecn_some\", expected ecn_none, ecn_green, "
              "ecn_yellow, ecn_green_yellow, ecn_red, ecn_green_red, ecn_yellow_red or ecn_all");
    EXPECT_EQ(ErrorOf("{\"WRED_PROFILE\": {\"w\": {\"wred_green_enable\": \"yes\"}}}"),
              "x.json:1: WRED_PROFILE|w wred_green_enable: \"yes\", expected false or true");
    EXPECT_EQ(ErrorOf("{\"WRED_PROFILE\": {\"w\": {\"wred_green_enable\": true}}}"),
              "x.json:1: WRED_PROFILE|w: no green_max_threshold, expected a whole number in "
              "0..1099511627776");
    EXPECT_EQ(ErrorOf("{\"WRED_PROFILE\": {\"w\": {\"red_max_threshold\": 5,\n"
                      "\"red_min_threshold\": 6}}}"),
              "x.json:2: WRED_PROFILE|w red_min_threshold: 6, expected no more than "
              "red_max_threshold 5");
    EXPECT_EQ(ErrorOf("{\"WRED_PROFILE\": {\"w\": {\"yellow_drop_probability\": \"101\"}}}"),
              "x.json:1: WRED_PROFILE|w yellow_drop_probability: \"101\", expected a whole number "
              "in 0..100");
}

TEST(SonicError, Watchdogs)
{
    EXPECT_EQ(ErrorOf("{\"PFC_WD\": {\"Ethernet0\": {\"action\": \"restart\"}}}"),
              "x.json:1: PFC_WD|Ethernet0 action: \"restart\", expected drop, forward or alert");
    EXPECT_EQ(ErrorOf("{\"PFC_WD\": {\"Ethernet0\": {\"action\": \"drop\"}}}"),
              "x.json:1: PFC_WD|Ethernet0: no detection_time, expected a whole number in "
              "100..5000");
    EXPECT_EQ(ErrorOf("{\"PFC_WD\": {\"Ethernet0\": {\"detection_time\": \"99\"}}}"),
              "x.json:1: PFC_WD|Ethernet0 detection_time: \"99\", expected a whole number in "
              "100..5000");
    EXPECT_EQ(ErrorOf("{\"PFC_WD\": {\"Ethernet0\": {\"detection_time\": \"100\",\n"
                      "\"restoration_time\": 60001}}}"),
              "x.json:2: PFC_WD|Ethernet0 restoration_time: \"60001\", expected a whole number in "
              "100..60000");
    EXPECT_EQ(ErrorOf("{\"PFC_WD\": {\"GLOBAL\": {\"POLL_INTERVAL\": \"often\"}}}"),
              "x.json:1: PFC_WD|GLOBAL POLL_INTERVAL: \"often\", expected a whole number in "
              "100..3000");
}

TEST(SonicError, LosslessGroups)
{
    const auto text = [](const std::string& pool, const std::string& cable) {
        return "{\"BUFFER_POOL\": {\"" + pool + "\": {\"type\": \"ingress\", \"size\": 99999}},\n" +
               "\"PORT_QOS_MAP\": {\"Ethernet0\": {\"pfc_enable\": \"3,4\"}},\n" + cable +
               "\"PORT\": {\"Ethernet0\": {\"speed\": 40000}}}";
    };
    const std::string cable = "\"CABLE_LENGTH\": {\"AZURE\": {\n\"Ethernet0\": \"7m\"}},\n";
    EXPECT_EQ(ErrorOf(text("ingress_lossless_pool", cable), "40000 5m 1 1 1 0\n40000 40m 1 1 1 0"),
              "x.json:4: CABLE_LENGTH|AZURE Ethernet0: pg.ini has no profile of 7m at 40000 Mb/s, "
              "expected one of 5m, 40m at 40000 Mb/s");
    EXPECT_EQ(ErrorOf(text("ingress_lossless_pool", cable), "100000 7m 1 1 1 0\n25000 7m 1 1 1 0"),
              "x.json:4: CABLE_LENGTH|AZURE Ethernet0: pg.ini has no profile of 7m at 40000 Mb/s, "
              "expected one of 25000, 100000 Mb/s");
    EXPECT_EQ(ErrorOf(text("p", cable), "40000 7m 1 1 1 0"),
              "x.json:4: CABLE_LENGTH|AZURE Ethernet0: PFC needs a lossless buffer, expected a "
              "pool ingress_lossless_pool in BUFFER_POOL");
    EXPECT_EQ(ErrorOf(text("ingress_lossless_pool", cable), "# x\n40000 7m 1 1 1 9000"),
              "pg.ini:2: threshold \"9000\", expected -8..8 (log2 of alpha), because pool "
              "ingress_lossless_pool is dynamic");
    EXPECT_EQ(ErrorOf("{\"BUFFER_POOL\": {\"ingress_lossless_pool\": {\"type\": \"ingress\",\n"
                      "\"mode\": \"static\", \"size\": 99999}},\n"
                      "\"CABLE_LENGTH\": {\"A\": {\"Ethernet0\": \"5m\"}},\n"
                      "\"PORT_QOS_MAP\": {\"Ethernet0\": {\"pfc_enable\": \"3\"}}}",
                      "40000 5m 1 1 1 -1",
                      40000),
              "pg.ini:1: threshold \"-1\", expected bytes, because pool ingress_lossless_pool is "
              "static");
}

TEST(SonicError, SumsBeyondThePool)
{
    // 2 ports x 2 groups x (200 reserved + 60 headroom) = 1040.
    const std::string text = R"({"BUFFER_POOL":
{"in": {"type": "ingress", "size": SIZE}},
"BUFFER_PROFILE": {"x": {"pool": "in", "size": 200, "xon": 150, "xoff": 60, "dynamic_th": 0}},
"BUFFER_PG": {"Ethernet0,Ethernet4|3-4": {"profile": "x"}}METADATA})";
    const auto make = [text](const std::string& size, const std::string& metadata) {
        std::string result = text;
        result.replace(result.find("SIZE"), 4, size);
        return result.replace(result.find("METADATA"), 8, metadata);
    };
    EXPECT_EQ(ErrorOf(make("1040", "")), "");
    EXPECT_EQ(ErrorOf(make("1039", "")),
              "x.json:2: BUFFER_POOL|in: 1040 bytes are reserved and headroom, expected no more "
              "than its size of 1039");
    // With a shared headroom the groups have none of their own: 4 x 200 + 300 = 1100.
    EXPECT_EQ(ErrorOf(make("1100, \"xoff\": 300", "")), "");
    EXPECT_EQ(ErrorOf(make("1099, \"xoff\": 300", "")),
              "x.json:2: BUFFER_POOL|in: 1100 bytes are reserved and headroom, expected no more "
              "than its size of 1099");
    // NVIDIA's sizes are without what is reserved.
    EXPECT_EQ(ErrorOf(make("1039",
                           ", \"DEVICE_METADATA\": {\"localhost\": {\"platform\": "
                           "\"x86_64-mlnx_msn2700-r0\"}}")),
              "");
}

} // namespace
