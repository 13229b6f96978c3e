/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-helper.h"

#include "ns3/boolean.h"
#include "ns3/uinteger.h"

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
