/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-port.h"

#include "fabric-net-device.h"

#include "ns3/log.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricPort");

FabricPort::FabricPort(FabricNetDevice* device)
    : m_device(device),
      m_tx(Create<MemberTimer<FabricPort>>(this, &FabricPort::TxDue)),
      m_arrival(Create<MemberTimer<FabricPort>>(this, &FabricPort::ArrivalDue))
{
}

FabricPort::~FabricPort()
{
    Dispose();
}

void
FabricPort::Connect(FabricNetDevice* peer,
                    FabricTick propagation,
                    uint64_t bitRate,
                    const Ptr<LinkFlowControl>& flowControl)
{
    m_peer = peer;
    m_propagation = propagation;
    m_flowControl = flowControl;
    m_clock.SetRate(bitRate, FabricTicksPerSecond());
    m_bitRate = bitRate;
    if (peer->GetNode())
    {
        m_arrival->SetContext(peer->GetNode()->GetId());
    }
}

void
FabricPort::Dispose()
{
    m_tx->Detach();
    m_arrival->Detach();
    for (EgressQueue& queue : m_queues)
    {
        while (!queue.IsEmpty())
        {
            FabricFramePool::Release(queue.Pop());
        }
    }
    while (!m_inFlight.IsEmpty())
    {
        FabricFramePool::Release(m_inFlight.Pop());
    }
    m_queued = 0;
    if (m_flowControl)
    {
        m_flowControl->Dispose();
        m_flowControl = nullptr;
    }
    if (m_peer && m_peer->GetPort().m_peer == m_device)
    {
        // The far end keeps its flow control for questions, but neither sends nor hears any more.
        m_peer->GetPort().m_flowControl->Dispose();
        m_peer->GetPort().m_peer = nullptr;
    }
    m_doneDue = FABRIC_NEVER;
    m_lifetimes.reset();
    m_peer = nullptr;
    m_source = nullptr;
    m_listener = nullptr;
}

void
FabricPort::SetContext(uint32_t context)
{
    m_tx->SetContext(context);
    if (m_lifetimes)
    {
        m_lifetimes->SetContext(context);
    }
}

void
FabricPort::SetSource(FabricFrameSource* source)
{
    m_source = source;
}

void
FabricPort::SetListener(FabricPortListener* listener)
{
    m_listener = listener;
    if (!listener)
    {
        m_doneDue = FABRIC_NEVER;
    }
}

FabricPortListener*
FabricPort::GetListener() const
{
    return m_listener;
}

void
FabricPort::SetVirtualOutputQueues(bool voq)
{
    for (EgressQueue& queue : m_queues)
    {
        queue.SetVirtualOutputQueues(voq);
    }
}

void
FabricPort::SetArbiter(std::unique_ptr<ClassArbiter> arbiter)
{
    m_arbiter = std::move(arbiter);
    m_served = m_arbiter ? m_arbiter->GetServedClasses() : ~0U;
    Kick();
}

const ClassArbiter*
FabricPort::GetArbiter() const
{
    return m_arbiter.get();
}

void
FabricPort::SetShaper(std::unique_ptr<ClassShaper> shaper)
{
    m_shaper = std::move(shaper);
    Kick();
}

void
FabricPort::SetUp(bool up)
{
    if (m_up == up)
    {
        return;
    }
    m_up = up;
    if (up)
    {
        Kick();
        return;
    }
    ForgetWaits(m_waiting, FabricNow());
    m_tx->Stop();
    if (m_doneDue != FABRIC_NEVER)
    {
        m_tx->Set(m_doneDue); // the frame on the wire still leaves the buffer
    }
    for (FabricFrame* frame = m_inFlight.Front(); frame; frame = frame->next)
    {
        frame->corrupt = true;
    }
    for (uint8_t cls = 0; cls < CLASSES; ++cls)
    {
        FlushQueue(cls, FabricNetDevice::LINK_DOWN);
    }
}

bool
FabricPort::IsUp() const
{
    return m_up;
}

