/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pause-flow-control.h"

#include "fabric-net-device.h"
#include "fabric-port.h"
#include "pause-response.h"
#include "pfc-watchdog.h"

#include "ns3/boolean.h"
#include "ns3/ethernet-header.h"
#include "ns3/ethernet-trailer.h"
#include "ns3/log.h"
#include "ns3/mac-pause-header.h"
#include "ns3/packet.h"
#include "ns3/pfc-header.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PauseFlowControl");
NS_OBJECT_ENSURE_REGISTERED(PauseFlowControl);

namespace
{

/** Class-enable vector of all priorities. */
constexpr uint8_t ALL_PRIORITIES = 0xff;

} // namespace

TypeId
PauseFlowControl::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::PauseFlowControl")
            .SetParent<LinkFlowControl>()
            .SetGroupName("AiFabric")
            .AddConstructor<PauseFlowControl>()
            .AddAttribute("XoffBytes",
                          "Pause a priority when its bytes in the receive buffer reach this. 0: "
                          "the owner of the buffer (a switch) decides.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&PauseFlowControl::m_xoffBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("XonBytes",
                          "Let a paused priority go on when its bytes have fallen to this.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&PauseFlowControl::m_xonBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("BufferBytes",
                          "Receive buffer of all priorities together, in bytes; what does not fit "
                          "is dropped. 0: without limit here (a switch has its own).",
                          UintegerValue(0),
                          MakeUintegerAccessor(&PauseFlowControl::m_bufferBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("PauseQuanta",
                          "Pause time to ask for, in quanta of 512 bit times.",
                          UintegerValue(0xffff),
                          MakeUintegerAccessor(&PauseFlowControl::m_quanta),
                          MakeUintegerChecker<uint16_t>(2))
            .AddAttribute("LosslessMask",
                          "Bit i: PFC is enabled on priority i.",
                          UintegerValue(0x18),
                          MakeUintegerAccessor(&PauseFlowControl::m_losslessMask),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("ReactionDelay",
                          "Time from the reception of a pause frame until it acts.",
                          TimeValue(NanoSeconds(0)),
                          MakeTimeAccessor(&PauseFlowControl::m_reactionDelay),
                          MakeTimeChecker(NanoSeconds(0)))
            .AddAttribute("StandardReaction",
                          "A pause frame acts after the longest time that IEEE 802.3, 31B.3.7 "
                          "allows at the rate of the link, instead of ReactionDelay.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&PauseFlowControl::m_standardReaction),
                          MakeBooleanChecker())
            .AddAttribute("LinkPause",
                          "Link-level pause (IEEE 802.3, annex 31B) instead of PFC: when any "
                          "priority of LosslessMask must stop, all priorities of the link do.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&PauseFlowControl::m_linkPause),
                          MakeBooleanChecker())
            .AddAttribute("MaxPauseTime",
                          "A receiver that has paused a priority for so long without a break gives "
                          "it up for good, as a NIC's own watchdog does (100 ms: Guo et al., "
                          "SIGCOMM 2016); 0: never.",
                          TimeValue(NanoSeconds(0)),
                          MakeTimeAccessor(&PauseFlowControl::m_maxPauseTime),
                          MakeTimeChecker(NanoSeconds(0)));
    return tid;
}

PauseFlowControl::PauseFlowControl()
    : m_act(Create<MemberTimer<PauseFlowControl>>(this, &PauseFlowControl::ActDue)),
      m_expire(Create<MemberTimer<PauseFlowControl>>(this, &PauseFlowControl::ExpireDue)),
      m_refresh(Create<MemberTimer<PauseFlowControl>>(this, &PauseFlowControl::RefreshDue)),
      m_release(Create<MemberTimer<PauseFlowControl>>(this, &PauseFlowControl::ReleaseDue))
{
}

void
PauseFlowControl::DoDispose()
{
    m_act->Detach();
    m_expire->Detach();
    m_refresh->Detach();
    m_release->Detach();
    LinkFlowControl::DoDispose();
}

void
PauseFlowControl::Attach(FabricPort* forward, FabricPort* reverse)
{
    LinkFlowControl::Attach(forward, reverse);
    m_standardTicks = GetQuantaTicks(GetMaxPauseResponseQuanta(forward->GetBitRate()));
    // The end of a pause may send a frame at once.
    if (const Ptr<Node> node = forward->GetDevice()->GetNode())
    {
        m_act->SetContext(node->GetId());
        m_expire->SetContext(node->GetId());
    }
}

FabricTick
PauseFlowControl::GetQuantaTicks(uint64_t quanta) const
{
    return m_forward->GetTxTicks(quanta * (QUANTUM_BITS / 8));
}

FabricTick
PauseFlowControl::GetPauseEnd(uint8_t priority, FabricTick at) const
{
    FabricTick end = m_classes[priority].pausedUntil;
    if (!m_linkPause && !IsLossless(priority))
    {
        return end; // not enabled: pauses of it have no effect
    }
    for (const PauseFrame& frame : m_frames)
    {
        if (frame.at > at)
        {
            break;
        }
        if (frame.enable & (1 << priority))
        {
            const uint16_t quanta = frame.quanta[priority];
            end = quanta ? frame.at + GetQuantaTicks(quanta) : std::min(end, frame.at);
        }
    }
    return end;
}

bool
PauseFlowControl::MaySend(uint8_t cls, uint32_t /* bytes */, FabricTick now)
{
    return now >= GetPauseEnd(cls, now) || (m_ignored >> cls & 1);
}

bool
PauseFlowControl::IsHeldAt(uint8_t cls, FabricTick at) const
{
    return at < GetPauseEnd(cls, at) && !(m_ignored >> cls & 1);
}

void
PauseFlowControl::NoLongerWaiting(uint8_t cls, FabricTick now)
{
    Class& state = m_classes[cls % PRIORITIES];
    if (state.waiting)
    {
        state.waiting = false;
        m_held += std::max<FabricTick>(0, now - state.waitBegin);
        m_forward->GetDevice()->NotifyStall(cls, false);
    }
}

uint64_t
PauseFlowControl::GetXoffBytes() const
{
    return m_xoffBytes;
}

FabricTick
PauseFlowControl::NextChance(uint8_t cls, uint32_t /* bytes */, FabricTick now)
{
    Class& state = m_classes[cls];
    if (!state.waiting)
    {
        state.waiting = true;
        state.waitBegin = std::max(now, m_forward->GetBusyUntil());
        m_forward->GetDevice()->NotifyStall(cls, true);
    }
    bool expires = false;
    const FabricTick release = FindRelease(cls, now, expires);
    if (!expires)
    {
        return release;
    }
    WatchReleases(); // the port's own timer is not for what lies far ahead and is put off again and
                     // again
    return FABRIC_NEVER;
}

FabricTick
PauseFlowControl::FindRelease(uint8_t priority, FabricTick from, bool& expires) const
{
    FabricTick end = GetPauseEnd(priority, from);
    expires = end > from;
    for (const PauseFrame& frame : m_frames)
    {
        if (!expires || end < frame.at)
        {
            break;
        }
        if (frame.at > from && (frame.enable & (1 << priority)))
        {
            const uint16_t quanta = frame.quanta[priority];
            expires = quanta > 0;
            end = frame.at + GetQuantaTicks(quanta);
        }
    }
    return std::max(end, from);
}

void
PauseFlowControl::WatchReleases()
{
    // The port looks when the wire is free, not earlier.
    const FabricTick from = std::max(FabricNow(), m_forward->GetBusyUntil());
    FabricTick expiry = FABRIC_NEVER;
    for (uint8_t priority = 0; priority < PRIORITIES; ++priority)
    {
        const Class& state = m_classes[priority];
        if (!state.waiting)
        {
            continue;
        }
        bool expires = false;
        const FabricTick release = FindRelease(priority, from, expires);
        if (!expires)
        {
            m_forward->WakeAt(release);
        }
        else if (!state.asserted || release <= state.refreshAt)
        {
            expiry =
                std::min(expiry, release); // otherwise the refresh comes first, and looks again
        }
    }
    m_expire->Stop();
    if (expiry != FABRIC_NEVER)
    {
        m_expire->Set(expiry);
    }
}

void
PauseFlowControl::Sent(uint8_t cls, uint32_t /* bytes */, FabricTick now)
{
    Class& state = m_classes[cls];
    if (state.waiting)
    {
        state.waiting = false;
        m_held += std::max<FabricTick>(0, now - state.waitBegin);
        m_forward->GetDevice()->NotifyStall(cls, false);
    }
}

bool
PauseFlowControl::Arrived(uint8_t cls, uint32_t bytes, FabricTick now)
{
    ApplyReleases(now);
    if (m_bufferBytes && m_occupancy + bytes > m_bufferBytes)
    {
        return false;
    }
    m_occupancy += bytes;
    m_classes[cls].occupancy += bytes;
    CheckThresholds(cls);
    return true;
}

void
PauseFlowControl::Freed(uint8_t cls, uint32_t bytes, FabricTick when)
{
    m_releases.Insert({when, bytes, cls});
    const FabricTick now = FabricNow();
    if (when <= now)
    {
        ApplyReleases(now);
    }
    else if (m_classes[cls].asserted)
    {
        m_release->SetEarlier(when);
    }
}

void
PauseFlowControl::ApplyReleases(FabricTick now)
{
    while (m_releases.IsDue(now))
    {
        const ReleaseQueue::Release release = m_releases.Pop();
        m_occupancy -= release.bytes;
        m_classes[release.cls].occupancy -= release.bytes;
        CheckThresholds(release.cls);
    }
}

void
PauseFlowControl::ReleaseDue()
{
    ApplyReleases(FabricNow());
    for (const auto& release : m_releases.Get())
    {
        if (m_classes[release.cls].asserted)
        {
            m_release->SetEarlier(release.when);
            break;
        }
    }
}

void
PauseFlowControl::CheckThresholds(uint8_t priority)
{
    if (!m_xoffBytes || !IsLossless(priority))
    {
        return;
    }
    const Class& state = m_classes[priority];
    if (!state.wanted && state.occupancy >= m_xoffBytes)
    {
        SetPaused(priority, true);
        if (!m_releases.Get().empty())
        {
            m_release->SetEarlier(m_releases.Get().front().when);
        }
    }
    else if (state.wanted && state.occupancy <= m_xonBytes)
    {
        SetPaused(priority, false);
    }
}

void
PauseFlowControl::SetPaused(uint8_t priority, bool paused)
{
    m_classes[priority].wanted = paused;
    Assert(priority);
}

/** The buffer, or the storm, has changed its mind about a priority. */
void
PauseFlowControl::Assert(uint8_t priority)
{
    Class& state = m_classes[priority];
    const uint8_t bit = 1 << priority;
    const bool paused = (state.wanted || (m_storm & bit)) && !(m_disabled & bit);
    if (state.asserted == paused)
    {
        return;
    }
    state.asserted = paused;
    state.assertedAt = FabricNow();
    NS_LOG_LOGIC("priority " << +priority << (paused ? " XOFF" : " XON"));
    if (!m_linkPause)
    {
        SendPause(bit, paused ? m_quanta : 0);
        return;
    }
    const bool any = IsAnyAsserted();
    if (any != m_linkAsserted)
    {
        m_linkAsserted = any;
        SendPause(ALL_PRIORITIES, any ? m_quanta : 0);
    }
    SetRefresh();
}

bool
PauseFlowControl::IsAnyAsserted() const
{
    return std::any_of(m_classes.begin(), m_classes.end(), [](const Class& state) {
        return state.asserted;
    });
}

void
PauseFlowControl::SetStorm(uint8_t priorities)
{
    const uint8_t changed = priorities ^ m_storm;
    m_storm = priorities;
    for (uint8_t priority = 0; priority < PRIORITIES; ++priority)
    {
        if (changed & (1 << priority))
        {
            Assert(priority);
        }
    }
}

void
PauseFlowControl::SetIgnored(uint8_t priority, bool ignored)
{
    const uint8_t bit = 1 << priority;
    m_ignored = ignored ? m_ignored | bit : m_ignored & ~bit;
    m_forward->Kick();
}

void
PauseFlowControl::SetWatchdog(PfcWatchdog* watchdog)
{
    m_watchdog = watchdog;
}

bool
PauseFlowControl::IsPauseDisabled(uint8_t priority) const
{
    return m_disabled >> priority & 1;
}

void
PauseFlowControl::LinkChanged(bool up)
{
    m_linkUp = up;
    const FabricTick now = FabricNow();
    if (up)
    {
        for (Class& state : m_classes)
        {
            state.assertedAt = now; // nobody was paused by it in between
        }
        RefreshDue(); // the far end has forgotten
        return;
    }
    Settle(now);
    m_frames.clear();
    m_refresh->Stop();
    m_expire->Stop();
    for (uint8_t priority = 0; priority < PRIORITIES; ++priority)
    {
        if (m_classes[priority].paused)
        {
            EndPause(priority, now);
        }
    }
}

void
PauseFlowControl::SendPause(uint8_t enable, uint16_t quanta)
{
    const FabricTick now = FabricNow();
    Settle(now); // keeps the queue as short as the flight of a frame
    if (!m_linkUp)
    {
        return; // said when the link is up again
    }
    if (m_frames.empty() || m_frames.back().start <= now)
    {
        PauseFrame frame;
        frame.start = m_reverse->CommitControl(now, PFC_WIRE_BYTES);
        frame.in = m_reverse->GetBusyUntil() + m_reverse->GetPropagation();
        frame.at = frame.in + GetReactionTicks();
        frame.enable = 0;
        frame.quanta.fill(0);
        if (m_frames.full())
        {
            m_frames.set_capacity(2 * m_frames.capacity() + 4);
        }
        m_frames.push_back(frame);
        ++m_pauseFrames;
        if (IsObserved())
        {
            m_act->SetEarlier(frame.at);
        }
    }
    // What is decided before the frame starts goes into the same frame.
    PauseFrame& frame = m_frames.back();
    const uint8_t fresh = enable & ~frame.enable;
    frame.enable |= enable;
    for (uint8_t priority = 0; priority < PRIORITIES; ++priority)
    {
        if (enable & (1 << priority))
        {
            frame.quanta[priority] = quanta;
            m_classes[priority].pauseFrames += fresh >> priority & 1;
            m_classes[priority].refreshAt = frame.start + GetQuantaTicks(quanta / 2);
        }
    }
    SetRefresh();
    WatchReleases();
    if (m_watchdog && quanta)
    {
        m_watchdog->PauseBegins(frame.at);
    }
}

void
PauseFlowControl::SetRefresh()
{
    FabricTick at = FABRIC_NEVER;
    const FabricTick most = m_maxPauseTime.GetTimeStep();
    for (const Class& state : m_classes)
    {
        at = state.asserted ? std::min(at, state.refreshAt) : at;
        at = state.asserted && most ? std::min(at, state.assertedAt + most) : at;
    }
    m_refresh->Stop();
    if (at != FABRIC_NEVER && m_linkUp)
    {
        m_refresh->Set(at);
    }
}

void
PauseFlowControl::RefreshDue()
{
    const FabricTick most = m_maxPauseTime.GetTimeStep();
    uint8_t enable = 0;
    for (uint8_t priority = 0; priority < PRIORITIES; ++priority)
    {
        const Class& state = m_classes[priority];
        if (state.asserted && most && FabricNow() - state.assertedAt >= most)
        {
            m_disabled |= 1 << priority;
            Assert(priority);
        }
        enable |= state.asserted ? 1 << priority : 0;
    }
    if (enable)
    {
        SendPause(m_linkPause ? ALL_PRIORITIES : enable, m_quanta);
    }
}

void
PauseFlowControl::Settle(FabricTick now)
{
    while (!m_frames.empty() && m_frames.front().at <= now)
    {
        const PauseFrame frame = m_frames.front();
        m_frames.pop_front();
        Show(frame);
        Act(frame.enable, frame.quanta, frame.at);
    }
    EndExpired(now);
}

void
PauseFlowControl::ActDue()
{
    Settle(FabricNow());
    for (const Class& state : m_classes)
    {
        if (state.paused)
        {
            m_act->SetEarlier(state.pausedUntil);
        }
    }
    if (!m_frames.empty())
    {
        m_act->SetEarlier(m_frames.front().at);
    }
}

void
PauseFlowControl::ExpireDue()
{
    m_forward->Kick();
    WatchReleases();
}

void
PauseFlowControl::ReceivePause(uint8_t enableVector, const std::array<uint16_t, PRIORITIES>& quanta)
{
    const FabricTick now = FabricNow();
    Settle(now);
    Act(enableVector, quanta, now);
    if (m_watchdog)
    {
        m_watchdog->PauseBegins(now);
    }
    if (IsObserved())
    {
        m_act->SetEarlier(now);
    }
    m_forward->Kick();
    WatchReleases();
}

void
PauseFlowControl::Act(uint8_t enableVector,
                      const std::array<uint16_t, PRIORITIES>& quanta,
                      FabricTick at)
{
    EndExpired(at - 1); // a frame that comes in at the very end goes on with the pause
    for (uint8_t priority = 0; priority < PRIORITIES; ++priority)
    {
        if (!(enableVector & (1 << priority)) || (!m_linkPause && !IsLossless(priority)))
        {
            continue;
        }
        Class& state = m_classes[priority];
        if (quanta[priority] == 0)
        {
            if (state.paused)
            {
                EndPause(priority, at);
            }
            continue;
        }
        state.pausedUntil = at + GetQuantaTicks(quanta[priority]);
        if (!state.paused)
        {
            state.paused = true;
            state.pausedSince = at;
            m_forward->GetDevice()->NotifyPause(priority, true);
        }
    }
}

void
PauseFlowControl::EndExpired(FabricTick now)
{
    for (uint8_t priority = 0; priority < PRIORITIES; ++priority)
    {
        if (m_classes[priority].paused && m_classes[priority].pausedUntil <= now)
        {
            EndPause(priority, m_classes[priority].pausedUntil);
        }
    }
}

void
PauseFlowControl::EndPause(uint8_t priority, FabricTick at)
{
    Class& state = m_classes[priority];
    state.paused = false;
    state.pausedUntil = at;
    state.pausedTicks += at - state.pausedSince;
    m_forward->GetDevice()->NotifyPause(priority, false);
}

bool
PauseFlowControl::IsObserved() const
{
    return m_forward->GetDevice()->IsPauseTraced() || m_forward->GetDevice()->IsSniffed() ||
           m_reverse->GetDevice()->IsSniffed();
}

void
PauseFlowControl::Show(const PauseFrame& frame)
{
    FabricNetDevice* from = m_reverse->GetDevice();
    FabricNetDevice* to = m_forward->GetDevice();
    if (!from->IsSniffed() && !to->IsSniffed())
    {
        return;
    }
    auto packet = Create<Packet>();
    if (m_linkPause)
    {
        MacPauseHeader pause;
        pause.SetQuanta(frame.quanta[0]);
        packet->AddHeader(pause);
    }
    else
    {
        PfcHeader pfc;
        for (uint8_t priority = 0; priority < PRIORITIES; ++priority)
        {
            if (frame.enable & (1 << priority))
            {
                pfc.SetPause(priority, frame.quanta[priority]);
            }
        }
        packet->AddHeader(pfc);
    }
    EthernetHeader ethernet(false);
    ethernet.SetDestination(Mac48Address("01:80:c2:00:00:01"));
    ethernet.SetSource(Mac48Address::ConvertFrom(from->GetAddress()));
    ethernet.SetLengthType(PfcHeader::ETHER_TYPE);
    packet->AddHeader(ethernet);
    EthernetTrailer trailer;
    if (from->IsCrcComputed())
    {
        trailer.EnableFcs(true);
        trailer.CalcFcs(packet);
    }
    packet->AddTrailer(trailer);
    from->NotifyControl(packet, frame.start);
    to->NotifyControl(packet, frame.in);
}

bool
PauseFlowControl::IsLossless(uint8_t cls) const
{
    return m_losslessMask & (1 << cls);
}

FabricTick
PauseFlowControl::GetLongestSilence() const
{
    return GetReactionTicks();
}

uint64_t
PauseFlowControl::GetOccupancy() const
{
    uint64_t freed = 0;
    for (const auto& release : m_releases.Get())
    {
        freed += release.when <= FabricNow() ? release.bytes : 0;
    }
    return m_occupancy - freed;
}

bool
PauseFlowControl::IsPauseAsserted(uint8_t priority) const
{
    return m_classes.at(priority).asserted;
}

FabricTick
PauseFlowControl::GetPausedUntil(uint8_t priority) const
{
    return GetPauseEnd(priority, FabricNow());
}

uint64_t
PauseFlowControl::GetPauseFrames() const
{
    return m_pauseFrames;
}

FabricTick
PauseFlowControl::GetPausedTicks()
{
    Settle(FabricNow());
    FabricTick ticks = 0;
    for (const Class& state : m_classes)
    {
        ticks += state.pausedTicks + (state.paused ? FabricNow() - state.pausedSince : 0);
    }
    return ticks;
}

FabricTick
PauseFlowControl::GetPausedTicksOf(uint8_t cls)
{
    if (cls >= PRIORITIES)
    {
        return 0;
    }
    Settle(FabricNow());
    const Class& state = m_classes[cls];
    return state.pausedTicks + (state.paused ? FabricNow() - state.pausedSince : 0);
}

uint64_t
PauseFlowControl::GetPausesSent(uint8_t cls) const
{
    return cls < PRIORITIES ? m_classes[cls].pauseFrames : 0;
}

uint64_t
PauseFlowControl::GetPausesReceived(uint8_t cls) const
{
    uint64_t received = GetPausesSent(cls);
    for (const PauseFrame& frame : m_frames)
    {
        received -= frame.in > FabricNow() && (frame.enable >> cls & 1) ? 1 : 0;
    }
    return received;
}

FabricTick
PauseFlowControl::GetHeldTicks() const
{
    FabricTick held = m_held;
    for (const Class& state : m_classes)
    {
        held += state.waiting ? std::max<FabricTick>(0, FabricNow() - state.waitBegin) : 0;
    }
    return held;
}

FabricTick
PauseFlowControl::GetReactionTicks() const
{
    return m_standardReaction ? m_standardTicks : m_reactionDelay.GetTimeStep();
}

bool
PauseFlowControl::HashState(StateHash& hash, FabricTick now) const
{
    for (uint8_t priority = 0; priority < PRIORITIES; ++priority)
    {
        const Class& state = m_classes[priority];
        const FabricTick end = GetPauseEnd(priority, now);
        hash.Add(end > now ? end - now : 0);
        hash.Add(state.waiting);
        hash.Add(state.asserted ? state.refreshAt - now : FABRIC_NEVER);
        hash.Add(state.wanted);
        hash.Add(state.asserted && m_maxPauseTime.IsStrictlyPositive() ? now - state.assertedAt
                                                                       : 0);
        hash.Add(state.occupancy);
    }
    for (const PauseFrame& frame : m_frames)
    {
        if (frame.at <= now)
        {
            continue; // counted above
        }
        hash.Add(frame.at - now);
        hash.Add(std::max<FabricTick>(frame.start - now, 0));
        hash.Add(frame.enable);
        for (const uint16_t quanta : frame.quanta)
        {
            hash.Add(quanta);
        }
    }
    hash.Add(m_storm | m_ignored << 8 | m_disabled << 16 | m_linkUp << 24 | m_linkAsserted << 25);
    m_releases.HashState(hash, now);
    return true;
}

void
PauseFlowControl::Shift(FabricTick by)
{
    for (Class& state : m_classes)
    {
        state.pausedUntil += by;
        state.pausedSince += by;
        state.waitBegin += by;
        state.refreshAt += by;
        state.assertedAt += by;
    }
    for (PauseFrame& frame : m_frames)
    {
        frame.start += by;
        frame.in += by;
        frame.at += by;
    }
    m_releases.Shift(by);
    m_act->Shift(by);
    m_expire->Shift(by);
    m_refresh->Shift(by);
    m_release->Shift(by);
}

} // namespace ns3
