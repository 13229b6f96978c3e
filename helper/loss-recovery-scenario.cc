/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "loss-recovery-scenario.h"

#include "roce-helper.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/fabric-nic.h"
#include "ns3/ib-opcode.h"
#include "ns3/node-container.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

namespace ns3
{

namespace
{

/** Two hosts, a cable and a connection, whose first end sends all the time. */
class SaturatedPair
{
  public:
    explicit SaturatedPair(const LossRecoveryScenario::Config& config)
        : m_mtu(config.mtu)
    {
        RoceHelper helper;
        helper.SetFlowControl("ns3::NoFlowControl"); // one sender: nothing may queue
        helper.SetDeviceAttribute("Mtu", UintegerValue(config.mtu + 104)); // headers fit
        helper.SetDeviceAttribute("DataRate", DataRateValue(config.rate));
        helper.SetChannelAttribute("Delay", TimeValue(config.delay));
        helper.SetHostAttribute("ReceiveLatency", TimeValue(NanoSeconds(0)));
        NodeContainer nodes;
        nodes.Create(2);
        const NetDeviceContainer devices = helper.Install(nodes.Get(0), nodes.Get(1));
        for (uint32_t i = 0; i < 2; ++i)
        {
            m_devices[i] = DynamicCast<FabricNetDevice>(devices.Get(i));
            m_nics[i] = CreateObject<FabricNic>();
            m_nics[i]->SetDevice(m_devices[i]);
            m_ends[i] = CreateObject<RcQueuePair>();
            m_ends[i]->SetAttribute("Recovery", EnumValue(config.recovery));
            m_ends[i]->SetAttribute("Mtu", UintegerValue(config.mtu));
            m_ends[i]->SetAttribute("AckInterval", UintegerValue(config.ackInterval));
            m_ends[i]->SetAttribute("TimeoutExponent", UintegerValue(config.timeoutExponent));
            m_ends[i]->SetAttribute("RtoLow", TimeValue(config.rtoLow));
            m_ends[i]->SetAttribute("RtoHigh", TimeValue(config.rtoHigh));
            m_ends[i]->SetAttribute("BdpCapBytes", UintegerValue(config.bdpCapBytes));
            m_nics[i]->AddQueuePair(m_ends[i]);
        }
        FabricNic::Connect(m_ends[0], m_ends[1]);
        m_ends[0]->SetErrorCallback(MakeCallback(&SaturatedPair::Failed, this));
        m_ends[1]->SetDeliveredCallback(MakeCallback(&SaturatedPair::Delivered, this));
        m_nics[0]->TraceConnectWithoutContext("Retransmit",
                                              MakeCallback(&SaturatedPair::Resent, this));
    }

    ~SaturatedPair()
    {
        m_ends[0]->SetErrorCallback(RcQueuePair::ErrorCallback());
        m_ends[1]->SetDeliveredCallback(RcQueuePair::DeliveredCallback());
    }

    SaturatedPair(const SaturatedPair&) = delete;
    SaturatedPair& operator=(const SaturatedPair&) = delete;

    /** @returns seconds of a full packet on the wire */
    double GetSlot(RcRecovery recovery) const
    {
        FabricFrame frame;
        frame.opcode = recovery == RcRecovery::SELECTIVE_REPEAT ? IbOpcode::SR_WRITE_MIDDLE
                                                                : IbOpcode::RC_WRITE_MIDDLE;
        frame.payload = m_mtu;
        m_devices[0]->ClassifyFrame(frame);
        m_devices[0]->SizeFrame(frame);
        return 8.0 * frame.wireBytes / static_cast<double>(m_devices[0]->GetBitRate());
    }

    /** @returns frameBytes of a full packet */
    uint32_t GetFrameBytes() const
    {
        FabricFrame frame;
        frame.opcode = IbOpcode::RC_WRITE_MIDDLE;
        frame.payload = m_mtu;
        m_devices[0]->ClassifyFrame(frame);
        m_devices[0]->SizeFrame(frame);
        return frame.frameBytes;
    }

    /** @returns packets that were of use to the receiver */
    uint64_t CountUseful(RcRecovery recovery) const
    {
        const FabricNicCounters& counters = m_nics[1]->GetCounters();
        switch (recovery)
        {
        case RcRecovery::SELECTIVE_REPEAT:
            return counters.rxPackets - counters.duplicates; // out of order is good
        case RcRecovery::GO_BACK_ZERO:
            return m_deliveredBytes / m_mtu; // a message that starts over has brought nothing
        default:
            return counters.rxPackets - counters.duplicates - counters.outOfSequence;
        }
    }

    /** Throw std::runtime_error if the connection has failed. */
    void Check() const
    {
        if (!m_failure.empty())
        {
            throw std::runtime_error("LossRecoveryScenario: the connection has failed: " +
                                     m_failure + ", expected fewer losses");
        }
    }

    std::array<Ptr<FabricNetDevice>, 2> m_devices; //!< ends of the cable
    std::array<Ptr<FabricNic>, 2> m_nics;          //!< NICs
    std::array<Ptr<RcQueuePair>, 2> m_ends;        //!< sender and receiver
    uint64_t m_firstResent{0};                     //!< number of the packet that was sent again

  private:
    void Failed(Ptr<RcQueuePair> /* queuePair */, std::string what)
    {
        m_failure = what;
    }

    void Delivered(Ptr<RcQueuePair> /* queuePair */, uint64_t, uint64_t bytes, uint64_t)
    {
        m_deliveredBytes += bytes;
    }

    void Resent(uint32_t /* qpn */, uint32_t /* psn */)
    {
        if (m_firstResent == 0)
        {
            m_firstResent = m_nics[0]->GetCounters().txPackets - 1;
        }
    }