void
FabricPort::FlushQueue(uint8_t cls, const char* reason)
{
    while (!m_queues[cls].IsEmpty())
    {
        DiscardHead(cls, reason);
    }
}

void
FabricPort::SetDiscarding(uint8_t cls, bool discarding, const char* reason)
{
    const uint32_t bit = 1U << cls;
    m_discarding = discarding ? m_discarding | bit : m_discarding & ~bit;
    m_discardReason = reason;
    if (discarding)
    {
        FlushQueue(cls, reason);
    }
}

bool
FabricPort::HasFrames(uint8_t cls)
{
    return ReadyClasses() >> cls & 1;
}

void
FabricPort::SetLifetimes(const LaneLifetimes::Limits& limits)
{
    m_lifetimes = limits.IsAny() ? std::make_unique<LaneLifetimes>(this, limits) : nullptr;
    if (m_lifetimes && m_device->GetNode())
    {
        m_lifetimes->SetContext(m_device->GetNode()->GetId());
    }
}

const LaneLifetimes*
FabricPort::GetLifetimes() const
{
    return m_lifetimes.get();
}

const FabricFrame*
FabricPort::GetHead(uint8_t cls) const
{
    return m_queues[cls].Front();
}

void
FabricPort::DiscardHead(uint8_t cls, const char* reason)
{
    FabricFrame* frame = m_queues[cls].Pop();
    if (m_queues[cls].IsEmpty())
    {
        m_queued &= ~(1U << cls);
    }
    Discard(frame, reason);
}

void
FabricPort::Discard(FabricFrame* frame, const char* reason)
{
    if (m_listener)
    {
        m_listener->Discard(frame, this, reason);
    }
    else
    {
        m_device->DiscardFrame(frame, reason);
    }
}

void
FabricPort::Enqueue(FabricFrame* frame)
{
    const uint8_t cls = frame->cls;
    if (m_lifetimes && m_lifetimes->IsStalled(cls, FabricNow()))
    {
        Discard(frame, FabricNetDevice::LANE_STALLED);
        return;
    }
    if (m_discarding >> cls & 1)
    {
        Discard(frame, m_discardReason);
        return;
    }
    m_queues[cls].Push(frame);
    m_queued |= 1U << cls;
    if (m_queues[cls].GetBytes() > m_classCounters[cls].maxQueueBytes)
    {
        m_classCounters[cls].maxQueueBytes = m_queues[cls].GetBytes();
    }
    Kick();
    if (m_lifetimes)
    {
        m_lifetimes->Queued(cls, m_queues[cls].Front(), FabricNow());
    }
}

void
FabricPort::Kick()
{
    if (m_looking || !m_peer || !m_up)
    {
        return;
    }
    const FabricTick now = FabricNow();
    m_looking = true;
    if (m_frameEnd <= now)
    {
        TrySend(now);
    }
    else if (m_tx->GetDue() > m_frameEnd)
    {
        PlanNext(now);
    }
    m_looking = false;
}

void
FabricPort::WakeAt(FabricTick at)
{
    // While it looks, the port sees the news itself.
    if (!m_looking)
    {
        m_tx->SetEarlier(std::max({at, m_frameEnd, FabricNow()}));
    }
}

FabricTick
FabricPort::CommitControl(FabricTick earliest, uint32_t wireBytes)
{
    ++m_counters.controlFrames;
    m_counters.controlBytes += wireBytes;
    return m_clock.Start(earliest, wireBytes);
}

FabricTick
FabricPort::PredictControl(FabricTick earliest, uint32_t wireBytes) const
{
    TxClock clock = m_clock;
    clock.Start(earliest, wireBytes);
    return clock.GetBusyUntil();
}

void
FabricPort::TxDue()
{
    FinishTransmit(FabricNow());
    if (m_doneDue != FABRIC_NEVER)
    {
        // Another event of this very tick was faster: the next frame is on the wire already.
        m_tx->SetEarlier(m_doneDue);
        return;
    }
    Kick();
}

