/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_SWITCH_H
#define FABRIC_SWITCH_H

#include "ns3/fabric-net-device.h"
#include "ns3/net-device.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * What IB and RoCE switches have in common: ports in the manner of BridgeNetDevice, a forwarding
 * table, and a tree of ports for group addresses.
 *
 * The switch has no host side: packets can't be sent from it.
 */
class FabricSwitch : public NetDevice, public FabricFrameSink, public FabricPortListener
{
  public:
    static constexpr uint8_t MAX_HOPS =
        63; //!< switches that a frame with the usual TTL of 64 may pass; more are a routing loop

    /** @returns the TypeId */
    static TypeId GetTypeId();
    FabricSwitch();

    /**
     * Make a device of this node a port of the switch.
     * @param device the device; its links may be attached before or after
     * @returns number of the port
     */
    uint16_t AddPort(const Ptr<FabricNetDevice>& device);
    /** @returns number of ports */
    uint16_t GetNPorts() const;
    /**
     * @param port number of a port
     * @returns its device
     */
    Ptr<FabricNetDevice> GetPort(uint16_t port) const;

    /**
     * @param address fabric address of a destination (LID or MAC-48 as an integer)
     * @param ports equally good ports towards it; one that stands there n times has weight n.
     * std::invalid_argument if empty or unknown
     */
    void SetRoute(uint64_t address, const std::vector<uint16_t>& ports);
    /**
     * Weighted multipath: spread by weight, such as the capacity behind each port.
     * @param ports ports towards a destination
     * @param weights of each port; std::invalid_argument if they are not as many, all 0, or can't
     * be told apart by 4096 entries
     * @returns the list for SetRoute() in which each port stands as often as its weight says
     */
    static std::vector<uint16_t> Weight(const std::vector<uint16_t>& ports,
                                        const std::vector<uint64_t>& weights);
    /**
     * @param address fabric address of a destination
     * @returns ports towards it; empty if unknown
     */
    const std::vector<uint16_t>& GetRoute(uint64_t address) const;
    /** @param ports on which group addresses leave and come in: a spanning tree over the whole
     * fabric */
    void SetFloodPorts(const std::vector<uint16_t>& ports);

    /**
     * Check the configuration and compute what depends on rates and cables; done at the start of
     * the simulation, and earlier by helpers. std::invalid_argument on a configuration that can't
     * work.
     */
    virtual void Configure();

    /**
     * Frames addressed to the switch itself go to a consumer once they are in the input buffer. It
     * owns them, and gives their room back by FreeRoom() or by sending them on.
     * @param sink the consumer, which must outlive the switch or be withdrawn; null for none
     * @param address fabric address of the switch, which no host has
     */
    void SetLocalSink(FabricFrameSink* sink, uint64_t address);
    /** @returns who takes frames addressed to the switch; null for nobody */
    FabricFrameSink* GetLocalSink() const;
    /**
     * For the consumer: the room of a frame in its input buffer is free.
     * @param frame the frame
     * @param when tick at which the room is free: now or later
     */
    void FreeRoom(FabricFrame& frame, FabricTick when);
    /**
     * For the consumer: send a frame, either one that came in, or a new one (inBytes 0, inPort
     * equal to the output port).
     * @param frame the frame
     * @param port number of the output port
     */
    void SendLocal(FabricFrame* frame, uint16_t port);

    /** @param watcher kept until this switch is disposed of, and then disposed of, too: a
     * FabricDeadlockDetector; null for none */
    void SetWatcher(const Ptr<Object>& watcher);
    /** @returns what watches this switch; may be null */
    Ptr<Object> GetWatcher() const;
    /** @returns true if a frame that leaves may give room free to any other input port */
    virtual bool IsRoomShared() const;

    /**
     * Add the relative state of buffers and arbiters (see StateHash).
     * @param hash takes the state
     * @param now the current tick
     * @returns false if this switch can't be fast-forwarded
     */
    virtual bool HashState(StateHash& hash, FabricTick now) const;

