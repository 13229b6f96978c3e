/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IB_CONGESTION_MARKER_H
#define IB_CONGESTION_MARKER_H

#include "ns3/fabric-net-device.h"
#include "ns3/fabric-port.h"
#include "ns3/object.h"
#include "ns3/random-variable-stream.h"
#include "ns3/traced-callback.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * InfiniBand's congestion control in a switch (IBA vol 1, annex A10): which packets get FECN.
 *
 * A lane of an output port is congested if more than the threshold is queued in it. If it has
 * credits as well, it is the root of the congestion, and what leaves by it is marked. If it lacks
 * them, it is a victim of congestion further on, and marks only where the victim mask says so.
 *
 * The queue is what is left when a packet starts, over all input ports. To have credits means that
 * another packet of the same size could follow at once.
 *
 * Between two marks, a number of packets goes unmarked that is drawn evenly around its mean: a
 * fixed one would always hit the same of several flows that take turns, and independent draws for
 * each packet would tell flows less evenly how much they send (Floyd and Jacobson on RED, 1993).
 *
 * Trace sources:
 * - Mark: a packet is marked.
 */
class IbCongestionMarker : public Object
{
  public:
    static constexpr uint32_t PACKET_SIZE_UNIT = 64; //!< of PacketSize, in bytes

    /** @returns the TypeId */
    static TypeId GetTypeId();
    IbCongestionMarker();

    /**
     * Set a bit of Victim_Mask; VictimHosts sets those of ports towards hosts.
     * @param port number of a port that marks as a victim, too
     * @param victim false: it does not
     */
    void SetVictim(uint16_t port, bool victim);

    /**
     * Compute thresholds; std::invalid_argument if there is no buffer of which to take a part.
     * @param ports the switch's, by number
     */
    void Configure(const std::vector<Ptr<FabricNetDevice>>& ports);

    /**
     * A packet starts at an output port: mark it, or not.
     * @param frame the packet, no longer in the queue, its credits taken
     * @param port the port
     */
    void Consider(FabricFrame& frame, FabricPort& port);

    /**
     * @param threshold 1 (loose) to 15 (aggressive), as the standard counts
     * @param bufferBytes receive buffer of a lane
     * @returns bytes that must be queued, and more: (16 - threshold) / 16 of the buffer. The
     * standard leaves the scale to the switch.
     */
    static uint64_t GetThresholdBytes(uint8_t threshold, uint64_t bufferBytes);

    /**
     * @param port number of a port
     * @param lane virtual lane
     * @returns the threshold in bytes, once configured; FABRIC_NEVER where nothing is marked
     */
    uint64_t GetLaneThreshold(uint16_t port, uint8_t lane) const;

    /** @returns packets marked */
    uint64_t GetMarks() const;

    /** @returns true if nothing random is in it, so that time can be skipped */
    bool IsDeterministic() const;

    /**
     * @param stream number of the random stream
     * @returns number of streams used
     */
    int64_t AssignStreams(int64_t stream);

    /**
     * TracedCallback signature of Mark.
     * @param port number of the output port
     * @param lane virtual lane
     * @param queued bytes queued behind the packet
     */
    typedef void (*MarkTracedCallback)(uint16_t port, uint8_t lane, uint64_t queued);

  protected:
    void DoDispose() override;

  private:
    uint8_t m_threshold;       //!< 0..15
    uint64_t m_thresholdBytes; //!< instead, if not 0
    uint8_t m_packetSize;      //!< 64-byte units
    uint16_t m_markingRate;    //!< mean number of packets between marks
    bool m_victimHosts;        //!< ports towards hosts are in Victim_Mask

    std::vector<std::array<uint64_t, FabricPort::CLASSES>> m_limits; //!< bytes, by port and lane
    std::vector<bool> m_victims; //!< Victim_Mask, by port; may be shorter
    std::vector<std::array<uint32_t, FabricPort::CLASSES>>
        m_left;                          //!< packets until the next mark, by port and lane
    Ptr<UniformRandomVariable> m_random; //!< which packets of many
    uint64_t m_marks{0};                 //!< packets marked
    TracedCallback<uint16_t, uint8_t, uint64_t> m_mark; //!< see class
};

} // namespace ns3

#endif // IB_CONGESTION_MARKER_H
