/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PFC_WATCHDOG_H
#define PFC_WATCHDOG_H

#include "ns3/fabric-tick.h"
#include "ns3/shiftable-timer.h"

#include <array>
#include <cstdint>

namespace ns3
{

class RoceNetDevice;
class PauseFlowControl;

/**
 * @ingroup ai-fabric
 * Finds queues that are kept paused, and does something about it, as SONiC's PFC watchdog does: a
 * queue is in a storm when at every look, for the detection time, it was paused, had frames and had
 * sent none. The storm is over when no pause has been in effect for the restoration time.
 *
 * In a storm, DROP ignores pauses, drops what is queued, and drops what comes for the queue and
 * what comes in with the priority; FORWARD ignores pauses only; ALERT does nothing but say so.
 * A host with DROP drops packets of its ns-3 stack; its queue pairs go on waiting.
 *
 * It looks only while a pause is in effect or a storm lasts: without pauses it costs nothing.
 */
class PfcWatchdog
{
  public:
    static constexpr uint8_t PRIORITIES = 8; //!< of 802.1Q

    /** What to do in a storm. */
    enum Action
    {
        OFF,     //!< no watchdog
        DROP,    //!< drop what is queued and comes, and ignore pauses
        FORWARD, //!< ignore pauses
        ALERT,   //!< say so
    };

    /** What does not change. */
    struct Config
    {
        Action action{OFF};        //!< what to do in a storm
        FabricTick detection{0};   //!< for which a queue must stand still, more than 0
        FabricTick restoration{0}; //!< without a pause, after which the storm is over
        FabricTick poll{0};        //!< from one look to the next; 0: a tenth of detection
    };

    /**
     * @param device whose queues are watched
     * @param pause flow control of what it sends
     * @param config what to do
     */
    PfcWatchdog(RoceNetDevice* device, PauseFlowControl* pause, const Config& config);
    ~PfcWatchdog();
    PfcWatchdog(const PfcWatchdog&) = delete;
    PfcWatchdog& operator=(const PfcWatchdog&) = delete;

    /**
     * Called by flow control: a pause frame is on its way.
     * @param at tick at which it will act
     */
    void PauseBegins(FabricTick at);

    /**
     * @param priority a priority
     * @returns true if it is in a storm
     */
    bool IsStorming(uint8_t priority) const;
    /**
     * @param priority a priority
     * @returns storms that have been detected
     */
    uint64_t GetStorms(uint8_t priority) const;
    /**
     * @param priority a priority
     * @returns tick of the latest detection; FABRIC_NEVER if there was none
     */
    FabricTick GetDetectedAt(uint8_t priority) const;
    /**
     * @param priority a priority
     * @returns tick of the latest restoration; FABRIC_NEVER if there was none
     */
    FabricTick GetRestoredAt(uint8_t priority) const;

    /**
     * @param hash takes the relative state
     * @param now the current tick
     */
    void HashState(StateHash& hash, FabricTick now) const;
    /** @param by ticks by which everything pending moves */
    void Shift(FabricTick by);

  private:
    /** One priority. */
    struct Queue
    {
        FabricTick since{FABRIC_NEVER};      //!< when it was first seen to stand still
        uint64_t sent{0};                    //!< frames that had left by then
        bool storm{false};                   //!< detected and not over
        uint64_t storms{0};                  //!< detected
        FabricTick detectedAt{FABRIC_NEVER}; //!< latest
        FabricTick restoredAt{FABRIC_NEVER}; //!< latest
    };

    void Look();
    void LookAt(uint8_t priority, FabricTick now);
    void SetStorm(uint8_t priority, bool storm, FabricTick now);

    RoceNetDevice* m_device;                //!< whose queues are watched
    PauseFlowControl* m_pause;              //!< of what it sends
    Config m_config;                        //!< what to do
    std::array<Queue, PRIORITIES> m_queues; //!< by priority
    Ptr<MemberTimer<PfcWatchdog>> m_timer;  //!< next look
};

} // namespace ns3

#endif // PFC_WATCHDOG_H
