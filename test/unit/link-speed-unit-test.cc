/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Names of link speeds: line rate, coding, data rate, timers, and codes of subnet management.

#include "ns3/credit-flow-control.h"
#include "ns3/fabric-net-device.h"
#include "ns3/ib-helper.h"
#include "ns3/ib-link-speed.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/** A row of the table of link speeds. */
struct Row
{
    const char* name;     //!< of a lane
    double lineGbps;      //!< of a lane
    double dataGbps;      //!< of a lane, as printed
    double exactGbps[5];  //!< 1x, 2x, 4x, 8x, 12x
    uint64_t maxInterval; //!< ns
    uint8_t rateCodes[5]; //!< 0: none
};

const std::vector<Row> ROWS = {
    {"SDR", 2.5, 2, {2, 4, 8, 16, 24}, 262144, {2, 5, 3, 6, 4}},
    {"DDR", 5, 4, {4, 8, 16, 32, 48}, 131072, {5, 3, 6, 7, 8}},
    {"QDR", 10, 8, {8, 16, 32, 64, 96}, 65536, {3, 6, 7, 9, 10}},
    {"FDR10", 10.3125, 10, {10, 20, 40, 80, 120}, 65536, {3, 6, 7, 9, 10}},
    {"FDR",
     14.0625,
     13.6364,
     {13.636363636, 27.272727273, 54.545454545, 109.090909091, 163.636363636},
     65536,
     {11, 19, 12, 13, 14}},
    {"EDR", 25.78125, 25, {25, 50, 100, 200, 300}, 65536, {15, 20, 16, 17, 18}},
    {"HDR", 53.125, 50, {50, 100, 200, 400, 600}, 65536, {20, 16, 17, 21, 22}},
    {"NDR", 106.25, 100, {100, 200, 400, 800, 1200}, 65536, {16, 17, 21, 23, 24}},
    {"XDR", 212.5, 200, {200, 400, 800, 1600, 2400}, 65536, {17, 21, 23, 25, 0}}};

constexpr uint32_t WIDTHS[] = {1, 2, 4, 8, 12};
constexpr uint8_t WIDTH_CODES[] = {1, 16, 2, 4, 8};

/** @returns what parsing says, or an empty text if it is content */
std::string
Complaint(const std::string& name)
{
    try
    {
        IbLinkSpeed::Parse(name, "topo:7");
    }
    catch (const std::invalid_argument& error)
    {
        return error.what();
    }
    return "";
}

} // namespace

// Every row and column of the table, to the bit per second.
TEST(IbLinkSpeed, EveryRowOfTheTable)
{
    ASSERT_EQ(IbLinkSpeed::GetGenerations().size(), ROWS.size());
    ASSERT_EQ(IbLinkSpeed::GetWidths().size(), std::size(WIDTHS));
    for (const Row& row : ROWS)
    {
        for (std::size_t i = 0; i < std::size(WIDTHS); ++i)
        {
            const std::string name = std::to_string(WIDTHS[i]) + "x" + row.name;
            const IbLinkSpeed speed = IbLinkSpeed::Parse(name);
            EXPECT_EQ(speed.GetName(), name);
            EXPECT_EQ(speed.GetWidth(), WIDTHS[i]);
            EXPECT_DOUBLE_EQ(speed.GetLineBitRate(), row.lineGbps * 1e9 * WIDTHS[i]) << name;
            EXPECT_EQ(speed.GetDataRate().GetBitRate(),
                      static_cast<uint64_t>(row.exactGbps[i] * 1e9 + 0.5))
                << name;
            EXPECT_NEAR(speed.GetDataRate().GetBitRate() / 1e9 / WIDTHS[i], row.dataGbps, 5e-5);
            EXPECT_NEAR(speed.GetLineBitRate() * speed.GetCodingEfficiency(),
                        speed.GetDataRate().GetBitRate(),
                        1)
                << name;
            EXPECT_EQ(speed.GetFcMaxInterval(), NanoSeconds(row.maxInterval)) << name;
            EXPECT_EQ(speed.GetWidthCode(), WIDTH_CODES[i]) << name;
            EXPECT_EQ(speed.GetRateCode(), row.rateCodes[i]) << name;
        }
    }
}

// 8b/10b costs a fifth, 64b/66b a 33rd, and the code of PAM4 lanes 1/17.
TEST(IbLinkSpeed, CodingOverhead)
{
    for (const char* name : {"1xSDR", "4xDDR", "12xQDR"})
    {
        EXPECT_DOUBLE_EQ(IbLinkSpeed::Parse(name).GetCodingEfficiency(), 0.8);
    }
    for (const char* name : {"1xFDR10", "4xFDR", "12xEDR"})
    {
        EXPECT_DOUBLE_EQ(IbLinkSpeed::Parse(name).GetCodingEfficiency(), 32.0 / 33);
    }
    for (const char* name : {"1xHDR", "4xNDR", "12xXDR"})
    {
        EXPECT_DOUBLE_EQ(IbLinkSpeed::Parse(name).GetCodingEfficiency(), 514.0 / 544 * 256 / 257);
        EXPECT_DOUBLE_EQ(IbLinkSpeed::Parse(name).GetCodingEfficiency(), 16.0 / 17);
    }
}