void
FabricPort::FinishTransmit(FabricTick now)
{
    if (m_doneDue <= now)
    {
        m_doneDue = FABRIC_NEVER;
        m_listener->TransmitDone(this);
    }
}

uint32_t
FabricPort::ReadyClasses()
{
    return (m_queued | (m_source ? m_source->GetReadyClasses() : 0)) & m_served;
}

bool
FabricPort::IsQueueNext(uint8_t cls)
{
    const uint32_t bit = 1U << cls;
    return (m_queued & bit) &&
           !((m_sourceTurn & bit) && m_source && (m_source->GetReadyClasses() & bit));
}

uint32_t
FabricPort::HeadBytes(uint8_t cls)
{
    return IsQueueNext(cls) ? m_queues[cls].Front()->frameBytes : m_source->PeekFrameBytes(cls);
}

bool
FabricPort::MaySend(uint8_t cls, FabricTick now)
{
    return !IsShaped(cls, now) && m_flowControl->MaySend(cls, HeadBytes(cls), now);
}

inline bool
FabricPort::IsShaped(uint8_t cls, FabricTick at) const
{
    return m_shaper && m_shaper->HoldsBack(cls, at);
}

inline uint8_t
FabricPort::FindInTurn(uint32_t ready, FabricTick now)
{
    for (uint8_t i = 1; i <= CLASSES; ++i)
    {
        const uint8_t cls = (m_lastClass + i) % CLASSES;
        if ((ready & (1U << cls)) && MaySend(cls, now))
        {
            m_lastClass = cls;
            return cls;
        }
    }
    return NO_CLASS;
}

uint8_t
FabricPort::FindByArbiter(uint32_t ready, FabricTick now)
{
    uint32_t sendable = 0;
    for (uint8_t cls = 0; ready >> cls; ++cls)
    {
        if ((ready & (1U << cls)) && MaySend(cls, now))
        {
            sendable |= 1U << cls;
        }
    }
    if (!sendable)
    {
        return NO_CLASS;
    }
    const uint8_t cls = m_arbiter->Choose(sendable);
    m_arbiter->Sent(HeadBytes(cls));
    return cls;
}

FabricTick
FabricPort::FindNextChance(uint32_t ready, FabricTick now)
{
    FabricTick chance = FABRIC_NEVER;
    for (uint8_t cls = 0; m_shaper && ready >> cls; ++cls)
    {
        if ((ready & (1U << cls)) && IsShaped(cls, now))
        {
            // No wait for flow control.
            ready &= ~(1U << cls);
            chance = std::min(chance, m_shaper->GetDue(cls));
        }
    }
    if (!ready)
    {
        return chance;
    }
    BeginWaits(ready, now);
    for (uint8_t cls = 0; ready >> cls; ++cls)
    {
        if (ready & (1U << cls))
        {
            chance = std::min(chance, m_flowControl->NextChance(cls, HeadBytes(cls), now));
        }
    }
    return chance;
}

void
FabricPort::ForgetWaits(uint32_t classes, FabricTick now)
{
    m_waiting &= ~classes;
    for (uint8_t cls = 0; classes >> cls; ++cls)
    {
        if (classes & (1U << cls))
        {
            m_flowControl->NoLongerWaiting(cls, now);
            EndWait(cls, now);
        }
    }
}

