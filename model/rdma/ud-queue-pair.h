/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef UD_QUEUE_PAIR_H
#define UD_QUEUE_PAIR_H

#include "queue-pair.h"
#include "receive-queue.h"
#include "work-completion.h"

#include "ns3/callback.h"
#include "ns3/fabric-frame.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * An end of the unreliable datagram service (IBA vol 1, 9.8.3): a message is one packet of at most
 * the MTU, to any queue pair whose Q_Key is known. Nothing is acknowledged: what the fabric drops
 * is lost, and so is what comes in with a wrong Q_Key or finds no receive request.
 *
 * Unicast only.
 */
class UdQueuePair : public QueuePair
{
  public:
    /** What a sender must know of a receiver: address handle, queue pair and key. */
    struct Destination
    {
        uint64_t address{0}; //!< link address: LID (IB) or MAC-48 as an integer (RoCE)
        uint32_t ip{0};      //!< IPv4 address, host order (RoCE)
        uint32_t qpn{0};     //!< queue pair number
        uint32_t qkey{0};    //!< Q_Key; with its highest bit set, that of the sender is sent
    };

    /** A datagram has left or has come in. Arguments: queue pair, what a completion queue says. */
    using CompletionCallback = Callback<void, Ptr<UdQueuePair>, const WorkCompletion&>;

    /** @returns the TypeId */
    static TypeId GetTypeId();
    UdQueuePair();
    ~UdQueuePair() override;

    /** @returns what a sender must know of this end; a NIC must own this queue pair */
    Destination Describe() const;

    /**
     * Send a datagram as soon as possible.
     * @param to its receiver
     * @param bytes its length, at most GetMtu()
     * @param tag handed to the completion callback of this end
     * @param immediate immediate data, if there shall be some
     * @returns its id: counts the messages of this queue pair from 0
     */
    uint64_t Post(const Destination& to,
                  uint32_t bytes,
                  uint64_t tag,
                  std::optional<uint32_t> immediate = std::nullopt);

    /**
     * Add receive requests; std::runtime_error if ReceiveQueueDepth is unlimited.
     * @param count how many
     */
    void PostReceive(uint32_t count);

    /** @returns the longest datagram in bytes; a NIC must own this queue pair */
    uint32_t GetMtu() const;
    /** @returns datagrams posted that have not left yet */
    std::size_t GetPending() const;

    /** @param callback called for each datagram that has left */
    void SetCompletionCallback(CompletionCallback callback);
    /** @param callback called for each datagram that has come in */
    void SetReceivedCallback(CompletionCallback callback);

    bool HashState(StateHash& hash, FabricTick now) const override;
    void Shift(FabricTick by) override;

  protected:
    void DoDispose() override;
    void SetNic(FabricNic* nic, uint32_t qpn) override;
    void Classify() override;
    void TakePath(const Destination& to);
    bool Accepts(const FabricFrame& frame) const override;
    void Receive(const FabricFrame& frame) override;
    uint32_t PeekDataBytes() override;
    FabricFrame* MakeData() override;

  private:
    /** A datagram that has not left yet. */
    struct Pending
    {
        Destination to;     //!< its receiver
        uint64_t id;        //!< counts from 0
        uint64_t tag;       //!< of its owner
        FabricTick posted;  //!< when
        uint32_t bytes;     //!< length
        uint32_t immediate; //!< immediate data
        bool hasImmediate;  //!< there is some
    };

    void Fill(const Pending& datagram);

    uint32_t m_qkey;                          //!< Q_Key
    uint8_t m_serviceLevel;                   //!< IB
    uint8_t m_dscp;                           //!< RoCE
    uint32_t m_psn;                           //!< of the next datagram, 24 bits
    uint32_t m_receiveDepth;                  //!< receive requests, 0: no limit
    Time m_receiveRepost;                     //!< after which one comes back; 0: never
    FabricFrame m_pattern;                    //!< of datagrams
    std::deque<Pending> m_pending;            //!< in order
    std::unique_ptr<ReceiveQueue> m_receives; //!< null: no limit
    uint64_t m_nextId{0};                     //!< of the next datagram posted
    uint64_t m_receivedCount{0};              //!< datagrams that have come in
    CompletionCallback m_completed;           //!< told of datagrams that have left
    CompletionCallback m_received;            //!< told of datagrams that have come in
};

} // namespace ns3

#endif // UD_QUEUE_PAIR_H
