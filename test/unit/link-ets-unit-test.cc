/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Transmission selection of Ethernet: order of frames, shares on the wire, and what is refused.

#include "../support/picosecond-test.h"

#include "ns3/ets-arbiter.h"
#include "ns3/fabric-nic.h"
#include "ns3/node-container.h"
#include "ns3/rdma-helper.h"
#include "ns3/roce-helper.h"
#include "ns3/roce-net-device.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <stdexcept>
#include <string>

using namespace ns3;

namespace
{

/** @returns priorities in the order in which frames leave, if all of the mask are backlogged */
std::string
OrderOf(EtsArbiter& arbiter, uint32_t sendable, uint32_t frames, uint32_t bytes)
{
    std::string order;
    for (uint32_t i = 0; i < frames; ++i)
    {
        order += std::to_string(arbiter.Choose(sendable));
        arbiter.Sent(bytes);
    }
    return order;
}

/** @returns the line that is thrown; empty if nothing is */
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

/** @returns a cable between two hosts, with attributes of both devices */
NetDeviceContainer
LayCable(const NodeContainer& hosts, const std::map<std::string, std::string>& attributes)
{
    RoceHelper helper;
    helper.SetDeviceAttribute("DataRate", StringValue("100Gbps"));
    for (const auto& attribute : attributes)
    {
        helper.SetDeviceAttribute(attribute.first, StringValue(attribute.second));
    }
    return helper.Install(hosts.Get(0), hosts.Get(1));
}

} // namespace

TEST(EtsArbiter, StrictFirstThenByWeight)
{
    EtsArbiter arbiter(EtsArbiter::Parse("1,1,1,3,1,1,strict,strict"));
    EXPECT_EQ(arbiter.GetServedClasses(), 0xffU);
    EXPECT_EQ(OrderOf(arbiter, 0xff, 3, 4096), "777");
    EXPECT_EQ(OrderOf(arbiter, 0x7f, 2, 4096), "66");
    // A turn of weight w is w frames of 4096 bytes.
    EXPECT_EQ(OrderOf(arbiter, 0x0d, 10, 4096), "0233302333");
}

TEST(EtsArbiter, OverdraftIsPaidBack)
{
    // Turns of 4096 and 8192 bytes, frames of 3000: after many turns bytes are as 1 to 2.
    EtsArbiter arbiter(EtsArbiter::Parse("1,2,1,1,1,1,1,1"));
    std::map<char, uint32_t> frames;
    for (const char priority : OrderOf(arbiter, 3, 3000, 3000))
    {
        ++frames[priority];
    }
    EXPECT_NEAR(frames['0'], 1000, 1);
    EXPECT_NEAR(frames['1'], 2000, 1);
    // Frames larger than a turn wait for as many turns as they need.
    EtsArbiter jumbo(EtsArbiter::Parse("1,1,1,1,1,1,1,1"));
    std::map<char, uint32_t> large;
    for (const char priority : OrderOf(jumbo, 3, 1000, 9234))
    {
        ++large[priority];
    }
    EXPECT_EQ(large['0'], 500U);
    EXPECT_EQ(large['1'], 500U);
}

TEST(EtsArbiter, WhoCanNotSendSavesNothing)
{
    EtsArbiter arbiter(EtsArbiter::Parse("4,4,1,1,1,1,1,1"));
    EXPECT_EQ(OrderOf(arbiter, 1, 20, 4096), std::string(20, '0')) << "alone it has everything";
    const std::string order = OrderOf(arbiter, 3, 16, 4096);
    EXPECT_EQ(order.find("11111"), std::string::npos) << order << ": four frames a turn";
    EXPECT_EQ(std::count(order.begin(), order.end(), '1'), 8) << order;
}

TEST(EtsArbiter, RefusesWhatIsNoSelection)
{
    EXPECT_EQ(ErrorOf([] { EtsArbiter::Parse("1,2"); }),
              "Ets \"1,2\" has 2 items, expected 8: strict or a weight for each priority");
    for (const std::string item : {"0", "256", "x", "-1", "1e2", "", "Strict"})
    {
        EXPECT_EQ(ErrorOf([&item] { EtsArbiter::Parse("1,1,1," + item + ",1,1,1,1"); }),
                  "Ets \"1,1,1," + item + ",1,1,1,1\", priority 3: \"" + item +
                      "\", expected strict or a weight 1..255");
    }
    const NodeContainer hosts(2);
    EXPECT_NE(ErrorOf([&hosts] {
                  LayCable(hosts, {{"Ets", "strict"}});
              }).find("has 1 items"),
              std::string::npos);
    for (const std::string map : {"26", "64:1", "26:8", "26:3;48:6", "26:3,,"})
    {
        EXPECT_NE(ErrorOf([&] {
                      LayCable(NodeContainer(2), {{"DscpMap", map}});
                  }).find("expected DSCP:priority, 0..63 and 0..7"),
                  std::string::npos)
            << map;
    }
    Simulator::Destroy();
}

TEST(EtsArbiter, SharesOnTheWire)
{
    USE_PICOSECONDS();
    const NodeContainer hosts(2);
    const NetDeviceContainer devices =
        LayCable(hosts, {{"Ets", "1,1,1,3,1,1,strict,strict"}, {"DscpMap", "10:4,26:3,48:6"}});
    const std::map<uint8_t, uint8_t> priorities{{26, 3}, {10, 4}};
    for (const auto& flow : priorities)
    {
        Ptr<RcQueuePair> ends[2];
        for (uint32_t i = 0; i < 2; ++i)
        {
            ends[i] = CreateObject<RcQueuePair>();
            ends[i]->SetAttribute("Dscp", UintegerValue(flow.first));
            ends[i]->SetAttribute("AckDscp", UintegerValue(48));
            RdmaHelper::GetNic(hosts.Get(i))->AddQueuePair(ends[i]);
        }
        FabricNic::Connect(ends[0], ends[1]);
        ends[0]->Post(1000000000, 0);
    }
    Simulator::Stop(MilliSeconds(2));
    Simulator::Run();
    const auto sender = DynamicCast<FabricNetDevice>(devices.Get(0));
    const auto receiver = DynamicCast<FabricNetDevice>(devices.Get(1));
    const double heavy = static_cast<double>(sender->GetClassCounters(3).txFrames);
    const double light = static_cast<double>(sender->GetClassCounters(4).txFrames);
    EXPECT_GT(heavy + light, 5000);
    EXPECT_NEAR(heavy / (heavy + light), 0.75, 0.001);
    EXPECT_GT(receiver->GetClassCounters(6).txFrames, 0U) << "acknowledgments by the map";
    EXPECT_EQ(receiver->GetClassCounters(3).txFrames, 0U);
    Simulator::Destroy();
}
