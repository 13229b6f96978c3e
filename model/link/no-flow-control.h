/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NO_FLOW_CONTROL_H
#define NO_FLOW_CONTROL_H

#include "link-flow-control.h"
#include "release-queue.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Nobody says stop: a full receive buffer drops.
 */
class NoFlowControl : public LinkFlowControl
{
  public:
    /** @returns the TypeId */
    static TypeId GetTypeId();

    bool MaySend(uint8_t cls, uint32_t bytes, FabricTick now) override;
    FabricTick NextChance(uint8_t cls, uint32_t bytes, FabricTick now) override;
    void Sent(uint8_t cls, uint32_t bytes, FabricTick now) override;
    bool Arrived(uint8_t cls, uint32_t bytes, FabricTick now) override;
    void Freed(uint8_t cls, uint32_t bytes, FabricTick when) override;
    bool IsLossless(uint8_t cls) const override;
    uint64_t GetOccupancy() const override;
    FabricTick GetHeldTicks() const override;
    bool HashState(StateHash& hash, FabricTick now) const override;
    void Shift(FabricTick by) override;

  private:
    uint64_t m_bufferBytes{0}; //!< receive buffer of all classes; 0 = without limit
    uint64_t m_occupancy{0};   //!< bytes in it
    ReleaseQueue m_releases;   //!< room that becomes free later
};

} // namespace ns3

#endif // NO_FLOW_CONTROL_H
