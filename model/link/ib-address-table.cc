/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ib-address-table.h"

#include <sstream>
#include <stdexcept>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IbAddressTable);

TypeId
IbAddressTable::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IbAddressTable")
                            .SetParent<Object>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<IbAddressTable>();
    return tid;
}

void
IbAddressTable::Assign(const Mac48Address& mac, uint16_t lid, uint8_t lmc)
{
    const uint32_t end = lid + (1U << lmc);
    const auto next = m_macs.lower_bound(lid);
    if (lid == 0 || end > MULTICAST_LID || (next != m_macs.end() && next->first < end) ||
        m_lids.count(mac))
    {
        std::ostringstream message;
        message << "IbAddressTable: LID " << lid << " for port " << mac
                << ": expected a free LID in 1..49151 and a port without one";
        throw std::invalid_argument(message.str());
    }
    m_lids[mac] = lid;
    for (uint32_t i = lid; i < end; ++i)
    {
        m_macs[static_cast<uint16_t>(i)] = mac;
    }
}

void
IbAddressTable::Clear()
{
    m_lids.clear();
    m_macs.clear();
    m_places.clear();
    m_levels.clear();
}

void
IbAddressTable::SetServiceLevels(const std::vector<uint32_t>& places,
                                 const std::vector<std::vector<uint8_t>>& levels)
{
    m_places = places;
    m_levels = levels;
}

uint8_t
IbAddressTable::GetServiceLevel(uint16_t from, uint16_t to, uint8_t wanted) const
{
    if (from >= m_places.size() || to >= m_places.size() || m_places[from] >= m_levels.size())
    {
        return wanted;
    }
    const std::vector<uint8_t>& row = m_levels[m_places[from]];
    return m_places[to] < row.size() ? row[m_places[to]] : wanted;
}

void
IbAddressTable::Readdress(const Mac48Address& from, const Mac48Address& to)
{
    const auto found = m_lids.find(from);
    if (from == to || found == m_lids.end())
    {
        return;
    }
    const uint16_t lid = found->second;
    if (m_lids.count(to))
    {
        std::ostringstream message;
        message << "IbAddressTable: address " << to << " for LID " << lid << ": it belongs to LID "
                << m_lids[to] << ", expected a free address";
        throw std::invalid_argument(message.str());
    }
    m_lids.erase(found);
    m_lids[to] = lid;
    for (auto own = m_macs.find(lid); own != m_macs.end() && own->second == from; ++own)
    {
        own->second = to;
    }
}

uint16_t
IbAddressTable::GetLid(const Mac48Address& mac) const
{
    if (mac.IsGroup() || mac.IsBroadcast())
    {
        return MULTICAST_LID;
    }
    const auto found = m_lids.find(mac);
    return found == m_lids.end() ? 0 : found->second;
}

Mac48Address
IbAddressTable::GetMac(uint16_t lid) const
{
    const auto found = m_macs.find(lid);
    return found == m_macs.end() ? Mac48Address::GetBroadcast() : found->second;
}

} // namespace ns3
