/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RC_REQUESTER_H
#define RC_REQUESTER_H

#include "rc-recovery.h"
#include "rc-scoreboard.h"

#include "ns3/fabric-tick.h"
#include "ns3/state-hash.h"

#include <cstddef>
#include <cstdint>
#include <deque>

namespace ns3
{

/** Number of different PSNs on the wire (IBA vol 1, 9.2.4). */
inline constexpr uint32_t RC_PSN_MODULUS = 1U << 24;
/** Most PSNs that may be unacknowledged: half the space, so that old and new can be told apart. */
inline constexpr uint32_t RC_PSN_WINDOW = 1U << 23;
/** Longest RDMA READ in bytes (IBA vol 1, 9.7.7: messages of up to 2^31 bytes). */
inline constexpr uint64_t RC_MAX_READ_BYTES = uint64_t{1} << 31;

/** The operations by which an RC queue pair carries messages. */
enum class RcOperation : uint8_t
{
    SEND,      //!< two-sided: the receiver knows messages by their order
    WRITE,     //!< RDMA WRITE: the virtual address says what the data is
    SEND_IMM,  //!< SEND with immediate data
    WRITE_IMM, //!< RDMA WRITE with immediate data, which takes a receive request of the receiver
    READ,      //!< RDMA READ: the data comes back in the responses
};

/** A message as the requester's owner posted it. */
struct RcMessage
{
    RcOperation operation{RcOperation::WRITE}; //!< how it travels
    uint64_t bytes{0};                         //!< length, may be 0
    uint64_t tag{0};       //!< chosen by the owner; the virtual address of a WRITE
    uint64_t id{0};        //!< counts the messages of the queue pair from 0
    FabricTick posted{0};  //!< when, if the owner said so
    uint32_t immediate{0}; //!< immediate data of SEND_IMM and WRITE_IMM
};

/** A packet that the requester sends. */
struct RcPacket
{
    uint8_t opcode{0};          //!< BTH opcode
    uint32_t psn{0};            //!< 24 bits
    uint32_t payload{0};        //!< bytes
    uint32_t immediate{0};      //!< immediate data
    uint64_t tag{0};            //!< of its message; of a READ request, where it begins to read
    uint64_t messageBytes{0};   //!< length of its message; of a READ request, what it asks for
    uint64_t offset{0};         //!< payload bytes of its message before it; 0 for a READ request
    bool first{false};          //!< first packet of its message
    bool ackRequest{false};     //!< BTH.A
    bool retransmission{false}; //!< has been sent before
};

/**
 * @ingroup ai-fabric
 * The sending half of a reliable connection (IBA vol 1, 9.7): messages to packets, acknowledgments
 * to completions, recovery of lost packets after a NAK or a timeout.
 *
 * A READ request takes as many PSNs as it will have responses (9.7.3), and each response
 * acknowledges everything before it. A response or ACK that leaves a response out says that it is
 * lost: the READ is asked for again from there, with address and length of the rest.
 *
 * Recovery is go-back-N unless the configuration says otherwise. With selective repeat, what
 * RcScoreboard says is lost goes before new packets. With go-back-0, what is acknowledged of a
 * message that must start over is taken back. READs need go-back-N.
 *
 * It knows no time and no simulator; its owner runs the timer of which IsAwaitingAck() speaks.
 *
 * @attention DMALen of the RETH has 32 bits, so hardware splits messages beyond 4 GiB; here such a
 * message is one message, and DMALen is capped.
 */
class RcRequester
{
  public:
    /** What does not change while the connection lives. */
    struct Config
    {
        uint32_t mtu{4096}; //!< payload of a full packet in bytes, more than 0
        uint32_t ackInterval{
            16};                 //!< ask for an ACK every so many packets; 0: only where it must be
        uint64_t windowBytes{0}; //!< most unacknowledged payload bytes; 0: no such limit
        uint8_t retryCount{7};   //!< retries in a row without progress before the connection fails
        uint8_t rnrRetryCount{7}; //!< the same after "receiver not ready"; 7: without end
        uint32_t maxReads{16};    //!< most READs under way, more than 0
        uint32_t initialPsn{0};   //!< PSN of the first packet
        RcRecovery recovery{RcRecovery::GO_BACK_N}; //!< what to do about losses
        uint32_t windowPackets{0};  //!< most unacknowledged packets; 0: no limit but 2^23
        uint32_t reorderPackets{1}; //!< see RcScoreboard::Reset(); selective repeat only
    };

