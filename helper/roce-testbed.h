/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_TESTBED_H
#define ROCE_TESTBED_H

#include "roce-helper.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/rdma-transport.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/** Attributes of DcqcnRateControl as text, by name. */
using DcqcnSettings = std::vector<std::pair<std::string, std::string>>;

/**
 * @ingroup ai-fabric
 * How a RoceTestbed is set up. The defaults are those of the DCQCN paper (Zhu et al., SIGCOMM
 * 2015): 40 Gb/s, packets of 1 KiB, switches with Trident II (12 MB for 32 ports, headroom of 22.4
 * KB per port and priority, beta = 8).
 */
struct RoceTestbedOptions
{
    DataRate rate{"40Gbps"};     //!< of all links
    uint32_t mtu{1024};          //!< payload of a full packet in bytes
    Time cable{NanoSeconds(50)}; //!< propagation
    bool pfc{true};              //!< data is lossless; otherwise it is dropped at the threshold
    std::string congestionControl{"none"};           //!< set of DcqcnRateControl, or "none"
    DcqcnSettings settings;                          //!< that replace some of the set
    Time cnpInterval{MicroSeconds(50)};              //!< N
    uint64_t kmin{5000};                             //!< bytes
    uint64_t kmax{200000};                           //!< bytes
    double pmax{0.01};                               //!< marking probability just below kmax
    uint64_t sharedBytes{12000000 - 8 * 32 * 22400}; //!< of each switch, without headroom
    uint64_t headroomBytes{22400};                   //!< of each port
    double alpha{1};                                 //!< factor of the dynamic threshold: beta / 8
    uint32_t ecmpSeed{1}; //!< of all switches, each with an offset of its own
    int64_t stream{0};    //!< first random stream
};

/** One flow of a RoceTestbed, and how it fared. Rates are those of payload, in bits per second. */
struct RoceTestbedFlow
{
    std::string name;           //!< in tables
    uint32_t from;              //!< host
    uint32_t to;                //!< host
    Time start;                 //!< when it begins to send
    std::vector<uint32_t> path; //!< links, by number, in no order; filled by Probe()
    double fairShare{0};        //!< max-min fair rate on these links; filled by Probe()
    double rate{0};             //!< measured in the window
};

/** What a RoceTestbed measured in its window; bytes are frames from MAC header to FCS. */
struct RoceTestbedResult
{
    std::vector<RoceTestbedFlow> flows; //!< in the order of AddFlow()
    uint64_t pauses{0};                 //!< PFC frames of all switches, XON included, in the window
    uint64_t allPauses{0};              //!< the same from the start on
    uint64_t drops{0};                  //!< frames, everywhere, from the start on
    uint64_t losslessDrops{0};          //!< those of lossless priorities: must be 0
    uint64_t retransmitted{0};          //!< packets, from the start on
    uint64_t marks{0};                  //!< frames marked CE, from the start on
    uint64_t cnps{0};                   //!< CNPs that came in, from the start on
    std::vector<uint64_t> queue; //!< samples of the watched port's queue in the window, sorted

    /** @returns (sum of rates)^2 / (n * sum of squares): 1 if all are the same */
    double GetJainIndex() const;
    /** @returns sum of the rates */
    double GetTotalRate() const;
    /** @returns mean of the queue's samples in bytes */
    double GetMeanQueue() const;
    /**
     * @param share 0..1
     * @returns that quantile of the queue's samples in bytes
     */
    uint64_t GetQueue(double share) const;
};

/**
 * @ingroup ai-fabric
 * Flows without end on lossless Ethernet, over a star or the testbed of the DCQCN paper, and what
 * they get: rates within a window, the queue of one port, pauses, losses.
 *
 * Only the priority of data (3) is lossless; acknowledgments and CNPs have priority 6,
 * as is usual.
 */
class RoceTestbed
{
  public:
    static constexpr uint32_t HOSTS_PER_TOR = 5; //!< of the paper's testbed

    /** What happened within a sampling period. */
    struct Sample
    {
        Time end;                  //!< of the period
        std::vector<double> rates; //!< of each flow, payload in bits per second
        uint64_t queue{0};         //!< bytes of the watched port at the end
    };

