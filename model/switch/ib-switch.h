/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IB_SWITCH_H
#define IB_SWITCH_H

#include "adaptive-router.h"
#include "fabric-switch.h"
#include "ib-congestion-marker.h"

#include "ns3/ib-port-qos.h"

#include <map>
#include <memory>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * An InfiniBand switch: input buffers per virtual lane under credit flow control, virtual output
 * queues served in turn by input port, LID forwarding, virtual cut-through.
 *
 * A frame holds its room in the input buffer until its last bit has left the output port.
 *
 * With adaptive routing (AdaptiveRouting, per service level), a frame that has several equally good
 * ports leaves by the least loaded one; see AdaptiveRouter. With limits (HoqLife, LeafHoqLife,
 * SwitchLifetime), frames that wait for too long are discarded; see LaneLifetimes.
 */
class IbSwitch : public FabricSwitch
{
  public:
    /** @returns the TypeId */
    static TypeId GetTypeId();
    IbSwitch();
    ~IbSwitch() override;

    void Configure() override;

    /**
     * Set the head-of-queue lifetime limit of one port, as a subnet manager does; it takes the
     * place of HoqLife and LeafHoqLife, from Configure() on.
     * @param port number of a port
     * @param exponent HLL: 4.096 us x 2^HLL; above 19: no limit
     */
    void SetHoqLife(uint16_t port, uint8_t exponent);

    /**
     * Set the SL to VL table of packets from one port to another (IBA vol 1, 7.6.6); those of other
     * inputs stay. An output port without any takes 0, 1, .. 14, 7 for its other inputs.
     * @param inPort number of the port where packets come in
     * @param outPort number of the port by which they leave
     * @param table virtual lane of the output port, by service level; 15 drops
     * @throws std::invalid_argument on a wrong port or table
     */
    void SetSlToVl(uint16_t inPort, uint16_t outPort, const IbSlToVl::Table& table);

    /** @returns what chooses among equally good ports; null without adaptive routing */
    const AdaptiveRouter* GetAdaptiveRouter() const;
    /** @param marker marks packets with FECN; null for none, which is the default */
    void SetCongestionMarker(const Ptr<IbCongestionMarker>& marker);
    /** @returns marks packets with FECN; may be null */
    Ptr<IbCongestionMarker> GetCongestionMarker() const;

    // FabricPortListener
    bool TransmitStarts(FabricFrame* frame, FabricPort* port, FabricTick end) override;
    void TransmitDone(FabricPort* port) override;

  protected:
    bool Admit(FabricFrame* frame) override;
    void ReleaseRoom(uint16_t port, uint8_t cls, uint32_t bytes, FabricTick when) override;
    bool IsGroupAddress(uint64_t address) const override;
    uint16_t ChoosePort(FabricFrame& frame, const std::vector<uint16_t>& ports) override;
    void Withdrawn(FabricFrame& frame) override;
    void DoDispose() override;

  private:
    void SetLifetimes(uint16_t port) const;

    uint8_t m_hoqLife;                         //!< HLL of ports to switches
    uint8_t m_leafHoqLife;                     //!< HLL of ports to hosts
    uint8_t m_stallCount;                      //!< discards in a row that stall a lane
    uint8_t m_switchLifetime;                  //!< LTV
    std::map<uint16_t, uint8_t> m_portHoqLife; //!< HLL of single ports
    bool m_adaptive;                           //!< choose ports by load
    bool m_adaptiveInOrder;                    //!< see AdaptiveRouter::Config
    uint64_t m_adaptiveThreshold;              //!< see AdaptiveRouter::Config
    uint16_t m_adaptiveSlMask;                 //!< see AdaptiveRouter::Config
    Time m_adaptiveGap;                        //!< silence of a flow that may change its port
    std::unique_ptr<AdaptiveRouter> m_router;  //!< null without adaptive routing
    Ptr<IbCongestionMarker> m_marker;          //!< marks with FECN; may be null
};

} // namespace ns3

#endif // IB_SWITCH_H
