/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The buffer of a RoCE switch: what each port gets of it, and who is stopped when.

#include "roce-switch.h"

#include "ns3/log.h"
#include "ns3/pause-flow-control.h"
#include "ns3/roce-net-device.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <stdexcept>
#include <string>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceSwitchBuffer");

namespace
{

/** Attributes as values. */
using Settings = std::vector<std::pair<std::string, std::string>>;

/** Published buffers. */
const std::vector<std::pair<std::string, Settings>> PRESETS = {
    {"trident2",
     {{"BufferBytes", "12000000"},
      {"ReservedBytes", "0"},
      {"HeadroomBytes", "22400"},
      {"Alpha", "8"},
      {"XonOffsetBytes", "3000"}}}, // two frames of 1500 bytes
    {"hpcc",
     {{"BufferBytes", "33554432"},
      {"ReservedBytes", "4096"},
      {"Alpha", "0.125"},
      {"XonOffsetBytes", "3072"}}},
    {"conweave", {{"BufferBytes", "9000000"}, {"Alpha", "0.0625"}, {"EgressAlpha", "1"}}},
    {"spectrum4", {{"BufferBytes", "132217856"}}},
    {"tomahawk3", {{"BufferBytes", "64000000"}}},
    {"tomahawk4", {{"BufferBytes", "113000000"}}},
    {"tomahawk5", {{"BufferBytes", "165000000"}}},
};

} // namespace

Settings
RoceSwitch::Preset(const std::string& name)
{
    std::string known;
    for (const auto& preset : PRESETS)
    {
        if (name == preset.first)
        {
            return preset.second;
        }
        known += (known.empty() ? "" : ", ") + preset.first;
    }
    throw std::invalid_argument("switch buffer '" + name + "', expected one of " + known);
}

std::vector<std::string>
RoceSwitch::GetPresets()
{
    std::vector<std::string> names;
    for (const auto& preset : PRESETS)
    {
        names.push_back(preset.first);
    }
    return names;
}

uint64_t
RoceSwitch::ComputeHeadroom(uint16_t port) const
{
    const Ptr<FabricNetDevice> device = m_ports.at(port);
    const FabricPort& incoming = device->GetPort().GetPeer()->GetPort();
    const PauseFlowControl* pause = GetPause(port);
    const auto frame = static_cast<double>(GetLargestFrame(port));
    const double wire = frame + RoceNetDevice::WIRE_OVERHEAD_BYTES;
    // A frame of ours may delay the pause frame; meanwhile the far end sends at its own rate.
    const double delaying = (wire + PauseFlowControl::PFC_WIRE_BYTES) *
                            static_cast<double>(incoming.GetBitRate()) /
                            static_cast<double>(device->GetBitRate());
    // Ticks during which the far end goes on sending: both ways of the cable, its reaction, our
    // pipeline, and what is rounded up on the way.
    constexpr FabricTick ROUNDED = 2;
    const FabricTick ticks = 2 * incoming.GetPropagation() +
                             (pause ? pause->GetReactionTicks() : 0) +
                             device->GetReceiveLatencyTicks() + ROUNDED;
    const double bytes =
        delaying + FabricSeconds(ticks) * static_cast<double>(incoming.GetBitRate()) / 8;
    // In that time, full frames begin one after the other, and the last one still comes in whole.
    // Preamble and gap take time, but no room.
    return static_cast<uint64_t>(bytes * frame / wire + frame);
}

uint64_t
RoceSwitch::GetLargestFrame(uint16_t port) const
{
    const Ptr<FabricNetDevice> device = m_ports.at(port);
    return std::max(device->GetLargestFrameBytes(),
                    device->GetPort().GetPeer()->GetLargestFrameBytes());
}

PauseFlowControl*
RoceSwitch::GetPause(uint16_t port) const
{
    return dynamic_cast<PauseFlowControl*>(m_ports.at(port)->GetIncomingFlowControl());
}

void
RoceSwitch::SetGroup(uint16_t port, uint8_t priority, const SharedBuffer::GroupConfig& group)
{
    m_ownGroups[{port, priority}] = group;
}

void
RoceSwitch::SetEgressQueue(uint16_t port, uint8_t priority, const EgressBuffer::QueueConfig& queue)
{
    m_ownQueues[{port, priority}] = queue;
}