    /**
     * One switch.
     * @param options how
     * @param hosts number of hosts
     */
    RoceTestbed(const RoceTestbedOptions& options, uint32_t hosts);
    /**
     * The Clos of figure 2 of the DCQCN paper: ToRs T1..T4 with five hosts each; leaves L1 and L2
     * above T1 and T2, L3 and L4 above T3 and T4; spines S1 and S2 above all leaves.
     * @param options how
     */
    explicit RoceTestbed(const RoceTestbedOptions& options);
    ~RoceTestbed();
    RoceTestbed(const RoceTestbed&) = delete;
    RoceTestbed& operator=(const RoceTestbed&) = delete;

    /**
     * @param name in tables
     * @param from host
     * @param to host
     * @param start when it begins to send, from Run() on
     */
    void AddFlow(const std::string& name, uint32_t from, uint32_t to, Time start = Time());

    /** Find the path of each flow by a packet of it, and the max-min fair shares. Runs the
     * simulator for a moment; to be done before Run(), or not at all. */
    void Probe();
    /** @returns the flows */
    const std::vector<RoceTestbedFlow>& GetFlows() const;
    /**
     * @param host index of a host
     * @param flows indices of flows
     * @returns number of ports of the host's switch on which these flows come in
     */
    uint32_t CountInputs(uint32_t host, const std::vector<uint32_t>& flows) const;

    /**
     * @param host index of a host to which flows go
     * @param flows indices of flows
     * @returns true if two of them share a link and then part, so that a pause of one holds back
     * the other, although they come in at the host's switch on two ports
     */
    bool IsCoupled(uint32_t host, const std::vector<uint32_t>& flows) const;

    /**
     * Sample the queue of the switch port towards a host.
     * @param host index of the host
     * @param period time between two samples
     * @param keep true: samples with the rates of all flows, for curves
     */
    void Watch(uint32_t host, Time period, bool keep);
    /** @returns what Watch() kept */
    const std::vector<Sample>& GetSamples() const;

    /**
     * Start all flows and run the simulator.
     * @param warmUp time before measuring
     * @param window time of measuring
     * @returns what was measured
     */
    RoceTestbedResult Run(Time warmUp, Time window);

    /** @returns the hosts */
    const NodeContainer& GetHosts() const;
    /** @returns the switches: the only one, or T1..T4, L1..L4, S1, S2 */
    const NodeContainer& GetSwitches() const;
    /** @returns carries the flows */
    Ptr<RdmaTransport> GetTransport() const;
    /** @returns wire bytes of a full packet */
    uint32_t GetWireBytes() const;

  private:
    void Prepare();
    void Cable(const Ptr<Node>& a, const Ptr<Node>& b);
    void Finish();
    std::vector<uint64_t> GetBytes() const;
    std::vector<uint64_t> GetLinkBytes() const;
    uint64_t GetPauses() const;
    void ProbeFlow(std::size_t flow);
    void Start(std::size_t flow);
    void TakeSample();
    void BeginWindow();

    RoceTestbedOptions m_options;              //!< how it is set up
    RoceHelper m_fabric;                       //!< installs
    NodeContainer m_hosts;                     //!< by number
    NodeContainer m_switches;                  //!< see GetSwitches()
    std::vector<Ptr<FabricNetDevice>> m_links; //!< sending ends of all links
    Ptr<RdmaTransport> m_transport;            //!< carries the flows
    std::vector<RoceTestbedFlow> m_flows;      //!< in order
    std::vector<uint64_t> m_probed;            //!< bytes of each link at the latest probe
    std::vector<uint64_t> m_sampled;           //!< bytes of each flow at the latest sample
    std::vector<uint64_t> m_begin;             //!< bytes of each flow when the window began
    uint64_t m_pausesBegin{0};                 //!< pauses when it began
    bool m_inWindow{false};                    //!< it has begun
    Ptr<FabricNetDevice> m_watched;            //!< port whose queue is sampled
    Time m_period;                             //!< between samples
    bool m_keep{false};                        //!< samples
    std::vector<Sample> m_samples;             //!< kept
    std::vector<uint64_t> m_queue;             //!< samples in the window
};

} // namespace ns3

#endif // ROCE_TESTBED_H
