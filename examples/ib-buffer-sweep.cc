/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// How much receive buffer does a lane of an InfiniBand link need for its length?
//
//     sender ====== cable ======> receiver     packets, as long as there are credits
//            <-----------------                flow-control packets bring credits back
//
// One lane is saturated for each rate, length and buffer. The table has the goodput that was
// measured, the closed form, and the buffers that would give full rate.

#include "ns3/ai-fabric-module.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

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
    std::string rates{"4xEDR,4xHDR,4xNDR,4xXDR"};
    std::string lengths{"1,10,50,100,300,1000"};
    std::string buffers{"8,32,64,128"};
    BoundedOption<uint32_t> mtu{"mtu", 4096, 256, 4096};
    BoundedOption<uint32_t> blockBytes{"blockBytes", 64, 64, 65536};
    BoundedOption<double> latencyNs{"latencyNs", 0, 0, 1e6};
    BoundedOption<uint32_t> loops{"loops", 20, 1, 100000};
    bool quick{false};
};

/** Has full packets for the device whenever it may send. */
class FullPackets : public FabricFrameSource
{
  public:
    FullPackets(const Ptr<FabricNetDevice>& from, const Ptr<FabricNetDevice>& to, uint64_t packets)
        : m_left(packets)
    {
        m_packet.src = from->GetFabricAddress();
        m_packet.dst = to->GetFabricAddress();
        m_packet.opcode = IbOpcode::RC_WRITE_MIDDLE;
        m_packet.payload = from->GetMaxRdmaPayload();
        from->ClassifyFrame(m_packet);
        from->SizeFrame(m_packet);
        from->GetPort().SetSource(this);
        from->GetPort().Kick();
    }

    uint32_t GetReadyClasses() override
    {
        return m_left ? 1U << m_packet.cls : 0;
    }

    uint32_t PeekFrameBytes(uint8_t /* cls */) override
    {
        return m_packet.frameBytes;
    }

    FabricFrame* Pull(uint8_t /* cls */) override
    {
        --m_left;
        FabricFrame* frame = FabricFramePool::Allocate();
        *frame = m_packet;
        return frame;
    }

  private:
    FabricFrame m_packet; //!< every packet
    uint64_t m_left;      //!< to be sent
};

/** Notes when packets come in. */
class Arrivals : public FabricFrameSink
{
  public:
    explicit Arrivals(const Ptr<FabricNetDevice>& device)
    {
        device->SetRdmaSink(this);
    }

    void ReceiveFrame(FabricFrame* frame, FabricNetDevice* /* device */) override
    {
        times.push_back(FabricNow());
        FabricFramePool::Release(frame);
    }

    std::vector<FabricTick> times; //!< of all packets
};

/** Saturate one lane and add the row. */
void
Measure(ProgramReport& report,
        const Options& options,
        const std::string& rate,
        double meters,
        double bufferKib)
{
    IbHelper helper;
    helper.SetLinkSpeed(rate);
    helper.SetDeviceAttribute("IbMtu", UintegerValue(options.mtu));
    helper.SetHostAttribute("ReceiveLatency",
                            TimeValue(PicoSeconds(std::llround(options.latencyNs * 1000))));
    helper.SetChannelAttribute("Delay", TimeValue(PicoSeconds(std::llround(meters * 5000))));
    helper.SetFlowControlAttribute("BlockBytes", UintegerValue(options.blockBytes));
    helper.SetFlowControlAttribute("BufferBytes",
                                   UintegerValue(static_cast<uint32_t>(bufferKib * 1024)));
    NodeContainer nodes;
    nodes.Create(2);
    const NetDeviceContainer ends = helper.Install(nodes.Get(0), nodes.Get(1));
    const auto from = DynamicCast<FabricNetDevice>(ends.Get(0));
    const auto to = DynamicCast<FabricNetDevice>(ends.Get(1));
    const IbLinkBuffer buffer = IbHelper::GetLinkBuffer(from);

    // Between packets that lie whole windows apart, after one window.
    const uint64_t window = buffer.GetPackets();
    FullPackets source(from, to, window * (options.loops + 2));
    Arrivals arrivals(to);
    Simulator::Run();
    const FabricTick span =
        arrivals.times.at(window * (options.loops + 1)) - arrivals.times.at(window);
    const double goodput = 8.0 * window * options.loops * options.mtu / FabricSeconds(span);
    const double error = goodput / buffer.GetGoodput() - 1;
    report.AddRow(
        {rate,
         meters,
         bufferKib * 1024,
         static_cast<double>(window),
         goodput,
         buffer.GetGoodput(),
         std::abs(error) < 1e-12 ? 0 : error, // the last bit of floating point
         static_cast<double>(buffer.GetBytes(buffer.GetMinPackets())),
         static_cast<double>(buffer.GetBytes(buffer.loop.MakePractical().GetFullRatePackets()))});
    Simulator::Destroy();
}

