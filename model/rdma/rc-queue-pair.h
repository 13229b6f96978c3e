/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RC_QUEUE_PAIR_H
#define RC_QUEUE_PAIR_H

#include "ecn-echo.h"
#include "packet-pacer.h"
#include "queue-pair.h"
#include "rc-frame-maker.h"
#include "rc-read-responder.h"
#include "rc-requester.h"
#include "rc-responder.h"
#include "receive-queue.h"
#include "round-trip-times.h"
#include "work-completion.h"

#include "ns3/callback.h"
#include "ns3/data-rate.h"
#include "ns3/fabric-frame.h"
#include "ns3/nstime.h"
#include "ns3/rate-control.h"
#include "ns3/shiftable-timer.h"

#include <cstdint>
#include <memory>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * One end of a reliable connection: requester and responder, with addresses, timers and pacing.
 *
 * Attributes take effect when the queue pair is connected. Frames are made when the port asks for
 * them, so that each frame says what is true when it leaves.
 *
 * Responses to READs are data of this end: they are paced by its congestion control, and take turns
 * with its own messages. While some are owed, no acknowledgment leaves, since it would say that the
 * READ is over; each response acknowledges everything before it.
 */
class RcQueuePair : public QueuePair
{
  public:
    /** AckDscp: acknowledgments travel in the class of the data. */
    static constexpr uint8_t ACK_DSCP_AS_DATA = 64;

    /** What a queue pair must know of its peer. */
    struct Peer
    {
        uint64_t address{0};    //!< link address: LID (IB) or MAC-48 as an integer (RoCE)
        uint32_t ip{0};         //!< IPv4 address, host order (RoCE)
        uint32_t qpn{0};        //!< queue pair number
        uint32_t mtu{0};        //!< largest payload that the peer wants, in bytes
        uint32_t initialPsn{0}; //!< PSN of the peer's first packet
        uint8_t feedback{0};    //!< what its congestion control needs, bits of RateControl::Feedback
        uint32_t maxReads{0};   //!< most READs that the peer wants under way at a time
        RcRecovery recovery{RcRecovery::GO_BACK_N}; //!< what the peer does about losses
        uint32_t reorderPackets{1};                 //!< reordering that the peer tolerates
    };

    /** A message has arrived in full. Arguments: queue pair, id, bytes, tag (0 for SEND). */
    using DeliveredCallback = Callback<void, Ptr<RcQueuePair>, uint64_t, uint64_t, uint64_t>;
    /** A message has been acknowledged. Arguments: queue pair, id, bytes, tag. */
    using AckedCallback = Callback<void, Ptr<RcQueuePair>, uint64_t, uint64_t, uint64_t>;
    /** A work request has ended, well or not. Arguments: queue pair, what a completion queue says.
     */
    using CompletionCallback = Callback<void, Ptr<RcQueuePair>, const WorkCompletion&>;
    /** The connection has failed. Arguments: queue pair, what happened. */
    using ErrorCallback = Callback<void, Ptr<RcQueuePair>, std::string>;

    /** @returns the TypeId */
    static TypeId GetTypeId();
    RcQueuePair();
    ~RcQueuePair() override;

    /** @returns what the other end must know of this one; a NIC must own this queue pair */
    Peer Describe() const;

    /**
     * Connect this end. FabricNic::Connect() does both ends.
     * @param peer the other end
     */
    void ConnectTo(const Peer& peer);

    /**
     * Send a message as soon as possible.
     * @param bytes its length, may be 0
     * @param tag handed to callbacks; travels as the virtual address of a WRITE or READ
     * @param operation how it travels; a READ is complete when its data is here
     * @param immediate data of SEND_IMM and WRITE_IMM
     * @returns its id: counts the messages of this queue pair from 0
     */
    uint64_t Post(uint64_t bytes,
                  uint64_t tag,
                  RcOperation operation = RcOperation::WRITE,
                  uint32_t immediate = 0);

