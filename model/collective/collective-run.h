/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_RUN_H
#define COLLECTIVE_RUN_H

#include "collective-schedule.h"

#include "ns3/state-hash.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * How far each rank has come in one collective. It knows nothing of time or of a network.
 */
class CollectiveRun
{
  public:
    /**
     * Begin a collective; memory of an earlier one is used again.
     * @param id of the collective
     * @param algorithm its schedule
     */
    void Start(uint64_t id, std::unique_ptr<CollectiveAlgorithm> algorithm);

    /** Nothing will be sent any more, and what arrives is ignored. */
    void Fail();

    /** All is over. */
    void Finish();

    /** @returns true between Start() and either of Fail() and Finish() */
    bool IsActive() const
    {
        return m_state == State::ACTIVE;
    }

    /** @returns true between Start() and Finish() */
    bool IsUnfinished() const
    {
        return m_state != State::FREE;
    }

    /** @returns id of the collective */
    uint64_t GetId() const
    {
        return m_id;
    }

    /** @returns number of ranks that have entered */
    uint32_t GetEntered() const
    {
        return m_entered;
    }

    /** @returns number of ranks that are done */
    uint32_t GetDone() const
    {
        return m_done;
    }

    /**
     * @param rank a rank
     * @returns true if it has entered
     */
    bool HasEntered(uint32_t rank) const
    {
        return m_ranks[rank].entered;
    }

    /**
     * @param rank a rank
     * @returns how many of its first steps have nothing left to arrive
     */
    uint32_t GetArrived(uint32_t rank) const
    {
        return m_ranks[rank].arrived;
    }

    /** @param rank a rank that enters */
    void Enter(uint32_t rank);

    /**
     * A message has arrived, in any order.
     * @param from sender
     * @param to receiver
     * @param k step
     * @returns true if GetArrived(to) has grown
     * @throws std::logic_error if the schedule has no such message or it came before
     */
    bool Receive(uint32_t from, uint32_t to, uint32_t k);

    /**
     * @param rank a rank
     * @param steps how many of its first receives have been reduced or copied
     */
    void SetUsable(uint32_t rank, uint32_t steps);

    /**
     * @param rank a rank
     * @param [out] step the next message that it may send; it counts as sent
     * @returns false if there is none for now
     */
    bool TakeSend(uint32_t rank, CollectiveStep& step);

    /**
     * @param rank a rank
     * @returns true once: when it has sent and received everything
     */
    bool TakeDone(uint32_t rank);

    /**
     * @param from sender
     * @param to receiver
     * @returns true if a message between them has yet to arrive
     */
    bool Awaits(uint32_t from, uint32_t to) const;

    /** @returns which ranks have not entered, and which wait for what from whom */
    std::string Describe() const;

    /** @param hash takes the progress of all ranks */
    void HashState(StateHash& hash) const;

  private:
    /** Where a collective stands. */
    enum class State
    {
        FREE,
        ACTIVE,
        FAILED,
    };

    /** Where a rank stands. */
    struct RankState
    {
        uint32_t steps{0};   //!< of its schedule
        uint32_t arrived{0}; //!< first steps with nothing left to arrive
        uint32_t usable{0};  //!< first steps whose receives are reduced or copied
        uint32_t sent{0};    //!< first steps whose sends have started
        bool entered{false}; //!< its stream is there
        bool done{false};    //!< all sent and usable
        std::vector<uint32_t>
            early; //!< steps that arrived before an earlier one, from another sender
    };

    /**
     * @param rank whose count of arrived steps is raised over what is known to be there
     */
    void SkipArrived(uint32_t rank);

    uint64_t m_id{0};                                 //!< of the collective
    std::unique_ptr<CollectiveAlgorithm> m_algorithm; //!< who sends what when
    std::vector<RankState> m_ranks;                   //!< by rank
    uint32_t m_entered{0};                            //!< ranks
    uint32_t m_done{0};                               //!< ranks
    State m_state{State::FREE};                       //!< of the whole
};

} // namespace ns3

#endif // COLLECTIVE_RUN_H
