/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IB_CREDIT_LOOP_H
#define IB_CREDIT_LOOP_H

#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * How much receive buffer a lane needs for full rate: the credit loop of a link in closed form.
 *
 * The room of a packet comes back to the sender after
 *
 *     T = P/R + 2 tp + processing + wait/R' + F/R'
 *
 * with the packet's P bytes at rate R, the cable's delay tp, and a flow-control packet of F bytes
 * at the rate R' of the way back, where it may wait for a frame. With room for W packets at most W
 * leave in each T.
 */
struct IbCreditLoop
{
    /** Of a buffer that is "practical": 200 ns of processing, and a full packet on the way back. */
    static constexpr double PRACTICAL_PROCESSING = 200e-9;

    double bitRate{0};        //!< of the sender, bit/s
    double reverseBitRate{0}; //!< of the way back, bit/s; 0: the same
    uint32_t packetBytes{0};  //!< P, of a full packet on the wire
    uint32_t controlBytes{8}; //!< F, of a flow-control packet on the wire
    uint32_t waitBytes{0};    //!< of a frame on the way back that the flow-control packet waits for
    double propagation{0};    //!< one way, s
    double processing{0};     //!< from the last bit in until the room is free again, s

    /** @returns the loop with practical margins: + 200 ns, + a full packet on the way back */
    IbCreditLoop MakePractical() const;

    /** @returns T, s */
    double GetSeconds() const;

    /** @returns smallest number of packets in the buffer that gives full rate */
    uint64_t GetFullRatePackets() const;

    /**
     * @param packets room in the buffer, whole packets
     * @returns packets per second of a sender that always has one
     */
    double GetPacketRate(uint64_t packets) const;

    /**
     * @param packets room in the buffer, whole packets
     * @param payload bytes in a packet
     * @returns payload bits per second
     */
    double GetGoodput(uint64_t packets, uint32_t payload) const;

    /**
     * @param packets room in the buffer, whole packets
     * @returns longest one-way delay with full rate, s; negative if even a cable without delay is
     * too long
     */
    double GetLongestPropagation(uint64_t packets) const;

    /**
     * @param frameBytes of a packet in the buffer, LRH through VCRC
     * @param blockBytes size of a block
     * @returns the most packets for which credit can be announced, whatever the buffer: 2048 blocks
     */
    static uint64_t GetMostPackets(uint32_t frameBytes, uint32_t blockBytes);

    /**
     * @param bufferBlocks of the receive buffer of the lane
     * @param frameBytes of a packet in the buffer, LRH through VCRC
     * @param blockBytes size of a block
     * @returns packets for which credit can be announced: whole ones, within 2048 blocks
     */
    static uint64_t GetWindow(uint32_t bufferBlocks, uint32_t frameBytes, uint32_t blockBytes);
};

} // namespace ns3

#endif // IB_CREDIT_LOOP_H
