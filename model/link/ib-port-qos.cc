/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ib-port-qos.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace ns3
{

IbVlArbitration
IbVlArbitration::GetOpenSmDefault()
{
    IbVlArbitration arbitration;
    for (uint8_t vl = 0; vl < 15; ++vl)
    {
        arbitration.high.push_back({vl, static_cast<uint8_t>(vl == 0 ? 4 : 0)});
        arbitration.low.push_back({vl, static_cast<uint8_t>(vl == 0 ? 0 : 4)});
    }
    return arbitration;
}

IbSlToVl::Table
IbSlToVl::GetOpenSmDefault()
{
    return {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 7};
}

IbPortQos
IbPortQos::GetOpenSmDefault()
{
    IbPortQos qos;
    qos.arbitration = IbVlArbitration::GetOpenSmDefault();
    return qos;
}

namespace
{

/** std::invalid_argument if a table has anything but lanes and DROP */
void
Check(const IbSlToVl::Table& table)
{
    for (std::size_t sl = 0; sl < table.size(); ++sl)
    {
        if (table[sl] > IbSlToVl::DROP)
        {
            throw std::invalid_argument("SL to VL table: SL " + std::to_string(sl) +
                                        " has virtual lane " + std::to_string(table[sl]) +
                                        ", expected 0..14, or 15 to drop");
        }
    }
}

} // namespace

IbSlToVl::IbSlToVl(const Table& table)
{
    Check(table);
    m_tables.push_back(table);
}

void
IbSlToVl::Set(uint16_t inPort, const Table& table)
{
    Check(table);
    if (inPort >= m_byInput.size())
    {
        m_byInput.resize(inPort + 1, 0);
    }
    auto found = std::find(m_tables.begin(), m_tables.end(), table);
    if (found == m_tables.end())
    {
        found = m_tables.insert(m_tables.end(), table);
    }
    m_byInput[inPort] = static_cast<uint16_t>(found - m_tables.begin());
}

std::size_t
IbSlToVl::GetTables() const
{
    return m_tables.size();
}

uint32_t
IbSlToVl::GetUsedLanes() const
{
    uint32_t lanes = 0;
    for (const Table& table : m_tables)
    {
        for (const uint8_t vl : table)
        {
            lanes |= vl == DROP ? 0 : 1U << vl;
        }
    }
    return lanes;
}

uint8_t
IbOperationalVls(uint8_t vls)
{
    for (const uint8_t count : {15, 8, 4, 2})
    {
        if (vls >= count)
        {
            return count;
        }
    }
    return 1;
}

} // namespace ns3
