/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IB_CONGESTION_TABLE_H
#define IB_CONGESTION_TABLE_H

#include "send-pace.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * One entry of a congestion control table (IBA vol 1, annex A10): after a packet, nothing is sent
 * for the packet's time x multiplier / 2^shift.
 */
struct IbCongestionEntry
{
    static constexpr uint8_t MAX_SHIFT = 3;           //!< bits 15:14
    static constexpr uint16_t MAX_MULTIPLIER = 16383; //!< bits 13:0

    uint8_t shift{0};       //!< 0..3
    uint16_t multiplier{0}; //!< 0..16383

    /** @returns the entry as management packets carry it */
    uint16_t Encode() const
    {
        return static_cast<uint16_t>(shift << 14 | multiplier);
    }

    /**
     * @param bits an entry as management packets carry it
     * @returns the entry
     */
    static IbCongestionEntry Decode(uint16_t bits)
    {
        IbCongestionEntry entry;
        entry.shift = static_cast<uint8_t>(bits >> 14);
        entry.multiplier = bits & MAX_MULTIPLIER;
        return entry;
    }

    /**
     * @param lineRate bits per second
     * @returns the pace of a flow at this entry: packet time and delay together
     */
    SendPace GetPace(uint64_t lineRate) const
    {
        SendPace pace;
        pace.rate = lineRate;
        pace.denominator = uint32_t{1} << shift;
        pace.numerator = pace.denominator + multiplier;
        return pace;
    }
};

/**
 * @ingroup ai-fabric
 * A congestion control table: how long to wait after a packet, by the index CCTI.
 */
class IbCongestionTable
{
  public:
    /** A table of one entry without delay. */
    IbCongestionTable();

    /** @param entries from index 0 to CCTI_Limit; std::invalid_argument if there is none, more than
     * 65,536, or one with bits too many */
    explicit IbCongestionTable(const std::vector<IbCongestionEntry>& entries);

    /**
     * A table whose entry i is a delay of i x multiplier / 2^shift packet times. With 1 and 0, a
     * flow at index i has 1 / (1 + i) of the line rate.
     * @param limit the last index
     * @param multiplier of index 1
     * @param shift of all entries
     * @returns the table; std::invalid_argument if the last entry does not fit into its 14 bits
     */
    static IbCongestionTable MakeLinear(uint16_t limit, uint16_t multiplier, uint8_t shift);

    /**
     * A table whose every index lowers the rate by the same factor: at index i, a flow has 1 /
     * growth^i of the line rate, as close as the bits of an entry can say it. So a fast flow moves
     * in small steps, and a large incast is reached in few.
     * @param limit the last index
     * @param growth 1 or more
     * @returns the table; std::invalid_argument if the last entry does not fit into its 14 bits
     */
    static IbCongestionTable MakeGeometric(uint16_t limit, double growth);

    /** @returns CCTI_Limit, the last index */
    uint16_t GetLimit() const
    {
        return static_cast<uint16_t>(m_entries.size() - 1);
    }

    /**
     * @param index 0..GetLimit()
     * @returns its entry
     */
    const IbCongestionEntry& Get(uint16_t index) const
    {
        return m_entries[index];
    }

  private:
    std::vector<IbCongestionEntry> m_entries; //!< by index, at least one
};

} // namespace ns3

#endif // IB_CONGESTION_TABLE_H
