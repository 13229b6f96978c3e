/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_SWITCH_H
#define ROCE_SWITCH_H

#include "egress-buffer.h"
#include "fabric-switch.h"
#include "load-balancer.h"
#include "shared-buffer.h"
#include "wred-marker.h"

#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"

#include <map>
#include <string>
#include <utility>

namespace ns3
{

class PauseFlowControl;

/**
 * @ingroup ai-fabric
 * A lossless Ethernet switch: one shared buffer with dynamic thresholds, PFC generation with
 * headroom, ECN marking, and a choice of ways to spread traffic over equally good ports.
 *
 * Headroom that is not given is computed from rate, cable, MTU, reaction time and the switch's own
 * latency (IEEE 802.1Qbb Annex N), counting wire bytes: what may still come in after the decision
 * to stop.
 */
class RoceSwitch : public FabricSwitch
{
  public:
    static constexpr uint8_t PRIORITIES = 8; //!< of 802.1Q

    /** @returns the TypeId */
    static TypeId GetTypeId();
    RoceSwitch();

    void Configure() override;
    bool IsRoomShared() const override;

    /** @returns the ingress books of the buffer */
    const SharedBuffer& GetBuffer() const;
    /** @returns the egress books of the buffer; between events they hold GetCopiedBytes() more than
     * the ingress books */
    const EgressBuffer& GetEgressBuffer() const;
    /** @returns bytes in egress queues that the ingress books do not have: further copies of
     * flooded frames, which the buffer holds once */
    uint64_t GetCopiedBytes() const;
    /**
     * Give a priority group other values than those of the attributes, from the next Configure()
     * on.
     * @param port number of an input port
     * @param priority its priority
     * @param group the values; a headroom of 0 makes it lossy although its link has PFC
     */
    void SetGroup(uint16_t port, uint8_t priority, const SharedBuffer::GroupConfig& group);
    /**
     * Give an egress queue other values than those of the attributes, from the next Configure() on.
     * @param port number of an output port
     * @param priority its priority
     * @param queue the values
     */
    void SetEgressQueue(uint16_t port, uint8_t priority, const EgressBuffer::QueueConfig& queue);
    /** @returns what is doubtful in the configuration, one line each: headroom that is too small to
     * be lossless, marking that begins after pausing */
    const std::vector<std::string>& GetWarnings() const;

    /**
     * @param name a published buffer: "trident2" (12 MB, 22.4 KB of headroom: DCQCN, SIGCOMM 2015),
     * "hpcc" (32 MB, alpha 1/8: simulations of the HPCC authors), "conweave" (9 MB, alpha 1/16,
     * egress alpha 1: its authors' simulations), "spectrum4" (SN5600 under SONiC: 132,217,856 bytes
     * for what comes in), and from memory "tomahawk3" (64 MB), "tomahawk4" (113 MB), "tomahawk5"
     * (165 MB)
     * @returns attributes and their values; std::invalid_argument naming those that are known
     */
    static std::vector<std::pair<std::string, std::string>> Preset(const std::string& name);
    /** @returns the names that Preset() knows */
    static std::vector<std::string> GetPresets();
    /**
     * @param port number of a connected port
     * @returns most that may still come in of a lossless priority after the decision to stop it, in
     * bytes as they are in the buffer: enough in the worst case, and with one frame less, not.
     * Headroom that is not given is this and one frame.
     */
    uint64_t ComputeHeadroom(uint16_t port) const;
    /**
     * @param port number of a port
     * @returns bytes of the largest frame that comes in there, as it occupies the buffer
     */
    uint64_t GetLargestFrame(uint16_t port) const;
    /**
     * Mark the frames of one egress queue by another curve than that of the attributes.
     * @param port number of a port
     * @param priority its queue
     * @param curve when to mark; std::invalid_argument from here or from Configure() if it can't be
     */
    void SetWred(uint16_t port, uint8_t priority, const WredMarker::Curve& curve);
    /** @returns the curves of all egress queues */
    const WredMarker& GetWred() const;
    /** @returns chooses among equally good ports */
    const LoadBalancer& GetLoadBalancer() const;
    /** @returns frames marked CE */
    uint64_t GetEcnMarks() const;
    /**
     * @param stream first stream number to use
     * @returns number of streams used
     */
    int64_t AssignStreams(int64_t stream);

    // FabricPortListener
    bool TransmitStarts(FabricFrame* frame, FabricPort* port, FabricTick end) override;
    void TransmitDone(FabricPort* port) override;
    void Discard(FabricFrame* frame, FabricPort* port, const char* reason) override;

