/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-net-device.h"

#include "fabric-channel.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/object-factory.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

#include <cstring>
#include <stdexcept>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricNetDevice");
NS_OBJECT_ENSURE_REGISTERED(FabricNetDevice);

TypeId
FabricNetDevice::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricNetDevice")
            .SetParent<NetDevice>()
            .SetGroupName("AiFabric")
            .AddAttribute("DataRate",
                          "Data rate of the outgoing direction.",
                          DataRateValue(DataRate("400Gbps")),
                          MakeDataRateAccessor(&FabricNetDevice::m_dataRate),
                          MakeDataRateChecker())
            .AddAttribute("ReceiveLatency",
                          "Time from the arrival of a frame (its head with cut-through, its tail "
                          "otherwise) until the device acts on it: receive processing of a host, "
                          "port-to-port latency of a switch.",
                          TimeValue(NanoSeconds(0)),
                          MakeTimeAccessor(&FabricNetDevice::m_receiveLatency),
                          MakeTimeChecker(NanoSeconds(0)))
            .AddAttribute("DrainRate",
                          "Rate at which a host empties its receive buffer, as a slow PCIe bus or "
                          "memory would; 0: at once. With PFC, set thresholds at the host, too.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&FabricNetDevice::SetDrainRate,
                                               &FabricNetDevice::GetDrainRate),
                          MakeDataRateChecker())
            .AddAttribute("ReceiveErrorModel",
                          "Takes frames that come in; link control messages are never hit.",
                          PointerValue(),
                          MakePointerAccessor(&FabricNetDevice::m_receiveErrorModel),
                          MakePointerChecker<ErrorModel>())
            .AddAttribute(
                "BitErrorRate",
                "Probability that a bit of a frame that comes in is wrong, 0 to 0.5; such "
                "a frame is dropped as a receive error. Link control messages are never "
                "hit.",
                DoubleValue(0),
                MakeDoubleAccessor(&FabricNetDevice::SetBitErrorRate,
                                   &FabricNetDevice::GetBitErrorRate),
                MakeDoubleChecker<double>(0, 0.5))
            .AddAttribute("TxQueueBytes",
                          "Packets of the ns-3 stack are refused when this many bytes wait in "
                          "their class.",
                          UintegerValue(1000000),
                          MakeUintegerAccessor(&FabricNetDevice::m_txQueueBytes),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("ComputeCrc",
                          "Compute real CRCs (ICRC, VCRC or FCS) when bytes are made; zeros "
                          "otherwise.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&FabricNetDevice::m_computeCrc),
                          MakeBooleanChecker())
            .AddTraceSource("MacTx",
                            "A packet of the ns-3 stack enters the device.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_macTx),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacTxDrop",
                            "A packet of the ns-3 stack did not fit into the device, or has no "
                            "way to its receiver.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_macTxDrop),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacRx",
                            "A packet goes up to the ns-3 stack.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_macRx),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("MacPromiscRx",
                            "A packet for anybody goes up to promiscuous receivers.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_macPromiscRx),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyTxBegin",
                            "The first bit of a frame leaves.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_phyTxBegin),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyTxEnd",
                            "The last bit of a frame leaves.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_phyTxEnd),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyRxEnd",
                            "A frame came in.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_phyRxEnd),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PhyRxDrop",
                            "A frame that came in goes no further; FrameDrop says why.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_phyRxDrop),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("Sniffer",
                            "Every frame in both directions, with link headers.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_sniffer),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PromiscSniffer",
                            "Every frame in both directions, with link headers.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_promiscSniffer),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("FrameDrop",
                            "A frame is dropped, here or in the switch whose port this is.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_frameDrop),
                            "ns3::FabricNetDevice::FrameDropTracedCallback")
            .AddTraceSource("Stall",
                            "Flow control holds back a class although the wire is free, or lets "
                            "it go on.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_stall),
                            "ns3::FabricNetDevice::StallTracedCallback")
            .AddTraceSource("Pause",
                            "A pause received for a priority begins or ends.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_pause),
                            "ns3::FabricNetDevice::PauseTracedCallback")
            .AddTraceSource("LinkControl",
                            "A link control message was on the wire, in either direction.",
                            MakeTraceSourceAccessor(&FabricNetDevice::m_linkControl),
                            "ns3::FabricNetDevice::LinkControlTracedCallback");
    return tid;
}

FabricNetDevice::FabricNetDevice()
    : m_port(this),
      m_address(Mac48Address::Allocate())
{
    NS_LOG_FUNCTION(this);
}