    /**
     * Add receive requests; std::runtime_error if ReceiveQueueDepth is unlimited.
     * @param count how many
     */
    void PostReceive(uint32_t count);

    /** @param rateControl congestion control of what this end sends; null for none */
    void SetRateControl(const Ptr<RateControl>& rateControl);

    /** @returns congestion control; may be null */
    Ptr<RateControl> GetRateControl() const
    {
        return m_rateControl;
    }

    /** @param callback called for each message that has arrived here */
    void SetDeliveredCallback(DeliveredCallback callback);
    /** @param callback called for each message of this end that the peer has acknowledged */
    void SetAckedCallback(AckedCallback callback);
    /** @param callback called for each message of this end that has ended, also if the connection
     * has failed */
    void SetCompletionCallback(CompletionCallback callback);
    /** @param callback called for each message from the peer that took a receive request: SEND, and
     * RDMA WRITE with immediate */
    void SetReceivedCallback(CompletionCallback callback);
    /** @param callback called when the connection fails */
    void SetErrorCallback(ErrorCallback callback);

    /** @returns payload of a full packet in bytes, once connected */
    uint32_t GetMtu() const
    {
        return m_mtu;
    }

    /** @returns true if connected */
    bool IsConnected() const
    {
        return m_connected;
    }

    /** @returns true if the connection has failed */
    bool HasFailed() const
    {
        return m_requester.HasFailed();
    }

    /** @returns the sending half */
    const RcRequester& GetRequester() const
    {
        return m_requester;
    }

    /** @returns the receiving half */
    const RcResponder& GetResponder() const
    {
        return m_responder;
    }

    /** @returns bytes that READs of this end have brought */
    uint64_t GetReadBytes() const
    {
        return m_readBytes;
    }

    bool HashState(StateHash& hash, FabricTick now) const override;
    void Shift(FabricTick by) override;

  protected:
    void DoDispose() override;
    void SetNic(FabricNic* nic, uint32_t qpn) override;
    void Classify() override;
    bool Accepts(const FabricFrame& frame) const override;
    void Receive(const FabricFrame& frame) override;
    uint32_t PeekDataBytes() override;
    FabricFrame* MakeData() override;

  private:
    friend class FabricNic;

    // For the NIC
    FabricFrame* MakeAnswer();
    FabricFrame* MakeSack();
    uint32_t GetAnswerBytes() const;
    FabricFrame* MakeNotification();

    void ReceiveData(const FabricFrame& frame, FabricTick now);
    void ReceiveReadRequest(const FabricFrame& frame, FabricTick now);
    void ReceiveReadResponse(const FabricFrame& frame, FabricTick now);
    void Deliver(uint8_t opcode,
                 uint32_t immediate,
                 const RcResponder::Result& result,
                 FabricTick now);
    void DeliverKept(FabricTick now);
    void NotifyReceived(uint8_t opcode,
                        uint32_t immediate,
                        const RcResponder::Result& result,
                        FabricTick now);
    void ReceiveSack(const FabricFrame& frame, FabricTick now);
    void Owe(RcResponder::Answer answer);
    void ReceiveAnswer(const FabricFrame& frame, FabricTick now);
    void ReceiveNotification(FabricTick now);
    void NotifyCongestion(FabricTick now);
    void Acknowledged(const RcRequester::AckResult& result,
                      FabricTick now,
                      const FabricFrame& frame);
    uint8_t GetFeedback() const;
    void Notice(const FabricFrame& frame, const RcResponder::Result& result);
    void TakeCompleted(FabricTick now);
    void Complete(const RcMessage& message, WcStatus status, FabricTick now);
    void Fail(WcStatus status, const std::string& what);
    void TimeoutDue();
    void PaceDue();
    void RateChanged();
    void UpdateRate(FabricTick now);
    bool HasData() const;
    bool IsResponseNext() const;
    void UpdateReady(FabricTick now, bool onTime);
    void RestartTimeout(FabricTick now);
    FabricTick GetTimeoutTicks() const;
    bool IsSackDue() const;

