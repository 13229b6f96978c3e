/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-transport-codec.h"

#include "ns3/cnp-header.h"
#include "ns3/fabric-frame-size.h"
#include "ns3/ib-bth-header.h"
#include "ns3/ib-extended-headers.h"
#include "ns3/ib-opcode.h"
#include "ns3/zero-padding.h"

#include <array>
#include <sstream>
#include <stdexcept>

namespace ns3
{

namespace
{

/** Extension headers whose content a frame has fields for, or whose content is not simulated. */
constexpr uint16_t REPRESENTED =
    IbOpcode::RETH | IbOpcode::AETH | IbOpcode::DETH | IbOpcode::IMM_DT | IbOpcode::CNP_RESERVED;

/** @returns true if a frame can hold a packet with this opcode */
bool
IsRepresented(uint8_t opcode)
{
    return IbOpcode::IsKnown(opcode) && !(IbOpcode::GetExtensions(opcode) & ~REPRESENTED);
}

} // namespace

void
FabricTransportCodec::CheckOpcode(const FabricFrame& frame)
{
    if (!IsRepresented(frame.opcode))
    {
        std::ostringstream message;
        message << "FabricFrameCodec: opcode 0x" << std::hex << +frame.opcode
                << ": expected SEND, WRITE, READ, acknowledge or congestion notification of RC or "
                   "UC, or a UD SEND";
        throw std::invalid_argument(message.str());
    }
}

void
FabricTransportCodec::AddHeaders(const Ptr<Packet>& packet,
                                 const FabricFrame& frame,
                                 uint16_t partitionKey)
{
    const uint32_t payload = packet->GetSize();
    const uint32_t pad = PaddedPayloadBytes(payload) - payload;
    AddZeroPadding(packet, pad);
    if (frame.telemetry)
    {
        std::array<uint8_t, FabricTelemetry::BYTES> bytes;
        frame.telemetry->Encode(bytes.data());
        packet->AddAtEnd(Create<Packet>(bytes.data(), bytes.size()));
    }
    const uint16_t extensions = IbOpcode::GetExtensions(frame.opcode);
    if (extensions & IbOpcode::CNP_RESERVED)
    {
        packet->AddHeader(CnpHeader());
    }
    if (extensions & IbOpcode::IMM_DT)
    {
        IbImmDtHeader immediate;
        immediate.SetData(frame.immediate);
        packet->AddHeader(immediate);
    }
    if (extensions & IbOpcode::AETH)
    {
        IbAethHeader aeth;
        aeth.SetSyndrome(frame.syndrome);
        aeth.SetMsn(frame.msn);
        packet->AddHeader(aeth);
    }
    if (extensions & IbOpcode::RETH)
    {
        IbRethHeader reth;
        reth.SetVirtualAddress(frame.va);
        reth.SetRemoteKey(frame.rkey);
        reth.SetDmaLength(frame.dmaLen);
        packet->AddHeader(reth);
    }
    if (extensions & IbOpcode::DETH)
    {
        IbDethHeader deth;
        deth.SetQueueKey(frame.qkey);
        deth.SetSourceQp(frame.srcQp);
        packet->AddHeader(deth);
    }
    IbBthHeader bth;
    bth.SetOpcode(frame.opcode);
    bth.SetSolicited(frame.solicited);
    bth.SetPadCount(pad);
    bth.SetPartitionKey(partitionKey);
    bth.SetFecn(frame.fecn);
    bth.SetBecn(frame.becn);
    bth.SetTelemetry(static_cast<bool>(frame.telemetry));
    bth.SetDestinationQp(frame.dstQp);
    bth.SetAckReq(frame.ackReq);
    bth.SetPsn(frame.psn);
    packet->AddHeader(bth);
}

bool
FabricTransportCodec::ReadHeaders(HeaderReader& reader,
                                  uint32_t end,
                                  FabricFrame& frame,
                                  Ptr<const Packet> telemetry)
{
    IbBthHeader bth;
    if (!reader.Read(bth) || bth.GetVersion() != 0 || !IsRepresented(bth.GetOpcode()))
    {
        return false;
    }
    frame.opcode = bth.GetOpcode();
    frame.solicited = bth.GetSolicited();
    frame.fecn = bth.GetFecn();
    frame.becn = bth.GetBecn();
    frame.dstQp = bth.GetDestinationQp();
    frame.ackReq = bth.GetAckReq();
    frame.psn = bth.GetPsn();
    // InfiniBand does not know the bit: reserved bits are ignored there.
    if (bth.GetTelemetry() && telemetry)
    {
        if (end < reader.GetOffset() + FabricTelemetry::BYTES || end > telemetry->GetSize())
        {
            return false;
        }
        end -= FabricTelemetry::BYTES;
        std::array<uint8_t, FabricTelemetry::BYTES> bytes;
        const Ptr<Packet> rest = telemetry->Copy();
        rest->RemoveAtStart(end);
        rest->CopyData(bytes.data(), bytes.size());
        frame.telemetry.Create();
        frame.telemetry->Decode(bytes.data());
    }
    const uint16_t extensions = IbOpcode::GetExtensions(frame.opcode);
    IbDethHeader deth;
    IbRethHeader reth;
    IbAethHeader aeth;
    IbImmDtHeader immediate;
    CnpHeader reserved;
    if (((extensions & IbOpcode::DETH) && !reader.Read(deth)) ||
        ((extensions & IbOpcode::RETH) && !reader.Read(reth)) ||
        ((extensions & IbOpcode::AETH) && !reader.Read(aeth)) ||
        ((extensions & IbOpcode::IMM_DT) && !reader.Read(immediate)) ||
        ((extensions & IbOpcode::CNP_RESERVED) && !reader.Read(reserved)) ||
        reader.GetOffset() + bth.GetPadCount() > end)
    {
        return false;
    }
    frame.qkey = deth.GetQueueKey();
    frame.srcQp = deth.GetSourceQp();
    frame.va = reth.GetVirtualAddress();
    frame.rkey = reth.GetRemoteKey();
    frame.dmaLen = reth.GetDmaLength();
    frame.syndrome = aeth.GetSyndrome();
    frame.msn = aeth.GetMsn();
    frame.immediate = immediate.GetData();
    frame.payload = end - bth.GetPadCount() - reader.GetOffset();
    return frame.payload == 0 || IbOpcode::HasPayload(frame.opcode);
}

} // namespace ns3
