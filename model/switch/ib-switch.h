/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IB_SWITCH_H
#define IB_SWITCH_H

#include "fabric-switch.h"
#include "ib-congestion-marker.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * An InfiniBand switch: input buffers per virtual lane under credit flow control, virtual output
 * queues served in turn by input port, LID forwarding, virtual cut-through.
 *
 * A frame holds its room in the input buffer until its last bit has left the output port.
 */
class IbSwitch : public FabricSwitch
{
  public:
    /** @returns the TypeId */
    static TypeId GetTypeId();

    void Configure() override;

    /** @param marker marks packets with FECN; null for none, which is the default */
    void SetCongestionMarker(const Ptr<IbCongestionMarker>& marker);
    /** @returns marks packets with FECN; may be null */
    Ptr<IbCongestionMarker> GetCongestionMarker() const;

    // FabricPortListener
    bool TransmitStarts(FabricFrame* frame, FabricPort* port, FabricTick end) override;
    void TransmitDone(FabricPort* port) override;

  protected:
    void DoDispose() override;
    bool Admit(FabricFrame* frame) override;
    void ReleaseRoom(uint16_t port, uint8_t cls, uint32_t bytes, FabricTick when) override;
    uint16_t SelectPort(const FabricFrame& frame,
                        const std::vector<uint16_t>& ports) const override;
    bool IsGroupAddress(uint64_t address) const override;

  private:
    Ptr<IbCongestionMarker> m_marker; //!< may be null
};

} // namespace ns3

#endif // IB_SWITCH_H
