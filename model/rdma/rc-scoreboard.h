/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RC_SCOREBOARD_H
#define RC_SCOREBOARD_H

#include "psn-bitmap.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * What the sender of a connection with selective repeat knows of its unacknowledged packets: which
 * have arrived out of order, which are lost, and which of these it has sent again (Mittal et al.,
 * IRN, SIGCOMM 2018, section 3.1).
 *
 * A packet counts as lost when one has arrived that was sent so many packets after it as the
 * reordering tolerance says, or when the timer has expired and it is the oldest one. A lost packet
 * is sent again once; once more only after a timeout. After a timeout, an acknowledgment of less
 * than what had been sent by then says that the next packet is lost, too.
 */
class RcScoreboard
{
  public:
    /**
     * Start over.
     * @param acked extended PSN of the first packet
     * @param reorder packets by which one may overtake another without that this one is lost, plus
     * 1; more than 0
     */
    void Reset(uint64_t acked, uint32_t reorder);

    /**
     * A packet has arrived out of order.
     * @param psn its extended PSN
     * @param high extended PSN of the first packet never sent
     */
    void Sacked(uint64_t psn, uint64_t high);

    /** @param acked everything before this extended PSN has arrived */
    void Advance(uint64_t acked);

    /**
     * The timer has expired: the oldest packet is lost, and a new loss event begins.
     * @param high extended PSN of the first packet never sent
     */
    void Restart(uint64_t high);

    /** @returns true if a lost packet is to be sent again */
    bool HasHole() const
    {
        return m_next < m_lostEnd;
    }

    /** @returns extended PSN of the packet to be sent again now; HasHole() must be true */
    uint64_t GetHole() const
    {
        return m_next;
    }

    /** The packet GetHole() is sent again. */
    void Resent();

    /** @returns true from the first sign of a loss until everything that had been sent by then is
     * acknowledged */
    bool IsRecovering() const
    {
        return m_sacked.GetBase() < m_recoveryEnd;
    }

    /** @returns packets known to have arrived out of order */
    uint64_t GetSacked() const
    {
        return m_sacked.GetCount();
    }

    /** @param hash takes the relative state */
    void HashState(StateHash& hash) const;

  private:
    void FindNext(uint64_t from);
    void Recover(uint64_t high);

    PsnBitmap m_sacked;        //!< arrived out of order; its base is the oldest unacknowledged one
    uint64_t m_lostEnd{0};     //!< what has not arrived of the packets before this one is lost
    uint64_t m_next{0};        //!< lost and not sent again, if before m_lostEnd
    uint64_t m_recoveryEnd{0}; //!< see IsRecovering()
    uint64_t m_timeoutEnd{0};  //!< first packet that had not been sent at the latest timeout
    uint32_t m_reorder{1};     //!< see Reset()
};

} // namespace ns3

#endif // RC_SCOREBOARD_H
