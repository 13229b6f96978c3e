/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SHIFTABLE_TIMER_H
#define SHIFTABLE_TIMER_H

#include "fabric-tick.h"
#include "state-hash.h"

#include "ns3/event-impl.h"
#include "ns3/ptr.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * The only way in which the packet path puts events into the simulator.
 *
 * The timer knows when it is due and when its earliest entry in the event list fires. Moving it
 * later is free: the old entry fires, sees that it came early and re-arms. Moving it earlier adds
 * one entry; the left-over one is ignored. Stopping is free. Nothing is allocated, cancelled or
 * removed, so a component of flows can be shifted in time as a whole (exact fast-forward).
 */
class ShiftableTimer : public EventImpl
{
  public:
    /** @param context node id under which the handler runs; Simulator::NO_CONTEXT for none */
    explicit ShiftableTimer(uint32_t context)
        : m_context(context)
    {
    }

    /**
     * Fire at the given tick, instead of whenever the timer was due before.
     * @param due absolute tick, not in the past
     */
    void Set(FabricTick due)
    {
        m_due = due;
        if (m_armed > due)
        {
            Arm(due);
        }
    }

    /**
     * Fire at the given tick or when the timer is due, whichever is earlier.
     * @param due absolute tick, not in the past
     */
    void SetEarlier(FabricTick due)
    {
        if (due < m_due)
        {
            Set(due);
        }
    }

    /** Do not fire. */
    void Stop()
    {
        m_due = FABRIC_NEVER;
    }

    /** @returns true if the timer will fire */
    bool IsPending() const
    {
        return m_due != FABRIC_NEVER;
    }

    /** @returns the tick at which it will fire, FABRIC_NEVER if it will not */
    FabricTick GetDue() const
    {
        return m_due;
    }

    /**
     * Move a pending timer.
     * @param by ticks, of either sign
     */
    void Shift(FabricTick by)
    {
        if (IsPending())
        {
            Set(m_due + by);
        }
    }

    /** @param context node id under which the handler runs */
    void SetContext(uint32_t context)
    {
        m_context = context;
    }

    /**
     * @param hash takes the distance from now to the due tick
     * @param now the current tick
     */
    void HashState(StateHash& hash, FabricTick now) const
    {
        hash.Add(IsPending() ? m_due - now : FABRIC_NEVER);
    }

  protected:
    /** The timer is due. */
    virtual void Run() = 0;

  private:
    void Notify() override
    {
        const FabricTick now = FabricNow();
        if (m_armed == now)
        {
            m_armed = FABRIC_NEVER;
        }
        if (m_due == now)
        {
            m_due = FABRIC_NEVER;
            try
            {
                Run();
            }
            catch (...)
            {
                Unref(); // the simulator does so only after an event that returns
                throw;
            }
        }
        else if (m_due != FABRIC_NEVER && m_armed > m_due)
        {
            Arm(m_due);
        }
    }

    void Arm(FabricTick at)
    {
        m_armed = at;
        Ref();
        Simulator::ScheduleWithContext(m_context,
                                       TimeStep(at - FabricNow()),
                                       static_cast<EventImpl*>(this));
    }

    FabricTick m_due{FABRIC_NEVER};   //!< when the handler must run
    FabricTick m_armed{FABRIC_NEVER}; //!< when the earliest live entry of the event list fires
    uint32_t m_context;               //!< node id for the simulator
};

/**
 * @ingroup ai-fabric
 * A timer that calls a member function of its owner.
 */
template <typename T>
class MemberTimer : public ShiftableTimer
{
  public:
    /**
     * @param owner the object, which must outlive the timer or call Detach()
     * @param handler called when due
     * @param context node id under which the handler runs
     */
    MemberTimer(T* owner, void (T::*handler)(), uint32_t context = Simulator::NO_CONTEXT)
        : ShiftableTimer(context),
          m_owner(owner),
          m_handler(handler)
    {
    }

    /** Never call the owner again; for owners that die before the event list does. */
    void Detach()
    {
        Stop();
        m_owner = nullptr;
    }

  private:
    void Run() override
    {
        if (m_owner)
        {
            (m_owner->*m_handler)();
        }
    }

    T* m_owner;             //!< whose handler is called
    void (T::*m_handler)(); //!< the handler
};

} // namespace ns3

#endif // SHIFTABLE_TIMER_H
