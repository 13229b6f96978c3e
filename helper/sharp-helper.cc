/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "sharp-helper.h"

#include "aggregation-tree.h"
#include "fabric-helper.h"
#include "rdma-helper.h"

#include "ns3/ib-address-table.h"
#include "ns3/ib-switch.h"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/** @returns a number that no group of this process has */
uint32_t
TakeGroupId()
{
    static uint32_t next = 0;
    return ++next;
}

/** @returns the switch at the far end of a device's cable; null if there is none */
FabricSwitch*
GetFarSwitch(FabricNetDevice& device)
{
    const FabricNetDevice* peer = device.GetPort().GetPeer();
    return peer ? dynamic_cast<FabricSwitch*>(peer->GetFrameSink()) : nullptr;
}

/** @returns how error messages call the node of a device */
std::string
GetNodeName(const NetDevice& device)
{
    return "node " + std::to_string(device.GetNode()->GetId());
}

/** The switches that aggregate, and the cables between them. */
class Network
{
  public:
    /** @param start a switch, from which all others are found over cables */
    explicit Network(FabricSwitch* start)
    {
        Find(start);
        for (std::size_t i = 0; i < m_switches.size(); ++i)
        {
            for (uint16_t port = 0; port < m_switches[i]->GetNPorts(); ++port)
            {
                FabricSwitch* far = GetFarSwitch(*m_switches[i]->GetPort(port));
                if (far && far->GetObject<AggregationNode>())
                {
                    const std::size_t other = Find(far);
                    m_candidates[i].neighbors.push_back(other);
                    m_cables.insert({{i, other}, port}); // the first of parallel cables
                }
            }
        }
    }

    /** @returns index of a switch, new or known */
    std::size_t Find(FabricSwitch* one)
    {
        const auto known = m_index.find(one);
        if (known != m_index.end())
        {
            return known->second;
        }
        m_index[one] = m_switches.size();
        m_switches.push_back(one);
        m_candidates.emplace_back();
        return m_switches.size() - 1;
    }

    /** @returns number of switches */
    std::size_t GetSize() const
    {
        return m_switches.size();
    }

    /** @returns the switch of an index */
    FabricSwitch& Get(std::size_t i) const
    {
        return *m_switches[i];
    }

    /** @returns the aggregation node of an index */
    Ptr<AggregationNode> GetNode(std::size_t i) const
    {
        return m_switches[i]->GetObject<AggregationNode>();
    }

    /** @returns port of one switch towards another */
    uint16_t GetPort(std::size_t from, std::size_t to) const
    {
        return m_cables.at({from, to});
    }

    /** @returns all switches, for the search */
    std::vector<AggregationCandidate>& GetCandidates()
    {
        return m_candidates;
    }

  private:
    std::vector<FabricSwitch*> m_switches;                            //!< in order of discovery
    std::vector<AggregationCandidate> m_candidates;                   //!< the same, for the search
    std::map<FabricSwitch*, std::size_t> m_index;                     //!< of a switch
    std::map<std::pair<std::size_t, std::size_t>, uint16_t> m_cables; //!< ports between switches
};

} // namespace

SharpHelper::SharpHelper()
{
    m_nodeFactory.SetTypeId("ns3::AggregationNode");
    m_transportFactory.SetTypeId("ns3::SharpTransport");
}

void
SharpHelper::SetNodeAttribute(const std::string& name, const AttributeValue& value)
{
    m_nodeFactory.Set(name, value);
}

void
SharpHelper::SetTransportAttribute(const std::string& name, const AttributeValue& value)
{
    m_transportFactory.Set(name, value);
}

Ptr<AggregationNode>
SharpHelper::GetAggregationNode(const Ptr<Node>& node)
{
    const Ptr<FabricSwitch> found = FabricHelper::GetSwitch(node);
    return found ? found->GetObject<AggregationNode>() : nullptr;
}

void
SharpHelper::Install(const NodeContainer& switches)
{
    // Frames between aggregation nodes go over one cable each, so that the address must differ
    // from those of hosts only. Subnet managers count from the bottom.
    uint16_t lid = IbAddressTable::MULTICAST_LID - 1;
    for (uint32_t i = 0; i < switches.GetN(); ++i)
    {
        const auto owner = DynamicCast<IbSwitch>(FabricHelper::GetSwitch(switches.Get(i)));
        if (!owner)
        {
            throw std::invalid_argument("SharpHelper: node " +
                                        std::to_string(switches.Get(i)->GetId()) +
                                        " has no InfiniBand switch, expected one of IbHelper");
        }
        while (!owner->GetRoute(lid).empty())
        {
            --lid;
        }
        m_nodeFactory.Create<AggregationNode>()->Attach(owner, lid--);
    }
}

