/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ib-link-speed.h"

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <utility>

namespace ns3
{

namespace
{

/** Code words of RS(544,514) around blocks of 256b/257b. */
constexpr uint32_t RS_CODED = 544 * 257;
/** What is data of them. */
constexpr uint32_t RS_DATA = 514 * 256;

/** Lanes, and LinkWidthActive. */
constexpr std::pair<uint32_t, uint8_t> WIDTH_CODES[] = {{1, 1}, {2, 16}, {4, 2}, {8, 4}, {12, 8}};

/** Nominal Gb/s of a link, and its rate code (opensm: ib_types.h; 1600: Linux: ib_verbs.h). */
constexpr std::pair<double, uint8_t> RATE_CODES[] = {
    {2.5, 2},  {5, 5},    {10, 3},   {14, 11},  {20, 6},   {25, 15},  {28, 19},   {30, 4},
    {40, 7},   {50, 20},  {56, 12},  {60, 8},   {80, 9},   {100, 16}, {112, 13},  {120, 10},
    {168, 14}, {200, 17}, {300, 18}, {400, 21}, {600, 22}, {800, 23}, {1200, 24}, {1600, 25}};

/** @returns the text in upper case without blanks */
std::string
Normalize(const std::string& text)
{
    std::string result;
    for (const char c : text)
    {
        if (!std::isspace(static_cast<unsigned char>(c)))
        {
            result += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        }
    }
    return result;
}

/** @returns true if the text is what iblinkinfo prints for the line rate of a lane */
bool
IsLineRate(const std::string& text, const IbLinkSpeed::Generation& generation)
{
    const std::string unit = "GBPS";
    if (text.size() <= unit.size() || text.substr(text.size() - unit.size()) != unit)
    {
        return false;
    }
    const std::string number = text.substr(0, text.size() - unit.size());
    if (number.find_first_not_of("0123456789.") != std::string::npos)
    {
        return false;
    }
    try
    {
        std::size_t used = 0;
        const double gbps = std::stod(number, &used);
        return used == number.size() && gbps * 1e9 == static_cast<double>(generation.lineBitRate);
    }
    catch (const std::exception&)
    {
        return false;
    }
}

} // namespace

const std::vector<IbLinkSpeed::Generation>&
IbLinkSpeed::GetGenerations()
{
    static const char* const rs = "256b/257b + RS(544,514)";
    static const std::vector<Generation> table = {
        {"SDR", 2500000000, "8b/10b", 10, 8, 2.5, 1, 0, 4000},
        {"DDR", 5000000000, "8b/10b", 10, 8, 5, 2, 0, 2000},
        {"QDR", 10000000000, "8b/10b", 10, 8, 10, 4, 0, 1000},
        {"FDR10", 10312500000, "64b/66b", 66, 64, 10, 4, 0, 1000},
        {"FDR", 14062500000, "64b/66b", 66, 64, 14, 4, 1, 1000},
        {"EDR", 25781250000, "64b/66b", 66, 64, 25, 4, 2, 1000},
        {"HDR", 53125000000, rs, RS_CODED, RS_DATA, 50, 4, 4, 1000},
        {"NDR", 106250000000, rs, RS_CODED, RS_DATA, 100, 4, 8, 1000},
        {"XDR", 212500000000, rs, RS_CODED, RS_DATA, 200, 4, 0, 1000}};
    return table;
}

const std::vector<uint32_t>&
IbLinkSpeed::GetWidths()
{
    static const std::vector<uint32_t> widths = {1, 2, 4, 8, 12};
    return widths;
}

IbLinkSpeed::IbLinkSpeed(uint32_t width, const Generation& generation)
    : m_width(width),
      m_generation(&generation)
{
}

IbLinkSpeed
IbLinkSpeed::Parse(const std::string& name, const std::string& where)
{
    const std::string text = Normalize(name);
    const std::size_t x = text.find('X');
    for (const uint32_t width : GetWidths())
    {
        if (x == std::string::npos || text.substr(0, x) != std::to_string(width))
        {
            continue;
        }
        const std::string speed = text.substr(x + 1);
        for (const Generation& generation : GetGenerations())
        {
            if (speed == generation.name || IsLineRate(speed, generation))
            {
                return {width, generation};
            }
        }
    }
    throw std::invalid_argument(where + ": \"" + name +
                                "\" is no InfiniBand link speed, expected 1x, 2x, 4x, 8x or 12x "
                                "and SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or XDR, such as "
                                "4xNDR");
}

IbLinkSpeed
IbLinkSpeed::FromSmCodes(uint8_t widthActive, uint8_t speedActive, uint8_t speedExtActive)
{
    for (const auto& width : WIDTH_CODES)
    {
        for (const Generation& generation : GetGenerations())
        {
            const bool matches = speedExtActive ? generation.extActiveCode == speedExtActive
                                                : generation.activeCode == speedActive;
            if (width.second == widthActive && matches)
            {
                return {width.first, generation}; // of several with code 4, QDR comes first
            }
        }
    }
    throw std::invalid_argument(
        "IbLinkSpeed: LinkWidthActive " + std::to_string(widthActive) + ", LinkSpeedActive " +
        std::to_string(speedActive) + ", LinkSpeedExtActive " + std::to_string(speedExtActive) +
        " are not known, expected 1, 2, 4, 8 or 16, then 1, 2 or 4, then 0, 1, 2, 4 or 8");
}

std::string
IbLinkSpeed::GetName() const
{
    return std::to_string(m_width) + "x" + m_generation->name;
}

uint32_t
IbLinkSpeed::GetWidth() const
{
    return m_width;
}

const IbLinkSpeed::Generation&
IbLinkSpeed::GetGeneration() const
{
    return *m_generation;
}

uint64_t
IbLinkSpeed::GetLineBitRate() const
{
    return m_width * m_generation->lineBitRate;
}

double
IbLinkSpeed::GetCodingEfficiency() const
{
    return static_cast<double>(m_generation->dataBits) / m_generation->codedBits;
}

DataRate
IbLinkSpeed::GetDataRate() const
{
    // The fastest line has 2.55e12 bit/s: whole code words and the rest apart, so that the product
    // fits into 64 bits.
    const uint64_t line = GetLineBitRate();
    const uint64_t coded = m_generation->codedBits;
    const uint64_t data = m_generation->dataBits;
    return DataRate(line / coded * data + (line % coded * data + coded / 2) / coded);
}

uint32_t
IbLinkSpeed::GetSymbolTimePs() const
{
    return m_generation->symbolTimePs;
}

Time
IbLinkSpeed::GetFcMaxInterval() const
{
    return NanoSeconds(uint64_t{65536} * GetSymbolTimePs() / 1000);
}

uint8_t
IbLinkSpeed::GetWidthCode() const
{
    return std::find_if(std::begin(WIDTH_CODES),
                        std::end(WIDTH_CODES),
                        [this](const auto& code) { return code.first == m_width; })
        ->second;
}

uint8_t
IbLinkSpeed::GetSpeedCode() const
{
    return m_generation->activeCode;
}

uint8_t
IbLinkSpeed::GetSpeedExtCode() const
{
    return m_generation->extActiveCode;
}

uint8_t
IbLinkSpeed::GetRateCode() const
{
    const double nominal = m_width * m_generation->nominalGbps;
    const auto* code = std::find_if(std::begin(RATE_CODES),
                                    std::end(RATE_CODES),
                                    [nominal](const auto& row) { return row.first == nominal; });
    return code == std::end(RATE_CODES) ? 0 : code->second;
}

} // namespace ns3
