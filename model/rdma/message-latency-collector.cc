/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "message-latency-collector.h"

#include "ns3/fabric-tick.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <vector>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(MessageLatencyCollector);

TypeId
MessageLatencyCollector::GetTypeId()
{
    static TypeId tid = TypeId("ns3::MessageLatencyCollector")
                            .SetParent<Object>()
                            .SetGroupName("AiFabric")
                            .AddConstructor<MessageLatencyCollector>();
    return tid;
}

MessageLatencyCollector::MessageLatencyCollector() = default;

MessageLatencyCollector::~MessageLatencyCollector() = default;

void
MessageLatencyCollector::SetOpcode(WcOpcode opcode)
{
    m_opcode = opcode;
}

void
MessageLatencyCollector::SetBegin(Time from)
{
    m_begin = from;
}

void
MessageLatencyCollector::Connect(const Ptr<FabricNic>& nic)
{
    nic->TraceConnectWithoutContext("MessageCompleted",
                                    MakeCallback(&MessageLatencyCollector::Completed, this));
}

void
MessageLatencyCollector::Disconnect(const Ptr<FabricNic>& nic)
{
    nic->TraceDisconnectWithoutContext("MessageCompleted",
                                       MakeCallback(&MessageLatencyCollector::Completed, this));
}

void
MessageLatencyCollector::Connect(const Ptr<RdmaTransport>& transport)
{
    transport->TraceConnectWithoutContext("MessageLatency",
                                          MakeCallback(&MessageLatencyCollector::Delivered, this));
}

void
MessageLatencyCollector::Disconnect(const Ptr<RdmaTransport>& transport)
{
    transport->TraceDisconnectWithoutContext(
        "MessageLatency",
        MakeCallback(&MessageLatencyCollector::Delivered, this));
}

void
MessageLatencyCollector::Add(double seconds)
{
    m_samples.Add(seconds);
}

void
MessageLatencyCollector::Completed(uint32_t /* qpn */, const WorkCompletion& completion)
{
    if ((m_opcode && completion.opcode != *m_opcode) || completion.posted < m_begin.GetTimeStep())
    {
        return;
    }
    if (completion.status != WcStatus::SUCCESS)
    {
        ++m_failed;
        return;
    }
    m_samples.Add(FabricSeconds(completion.completed - completion.posted));
}

void
MessageLatencyCollector::Delivered(uint32_t /* from */,
                                   uint32_t /* to */,
                                   uint64_t /* bytes */,
                                   Time latency)
{
    if (Simulator::Now() - latency >= m_begin)
    {
        m_samples.Add(FabricSeconds(latency.GetTimeStep()));
    }
}

const LatencySamples&
MessageLatencyCollector::GetSamples() const
{
    return m_samples;
}

uint64_t
MessageLatencyCollector::GetFailed() const
{
    return m_failed;
}

void
MessageLatencyCollector::WriteCdf(std::ostream& stream) const
{
    std::vector<double> sorted = m_samples.GetAll();
    std::sort(sorted.begin(), sorted.end());
    const std::streamsize precision = stream.precision(12);
    stream << "seconds,share\n";
    for (std::size_t i = 0; i < sorted.size(); ++i)
    {
        if (i + 1 == sorted.size() || sorted[i + 1] != sorted[i])
        {
            stream << sorted[i] << ','
                   << static_cast<double>(i + 1) / static_cast<double>(sorted.size()) << '\n';
        }
    }
    stream.precision(precision);
}

void
MessageLatencyCollector::WriteHistogram(std::ostream& stream, uint32_t binsPerDecade) const
{
    if (binsPerDecade == 0)
    {
        throw std::invalid_argument("MessageLatencyCollector: 0 bins per decade, expected more");
    }
    std::map<int64_t, uint64_t> bins;
    uint64_t zeros = 0; // have no logarithm
    for (const double seconds : m_samples.GetAll())
    {
        if (seconds > 0)
        {
            ++bins[static_cast<int64_t>(std::floor(std::log10(seconds) * binsPerDecade))];
        }
        else
        {
            ++zeros;
        }
    }
    const std::streamsize precision = stream.precision(12);
    stream << "fromSeconds,toSeconds,count\n";
    if (zeros)
    {
        stream << "0,0," << zeros << '\n';
    }
    for (const auto& [bin, count] : bins)
    {
        stream << std::pow(10, static_cast<double>(bin) / binsPerDecade) << ','
               << std::pow(10, static_cast<double>(bin + 1) / binsPerDecade) << ',' << count
               << '\n';
    }
    stream.precision(precision);
}

} // namespace ns3