int
Main(int argc, char* argv[])
{
    Options options;
    ProgramReport report("ib-buffer-sweep",
                         "Saturate one lane of an InfiniBand link, over rate, cable length and "
                         "receive buffer, and compare with the closed form.");
    report.AddOption("rates", "Link speeds, such as 4xNDR, with commas between", options.rates);
    report.AddOption("lengths", "Cable lengths in meters, 5 ns each", options.lengths);
    report.AddOption("buffers", "Receive buffers of a lane in KiB", options.buffers);
    report.AddOption("mtu", "Payload of a packet in bytes", options.mtu);
    report.AddOption("blockBytes", "Unit of credit in bytes", options.blockBytes);
    report.AddOption("latencyNs", "Receive latency in ns", options.latencyNs);
    report.AddOption("loops", "Credit loops to measure", options.loops);
    report.AddOption("quick", "Two rates, two lengths, two buffers", options.quick);
    report.Parse(argc, argv);
    if (options.quick)
    {
        options.rates = "4xEDR,4xNDR";
        options.lengths = "10,100";
        options.buffers = "8,64";
    }
    if (options.mtu & (options.mtu - 1))
    {
        throw std::invalid_argument("--mtu=" + std::to_string(options.mtu) +
                                    ", expected 256, 512, 1024, 2048 or 4096 bytes");
    }
    const std::vector<double> lengths = SplitNumbers<double>("lengths", options.lengths, 0, 1e6);
    const std::vector<double> buffers =
        SplitNumbers<double>("buffers", options.buffers, 5, 1 << 20);
    const std::vector<std::string> rates = SplitOption("rates", options.rates);
    for (const std::string& rate : rates)
    {
        IbLinkSpeed::Parse(rate, "--rates");
    }

    report.Begin({{"rate", "rate"},
                  {"meters", "m"},
                  {"bufferBytes", "buffer KiB", 1.0 / 1024, 1},
                  {"packets", "packets"},
                  {"goodputBps", "goodput Gb/s", 1e-9, 3},
                  {"closedFormBps", "closed form", 1e-9, 3},
                  {"relativeError", "error %", 1e2, 4},
                  {"idealBytes", "ideal KiB", 1.0 / 1024, 1},
                  {"practicalBytes", "practical KiB", 1.0 / 1024, 1}});
    for (const std::string& rate : rates)
    {
        for (const double meters : lengths)
        {
            for (const double kib : buffers)
            {
                std::ostringstream progress;
                progress << rate << ", " << meters << " m, " << kib << " KiB";
                report.ShowProgress(progress.str());
                Measure(report, options, rate, meters, kib);
            }
        }
    }
    report.AddNote("goodput: payload of one saturated lane. ideal, practical: buffer for full "
                   "rate, without and with 200 ns and a full packet on the way back.");
    report.AddNote("closed form: payload * min(R/P, W/T), T = P/R + 2 tp + latency + F/R, W whole "
                   "packets within 2048 blocks.");
    report.AddCurve({"goodput-over-length",
                     "Goodput of a lane over cable length",
                     "meters",
                     "goodputBps",
                     {"rate", "bufferBytes"},
                     true,
                     false});
    report.AddCurve({"goodput-over-buffer",
                     "Goodput of a lane over receive buffer",
                     "bufferBytes",
                     "goodputBps",
                     {"rate", "meters"},
                     true,
                     false});
    report.Finish(std::cout);
    return 0;
}

} // namespace

int
main(int argc, char* argv[])
{
    return ProgramReport::Main("ib-buffer-sweep", &Main, argc, argv);
}
