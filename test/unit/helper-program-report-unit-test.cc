/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../support/picosecond-test.h"

#include "ns3/program-report.h"

#include <boost/json.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <unistd.h>
#include <vector>

using namespace ns3;

namespace
{

const double NONE = std::numeric_limits<double>::quiet_NaN();

/** A folder of its own for each test, gone afterwards. */
class ProgramReportTest : public ::testing::Test
{
  protected:
    ProgramReportTest()
        : m_folder(std::filesystem::temp_directory_path() /
                   ("ai-fabric-program-report-" +
                    std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()) +
                    std::to_string(::getpid()))),
          m_report("shaker", "Shakes.")
    {
    }

    ~ProgramReportTest() override
    {
        std::filesystem::remove_all(m_folder);
    }

    void SetUp() override
    {
        USE_PICOSECONDS();
    }

    void Parse(std::vector<std::string> arguments)
    {
        std::vector<char*> argv{const_cast<char*>("shaker")};
        for (std::string& argument : arguments)
        {
            argv.push_back(argument.data());
        }
        m_report.Parse(static_cast<int>(argv.size()), argv.data());
    }

    void Fill()
    {
        m_report.Begin({{"name", "name"},
                        {"rateBps", "Gb/s", 1e-9, 2},
                        {"latencySeconds", "us", 1e6, 1},
                        {"drops", "drops"}});
        m_report.AddRow({"plain", 397.484e9, 1.25e-6, 0.0});
        m_report.AddRow({"a, \"b\"", 1e9, NONE, 3.0});
    }

    std::string Read(const std::string& name) const
    {
        std::ifstream file(m_folder / name);
        std::stringstream text;
        text << file.rdbuf();
        return text.str();
    }

    std::filesystem::path m_folder; //!< of the report
    ProgramReport m_report;         //!< under test
};

TEST_F(ProgramReportTest, TableAlignsTextLeftAndFiguresRight)
{
    Parse({"--out=" + m_folder.string()});
    Fill();
    m_report.AddNote("that is all");
    std::ostringstream table;
    m_report.PrintTable(table);
    EXPECT_EQ(table.str(),
              "name      Gb/s   us  drops\n"
              "plain   397.48  1.2      0\n"
              "a, \"b\"    1.00    -      3\n"
              "that is all\n");
}

TEST_F(ProgramReportTest, SummaryHasTheSchemasFieldsAndTheTables)
{
    BoundedOption<uint32_t> hosts("hosts", 4, 1, 8);
    m_report.AddOption("hosts", "Hosts", hosts);
    Parse({"--out=" + m_folder.string(), "--hosts=5", "--seed=7"});
    Fill();
    const auto summary = boost::json::parse(m_report.ToJson()).as_object();
    EXPECT_EQ(summary.at("schema").as_string(), "ai-fabric-summary/1");
    EXPECT_EQ(summary.at("program").as_string(), "shaker");
    EXPECT_EQ(summary.at("arguments").at("hosts").as_string(), "5");
    EXPECT_EQ(summary.at("arguments").at("seed").as_string(), "7");
    const auto& runs = summary.at("runs").as_array();
    ASSERT_EQ(runs.size(), 2);
    EXPECT_TRUE(runs[0].at("mfu").is_null());
    EXPECT_EQ(runs[0].at("rateBps").as_double(), 397.484e9);
    EXPECT_TRUE(runs[1].at("latencySeconds").is_null());
    EXPECT_EQ(runs[1].at("drops").as_double(), 3);
    EXPECT_EQ(runs[1].at("name").as_string(), "a, \"b\"");
}

TEST_F(ProgramReportTest, CsvHasSiUnitsAndQuotes)
{
    Parse({"--out=" + m_folder.string()});
    Fill();
    EXPECT_EQ(m_report.ToCsv(),
              "name,rateBps,latencySeconds,drops\n"
              "plain,397484000000,1.25e-06,0\n"
              "\"a, \"\"b\"\"\",1000000000,,3\n");
}

TEST_F(ProgramReportTest, CurveHasOneLineForEachSeries)
{
    Parse({"--out=" + m_folder.string()});
    m_report.Begin({{"kind", "kind"}, {"meters", "m"}, {"rateBps", "Gb/s", 1e-9, 1}});
    m_report.AddRow({"x", 1.0, 2e9});
    m_report.AddRow({"y", 1.0, 3e9});
    m_report.AddRow({"x", 10.0, NONE});
    m_report.AddRow({"x", 100.0, 4e9});
    const std::string script =
        m_report.ToGnuplot({"curve", "Rates", "meters", "rateBps", {"kind"}, true});
    EXPECT_NE(script.find("set output \"curve.png\""), std::string::npos) << script;
    EXPECT_NE(script.find("set logscale x"), std::string::npos) << script;
    EXPECT_EQ(script.find("set logscale y"), std::string::npos) << script;
    EXPECT_NE(script.find("1 2\n100 4\n"), std::string::npos) << script;
    EXPECT_NE(script.find("1 3\n"), std::string::npos) << script;
}

TEST_F(ProgramReportTest, FinishWritesAllFiles)
{
    Parse({"--out=" + m_folder.string(), "--progress=false"});
    Fill();
    m_report.AddCurve({"drops", "Drops", "rateBps", "drops", {"name"}});
    std::ostringstream stream;
    m_report.Finish(stream);
    EXPECT_EQ(Read("summary.json"), m_report.ToJson());
    EXPECT_EQ(Read("shaker.csv"), m_report.ToCsv());
    EXPECT_NE(Read("drops.plt"), "");
    EXPECT_NE(stream.str().find((m_folder / "summary.json").string()), std::string::npos);
}

TEST_F(ProgramReportTest, BadInputIsNamed)
{
    EXPECT_THROW(Parse({"--out=" + m_folder.string(), "stray"}), std::invalid_argument);
    EXPECT_THROW(m_report.AddRow({1.0}), std::logic_error);
    EXPECT_THROW(m_report.ToGnuplot({"curve", "", "nothing", "drops", {}}), std::logic_error);
    std::ofstream(m_folder) << "in the way";
    EXPECT_THROW(m_report.Begin({}), std::runtime_error);
}

} // namespace