    // FabricFrameSink
    void ReceiveFrame(FabricFrame* frame, FabricNetDevice* device) override;

    // FabricPortListener
    void PortStateChanged(bool up) override;
    void Discard(FabricFrame* frame, FabricPort* port, const char* reason) override;

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
    Ptr<Node> GetNode() const override;
    void SetNode(Ptr<Node> node) override;
    bool NeedsArp() const override;
    void SetReceiveCallback(NetDevice::ReceiveCallback cb) override;
    void SetPromiscReceiveCallback(PromiscReceiveCallback cb) override;
    bool SupportsSendFrom() const override;

  protected:
    void DoInitialize() override;
    void DoDispose() override;

    /**
     * Take a frame into the buffer of its input port (frame->inPort, frame->inCls).
     * @param frame the frame
     * @returns false if there is no room; the switch drops it
     */
    virtual bool Admit(FabricFrame* frame) = 0;

    /**
     * Give room in the buffer of an input port free.
     * @param port number of the input port
     * @param cls class in which the frame came in
     * @param bytes room that it held
     * @param when tick at which the room is free: now or later
     */
    virtual void ReleaseRoom(uint16_t port, uint8_t cls, uint32_t bytes, FabricTick when) = 0;

    /**
     * A frame is about to be queued.
     * @param frame the frame, classified for the port
     * @param port output port
     * @returns false if it must be dropped: its queue is full
     */
    virtual bool Queueing(FabricFrame& frame, FabricPort& port);

    /**
     * Choose the output port of one frame.
     * @param frame a frame
     * @param ports equally good ports, more than one
     * @returns one of them
     */
    virtual uint16_t ChoosePort(FabricFrame& frame, const std::vector<uint16_t>& ports) = 0;

    /**
     * A frame for which ChoosePort was asked leaves without being sent.
     * @param frame the frame
     */
    virtual void Withdrawn(FabricFrame& frame);

    /**
     * @param address fabric address of a destination
     * @returns true if it is a group of receivers
     */
    virtual bool IsGroupAddress(uint64_t address) const = 0;

    std::vector<Ptr<FabricNetDevice>> m_ports; //!< by number

  private:
    /** Where an address was seen. */
    struct Learned
    {
        std::vector<uint16_t> ports; //!< the one port
        FabricTick at{0};            //!< when last
    };

    void Forward(FabricFrame* frame, uint16_t port);
    const std::vector<uint16_t>& FindPorts(const FabricFrame& frame);
    const std::vector<uint16_t>& KeepUp(const std::vector<uint16_t>& ports);
    void Learn(const FabricFrame& frame);
    void Flood(FabricFrame* frame);
    void DropAdmitted(FabricFrame* frame, const char* reason);

    Time m_latency;                                               //!< port to port
    bool m_cutThrough;                                            //!< where rates allow it
    std::unordered_map<uint64_t, std::vector<uint16_t>> m_routes; //!< by destination
    std::vector<uint16_t> m_floodPorts;                           //!< tree for group addresses
    std::vector<uint16_t> m_upPorts;                              //!< scratch: those with a link
    int32_t m_downPorts{0};                                       //!< links that are down now
    bool m_learning;                                              //!< addresses, from what comes in
    Time m_ageingTime;                                            //!< of learned addresses
    std::unordered_map<uint64_t, Learned> m_learned;              //!< by address
    FabricFrameSink* m_localSink{nullptr};                        //!< see SetLocalSink()
    uint64_t m_localAddress{0};                                   //!< of the switch itself
    Ptr<Node> m_node;                                             //!< whose device this is
    Ptr<Object> m_watcher;                                        //!< see SetWatcher()
    uint32_t m_ifIndex{0};                                        //!< index in the node
    Mac48Address m_address;                                       //!< for those who ask
};

} // namespace ns3

#endif // FABRIC_SWITCH_H
