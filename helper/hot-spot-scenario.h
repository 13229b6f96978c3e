/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef HOT_SPOT_SCENARIO_H
#define HOT_SPOT_SCENARIO_H

#include "fabric-topology-helper.h"

#include "ns3/nstime.h"
#include "ns3/rdma-transport.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Two incasts on a leaf-spine, and flows that only share links with them.
 *
 * Hot spot i (0 or 1) is a host of leaf i. Each leaf has contributors, which send to a hot spot as
 * fast as they can; all but those of leaf i do so over spine i. Each leaf but leaf i has a host
 * that sends over spine i to an idle host of the next leaf: its flow is a victim. It shares the
 * links to the spine with contributors, and the spine's input buffers, but not the way down.
 *
 * Without congestion control, the spine's buffers are full of frames for the hot spots, and victims
 * get no more than what contributors get (tree saturation).
 */
class HotSpotScenario
{
  public:
    static constexpr uint32_t SPOTS = 2; //!< hot spots, and spines

    /** What flows are. */
    enum class Role
    {
        CONTRIBUTOR,
        VICTIM,
    };

    /** One flow, and how it fared. Rates are those of payload, in bits per second. */
    struct Flow
    {
        Role role;           //!< what it is
        uint32_t spot;       //!< hot spot that it goes to, or shares links with
        uint32_t from;       //!< host
        uint32_t to;         //!< host
        double fairShare{0}; //!< max-min fair rate on these links
        double rate{0};      //!< measured
    };

    /** Throughput within one sampling period, in bits per second of payload. */
    struct Sample
    {
        Time end;               //!< of the period
        double contributors{0}; //!< all of them together
        double victims{0};      //!< all of them together
    };

    /** Everything measured. */
    struct Result
    {
        std::vector<Flow> flows;                 //!< contributors first
        std::vector<Sample> samples;             //!< from the start on
        std::array<double, SPOTS> utilization{}; //!< of the link to each hot spot, 0..1
        uint64_t drops{0};                       //!< frames, everywhere
        uint64_t marks{0};                       //!< packets with FECN that came in
        uint64_t notifications{0};               //!< BECNs that came in

        /**
         * @param role of flows
         * @returns mean of rate / fairShare over them
         */
        double GetMeanShare(Role role) const;
        /**
         * @param role of flows
         * @returns smallest rate / fairShare among them
         */
        double GetSmallestShare(Role role) const;
    };

    /**
     * @param fabric installs devices, cables and switches; must outlive this
     * @param leaves number of leaves, 3 or more
     * @param contributors on each leaf to each hot spot, 1 or more
     * @param mtu payload of a full packet in bytes
     */
    HotSpotScenario(FabricHelper& fabric, uint32_t leaves, uint32_t contributors, uint32_t mtu);
    ~HotSpotScenario();

    /** @returns the nodes */
    const FabricTopology& GetTopology() const;

    /**
     * Start all flows now and run the simulator.
     * @param warmUp time before measuring
     * @param window time of measuring
     * @param period time between two samples
     * @returns what was measured in the window
     */
    Result Run(Time warmUp, Time window, Time period);

  private:
    void Route();
    void AddFlows();
    double GetPayloadShare() const;
    uint32_t GetHost(uint32_t leaf, uint32_t slot) const;
    void TakeSample(Result* result, Time period);
    void BeginWindow();
    std::array<uint64_t, SPOTS> GetHotBytes() const;
    std::vector<uint64_t> GetBytes() const;

    uint32_t m_leaves;                        //!< number of leaves
    uint32_t m_contributors;                  //!< on each leaf to each hot spot
    uint32_t m_mtu;                           //!< payload of a full packet in bytes
    uint32_t m_hostsPerLeaf;                  //!< hosts on each leaf
    FabricTopology m_topology;                //!< the nodes
    Ptr<RdmaTransport> m_transport;           //!< of all hosts
    std::vector<Flow> m_flows;                //!< contributors first
    std::vector<uint64_t> m_sampled;          //!< bytes of each flow at the latest sample
    std::vector<uint64_t> m_begin;            //!< bytes of each flow when the window began
    std::array<uint64_t, SPOTS> m_hotBegin{}; //!< bytes to each hot spot when it began
};

} // namespace ns3

#endif // HOT_SPOT_SCENARIO_H
