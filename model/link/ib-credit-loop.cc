/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ib-credit-loop.h"

#include "credit-counters.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

IbCreditLoop
IbCreditLoop::MakePractical() const
{
    IbCreditLoop loop = *this;
    loop.processing += PRACTICAL_PROCESSING;
    loop.waitBytes = packetBytes;
    return loop;
}

double
IbCreditLoop::GetSeconds() const
{
    const double back = reverseBitRate > 0 ? reverseBitRate : bitRate;
    return packetBytes * 8 / bitRate + 2 * propagation + processing +
           (static_cast<double>(waitBytes) + controlBytes) * 8 / back;
}

uint64_t
IbCreditLoop::GetFullRatePackets() const
{
    // A loop of exactly W packets needs W, whatever the last bit of the floating point number says.
    constexpr double ROUNDING = 1e-9;
    const double packets = GetSeconds() / (packetBytes * 8 / bitRate);
    return static_cast<uint64_t>(std::ceil(packets - ROUNDING));
}

double
IbCreditLoop::GetPacketRate(uint64_t packets) const
{
    return std::min(bitRate / (packetBytes * 8.0), static_cast<double>(packets) / GetSeconds());
}

double
IbCreditLoop::GetGoodput(uint64_t packets, uint32_t payload) const
{
    return 8.0 * payload * GetPacketRate(packets);
}

double
IbCreditLoop::GetLongestPropagation(uint64_t packets) const
{
    const double cover = static_cast<double>(packets) * packetBytes * 8 / bitRate;
    return (cover - GetSeconds()) / 2 + propagation;
}

uint64_t
IbCreditLoop::GetMostPackets(uint32_t frameBytes, uint32_t blockBytes)
{
    return CreditCounters::MAX_CREDIT / CreditCounters::Blocks(frameBytes, blockBytes);
}

uint64_t
IbCreditLoop::GetWindow(uint32_t bufferBlocks, uint32_t frameBytes, uint32_t blockBytes)
{
    return std::min(bufferBlocks, CreditCounters::MAX_CREDIT) /
           CreditCounters::Blocks(frameBytes, blockBytes);
}

} // namespace ns3
