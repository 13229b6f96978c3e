/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SUBNET_RIG_H
#define SUBNET_RIG_H

#include "ns3/subnet-graph.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace ns3
{
namespace subnetrig
{

/** Builds subnets for tests: ports are cabled in the order of the calls. */
class SubnetBuilder
{
  public:
    /**
     * @param name of the switch
     * @param ports number of its ports
     * @returns its node
     */
    uint32_t AddSwitch(const std::string& name, uint32_t ports = 64)
    {
        m_used.push_back(0);
        return graph.AddNode(SubnetNodeKind::SWITCH, 0x100 + graph.GetNNodes(), name, ports);
    }

    /**
     * @param count switches, named s0, s1, ...
     * @returns their nodes
     */
    std::vector<uint32_t> AddSwitches(uint32_t count)
    {
        std::vector<uint32_t> nodes;
        for (uint32_t i = 0; i < count; ++i)
        {
            nodes.push_back(AddSwitch("s" + std::to_string(i)));
        }
        return nodes;
    }

    /** Lay a cable between the next free ports of two switches. */
    void Join(uint32_t a, uint32_t b)
    {
        graph.Connect(a, ++m_used[a], b, ++m_used[b]);
    }

    /**
     * @param sw a switch
     * @param count hosts that are cabled to its next free ports
     */
    void AddHosts(uint32_t sw, uint32_t count)
    {
        for (uint32_t i = 0; i < count; ++i)
        {
            m_used.push_back(0);
            const uint32_t host = graph.AddNode(SubnetNodeKind::CHANNEL_ADAPTER,
                                                0x10000 + graph.GetNNodes(),
                                                "h" + std::to_string(hosts.size()),
                                                2);
            hosts.push_back(host);
            Join(sw, host);
        }
    }

    /**
     * Give every port of a channel adapter and every switch its LIDs, from 1.
     * @param lmc of channel adapters
     */
    void AssignLids(uint8_t lmc = 0)
    {
        uint32_t next = 1U << lmc;
        for (uint32_t node = 0; node < graph.GetNNodes(); ++node)
        {
            const bool sw = graph.IsSwitch(node);
            std::vector<SubnetPort>& ports = graph.GetNode(node).ports;
            for (std::size_t port = sw ? 0 : 1; port < (sw ? 1 : ports.size()); ++port)
            {
                if (sw || ports[port].peer.IsConnected())
                {
                    ports[port].lid = static_cast<uint16_t>(next);
                    ports[port].lmc = sw ? 0 : lmc;
                    next += 1U << lmc;
                }
            }
        }
    }

    SubnetGraph graph;           //!< what is built
    std::vector<uint32_t> hosts; //!< nodes, in order of addition

  private:
    std::vector<uint32_t> m_used; //!< ports in use, by node
};

/** @returns a ring of switches with hosts */
inline SubnetBuilder
MakeRing(uint32_t switches, uint32_t hostsEach)
{
    SubnetBuilder ring;
    const std::vector<uint32_t> nodes = ring.AddSwitches(switches);
    for (uint32_t i = 0; i < switches; ++i)
    {
        ring.Join(nodes[i], nodes[(i + 1) % switches]);
    }
    for (const uint32_t node : nodes)
    {
        ring.AddHosts(node, hostsEach);
    }
    ring.AssignLids();
    return ring;
}

/** @returns a tree of two levels; `cables` from each leaf to each spine */
inline SubnetBuilder
MakeLeafSpine(uint32_t leaves, uint32_t spines, uint32_t cables, uint32_t hostsEach)
{
    SubnetBuilder tree;
    const std::vector<uint32_t> nodes = tree.AddSwitches(leaves + spines);
    for (uint32_t leaf = 0; leaf < leaves; ++leaf)
    {
        tree.AddHosts(nodes[leaf], hostsEach);
    }
    for (uint32_t leaf = 0; leaf < leaves; ++leaf)
    {
        for (uint32_t spine = 0; spine < spines * cables; ++spine)
        {
            tree.Join(nodes[leaf], nodes[leaves + spine / cables]);
        }
    }
    tree.AssignLids();
    return tree;
}

/** @returns a tree of three levels of switches with k ports each: k^3 / 4 hosts */
inline SubnetBuilder
MakeFatTree(uint32_t k)
{
    SubnetBuilder tree;
    const uint32_t half = k / 2;
    const std::vector<uint32_t> nodes = tree.AddSwitches(k * k + half * half);
    const auto leaf = [&](uint32_t pod, uint32_t i) { return nodes[pod * k + i]; };
    const auto middle = [&](uint32_t pod, uint32_t i) { return nodes[pod * k + half + i]; };
    for (uint32_t pod = 0; pod < k; ++pod)
    {
        for (uint32_t i = 0; i < half; ++i)
        {
            tree.AddHosts(leaf(pod, i), half);
            for (uint32_t j = 0; j < half; ++j)
            {
                tree.Join(leaf(pod, i), middle(pod, j));
            }
        }
        for (uint32_t i = 0; i < half * half; ++i)
        {
            tree.Join(middle(pod, i / half), nodes[k * k + i]);
        }
    }
    tree.AssignLids();
    return tree;
}

/** @returns a mesh or torus of two dimensions, dimension x on the first ports; one host each */
inline SubnetBuilder
MakeGrid(uint32_t columns, uint32_t rows, bool wraps)
{
    SubnetBuilder grid;
    const std::vector<uint32_t> nodes = grid.AddSwitches(columns * rows);
    for (uint32_t y = 0; y < rows; ++y)
    {
        for (uint32_t x = 0; x + (wraps ? 0 : 1) < columns; ++x)
        {
            grid.Join(nodes[y * columns + x], nodes[y * columns + (x + 1) % columns]);
        }
    }
    for (uint32_t y = 0; y + (wraps ? 0 : 1) < rows; ++y)
    {
        for (uint32_t x = 0; x < columns; ++x)
        {
            grid.Join(nodes[y * columns + x], nodes[(y + 1) % rows * columns + x]);
        }
    }
    for (const uint32_t node : nodes)
    {
        grid.AddHosts(node, 1);
    }
    grid.AssignLids();
    return grid;
}

/** @returns switches joined at random, by a spanning tree and as many cables again */
inline SubnetBuilder
MakeRandom(uint32_t switches, uint32_t hostsEach, uint32_t seed)
{
    SubnetBuilder net;
    std::mt19937 random(seed);
    const std::vector<uint32_t> nodes = net.AddSwitches(switches);
    for (uint32_t i = 1; i < switches; ++i)
    {
        net.Join(nodes[i], nodes[random() % i]);
    }
    for (uint32_t i = 0; i < switches; ++i)
    {
        const uint32_t a = random() % switches;
        const uint32_t b = random() % switches;
        if (a != b)
        {
            net.Join(nodes[a], nodes[b]);
        }
    }
    for (const uint32_t node : nodes)
    {
        net.AddHosts(node, hostsEach ? hostsEach : random() % 3);
    }
    net.AssignLids();
    return net;
}

} // namespace subnetrig
} // namespace ns3

#endif // SUBNET_RIG_H
