/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_PORT_H
#define FABRIC_PORT_H

#include "class-arbiter.h"
#include "class-shaper.h"
#include "egress-queue.h"
#include "fabric-class-counters.h"
#include "fabric-frame.h"
#include "lane-lifetimes.h"
#include "link-flow-control.h"
#include "tx-clock.h"

#include "ns3/shiftable-timer.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>

namespace ns3
{

class FabricNetDevice;

/**
 * @ingroup ai-fabric
 * Who must know when a frame leaves a port: the switch, whose buffer the frame occupies.
 */
class FabricPortListener
{
  public:
    virtual ~FabricPortListener() = default;

    /**
     * A frame starts on the wire.
     * @param frame the frame
     * @param port the port
     * @param end tick at which its last bit leaves
     * @returns true to be told by TransmitDone when the last bit has left
     */
    virtual bool TransmitStarts(FabricFrame* frame, FabricPort* port, FabricTick end) = 0;

    /**
     * The last bit of the latest frame for which TransmitStarts returned true has left. The frame
     * itself may be gone.
     * @param port the port
     */
    virtual void TransmitDone(FabricPort* port) = 0;

    /**
     * A frame has waited in the port for too long, or its lane is stalled.
     * @param frame the frame; the listener owns it, and drops it
     * @param port the port
     * @param reason one of the reasons of FabricNetDevice
     */
    virtual void Discard(FabricFrame* frame, FabricPort* port, const char* reason) = 0;

    /**
     * The link of a port has gone down, or is up again.
     * @param up true: it is up
     */
    virtual void PortStateChanged(bool up) = 0;
};

/**
 * @ingroup ai-fabric
 * One link direction: the transmitter with its queues, the wire with its frames in flight, and the
 * flow control that governs it. IB and Ethernet devices share this engine; they differ in the
 * LinkFlowControl object.
 *
 * At most two events are pending: the transmitter's (the wire becomes free, or flow control lets
 * the next frame go) and the arrival of the frame at the head of those in flight.
 */
class FabricPort
{
  public:
    static constexpr uint8_t CLASSES = 16;   //!< classes: 8 priorities, or 15 data VLs and VL15
    static constexpr uint8_t NO_CLASS = 255; //!< of a frame that no class takes: it is dropped

    /** Counters of one direction; never reset. */
    struct Counters
    {
        uint64_t frames{0};        //!< frames sent, without link control
        uint64_t frameBytes{0};    //!< their frameBytes
        uint64_t controlFrames{0}; //!< flow-control packets or pause frames sent
        uint64_t controlBytes{0};  //!< their wire bytes
        uint64_t arrived{0};       //!< frames that reached the far end
    };

    /** @param device the device whose transmitter this is */
    explicit FabricPort(FabricNetDevice* device);
    ~FabricPort();
    FabricPort(const FabricPort&) = delete;
    FabricPort& operator=(const FabricPort&) = delete;

    /**
     * Connect the far end.
     * @param peer the receiving device
     * @param propagation one-way delay in ticks
     * @param bitRate bits per second
     * @param flowControl governs this direction
     */
    void Connect(FabricNetDevice* peer,
                 FabricTick propagation,
                 uint64_t bitRate,
                 const Ptr<LinkFlowControl>& flowControl);

    /** Forget the far end and drop everything queued and in flight. */
    void Dispose();

    /**
     * Queue a frame in its class (frame->cls) and send it as soon as possible.
     * @param frame the frame; the port owns it
     */
    void Enqueue(FabricFrame* frame);

    /** Something may have become ready to send: look. */
    void Kick();

    /**
     * Flow control has news: look at the given tick, or when the wire becomes free if that is
     * later.
     * @param at tick, now or later
     */
    void WakeAt(FabricTick at);

    /**
     * Put a link control message on this wire at the next frame boundary, ahead of all queued
     * frames.
     * @param earliest tick at which it was due; may lie in the past if nothing was sent since
     * @param wireBytes its length
     * @returns tick at which its first bit leaves
     */
    FabricTick CommitControl(FabricTick earliest, uint32_t wireBytes);

    /**
     * @param earliest tick at which a link control message will be due
     * @param wireBytes its length
     * @returns tick at which its last bit will leave if nothing else is sent before it
     */
    FabricTick PredictControl(FabricTick earliest, uint32_t wireBytes) const;

