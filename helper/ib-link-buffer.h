/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IB_LINK_BUFFER_H
#define IB_LINK_BUFFER_H

#include "ns3/fabric-net-device.h"
#include "ns3/ib-credit-loop.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * The receive buffer of one direction of an InfiniBand link: what one lane needs for full rate with
 * packets of the largest size, and what it has.
 *
 * A host's buffer is free after its ReceiveLatency and the time that its DrainRate takes; a
 * switch's when the packet has left by an output of the same rate that is free.
 */
struct IbLinkBuffer
{
    /**
     * @param sender an InfiniBand device whose link is up
     * @returns the buffer at the far end. Ask after FabricHelper::Configure(), which decides where
     * switches cut through.
     * @throws std::invalid_argument if the link is down or has no credits
     */
    static IbLinkBuffer Of(const Ptr<FabricNetDevice>& sender);

    /**
     * Before the link is up: what its receiver needs.
     * @param sender transmits
     * @param receiver of the same cable, with flow control by credits
     * @param delay one-way delay of the cable
     * @returns the buffer; what it has is not filled in
     */
    static IbLinkBuffer ForCable(const Ptr<FabricNetDevice>& sender,
                                 const Ptr<FabricNetDevice>& receiver,
                                 Time delay);

    /** @returns packets that give full rate while the way back is idle */
    uint64_t GetMinPackets() const;
    /** @returns packets that give full rate while the way back is full of the largest packets */
    uint64_t GetTwoWayPackets() const;
    /** @returns packets that the buffer holds, for which credit can be announced */
    uint64_t GetPackets() const;
    /**
     * @param packets room for so many
     * @returns bytes of the buffer
     */
    uint64_t GetBytes(uint64_t packets) const;
    /** @returns true if one lane can have full rate while the way back is idle */
    bool IsEnough() const;
    /** @returns payload bits per second of one lane, while the way back is idle */
    double GetGoodput() const;
    /** @returns all of it in one line */
    std::string ToString() const;

    std::string name;         //!< which direction
    IbCreditLoop loop;        //!< with an idle way back
    uint32_t payload{0};      //!< of a full packet, bytes
    uint32_t frameBytes{0};   //!< of the largest packet in the buffer
    uint32_t reverseBytes{0}; //!< of a full packet of the way back, on the wire
    uint32_t blockBytes{64};  //!< unit of credit
    uint32_t bufferBlocks{0}; //!< of the smallest data lane
};

} // namespace ns3

#endif // IB_LINK_BUFFER_H
