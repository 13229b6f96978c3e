/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Reports: quantiles, summary.json as promised, collectives.csv, files that appear complete or not
// at all.

#include "ns3/collective-cost.h"
#include "ns3/latency-samples.h"
#include "ns3/run-report.h"

#include <boost/json.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using namespace ns3;
namespace json = boost::json;
namespace fs = std::filesystem;

namespace
{

constexpr double NOT_A_NUMBER = std::numeric_limits<double>::quiet_NaN();

/** @returns a report in which every figure is another one */
RunReport
MakeRun(const std::string& fabric)
{
    RunReport run;
    run.fabric = fabric;
    run.policy = "fifo";
    run.gpus = 8;
    run.step.stepSeconds = 0.5;
    run.step.computeSeconds = 0.25;
    run.step.exposedCommSeconds = 0.125;
    run.step.limitSeconds = 0.375;
    run.step.overlapEfficiency = 0.75;
    run.step.mfu = 0.4375;
    for (const double sample : {4.0, 1.0, 3.0, 2.0})
    {
        run.latency.Add(sample);
    }
    CollectiveRecord record;
    record.name = "step0/bucket0";
    record.algorithm = "ring";
    record.bytes = 8000;
    record.ranks = 8;
    record.firstEnter = Seconds(1).GetTimeStep();
    record.lastEnter = Seconds(2).GetTimeStep();
    record.done = Seconds(3).GetTimeStep();
    run.collectives.push_back(record);
    FabricTotals& totals = run.fabricTotals;
    totals.drops = 11;
    totals.losslessDrops = 12;
    totals.ecnMarks = 13;
    totals.pauseFrames = 14;
    totals.pausedSeconds = 15.5;
    totals.creditStallSeconds = 16.5;
    totals.packetHops = 17;
    totals.controlMessages = 18;
    totals.hasPause = fabric == "roce";
    totals.hasCredits = fabric == "ib";
    run.retransmits = 19;
    run.cnps = 20;
    run.events = 21;
    run.wallSeconds = 22.5;
    run.peakRssBytes = 23;
    return run;
}

json::object
Parse(const std::string& text)
{
    return json::parse(text).as_object();
}

json::object
ParseRun(const RunReport& run)
{
    const json::object summary = Parse(ReportWriter::ToJson("program", {}, {run}));
    return summary.at("runs").as_array().at(0).as_object();
}

double
Number(const json::object& object, const char* key)
{
    return object.at(key).to_number<double>();
}

std::vector<std::string>
SplitLines(const std::string& text)
{
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
    {
        lines.push_back(line);
    }
    return lines;
}

/** A folder of its own for each test. */
class ReportFiles : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
        m_folder = fs::temp_directory_path() /
                   (std::string("ai-fabric-report-") + info->name() + "-" +
                    std::to_string(::testing::UnitTest::GetInstance()->random_seed()) + "-" +
                    std::to_string(reinterpret_cast<std::uintptr_t>(this)));
        fs::create_directories(m_folder);
    }

    void TearDown() override
    {
        fs::remove_all(m_folder);
    }

    /** @returns true if a file with the given name's end is anywhere in the folder */
    bool HasPart() const
    {
        for (const auto& entry : fs::recursive_directory_iterator(m_folder))
        {
            if (entry.path().extension() == ".part")
            {
                return true;
            }
        }
        return false;
    }

    static void ExpectError(const std::string& what, const std::string& path)
    {
        EXPECT_NE(what.find(path), std::string::npos) << what;
        EXPECT_NE(what.find("expected"), std::string::npos) << what;
        EXPECT_EQ(what.find('\n'), std::string::npos) << "one line";
    }

    fs::path m_folder; //!< removed afterwards
};

} // namespace

