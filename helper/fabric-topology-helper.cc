/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-topology-helper.h"

#include <regex>
#include <stdexcept>

namespace ns3
{

uint32_t
FabricShape::GetHosts() const
{
    return leaves * hostsPerLeaf;
}

std::string
FabricShape::ToString() const
{
    if (spines == 0)
    {
        return "star";
    }
    return "leaf-spine:" + std::to_string(leaves) + "x" + std::to_string(spines) + "x" +
           std::to_string(hostsPerLeaf);
}

FabricShape
FabricShape::Parse(const std::string& text, uint32_t gpus)
{
    FabricShape shape;
    if (gpus == 0)
    {
        throw std::invalid_argument("number of GPUs is 0, expected 1 or more");
    }
    if (text == "star")
    {
        shape.hostsPerLeaf = gpus;
        return shape;
    }
    static const std::regex grammar(
        "leaf-spine:([1-9][0-9]{0,3})x([1-9][0-9]{0,3})x([1-9][0-9]{0,3})");
    std::smatch match;
    if (!std::regex_match(text, match, grammar))
    {
        throw std::invalid_argument("topology '" + text +
                                    "', expected star or leaf-spine:LxSxH (leaves, spines, hosts "
                                    "at each leaf, 1..9999)");
    }
    shape.leaves = std::stoul(match[1]);
    shape.spines = std::stoul(match[2]);
    shape.hostsPerLeaf = std::stoul(match[3]);
    if (shape.GetHosts() != gpus)
    {
        throw std::invalid_argument(std::to_string(gpus) + " GPUs do not fit topology " + text +
                                    ", which has " + std::to_string(shape.GetHosts()) + " hosts");
    }
    return shape;
}

FabricTopologyHelper::FabricTopologyHelper(FabricHelper& fabric)
    : m_fabric(fabric)
{
}

FabricTopology
FabricTopologyHelper::Create(const FabricShape& shape)
{
    FabricTopology topology;
    topology.hosts.Create(shape.GetHosts());
    topology.switches.Create(shape.leaves + shape.spines);
    for (uint32_t i = 0; i < topology.switches.GetN(); ++i)
    {
        m_fabric.InstallSwitch(topology.switches.Get(i));
    }
    for (uint32_t host = 0; host < shape.GetHosts(); ++host)
    {
        const Ptr<Node> leaf = topology.switches.Get(host / shape.hostsPerLeaf);
        topology.hostDevices.Add(m_fabric.Install(topology.hosts.Get(host), leaf).Get(0));
    }
    for (uint32_t leaf = 0; leaf < shape.leaves; ++leaf)
    {
        for (uint32_t spine = 0; spine < shape.spines; ++spine)
        {
            m_fabric.Install(topology.switches.Get(leaf),
                             topology.switches.Get(shape.leaves + spine));
        }
    }
    m_fabric.Configure(topology.switches);
    return topology;
}

FabricTopology
FabricTopologyHelper::CreateStar(uint32_t hosts)
{
    return Create(FabricShape::Parse("star", hosts));
}

FabricTopology
FabricTopologyHelper::CreateLeafSpine(uint32_t leaves, uint32_t spines, uint32_t hostsPerLeaf)
{
    FabricShape shape;
    shape.leaves = leaves;
    shape.spines = spines;
    shape.hostsPerLeaf = hostsPerLeaf;
    return Create(FabricShape::Parse(shape.ToString(), shape.GetHosts()));
}

} // namespace ns3