TEST(IbLinkSpeed, SymbolTimes)
{
    EXPECT_EQ(IbLinkSpeed::Parse("4xSDR").GetSymbolTimePs(), 4000U);
    EXPECT_EQ(IbLinkSpeed::Parse("4xDDR").GetSymbolTimePs(), 2000U);
    EXPECT_EQ(IbLinkSpeed::Parse("4xQDR").GetSymbolTimePs(), 1000U);
    for (const IbLinkSpeed::Generation& generation : IbLinkSpeed::GetGenerations())
    {
        if (std::string(generation.coding) == "8b/10b")
        {
            EXPECT_EQ(generation.symbolTimePs * generation.lineBitRate, 10000000000000U);
        }
    }
}

// There and back; what has no code of its own does not come back as something else by accident.
TEST(IbLinkSpeed, SmCodes)
{
    for (const char* generation : {"SDR", "DDR", "QDR", "FDR", "EDR", "HDR", "NDR"})
    {
        for (const uint32_t width : WIDTHS)
        {
            const std::string name = std::to_string(width) + "x" + generation;
            const IbLinkSpeed speed = IbLinkSpeed::Parse(name);
            EXPECT_EQ(IbLinkSpeed::FromSmCodes(speed.GetWidthCode(),
                                               speed.GetSpeedCode(),
                                               speed.GetSpeedExtCode())
                          .GetName(),
                      name);
        }
    }
    EXPECT_EQ(IbLinkSpeed::Parse("4xSDR").GetSpeedCode(), 1);
    EXPECT_EQ(IbLinkSpeed::Parse("4xDDR").GetSpeedCode(), 2);
    EXPECT_EQ(IbLinkSpeed::Parse("4xQDR").GetSpeedCode(), 4);
    EXPECT_EQ(IbLinkSpeed::Parse("4xFDR").GetSpeedExtCode(), 1);
    EXPECT_EQ(IbLinkSpeed::Parse("4xEDR").GetSpeedExtCode(), 2);
    EXPECT_EQ(IbLinkSpeed::Parse("4xHDR").GetSpeedExtCode(), 4);
    EXPECT_EQ(IbLinkSpeed::Parse("4xNDR").GetSpeedExtCode(), 8);
    EXPECT_EQ(IbLinkSpeed::Parse("4xXDR").GetSpeedExtCode(), 0);
    EXPECT_THROW(IbLinkSpeed::FromSmCodes(3, 4, 0), std::invalid_argument);
    EXPECT_THROW(IbLinkSpeed::FromSmCodes(2, 3, 0), std::invalid_argument);
    EXPECT_THROW(IbLinkSpeed::FromSmCodes(2, 0, 0), std::invalid_argument);
    EXPECT_THROW(IbLinkSpeed::FromSmCodes(2, 4, 16), std::invalid_argument);
}

// As tools print it, upper or lower case; anything else is one line that says where.
TEST(IbLinkSpeed, Spelling)
{
    EXPECT_EQ(IbLinkSpeed::Parse("4X      25.78125 Gbps").GetName(), "4xEDR");
    EXPECT_EQ(IbLinkSpeed::Parse("1X 2.5 Gbps").GetName(), "1xSDR");
    EXPECT_EQ(IbLinkSpeed::Parse("4X 10.0 Gbps").GetName(), "4xQDR");
    EXPECT_EQ(IbLinkSpeed::Parse("4X 10.3125 Gbps").GetName(), "4xFDR10");
    EXPECT_EQ(IbLinkSpeed::Parse("4xndr").GetName(), "4xNDR");
    EXPECT_EQ(IbLinkSpeed::Parse("12XFDR10").GetName(), "12xFDR10");
    for (const std::string name : {"",
                                   "x",
                                   "4x",
                                   "xNDR",
                                   "NDR",
                                   "3xNDR",
                                   "04xNDR",
                                   "-4xNDR",
                                   "4xNDR2",
                                   "4xABC",
                                   "4x Gbps",
                                   "4x 1.2.3 Gbps",
                                   "4x 25 Gbps",
                                   "4x inf Gbps",
                                   "400Gbps",
                                   "4xNDR 4xNDR",
                                   "44xNDR"})
    {
        const std::string complaint = Complaint(name);
        EXPECT_EQ(complaint.find("topo:7: \"" + name + "\" is no InfiniBand link speed"), 0U)
            << name << ": " << complaint;
        EXPECT_EQ(complaint.find('\n'), std::string::npos);
    }
}

// The helper sets the rate of the devices and the timer of the flow control.
TEST(IbLinkSpeed, Helper)
{
    IbHelper helper;
    helper.SetLinkSpeed("4xFDR");
    NodeContainer nodes(4);
    const auto fdr =
        DynamicCast<FabricNetDevice>(helper.Install(nodes.Get(0), nodes.Get(1)).Get(0));
    EXPECT_EQ(fdr->GetBitRate(), 54545454545U);
    EXPECT_EQ(fdr->GetPort().GetBitRate(), 54545454545U);
    helper.SetLinkSpeed("1xSDR");
    const auto sdr =
        DynamicCast<FabricNetDevice>(helper.Install(nodes.Get(2), nodes.Get(3)).Get(0));
    EXPECT_EQ(sdr->GetBitRate(), 2000000000U);
    TimeValue interval;
    sdr->GetPort().GetFlowControl()->GetAttribute("FcMaxInterval", interval);
    EXPECT_EQ(interval.Get(), NanoSeconds(262144));
    fdr->GetPort().GetFlowControl()->GetAttribute("FcMaxInterval", interval);
    EXPECT_EQ(interval.Get(), NanoSeconds(65536));
    EXPECT_THROW(helper.SetLinkSpeed("4xWDR"), std::invalid_argument);
    helper.SetFlowControl("ns3::NoFlowControl"); // has no such timer
    helper.SetLinkSpeed("4xNDR");
    Simulator::Destroy();
}
