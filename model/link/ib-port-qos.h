/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IB_PORT_QOS_H
#define IB_PORT_QOS_H

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

/** @ingroup ai-fabric
 * A VL arbitration table of a port (IBA vol 1, 7.6.9). */
struct IbVlArbitration
{
    static constexpr std::size_t MAX_ENTRIES = 64; //!< of each of the two tables
    static constexpr uint8_t NO_LIMIT = 255;       //!< highLimit: high may starve low

    /** One entry of a table. */
    struct Entry
    {
        uint8_t vl;     //!< data virtual lane, 0..14
        uint8_t weight; //!< units of 64 bytes that it may send in its turn; 0: skipped
    };

    std::vector<Entry> high; //!< high-priority table
    std::vector<Entry> low;  //!< low-priority table
    uint8_t highLimit{0}; //!< units of 4096 bytes that high may send while low waits; 0: a packet

    /**
     * The tables that OpenSM writes by default: weight 4 for VL 0 in the high table and for all
     * others in the low one, limit 0.
     * @returns them
     */
    static IbVlArbitration GetOpenSmDefault();
};

/**
 * @ingroup ai-fabric
 * Maps service levels to the virtual lanes of one output port, by input port (IBA vol 1, 7.6.6).
 * Inputs with equal tables share one.
 */
class IbSlToVl
{
  public:
    static constexpr uint8_t DROP = 15; //!< instead of a lane: packets of the level are dropped
    /** Virtual lane, or DROP, by service level. */
    using Table = std::array<uint8_t, 16>;

    /** @returns 0, 1, .. 14, 7: what OpenSM writes by default */
    static Table GetOpenSmDefault();

    /**
     * @param table of all inputs that have none of their own; 0..15 each
     * @throws std::invalid_argument on a larger value
     */
    explicit IbSlToVl(const Table& table);

    /**
     * @param inPort number of an input port
     * @param table of that input; 0..15 each
     * @throws std::invalid_argument on a larger value
     */
    void Set(uint16_t inPort, const Table& table);

    /**
     * @param inPort number of an input port; 0 on a host
     * @param sl service level, 0..15
     * @returns virtual lane, or DROP
     */
    uint8_t Get(uint16_t inPort, uint8_t sl) const
    {
        return m_tables[inPort < m_byInput.size() ? m_byInput[inPort] : 0][sl & 15];
    }

    /** @returns number of different tables in memory */
    std::size_t GetTables() const;
    /** @returns bit i set if some input maps some level to lane i */
    uint32_t GetUsedLanes() const;

  private:
    std::vector<Table> m_tables;     //!< the first one is the common one
    std::vector<uint16_t> m_byInput; //!< index of the table; 0 for those beyond
};

/** @ingroup ai-fabric
 * What a subnet manager sets at a port for quality of service. */
struct IbPortQos
{
    uint8_t maxVls{15};                                   //!< most data lanes in operation
    IbVlArbitration arbitration;                          //!< which lane sends
    IbSlToVl::Table slToVl{IbSlToVl::GetOpenSmDefault()}; //!< which lane a level takes

    /** @returns what OpenSM sets by default once QoS is on */
    static IbPortQos GetOpenSmDefault();
};

/**
 * @param vls data virtual lanes that both ends have, 1..15
 * @returns how many are put into operation: the largest of 1, 2, 4, 8, 15 (OperationalVLs of
 * PortInfo) that is not larger
 */
uint8_t IbOperationalVls(uint8_t vls);

} // namespace ns3

#endif // IB_PORT_QOS_H
