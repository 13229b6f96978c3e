/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ib-vl-arbiter.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace ns3
{

void
IbVlArbiter::Table::Assign(const std::vector<IbVlArbitration::Entry>& from,
                           uint8_t lanesInOperation,
                           const char* name)
{
    if (from.size() > IbVlArbitration::MAX_ENTRIES)
    {
        throw std::invalid_argument(std::string("VL arbitration: ") + name + " table has " +
                                    std::to_string(from.size()) + " entries, expected " +
                                    std::to_string(IbVlArbitration::MAX_ENTRIES) + " at most");
    }
    for (const IbVlArbitration::Entry& entry : from)
    {
        if (entry.vl >= MANAGEMENT_LANE)
        {
            throw std::invalid_argument(std::string("VL arbitration: ") + name +
                                        " table has virtual lane " + std::to_string(entry.vl) +
                                        ", expected 0..14");
        }
        if (entry.weight && entry.vl < lanesInOperation)
        {
            entries.push_back(entry);
            lanes |= 1U << entry.vl;
        }
    }
    left = entries.empty() ? 0 : entries.front().weight;
}

uint8_t
IbVlArbiter::Table::Choose(uint32_t sendable)
{
    if (left <= 0 || !(sendable >> entries[turn].vl & 1))
    {
        // There is one: at the latest, it is this entry again, with its full weight.
        do
        {
            turn = turn + 1 == entries.size() ? 0 : turn + 1;
        } while (!(sendable >> entries[turn].vl & 1));
        left = entries[turn].weight;
    }
    return entries[turn].vl;
}

void
IbVlArbiter::Table::Sent(int32_t units)
{
    left -= units;
}

IbVlArbiter::IbVlArbiter(const IbVlArbitration& arbitration, uint8_t lanes)
    : m_unlimited(arbitration.highLimit == IbVlArbitration::NO_LIMIT),
      // Limit 0 is one packet, however short.
      m_limit(std::max<int32_t>(1, arbitration.highLimit * (LIMIT_BYTES / WEIGHT_BYTES))),
      m_highLeft(m_limit)
{
    m_high.Assign(arbitration.high, lanes, "high-priority");
    m_low.Assign(arbitration.low, lanes, "low-priority");
}

uint32_t
IbVlArbiter::GetServedClasses() const
{
    return 1U << MANAGEMENT_LANE | m_high.lanes | m_low.lanes;
}

uint8_t
IbVlArbiter::Choose(uint32_t sendable)
{
    if (sendable >> MANAGEMENT_LANE & 1)
    {
        return m_chosen = MANAGEMENT_LANE;
    }
    m_lowWaits = sendable & m_low.lanes;
    m_chosenHigh = (sendable & m_high.lanes) && (!m_lowWaits || m_unlimited || m_highLeft > 0);
    m_chosen = (m_chosenHigh ? m_high : m_low).Choose(sendable);
    return m_chosen;
}

void
IbVlArbiter::Sent(uint32_t bytes)
{
    if (m_chosen == MANAGEMENT_LANE)
    {
        return;
    }
    const auto units = static_cast<int32_t>((bytes + WEIGHT_BYTES - 1) / WEIGHT_BYTES);
    (m_chosenHigh ? m_high : m_low).Sent(units);
    if (!m_chosenHigh || !m_lowWaits)
    {
        m_highLeft = m_limit; // low has had its chance
    }
    else if (!m_unlimited)
    {
        m_highLeft -= units;
    }
}

void
IbVlArbiter::HashState(StateHash& hash) const
{
    for (const Table* table : {&m_high, &m_low})
    {
        hash.Add(table->turn);
        hash.Add(static_cast<uint64_t>(table->left));
    }
    hash.Add(static_cast<uint64_t>(m_highLeft));
}

} // namespace ns3
