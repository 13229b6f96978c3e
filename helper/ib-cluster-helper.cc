/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ib-cluster-helper.h"

#include "ns3/ib-link-speed.h"
#include "ns3/ib-node-info.h"
#include "ns3/names.h"
#include "ns3/subnet-summary.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iomanip>
#include <map>
#include <sstream>
#include <stdexcept>
#include <system_error>

#ifndef AI_FABRIC_MODEL_DIR
#define AI_FABRIC_MODEL_DIR "contrib/ai-fabric/examples/models"
#endif

namespace ns3
{

namespace
{

/** Give a node the name that people know it by. */
void
AddName(const Ptr<Node>& node, const SubnetNode& known)
{
    std::string name = known.name;
    if (known.kind == SubnetNodeKind::CHANNEL_ADAPTER && !SubnetSummary::GetHostName(known).empty())
    {
        name = SubnetSummary::GetHostName(known);
    }
    else if (known.kind == SubnetNodeKind::SWITCH && name.compare(0, 4, "MF0;") == 0)
    {
        name = name.substr(4, name.rfind(':') - 4);
    }
    std::replace_if(
        name.begin(),
        name.end(),
        [](unsigned char c) { return std::isspace(c) || std::iscntrl(c) || c == '/'; },
        '_');
    if (name.empty() || Names::Find<Node>(name))
    {
        std::ostringstream unique;
        unique << name << "-0x" << std::hex << std::setw(16) << std::setfill('0') << known.guid;
        name = unique.str();
    }
    if (!Names::Find<Node>(name))
    {
        Names::Add(name, node);
    }
}

/** Let a device know what it is in the graph. */
void
AddInfo(const Ptr<Object>& device, const SubnetNode& node, uint32_t port)
{
    const auto info = CreateObject<IbNodeInfo>();
    info->kind = node.kind;
    info->nodeGuid = node.guid;
    info->portGuid = node.ports[port].guid;
    info->portNumber = static_cast<uint8_t>(port);
    info->ports = static_cast<uint32_t>(node.ports.size() - 1);
    info->description = node.name;
    info->lid = node.ports[port].lid;
    device->AggregateObject(info);
}

} // namespace

std::vector<Ptr<FabricNic>>
IbCluster::GetNics() const
{
    std::vector<Ptr<FabricNic>> nics;
    for (uint32_t i = 0; i < adapters.GetN(); ++i)
    {
        const auto device = DynamicCast<FabricNetDevice>(adapters.Get(i));
        Ptr<FabricNic> nic = device->GetObject<FabricNic>();
        if (!nic)
        {
            nic = CreateObject<FabricNic>();
            nic->SetDevice(device);
        }
        nics.push_back(nic);
    }
    return nics;
}

IbClusterHelper::IbClusterHelper(IbHelper& fabric)
    : m_fabric(fabric)
{
}

void
IbClusterHelper::SetDefaultLinkSpeed(const std::string& name)
{
    m_defaultSpeed = IbLinkSpeed::Parse(name, "IbClusterHelper").GetName();
}

std::string
IbClusterHelper::FindTopology(const std::string& name)
{
    const std::filesystem::path folder =
        std::filesystem::path(AI_FABRIC_MODEL_DIR).parent_path() / "topologies";
    const std::filesystem::path shipped = folder / (name + ".ibnetdiscover");
    std::error_code error;
    return name.find('/') == std::string::npos && std::filesystem::exists(shipped, error)
               ? shipped.string()
               : name;
}

void
IbClusterHelper::CreateNodes(const SubnetGraph& graph, IbCluster& cluster) const
{
    std::map<std::string, Ptr<Node>> hosts;
    for (uint32_t i = 0; i < graph.GetNNodes(); ++i)
    {
        const SubnetNode& known = graph.GetNode(i);
        const bool isHost = known.kind == SubnetNodeKind::CHANNEL_ADAPTER &&
                            !SubnetSummary::IsAggregationNode(known);
        const std::string host = isHost ? SubnetSummary::GetHostName(known) : std::string();
        if (const auto found = hosts.find(host); !host.empty() && found != hosts.end())
        {
            cluster.places.push_back(found->second);
            continue;
        }
        const auto node = CreateObject<Node>();
        cluster.places.push_back(node);
        AddName(node, known);
        if (graph.IsSwitch(i))
        {
            AddInfo(m_fabric.InstallSwitch(node), known, 0);
            cluster.switches.Add(node);
        }
        else if (isHost)
        {
            hosts[host] = node;
            cluster.hosts.Add(node);
        }
        else
        {
            cluster.others.Add(node);
        }
    }
}

void
IbClusterHelper::Connect(const SubnetGraph& graph, uint32_t node, uint32_t port, IbCluster& cluster)
{
    const SubnetEnd peer = graph.GetNode(node).ports[port].peer;
    const std::string where = "IbClusterHelper: the link of port " + std::to_string(port) + " of " +
                              graph.GetNode(node).name;
    if (!graph.IsSwitch(node) && !graph.IsSwitch(peer.node))
    {
        throw std::invalid_argument(where + " leads to " + graph.GetNode(peer.node).name +
                                    ", expected a switch at one end");
    }
    std::string width = SubnetSummary::GetLinkWidth(graph, node, port);
    width = width.empty() ? m_defaultSpeed : width;
    if (width.empty())
    {
        throw std::invalid_argument(where + " has no known speed, expected one such as 4xNDR, or "
                                            "SetDefaultLinkSpeed()");
    }
    m_fabric.SetLinkSpeed(width);
    const NetDeviceContainer ends =
        m_fabric.Install(cluster.places[node], cluster.places[peer.node]);
    AddInfo(ends.Get(0), graph.GetNode(node), port);
    AddInfo(ends.Get(1), graph.GetNode(peer.node), peer.port);
}

IbCluster
IbClusterHelper::Create(const SubnetGraph& graph)
{
    IbCluster cluster;
    CreateNodes(graph, cluster);
    for (uint32_t i = 0; i < graph.GetNNodes(); ++i)
    {
        const SubnetNode& node = graph.GetNode(i);
        for (uint32_t port = 1; port < node.ports.size(); ++port)
        {
            const SubnetEnd peer = node.ports[port].peer;
            // From the lower end only.
            if (peer.IsConnected() && (peer.node > i || (peer.node == i && peer.port > port)))
            {
                Connect(graph, i, port, cluster);
            }
        }
    }
    for (uint32_t i = 0; i < cluster.hosts.GetN(); ++i)
    {
        const Ptr<Node> host = cluster.hosts.Get(i);
        for (uint32_t k = 0; k < host->GetNDevices(); ++k)
        {
            if (DynamicCast<FabricNetDevice>(host->GetDevice(k)))
            {
                cluster.adapters.Add(host->GetDevice(k));
            }
        }
    }
    m_fabric.Configure(cluster.switches);
    return cluster;
}

} // namespace ns3
