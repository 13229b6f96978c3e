/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rate-control-presets.h"

#include "dcqcn-rate-control.h"

#include <stdexcept>
#include <utility>

namespace ns3
{

namespace
{

const std::string DCQCN = "dcqcn";

/** Names and types of the controls that have one set of parameters. */
const std::vector<std::pair<const char*, const char*>> TYPES = {
    {"static", "ns3::StaticRateControl"},
    {"hpcc", "ns3::HpccRateControl"},
    {"timely", "ns3::TimelyRateControl"},
    {"swift", "ns3::SwiftRateControl"},
    {"dctcp", "ns3::DctcpRateControl"},
};

} // namespace

std::vector<std::string>
RateControlPresets::GetNames()
{
    std::vector<std::string> names{"none", DCQCN};
    for (const std::string& preset : DcqcnRateControl::GetPresets())
    {
        names.push_back(DCQCN + "-" + preset);
    }
    for (const auto& type : TYPES)
    {
        names.emplace_back(type.first);
    }
    return names;
}

std::optional<ObjectFactory>
RateControlPresets::Get(const std::string& name)
{
    if (name == "none")
    {
        return std::nullopt;
    }
    if (name == DCQCN)
    {
        return DcqcnRateControl::Preset("paper");
    }
    for (const std::string& preset : DcqcnRateControl::GetPresets())
    {
        if (name == DCQCN + "-" + preset)
        {
            return DcqcnRateControl::Preset(preset);
        }
    }
    for (const auto& type : TYPES)
    {
        if (name == type.first)
        {
            ObjectFactory factory;
            factory.SetTypeId(type.second);
            return factory;
        }
    }
    std::string message = "RateControlPresets: congestion control '" + name + "', expected one of";
    for (const std::string& known : GetNames())
    {
        message += " " + known;
    }
    throw std::invalid_argument(message);
}

} // namespace ns3
