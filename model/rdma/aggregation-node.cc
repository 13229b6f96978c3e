/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "aggregation-node.h"

#include "fabric-nic.h"

#include "ns3/ib-opcode.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("AggregationNode");
NS_OBJECT_ENSURE_REGISTERED(AggregationNode);

TypeId
AggregationNode::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::AggregationNode")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddConstructor<AggregationNode>()
            .AddAttribute("MaxGroups",
                          "Groups that the switch can serve at a time. The default is chosen, not "
                          "published.",
                          UintegerValue(64),
                          MakeUintegerAccessor(&AggregationNode::m_maxGroups),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("BufferBytes",
                          "Memory for segments that are being added up: a group takes its window "
                          "times its segment. The default is chosen: 64 groups of 64 full packets.",
                          UintegerValue(64 * 64 * 4096),
                          MakeUintegerAccessor(&AggregationNode::m_bufferBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("AggregationRate",
                          "Rate at which sums leave the adder, in bits of payload, all groups "
                          "together; 0: no limit but the links, as with streaming aggregation.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&AggregationNode::m_rate),
                          MakeDataRateChecker())
            .AddAttribute("Latency",
                          "Time that a segment takes beyond port-to-port latency and adder. No "
                          "figure is published.",
                          TimeValue(NanoSeconds(0)),
                          MakeTimeAccessor(&AggregationNode::m_latency),
                          MakeTimeChecker(NanoSeconds(0)));
    return tid;
}

AggregationNode::AggregationNode()
    : m_timer(Create<MemberTimer<AggregationNode>>(this, &AggregationNode::Due))
{
}

AggregationNode::~AggregationNode()
{
    m_timer->Detach();
}

void
AggregationNode::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_timer->Detach();
    if (m_switch && m_switch->GetLocalSink() == this)
    {
        m_switch->SetLocalSink(nullptr, 0);
    }
    m_switch = nullptr;
    m_groups.clear();
    m_pipeline.clear();
    Object::DoDispose();
}

void
AggregationNode::Attach(const Ptr<FabricSwitch>& owner, uint64_t address)
{
    NS_LOG_FUNCTION(this << owner << address);
    if (m_switch || owner->GetLocalSink())
    {
        throw std::invalid_argument("AggregationNode: the node or the switch is already in use, "
                                    "expected one node per switch");
    }
    m_switch = owner;
    m_address = address;
    owner->AggregateObject(Ptr<AggregationNode>(this));
    owner->SetLocalSink(this, address);
    if (owner->GetNode())
    {
        m_timer->SetContext(owner->GetNode()->GetId());
    }
}

Ptr<FabricSwitch>
AggregationNode::GetSwitch() const
{
    return m_switch;
}

uint64_t
AggregationNode::GetAddress() const
{
    return m_address;
}

std::string
AggregationNode::WhyFull(uint32_t window, uint32_t segmentBytes) const
{
    if (m_groups.size() >= m_maxGroups)
    {
        return std::to_string(m_groups.size()) +
               " aggregation groups are in use, expected fewer than MaxGroups = " +
               std::to_string(m_maxGroups);
    }
    const uint64_t wanted = uint64_t{window} * segmentBytes;
    if (wanted > m_bufferBytes - m_usedBytes)
    {
        return std::to_string(m_usedBytes) + " bytes of aggregation memory are in use and " +
               std::to_string(wanted) +
               " are wanted, expected at most BufferBytes = " + std::to_string(m_bufferBytes);
    }
    return "";
}

void
AggregationNode::AddGroup(const AggregationGroup& group)
{
    NS_LOG_FUNCTION(this << group.id);
    const std::string full = WhyFull(group.window, group.segmentBytes);
    if (!full.empty())
    {
        throw std::runtime_error("AggregationNode: " + full);
    }
    if (m_groups.count(group.id) || group.children.empty() || group.window == 0)
    {
        throw std::invalid_argument("AggregationNode: group " + std::to_string(group.id) +
                                    ": expected a new group with children and a window");
    }
    auto member = std::make_unique<Member>();
    member->config = group;
    member->segments.resize(group.window);
    FabricFrame& pattern = member->pattern;
    pattern.src = m_address;
    pattern.sl = group.serviceLevel;
    pattern.opcode = IbOpcode::UD_SEND_ONLY;
    pattern.srcQp = FabricNic::AGGREGATION_QP;
    pattern.dstQp = FabricNic::AGGREGATION_QP;
    pattern.qkey = group.id;
    m_groups[group.id] = std::move(member);
    m_usedBytes += uint64_t{group.window} * group.segmentBytes;
    if (!m_hasRate && m_rate.GetBitRate())
    {
        m_adder.SetRate(m_rate.GetBitRate(), FabricTicksPerSecond());
        m_hasRate = true;
    }
}

void
AggregationNode::RemoveGroup(uint32_t id)
{
    const auto found = m_groups.find(id);
    if (found != m_groups.end())
    {
        const AggregationGroup& group = found->second->config;
        m_usedBytes -= uint64_t{group.window} * group.segmentBytes;
        m_groups.erase(found);
    }
}

uint32_t
AggregationNode::GetGroups() const
{
    return static_cast<uint32_t>(m_groups.size());
}

const AggregationNode::Counters&
AggregationNode::GetCounters() const
{
    return m_counters;
}

void
AggregationNode::ReceiveFrame(FabricFrame* frame, FabricNetDevice* device)
{
    const auto found = m_groups.find(frame->qkey);
    if (frame->dstQp != FabricNic::AGGREGATION_QP || found == m_groups.end())
    {
        m_switch->FreeRoom(*frame, FabricNow());
        device->DropFrame(frame, FabricNetDevice::NOT_MINE);
        return;
    }
    Member& member = *found->second;
    if (!member.config.isRoot && frame->inPort == member.config.parent.port)
    {
        Distribute(member, frame);
    }
    else
    {
        Add(member, frame, device);
    }
}

void
AggregationNode::Add(Member& member, FabricFrame* frame, FabricNetDevice* device)
{
    const uint32_t index = frame->msn;
    Segment& segment = member.segments[index];
    if (segment.arrived == 0)
    {
        segment.psn = frame->psn;
        segment.payload = frame->payload;
    }
    if (segment.psn != frame->psn || segment.payload != frame->payload)
    {
        throw std::logic_error("AggregationNode: group " + std::to_string(frame->qkey) +
                               ": segment " + std::to_string(frame->psn) + " of " +
                               std::to_string(frame->payload) + " bytes found, expected segment " +
                               std::to_string(segment.psn) + " of " +
                               std::to_string(segment.payload));
    }
    // With cut-through only the head is here. The sum needs the CRCs, which come last.
    const FabricTick whole =
        frame->tailOnWire + device->GetPort().GetPropagation() + device->GetReceiveLatencyTicks();
    segment.whole = segment.arrived ? std::max(segment.whole, whole) : whole;
    ++segment.arrived;
    segment.contributions += frame->dmaLen;
    segment.sum += frame->va;
    ++m_counters.contributions;
    m_switch->FreeRoom(*frame, whole);
    FabricFramePool::Release(frame);
    if (segment.arrived == member.config.children.size())
    {
        Complete(member, index);
    }
}

void
AggregationNode::Complete(const Member& member, uint32_t index)
{
    const Segment& segment = member.segments[index];
    FabricTick done = segment.whole;
    if (m_hasRate)
    {
        m_adder.Start(segment.whole, segment.payload);
        done = m_adder.GetBusyUntil();
    }
    // Segments of different length may become whole in another order than their heads came in.
    m_lastDue = std::max(m_lastDue, done + m_latency.GetTimeStep());
    ++m_counters.segments;
    m_counters.bytes += segment.payload;
    if (m_pipeline.full())
    {
        m_pipeline.set_capacity(2 * m_pipeline.capacity() + 8);
    }
    m_pipeline.push_back({m_lastDue, member.config.id, index});
    m_counters.mostQueued =
        std::max(m_counters.mostQueued, static_cast<uint32_t>(m_pipeline.size()));
    m_timer->SetEarlier(m_lastDue);
}

void
AggregationNode::Due()
{
    const FabricTick now = FabricNow();
    while (!m_pipeline.empty() && m_pipeline.front().due <= now)
    {
        const Ready ready = m_pipeline.front();
        m_pipeline.pop_front();
        const auto found = m_groups.find(ready.group);
        if (found != m_groups.end())
        {
            Emit(*found->second, ready.index);
        }
    }
    if (!m_pipeline.empty())
    {
        m_timer->SetEarlier(m_pipeline.front().due);
    }
}

void
AggregationNode::Emit(Member& member, uint32_t index)
{
    if (member.config.isRoot)
    {
        for (const AggregationPeer& child : member.config.children)
        {
            SendTo(member, index, child);
        }
        m_counters.results += member.config.children.size();
    }
    else
    {
        SendTo(member, index, member.config.parent);
    }
    member.segments[index] = Segment();
}

void
AggregationNode::SendTo(const Member& member, uint32_t index, const AggregationPeer& peer)
{
    const Segment& segment = member.segments[index];
    FabricFrame* frame = FabricFramePool::Allocate();
    *frame = member.pattern;
    frame->dst = peer.address;
    frame->psn = segment.psn;
    frame->payload = segment.payload;
    frame->msn = index;
    frame->dmaLen = segment.contributions;
    frame->va = segment.sum;
    frame->inPort = peer.port; // a queue that no forwarded frame uses; it holds no input buffer
    m_switch->SendLocal(frame, peer.port);
}

void
AggregationNode::Distribute(const Member& member, FabricFrame* frame)
{
    const std::vector<AggregationPeer>& children = member.config.children;
    m_counters.results += children.size();
    frame->src = m_address;
    // As a multicast: the copies hold no room of the input buffer; the frame itself, sent last,
    // does.
    for (std::size_t i = 0; i < children.size(); ++i)
    {
        FabricFrame* out = frame;
        if (i + 1 < children.size())
        {
            out = FabricFramePool::Allocate();
            *out = *frame;
            out->next = nullptr;
            out->inBytes = 0;
        }
        out->dst = children[i].address;
        m_switch->SendLocal(out, children[i].port);
    }
}

} // namespace ns3
