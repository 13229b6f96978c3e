/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "credit-flow-control.h"

#include "fabric-net-device.h"
#include "fabric-port.h"

#include "ns3/boolean.h"
#include "ns3/enum-attribute.h"
#include "ns3/ib-flow-control-header.h"
#include "ns3/log.h"
#include "ns3/packet.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("CreditFlowControl");
NS_OBJECT_ENSURE_REGISTERED(CreditFlowControl);

TypeId
CreditFlowControl::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::CreditFlowControl")
            .SetParent<LinkFlowControl>()
            .SetGroupName("AiFabric")
            .AddConstructor<CreditFlowControl>()
            .AddAttribute("BufferBytes",
                          "Receive buffer per data virtual lane, in bytes. Credit beyond 2048 "
                          "blocks cannot be announced.",
                          UintegerValue(65536),
                          MakeUintegerAccessor(&CreditFlowControl::m_bufferBytes),
                          MakeUintegerChecker<uint32_t>(64))
            .AddAttribute("LaneBufferBytes",
                          "Receive buffers of the first data virtual lanes, in bytes, with commas "
                          "between: 65536,32768 is VL0 and VL1. The others have BufferBytes.",
                          StringValue(""),
                          MakeStringAccessor(&CreditFlowControl::m_laneBufferBytes),
                          MakeStringChecker())
            .AddAttribute("ManagementBufferBytes",
                          "Receive buffer of VL15, in bytes; what does not fit is dropped.",
                          UintegerValue(65536),
                          MakeUintegerAccessor(&CreditFlowControl::m_managementBytes),
                          MakeUintegerChecker<uint32_t>(256))
            .AddAttribute("BlockBytes",
                          "Unit of credit in bytes: 64 by the standard; long-haul links use more.",
                          UintegerValue(64),
                          MakeUintegerAccessor(&CreditFlowControl::m_blockBytes),
                          MakeUintegerChecker<uint32_t>(64, 65536))
            .AddAttribute("DataLanes",
                          "Number of data virtual lanes; VL15 comes on top.",
                          UintegerValue(4),
                          MakeUintegerAccessor(&CreditFlowControl::m_laneCount),
                          MakeUintegerChecker<uint8_t>(1, 15))
            .AddAttribute("FcMaxInterval",
                          "Longest time between two flow-control packets of a lane (65,536 symbol "
                          "times); it bounds how long credits stay lost after a bit error.",
                          TimeValue(NanoSeconds(65536)),
                          MakeTimeAccessor(&CreditFlowControl::m_maxInterval),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("CreditUpdate",
                          "When a grown credit limit is announced: EveryRelease: at once; "
                          "Threshold: when it has grown by FcUpdateThresholdBlocks, after "
                          "FcMaxInterval at the latest; Interval: FcMinInterval after the lane's "
                          "latest flow-control packet at the earliest.",
                          EnumValue(EVERY_RELEASE),
                          MakeFabricEnumAccessor(&CreditFlowControl::m_updatePolicy),
                          MakeEnumChecker(EVERY_RELEASE,
                                          "EveryRelease",
                                          THRESHOLD,
                                          "Threshold",
                                          INTERVAL,
                                          "Interval"))
            .AddAttribute("FcUpdateThresholdBlocks",
                          "CreditUpdate Threshold: growth of the credit limit, in blocks, that is "
                          "worth a flow-control packet.",
                          UintegerValue(128),
                          MakeUintegerAccessor(&CreditFlowControl::m_thresholdBlocks),
                          MakeUintegerChecker<uint32_t>(1, CreditCounters::MAX_CREDIT))
            .AddAttribute("FcMinInterval",
                          "CreditUpdate Interval: time from the start of a flow-control packet of "
                          "a lane to the start of the next one, at least.",
                          TimeValue(NanoSeconds(256)),
                          MakeTimeAccessor(&CreditFlowControl::m_minInterval),
                          MakeTimeChecker(NanoSeconds(0)))
            .AddAttribute("PeriodicUpdates",
                          "While the link is in use, lanes without news send a flow-control packet "
                          "every FcMaxInterval, too, as the standard has it: 8 bytes per lane, and "
                          "one event for all lanes that are due at a time. False: only lanes with "
                          "news do.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&CreditFlowControl::m_periodicUpdates),
                          MakeBooleanChecker());
    return tid;
}

