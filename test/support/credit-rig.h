/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CREDIT_RIG_H
#define CREDIT_RIG_H

#include "link-rig.h"

#include "ns3/credit-flow-control.h"
#include "ns3/ib-credit-loop.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ns3
{
namespace linkrig
{

/** Full packets of an IB MTU of 4096 bytes, LRH through VCRC. */
constexpr uint32_t IB_PACKET_BYTES = 4122;
/** Their blocks of 64 bytes. */
constexpr uint32_t IB_PACKET_BLOCKS = 65;

/** @returns the ideal loop of a cable, 5 ns per meter */
inline IbCreditLoop
MakeIdealLoop(double gbps, double meters)
{
    IbCreditLoop loop;
    loop.bitRate = gbps * 1e9;
    loop.packetBytes = IB_PACKET_BYTES;
    loop.propagation = meters * 5e-9;
    return loop;
}

/** What came of saturating one lane of a link. */
struct CreditRun
{
    double windowTicks{0}; //!< mean time between frames that lie a window apart
    double goodput{0};     //!< payload, bit/s
    uint64_t drops{0};     //!< of the receiver
    uint32_t most{0};      //!< blocks that the buffer ever held
};

/**
 * Send full packets from one device to another and measure over whole windows. Ends with
 * Simulator::Destroy().
 * @param from sends
 * @param to receives
 * @param window packets in the buffer
 * @param loops windows to be measured, after one of warm-up
 * @returns what came of it
 */
inline CreditRun
Saturate(const Ptr<FabricNetDevice>& from,
         const Ptr<FabricNetDevice>& to,
         uint64_t window,
         uint64_t loops)
{
    Blaster blaster(from, to->GetFabricAddress(), 4096, window * (loops + 2));
    Counter counter(to);
    blaster.Start();
    Simulator::Run();
    CreditRun run;
    const FabricTick span = counter.times.at(window * (loops + 1)) - counter.times.at(window);
    run.windowTicks = static_cast<double>(span) / loops;
    run.goodput = static_cast<double>(window * loops) * 4096 * 8 / FabricSeconds(span);
    run.drops = to->GetDrops();
    if (const auto credits = dynamic_cast<CreditFlowControl*>(from->GetPort().GetFlowControl()))
    {
        run.most = credits->GetMaxOccupancyBlocks();
    }
    Simulator::Destroy();
    return run;
}

/** @returns a cable between two new hosts: its two devices */
inline std::vector<Ptr<FabricNetDevice>>
InstallCable(FabricHelper& helper)
{
    NodeContainer nodes;
    nodes.Create(2);
    const NetDeviceContainer ends = helper.Install(nodes.Get(0), nodes.Get(1));
    return {DynamicCast<FabricNetDevice>(ends.Get(0)), DynamicCast<FabricNetDevice>(ends.Get(1))};
}

/**
 * The buffers worth a look on a link: one packet, around the minimum for full rate, a broken packet
 * more, and more than credit can be announced for.
 * @param loop of the link
 * @returns sizes in blocks of 64 bytes
 */
inline std::vector<uint32_t>
InterestingBuffers(const IbCreditLoop& loop)
{
    const auto least = static_cast<uint32_t>(loop.GetFullRatePackets());
    std::vector<uint32_t> blocks = {1 * IB_PACKET_BLOCKS,
                                    2 * IB_PACKET_BLOCKS + 64,
                                    (least + 1) / 2 * IB_PACKET_BLOCKS,
                                    (least - 1) * IB_PACKET_BLOCKS,
                                    least * IB_PACKET_BLOCKS,
                                    (least + 1) * IB_PACKET_BLOCKS,
                                    2048,
                                    16384};
    std::sort(blocks.begin(), blocks.end());
    blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
    return blocks;
}

} // namespace linkrig
} // namespace ns3

#endif // CREDIT_RIG_H
