/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../support/link-rig.h"
#include "../support/picosecond-test.h"

#include "ns3/data-rate.h"
#include "ns3/timeline-helper.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

using namespace ns3;
using namespace ns3::linkrig;

namespace
{

TEST(TimelineHelper, ShowsWhatIsNotOver)
{
    USE_PICOSECONDS();
    {
        const auto helper = MakeHelper("ib", "100Gbps");
        helper->SetHostAttribute("DrainRate", DataRateValue(DataRate("1Mbps")));
        NodeContainer nodes(2);
        const NetDeviceContainer ends = helper->Install(nodes.Get(0), nodes.Get(1));
        const auto from = DynamicCast<FabricNetDevice>(ends.Get(0));
        const auto to = DynamicCast<FabricNetDevice>(ends.Get(1));
        TimelineHelper timeline;
        timeline.AddFabric(nodes);
        Blaster blaster(from, to->GetFabricAddress(), 4096, 1000);
        Counter counter(to);
        blaster.Start();
        Simulator::Stop(MilliSeconds(1)); // the first packet takes 33 ms to leave the buffer
        Simulator::Run();
        const auto folder = std::filesystem::temp_directory_path() / "ai-fabric-timeline-test";
        std::ifstream file(timeline.Write(folder.string(), "timeline.json"));
        std::ostringstream text;
        text << file.rdbuf();
        EXPECT_NE(text.str().find("held back, not over"), std::string::npos) << text.str();
        EXPECT_EQ(timeline.GetRecorder().GetSize(), 0U);
        std::filesystem::remove_all(folder);
        from->GetPort().SetSource(nullptr);
    }
    Simulator::Destroy();
}

} // namespace
