/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LINK_FLOW_CONTROL_H
#define LINK_FLOW_CONTROL_H

#include "ns3/fabric-tick.h"
#include "ns3/object.h"
#include "ns3/state-hash.h"

#include <cstdint>

namespace ns3
{

class FabricPort;

/**
 * @ingroup ai-fabric
 * Who says "stop" on one link direction, and how early: the one difference between IB, lossless
 * Ethernet and plain Ethernet.
 *
 * One object governs one direction and holds both ends of its state: what the transmitter may send,
 * what the receiver has in its buffer, and the credits or pauses on their way back. These messages
 * travel on the wire of the reverse direction and take its time (FabricPort::CommitControl).
 *
 * The receiver's device makes the object, since the receiver's buffer sets its parameters.
 */
class LinkFlowControl : public Object
{
  public:
    /** @returns the TypeId */
    static TypeId GetTypeId();

    /**
     * @param forward the direction that is governed
     * @param reverse the direction whose wire carries the messages back
     */
    virtual void Attach(FabricPort* forward, FabricPort* reverse);

    /**
     * Transmitter: may a frame start now?
     * @param cls class of the frame
     * @param bytes its frameBytes
     * @param now the current tick
     * @returns true if it may
     */
    virtual bool MaySend(uint8_t cls, uint32_t bytes, FabricTick now) = 0;

    /**
     * Transmitter: is it known already that a frame may not start later on? Saves an event at that
     * time.
     * @param cls class of the frame
     * @param at a tick, now or later
     * @returns true if it surely may not start at that tick
     */
    virtual bool IsHeldAt(uint8_t cls, FabricTick at) const;

    /**
     * Transmitter: it may not start now, so when should the port ask again?
     *
     * The object remembers that the port waits, and wakes it (FabricPort::WakeAt) when it learns of
     * an earlier chance, or of the first one.
     * @param cls class of the frame
     * @param bytes its frameBytes
     * @param now the current tick
     * @returns a tick before which the frame surely may not start, FABRIC_NEVER if none is known
     */
    virtual FabricTick NextChance(uint8_t cls, uint32_t bytes, FabricTick now) = 0;

    /**
     * Transmitter: a frame starts.
     * @param cls class of the frame
     * @param bytes its frameBytes
     * @param now the current tick
     */
    virtual void Sent(uint8_t cls, uint32_t bytes, FabricTick now) = 0;

    /**
     * Transmitter: a class for which NextChance() was asked has nothing to send any more.
     * @param cls the class
     * @param now the current tick
     */
    virtual void NoLongerWaiting(uint8_t cls, FabricTick now);

    /**
     * @param cls class of the frame
     * @returns frameBytes of the largest frame that can ever be let go
     */
    virtual uint32_t GetLargestFrame(uint8_t cls) const;

    /**
     * Receiver: a good frame came in and wants room in the buffer.
     * @param cls class of the frame
     * @param bytes its frameBytes
     * @param now the current tick
     * @returns false if there is no room: the frame must be dropped, and counted
     */
    virtual bool Arrived(uint8_t cls, uint32_t bytes, FabricTick now) = 0;

    /**
     * Receiver: the frame leaves the buffer.
     * @param cls class it came in
     * @param bytes its frameBytes
     * @param when tick at which the room becomes free: now or later
     */
    virtual void Freed(uint8_t cls, uint32_t bytes, FabricTick when) = 0;

    /**
     * Receiver: a frame came in broken and was discarded; it takes no room.
     * @param cls class of the frame
     * @param bytes its frameBytes
     * @param now the current tick
     */
    virtual void Lost(uint8_t cls, uint32_t bytes, FabricTick now);

    /**
     * The reverse direction is about to start a frame: put messages that are due before it on the
     * wire first.
     * @param now the current tick
     */
    virtual void EmitDue(FabricTick now);

    /**
     * @param cls a class
     * @returns true if this flow control promises that no frame of the class is dropped for want of
     * room
     */
    virtual bool IsLossless(uint8_t cls) const = 0;

    /** @returns longest time in ticks for which the receiver may keep the news of free room back */
    virtual FabricTick GetLongestSilence() const;

    /** @returns bytes in the receiver's buffer, all classes, as of now */
    virtual uint64_t GetOccupancy() const = 0;

    /** @returns ticks in which the transmitter had a frame ready that this object held back, summed
     * over classes */
    virtual FabricTick GetHeldTicks() const = 0;

    /**
     * @param cls a class
     * @returns pause frames that the receiver has sent for it, refreshes and ends of pauses
     * included; 0 where there are none
     */
    virtual uint64_t GetPausesSent(uint8_t cls) const;
    /**
     * @param cls a class
     * @returns those of GetPausesSent() that have reached the transmitter
     */
    virtual uint64_t GetPausesReceived(uint8_t cls) const;
    /**
     * @param cls a class
     * @returns ticks for which the transmitter was paused, up to now
     */
    virtual FabricTick GetPausedTicksOf(uint8_t cls);

    /**
     * The link has gone down, in both directions: what is on its way back is lost. Or it is up
     * again.
     * @param up true: it is up
     */
    virtual void LinkChanged(bool up);

    /**
     * Add the relative state (see StateHash).
     * @param hash takes the state
     * @param now the current tick
     * @returns false if this flow control can't be fast-forwarded
     */
    virtual bool HashState(StateHash& hash, FabricTick now) const;

    /**
     * Move all state in time, as if whole periods had passed.
     * @param by ticks
     */
    virtual void Shift(FabricTick by);

  protected:
    void DoDispose() override;

    FabricPort* m_forward{nullptr}; //!< the governed direction
    FabricPort* m_reverse{nullptr}; //!< the direction that carries messages back
};

} // namespace ns3

#endif // LINK_FLOW_CONTROL_H
