/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "sonic-pg-profile-reader.h"

#include "sonic-value.h"

#include "ns3/json-document.h"

#include <set>
#include <sstream>
#include <stdexcept>

namespace ns3
{

namespace
{

constexpr std::size_t MAX_FILE_BYTES = 16 << 20; //!< far above what a switch has

/** A row of the file, for errors. */
struct Row
{
    const std::string& file; //!< its name
    uint32_t line;           //!< from 1

    [[noreturn]] void Fail(const std::string& cause, const std::string& expected) const
    {
        throw std::invalid_argument(file + ":" + std::to_string(line) + ": " + cause +
                                    ", expected " + expected);
    }

    uint64_t Number(const char* column, const std::string& text, uint64_t low, uint64_t high) const
    {
        const auto number = ParseSonicUnsigned(text);
        if (!number || *number < low || *number > high)
        {
            Fail(std::string(column) + " " + QuoteSonic(text),
                 "a number in " + std::to_string(low) + ".." + std::to_string(high));
        }
        return *number;
    }
};

SonicPgProfile
ParseRow(const Row& row, const std::vector<std::string>& cells)
{
    SonicPgProfile profile;
    profile.line = row.line;
    if (cells.size() < 6 || cells.size() > 7)
    {
        row.Fail(std::to_string(cells.size()) + (cells.size() == 1 ? " column" : " columns"),
                 "6 or 7: speed cable size xon xoff threshold [xon_offset]");
    }
    profile.speed = static_cast<uint32_t>(row.Number("speed", cells[0], 1, SONIC_MAX_SPEED));
    profile.cable = cells[1];
    const auto meters = ParseSonicCable(cells[1]);
    if (!meters)
    {
        row.Fail("cable " + QuoteSonic(cells[1]), "a length in meters such as 5m");
    }
    profile.cableMeters = *meters;
    profile.size = row.Number("size", cells[2], 0, SONIC_MAX_BYTES);
    profile.xon = row.Number("xon", cells[3], 0, SONIC_MAX_BYTES);
    profile.xoff = row.Number("xoff", cells[4], 0, SONIC_MAX_BYTES);
    const auto threshold = ParseSonicInteger(cells[5]);
    if (!threshold || *threshold < SONIC_MIN_DYNAMIC_TH ||
        *threshold > static_cast<int64_t>(SONIC_MAX_BYTES))
    {
        row.Fail("threshold " + QuoteSonic(cells[5]),
                 "log2 of alpha, " + std::to_string(SONIC_MIN_DYNAMIC_TH) + ".." +
                     std::to_string(SONIC_MAX_DYNAMIC_TH) + ", or bytes of a static pool");
    }
    profile.threshold = *threshold;
    if (cells.size() == 7)
    {
        profile.xonOffset = row.Number("xon_offset", cells[6], 0, SONIC_MAX_BYTES);
    }
    return profile;
}

} // namespace

std::optional<double>
ParseSonicCable(const std::string& text)
{
    const std::size_t length = text.size();
    const std::string digits =
        length > 1 && text[length - 1] == 'm' ? text.substr(0, length - 1) : "";
    const std::size_t point = digits.find('.');
    const auto whole = ParseSonicUnsigned(digits.substr(0, point));
    const std::string rest = point == std::string::npos ? "0" : digits.substr(point + 1);
    const auto fraction = ParseSonicUnsigned(rest);
    if (!whole || *whole > 1000000 || !fraction || rest.size() > 6)
    {
        return std::nullopt;
    }
    double scale = 1;
    for (std::size_t i = 0; i < rest.size(); ++i)
    {
        scale *= 10;
    }
    return static_cast<double>(*whole) + static_cast<double>(*fraction) / scale;
}

const SonicPgProfile*
SonicPgProfiles::Find(uint32_t speed, const std::string& cable) const
{
    for (const SonicPgProfile& profile : profiles)
    {
        if (profile.speed == speed && profile.cable == cable)
        {
            return &profile;
        }
    }
    return nullptr;
}

const SonicPgProfile*
SonicPgProfiles::FindAtLeast(uint32_t speed, const std::string& cable) const
{
    const auto meters = ParseSonicCable(cable);
    const SonicPgProfile* best = nullptr;
    for (const SonicPgProfile& profile : profiles)
    {
        if (meters && profile.speed == speed && profile.cableMeters >= *meters &&
            (!best || profile.cableMeters < best->cableMeters))
        {
            best = &profile;
        }
    }
    return best;
}

std::string
SonicPgProfiles::Describe(uint32_t speed) const
{
    std::string cables;
    std::set<uint32_t> speeds;
    for (const SonicPgProfile& profile : profiles)
    {
        speeds.insert(profile.speed);
        if (profile.speed == speed)
        {
            cables += (cables.empty() ? "" : ", ") + profile.cable;
        }
    }
    if (!cables.empty())
    {
        return cables + " at " + std::to_string(speed) + " Mb/s";
    }
    std::string list;
    for (const uint32_t other : speeds)
    {
        list += (list.empty() ? "" : ", ") + std::to_string(other);
    }
    return list + " Mb/s";
}

SonicPgProfiles
SonicPgProfileReader::ReadFile(const std::string& path)
{
    return Read(ReadTextFile(path, MAX_FILE_BYTES), path);
}

SonicPgProfiles
SonicPgProfileReader::Read(const std::string& text, const std::string& name)
{
    SonicPgProfiles result;
    result.file = name;
    std::istringstream stream(text);
    uint32_t number = 0;
    for (std::string line; std::getline(stream, line);)
    {
        const Row row{name, ++number};
        std::istringstream words(line);
        std::vector<std::string> cells;
        for (std::string cell; words >> cell;)
        {
            cells.push_back(cell);
        }
        if (cells.empty() || cells[0][0] == '#')
        {
            continue;
        }
        const SonicPgProfile profile = ParseRow(row, cells);
        if (const SonicPgProfile* other = result.Find(profile.speed, profile.cable))
        {
            row.Fail("a second profile of " + cells[0] + " Mb/s and " + profile.cable +
                         ", the first is in line " + std::to_string(other->line),
                     "one");
        }
        result.profiles.push_back(profile);
    }
    if (result.profiles.empty())
    {
        Row{name, std::max(number, 1U)}.Fail(
            "no profile in the whole file",
            "rows of speed cable size xon xoff threshold [xon_offset]");
    }
    return result;
}

} // namespace ns3
