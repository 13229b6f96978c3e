/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TIMELINE_HELPER_H
#define TIMELINE_HELPER_H

#include "ns3/application-container.h"
#include "ns3/node-container.h"
#include "ns3/rdma-transport.h"
#include "ns3/timeline-recorder.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Draws a run as a timeline: steps and buckets of GPUs, messages, and when ports were held back by
 * credits or pauses. The file opens in chrome://tracing and in Perfetto.
 *
 * @code
 * TimelineHelper timeline;
 * timeline.AddGpus(apps);
 * timeline.AddFabric(hosts);
 * Simulator::Run();
 * timeline.Write("report", "timeline.json");
 * @endcode
 *
 * The helper must live until Simulator::Run() has returned.
 */
class TimelineHelper
{
  public:
    TimelineHelper();
    ~TimelineHelper();

    /** @param apps GpuApplications: their steps, and the buckets on their communication streams */
    void AddGpus(const ApplicationContainer& apps);
    /** @param transport its messages, on the rows of their senders */
    void AddMessages(const Ptr<RdmaTransport>& transport);
    /** @param nodes hosts or switches: stalls and pauses of their ports */
    void AddFabric(const NodeContainer& nodes);

    /** @returns what has been recorded so far */
    const TimelineRecorder& GetRecorder() const;

    /**
     * @param folder made if it is missing
     * @param name of the file
     * @returns path of the file; std::runtime_error naming it if it can't be written
     */
    std::string Write(const std::string& folder, const std::string& name) const;

  private:
    class GpuRows;
    class PortRows;
    class MessageRows;

    TimelineRecorder m_recorder;                          //!< what has happened
    std::vector<std::unique_ptr<GpuRows>> m_gpus;         //!< sinks of applications
    std::vector<std::unique_ptr<PortRows>> m_ports;       //!< sinks of devices
    std::vector<std::unique_ptr<MessageRows>> m_messages; //!< sinks of transports
};

} // namespace ns3

#endif // TIMELINE_HELPER_H
