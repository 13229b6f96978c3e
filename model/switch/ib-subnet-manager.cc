/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ib-subnet-manager.h"

#include "ib-node-info.h"
#include "subnet-lft-dump.h"
#include "subnet-lids.h"
#include "subnet-routes-checker.h"

#include "ns3/boolean.h"
#include "ns3/credit-flow-control.h"
#include "ns3/enum-attribute.h"
#include "ns3/log.h"
#include "ns3/names.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <stdexcept>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IbSubnetManager");
NS_OBJECT_ENSURE_REGISTERED(IbSubnetManager);

namespace
{

/** @returns the EUI-64 that InfiniBand makes of a MAC-48 address: ff:fe in its middle */
uint64_t
GuidOf(const Address& address)
{
    uint8_t bytes[6];
    Mac48Address::ConvertFrom(address).CopyTo(bytes);
    uint64_t guid = 0;
    for (std::size_t i = 0; i < sizeof(bytes); ++i)
    {
        guid = guid << 8 | bytes[i];
        if (i == 2)
        {
            guid = guid << 16 | 0xfffe;
        }
    }
    return guid ^ uint64_t { 1 } << 57; // the universal bit
}

/** @returns the name that a node was given, or one by its number */
std::string
NameOf(const Ptr<Node>& node, const std::string& kind)
{
    const std::string name = Names::FindName(node);
    return name.empty() ? kind + std::to_string(node->GetId()) : name;
}

} // namespace

TypeId
IbSubnetManager::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IbSubnetManager")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddConstructor<IbSubnetManager>()
            .AddAttribute("RoutingEngine",
                          "Fills forwarding tables.",
                          PointerValue(),
                          MakePointerAccessor(&IbSubnetManager::m_engine),
                          MakePointerChecker<RoutingEngine>())
            .AddAttribute("RoutingEngineName",
                          "Without a RoutingEngine: makes one, by name as in OpenSM; shortest is "
                          "what a fabric has without a subnet manager.",
                          StringValue("shortest"),
                          MakeStringAccessor(&IbSubnetManager::m_engineName),
                          MakeStringChecker())
            .AddAttribute("Lmc",
                          "LID mask control of hosts: a port has 2^Lmc LIDs, and so many paths "
                          "may lead to it.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&IbSubnetManager::m_lmc),
                          MakeUintegerChecker<uint8_t>(0, SubnetLids::MAX_LMC))
            .AddAttribute("CheckDeadlock",
                          "What is done about forwarding tables with a cycle of buffers that may "
                          "wait for each other: Off (not looked for), Warn (logged) or Error.",
                          EnumValue(WARN),
                          MakeFabricEnumAccessor(&IbSubnetManager::m_check),
                          MakeEnumChecker(OFF, "Off", WARN, "Warn", ERROR, "Error"));
    return tid;
}

IbSubnetManager::IbSubnetManager() = default;

void
IbSubnetManager::DoDispose()
{
    m_engine = nullptr;
    m_devices.clear();
    m_ends.clear();
    Object::DoDispose();
}

const SubnetGraph&
IbSubnetManager::GetGraph() const
{
    return m_graph;
}

const SubnetRoutes&
IbSubnetManager::GetRoutes() const
{
    return m_routes;
}

Ptr<RoutingEngine>
IbSubnetManager::GetRoutingEngine() const
{
    return m_engine;
}

const std::string&
IbSubnetManager::GetDeadlock() const
{
    return m_deadlock;
}

SubnetEnd
IbSubnetManager::Find(const Ptr<const FabricNetDevice>& device) const
{
    const auto found = m_ends.find(PeekPointer(device));
    if (found == m_ends.end())
    {
        throw std::invalid_argument("IbSubnetManager: a device was not discovered, expected one "
                                    "that is cabled to a switch of the subnet");
    }
    return found->second;
}

SubnetPath
IbSubnetManager::Trace(const Ptr<const FabricNetDevice>& from,
                       const Ptr<const FabricNetDevice>& to) const
{
    const SubnetEnd begin = Find(from);
    const SubnetEnd end = Find(to);
    return SubnetPath::Trace(m_graph,
                             m_routes,
                             begin.node,
                             begin.port,
                             m_graph.GetNode(end.node).ports[end.port].lid);
}

void
IbSubnetManager::DumpLfts(std::ostream& stream) const
{
    SubnetLftDump::Write(stream, m_graph, m_routes);
}

