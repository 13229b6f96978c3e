/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rc-frame-maker.h"

#include "ns3/ib-opcode.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

namespace ns3
{

namespace
{

/** ECN code point of data: capable, not marked. */
constexpr uint8_t ECT_0 = 2;

} // namespace

uint16_t
RcFrameMaker::GetEntropyPort(uint32_t a, uint32_t b)
{
    uint64_t v = static_cast<uint64_t>(a) * b;
    v ^= v >> 20;
    v ^= v >> 40;
    const uint32_t label = v & 0xfffff;
    return static_cast<uint16_t>(((label & 0x3fff) ^ ((label & 0xfc000) >> 14)) | 0xc000);
}

void
RcFrameMaker::Configure(const Flow& flow, const FabricNetDevice* device)
{
    m_device = device;
    m_ip = flow.ip;
    m_data = FabricFrame();
    m_data.src = flow.src;
    m_data.dst = flow.dst;
    m_data.dstQp = flow.dstQp;
    if (flow.ip)
    {
        m_data.srcIp = flow.srcIp;
        m_data.dstIp = flow.dstIp;
        m_data.udpSrc = GetEntropyPort(flow.srcQp, flow.dstQp);
        m_data.ttl = flow.ttl;
    }
    else
    {
        m_data.sl = flow.sl;
    }
    m_answer = m_data;
    m_answer.opcode = IbOpcode::RC_ACK;
    m_sack = m_data;
    m_sack.opcode = IbOpcode::SR_SACK;
    m_notification = m_data;
    m_notification.opcode = flow.ip ? IbOpcode::CNP : IbOpcode::CN;
    m_notification.becn = true;
    m_data.opcode = IbOpcode::RC_WRITE_MIDDLE;
    if (flow.telemetry)
    {
        m_data.telemetry.Create();
    }
    if (flow.answerTelemetry)
    {
        m_answer.telemetry.Create();
    }
    if (flow.ip)
    {
        m_data.dscp = flow.dscp;
        m_data.ecn = ECT_0;
        m_answer.dscp = flow.ackDscp;
        m_sack.dscp = flow.ackDscp;
        m_notification.dscp = flow.cnpDscp;
    }
    Measure();
}

void
RcFrameMaker::Measure()
{
    for (FabricFrame* frame : {&m_data, &m_answer, &m_sack, &m_notification})
    {
        m_device->ClassifyFrame(*frame);
        if (frame->cls == FabricPort::NO_CLASS)
        {
            throw std::invalid_argument("RcQueuePair: ServiceLevel " + std::to_string(frame->sl) +
                                        " has no virtual lane at the host's port, expected a level "
                                        "that its SL to VL table maps to a lane that is served");
        }
        m_device->SizeFrame(*frame);
    }
}

bool
RcFrameMaker::IsFromPeer(const FabricFrame& frame) const
{
    return m_ip ? frame.srcIp == m_data.dstIp : frame.src == m_data.dst;
}

uint32_t
RcFrameMaker::MeasureData(const RcPacket& packet)
{
    // Most packets are like the one before.
    if (packet.opcode != m_data.opcode || packet.payload != m_data.payload)
    {
        m_data.opcode = packet.opcode;
        m_data.payload = packet.payload;
        m_device->SizeFrame(m_data);
    }
    return m_data.frameBytes;
}

FabricFrame*
RcFrameMaker::Copy(const FabricFrame& pattern)
{
    FabricFrame* frame = FabricFramePool::Allocate();
    *frame = pattern;
    return frame;
}

FabricFrame*
RcFrameMaker::MakeData(const RcPacket& packet)
{
    MeasureData(packet);
    FabricFrame* frame = Copy(m_data);
    frame->psn = packet.psn;
    frame->ackReq = packet.ackRequest;
    frame->immediate = packet.immediate;
    if (IbOpcode::GetExtensions(packet.opcode) & IbOpcode::RETH)
    {
        frame->va = packet.tag + packet.offset;
        frame->dmaLen =
            packet.first
                ? static_cast<uint32_t>(
                      std::min<uint64_t>(packet.messageBytes, std::numeric_limits<uint32_t>::max()))
                : packet.payload;
    }
    return frame;
}

FabricFrame*
RcFrameMaker::MakeAnswer() const
{
    return Copy(m_answer);
}

FabricFrame*
RcFrameMaker::MakeSack(uint32_t psn, uint8_t before) const
{
    FabricFrame* frame = Copy(m_sack);
    frame->immediate = static_cast<uint32_t>(before) << 24 | psn;
    return frame;
}

FabricFrame*
RcFrameMaker::MakeNotification() const
{
    return Copy(m_notification);
}

uint8_t
RcFrameMaker::GetDataClass() const
{
    return m_data.cls;
}

uint8_t
RcFrameMaker::GetAnswerClass() const
{
    return m_answer.cls;
}

uint8_t
RcFrameMaker::GetNotificationClass() const
{
    return m_notification.cls;
}

uint32_t
RcFrameMaker::GetAnswerBytes() const
{
    return m_answer.frameBytes;
}

uint32_t
RcFrameMaker::GetSackBytes() const
{
    return m_sack.frameBytes;
}

uint32_t
RcFrameMaker::GetNotificationBytes() const
{
    return m_notification.frameBytes;
}

} // namespace ns3
