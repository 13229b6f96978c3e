/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "routing-engine.h"

#include "ns3/object-factory.h"

#include <stdexcept>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RoutingEngine);

TypeId
RoutingEngine::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RoutingEngine").SetParent<Object>().SetGroupName("AiFabric");
    return tid;
}

std::map<std::string, TypeId>
RoutingEngine::GetKinds()
{
    std::map<std::string, TypeId> kinds;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId tid = TypeId::GetRegistered(i);
        if (tid.IsChildOf(RoutingEngine::GetTypeId()) && tid.HasConstructor())
        {
            ObjectFactory factory;
            factory.SetTypeId(tid);
            kinds[factory.Create<RoutingEngine>()->GetName()] = tid;
        }
    }
    return kinds;
}

Ptr<RoutingEngine>
RoutingEngine::Create(const std::string& name)
{
    const std::map<std::string, TypeId> kinds = GetKinds();
    const auto found = kinds.find(name);
    if (found == kinds.end())
    {
        std::string known;
        for (const auto& kind : kinds)
        {
            known += (known.empty() ? "" : ", ") + kind.first;
        }
        throw std::invalid_argument("routing engine '" + name + "', expected one of " + known);
    }
    ObjectFactory factory;
    factory.SetTypeId(found->second);
    return factory.Create<RoutingEngine>();
}

} // namespace ns3
