/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "message-transport.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(MessageTransport);

TypeId
MessageTransport::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::MessageTransport").SetParent<Object>().SetGroupName("AiFabric");
    return tid;
}

void
MessageTransport::SetDeliveredCallback(DeliveredCallback callback)
{
    m_delivered = callback;
}

void
MessageTransport::SetSentCallback(SentCallback callback)
{
    m_sent = callback;
}

void
MessageTransport::SetErrorCallback(ErrorCallback callback)
{
    m_error = callback;
}

void
MessageTransport::DoDispose()
{
    m_delivered = DeliveredCallback();
    m_sent = SentCallback();
    m_error = ErrorCallback();
    Object::DoDispose();
}

} // namespace ns3
