/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IB_CONGESTION_INDEX_H
#define IB_CONGESTION_INDEX_H

#include "ns3/callback.h"
#include "ns3/fabric-tick.h"
#include "ns3/ptr.h"
#include "ns3/shiftable-timer.h"
#include "ns3/simple-ref-count.h"
#include "ns3/state-hash.h"

#include <boost/intrusive/list.hpp>
#include <cstdint>

namespace ns3
{

/** How the index of a service level moves (IBA vol 1, annex A10, CACongestionSetting). */
struct IbCongestionSetting
{
    uint8_t increase{1};         //!< CCTI_Increase: added for each BECN
    uint16_t timer{150};         //!< CCTI_Timer in units of 1.024 us; 0: the index never falls
    uint8_t min{0};              //!< CCTI_Min: the index at rest
    uint8_t triggerThreshold{0}; //!< BECNs that leave the index there or above count; 0: none
};

/** Links a user of an index. */
using IbCongestionUserHook =
    boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

/**
 * @ingroup ai-fabric
 * CCTI, the place of a flow or of a service level in its congestion control table: BECNs raise it,
 * a timer lowers it.
 *
 * The timer starts with the first BECN, is not restarted by others, and stops when the index is at
 * its minimum: at rest nothing is pending.
 */
class IbCongestionIndex : public SimpleRefCount<IbCongestionIndex>
{
  public:
    static constexpr int64_t TIMER_UNIT_NS = 1024; //!< of CCTI_Timer

    /** Told of each new index. Arguments: the service level, the index. */
    using ChangedCallback = Callback<void, uint8_t, uint16_t>;

    /**
     * @param serviceLevel whose index, for the callback
     * @param setting how the index moves
     * @param limit CCTI_Limit
     */
    IbCongestionIndex(uint8_t serviceLevel, const IbCongestionSetting& setting, uint16_t limit);
    ~IbCongestionIndex();

    /** @param callback told of each new index; null for nobody */
    void SetChangedCallback(ChangedCallback callback);
    /** @param callback called when the timer has lowered the index; null for nobody */
    void SetFallenCallback(Callback<void> callback);

    /** @param now the current tick, at which a BECN has come in */
    void OnBecn(FabricTick now);

    /** @returns CCTI */
    uint16_t Get() const
    {
        return m_index;
    }

    /** @returns BECNs that left the index at the trigger threshold or above */
    uint64_t GetTriggers() const
    {
        return m_triggers;
    }

    /** @returns true if the index is at its minimum and nothing is pending */
    bool IsAtRest() const;

    /**
     * A user of the index; the first one that is left shifts it.
     * @param user links itself out when it goes
     */
    void AddUser(IbCongestionUserHook& user);

    /**
     * @param hash takes the relative state (see StateHash)
     * @param now the current tick
     */
    void HashState(StateHash& hash, FabricTick now) const;

    /**
     * Every user is shifted, but the timer they share moves once.
     * @param user who is being shifted
     * @param by ticks
     */
    void Shift(const IbCongestionUserHook& user, FabricTick by);

  private:
    void Move(uint16_t index);
    void TimerDue();

    using Users =
        boost::intrusive::list<IbCongestionUserHook, boost::intrusive::constant_time_size<false>>;

    uint8_t m_serviceLevel;                      //!< whose index
    IbCongestionSetting m_setting;               //!< how the index moves
    uint16_t m_limit;                            //!< CCTI_Limit
    uint16_t m_index;                            //!< CCTI
    uint64_t m_triggers{0};                      //!< see GetTriggers()
    FabricTick m_interval;                       //!< CCTI_Timer in ticks
    Ptr<MemberTimer<IbCongestionIndex>> m_timer; //!< the index falls
    ChangedCallback m_changed;                   //!< told of each new index
    Callback<void> m_fallen;                     //!< the only user, whose pace has risen
    Users m_users;                               //!< in order of arrival
};

} // namespace ns3

#endif // IB_CONGESTION_INDEX_H
