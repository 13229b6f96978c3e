/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-switch.h"

#include "ns3/boolean.h"
#include "ns3/channel.h"
#include "ns3/log.h"
#include "ns3/nstime.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricSwitch");
NS_OBJECT_ENSURE_REGISTERED(FabricSwitch);

TypeId
FabricSwitch::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricSwitch")
            .SetParent<NetDevice>()
            .SetGroupName("AiFabric")
            .AddAttribute("Latency",
                          "Port-to-port latency: first bit in to first bit out with cut-through, "
                          "last bit in to first bit out otherwise.",
                          TimeValue(NanoSeconds(250)),
                          MakeTimeAccessor(&FabricSwitch::m_latency),
                          MakeTimeChecker(NanoSeconds(0)))
            .AddAttribute("CutThrough",
                          "Forward at the head of a frame, on input ports that are at least as "
                          "fast as every output port.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&FabricSwitch::m_cutThrough),
                          MakeBooleanChecker())
            .AddAttribute("Learning",
                          "Learn from the sources of frames where addresses are, as a bridge does "
                          "(IEEE 802.1Q, 8.7), and flood frames to addresses without a route. The "
                          "ports of SetFloodPorts, or all, must be a tree.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&FabricSwitch::m_learning),
                          MakeBooleanChecker())
            .AddAttribute("AgeingTime",
                          "A learned address that has not sent for so long is forgotten.",
                          TimeValue(Seconds(300)),
                          MakeTimeAccessor(&FabricSwitch::m_ageingTime),
                          MakeTimeChecker(NanoSeconds(1)));
    return tid;
}

FabricSwitch::FabricSwitch()
    : m_address(Mac48Address::Allocate())
{
}

void
FabricSwitch::DoInitialize()
{
    Configure();
    NetDevice::DoInitialize();
}

void
FabricSwitch::DoDispose()
{
    for (const auto& device : m_ports)
    {
        device->SetFrameSink(nullptr, 0);
        device->GetPort().SetListener(nullptr);
        device->SetStallListener(nullptr);
    }
    m_ports.clear();
    m_node = nullptr;
    m_localSink = nullptr;
    if (m_watcher)
    {
        m_watcher->Dispose();
        m_watcher = nullptr;
    }
    NetDevice::DoDispose();
}

uint16_t
FabricSwitch::AddPort(const Ptr<FabricNetDevice>& device)
{
    const auto index = static_cast<uint16_t>(m_ports.size());
    m_ports.push_back(device);
    device->SetFrameSink(this, index);
    device->GetPort().SetListener(this);
    return index;
}

uint16_t
FabricSwitch::GetNPorts() const
{
    return static_cast<uint16_t>(m_ports.size());
}

Ptr<FabricNetDevice>
FabricSwitch::GetPort(uint16_t port) const
{
    return m_ports.at(port);
}

void
FabricSwitch::SetRoute(uint64_t address, const std::vector<uint16_t>& ports)
{
    if (ports.empty() || *std::max_element(ports.begin(), ports.end()) >= m_ports.size())
    {
        throw std::invalid_argument("FabricSwitch: route to address " + std::to_string(address) +
                                    ": expected ports in 0.." + std::to_string(m_ports.size() - 1));
    }
    m_routes[address] = ports;
}

std::vector<uint16_t>
FabricSwitch::Weight(const std::vector<uint16_t>& ports, const std::vector<uint64_t>& weights)
{
    constexpr uint64_t MAX_ENTRIES = 4096;
    const uint64_t common =
        std::accumulate(weights.begin(), weights.end(), uint64_t{0}, std::gcd<uint64_t, uint64_t>);
    std::vector<uint16_t> list;
    for (std::size_t i = 0; i < ports.size() && weights.size() == ports.size() && common; ++i)
    {
        const uint64_t weight = weights[i] / common;
        if (weight > MAX_ENTRIES - list.size())
        {
            list.clear();
            break;
        }
        list.insert(list.end(), weight, ports[i]);
    }
    if (list.empty())
    {
        throw std::invalid_argument("FabricSwitch: " + std::to_string(ports.size()) +
                                    " ports and " + std::to_string(weights.size()) +
                                    " weights; expected a weight for each, not all 0, and at most "
                                    "4096 entries");
    }
    return list;
}

