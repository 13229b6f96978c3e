/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RC_FRAME_MAKER_H
#define RC_FRAME_MAKER_H

#include "rc-requester.h"

#include "ns3/fabric-frame.h"
#include "ns3/fabric-net-device.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Makes the frames of one end of a connection from patterns with all header fields that do not
 * change.
 */
class RcFrameMaker
{
  public:
    /** What the frames of a connection have in common. */
    struct Flow
    {
        bool ip{false};              //!< packets travel over IP (RoCE)
        uint64_t src{0};             //!< link address of this end
        uint64_t dst{0};             //!< link address of the peer
        uint32_t srcIp{0};           //!< IPv4 address of this end, host order (RoCE)
        uint32_t dstIp{0};           //!< IPv4 address of the peer (RoCE)
        uint32_t srcQp{0};           //!< queue pair number of this end
        uint32_t dstQp{0};           //!< queue pair number of the peer
        uint8_t sl{0};               //!< service level (IB)
        uint8_t dscp{0};             //!< of data (RoCE)
        uint8_t ackDscp{0};          //!< of acknowledgments (RoCE)
        bool telemetry{false};       //!< data collects in-band telemetry (RoCE)
        bool answerTelemetry{false}; //!< acknowledgments bring it back
        uint8_t cnpDscp{0};          //!< of congestion notifications (RoCE)
        uint8_t ttl{64};             //!< time to live (RoCE)
    };

    /**
     * @param flow header fields
     * @param device classifies and sizes the frames; must outlive this object
     */
    void Configure(const Flow& flow, const FabricNetDevice* device);

    /** Ask the device for classes and sizes: they depend on the far end of its link. */
    void Measure();

    /**
     * @param frame a frame that came in
     * @returns true if the peer has sent it
     */
    bool IsFromPeer(const FabricFrame& frame) const;

    /**
     * @param packet a data packet
     * @returns frameBytes of its frame
     */
    uint32_t MeasureData(const RcPacket& packet);

    /**
     * @param packet a data packet
     * @returns its frame
     */
    FabricFrame* MakeData(const RcPacket& packet);
    /** @returns an acknowledgment without the fields of its AETH */
    FabricFrame* MakeAnswer() const;
    /**
     * @param psn of a packet that has come out of order, 24 bits
     * @param before bit i: the packet i + 1 before it has come, too
     * @returns an acknowledgment with what has come out of order, without the fields of its AETH
     */
    FabricFrame* MakeSack(uint32_t psn, uint8_t before) const;
    /** @returns a congestion notification: CNP (RoCE) or CN packet (IB annex A10) */
    FabricFrame* MakeNotification() const;

    /** @returns class of data */
    uint8_t GetDataClass() const;
    /** @returns class of acknowledgments */
    uint8_t GetAnswerClass() const;
    /** @returns class of congestion notifications */
    uint8_t GetNotificationClass() const;
    /** @returns frameBytes of an acknowledgment */
    uint32_t GetAnswerBytes() const;
    /** @returns frameBytes of an acknowledgment with what has come out of order */
    uint32_t GetSackBytes() const;
    /** @returns frameBytes of a congestion notification */
    uint32_t GetNotificationBytes() const;

    /**
     * @param a a queue pair number
     * @param b the other one
     * @returns UDP source port of the flow: as Linux does it (rdma_calc_flow_label,
     * rdma_flow_label_to_udp_sport)
     */
    static uint16_t GetEntropyPort(uint32_t a, uint32_t b);

  private:
    static FabricFrame* Copy(const FabricFrame& pattern);

    const FabricNetDevice* m_device{nullptr}; //!< classifies and sizes
    bool m_ip{false};                         //!< RoCE
    FabricFrame m_data;                       //!< pattern, sized for its opcode and payload
    FabricFrame m_answer;                     //!< pattern, sized
    FabricFrame m_sack;                       //!< pattern, sized
    FabricFrame m_notification;               //!< pattern, sized
};

} // namespace ns3

#endif // RC_FRAME_MAKER_H
