/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ib-helper.h"

#include "ns3/credit-counters.h"
#include "ns3/data-rate.h"
#include "ns3/fabric-pcap.h"
#include "ns3/ib-link-speed.h"
#include "ns3/ib-net-device.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IbHelper");

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
        const uint64_t wanted = need.GetTwoWayPackets();
        // Credit ends at 2048 blocks: long and fast links have larger ones, until a packet is one.
        uint64_t most = IbCreditLoop::GetMostPackets(need.frameBytes, need.blockBytes);
        while (wanted > most && most < CreditCounters::MAX_CREDIT)
        {
            need.blockBytes *= 2;
            most = IbCreditLoop::GetMostPackets(need.frameBytes, need.blockBytes);
        }
        const uint64_t packets = std::min(wanted, most);
        if (packets < wanted)
        {
            NS_LOG_WARN("IbHelper: " << need.name << ": full rate needs " << wanted
                                     << " packets, credit ends at " << most);
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
