/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_DEADLOCK_DETECTOR_H
#define FABRIC_DEADLOCK_DETECTOR_H

#include "fabric-switch.h"

#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/shiftable-timer.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Finds cyclic buffer dependencies while a fabric runs: a set of switch ports each of which waits
 * for room that only the others could give free (Dally and Seitz, IEEE ToC C-36(5), 1987).
 *
 * It looks at the queues CheckInterval after a port had to wait, and again as long as ports wait
 * and frames move. A port and class is stuck if it waited at two looks in a row and sent nothing
 * between them. It can go on as soon as one frame in the buffer of the next switch can; what is
 * left after taking away all that can go on is suspected. What is suspected at two looks, and
 * nothing that holds it has moved between them, is a deadlock: news of free room has had time to
 * arrive. One cycle of it is named. Nothing is done while nobody waits.
 *
 * Where a switch shares its buffer by a dynamic threshold, traffic of any other port can give room
 * free, so a cycle through such a switch is reported only when all of the switch is stuck.
 */
class FabricDeadlockDetector : public Object, public FabricStallListener
{
  public:
    /** What to do about a deadlock, after the trace source has told of it. */
    enum Reaction
    {
        REPORT, //!< nothing more
        STOP,   //!< Simulator::Stop()
        THROW,  //!< std::runtime_error out of Simulator::Run(), naming the cycle
    };

    /** @returns the TypeId */
    static TypeId GetTypeId();
    FabricDeadlockDetector();

    /** @param switches all switches of one fabric, cabled */
    void Watch(const std::vector<Ptr<FabricSwitch>>& switches);

    /**
     * @param sw a switch
     * @returns what watches it; null if nothing does
     */
    static Ptr<FabricDeadlockDetector> Find(const Ptr<FabricSwitch>& sw);

    /** @returns number of deadlocks found, each once for as long as it lasts; one that lifetime
     * limits broke counts, too */
    uint32_t GetDeadlocks() const;
    /** @returns the latest cycle, as "node 1 port 2 VL 0 -> node 2 port 1 VL 0 -> node 1 port 2 VL
     * 0"; empty if there was none */
    const std::string& GetCycle() const;
    /** @returns tick of the latest look that found one; FABRIC_NEVER if there was none */
    FabricTick GetFoundAt() const;

    // FabricStallListener
    void StallBegins() override;

    /**
     * TracedCallback signature of Deadlock.
     * @param cycle see GetCycle()
     */
    typedef void (*DeadlockTracedCallback)(const std::string& cycle);

  protected:
    void DoDispose() override;

  private:
    /** Frames of one class that wait in one port of one switch. */
    struct Channel
    {
        std::size_t sw; //!< index of the switch
        uint16_t port;  //!< of the switch
        uint8_t cls;    //!< of the frames

        bool operator<(const Channel& other) const
        {
            return std::tie(sw, port, cls) < std::tie(other.sw, other.port, other.cls);
        }
    };

    static constexpr std::size_t NOWHERE = -1; //!< no switch

    /** A channel that waits, and whose room it waits for. */
    struct Wait
    {
        uint64_t sent{0};             //!< frames that the channel has sent so far
        bool stuck{false};            //!< none since the look before
        bool held{false};             //!< frames of it wait in the next switch
        bool live{false};             //!< can go on, sooner or later
        bool suspect{false};          //!< can't, as it looks now
        bool doubt{false};            //!< could at the look before, or may have become able since
        bool dead{false};             //!< suspect at two looks without anything between
        bool named{false};            //!< part of a deadlock that was found
        std::size_t next{NOWHERE};    //!< index of the switch there; NOWHERE: a host
        std::vector<Channel> holders; //!< stuck channels whose frames hold the room
    };

    static FabricTick GetSettleTicks(const FabricNetDevice& device);
    void Look();
    void CollectWaits();
    void FindHolders();
    void FindHolders(std::size_t sw, const std::vector<Wait*>& waiting);
    void Spread();
    std::string FindNewCycle();
    std::vector<Channel> FindCycle(const Channel& start) const;
    std::string NameChannel(const Channel& channel) const;
    void Found(const std::string& cycle);

    Time m_interval;                                  //!< between looks
    Reaction m_reaction;                              //!< to a deadlock
    std::vector<Ptr<FabricSwitch>> m_switches;        //!< the fabric
    FabricTick m_settle{0};                           //!< for which news may be on its way
    std::map<Channel, Wait> m_waits;                  //!< as of the latest look
    std::map<Channel, Wait> m_before;                 //!< as of the look before
    std::vector<bool> m_moves;                        //!< by switch: not all of it is stuck
    uint32_t m_deadlocks{0};                          //!< found
    std::string m_cycle;                              //!< the latest
    FabricTick m_foundAt{FABRIC_NEVER};               //!< when
    Ptr<MemberTimer<FabricDeadlockDetector>> m_timer; //!< the next look
    TracedCallback<const std::string&> m_deadlock;    //!< told of deadlocks
};

} // namespace ns3

#endif // FABRIC_DEADLOCK_DETECTOR_H