FabricNetDevice::~FabricNetDevice()
{
    NS_LOG_FUNCTION(this);
}

void
FabricNetDevice::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_port.Dispose();
    m_node = nullptr;
    m_channel = nullptr;
    m_receiveErrorModel = nullptr;
    m_sink = nullptr;
    m_rdmaSink = nullptr;
    m_stallListener = nullptr;
    m_receive = NetDevice::ReceiveCallback();
    m_promiscReceive = NetDevice::PromiscReceiveCallback();
    NetDevice::DoDispose();
}

FabricPort&
FabricNetDevice::GetPort()
{
    return m_port;
}

const FabricPort&
FabricNetDevice::GetPort() const
{
    return m_port;
}

void
FabricNetDevice::SetRdmaSink(FabricFrameSink* nic)
{
    m_rdmaSink = nic;
}

void
FabricNetDevice::SetFrameSink(FabricFrameSink* sink, uint16_t index)
{
    m_sink = sink;
    m_sinkIndex = index;
}

FabricFrameSink*
FabricNetDevice::GetFrameSink() const
{
    return m_sink;
}

uint16_t
FabricNetDevice::GetSinkIndex() const
{
    return m_sinkIndex;
}

void
FabricNetDevice::SetBitErrorRate(double rate)
{
    m_bitErrors.SetRate(rate);
}

double
FabricNetDevice::GetBitErrorRate() const
{
    return m_bitErrors.GetRate();
}

int64_t
FabricNetDevice::AssignStreams(int64_t stream)
{
    return m_bitErrors.AssignStreams(stream);
}

/** @returns true if a frame that comes in is broken */
bool
FabricNetDevice::IsHit(const FabricFrame& frame)
{
    if (m_bitErrors.IsOn() && m_bitErrors.Hits(frame.frameBytes))
    {
        return true;
    }
    return m_receiveErrorModel &&
           m_receiveErrorModel->IsCorrupt(frame.packet ? frame.packet->Copy()
                                                       : Create<Packet>(frame.frameBytes));
}

void
FabricNetDevice::ReceiveFromWire(FabricFrame* frame)
{
    const FabricTick now = FabricNow();
    LinkFlowControl* flowControl = GetIncomingFlowControl();
    if (frame->corrupt)
    {
        flowControl->Lost(frame->cls, frame->frameBytes, now);
        DropFrame(frame, LINK_DOWN);
        return;
    }
    if (m_rxDiscarding >> frame->cls & 1)
    {
        DiscardFrame(frame, PFC_WATCHDOG);
        return;
    }
    if (IsHit(*frame))
    {
        flowControl->Lost(frame->cls, frame->frameBytes, now);
        frame->corrupt = true;
        DropFrame(frame, CORRUPT);
        return;
    }
    if (!flowControl->Arrived(frame->cls, frame->frameBytes, now))
    {
        DropFrame(frame, BUFFER_FULL);
        return;
    }
    if (!m_phyRxEnd.IsEmpty() || IsSniffed())
    {
        const Ptr<Packet> bytes = MaterializeFrame(*frame);
        m_phyRxEnd(bytes);
        m_sniffer(bytes);
        m_promiscSniffer(bytes);
    }
    (m_sink ? m_sink : this)->ReceiveFrame(frame, this);
}

void
FabricNetDevice::FreeBuffer(uint8_t cls, uint32_t bytes, FabricTick when)
{
    if (LinkFlowControl* flowControl = GetIncomingFlowControl())
    {
        flowControl->Freed(cls, bytes, when);
    }
}

void
FabricNetDevice::DropFrame(FabricFrame* frame, const char* reason)
{
    const LinkFlowControl* flowControl = GetIncomingFlowControl();
    // What a table asks for is no loss.
    const bool wanted = std::strcmp(reason, NO_LANE) == 0;
    const bool down = std::strcmp(reason, LINK_DOWN) == 0;
    // Flooding reaches everybody: a station's address filter is no loss either.
    const bool filtered = std::strcmp(reason, NOT_MINE) == 0 && !IsOwnAddress(frame->dst);
    const bool lossless = !wanted && !filtered && !down && !frame->corrupt && flowControl &&
                          flowControl->IsLossless(frame->cls);
    m_vlMappingErrors += wanted ? 1 : 0;
    m_linkDownDrops += down ? 1 : 0;
    m_hopLimitDrops += std::strcmp(reason, HOP_LIMIT) == 0 ? 1 : 0;
    ++m_drops;
    ++m_classDrops[frame->cls];
    m_losslessDrops += lossless ? 1 : 0;
    m_receiveErrors += frame->corrupt && !down ? 1 : 0;
    NS_LOG_DEBUG("drop: " << reason << (lossless ? " (lossless class)" : ""));
    if (!m_phyRxDrop.IsEmpty())
    {
        m_phyRxDrop(MaterializeFrame(*frame));
    }
    m_frameDrop(*frame, reason, lossless);
    FabricFramePool::Release(frame);
}