void
RoceSwitch::Configure()
{
    FabricSwitch::Configure();
    ConfigureForwarding();
    const bool holds = m_buffer.GetUsed() || m_egress.GetUsed();
    if (holds && m_leaving.size() == GetNPorts())
    {
        return; // configured before, and running
    }
    if (holds)
    {
        throw std::invalid_argument("RoceSwitch: " + std::to_string(GetNPorts()) + " ports, but " +
                                    std::to_string(m_leaving.size()) +
                                    " when frames came in; expected all cables before the first");
    }
    m_pause.assign(GetNPorts(), nullptr);
    m_leaving.assign(GetNPorts(), Leaving());
    for (uint16_t port = 0; port < GetNPorts(); ++port)
    {
        m_pause[port] = GetPause(port);
        if (m_pause[port] && m_pause[port]->GetXoffBytes())
        {
            throw std::invalid_argument("RoceSwitch: port " + std::to_string(port) +
                                        " has XoffBytes " +
                                        std::to_string(m_pause[port]->GetXoffBytes()) +
                                        " of its own, expected 0: the shared buffer decides; use "
                                        "SetHostFlowControlAttribute for hosts");
        }
    }
    ConfigureBuffer();
    m_warnings.clear();
    CheckHeadroom();
    CheckMarking();
}

SharedBuffer::GroupConfig
RoceSwitch::MakeGroup(uint16_t port, uint8_t priority) const
{
    const auto own = m_ownGroups.find({port, priority});
    if (own != m_ownGroups.end())
    {
        return own->second;
    }
    SharedBuffer::GroupConfig group;
    group.reservedBytes = m_reservedBytes;
    group.alpha = m_staticBytes ? 0 : m_alpha;
    group.staticBytes = m_staticBytes;
    group.xonOffsetBytes = m_xonOffsetBytes;
    group.xonBytes = m_xonBytes;
    if (m_pause[port] && m_pause[port]->IsLossless(priority))
    {
        // One frame more: that which finds the pool exhausted by others goes into the headroom, and
        // only then is its sender told to stop.
        group.headroomBytes =
            m_headroomBytes ? m_headroomBytes : ComputeHeadroom(port) + GetLargestFrame(port);
        return group;
    }
    group.inLossyPool = m_lossyPoolBytes > 0;
    if (m_lossyAlpha > 0)
    {
        group.alpha = m_lossyAlpha;
    }
    return group;
}

EgressBuffer::QueueConfig
RoceSwitch::MakeEgressQueue(uint16_t port, uint8_t priority) const
{
    const auto own = m_ownQueues.find({port, priority});
    if (own != m_ownQueues.end())
    {
        return own->second;
    }
    EgressBuffer::QueueConfig queue;
    queue.reservedBytes = m_egressReservedBytes;
    const bool lossless = m_pause[port] && m_pause[port]->IsLossless(priority);
    queue.alpha = lossless ? 0 : m_egressAlpha;
    queue.limitBytes = lossless ? m_egressLimitBytes : 0;
    return queue;
}

void
RoceSwitch::ConfigureBuffer()
{
    for (const auto& own : m_ownGroups)
    {
        const uint16_t port = own.first.first;
        const uint8_t priority = own.first.second;
        if (port >= GetNPorts() || priority >= PRIORITIES ||
            (own.second.headroomBytes && !m_pause[port]))
        {
            throw std::invalid_argument(
                "RoceSwitch: SetGroup of port " + std::to_string(port) + ", priority " +
                std::to_string(priority) + ", expected a port below " +
                std::to_string(GetNPorts()) +
                ", a priority 0..7, and headroom only where the link has PauseFlowControl");
        }
    }
    for (const auto& own : m_ownQueues)
    {
        if (own.first.first >= GetNPorts() || own.first.second >= PRIORITIES)
        {
            throw std::invalid_argument(
                "RoceSwitch: SetEgressQueue of port " + std::to_string(own.first.first) +
                ", priority " + std::to_string(own.first.second) + ", expected a port below " +
                std::to_string(GetNPorts()) + " and a priority 0..7");
        }
    }
    SharedBuffer::Config config;
    config.model = m_bufferModel;
    config.totalBytes = m_bufferBytes;
    config.headroomPoolBytes = m_headroomPoolBytes;
    config.lossyPoolBytes = m_lossyPoolBytes;
    std::vector<SharedBuffer::PortConfig> groups(GetNPorts());
    std::vector<EgressBuffer::PortConfig> queues(GetNPorts());
    for (uint16_t port = 0; port < GetNPorts(); ++port)
    {
        for (uint8_t priority = 0; priority < PRIORITIES; ++priority)
        {
            groups[port][priority] = MakeGroup(port, priority);
            queues[port][priority] = MakeEgressQueue(port, priority);
        }
    }
    m_buffer.Configure(config, groups);
    m_egress.Configure(m_lossyPoolBytes ? m_lossyPoolBytes : m_bufferBytes, queues);
}

