/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ib-switch.h"

#include "ns3/boolean.h"
#include "ns3/ib-address-table.h"
#include "ns3/ib-net-device.h"
#include "ns3/pointer.h"
#include "ns3/uinteger.h"

#include <stdexcept>
#include <string>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IbSwitch);

TypeId
IbSwitch::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IbSwitch")
            .SetParent<FabricSwitch>()
            .SetGroupName("AiFabric")
            .AddConstructor<IbSwitch>()
            .AddAttribute("HoqLife",
                          "Head-of-queue lifetime limit HLL of ports to other switches: a packet "
                          "at the head of a lane for 4.096 us x 2^HLL is discarded. Above 19: no "
                          "limit.",
                          UintegerValue(LaneLifetimes::NO_LIMIT),
                          MakeUintegerAccessor(&IbSwitch::m_hoqLife),
                          MakeUintegerChecker<uint8_t>(0, 31))
            .AddAttribute("LeafHoqLife",
                          "HoqLife of ports to hosts.",
                          UintegerValue(LaneLifetimes::NO_LIMIT),
                          MakeUintegerAccessor(&IbSwitch::m_leafHoqLife),
                          MakeUintegerChecker<uint8_t>(0, 31))
            .AddAttribute("VlStallCount",
                          "Head-of-queue discards in a row after which everything for the lane is "
                          "discarded for 8 times the limit.",
                          UintegerValue(7),
                          MakeUintegerAccessor(&IbSwitch::m_stallCount),
                          MakeUintegerChecker<uint8_t>(1, 7))
            .AddAttribute("SwitchLifetime",
                          "Switch lifetime limit LTV: a packet that is still at the head of a lane "
                          "4.096 us x 2^LTV after it came in is discarded. Above 19: no limit.",
                          UintegerValue(LaneLifetimes::NO_LIMIT),
                          MakeUintegerAccessor(&IbSwitch::m_switchLifetime),
                          MakeUintegerChecker<uint8_t>(0, 31))
            .AddAttribute("AdaptiveRouting",
                          "Choose the least loaded of equally good ports, instead of one by "
                          "destination.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&IbSwitch::m_adaptive),
                          MakeBooleanChecker())
            .AddAttribute("AdaptiveInOrder",
                          "A flow may change its port only when all that it has sent has left the "
                          "switch. False: with every packet, which receivers must bear.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&IbSwitch::m_adaptiveInOrder),
                          MakeBooleanChecker())
            .AddAttribute("AdaptiveThreshold",
                          "A port is kept while its load in bytes is below this: what waits there "
                          "in the class, and what is left to go on its wire.",
                          UintegerValue(1280),
                          MakeUintegerAccessor(&IbSwitch::m_adaptiveThreshold),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("AdaptiveSlMask",
                          "Bit i: packets of service level i are routed adaptively.",
                          UintegerValue(0xffff),
                          MakeUintegerAccessor(&IbSwitch::m_adaptiveSlMask),
                          MakeUintegerChecker<uint16_t>())
            .AddAttribute(
                "AdaptiveGap",
                "AdaptiveInOrder: time for which a flow must have sent nothing through the "
                "switch before it may change its port.",
                TimeValue(NanoSeconds(1000)),
                MakeTimeAccessor(&IbSwitch::m_adaptiveGap),
                MakeTimeChecker(NanoSeconds(0)))
            .AddAttribute(
                "CongestionMarker",
                "Marks packets with FECN; null: none.",
                PointerValue(),
                MakePointerAccessor(&IbSwitch::SetCongestionMarker, &IbSwitch::GetCongestionMarker),
                MakePointerChecker<IbCongestionMarker>());
    return tid;
}

IbSwitch::IbSwitch() = default;
IbSwitch::~IbSwitch() = default;

void
IbSwitch::DoDispose()
{
    m_router.reset();
    m_marker = nullptr;
    FabricSwitch::DoDispose();
}