uint32_t
IbSubnetManager::AddSwitch(const Ptr<FabricSwitch>& device)
{
    const auto info = device->GetObject<IbNodeInfo>();
    std::vector<uint32_t> numbers(device->GetNPorts());
    uint32_t ports = std::max<uint32_t>(1, device->GetNPorts());
    for (uint16_t i = 0; i < device->GetNPorts(); ++i)
    {
        const auto own = device->GetPort(i)->GetObject<IbNodeInfo>();
        numbers[i] = own && own->portNumber ? own->portNumber : i + 1;
        ports = std::max(ports, numbers[i]);
    }
    const uint64_t guid = info && info->nodeGuid ? info->nodeGuid : GuidOf(device->GetAddress());
    const uint32_t node =
        m_graph.AddNode(SubnetNodeKind::SWITCH,
                        guid,
                        info && !info->description.empty() ? info->description
                                                           : NameOf(device->GetNode(), "switch-"),
                        std::max(ports, info ? info->ports : 0));
    m_devices.emplace_back(m_graph.GetNode(node).ports.size());
    m_graph.GetNode(node).ports[0].guid = guid;
    m_graph.GetNode(node).ports[0].lid = info ? info->lid : 0;
    for (uint16_t i = 0; i < device->GetNPorts(); ++i)
    {
        const auto port = DynamicCast<IbNetDevice>(device->GetPort(i));
        if (!port || m_devices[node][numbers[i]])
        {
            throw std::invalid_argument("IbSubnetManager: port " + std::to_string(numbers[i]) +
                                        " of " + m_graph.GetNode(node).name +
                                        (port ? " stands for two devices, expected one"
                                              : " is no IbNetDevice, expected one"));
        }
        m_devices[node][numbers[i]] = port;
        m_ends[PeekPointer(port)] = {node, static_cast<uint8_t>(numbers[i])};
    }
    return node;
}

uint32_t
IbSubnetManager::AddHost(const Ptr<IbNetDevice>& device)
{
    const auto info = device->GetObject<IbNodeInfo>();
    const uint64_t guid = info && info->nodeGuid ? info->nodeGuid : GuidOf(device->GetAddress());
    const uint32_t number = info && info->portNumber ? info->portNumber : 1;
    uint32_t node = m_graph.Find(guid);
    if (node == SUBNET_NO_NODE)
    {
        node =
            m_graph.AddNode(info ? info->kind : SubnetNodeKind::CHANNEL_ADAPTER,
                            guid,
                            info && !info->description.empty() ? info->description
                                                               : NameOf(device->GetNode(), "host-"),
                            std::max(number, info ? info->ports : 0));
        m_devices.emplace_back(m_graph.GetNode(node).ports.size());
    }
    if (number >= m_devices[node].size() || m_devices[node][number])
    {
        throw std::invalid_argument("IbSubnetManager: port " + std::to_string(number) + " of " +
                                    m_graph.GetNode(node).name +
                                    " stands for two devices or is beyond the node's ports");
    }
    SubnetPort& port = m_graph.GetNode(node).ports[number];
    port.guid = info && info->portGuid ? info->portGuid : guid;
    port.lid = info && info->lid ? info->lid : device->GetLid();
    m_devices[node][number] = device;
    m_ends[PeekPointer(device)] = {node, static_cast<uint8_t>(number)};
    return node;
}

void
IbSubnetManager::Discover(const std::vector<Ptr<FabricSwitch>>& switches)
{
    m_graph = SubnetGraph();
    m_devices.clear();
    m_ends.clear();
    for (const auto& device : switches)
    {
        AddSwitch(device);
    }
    const auto count = static_cast<uint32_t>(switches.size());
    for (uint32_t i = 0; i < count; ++i)
    {
        for (uint32_t port = 1; port < m_devices[i].size(); ++port)
        {
            const Ptr<IbNetDevice> device = m_devices[i][port];
            FabricNetDevice* peer = device ? device->GetPort().GetPeer() : nullptr;
            if (!peer || m_graph.GetNode(i).ports[port].peer.IsConnected())
            {
                continue;
            }
            if (!m_ends.count(peer))
            {
                const auto host = DynamicCast<IbNetDevice>(Ptr<FabricNetDevice>(peer));
                if (!host)
                {
                    throw std::invalid_argument("IbSubnetManager: port " + std::to_string(port) +
                                                " of " + m_graph.GetNode(i).name +
                                                " leads to no InfiniBand device");
                }
                AddHost(host);
            }
            const SubnetEnd there = m_ends.at(peer);
            m_graph.Connect(i, port, there.node, there.port);
        }
    }
}

void
IbSubnetManager::Route()
{
    if (!m_engine)
    {
        m_engine = RoutingEngine::Create(m_engineName);
    }
    m_routes = m_engine->Route(m_graph);
    if (m_routes.tables.size() != m_graph.GetNNodes())
    {
        throw std::invalid_argument("IbSubnetManager: routing engine " + m_engine->GetName() +
                                    " has tables for " + std::to_string(m_routes.tables.size()) +
                                    " nodes, expected " + std::to_string(m_graph.GetNNodes()));
    }
}

void
IbSubnetManager::CheckLanes() const
{
    for (const auto& end : m_ends)
    {
        const auto credits =
            dynamic_cast<const CreditFlowControl*>(end.first->GetPort().GetFlowControl());
        if (credits && credits->GetLanes() < m_routes.layers)
        {
            throw std::invalid_argument(
                "IbSubnetManager: routing engine " + m_engine->GetName() + " needs " +
                std::to_string(m_routes.layers) + " virtual lanes, but port " +
                std::to_string(end.second.port) + " of " + m_graph.GetNode(end.second.node).name +
                " has " + std::to_string(credits->GetLanes()) +
                "; expected as many (attribute DataLanes of the flow control)");
        }
    }
}