    uint32_t m_mtu;               //!< bytes
    std::string m_failure;        //!< of the connection
    uint64_t m_deliveredBytes{0}; //!< in whole messages
};

/** @returns W, by losing one packet in the middle of a long message */
double
MeasureLoop(LossRecoveryScenario::Config config)
{
    constexpr uint64_t MAX_PROBE = 50000; // packets
    const double rtt = 2 * config.delay.GetSeconds();
    const double packets = rtt * static_cast<double>(config.rate.GetBitRate()) / 8 / config.mtu;
    const auto lost = static_cast<uint32_t>(std::min<double>(packets, MAX_PROBE) + 40);
    config.bdpCapBytes = 0;
    SaturatedPair pair(config);
    const auto model = CreateObject<ReceiveListErrorModel>();
    model->SetList({lost});
    pair.m_devices[1]->SetAttribute("ReceiveErrorModel", PointerValue(model));
    pair.m_ends[0]->Post(uint64_t{config.mtu} * (2 * (lost + 40) + 2 * MAX_PROBE), 0);
    Simulator::Stop(Seconds(pair.GetSlot(config.recovery) * (2 * packets + 200)));
    Simulator::Run();
    const double loop = static_cast<double>(pair.m_firstResent) - lost;
    Simulator::Destroy();
    return loop;
}

} // namespace

double
LossRecoveryScenario::GetClosedForm(const Config& config, double loopSlots, double timeoutSlots)
{
    const double p = config.lossRate;
    if (p == 0)
    {
        return 1;
    }
    if (config.recovery == RcRecovery::SELECTIVE_REPEAT)
    {
        return 1 - p;
    }
    if (config.recovery == RcRecovery::GO_BACK_N)
    {
        return (1 - p) / (1 - p + p * loopSlots + p * p * timeoutSlots);
    }
    const double n = static_cast<double>(config.messageBytes) / config.mtu;
    const double q = std::exp(n * std::log1p(-p));
    const double failures = -std::expm1(n * std::log1p(-p)) / q;
    const double at = (1 - p) / p - n * q / (1 - q);
    return n / (n + failures * (at + loopSlots + p * timeoutSlots));
}

LossRecoveryScenario::Result
LossRecoveryScenario::Run(const Config& config)
{
    if (config.mtu == 0 || config.messageBytes == 0 || config.messageBytes % config.mtu)
    {
        throw std::invalid_argument("LossRecoveryScenario: messages of " +
                                    std::to_string(config.messageBytes) +
                                    " bytes, expected a multiple of the " +
                                    std::to_string(config.mtu) + " bytes of a packet");
    }
    if (!(config.lossRate >= 0 && config.lossRate < 1))
    {
        throw std::invalid_argument("LossRecoveryScenario: loss rate " +
                                    std::to_string(config.lossRate) +
                                    ", expected 0 to less than 1");
    }
    Result result;
    result.loopSlots = MeasureLoop(config);

    SaturatedPair pair(config);
    const double slot = pair.GetSlot(config.recovery);
    const double timeout = config.recovery == RcRecovery::SELECTIVE_REPEAT
                               ? config.rtoHigh.GetSeconds()
                               : 4.096e-6 * std::ldexp(1, config.timeoutExponent);
    result.timeoutSlots = timeout / slot;
    result.closedForm = GetClosedForm(config, result.loopSlots, result.timeoutSlots);
    if (config.errorModel)
    {
        pair.m_devices[1]->SetAttribute("ReceiveErrorModel", PointerValue(config.errorModel));
    }
    else
    {
        // The rate at which a bit must fail that a full packet is lost with probability p.
        pair.m_devices[1]->SetAttribute(
            "BitErrorRate",
            DoubleValue(-std::expm1(std::log1p(-config.lossRate) / (8.0 * pair.GetFrameBytes()))));
        pair.m_devices[1]->AssignStreams(config.stream);
    }
    const Time begin = 2 * config.delay + Seconds(100 * slot);
    const Time span = Seconds(slot * static_cast<double>(config.slots));
    const uint64_t packets = config.messageBytes / config.mtu;
    const uint64_t toSend = static_cast<uint64_t>((begin + span).GetSeconds() / slot) + packets;
    for (uint64_t sent = 0; sent < toSend + packets; sent += packets)
    {
        pair.m_ends[0]->Post(config.messageBytes, sent);
    }
    Simulator::Stop(begin);
    Simulator::Run();
    const uint64_t usefulBefore = pair.CountUseful(config.recovery);
    const uint64_t sentBefore = pair.m_nics[0]->GetCounters().txPackets;
    // In pieces, to look at what is in flight.
    constexpr uint32_t PIECES = 1000;
    for (uint32_t i = 0; i < PIECES; ++i)
    {
        Simulator::Stop(begin + span * int64_t{i + 1} / int64_t{PIECES} - Simulator::Now());
        Simulator::Run();
        result.maxInFlight =
            std::max(result.maxInFlight, pair.m_ends[0]->GetRequester().GetOutstandingPackets());
    }
    pair.Check();
    const double seconds = span.GetSeconds();
    const auto useful = static_cast<double>(pair.CountUseful(config.recovery) - usefulBefore);
    const FabricNicCounters& counters = pair.m_nics[0]->GetCounters();
    result.goodputBps = 8 * useful * config.mtu / seconds;
    result.share = useful * slot / seconds;
    result.lineUse = static_cast<double>(counters.txPackets - sentBefore) * slot / seconds;
    result.retransmitted = counters.retransmitted;
    result.timeouts = counters.timeouts;
    result.lost = pair.m_devices[1]->GetReceiveErrors();
    Simulator::Destroy();
    return result;
}

} // namespace ns3
