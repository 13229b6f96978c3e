/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ib-congestion-table.h"

#include <cmath>
#include <stdexcept>
#include <string>

namespace ns3
{

IbCongestionTable::IbCongestionTable()
    : m_entries(1)
{
}

IbCongestionTable::IbCongestionTable(const std::vector<IbCongestionEntry>& entries)
    : m_entries(entries)
{
    if (entries.empty() || entries.size() > 65536)
    {
        throw std::invalid_argument("IbCongestionTable: " + std::to_string(entries.size()) +
                                    " entries, expected 1..65536");
    }
    for (std::size_t i = 0; i < entries.size(); ++i)
    {
        if (entries[i].shift > IbCongestionEntry::MAX_SHIFT ||
            entries[i].multiplier > IbCongestionEntry::MAX_MULTIPLIER)
        {
            throw std::invalid_argument("IbCongestionTable: entry " + std::to_string(i) +
                                        " has shift " + std::to_string(entries[i].shift) +
                                        " and multiplier " + std::to_string(entries[i].multiplier) +
                                        ", expected at most 3 and 16383");
        }
    }
}

IbCongestionTable
IbCongestionTable::MakeLinear(uint16_t limit, uint16_t multiplier, uint8_t shift)
{
    if (uint64_t{limit} * multiplier > IbCongestionEntry::MAX_MULTIPLIER)
    {
        throw std::invalid_argument("IbCongestionTable: last entry " + std::to_string(limit) +
                                    " x multiplier " + std::to_string(multiplier) +
                                    ", expected a product of at most 16383");
    }
    std::vector<IbCongestionEntry> entries(std::size_t{limit} + 1);
    for (std::size_t i = 0; i < entries.size(); ++i)
    {
        entries[i].shift = shift;
        entries[i].multiplier = static_cast<uint16_t>(i * multiplier);
    }
    return IbCongestionTable(entries);
}

IbCongestionTable
IbCongestionTable::MakeGeometric(uint16_t limit, double growth)
{
    if (!(growth >= 1) || std::pow(growth, limit) - 1 > IbCongestionEntry::MAX_MULTIPLIER)
    {
        throw std::invalid_argument("IbCongestionTable: growth " + std::to_string(growth) +
                                    " to the power " + std::to_string(limit) +
                                    ", expected 1..16384");
    }
    std::vector<IbCongestionEntry> entries(std::size_t{limit} + 1);
    for (std::size_t i = 0; i < entries.size(); ++i)
    {
        const double delay = std::pow(growth, static_cast<double>(i)) - 1;
        IbCongestionEntry& entry = entries[i];
        entry.shift = IbCongestionEntry::MAX_SHIFT;
        while (std::lround(std::ldexp(delay, entry.shift)) > IbCongestionEntry::MAX_MULTIPLIER)
        {
            --entry.shift;
        }
        entry.multiplier = static_cast<uint16_t>(std::lround(std::ldexp(delay, entry.shift)));
    }
    return IbCongestionTable(entries);
}

} // namespace ns3