void
FabricPort::TrySend(FabricTick now)
{
    // Another event of this very tick may have brought us here before the transmitter's own.
    FinishTransmit(now);
    // Link control messages that were due before now go first. They may keep the wire busy for a
    // moment: the next frame is chosen now all the same, and starts behind them, which saves an
    // event.
    m_peer->GetPort().GetFlowControl()->EmitDue(now);
    const uint32_t ready = ReadyClasses();
    ForgetWaits(m_waiting & ~ready, now);
    if (!ready)
    {
        if (m_idleSince != FABRIC_NEVER)
        {
            EndIdleWait(now); // all that waited has been discarded or withdrawn
        }
        return;
    }
    const uint8_t cls = m_arbiter ? FindByArbiter(ready, now) : FindInTurn(ready, now);
    if (cls != NO_CLASS)
    {
        if (m_waiting & (1U << cls))
        {
            m_waiting &= ~(1U << cls);
            EndWait(cls, now);
        }
        FabricFrame* frame;
        if (IsQueueNext(cls))
        {
            m_sourceTurn |= 1U << cls;
            frame = m_queues[cls].Pop();
            if (m_queues[cls].IsEmpty())
            {
                m_queued &= ~(1U << cls);
            }
            if (m_lifetimes)
            {
                m_lifetimes->Sent(cls, m_queues[cls].Front(), now);
            }
        }
        else
        {
            m_sourceTurn &= ~(1U << cls);
            frame = m_source->Pull(cls);
        }
        Transmit(frame, now);
        return;
    }
    const FabricTick chance = FindNextChance(ready, now);
    if (chance != FABRIC_NEVER)
    {
        m_tx->SetEarlier(std::max(chance, now + 1));
    }
}

void
FabricPort::Transmit(FabricFrame* frame, FabricTick now)
{
    m_flowControl->Sent(frame->cls, frame->frameBytes, now);
    if (m_shaper)
    {
        m_shaper->Sent(frame->cls, frame->wireBytes, now);
    }
    const FabricTick start = m_clock.Start(now, frame->wireBytes);
    const FabricTick end = m_frameEnd = m_clock.GetBusyUntil();
    frame->tailOnWire = end;
    frame->arrival =
        (m_peer->IsCutThrough() ? start : end) + m_propagation + m_peer->GetReceiveLatencyTicks();
    PortClassCounters& counters = m_classCounters[frame->cls];
    ++counters.frames;
    counters.frameBytes += frame->frameBytes;
    if (m_idleSince != FABRIC_NEVER)
    {
        EndIdleWait(now);
    }
    const bool tellDone = m_listener && m_listener->TransmitStarts(frame, this, end);
    m_device->NotifyTxBegin(*frame, start);
    if (tellDone)
    {
        m_doneDue = end;
        m_tx->SetEarlier(end);
    }
    else
    {
        PlanNext(now);
    }
    m_inFlight.Push(frame);
    if (!m_arrival->IsPending())
    {
        m_arrival->Set(frame->arrival);
    }
}

void
FabricPort::PlanNext(FabricTick now)
{
    const uint32_t ready = ReadyClasses();
    if (!ready)
    {
        return;
    }
    bool sendable = m_device->IsStallTraced();
    for (uint8_t cls = 0; !sendable && ready >> cls; ++cls)
    {
        sendable = (ready & (1U << cls)) && !IsShaped(cls, m_frameEnd) &&
                   !m_flowControl->IsHeldAt(cls, m_frameEnd) &&
                   m_flowControl->MaySend(cls, HeadBytes(cls), now);
    }
    const FabricTick next = sendable ? m_frameEnd : FindNextChance(ready, m_frameEnd);
    if (next != FABRIC_NEVER)
    {
        m_tx->SetEarlier(std::max(next, m_frameEnd));
    }
}

void
FabricPort::ArrivalDue()
{
    const FabricTick now = FabricNow();
    // Frames shorter than a tick can arrive together.
    while (!m_inFlight.IsEmpty() && m_inFlight.Front()->arrival <= now)
    {
        FabricFrame* frame = m_inFlight.Pop();
        if (!m_inFlight.IsEmpty() && m_inFlight.Front()->arrival > now)
        {
            m_arrival->Set(m_inFlight.Front()->arrival);
        }
        PortClassCounters& counters = m_classCounters[frame->cls];
        ++counters.arrived;
        counters.arrivedBytes += frame->frameBytes;
        if (!m_peer)
        {
            FabricFramePool::Release(frame); // the far end is gone
            continue;
        }
        m_peer->ReceiveFromWire(frame);
    }
}

