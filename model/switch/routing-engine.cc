/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "routing-engine.h"

#include "ns3/object-factory.h"

#include <stdexcept>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RoutingEngine);

namespace
{

/** Engines by OpenSM's names. */
const std::vector<std::pair<const char*, const char*>> ENGINES = {
    {"minhop", "ns3::MinHopRoutingEngine"},
    {"updn", "ns3::UpDownRoutingEngine"},
    {"ftree", "ns3::FatTreeRoutingEngine"},
    {"dor", "ns3::DorRoutingEngine"},
    {"lash", "ns3::LashRoutingEngine"},
    {"shortest", "ns3::ShortestPathEngine"}, // not OpenSM's
};

} // namespace

TypeId
RoutingEngine::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RoutingEngine").SetParent<Object>().SetGroupName("AiFabric");
    return tid;
}

std::vector<std::string>
RoutingEngine::GetNames()
{
    std::vector<std::string> names;
    for (const auto& engine : ENGINES)
    {
        names.emplace_back(engine.first);
    }
    return names;
}

Ptr<RoutingEngine>
RoutingEngine::Create(const std::string& name)
{
    std::string known;
    for (const auto& engine : ENGINES)
    {
        if (name == engine.first)
        {
            ObjectFactory factory;
            factory.SetTypeId(engine.second);
            return factory.Create<RoutingEngine>();
        }
        known += (known.empty() ? "" : ", ") + std::string(engine.first);
    }
    throw std::invalid_argument("routing engine \"" + name + "\", expected one of " + known);
}

} // namespace ns3
