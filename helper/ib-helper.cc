/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ib-helper.h"

#include "ns3/data-rate.h"
#include "ns3/fabric-pcap.h"
#include "ns3/fabric-routing.h"
#include "ns3/ib-link-speed.h"
#include "ns3/ib-net-device.h"
#include "ns3/pointer.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{

constexpr uint32_t MAX_BLOCK_BYTES = 32768; //!< a larger one holds more than a packet anyway

} // namespace

IbHelper::IbHelper()
    : FabricHelper("ns3::IbNetDevice", "ns3::IbSwitch", "ns3::CreditFlowControl"),
      m_addresses(CreateObject<IbAddressTable>())
{
    SetHostAttribute("ReceiveLatency", TimeValue(NanoSeconds(300)));
    m_subnetManagerFactory.SetTypeId(IbSubnetManager::GetTypeId());
}

std::string
IbHelper::GetName() const
{
    return "ib";
}

Ptr<IbAddressTable>
IbHelper::GetAddressTable() const
{
    return m_addresses;
}

void
IbHelper::SetCongestionControl(const IbCongestionParameters& parameters)
{
    m_congestion = parameters;
}

void
IbHelper::SetCongestionControl(const std::string& name)
{
    m_congestion = IbCongestionParameters::Get(name);
}

void
IbHelper::SetRoutingEngine(const std::string& name)
{
    SetRoutingEngine(RoutingEngine::Create(name));
}

void
IbHelper::SetRoutingEngine(const Ptr<RoutingEngine>& engine)
{
    SetSubnetManagerAttribute("RoutingEngine", PointerValue(engine));
}

void
IbHelper::SetSubnetManagerAttribute(const std::string& name, const AttributeValue& value)
{
    m_subnetManagerFactory.Set(name, value);
    m_managed = true;
}

Ptr<IbSubnetManager>
IbHelper::GetSubnetManager() const
{
    return m_subnetManager;
}

void
IbHelper::InstallRoutes(const std::vector<Ptr<FabricSwitch>>& switches)
{
    m_subnetManager = nullptr;
    if (!m_managed)
    {
        FabricHelper::InstallRoutes(switches);
        return;
    }
    const auto manager = m_subnetManagerFactory.Create<IbSubnetManager>();
    manager->Sweep(switches, m_addresses);
    FabricRouting::InstallGroupTree(switches);
    m_subnetManager = manager;
}

void
IbHelper::SetUpDevice(const Ptr<FabricNetDevice>& device)
{
    m_congestion.Apply(device, DynamicCast<IbSwitch>(GetSwitch(device->GetNode())));
    const auto port = DynamicCast<IbNetDevice>(device);
    port->SetAddressTable(m_addresses);
    if (!GetSwitch(port->GetNode()))
    {
        port->SetLid(m_nextLid);
        m_addresses->Assign(Mac48Address::ConvertFrom(port->GetAddress()), m_nextLid);
        ++m_nextLid;
    }
}

void
IbHelper::SetLinkSpeed(const std::string& name)
{
    const IbLinkSpeed speed = IbLinkSpeed::Parse(name, "IbHelper");
    SetDeviceAttribute("DataRate", DataRateValue(speed.GetDataRate()));
    TypeId::AttributeInformation info;
    if (GetFlowControlFactory().GetTypeId().LookupAttributeByName("FcMaxInterval", &info))
    {
        SetFlowControlAttribute("FcMaxInterval", TimeValue(speed.GetFcMaxInterval()));
    }
}

void
IbHelper::SetAutoBuffer(bool automatic)
{
    m_autoBuffer = automatic;
}

IbLinkBuffer
IbHelper::GetLinkBuffer(const Ptr<FabricNetDevice>& sender)
{
    return IbLinkBuffer::Of(sender);
}

void
IbHelper::SetUpCable(const Ptr<FabricNetDevice>& a,
                     const Ptr<FabricNetDevice>& b,
                     const Ptr<FabricChannel>& channel)
{
    if (!m_autoBuffer)
    {
        return;
    }
    for (const auto& ends : {std::make_pair(a, b), std::make_pair(b, a)})
    {
        IbLinkBuffer need = IbLinkBuffer::ForCable(ends.first, ends.second, channel->GetDelay());
        const uint64_t packets = need.GetTwoWayPackets();
        // Credit ends at 2048 blocks: long and fast links have larger ones.
        while (packets > IbCreditLoop::GetMostPackets(need.frameBytes, need.blockBytes) &&
               need.blockBytes < MAX_BLOCK_BYTES)
        {
            need.blockBytes *= 2;
        }
        ObjectFactory factory = ends.second->GetFlowControlFactory();
        factory.Set("BlockBytes", UintegerValue(need.blockBytes));
        factory.Set("BufferBytes", UintegerValue(need.GetBytes(packets)));
        ends.second->SetFlowControl(factory);
    }
}

PcapHelper::DataLinkType
IbHelper::GetPcapLinkType() const
{
    return static_cast<PcapHelper::DataLinkType>(FabricPcap::DLT_ERF);
}

FabricHelper::RecordMaker
IbHelper::GetRecordMaker() const
{
    return [](Ptr<const Packet> bytes, Time at, bool control) {
        const auto type = control ? FabricErfType::INFINIBAND_LINK : FabricErfType::INFINIBAND;
        return ToErfRecord(bytes, type, at);
    };
}

} // namespace ns3
