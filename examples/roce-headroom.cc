/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// How much headroom does a lossless priority of an Ethernet switch need for its rate and cable?
//
//     host ====== cable ======> switch ---X  its output is blocked
//          <===================              full frames, for one of which the pause frame waits
//
// The worst case is aligned: the frame that stops the host has come in just after a full frame has
// started in the other direction. The table has what was computed, what was used, and what is lost
// with that headroom and with a frame less.

#include "ns3/ai-fabric-module.h"
#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <array>
#include <cmath>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/** What the command line says. */
struct Options
{
    std::string rates{"25Gbps,50Gbps,100Gbps,200Gbps,400Gbps,800Gbps"};
    std::string lengths{"1,5,40,100,300"};
    std::string model{"ideal"};
    BoundedOption<uint32_t> mtu{"mtu", 4096, 256, 4096};
    bool quick{false};
};

/** Has full frames for the device whenever it may send. */
class FullFrames : public FabricFrameSource
{
  public:
    FullFrames(const Ptr<FabricNetDevice>& from, uint64_t to, uint32_t payload)
        : m_device(from)
    {
        m_frame.src = from->GetFabricAddress();
        m_frame.dst = to;
        m_frame.opcode = IbOpcode::RC_WRITE_MIDDLE;
        m_frame.payload = payload;
        m_frame.dscp = 26;
        from->ClassifyFrame(m_frame);
        from->SizeFrame(m_frame);
    }

    uint32_t GetReadyClasses() override
    {
        return 1U << m_frame.cls;
    }

    uint32_t PeekFrameBytes(uint8_t /* cls */) override
    {
        return m_frame.frameBytes;
    }

    FabricFrame* Pull(uint8_t /* cls */) override
    {
        FabricFrame* frame = FabricFramePool::Allocate();
        *frame = m_frame;
        return frame;
    }

    /** Start sending. */
    void Start()
    {
        m_device->GetPort().SetSource(this);
        m_device->GetPort().Kick();
    }

    /** @returns every frame */
    const FabricFrame& Get() const
    {
        return m_frame;
    }

  private:
    Ptr<FabricNetDevice> m_device; //!< sends
    FabricFrame m_frame;           //!< every frame
};

/** What came of a worst case. */
struct Outcome
{
    uint64_t needed{0}; //!< what the switch computes
    uint64_t used{0};   //!< high-water mark
    uint64_t drops{0};  //!< frames lost
};

/** Run the worst case with what is computed, or a number of frames less. */
Outcome
Run(const Options& options, const std::string& rate, double meters, uint32_t framesLess)
{
    RoceHelper helper;
    helper.SetDeviceAttribute("DataRate", StringValue(rate));
    // IP header, UDP, BTH and ICRC: no frame is larger than those of the data.
    helper.SetDeviceAttribute("Mtu", UintegerValue(options.mtu + 40));
    helper.SetHostAttribute("ReceiveLatency", TimeValue(NanoSeconds(0)));
    helper.SetFlowControlAttribute("StandardReaction", BooleanValue(options.model == "standard"));
    const Time cable = PicoSeconds(std::llround(meters * 5000));
    helper.SetChannelAttribute("Delay", TimeValue(cable));
    helper.SetSwitchAttribute("Latency", TimeValue(NanoSeconds(0)));
    helper.SetSwitchAttribute("WarnHeadroom", BooleanValue(false)); // one run is too small
    helper.SetSwitchAttribute("ReservedBytes", UintegerValue(0));
    helper.SetSwitchAttribute("StaticThreshold", UintegerValue(5 * options.mtu));
    helper.SetSwitchAttribute("BufferBytes", UintegerValue(64000000));
    NodeContainer hosts(2);
    NodeContainer center(1);
    const auto sw = DynamicCast<RoceSwitch>(helper.InstallSwitch(center.Get(0)));
    const NetDeviceContainer ends = helper.Install(hosts, center.Get(0));
    helper.Configure(center);
    const auto from = DynamicCast<FabricNetDevice>(ends.Get(0));
    const auto blocked = DynamicCast<FabricNetDevice>(ends.Get(1));
    FullFrames back(sw->GetPort(0), from->GetFabricAddress(), options.mtu);
    FullFrames source(from, blocked->GetFabricAddress(), options.mtu);

    Outcome outcome;
    outcome.needed = sw->ComputeHeadroom(0);
    for (const uint16_t port : {0, 1})
    {
        SharedBuffer::GroupConfig group = sw->GetBuffer().GetGroupConfig(port, source.Get().cls);
        group.headroomBytes = outcome.needed - framesLess * source.Get().frameBytes;
        sw->SetGroup(port, source.Get().cls, group);
    }
    sw->Configure();
    dynamic_cast<PauseFlowControl*>(blocked->GetIncomingFlowControl())
        ->SetPaused(source.Get().cls, true);
    back.Start();
    // A picosecond after a frame of the other direction has started, ours come in.
    const double frame = source.Get().wireBytes * 8e12 / static_cast<double>(from->GetBitRate());
    const double reach = std::ceil(static_cast<double>(cable.GetPicoSeconds()) / frame) + 1;
    const Time start = PicoSeconds(std::llround(std::ceil(reach * frame)) + 1) - cable;
    Simulator::Schedule(start, &FullFrames::Start, &source);
    Simulator::Stop(
        start + PicoSeconds(std::llround(20 * frame)) + 4 * cable +
        Seconds(static_cast<double>(outcome.needed) * 8 / static_cast<double>(from->GetBitRate())));
    Simulator::Run();
    outcome.used = sw->GetBuffer().GetMaxHeadroomUsed();
    outcome.drops = sw->GetPort(0)->GetLosslessDrops();
    Simulator::Destroy();
    return outcome;
}

