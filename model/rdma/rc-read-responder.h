/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RC_READ_RESPONDER_H
#define RC_READ_RESPONDER_H

#include "rc-requester.h"

#include "ns3/state-hash.h"

#include <boost/circular_buffer.hpp>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * The responses that one end of a reliable connection owes to RDMA READs (IBA vol 1, 9.7.5.1.5 and
 * 9.7.5.1.7), in order of their PSNs.
 *
 * The data goes as a message of its own: first, middle, last, or only. A duplicate request is
 * answered again, from where it asks; the requester repeats everything behind it, too, so that
 * responses which are owed from there on are forgotten.
 */
class RcReadResponder
{
  public:
    /**
     * Start over.
     * @param mtu payload of a full packet in bytes, more than 0
     * @param most READs that may be owed at a time
     */
    void Configure(uint32_t mtu, uint32_t most);

    /**
     * A duplicate request has come in.
     * @param psn its PSN, 24 bits: forget what is owed from here on
     */
    void Forget(uint32_t psn);

    /** @returns true if one more may be added */
    bool HasRoom() const;

    /**
     * Owe responses. HasRoom() must be true.
     * @param psn of the request and the first response, 24 bits
     * @param bytes asked for
     * @param repeated true for a duplicate request
     */
    void Add(uint32_t psn, uint32_t bytes, bool repeated);

    /** Owe nothing. */
    void Clear();

    /** @returns true if a response is owed */
    bool HasPacket() const
    {
        return !m_owed.empty();
    }

    /** @returns the response that Send() would return; HasPacket() must be true */
    RcPacket Peek() const;
    /** @returns the next response, from now on counted as sent; HasPacket() must be true */
    RcPacket Send();

    /** @param hash takes the relative state: none of it is a PSN */
    void HashState(StateHash& hash) const;

  private:
    /** The rest of a READ. */
    struct Owed
    {
        uint32_t psn;  //!< of the next response
        uint32_t left; //!< bytes
        bool started;  //!< a response has been sent
        bool repeated; //!< by a duplicate request
    };

    uint32_t m_mtu{4096};                //!< bytes
    uint32_t m_most{0};                  //!< READs
    boost::circular_buffer<Owed> m_owed; //!< in order
};

} // namespace ns3

#endif // RC_READ_RESPONDER_H
