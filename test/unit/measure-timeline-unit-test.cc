/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/timeline-recorder.h"

#include <boost/json.hpp>
#include <gtest/gtest.h>
#include <string>

using namespace ns3;

namespace
{

/** @returns microseconds of ticks at the resolution of this process */
double
Micro(FabricTick ticks)
{
    return FabricSeconds(ticks) * 1e6;
}

TEST(TimelineRecorder, WritesTraceEvents)
{
    TimelineRecorder recorder;
    const uint32_t steps = recorder.GetRow("GPU 0", "steps");
    const uint32_t messages = recorder.GetRow("GPU 0", "messages");
    const uint32_t other = recorder.GetRow("node \"1\"", "port 2");
    EXPECT_EQ(recorder.GetRow("GPU 0", "steps"), steps);
    recorder.AddSpan(steps, "step 0", 1000, 4000);
    recorder.AddFlight(messages, "8 bytes", 1500, 2500);
    recorder.AddFlight(messages, "8 bytes", 2000, 3000);
    recorder.AddInstant(other, "ready", 7);
    EXPECT_EQ(recorder.GetSize(), 4U);

    const auto parsed = boost::json::parse(recorder.ToTraceEvents());
    const auto& events = parsed.at("traceEvents").as_array();
    ASSERT_EQ(events.size(), 2U + 3 + 1 + 2 * 2 + 1); // groups, rows, span, flights, instant
    EXPECT_EQ(events[1].at("name").as_string(), "process_name");
    EXPECT_EQ(events[1].at("args").at("name").as_string(), "node \"1\"");
    const auto& span = events[5];
    EXPECT_EQ(span.at("ph").as_string(), "X");
    EXPECT_EQ(span.at("name").as_string(), "step 0");
    EXPECT_NEAR(span.at("ts").as_double(), Micro(1000), 1e-9);
    EXPECT_NEAR(span.at("dur").as_double(), Micro(3000), 1e-9);
    EXPECT_EQ(span.at("pid").as_int64(), 0);
    const auto& second = events[8];
    EXPECT_EQ(second.at("ph").as_string(), "b");
    EXPECT_EQ(events[9].at("ph").as_string(), "e");
    EXPECT_EQ(second.at("id").as_int64(), events[9].at("id").as_int64());
    EXPECT_NE(second.at("id").as_int64(), events[6].at("id").as_int64());
    EXPECT_NEAR(events[9].at("ts").as_double(), Micro(3000), 1e-9);
    EXPECT_EQ(events[10].at("ph").as_string(), "i");
    EXPECT_EQ(events[10].at("pid").as_int64(), 1);
}

TEST(TimelineRecorder, EmptyIsValid)
{
    EXPECT_TRUE(boost::json::parse(TimelineRecorder().ToTraceEvents())
                    .at("traceEvents")
                    .as_array()
                    .empty());
}

} // namespace
