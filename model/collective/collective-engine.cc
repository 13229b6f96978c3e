/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-engine.h"

#include "ns3/log.h"
#include "ns3/object-factory.h"
#include "ns3/trace-source-accessor.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("CollectiveEngine");

NS_OBJECT_ENSURE_REGISTERED(CollectiveEngine);

TypeId
CollectiveEngine::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::CollectiveEngine")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddConstructor<CollectiveEngine>()
            .AddAttribute("StepLatency",
                          "Time from the arrival of a chunk at a rank that has entered until it is "
                          "reduced or copied and may be forwarded.",
                          TimeValue(TimeStep(0)),
                          MakeTimeAccessor(&CollectiveEngine::m_stepLatency),
                          MakeTimeChecker(TimeStep(0)))
            .AddAttribute("Algorithm",
                          "TypeId of the CollectiveAlgorithmFactory that makes the schedules of "
                          "collectives created from now on.",
                          TypeIdValue(RingAlgorithmFactory::GetTypeId()),
                          MakeTypeIdAccessor(&CollectiveEngine::SetAlgorithm,
                                             &CollectiveEngine::GetAlgorithm),
                          MakeTypeIdChecker())
            .AddTraceSource("CollectiveDone",
                            "All ranks are done with a collective; fires before the callback.",
                            MakeTraceSourceAccessor(&CollectiveEngine::m_doneTrace),
                            "ns3::CollectiveEngine::CollectiveDoneTracedCallback");
    return tid;
}

CollectiveEngine::CollectiveEngine()
    : m_timer(ns3::Create<MemberTimer<CollectiveEngine>>(this, &CollectiveEngine::UsableDue))
{
}

CollectiveEngine::~CollectiveEngine()
{
    m_timer->Detach();
    ReleaseTransport();
}

void
CollectiveEngine::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_timer->Detach();
    ReleaseTransport();
    m_algorithm = nullptr;
    m_rankDone = RankDoneCallback();
    m_done = DoneCallback();
    m_error = ErrorCallback();
    Object::DoDispose();
}

void
CollectiveEngine::SetAlgorithm(TypeId algorithm)
{
    if (!algorithm.IsChildOf(CollectiveAlgorithmFactory::GetTypeId()))
    {
        throw std::invalid_argument("CollectiveEngine::Algorithm: " + algorithm.GetName() +
                                    " found, expected a child of ns3::CollectiveAlgorithmFactory");
    }
    ObjectFactory factory;
    factory.SetTypeId(algorithm);
    m_algorithm = factory.Create<CollectiveAlgorithmFactory>();
}

TypeId
CollectiveEngine::GetAlgorithm() const
{
    return m_algorithm ? m_algorithm->GetInstanceTypeId() : RingAlgorithmFactory::GetTypeId();
}

void
CollectiveEngine::SetTransport(Ptr<MessageTransport> transport)
{
    NS_LOG_FUNCTION(this << transport);
    if (m_pending > 0)
    {
        throw std::logic_error("CollectiveEngine::SetTransport: " + std::to_string(m_pending) +
                               " collectives are unfinished, expected none");
    }
    ReleaseTransport();
    m_broken.clear();
    m_transport = transport;
    if (m_transport)
    {
        m_order = std::make_shared<RankOrder>(m_transport->GetSize());
        m_transport->SetDeliveredCallback(MakeCallback(&CollectiveEngine::Delivered, this));
        m_transport->SetErrorCallback(MakeCallback(&CollectiveEngine::ConnectionFailed, this));
    }
}

void
CollectiveEngine::ReleaseTransport()
{
    if (m_transport)
    {
        m_transport->SetDeliveredCallback(MessageTransport::DeliveredCallback());
        m_transport->SetErrorCallback(MessageTransport::ErrorCallback());
        m_transport = nullptr;
    }
    ReleaseReduction();
}

void
CollectiveEngine::ReleaseReduction()
{
    if (m_reduction)
    {
        m_reduction->SetResultCallback(InNetworkReduction::ResultCallback());
        m_reduction->SetErrorCallback(InNetworkReduction::ErrorCallback());
        m_reduction = nullptr;
    }
}