void
IbSubnetManager::ProgramHosts(const Ptr<IbAddressTable>& addresses)
{
    addresses->Clear();
    std::vector<uint32_t> attached(SubnetLids(m_graph).GetLast() + 1U, SUBNET_NO_NODE);
    for (uint32_t i = 0; i < m_graph.GetNNodes(); ++i)
    {
        if (m_graph.IsSwitch(i))
        {
            continue;
        }
        const SubnetNode& node = m_graph.GetNode(i);
        for (std::size_t p = 1; p < node.ports.size(); ++p)
        {
            const SubnetPort& port = node.ports[p];
            const Ptr<IbNetDevice> device = m_devices[i][p];
            if (!device)
            {
                continue;
            }
            device->SetLid(port.lid);
            device->SetLmc(port.lmc);
            addresses->Assign(Mac48Address::ConvertFrom(device->GetAddress()), port.lid, port.lmc);
            std::fill_n(attached.begin() + port.lid, 1U << port.lmc, port.peer.node);
        }
    }
    if (!m_routes.serviceLevels.empty())
    {
        addresses->SetServiceLevels(attached, m_routes.serviceLevels);
    }
}

void
IbSubnetManager::ProgramSwitches(const std::vector<Ptr<FabricSwitch>>& switches) const
{
    const SubnetLids lids(m_graph);
    for (uint32_t i = 0; i < switches.size(); ++i)
    {
        std::vector<uint16_t> numbers(m_devices[i].size());
        for (uint16_t k = 0; k < switches[i]->GetNPorts(); ++k)
        {
            numbers[m_ends.at(PeekPointer(switches[i]->GetPort(k))).port] = k;
        }
        BooleanValue adaptive(false);
        switches[i]->GetAttributeFailSafe("AdaptiveRouting", adaptive);
        const std::vector<uint8_t>& table = m_routes.tables[i];
        for (uint32_t lid = 1; lid < table.size(); ++lid)
        {
            const uint8_t out = table[lid];
            const SubnetEnd owner = lids.Find(static_cast<uint16_t>(lid));
            // Nobody sends to switches: they have no host side.
            if (out == 0 || out == SubnetRoutes::DROP || !owner.IsConnected() || owner.port == 0)
            {
                continue;
            }
            if (out >= m_devices[i].size() || !m_devices[i][out])
            {
                throw std::invalid_argument(
                    "IbSubnetManager: routing engine " + m_engine->GetName() + " sends LID " +
                    std::to_string(lid) + " to port " + std::to_string(out) + " of " +
                    m_graph.GetNode(i).name + ", which has no device");
            }
            std::vector<uint16_t> ports{numbers[out]};
            if (adaptive.Get() && i < m_routes.alternatives.size())
            {
                const auto more = m_routes.alternatives[i].find(static_cast<uint16_t>(lid));
                if (more != m_routes.alternatives[i].end() && more->second.size() > 1)
                {
                    ports.clear();
                    for (const uint8_t port : more->second)
                    {
                        ports.push_back(numbers.at(port));
                    }
                    // The switch starts from entry LID mod n: make that the port of the table.
                    const auto first = std::find(ports.begin(), ports.end(), numbers[out]);
                    const std::size_t at = first - ports.begin();
                    const std::size_t wanted = lid % ports.size();
                    std::rotate(ports.begin(),
                                ports.begin() + (at + ports.size() - wanted) % ports.size(),
                                ports.end());
                }
            }
            switches[i]->SetRoute(lid, ports);
        }
    }
}

void
IbSubnetManager::Sweep(const std::vector<Ptr<FabricSwitch>>& switches,
                       const Ptr<IbAddressTable>& addresses)
{
    NS_LOG_FUNCTION(this << switches.size());
    Discover(switches);
    SubnetLids::Assign(m_graph, m_lmc);
    Route();
    CheckLanes();
    m_deadlock.clear();
    if (m_check != OFF)
    {
        const SubnetRoutesChecker checker(m_graph, m_routes);
        if (!checker.GetError().empty())
        {
            throw std::invalid_argument("IbSubnetManager: routing engine " + m_engine->GetName() +
                                        ": " + checker.GetError());
        }
        m_deadlock = checker.GetCycle();
    }
    if (!m_deadlock.empty())
    {
        const std::string what = "IbSubnetManager: tables of routing engine " +
                                 m_engine->GetName() + " can deadlock: " + m_deadlock +
                                 "; expected no cycle, as with updn or lash";
        if (m_check == ERROR)
        {
            throw std::invalid_argument(what);
        }
        NS_LOG_WARN(what);
    }
    ProgramHosts(addresses);
    ProgramSwitches(switches);
}

} // namespace ns3
