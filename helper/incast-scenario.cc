/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "incast-scenario.h"

#include "rdma-helper.h"
#include "roce-helper.h"

#include "ns3/boolean.h"
#include "ns3/fabric-nic.h"
#include "ns3/fabric-switch.h"
#include "ns3/pause-flow-control.h"
#include "ns3/rc-queue-pair.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <limits>
#include <stdexcept>
#include <string>

namespace ns3
{

namespace
{

/** A message that does not end. */
constexpr uint64_t ENDLESS_BYTES = uint64_t{1} << 40;

} // namespace

double
IncastScenario::Result::GetTotal() const
{
    double sum = 0;
    for (const double rate : goodput)
    {
        sum += rate;
    }
    return sum;
}

double
IncastScenario::Result::GetJain() const
{
    double squares = 0;
    for (const double rate : goodput)
    {
        squares += rate * rate;
    }
    const double sum = GetTotal();
    return squares > 0 ? sum * sum / (static_cast<double>(goodput.size()) * squares)
                       : std::numeric_limits<double>::quiet_NaN();
}

IncastScenario::IncastScenario(const Parameters& parameters)
    : m_parameters(parameters)
{
    if (parameters.senders == 0 || parameters.period <= Time(0) || parameters.window <= Time(0))
    {
        throw std::invalid_argument("IncastScenario: " + std::to_string(parameters.senders) +
                                    " senders, expected at least 1, and a window and a period of "
                                    "more than 0");
    }
    RoceHelper fabric;
    if (parameters.control)
    {
        fabric.SetCongestionControl(*parameters.control);
    }
    if (!parameters.lossless)
    {
        fabric.SetFlowControl("ns3::NoFlowControl");
    }
    if (parameters.ecnKmax)
    {
        fabric.SetSwitchAttribute("EcnKmin", UintegerValue(parameters.ecnKmin));
        fabric.SetSwitchAttribute("EcnKmax", UintegerValue(parameters.ecnKmax));
    }
    fabric.SetDeviceAttribute("DataRate", DataRateValue(parameters.rate));
    fabric.SetChannelAttribute("Delay", TimeValue(parameters.delay));
    NodeContainer center(1);
    m_switch = fabric.InstallSwitch(center.Get(0));
    NodeContainer hosts(parameters.senders + 2);
    fabric.Install(hosts, center.Get(0));
    fabric.Configure(center);
    m_bottleneck =
        DynamicCast<FabricNetDevice>(m_switch->GetPort(static_cast<uint16_t>(parameters.senders)));
    m_transport = RdmaHelper::CreateTransport(hosts);
    m_transport->SetQueuePairAttribute("AckInterval", UintegerValue(parameters.ackInterval));
}

IncastScenario::~IncastScenario()
{
    m_transport->Dispose();
}

const Ptr<RdmaTransport>&
IncastScenario::GetTransport() const
{
    return m_transport;
}

std::vector<uint64_t>
IncastScenario::GetBytes()
{
    std::vector<uint64_t> bytes;
    for (uint32_t i = 0; i < m_parameters.senders; ++i)
    {
        bytes.push_back(
            m_transport->GetQueuePair(m_parameters.senders, i)->GetResponder().GetBytes());
    }
    return bytes;
}

void
IncastScenario::TakeSample()
{
    uint64_t sum = 0;
    for (const uint64_t bytes : GetBytes())
    {
        sum += bytes;
    }
    Sample sample;
    sample.at = Simulator::Now();
    sample.queue = m_bottleneck->GetPort().GetQueuedBytes();
    sample.goodput = static_cast<double>(sum - m_sampled) * 8 / m_parameters.period.GetSeconds();
    m_sampled = sum;
    m_result.samples.push_back(sample);
    if (m_measuring)
    {
        m_result.queue.Add(static_cast<double>(sample.queue));
    }
    Simulator::Schedule(m_parameters.period, &IncastScenario::TakeSample, this);
}

void
IncastScenario::BeginWindow()
{
    m_begin = GetBytes();
    m_measuring = true;
}

void
IncastScenario::SendShort()
{
    // A flow is new: congestion control begins with it. The tag is when.
    const Ptr<FabricNic> from = m_transport->GetNic(m_parameters.senders + 1);
    const Ptr<FabricNic> to = m_transport->GetNic(m_parameters.senders);
    const Ptr<RcQueuePair> sender = from->CreateQueuePair();
    const Ptr<RcQueuePair> receiver = to->CreateQueuePair();
    for (const Ptr<RcQueuePair>& end : {sender, receiver})
    {
        end->SetAttribute("AckInterval", UintegerValue(m_parameters.ackInterval));
    }
    receiver->SetDeliveredCallback(MakeCallback(&IncastScenario::ShortDelivered, this));
    FabricNic::Connect(sender, receiver);
    sender->Post(m_parameters.shortBytes, static_cast<uint64_t>(Simulator::Now().GetTimeStep()));
    Simulator::Schedule(m_parameters.shortInterval, &IncastScenario::SendShort, this);
}

void
IncastScenario::ShortDelivered(Ptr<RcQueuePair> /* queuePair */,
                               uint64_t /* id */,
                               uint64_t /* bytes */,
                               uint64_t tag)
{
    if (m_measuring)
    {
        m_result.shortTimes.Add((Simulator::Now() - TimeStep(tag)).GetSeconds());
    }
}

IncastScenario::Result
IncastScenario::Run()
{
    for (uint32_t i = 0; i < m_parameters.senders; ++i)
    {
        m_transport->Send(i, m_parameters.senders, ENDLESS_BYTES, 0);
    }
    if (m_parameters.shortBytes)
    {
        SendShort();
    }
    Simulator::Schedule(m_parameters.period, &IncastScenario::TakeSample, this);
    Simulator::Schedule(m_parameters.warmUp, &IncastScenario::BeginWindow, this);
    Simulator::Stop(m_parameters.warmUp + m_parameters.window);
    Simulator::Run();
    const std::vector<uint64_t> end = GetBytes();
    for (uint32_t i = 0; i < m_parameters.senders; ++i)
    {
        m_result.goodput.push_back(static_cast<double>(end[i] - m_begin[i]) * 8 /
                                   m_parameters.window.GetSeconds());
    }
    for (uint32_t i = 0; i < m_parameters.senders + 2; ++i)
    {
        m_result.retransmits += m_transport->GetNic(i)->GetCounters().retransmitted;
    }
    for (uint16_t i = 0; i < m_switch->GetNPorts(); ++i)
    {
        const auto device = DynamicCast<FabricNetDevice>(m_switch->GetPort(i));
        m_result.drops += device->GetDrops();
        if (const auto pause = dynamic_cast<PauseFlowControl*>(device->GetIncomingFlowControl()))
        {
            m_result.pauses += pause->GetPauseFrames();
        }
    }
    return m_result;
}

} // namespace ns3
