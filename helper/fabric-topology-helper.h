/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_TOPOLOGY_HELPER_H
#define FABRIC_TOPOLOGY_HELPER_H

#include "fabric-helper.h"

#include <string>

namespace ns3
{

/** The nodes of a fabric, cabled and configured. */
struct FabricTopology
{
    NodeContainer hosts;            //!< in order of rank: neighbors share a leaf
    NodeContainer switches;         //!< leaves first, then spines
    NetDeviceContainer hostDevices; //!< one per host, in the same order
};

/**
 * @ingroup ai-fabric
 * Shape of a fabric, as a script or a command line says it.
 */
struct FabricShape
{
    uint32_t leaves{1};       //!< switches with hosts
    uint32_t spines{0};       //!< switches between leaves; 0: a star, which has one leaf
    uint32_t hostsPerLeaf{0}; //!< hosts at each leaf

    /** @returns number of hosts */
    uint32_t GetHosts() const;
    /** @returns the shape as Parse() reads it */
    std::string ToString() const;

    /**
     * @param text "star", or "leaf-spine:LxSxH" with L leaves, S spines and H hosts at each leaf
     * @param gpus number of hosts wanted; a star takes any number, a leaf-spine must have exactly
     * so many
     * @returns the shape; std::invalid_argument if the text is not one, or does not fit
     */
    static FabricShape Parse(const std::string& text, uint32_t gpus);
};

/**
 * @ingroup ai-fabric
 * Builds a star or a leaf-spine (every leaf cabled to every spine) of either fabric.
 */
class FabricTopologyHelper
{
  public:
    /** @param fabric installs devices, cables and switches; must outlive this helper */
    explicit FabricTopologyHelper(FabricHelper& fabric);

    /**
     * @param shape what to build
     * @returns new nodes, cabled and configured
     */
    FabricTopology Create(const FabricShape& shape);

    /**
     * @param hosts number of hosts around one switch
     * @returns new nodes, cabled and configured
     */
    FabricTopology CreateStar(uint32_t hosts);

    /**
     * @param leaves number of leaves
     * @param spines number of spines
     * @param hostsPerLeaf number of hosts at each leaf
     * @returns new nodes, cabled and configured
     */
    FabricTopology CreateLeafSpine(uint32_t leaves, uint32_t spines, uint32_t hostsPerLeaf);

  private:
    FabricHelper& m_fabric; //!< does the work
};

} // namespace ns3

#endif // FABRIC_TOPOLOGY_HELPER_H
