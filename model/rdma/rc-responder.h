/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RC_RESPONDER_H
#define RC_RESPONDER_H

#include "rc-recovery.h"
#include "rc-reorder-buffer.h"

#include "ns3/state-hash.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * The receiving half of a reliable connection (IBA vol 1, 9.7.5): accepts packets in order, says
 * what to answer, and finds the ends of messages.
 *
 * It only says that an answer is due. Whoever sends the answer takes PSN and MSN at that time, so
 * that answers that wait for the wire merge into one.
 */
class RcResponder
{
  public:
    /** AETH syndrome of an ACK without end-to-end credits. */
    static constexpr uint8_t SYNDROME_ACK = 0x1f;
    /** AETH syndrome of a NAK for a PSN sequence error. */
    static constexpr uint8_t SYNDROME_NAK_SEQUENCE = 0x60;
    /** AETH syndrome of a NAK for a request that is not valid, such as one READ too many. */
    static constexpr uint8_t SYNDROME_NAK_INVALID = 0x61;
    /** AETH syndrome of a NAK for memory that must not be accessed. */
    static constexpr uint8_t SYNDROME_NAK_ACCESS = 0x62;
    /** AETH syndrome of a NAK for a request that could not be carried out. */
    static constexpr uint8_t SYNDROME_NAK_OPERATION = 0x63;
    /** AETH syndrome of an RNR NAK, plus a code of RnrTimer. */
    static constexpr uint8_t SYNDROME_RNR_NAK = 0x20;

    /** Which answer is due. */
    enum class Answer : uint8_t
    {
        NONE,        //!< none
        ACK,         //!< everything up to GetAckPsn() has arrived
        NAK,         //!< the packet GetExpectedPsn() is missing
        RNR_NAK,     //!< no receive request is there for the packet GetExpectedPsn()
        INVALID_NAK, //!< the request GetExpectedPsn() is not valid
        SACK,        //!< see GetSack()
    };

    /** How the PSN of a packet compares with the expected one. */
    enum class Order : uint8_t
    {
        EXPECTED,  //!< the next in sequence: accepted
        DUPLICATE, //!< has been accepted before: not needed
        LATER,     //!< packets before it are missing: not accepted
        REFUSED,   //!< the next in sequence, but not accepted: see the answer
        KEPT,      //!< packets before it are missing; it waits for them (selective repeat)
    };

    /** What a packet has brought. */
    struct Result
    {
        Order order{Order::EXPECTED}; //!< its place in the sequence
        Answer answer{Answer::NONE};  //!< what to answer now
        bool messageComplete{false};  //!< it was the last packet of a message
        uint64_t messageBytes{0};     //!< length of that message
        uint64_t tag{0};              //!< tag of that message: virtual address of its first packet
        uint64_t messageId{0};        //!< counts the messages of the connection from 0
    };

    /** What has come out of order, as an acknowledgment says it. */
    struct Sack
    {
        uint32_t psn{0};   //!< of the packet that is told of, 24 bits
        uint8_t before{0}; //!< bit i: the packet i + 1 before it has come, too
        bool lost{false};  //!< a packet counts as lost: this is a NAK
    };

    /**
     * Start over.
     * @param initialPsn PSN of the first packet
     * @param ackInterval acknowledge at least every so many packets; 0: only when asked
     * @param recovery what both ends do about losses
     * @param reorder packets ahead of the expected one from which on that one counts as lost, more
     * than 0 (selective repeat)
     */
    void Configure(uint32_t initialPsn,
                   uint32_t ackInterval,
                   RcRecovery recovery = RcRecovery::GO_BACK_N,
                   uint32_t reorder = 1);

