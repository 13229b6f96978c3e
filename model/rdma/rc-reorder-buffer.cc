/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rc-reorder-buffer.h"

namespace ns3
{

void
RcReorderBuffer::Reset()
{
    m_here.Reset(0);
}

bool
RcReorderBuffer::Put(uint64_t distance, const Record& record)
{
    const uint64_t number = m_here.GetBase() + distance;
    if (!m_here.Set(number))
    {
        return false;
    }
    if (m_here.GetCapacity() != m_records.size())
    {
        std::vector<Record> wider(m_here.GetCapacity());
        for (uint64_t i = m_here.GetBase(); i < m_here.GetEnd() && !m_records.empty(); ++i)
        {
            wider[i & (wider.size() - 1)] = m_records[i & (m_records.size() - 1)];
        }
        m_records.swap(wider);
    }
    m_records[number & (m_records.size() - 1)] = record;
    return true;
}

void
RcReorderBuffer::HashState(StateHash& hash) const
{
    m_here.HashState(hash);
    for (uint64_t i = m_here.GetBase(); m_here.GetCount() && i < m_here.GetEnd(); ++i)
    {
        if (m_here.Test(i))
        {
            const Record& record = m_records[i & (m_records.size() - 1)];
            hash.Add(record.opcode);
            hash.Add(record.payload);
        }
    }
}

} // namespace ns3
