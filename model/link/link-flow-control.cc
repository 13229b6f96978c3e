/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "link-flow-control.h"

#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(LinkFlowControl);

TypeId
LinkFlowControl::GetTypeId()
{
    static TypeId tid = TypeId("ns3::LinkFlowControl").SetParent<Object>().SetGroupName("AiFabric");
    return tid;
}

void
LinkFlowControl::Attach(FabricPort* forward, FabricPort* reverse)
{
    m_forward = forward;
    m_reverse = reverse;
}

bool
LinkFlowControl::IsHeldAt(uint8_t /* cls */, FabricTick /* at */) const
{
    return false;
}

void
LinkFlowControl::NoLongerWaiting(uint8_t /* cls */, FabricTick /* now */)
{
}

FabricTick
LinkFlowControl::GetLongestSilence() const
{
    return 0;
}

uint64_t
LinkFlowControl::GetPausesSent(uint8_t /* cls */) const
{
    return 0;
}

uint64_t
LinkFlowControl::GetPausesReceived(uint8_t /* cls */) const
{
    return 0;
}

FabricTick
LinkFlowControl::GetPausedTicksOf(uint8_t /* cls */)
{
    return 0;
}

uint32_t
LinkFlowControl::GetLargestFrame(uint8_t /* cls */) const
{
    return std::numeric_limits<uint32_t>::max();
}

void
LinkFlowControl::Lost(uint8_t /* cls */, uint32_t /* bytes */, FabricTick /* now */)
{
}

void
LinkFlowControl::EmitDue(FabricTick /* now */)
{
}

void
LinkFlowControl::LinkChanged(bool /* up */)
{
}

bool
LinkFlowControl::HashState(StateHash& /* hash */, FabricTick /* now */) const
{
    return false;
}

void
LinkFlowControl::Shift(FabricTick /* by */)
{
}

void
LinkFlowControl::DoDispose()
{
    m_forward = nullptr;
    m_reverse = nullptr;
    Object::DoDispose();
}

} // namespace ns3
