/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SUBNET_LFT_DUMP_H
#define SUBNET_LFT_DUMP_H

#include "routing-engine.h"
#include "subnet-graph.h"

#include <cstdint>
#include <istream>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

/** One forwarding table of a dump. */
struct SubnetLft
{
    uint16_t lid{0};            //!< of the switch
    uint64_t guid{0};           //!< of the switch
    std::string name;           //!< its description
    std::vector<uint8_t> ports; //!< by LID; SubnetRoutes::DROP where the dump has none
};

/**
 * @ingroup ai-fabric
 * Forwarding tables as text, in the format of ibroute: one block for each switch, as the script
 * dump_lfts of infiniband-diags prints them.
 */
class SubnetLftDump
{
  public:
    /**
     * @param stream takes the tables of all switches, in the order of nodes
     * @param graph a subnet with LIDs
     * @param routes its tables
     */
    static void Write(std::ostream& stream, const SubnetGraph& graph, const SubnetRoutes& routes);

    /**
     * @param text blocks as Write() and ibroute print them; other lines between blocks are left out
     * @param name of the text, for error messages
     * @returns all tables in order
     * @throws std::invalid_argument with one line (name:line: what, expected)
     */
    static std::vector<SubnetLft> Read(std::istream& text, const std::string& name);

    /**
     * @param path of a file
     * @returns all tables in order, see Read()
     * @throws std::runtime_error if it can not be read
     */
    static std::vector<SubnetLft> ReadFile(const std::string& path);

    /**
     * @param tables of a dump
     * @param graph the subnet that it belongs to
     * @returns the tables by node
     * @throws std::invalid_argument if the GUID of a table is no switch of the subnet, or a port
     * does not exist
     */
    static SubnetRoutes ToRoutes(const std::vector<SubnetLft>& tables, const SubnetGraph& graph);
};

} // namespace ns3

#endif // SUBNET_LFT_DUMP_H
