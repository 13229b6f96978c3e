/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_NIC_H
#define FABRIC_NIC_H

#include "queue-pair.h"
#include "rc-queue-pair.h"
#include "ud-queue-pair.h"

#include "ns3/fabric-frame.h"
#include "ns3/fabric-net-device.h"
#include "ns3/fabric-tick.h"
#include "ns3/ipv4-address.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <array>
#include <boost/intrusive/list.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/** What a NIC has counted; never reset. */
struct FabricNicCounters
{
    uint64_t txPackets{0};       //!< data packets sent, repeated ones included
    uint64_t txBytes{0};         //!< their payload
    uint64_t rxPackets{0};       //!< data packets received, accepted or not
    uint64_t rxBytes{0};         //!< their payload
    uint64_t retransmitted{0};   //!< data packets sent again
    uint64_t timeouts{0};        //!< acknowledgment timers expired
    uint64_t acksSent{0};        //!< ACKs sent
    uint64_t acksReceived{0};    //!< ACKs received
    uint64_t naksSent{0};        //!< NAKs sent, other than RNR NAKs
    uint64_t naksReceived{0};    //!< NAKs received, other than RNR NAKs
    uint64_t rnrNaksSent{0};     //!< RNR NAKs sent: no receive request was there
    uint64_t rnrNaksReceived{0}; //!< RNR NAKs received
    uint64_t duplicates{0};      //!< data packets received that had been accepted before
    uint64_t outOfSequence{0};   //!< data packets received after a gap
    uint64_t ecnMarked{0};       //!< data packets received with CE or FECN
    uint64_t cnpsSent{0};        //!< congestion notifications sent, BECN in ACKs included
    uint64_t cnpsReceived{0};    //!< congestion notifications received, BECN in ACKs included
    uint64_t discarded{0}; //!< packets received for a failed queue pair or with a foreign opcode
    uint64_t posted{0};    //!< messages posted
    uint64_t delivered{0}; //!< messages received in full
    uint64_t errors{0};    //!< connections failed
    uint64_t datagramsLost{0}; //!< datagrams received with a wrong Q_Key or no receive request
};

/**
 * @ingroup ai-fabric
 * An RDMA network adapter: the queue pairs behind one device.
 *
 * The port asks for a frame when the wire is ready for it. In each class, congestion notifications
 * go first, then acknowledgments, then data, queue pairs in turn. Queue pairs with nothing to send
 * cost nothing.
 *
 * The NIC is aggregated to its device: device->GetObject<FabricNic>() finds it.
 *
 * Trace sources:
 * - MessagePosted, MessageDelivered, MessageAcked: the life of a message, at its sender, receiver
 * and sender.
 * - MessageCompleted: the same with all that a completion queue says, also after an error.
 * - Retransmit: a data packet is sent again.
 * - Cnp: a congestion notification is sent or has come in.
 * - QpError: a connection fails.
 */
class FabricNic : public Object, public FabricFrameSource, public FabricFrameSink
{
  public:
    /** Queue pair numbers start here; smaller ones are special (0 and 1: management, 0x10: IPoIB).
     */
    static constexpr uint32_t FIRST_QPN = 0x11;
    /** Queue pair of in-network reduction on every NIC; see SharpTransport. */
    static constexpr uint32_t AGGREGATION_QP = 0x0f;

    /** @returns the TypeId */
    static TypeId GetTypeId();
    FabricNic();
    ~FabricNic() override;

    /** @param device the port that this NIC uses, as its only one */
    void SetDevice(const Ptr<FabricNetDevice>& device);
    /** @returns the port; null before SetDevice() */
    const Ptr<FabricNetDevice>& GetDevice() const;

    /** @param address IPv4 address of RoCE packets; without it, 10.x.y.z with the last three bytes
     * of the MAC address */
    void SetIpAddress(const Ipv4Address& address);
    /** @returns IPv4 address of RoCE packets, host order */
    uint32_t GetIp() const;
    /** @returns true if packets travel over IP (RoCE) */
    bool IsIp() const;

    /** @param factory makes the congestion control of each queue pair added from now on */
    void SetRateControl(const ObjectFactory& factory);

    /** @returns a new queue pair with default attributes */
    Ptr<RcQueuePair> CreateQueuePair();
    /** @param queuePair becomes one of this NIC's */
    void AddQueuePair(const Ptr<RcQueuePair>& queuePair);
    /** @param queuePair becomes one of this NIC's */
    void AddQueuePair(const Ptr<UdQueuePair>& queuePair);
    /**
     * @param a a queue pair of a NIC
     * @param b a queue pair of another NIC
     */
    static void Connect(const Ptr<RcQueuePair>& a, const Ptr<RcQueuePair>& b);

    /**
     * @param sink takes what comes in for AGGREGATION_QP; must be withdrawn before it goes; null
     * for none
     */
    void SetAggregationSink(FabricFrameSink* sink);

    /** @returns number of queue pairs */
    std::size_t GetQueuePairs() const;
    /**
     * @param i index, in order of creation
     * @returns the queue pair; null if it is no RC one
     */
    Ptr<RcQueuePair> GetQueuePair(std::size_t i) const;
    /**
     * @param i index, in order of creation
     * @returns the queue pair; null if it is no UD one
     */
    Ptr<UdQueuePair> GetUdQueuePair(std::size_t i) const;
    /** @returns the counters */
    const FabricNicCounters& GetCounters() const;

    // FabricFrameSource
    uint32_t GetReadyClasses() override;
    uint32_t PeekFrameBytes(uint8_t cls) override;
    FabricFrame* Pull(uint8_t cls) override;

    // FabricFrameSink
    void ReceiveFrame(FabricFrame* frame, FabricNetDevice* device) override;

