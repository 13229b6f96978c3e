/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ib-node-info.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IbNodeInfo);

TypeId
IbNodeInfo::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IbNodeInfo")
                            .SetParent<Object>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<IbNodeInfo>();
    return tid;
}

} // namespace ns3