const std::vector<uint16_t>&
FabricSwitch::GetRoute(uint64_t address) const
{
    static const std::vector<uint16_t> none;
    const auto found = m_routes.find(address);
    return found == m_routes.end() ? none : found->second;
}

void
FabricSwitch::SetFloodPorts(const std::vector<uint16_t>& ports)
{
    m_floodPorts = ports;
}

void
FabricSwitch::Configure()
{
    uint64_t fastest = 0;
    for (const auto& device : m_ports)
    {
        fastest = std::max(fastest, device->GetBitRate());
    }
    for (const auto& device : m_ports)
    {
        const FabricNetDevice* peer = device->GetPort().GetPeer();
        device->SetAttribute("ReceiveLatency", TimeValue(m_latency));
        // A faster output would run dry in the middle of a frame.
        device->SetCutThrough(m_cutThrough && peer && peer->GetBitRate() >= fastest);
    }
    if (m_learning && m_floodPorts.empty())
    {
        m_floodPorts.resize(m_ports.size());
        std::iota(m_floodPorts.begin(), m_floodPorts.end(), uint16_t{0});
    }
}

void
FabricSwitch::ReceiveFrame(FabricFrame* frame, FabricNetDevice* device)
{
    frame->inPort = device->GetSinkIndex();
    frame->inCls = frame->cls;
    frame->inBytes = frame->frameBytes;
    if (!Admit(frame))
    {
        device->FreeBuffer(frame->inCls, frame->inBytes, FabricNow());
        device->DropFrame(frame, FabricNetDevice::BUFFER_FULL);
        return;
    }
    if (m_learning)
    {
        Learn(*frame);
    }
    if (m_localSink && frame->dst == m_localAddress)
    {
        m_localSink->ReceiveFrame(frame, device);
        return;
    }
    // A router drops what it would send on with a TTL of 0 (RFC 1812, 5.3.1).
    if (++frame->hops >= frame->ttl)
    {
        DropAdmitted(frame, FabricNetDevice::HOP_LIMIT);
        return;
    }
    if (IsGroupAddress(frame->dst))
    {
        Flood(frame);
        return;
    }
    const std::vector<uint16_t>& routes = FindPorts(*frame);
    if (routes.empty() && (m_learning || frame->kind == FabricFrameKind::PACKET))
    {
        Flood(frame);
        return;
    }
    const std::vector<uint16_t>& ports = m_downPorts ? KeepUp(routes) : routes;
    if (ports.empty() && !routes.empty())
    {
        DropAdmitted(frame, FabricNetDevice::LINK_DOWN);
        return;
    }
    if (m_learning && ports.size() == 1 && ports.front() == frame->inPort)
    {
        // Its receiver is where it comes from, and has got it (802.1Q, 8.6.1).
        ReleaseRoom(frame->inPort, frame->inCls, frame->inBytes, FabricNow());
        FabricFramePool::Release(frame);
        return;
    }
    // A bridge does not send a frame back where it came from; a router does what its table says.
    const bool back = ports.size() == 1 && ports.front() == frame->inPort;
    if (ports.empty() || (back && frame->kind == FabricFrameKind::PACKET))
    {
        DropAdmitted(frame, FabricNetDevice::NO_ROUTE);
        return;
    }
    Forward(frame, ports.size() == 1 ? ports.front() : ChoosePort(*frame, ports));
}

const std::vector<uint16_t>&
FabricSwitch::FindPorts(const FabricFrame& frame)
{
    const std::vector<uint16_t>& ports = GetRoute(frame.dst);
    if (m_learning && ports.empty())
    {
        const auto found = m_learned.find(frame.dst);
        if (found != m_learned.end())
        {
            if (FabricNow() - found->second.at <= m_ageingTime.GetTimeStep())
            {
                return found->second.ports;
            }
            m_learned.erase(found);
        }
    }
    return ports;
}

