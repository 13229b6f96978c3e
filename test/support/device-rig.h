/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DEVICE_RIG_H
#define DEVICE_RIG_H

#include "link-rig.h"

#include "ns3/fabric-tick.h"
#include "ns3/ipv4-header.h"
#include "ns3/mac48-address.h"
#include "ns3/packet.h"
#include "ns3/test.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace devicerig
{

constexpr uint16_t IPV4_PROTOCOL = 0x0800; //!< EtherType
constexpr uint16_t IPV6_PROTOCOL = 0x86dd; //!< EtherType
constexpr uint16_t TEST_PROTOCOL = 0x88b5; //!< EtherType for local experiments
constexpr FabricTick DELAY = 100;          //!< of the cable, ns

/** Two hosts and a cable between them: 8 Gb/s, so that a byte takes a nanosecond. */
struct Cable
{
    explicit Cable(const std::string& fabric)
        : helper(linkrig::MakeHelper(fabric, "8Gbps"))
    {
        helper->SetChannelAttribute("Delay", TimeValue(NanoSeconds(DELAY)));
    }

    /** Install what the helper has been told to. */
    void Install()
    {
        nodes.Create(2);
        const NetDeviceContainer ends = helper->Install(nodes.Get(0), nodes.Get(1));
        a = DynamicCast<FabricNetDevice>(ends.Get(0));
        b = DynamicCast<FabricNetDevice>(ends.Get(1));
    }

    std::unique_ptr<FabricHelper> helper; //!< of the fabric
    NodeContainer nodes;                  //!< the hosts
    Ptr<FabricNetDevice> a;               //!< one end
    Ptr<FabricNetDevice> b;               //!< the other end
};

/**
 * @ingroup ai-fabric-tests
 * A test of devices of one fabric.
 */
class DeviceTestCase : public TestCase
{
  public:
    DeviceTestCase(const std::string& fabric, const std::string& what)
        : TestCase(fabric + ": " + what),
          m_fabric(fabric)
    {
    }

  protected:
    /** @returns true on InfiniBand */
    bool IsIb() const
    {
        return m_fabric == "ib";
    }

    /** Everything is over: nothing may be left. */
    void Finish()
    {
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(FabricFramePool::GetOutstanding(), 0, "a frame is lost for good");
    }

    std::string m_fabric; //!< "ib" or "roce"
};

/** @returns an IPv4 packet: size bytes, header included */
inline Ptr<Packet>
MakeIpv4(uint32_t size, const Ipv4Address& destination, uint8_t dscp = 0)
{
    constexpr uint32_t HEADER_BYTES = 20;
    auto packet = Create<Packet>(size - HEADER_BYTES);
    Ipv4Header header;
    header.SetSource(Ipv4Address("10.0.0.1"));
    header.SetDestination(destination);
    header.SetPayloadSize(size - HEADER_BYTES);
    header.SetTos(dscp << 2);
    packet->AddHeader(header);
    return packet;
}

/** Counts packets and keeps when they came, as a sink of any trace source of packets. */
struct PacketLog
{
    void Add(Ptr<const Packet> packet)
    {
        times.push_back(FabricNow());
        packets.push_back(packet->Copy());
    }

    /** Listen to a trace source of a device. */
    void Connect(const Ptr<FabricNetDevice>& device, const std::string& source)
    {
        device->TraceConnectWithoutContext(source, MakeCallback(&PacketLog::Add, this));
    }

    std::vector<FabricTick> times;    //!< when
    std::vector<Ptr<Packet>> packets; //!< what
};

} // namespace devicerig
} // namespace ns3

#endif // DEVICE_RIG_H
