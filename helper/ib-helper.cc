/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ib-helper.h"

#include "ns3/fabric-pcap.h"
#include "ns3/ib-net-device.h"

namespace ns3
{

IbHelper::IbHelper()
    : FabricHelper("ns3::IbNetDevice", "ns3::IbSwitch", "ns3::CreditFlowControl"),
      m_addresses(CreateObject<IbAddressTable>())
{
    SetHostAttribute("ReceiveLatency", TimeValue(NanoSeconds(300)));
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