    /**
     * A packet of a SEND or WRITE has come in.
     * @param opcode BTH opcode
     * @param psn 24 bits
     * @param payload bytes
     * @param ackRequest BTH.A
     * @param tag virtual address in the RETH; looked at in first packets only
     * @param ready false if there is no receive request for a message that needs one
     * @param immediate immediate data
     * @returns what it has brought
     */
    Result OnPacket(uint8_t opcode,
                    uint32_t psn,
                    uint32_t payload,
                    bool ackRequest,
                    uint64_t tag,
                    bool ready = true,
                    uint32_t immediate = 0);

    /** @returns true if the next packet has been kept: TakeKept() now, after one was accepted */
    bool HasKept() const
    {
        return m_reorder.GetCount() && m_reorder.Has(0);
    }

    /** @returns the packet that is next; HasKept() must be true */
    const RcReorderBuffer::Record& PeekKept() const
    {
        return m_reorder.Front();
    }

    /**
     * Accept the packet that has been kept and is next.
     * @param ready as for OnPacket(); if it is refused, it must come again
     * @returns what it has brought
     */
    Result TakeKept(bool ready);

    /** @returns true if a packet has come out of order that no acknowledgment has told of, and it
     * is still out of order */
    bool HasSack() const
    {
        return m_sack > m_accepted;
    }

    /** @returns what has come out of order, from now on told of; HasSack() must be true */
    Sack TakeSack();

    /**
     * A READ request has come in. What is accepted or a duplicate is to be answered by responses,
     * the first of them with the request's PSN.
     * @param psn 24 bits
     * @param responses how many, which is the number of PSNs that it takes
     * @param ready false if there are too many READs already
     * @returns what it has brought; messageComplete is false, since nothing has come in
     */
    Result OnReadRequest(uint32_t psn, uint32_t responses, bool ready);

    /** @returns PSN of the next packet to be accepted, 24 bits */
    uint32_t GetExpectedPsn() const;
    /**
     * @param psn 24 bits
     * @returns true if it has been accepted before
     */
    bool IsDuplicate(uint32_t psn) const;
    /** @returns PSN of the latest packet accepted, 24 bits */
    uint32_t GetAckPsn() const;
    /** @returns true if the next packet is missing and later ones have been seen, or it has been
     * refused: a NAK still makes sense */
    bool HasGap() const;
    /** @returns messages completed, 24 bits */
    uint32_t GetMsn() const;
    /** @returns messages completed */
    uint64_t GetMessages() const;
    /** @returns payload bytes accepted */
    uint64_t GetBytes() const;

    /** @param hash takes the relative state: none of it is a PSN */
    void HashState(StateHash& hash) const;

  private:
    bool IsNext(uint32_t psn, Result& result);
    void Accept(uint8_t opcode, uint32_t payload, uint64_t tag, Result& result);
    void Keep(const RcReorderBuffer::Record& record, uint32_t psn, Result& result);
    void StartOver();

    uint32_t m_expected{0};     //!< PSN of the next packet to be accepted
    uint32_t m_ackInterval{0};  //!< see Configure
    uint32_t m_sinceAck{0};     //!< packets accepted since the last answer
    bool m_nakSent{false};      //!< a NAK has been due: silence until that packet comes again
    uint64_t m_messages{0};     //!< completed
    uint64_t m_bytes{0};        //!< accepted
    uint64_t m_messageBytes{0}; //!< accepted of the message in progress
    uint64_t m_tag{0};          //!< of the message in progress
    RcRecovery m_recovery{RcRecovery::GO_BACK_N}; //!< see Configure
    uint32_t m_reorderPackets{1};                 //!< see Configure
    uint32_t m_messagePsn{0};  //!< of the first packet of the message in progress (go-back-0)
    RcReorderBuffer m_reorder; //!< out of order (selective repeat)
    uint64_t m_accepted{0};    //!< packets accepted: what m_sack is compared with
    uint64_t m_sack{0}; //!< number of the packet to tell of, the expected one being m_accepted; not
                        //!< greater: none
};

} // namespace ns3

#endif // RC_RESPONDER_H
