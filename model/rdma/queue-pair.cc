/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "queue-pair.h"

#include <stdexcept>
#include <string>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(QueuePair);

TypeId
QueuePair::GetTypeId()
{
    static TypeId tid = TypeId("ns3::QueuePair").SetParent<Object>().SetGroupName("AiFabric");
    return tid;
}

QueuePair::QueuePair() = default;

QueuePair::~QueuePair() = default;

void
QueuePair::DoDispose()
{
    m_dataHook.unlink();
    m_nic = nullptr;
    Object::DoDispose();
}

void
QueuePair::SetNic(FabricNic* nic, uint32_t qpn)
{
    if (m_nic)
    {
        throw std::invalid_argument("QueuePair: queue pair " + std::to_string(m_qpn) +
                                    " already belongs to a NIC, expected a new one");
    }
    m_nic = nic;
    m_qpn = qpn;
}

void
QueuePair::SetCookie(uint64_t cookie)
{
    m_cookie = cookie;
}

} // namespace ns3
