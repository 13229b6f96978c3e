/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "in-network-reduction.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(InNetworkReduction);

TypeId
InNetworkReduction::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::InNetworkReduction").SetParent<Object>().SetGroupName("AiFabric");
    return tid;
}

void
InNetworkReduction::SetResultCallback(ResultCallback callback)
{
    m_result = callback;
}

void
InNetworkReduction::SetErrorCallback(ErrorCallback callback)
{
    m_error = callback;
}

void
InNetworkReduction::DoDispose()
{
    m_result = ResultCallback();
    m_error = ErrorCallback();
    Object::DoDispose();
}

} // namespace ns3
