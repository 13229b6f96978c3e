/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_TRANSPORT_H
#define RDMA_TRANSPORT_H

#include "fabric-nic.h"
#include "message-transport.h"
#include "rc-queue-pair.h"

#include "ns3/fabric-tick.h"
#include "ns3/object-factory.h"
#include "ns3/traced-callback.h"

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Messages between ranks as RDMA WRITEs over reliable connections: one connection for each pair of
 * ranks that talk, made when they first do, used in both directions.
 */
class RdmaTransport : public MessageTransport
{
  public:
    /** @returns the TypeId */
    static TypeId GetTypeId();
    RdmaTransport();
    ~RdmaTransport() override;

    /** @param nics NIC of each rank; set once */
    void SetNics(const std::vector<Ptr<FabricNic>>& nics);
    /**
     * @param rank a rank
     * @returns its NIC
     */
    Ptr<FabricNic> GetNic(uint32_t rank) const;

    /**
     * @param name attribute of RcQueuePair, for connections made from now on
     * @param value its value
     */
    void SetQueuePairAttribute(const std::string& name, const AttributeValue& value);
    /** @param serviceLevel of connections made from now on (InfiniBand) */
    void SetServiceLevel(uint8_t serviceLevel);
    /** @param dscp of connections made from now on (RoCE) */
    void SetDscp(uint8_t dscp);

    /**
     * @param from a rank
     * @param to another rank
     * @returns the queue pair of rank from on the connection with rank to; made if need be
     */
    Ptr<RcQueuePair> GetQueuePair(uint32_t from, uint32_t to);
    /** @returns number of connections made */
    std::size_t GetConnections() const;
    /** @returns messages sent and not yet delivered */
    uint64_t GetPending() const;

    uint32_t GetSize() const override;
    void Send(uint32_t from, uint32_t to, uint64_t bytes, uint64_t tag) override;

    /**
     * TracedCallback signature of MessageLatency.
     * @param from sending rank
     * @param to receiving rank
     * @param bytes length of the message
     * @param latency from Send() until the last packet has been received
     */
    typedef void (*MessageLatencyTracedCallback)(uint32_t from,
                                                 uint32_t to,
                                                 uint64_t bytes,
                                                 Time latency);

  protected:
    void DoDispose() override;

  private:
    /** Messages on the way in one direction; they arrive in order. */
    struct Direction
    {
        uint32_t from{0};            //!< sending rank
        uint32_t to{0};              //!< receiving rank
        Ptr<RcQueuePair> queuePair;  //!< of the sending rank
        std::deque<FabricTick> sent; //!< when each message was posted
    };

    Direction& GetDirection(uint32_t from, uint32_t to);
    void Connect(uint32_t low, uint32_t high);
    void Delivered(Ptr<RcQueuePair> queuePair, uint64_t id, uint64_t bytes, uint64_t tag);
    void Acked(Ptr<RcQueuePair> queuePair, uint64_t id, uint64_t bytes, uint64_t tag);
    void Failed(Ptr<RcQueuePair> queuePair, std::string what);
    void Disconnect();

    std::vector<Ptr<FabricNic>> m_nics; //!< by rank
    ObjectFactory m_queuePairFactory;   //!< makes queue pairs
    std::deque<Direction>
        m_directions; //!< two per connection, that of the lower rank first; index is the cookie
    std::map<std::pair<uint32_t, uint32_t>, std::size_t>
        m_index;           //!< (lower, higher rank) to the first direction
    uint64_t m_pending{0}; //!< messages on the way
    TracedCallback<uint32_t, uint32_t, uint64_t, Time> m_latency; //!< see above
};

} // namespace ns3

#endif // RDMA_TRANSPORT_H
