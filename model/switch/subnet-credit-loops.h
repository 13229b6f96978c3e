/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SUBNET_CREDIT_LOOPS_H
#define SUBNET_CREDIT_LOOPS_H

#include "routing-engine.h"
#include "subnet-graph.h"

#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Cyclic dependencies of buffers in forwarding tables (Dally and Seitz, 1987). A channel is the
 * buffer behind a cable between two switches for a service level, which has a lane of its own. It
 * waits for the next one where packets from an adapter to some LID use both. Without a cycle, the
 * tables can not deadlock.
 */
class SubnetCreditLoops
{
  public:
    /**
     * @param graph a subnet with LIDs
     * @param routes its tables, which lead from every switch with adapters to every adapter
     * @returns a cycle, such as "a[1] SL 0 -> b[2] SL 0 -> a[1] SL 0" (switches and ports by which
     * packets leave); empty if there is none
     */
    static std::string Find(const SubnetGraph& graph, const SubnetRoutes& routes);
};

} // namespace ns3

#endif // SUBNET_CREDIT_LOOPS_H