CreditFlowControl::CreditFlowControl()
    : m_heal(Create<MemberTimer<CreditFlowControl>>(this, &CreditFlowControl::HealDue)),
      m_show(Create<MemberTimer<CreditFlowControl>>(this, &CreditFlowControl::ShowDue)),
      m_periodic(Create<MemberTimer<CreditFlowControl>>(this, &CreditFlowControl::PeriodicDue))
{
}

void
CreditFlowControl::DoDispose()
{
    m_heal->Detach();
    m_show->Detach();
    m_periodic->Detach();
    LinkFlowControl::DoDispose();
}

void
CreditFlowControl::Attach(FabricPort* forward, FabricPort* reverse)
{
    LinkFlowControl::Attach(forward, reverse);
    m_lanes.assign(m_laneCount, Lane());
    SetLaneSizes();
    if (m_updatePolicy == INTERVAL && m_minInterval > m_maxInterval)
    {
        throw std::invalid_argument("CreditFlowControl: FcMinInterval is " +
                                    std::to_string(m_minInterval.GetSeconds()) +
                                    " s, expected at most FcMaxInterval, " +
                                    std::to_string(m_maxInterval.GetSeconds()) + " s");
    }
    for (Lane& lane : m_lanes)
    {
        // Link initialization has exchanged the first credits before the simulation starts.
        lane.free = lane.size;
        lane.announced = lane.creditLimit = CreditCounters::CreditLimit(0, lane.free);
    }
}

void
CreditFlowControl::SetLaneSizes()
{
    for (Lane& lane : m_lanes)
    {
        lane.size = m_bufferBytes / m_blockBytes;
    }
    std::istringstream list(m_laneBufferBytes);
    std::string item;
    for (std::size_t i = 0; std::getline(list, item, ','); ++i)
    {
        const bool number = !item.empty() && item.size() < 10 &&
                            item.find_first_not_of("0123456789") == std::string::npos;
        if (!number || i >= m_lanes.size() || std::stoul(item) < m_blockBytes)
        {
            throw std::invalid_argument(
                "CreditFlowControl: LaneBufferBytes \"" + m_laneBufferBytes + "\", item " +
                std::to_string(i + 1) + ": \"" + item + "\", expected at most " +
                std::to_string(m_lanes.size()) + " numbers of bytes, each a block of " +
                std::to_string(m_blockBytes) + " or more");
        }
        m_lanes[i].size = static_cast<uint32_t>(std::stoul(item) / m_blockBytes);
    }
}

uint32_t
CreditFlowControl::GetBufferBlocks(uint8_t lane) const
{
    return m_lanes.at(lane).size;
}

uint32_t
CreditFlowControl::GetSmallestBufferBlocks() const
{
    uint32_t smallest = m_bufferBytes / m_blockBytes;
    for (const Lane& lane : m_lanes)
    {
        smallest = &lane == &m_lanes.front() ? lane.size : std::min(smallest, lane.size);
    }
    return smallest;
}

uint32_t
CreditFlowControl::GetBlockBytes() const
{
    return m_blockBytes;
}

uint8_t
CreditFlowControl::GetLanes() const
{
    return m_laneCount;
}

CreditFlowControl*
CreditFlowControl::GetPartner() const
{
    return dynamic_cast<CreditFlowControl*>(m_reverse->GetFlowControl());
}

FabricTick
CreditFlowControl::PredictNews(FabricTick when) const
{
    return m_reverse->PredictControl(when, PACKET_BYTES) + m_reverse->GetPropagation();
}

bool
CreditFlowControl::MaySend(uint8_t cls, uint32_t bytes, FabricTick now)
{
    if (cls == MANAGEMENT_LANE)
    {
        return true;
    }
    EmitDue(now);
    ApplyAnnouncements(now);
    const Lane& lane = m_lanes[cls];
    return CreditCounters::MaySend(lane.creditLimit,
                                   lane.fctbs,
                                   CreditCounters::Blocks(bytes, m_blockBytes));
}

