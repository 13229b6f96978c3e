/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RATE_CONTROL_H
#define RATE_CONTROL_H

#include "ns3/callback.h"
#include "ns3/fabric-telemetry.h"
#include "ns3/fabric-tick.h"
#include "ns3/object.h"
#include "ns3/send-pace.h"
#include "ns3/state-hash.h"

#include <cstdint>

namespace ns3
{

/** What an acknowledgment says to congestion control. */
struct RateControlAck
{
    uint64_t bytes{0};        //!< payload that is newly acknowledged
    uint64_t packets{0};      //!< packets that are newly acknowledged, more than 0
    uint64_t ackedPackets{0}; //!< packets acknowledged since the start
    uint64_t nextPacket{0}; //!< packets sent since the start: "once per round trip" ends when these
                            //!< are acknowledged
    FabricTick rtt{0};      //!< round-trip time in ticks, if asked for (TIMESTAMP); 0: not known
    uint8_t hops{0};        //!< switches that the acknowledgment has passed
    bool ecnEcho{false};    //!< what it acknowledges was marked, if asked for (ECN_ECHO)
    const FabricTelemetry* telemetry{nullptr}; //!< of the latest data packet, if asked for
};

/**
 * @ingroup ai-fabric
 * Congestion control of one queue pair: how fast it may send, and how much may be under way, given
 * what the network says.
 *
 * The queue pair asks GetPace() and GetWindow() after each call. A subclass whose rate rises by
 * itself (a timer) calls RateChanged(), so that a packet that waits for the old rate is let go
 * earlier.
 */
class RateControl : public Object
{
  public:
    /** What a control needs to be told, as bits: what none asks for costs nothing. */
    enum Feedback : uint8_t
    {
        CNP = 1,       //!< congestion notifications
        ECN_ECHO = 2,  //!< marks of the data in the acknowledgments, as DCTCP has them
        TIMESTAMP = 4, //!< round-trip times
        TELEMETRY = 8, //!< in-band telemetry of data, brought back by acknowledgments (RoCE)
    };

    /** @returns the TypeId */
    static TypeId GetTypeId();

    /** @param serviceLevel of all packets of the queue pair (InfiniBand); called once, when the
     * queue pair is connected, before SetLineRate() */
    virtual void SetServiceLevel(uint8_t serviceLevel);

    /** @param bitsPerSecond rate of the queue pair's link; called once, when the queue pair is
     * connected */
    virtual void SetLineRate(uint64_t bitsPerSecond);

    /** @param bytes payload of a full packet; called once, when the queue pair is connected, before
     * SetLineRate() */
    virtual void SetPacketBytes(uint32_t bytes);

    /** @returns what it needs, bits of Feedback; it never changes. By default CNP. */
    virtual uint8_t GetFeedback() const;

    /** @returns most payload under way in bytes; 0: no limit. One packet may always be under way.
     */
    virtual uint64_t GetWindow() const;

    /** @returns bits per second on the wire; 0: no limit */
    virtual uint64_t GetRate() const = 0;

    /** @returns GetRate() to the tick, if whole bits per second can't say it; by default the same
     */
    virtual SendPace GetPace() const;

    /**
     * A congestion notification for the queue pair has come in: a CNP, or an ACK with BECN.
     * @param now the current tick
     */
    virtual void OnCnp(FabricTick now);

    /**
     * Packets have been acknowledged.
     * @param ack what has come in
     * @param now the current tick
     */
    virtual void OnAck(const RateControlAck& ack, FabricTick now);

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