TEST(LatencySamples, NearestRank)
{
    LatencySamples samples;
    EXPECT_EQ(samples.GetCount(), 0U);
    EXPECT_TRUE(std::isnan(samples.GetQuantile(0.5)));
    EXPECT_TRUE(std::isnan(samples.GetMean()));
    samples.Add(7);
    for (const double q : {0.0, 0.001, 0.5, 0.999, 1.0})
    {
        EXPECT_EQ(samples.GetQuantile(q), 7) << q;
    }
    LatencySamples thousand;
    for (int i = 0; i < 1000; ++i)
    {
        thousand.Add((i * 617 + 5) % 1000 + 1); // 1..1000, in disorder
    }
    EXPECT_EQ(thousand.GetCount(), 1000U);
    EXPECT_EQ(thousand.GetQuantile(0), 1);
    EXPECT_EQ(thousand.GetQuantile(0.0005), 1);
    EXPECT_EQ(thousand.GetQuantile(0.5), 500);
    EXPECT_EQ(thousand.GetQuantile(0.5004), 501);
    EXPECT_EQ(thousand.GetQuantile(0.99), 990);
    EXPECT_EQ(thousand.GetQuantile(0.999), 999);
    EXPECT_EQ(thousand.GetQuantile(0.9991), 1000);
    EXPECT_EQ(thousand.GetQuantile(1), 1000);
    EXPECT_DOUBLE_EQ(thousand.GetMean(), 500.5);
    // What comes after a question counts in the next one.
    thousand.Add(0.5);
    EXPECT_EQ(thousand.GetQuantile(0), 0.5);
    EXPECT_EQ(thousand.GetQuantile(1), 1000);
}

// The share of samples at or below the quantile is at least q, and would not be with the sample
// before.
TEST(LatencySamples, DefinitionForAllSizes)
{
    for (int size = 1; size <= 120; ++size)
    {
        LatencySamples samples;
        for (int i = size; i >= 1; --i)
        {
            samples.Add(i);
        }
        for (int percent = 1; percent <= 100; ++percent)
        {
            const int rank = (percent * size + 99) / 100; // ceil of the exact product
            EXPECT_EQ(samples.GetQuantile(percent / 100.0), rank) << percent << " % of " << size;
        }
    }
}

TEST(SummaryJson, HasEveryPromisedField)
{
    const json::object summary =
        Parse(ReportWriter::ToJson("name",
                                   {{"seed", "1"}, {"model", "a \"b\"\\c\n"}},
                                   {MakeRun("ib"), MakeRun("roce")}));
    EXPECT_EQ(summary.at("schema").as_string(), "ai-fabric-summary/1");
    EXPECT_EQ(summary.at("program").as_string(), "name");
    EXPECT_EQ(summary.at("arguments").as_object().at("seed").as_string(), "1");
    EXPECT_EQ(summary.at("arguments").as_object().at("model").as_string(), "a \"b\"\\c\n");
    const json::array& runs = summary.at("runs").as_array();
    ASSERT_EQ(runs.size(), 2U);
    for (const json::value& value : runs)
    {
        const json::object& run = value.as_object();
        for (const char* key : {"fabric",
                                "policy",
                                "gpus",
                                "stepSeconds",
                                "computeSeconds",
                                "exposedCommSeconds",
                                "limitSeconds",
                                "overlapEfficiency",
                                "mfu",
                                "latencySeconds",
                                "collectives",
                                "drops",
                                "retransmits",
                                "ecnMarks",
                                "cnps",
                                "pauseFrames",
                                "pausedSeconds",
                                "creditStallSeconds",
                                "packetHops",
                                "events",
                                "wallSeconds",
                                "peakRssBytes"})
        {
            EXPECT_TRUE(run.contains(key)) << key;
        }
        for (const char* key : {"min", "p50", "p99", "p999", "max", "mean"})
        {
            EXPECT_TRUE(run.at("latencySeconds").as_object().contains(key)) << key;
        }
        for (const char* key : {"name", "algorithm", "bytes", "seconds", "algBwBps", "busBwBps"})
        {
            EXPECT_TRUE(run.at("collectives").as_array().at(0).as_object().contains(key)) << key;
        }
    }
}

