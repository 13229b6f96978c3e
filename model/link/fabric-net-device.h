/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_NET_DEVICE_H
#define FABRIC_NET_DEVICE_H

#include "bit-error-process.h"
#include "fabric-frame.h"
#include "fabric-port.h"

#include "ns3/data-rate.h"
#include "ns3/error-model.h"
#include "ns3/event-id.h"
#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/node.h"
#include "ns3/object-factory.h"
#include "ns3/traced-callback.h"

#include <array>
#include <memory>

namespace ns3
{

class FabricChannel;

/**
 * @ingroup ai-fabric
 * Who must know when a port with a frame has to hold it back.
 */
class FabricStallListener
{
  public:
    virtual ~FabricStallListener() = default;

    /** A port has to wait: for credit, or for the end of a pause. */
    virtual void StallBegins() = 0;
};

/**
 * @ingroup ai-fabric
 * What IB and RoCE devices have in common: a NetDevice around a FabricPort.
 *
 * Trace sources, by the point of the data path at which they fire:
 * - MacTx: a packet of the ns-3 stack enters the device; MacTxDrop: it did not fit.
 * - PhyTxBegin / PhyTxEnd: the first / last bit of a frame leaves.
 * - PhyRxEnd: a frame came in; PhyRxDrop: it went no further; FrameDrop says why.
 * - MacRx / MacPromiscRx: a packet goes up to the stack.
 * - Sniffer / PromiscSniffer: every frame in both directions, with its link headers.
 * - LinkControl: a flow-control packet or pause frame was on the wire, in either direction.
 * - FrameDrop, Stall, Pause: see the callback types below.
 *
 * Frames are serialized for a source only if a sink is connected to it.
 */
class FabricNetDevice : public NetDevice, public FabricFrameSink
{
  public:
    /** Reasons for which a frame is dropped. */
    static constexpr const char* BUFFER_FULL =
        "no room in the receive buffer"; //!< flow control was off or broken
    static constexpr const char* EGRESS_FULL =
        "egress queue is full"; //!< of a switch, lossy class or static limit
    static constexpr const char* CORRUPT = "error model"; //!< bit error on the wire
    static constexpr const char* NO_ROUTE =
        "no route to the destination"; //!< unknown address in a switch
    static constexpr const char* TOO_LARGE = "can't leave by this port"; //!< MTU, buffer or link
    static constexpr const char* HOP_LIMIT = "hop limit";                //!< a routing loop
    static constexpr const char* NOT_MINE =
        "no receiver for this frame"; //!< address or queue pair unknown
    static constexpr const char* QUEUE_FULL =
        "transmit queue is full"; //!< lossy class, device queue
    static constexpr const char* HEAD_OF_QUEUE_LIFETIME =
        "head-of-queue lifetime"; //!< waited at the head of its lane for too long
    static constexpr const char* SWITCH_LIFETIME =
        "switch lifetime"; //!< was in the switch for too long
    static constexpr const char* LANE_STALLED =
        "lane is stalled"; //!< after too many head-of-queue discards in a row

    static constexpr const char* LINK_DOWN = "link is down"; //!< in flight, queued, or to be sent
    static constexpr const char* PFC_WATCHDOG = "PFC watchdog"; //!< in a storm, see PfcWatchdog

    static constexpr const char* NO_LANE =
        "no virtual lane for the service level"; //!< SL to VL table: 15, or a lane not served

    /** @returns the TypeId */
    static TypeId GetTypeId();
    FabricNetDevice();
    ~FabricNetDevice() override;

    /** @returns this device's outgoing direction */
    FabricPort& GetPort();
    /** @returns this device's outgoing direction */
    const FabricPort& GetPort() const;

    /** @returns the address by which switches forward to this device: LID (IB) or MAC-48 as an
     * integer (RoCE) */
    virtual uint64_t GetFabricAddress() const = 0;
    /**
     * @param address fabric address of a destination
     * @returns true if it is this device's; a port of InfiniBand may have several
     */
    virtual bool IsOwnAddress(uint64_t address) const;
    /**
     * Of several addresses of a port, choose one.
     * @param address fabric address of this device or another one
     * @param pathBits which one (IB); those beyond the LID mask control do not count
     * @returns the address to use
     */
    virtual uint64_t GetPathAddress(uint64_t address, uint8_t pathBits) const;
    /**
     * @param address fabric address of a destination
     * @param wanted service level that somebody wants to use
     * @returns service level of the path there, where the subnet manager tells one; else the wanted
     */
    virtual uint8_t GetPathServiceLevel(uint64_t address, uint8_t wanted) const;