void
CreditFlowControl::NoLongerWaiting(uint8_t cls, FabricTick now)
{
    if (cls < m_lanes.size() && m_lanes[cls].waitBlocks)
    {
        m_lanes[cls].waitBlocks = 0;
        m_held += std::max<FabricTick>(0, now - m_lanes[cls].waitBegin);
        m_forward->GetDevice()->NotifyStall(cls, false);
    }
}

uint32_t
CreditFlowControl::GetLargestFrame(uint8_t cls) const
{
    if (cls >= m_lanes.size())
    {
        return LinkFlowControl::GetLargestFrame(cls);
    }
    return std::min(m_lanes[cls].size, CreditCounters::MAX_CREDIT) * m_blockBytes;
}

FabricTick
CreditFlowControl::NextChance(uint8_t cls, uint32_t bytes, FabricTick now)
{
    Lane& lane = m_lanes[cls];
    const uint32_t blocks = CreditCounters::Blocks(bytes, m_blockBytes);
    if (!lane.waitBlocks)
    {
        lane.waitBegin = std::max(now, m_forward->GetBusyUntil());
        m_forward->GetDevice()->NotifyStall(cls, true);
    }
    lane.waitBlocks = blocks;
    for (const Announcement& announcement : m_announced)
    {
        if (announcement.lane == cls &&
            CreditCounters::MaySend(announcement.creditLimit, lane.fctbs, blocks))
        {
            return announcement.at;
        }
    }
    return PredictChance(cls, blocks);
}

void
CreditFlowControl::Sent(uint8_t cls, uint32_t bytes, FabricTick now)
{
    if (cls == MANAGEMENT_LANE)
    {
        return;
    }
    Lane& lane = m_lanes[cls];
    lane.fctbs =
        (lane.fctbs + CreditCounters::Blocks(bytes, m_blockBytes)) % CreditCounters::MODULUS;
    if (lane.waitBlocks)
    {
        lane.waitBlocks = 0;
        m_held += std::max<FabricTick>(0, now - lane.waitBegin);
        m_forward->GetDevice()->NotifyStall(cls, false);
    }
    if (m_periodicUpdates)
    {
        KeepUpdating(now);
        if (CreditFlowControl* partner = GetPartner())
        {
            partner->KeepUpdating(now);
        }
    }
}

bool
CreditFlowControl::Arrived(uint8_t cls, uint32_t bytes, FabricTick now)
{
    if (cls == MANAGEMENT_LANE)
    {
        return m_management.Arrived(bytes, m_managementBytes, now);
    }
    EmitDue(now);
    Lane& lane = m_lanes[cls];
    const uint32_t blocks = CreditCounters::Blocks(bytes, m_blockBytes);
    lane.abr = (lane.abr + blocks) % CreditCounters::MODULUS;
    if (blocks > lane.free)
    {
        return false;
    }
    lane.free -= blocks;
    m_maxOccupancy = std::max(m_maxOccupancy, lane.size - lane.free);
    Announce(cls, now, false); // matters only where the cap of 2048 blocks hides free room
    return true;
}

void
CreditFlowControl::Freed(uint8_t cls, uint32_t bytes, FabricTick when)
{
    if (cls == MANAGEMENT_LANE)
    {
        m_management.Freed(bytes, when, FabricNow());
        return;
    }
    m_releases.Insert({when, bytes, cls});
    const FabricTick now = FabricNow();
    if (when <= now)
    {
        EmitDue(now);
    }
    else
    {
        if (const uint32_t blocks = m_lanes[cls].waitBlocks)
        {
            const FabricTick chance =
                m_updatePolicy == EVERY_RELEASE ? PredictNews(when) : PredictChance(cls, blocks);
            if (chance != FABRIC_NEVER)
            {
                m_forward->WakeAt(chance);
            }
        }
        if (IsWatched())
        {
            m_show->SetEarlier(when);
        }
    }
}

