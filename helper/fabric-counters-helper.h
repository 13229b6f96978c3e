/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_COUNTERS_HELPER_H
#define FABRIC_COUNTERS_HELPER_H

#include "ns3/node-container.h"

#include <iosfwd>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Writes the counters of all ports of a fabric, as of now: call it before Simulator::Destroy().
 * Where did frames wait, pause, get marked or dropped?
 */
class FabricCountersHelper
{
  public:
    /**
     * One line per device and class that has counted anything, of either fabric. Columns: node,
     * device (its index in the node), port (its number in the switch, empty on a host), class
     * (priority or virtual lane), then those of FabricClassCounters, times in seconds.
     * @param path CSV file to write; std::runtime_error if that fails
     * @param nodes hosts and switches
     */
    static void WriteClassCounters(const std::string& path, const NodeContainer& nodes);

    /**
     * One line per InfiniBand port, with the counters of IbPortCounters as columns.
     * @param path CSV file to write; std::runtime_error if that fails
     * @param nodes hosts and switches
     */
    static void WriteIbPortCounters(const std::string& path, const NodeContainer& nodes);

    /**
     * Print all InfiniBand ports in the style of perfquery.
     * @param os where to
     * @param nodes hosts and switches
     */
    static void PrintIbPortCounters(std::ostream& os, const NodeContainer& nodes);
};

} // namespace ns3

#endif // FABRIC_COUNTERS_HELPER_H