    /**
     * Set frameBytes and wireBytes of a frame from its kind, opcode, payload and packet.
     * @param frame the frame
     */
    virtual void SizeFrame(FabricFrame& frame) const = 0;

    /**
     * Set cls, the class on this device's link, from SL (IB) or DSCP (RoCE). FabricPort::NO_CLASS:
     * the frame must be dropped.
     * @param frame the frame
     */
    virtual void ClassifyFrame(FabricFrame& frame) const = 0;

    /**
     * @param frame a frame
     * @returns its bytes with link headers, as they are on the wire between SDP/SFD and VCRC/FCS
     */
    virtual Ptr<Packet> MaterializeFrame(const FabricFrame& frame) const = 0;

    /** @returns largest RDMA payload per packet that MTU and link type allow: 256, 512, 1024, 2048
     * or 4096; 0 if none */
    virtual uint32_t GetMaxRdmaPayload() const = 0;

    /** @param nic where RDMA frames go to; null for nowhere (they are dropped, and traced) */
    void SetRdmaSink(FabricFrameSink* nic);
    /**
     * @param sink takes every good frame instead of the host side: a switch; null for the host side
     * @param index number of this device among the ports of the sink
     */
    void SetFrameSink(FabricFrameSink* sink, uint16_t index);
    /** @returns who takes what comes in; null for the host side */
    FabricFrameSink* GetFrameSink() const;
    /** @returns number of this device among the ports of its sink */
    uint16_t GetSinkIndex() const;

    /**
     * A frame has reached this device: check it, account for its room, hand it to the sink.
     * @param frame the frame; the device owns it
     */
    void ReceiveFromWire(FabricFrame* frame);

    /**
     * The sink has done with a frame: its room in the receive buffer is free. Hosts call it at
     * once, switches when the frame leaves.
     * @param cls class in which the frame came in
     * @param bytes its frameBytes
     * @param when tick at which the room is free: now or later
     */
    void FreeBuffer(uint8_t cls, uint32_t bytes, FabricTick when);

    /**
     * Drop a frame, count it and say so.
     * @param frame the frame; released
     * @param reason one of the reasons above
     */
    void DropFrame(FabricFrame* frame, const char* reason);

    /**
     * Discard a frame that has waited here for too long: counted apart from losses of lossless
     * classes, since it is what the limit asks for.
     * @param frame the frame; released
     * @param reason HEAD_OF_QUEUE_LIFETIME, SWITCH_LIFETIME, LANE_STALLED, LINK_DOWN or
     * PFC_WATCHDOG
     */
    void DiscardFrame(FabricFrame* frame, const char* reason);

    /** @returns flow control of the incoming direction; null if not connected */
    LinkFlowControl* GetIncomingFlowControl() const;

    /** @param factory makes the flow control of the incoming direction; set before the channel is
     * attached */
    void SetFlowControl(const ObjectFactory& factory);
    /** @returns what makes the flow control of the incoming direction */
    const ObjectFactory& GetFlowControlFactory() const;
    /** @returns a new flow control object for the incoming direction */
    Ptr<LinkFlowControl> CreateFlowControl() const;

    /**
     * @param channel the channel
     * @returns true if the device was free
     */
    bool Attach(const Ptr<FabricChannel>& channel);
    /** The channel has connected the port: the link is up. */
    virtual void NotifyLinkUp();
    /**
     * The link goes down or is up again, after it has been up; FabricChannel::SetLinkUp() does both
     * ends.
     * @param up true: it is up
     */
    void SetLinkUp(bool up);

    /** @returns frameBytes of the largest frame that the MTU allows */
    virtual uint32_t GetLargestFrameBytes() const = 0;
    /**
     * @param frame a frame, classified and sized
     * @returns true if it can ever leave by this device: the link is up, and neither MTU nor flow
     * control forbid it
     */
    bool CanSend(const FabricFrame& frame) const;

