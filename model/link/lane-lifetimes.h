/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LANE_LIFETIMES_H
#define LANE_LIFETIMES_H

#include "fabric-frame.h"

#include "ns3/nstime.h"
#include "ns3/shiftable-timer.h"
#include "ns3/state-hash.h"

#include <array>
#include <cstdint>

namespace ns3
{

class FabricPort;

/**
 * @ingroup ai-fabric
 * How long frames may wait in a switch (IBA vol 1, chapter 18): a frame that is at the head
 * of its virtual lane for longer than the head-of-queue limit is discarded, and so is one that has
 * been in the switch for longer than the lifetime limit when it is at the head. After StallCount
 * discards in a row by the head-of-queue limit the lane is stalled: everything for it is discarded
 * for eight times the limit.
 *
 * A port without limits has no such object. With limits, one timer per port runs while frames wait;
 * it fires once per limit at most, not per frame.
 */
class LaneLifetimes
{
  public:
    static constexpr uint8_t NO_LIMIT = 20;    //!< exponents from here on mean: no limit
    static constexpr uint8_t STALL_FACTOR = 8; //!< limits for which a lane is stalled

    /** The limits of a port, in ticks. */
    struct Limits
    {
        FabricTick head{FABRIC_NEVER};  //!< at the head of a lane
        FabricTick total{FABRIC_NEVER}; //!< in the switch
        uint8_t stallCount{7};          //!< discards in a row that stall a lane, 1..7

        /** @returns true if there is any limit */
        bool IsAny() const
        {
            return head != FABRIC_NEVER || total != FABRIC_NEVER;
        }
    };

    /**
     * @param exponent HLL or LTV as a subnet manager writes it
     * @returns 4.096 us x 2^exponent in ticks; FABRIC_NEVER above 19
     */
    static FabricTick GetTicks(uint8_t exponent);

    /**
     * @param port whose queues are watched; must outlive this object
     * @param limits at least one must be finite
     */
    LaneLifetimes(FabricPort* port, const Limits& limits);
    ~LaneLifetimes();
    LaneLifetimes(const LaneLifetimes&) = delete;
    LaneLifetimes& operator=(const LaneLifetimes&) = delete;

    /** @returns the limits */
    const Limits& GetLimits() const;
    /** @param context node id under which the timer runs */
    void SetContext(uint32_t context);

    /**
     * @param cls a class
     * @param now the current tick
     * @returns true if everything for it is discarded now
     */
    bool IsStalled(uint8_t cls, FabricTick now) const;

    /**
     * A frame was queued and has not left at once: if nothing else is at the head, it is now.
     * @param cls its class
     * @param head first in the queue; null if the queue is empty
     * @param now the current tick
     */
    void Queued(uint8_t cls, const FabricFrame* head, FabricTick now);

    /**
     * The frame at the head has left for the wire.
     * @param cls its class
     * @param head the next one; null if there is none
     * @param now the current tick
     */
    void Sent(uint8_t cls, const FabricFrame* head, FabricTick now);

    /**
     * @param hash takes the state
     * @param now the current tick
     */
    void HashState(StateHash& hash, FabricTick now) const;
    /** @param by ticks by which everything pending moves */
    void Shift(FabricTick by);

  private:
    /** One class. */
    struct Lane
    {
        FabricTick headSince{FABRIC_NEVER}; //!< when the head came there; FABRIC_NEVER: none
        FabricTick deadline{FABRIC_NEVER};  //!< when it is discarded
        FabricTick stalledUntil{0};         //!< end of the stall
        uint8_t discarded{0};               //!< in a row, by the head-of-queue limit
    };

    static constexpr uint8_t CLASSES = 16; //!< of a port

    void SetHead(uint8_t cls, const FabricFrame* head, FabricTick now);
    void Expire(uint8_t cls, FabricTick now);
    void Due();

    FabricPort* m_port;                      //!< whose queues are watched
    Limits m_limits;                         //!< of the port
    std::array<Lane, CLASSES> m_lanes;       //!< by class
    Ptr<MemberTimer<LaneLifetimes>> m_timer; //!< not later than the earliest deadline
};

} // namespace ns3

#endif // LANE_LIFETIMES_H