TEST(SummaryJson, HoldsTheFigures)
{
    for (const std::string fabric : {"ib", "roce"})
    {
        const json::object run = ParseRun(MakeRun(fabric));
        const bool roce = fabric == "roce";
        EXPECT_EQ(run.at("fabric").as_string(), fabric);
        EXPECT_EQ(run.at("policy").as_string(), "fifo");
        EXPECT_EQ(Number(run, "gpus"), 8);
        EXPECT_EQ(Number(run, "stepSeconds"), 0.5);
        EXPECT_EQ(Number(run, "computeSeconds"), 0.25);
        EXPECT_EQ(Number(run, "exposedCommSeconds"), 0.125);
        EXPECT_EQ(Number(run, "limitSeconds"), 0.375);
        EXPECT_EQ(Number(run, "overlapEfficiency"), 0.75);
        EXPECT_EQ(Number(run, "mfu"), 0.4375);
        EXPECT_EQ(Number(run, "drops"), 11);
        EXPECT_EQ(Number(run, "losslessDrops"), 12);
        EXPECT_EQ(Number(run, "packetHops"), 17);
        EXPECT_EQ(Number(run, "controlMessages"), 18);
        EXPECT_EQ(Number(run, "retransmits"), 19);
        EXPECT_EQ(Number(run, "events"), 21);
        EXPECT_EQ(Number(run, "wallSeconds"), 22.5);
        EXPECT_EQ(Number(run, "peakRssBytes"), 23);
        // What the other fabric has.
        for (const char* key : {"ecnMarks", "cnps", "pauseFrames", "pausedSeconds"})
        {
            EXPECT_EQ(run.at(key).is_null(), !roce) << fabric << " " << key;
        }
        EXPECT_EQ(run.at("creditStallSeconds").is_null(), roce);
        if (roce)
        {
            EXPECT_EQ(Number(run, "ecnMarks"), 13);
            EXPECT_EQ(Number(run, "cnps"), 20);
            EXPECT_EQ(Number(run, "pauseFrames"), 14);
            EXPECT_EQ(Number(run, "pausedSeconds"), 15.5);
        }
        else
        {
            EXPECT_EQ(Number(run, "creditStallSeconds"), 16.5);
        }
        const json::object& latency = run.at("latencySeconds").as_object();
        EXPECT_EQ(Number(latency, "min"), 1);
        EXPECT_EQ(Number(latency, "p50"), 2);
        EXPECT_EQ(Number(latency, "p99"), 4);
        EXPECT_EQ(Number(latency, "p999"), 4);
        EXPECT_EQ(Number(latency, "max"), 4);
        EXPECT_EQ(Number(latency, "mean"), 2.5);
        const json::object& collective = run.at("collectives").as_array().at(0).as_object();
        EXPECT_EQ(collective.at("name").as_string(), "step0/bucket0");
        EXPECT_EQ(collective.at("algorithm").as_string(), "ring");
        EXPECT_EQ(Number(collective, "bytes"), 8000);
        EXPECT_EQ(Number(collective, "seconds"), 2) << "from the first to enter";
        EXPECT_EQ(Number(collective, "algBwBps"), 4000);
        EXPECT_EQ(Number(collective, "busBwBps"), 7000);
    }
}

TEST(SummaryJson, NullWhereThereIsNoMeaning)
{
    RunReport run = MakeRun("roce");
    run.step.overlapEfficiency = NOT_A_NUMBER;
    run.step.mfu = std::numeric_limits<double>::infinity();
    run.latency = LatencySamples();
    run.collectives[0].done = FABRIC_NEVER;
    run.fabricTotals.hasPause = false; // lossy Ethernet
    run.peakRssBytes = 0;
    const json::object parsed = ParseRun(run);
    for (const char* key : {"overlapEfficiency",
                            "mfu",
                            "pauseFrames",
                            "pausedSeconds",
                            "creditStallSeconds",
                            "peakRssBytes"})
    {
        EXPECT_TRUE(parsed.at(key).is_null()) << key;
    }
    for (const auto& entry : parsed.at("latencySeconds").as_object())
    {
        EXPECT_TRUE(entry.value().is_null()) << entry.key();
    }
    const json::object& collective = parsed.at("collectives").as_array().at(0).as_object();
    for (const char* key : {"seconds", "algBwBps", "busBwBps"})
    {
        EXPECT_TRUE(collective.at(key).is_null()) << key;
    }
    // A collective that takes no time has no bandwidth.
    run.collectives[0].done = run.collectives[0].firstEnter;
    const json::object none = ParseRun(run);
    const json::object& instant = none.at("collectives").as_array().at(0).as_object();
    EXPECT_EQ(Number(instant, "seconds"), 0);
    EXPECT_TRUE(instant.at("algBwBps").is_null());
    EXPECT_TRUE(instant.at("busBwBps").is_null());
    EXPECT_TRUE(ParseRun(MakeRun("roce")).at("ecnMarks").is_number()) << "0 would have a meaning";
    EXPECT_EQ(Parse(ReportWriter::ToJson("name", {}, {})).at("runs").as_array().size(), 0U);
}

