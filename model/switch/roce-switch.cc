/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-switch.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/enum-attribute.h"
#include "ns3/ib-opcode.h"
#include "ns3/log.h"
#include "ns3/pause-flow-control.h"
#include "ns3/roce-net-device.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RoceSwitch");
NS_OBJECT_ENSURE_REGISTERED(RoceSwitch);

namespace
{

constexpr uint8_t ECT_0 = 2;
constexpr uint8_t ECT_1 = 1;
constexpr uint8_t CE = 3;

} // namespace

TypeId
RoceSwitch::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RoceSwitch")
            .SetParent<FabricSwitch>()
            .SetGroupName("AiFabric")
            .AddConstructor<RoceSwitch>()
            .AddAttribute("BufferBytes",
                          "The whole packet buffer in bytes.",
                          UintegerValue(32 * 1024 * 1024),
                          MakeUintegerAccessor(&RoceSwitch::m_bufferBytes),
                          MakeUintegerChecker<uint64_t>(1))
            .AddAttribute("BufferModel",
                          "Who shares what is left of the buffer after reserved bytes and "
                          "headroom: all priority groups, those of a port, or nobody.",
                          EnumValue(SharedBuffer::SHARED),
                          MakeFabricEnumAccessor(&RoceSwitch::m_bufferModel),
                          MakeEnumChecker(SharedBuffer::SHARED,
                                          "Shared",
                                          SharedBuffer::PER_PORT,
                                          "PerPort",
                                          SharedBuffer::PER_QUEUE,
                                          "PerQueue"))
            .AddAttribute("Alpha",
                          "Factor of the dynamic threshold: a priority group may hold alpha times "
                          "what is free in the shared pool.",
                          DoubleValue(0.125),
                          MakeDoubleAccessor(&RoceSwitch::m_alpha),
                          MakeDoubleChecker<double>(1e-6, 1024))
            .AddAttribute("ReservedBytes",
                          "Bytes that every priority group has for itself.",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&RoceSwitch::m_reservedBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("XonOffsetBytes",
                          "A stopped priority group goes on when it is this far below its "
                          "threshold.",
                          UintegerValue(16384),
                          MakeUintegerAccessor(&RoceSwitch::m_xonOffsetBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("HeadroomBytes",
                          "Headroom of each lossless priority group. 0: computed from rate, cable, "
                          "MTU, reaction time and latency.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RoceSwitch::m_headroomBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("HeadroomPoolBytes",
                          "Headroom of all priority groups together; each may use it up to its "
                          "own. 0: each has its own for itself.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RoceSwitch::m_headroomPoolBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("StaticThreshold",
                          "Bytes that a priority group may hold of the shared pool, instead of "
                          "those by Alpha; 0: by Alpha.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RoceSwitch::m_staticBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("XonBytes",
                          "A stopped priority group goes on when it holds so many bytes or less, "
                          "instead of by XonOffsetBytes; 0: by XonOffsetBytes.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RoceSwitch::m_xonBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("LossyPoolBytes",
                          "Part of the buffer that lossy priority groups share, and no others; 0: "
                          "they share with the lossless ones.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RoceSwitch::m_lossyPoolBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("LossyAlpha",
                          "Alpha of lossy priority groups; 0: that of the others.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&RoceSwitch::m_lossyAlpha),
                          MakeDoubleChecker<double>(0, 1024))
            .AddAttribute("EgressAlpha",
                          "Factor of the dynamic limit of lossy egress queues: each may hold alpha "
                          "times what is free of the buffer; 0: no limit.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&RoceSwitch::m_egressAlpha),
                          MakeDoubleChecker<double>(0, 1024))
            .AddAttribute("EgressReservedBytes",
                          "Bytes that every egress queue has for itself.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RoceSwitch::m_egressReservedBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("EgressLosslessLimit",
                          "Most that a lossless egress queue may hold beyond its reserved bytes; "
                          "what comes then is lost. 0: no limit.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RoceSwitch::m_egressLimitBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("WarnHeadroom",
                          "Say on the standard error output if a headroom that is given is too "
                          "small to be lossless.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&RoceSwitch::m_warn),
                          MakeBooleanChecker())
            .AddAttribute("Ecn",
                          "Mark frames by queue length (WRED on egress queues).",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RoceSwitch::m_ecn),
                          MakeBooleanChecker())
            .AddAttribute("EcnProfile",
                          "Published marking curve for every queue, see WredMarker::Preset; empty: "
                          "that of EcnKmin, EcnKmax and EcnPmax.",
                          StringValue(""),
                          MakeStringAccessor(&RoceSwitch::m_ecnProfile),
                          MakeStringChecker())
            .AddAttribute("EcnKmin",
                          "Queue length in bytes at which marking begins. 0: 100,000 bytes for "
                          "each 25 Gb/s of the port.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RoceSwitch::m_ecnKmin),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("EcnKmax",
                          "Queue length in bytes from which every frame is marked. 0: 400,000 "
                          "bytes for each 25 Gb/s of the port.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RoceSwitch::m_ecnKmax),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("EcnPmax",
                          "Probability of marking just below Kmax.",
                          DoubleValue(0.2),
                          MakeDoubleAccessor(&RoceSwitch::m_ecnPmax),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("EcnAveraging",
                          "Mark by an average of the queue length, which moves by 2^-n of the "
                          "difference at each frame; 0: by the length at that moment.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RoceSwitch::m_ecnAveraging),
                          MakeUintegerChecker<uint8_t>(0, 15))
            .AddAttribute("EcnAtEnqueue",
                          "Mark frames when they come to the queue instead of when they leave it.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&RoceSwitch::m_ecnAtEnqueue),
                          MakeBooleanChecker())
            .AddAttribute("LoadBalancing",
                          "What chooses among equally good ports: the hash of the flow (Ecmp), a "
                          "random port after each pause of a flow (Flowlet), a random port for "
                          "each packet (PerPacket), one after the other (RoundRobin), or the least "
                          "loaded one (Adaptive). All but Ecmp may reorder packets.",
                          EnumValue(LoadBalancer::ECMP),
                          MakeFabricEnumAccessor(&RoceSwitch::m_loadBalancing),
                          MakeEnumChecker(LoadBalancer::ECMP,
                                          "Ecmp",
                                          LoadBalancer::FLOWLET,
                                          "Flowlet",
                                          LoadBalancer::PER_PACKET,
                                          "PerPacket",
                                          LoadBalancer::ROUND_ROBIN,
                                          "RoundRobin",
                                          LoadBalancer::ADAPTIVE,
                                          "Adaptive"))
            .AddAttribute("EcmpHash",
                          "Function of the flow hash.",
                          EnumValue(FlowHash::CRC32),
                          MakeFabricEnumAccessor(&RoceSwitch::m_ecmpHash),
                          MakeEnumChecker(FlowHash::CRC16,
                                          "Crc16",
                                          FlowHash::CRC32,
                                          "Crc32",
                                          FlowHash::TOEPLITZ,
                                          "Toeplitz"))
            .AddAttribute("EcmpSeed",
                          "Seed of the flow hash. Switches with the same seed send their flows the "
                          "same way; helpers give each its own.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RoceSwitch::m_ecmpSeed),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("FlowletGap",
                          "Pause of a flow after which it may take another port (Flowlet).",
                          TimeValue(MicroSeconds(50)),
                          MakeTimeAccessor(&RoceSwitch::m_flowletGap),
                          MakeTimeChecker(NanoSeconds(0)))
            .AddAttribute("GradeBytes",
                          "Bytes queued for a port that make one grade of load (Adaptive): ports "
                          "of the same grade are equally good.",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&RoceSwitch::m_gradeBytes),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

RoceSwitch::RoceSwitch()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

void
RoceSwitch::DoDispose()
{
    m_random = nullptr;
    m_pause.clear();
    FabricSwitch::DoDispose();
}

int64_t
RoceSwitch::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1 + m_balancer.AssignStreams(stream + 1);
}

uint64_t
RoceSwitch::GetEcnMarks() const
{
    return m_ecnMarks;
}

bool
RoceSwitch::TransmitStarts(FabricFrame* frame, FabricPort* port, FabricTick /* end */)
{
    if (m_ecn && !m_ecnAtEnqueue)
    {
        MaybeMark(*frame, *port);
    }
    if (frame->telemetry && frame->opcode != IbOpcode::RC_ACK)
    {
        Stamp(*frame->telemetry, *port);
    }
    m_leaving[port->GetDevice()->GetSinkIndex()] = {frame->inPort,
                                                    frame->inCls,
                                                    frame->inBytes,
                                                    frame->cls,
                                                    frame->inBytes ? frame->inBytes
                                                                   : frame->frameBytes};
    frame->inBytes = 0;
    return true;
}

void
RoceSwitch::TransmitDone(FabricPort* port)
{
    const uint16_t out = port->GetDevice()->GetSinkIndex();
    const Leaving leaving = m_leaving[out];
    Uncharge(out, leaving.outCls, leaving.charge, leaving.bytes == 0);
    if (leaving.bytes)
    {
        ReleaseRoom(leaving.inPort, leaving.inCls, leaving.bytes, FabricNow());
    }
}

void
RoceSwitch::ConfigureForwarding()
{
    LoadBalancer::Config config;
    config.mode = m_loadBalancing;
    config.hash = m_ecmpHash;
    config.seed = m_ecmpSeed;
    config.gap = m_flowletGap.GetTimeStep();
    config.gradeBytes = m_gradeBytes;
    m_balancer.Configure(config);

    m_wred.Configure(GetNPorts(), m_ecnAveraging);
    for (uint16_t port = 0; port < GetNPorts(); ++port)
    {
        const uint64_t rate = m_ports[port]->GetBitRate();
        WredMarker::Curve curve =
            WredMarker::Preset(m_ecnProfile.empty() ? "hpcc" : m_ecnProfile, rate);
        if (m_ecnProfile.empty())
        {
            curve.kmin = m_ecnKmin ? m_ecnKmin : curve.kmin;
            curve.kmax = m_ecnKmax ? m_ecnKmax : curve.kmax;
            curve.pmax = m_ecnPmax;
        }
        for (uint8_t priority = 0; priority < PRIORITIES; ++priority)
        {
            m_wred.SetCurve(port, priority, curve);
        }
    }
    for (const auto& own : m_ownCurves)
    {
        m_wred.SetCurve(own.first.first, own.first.second, own.second);
    }
}

void
RoceSwitch::SetWred(uint16_t port, uint8_t priority, const WredMarker::Curve& curve)
{
    if (port >= GetNPorts() || priority >= PRIORITIES)
    {
        throw std::invalid_argument("RoceSwitch: SetWred of port " + std::to_string(port) +
                                    ", priority " + std::to_string(priority) +
                                    ", expected a port below " + std::to_string(GetNPorts()) +
                                    " and a priority 0..7");
    }
    WredMarker trial;
    trial.Configure(1, 0);
    trial.SetCurve(0, priority, curve); // refuses what can't be
    m_ownCurves[{port, priority}] = curve;
    if (m_leaving.size() == GetNPorts())
    {
        m_wred.SetCurve(port, priority, curve); // configured before
    }
}

const WredMarker&
RoceSwitch::GetWred() const
{
    return m_wred;
}

const LoadBalancer&
RoceSwitch::GetLoadBalancer() const
{
    return m_balancer;
}

bool
RoceSwitch::Queueing(FabricFrame& frame, FabricPort& port)
{
    const uint16_t out = port.GetDevice()->GetSinkIndex();
    const uint32_t charge = frame.inBytes ? frame.inBytes : frame.frameBytes;
    if (!m_egress.Admit(out, frame.cls, charge))
    {
        return false;
    }
    m_copiedBytes += frame.inBytes ? 0 : charge;
    if (m_ecn && m_ecnAtEnqueue)
    {
        MaybeMark(frame, port);
    }
    return true;
}

void
RoceSwitch::Discard(FabricFrame* frame, FabricPort* port, const char* reason)
{
    const uint32_t charge = frame->inBytes ? frame->inBytes : frame->frameBytes;
    Uncharge(port->GetDevice()->GetSinkIndex(), frame->cls, charge, frame->inBytes == 0);
    FabricSwitch::Discard(frame, port, reason);
}

/** An acknowledgment only brings back what data has collected; what leaves is on its way here. */
void
RoceSwitch::Stamp(FabricTelemetry& telemetry, const FabricPort& port) const
{
    const FabricPort::Counters counters = port.GetCounters();
    const auto rate = static_cast<double>(port.GetBitRate());
    const uint64_t bytes = counters.controlBytes + counters.frameBytes +
                           counters.frames * RoceNetDevice::WIRE_OVERHEAD_BYTES;
    const auto toNanoseconds = [rate](uint64_t b) {
        return static_cast<uint64_t>(static_cast<double>(b) * 8e9 / rate);
    };
    FabricTelemetry::Hop hop;
    const auto now = static_cast<uint64_t>(Simulator::Now().GetNanoSeconds());
    hop.timestamp = static_cast<uint32_t>(now % FabricTelemetry::CLOCK_MODULUS);
    hop.busy = static_cast<uint32_t>(toNanoseconds(bytes) % FabricTelemetry::CLOCK_MODULUS);
    hop.drain = static_cast<uint16_t>(
        std::min<uint64_t>(toNanoseconds(port.GetQueuedBytes()) / FabricTelemetry::DRAIN_UNIT,
                           std::numeric_limits<uint16_t>::max()));
    telemetry.Stamp(static_cast<uint16_t>(GetNode()->GetId()), hop);
}

void
RoceSwitch::MaybeMark(FabricFrame& frame, FabricPort& port)
{
    if (frame.kind != FabricFrameKind::RDMA || (frame.ecn != ECT_0 && frame.ecn != ECT_1))
    {
        return;
    }
    const double share =
        m_wred.Pass(port.GetDevice()->GetSinkIndex(), frame.cls, port.GetQueuedBytes(frame.cls));
    if (share >= 1 || (share > 0 && m_random->GetValue() < share))
    {
        frame.ecn = CE;
        ++m_ecnMarks;
        port.CountMark(frame.cls);
    }
}

uint16_t
RoceSwitch::ChoosePort(FabricFrame& frame, const std::vector<uint16_t>& ports)
{
    return m_balancer.Choose(frame, m_ports, ports, FabricNow());
}

bool
RoceSwitch::IsGroupAddress(uint64_t address) const
{
    return address >> 40 & 1; // the I/G bit of the first octet
}

} // namespace ns3
