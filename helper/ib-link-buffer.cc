/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ib-link-buffer.h"

#include "fabric-helper.h"

#include "ns3/credit-counters.h"
#include "ns3/credit-flow-control.h"
#include "ns3/fabric-channel.h"
#include "ns3/ib-opcode.h"

#include <sstream>
#include <stdexcept>

namespace ns3
{

namespace
{

/** @returns a full packet of a device, sized */
FabricFrame
MakeFullFrame(const Ptr<FabricNetDevice>& device, uint8_t opcode)
{
    FabricFrame frame;
    frame.opcode = opcode;
    frame.payload = device->GetMaxRdmaPayload();
    device->SizeFrame(frame);
    return frame;
}

/** @returns how a message calls a device */
std::string
NameOf(const Ptr<FabricNetDevice>& device)
{
    return "node " + std::to_string(device->GetNode()->GetId()) + " device " +
           std::to_string(device->GetIfIndex());
}

/** @returns seconds from the last bit in until the room is free */
double
GetProcessing(const Ptr<FabricNetDevice>& receiver, const IbCreditLoop& loop, uint32_t frameBytes)
{
    if (const Ptr<FabricSwitch> owner = FabricHelper::GetSwitch(receiver->GetNode()))
    {
        TimeValue latency;
        owner->GetAttribute("Latency", latency);
        // The packet leaves for as long as it came in; with cut-through both happen at once.
        return latency.Get().GetSeconds() +
               (receiver->IsCutThrough() ? 0 : loop.packetBytes * 8 / loop.bitRate);
    }
    DataRateValue drain;
    receiver->GetAttribute("DrainRate", drain);
    const double rate = static_cast<double>(drain.Get().GetBitRate());
    return FabricSeconds(receiver->GetReceiveLatencyTicks()) +
           (rate > 0 ? frameBytes * 8 / rate : 0);
}

} // namespace

IbLinkBuffer
IbLinkBuffer::ForCable(const Ptr<FabricNetDevice>& sender,
                       const Ptr<FabricNetDevice>& receiver,
                       Time delay)
{
    const auto credits = DynamicCast<CreditFlowControl>(receiver->CreateFlowControl());
    if (!credits)
    {
        throw std::invalid_argument("IbLinkBuffer: " + NameOf(receiver) +
                                    " has another flow control, expected CreditFlowControl");
    }
    for (const Ptr<FabricNetDevice>& end : {sender, receiver})
    {
        if (end->GetBitRate() == 0)
        {
            throw std::invalid_argument("IbLinkBuffer: " + NameOf(end) +
                                        " has a DataRate of 0 bit/s, expected more");
        }
    }
    const FabricFrame middle = MakeFullFrame(sender, IbOpcode::RC_WRITE_MIDDLE);
    IbLinkBuffer buffer;
    buffer.name = NameOf(sender) + " to " + NameOf(receiver);
    buffer.payload = middle.payload;
    buffer.frameBytes = MakeFullFrame(sender, IbOpcode::RC_WRITE_ONLY).frameBytes;
    buffer.reverseBytes = MakeFullFrame(receiver, IbOpcode::RC_WRITE_MIDDLE).wireBytes;
    buffer.blockBytes = credits->GetBlockBytes();
    buffer.loop.bitRate = static_cast<double>(sender->GetBitRate());
    buffer.loop.reverseBitRate = static_cast<double>(receiver->GetBitRate());
    buffer.loop.packetBytes = middle.wireBytes;
    buffer.loop.controlBytes = CreditFlowControl::PACKET_BYTES;
    buffer.loop.propagation = delay.GetSeconds();
    buffer.loop.processing = GetProcessing(receiver, buffer.loop, middle.frameBytes);
    return buffer;
}

IbLinkBuffer
IbLinkBuffer::Of(const Ptr<FabricNetDevice>& sender)
{
    const Ptr<FabricNetDevice> receiver = sender->GetPort().GetPeer();
    const auto channel = DynamicCast<FabricChannel>(sender->GetChannel());
    const auto credits = dynamic_cast<CreditFlowControl*>(sender->GetPort().GetFlowControl());
    if (!receiver || !channel || !credits)
    {
        throw std::invalid_argument("IbLinkBuffer: " + NameOf(sender) +
                                    " has no link with credits, expected one that is up");
    }
    IbLinkBuffer buffer = ForCable(sender, receiver, channel->GetDelay());
    buffer.bufferBlocks = credits->GetSmallestBufferBlocks();
    return buffer;
}

uint64_t
IbLinkBuffer::GetMinPackets() const
{
    return loop.GetFullRatePackets();
}

uint64_t
IbLinkBuffer::GetTwoWayPackets() const
{
    IbCreditLoop busy = loop;
    busy.waitBytes = reverseBytes;
    return busy.GetFullRatePackets();
}

uint64_t
IbLinkBuffer::GetPackets() const
{
    return IbCreditLoop::GetWindow(bufferBlocks, frameBytes, blockBytes);
}

uint64_t
IbLinkBuffer::GetBytes(uint64_t packets) const
{
    return packets * CreditCounters::Blocks(frameBytes, blockBytes) * blockBytes;
}

bool
IbLinkBuffer::IsEnough() const
{
    return GetPackets() >= GetMinPackets();
}

double
IbLinkBuffer::GetGoodput() const
{
    return loop.GetGoodput(GetPackets(), payload);
}

std::string
IbLinkBuffer::ToString() const
{
    const uint64_t most = IbCreditLoop::GetMostPackets(frameBytes, blockBytes);
    std::ostringstream text;
    text << name << ": " << loop.bitRate / 1e9 << " Gb/s, cable " << loop.propagation * 1e9
         << " ns: full rate of a lane needs " << GetMinPackets() << " packets of " << frameBytes
         << " bytes (" << GetBytes(GetMinPackets()) << " bytes), " << GetTwoWayPackets()
         << " with full traffic the other way; it has " << GetPackets() << " ("
         << uint64_t{bufferBlocks} * blockBytes << " bytes): ";
    if (IsEnough())
    {
        text << (GetPackets() >= GetTwoWayPackets() ? "enough" : "enough one way");
    }
    else
    {
        text << "at most " << GetGoodput() / 1e9 << " Gb/s of payload";
        if (GetMinPackets() > most)
        {
            text << "; credit ends at " << most << " packets, so BlockBytes must grow";
        }
    }
    return text.str();
}

} // namespace ns3