uint32_t
FabricPort::GetHeldClasses(FabricTick now)
{
    uint32_t held = 0;
    for (uint8_t cls = 0; m_queued >> cls; ++cls)
    {
        const bool queued = m_queued & (1U << cls);
        if (queued && !m_flowControl->MaySend(cls, m_queues[cls].Front()->frameBytes, now))
        {
            held |= 1U << cls;
        }
    }
    return held;
}

void
FabricPort::VisitQueue(uint8_t cls, const std::function<void(const FabricFrame&)>& visit) const
{
    m_queues.at(cls).ForEach(visit);
}

FabricNetDevice*
FabricPort::GetDevice() const
{
    return m_device;
}

FabricNetDevice*
FabricPort::GetPeer() const
{
    return m_peer;
}

LinkFlowControl*
FabricPort::GetFlowControl() const
{
    return PeekPointer(m_flowControl);
}

FabricTick
FabricPort::GetPropagation() const
{
    return m_propagation;
}

uint64_t
FabricPort::GetBitRate() const
{
    return m_bitRate;
}

FabricTick
FabricPort::GetBusyUntil() const
{
    return m_clock.GetBusyUntil();
}

FabricTick
FabricPort::GetTxTicks(uint64_t bytes) const
{
    return m_clock.GetTicks(bytes);
}

uint64_t
FabricPort::GetQueuedBytes(uint8_t cls) const
{
    return m_queues.at(cls).GetBytes();
}

uint64_t
FabricPort::GetQueuedBytes() const
{
    uint64_t bytes = 0;
    for (const EgressQueue& queue : m_queues)
    {
        bytes += queue.GetBytes();
    }
    return bytes;
}

bool
FabricPort::IsIdle() const
{
    return !m_queued && m_inFlight.IsEmpty();
}

bool
FabricPort::HashState(StateHash& hash, FabricTick now) const
{
    hash.Add(std::max<FabricTick>(m_clock.GetBusyUntil() - now, 0));
    hash.Add(m_clock.GetBusyUntil() >= now ? m_clock.GetRest() : 0);
    hash.Add(std::max<FabricTick>(m_frameEnd - now, 0));
    hash.Add(m_lastClass);
    if (m_arbiter)
    {
        m_arbiter->HashState(hash);
    }
    if (m_shaper)
    {
        m_shaper->HashState(hash, now);
    }
    hash.Add(m_up);
    hash.Add(m_discarding);
    hash.Add(m_sourceTurn);
    for (const EgressQueue& queue : m_queues)
    {
        queue.HashState(hash);
    }
    for (const FabricFrame* frame = m_inFlight.Front(); frame; frame = frame->next)
    {
        hash.Add(frame->arrival - now);
        HashFrame(hash, *frame);
    }
    hash.Add(m_doneDue == FABRIC_NEVER ? -1 : m_doneDue - now);
    if (m_lifetimes)
    {
        m_lifetimes->HashState(hash, now);
    }
    m_tx->HashState(hash, now);
    m_arrival->HashState(hash, now);
    return m_flowControl && m_flowControl->HashState(hash, now);
}

void
FabricPort::Shift(FabricTick by)
{
    m_clock.Shift(by);
    m_frameEnd += by;
    for (FabricFrame* frame = m_inFlight.Front(); frame; frame = frame->next)
    {
        frame->arrival += by;
        frame->tailOnWire += by;
    }
    if (m_doneDue != FABRIC_NEVER)
    {
        m_doneDue += by;
    }
    for (PortClassCounters& counters : m_classCounters)
    {
        counters.waitBegin += by;
    }
    m_idleSince += m_idleSince == FABRIC_NEVER ? 0 : by;
    if (m_lifetimes)
    {
        m_lifetimes->Shift(by);
    }
    if (m_shaper)
    {
        m_shaper->Shift(by);
    }
    m_tx->Shift(by);
    m_arrival->Shift(by);
    if (m_flowControl)
    {
        m_flowControl->Shift(by);
    }
}

} // namespace ns3
