/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IB_ADDRESS_TABLE_H
#define IB_ADDRESS_TABLE_H

#include "ns3/mac48-address.h"
#include "ns3/object.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * The answers that a subnet administrator gives to path queries: which LID belongs to which port.
 *
 * Ports are known by the MAC-48 address from which their GUID is made (EUI-64), because that is the
 * address that the ns-3 stack works with.
 */
class IbAddressTable : public Object
{
  public:
    static constexpr uint16_t MULTICAST_LID =
        0xc000; //!< of the group that carries broadcast and all multicast

    /** @returns the TypeId */
    static TypeId GetTypeId();

    /**
     * @param mac address of a port
     * @param lid its LID, 1..0xBFFF; std::invalid_argument if it is taken or out of range
     * @param lmc LID mask control: it has 2^lmc LIDs from this one on
     */
    void Assign(const Mac48Address& mac, uint16_t lid, uint8_t lmc = 0);

    /** Forget all ports and service levels: another sweep of the subnet begins. */
    void Clear();

    /**
     * Tell the service level of each path, where layers separate paths.
     * @param places by LID: number of the switch that its port is cabled to
     * @param levels [number at the source][number at the destination]: the service level
     */
    void SetServiceLevels(const std::vector<uint32_t>& places,
                          const std::vector<std::vector<uint8_t>>& levels);

    /**
     * @param from LID of a port
     * @param to LID of another port
     * @param wanted service level that somebody wants to use
     * @returns the service level of the path; the wanted one, where paths have none
     */
    uint8_t GetServiceLevel(uint16_t from, uint16_t to, uint8_t wanted) const;

    /**
     * A port that has a LID gets another address.
     * @param from address of the port until now; nothing happens if it has no LID
     * @param to its new address; std::invalid_argument if another port has it
     */
    void Readdress(const Mac48Address& from, const Mac48Address& to);

    /**
     * @param mac address of a port, or a group address
     * @returns its LID; 0 if there is none
     */
    uint16_t GetLid(const Mac48Address& mac) const;

    /**
     * @param lid a LID
     * @returns address of its port; the broadcast address for multicast LIDs and for unknown ones
     */
    Mac48Address GetMac(uint16_t lid) const;

  private:
    std::map<Mac48Address, uint16_t> m_lids;    //!< by address
    std::map<uint16_t, Mac48Address> m_macs;    //!< by LID
    std::vector<uint32_t> m_places;             //!< switch of each LID
    std::vector<std::vector<uint8_t>> m_levels; //!< service levels between switches
};

} // namespace ns3

#endif // IB_ADDRESS_TABLE_H