void
CollectiveEngine::SetReduction(Ptr<InNetworkReduction> reduction)
{
    NS_LOG_FUNCTION(this << reduction);
    if (m_pending > 0 || !m_transport)
    {
        throw std::logic_error("CollectiveEngine::SetReduction: " + std::to_string(m_pending) +
                               " collectives are unfinished, expected none, and a transport");
    }
    if (reduction && reduction->GetSize() != m_transport->GetSize())
    {
        throw std::invalid_argument(
            "CollectiveEngine::SetReduction: " + std::to_string(reduction->GetSize()) +
            " ranks found, expected " + std::to_string(m_transport->GetSize()) +
            " as the transport has");
    }
    ReleaseReduction();
    for (uint32_t rank = 0; rank < m_transport->GetSize(); ++rank)
    {
        m_broken.erase({CollectiveStep::NETWORK, rank});
        m_broken.erase({rank, CollectiveStep::NETWORK});
    }
    m_reduction = reduction;
    if (m_reduction)
    {
        m_reduction->SetResultCallback(MakeCallback(&CollectiveEngine::Reduced, this));
        m_reduction->SetErrorCallback(MakeCallback(&CollectiveEngine::ReductionFailed, this));
    }
}

void
CollectiveEngine::SetRankOrder(const std::vector<uint32_t>& order)
{
    if (!m_transport)
    {
        throw std::logic_error("CollectiveEngine::SetRankOrder: no transport is set");
    }
    if (order.size() != m_transport->GetSize())
    {
        throw std::invalid_argument(
            "CollectiveEngine::SetRankOrder: " + std::to_string(order.size()) +
            " ranks found, expected " + std::to_string(m_transport->GetSize()));
    }
    m_order = std::make_shared<RankOrder>(order);
}

uint32_t
CollectiveEngine::TakeSlot()
{
    // The lowest free slot, so that a workload that repeats uses the same tags in each period.
    if (m_freeSlots.empty())
    {
        m_runs.push_back(std::make_unique<CollectiveRun>());
        return static_cast<uint32_t>(m_runs.size() - 1);
    }
    const uint32_t slot = *m_freeSlots.begin();
    m_freeSlots.erase(m_freeSlots.begin());
    return slot;
}

uint64_t
CollectiveEngine::Create(CollectiveOp op, uint64_t bytes, const std::string& name)
{
    NS_LOG_FUNCTION(this << CollectiveOpName(op) << bytes << name);
    if (!m_transport)
    {
        throw std::logic_error("CollectiveEngine::Create: collective '" + name +
                               "' needs a transport, none is set");
    }
    std::unique_ptr<CollectiveAlgorithm> algorithm =
        m_algorithm->CreateAlgorithm(op, m_order, bytes);
    if (algorithm->NeedsNetwork() && !m_reduction)
    {
        throw std::logic_error("CollectiveEngine::Create: collective '" + name + "' by " +
                               algorithm->GetName() +
                               " needs an in-network reduction, none is set");
    }
    for (uint32_t rank = 0; rank < algorithm->GetSize(); ++rank)
    {
        if (algorithm->GetSteps(rank) > (uint32_t{1} << STEP_BITS))
        {
            throw std::invalid_argument("CollectiveEngine::Create: collective '" + name + "' has " +
                                        std::to_string(algorithm->GetSteps(rank)) +
                                        " steps, expected at most 2^24");
        }
    }

    CollectiveRecord record;
    record.id = m_records.size();
    record.name = name;
    record.op = op;
    record.algorithm = algorithm->GetName();
    record.bytes = bytes;
    record.ranks = algorithm->GetSize();
    const uint32_t slot = TakeSlot();
    m_runs[slot]->Start(record.id, std::move(algorithm));
    m_records.push_back(record);
    m_slotOf.push_back(slot);
    ++m_pending;
    return record.id;
}

void
CollectiveEngine::Enter(uint64_t id, uint32_t rank)
{
    NS_LOG_FUNCTION(this << id << rank);
    if (id >= m_records.size() || rank >= m_records[id].ranks)
    {
        throw std::invalid_argument(
            "CollectiveEngine::Enter: collective " + std::to_string(id) + ", rank " +
            std::to_string(rank) +
            " found, expected an id from Create() and a rank of the transport");
    }
    const uint32_t slot = m_slotOf[id];
    if (slot == NO_SLOT || m_runs[slot]->HasEntered(rank))
    {
        throw std::invalid_argument("CollectiveEngine::Enter: rank " + std::to_string(rank) +
                                    " enters collective " + std::to_string(id) + " '" +
                                    m_records[id].name + "' again, expected once");
    }
    CollectiveRun& run = *m_runs[slot];
    run.Enter(rank);
    CollectiveRecord& record = m_records[id];
    if (run.GetEntered() == 1)
    {
        record.firstEnter = FabricNow();
    }
    if (run.GetEntered() == record.ranks)
    {
        record.lastEnter = FabricNow();
    }
    if (!run.IsActive())
    {
        return;
    }
    if (run.GetArrived(rank) > 0)
    {
        Arrived(slot, rank);
        if (m_slotOf[id] == NO_SLOT)
        {
            return;
        }
    }
    Progress(slot, rank);
}