void
FabricSwitch::Learn(const FabricFrame& frame)
{
    Learned& learned = m_learned[frame.src];
    learned.ports.assign(1, frame.inPort);
    learned.at = FabricNow();
}

/** @returns those ports whose link is up, with their weights */
const std::vector<uint16_t>&
FabricSwitch::KeepUp(const std::vector<uint16_t>& ports)
{
    m_upPorts.clear();
    for (const uint16_t port : ports)
    {
        if (m_ports[port]->IsLinkUp())
        {
            m_upPorts.push_back(port);
        }
    }
    return m_upPorts;
}

void
FabricSwitch::PortStateChanged(bool up)
{
    m_downPorts += up ? -1 : 1;
    m_learned.clear(); // addresses may be elsewhere now (802.1Q, 8.8)
}

bool
FabricSwitch::Queueing(FabricFrame& /* frame */, FabricPort& /* port */)
{
    return true;
}

void
FabricSwitch::Withdrawn(FabricFrame& /* frame */)
{
}

void
FabricSwitch::Discard(FabricFrame* frame, FabricPort* port, const char* reason)
{
    Withdrawn(*frame);
    if (frame->inBytes)
    {
        ReleaseRoom(frame->inPort, frame->inCls, frame->inBytes, FabricNow());
    }
    port->GetDevice()->DiscardFrame(frame, reason);
}

void
FabricSwitch::Forward(FabricFrame* frame, uint16_t port)
{
    FabricNetDevice* out = PeekPointer(m_ports[port]);
    out->ClassifyFrame(*frame);
    if (frame->cls == FabricPort::NO_CLASS)
    {
        DropAdmitted(frame, FabricNetDevice::NO_LANE);
        return;
    }
    out->SizeFrame(*frame);
    if (!out->CanSend(*frame))
    {
        // In the queue it would wait for ever.
        const bool down = out->GetPort().GetPeer() && !out->IsLinkUp();
        DropAdmitted(frame, down ? FabricNetDevice::LINK_DOWN : FabricNetDevice::TOO_LARGE);
        return;
    }
    if (!Queueing(*frame, out->GetPort()))
    {
        // It is the output that is full: counted there.
        if (frame->inBytes)
        {
            ReleaseRoom(frame->inPort, frame->inCls, frame->inBytes, FabricNow());
        }
        Withdrawn(*frame);
        out->DropFrame(frame, FabricNetDevice::EGRESS_FULL);
        return;
    }
    out->GetPort().Enqueue(frame);
}

void
FabricSwitch::Flood(FabricFrame* frame)
{
    std::vector<uint16_t> ports;
    for (const uint16_t port : m_floodPorts)
    {
        if (port != frame->inPort && m_ports[port]->IsLinkUp())
        {
            ports.push_back(port);
        }
    }
    if (ports.empty() && IsGroupAddress(frame->dst))
    {
        // Everybody else in the group has got it: nothing is lost.
        ReleaseRoom(frame->inPort, frame->inCls, frame->inBytes, FabricNow());
        FabricFramePool::Release(frame);
        return;
    }
    if (ports.empty())
    {
        DropAdmitted(frame, FabricNetDevice::NO_ROUTE);
        return;
    }
    // The copies hold no room of the input buffer; the frame itself, queued last, does.
    for (std::size_t i = 0; i + 1 < ports.size(); ++i)
    {
        FabricFrame* copy = FabricFramePool::Allocate();
        *copy = *frame;
        copy->next = nullptr;
        copy->inBytes = 0;
        if (frame->packet)
        {
            copy->packet = frame->packet->Copy();
        }
        Forward(copy, ports[i]);
    }
    Forward(frame, ports.back());
}

void
FabricSwitch::DropAdmitted(FabricFrame* frame, const char* reason)
{
    if (frame->inBytes)
    {
        ReleaseRoom(frame->inPort, frame->inCls, frame->inBytes, FabricNow());
    }
    Withdrawn(*frame);
    frame->cls = frame->inCls; // counted where it came in
    m_ports[frame->inPort]->DropFrame(frame, reason);
}

