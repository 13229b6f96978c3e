/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "routing-engine.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RoutingEngine);

TypeId
RoutingEngine::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RoutingEngine").SetParent<Object>().SetGroupName("AiFabric");
    return tid;
}

} // namespace ns3