void
FabricNetDevice::DiscardFrame(FabricFrame* frame, const char* reason)
{
    ++m_drops;
    ++m_classDrops[frame->cls];
    const bool down = std::strcmp(reason, LINK_DOWN) == 0;
    const bool watchdog = std::strcmp(reason, PFC_WATCHDOG) == 0;
    m_linkDownDrops += down ? 1 : 0;
    m_watchdogDrops += watchdog ? 1 : 0;
    m_lifetimeDiscards += down || watchdog ? 0 : 1;
    NS_LOG_DEBUG("discard: " << reason);
    m_frameDrop(*frame, reason, false);
    FabricFramePool::Release(frame);
}

FabricClassCounters
FabricNetDevice::GetClassCounters(uint8_t cls) const
{
    FabricClassCounters counters;
    const PortClassCounters& out = m_port.GetClassCounters(cls);
    counters.txFrames = out.frames;
    counters.txBytes = out.frameBytes;
    counters.drops = m_classDrops.at(cls);
    counters.marks = out.marks;
    counters.waitTicks = m_port.GetWaitTicks(cls);
    counters.maxQueueBytes = out.maxQueueBytes;
    if (const FabricNetDevice* peer = m_port.GetPeer())
    {
        const PortClassCounters& in = peer->GetPort().GetClassCounters(cls);
        counters.rxFrames = in.arrived;
        counters.rxBytes = in.arrivedBytes;
        counters.pausesIn = m_port.GetFlowControl()->GetPausesReceived(cls);
        counters.pausedTicks = m_port.GetFlowControl()->GetPausedTicksOf(cls);
        counters.pausesOut = peer->GetPort().GetFlowControl()->GetPausesSent(cls);
    }
    return counters;
}

LinkFlowControl*
FabricNetDevice::GetIncomingFlowControl() const
{
    FabricNetDevice* peer = m_port.GetPeer();
    return peer ? peer->GetPort().GetFlowControl() : nullptr;
}

void
FabricNetDevice::SetFlowControl(const ObjectFactory& factory)
{
    m_flowControlFactory = factory;
}

const ObjectFactory&
FabricNetDevice::GetFlowControlFactory() const
{
    return m_flowControlFactory;
}

Ptr<LinkFlowControl>
FabricNetDevice::CreateFlowControl() const
{
    return m_flowControlFactory.Create<LinkFlowControl>();
}

bool
FabricNetDevice::Attach(const Ptr<FabricChannel>& channel)
{
    NS_LOG_FUNCTION(this << channel);
    if (m_channel)
    {
        return false;
    }
    if (m_dataRate.GetBitRate() == 0)
    {
        throw std::invalid_argument("FabricNetDevice: DataRate is 0 bit/s, expected more");
    }
    m_channel = channel;
    if (!channel->Attach(this))
    {
        m_channel = nullptr;
        return false;
    }
    return true;
}

void
FabricNetDevice::NotifyLinkUp()
{
    m_linkUp = true;
    SetDrainRate(m_drainRate);
    m_linkChange();
}

void
FabricNetDevice::SetLinkUp(bool up)
{
    if (m_linkUp == up || !m_port.GetPeer())
    {
        return;
    }
    m_linkUp = up;
    if (FabricPortListener* listener = m_port.GetListener())
    {
        listener->PortStateChanged(up);
    }
    m_port.SetUp(up);
    m_linkChange();
}

void
FabricNetDevice::SetReceiveDiscarding(uint8_t cls, bool discarding)
{
    const uint32_t bit = 1U << cls;
    m_rxDiscarding = discarding ? m_rxDiscarding | bit : m_rxDiscarding & ~bit;
}

bool
FabricNetDevice::CanSend(const FabricFrame& frame) const
{
    return m_linkUp && m_port.GetPeer() && frame.frameBytes <= GetLargestFrameBytes() &&
           frame.frameBytes <= m_port.GetFlowControl()->GetLargestFrame(frame.cls);
}

uint64_t
FabricNetDevice::GetBitRate() const
{
    return m_dataRate.GetBitRate();
}

