/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MESSAGE_LATENCY_COLLECTOR_H
#define MESSAGE_LATENCY_COLLECTOR_H

#include "fabric-nic.h"
#include "rdma-transport.h"
#include "work-completion.h"

#include "ns3/latency-samples.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>
#include <optional>
#include <ostream>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * The latencies of messages, each of them kept: exact quantiles, histogram, cumulative
 * distribution.
 *
 * It listens to NICs (from posting until the work completion, at the sender) or to transports (from
 * posting until the last byte has come in). Messages that failed are counted apart.
 */
class MessageLatencyCollector : public Object
{
  public:
    /** @returns the TypeId */
    static TypeId GetTypeId();
    MessageLatencyCollector();
    ~MessageLatencyCollector() override;

    /**
     * @param opcode collect completions of NICs with this opcode only
     */
    void SetOpcode(WcOpcode opcode);
    /** @param from collect only what is posted then or later: the end of a warm-up */
    void SetBegin(Time from);

    /** @param nic collect its work completions; the trace source must outlive this object, or
     * Disconnect() be called */
    void Connect(const Ptr<FabricNic>& nic);
    /** @param nic collect no more of it */
    void Disconnect(const Ptr<FabricNic>& nic);
    /** @param transport collect its deliveries */
    void Connect(const Ptr<RdmaTransport>& transport);
    /** @param transport collect no more of it */
    void Disconnect(const Ptr<RdmaTransport>& transport);

    /** @param seconds a latency from elsewhere */
    void Add(double seconds);

    /** @returns the latencies in seconds */
    const LatencySamples& GetSamples() const;
    /** @returns messages that ended with another status than success */
    uint64_t GetFailed() const;

    /**
     * Write the distribution as CSV: "seconds,share", one line for each latency that occurs, with
     * the share of messages that took no longer.
     * @param stream takes the text
     */
    void WriteCdf(std::ostream& stream) const;

    /**
     * Write a histogram as CSV: "fromSeconds,toSeconds,count", bins of equal width on a logarithmic
     * scale, without empty ones.
     * @param stream takes the text
     * @param binsPerDecade more than 0
     */
    void WriteHistogram(std::ostream& stream, uint32_t binsPerDecade = 20) const;

  private:
    void Completed(uint32_t qpn, const WorkCompletion& completion);
    void Delivered(uint32_t from, uint32_t to, uint64_t bytes, Time latency);

    std::optional<WcOpcode> m_opcode; //!< nothing: all
    Time m_begin;                     //!< see SetBegin()
    LatencySamples m_samples;         //!< seconds
    uint64_t m_failed{0};             //!< see GetFailed()
};

} // namespace ns3

#endif // MESSAGE_LATENCY_COLLECTOR_H
