/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "class-shaper.h"

#include "ns3/data-rate.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace ns3
{

namespace
{

/** @returns true if the text is a number of at most nine digits */
bool
IsNumber(const std::string& text)
{
    return !text.empty() && text.size() <= 9 &&
           text.find_first_not_of("0123456789") == std::string::npos;
}

/** @returns bits per second; 0 if the text is no rate */
uint64_t
ReadRate(const std::string& text)
{
    DataRateValue value;
    // ns-3 takes a bare number as bits per second, and asserts that there is text.
    const bool read = !text.empty() && text.front() >= '0' && text.front() <= '9' &&
                      value.DeserializeFromString(text, MakeDataRateChecker());
    return read ? value.Get().GetBitRate() : 0;
}

} // namespace

ClassShaper::Limits
ClassShaper::Parse(const std::string& text, uint8_t classes)
{
    Limits limits{};
    std::istringstream stream(text);
    for (std::string item; std::getline(stream, item, ',');)
    {
        std::vector<std::string> parts;
        std::istringstream rest(item);
        for (std::string part; std::getline(rest, part, ':');)
        {
            parts.push_back(part);
        }
        const bool whole = (parts.size() == 2 || parts.size() == 3) && IsNumber(parts[0]) &&
                           std::stoul(parts[0]) < classes &&
                           (parts.size() == 2 || IsNumber(parts[2]));
        const uint64_t rate = whole ? ReadRate(parts[1]) : 0;
        if (!rate)
        {
            throw std::invalid_argument("Shaping \"" + text + "\": \"" + item +
                                        "\", expected class:rate or class:rate:burst, a class "
                                        "0.." +
                                        std::to_string(classes - 1) +
                                        ", a rate such as 10Gbps and bytes");
        }
        Limit& limit = limits[std::stoul(parts[0])];
        limit.rate = rate;
        limit.burst = parts.size() == 3 ? static_cast<uint32_t>(std::stoul(parts[2])) : 0;
    }
    return limits;
}

ClassShaper::ClassShaper(const Limits& limits)
{
    for (std::size_t i = 0; i < limits.size(); ++i)
    {
        if (limits[i].rate)
        {
            m_buckets[i].rate = limits[i].rate;
            m_buckets[i].clock.SetRate(limits[i].rate, FabricTicksPerSecond());
            m_buckets[i].burst = m_buckets[i].clock.GetTicks(limits[i].burst);
        }
    }
}

void
ClassShaper::HashState(StateHash& hash, FabricTick now) const
{
    for (const Bucket& bucket : m_buckets)
    {
        if (bucket.rate)
        {
            hash.Add(std::max<FabricTick>(bucket.clock.GetBusyUntil() - now, 0));
            hash.Add(bucket.clock.GetBusyUntil() >= now ? bucket.clock.GetRest() : 0);
        }
    }
}

void
ClassShaper::Shift(FabricTick by)
{
    for (Bucket& bucket : m_buckets)
    {
        bucket.clock.Shift(by);
    }
}

} // namespace ns3