    /** @param context node id under which events of the transmitter run */
    void SetContext(uint32_t context);

    /** @param source where frames come from when no queue of the class has one; null for none */
    void SetSource(FabricFrameSource* source);

    /** @param listener told of frames that leave; null for none */
    void SetListener(FabricPortListener* listener);

    /** @returns told of frames that leave; may be null */
    FabricPortListener* GetListener() const;

    /** @param voq true: a class serves its input ports in turn; false: first come, first served */
    void SetVirtualOutputQueues(bool voq);

    /** @param arbiter chooses the next class; null, the default: classes are served in turn */
    void SetArbiter(std::unique_ptr<ClassArbiter> arbiter);
    /** @returns chooses the next class; null if they are served in turn */
    const ClassArbiter* GetArbiter() const;

    /** @param shaper limits how fast each class may send; null, the default: not at all */
    void SetShaper(std::unique_ptr<ClassShaper> shaper);

    /**
     * Take the link down, or up again. What is in flight is lost, and what is queued is given to
     * the listener to be dropped; sources keep what they have.
     * @param up true: up
     */
    void SetUp(bool up);
    /** @returns true if the link is up */
    bool IsUp() const;

    /**
     * Drop what is queued in a class, and what comes for it, until told otherwise.
     * @param cls a class
     * @param discarding true: drop
     * @param reason one of the reasons of FabricNetDevice
     */
    void SetDiscarding(uint8_t cls, bool discarding, const char* reason);

    /** @param limits how long frames may wait in the queues; set while they are empty */
    void SetLifetimes(const LaneLifetimes::Limits& limits);
    /** @returns limits of how long frames may wait; null if there are none */
    const LaneLifetimes* GetLifetimes() const;
    /**
     * @param cls a class
     * @returns the frame of the class that would leave next; null if none is queued
     */
    const FabricFrame* GetHead(uint8_t cls) const;
    /**
     * Take the frame of a class that would leave next, and give it to the listener to be dropped.
     * @param cls a class of which a frame is queued
     * @param reason one of the reasons of FabricNetDevice
     */
    void DiscardHead(uint8_t cls, const char* reason);

    /**
     * @param now the current tick
     * @returns bit i set if a frame of class i is queued that flow control does not let go now
     */
    uint32_t GetHeldClasses(FabricTick now);
    /**
     * @param cls a class
     * @param visit called with each frame that is queued in it
     */
    void VisitQueue(uint8_t cls, const std::function<void(const FabricFrame&)>& visit) const;

    /**
     * @param cls a class
     * @returns true if a frame of it could be sent now but for flow control
     */
    bool HasFrames(uint8_t cls);

    /** @returns the device that transmits */
    FabricNetDevice* GetDevice() const;
    /** @returns the device that receives; null if not connected */
    FabricNetDevice* GetPeer() const;
    /** @returns the flow control that governs this direction; null if not connected */
    LinkFlowControl* GetFlowControl() const;
    /** @returns propagation delay in ticks */
    FabricTick GetPropagation() const;
    /** @returns bits per second */
    uint64_t GetBitRate() const;
    /** @returns first tick at which the wire is free */
    FabricTick GetBusyUntil() const;
    /** @returns ticks that a number of bytes takes on the wire, rounded up */
    FabricTick GetTxTicks(uint64_t bytes) const;
    /** @returns bytes queued in a class */
    uint64_t GetQueuedBytes(uint8_t cls) const;
    /** @returns bytes queued in all classes */
    uint64_t GetQueuedBytes() const;
    /** @returns true if nothing is queued or in flight */
    bool IsIdle() const;
    /** @returns the counters */
    Counters GetCounters() const;
    /**
     * @param cls a class
     * @returns its counters
     */
    const PortClassCounters& GetClassCounters(uint8_t cls) const;
    /**
     * The switch has marked a frame that leaves by this port: CE or FECN.
     * @param cls its class
     */
    void CountMark(uint8_t cls);
    /**
     * @param cls a class
     * @returns ticks during which frames of the class waited for flow control, counted from a
     * moment at which nothing of any class could leave, up to now
     */
    FabricTick GetWaitTicks(uint8_t cls) const;
    /** @returns ticks during which some frame waited for flow control and nothing was sent, up to
     * now */
    FabricTick GetWaitTicks() const;

