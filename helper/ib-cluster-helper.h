/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IB_CLUSTER_HELPER_H
#define IB_CLUSTER_HELPER_H

#include "ib-helper.h"

#include "ns3/fabric-nic.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/subnet-graph.h"

#include <string>
#include <vector>

namespace ns3
{

/** The nodes of a cluster, cabled and configured. */
struct IbCluster
{
    NodeContainer hosts;           //!< machines, in the order of their first adapters
    NodeContainer switches;        //!< in the order of the graph
    NodeContainer others;          //!< routers, and aggregation nodes in switches
    NetDeviceContainer adapters;   //!< cabled ports of adapters of hosts, host by host
    std::vector<Ptr<Node>> places; //!< by node of the graph

    /** @returns a NIC for each of the adapters, made where there is none yet */
    std::vector<Ptr<FabricNic>> GetNics() const;
};

/**
 * @ingroup ai-fabric
 * Builds a cluster from the cables of a subnet, such as those of a file of ibnetdiscover. GUIDs,
 * LIDs, port numbers and descriptions are kept (IbNodeInfo); links have the data rate of their
 * width and speed, that of the slower end where ends differ.
 *
 * Nodes have names (ns3::Names): that of the host, or the description, in which blanks and slashes
 * become underscores; of "MF0;NAME:MODEL/U1", as managed switches have it, NAME. If it is not
 * unique, a minus and the GUID follow.
 */
class IbClusterHelper
{
  public:
    /** @param fabric installs devices, cables and switches; must outlive this helper. Create()
     * calls its SetLinkSpeed() */
    explicit IbClusterHelper(IbHelper& fabric);

    /**
     * @param name width and speed of links of which the subnet does not know any, such as 4xNDR
     * @throws std::invalid_argument if there is no such speed
     */
    void SetDefaultLinkSpeed(const std::string& name);

    /**
     * @param name of a topology that is shipped, such as "mixed-fat-tree", or path of a file of
     * ibnetdiscover
     * @returns path of the file
     */
    static std::string FindTopology(const std::string& name);

    /**
     * @param graph a subnet
     * @returns new nodes, cabled and configured. Adapters of one host are devices of one node;
     * nodes without a cable have no devices
     * @throws std::invalid_argument with one line if a link has no speed, a cable connects two
     * adapters, or the fabric can not be configured
     */
    IbCluster Create(const SubnetGraph& graph);

  private:
    void CreateNodes(const SubnetGraph& graph, IbCluster& cluster) const;
    void Connect(const SubnetGraph& graph, uint32_t node, uint32_t port, IbCluster& cluster);

    IbHelper& m_fabric;         //!< does the work
    std::string m_defaultSpeed; //!< where there is none; may be empty
};

} // namespace ns3

#endif // IB_CLUSTER_HELPER_H