TEST(CollectivesCsv, OneLineEach)
{
    RunReport run = MakeRun("ib");
    run.collectives.push_back(run.collectives[0]);
    run.collectives[1].name = "say \"hi\", twice";
    run.collectives[1].done = FABRIC_NEVER;
    const auto lines = SplitLines(ReportWriter::ToCsv({run, MakeRun("roce")}));
    ASSERT_EQ(lines.size(), 4U);
    EXPECT_EQ(lines[0],
              "fabric,policy,name,operation,algorithm,ranks,bytes,startSeconds,endSeconds,seconds,"
              "algBwBps,busBwBps");
    EXPECT_EQ(lines[1], "ib,fifo,step0/bucket0,AllReduce,ring,8,8000,1,3,2,4000,7000");
    EXPECT_EQ(lines[2], "ib,fifo,\"say \"\"hi\"\", twice\",AllReduce,ring,8,8000,1,,,,")
        << "quoted as RFC 4180 has it; empty where there is no figure";
    EXPECT_EQ(lines[3], "roce,fifo,step0/bucket0,AllReduce,ring,8,8000,1,3,2,4000,7000");
    EXPECT_EQ(SplitLines(ReportWriter::ToCsv({})).size(), 1U) << "the header always";
}

TEST_F(ReportFiles, AreWritten)
{
    const fs::path folder = m_folder / "a" / "b";
    const ReportWriter writer(folder.string());
    const auto paths = writer.Write("name", {{"seed", "1"}}, {MakeRun("ib")});
    ASSERT_EQ(paths.size(), 2U);
    EXPECT_EQ(paths[0], (folder / "summary.json").string());
    EXPECT_EQ(paths[1], (folder / "collectives.csv").string());
    std::ifstream summary(paths[0]);
    const std::string text((std::istreambuf_iterator<char>(summary)), {});
    EXPECT_EQ(text, ReportWriter::ToJson("name", {{"seed", "1"}}, {MakeRun("ib")}));
    std::ifstream collectives(paths[1]);
    const std::string csv((std::istreambuf_iterator<char>(collectives)), {});
    EXPECT_EQ(csv, ReportWriter::ToCsv({MakeRun("ib")}));
    EXPECT_FALSE(HasPart());
    writer.Write("other", {}, {}); // replaces them
    std::ifstream again(paths[0]);
    EXPECT_EQ(
        Parse(std::string((std::istreambuf_iterator<char>(again)), {})).at("program").as_string(),
        "other");
}

TEST_F(ReportFiles, FolderThatCannotBe)
{
    const fs::path file = m_folder / "file";
    std::ofstream(file) << "in the way";
    for (const fs::path& path :
         {file, file / "below", fs::path("/proc/ai-fabric/report"), fs::path()})
    {
        try
        {
            ReportWriter writer(path.string());
            ADD_FAILURE() << "expected an error for " << path;
        }
        catch (const std::runtime_error& error)
        {
            ExpectError(error.what(), path.string());
        }
    }
    EXPECT_FALSE(HasPart());
}

TEST_F(ReportFiles, FileThatCannotBe)
{
    // Works as root, too, whom permissions do not stop.
    for (const std::string name : {"summary.json", "collectives.csv"})
    {
        const fs::path folder = m_folder / ("with-" + name);
        fs::create_directories(folder / name / "full");
        const ReportWriter writer(folder.string());
        try
        {
            writer.Write("name", {}, {});
            ADD_FAILURE() << "expected an error for " << name;
        }
        catch (const std::runtime_error& error)
        {
            ExpectError(error.what(), (folder / name).string());
        }
        EXPECT_FALSE(HasPart());
    }
    const fs::path gone = m_folder / "gone";
    const ReportWriter writer(gone.string());
    fs::remove(gone);
    try
    {
        writer.Write("name", {}, {});
        ADD_FAILURE() << "expected an error";
    }
    catch (const std::runtime_error& error)
    {
        ExpectError(error.what(), gone.string());
    }
    EXPECT_FALSE(fs::exists(gone));
}

TEST(PeakRss, IsPlausible)
{
    EXPECT_GT(GetPeakRssBytes(), 1000000U);
    EXPECT_LT(GetPeakRssBytes(), uint64_t{1} << 40);
}
