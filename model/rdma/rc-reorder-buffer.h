/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RC_REORDER_BUFFER_H
#define RC_REORDER_BUFFER_H

#include "psn-bitmap.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * The packets that the receiver of a connection with selective repeat has got out of order, by
 * their distance from the one that it expects.
 *
 * The data of an RDMA WRITE goes to memory at once, since each packet says where; what is kept here
 * is what must wait for the packets before it: ends of messages, receive requests, immediate data.
 */
class RcReorderBuffer
{
  public:
    /** What is kept of a packet. */
    struct Record
    {
        uint64_t tag{0};       //!< virtual address of its RETH, 0 if there is none
        uint32_t payload{0};   //!< bytes
        uint32_t immediate{0}; //!< immediate data
        uint8_t opcode{0};     //!< BTH opcode
    };

    /** Forget everything. */
    void Reset();

    /**
     * @param distance from the expected packet, more than 0
     * @param record what to keep
     * @returns false if that packet is there already
     */
    bool Put(uint64_t distance, const Record& record);

    /**
     * @param distance from the expected packet
     * @returns true if that packet is there
     */
    bool Has(uint64_t distance) const
    {
        return m_here.Test(m_here.GetBase() + distance);
    }

    /** @returns the expected packet; Has(0) must be true */
    const Record& Front() const
    {
        return m_records[m_here.GetBase() & (m_records.size() - 1)];
    }

    /** The next packet is the expected one from now on. */
    void Advance()
    {
        m_here.Advance(m_here.GetBase() + 1);
    }

    /** @returns packets that are kept */
    uint64_t GetCount() const
    {
        return m_here.GetCount();
    }

    /** @returns distance from the expected packet of the one after the last that is kept; 0 if
     * there is none */
    uint64_t GetSpan() const
    {
        return m_here.GetCount() ? m_here.GetEnd() - m_here.GetBase() : 0;
    }

    /** @param hash takes the state */
    void HashState(StateHash& hash) const;

  private:
    PsnBitmap m_here;              //!< which are kept; its base is the expected one
    std::vector<Record> m_records; //!< ring as wide as the bitmap
};

} // namespace ns3

#endif // RC_REORDER_BUFFER_H
