/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PAUSE_FLOW_CONTROL_H
#define PAUSE_FLOW_CONTROL_H

#include "link-flow-control.h"
#include "release-queue.h"

#include "ns3/nstime.h"
#include "ns3/shiftable-timer.h"

#include <array>
#include <boost/circular_buffer.hpp>

namespace ns3
{

class PfcWatchdog;

/**
 * @ingroup ai-fabric
 * Priority-based flow control (IEEE 802.1Qbb): the receiver stops a priority when its buffer fills,
 * and lets it go on when it has drained.
 *
 * Who decides: the receiver's own XOFF and XON thresholds, or its owner (a switch with a shared
 * buffer) by SetPaused. A pause frame takes wire time of the reverse direction at a frame boundary,
 * ahead of data and never paused itself; it acts after ReactionDelay, lasts its quanta (512 bit
 * times each), and is repeated at half of that time as long as the receiver is above XON.
 *
 * Like credits, pause frames are known when they are decided on, and looked at when the transmitter
 * needs them: XOFF takes no event, XON one if the port waits for it. Only if somebody listens, each
 * takes one at its own tick.
 */
class PauseFlowControl : public LinkFlowControl
{
  public:
    static constexpr uint8_t PRIORITIES = 8;       //!< of 802.1Q
    static constexpr uint32_t PFC_WIRE_BYTES = 84; //!< 64-byte frame, preamble and gap
    static constexpr uint32_t QUANTUM_BITS = 512;  //!< bit times in a pause quantum

    /** @returns the TypeId */
    static TypeId GetTypeId();
    PauseFlowControl();

    void Attach(FabricPort* forward, FabricPort* reverse) override;
    bool MaySend(uint8_t cls, uint32_t bytes, FabricTick now) override;
    bool IsHeldAt(uint8_t cls, FabricTick at) const override;
    FabricTick NextChance(uint8_t cls, uint32_t bytes, FabricTick now) override;
    void Sent(uint8_t cls, uint32_t bytes, FabricTick now) override;
    void NoLongerWaiting(uint8_t cls, FabricTick now) override;
    bool Arrived(uint8_t cls, uint32_t bytes, FabricTick now) override;
    void Freed(uint8_t cls, uint32_t bytes, FabricTick when) override;
    bool IsLossless(uint8_t cls) const override;
    FabricTick GetLongestSilence() const override;
    uint64_t GetOccupancy() const override;
    FabricTick GetHeldTicks() const override;
    uint64_t GetPausesSent(uint8_t cls) const override;
    uint64_t GetPausesReceived(uint8_t cls) const override;
    FabricTick GetPausedTicksOf(uint8_t cls) override;
    bool HashState(StateHash& hash, FabricTick now) const override;
    void LinkChanged(bool up) override;
    void Shift(FabricTick by) override;

    /**
     * Receiver: stop a priority, or let it go on. Repeated calls change nothing.
     * @param priority the priority
     * @param paused true to stop it
     */
    void SetPaused(uint8_t priority, bool paused);

    /**
     * Receiver: be a faulty one that pauses priorities whatever its buffer says, and refreshes the
     * pause for ever (a pause storm).
     * @param priorities bit i: priority i; 0 ends the storm
     */
    void SetStorm(uint8_t priorities);

    /**
     * Transmitter: send a priority although it is paused.
     * @param priority the priority
     * @param ignored true: pauses do not count
     */
    void SetIgnored(uint8_t priority, bool ignored);

    /** @param watchdog told of pauses on their way to the transmitter; null for none */
    void SetWatchdog(PfcWatchdog* watchdog);

    /**
     * Transmitter: a pause frame acts now. Harmless in every state: it sets the time left, and does
     * not add.
     * @param enableVector bit i: priority i is meant
     * @param quanta pause time for each priority, in quanta; 0 ends the pause
     */
    void ReceivePause(uint8_t enableVector, const std::array<uint16_t, PRIORITIES>& quanta);

    /** @returns own XOFF threshold in bytes; 0: the owner decides */
    uint64_t GetXoffBytes() const;
    /**
     * @param priority a priority
     * @returns true if the receiver wants it stopped
     */
    bool IsPauseAsserted(uint8_t priority) const;
    /**
     * @param priority a priority
     * @returns tick at which its pause ends by itself; in the past if it is not paused
     */
    FabricTick GetPausedUntil(uint8_t priority) const;
    /** @returns pause frames sent by the receiver, XON and refreshes included */
    uint64_t GetPauseFrames() const;
    /** @returns ticks for which priorities were paused, summed over priorities, up to now */
    FabricTick GetPausedTicks();
    /** @returns ticks from the moment a pause frame has come in until it acts */
    FabricTick GetReactionTicks() const;
    /**
     * @param priority a priority
     * @returns true if the receiver does not pause it any more: it has paused it for MaxPauseTime
     */
    bool IsPauseDisabled(uint8_t priority) const;

