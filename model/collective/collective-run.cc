/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-run.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace ns3
{

namespace
{

/** How many ranks of a kind are named in a description. */
constexpr uint32_t MAX_NAMED = 8;

} // namespace

void
CollectiveRun::Start(uint64_t id, std::unique_ptr<CollectiveAlgorithm> algorithm)
{
    m_id = id;
    m_algorithm = std::move(algorithm);
    m_entered = 0;
    m_done = 0;
    m_state = State::ACTIVE;
    m_ranks.resize(m_algorithm->GetSize());
    for (uint32_t rank = 0; rank < m_ranks.size(); ++rank)
    {
        RankState& state = m_ranks[rank];
        state.steps = m_algorithm->GetSteps(rank);
        state.arrived = 0;
        state.usable = 0;
        state.sent = 0;
        state.entered = false;
        state.done = false;
        state.early.clear();
        SkipArrived(rank);
    }
}

void
CollectiveRun::Fail()
{
    m_state = State::FAILED;
}

void
CollectiveRun::Finish()
{
    m_state = State::FREE;
    m_algorithm.reset();
}

void
CollectiveRun::Enter(uint32_t rank)
{
    m_ranks[rank].entered = true;
    ++m_entered;
}

bool
CollectiveRun::Receive(uint32_t from, uint32_t to, uint32_t k)
{
    RankState& state = m_ranks[to];
    const bool known = std::find(state.early.begin(), state.early.end(), k) != state.early.end();
    if (k < state.arrived || k >= state.steps || known ||
        m_algorithm->GetStep(to, k).recvFrom != from)
    {
        throw std::logic_error("collective " + std::to_string(m_id) + ": rank " +
                               std::to_string(to) + " got the message of step " +
                               std::to_string(k) + " from " + CollectiveRankName(from) +
                               ", expected each message of the schedule once");
    }
    if (k != state.arrived)
    {
        state.early.push_back(k);
        return false;
    }
    ++state.arrived;
    SkipArrived(to);
    return true;
}

void
CollectiveRun::SkipArrived(uint32_t rank)
{
    RankState& state = m_ranks[rank];
    while (state.arrived < state.steps)
    {
        const auto early = std::find(state.early.begin(), state.early.end(), state.arrived);
        if (early != state.early.end())
        {
            *early = state.early.back();
            state.early.pop_back();
        }
        else if (m_algorithm->GetStep(rank, state.arrived).recvFrom != CollectiveStep::NO_RANK)
        {
            return;
        }
        ++state.arrived;
    }
}

void
CollectiveRun::SetUsable(uint32_t rank, uint32_t steps)
{
    m_ranks[rank].usable = std::max(m_ranks[rank].usable, steps);
}

bool
CollectiveRun::TakeSend(uint32_t rank, CollectiveStep& step)
{
    RankState& state = m_ranks[rank];
    while (state.entered && state.sent < state.steps)
    {
        step = m_algorithm->GetStep(rank, state.sent);
        if (step.needs > state.usable)
        {
            return false;
        }
        ++state.sent;
        if (step.sendTo != CollectiveStep::NO_RANK)
        {
            return true;
        }
    }
    return false;
}

bool
CollectiveRun::TakeDone(uint32_t rank)
{
    RankState& state = m_ranks[rank];
    if (state.done || !state.entered || state.usable < state.steps || state.sent < state.steps)
    {
        return false;
    }
    state.done = true;
    ++m_done;
    return true;
}

bool
CollectiveRun::Awaits(uint32_t from, uint32_t to) const
{
    const RankState& state = m_ranks[to];
    for (uint32_t k = state.arrived; k < state.steps; ++k)
    {
        if (m_algorithm->GetStep(to, k).recvFrom == from &&
            std::find(state.early.begin(), state.early.end(), k) == state.early.end())
        {
            return true;
        }
    }
    return false;
}

std::string
CollectiveRun::Describe() const
{
    std::ostringstream absent;
    std::ostringstream waiting;
    uint32_t absentCount = 0;
    uint32_t waitingCount = 0;
    for (uint32_t rank = 0; rank < m_ranks.size(); ++rank)
    {
        const RankState& state = m_ranks[rank];
        if (!state.entered)
        {
            if (++absentCount <= MAX_NAMED)
            {
                absent << (absentCount == 1 ? "; not entered: rank " : ", ") << rank;
            }
        }
        else if (!state.done && ++waitingCount <= MAX_NAMED)
        {
            waiting << "; rank " << rank;
            if (state.arrived < state.steps)
            {
                const CollectiveStep step = m_algorithm->GetStep(rank, state.arrived);
                waiting << " waits for chunk " << step.received.id << " of step " << step.index
                        << " from " << CollectiveRankName(step.recvFrom);
            }
            else
            {
                waiting << " has all chunks and works on them";
            }
        }
    }
    if (absentCount > MAX_NAMED)
    {
        absent << " and " << absentCount - MAX_NAMED << " more";
    }
    if (waitingCount > MAX_NAMED)
    {
        waiting << "; " << waitingCount - MAX_NAMED << " more ranks wait";
    }
    return std::to_string(m_done) + " of " + std::to_string(m_ranks.size()) + " ranks done" +
           absent.str() + waiting.str();
}

void
CollectiveRun::HashState(StateHash& hash) const
{
    hash.Add(static_cast<uint64_t>(m_state));
    hash.Add(m_ranks.size());
    for (const RankState& state : m_ranks)
    {
        hash.Add(state.steps);
        hash.Add(state.arrived);
        hash.Add(state.usable);
        hash.Add(state.sent);
        hash.Add((state.entered ? 1 : 0) + (state.done ? 2 : 0));
        hash.Add(state.early.size());
        for (const uint32_t k : state.early)
        {
            hash.Add(k);
        }
    }
}

} // namespace ns3
