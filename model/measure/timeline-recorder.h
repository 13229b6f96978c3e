/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TIMELINE_RECORDER_H
#define TIMELINE_RECORDER_H

#include "fabric-tick.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Who did what from when to when, for viewers of the Trace Event Format (chrome://tracing,
 * Perfetto).
 *
 * A group (a GPU, a switch) has rows (a stream, a port). Spans of one row do not overlap unless one
 * lies in the other; what overlaps freely is a flight.
 */
class TimelineRecorder
{
  public:
    /**
     * @param group who
     * @param row which part of it
     * @returns number of the row, for the other calls
     */
    uint32_t GetRow(const std::string& group, const std::string& row);

    /**
     * @param row a row
     * @param name what happened
     * @param begin first tick
     * @param end last tick, not before the first
     */
    void AddSpan(uint32_t row, const std::string& name, FabricTick begin, FabricTick end);

    /**
     * A span that may overlap others of its row.
     * @param row a row
     * @param name what happened
     * @param begin first tick
     * @param end last tick, not before the first
     */
    void AddFlight(uint32_t row, const std::string& name, FabricTick begin, FabricTick end);

    /**
     * @param row a row
     * @param name what happened
     * @param at when
     */
    void AddInstant(uint32_t row, const std::string& name, FabricTick at);

    /** @returns number of spans, flights and instants */
    std::size_t GetSize() const;

    /** @returns all of it in the Trace Event Format (JSON object form); times in microseconds */
    std::string ToTraceEvents() const;

  private:
    /** What an entry is; the phase letters of the format. */
    enum class Kind : char
    {
        SPAN = 'X',
        FLIGHT = 'b',
        INSTANT = 'i',
    };

    /** Something that happened. */
    struct Entry
    {
        Kind kind;        //!< what it is
        uint32_t row;     //!< where
        uint32_t name;    //!< index in m_names
        FabricTick begin; //!< first tick
        FabricTick end;   //!< last tick
    };

    void Add(Kind kind, uint32_t row, const std::string& name, FabricTick begin, FabricTick end);

    std::vector<std::string> m_groups;                               //!< by number
    std::vector<std::pair<uint32_t, std::string>> m_rows;            //!< group and name, by number
    std::map<std::pair<std::string, std::string>, uint32_t> m_index; //!< (group, row) to its number
    std::vector<std::string> m_names;                                //!< each name once
    std::map<std::string, uint32_t> m_nameIndex;                     //!< name to its number
    std::vector<Entry> m_entries; //!< in the order in which they came
};

} // namespace ns3

#endif // TIMELINE_RECORDER_H
