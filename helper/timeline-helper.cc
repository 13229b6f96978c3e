/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "timeline-helper.h"

#include "report-files.h"

#include "ns3/fabric-net-device.h"
#include "ns3/fabric-switch.h"
#include "ns3/gpu-application.h"

#include <array>
#include <map>
#include <utility>

namespace ns3
{

/** The rows of one GPU. */
class TimelineHelper::GpuRows
{
  public:
    GpuRows(TimelineRecorder& recorder, const Ptr<GpuApplication>& gpu)
        : m_recorder(recorder),
          m_steps(recorder.GetRow(Name(gpu->GetRank()), "steps")),
          m_communication(recorder.GetRow(Name(gpu->GetRank()), "communication"))
    {
        gpu->TraceConnectWithoutContext("BucketReady", MakeCallback(&GpuRows::Ready, this));
        gpu->TraceConnectWithoutContext("BucketStart", MakeCallback(&GpuRows::Start, this));
        gpu->TraceConnectWithoutContext("BucketDone", MakeCallback(&GpuRows::Done, this));
        gpu->TraceConnectWithoutContext("StepDone", MakeCallback(&GpuRows::StepDone, this));
    }

    /** @returns name of the group of a GPU */
    static std::string Name(uint32_t rank)
    {
        return "GPU " + std::to_string(rank);
    }

  private:
    void Ready(uint32_t /* rank */, uint32_t /* step */, uint32_t bucket, uint64_t /* bytes */)
    {
        m_recorder.AddInstant(m_steps, "bucket " + std::to_string(bucket) + " ready", FabricNow());
    }

    void Start(uint32_t /* rank */, uint32_t step, uint32_t bucket, uint64_t /* bytes */)
    {
        m_started[{step, bucket}] = FabricNow();
    }

    void Done(uint32_t /* rank */, uint32_t step, uint32_t bucket, uint64_t bytes)
    {
        const auto started = m_started.find({step, bucket});
        if (started == m_started.end())
        {
            return; // it was under way before anybody looked
        }
        m_recorder.AddSpan(m_communication,
                           "bucket " + std::to_string(bucket) + ", " + std::to_string(bytes) +
                               " bytes",
                           started->second,
                           FabricNow());
        m_started.erase(started);
    }

    void StepDone(uint32_t /* rank */, uint32_t step, Time duration)
    {
        const FabricTick now = FabricNow();
        m_recorder.AddSpan(m_steps,
                           "step " + std::to_string(step),
                           now - duration.GetTimeStep(),
                           now);
    }

    TimelineRecorder& m_recorder;                                  //!< takes it all
    uint32_t m_steps;                                              //!< row
    uint32_t m_communication;                                      //!< row
    std::map<std::pair<uint32_t, uint32_t>, FabricTick> m_started; //!< by step and bucket
};

/** The rows of one port: one for each class that was ever held back. */
class TimelineHelper::PortRows
{
  public:
    PortRows(TimelineRecorder& recorder, std::string group, std::string port)
        : m_recorder(recorder),
          m_group(std::move(group)),
          m_port(std::move(port))
    {
        m_stalled.fill(FABRIC_NEVER);
        m_paused.fill(FABRIC_NEVER);
    }

    void Connect(const Ptr<FabricNetDevice>& device)
    {
        device->TraceConnectWithoutContext("Stall", MakeCallback(&PortRows::Stall, this));
        device->TraceConnectWithoutContext("Pause", MakeCallback(&PortRows::Pause, this));
    }

    /** @param recorder takes what is not over yet, up to now */
    void AddOpen(TimelineRecorder& recorder) const
    {
        AddOpen(recorder, m_stalled, "held back");
        AddOpen(recorder, m_paused, "paused");
    }

  private:
    using Begins = std::array<FabricTick, FabricPort::CLASSES>;

    void Stall(uint8_t cls, bool begin)
    {
        Change(m_stalled, cls, begin, "held back");
    }

    void Pause(uint8_t cls, bool begin)
    {
        Change(m_paused, cls, begin, "paused");
    }