void
IbSwitch::Configure()
{
    FabricSwitch::Configure();
    for (const auto& device : m_ports)
    {
        device->GetPort().SetVirtualOutputQueues(true);
    }
    for (uint16_t port = 0; port < GetNPorts(); ++port)
    {
        SetLifetimes(port);
    }
    if (m_adaptive && !m_router)
    {
        AdaptiveRouter::Config config;
        config.inOrder = m_adaptiveInOrder;
        config.threshold = m_adaptiveThreshold;
        config.slMask = m_adaptiveSlMask;
        config.gap = m_adaptiveGap.GetTimeStep();
        m_router = std::make_unique<AdaptiveRouter>(config);
    }
    if (m_marker)
    {
        m_marker->Configure(m_ports);
    }
}

void
IbSwitch::SetHoqLife(uint16_t port, uint8_t exponent)
{
    m_portHoqLife[port] = exponent;
}

void
IbSwitch::SetSlToVl(uint16_t inPort, uint16_t outPort, const IbSlToVl::Table& table)
{
    const auto out = outPort < GetNPorts() ? DynamicCast<IbNetDevice>(m_ports[outPort]) : nullptr;
    if (!out || inPort >= GetNPorts())
    {
        throw std::invalid_argument("IbSwitch: SL to VL table from port " + std::to_string(inPort) +
                                    " to port " + std::to_string(outPort) +
                                    ", expected ports in 0.." + std::to_string(GetNPorts() - 1));
    }
    // Others may share the one that is there.
    const auto tables = out->GetSlToVl() ? std::make_shared<IbSlToVl>(*out->GetSlToVl())
                                         : std::make_shared<IbSlToVl>(IbSlToVl::GetOpenSmDefault());
    tables->Set(inPort, table);
    out->SetSlToVl(tables);
}

void
IbSwitch::SetLifetimes(uint16_t number) const
{
    FabricPort& port = m_ports[number]->GetPort();
    if (port.GetQueuedBytes())
    {
        return; // configured before, and running
    }
    const bool isLeaf =
        port.GetPeer() && !dynamic_cast<FabricSwitch*>(port.GetPeer()->GetFrameSink());
    const auto own = m_portHoqLife.find(number);
    LaneLifetimes::Limits limits;
    limits.head = LaneLifetimes::GetTicks(own != m_portHoqLife.end() ? own->second
                                          : isLeaf                   ? m_leafHoqLife
                                                                     : m_hoqLife);
    limits.total = LaneLifetimes::GetTicks(m_switchLifetime);
    limits.stallCount = m_stallCount;
    port.SetLifetimes(limits);
}

const AdaptiveRouter*
IbSwitch::GetAdaptiveRouter() const
{
    return m_router.get();
}

uint16_t
IbSwitch::ChoosePort(FabricFrame& frame, const std::vector<uint16_t>& ports)
{
    // As a linear forwarding table: by destination only.
    const uint16_t start = ports[frame.dst % ports.size()];
    return m_router ? m_router->Choose(frame, m_ports, ports, start, FabricNow()) : start;
}

void
IbSwitch::Withdrawn(FabricFrame& frame)
{
    if (m_router)
    {
        m_router->Left(frame, FabricNow());
    }
}

void
IbSwitch::SetCongestionMarker(const Ptr<IbCongestionMarker>& marker)
{
    m_marker = marker;
}

Ptr<IbCongestionMarker>
IbSwitch::GetCongestionMarker() const
{
    return m_marker;
}

bool
IbSwitch::Admit(FabricFrame* /* frame */)
{
    return true; // the flow control of the incoming link keeps the input buffer
}

void
IbSwitch::ReleaseRoom(uint16_t port, uint8_t cls, uint32_t bytes, FabricTick when)
{
    m_ports[port]->FreeBuffer(cls, bytes, when);
}

bool
IbSwitch::TransmitStarts(FabricFrame* frame, FabricPort* port, FabricTick end)
{
    if (m_marker)
    {
        m_marker->Consider(*frame, *port);
    }
    if (frame->inBytes)
    {
        ReleaseRoom(frame->inPort, frame->inCls, frame->inBytes, end);
        frame->inBytes = 0;
    }
    if (m_router)
    {
        m_router->Left(*frame, end);
    }
    return false;
}

void
IbSwitch::TransmitDone(FabricPort* /* port */)
{
}

bool
IbSwitch::IsGroupAddress(uint64_t address) const
{
    return address >= IbAddressTable::MULTICAST_LID;
}

} // namespace ns3
