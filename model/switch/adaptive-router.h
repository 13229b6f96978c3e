/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ADAPTIVE_ROUTER_H
#define ADAPTIVE_ROUTER_H

#include "ns3/fabric-frame.h"
#include "ns3/fabric-net-device.h"
#include "ns3/fabric-tick.h"
#include "ns3/state-hash.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Adaptive routing of a switch: which of several equally good ports has the least to send?
 *
 * The load of a port is what waits there in the class of the frame, and what is left of the frame
 * on its wire. A port is kept while its load is below a threshold: the default port, or that which
 * the flow used last. Otherwise the least loaded port is taken, of equal ones the first from there
 * on, in the order of the table. So the choice is deterministic.
 *
 * In order, no flow (source, destination, destination queue pair) overtakes itself in this switch:
 * it keeps its port until its last frame has left, and for a gap of silence beyond. Flows are
 * remembered by hash in a table of fixed size; those that share an entry share a port. Queues
 * further on may still differ, so that frames sent one after the other by different ports can
 * change places there; a gap longer than that difference prevents it. Otherwise every packet
 * chooses anew, from the default port on.
 */
class AdaptiveRouter
{
  public:
    /** How to choose. */
    struct Config
    {
        bool inOrder{true};       //!< a flow changes its port only between its packets
        uint64_t threshold{1280}; //!< bytes of load below which a port is kept
        uint16_t slMask{0xffff};  //!< service levels that are routed adaptively
        FabricTick gap{0};        //!< ticks of silence of a flow before it may change its port
    };

    static constexpr std::size_t FLOWS = 1024; //!< entries of the table

    /** @param config how to choose */
    explicit AdaptiveRouter(const Config& config);

    /**
     * @param frame takes the mark that it has been counted here
     * @param devices ports of the switch, by number
     * @param ports equally good ports, more than one
     * @param start the default port, one of them
     * @param now the current tick
     * @returns the port to take
     */
    uint16_t Choose(FabricFrame& frame,
                    const std::vector<Ptr<FabricNetDevice>>& devices,
                    const std::vector<uint16_t>& ports,
                    uint16_t start,
                    FabricTick now);

    /**
     * A frame leaves: sent, or dropped.
     * @param frame a frame for which Choose() was asked; others change nothing
     * @param end tick at which its last bit leaves
     */
    void Left(FabricFrame& frame, FabricTick end);

    /** @returns frames that took another port than the default one */
    uint64_t GetDiverted() const;

    /**
     * @param hash takes the state
     * @param now the current tick
     */
    void HashState(StateHash& hash, FabricTick now) const;
    /** @param by ticks by which everything moves */
    void Shift(FabricTick by);

  private:
    /** Flows of one hash. */
    struct Flow
    {
        FabricTick end{-1}; //!< when the last bit of the latest frame that left did so
        uint32_t inside{0}; //!< frames in the switch
        uint16_t port{0};   //!< port of the latest one
        bool used{false};   //!< there has been one
    };

    static std::size_t GetIndex(const FabricFrame& frame);
    static uint64_t GetLoad(const FabricFrame& frame,
                            const FabricNetDevice& device,
                            FabricTick now);
    uint16_t FindBest(const FabricFrame& frame,
                      const std::vector<Ptr<FabricNetDevice>>& devices,
                      const std::vector<uint16_t>& ports,
                      uint16_t start,
                      FabricTick now) const;

    Config m_config;                 //!< how to choose
    std::array<Flow, FLOWS> m_flows; //!< by hash
    uint64_t m_diverted{0};          //!< frames that took another port
};

} // namespace ns3

#endif // ADAPTIVE_ROUTER_H
