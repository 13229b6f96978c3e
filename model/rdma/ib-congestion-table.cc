/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ib-congestion-table.h"

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
            throw std::invalid_argument(
                "IbCongestionTable: entry " + std::to_string(i) + " has shift " +
                std::to_string(entries[i].shift) + " and multiplier " +
                std::to_string(entries[i].multiplier) + ", expected at most 3 and 16383");
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

} // namespace ns3
