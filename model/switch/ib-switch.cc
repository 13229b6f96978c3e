/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ib-switch.h"

#include "ns3/ib-address-table.h"
#include "ns3/pointer.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IbSwitch);

TypeId
IbSwitch::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IbSwitch")
                            .SetParent<FabricSwitch>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<IbSwitch>()
                            .AddAttribute("CongestionMarker",
                                          "Marks packets with FECN; null: none.",
                                          PointerValue(),
                                          MakePointerAccessor(&IbSwitch::SetCongestionMarker,
                                                              &IbSwitch::GetCongestionMarker),
                                          MakePointerChecker<IbCongestionMarker>());
    return tid;
}

void
IbSwitch::Configure()
{
    FabricSwitch::Configure();
    for (const auto& device : m_ports)
    {
        device->GetPort().SetVirtualOutputQueues(true);
    }
    if (m_marker)
    {
        m_marker->Configure(m_ports);
    }
}

void
IbSwitch::DoDispose()
{
    m_marker = nullptr;
    FabricSwitch::DoDispose();
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
    return false;
}

void
IbSwitch::TransmitDone(FabricPort* /* port */)
{
}

uint16_t
IbSwitch::SelectPort(const FabricFrame& frame, const std::vector<uint16_t>& ports) const
{
    return ports[frame.dst % ports.size()]; // as a linear forwarding table: by destination only
}

bool
IbSwitch::IsGroupAddress(uint64_t address) const
{
    return address >= IbAddressTable::MULTICAST_LID;
}

} // namespace ns3
