/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ETS_ARBITER_H
#define ETS_ARBITER_H

#include "class-arbiter.h"

#include <array>
#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Transmission selection of Ethernet (IEEE 802.1Q, 8.6.8): strict priorities first, the highest
 * number first, and what they leave is shared by weight (enhanced transmission selection, 8.6.8.4,
 * as deficit weighted round robin). Each priority is a traffic class of its own.
 *
 * A priority whose turn it is may send weight x 4096 bytes, whole frames; what the last one takes
 * beyond is missing in its next turn, so that shares are exact in bytes of frames (MAC header to
 * FCS). One that has nothing that may be sent, as it is empty or paused, loses what is left.
 */
class EtsArbiter : public ClassArbiter
{
  public:
    static constexpr uint8_t PRIORITIES = 8;        //!< of 802.1Q
    static constexpr uint32_t QUANTUM_BYTES = 4096; //!< of weight 1

    /** Weight of each priority; 0: strict. */
    using Weights = std::array<uint8_t, PRIORITIES>;

    /**
     * @param text eight items with commas, for priorities 0 to 7: "strict" or a weight 1..255
     * @returns the weights
     * @throws std::invalid_argument with one line that names the item
     */
    static Weights Parse(const std::string& text);

    /** @param weights of the priorities */
    explicit EtsArbiter(const Weights& weights);

    uint32_t GetServedClasses() const override;
    uint8_t Choose(uint32_t sendable) override;
    void Sent(uint32_t bytes) override;
    void HashState(StateHash& hash) const override;

  private:
    Weights m_weights;                            //!< see constructor
    uint32_t m_strict{0};                         //!< bit i: priority i is strict
    std::array<int64_t, PRIORITIES> m_deficits{}; //!< bytes left of a turn; below 0: overdrawn
    uint8_t m_turn{0};                            //!< whose turn it is among those with weights
    uint8_t m_chosen{0};                          //!< the latest choice
};

} // namespace ns3

#endif // ETS_ARBITER_H
