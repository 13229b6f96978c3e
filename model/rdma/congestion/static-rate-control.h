/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef STATIC_RATE_CONTROL_H
#define STATIC_RATE_CONTROL_H

#include "rate-control.h"

#include "ns3/data-rate.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * A fixed rate and a fixed window, whatever the network says.
 */
class StaticRateControl : public RateControl
{
  public:
    /** @returns the TypeId */
    static TypeId GetTypeId();

    uint8_t GetFeedback() const override;
    uint64_t GetRate() const override;
    uint64_t GetWindow() const override;
    bool HashState(StateHash& hash, FabricTick now) const override;
    void Shift(FabricTick by) override;

  private:
    DataRate m_rate;      //!< 0: no limit
    uint64_t m_window{0}; //!< bytes; 0: no limit
};

} // namespace ns3

#endif // STATIC_RATE_CONTROL_H