int
Main(int argc, char* argv[])
{
    Options options;
    ProgramReport report("roce-headroom",
                         "Fill a lossless priority of an Ethernet switch in the worst case, over "
                         "rate and cable length, with the computed headroom and a frame less.");
    report.AddOption("rates", "Rates, such as 400Gbps, with commas between", options.rates);
    report.AddOption("lengths", "Cable lengths in meters, 5 ns each", options.lengths);
    report.AddOption("model",
                     "Far end: ideal (reacts at once) or standard (as late as IEEE 802.3 allows)",
                     options.model);
    report.AddOption("mtu", "Payload of a frame in bytes", options.mtu);
    report.AddOption("quick", "Two rates, two lengths", options.quick);
    report.Parse(argc, argv);
    if (options.quick)
    {
        options.rates = "100Gbps,400Gbps";
        options.lengths = "5,100";
    }
    if (options.model != "ideal" && options.model != "standard")
    {
        throw std::invalid_argument("--model=" + options.model + ", expected ideal or standard");
    }
    const std::vector<double> lengths = SplitNumbers<double>("lengths", options.lengths, 0, 1e5);
    const std::vector<std::string> rates = SplitOption("rates", options.rates);
    for (const std::string& rate : rates)
    {
        DataRate parsed;
        std::istringstream text(rate);
        if (!(text >> parsed) || parsed.GetBitRate() < 1000000000)
        {
            throw std::invalid_argument("--rates: \"" + rate +
                                        "\", expected rates of at least 1Gbps, such as 400Gbps");
        }
    }

    report.Begin({{"rate", "rate"},
                  {"meters", "m"},
                  {"wireBytes", "on the wire"},
                  {"headroomBytes", "headroom B"},
                  {"usedBytes", "used B"},
                  {"drops", "lost"},
                  {"dropsOneLess", "lost, 1 less"},
                  {"spectrumBytes", "SONiC B"}});
    for (const std::string& rate : rates)
    {
        for (const double meters : lengths)
        {
            std::ostringstream progress;
            progress << rate << ", " << meters << " m";
            report.ShowProgress(progress.str());
            const Outcome enough = Run(options, rate, meters, 0);
            const Outcome less = Run(options, rate, meters, 1);
            const uint64_t bitRate = DataRate(rate).GetBitRate();
            PfcHeadroom::Link link;
            link.bitRate = bitRate;
            link.meters = meters;
            link.ownFrameBytes = link.peerFrameBytes = options.mtu + 82;
            link.responseQuanta =
                options.model == "standard" ? GetMaxPauseResponseQuanta(bitRate) : 0;
            PfcHeadroom::SonicLink sonic;
            sonic.bitRate = static_cast<double>(bitRate);
            sonic.meters = meters;
            sonic.cellBytes = 96;
            report.AddRow({rate,
                           meters,
                           static_cast<double>(PfcHeadroom::GetWireBytes(link)),
                           static_cast<double>(enough.needed),
                           static_cast<double>(enough.used),
                           static_cast<double>(enough.drops),
                           static_cast<double>(less.drops),
                           static_cast<double>(PfcHeadroom::GetSonicXoff(sonic))});
        }
    }
    report.AddNote("headroom: 2 frames, a pause frame, the cable twice and the reaction, without "
                   "preambles and gaps, which no buffer holds.");
    report.AddNote("lost, 1 less: frames lost with a full frame less of headroom. SONiC: xoff of "
                   "Spectrum-1 for small packets in its cells.");
    report.AddCurve({"headroom-over-length",
                     "Headroom over cable length",
                     "meters",
                     "headroomBytes",
                     {"rate"},
                     true,
                     false});
    report.Finish(std::cout);
    return 0;
}

} // namespace

int
main(int argc, char* argv[])
{
    return ProgramReport::Main("roce-headroom", &Main, argc, argv);
}
