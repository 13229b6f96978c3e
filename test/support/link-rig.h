/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LINK_RIG_H
#define LINK_RIG_H

#include "ns3/fabric-frame.h"
#include "ns3/fabric-net-device.h"
#include "ns3/ib-helper.h"
#include "ns3/ib-opcode.h"
#include "ns3/roce-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace linkrig
{

/** Sends RDMA frames of one size to one address as fast as the port lets it. */
class Blaster : public FabricFrameSource
{
  public:
    Blaster(const Ptr<FabricNetDevice>& device, uint64_t dst, uint32_t payload, uint64_t frames)
        : m_device(device),
          m_dst(dst),
          m_payload(payload),
          m_left(frames)
    {
        device->GetPort().SetSource(this);
        FabricFrame probe = Make();
        m_cls = probe.cls;
        m_bytes = probe.frameBytes;
        m_wireBytes = probe.wireBytes;
    }

    uint32_t GetReadyClasses() override
    {
        return m_left ? 1U << m_cls : 0;
    }

    uint32_t PeekFrameBytes(uint8_t /* cls */) override
    {
        return m_bytes;
    }

    FabricFrame* Pull(uint8_t /* cls */) override
    {
        --m_left;
        FabricFrame* frame = FabricFramePool::Allocate();
        *frame = Make();
        frame->psn = m_psn++;
        return frame;
    }

    /** @returns bytes of a frame on the wire */
    uint32_t GetWireBytes() const
    {
        return m_wireBytes;
    }

    /** @returns bytes of a frame in a buffer */
    uint32_t GetFrameBytes() const
    {
        return m_bytes;
    }

    /** Start sending. */
    void Start()
    {
        m_device->GetPort().Kick();
    }

  private:
    FabricFrame Make() const
    {
        FabricFrame frame;
        frame.src = m_device->GetFabricAddress();
        frame.dst = m_dst;
        frame.opcode = IbOpcode::RC_WRITE_MIDDLE;
        frame.payload = m_payload;
        frame.dscp = 26;
        frame.ecn = 2;
        m_device->ClassifyFrame(frame);
        m_device->SizeFrame(frame);
        return frame;
    }

    Ptr<FabricNetDevice> m_device;
    uint64_t m_dst;
    uint32_t m_payload;
    uint64_t m_left;
    uint32_t m_psn{0};
    uint8_t m_cls{0};
    uint32_t m_bytes{0};
    uint32_t m_wireBytes{0};
};

/** Counts RDMA frames. */
class Counter : public FabricFrameSink
{
  public:
    explicit Counter(const Ptr<FabricNetDevice>& device)
    {
        device->SetRdmaSink(this);
    }

    void ReceiveFrame(FabricFrame* frame, FabricNetDevice* /* device */) override
    {
        last = FabricNow();
        if (frames == 0)
        {
            first = last;
        }
        if (frame->psn != frames)
        {
            inOrder = false;
        }
        ++frames;
        bytes += frame->payload;
        times.push_back(last);
        FabricFramePool::Release(frame);
    }

    /** @returns payload bits per second between the arrivals of two frames */
    double Goodput(std::size_t from, std::size_t to, uint32_t payload) const
    {
        return static_cast<double>(to - from) * payload * 8 /
               FabricSeconds(times.at(to) - times.at(from));
    }

    uint64_t frames{0};
    uint64_t bytes{0};
    FabricTick first{0};
    FabricTick last{0};
    bool inOrder{true};
    std::vector<FabricTick> times;
};

/** @returns a helper of a fabric by its name, with no latencies of its own */
inline std::unique_ptr<FabricHelper>
MakeHelper(const std::string& fabric, const std::string& rate)
{
    std::unique_ptr<FabricHelper> helper;
    if (fabric == "ib")
    {
        helper = std::make_unique<IbHelper>();
    }
    else
    {
        helper = std::make_unique<RoceHelper>();
        helper->SetDeviceAttribute("Mtu", UintegerValue(4200));
    }
    helper->SetHostAttribute("ReceiveLatency", TimeValue(NanoSeconds(0)));
    helper->SetDeviceAttribute("DataRate", StringValue(rate));
    return helper;
}

/** @returns bytes that a frame without extension headers takes on the wire beyond its payload */
inline uint32_t
Overhead(const std::string& fabric)
{
    return fabric == "ib" ? 26 : 82;
}

/** Hosts around one switch. */
struct Star
{
    Star(FabricHelper& helper, uint32_t hosts)
    {
        nodes.Create(hosts);
        center.Create(1);
        sw = helper.InstallSwitch(center.Get(0));
        NetDeviceContainer all = helper.Install(nodes, center.Get(0));
        for (uint32_t i = 0; i < hosts; ++i)
        {
            devices.push_back(DynamicCast<FabricNetDevice>(all.Get(i)));
        }
        helper.Configure(center);
    }

    NodeContainer nodes;
    NodeContainer center;
    Ptr<FabricSwitch> sw;
    std::vector<Ptr<FabricNetDevice>> devices;
};

} // namespace linkrig
} // namespace ns3

#endif // LINK_RIG_H
