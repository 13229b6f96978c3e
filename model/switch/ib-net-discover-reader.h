/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IB_NET_DISCOVER_READER_H
#define IB_NET_DISCOVER_READER_H

#include "subnet-graph.h"

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace ns3
{

/** What the output of ibnetdiscover says. */
struct IbNetDiscover
{
    SubnetGraph graph;                    //!< nodes in the order of their records, and cables
    std::vector<uint64_t> systemGuids;    //!< by node: sysimgguid; 0 if the record has none
    std::vector<std::string> warnings;    //!< one line each: what is odd, but can be used
    std::vector<std::string> foreignText; //!< lines in front of the output, left out
};

/**
 * @ingroup ai-fabric
 * Reads the topology file that the program ibnetdiscover of infiniband-diags prints: records of
 * switches, channel adapters and routers with a line for each cable. Grouped output (-g), lines of
 * a terminal in front of it, comments and CRLF are accepted.
 *
 * Each cable stands in the file twice, once from either end. If the two lines contradict each other
 * on which ports are connected, the file is refused; if they say different widths, speeds or LIDs,
 * there is a warning, and each end keeps what its own line says.
 */
class IbNetDiscoverReader
{
  public:
    /**
     * @param path of a file
     * @returns what it says
     * @throws std::runtime_error if it can not be read, std::invalid_argument with one line
     * (file:line: what, expected) if it is not such a file
     */
    static IbNetDiscover ReadFile(const std::string& path);

    /**
     * @param text what ibnetdiscover has printed
     * @param name of it, for error messages
     * @returns what it says
     * @throws std::invalid_argument with one line (name:line: what, expected)
     */
    static IbNetDiscover Read(std::istream& text, const std::string& name);
};

} // namespace ns3

#endif // IB_NET_DISCOVER_READER_H
