/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "sonic-value.h"

namespace ns3
{

std::optional<uint64_t>
ParseSonicUnsigned(const std::string& text)
{
    if (text.empty() || text.size() > 18)
    {
        return std::nullopt;
    }
    uint64_t number = 0;
    for (const char digit : text)
    {
        if (digit < '0' || digit > '9')
        {
            return std::nullopt;
        }
        number = number * 10 + static_cast<uint64_t>(digit - '0');
    }
    return number;
}

std::optional<int64_t>
ParseSonicInteger(const std::string& text)
{
    const bool isNegative = !text.empty() && text[0] == '-';
    const auto number = ParseSonicUnsigned(isNegative ? text.substr(1) : text);
    if (!number)
    {
        return std::nullopt;
    }
    return isNegative ? -static_cast<int64_t>(*number) : static_cast<int64_t>(*number);
}

std::string
QuoteSonic(const std::string& text)
{
    constexpr std::size_t LONGEST = 80;
    std::string quoted = "\"";
    for (const char c : text.substr(0, LONGEST))
    {
        quoted += c >= ' ' && c < 127 ? c : '?';
    }
    return quoted + (text.size() > LONGEST ? "...\"" : "\"");
}

std::vector<std::string>
SplitSonic(const std::string& text, char separator)
{
    std::vector<std::string> parts;
    std::size_t begin = 0;
    for (std::size_t end = 0; end != std::string::npos; begin = end + 1)
    {
        end = text.find(separator, begin);
        const std::string part = text.substr(begin, end == std::string::npos ? end : end - begin);
        const std::size_t first = part.find_first_not_of(" \t");
        parts.push_back(first == std::string::npos
                            ? ""
                            : part.substr(first, part.find_last_not_of(" \t") - first + 1));
    }
    return parts;
}

std::optional<SonicRange>
ParseSonicRange(const std::string& text, uint8_t highest)
{
    const std::size_t dash = text.find('-');
    const auto first = ParseSonicUnsigned(text.substr(0, dash));
    const auto last = dash == std::string::npos ? first : ParseSonicUnsigned(text.substr(dash + 1));
    if (!first || !last || *first > *last || *last > highest)
    {
        return std::nullopt;
    }
    return SonicRange{static_cast<uint8_t>(*first), static_cast<uint8_t>(*last)};
}

} // namespace ns3
