/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-send-application.h"

#include "ns3/log.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaSendApplication");
NS_OBJECT_ENSURE_REGISTERED(RdmaSendApplication);

TypeId
RdmaSendApplication::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaSendApplication")
                            .SetParent<Application>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<RdmaSendApplication>()
                            .AddAttribute("Bytes",
                                          "Length of the message in bytes.",
                                          UintegerValue(1000000),
                                          MakeUintegerAccessor(&RdmaSendApplication::m_bytes),
                                          MakeUintegerChecker<uint64_t>());
    return tid;
}

void
RdmaSendApplication::SetPath(const Ptr<MessageTransport>& transport, uint32_t from, uint32_t to)
{
    m_transport = transport;
    m_from = from;
    m_to = to;
}

void
RdmaSendApplication::StartApplication()
{
    NS_LOG_FUNCTION(this);
    if (m_transport)
    {
        m_transport->Send(m_from, m_to, m_bytes, 0);
    }
}

void
RdmaSendApplication::StopApplication()
{
    NS_LOG_FUNCTION(this); // a posted message is not taken back
}

void
RdmaSendApplication::DoDispose()
{
    m_transport = nullptr;
    Application::DoDispose();
}

} // namespace ns3
