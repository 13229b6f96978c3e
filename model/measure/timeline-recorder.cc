/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "timeline-recorder.h"

#include <boost/json.hpp>
#include <cstdio>

namespace ns3
{

namespace
{

/** @returns ticks in microseconds, to the picosecond */
std::string
Microseconds(FabricTick ticks)
{
    char text[64];
    std::snprintf(text, sizeof text, "%.6f", FabricSeconds(ticks) * 1e6);
    return text;
}

/** @returns a JSON string */
std::string
Quoted(const std::string& text)
{
    return boost::json::serialize(boost::json::value(text));
}

/** @returns an event that names a group ("process_name") or a row ("thread_name") */
std::string
NameEvent(const char* what, uint32_t group, uint32_t row, const std::string& name)
{
    return std::string("{\"ph\":\"M\",\"name\":\"") + what + "\",\"pid\":" + std::to_string(group) +
           ",\"tid\":" + std::to_string(row) + ",\"args\":{\"name\":" + Quoted(name) + "}}";
}

} // namespace

uint32_t
TimelineRecorder::GetRow(const std::string& group, const std::string& row)
{
    const auto known = m_index.find({group, row});
    if (known != m_index.end())
    {
        return known->second;
    }
    uint32_t number = 0;
    while (number < m_groups.size() && m_groups[number] != group)
    {
        ++number;
    }
    if (number == m_groups.size())
    {
        m_groups.push_back(group);
    }
    m_rows.emplace_back(number, row);
    return m_index[{group, row}] = static_cast<uint32_t>(m_rows.size() - 1);
}

void
TimelineRecorder::Add(Kind kind,
                      uint32_t row,
                      const std::string& name,
                      FabricTick begin,
                      FabricTick end)
{
    const auto added = m_nameIndex.emplace(name, static_cast<uint32_t>(m_names.size()));
    if (added.second)
    {
        m_names.push_back(name);
    }
    m_entries.push_back({kind, row, added.first->second, begin, end});
}

void
TimelineRecorder::AddSpan(uint32_t row, const std::string& name, FabricTick begin, FabricTick end)
{
    Add(Kind::SPAN, row, name, begin, end);
}

void
TimelineRecorder::AddFlight(uint32_t row, const std::string& name, FabricTick begin, FabricTick end)
{
    Add(Kind::FLIGHT, row, name, begin, end);
}

void
TimelineRecorder::AddInstant(uint32_t row, const std::string& name, FabricTick at)
{
    Add(Kind::INSTANT, row, name, at, at);
}

std::size_t
TimelineRecorder::GetSize() const
{
    return m_entries.size();
}

std::string
TimelineRecorder::ToTraceEvents() const
{
    std::string text = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
    const char* separator = "\n";
    const auto append = [&](const std::string& event) {
        text += separator + event;
        separator = ",\n";
    };
    for (uint32_t group = 0; group < m_groups.size(); ++group)
    {
        append(NameEvent("process_name", group, 0, m_groups[group]));
    }
    for (uint32_t row = 0; row < m_rows.size(); ++row)
    {
        append(NameEvent("thread_name", m_rows[row].first, row, m_rows[row].second));
    }
    uint64_t flights = 0;
    for (const Entry& entry : m_entries)
    {
        const std::string where = ",\"pid\":" + std::to_string(m_rows[entry.row].first) +
                                  ",\"tid\":" + std::to_string(entry.row) +
                                  ",\"name\":" + Quoted(m_names[entry.name]);
        const std::string begin = ",\"ts\":" + Microseconds(entry.begin);
        switch (entry.kind)
        {
        case Kind::SPAN:
            append("{\"ph\":\"X\"" + where + begin +
                   ",\"dur\":" + Microseconds(entry.end - entry.begin) + "}");
            break;
        case Kind::FLIGHT: {
            const std::string id = ",\"cat\":\"flight\",\"id\":" + std::to_string(flights++);
            append("{\"ph\":\"b\"" + where + id + begin + "}");
            append("{\"ph\":\"e\"" + where + id + ",\"ts\":" + Microseconds(entry.end) + "}");
            break;
        }
        case Kind::INSTANT:
            append("{\"ph\":\"i\",\"s\":\"t\"" + where + begin + "}");
            break;
        }
    }
    return text + "\n]}\n";
}

} // namespace ns3