bool
CreditFlowControl::IsWatched() const
{
    if (m_forward->GetDevice()->IsSniffed() || m_reverse->GetDevice()->IsSniffed())
    {
        return true;
    }
    const CreditFlowControl* partner = GetPartner();
    const auto isHurt = [](const Lane& lane) { return lane.lost > 0; };
    return partner && std::any_of(partner->m_lanes.begin(), partner->m_lanes.end(), isHurt);
}

void
CreditFlowControl::WatchReleases()
{
    if (!m_releases.Get().empty())
    {
        m_show->SetEarlier(m_releases.Get().front().when);
    }
    if (m_postponed != FABRIC_NEVER)
    {
        m_show->SetEarlier(m_postponed);
    }
}

void
CreditFlowControl::EmitDue(FabricTick now)
{
    while (m_releases.IsDue(now) || m_postponed <= now)
    {
        if (m_postponed <= now && !m_releases.IsDue(m_postponed))
        {
            AnnouncePostponed();
            continue;
        }
        const ReleaseQueue::Release release = m_releases.Pop();
        m_lanes[release.cls].free += CreditCounters::Blocks(release.bytes, m_blockBytes);
        Announce(release.cls, release.when, false);
    }
}

void
CreditFlowControl::Announce(uint8_t cls, FabricTick due, bool force)
{
    Lane& lane = m_lanes[cls];
    const uint32_t limit = CreditCounters::CreditLimit(lane.abr, lane.free);
    if (limit == lane.announced && !force)
    {
        return;
    }
    const bool isWaiting = IsPacketWaiting(lane, due);
    if (m_updatePolicy != EVERY_RELEASE)
    {
        if (!force && !isWaiting && Postpone(lane, limit, due))
        {
            return;
        }
        SetPostponed(lane, FABRIC_NEVER);
    }
    lane.announced = limit;
    FabricTick at;
    if (isWaiting)
    {
        Announcement& waiting = m_announced[lane.packet - m_applied];
        waiting.creditLimit = limit;
        at = waiting.at;
    }
    else
    {
        CreditFlowControl* partner = GetPartner();
        Announcement next;
        next.start = m_reverse->CommitControl(due, PACKET_BYTES);
        next.at = at = m_reverse->GetBusyUntil() + m_reverse->GetPropagation();
        next.creditLimit = limit;
        next.fctbs = partner ? partner->m_lanes[cls].fctbs : 0;
        next.lane = cls;
        ApplyAnnouncements(due); // keeps the queue as short as the flight of a packet
        if (m_announced.full())
        {
            m_announced.set_capacity(2 * m_announced.capacity() + 8);
        }
        lane.packet = m_applied + m_announced.size();
        lane.packetStart = next.start;
        m_announced.push_back(next);
        if (partner && partner->m_lanes[cls].lost)
        {
            partner->ScheduleHeal(cls, at + m_reverse->GetPeer()->GetReceiveLatencyTicks());
        }
        if (m_forward->GetDevice()->IsSniffed() || m_reverse->GetDevice()->IsSniffed())
        {
            m_show->SetEarlier(std::max(at, FabricNow()));
        }
    }
    if (lane.waitBlocks && CreditCounters::MaySend(limit, lane.fctbs, lane.waitBlocks))
    {
        m_forward->WakeAt(at);
    }
}

void
CreditFlowControl::ApplyAnnouncements(FabricTick now)
{
    while (!m_announced.empty() && m_announced.front().at <= now)
    {
        const Announcement announcement = m_announced.front();
        m_announced.pop_front();
        ++m_applied;
        m_lanes[announcement.lane].creditLimit = announcement.creditLimit;
        ShowAnnouncement(announcement);
    }
}

void
CreditFlowControl::Lost(uint8_t cls, uint32_t bytes, FabricTick now)
{
    if (cls == MANAGEMENT_LANE)
    {
        return;
    }
    if (CreditFlowControl* partner = GetPartner())
    {
        // Messages that were due before the loss don't heal it, and those from now on do it at
        // their time.
        partner->EmitDue(now);
        partner->WatchReleases();
    }
    m_lanes[cls].lost += CreditCounters::Blocks(bytes, m_blockBytes);
    m_heal->SetEarlier(now + m_maxInterval.GetTimeStep());
}

