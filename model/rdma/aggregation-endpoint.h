/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef AGGREGATION_ENDPOINT_H
#define AGGREGATION_ENDPOINT_H

#include "fabric-nic.h"

#include "ns3/object.h"

#include <cstdint>
#include <unordered_map>

namespace ns3
{

class SharpTransport;

/**
 * @ingroup ai-fabric
 * Where results of in-network reduction come in at a host: it finds the group that waits for them.
 *
 * Aggregated to its NIC: nic->GetObject<AggregationEndpoint>() finds it.
 */
class AggregationEndpoint : public Object, public FabricFrameSink
{
  public:
    /** @returns the TypeId */
    static TypeId GetTypeId();

    /**
     * @param nic a NIC
     * @returns its endpoint, made if there is none yet
     */
    static Ptr<AggregationEndpoint> Of(const Ptr<FabricNic>& nic);

    /**
     * @param group number of a group
     * @param transport told of its results; must leave before it goes
     * @param rank that this host has in it
     */
    void Join(uint32_t group, SharpTransport* transport, uint32_t rank);
    /** @param group whose results nobody waits for any more */
    void Leave(uint32_t group);

    // FabricFrameSink
    void ReceiveFrame(FabricFrame* frame, FabricNetDevice* device) override;

  protected:
    void DoDispose() override;

  private:
    /** Who waits for the results of a group. */
    struct Member
    {
        SharpTransport* transport; //!< of the group
        uint32_t rank;             //!< of this host
    };

    std::unordered_map<uint32_t, Member> m_members; //!< by group
};

} // namespace ns3

#endif // AGGREGATION_ENDPOINT_H