    std::string GetRowName(std::size_t cls, const std::string& what) const
    {
        return m_port + " class " + std::to_string(cls) + " " + what;
    }

    void AddOpen(TimelineRecorder& recorder, const Begins& begins, const std::string& what) const
    {
        const FabricTick now = FabricNow();
        for (std::size_t cls = 0; cls < begins.size(); ++cls)
        {
            if (begins[cls] <= now) // FABRIC_NEVER is later
            {
                const uint32_t row = recorder.GetRow(m_group, GetRowName(cls, what));
                recorder.AddSpan(row, what + ", not over", begins[cls], now);
            }
        }
    }

    void Change(Begins& begins, uint8_t cls, bool begin, const std::string& what)
    {
        if (begin)
        {
            begins[cls] = FabricNow();
        }
        else if (begins[cls] != FABRIC_NEVER)
        {
            const uint32_t row = m_recorder.GetRow(m_group, GetRowName(cls, what));
            m_recorder.AddSpan(row, what, begins[cls], FabricNow());
            begins[cls] = FABRIC_NEVER;
        }
    }

    TimelineRecorder& m_recorder; //!< takes it all
    std::string m_group;          //!< the node
    std::string m_port;           //!< the device
    Begins m_stalled;             //!< when the open stalls began, by class
    Begins m_paused;              //!< when the open pauses began, by class
};

/** The messages of one transport. */
class TimelineHelper::MessageRows
{
  public:
    MessageRows(TimelineRecorder& recorder, const Ptr<RdmaTransport>& transport)
        : m_recorder(recorder)
    {
        transport->TraceConnectWithoutContext("MessageLatency",
                                              MakeCallback(&MessageRows::Arrived, this));
    }

  private:
    void Arrived(uint32_t from, uint32_t to, uint64_t bytes, Time latency)
    {
        const FabricTick now = FabricNow();
        m_recorder.AddFlight(m_recorder.GetRow(GpuRows::Name(from), "messages"),
                             std::to_string(bytes) + " bytes to GPU " + std::to_string(to),
                             now - latency.GetTimeStep(),
                             now);
    }

    TimelineRecorder& m_recorder; //!< takes it all
};

TimelineHelper::TimelineHelper() = default;
TimelineHelper::~TimelineHelper() = default;

void
TimelineHelper::AddGpus(const ApplicationContainer& apps)
{
    for (uint32_t i = 0; i < apps.GetN(); ++i)
    {
        if (const auto gpu = DynamicCast<GpuApplication>(apps.Get(i)))
        {
            m_gpus.push_back(std::make_unique<GpuRows>(m_recorder, gpu));
        }
    }
}

void
TimelineHelper::AddMessages(const Ptr<RdmaTransport>& transport)
{
    m_messages.push_back(std::make_unique<MessageRows>(m_recorder, transport));
}

void
TimelineHelper::AddFabric(const NodeContainer& nodes)
{
    for (uint32_t n = 0; n < nodes.GetN(); ++n)
    {
        const Ptr<Node> node = nodes.Get(n);
        for (uint32_t i = 0; i < node->GetNDevices(); ++i)
        {
            if (const auto device = DynamicCast<FabricNetDevice>(node->GetDevice(i)))
            {
                m_ports.push_back(
                    std::make_unique<PortRows>(m_recorder,
                                               "node " + std::to_string(node->GetId()),
                                               "port " + std::to_string(device->GetSinkIndex())));
                m_ports.back()->Connect(device);
            }
        }
    }
}

const TimelineRecorder&
TimelineHelper::GetRecorder() const
{
    return m_recorder;
}

std::string
TimelineHelper::Write(const std::string& folder, const std::string& name) const
{
    ReportFiles::MakeFolder(folder);
    // What waits for ever, as in a deadlock, is what one wants to see most.
    TimelineRecorder all = m_recorder;
    for (const auto& port : m_ports)
    {
        port->AddOpen(all);
    }
    return ReportFiles::Write(folder, name, all.ToTraceEvents());
}

} // namespace ns3