void
CreditFlowControl::ScheduleHeal(uint8_t cls, FabricTick at)
{
    // The first message after a loss heals it: what was lost until it comes in was sent before it.
    m_lanes[cls].healAt = std::min(m_lanes[cls].healAt, at);
    m_heal->SetEarlier(m_lanes[cls].healAt);
}

void
CreditFlowControl::HealDue()
{
    const FabricTick now = FabricNow();
    EmitDue(now); // messages keep the order in which they are due
    if (CreditFlowControl* partner = GetPartner())
    {
        partner->EmitDue(now);
    }
    for (uint8_t cls = 0; cls < m_lanes.size(); ++cls)
    {
        Lane& lane = m_lanes[cls];
        if (!lane.lost)
        {
            continue;
        }
        if (lane.healAt <= now)
        {
            // The same as ABR := FCTBS, but safe for packets that arrive in this very tick.
            lane.abr = (lane.abr + lane.lost) % CreditCounters::MODULUS;
            lane.lost = 0;
            lane.healAt = FABRIC_NEVER;
            Announce(cls, now, false);
        }
        else if (lane.healAt == FABRIC_NEVER)
        {
            // The transmitter's periodic flow-control packet; it schedules the overwrite of ABR.
            if (CreditFlowControl* partner = GetPartner())
            {
                partner->Announce(cls, now, true);
            }
        }
        if (lane.lost)
        {
            m_heal->SetEarlier(lane.healAt == FABRIC_NEVER ? now + m_maxInterval.GetTimeStep()
                                                           : lane.healAt);
        }
    }
}

void
CreditFlowControl::ShowDue()
{
    const FabricTick now = FabricNow();
    EmitDue(now);
    ApplyAnnouncements(now);
    if (!m_announced.empty())
    {
        m_show->SetEarlier(m_announced.front().at);
    }
    WatchReleases();
}

void
CreditFlowControl::ShowAnnouncement(const Announcement& announcement)
{
    FabricNetDevice* from = m_reverse->GetDevice();
    FabricNetDevice* to = m_forward->GetDevice();
    if (!from->IsSniffed() && !to->IsSniffed())
    {
        return;
    }
    IbFlowControlHeader header;
    header.SetFctbs(announcement.fctbs);
    header.SetVl(announcement.lane);
    header.SetFccl(announcement.creditLimit);
    if (from->IsCrcComputed())
    {
        header.SetLpcrc(header.ComputeLpcrc());
    }
    auto packet = Create<Packet>();
    packet->AddHeader(header);
    from->NotifyControl(packet, announcement.start);
    to->NotifyControl(packet, announcement.at);
}

bool
CreditFlowControl::IsLossless(uint8_t cls) const
{
    return cls != MANAGEMENT_LANE;
}

FabricTick
CreditFlowControl::GetLongestSilence() const
{
    return m_maxInterval.GetTimeStep();
}

uint64_t
CreditFlowControl::GetOccupancy() const
{
    uint64_t blocks = 0;
    for (const Lane& lane : m_lanes)
    {
        blocks += lane.size - lane.free;
    }
    for (const auto& release : m_releases.Get())
    {
        if (release.when <= FabricNow())
        {
            blocks -= CreditCounters::Blocks(release.bytes, m_blockBytes);
        }
    }
    return blocks * m_blockBytes;
}

uint32_t
CreditFlowControl::GetCredit(uint8_t cls)
{
    EmitDue(FabricNow());
    ApplyAnnouncements(FabricNow());
    const Lane& lane = m_lanes.at(cls);
    return (lane.creditLimit + CreditCounters::MODULUS - lane.fctbs) % CreditCounters::MODULUS;
}

