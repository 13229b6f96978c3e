/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-helper.h"

#include "ns3/boolean.h"
#include "ns3/dcqcn-rate-control.h"
#include "ns3/fabric-nic.h"
#include "ns3/fabric-routing.h"
#include "ns3/rate-control-presets.h"
#include "ns3/roce-switch.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <vector>

namespace ns3
{

RoceHelper::RoceHelper()
    : FabricHelper("ns3::RoceNetDevice", "ns3::RoceSwitch", "ns3::PauseFlowControl")
{
    SetHostAttribute("ReceiveLatency", TimeValue(NanoSeconds(300)));
    // Ethernet switches of this class store and forward; see the latency table in the
    // documentation.
    SetSwitchAttribute("CutThrough", BooleanValue(false));
    SetSwitchAttribute("Latency", TimeValue(NanoSeconds(600)));
}

std::string
RoceHelper::GetName() const
{
    return "roce";
}

void
RoceHelper::SetCongestionControl(const std::string& name)
{
    const std::vector<std::string> presets = DcqcnRateControl::GetPresets();
    const bool dcqcn = std::find(presets.begin(), presets.end(), name) != presets.end();
    if (const auto factory = RateControlPresets::Get(dcqcn ? "dcqcn-" + name : name))
    {
        SetCongestionControl(*factory);
        return;
    }
    m_hasRateControl = false;
    SetSwitchAttribute("Ecn", BooleanValue(false));
}

void
RoceHelper::SetCongestionControl(const ObjectFactory& factory)
{
    m_hasRateControl = true;
    m_rateControlFactory = factory;
    const uint8_t feedback = factory.Create<RateControl>()->GetFeedback();
    SetSwitchAttribute("Ecn", BooleanValue(feedback & (RateControl::CNP | RateControl::ECN_ECHO)));
}

void
RoceHelper::SetSwitchBuffer(const std::string& name)
{
    for (const auto& setting : RoceSwitch::Preset(name))
    {
        SetSwitchAttribute(setting.first, StringValue(setting.second));
    }
}

void
RoceHelper::SetWeightedRoutes(bool weighted)
{
    m_weightedRoutes = weighted;
}

void
RoceHelper::InstallRoutes(const std::vector<Ptr<FabricSwitch>>& switches)
{
    FabricRouting::InstallShortestPaths(switches, m_weightedRoutes);
}

void
RoceHelper::SetUpDevice(const Ptr<FabricNetDevice>& device)
{
    if (m_hasRateControl && !GetSwitch(device->GetNode()))
    {
        const auto nic = CreateObject<FabricNic>();
        nic->SetRateControl(m_rateControlFactory);
        nic->SetDevice(device);
    }
}

void
RoceHelper::Configure(const NodeContainer& switches)
{
    // The same seed everywhere would send a flow the same way on every tier.
    for (uint32_t i = 0; i < switches.GetN(); ++i)
    {
        if (const Ptr<FabricSwitch> device = GetSwitch(switches.Get(i)))
        {
            device->SetAttribute("EcmpSeed", UintegerValue(i + 1));
        }
    }
    FabricHelper::Configure(switches);
}

PcapHelper::DataLinkType
RoceHelper::GetPcapLinkType() const
{
    return PcapHelper::DLT_EN10MB;
}

FabricHelper::RecordMaker
RoceHelper::GetRecordMaker() const
{
    constexpr uint32_t FCS_BYTES = 4;
    return [](Ptr<const Packet> bytes, Time /* at */, bool /* control */) {
        Ptr<Packet> record = bytes->Copy();
        record->RemoveAtEnd(FCS_BYTES);
        return record;
    };
}

} // namespace ns3
