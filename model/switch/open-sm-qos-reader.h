/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OPEN_SM_QOS_READER_H
#define OPEN_SM_QOS_READER_H

#include "ns3/ib-port-qos.h"

#include <istream>
#include <string>

namespace ns3
{

/** @ingroup ai-fabric
 * The quality of service that an OpenSM configuration asks for, by kind of port. */
struct OpenSmQos
{
    bool enabled{false};   //!< "qos TRUE": OpenSM sets it up without its option -Q
    IbPortQos hosts;       //!< channel adapters (qos_ca_*)
    IbPortQos routers;     //!< routers (qos_rtr_*)
    IbPortQos switchPort0; //!< management ports of switches (qos_sw0_*)
    IbPortQos switchPorts; //!< external ports of switches (qos_swe_*)
};

/**
 * @ingroup ai-fabric
 * Reads the QoS options of an OpenSM configuration file (opensm.conf):
 *
 * - qos TRUE|FALSE
 * - qos_max_vls N: most data lanes in operation
 * - qos_high_limit N: limit of high priority, 0..255
 * - qos_vlarb_high VL:WEIGHT,...; qos_vlarb_low VL:WEIGHT,...
 * - qos_sl2vl VL,... (16 of them; 15 drops)
 *
 * and the last five for one kind of port each: qos_ca_max_vls, qos_rtr_.., qos_sw0_.., qos_swe_...
 * What a kind has not of its own, it takes from the common ones, and what these have not, from
 * OpenSM's defaults; so it is with "(null)", a qos_max_vls of 0 and a qos_high_limit of -1. If an
 * option comes again, the last one counts. "#" begins a comment. All options that do not begin
 * with qos are OpenSM's business, and qos_policy_file, too.
 */
class OpenSmQosReader
{
  public:
    /**
     * @param path of the file
     * @returns what it says
     * @throws std::runtime_error if it can not be read; std::invalid_argument with file, line,
     * cause and what was expected if it is wrong
     */
    static OpenSmQos ReadFile(const std::string& path);

    /**
     * @param text the options
     * @param name of the file, for errors
     * @returns what it says
     * @throws std::invalid_argument as ReadFile()
     */
    static OpenSmQos Read(std::istream& text, const std::string& name);
};

} // namespace ns3

#endif // OPEN_SM_QOS_READER_H
