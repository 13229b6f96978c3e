/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RC_QUEUE_PAIR_H
#define RC_QUEUE_PAIR_H

#include "packet-pacer.h"
#include "rate-control.h"
#include "rc-frame-maker.h"
#include "rc-requester.h"
#include "rc-responder.h"

#include "ns3/callback.h"
#include "ns3/data-rate.h"
#include "ns3/fabric-frame.h"
#include "ns3/object.h"
#include "ns3/shiftable-timer.h"

#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <string>

namespace ns3
{

class FabricNic;

/** Link of a queue pair in a list of the NIC; not linked: nothing to send of that kind. */
using RcReadyHook =
    boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

/**
 * @ingroup ai-fabric
 * One end of a reliable connection: requester and responder, with addresses, timers and pacing.
 *
 * Attributes take effect when the queue pair is connected. Frames are made when the port asks for
 * them, so that each frame says what is true when it leaves.
 */
class RcQueuePair : public Object
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
    };

    /** A message has arrived in full. Arguments: queue pair, id, bytes, tag (0 for SEND). */
    using DeliveredCallback = Callback<void, Ptr<RcQueuePair>, uint64_t, uint64_t, uint64_t>;
    /** A message has been acknowledged. Arguments: queue pair, id, bytes, tag. */
    using AckedCallback = Callback<void, Ptr<RcQueuePair>, uint64_t, uint64_t, uint64_t>;
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
     * @param tag handed to callbacks; travels as the virtual address of a WRITE
     * @param operation how it travels
     * @returns its id: counts the messages of this queue pair from 0
     */
    uint64_t Post(uint64_t bytes, uint64_t tag, RcOperation operation = RcOperation::WRITE);

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
    /** @param callback called when the connection fails */
    void SetErrorCallback(ErrorCallback callback);

    /** @param cookie any number that the owner wants to find again in its callbacks */
    void SetCookie(uint64_t cookie);

    /** @returns the owner's number */
    uint64_t GetCookie() const
    {
        return m_cookie;
    }

    /** @returns queue pair number */
    uint32_t GetQpn() const
    {
        return m_qpn;
    }

    /** @returns the NIC; null if there is none */
    FabricNic* GetNic() const
    {
        return m_nic;
    }

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

    /**
     * Add the relative state (see StateHash).
     * @param hash takes the state
     * @param now the current tick
     * @returns false if its congestion control can't be fast-forwarded
     */
    bool HashState(StateHash& hash, FabricTick now) const;

    /** @param by ticks by which everything pending moves */
    void Shift(FabricTick by);

  protected:
    void DoDispose() override;

  private:
    friend class FabricNic;

    // For the NIC
    void SetNic(FabricNic* nic, uint32_t qpn);
    void Classify();
    bool Accepts(const FabricFrame& frame) const;
    void Receive(const FabricFrame& frame);
    uint32_t PeekDataBytes();
    FabricFrame* MakeData();
    FabricFrame* MakeAnswer();
    FabricFrame* MakeNotification();

    void ReceiveData(const FabricFrame& frame, FabricTick now);
    void ReceiveAnswer(const FabricFrame& frame, FabricTick now);
    void ReceiveNotification(FabricTick now);
    void NotifyCongestion(FabricTick now);
    void Acknowledged(const RcRequester::AckResult& result, FabricTick now);
    void Fail(const std::string& what);
    void TimeoutDue();
    void PaceDue();
    void RateChanged();
    void UpdateRate(FabricTick now);
    void UpdateReady(FabricTick now, bool onTime);
    void RestartTimeout(FabricTick now);

    // Attributes
    uint32_t m_wantedMtu;      //!< 0: what the device allows
    uint32_t m_ackInterval;    //!< packets
    uint8_t m_timeoutExponent; //!< 4.096 us x 2^n
    uint8_t m_retryCount;      //!< retries in a row
    uint64_t m_windowBytes;    //!< 0: none
    DataRate m_maxRate;        //!< 0: none
    uint8_t m_serviceLevel;    //!< IB
    uint8_t m_pathBits;        //!< IB
    uint8_t m_dscp;            //!< RoCE
    uint8_t m_ackDscp;         //!< RoCE
    uint32_t m_initialPsn;     //!< 24 bits

    FabricNic* m_nic{nullptr};      //!< owner
    uint32_t m_qpn{0};              //!< number in the NIC
    uint64_t m_cookie{0};           //!< the owner's number
    bool m_connected{false};        //!< ConnectTo() has been called
    uint32_t m_mtu{0};              //!< negotiated
    RcRequester m_requester;        //!< sending half
    RcResponder m_responder;        //!< receiving half
    Ptr<RateControl> m_rateControl; //!< may be null
    RcFrameMaker m_frames;          //!< frames of this end
    RcReadyHook m_dataHook;         //!< linked: a data packet may leave
    RcReadyHook m_answerHook;       //!< linked: an ACK or NAK is due
    RcReadyHook m_notificationHook; //!< linked: a congestion notification is due
    RcResponder::Answer m_due{RcResponder::Answer::NONE}; //!< answer that is due
    bool m_answerBecn{false};                //!< the answer that is due notifies of congestion, too
    FabricTick m_notified{FABRIC_NEVER};     //!< when the peer was last notified of congestion
    PacketPacer m_pacing;                    //!< when the next data packet may leave
    Ptr<MemberTimer<RcQueuePair>> m_timeout; //!< acknowledgment timer
    Ptr<MemberTimer<RcQueuePair>> m_pacer;   //!< the next packet is due
    DeliveredCallback m_delivered;           //!< told of arrivals
    AckedCallback m_acked;                   //!< told of acknowledgments
    ErrorCallback m_error;                   //!< told of failure
};

} // namespace ns3

#endif // RC_QUEUE_PAIR_H
