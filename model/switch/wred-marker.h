/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WRED_MARKER_H
#define WRED_MARKER_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Which frames of a queue get CE (RFC 3168), by weighted random early detection: none up to Kmin,
 * a share that rises linearly to Pmax at Kmax, and every one from there on. One curve per egress
 * queue, on its length at that moment or on an average. Pure arithmetic: the random number comes
 * from the caller.
 */
class WredMarker
{
  public:
    static constexpr uint8_t PRIORITIES = 8; //!< queues of a port

    /** When to mark. */
    struct Curve
    {
        uint64_t kmin{0}; //!< bytes; nothing is marked up to here
        uint64_t kmax{0}; //!< bytes, at least kmin; everything is marked from here on
        double pmax{0};   //!< probability just below kmax
    };

    /**
     * @param name a published curve: "hpcc" (100 KB and 400 KB for each 25 Gb/s, 0.2: simulations
     * of the HPCC authors), "dcqcn-paper" (5 KB, 200 KB, 1 %: SIGCOMM 2015, for 40 Gb/s, the same
     * for all rates), "ns3-rdma" (40 KB, 1 MB, 1: its authors' simulator), "dctcp" (30 KB for each
     * 10 Gb/s, a step: HPCC authors), "sonic-lossless" (1 MiB, 2 MiB, 5 %: SONiC's AZURE_LOSSLESS),
     * "nvidia" (150 KB, 1.5 MB, 1: common default, from memory)
     * @param bitRate of the port, bits per second
     * @returns its curve; std::invalid_argument naming those that are known
     */
    static Curve Preset(const std::string& name, uint64_t bitRate);
    /** @returns the names that Preset() knows */
    static std::vector<std::string> GetPresets();

    /**
     * Start over.
     * @param ports number of ports; their queues have no curve
     * @param averaging n of the average, which moves by 2^-n of the difference at each frame; 0: no
     * average
     */
    void Configure(std::size_t ports, uint8_t averaging);

    /**
     * @param port number of the port
     * @param priority its queue
     * @param curve when to mark; std::invalid_argument if kmin is above kmax or pmax is no
     * probability
     */
    void SetCurve(uint16_t port, uint8_t priority, const Curve& curve);
    /**
     * @param port number of the port
     * @param priority its queue
     * @returns when it marks
     */
    const Curve& GetCurve(uint16_t port, uint8_t priority) const;

    /**
     * A frame passes: the average moves.
     * @param port number of the port
     * @param priority its queue
     * @param queued bytes in the queue
     * @returns probability with which the frame is to be marked, 0 to 1
     */
    double Pass(uint16_t port, uint8_t priority, uint64_t queued);

    /**
     * @param port number of the port
     * @param priority its queue
     * @returns average length in bytes; 0 if none is kept
     */
    double GetAverage(uint16_t port, uint8_t priority) const;

  private:
    /** One queue. */
    struct Queue
    {
        Curve curve;       //!< when to mark
        double average{0}; //!< length in bytes
    };

    std::vector<Queue> m_queues; //!< by port * PRIORITIES + priority
    double m_weight{1};          //!< of the newest length
};

} // namespace ns3

#endif // WRED_MARKER_H
