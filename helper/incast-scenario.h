/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef INCAST_SCENARIO_H
#define INCAST_SCENARIO_H

#include "ns3/data-rate.h"
#include "ns3/fabric-net-device.h"
#include "ns3/latency-samples.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/rdma-transport.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{

class FabricSwitch;

/**
 * @ingroup ai-fabric
 * Many to one on RoCE: long flows from senders to one receiver behind one switch, and short
 * messages of one more host to the same receiver, which meet the queue that the long flows make.
 */
class IncastScenario
{
  public:
    /** What it is made of. */
    struct Parameters
    {
        std::optional<ObjectFactory> control; //!< congestion control; none: nothing but PFC
        uint32_t senders{8};                  //!< of long flows
        DataRate rate{100000000000};          //!< of all links
        Time delay{MicroSeconds(1)};          //!< of each cable
        bool lossless{true};                  //!< PFC
        uint64_t ecnKmin{0};                  //!< bytes; 0 and 0: by the rate
        uint64_t ecnKmax{0};                  //!< bytes
        uint32_t ackInterval{1};              //!< packets
        uint64_t shortBytes{16384};           //!< of a short message; 0: none are sent
        Time shortInterval{MicroSeconds(50)}; //!< from one to the next
        Time warmUp{MicroSeconds(500)};       //!< before measuring
        Time window{MicroSeconds(1000)};      //!< of measuring
        Time period{MicroSeconds(1)};         //!< between two samples
    };

    /** At one instant. */
    struct Sample
    {
        Time at;           //!< from the start
        uint64_t queue{0}; //!< bytes before the receiver
        double goodput{0}; //!< of long flows since the sample before, in bits per second
    };

    /** What was measured in the window. */
    struct Result
    {
        std::vector<double> goodput; //!< of each long flow, bits per second of payload
        std::vector<Sample> samples; //!< from the start on
        LatencySamples queue;        //!< bytes before the receiver
        LatencySamples shortTimes;   //!< completion times of short messages in seconds
        uint64_t pauses{0};          //!< pause frames that the switch sent, from the start
        uint64_t drops{0};           //!< frames, from the start
        uint64_t retransmits{0};     //!< packets, from the start

        /** @returns sum over the long flows, bits per second of payload */
        double GetTotal() const;
        /** @returns Jain's index of their goodputs; NaN if there is none */
        double GetJain() const;
    };

    /** @param parameters what it is made of; std::invalid_argument if they make no sense */
    explicit IncastScenario(const Parameters& parameters);
    ~IncastScenario();

    /**
     * Start all flows now and run the simulator.
     * @returns what was measured
     */
    Result Run();

    /** @returns connections; sender i is rank i, then come the receiver and the short sender */
    const Ptr<RdmaTransport>& GetTransport() const;

  private:
    void TakeSample();
    void BeginWindow();
    void SendShort();
    void ShortDelivered(Ptr<RcQueuePair> queuePair, uint64_t id, uint64_t bytes, uint64_t tag);
    std::vector<uint64_t> GetBytes();

    Parameters m_parameters;           //!< see there
    Ptr<RdmaTransport> m_transport;    //!< of all hosts
    Ptr<FabricSwitch> m_switch;        //!< in the middle
    Ptr<FabricNetDevice> m_bottleneck; //!< port towards the receiver
    Result m_result;                   //!< so far
    std::vector<uint64_t> m_begin;     //!< bytes of long flows when the window began
    uint64_t m_sampled{0};             //!< their sum at the latest sample
    bool m_measuring{false};           //!< the window has begun
};

} // namespace ns3

#endif // INCAST_SCENARIO_H