void
RoceSwitch::CheckHeadroom()
{
    for (uint16_t port = 0; port < GetNPorts(); ++port)
    {
        uint64_t given = 0;
        const uint64_t needed = m_pause[port] ? ComputeHeadroom(port) : 0;
        for (uint8_t priority = 0; priority < PRIORITIES && given == 0; ++priority)
        {
            const uint64_t bytes = m_buffer.GetGroupConfig(port, priority).headroomBytes;
            given = bytes && bytes < needed ? bytes : 0;
        }
        if (given)
        {
            m_warnings.push_back(
                "port " + std::to_string(port) + ": headroom of " + std::to_string(given) +
                " bytes is too small to be lossless, expected " + std::to_string(needed));
        }
    }
    if (!m_warnings.empty() && m_warn && !m_warned)
    {
        m_warned = true; // Configure() is called again when the simulation starts
        std::cerr << "RoceSwitch, node " << (GetNode() ? std::to_string(GetNode()->GetId()) : "-")
                  << ", " << m_warnings.front();
        if (m_warnings.size() > 1)
        {
            std::cerr << " (and " << m_warnings.size() - 1 << " ports more)";
        }
        std::cerr << std::endl;
    }
}

void
RoceSwitch::CheckMarking()
{
    for (uint16_t port = 0; m_ecn && port < GetNPorts(); ++port)
    {
        for (uint8_t priority = 0; priority < PRIORITIES; ++priority)
        {
            const SharedBuffer::GroupConfig& group = m_buffer.GetGroupConfig(port, priority);
            if (!group.headroomBytes || m_bufferModel == SharedBuffer::PER_QUEUE)
            {
                continue;
            }
            // What one congested group holds when it is stopped, alone in its pool.
            const auto pool = static_cast<double>(m_buffer.GetSharedSize());
            const double xoff = group.alpha > 0 ? group.alpha * pool / (1 + group.alpha)
                                                : static_cast<double>(group.staticBytes);
            const uint64_t kmax = m_wred.GetCurve(port, priority).kmax;
            const bool marks = kmax != std::numeric_limits<uint64_t>::max();
            if (marks && static_cast<double>(kmax) > xoff)
            {
                m_warnings.push_back(
                    "port " + std::to_string(port) + ", priority " + std::to_string(priority) +
                    ": not every frame is marked below Kmax = " + std::to_string(kmax) +
                    " bytes, expected less than the " +
                    std::to_string(static_cast<uint64_t>(xoff)) + " at which one sender is paused");
                NS_LOG_WARN("RoceSwitch, " << m_warnings.back());
            }
        }
    }
}

bool
RoceSwitch::IsRoomShared() const
{
    return m_bufferModel == SharedBuffer::SHARED;
}

const SharedBuffer&
RoceSwitch::GetBuffer() const
{
    return m_buffer;
}

const EgressBuffer&
RoceSwitch::GetEgressBuffer() const
{
    return m_egress;
}

uint64_t
RoceSwitch::GetCopiedBytes() const
{
    return m_copiedBytes;
}

const std::vector<std::string>&
RoceSwitch::GetWarnings() const
{
    return m_warnings;
}

bool
RoceSwitch::Admit(FabricFrame* frame)
{
    const auto verdict = m_buffer.Admit(frame->inPort, frame->inCls, frame->inBytes);
    if (verdict == SharedBuffer::Verdict::ADMIT_XOFF)
    {
        m_pause[frame->inPort]->SetPaused(frame->inCls, true);
    }
    return verdict != SharedBuffer::Verdict::DROP;
}

void
RoceSwitch::ReleaseRoom(uint16_t port, uint8_t cls, uint32_t bytes, FabricTick when)
{
    m_ports[port]->FreeBuffer(cls, bytes, when);
    m_buffer.Release(port, cls, bytes);
    m_buffer.TakeResumed(m_resumed);
    for (const SharedBuffer::Group& group : m_resumed)
    {
        m_pause[group.port]->SetPaused(group.priority, false);
    }
}

void
RoceSwitch::Uncharge(uint16_t port, uint8_t cls, uint32_t bytes, bool copy)
{
    m_egress.Release(port, cls, bytes);
    m_copiedBytes -= copy ? bytes : 0;
}

} // namespace ns3