  protected:
    void DoDispose() override;

  private:
    /** Both ends of one priority. */
    struct Class
    {
        FabricTick pausedUntil{-1}; //!< transmitter: end of the pause, by the frames taken out
        FabricTick pausedSince{0};  //!< transmitter: its beginning; valid while paused
        bool paused{false};         //!< transmitter: the pause has not been seen to end
        bool waiting{false};        //!< transmitter: the port has a frame
        FabricTick waitBegin{0};    //!< since when
        bool wanted{false};         //!< receiver: its buffer wants it stopped
        bool asserted{false};       //!< receiver: has stopped it
        FabricTick assertedAt{0};   //!< receiver: since when; valid while asserted
        FabricTick refreshAt{0};    //!< receiver: when to say so again; valid while asserted
        uint64_t occupancy{0};      //!< receiver: bytes in the buffer
        uint64_t pauseFrames{0};    //!< receiver: pause frames sent that name the priority
        FabricTick pausedTicks{0};  //!< transmitter: ended pauses, summed
    };

    /** A pause frame on its way to the transmitter. */
    struct PauseFrame
    {
        FabricTick start;                        //!< first bit leaves the receiver
        FabricTick in;                           //!< last bit reaches the transmitter
        FabricTick at;                           //!< acts
        uint8_t enable;                          //!< class-enable vector
        std::array<uint16_t, PRIORITIES> quanta; //!< pause times
    };

    void Assert(uint8_t priority);
    bool IsAnyAsserted() const;
    void SendPause(uint8_t enable, uint16_t quanta);
    void Act(uint8_t enableVector, const std::array<uint16_t, PRIORITIES>& quanta, FabricTick at);
    void EndPause(uint8_t priority, FabricTick at);
    void EndExpired(FabricTick now);
    void Settle(FabricTick now);
    FabricTick GetPauseEnd(uint8_t priority, FabricTick at) const;
    FabricTick FindRelease(uint8_t priority, FabricTick from, bool& expires) const;
    void WatchReleases();
    bool IsObserved() const;
    void SetRefresh();
    void CheckThresholds(uint8_t priority);
    void ApplyReleases(FabricTick now);
    void ActDue();
    void ExpireDue();
    void RefreshDue();
    void ReleaseDue();
    void Show(const PauseFrame& frame);
    FabricTick GetQuantaTicks(uint64_t quanta) const;

    uint64_t m_xoffBytes;             //!< own XOFF threshold per priority; 0: the owner decides
    uint64_t m_xonBytes;              //!< own XON threshold per priority
    uint64_t m_bufferBytes;           //!< receive buffer of all priorities; 0: without limit
    uint16_t m_quanta;                //!< pause time to ask for
    uint8_t m_losslessMask;           //!< bit i: PFC is enabled on priority i
    Time m_reactionDelay;             //!< from reception until the transmitter stops
    bool m_standardReaction;          //!< as long as the standard allows
    bool m_linkPause;                 //!< 802.3x: all priorities at once
    Time m_maxPauseTime;              //!< after which the receiver gives up; 0: never
    FabricTick m_standardTicks{0};    //!< what the standard allows at this rate
    bool m_linkUp{true};              //!< frames get through
    bool m_linkAsserted{false};       //!< LinkPause: the link is stopped
    uint8_t m_storm{0};               //!< bit i: see SetStorm()
    uint8_t m_ignored{0};             //!< bit i: see SetIgnored()
    uint8_t m_disabled{0};            //!< bit i: see IsPauseDisabled()
    PfcWatchdog* m_watchdog{nullptr}; //!< of the transmitter; may be null
    std::array<Class, PRIORITIES> m_classes;     //!< by priority
    uint64_t m_occupancy{0};                     //!< bytes in the buffer
    boost::circular_buffer<PauseFrame> m_frames; //!< on their way, in order
    ReleaseQueue m_releases;                     //!< room that becomes free later
    uint64_t m_pauseFrames{0};                   //!< sent
    FabricTick m_held{0};                        //!< ended waits, summed
    Ptr<MemberTimer<PauseFlowControl>>
        m_act; //!< a pause begins or ends; runs if somebody listens only
    Ptr<MemberTimer<PauseFlowControl>>
        m_expire; //!< a pause for which the port waits ends by itself
    Ptr<MemberTimer<PauseFlowControl>>
        m_refresh; //!< repeat the pause frame; runs while XOFF is asserted
    Ptr<MemberTimer<PauseFlowControl>>
        m_release; //!< room becomes free; runs while XOFF is asserted
};

} // namespace ns3

#endif // PAUSE_FLOW_CONTROL_H
