/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-channel.h"

#include "credit-flow-control.h"
#include "fabric-net-device.h"
#include "ib-net-device.h"

#include "ns3/log.h"

#include <stdexcept>
#include <string>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricChannel");
NS_OBJECT_ENSURE_REGISTERED(FabricChannel);

TypeId
FabricChannel::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FabricChannel")
                            .SetParent<Channel>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<FabricChannel>()
                            .AddAttribute("Delay",
                                          "One-way propagation delay; 5 ns per meter of cable.",
                                          TimeValue(NanoSeconds(50)),
                                          MakeTimeAccessor(&FabricChannel::m_delay),
                                          MakeTimeChecker(NanoSeconds(0)));
    return tid;
}

FabricChannel::FabricChannel()
{
    NS_LOG_FUNCTION(this);
}

bool
FabricChannel::Attach(const Ptr<FabricNetDevice>& device)
{
    NS_LOG_FUNCTION(this << device);
    if (m_count == m_devices.size())
    {
        return false;
    }
    m_devices[m_count++] = device;
    if (m_count < m_devices.size())
    {
        return true;
    }
    FabricNetDevice* a = PeekPointer(m_devices[0]);
    FabricNetDevice* b = PeekPointer(m_devices[1]);
    if (!dynamic_cast<IbNetDevice*>(a) != !dynamic_cast<IbNetDevice*>(b))
    {
        throw std::invalid_argument("FabricChannel: an InfiniBand and an Ethernet device on one "
                                    "cable, expected two of a kind");
    }
    const FabricTick delay = m_delay.GetTimeStep();
    const Ptr<LinkFlowControl> toB = b->CreateFlowControl();
    const Ptr<LinkFlowControl> toA = a->CreateFlowControl();
    a->GetPort().Connect(b, delay, a->GetBitRate(), toB);
    b->GetPort().Connect(a, delay, b->GetBitRate(), toA);
    toB->Attach(&a->GetPort(), &b->GetPort());
    toA->Attach(&b->GetPort(), &a->GetPort());
    const auto creditsToA = dynamic_cast<CreditFlowControl*>(PeekPointer(toA));
    const auto creditsToB = dynamic_cast<CreditFlowControl*>(PeekPointer(toB));
    if (creditsToA && creditsToB && creditsToA->GetLanes() != creditsToB->GetLanes())
    {
        throw std::invalid_argument(
            "FabricChannel: the two ends have " + std::to_string(creditsToA->GetLanes()) + " and " +
            std::to_string(creditsToB->GetLanes()) + " data lanes, expected the same number");
    }
    a->NotifyLinkUp();
    b->NotifyLinkUp();
    return true;
}

std::size_t
FabricChannel::GetNDevices() const
{
    return m_count;
}

Ptr<NetDevice>
FabricChannel::GetDevice(std::size_t i) const
{
    return m_devices.at(i);
}

void
FabricChannel::SetLinkUp(bool up)
{
    NS_LOG_FUNCTION(this << up);
    if (m_count < m_devices.size() || m_devices[0]->IsLinkUp() == up)
    {
        return;
    }
    // Pauses first: they must neither hold back nor wake what is about to happen.
    for (const Ptr<FabricNetDevice>& device : m_devices)
    {
        device->GetPort().GetFlowControl()->LinkChanged(up);
    }
    for (const Ptr<FabricNetDevice>& device : m_devices)
    {
        device->SetLinkUp(up);
    }
}

Time
FabricChannel::GetDelay() const
{
    return m_delay;
}

void
FabricChannel::DoDispose()
{
    m_devices.fill(nullptr);
    m_count = 0;
    Channel::DoDispose();
}

} // namespace ns3
