/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LOSS_RECOVERY_SCENARIO_H
#define LOSS_RECOVERY_SCENARIO_H

#include "ns3/data-rate.h"
#include "ns3/error-model.h"
#include "ns3/nstime.h"
#include "ns3/rc-recovery.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * One saturated reliable connection over a RoCE cable that loses packets of data at random, and
 * what the closed forms say of its goodput.
 *
 * Times are counted in slots: what a full packet takes on the wire. n is the length of a message
 * in packets, W the slots from the first sending of a lost packet to its resending, T the slots of
 * a timeout, by which a lost resending is found. Goodput is a share of what the line carries
 * without losses:
 * - go-back-N: (1 - p) / (1 - p + p W + p^2 T)
 * - selective repeat: 1 - p, while BdpCapBytes does not hold new packets back
 * - go-back-0: n / (n + F (E + W + p T)), where F = (1 - q) / q messages fail before one succeeds,
 *   q = (1 - p)^n, at packet E = (1 - p) / p - n q / (1 - q) on average
 */
class LossRecoveryScenario
{
  public:
    /** What is run. */
    struct Config
    {
        RcRecovery recovery{RcRecovery::GO_BACK_N}; //!< of the connection
        double lossRate{0};                         //!< p: of packets with data, less than 1
        Ptr<ErrorModel> errorModel;                 //!< loses packets instead, if not null
        DataRate rate{"100Gbps"};                   //!< of the cable
        Time delay{NanoSeconds(500)};               //!< of the cable, one way
        uint32_t mtu{4096};                         //!< payload of a full packet in bytes
        uint64_t messageBytes{1 << 20};             //!< a multiple of mtu
        uint64_t slots{20000};                      //!< to be measured
        uint8_t timeoutExponent{8};     //!< local ACK timeout 4.096 us x 2^n (not selective repeat)
        Time rtoLow{MicroSeconds(100)}; //!< timeout of selective repeat, few packets in flight
        Time rtoHigh{MicroSeconds(320)}; //!< timeout of selective repeat
        uint64_t bdpCapBytes{0};         //!< most in flight; 0: no limit
        uint32_t ackInterval{16};        //!< packets per ACK
        int64_t stream{1};               //!< random stream of the losses
    };

    /** What has come of it. */
    struct Result
    {
        double goodputBps{0};      //!< payload that was of use, bits per second
        double share{0};           //!< of that of a line without losses
        double closedForm{0};      //!< what the share should be
        double loopSlots{0};       //!< W
        double timeoutSlots{0};    //!< T
        double lineUse{0};         //!< share of the time that the line was sending data
        uint64_t retransmitted{0}; //!< packets sent again
        uint64_t timeouts{0};      //!< of the sender
        uint64_t lost{0};          //!< packets
        uint64_t maxInFlight{0};   //!< most unacknowledged packets, seen 1000 times
    };

    /**
     * Runs two simulations: one to find W, one to measure. Ends with Simulator::Destroy().
     * std::invalid_argument if the configuration is not possible, std::runtime_error if the
     * connection fails.
     * @param config what is run
     * @returns what has come of it
     */
    static Result Run(const Config& config);

    /**
     * @param config what is run
     * @param loopSlots W
     * @param timeoutSlots T
     * @returns share of the goodput of a line without losses
     */
    static double GetClosedForm(const Config& config, double loopSlots, double timeoutSlots);
};

} // namespace ns3

#endif // LOSS_RECOVERY_SCENARIO_H
