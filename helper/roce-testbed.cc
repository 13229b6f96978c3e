/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-testbed.h"

#include "max-min-share.h"
#include "rdma-helper.h"
#include "run-report.h"

#include "ns3/boolean.h"
#include "ns3/dcqcn-rate-control.h"
#include "ns3/double.h"
#include "ns3/fabric-nic.h"
#include "ns3/ib-opcode.h"
#include "ns3/roce-net-device.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <stdexcept>

namespace ns3
{

namespace
{

constexpr uint64_t ENDLESS_BYTES = uint64_t{1} << 40; // a message that does not end
constexpr uint8_t DATA_PRIORITY = 3;
constexpr uint8_t DATA_DSCP = 26;
constexpr uint8_t CONTROL_DSCP = 48;
constexpr uint32_t TORS = 4;
constexpr uint32_t LEAVES = 4;
constexpr uint32_t SPINES = 2;
constexpr uint32_t MTU_HEADERS = 176; // port MTU for a payload, as 1200 for 1024: room for headers

/** Time between two packets that probe: longer than any round trip here. */
const Time PROBE_GAP = MicroSeconds(100);

} // namespace

double
RoceTestbedResult::GetTotalRate() const
{
    double sum = 0;
    for (const RoceTestbedFlow& flow : flows)
    {
        sum += flow.rate;
    }
    return sum;
}

double
RoceTestbedResult::GetJainIndex() const
{
    double squares = 0;
    for (const RoceTestbedFlow& flow : flows)
    {
        squares += flow.rate * flow.rate;
    }
    const double sum = GetTotalRate();
    return squares > 0 ? sum * sum / (static_cast<double>(flows.size()) * squares) : 0;
}

double
RoceTestbedResult::GetMeanQueue() const
{
    const auto sum = std::accumulate(queue.begin(), queue.end(), uint64_t{0});
    return queue.empty() ? 0 : static_cast<double>(sum) / static_cast<double>(queue.size());
}

uint64_t
RoceTestbedResult::GetQueue(double share) const
{
    const auto last = static_cast<double>(queue.size()) - 1;
    return queue.empty() ? 0 : queue[static_cast<std::size_t>(share * last + 0.5)];
}

RoceTestbed::RoceTestbed(const RoceTestbedOptions& options, uint32_t hosts)
    : m_options(options)
{
    m_hosts.Create(hosts);
    m_switches.Create(1);
    Prepare();
    for (uint32_t host = 0; host < hosts; ++host)
    {
        Cable(m_hosts.Get(host), m_switches.Get(0));
    }
    Finish();
}

RoceTestbed::RoceTestbed(const RoceTestbedOptions& options)
    : m_options(options)
{
    m_hosts.Create(TORS * HOSTS_PER_TOR);
    m_switches.Create(TORS + LEAVES + SPINES);
    Prepare();
    for (uint32_t host = 0; host < m_hosts.GetN(); ++host)
    {
        Cable(m_hosts.Get(host), m_switches.Get(host / HOSTS_PER_TOR));
    }
    for (uint32_t tor = 0; tor < TORS; ++tor)
    {
        const uint32_t pod = tor / 2;
        Cable(m_switches.Get(tor), m_switches.Get(TORS + 2 * pod));
        Cable(m_switches.Get(tor), m_switches.Get(TORS + 2 * pod + 1));
    }
    for (uint32_t leaf = 0; leaf < LEAVES; ++leaf)
    {
        for (uint32_t spine = 0; spine < SPINES; ++spine)
        {
            Cable(m_switches.Get(TORS + leaf), m_switches.Get(TORS + LEAVES + spine));
        }
    }
    Finish();
}

RoceTestbed::~RoceTestbed()
{
    m_transport->Dispose();
}

void
RoceTestbed::Prepare()
{
    const bool hasControl = m_options.congestionControl != "none";
    m_fabric.SetDeviceAttribute("DataRate", DataRateValue(m_options.rate));
    m_fabric.SetDeviceAttribute("Mtu", UintegerValue(m_options.mtu + MTU_HEADERS));
    m_fabric.SetChannelAttribute("Delay", TimeValue(m_options.cable));
    m_fabric.SetFlowControlAttribute("LosslessMask",
                                     UintegerValue(m_options.pfc ? 1 << DATA_PRIORITY : 0));
    m_fabric.SetSwitchAttribute("ReservedBytes", UintegerValue(0));
    m_fabric.SetSwitchAttribute("HeadroomBytes", UintegerValue(m_options.headroomBytes));
    m_fabric.SetSwitchAttribute("Alpha", DoubleValue(m_options.alpha));
    m_fabric.SetSwitchAttribute("XonOffsetBytes", UintegerValue(2 * GetWireBytes()));
    m_fabric.SetSwitchAttribute("Ecn", BooleanValue(hasControl));
    m_fabric.SetSwitchAttribute("EcnKmin", UintegerValue(m_options.kmin));
    m_fabric.SetSwitchAttribute("EcnKmax", UintegerValue(m_options.kmax));
    m_fabric.SetSwitchAttribute("EcnPmax", DoubleValue(m_options.pmax));
    for (uint32_t i = 0; i < m_switches.GetN(); ++i)
    {
        m_fabric.InstallSwitch(m_switches.Get(i));
    }
}

void
RoceTestbed::Cable(const Ptr<Node>& a, const Ptr<Node>& b)
{
    const NetDeviceContainer ends = m_fabric.Install(a, b);
    m_links.push_back(DynamicCast<FabricNetDevice>(ends.Get(0)));
    m_links.push_back(DynamicCast<FabricNetDevice>(ends.Get(1)));
}

void
RoceTestbed::Finish()
{
    for (uint32_t i = 0; i < m_switches.GetN(); ++i)
    {
        const Ptr<FabricSwitch> device = FabricHelper::GetSwitch(m_switches.Get(i));
        const uint64_t headroom = m_options.pfc ? device->GetNPorts() * m_options.headroomBytes : 0;
        device->SetAttribute("BufferBytes", UintegerValue(m_options.sharedBytes + headroom));
    }
    m_fabric.Configure(m_switches);
    for (uint32_t i = 0; i < m_switches.GetN(); ++i)
    {
        FabricHelper::GetSwitch(m_switches.Get(i))
            ->SetAttribute("EcmpSeed", UintegerValue(m_options.ecmpSeed * 1000 + i));
    }
    m_fabric.AssignStreams(NodeContainer(m_hosts, m_switches), m_options.stream);
    if (m_options.congestionControl != "none")
    {
        ObjectFactory factory = DcqcnRateControl::Preset(m_options.congestionControl);
        for (const auto& [name, value] : m_options.settings)
        {
            factory.Set(name, StringValue(value));
        }
        for (uint32_t i = 0; i < m_hosts.GetN(); ++i)
        {
            const Ptr<FabricNic> nic = RdmaHelper::GetNic(m_hosts.Get(i));
            nic->SetRateControl(factory);
            nic->SetAttribute("CnpInterval", TimeValue(m_options.cnpInterval));
        }
    }
    m_transport = RdmaHelper::CreateTransport(m_hosts);
    m_transport->SetQueuePairAttribute("Mtu", UintegerValue(m_options.mtu));
    m_transport->SetQueuePairAttribute("AckDscp", UintegerValue(CONTROL_DSCP));
    m_transport->SetDscp(DATA_DSCP);
}

void
RoceTestbed::AddFlow(const std::string& name, uint32_t from, uint32_t to, Time start)
{
    if (from >= m_hosts.GetN() || to >= m_hosts.GetN() || from == to)
    {
        throw std::invalid_argument("flow " + name + " from host " + std::to_string(from) +
                                    " to host " + std::to_string(to) + ", expected two of " +
                                    std::to_string(m_hosts.GetN()) + " hosts");
    }
    RoceTestbedFlow flow;
    flow.name = name;
    flow.from = from;
    flow.to = to;
    flow.start = start;
    m_flows.push_back(flow);
}

std::vector<uint64_t>
RoceTestbed::GetLinkBytes() const
{
    std::vector<uint64_t> bytes;
    for (const Ptr<FabricNetDevice>& device : m_links)
    {
        bytes.push_back(device->GetClassCounters(DATA_PRIORITY).txBytes);
    }
    return bytes;
}

void
RoceTestbed::ProbeFlow(std::size_t flow)
{
    const std::vector<uint64_t> bytes = GetLinkBytes();
    for (uint32_t link = 0; flow > 0 && link < m_links.size(); ++link)
    {
        if (bytes[link] > m_probed[link])
        {
            m_flows[flow - 1].path.push_back(link);
        }
    }
    m_probed = bytes;
    if (flow < m_flows.size())
    {
        m_transport->Send(m_flows[flow].from, m_flows[flow].to, m_options.mtu, flow);
    }
}

void
RoceTestbed::Probe()
{
    for (std::size_t flow = 0; flow <= m_flows.size(); ++flow)
    {
        Simulator::Schedule(PROBE_GAP * static_cast<int64_t>(flow),
                            &RoceTestbed::ProbeFlow,
                            this,
                            flow);
    }
    Simulator::Stop(PROBE_GAP * static_cast<int64_t>(m_flows.size() + 1));
    Simulator::Run();
    const double payload = static_cast<double>(m_options.mtu) / GetWireBytes();
    std::vector<std::vector<uint32_t>> paths;
    for (const RoceTestbedFlow& flow : m_flows)
    {
        paths.push_back(flow.path);
    }
    const std::vector<double> shares = GetMaxMinShares(
        paths,
        std::vector<double>(m_links.size(),
                            payload * static_cast<double>(m_options.rate.GetBitRate())));
    for (std::size_t i = 0; i < m_flows.size(); ++i)
    {
        m_flows[i].fairShare = shares[i];
    }
}

const std::vector<RoceTestbedFlow>&
RoceTestbed::GetFlows() const
{
    return m_flows;
}

uint32_t
RoceTestbed::CountInputs(uint32_t host, const std::vector<uint32_t>& flows) const
{
    const auto own = m_links.at(2 * host)->GetPort().GetPeer()->GetNode(); // cabled first
    std::set<uint32_t> inputs;
    for (const uint32_t flow : flows)
    {
        for (const uint32_t link : m_flows.at(flow).path)
        {
            if (m_links[link]->GetPort().GetPeer()->GetNode() == own)
            {
                inputs.insert(link);
            }
        }
    }
    return static_cast<uint32_t>(inputs.size());
}

bool
RoceTestbed::IsCoupled(uint32_t host, const std::vector<uint32_t>& flows) const
{
    for (const uint32_t a : flows)
    {
        for (const uint32_t b : flows)
        {
            const auto& pathA = m_flows.at(a).path;
            const auto& pathB = m_flows.at(b).path;
            uint32_t common = 0; // the last link is the host's
            for (const uint32_t link : pathA)
            {
                common += std::count(pathB.begin(), pathB.end(), link);
            }
            if (common > 1 && CountInputs(host, {a, b}) > 1)
            {
                return true;
            }
        }
    }
    return false;
}

void
RoceTestbed::Watch(uint32_t host, Time period, bool keep)
{
    m_watched = m_links.at(2 * host + 1); // the switch's end
    m_period = period;
    m_keep = keep;
}

const std::vector<RoceTestbed::Sample>&
RoceTestbed::GetSamples() const
{
    return m_samples;
}

std::vector<uint64_t>
RoceTestbed::GetBytes() const
{
    std::vector<uint64_t> bytes;
    for (const RoceTestbedFlow& flow : m_flows)
    {
        bytes.push_back(m_transport->GetQueuePair(flow.to, flow.from)->GetResponder().GetBytes());
    }
    return bytes;
}

uint64_t
RoceTestbed::GetPauses() const
{
    uint64_t pauses = 0;
    for (uint32_t i = 0; i < m_switches.GetN(); ++i)
    {
        const Ptr<FabricSwitch> device = FabricHelper::GetSwitch(m_switches.Get(i));
        for (uint16_t port = 0; port < device->GetNPorts(); ++port)
        {
            pauses += device->GetPort(port)->GetClassCounters(DATA_PRIORITY).pausesOut;
        }
    }
    return pauses;
}

void
RoceTestbed::Start(std::size_t flow)
{
    m_transport->Send(m_flows[flow].from, m_flows[flow].to, ENDLESS_BYTES, m_flows.size() + flow);
}

void
RoceTestbed::TakeSample()
{
    const uint64_t queue = m_watched->GetPort().GetQueuedBytes(DATA_PRIORITY);
    if (m_inWindow)
    {
        m_queue.push_back(queue);
    }
    if (m_keep)
    {
        const std::vector<uint64_t> bytes = GetBytes();
        Sample sample;
        sample.end = Simulator::Now();
        sample.queue = queue;
        for (std::size_t i = 0; i < bytes.size(); ++i)
        {
            sample.rates.push_back(static_cast<double>(bytes[i] - m_sampled[i]) * 8 /
                                   m_period.GetSeconds());
        }
        m_sampled = bytes;
        m_samples.push_back(std::move(sample));
    }
    Simulator::Schedule(m_period, &RoceTestbed::TakeSample, this);
}

void
RoceTestbed::BeginWindow()
{
    m_begin = GetBytes();
    m_pausesBegin = GetPauses();
    m_inWindow = true;
}

RoceTestbedResult
RoceTestbed::Run(Time warmUp, Time window)
{
    m_sampled = GetBytes();
    for (std::size_t i = 0; i < m_flows.size(); ++i)
    {
        Simulator::Schedule(m_flows[i].start, &RoceTestbed::Start, this, i);
    }
    if (m_watched)
    {
        Simulator::Schedule(m_period, &RoceTestbed::TakeSample, this);
    }
    Simulator::Schedule(warmUp, &RoceTestbed::BeginWindow, this);
    Simulator::Stop(warmUp + window);
    Simulator::Run();

    RoceTestbedResult result;
    const std::vector<uint64_t> bytes = GetBytes();
    result.flows = m_flows;
    for (std::size_t i = 0; i < bytes.size(); ++i)
    {
        result.flows[i].rate = static_cast<double>(bytes[i] - m_begin[i]) * 8 / window.GetSeconds();
    }
    result.allPauses = GetPauses();
    result.pauses = result.allPauses - m_pausesBegin;
    FabricTotals totals;
    totals.Add(NodeContainer(m_hosts, m_switches));
    result.drops = totals.drops;
    result.losslessDrops = totals.losslessDrops;
    result.marks = totals.ecnMarks;
    for (uint32_t host = 0; host < m_hosts.GetN(); ++host)
    {
        const FabricNicCounters& counters = RdmaHelper::GetNic(m_hosts.Get(host))->GetCounters();
        result.retransmitted += counters.retransmitted;
        result.cnps += counters.cnpsReceived;
    }
    result.queue = m_queue;
    std::sort(result.queue.begin(), result.queue.end());
    return result;
}

const NodeContainer&
RoceTestbed::GetHosts() const
{
    return m_hosts;
}

const NodeContainer&
RoceTestbed::GetSwitches() const
{
    return m_switches;
}

Ptr<RdmaTransport>
RoceTestbed::GetTransport() const
{
    return m_transport;
}

uint32_t
RoceTestbed::GetWireBytes() const
{
    FabricFrame frame;
    frame.opcode = IbOpcode::RC_WRITE_MIDDLE;
    frame.payload = m_options.mtu;
    CreateObject<RoceNetDevice>()->SizeFrame(frame);
    return frame.wireBytes;
}

} // namespace ns3
