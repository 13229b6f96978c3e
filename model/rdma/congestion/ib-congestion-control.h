/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IB_CONGESTION_CONTROL_H
#define IB_CONGESTION_CONTROL_H

#include "ns3/ib-congestion-agent.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * InfiniBand's congestion control at the source (IBA vol 1, annex A10): after each packet, the
 * queue pair waits as the table says at its index.
 *
 * The delay counts in times of the packet just sent, at the rate of the link. A fall of an index
 * that queue pairs share holds for each of them from its next packet on, so that no event costs
 * more if there are more queue pairs.
 */
class IbCongestionControl : public RateControl, public IbCongestionUserHook
{
  public:
    /** @returns the TypeId */
    static TypeId GetTypeId();

    /** @param agent of the port; without one, the first connection makes one with default
     * attributes */
    void SetAgent(const Ptr<IbCongestionAgent>& agent);
    /** @returns agent of the port; null if there is none */
    Ptr<IbCongestionAgent> GetAgent() const;

    /** @returns CCTI; 0 before the queue pair is connected */
    uint16_t GetIndex() const;

    // RateControl
    void SetServiceLevel(uint8_t serviceLevel) override;
    void SetLineRate(uint64_t bitsPerSecond) override;
    uint64_t GetRate() const override;
    SendPace GetPace() const override;
    void OnCnp(FabricTick now) override;
    bool HashState(StateHash& hash, FabricTick now) const override;
    void Shift(FabricTick by) override;

  protected:
    void DoDispose() override;

  private:
    Ptr<IbCongestionAgent> m_agent; //!< of the port
    Ptr<IbCongestionIndex> m_index; //!< own or shared
    uint64_t m_lineRate{0};         //!< bits per second
};

} // namespace ns3

#endif // IB_CONGESTION_CONTROL_H