    /** @returns bits per second */
    uint64_t GetBitRate() const;
    /** @param rate at which the host empties its receive buffer from now on; 0: at once */
    void SetDrainRate(DataRate rate);
    /** @returns rate at which the host empties its receive buffer; 0: at once */
    DataRate GetDrainRate() const;
    /** @returns ticks from the arrival of a frame until the device acts on it */
    FabricTick GetReceiveLatencyTicks() const;
    /** @returns true if frames are handed on when their head has arrived (virtual cut-through) */
    bool IsCutThrough() const;
    /** @param cutThrough true: hand frames on at their head; false: at their tail */
    void SetCutThrough(bool cutThrough);

    /** @returns frames dropped by this device or by the switch on its behalf */
    uint64_t GetDrops() const;
    /** @returns those of lossless classes that no error model is to blame for: must be 0 */
    uint64_t GetLosslessDrops() const;
    /** @returns those that were lost as the link was down: part of GetDrops(), not of
     * GetLosslessDrops() */
    uint64_t GetLinkDownDrops() const;
    /** @returns those that a PFC watchdog has dropped: part of GetDrops(), not of
     * GetLosslessDrops() */
    uint64_t GetWatchdogDrops() const;
    /** @returns those that had passed too many switches, in a routing loop: part of GetDrops(), and
     * of GetLosslessDrops() if the class is lossless */
    uint64_t GetHopLimitDrops() const;
    /** @returns those that waited for too long: part of GetDrops(), not of GetLosslessDrops() */
    uint64_t GetLifetimeDiscards() const;
    /** @returns those for whose service level there was no virtual lane (PortVLMappingErrors):
     * part of GetDrops(), not of GetLosslessDrops() */
    uint64_t GetVlMappingErrors() const;
    /** @returns those that came in broken */
    uint64_t GetReceiveErrors() const;

    /**
     * Fix the random stream of bit errors. To be called when BitErrorRate is set.
     * @param stream number of the stream
     * @returns streams used: 1 with a BitErrorRate of more than 0, else 0
     */
    int64_t AssignStreams(int64_t stream);
    /**
     * @param cls a class
     * @returns what it has counted in both directions, as of now
     */
    FabricClassCounters GetClassCounters(uint8_t cls) const;

    /** @param listener told when this device's port has to wait; null for none */
    void SetStallListener(FabricStallListener* listener);

    /**
     * Called by the port: a frame starts; fires PhyTxBegin and the sniffers if somebody listens.
     * @param frame the frame
     * @param start tick at which its first bit leaves: now, or a little later behind link control
     * messages
     */
    void NotifyTxBegin(const FabricFrame& frame, FabricTick start);
    /**
     * Called by flow control: the port has a frame of the class but must hold it back, or may go
     * on.
     * @param cls the class
     * @param begin true when the wait begins
     */
    void NotifyStall(uint8_t cls, bool begin);
    /**
     * Called by flow control: a link control message was on this device's wire.
     * @param bytes its bytes: a flow-control packet (IB) or a MAC control frame (Ethernet)
     * @param at tick at which it left or came in
     */
    void NotifyControl(const Ptr<Packet>& bytes, FabricTick at);
    /**
     * Called by flow control: a received pause begins or ends.
     * @param cls the priority
     * @param begin true at the beginning, false at the end
     */
    void NotifyPause(uint8_t cls, bool begin);
    /** @returns true if somebody listens to frames as bytes, so that control messages must be
     * shown, too */
    bool IsSniffed() const;
    /** @returns true if bytes get real CRCs */
    bool IsCrcComputed() const;
    /** @returns true if somebody listens to the Pause trace source, so that its times must be exact
     */
    bool IsPauseTraced() const;
    /** @returns true if somebody listens to the Stall trace source, so that its times must be exact
     */
    bool IsStallTraced() const;

