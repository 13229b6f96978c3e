/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IB_PORT_COUNTERS_H
#define IB_PORT_COUNTERS_H

#include "fabric-port.h"

#include <array>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>

namespace ns3
{

class IbNetDevice;

/**
 * @ingroup ai-fabric
 * The counters of an InfiniBand port under the names of IBA vol 1, chapter 16 (PortCounters,
 * PortCountersExtended, PortXmitWait and the per-lane variants), as perfquery prints them. Read
 * from a device at any time, 64 bits wide, never reset, never saturated.
 *
 * Data is in units of 4 octets: LRH to ICRC, which excludes VCRC and link packets. Waits are in
 * ticks of one step of ns-3's Time resolution. There are no symbol errors in the model.
 */
struct IbPortCounters
{
    uint64_t portXmitData{0};        //!< 4-octet words sent
    uint64_t portRcvData{0};         //!< 4-octet words received, with errors or not
    uint64_t portXmitPkts{0};        //!< packets sent, link packets excluded
    uint64_t portRcvPkts{0};         //!< packets received, with errors or not
    uint64_t portRcvErrors{0};       //!< packets received broken
    uint64_t portXmitDiscards{0};    //!< packets that waited in the port for too long
    uint64_t portVlMappingErrors{0}; //!< packets whose SL had no lane at the output port (attribute
                                     //!< PortRcvErrorDetails)
    uint64_t vl15Dropped{0};         //!< packets of lane 15 that found no room
    uint64_t portXmitWait{0};        //!< ticks during which something waited for credit and nothing
                                     //!< was sent
    std::array<uint64_t, FabricPort::CLASSES> portVlXmitData{}; //!< portXmitData by lane
    std::array<uint64_t, FabricPort::CLASSES> portVlRcvData{};  //!< portRcvData by lane
    std::array<uint64_t, FabricPort::CLASSES> portVlXmitPkts{}; //!< portXmitPkts by lane
    std::array<uint64_t, FabricPort::CLASSES> portVlRcvPkts{};  //!< portRcvPkts by lane
    std::array<uint64_t, FabricPort::CLASSES>
        portVlXmitWait{}; //!< ticks during which the lane waited, from a moment on at which no
                          //!< lane could send

    /**
     * @param device a port of a host or switch
     * @returns its counters as of now
     */
    static IbPortCounters Read(const IbNetDevice& device);

    /**
     * Call a function with the name and value of each counter of the port, lanes left out.
     * @param visit takes both
     */
    void Visit(const std::function<void(const std::string&, uint64_t)>& visit) const;

    /**
     * Print in the style of perfquery: a name, dots up to the value in column 34.
     * @param os where to
     * @param lid LID to name in the headline
     * @param port number to name in the headline
     */
    void Print(std::ostream& os, uint16_t lid, uint16_t port) const;
};

} // namespace ns3

#endif // IB_PORT_COUNTERS_H
