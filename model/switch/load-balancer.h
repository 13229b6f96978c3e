/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LOAD_BALANCER_H
#define LOAD_BALANCER_H

#include "flow-hash.h"

#include "ns3/fabric-net-device.h"
#include "ns3/random-variable-stream.h"
#include "ns3/state-hash.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Chooses one of several ports that lead to a destination, for one Ethernet switch.
 *
 * A port that stands in the list more than once has that weight in every mode but ADAPTIVE. Only
 * ECMP keeps the order of a flow's packets in all cases, FLOWLET if its gap is longer than the
 * difference of the paths' delays; receivers must accept the disorder of the others.
 */
class LoadBalancer
{
  public:
    /** What decides. */
    enum Mode
    {
        ECMP,        //!< the hash of the flow
        FLOWLET,     //!< a random port whenever a flow has paused (LetFlow, NSDI 2017)
        PER_PACKET,  //!< a random port for each packet (packet spraying)
        ROUND_ROBIN, //!< the next port of the list for each packet
        ADAPTIVE,    //!< the port with the least grade of load for each packet; random among equals
    };

    static constexpr std::size_t FLOWLETS = 4096; //!< entries of the flowlet table

    /** What does not change. */
    struct Config
    {
        Mode mode{ECMP};                          //!< what decides
        FlowHash::Function hash{FlowHash::CRC32}; //!< of flows
        uint32_t seed{0};                         //!< of the hash
        FabricTick gap{0};         //!< FLOWLET: pause after which a flow may change its port
        uint32_t gradeBytes{4096}; //!< ADAPTIVE: bytes queued for a port that make one grade
    };

    LoadBalancer();

    /** @param config the configuration; forgets all flows */
    void Configure(const Config& config);

    /**
     * @param frame a frame
     * @param devices all ports of the switch
     * @param ports those to choose from, at least one
     * @param now the current tick
     * @returns one of them
     */
    uint16_t Choose(const FabricFrame& frame,
                    const std::vector<Ptr<FabricNetDevice>>& devices,
                    const std::vector<uint16_t>& ports,
                    FabricTick now);

    /** @returns flowlets begun, those that stayed on their port included */
    uint64_t GetFlowlets() const;

    /**
     * @param stream stream number of the random choices
     * @returns streams used
     */
    int64_t AssignStreams(int64_t stream);

    /**
     * @param hash takes the relative state
     * @param now the current tick
     * @returns false if choices are random, so that nothing repeats
     */
    bool HashState(StateHash& hash, FabricTick now) const;
    /** @param by ticks by which everything moves */
    void Shift(FabricTick by);

  private:
    /** A flow that sends without a pause, or all that share its entry. */
    struct Flowlet
    {
        FabricTick last{0}; //!< when its latest packet passed
        uint16_t port{0};   //!< where it goes
        bool used{false};   //!< ever
    };

    uint16_t ChooseFlowlet(uint32_t hash, const std::vector<uint16_t>& ports, FabricTick now);
    uint16_t ChooseLeast(const FabricFrame& frame,
                         const std::vector<Ptr<FabricNetDevice>>& devices,
                         const std::vector<uint16_t>& ports,
                         FabricTick now);
    uint16_t ChooseRandom(const std::vector<uint16_t>& ports);

    Config m_config;                     //!< see there
    std::vector<Flowlet> m_flowlets;     //!< by hash; empty in other modes
    uint64_t m_begun{0};                 //!< flowlets
    uint32_t m_next{0};                  //!< ROUND_ROBIN
    Ptr<UniformRandomVariable> m_random; //!< choices
    std::vector<uint16_t> m_least;       //!< scratch
};

} // namespace ns3

#endif // LOAD_BALANCER_H