void
CollectiveEngine::Delivered(uint32_t from, uint32_t to, uint64_t tag)
{
    NS_LOG_FUNCTION(this << from << to << tag);
    const auto slot = static_cast<uint32_t>(tag >> STEP_BITS);
    const auto k = static_cast<uint32_t>(tag & ((uint64_t{1} << STEP_BITS) - 1));
    if (slot >= m_runs.size() || !m_runs[slot]->IsUnfinished())
    {
        throw std::logic_error("CollectiveEngine: message with tag " + std::to_string(tag) +
                               " from rank " + std::to_string(from) + " to rank " +
                               std::to_string(to) + " belongs to no collective under way");
    }
    CollectiveRun& run = *m_runs[slot];
    if (run.IsActive() && run.Receive(from, to, k) && run.HasEntered(to))
    {
        Arrived(slot, to);
    }
}

void
CollectiveEngine::Arrived(uint32_t slot, uint32_t rank)
{
    const uint32_t steps = m_runs[slot]->GetArrived(rank);
    const FabricTick latency = m_stepLatency.GetTimeStep();
    if (latency == 0 && m_usable.empty())
    {
        m_runs[slot]->SetUsable(rank, steps);
        Progress(slot, rank);
        return;
    }
    // Constant latency makes the due times monotone; the maximum keeps them so if the attribute is
    // changed on the way.
    FabricTick when = FabricNow() + latency;
    if (!m_usable.empty())
    {
        when = std::max(when, m_usable.back().when);
    }
    if (m_usable.full())
    {
        m_usable.set_capacity(2 * m_usable.capacity() + 8);
    }
    m_usable.push_back({when, slot, rank, steps});
    m_timer->SetEarlier(when);
}

void
CollectiveEngine::UsableDue()
{
    const FabricTick now = FabricNow();
    while (!m_usable.empty() && m_usable.front().when <= now)
    {
        const Usable usable = m_usable.front();
        m_usable.pop_front();
        if (m_runs[usable.slot]->IsActive())
        {
            m_runs[usable.slot]->SetUsable(usable.rank, usable.steps);
            Progress(usable.slot, usable.rank);
        }
    }
    if (!m_usable.empty())
    {
        m_timer->SetEarlier(m_usable.front().when);
    }
}

void
CollectiveEngine::Progress(uint32_t slot, uint32_t rank)
{
    CollectiveRun& run = *m_runs[slot];
    const uint64_t id = run.GetId();
    // Sending may call back: this collective may fail or end, and its slot be taken by another.
    const auto goesOn = [&run, id] { return run.IsActive() && run.GetId() == id; };
    CollectiveStep step;
    while (goesOn() && run.TakeSend(rank, step))
    {
        if (m_broken.count({rank, step.sendTo}) > 0)
        {
            Fail(slot, rank, step.sendTo);
            return;
        }
        const uint64_t tag = (uint64_t{slot} << STEP_BITS) | step.index;
        if (step.sendTo == CollectiveStep::NETWORK)
        {
            m_reduction->Contribute(rank, step.sent.bytes, tag);
        }
        else
        {
            m_transport->Send(rank, step.sendTo, step.sent.bytes, tag);
        }
    }
    if (!goesOn() || !run.TakeDone(rank))
    {
        return;
    }
    const bool last = run.GetDone() == m_records[id].ranks;
    if (!m_rankDone.IsNull())
    {
        m_rankDone(id, rank);
    }
    if (last)
    {
        Finish(slot);
    }
}

void
CollectiveEngine::Finish(uint32_t slot)
{
    const uint64_t id = m_runs[slot]->GetId();
    NS_LOG_FUNCTION(this << id);
    m_runs[slot]->Finish();
    m_freeSlots.insert(slot);
    m_slotOf[id] = NO_SLOT;
    --m_pending;
    m_records[id].done = FabricNow();
    // A copy, since a sink may create collectives.
    const CollectiveRecord record = m_records[id];
    m_doneTrace(record);
    if (!m_done.IsNull())
    {
        m_done(id);
    }
}

void
CollectiveEngine::ConnectionFailed(uint32_t from, uint32_t to, std::string what)
{
    NS_LOG_FUNCTION(this << from << to << what);
    m_broken.insert({{from, to}, what});
    for (uint32_t slot = 0; slot < m_runs.size(); ++slot)
    {
        if (m_runs[slot]->IsActive() && m_runs[slot]->Awaits(from, to))
        {
            Fail(slot, from, to);
        }
    }
}

