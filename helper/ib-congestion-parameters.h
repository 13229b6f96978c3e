/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IB_CONGESTION_PARAMETERS_H
#define IB_CONGESTION_PARAMETERS_H

#include "ns3/fabric-net-device.h"
#include "ns3/ib-switch.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * The parameters of InfiniBand's congestion control (IBA vol 1, annex A10), of switches and of
 * NICs, as one set. By default it is off, as OpenSM has it.
 */
struct IbCongestionParameters
{
    // Switches: see IbCongestionMarker
    uint8_t threshold{0};       //!< 0: never mark; 1 loose ... 15 aggressive
    uint64_t thresholdBytes{0}; //!< instead of threshold, if not 0
    uint16_t markingRate{0};    //!< mean number of packets between marks
    uint8_t packetSize{0};      //!< in 64 bytes; smaller ones are not marked
    bool victimHosts{false};    //!< ports towards hosts mark as victims, too

    // NICs: see IbCongestionAgent
    uint8_t increase{0};         //!< CCTI_Increase
    uint16_t limit{0};           //!< CCTI_Limit
    uint8_t min{0};              //!< CCTI_Min
    uint16_t timer{0};           //!< CCTI_Timer, in 1.024 us
    uint8_t triggerThreshold{0}; //!< counts only
    bool perServiceLevel{false}; //!< Port_Control bit 0
    uint16_t tableMultiplier{1}; //!< entry i is a delay of i x multiplier / 2^shift packet times
    uint8_t tableShift{0};       //!< see tableMultiplier
    double tableGrowth{0};       //!< if not 0, entry i leaves 1 / growth^i of the rate, instead

    /** @returns false if no switch can mark, so that there is nothing to install */
    bool IsEnabled() const;

    /**
     * Give a switch a marker, or a host's device an agent, if there is none yet.
     * @param device new on a host or as a port of a switch
     * @param owner the switch; null on a host
     */
    void Apply(const Ptr<FabricNetDevice>& device, const Ptr<IbSwitch>& owner) const;

    /**
     * @param name of a set: see ListNames()
     * @returns the set; std::invalid_argument if there is none of that name
     */
    static IbCongestionParameters Get(const std::string& name);

    /** @returns names of all sets */
    static std::vector<std::string> ListNames();
};

} // namespace ns3

#endif // IB_CONGESTION_PARAMETERS_H
