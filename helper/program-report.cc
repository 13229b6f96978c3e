/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "program-report.h"

#include "report-files.h"

#include "ns3/gnuplot.h"
#include "ns3/nstime.h"
#include "ns3/rng-seed-manager.h"

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <stdexcept>
#include <unistd.h>

namespace ns3
{

namespace
{

namespace json = boost::json;

/** Fields that every run of a summary has. */
constexpr const char* RUN_FIELDS[] = {
    "fabric",
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
    "peakRssBytes",
};

/** @returns the text in single quotes, as one word of a shell */
std::string
Quote(const std::string& text)
{
    std::string quoted = "'";
    for (const char letter : text)
    {
        quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
    }
    return quoted + "'";
}

} // namespace

ProgramReport::ProgramReport(const std::string& program, const std::string& usage)
    : m_program(program),
      m_commandLine(program),
      m_seed("seed", 1, 1, 4294944442), // what RngStream takes
      m_progress(isatty(STDERR_FILENO) != 0),
      m_out(program + "-report")
{
    m_commandLine.Usage(usage);
}

void
ProgramReport::Parse(int argc, char* argv[])
{
    AddOption("seed", "Seed of all random streams", m_seed);
    m_commandLine.AddValue("progress", "Show progress on stderr", m_progress);
    m_commandLine.AddValue("out", "Folder of the report", m_out);
    m_commandLine.Parse(argc, argv);
    if (m_commandLine.GetNExtraNonOptions() > 0)
    {
        throw std::invalid_argument("argument '" + m_commandLine.GetExtraNonOption(0) +
                                    "', expected options of the form --NAME=VALUE");
    }
    RngSeedManager::SetSeed(m_seed);
    if (Time::GetResolution() != Time::PS)
    {
        Time::SetResolution(Time::PS);
    }
}

void
ProgramReport::Begin(std::vector<Column> columns)
{
    ReportFiles::MakeFolder(m_out);
    m_columns = std::move(columns);
}

void
ProgramReport::AddRow(std::vector<Cell> cells)
{
    if (cells.size() != m_columns.size())
    {
        throw std::logic_error("ProgramReport: " + std::to_string(cells.size()) +
                               " cells in a row, expected " + std::to_string(m_columns.size()));
    }
    m_rows.push_back(std::move(cells));
}

void
ProgramReport::AddCurve(Curve curve)
{
    m_curves.push_back(std::move(curve));
}

void
ProgramReport::AddNote(const std::string& line)
{
    m_notes.push_back(line);
}

ProgramReport&
ProgramReport::AddSeries(const std::string& name, std::vector<Column> columns)
{
    m_series.push_back(std::make_unique<ProgramReport>(name, ""));
    m_series.back()->m_out = m_out;
    m_series.back()->m_columns = std::move(columns);
    return *m_series.back();
}

void
ProgramReport::ShowProgress(const std::string& text)
{
    if (m_progress)
    {
        std::cerr << "\r\033[K" << m_program << ": " << text << std::flush;
    }
}

std::size_t
ProgramReport::FindColumn(const std::string& key) const
{
    const auto found = std::find_if(m_columns.begin(), m_columns.end(), [&](const Column& column) {
        return column.key == key;
    });
    if (found == m_columns.end())
    {
        throw std::logic_error("ProgramReport: no column '" + key + "'");
    }
    return found - m_columns.begin();
}

std::string
ProgramReport::GetText(std::size_t row, std::size_t column) const
{
    const Cell& cell = m_rows[row][column];
    if (const auto* words = std::get_if<std::string>(&cell))
    {
        return *words;
    }
    const double value = std::get<double>(cell);
    if (!std::isfinite(value))
    {
        return "-";
    }
    std::ostringstream text;
    text << std::fixed << std::setprecision(m_columns[column].decimals)
         << value * m_columns[column].scale;
    return text.str();
}

void
ProgramReport::PrintTable(std::ostream& stream) const
{
    std::vector<std::size_t> widths;
    for (std::size_t column = 0; column < m_columns.size(); ++column)
    {
        std::size_t width = m_columns[column].title.size();
        for (std::size_t row = 0; row < m_rows.size(); ++row)
        {
            width = std::max(width, GetText(row, column).size());
        }
        widths.push_back(width);
    }
    const auto print = [&](std::size_t column, const std::string& text) {
        const bool words = !m_rows.empty() && m_rows[0][column].index() == 0;
        const std::string gap(widths[column] - text.size(), ' ');
        stream << (column ? "  " : "") << (words ? text + gap : gap + text);
    };
    for (std::size_t column = 0; column < m_columns.size(); ++column)
    {
        print(column, m_columns[column].title);
    }
    stream << '\n';
    for (std::size_t row = 0; row < m_rows.size(); ++row)
    {
        for (std::size_t column = 0; column < m_columns.size(); ++column)
        {
            print(column, GetText(row, column));
        }
        stream << '\n';
    }
    for (const std::string& note : m_notes)
    {
        stream << note << '\n';
    }
}

std::string
ProgramReport::ToJson() const
{
    json::object arguments;
    for (const auto& value : m_values)
    {
        arguments[value.first] = value.second();
    }
    json::array runs;
    for (const auto& row : m_rows)
    {
        json::object run;
        for (const char* field : RUN_FIELDS)
        {
            run[field] = nullptr;
        }
        for (std::size_t column = 0; column < m_columns.size(); ++column)
        {
            json::value& field = run[m_columns[column].key];
            if (const auto* words = std::get_if<std::string>(&row[column]))
            {
                field = *words;
            }
            else if (std::isfinite(std::get<double>(row[column])))
            {
                field = std::get<double>(row[column]);
            }
            else
            {
                field = nullptr;
            }
        }
        runs.push_back(std::move(run));
    }
    json::object summary;
    summary["schema"] = "ai-fabric-summary/1";
    summary["program"] = m_program;
    summary["arguments"] = std::move(arguments);
    summary["runs"] = std::move(runs);
    return json::serialize(summary) + "\n";
}

std::string
ProgramReport::ToCsv() const
{
    std::string text;
    for (std::size_t column = 0; column < m_columns.size(); ++column)
    {
        text += (column ? "," : "") + ReportFiles::CsvCell(m_columns[column].key);
    }
    text += '\n';
    for (const auto& row : m_rows)
    {
        for (std::size_t column = 0; column < row.size(); ++column)
        {
            text += column ? "," : "";
            text += std::visit([](const auto& cell) { return ReportFiles::CsvCell(cell); },
                               row[column]);
        }
        text += '\n';
    }
    return text;
}

std::string
ProgramReport::ToGnuplot(const Curve& curve) const
{
    const std::size_t x = FindColumn(curve.x);
    const std::size_t y = FindColumn(curve.y);
    std::vector<std::size_t> series;
    for (const std::string& key : curve.series)
    {
        series.push_back(FindColumn(key));
    }
    std::vector<std::pair<std::string, Gnuplot2dDataset>> lines; // in the order of the rows
    for (std::size_t row = 0; row < m_rows.size(); ++row)
    {
        std::string label;
        for (const std::size_t column : series)
        {
            label += (label.empty() ? "" : ", ") + GetText(row, column) +
                     (m_rows[row][column].index() ? " " + m_columns[column].title : "");
        }
        auto line = std::find_if(lines.begin(), lines.end(), [&](const auto& other) {
            return other.first == label;
        });
        if (line == lines.end())
        {
            Gnuplot2dDataset dataset(label);
            dataset.SetStyle(Gnuplot2dDataset::LINES_POINTS);
            line = lines.insert(line, {label, dataset});
        }
        const double across = std::get<double>(m_rows[row][x]) * m_columns[x].scale;
        const double up = std::get<double>(m_rows[row][y]) * m_columns[y].scale;
        if (std::isfinite(across) && std::isfinite(up))
        {
            line->second.Add(across, up);
        }
    }
    Gnuplot plot(curve.name + ".png", curve.title);
    plot.SetTerminal("png size 960,640");
    plot.SetLegend(m_columns[x].title, m_columns[y].title);
    plot.SetExtra(std::string(curve.logX ? "set logscale x\n" : "") +
                  (curve.logY ? "set logscale y\n" : "") + "set key outside\nset grid");
    for (const auto& line : lines)
    {
        plot.AddDataset(line.second);
    }
    std::ostringstream script;
    plot.GenerateOutput(script);
    return script.str();
}

void
ProgramReport::Finish(std::ostream& stream)
{
    if (m_progress)
    {
        std::cerr << "\r\033[K" << std::flush;
    }
    PrintTable(stream);
    WriteFiles(stream);
    for (const auto& series : m_series)
    {
        series->WriteFiles(stream);
    }
    stream << ReportFiles::Write(m_out, "summary.json", ToJson()) << '\n';
}

void
ProgramReport::WriteFiles(std::ostream& stream) const
{
    stream << ReportFiles::Write(m_out, m_program + ".csv", ToCsv()) << '\n';
    for (const Curve& curve : m_curves)
    {
        stream << ReportFiles::Write(m_out, curve.name + ".plt", ToGnuplot(curve)) << '\n';
        const std::string draw = "command -v gnuplot >/dev/null && cd " + Quote(m_out) +
                                 " && gnuplot " + Quote(curve.name + ".plt") + " >/dev/null 2>&1";
        if (std::system(draw.c_str()) == 0)
        {
            stream << m_out << '/' << curve.name << ".png\n";
        }
    }
}

int
ProgramReport::Main(const std::string& program,
                    int (*body)(int argc, char* argv[]),
                    int argc,
                    char* argv[])
{
    try
    {
        return body(argc, argv);
    }
    catch (const std::exception& error)
    {
        std::cerr << program << ": " << error.what() << std::endl;
        return 1;
    }
}

} // namespace ns3