  protected:
    void DoDispose() override;
    bool Admit(FabricFrame* frame) override;
    void ReleaseRoom(uint16_t port, uint8_t cls, uint32_t bytes, FabricTick when) override;
    uint16_t ChoosePort(FabricFrame& frame, const std::vector<uint16_t>& ports) override;
    bool Queueing(FabricFrame& frame, FabricPort& port) override;
    bool IsGroupAddress(uint64_t address) const override;

  private:
    /** What the frame that leaves a port holds in the buffer. */
    struct Leaving
    {
        uint16_t inPort; //!< input port
        uint8_t inCls;   //!< priority there
        uint32_t bytes;  //!< room; 0: a further copy of a flooded frame
        uint8_t outCls;  //!< egress queue
        uint32_t charge; //!< bytes there
    };

    void MaybeMark(FabricFrame& frame, FabricPort& port);
    void Stamp(FabricTelemetry& telemetry, const FabricPort& port) const;
    void ConfigureForwarding();
    PauseFlowControl* GetPause(uint16_t port) const;
    void ConfigureBuffer();
    SharedBuffer::GroupConfig MakeGroup(uint16_t port, uint8_t priority) const;
    EgressBuffer::QueueConfig MakeEgressQueue(uint16_t port, uint8_t priority) const;
    void CheckHeadroom();
    void CheckMarking();
    void Uncharge(uint16_t port, uint8_t cls, uint32_t bytes, bool copy);

    uint64_t m_bufferBytes;                                  //!< the whole buffer
    SharedBuffer::Model m_bufferModel{SharedBuffer::SHARED}; //!< who shares what is left
    double m_alpha;                                          //!< factor of the dynamic threshold
    uint64_t m_reservedBytes;                                //!< per priority group
    uint64_t m_xonOffsetBytes;      //!< how far below the threshold a group goes on
    uint64_t m_headroomBytes;       //!< per lossless priority group; 0: computed
    uint64_t m_staticBytes;         //!< static threshold of groups; 0: dynamic
    uint64_t m_xonBytes;            //!< a group goes on when it holds so many; 0: by the offset
    uint64_t m_headroomPoolBytes;   //!< headroom of all groups; 0: each has its own
    uint64_t m_lossyPoolBytes;      //!< of lossy groups; 0: they share with the others
    double m_lossyAlpha;            //!< of lossy groups; 0: that of the others
    double m_egressAlpha;           //!< of lossy egress queues; 0: no limit
    uint64_t m_egressReservedBytes; //!< of each egress queue
    uint64_t m_egressLimitBytes;    //!< static, of lossless egress queues; 0: none
    EgressBuffer m_egress;          //!< the books of what goes out
    uint64_t m_copiedBytes{0};      //!< see GetCopiedBytes()
    std::map<std::pair<uint16_t, uint8_t>, SharedBuffer::GroupConfig>
        m_ownGroups; //!< see SetGroup()
    std::map<std::pair<uint16_t, uint8_t>, EgressBuffer::QueueConfig>
        m_ownQueues;                                        //!< see SetEgressQueue()
    std::vector<std::string> m_warnings;                    //!< see GetWarnings()
    bool m_warn;                                            //!< tell the user of doubtful headroom
    bool m_warned{false};                                   //!< the user has been told
    bool m_ecn;                                             //!< mark
    uint64_t m_ecnKmin;                                     //!< bytes; 0: by rate
    uint64_t m_ecnKmax;                                     //!< bytes; 0: by rate
    double m_ecnPmax;                                       //!< at Kmax
    std::string m_ecnProfile;                               //!< named curve; empty: the three above
    uint8_t m_ecnAveraging;                                 //!< n of the average; 0: none
    bool m_ecnAtEnqueue;                                    //!< mark when frames come in
    LoadBalancer::Mode m_loadBalancing{LoadBalancer::ECMP}; //!< what chooses a port
    FlowHash::Function m_ecmpHash{FlowHash::CRC32};         //!< of flows
    uint32_t m_ecmpSeed;                                    //!< of the flow hash
    Time m_flowletGap;                                      //!< pause that ends a flowlet
    uint32_t m_gradeBytes;                                  //!< of load, in adaptive routing
    WredMarker m_wred;                                      //!< marking curves
    std::map<std::pair<uint16_t, uint8_t>, WredMarker::Curve> m_ownCurves; //!< see SetWred()
    LoadBalancer m_balancer;                                               //!< chooses ports
    SharedBuffer m_buffer;                                                 //!< the books
    std::vector<PauseFlowControl*> m_pause;     //!< by port: stops what comes in; null if it can't
    std::vector<Leaving> m_leaving;             //!< by output port
    std::vector<SharedBuffer::Group> m_resumed; //!< scratch
    Ptr<UniformRandomVariable> m_random;        //!< for marking
    uint64_t m_ecnMarks{0};                     //!< frames marked
};

} // namespace ns3

#endif // ROCE_SWITCH_H
