/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "sharp-transport.h"

#include "aggregation-endpoint.h"

#include "ns3/ib-opcode.h"
#include "ns3/log.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("SharpTransport");
NS_OBJECT_ENSURE_REGISTERED(SharpTransport);

TypeId
SharpTransport::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::SharpTransport")
            .SetParent<InNetworkReduction>()
            .SetGroupName("AiFabric")
            .AddConstructor<SharpTransport>()
            .AddAttribute("Window",
                          "Segments that a rank may have sent without having got their results. "
                          "Read when the group is made.",
                          UintegerValue(64),
                          MakeUintegerAccessor(&SharpTransport::m_window),
                          MakeUintegerChecker<uint32_t>(1, 65536))
            .AddAttribute("ServiceLevel",
                          "Service level of all frames of the group. Read when the group is made.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&SharpTransport::m_serviceLevel),
                          MakeUintegerChecker<uint8_t>(0, 15))
            .AddAttribute("Timeout",
                          "The group fails if a segment that all ranks have sent has no result, "
                          "and none has come for this long. The default is 4.096 us x 2^14, as "
                          "the usual local ACK timeout.",
                          TimeValue(NanoSeconds(67108864)),
                          MakeTimeAccessor(&SharpTransport::m_timeout),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddTraceSource("Result",
                            "The result of a segment has come in at a host.",
                            MakeTraceSourceAccessor(&SharpTransport::m_resultTrace),
                            "ns3::SharpTransport::ResultTracedCallback");
    return tid;
}

SharpTransport::SharpTransport()
    : m_timer(Create<MemberTimer<SharpTransport>>(this, &SharpTransport::CheckProgress))
{
}

SharpTransport::~SharpTransport()
{
    m_timer->Detach();
    Leave();
}

void
SharpTransport::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_timer->Detach();
    Leave();
    InNetworkReduction::DoDispose();
}

void
SharpTransport::Leave()
{
    for (const Member& member : m_members)
    {
        // Gone already where the simulation is being disposed of.
        if (const auto endpoint = member.nic->GetObject<AggregationEndpoint>())
        {
            endpoint->Leave(m_group);
        }
    }
    for (const Ptr<AggregationNode>& node : m_nodes)
    {
        node->RemoveGroup(m_group);
    }
    m_members.clear();
    m_nodes.clear();
    m_reductions.clear();
}

uint32_t
SharpTransport::GetWindow() const
{
    return m_window;
}

uint8_t
SharpTransport::GetServiceLevel() const
{
    return m_serviceLevel;
}

void
SharpTransport::SetGroup(uint32_t group,
                         uint32_t segmentBytes,
                         const std::vector<Host>& hosts,
                         const std::vector<Ptr<AggregationNode>>& nodes)
{
    NS_LOG_FUNCTION(this << group << segmentBytes << hosts.size());
    if (!m_members.empty())
    {
        throw std::runtime_error("SharpTransport: SetGroup called again, expected one call");
    }
    m_group = group;
    m_segmentBytes = segmentBytes;
    m_nodes = nodes;
    m_underWay.resize(std::size_t{2} * m_window);
    for (const Host& host : hosts)
    {
        Member member;
        member.nic = host.nic;
        member.device = DynamicCast<IbNetDevice>(host.nic->GetDevice());
        FabricFrame& pattern = member.pattern;
        pattern.src = member.device->GetFabricAddress();
        pattern.dst = host.leafAddress;
        pattern.sl = m_serviceLevel;
        pattern.opcode = IbOpcode::UD_SEND_ONLY;
        pattern.srcQp = FabricNic::AGGREGATION_QP;
        pattern.dstQp = FabricNic::AGGREGATION_QP;
        pattern.qkey = group;
        pattern.dmaLen = 1;
        member.device->ClassifyFrame(pattern);
        if (pattern.cls == FabricPort::NO_CLASS)
        {
            throw std::invalid_argument("SharpTransport: ServiceLevel " +
                                        std::to_string(m_serviceLevel) +
                                        " has no virtual lane at the host's port, expected a level "
                                        "that its SL to VL table maps to a lane that is served");
        }
        AggregationEndpoint::Of(host.nic)->Join(group,
                                                this,
                                                static_cast<uint32_t>(m_members.size()));
        m_members.push_back(member);
    }
}

uint32_t
SharpTransport::GetGroup() const
{
    return m_group;
}

uint32_t
SharpTransport::GetSegmentBytes() const
{
    return m_segmentBytes;
}

const std::vector<Ptr<AggregationNode>>&
SharpTransport::GetNodes() const
{
    return m_nodes;
}

bool
SharpTransport::HasFailed() const
{
    return m_failed;
}

uint32_t
SharpTransport::GetSize() const
{
    return static_cast<uint32_t>(m_members.size());
}

uint64_t
SharpTransport::GetContribution(uint32_t rank, uint64_t segment)
{
    StateHash hash;
    hash.Add(rank);
    hash.Add(segment);
    return hash.Get();
}

SharpTransport::Reduction&
SharpTransport::GetReduction(uint64_t number)
{
    return m_reductions[number - m_finished];
}

SharpTransport::Segment&
SharpTransport::GetSegment(uint64_t number)
{
    // A rank may send a segment one window ahead of one whose result another has not got yet.
    return m_underWay[number % m_underWay.size()];
}

