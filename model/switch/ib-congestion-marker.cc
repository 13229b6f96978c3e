/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ib-congestion-marker.h"

#include "fabric-switch.h"

#include "ns3/boolean.h"
#include "ns3/credit-flow-control.h"
#include "ns3/ib-address-table.h"
#include "ns3/node.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

#include <stdexcept>
#include <string>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IbCongestionMarker);

namespace
{

/** @returns true if the far end of a port is known, and not a switch */
bool
IsTowardsHost(const FabricNetDevice& device)
{
    const FabricNetDevice* peer = device.GetPort().GetPeer();
    const Ptr<Node> node = peer ? peer->GetNode() : nullptr;
    for (uint32_t i = 0; node && i < node->GetNDevices(); ++i)
    {
        if (DynamicCast<FabricSwitch>(node->GetDevice(i)))
        {
            return false;
        }
    }
    return node != nullptr;
}

} // namespace

TypeId
IbCongestionMarker::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IbCongestionMarker")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddConstructor<IbCongestionMarker>()
            .AddAttribute("Threshold",
                          "0: never mark; 1 (loose) to 15 (aggressive): mark while more than (16 - "
                          "Threshold) / 16 of a lane's receive buffer is queued at the output.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&IbCongestionMarker::m_threshold),
                          MakeUintegerChecker<uint8_t>(0, 15))
            .AddAttribute("ThresholdBytes",
                          "Mark while more than this is queued, whatever Threshold says; 0: "
                          "Threshold counts.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&IbCongestionMarker::m_thresholdBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("PacketSize",
                          "Packets smaller than this many times 64 bytes are not marked.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&IbCongestionMarker::m_packetSize),
                          MakeUintegerChecker<uint8_t>())
            .AddAttribute("MarkingRate",
                          "Mean number of packets between two marks of a lane of a port; 0: mark "
                          "every one. The number is drawn evenly from 0 to twice the mean.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&IbCongestionMarker::m_markingRate),
                          MakeUintegerChecker<uint16_t>())
            .AddAttribute("VictimHosts",
                          "Ports towards hosts mark without credits, too (Victim_Mask): a slow "
                          "host then counts as congestion.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&IbCongestionMarker::m_victimHosts),
                          MakeBooleanChecker())
            .AddTraceSource("Mark",
                            "A packet is marked.",
                            MakeTraceSourceAccessor(&IbCongestionMarker::m_mark),
                            "ns3::IbCongestionMarker::MarkTracedCallback");
    return tid;
}

IbCongestionMarker::IbCongestionMarker()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

void
IbCongestionMarker::DoDispose()
{
    m_random = nullptr;
    Object::DoDispose();
}

void
IbCongestionMarker::SetVictim(uint16_t port, bool victim)
{
    if (port >= m_victims.size())
    {
        m_victims.resize(port + 1U);
    }
    m_victims[port] = victim;
}

uint64_t
IbCongestionMarker::GetThresholdBytes(uint8_t threshold, uint64_t bufferBytes)
{
    return bufferBytes * (16U - threshold) / 16;
}

void
IbCongestionMarker::Configure(const std::vector<Ptr<FabricNetDevice>>& ports)
{
    m_victims.resize(ports.size());
    std::array<uint64_t, FabricPort::CLASSES> never;
    never.fill(FABRIC_NEVER);
    m_limits.assign(ports.size(), never);
    m_left.resize(ports.size());
    for (std::size_t port = 0; port < ports.size(); ++port)
    {
        if (m_victimHosts && IsTowardsHost(*ports[port]))
        {
            m_victims[port] = true;
        }
        const auto credit =
            dynamic_cast<const CreditFlowControl*>(ports[port]->GetIncomingFlowControl());
        if (m_thresholdBytes)
        {
            m_limits[port].fill(m_thresholdBytes);
        }
        else if (m_threshold && credit)
        {
            for (uint8_t lane = 0; lane < credit->GetLanes(); ++lane)
            {
                const uint64_t buffer =
                    uint64_t{credit->GetBufferBlocks(lane)} * credit->GetBlockBytes();
                m_limits[port][lane] = GetThresholdBytes(m_threshold, buffer);
            }
        }
        else if (m_threshold && ports[port]->IsLinkUp())
        {
            throw std::invalid_argument("IbCongestionMarker: port " + std::to_string(port) +
                                        " has no buffer of credits, expected ThresholdBytes "
                                        "instead of Threshold");
        }
    }
}

uint64_t
IbCongestionMarker::GetLaneThreshold(uint16_t port, uint8_t lane) const
{
    return m_limits.at(port).at(lane);
}

uint64_t
IbCongestionMarker::GetMarks() const
{
    return m_marks;
}

bool
IbCongestionMarker::IsDeterministic() const
{
    return m_markingRate == 0;
}

int64_t
IbCongestionMarker::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

void
IbCongestionMarker::Consider(FabricFrame& frame, FabricPort& port)
{
    const uint16_t number = port.GetDevice()->GetSinkIndex();
    const uint64_t queued = port.GetQueuedBytes(frame.cls);
    // Datagrams to groups and packets of the ns-3 stack have nobody whom a BECN would slow down.
    if (queued <= m_limits[number][frame.cls] || frame.kind != FabricFrameKind::RDMA ||
        frame.frameBytes < m_packetSize * PACKET_SIZE_UNIT ||
        frame.cls == CreditFlowControl::MANAGEMENT_LANE ||
        frame.dst >= IbAddressTable::MULTICAST_LID)
    {
        return;
    }
    const bool root = port.GetFlowControl()->MaySend(frame.cls, frame.frameBytes, FabricNow());
    if (!root && !m_victims[number])
    {
        return;
    }
    if (m_markingRate)
    {
        uint32_t& left = m_left[number][frame.cls];
        if (left)
        {
            --left;
            return;
        }
        left = m_random->GetInteger(0, 2U * m_markingRate);
    }
    frame.fecn = true;
    ++m_marks;
    m_mark(number, frame.cls, queued);
}

} // namespace ns3
