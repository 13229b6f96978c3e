/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef STACK_RIG_H
#define STACK_RIG_H

#include "ns3/bridge-helper.h"
#include "ns3/fabric-net-device.h"
#include "ns3/fabric-nic.h"
#include "ns3/ib-helper.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-interface-container.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/ipv6-interface-container.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/node-list.h"
#include "ns3/rdma-transport.h"
#include "ns3/roce-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace stackrig
{

/** How the hosts are connected. */
enum class Shape
{
    BRIDGE,     //!< fabric devices as ports of ns-3's own BridgeNetDevice
    STAR,       //!< one switch of the fabric
    LEAF_SPINE, //!< two leaves with two hosts each, two spines
};

/** @returns the name of a shape, for messages */
inline std::string
GetName(Shape shape)
{
    switch (shape)
    {
    case Shape::BRIDGE:
        return "ns-3 bridge";
    case Shape::STAR:
        return "switch";
    default:
        return "leaf-spine";
    }
}

/** Four hosts with a fabric device and ns-3's internet stack. */
struct Hosts
{
    static constexpr uint32_t COUNT = 4; //!< hosts

    /**
     * @param fabric "ib" or "roce"
     * @param shape how the hosts are connected
     * @param rate data rate of all links
     */
    Hosts(const std::string& fabric, Shape shape, const std::string& rate = "10Gbps")
    {
        if (fabric == "ib")
        {
            helper = std::make_unique<IbHelper>();
        }
        else
        {
            helper = std::make_unique<RoceHelper>();
        }
        helper->SetDeviceAttribute("DataRate", StringValue(rate));
        nodes.Create(COUNT);
        if (shape == Shape::BRIDGE)
        {
            middle.Create(1);
            NetDeviceContainer ports;
            for (uint32_t i = 0; i < COUNT; ++i)
            {
                const NetDeviceContainer ends = helper->Install(nodes.Get(i), middle.Get(0));
                devices.Add(ends.Get(0));
                ports.Add(ends.Get(1));
            }
            BridgeHelper().Install(middle.Get(0), ports);
        }
        else
        {
            const uint32_t leaves = shape == Shape::STAR ? 1 : 2;
            middle.Create(shape == Shape::STAR ? 1 : 4);
            for (uint32_t i = 0; i < middle.GetN(); ++i)
            {
                helper->InstallSwitch(middle.Get(i));
            }
            for (uint32_t i = 0; i < COUNT; ++i)
            {
                devices.Add(helper->Install(nodes.Get(i), middle.Get(i * leaves / COUNT)).Get(0));
            }
            for (uint32_t leaf = 0; leaf < leaves; ++leaf)
            {
                for (uint32_t spine = leaves; spine < middle.GetN(); ++spine)
                {
                    helper->Install(middle.Get(leaf), middle.Get(spine));
                }
            }
            helper->Configure(middle);
        }
    }

    /** Give the hosts IPv4 addresses. */
    void InstallIpv4()
    {
        InternetStackHelper stack;
        stack.SetIpv6StackInstall(false);
        stack.Install(nodes);
        Ipv4AddressHelper addresses;
        addresses.SetBase("10.1.1.0", "255.255.255.0");
        ipv4 = addresses.Assign(devices);
    }

    /** Give the hosts IPv6 addresses. */
    void InstallIpv6()
    {
        InternetStackHelper stack;
        stack.SetIpv4StackInstall(false);
        stack.Install(nodes);
        Ipv6AddressHelper addresses;
        addresses.SetBase(Ipv6Address("2001:db8::"), Ipv6Prefix(64));
        ipv6 = addresses.Assign(devices);
    }

    /** @returns device of a host */
    Ptr<FabricNetDevice> GetDevice(uint32_t host) const
    {
        return DynamicCast<FabricNetDevice>(devices.Get(host));
    }

    /** @returns all fabric devices of the simulation: of hosts, switches and bridges */
    static std::vector<Ptr<FabricNetDevice>> GetAllDevices()
    {
        std::vector<Ptr<FabricNetDevice>> all;
        for (uint32_t i = 0; i < NodeList::GetNNodes(); ++i)
        {
            const Ptr<Node> node = NodeList::GetNode(i);
            for (uint32_t k = 0; k < node->GetNDevices(); ++k)
            {
                if (const auto device = DynamicCast<FabricNetDevice>(node->GetDevice(k)))
                {
                    all.push_back(device);
                }
            }
        }
        return all;
    }

    /** @returns frames dropped anywhere */
    static uint64_t CountDrops()
    {
        uint64_t drops = 0;
        for (const auto& device : GetAllDevices())
        {
            drops += device->GetDrops() + device->GetLosslessDrops();
        }
        return drops;
    }

    /** @returns frames sent on all links, without link control */
    static uint64_t CountFrames()
    {
        uint64_t frames = 0;
        for (const auto& device : GetAllDevices())
        {
            frames += device->GetPort().GetCounters().frames;
        }
        return frames;
    }

    std::unique_ptr<FabricHelper> helper; //!< of the fabric
    NodeContainer nodes;                  //!< hosts
    NodeContainer middle;                 //!< switches, or the node with the bridge
    NetDeviceContainer devices;           //!< of the hosts
    Ipv4InterfaceContainer ipv4;          //!< of the hosts
    Ipv6InterfaceContainer ipv6;          //!< of the hosts
};

/** RDMA messages between hosts, all posted at once; counts what arrives. */
class Messages
{
  public:
    /** @param hosts whose devices get NICs */
    explicit Messages(const Hosts& hosts)
        : m_transport(CreateObject<RdmaTransport>())
    {
        for (uint32_t i = 0; i < Hosts::COUNT; ++i)
        {
            m_nics.push_back(CreateObject<FabricNic>());
            m_nics.back()->SetDevice(hosts.GetDevice(i));
        }
        m_transport->SetNics(m_nics);
        m_transport->SetDeliveredCallback(MakeCallback(&Messages::Delivered, this));
        m_transport->SetSentCallback(MakeCallback(&Messages::Sent, this));
        m_transport->TraceConnectWithoutContext("MessageLatency",
                                                MakeCallback(&Messages::Measured, this));
    }

    ~Messages()
    {
        m_transport->Dispose();
    }

    /** Post the messages of a direction now: @p count ones of size bytes, bytes + 1, and so on. */
    void Post(uint32_t from, uint32_t to, uint32_t count, uint64_t bytes)
    {
        for (uint32_t i = 0; i < count; ++i)
        {
            const uint64_t tag = ++m_posted;
            m_expected[tag] = {from, to, bytes + i};
            m_total += bytes + i;
            m_transport->Send(from, to, bytes + i, tag);
        }
    }

    /** @returns true if every message has arrived once, at its receiver, in full and in order */
    bool IsComplete() const
    {
        uint64_t delivered = 0;
        uint64_t sent = 0;
        for (const Ptr<FabricNic>& nic : m_nics)
        {
            delivered += nic->GetCounters().rxBytes;
            sent += nic->GetCounters().txBytes;
        }
        return m_good && m_arrived == m_posted && m_acked == m_posted && delivered == m_total &&
               sent == m_total && m_measured == m_total;
    }

    /** @returns payload of all messages in bytes */
    uint64_t GetBytes() const
    {
        return m_total;
    }

    /** @returns when the last message arrived */
    Time GetEnd() const
    {
        return m_end;
    }

    /** @returns NIC of a host */
    Ptr<FabricNic> GetNic(uint32_t host) const
    {
        return m_nics.at(host);
    }

  private:
    /** A message. */
    struct Message
    {
        uint32_t from;  //!< sender
        uint32_t to;    //!< receiver
        uint64_t bytes; //!< length
    };

    void Delivered(uint32_t from, uint32_t to, uint64_t tag)
    {
        const Message& message = m_expected.at(tag);
        uint64_t& last = m_last[{from, to}];
        m_good = m_good && message.from == from && message.to == to && tag > last;
        last = tag;
        ++m_arrived;
        m_end = Simulator::Now();
    }

    void Sent(uint32_t /* from */, uint32_t /* to */, uint64_t /* tag */)
    {
        ++m_acked;
    }

    void Measured(uint32_t /* from */, uint32_t /* to */, uint64_t bytes, Time /* latency */)
    {
        m_measured += bytes;
    }

    Ptr<RdmaTransport> m_transport;                           //!< carries the messages
    std::vector<Ptr<FabricNic>> m_nics;                       //!< by host
    std::map<uint64_t, Message> m_expected;                   //!< by tag
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> m_last; //!< latest tag of a direction
    bool m_good{true};                                        //!< nothing was wrong so far
    uint64_t m_posted{0};                                     //!< messages posted
    uint64_t m_arrived{0};                                    //!< messages delivered
    uint64_t m_acked{0};                                      //!< messages acknowledged
    uint64_t m_total{0};                                      //!< bytes posted
    uint64_t m_measured{0};                                   //!< bytes delivered
    Time m_end;                                               //!< latest delivery
};

} // namespace stackrig
} // namespace ns3

#endif // STACK_RIG_H