void
SharpTransport::Contribute(uint32_t rank, uint64_t bytes, uint64_t tag)
{
    NS_LOG_FUNCTION(this << rank << bytes << tag);
    if (rank >= m_members.size())
    {
        throw std::invalid_argument("SharpTransport: rank " + std::to_string(rank) +
                                    ", expected one below " + std::to_string(m_members.size()));
    }
    if (m_failed)
    {
        Fail("vector given to a group that has failed");
        return;
    }
    auto found =
        std::find_if(m_reductions.begin(), m_reductions.end(), [rank, tag](const Reduction& one) {
            return one.tag == tag && !one.hasGiven[rank];
        });
    if (found == m_reductions.end())
    {
        Reduction reduction;
        reduction.tag = tag;
        reduction.bytes = bytes;
        reduction.first = m_segments;
        reduction.segments = bytes ? (bytes - 1) / m_segmentBytes + 1 : 1;
        reduction.hasGiven.resize(m_members.size());
        m_segments += reduction.segments;
        m_reductions.push_back(reduction);
        found = m_reductions.end() - 1;
    }
    else if (found->bytes != bytes)
    {
        throw std::invalid_argument("SharpTransport: rank " + std::to_string(rank) + " gives " +
                                    std::to_string(bytes) + " bytes, expected " +
                                    std::to_string(found->bytes) + " as the others");
    }
    found->hasGiven[rank] = true;
    SendSegments(rank);
}

void
SharpTransport::SendSegments(uint32_t rank)
{
    Member& member = m_members[rank];
    while (member.sent < m_segments && member.sent - member.received < m_window)
    {
        const Reduction& reduction = GetReduction(member.sending);
        if (!reduction.hasGiven[rank])
        {
            return;
        }
        const uint64_t offset = (member.sent - reduction.first) * m_segmentBytes;
        FabricFrame* frame = FabricFramePool::Allocate();
        *frame = member.pattern;
        frame->psn = member.sent & 0xffffff;
        frame->msn = static_cast<uint32_t>(member.sent % m_window);
        frame->payload =
            static_cast<uint32_t>(std::min<uint64_t>(m_segmentBytes, reduction.bytes - offset));
        frame->va = GetContribution(rank, member.sent);
        member.device->ClassifyFrame(*frame);
        member.device->SizeFrame(*frame);

        Segment& segment = GetSegment(member.sent);
        segment.sum += frame->va;
        if (++segment.sent == m_members.size())
        {
            if (m_fullySent == m_fullyReceived)
            {
                m_lastProgress = FabricNow();
            }
            ++m_fullySent;
            if (!m_timer->IsPending())
            {
                m_timer->Set(m_lastProgress + m_timeout.GetTimeStep());
            }
        }
        if (++member.sent == reduction.first + reduction.segments)
        {
            ++member.sending;
        }
        member.device->GetPort().Enqueue(frame);
    }
}

void
SharpTransport::Receive(uint32_t rank, uint32_t index, uint32_t contributions, uint64_t sum)
{
    if (m_failed)
    {
        return;
    }
    Member& member = m_members[rank];
    const uint64_t number = member.received;
    if (index != number % m_window)
    {
        // One way, one order: what should have come before is lost.
        Fail("rank " + std::to_string(rank) + " got a result out of order: the one of segment " +
             std::to_string(number) + " is lost");
        return;
    }
    Segment& segment = GetSegment(number);
    if (contributions != m_members.size() || segment.sent != m_members.size() || sum != segment.sum)
    {
        throw std::logic_error("SharpTransport: the result of segment " + std::to_string(number) +
                               " has " + std::to_string(contributions) +
                               " contributions, expected each of " +
                               std::to_string(m_members.size()) + " ranks once");
    }
    m_resultTrace(rank, number, contributions, sum);
    m_lastProgress = FabricNow();
    if (++segment.received == m_members.size())
    {
        segment = Segment();
        ++m_fullyReceived;
    }
    Reduction& reduction = GetReduction(member.receiving);
    const bool last = ++member.received == reduction.first + reduction.segments;
    const uint64_t tag = reduction.tag;
    if (last)
    {
        ++member.receiving;
        if (++reduction.done == m_members.size())
        {
            m_reductions.pop_front(); // results come in order
            ++m_finished;
        }
    }
    SendSegments(rank);
    if (last && !m_result.IsNull())
    {
        m_result(rank, tag);
    }
}

void
SharpTransport::CheckProgress()
{
    if (m_fullyReceived == m_fullySent)
    {
        return; // armed again when there is something to wait for
    }
    const FabricTick due = m_lastProgress + m_timeout.GetTimeStep();
    if (due > FabricNow())
    {
        m_timer->Set(due);
        return;
    }
    Fail("no result within " + std::to_string(m_timeout.GetMicroSeconds()) +
         " us: a frame of segment " + std::to_string(m_fullyReceived) + " is lost or stuck");
}

void
SharpTransport::Fail(const std::string& what)
{
    m_failed = true;
    m_timer->Stop();
    const std::string line = "aggregation group " + std::to_string(m_group) + ": " + what;
    if (m_error.IsNull())
    {
        throw std::runtime_error("SharpTransport: " + line);
    }
    m_error(line);
}

} // namespace ns3