    /** What an acknowledgment has brought. */
    struct AckResult
    {
        uint64_t packets{0};  //!< newly acknowledged packets
        uint64_t bytes{0};    //!< their payload
        bool failed{false};   //!< retries are exhausted: the connection has failed
        bool accepted{false}; //!< the READ response was the next one
        bool gap{false};      //!< a READ response is missing
    };

    /** @param bytes most unacknowledged payload, besides Config::windowBytes; 0: no such limit */
    void SetWindow(uint64_t bytes);

    /** @param config the configuration; forgets everything */
    void Configure(const Config& config);

    /**
     * Append a message.
     * @param operation how it travels
     * @param bytes its length
     * @param tag returned when it completes
     * @param immediate data of SEND_IMM and WRITE_IMM
     * @param posted returned when it completes
     * @returns its id
     */
    uint64_t Post(RcOperation operation,
                  uint64_t bytes,
                  uint64_t tag,
                  uint32_t immediate = 0,
                  FabricTick posted = 0);

    /** @returns true if a packet may be sent now, as far as windows are concerned */
    bool HasPacket() const;
    /** @returns the packet that Send() would return; HasPacket() must be true */
    RcPacket Peek() const;
    /** @returns the next packet, from now on counted as sent; HasPacket() must be true */
    RcPacket Send();

    /**
     * An ACK has come in.
     * @param psn 24 bits: everything up to and including this packet has arrived
     * @returns what it has brought; nothing if it is old
     */
    AckResult OnAck(uint32_t psn);

    /**
     * A NAK for a PSN sequence error has come in: everything before it has arrived, everything from
     * it on is sent again.
     * @param psn 24 bits: what the responder expects
     * @returns what it has brought
     */
    AckResult OnNak(uint32_t psn);

    /**
     * An acknowledgment with what has come out of order has come in (selective repeat only).
     * @param psn 24 bits: what the responder expects; everything before it has arrived
     * @param sacked 24 bits: this packet has arrived
     * @param before bit i: the packet i + 1 before it has arrived
     * @returns what it has brought
     */
    AckResult OnSack(uint32_t psn, uint32_t sacked, uint8_t before);

    /**
     * An RNR NAK has come in: everything before its PSN has arrived, and nothing more may be sent
     * until EndRnrWait().
     * @param psn 24 bits: what the receiver was not ready for
     * @returns what it has brought
     */
    AckResult OnRnrNak(uint32_t psn);
    /** The time that the RNR NAK asked for is over: everything from its PSN on is sent again. */
    void EndRnrWait();
    /** @returns true if a lost READ response has been asked for again and has not come in */
    bool IsReadingAgain() const;
    /** @returns true between OnRnrNak() and EndRnrWait() */
    bool IsRnrWaiting() const;

    /**
     * A READ response has come in.
     * @param psn 24 bits
     * @returns what it has brought
     */
    AckResult OnReadResponse(uint32_t psn);

    /**
     * The acknowledgment timer has expired: send everything unacknowledged again.
     * @returns false if retries are exhausted: the connection has failed
     */
    bool OnTimeout();

    /** Stop for good. */
    void Fail();
    /** @returns true if the connection has failed */
    bool HasFailed() const;

    /** @returns true if a packet that asked for an acknowledgment waits for it: the timer must run
     */
    bool IsAwaitingAck() const;
    /** @returns true if no message is unfinished */
    bool IsIdle() const;
    /** @returns true if a message is complete and not yet taken */
    bool HasCompleted() const;
    /** @returns the oldest complete message, taken out; HasCompleted() must be true */
    RcMessage TakeCompleted();
    /** @returns the oldest message, complete or not, taken out of a failed connection;
     * GetMessages() must not be 0 */
    RcMessage TakeFailed();

    /** @returns messages posted and not taken as complete */
    std::size_t GetMessages() const;
    /** @returns packets sent and not acknowledged, counted from the one that is sent next */
    uint64_t GetOutstandingPackets() const;

    /** @returns what is known of unacknowledged packets with selective repeat */
    const RcScoreboard& GetScoreboard() const
    {
        return m_scoreboard;
    }

