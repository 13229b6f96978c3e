/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IB_CONGESTION_AGENT_H
#define IB_CONGESTION_AGENT_H

#include "ib-congestion-index.h"
#include "ib-congestion-table.h"

#include "ns3/object.h"
#include "ns3/rate-control.h"
#include "ns3/traced-callback.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * What one port of a channel adapter keeps for congestion control (IBA vol 1, annex A10): the
 * table, and per service level how fast the index rises and falls.
 *
 * Aggregated to a device, it gives congestion control to each queue pair that the device's NIC gets
 * from then on: device->GetObject<IbCongestionAgent>() finds it. Attributes take effect when the
 * first of them is connected.
 *
 * Trace sources:
 * - Index: CCTI of a queue pair or service level has changed.
 */
class IbCongestionAgent : public Object
{
  public:
    static constexpr uint8_t SERVICE_LEVELS = 16; //!< of a port

    /** @returns the TypeId */
    static TypeId GetTypeId();

    /** @param entries the table from index 0 to CCTI_Limit, instead of the one that attributes
     * describe */
    void SetTable(const std::vector<IbCongestionEntry>& entries);
    /**
     * @param serviceLevel 0..15; std::invalid_argument beyond
     * @param setting of this service level, instead of the one that attributes describe
     */
    void SetSetting(uint8_t serviceLevel, const IbCongestionSetting& setting);

    /** @returns the table; std::invalid_argument if attributes describe none that can be */
    const IbCongestionTable& GetTable();

    /**
     * @param serviceLevel of a queue pair, 0..15
     * @returns its index: a new one, or that of the service level if queue pairs share it
     */
    Ptr<IbCongestionIndex> GetIndex(uint8_t serviceLevel);

    /** @returns true if the queue pairs of a service level share an index */
    bool IsPerServiceLevel() const;

    /** @returns congestion control for one queue pair of this port */
    Ptr<RateControl> CreateRateControl();

    /** One more BECN has come in. */
    void CountBecn()
    {
        ++m_becns;
    }

    /** @returns BECNs that came in */
    uint64_t GetBecns() const
    {
        return m_becns;
    }

    /**
     * TracedCallback signature of Index.
     * @param serviceLevel of the index
     * @param index CCTI
     */
    typedef void (*IndexTracedCallback)(uint8_t serviceLevel, uint16_t index);

  protected:
    void DoDispose() override;

  private:
    IbCongestionSetting GetSetting(uint8_t serviceLevel) const;
    void IndexChanged(uint8_t serviceLevel, uint16_t index);

    bool m_perServiceLevel;     //!< Port_Control bit 0
    uint8_t m_increase;         //!< CCTI_Increase
    uint16_t m_limit;           //!< CCTI_Limit
    uint8_t m_min;              //!< CCTI_Min
    uint16_t m_timer;           //!< CCTI_Timer
    uint8_t m_triggerThreshold; //!< Trigger_Threshold
    uint16_t m_tableMultiplier; //!< of the linear table
    uint8_t m_tableShift;       //!< of the linear table
    double m_tableGrowth;       //!< of the geometric table; 0: linear

    bool m_hasTable{false};                                     //!< the table is there
    IbCongestionTable m_table;                                  //!< see GetTable()
    uint32_t m_hasSetting{0};                                   //!< bit i: SetSetting(i) was called
    std::array<IbCongestionSetting, SERVICE_LEVELS> m_settings; //!< by service level
    std::array<Ptr<IbCongestionIndex>, SERVICE_LEVELS> m_indices; //!< shared ones
    uint64_t m_becns{0};                                          //!< came in
    TracedCallback<uint8_t, uint16_t> m_indexTrace;               //!< see class
};

} // namespace ns3

#endif // IB_CONGESTION_AGENT_H