    // NetDevice
    void SetIfIndex(const uint32_t index) override;
    uint32_t GetIfIndex() const override;
    Ptr<Channel> GetChannel() const override;
    void SetAddress(Address address) override;
    Address GetAddress() const override;
    bool SetMtu(const uint16_t mtu) override;
    uint16_t GetMtu() const override;
    bool IsLinkUp() const override;
    void AddLinkChangeCallback(Callback<void> callback) override;
    bool IsBroadcast() const override;
    Address GetBroadcast() const override;
    bool IsMulticast() const override;
    Address GetMulticast(Ipv4Address multicastGroup) const override;
    Address GetMulticast(Ipv6Address addr) const override;
    bool IsBridge() const override;
    bool IsPointToPoint() const override;
    bool Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber) override;
    bool SendFrom(Ptr<Packet> packet,
                  const Address& source,
                  const Address& dest,
                  uint16_t protocolNumber) override;
    bool SupportsSendFrom() const override;
    Ptr<Node> GetNode() const override;
    void SetNode(Ptr<Node> node) override;
    bool NeedsArp() const override;
    void SetReceiveCallback(NetDevice::ReceiveCallback cb) override;
    void SetPromiscReceiveCallback(PromiscReceiveCallback cb) override;

    // FabricFrameSink: the host side
    void ReceiveFrame(FabricFrame* frame, FabricNetDevice* device) override;

    /**
     * TracedCallback signature of FrameDrop.
     * @param frame the frame
     * @param reason one of the reasons above
     * @param lossless true if the class had the promise not to be dropped; false for frames that
     * waited for longer than a lifetime limit
     */
    typedef void (*FrameDropTracedCallback)(const FabricFrame& frame,
                                            const char* reason,
                                            bool lossless);
    /**
     * TracedCallback signature of Stall: flow control holds a class back although the wire is free.
     * @param cls the class
     * @param begin true at the beginning, false at the end
     */
    typedef void (*StallTracedCallback)(uint8_t cls, bool begin);
    /**
     * TracedCallback signature of Pause: a pause received for a priority.
     * @param priority the priority
     * @param begin true at the beginning, false at the end
     */
    typedef void (*PauseTracedCallback)(uint8_t priority, bool begin);
    /**
     * TracedCallback signature of LinkControl: a flow-control packet (IB) or pause frame (Ethernet)
     * was on the wire.
     * @param bytes the message, as the capture format of the link wants it
     * @param at when it left this device or came in; may differ a little from now
     */
    typedef void (*LinkControlTracedCallback)(Ptr<const Packet> bytes, Time at);

  protected:
    void DoDispose() override;

    /**
     * Fill the link addresses of a frame of the ns-3 stack.
     * @param frame the frame, with packet and etherType set
     * @param source MAC-48 address of the sender
     * @param dest MAC-48 address of the receiver, group addresses included
     * @returns false if there is no way to the receiver
     */
    virtual bool AddressPacket(FabricFrame& frame,
                               const Mac48Address& source,
                               const Mac48Address& dest) const = 0;

    /**
     * @param frame a frame that came in
     * @param source receives the MAC-48 address of its sender
     * @param dest receives the MAC-48 address of its receiver, group addresses included
     */
    virtual void GetMacAddresses(const FabricFrame& frame,
                                 Mac48Address& source,
                                 Mac48Address& dest) const = 0;

    /**
     * A frame for the RDMA NIC may come in as a packet of the ns-3 stack, after a plain ns-3
     * bridge.
     * @param frame a PACKET frame; turned into an RDMA frame if it is one
     * @returns true if it was
     */
    virtual bool RecognizeRdma(FabricFrame& frame) const;

    /**
     * An RDMA frame for which there is no NIC here, as the ns-3 stack or a plain bridge can take
     * it.
     * @param frame an RDMA frame
     * @param protocol receives the protocol number
     * @returns the packet; null if this link has no such form
     */
    virtual Ptr<Packet> GetRdmaAsPacket(const FabricFrame& frame, uint16_t& protocol) const;

    /** @returns largest MTU in bytes that the stack may set */
    virtual uint16_t GetMaxMtu() const = 0;

    /**
     * Drop what comes in with a class, until told otherwise.
     * @param cls the class
     * @param discarding true: drop
     */
    void SetReceiveDiscarding(uint8_t cls, bool discarding);

    FabricPort m_port;        //!< the outgoing direction
    Mac48Address m_address;   //!< address towards the ns-3 stack
    bool m_computeCrc{false}; //!< real CRCs when bytes are made