    /** @returns packets acknowledged since the start */
    uint64_t GetAckedPackets() const;
    /** @returns payload bytes sent and not acknowledged, counted from the packet sent next */
    uint64_t GetOutstandingBytes() const;
    /** @returns payload bytes sent and acknowledged since the start */
    uint64_t GetAckedBytes() const;
    /** @returns payload bytes posted to be sent since the start */
    uint64_t GetPostedBytes() const;

    /**
     * Add the relative state: sequence numbers count from the oldest unacknowledged packet.
     * @param hash takes the state
     */
    void HashState(StateHash& hash) const;

    /**
     * @param bytes length of a message
     * @param mtu payload of a full packet
     * @returns packets that it takes, at least 1
     */
    static uint64_t CountPackets(uint64_t bytes, uint32_t mtu);

    /**
     * @param operation how the message travels
     * @param first first packet of its message
     * @param last last packet of its message
     * @returns the BTH opcode (IBA vol 1, table 38)
     */
    static uint8_t GetOpcode(RcOperation operation, bool first, bool last);
    /**
     * @param operation how a message travels
     * @returns true if it carries immediate data
     */
    static bool HasImmediate(RcOperation operation);

  private:
    /** A message with its place in the sequence. */
    struct Posted
    {
        RcMessage message;     //!< the message
        uint64_t firstPsn{0};  //!< extended PSN of its first packet
        uint64_t packets{0};   //!< how many
        uint64_t firstByte{0}; //!< payload bytes posted before it

        /** @returns extended PSN after its last packet */
        uint64_t GetEnd() const
        {
            return firstPsn + packets;
        }

        /** @returns true if it is a READ */
        bool IsRead() const
        {
            return message.operation == RcOperation::READ;
        }
    };

    uint32_t GetPayload(const Posted& posted, uint64_t index) const;
    std::size_t FindMessage(uint64_t psn) const;
    uint64_t CountBytesBefore(uint64_t psn) const;
    bool FitsWindow(uint64_t nextByte, uint64_t packets, uint32_t payload) const;
    uint64_t FindUnread(uint64_t end) const;
    void CompleteReads(uint64_t end);
    AckResult Advance(uint64_t packets);
    void ReadAgain(AckResult& result);
    void GoBack();
    RcPacket MakePacket(const Posted& posted, uint64_t psn) const;
    RcPacket PeekHole() const;
    void StartOver();
    bool IsRestart(uint32_t psn) const;
    bool UseRetry();
    bool UseRnrRetry();

    Config m_config;               //!< see there
    uint64_t m_window{0};          //!< smaller one of the two windows; 0: none
    std::deque<Posted> m_messages; //!< unfinished or not yet taken, in order
    std::size_t m_cursor{0};       //!< index in m_messages of the message that contains m_next
    uint64_t m_acked{0};           //!< extended PSN of the oldest unacknowledged packet
    uint64_t m_next{0};            //!< extended PSN of the packet sent next
    uint64_t m_high{0};            //!< extended PSN of the first packet never sent
    uint64_t m_end{0};             //!< extended PSN after the last packet posted
    uint64_t m_ackRequestEnd{0};   //!< extended PSN after the last packet sent with an ACK request
    uint64_t m_ackedBytes{0};      //!< payload bytes before m_acked
    uint64_t m_nextByte{0};        //!< payload bytes before m_next
    uint64_t m_postedBytes{0};     //!< payload bytes before m_end
    uint64_t m_nextId{0};          //!< of the next message posted
    uint32_t m_sinceRequest{0};    //!< packets sent since the last ACK request
    uint32_t m_retries{0};         //!< used since the last progress
    uint32_t m_rnrRetries{0};      //!< used since the last progress
    uint32_t m_reads{0};           //!< READs posted and not complete
    uint32_t m_readsOut{0};        //!< of them, asked for
    bool m_readingAgain{false};    //!< a lost response has been asked for again
    bool m_rnrWait{false};         //!< the receiver is not ready
    bool m_selective{false};       //!< selective repeat
    RcScoreboard m_scoreboard;     //!< used with selective repeat
    bool m_failed{false};          //!< the connection has failed
};

} // namespace ns3

#endif // RC_REQUESTER_H