void
FabricSwitch::SetLocalSink(FabricFrameSink* sink, uint64_t address)
{
    m_localSink = sink;
    m_localAddress = address;
}

FabricFrameSink*
FabricSwitch::GetLocalSink() const
{
    return m_localSink;
}

void
FabricSwitch::FreeRoom(FabricFrame& frame, FabricTick when)
{
    if (frame.inBytes)
    {
        ReleaseRoom(frame.inPort, frame.inCls, frame.inBytes, when);
        frame.inBytes = 0;
    }
}

void
FabricSwitch::SendLocal(FabricFrame* frame, uint16_t port)
{
    Forward(frame, port);
}

void
FabricSwitch::SetWatcher(const Ptr<Object>& watcher)
{
    m_watcher = watcher;
}

Ptr<Object>
FabricSwitch::GetWatcher() const
{
    return m_watcher;
}

bool
FabricSwitch::IsRoomShared() const
{
    return false;
}

bool
FabricSwitch::HashState(StateHash& /* hash */, FabricTick /* now */) const
{
    return false;
}

void
FabricSwitch::SetIfIndex(const uint32_t index)
{
    m_ifIndex = index;
}

uint32_t
FabricSwitch::GetIfIndex() const
{
    return m_ifIndex;
}

Ptr<Channel>
FabricSwitch::GetChannel() const
{
    return nullptr;
}

void
FabricSwitch::SetAddress(Address address)
{
    m_address = Mac48Address::ConvertFrom(address);
}

Address
FabricSwitch::GetAddress() const
{
    return m_address;
}

bool
FabricSwitch::SetMtu(const uint16_t /* mtu */)
{
    return false; // the ports have theirs
}

uint16_t
FabricSwitch::GetMtu() const
{
    uint16_t mtu = 0xffff;
    for (const auto& device : m_ports)
    {
        mtu = std::min(mtu, device->GetMtu());
    }
    return m_ports.empty() ? 0 : mtu;
}

bool
FabricSwitch::IsLinkUp() const
{
    return true;
}

void
FabricSwitch::AddLinkChangeCallback(Callback<void> /* callback */)
{
}

bool
FabricSwitch::IsBroadcast() const
{
    return true;
}

Address
FabricSwitch::GetBroadcast() const
{
    return Mac48Address::GetBroadcast();
}

bool
FabricSwitch::IsMulticast() const
{
    return true;
}

Address
FabricSwitch::GetMulticast(Ipv4Address multicastGroup) const
{
    return Mac48Address::GetMulticast(multicastGroup);
}

Address
FabricSwitch::GetMulticast(Ipv6Address addr) const
{
    return Mac48Address::GetMulticast(addr);
}

bool
FabricSwitch::IsBridge() const
{
    return true;
}

bool
FabricSwitch::IsPointToPoint() const
{
    return false;
}

bool
FabricSwitch::Send(Ptr<Packet> /* packet */, const Address& /* dest */, uint16_t /* protocol */)
{
    NS_LOG_WARN("a fabric switch has no host side: packet refused");
    return false;
}

bool
FabricSwitch::SendFrom(Ptr<Packet> packet,
                       const Address& /* source */,
                       const Address& dest,
                       uint16_t protocolNumber)
{
    return Send(packet, dest, protocolNumber);
}

Ptr<Node>
FabricSwitch::GetNode() const
{
    return m_node;
}

void
FabricSwitch::SetNode(Ptr<Node> node)
{
    m_node = node;
}

bool
FabricSwitch::NeedsArp() const
{
    return false;
}

void
FabricSwitch::SetReceiveCallback(NetDevice::ReceiveCallback /* cb */)
{
}

void
FabricSwitch::SetPromiscReceiveCallback(PromiscReceiveCallback /* cb */)
{
}

bool
FabricSwitch::SupportsSendFrom() const
{
    return false;
}

} // namespace ns3
