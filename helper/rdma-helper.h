/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_HELPER_H
#define RDMA_HELPER_H

#include "ns3/application-container.h"
#include "ns3/fabric-nic.h"
#include "ns3/node-container.h"
#include "ns3/rdma-transport.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Puts RDMA NICs on nodes and messages between them.
 */
class RdmaHelper
{
  public:
    /**
     * @param node a host with a fabric device; std::invalid_argument if it has none, or is a switch
     * @returns the NIC of its first fabric device, made if there is none yet
     */
    static Ptr<FabricNic> GetNic(const Ptr<Node>& node);

    /**
     * @param nodes nodes with a fabric device; the index is the rank
     * @returns a new transport between them, with queue pairs of its own
     */
    static Ptr<RdmaTransport> CreateTransport(const NodeContainer& nodes);

    /**
     * An incast: every sender sends one message to the same receiver when it starts.
     * @param senders nodes that send
     * @param receiver node that receives; left out where it is among the senders
     * @param bytes length of each message
     * @returns one RdmaSendApplication per sender
     */
    static ApplicationContainer InstallIncast(const NodeContainer& senders,
                                              const Ptr<Node>& receiver,
                                              uint64_t bytes);
};

} // namespace ns3

#endif // RDMA_HELPER_H