Ptr<SharpTransport>
SharpHelper::CreateTransport(const NodeContainer& hosts)
{
    std::vector<SharpTransport::Host> ranks;
    std::vector<FabricSwitch*> leafOf;
    std::set<Ptr<FabricNic>> seen;
    uint32_t segmentBytes = 4096;
    for (uint32_t rank = 0; rank < hosts.GetN(); ++rank)
    {
        SharpTransport::Host host;
        host.nic = RdmaHelper::GetNic(hosts.Get(rank));
        const Ptr<FabricNetDevice> device = host.nic->GetDevice();
        FabricSwitch* leaf = GetFarSwitch(*device);
        const Ptr<AggregationNode> node =
            leaf ? leaf->GetObject<AggregationNode>() : Ptr<AggregationNode>();
        if (!DynamicCast<IbNetDevice>(device) || !node)
        {
            throw std::invalid_argument("SharpHelper: " + GetNodeName(*device) +
                                        " is not at an InfiniBand switch that aggregates, "
                                        "expected SharpHelper::Install on its switch");
        }
        if (!seen.insert(host.nic).second)
        {
            throw std::invalid_argument("SharpHelper: " + GetNodeName(*device) +
                                        " is in the list twice, expected one rank per host");
        }
        host.leafAddress = node->GetAddress();
        segmentBytes = std::min(segmentBytes, device->GetMaxRdmaPayload());
        leafOf.push_back(leaf);
        ranks.push_back(host);
    }
    if (ranks.empty())
    {
        throw std::invalid_argument("SharpHelper: no hosts found, expected at least one");
    }

    const auto transport = m_transportFactory.Create<SharpTransport>();
    Network network(leafOf.front());
    for (std::size_t i = 0; i < network.GetSize(); ++i)
    {
        for (uint16_t port = 0; port < network.Get(i).GetNPorts(); ++port)
        {
            segmentBytes =
                std::min(segmentBytes, network.Get(i).GetPort(port)->GetMaxRdmaPayload());
        }
    }
    std::string full;
    for (std::size_t i = 0; i < network.GetSize(); ++i)
    {
        const Ptr<AggregationNode> node = network.GetNode(i);
        const std::string why = node->WhyFull(transport->GetWindow(), segmentBytes);
        network.GetCandidates()[i].isUsable = why.empty();
        network.GetCandidates()[i].groups = node->GetGroups();
        if (!why.empty())
        {
            full = full.empty() ? "switch of " + GetNodeName(network.Get(i)) + ": " + why : full;
        }
    }
    std::vector<std::size_t> leaves;
    const std::size_t known = network.GetSize();
    for (FabricSwitch* leaf : leafOf)
    {
        leaves.push_back(network.Find(leaf));
    }
    const AggregationTree tree = network.GetSize() == known
                                     ? AggregationTree::Find(network.GetCandidates(), leaves)
                                     : AggregationTree();
    if (tree.root == AggregationTree::NONE)
    {
        throw std::runtime_error("SharpHelper: no aggregation tree joins the hosts: " +
                                 (full.empty() ? "switches that aggregate are not connected with "
                                                 "each other"
                                               : full));
    }

    std::map<std::size_t, AggregationGroup> groups;
    std::vector<Ptr<AggregationNode>> nodes;
    const uint32_t id = TakeGroupId();
    for (const std::size_t member : tree.members)
    {
        AggregationGroup& group = groups[member];
        group.id = id;
        group.serviceLevel = transport->GetServiceLevel();
        group.window = transport->GetWindow();
        group.segmentBytes = segmentBytes;
        group.isRoot = member == tree.root;
        nodes.push_back(network.GetNode(member));
        if (!group.isRoot)
        {
            const std::size_t parent = tree.parents[member];
            group.parent.port = network.GetPort(member, parent);
            group.parent.address = network.GetNode(parent)->GetAddress();
            const FabricNetDevice* far =
                network.Get(member).GetPort(group.parent.port)->GetPort().GetPeer();
            groups[parent].children.push_back(
                {far->GetSinkIndex(), network.GetNode(member)->GetAddress()});
        }
    }
    for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    {
        const Ptr<FabricNetDevice> device = ranks[rank].nic->GetDevice();
        groups[leaves[rank]].children.push_back(
            {device->GetPort().GetPeer()->GetSinkIndex(), device->GetFabricAddress()});
    }
    for (const auto& group : groups)
    {
        network.GetNode(group.first)->AddGroup(group.second);
    }
    transport->SetGroup(id, segmentBytes, ranks, nodes);
    return transport;
}

} // namespace ns3