void
FabricNetDevice::SetDrainRate(DataRate rate)
{
    m_drainRate = rate;
    // Before the link is there, the time resolution may still change.
    if (rate.GetBitRate() && m_linkUp)
    {
        m_drain.SetRate(rate.GetBitRate(), FabricTicksPerSecond());
    }
}

DataRate
FabricNetDevice::GetDrainRate() const
{
    return m_drainRate;
}

FabricTick
FabricNetDevice::GetReceiveLatencyTicks() const
{
    return m_receiveLatency.GetTimeStep();
}

bool
FabricNetDevice::IsCutThrough() const
{
    return m_cutThrough;
}

void
FabricNetDevice::SetCutThrough(bool cutThrough)
{
    m_cutThrough = cutThrough;
}

uint64_t
FabricNetDevice::GetDrops() const
{
    return m_drops;
}

uint64_t
FabricNetDevice::GetLosslessDrops() const
{
    return m_losslessDrops;
}

uint64_t
FabricNetDevice::GetVlMappingErrors() const
{
    return m_vlMappingErrors;
}

uint64_t
FabricNetDevice::GetLinkDownDrops() const
{
    return m_linkDownDrops;
}

uint64_t
FabricNetDevice::GetWatchdogDrops() const
{
    return m_watchdogDrops;
}

uint64_t
FabricNetDevice::GetHopLimitDrops() const
{
    return m_hopLimitDrops;
}

uint64_t
FabricNetDevice::GetLifetimeDiscards() const
{
    return m_lifetimeDiscards;
}

uint64_t
FabricNetDevice::GetReceiveErrors() const
{
    return m_receiveErrors;
}

bool
FabricNetDevice::IsSniffed() const
{
    return !m_sniffer.IsEmpty() || !m_promiscSniffer.IsEmpty() || !m_linkControl.IsEmpty();
}

bool
FabricNetDevice::IsCrcComputed() const
{
    return m_computeCrc;
}

bool
FabricNetDevice::IsPauseTraced() const
{
    return !m_pause.IsEmpty();
}

bool
FabricNetDevice::IsStallTraced() const
{
    return !m_stall.IsEmpty();
}

void
FabricNetDevice::NotifyTxBegin(const FabricFrame& frame, FabricTick start)
{
    if (m_phyTxBegin.IsEmpty() && m_phyTxEnd.IsEmpty() && !IsSniffed())
    {
        return;
    }
    const Ptr<const Packet> bytes = MaterializeFrame(frame);
    const FabricTick now = FabricNow();
    if (start > now)
    {
        Simulator::Schedule(TimeStep(start - now), &FabricNetDevice::FireTxBegin, this, bytes);
    }
    else
    {
        FireTxBegin(bytes);
    }
    if (!m_phyTxEnd.IsEmpty())
    {
        Simulator::Schedule(TimeStep(frame.tailOnWire - now),
                            &FabricNetDevice::FirePhyTxEnd,
                            this,
                            bytes);
    }
}

void
FabricNetDevice::FireTxBegin(Ptr<const Packet> bytes)
{
    m_phyTxBegin(bytes);
    m_sniffer(bytes);
    m_promiscSniffer(bytes);
}

void
FabricNetDevice::FirePhyTxEnd(Ptr<const Packet> bytes)
{
    m_phyTxEnd(bytes);
}

void
FabricNetDevice::SetStallListener(FabricStallListener* listener)
{
    m_stallListener = listener;
}

void
FabricNetDevice::NotifyStall(uint8_t cls, bool begin)
{
    if (begin && m_stallListener)
    {
        m_stallListener->StallBegins();
    }
    if (m_stall.IsEmpty())
    {
        return;
    }
    EventId& pending = m_stallBegins.at(cls);
    const FabricTick busy = m_port.GetBusyUntil() - FabricNow();
    if (begin && busy > 0)
    {
        // A link control message is still on the wire: the wait begins behind it, if it is not over
        // by then.
        pending = Simulator::Schedule(TimeStep(busy), &FabricNetDevice::FireStall, this, cls);
    }
    else if (!begin && !pending.IsExpired())
    {
        pending.Cancel();
    }
    else
    {
        m_stall(cls, begin);
    }
}

void
FabricNetDevice::FireStall(uint8_t cls)
{
    m_stall(cls, true);
}

void
FabricNetDevice::NotifyPause(uint8_t cls, bool begin)
{
    m_pause(cls, begin);
}

void
FabricNetDevice::NotifyControl(const Ptr<Packet>& bytes, FabricTick at)
{
    m_linkControl(bytes, TimeStep(at));
}

} // namespace ns3