void
CollectiveEngine::Reduced(uint32_t rank, uint64_t tag)
{
    Delivered(CollectiveStep::NETWORK, rank, tag);
}

void
CollectiveEngine::ReductionFailed(std::string what)
{
    NS_LOG_FUNCTION(this << what);
    const uint32_t ranks = m_transport->GetSize();
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        m_broken.insert({{CollectiveStep::NETWORK, rank}, what});
        m_broken.insert({{rank, CollectiveStep::NETWORK}, what});
    }
    for (uint32_t slot = 0; slot < m_runs.size(); ++slot)
    {
        for (uint32_t rank = 0; rank < ranks && m_runs[slot]->IsActive(); ++rank)
        {
            if (m_runs[slot]->Awaits(CollectiveStep::NETWORK, rank))
            {
                Fail(slot, CollectiveStep::NETWORK, rank);
            }
        }
    }
}

void
CollectiveEngine::Fail(uint32_t slot, uint32_t from, uint32_t to)
{
    // The slot is never used again: messages of this collective may still be under way.
    m_runs[slot]->Fail();
    --m_pending;
    const uint64_t id = m_runs[slot]->GetId();
    const std::string why = "connection from " + CollectiveRankName(from) + " to " +
                            CollectiveRankName(to) + " failed: " + m_broken.at({from, to});
    m_records[id].error = why;
    if (m_error.IsNull())
    {
        throw std::runtime_error("collective " + std::to_string(id) + " '" + m_records[id].name +
                                 "': " + why);
    }
    m_error(id, why);
}

void
CollectiveEngine::SetRankDoneCallback(RankDoneCallback callback)
{
    m_rankDone = callback;
}

void
CollectiveEngine::SetDoneCallback(DoneCallback callback)
{
    m_done = callback;
}

void
CollectiveEngine::SetErrorCallback(ErrorCallback callback)
{
    m_error = callback;
}

const std::vector<CollectiveRecord>&
CollectiveEngine::GetRecords() const
{
    return m_records;
}

uint32_t
CollectiveEngine::GetPendingCount() const
{
    return m_pending;
}

std::string
CollectiveEngine::DescribePending() const
{
    std::string text;
    for (const std::unique_ptr<CollectiveRun>& run : m_runs)
    {
        if (run->IsUnfinished())
        {
            const CollectiveRecord& record = m_records[run->GetId()];
            text += "collective " + std::to_string(record.id) + " '" + record.name + "' (" +
                    CollectiveOpName(record.op) + ", " + record.algorithm + ", " +
                    std::to_string(record.bytes) +
                    " bytes): " + (record.error.empty() ? "" : record.error + "; ") +
                    run->Describe() + "\n";
        }
    }
    return text;
}

bool
CollectiveEngine::HashState(StateHash& hash, FabricTick now) const
{
    hash.Add(m_runs.size());
    for (const std::unique_ptr<CollectiveRun>& run : m_runs)
    {
        hash.Add(run->IsUnfinished() ? 1 : 0);
        if (!run->IsUnfinished())
        {
            continue;
        }
        const CollectiveRecord& record = m_records[run->GetId()];
        hash.Add(static_cast<uint64_t>(record.op));
        hash.Add(record.bytes);
        for (const char letter : record.algorithm)
        {
            hash.Add(static_cast<unsigned char>(letter));
        }
        hash.Add(record.firstEnter == FABRIC_NEVER ? FABRIC_NEVER : now - record.firstEnter);
        run->HashState(hash);
    }
    hash.Add(m_usable.size());
    for (const Usable& usable : m_usable)
    {
        hash.Add(usable.when - now);
        hash.Add(usable.slot);
        hash.Add(usable.rank);
        hash.Add(usable.steps);
    }
    m_timer->HashState(hash, now);
    return true;
}

void
CollectiveEngine::Shift(FabricTick by)
{
    for (Usable& usable : m_usable)
    {
        usable.when += by;
    }
    m_timer->Shift(by);
    for (const std::unique_ptr<CollectiveRun>& run : m_runs)
    {
        if (run->IsActive())
        {
            CollectiveRecord& record = m_records[run->GetId()];
            for (FabricTick* tick : {&record.firstEnter, &record.lastEnter})
            {
                *tick += *tick == FABRIC_NEVER ? 0 : by;
            }
        }
    }
}

} // namespace ns3