CreditFlowControl::Ledger
CreditFlowControl::GetLedger(uint8_t cls) const
{
    const FabricTick now = FabricNow();
    const Lane& lane = m_lanes.at(cls);
    uint32_t limit = lane.creditLimit;
    for (const Announcement& announcement : m_announced)
    {
        limit =
            announcement.lane == cls && announcement.at <= now ? announcement.creditLimit : limit;
    }
    uint32_t free = lane.free;
    for (const ReleaseQueue::Release& release : m_releases.Get())
    {
        free += release.cls == cls && release.when <= now
                    ? CreditCounters::Blocks(release.bytes, m_blockBytes)
                    : 0;
    }
    // Both differences lie within half of the counters' range.
    const uint32_t sent =
        (lane.fctbs + CreditCounters::MODULUS - lane.abr) % CreditCounters::MODULUS;
    Ledger ledger;
    ledger.credits = (limit + CreditCounters::MODULUS - lane.fctbs) % CreditCounters::MODULUS;
    ledger.held = lane.size - free;
    ledger.returning = free - ledger.credits - sent;
    return ledger;
}

uint32_t
CreditFlowControl::GetMaxOccupancyBlocks() const
{
    return m_maxOccupancy;
}

uint64_t
CreditFlowControl::GetManagementOccupancy() const
{
    return m_management.GetOccupancy(FabricNow());
}

uint64_t
CreditFlowControl::GetManagementDrops() const
{
    return m_management.GetDrops();
}

FabricTick
CreditFlowControl::GetHeldTicks() const
{
    FabricTick held = m_held;
    for (const Lane& lane : m_lanes)
    {
        held += lane.waitBlocks ? std::max<FabricTick>(0, FabricNow() - lane.waitBegin) : 0;
    }
    return held;
}

bool
CreditFlowControl::HashState(StateHash& hash, FabricTick now) const
{
    for (const Lane& lane : m_lanes)
    {
        // Only differences of the modulo counters matter.
        hash.Add((lane.creditLimit + CreditCounters::MODULUS - lane.fctbs) %
                 CreditCounters::MODULUS);
        hash.Add((lane.fctbs + CreditCounters::MODULUS - lane.abr) % CreditCounters::MODULUS);
        hash.Add((lane.announced + CreditCounters::MODULUS - lane.abr) % CreditCounters::MODULUS);
        hash.Add(lane.free);
        hash.Add(lane.lost);
        hash.Add(lane.healAt == FABRIC_NEVER ? FABRIC_NEVER : lane.healAt - now);
        hash.Add(lane.waitBlocks);
        hash.Add(std::max<FabricTick>(lane.packetStart - now, 0));
        if (m_updatePolicy != EVERY_RELEASE)
        {
            hash.Add(lane.postponed == FABRIC_NEVER ? FABRIC_NEVER : lane.postponed - now);
            hash.Add(std::max<FabricTick>(lane.packetStart + m_minInterval.GetTimeStep() - now, 0));
        }
    }
    hash.Add(m_announced.size());
    for (const Announcement& announcement : m_announced)
    {
        hash.Add(announcement.at - now);
        hash.Add(announcement.lane);
        hash.Add(
            (announcement.creditLimit + CreditCounters::MODULUS - m_lanes[announcement.lane].abr) %
            CreditCounters::MODULUS);
    }
    m_releases.HashState(hash, now);
    m_management.HashState(hash, now);
    m_heal->HashState(hash, now);
    if (m_periodicUpdates)
    {
        m_periodic->HashState(hash, now);
        hash.Add(m_inUse);
    }
    return true;
}

void
CreditFlowControl::Shift(FabricTick by)
{
    for (Lane& lane : m_lanes)
    {
        lane.packetStart += by;
        lane.waitBegin += by;
        if (lane.healAt != FABRIC_NEVER)
        {
            lane.healAt += by;
        }
        if (lane.postponed != FABRIC_NEVER)
        {
            lane.postponed += by;
        }
    }
    if (m_postponed != FABRIC_NEVER)
    {
        m_postponed += by;
    }
    for (Announcement& announcement : m_announced)
    {
        announcement.start += by;
        announcement.at += by;
    }
    m_releases.Shift(by);
    m_management.Shift(by);
    m_heal->Shift(by);
    m_show->Shift(by);
    m_periodic->Shift(by);
}

} // namespace ns3
