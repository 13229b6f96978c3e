/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RATE_CONTROL_H
#define RATE_CONTROL_H

#include "ns3/callback.h"
#include "ns3/fabric-tick.h"
#include "ns3/object.h"
#include "ns3/send-pace.h"
#include "ns3/state-hash.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Congestion control of one queue pair: how fast it may send, given what the network says.
 *
 * The queue pair asks GetPace() for each packet. A subclass whose rate rises by itself (a timer)
 * calls RateChanged(), so that a packet that waits for the old rate is let go earlier.
 */
class RateControl : public Object
{
  public:
    /** @returns the TypeId */
    static TypeId GetTypeId();

    /** @param serviceLevel of all packets of the queue pair (InfiniBand); called once, when the
     * queue pair is connected, before SetLineRate() */
    virtual void SetServiceLevel(uint8_t serviceLevel);

    /** @param bitsPerSecond rate of the queue pair's link; called once, when the queue pair is
     * connected */
    virtual void SetLineRate(uint64_t bitsPerSecond);

    /** @returns bits per second on the wire; 0: no limit */
    virtual uint64_t GetRate() const = 0;

    /** @returns GetRate() to the tick, if whole bits per second can't say it; by default the same
     */
    virtual SendPace GetPace() const;

    /**
     * A congestion notification for the queue pair has come in: a CNP, or an ACK with BECN.
     * @param now the current tick
     */
    virtual void OnCnp(FabricTick now) = 0;

    /**
     * Packets have been acknowledged.
     * @param bytes their payload
     * @param now the current tick
     */
    virtual void OnAck(uint64_t bytes, FabricTick now);

    /**
     * A data packet leaves.
     * @param wireBytes its length on the wire
     * @param now the current tick
     */
    virtual void OnSent(uint32_t wireBytes, FabricTick now);

    /**
     * The acknowledgment timer has expired.
     * @param now the current tick
     */
    virtual void OnTimeout(FabricTick now);

    /**
     * Add the relative state (see StateHash).
     * @param hash takes the state
     * @param now the current tick
     * @returns false if it can't be fast-forwarded in this state
     */
    virtual bool HashState(StateHash& hash, FabricTick now) const = 0;

    /** @param by ticks by which everything pending moves */
    virtual void Shift(FabricTick by) = 0;

    /** @param callback called when the rate has changed by itself */
    void SetRateChangedCallback(Callback<void> callback);

  protected:
    void DoDispose() override;

    /** Tell the queue pair that GetPace() has changed outside of the calls above. */
    void RateChanged();

  private:
    Callback<void> m_rateChanged; //!< the queue pair
};

} // namespace ns3

#endif // RATE_CONTROL_H