    /**
     * Add the relative state of all queue pairs and the order in which they will be served.
     * @param hash takes the state
     * @param now the current tick
     * @returns false if a congestion control can't be fast-forwarded
     */
    bool HashState(StateHash& hash, FabricTick now) const;

    /** @param by ticks by which everything pending moves */
    void Shift(FabricTick by);

    /**
     * TracedCallback signature of MessagePosted, MessageDelivered and MessageAcked.
     * @param qpn queue pair of this NIC
     * @param id counts the messages of this direction of the connection from 0
     * @param bytes length of the message
     * @param tag its tag; 0 for a SEND at the receiver
     */
    typedef void (*MessageTracedCallback)(uint32_t qpn, uint64_t id, uint64_t bytes, uint64_t tag);
    /**
     * TracedCallback signature of MessageCompleted.
     * @param qpn queue pair of this NIC
     * @param completion the work request that has ended
     */
    typedef void (*CompletionTracedCallback)(uint32_t qpn, const WorkCompletion& completion);
    /**
     * TracedCallback signature of Retransmit.
     * @param qpn queue pair of this NIC
     * @param psn PSN of the packet, 24 bits
     */
    typedef void (*RetransmitTracedCallback)(uint32_t qpn, uint32_t psn);
    /**
     * TracedCallback signature of Cnp.
     * @param qpn queue pair of this NIC
     * @param sent true if sent, false if received
     */
    typedef void (*CnpTracedCallback)(uint32_t qpn, bool sent);
    /**
     * TracedCallback signature of QpError.
     * @param qpn queue pair of this NIC
     * @param what what happened
     */
    typedef void (*QpErrorTracedCallback)(uint32_t qpn, std::string what);

  protected:
    void DoDispose() override;

  private:
    friend class RcQueuePair;
    friend class UdQueuePair;

    static constexpr uint8_t CLASSES = FabricPort::CLASSES; //!< classes of a port

    /** Queue pairs that are linked by one of their hooks, in the order in which they will be
     * served. */
    template <typename T, QueuePairHook T::*HOOK>
    using ReadyList = boost::intrusive::list<T,
                                             boost::intrusive::member_hook<T, QueuePairHook, HOOK>,
                                             boost::intrusive::constant_time_size<false>>;

    /** What one class has to send. */
    struct ReadyClass
    {
        ReadyList<RcQueuePair, &RcQueuePair::m_notificationHook> notifications; //!< served first
        ReadyList<RcQueuePair, &RcQueuePair::m_answerHook> answers;             //!< served next
        ReadyList<QueuePair, &QueuePair::m_dataHook> data;                      //!< served last
    };

    // For the queue pairs
    void Own(const Ptr<QueuePair>& queuePair);
    void Kick();
    void AddData(QueuePair& queuePair, uint8_t cls);
    void RemoveData(QueuePair& queuePair, uint8_t cls);
    void AddAnswer(RcQueuePair& queuePair);
    void RemoveAnswer(RcQueuePair& queuePair);
    void AddNotification(RcQueuePair& queuePair);
    void Withdraw(RcQueuePair& queuePair);
    bool IsCnpEnabled() const;
    FabricTick GetCnpIntervalTicks() const;
    uint8_t GetCnpDscp() const;
    void NotifyPosted(const QueuePair& queuePair, uint64_t id, uint64_t bytes, uint64_t tag);
    void NotifyDelivered(const QueuePair& queuePair, uint64_t id, uint64_t bytes, uint64_t tag);
    void NotifyAcked(const RcQueuePair& queuePair, const RcMessage& message);
    bool TracesCompletions() const;
    void NotifyCompleted(const QueuePair& queuePair, const WorkCompletion& completion);
    void NotifySent(const RcQueuePair& queuePair, const RcPacket& packet);
    void NotifyCnp(const RcQueuePair& queuePair, bool sent);
    void NotifyError(const RcQueuePair& queuePair, const std::string& what);

    void LinkChanged();
    void UpdateReadyBit(uint8_t cls);

    bool m_cnpEnabled;  //!< notify senders of congestion
    Time m_cnpInterval; //!< between two notifications of a queue pair (RoCE)
    uint8_t m_cnpDscp;  //!< of notifications (RoCE)

    Ptr<FabricNetDevice> m_device;               //!< the port
    bool m_isIp{false};                          //!< RoCE
    uint32_t m_ip{0};                            //!< host order; 0: made from the MAC address
    ObjectFactory m_rateControlFactory;          //!< makes congestion control
    bool m_hasRateControl{false};                //!< the factory has been set
    std::vector<Ptr<QueuePair>> m_queuePairs;    //!< by number, from FIRST_QPN on
    std::array<ReadyClass, CLASSES> m_classes;   //!< who has something to send
    uint32_t m_ready{0};                         //!< bit i: m_classes[i] is not empty
    FabricNicCounters m_counters;                //!< see there
    FabricFrameSink* m_aggregationSink{nullptr}; //!< takes results of in-network reduction

    TracedCallback<uint32_t, uint64_t, uint64_t, uint64_t> m_posted;    //!< see class
    TracedCallback<uint32_t, uint64_t, uint64_t, uint64_t> m_delivered; //!< see class
    TracedCallback<uint32_t, uint64_t, uint64_t, uint64_t> m_acked;     //!< see class
    TracedCallback<uint32_t, const WorkCompletion&> m_completed;        //!< see class
    TracedCallback<uint32_t, uint32_t> m_retransmit;                    //!< see class
    TracedCallback<uint32_t, bool> m_cnp;                               //!< see class
    TracedCallback<uint32_t, std::string> m_qpError;                    //!< see class
};

} // namespace ns3

#endif // FABRIC_NIC_H