  private:
    bool DoSend(const Ptr<Packet>& packet,
                const Mac48Address& source,
                const Address& dest,
                uint16_t protocolNumber,
                bool ours);
    void DeliverPacket(const Ptr<Packet>& packet,
                       uint16_t protocol,
                       const Mac48Address& source,
                       const Mac48Address& dest);
    void FireTxBegin(Ptr<const Packet> bytes);
    void FirePhyTxEnd(Ptr<const Packet> bytes);
    void FireStall(uint8_t cls);
    FabricTick DrainFrame(uint32_t bytes);
    void SetBitErrorRate(double rate);
    double GetBitErrorRate() const;
    bool IsHit(const FabricFrame& frame);

    DataRate m_drainRate;                 //!< at which the host empties the buffer; 0: at once
    TxClock m_drain;                      //!< when the host has emptied the buffer
    DataRate m_dataRate;                  //!< of the outgoing direction
    Time m_receiveLatency;                //!< from arrival until the device acts
    ObjectFactory m_flowControlFactory;   //!< makes the flow control of the incoming direction
    BitErrorProcess m_bitErrors;          //!< hits frames that come in
    Ptr<ErrorModel> m_receiveErrorModel;  //!< takes frames that come in; may be null
    uint32_t m_txQueueBytes;              //!< limit for packets of the stack
    bool m_cutThrough{false};             //!< hand frames on at their head
    bool m_linkUp{false};                 //!< the channel is attached
    uint16_t m_mtu{0};                    //!< for packets of the stack
    uint32_t m_ifIndex{0};                //!< index in the node
    Ptr<Node> m_node;                     //!< whose device this is
    Ptr<FabricChannel> m_channel;         //!< the cable
    FabricFrameSink* m_sink{nullptr};     //!< a switch, or null for the host side
    uint16_t m_sinkIndex{0};              //!< number of this device among its ports
    FabricFrameSink* m_rdmaSink{nullptr}; //!< the NIC
    FabricStallListener* m_stallListener{nullptr};      //!< told of waits
    NetDevice::ReceiveCallback m_receive;               //!< up to the stack
    NetDevice::PromiscReceiveCallback m_promiscReceive; //!< up to bridges and packet sockets
    uint64_t m_drops{0};                                //!< frames dropped
    uint64_t m_losslessDrops{0};    //!< frames of lossless classes dropped for want of room
    uint64_t m_lifetimeDiscards{0}; //!< frames that waited for too long
    uint64_t m_vlMappingErrors{0};  //!< frames without a virtual lane
    uint64_t m_linkDownDrops{0};    //!< frames lost as the link was down
    uint64_t m_watchdogDrops{0};    //!< frames dropped by a PFC watchdog
    uint64_t m_hopLimitDrops{0};    //!< frames in a routing loop
    uint32_t m_rxDiscarding{0};     //!< bit i: what comes in with class i is dropped
    uint64_t m_receiveErrors{0};    //!< frames that came in broken
    std::array<uint64_t, FabricPort::CLASSES> m_classDrops{}; //!< frames dropped, by class

    std::array<EventId, FabricPort::CLASSES> m_stallBegins; //!< stalls that are about to be told of

    TracedCallback<> m_linkChange;                                     //!< link went up
    TracedCallback<Ptr<const Packet>> m_macTx;                         //!< see class
    TracedCallback<Ptr<const Packet>> m_macTxDrop;                     //!< see class
    TracedCallback<Ptr<const Packet>> m_macRx;                         //!< see class
    TracedCallback<Ptr<const Packet>> m_macPromiscRx;                  //!< see class
    TracedCallback<Ptr<const Packet>> m_phyTxBegin;                    //!< see class
    TracedCallback<Ptr<const Packet>> m_phyTxEnd;                      //!< see class
    TracedCallback<Ptr<const Packet>> m_phyRxEnd;                      //!< see class
    TracedCallback<Ptr<const Packet>> m_phyRxDrop;                     //!< see class
    TracedCallback<Ptr<const Packet>> m_sniffer;                       //!< see class
    TracedCallback<Ptr<const Packet>> m_promiscSniffer;                //!< see class
    TracedCallback<const FabricFrame&, const char*, bool> m_frameDrop; //!< see class
    TracedCallback<uint8_t, bool> m_stall;                             //!< see class
    TracedCallback<uint8_t, bool> m_pause;                             //!< see class
    TracedCallback<Ptr<const Packet>, Time> m_linkControl;             //!< see class
};

} // namespace ns3

#endif // FABRIC_NET_DEVICE_H
