/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ECN_ECHO_H
#define ECN_ECHO_H

#include "ns3/state-hash.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * The receiver's two-state machine of DCTCP (Alizadeh et al., SIGCOMM 2010, section 3.2; RFC 8257,
 * 3.2): an acknowledgment says whether the packets that it acknowledges were marked. When the state
 * changes, those before get an acknowledgment of their own at once.
 *
 * That acknowledgment is held until the wire is free. If the state changes once more before, it
 * takes over what lies between: what waits for the wire is merged, as all acknowledgments are.
 */
class EcnEcho
{
  public:
    /**
     * A packet has been accepted.
     * @param marked true if it has CE
     * @param previousPsn PSN of the packet before it
     * @param msn messages completed before it
     * @returns true if an acknowledgment is due at once
     */
    bool OnPacket(bool marked, uint32_t previousPsn, uint32_t msn)
    {
        const bool changed = marked != m_marked;
        if (changed && m_pending)
        {
            if (!m_held)
            {
                m_heldMark = m_marked;
            }
            m_held = true;
            m_heldPsn = previousPsn;
            m_heldMsn = msn;
        }
        m_marked = marked;
        m_pending = true;
        return m_held;
    }

    /** @returns true if packets before the latest change are to be acknowledged first */
    bool IsHeld() const
    {
        return m_held;
    }

    /** @returns PSN that the held acknowledgment acknowledges */
    uint32_t GetHeldPsn() const
    {
        return m_heldPsn;
    }

    /** @returns MSN of the held acknowledgment */
    uint32_t GetHeldMsn() const
    {
        return m_heldMsn;
    }

    /** @returns the mark of the acknowledgment that leaves now; it is no longer due */
    bool Take()
    {
        if (m_held)
        {
            m_held = false;
            return m_heldMark;
        }
        m_pending = false;
        return m_marked;
    }

    /** @param hash takes the relative state: PSN and MSN follow from others */
    void HashState(StateHash& hash) const
    {
        hash.Add(m_marked + 2 * m_pending + 4 * m_held + 8 * (m_held && m_heldMark));
    }

  private:
    bool m_marked{false};   //!< state: of the latest packet
    bool m_pending{false};  //!< packets of this state are not acknowledged
    bool m_held{false};     //!< packets of the state before aren't either
    bool m_heldMark{false}; //!< their mark
    uint32_t m_heldPsn{0};  //!< the last of them
    uint32_t m_heldMsn{0};  //!< messages completed by then
};

} // namespace ns3

#endif // ECN_ECHO_H
