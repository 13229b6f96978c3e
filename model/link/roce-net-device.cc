/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-net-device.h"

#include "credit-flow-control.h"
#include "ets-arbiter.h"
#include "fabric-frame-codec.h"
#include "pause-flow-control.h"

#include "ns3/enum-attribute.h"
#include "ns3/log.h"
#include "ns3/mac48-integer.h"
#include "ns3/nstime.h"
#include "ns3/string.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceNetDevice");
NS_OBJECT_ENSURE_REGISTERED(RoceNetDevice);

namespace
{

constexpr uint16_t IPV4_PROTOCOL = 0x0800;
constexpr uint16_t IPV6_PROTOCOL = 0x86dd;

} // namespace

TypeId
RoceNetDevice::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RoceNetDevice")
            .SetParent<FabricNetDevice>()
            .SetGroupName("AiFabric")
            .AddConstructor<RoceNetDevice>()
            .AddAttribute("Mtu",
                          "Largest payload of a frame in bytes. RDMA packets of 1024, 2048 or 4096 "
                          "bytes need 1500, 2200 or 4200.",
                          UintegerValue(4200),
                          MakeUintegerAccessor(&RoceNetDevice::SetMtuAttribute,
                                               &RoceNetDevice::GetMtuAttribute),
                          MakeUintegerChecker<uint16_t>(68, MAX_MTU))
            .AddAttribute("VlanId",
                          "802.1Q VLAN of all frames, whose tags carry the priority; 0: untagged.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RoceNetDevice::m_vlanId),
                          MakeUintegerChecker<uint16_t>(0, 4094))
            .AddAttribute("Ets",
                          "Transmission selection: for each of the eight priorities strict or a "
                          "weight 1..255, with commas; empty: priorities are served in turn, frame "
                          "by frame. Read when the link goes up.",
                          StringValue(""),
                          MakeStringAccessor(&RoceNetDevice::m_ets),
                          MakeStringChecker())
            .AddAttribute("DscpMap",
                          "Priorities of DSCPs, such as 26:3,48:6; all others have DSCP / 8. Read "
                          "when the link goes up.",
                          StringValue(""),
                          MakeStringAccessor(&RoceNetDevice::m_dscpMap),
                          MakeStringChecker())
            .AddAttribute("Shaping",
                          "Most that priorities may send, as priority:rate or "
                          "priority:rate:burstBytes with commas, such as 3:10Gbps,5:1Gbps:9216; in "
                          "bits on the wire. Read when the link goes up.",
                          StringValue(""),
                          MakeStringAccessor(&RoceNetDevice::m_shaping),
                          MakeStringChecker())
            .AddAttribute("PfcWatchdog",
                          "What to do when a priority is kept paused (see PfcWatchdog): nothing "
                          "(Off), drop its frames (Drop), ignore the pauses (Forward), or say so "
                          "(Alert). Read when the link goes up.",
                          EnumValue(PfcWatchdog::OFF),
                          MakeFabricEnumAccessor(&RoceNetDevice::m_watchdogAction),
                          MakeEnumChecker(PfcWatchdog::OFF,
                                          "Off",
                                          PfcWatchdog::DROP,
                                          "Drop",
                                          PfcWatchdog::FORWARD,
                                          "Forward",
                                          PfcWatchdog::ALERT,
                                          "Alert"))
            .AddAttribute("PfcWatchdogDetection",
                          "Time for which a queue must be paused, have frames and send none "
                          "(SONiC: 100 to 5000 ms, 200 by default).",
                          TimeValue(MilliSeconds(200)),
                          MakeTimeAccessor(&RoceNetDevice::m_watchdogDetection),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("PfcWatchdogRestoration",
                          "Time without a pause after which a storm is over (SONiC: 100 to 60000 "
                          "ms, 200 by default).",
                          TimeValue(MilliSeconds(200)),
                          MakeTimeAccessor(&RoceNetDevice::m_watchdogRestoration),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("PfcWatchdogPoll",
                          "Time from one look to the next; 0: a tenth of PfcWatchdogDetection. "
                          "(SONiC: 200 ms.) Detection and restoration are late by up to two of it.",
                          TimeValue(NanoSeconds(0)),
                          MakeTimeAccessor(&RoceNetDevice::m_watchdogPoll),
                          MakeTimeChecker(NanoSeconds(0)))
            .AddTraceSource("PfcStorm",
                            "The PFC watchdog has detected a storm of pauses, or its end.",
                            MakeTraceSourceAccessor(&RoceNetDevice::m_pfcStorm),
                            "ns3::RoceNetDevice::PfcStormTracedCallback");
    return tid;
}

RoceNetDevice::RoceNetDevice()
    : m_fabricAddress(Mac48ToInteger(m_address))
{
    for (std::size_t dscp = 0; dscp < m_priorities.size(); ++dscp)
    {
        m_priorities[dscp] = static_cast<uint8_t>(dscp >> 3);
    }
    ObjectFactory factory;
    factory.SetTypeId("ns3::PauseFlowControl");
    SetFlowControl(factory);
}

void
RoceNetDevice::SetMtuAttribute(uint16_t mtu)
{
    SetMtu(mtu);
}

uint16_t
RoceNetDevice::GetMtuAttribute() const
{
    return GetMtu();
}

uint16_t
RoceNetDevice::GetMaxMtu() const
{
    return MAX_MTU;
}

void
RoceNetDevice::SetAddress(Address address)
{
    FabricNetDevice::SetAddress(address);
    m_fabricAddress = Mac48ToInteger(m_address);
}

void
RoceNetDevice::NotifyLinkUp()
{
    const auto credits = dynamic_cast<CreditFlowControl*>(m_port.GetFlowControl());
    if (credits && credits->GetLanes() < PRIORITIES)
    {
        throw std::invalid_argument("RoceNetDevice: DataLanes of CreditFlowControl is " +
                                    std::to_string(credits->GetLanes()) + ", expected " +
                                    std::to_string(PRIORITIES) + ", one for each priority");
    }
    ApplyDscpMap();
    if (!m_ets.empty())
    {
        m_port.SetArbiter(std::make_unique<EtsArbiter>(EtsArbiter::Parse(m_ets)));
    }
    if (!m_shaping.empty())
    {
        m_port.SetShaper(std::make_unique<ClassShaper>(ClassShaper::Parse(m_shaping, PRIORITIES)));
    }
    StartWatchdog();
    FabricNetDevice::NotifyLinkUp();
}

void
RoceNetDevice::StartWatchdog()
{
    const auto pause = dynamic_cast<PauseFlowControl*>(m_port.GetFlowControl());
    if (m_watchdogAction == PfcWatchdog::OFF || !pause)
    {
        return; // nothing can be paused
    }
    PfcWatchdog::Config config;
    config.action = m_watchdogAction;
    config.detection = m_watchdogDetection.GetTimeStep();
    config.restoration = m_watchdogRestoration.GetTimeStep();
    config.poll = m_watchdogPoll.GetTimeStep();
    m_watchdog = std::make_unique<PfcWatchdog>(this, pause, config);
}

void
RoceNetDevice::DoDispose()
{
    m_watchdog.reset();
    FabricNetDevice::DoDispose();
}

void
RoceNetDevice::SetPauseStorm(uint8_t priorities)
{
    const auto pause = dynamic_cast<PauseFlowControl*>(GetIncomingFlowControl());
    if (!pause)
    {
        throw std::runtime_error("RoceNetDevice: pause storm on a link without PauseFlowControl, "
                                 "expected one");
    }
    pause->SetStorm(priorities);
}

const PfcWatchdog*
RoceNetDevice::GetPfcWatchdog() const
{
    return m_watchdog.get();
}

void
RoceNetDevice::NotifyPfcStorm(uint8_t priority, bool begin)
{
    NS_LOG_INFO("priority " << +priority << (begin ? ": PFC storm detected" : ": PFC storm over"));
    m_pfcStorm(priority, begin);
}

void
RoceNetDevice::SetDiscarding(uint8_t priority, bool discarding)
{
    SetReceiveDiscarding(priority, discarding);
    m_port.SetDiscarding(priority, discarding, PFC_WATCHDOG);
}

void
RoceNetDevice::ApplyDscpMap()
{
    std::istringstream stream(m_dscpMap);
    for (std::string item; std::getline(stream, item, ',');)
    {
        std::istringstream text(item);
        int dscp = -1;
        int priority = -1;
        char colon = 0;
        text >> dscp >> colon >> priority;
        if (text.fail() || text.peek() != std::istringstream::traits_type::eof() || colon != ':' ||
            dscp < 0 || dscp > 63 || priority < 0 || priority >= PRIORITIES)
        {
            throw std::invalid_argument("RoceNetDevice: DscpMap \"" + m_dscpMap + "\": \"" + item +
                                        "\", expected DSCP:priority, 0..63 and 0..7");
        }
        m_priorities[dscp] = static_cast<uint8_t>(priority);
    }
}

uint64_t
RoceNetDevice::GetFabricAddress() const
{
    return m_fabricAddress;
}

uint32_t
RoceNetDevice::GetLargestFrameBytes() const
{
    return std::max<uint32_t>(GetMtu() + 22U, MIN_FRAME_BYTES); // MAC header, tag and FCS
}

uint32_t
RoceNetDevice::GetMaxRdmaPayload() const
{
    // IPv4 20, UDP 8, BTH 12, RETH 16, ICRC 4
    constexpr uint32_t HEADERS = 60;
    for (const uint32_t payload : {4096, 2048, 1024, 512, 256})
    {
        if (payload + HEADERS <= GetMtu())
        {
            return payload;
        }
    }
    return 0;
}

void
RoceNetDevice::SizeFrame(FabricFrame& frame) const
{
    if (frame.kind == FabricFrameKind::PACKET)
    {
        const uint32_t tag = m_vlanId ? 4 : 0;
        frame.frameBytes = std::max(MIN_FRAME_BYTES, 14 + tag + frame.packet->GetSize() + 4);
    }
    else
    {
        frame.frameBytes = RoceFrameBytes(frame.opcode,
                                          frame.payload,
                                          m_vlanId != 0,
                                          frame.telemetry ? FabricTelemetry::BYTES : 0);
    }
    frame.wireBytes = frame.frameBytes + WIRE_OVERHEAD_BYTES;
}

void
RoceNetDevice::ClassifyFrame(FabricFrame& frame) const
{
    if (frame.kind == FabricFrameKind::PACKET)
    {
        std::array<uint8_t, 2> start{};
        frame.packet->CopyData(start.data(), start.size());
        const uint8_t trafficClass = frame.etherType == IPV4_PROTOCOL ? start[1]
                                     : frame.etherType == IPV6_PROTOCOL
                                         ? (start[0] & 0x0f) << 4 | start[1] >> 4
                                         : 0;
        frame.dscp = trafficClass >> 2;
        frame.ecn = trafficClass & 3;
    }
    frame.cls = m_priorities[frame.dscp & 63];
}

Ptr<Packet>
RoceNetDevice::MaterializeFrame(const FabricFrame& frame) const
{
    RoceFrameOptions options;
    options.crc = m_computeCrc;
    options.vlanId = m_vlanId;
    return EncodeRoce(frame, options);
}

bool
RoceNetDevice::AddressPacket(FabricFrame& frame,
                             const Mac48Address& source,
                             const Mac48Address& dest) const
{
    frame.src = Mac48ToInteger(source);
    frame.dst = Mac48ToInteger(dest);
    return true;
}

void
RoceNetDevice::GetMacAddresses(const FabricFrame& frame,
                               Mac48Address& source,
                               Mac48Address& dest) const
{
    source = IntegerToMac48(frame.src);
    dest = IntegerToMac48(frame.dst);
}

bool
RoceNetDevice::RecognizeRdma(FabricFrame& frame) const
{
    FabricFrame rdma;
    if (frame.etherType != IPV4_PROTOCOL || !DecodeRoceIp(frame.packet, rdma))
    {
        return false;
    }
    rdma.src = frame.src;
    rdma.dst = frame.dst;
    rdma.cls = frame.cls;
    rdma.frameBytes = frame.frameBytes;
    rdma.wireBytes = frame.wireBytes;
    frame = rdma;
    return true;
}

Ptr<Packet>
RoceNetDevice::GetRdmaAsPacket(const FabricFrame& frame, uint16_t& protocol) const
{
    protocol = IPV4_PROTOCOL;
    RoceFrameOptions options;
    options.crc = m_computeCrc;
    return EncodeRoceIp(frame, options);
}

} // namespace ns3
