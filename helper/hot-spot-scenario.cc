/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hot-spot-scenario.h"

#include "max-min-share.h"
#include "rdma-helper.h"
#include "run-report.h"

#include "ns3/fabric-nic.h"
#include "ns3/ib-opcode.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace ns3
{

namespace
{

/** A message that does not end. */
constexpr uint64_t ENDLESS_BYTES = uint64_t{1} << 40;

// Hosts of a leaf by slot: one for each hot spot (idle on other leaves), a victim's sender and
// receiver for each, then the contributors.
constexpr uint32_t VICTIM_SENDER_SLOT = HotSpotScenario::SPOTS;
constexpr uint32_t VICTIM_RECEIVER_SLOT = 2 * HotSpotScenario::SPOTS;
constexpr uint32_t CONTRIBUTOR_SLOT = 3 * HotSpotScenario::SPOTS;

} // namespace

double
HotSpotScenario::Result::GetMeanShare(Role role) const
{
    double sum = 0;
    uint32_t count = 0;
    for (const Flow& flow : flows)
    {
        if (flow.role == role)
        {
            sum += flow.rate / flow.fairShare;
            ++count;
        }
    }
    return sum / count;
}

double
HotSpotScenario::Result::GetSmallestShare(Role role) const
{
    double smallest = 1;
    for (const Flow& flow : flows)
    {
        if (flow.role == role)
        {
            smallest = std::min(smallest, flow.rate / flow.fairShare);
        }
    }
    return smallest;
}

HotSpotScenario::HotSpotScenario(FabricHelper& fabric,
                                 uint32_t leaves,
                                 uint32_t contributors,
                                 uint32_t mtu)
    : m_leaves(leaves),
      m_contributors(contributors),
      m_mtu(mtu),
      m_hostsPerLeaf(CONTRIBUTOR_SLOT + SPOTS * contributors)
{
    if (leaves < 3 || contributors < 1)
    {
        throw std::invalid_argument("hot spots: " + std::to_string(leaves) + " leaves with " +
                                    std::to_string(contributors) +
                                    " contributors each, expected 3 leaves and 1 contributor or "
                                    "more");
    }
    m_topology = FabricTopologyHelper(fabric).CreateLeafSpine(leaves, SPOTS, m_hostsPerLeaf);
    m_transport = RdmaHelper::CreateTransport(m_topology.hosts);
    m_transport->SetQueuePairAttribute("Mtu", UintegerValue(mtu));
    Route();
    AddFlows();
}

HotSpotScenario::~HotSpotScenario()
{
    m_transport->Dispose();
}

const FabricTopology&
HotSpotScenario::GetTopology() const
{
    return m_topology;
}

uint32_t
HotSpotScenario::GetHost(uint32_t leaf, uint32_t slot) const
{
    return leaf * m_hostsPerLeaf + slot;
}

void
HotSpotScenario::Route()
{
    // Data and what comes back go over the spine of the hot spot that the flow has to do with, so
    // that nothing depends on the routing engine.
    for (uint32_t host = 0; host < m_topology.hosts.GetN(); ++host)
    {
        const auto device = DynamicCast<FabricNetDevice>(m_topology.hostDevices.Get(host));
        const uint32_t slot = host % m_hostsPerLeaf;
        const uint32_t spot =
            slot < CONTRIBUTOR_SLOT ? slot % SPOTS : (slot - CONTRIBUTOR_SLOT) / m_contributors;
        for (uint32_t leaf = 0; leaf < m_leaves; ++leaf)
        {
            if (leaf != host / m_hostsPerLeaf)
            {
                // Ports of a leaf: hosts first, then spines.
                FabricHelper::GetSwitch(m_topology.switches.Get(leaf))
                    ->SetRoute(device->GetFabricAddress(),
                               {static_cast<uint16_t>(m_hostsPerLeaf + spot)});
            }
        }
    }
}

void
HotSpotScenario::AddFlows()
{
    for (uint32_t spot = 0; spot < SPOTS; ++spot)
    {
        for (uint32_t leaf = 0; leaf < m_leaves; ++leaf)
        {
            for (uint32_t i = 0; i < m_contributors; ++i)
            {
                const uint32_t slot = CONTRIBUTOR_SLOT + spot * m_contributors + i;
                m_flows.push_back(
                    {Role::CONTRIBUTOR, spot, GetHost(leaf, slot), GetHost(spot, spot)});
            }
        }
    }
    for (uint32_t spot = 0; spot < SPOTS; ++spot)
    {
        for (uint32_t leaf = 0; leaf < m_leaves; ++leaf)
        {
            const uint32_t next = (leaf + 1) % m_leaves;
            const uint32_t to = next == spot ? (next + 1) % m_leaves : next;
            if (leaf != spot)
            {
                m_flows.push_back({Role::VICTIM,
                                   spot,
                                   GetHost(leaf, VICTIM_SENDER_SLOT + spot),
                                   GetHost(to, VICTIM_RECEIVER_SLOT + spot)});
            }
        }
    }
    // Links: from and to each host, then up and down between each leaf and spine.
    const uint32_t hosts = m_topology.hosts.GetN();
    std::vector<double> capacities;
    const auto device = DynamicCast<FabricNetDevice>(m_topology.hostDevices.Get(0));
    capacities.assign(2 * hosts + 2 * m_leaves * SPOTS,
                      GetPayloadShare() * static_cast<double>(device->GetBitRate()));
    std::vector<std::vector<uint32_t>> paths;
    for (const Flow& flow : m_flows)
    {
        paths.push_back({2 * flow.from, 2 * flow.to + 1});
        const uint32_t up = flow.from / m_hostsPerLeaf;
        const uint32_t down = flow.to / m_hostsPerLeaf;
        if (up != down)
        {
            paths.back().push_back(2 * (hosts + up * SPOTS + flow.spot));
            paths.back().push_back(2 * (hosts + down * SPOTS + flow.spot) + 1);
        }
    }
    const std::vector<double> shares = GetMaxMinShares(paths, capacities);
    for (std::size_t i = 0; i < m_flows.size(); ++i)
    {
        m_flows[i].fairShare = shares[i];
    }
}

double
HotSpotScenario::GetPayloadShare() const
{
    FabricFrame frame;
    frame.opcode = IbOpcode::RC_WRITE_MIDDLE;
    frame.payload = m_mtu;
    DynamicCast<FabricNetDevice>(m_topology.hostDevices.Get(0))->SizeFrame(frame);
    return static_cast<double>(m_mtu) / frame.wireBytes;
}

std::vector<uint64_t>
HotSpotScenario::GetBytes() const
{
    std::vector<uint64_t> bytes;
    for (const Flow& flow : m_flows)
    {
        bytes.push_back(m_transport->GetQueuePair(flow.to, flow.from)->GetResponder().GetBytes());
    }
    return bytes;
}

std::array<uint64_t, HotSpotScenario::SPOTS>
HotSpotScenario::GetHotBytes() const
{
    std::array<uint64_t, SPOTS> bytes{};
    for (uint32_t spot = 0; spot < SPOTS; ++spot)
    {
        const auto leaf = FabricHelper::GetSwitch(m_topology.switches.Get(spot));
        const auto port = static_cast<uint16_t>(spot); // of the host in slot spot
        bytes[spot] = leaf->GetPort(port)->GetPort().GetCounters().frameBytes;
    }
    return bytes;
}

void
HotSpotScenario::TakeSample(Result* result, Time period)
{
    const std::vector<uint64_t> bytes = GetBytes();
    Sample sample;
    sample.end = Simulator::Now();
    for (std::size_t i = 0; i < bytes.size(); ++i)
    {
        const double rate = static_cast<double>(bytes[i] - m_sampled[i]) * 8 / period.GetSeconds();
        (m_flows[i].role == Role::VICTIM ? sample.victims : sample.contributors) += rate;
    }
    m_sampled = bytes;
    result->samples.push_back(sample);
    Simulator::Schedule(period, &HotSpotScenario::TakeSample, this, result, period);
}

void
HotSpotScenario::BeginWindow()
{
    m_begin = GetBytes();
    m_hotBegin = GetHotBytes();
}

HotSpotScenario::Result
HotSpotScenario::Run(Time warmUp, Time window, Time period)
{
    Result result;
    for (std::size_t i = 0; i < m_flows.size(); ++i)
    {
        m_transport->Send(m_flows[i].from, m_flows[i].to, ENDLESS_BYTES, i);
    }
    m_sampled = GetBytes();
    Simulator::Schedule(period, &HotSpotScenario::TakeSample, this, &result, period);
    Simulator::Schedule(warmUp, &HotSpotScenario::BeginWindow, this);
    Simulator::Stop(warmUp + window);
    Simulator::Run();

    const std::vector<uint64_t> bytes = GetBytes();
    const std::array<uint64_t, SPOTS> hot = GetHotBytes();
    const double seconds = window.GetSeconds();
    result.flows = m_flows;
    for (std::size_t i = 0; i < bytes.size(); ++i)
    {
        result.flows[i].rate = static_cast<double>(bytes[i] - m_begin[i]) * 8 / seconds;
    }
    const auto device = DynamicCast<FabricNetDevice>(m_topology.hostDevices.Get(0));
    for (uint32_t spot = 0; spot < SPOTS; ++spot)
    {
        result.utilization[spot] = static_cast<double>(hot[spot] - m_hotBegin[spot]) * 8 / seconds /
                                   static_cast<double>(device->GetBitRate());
    }
    FabricTotals totals;
    totals.Add(NodeContainer(m_topology.hosts, m_topology.switches));
    result.drops = totals.drops;
    for (uint32_t host = 0; host < m_topology.hosts.GetN(); ++host)
    {
        const FabricNicCounters& counters =
            RdmaHelper::GetNic(m_topology.hosts.Get(host))->GetCounters();
        result.marks += counters.ecnMarked;
        result.notifications += counters.cnpsReceived;
    }
    return result;
}

} // namespace ns3
