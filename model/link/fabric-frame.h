/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_FRAME_H
#define FABRIC_FRAME_H

#include "fabric-telemetry.h"

#include "ns3/fabric-tick.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <cstddef>
#include <cstdint>

namespace ns3
{

/** What a frame carries. */
enum class FabricFrameKind : uint8_t
{
    RDMA,   //!< an RC or UD transport packet; headers exist only as fields of the frame
    PACKET, //!< a packet of the ns-3 stack (Ethernet payload on RoCE, IPoIB payload on IB)
};

/**
 * @ingroup ai-fabric
 * A frame inside the fabric: a pooled record of header fields, not bytes.
 *
 * Bytes are made from it by FabricFrameCodec only when somebody looks (pcap, trace sink, plain ns-3
 * bridge), and every field above the line "local to a hop" survives that round trip.
 */
struct FabricFrame
{
    FabricFrame* next{nullptr}; //!< link of the pool and of the queues

    // Link and network header fields
    uint64_t src{0};       //!< link address of the sender: LID (IB) or MAC-48 as an integer (RoCE)
    uint64_t dst{0};       //!< link address of the receiver, same form
    uint32_t srcIp{0};     //!< IPv4 source, host order (RoCE RDMA frames only)
    uint32_t dstIp{0};     //!< IPv4 destination, host order (RoCE RDMA frames only)
    uint16_t udpSrc{0};    //!< UDP source port, the flow's entropy (RoCE RDMA frames only)
    uint16_t etherType{0}; //!< protocol number of `packet` (PACKET frames only)
    FabricFrameKind kind{FabricFrameKind::RDMA}; //!< what the frame carries
    uint8_t sl{0};                               //!< service level, 0..15 (IB); unused on RoCE
    uint8_t dscp{0}; //!< differentiated services code point, 0..63 (RoCE)
    uint8_t ecn{0};  //!< IP ECN code point (RoCE): 0 not-ECT, 2 ECT(0), 3 CE
    uint8_t ttl{64}; //!< switches after which it is dropped: a routing loop; IP TTL (RoCE RDMA)

    // Base transport header (IBA vol 1, 9.2) and extended headers
    uint8_t opcode{0};     //!< BTH opcode
    bool solicited{false}; //!< BTH.SE
    bool ackReq{false};    //!< BTH.A
    bool fecn{false};      //!< BTH.FECN
    bool becn{false};      //!< BTH.BECN
    uint32_t dstQp{0};     //!< BTH.DestQP, 24 bit
    uint32_t psn{0};       //!< BTH.PSN, 24 bit
    uint32_t payload{0};   //!< payload bytes, without pad
    uint32_t immediate{0}; //!< immediate data
    uint64_t va{0};        //!< RETH virtual address
    uint32_t rkey{0};      //!< RETH R_Key
    uint32_t dmaLen{0};    //!< RETH DMA length in bytes
    uint32_t msn{0};       //!< AETH message sequence number, 24 bit
    uint8_t syndrome{0};   //!< AETH syndrome
    uint32_t srcQp{0};     //!< DETH source QP (UD only)
    uint32_t qkey{0};      //!< DETH Q_Key (UD only)

    Ptr<Packet> packet; //!< the ns-3 packet of a PACKET frame, without link headers

    FabricTelemetryHolder telemetry; //!< in-band telemetry (RoCE RDMA frames only); mostly none

    // Local to a hop
    uint8_t cls{0};      //!< class on this link: virtual lane (IB) or priority (RoCE)
    bool corrupt{false}; //!< the receiver's error model has hit it
    uint16_t inPort{0};  //!< input port index inside a switch
    uint8_t inCls{0}; //!< class on the input link, whose buffer the frame occupies inside a switch
    uint8_t hops{0};  //!< switches passed
    bool adaptive{false}; //!< adaptive routing has chosen its output port in this switch
    uint32_t inBytes{
        0}; //!< room that the frame holds in the buffer of its input port inside a switch
    uint32_t frameBytes{
        0}; //!< bytes that occupy buffers: LRH..VCRC (IB), MAC header..FCS (Ethernet)
    uint32_t wireBytes{
        0}; //!< bytes that occupy the wire: frameBytes plus delimiters, preamble and gap
    FabricTick arrival{0};    //!< tick at which the far end is told of it
    FabricTick tailOnWire{0}; //!< tick at which the last bit leaves the transmitter
};

/**
 * @ingroup ai-fabric
 * Free list of frames: in steady state no frame costs an allocation.
 */
class FabricFramePool
{
  public:
    /** @returns a frame with every field at its default */
    static FabricFrame* Allocate();

    /**
     * Give a frame back; it drops its packet.
     * @param frame the frame
     */
    static void Release(FabricFrame* frame);

    /** @returns frames allocated and not given back: 0 after everything is disposed of */
    static std::size_t GetOutstanding();

    /** @returns frames ever obtained from the heap */
    static std::size_t GetCapacity();
};

class FabricNetDevice;

/**
 * @ingroup ai-fabric
 * Where a port pulls frames from when its own queues are empty: the NIC's queue pairs.
 *
 * Pulling keeps queues shallow: a frame is made when the wire is ready for it.
 */
class FabricFrameSource
{
  public:
    virtual ~FabricFrameSource() = default;

    /** @returns bit i set if Pull(i) would return a frame now */
    virtual uint32_t GetReadyClasses() = 0;

    /**
     * @param cls a ready class
     * @returns frameBytes of the frame that Pull(cls) would return now
     */
    virtual uint32_t PeekFrameBytes(uint8_t cls) = 0;

    /**
     * @param cls a ready class
     * @returns the next frame, sized and addressed; the caller owns it
     */
    virtual FabricFrame* Pull(uint8_t cls) = 0;
};

/**
 * @ingroup ai-fabric
 * Who takes the frames that a device receives: the device's own host side, or a switch.
 */
class FabricFrameSink
{
  public:
    virtual ~FabricFrameSink() = default;

    /**
     * @param frame the frame; the sink owns it from now on
     * @param device the device that received it
     */
    virtual void ReceiveFrame(FabricFrame* frame, FabricNetDevice* device) = 0;
};

} // namespace ns3

#endif // FABRIC_FRAME_H
