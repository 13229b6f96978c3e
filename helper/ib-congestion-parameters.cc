/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ib-congestion-parameters.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/ib-congestion-agent.h"
#include "ns3/ib-congestion-marker.h"
#include "ns3/uinteger.h"

#include <stdexcept>

namespace ns3
{

namespace
{

/** A set of parameters by its name. */
struct NamedSet
{
    const char* name;         //!< as scripts say it
    uint8_t threshold;        //!< see IbCongestionParameters
    uint16_t markingRate;     //!< see IbCongestionParameters
    uint8_t packetSize;       //!< see IbCongestionParameters
    uint8_t increase;         //!< see IbCongestionParameters
    uint16_t limit;           //!< see IbCongestionParameters
    uint8_t min;              //!< see IbCongestionParameters
    uint16_t timer;           //!< see IbCongestionParameters
    uint16_t tableMultiplier; //!< see IbCongestionParameters
    uint8_t tableShift;       //!< see IbCongestionParameters
    double tableGrowth;       //!< see IbCongestionParameters
};

// opensm: the defaults of OpenSM, with which congestion control is off.
// gran2010: Gran et al., IPDPS 2010, a study of the hardware of its time.
// hot-spot-400g: fitted to examples/ib-congestion at 400 Gb/s; see the manual.
constexpr NamedSet SETS[] = {
    {"opensm", 0, 0, 0, 0, 0, 0, 0, 1, 0, 0},
    {"gran2010", 15, 0, 8, 1, 127, 0, 150, 1, 0, 0},
    {"hot-spot-400g", 8, 31, 8, 1, 127, 0, 64, 1, 0, 1.0625},
};

} // namespace

bool
IbCongestionParameters::IsEnabled() const
{
    return threshold || thresholdBytes;
}

void
IbCongestionParameters::Apply(const Ptr<FabricNetDevice>& device, const Ptr<IbSwitch>& owner) const
{
    if (!IsEnabled())
    {
        return;
    }
    if (owner && !owner->GetCongestionMarker())
    {
        const auto marker = CreateObject<IbCongestionMarker>();
        marker->SetAttribute("Threshold", UintegerValue(threshold));
        marker->SetAttribute("ThresholdBytes", UintegerValue(thresholdBytes));
        marker->SetAttribute("MarkingRate", UintegerValue(markingRate));
        marker->SetAttribute("PacketSize", UintegerValue(packetSize));
        marker->SetAttribute("VictimHosts", BooleanValue(victimHosts));
        owner->SetCongestionMarker(marker);
    }
    else if (!owner)
    {
        const auto agent = CreateObject<IbCongestionAgent>();
        agent->SetAttribute("CctiIncrease", UintegerValue(increase));
        agent->SetAttribute("CctiLimit", UintegerValue(limit));
        agent->SetAttribute("CctiMin", UintegerValue(min));
        agent->SetAttribute("CctiTimer", UintegerValue(timer));
        agent->SetAttribute("TriggerThreshold", UintegerValue(triggerThreshold));
        agent->SetAttribute("PerServiceLevel", BooleanValue(perServiceLevel));
        agent->SetAttribute("TableMultiplier", UintegerValue(tableMultiplier));
        agent->SetAttribute("TableShift", UintegerValue(tableShift));
        agent->SetAttribute("TableGrowth", DoubleValue(tableGrowth));
        device->AggregateObject(agent);
    }
}

IbCongestionParameters
IbCongestionParameters::Get(const std::string& name)
{
    std::string known;
    for (const NamedSet& set : SETS)
    {
        if (name == set.name)
        {
            IbCongestionParameters parameters;
            parameters.threshold = set.threshold;
            parameters.markingRate = set.markingRate;
            parameters.packetSize = set.packetSize;
            parameters.increase = set.increase;
            parameters.limit = set.limit;
            parameters.min = set.min;
            parameters.timer = set.timer;
            parameters.tableMultiplier = set.tableMultiplier;
            parameters.tableShift = set.tableShift;
            parameters.tableGrowth = set.tableGrowth;
            return parameters;
        }
        known += (known.empty() ? "" : ", ") + std::string(set.name);
    }
    throw std::invalid_argument("congestion control '" + name + "', expected " + known);
}

std::vector<std::string>
IbCongestionParameters::ListNames()
{
    std::vector<std::string> names;
    for (const NamedSet& set : SETS)
    {
        names.emplace_back(set.name);
    }
    return names;
}

} // namespace ns3
