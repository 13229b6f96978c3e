/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// QoS options of OpenSM: what is read, what is inherited, what is refused.

#include "ns3/open-sm-qos-reader.h"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <sstream>
#include <stdexcept>
#include <string>

using namespace ns3;

namespace
{

OpenSmQos
Read(const std::string& text)
{
    std::istringstream stream(text);
    return OpenSmQosReader::Read(stream, "x.conf");
}

/** @returns what went wrong; empty if nothing did */
std::string
ErrorOf(const std::string& text)
{
    try
    {
        Read(text);
    }
    catch (const std::invalid_argument& error)
    {
        return error.what();
    }
    return "";
}

/** @returns a table as OpenSM writes it */
std::string
Print(const std::vector<IbVlArbitration::Entry>& entries)
{
    std::string text;
    for (const auto& entry : entries)
    {
        text += (text.empty() ? "" : ",") + std::to_string(entry.vl) + ":" +
                std::to_string(entry.weight);
    }
    return text;
}

TEST(OpenSmQosReader, DefaultsAreOpenSmsOwn)
{
    const OpenSmQos qos = Read("# nothing\n\nguid 0x0\nlog_file /var/log/opensm.log\n");
    EXPECT_FALSE(qos.enabled);
    for (const IbPortQos& kind : {qos.hosts, qos.routers, qos.switchPort0, qos.switchPorts})
    {
        EXPECT_EQ(kind.maxVls, 15);
        EXPECT_EQ(kind.arbitration.highLimit, 0);
        EXPECT_EQ(Print(kind.arbitration.high),
                  "0:4,1:0,2:0,3:0,4:0,5:0,6:0,7:0,8:0,9:0,10:0,11:0,12:0,13:0,14:0");
        EXPECT_EQ(Print(kind.arbitration.low),
                  "0:0,1:4,2:4,3:4,4:4,5:4,6:4,7:4,8:4,9:4,10:4,11:4,12:4,13:4,14:4");
        EXPECT_EQ(kind.slToVl, IbSlToVl::GetOpenSmDefault());
    }
}

TEST(OpenSmQosReader, KindsInheritWhatTheyHaveNot)
{
    const OpenSmQos qos = Read("qos TRUE # on\r\n"
                               "qos_max_vls\t8\n"
                               "  qos_high_limit 10\n"
                               "qos_vlarb_high 0:64 , 1:0x20\n"
                               "qos_vlarb_low 2:1,2:2,3:255\n"
                               "qos_sl2vl 0,0,1,1,2,2,3,3,15,15,15,15,15,15,15,15\n"
                               "qos_ca_max_vls 2\n"
                               "qos_ca_sl2vl (null)\n"
                               "qos_rtr_max_vls 0\n"
                               "qos_rtr_high_limit -1\n"
                               "qos_sw0_vlarb_low (null)\n"
                               "qos_swe_high_limit 255\n"
                               "qos_swe_vlarb_high 1:7\n"
                               "qos_swe_sl2vl 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1\n"
                               "qos_swe_high_limit 254\n"
                               "qos_policy_file /etc/opensm/qos-policy.conf\n");
    EXPECT_TRUE(qos.enabled);
    EXPECT_EQ(qos.hosts.maxVls, 2);
    EXPECT_EQ(qos.routers.maxVls, 8);
    EXPECT_EQ(qos.switchPorts.maxVls, 8);
    EXPECT_EQ(qos.hosts.arbitration.highLimit, 10);
    EXPECT_EQ(qos.routers.arbitration.highLimit, 10);
    EXPECT_EQ(qos.switchPorts.arbitration.highLimit, 254) << "the last one counts";
    EXPECT_EQ(Print(qos.hosts.arbitration.high), "0:64,1:32");
    EXPECT_EQ(Print(qos.switchPort0.arbitration.low), "2:1,2:2,3:255");
    EXPECT_EQ(Print(qos.switchPorts.arbitration.high), "1:7");
    EXPECT_EQ(qos.hosts.slToVl[8], IbSlToVl::DROP);
    EXPECT_EQ(qos.hosts.slToVl[7], 3);
    EXPECT_EQ(qos.switchPorts.slToVl[8], 1);
}

TEST(OpenSmQosReader, ErrorsNameLineCauseAndWhatIsExpected)
{
    EXPECT_EQ(ErrorOf("\nqos_vlarb_high 0:64,15:1\n"),
              "x.conf:2: qos_vlarb_high: \"15\", expected a number in 0..14");
    EXPECT_EQ(ErrorOf("qos_vlarb_low 0:256"),
              "x.conf:1: qos_vlarb_low: \"256\", expected a number in 0..255");
    EXPECT_EQ(ErrorOf("qos_vlarb_low 0:64,,1:1"),
              "x.conf:1: qos_vlarb_low: \"\", expected VL:WEIGHT entries with commas between");
    EXPECT_EQ(ErrorOf("qos_vlarb_low 0-64"),
              "x.conf:1: qos_vlarb_low: \"0-64\", expected VL:WEIGHT entries with commas between");
    std::string many = "0:1";
    for (uint32_t i = 1; i < 65; ++i)
    {
        many += ",0:1";
    }
    EXPECT_EQ(ErrorOf("qos_vlarb_low " + many.substr(4)), "");
    EXPECT_EQ(ErrorOf("qos_vlarb_low " + many),
              "x.conf:1: qos_vlarb_low: 65 entries, expected 64 at most");
    EXPECT_EQ(ErrorOf("qos_ca_sl2vl 0,1,2"),
              "x.conf:1: qos_ca_sl2vl: 3 virtual lanes, expected 16, one for each service level");
    EXPECT_EQ(ErrorOf("qos_sl2vl 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,16"),
              "x.conf:1: qos_sl2vl: \"16\", expected a number in 0..15");
    EXPECT_EQ(ErrorOf("qos_max_vls 16"),
              "x.conf:1: qos_max_vls: \"16\", expected a number in 0..15");
    EXPECT_EQ(ErrorOf("qos_high_limit 0x100"),
              "x.conf:1: qos_high_limit: \"0x100\", expected a number in 0..255");
    EXPECT_EQ(ErrorOf("qos_high_limit -2"),
              "x.conf:1: qos_high_limit: \"-2\", expected a number in 0..255");
    EXPECT_EQ(ErrorOf("qos maybe"), "x.conf:1: qos: \"maybe\", expected TRUE or FALSE");
    EXPECT_EQ(ErrorOf("qos_high_limit # 3"),
              "x.conf:1: qos_high_limit: no value, expected one behind the option");
    EXPECT_NE(ErrorOf("qos_sw1_max_vls 1").find("x.conf:1: qos_sw1_max_vls: no such option"),
              std::string::npos);
    EXPECT_THROW(OpenSmQosReader::ReadFile("/nowhere/opensm.conf"), std::runtime_error);
    EXPECT_THROW(OpenSmQosReader::ReadFile(AI_FABRIC_TEST_DATA_DIR), std::runtime_error);
}

/** Files of the field, named by an environment variable. */
TEST(OpenSmQosReader, FieldFiles)
{
    const char* samples = std::getenv("AI_FABRIC_SAMPLES");
    if (!samples)
    {
        GTEST_SKIP() << "AI_FABRIC_SAMPLES is not set";
    }
    uint32_t checked = 0;
    const std::filesystem::path folder = std::filesystem::path(samples) / "opensm-conf";
    for (const auto& entry : std::filesystem::directory_iterator(folder))
    {
        SCOPED_TRACE(entry.path().string());
        const OpenSmQos qos = OpenSmQosReader::ReadFile(entry.path().string());
        // Neither of the two leaves the tables as they are.
        EXPECT_NE(Print(qos.switchPorts.arbitration.low), Print(Read("").hosts.arbitration.low));
        EXPECT_GE(qos.switchPorts.arbitration.highLimit, 254);
        if (entry.path().filename() == "opensm-3.3-2010.conf")
        {
            EXPECT_FALSE(qos.enabled);
            EXPECT_EQ(qos.hosts.maxVls, 2);
            EXPECT_EQ(qos.hosts.arbitration.highLimit, 254);
            EXPECT_EQ(Print(qos.hosts.arbitration.high), "0:255");
            EXPECT_EQ(Print(qos.switchPorts.arbitration.high), "0:225,1:25");
            EXPECT_EQ(qos.switchPorts.slToVl[2], IbSlToVl::DROP);
        }
        ++checked;
    }
    EXPECT_GE(checked, 2U);
}

} // namespace
