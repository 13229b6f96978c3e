/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "subnet-lids.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace ns3
{

namespace
{

/** @returns true if a port takes part in the subnet */
bool
NeedsLid(const SubnetGraph& graph, uint32_t node, std::size_t port)
{
    return graph.IsSwitch(node) ? port == 0
                                : port > 0 && graph.GetNode(node).ports[port].peer.IsConnected();
}

/** Which LIDs are taken. */
class Pool
{
  public:
    /** @returns true if so many LIDs from this on are free, and now taken */
    bool Take(uint32_t lid, uint32_t count)
    {
        if (lid == 0 || lid + count - 1 > SubnetLids::LAST_UNICAST)
        {
            return false;
        }
        for (uint32_t i = lid; i < lid + count; ++i)
        {
            if (m_used[i])
            {
                return false;
            }
        }
        std::fill_n(m_used.begin() + lid, count, true);
        return true;
    }

    /** @returns the lowest free LID that is a multiple of the count */
    uint16_t TakeLowest(uint32_t count)
    {
        uint32_t& next = count == 1 ? m_nextOne : m_nextMany;
        while (next < m_used.size())
        {
            const uint32_t lid = next;
            next += count;
            if (Take(lid, count))
            {
                return static_cast<uint16_t>(lid);
            }
        }
        throw std::invalid_argument("SubnetLids: the ports need more than the " +
                                    std::to_string(SubnetLids::LAST_UNICAST) +
                                    " unicast LIDs, expected fewer ports or a smaller LMC");
    }

  private:
    std::vector<bool> m_used = std::vector<bool>(SubnetLids::LAST_UNICAST + 1U); //!< by LID
    uint32_t m_nextOne{1};                                                       //!< candidate
    uint32_t m_nextMany{0};                                                      //!< candidate
};

} // namespace

void
SubnetLids::Assign(SubnetGraph& graph, uint8_t lmc)
{
    if (lmc > MAX_LMC)
    {
        throw std::invalid_argument("SubnetLids: LMC " + std::to_string(lmc) + ", expected 0..7");
    }
    Pool pool;
    for (const bool keep : {true, false})
    {
        for (uint32_t i = 0; i < graph.GetNNodes(); ++i)
        {
            SubnetNode& node = graph.GetNode(i);
            for (std::size_t p = 0; p < node.ports.size(); ++p)
            {
                SubnetPort& port = node.ports[p];
                if (!NeedsLid(graph, i, p))
                {
                    port.lid = 0;
                    continue;
                }
                const uint32_t count = graph.IsSwitch(i) ? 1 : 1U << lmc;
                if (keep)
                {
                    port.lmc = graph.IsSwitch(i) ? 0 : lmc;
                    if (port.lid % count != 0 || !pool.Take(port.lid, count))
                    {
                        port.lid = 0;
                    }
                }
                else if (port.lid == 0)
                {
                    port.lid = pool.TakeLowest(count);
                }
            }
        }
    }
}

SubnetLids::SubnetLids(const SubnetGraph& graph)
{
    for (uint32_t i = 0; i < graph.GetNNodes(); ++i)
    {
        const SubnetNode& node = graph.GetNode(i);
        for (std::size_t p = 0; p < node.ports.size(); ++p)
        {
            const SubnetPort& port = node.ports[p];
            if (port.lid == 0)
            {
                continue;
            }
            const std::size_t end = port.lid + (std::size_t{1} << port.lmc);
            if (m_owners.size() < end)
            {
                m_owners.resize(end);
            }
            for (std::size_t lid = port.lid; lid < end; ++lid)
            {
                m_owners[lid] = {i, static_cast<uint8_t>(p)};
            }
        }
    }
}

uint16_t
SubnetLids::GetLast() const
{
    return m_owners.empty() ? 0 : static_cast<uint16_t>(m_owners.size() - 1);
}

SubnetEnd
SubnetLids::Find(uint16_t lid) const
{
    return lid < m_owners.size() ? m_owners[lid] : SubnetEnd{};
}

} // namespace ns3
