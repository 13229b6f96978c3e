/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MESSAGE_TRANSPORT_H
#define MESSAGE_TRANSPORT_H

#include "ns3/callback.h"
#include "ns3/object.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Carries messages between the ranks of one communicator, reliably and, between two ranks, in
 * order.
 *
 * This is all that a collective engine knows of the network.
 */
class MessageTransport : public Object
{
  public:
    /** A message has arrived in full. Arguments: sending rank, receiving rank, tag. */
    using DeliveredCallback = Callback<void, uint32_t, uint32_t, uint64_t>;
    /** The receiver has acknowledged a message; its send buffer is free. Arguments: sending rank,
     * receiving rank, tag. */
    using SentCallback = Callback<void, uint32_t, uint32_t, uint64_t>;
    /** A connection has failed for good. Arguments: sending rank, receiving rank, what happened. */
    using ErrorCallback = Callback<void, uint32_t, uint32_t, std::string>;

    /** @returns the TypeId */
    static TypeId GetTypeId();

    /** @returns number of ranks */
    virtual uint32_t GetSize() const = 0;

    /**
     * Send a message now. It is delivered even if the receiver has not announced it.
     * @param from sending rank
     * @param to receiving rank, not equal to from
     * @param bytes length, may be 0
     * @param tag returned to the callbacks
     */
    virtual void Send(uint32_t from, uint32_t to, uint64_t bytes, uint64_t tag) = 0;

    /** @param callback called for each delivered message */
    void SetDeliveredCallback(DeliveredCallback callback);
    /** @param callback called for each acknowledged message */
    void SetSentCallback(SentCallback callback);
    /** @param callback called for each broken connection */
    void SetErrorCallback(ErrorCallback callback);

  protected:
    void DoDispose() override;

    DeliveredCallback m_delivered; //!< told of arrivals
    SentCallback m_sent;           //!< told of acknowledgments
    ErrorCallback m_error;         //!< told of failures
};

} // namespace ns3

#endif // MESSAGE_TRANSPORT_H
