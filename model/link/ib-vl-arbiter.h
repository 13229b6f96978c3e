/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IB_VL_ARBITER_H
#define IB_VL_ARBITER_H

#include "class-arbiter.h"
#include "ib-port-qos.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * VL arbitration of an InfiniBand port (IBA vol 1, 7.6.9): two weighted round-robin tables.
 *
 * - Lane 15 goes before everything and is counted nowhere.
 * - An entry is served while it has weight left and its lane can send. A packet takes its bytes,
 *   rounded up to 64, and may overdraw; nothing is carried over, the weight is there in full when
 *   the entry's turn comes again. Entries without weight, or of lanes not in operation, are
 *   skipped.
 * - The high table goes first, up to the limit of high priority: while a lane of the low table can
 *   send, the high one starts packets only as long as it has sent less than highLimit x 4096 bytes
 *   since the low one's latest chance. Then one low packet goes.
 */
class IbVlArbiter : public ClassArbiter
{
  public:
    static constexpr uint8_t MANAGEMENT_LANE = 15; //!< VL15
    static constexpr uint32_t WEIGHT_BYTES = 64;   //!< unit of weights
    static constexpr uint32_t LIMIT_BYTES = 4096;  //!< unit of the limit

    /**
     * @param arbitration the tables
     * @param lanes data lanes in operation
     * @throws std::invalid_argument if a table has more than 64 entries, or lanes beyond 14
     */
    IbVlArbiter(const IbVlArbitration& arbitration, uint8_t lanes);

    uint32_t GetServedClasses() const override;
    uint8_t Choose(uint32_t sendable) override;
    void Sent(uint32_t bytes) override;
    void HashState(StateHash& hash) const override;

  private:
    /** One of the two tables, and whose turn it is in it. */
    struct Table
    {
        void Assign(const std::vector<IbVlArbitration::Entry>& from,
                    uint8_t lanes,
                    const char* name);
        uint8_t Choose(uint32_t sendable);
        void Sent(int32_t units);

        std::vector<IbVlArbitration::Entry> entries; //!< without those that are skipped
        uint32_t lanes{0};                           //!< bit i: lane i has an entry
        std::size_t turn{0};                         //!< entry that is served
        int32_t left{0};                             //!< of its weight; negative: overdrawn
    };

    Table m_high;             //!< high-priority table
    Table m_low;              //!< low-priority table
    bool m_unlimited;         //!< the limit is 255
    int32_t m_limit;          //!< units of 64 bytes that high may send while low waits
    int32_t m_highLeft;       //!< of them
    uint8_t m_chosen{0};      //!< class of the latest choice
    bool m_chosenHigh{false}; //!< it came from the high table
    bool m_lowWaits{false};   //!< a lane of the low table could have been chosen
};

} // namespace ns3

#endif // IB_VL_ARBITER_H