    // Attributes
    uint32_t m_wantedMtu;      //!< 0: what the device allows
    uint32_t m_ackInterval;    //!< packets
    uint8_t m_timeoutExponent; //!< 4.096 us x 2^n
    uint8_t m_retryCount;      //!< retries in a row
    uint8_t m_rnrRetryCount;   //!< retries in a row after "receiver not ready"
    uint8_t m_minRnrTimer;     //!< code of RnrTimer
    uint32_t m_maxReads;       //!< READs under way
    uint32_t m_receiveDepth;   //!< receive requests, 0: no limit
    Time m_receiveRepost;      //!< after which one comes back; 0: never
    uint64_t m_windowBytes;    //!< 0: none
    uint64_t m_bdpCapBytes;    //!< 0: none
    RcRecovery m_recovery;     //!< same at both ends
    uint32_t m_reorderPackets; //!< selective repeat
    Time m_rtoLow;             //!< selective repeat, few packets in flight
    Time m_rtoHigh;            //!< selective repeat, more of them
    uint32_t m_rtoLowPackets;  //!< how many are few
    DataRate m_maxRate;        //!< 0: none
    uint8_t m_serviceLevel;    //!< IB
    uint8_t m_pathBits;        //!< IB
    uint8_t m_dscp;            //!< RoCE
    uint8_t m_ackDscp;         //!< RoCE
    uint8_t m_ttl;             //!< RoCE
    uint32_t m_initialPsn;     //!< 24 bits

    bool m_connected{false};                  //!< ConnectTo() has been called
    uint32_t m_mtu{0};                        //!< negotiated
    RcRequester m_requester;                  //!< sending half
    RcResponder m_responder;                  //!< receiving half
    RcReadResponder m_reads;                  //!< responses that are owed
    uint64_t m_readBytes{0};                  //!< payload of responses accepted
    bool m_responseTurn{true};                //!< a response goes before the next message's packet
    std::unique_ptr<ReceiveQueue> m_receives; //!< null: no limit
    Ptr<RateControl> m_rateControl;           //!< may be null
    RcFrameMaker m_frames;                    //!< frames of this end
    QueuePairHook m_answerHook;               //!< linked: an ACK or NAK is due
    QueuePairHook m_notificationHook;         //!< linked: a congestion notification is due
    RcResponder::Answer m_due{RcResponder::Answer::NONE}; //!< answer that is due
    bool m_answerBecn{false};                //!< the answer that is due notifies of congestion, too
    uint8_t m_feedback{0};                   //!< what this end's congestion control needs
    uint8_t m_peerFeedback{0};               //!< what the peer's congestion control needs
    EcnEcho m_echo;                          //!< marks to tell the peer of, if it wants to know
    FabricTelemetryHolder m_telemetry;       //!< of the peer's latest packet, if it wants to know
    RoundTripTimes m_roundTrips;             //!< of this end's packets, if it wants to know
    FabricTick m_notified{FABRIC_NEVER};     //!< when the peer was last notified of congestion
    PacketPacer m_pacing;                    //!< when the next data packet may leave
    Ptr<MemberTimer<RcQueuePair>> m_timeout; //!< acknowledgment timer, or the wait of an RNR NAK
    Ptr<MemberTimer<RcQueuePair>> m_pacer;   //!< the next packet is due
    DeliveredCallback m_delivered;           //!< told of arrivals
    AckedCallback m_acked;                   //!< told of acknowledgments
    CompletionCallback m_completed;          //!< told of messages that have ended
    CompletionCallback m_received;           //!< told of receive requests that are used
    ErrorCallback m_error;                   //!< told of failure
};

} // namespace ns3

#endif // RC_QUEUE_PAIR_H