    /**
     * Add the relative state of the direction (see StateHash); frames in it count by class, size
     * and destination.
     * @param hash takes the state
     * @param now the current tick
     * @returns false if its flow control can't be fast-forwarded
     */
    bool HashState(StateHash& hash, FabricTick now) const;

    /** @param by ticks by which everything pending in this direction moves */
    void Shift(FabricTick by);

  private:
    void TxDue();
    void FinishTransmit(FabricTick now);
    void TrySend(FabricTick now);
    void Transmit(FabricFrame* frame, FabricTick now);
    /**
     * A frame is on the wire: when to look next? If flow control is known to hold everything back,
     * the event at its end is saved.
     */
    void PlanNext(FabricTick now);
    uint8_t FindInTurn(uint32_t ready, FabricTick now);
    uint8_t FindByArbiter(uint32_t ready, FabricTick now);
    FabricTick FindNextChance(uint32_t ready, FabricTick now);
    bool MaySend(uint8_t cls, FabricTick now);
    bool IsShaped(uint8_t cls, FabricTick at) const;
    void FlushQueue(uint8_t cls, const char* reason);
    void ArrivalDue();
    uint32_t ReadyClasses();
    uint32_t HeadBytes(uint8_t cls);
    bool IsQueueNext(uint8_t cls);
    void ForgetWaits(uint32_t classes, FabricTick now);
    void BeginWaits(uint32_t classes, FabricTick now);
    void EndWait(uint8_t cls, FabricTick now);
    void EndIdleWait(FabricTick now);
    void Discard(FabricFrame* frame, const char* reason);

    FabricNetDevice* m_device;               //!< transmitting device
    FabricNetDevice* m_peer{nullptr};        //!< receiving device
    FabricFrameSource* m_source{nullptr};    //!< pulled when queues are empty
    FabricPortListener* m_listener{nullptr}; //!< told of frames that leave
    Ptr<LinkFlowControl> m_flowControl;      //!< governs this direction
    FabricTick m_propagation{0};             //!< one-way delay
    uint64_t m_bitRate{0};                   //!< bits per second
    TxClock m_clock;                         //!< when the wire is free
    FabricTick m_frameEnd{0}; //!< when the latest frame has left; control may still follow
    std::array<EgressQueue, CLASSES> m_queues; //!< waiting frames by class
    uint32_t m_queued{0};                      //!< bit i: m_queues[i] has a frame
    uint32_t m_waiting{0}; //!< bit i: flow control was asked for the next chance of class i
    uint8_t m_lastClass{CLASSES - 1};        //!< class served last (round robin)
    std::unique_ptr<ClassArbiter> m_arbiter; //!< chooses classes; null: in turn
    uint32_t m_served{~0U};                  //!< bit i: class i is ever sent
    std::unique_ptr<ClassShaper> m_shaper;   //!< null: no class is limited
    bool m_up{true};                         //!< see SetUp()
    uint32_t m_discarding{0};                //!< bit i: class i is dropped
    const char* m_discardReason{nullptr};    //!< why
    uint32_t m_sourceTurn{0}; //!< bit i: class i has sent from its queue; the source is next
    FrameFifo m_inFlight;     //!< frames on the wire
    FabricTick m_doneDue{FABRIC_NEVER};     //!< when to call the listener's TransmitDone
    Ptr<MemberTimer<FabricPort>> m_tx;      //!< transmitter event
    Ptr<MemberTimer<FabricPort>> m_arrival; //!< arrival event
    bool m_looking{false};                  //!< inside TrySend: kicks and wakes change nothing
    Counters m_counters;                    //!< link control sent; the rest is by class
    std::array<PortClassCounters, CLASSES> m_classCounters; //!< what was sent and came in
    FabricTick m_idleSince{FABRIC_NEVER}; //!< since when nothing is sent although something waits
    FabricTick m_idleTicks{0};            //!< such times that are over, summed
    std::unique_ptr<LaneLifetimes> m_lifetimes; //!< null: frames may wait for ever
};

} // namespace ns3

#endif // FABRIC_PORT_H
