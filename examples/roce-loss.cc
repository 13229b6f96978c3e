/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What do lost packets cost a reliable connection that recovers by going back or selectively?
//
//     sender ====== cable ======> receiver     packets, some of them with wrong bits
//            <-----------------                ACKs, NAKs
//
// One saturated connection for each loss rate and way of recovery. The table has the goodput that
// was measured as a share of a line without losses, and the closed form.

#include "ns3/ai-fabric-module.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"

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
    std::string losses{"1e-5,1e-4,1e-3,1e-2"};
    std::string recoveries{"GoBackN,SelectiveRepeat"};
    BoundedOption<double> gbps{"gbps", 100, 1, 1600};
    BoundedOption<double> meters{"meters", 1000, 1, 1e6};
    BoundedOption<uint32_t> mtu{"mtu", 4096, 256, 4096};
    BoundedOption<uint32_t> messagePackets{"messagePackets", 256, 1, 1 << 20};
    BoundedOption<uint32_t> slots{"slots", 100000, 1000, 100000000};
    BoundedOption<uint32_t> timeoutExponent{"timeoutExponent", 8, 1, 31};
    BoundedOption<double> rtoLowUs{"rtoLowUs", 100, 0.001, 1e6};
    BoundedOption<double> rtoHighUs{"rtoHighUs", 320, 0.001, 1e6};
    BoundedOption<uint64_t> bdpCapBytes{"bdpCapBytes", 0, 0, 1ULL << 40};
    BoundedOption<uint32_t> seed{"seed", 1, 0, 1000000};
    bool quick{false};
};

/** @returns the way of recovery with this name */
RcRecovery
ParseRecovery(const std::string& name)
{
    for (const RcRecovery recovery :
         {RcRecovery::GO_BACK_N, RcRecovery::GO_BACK_ZERO, RcRecovery::SELECTIVE_REPEAT})
    {
        if (name == ToString(recovery))
        {
            return recovery;
        }
    }
    throw std::invalid_argument("--recoveries: \"" + name +
                                "\", expected GoBackN, GoBackZero or SelectiveRepeat");
}

/** Run one connection and add the row. */
void
Measure(ProgramReport& report, const Options& options, const std::string& name, double loss)
{
    LossRecoveryScenario::Config config;
    config.recovery = ParseRecovery(name);
    config.lossRate = loss;
    config.rate = DataRate(static_cast<uint64_t>(std::llround(options.gbps * 1e9)));
    config.delay = PicoSeconds(std::llround(options.meters * 5000));
    config.mtu = options.mtu;
    config.messageBytes = uint64_t{options.mtu} * options.messagePackets;
    config.slots = options.slots;
    config.timeoutExponent = static_cast<uint8_t>(options.timeoutExponent);
    config.rtoLow = PicoSeconds(std::llround(options.rtoLowUs * 1e6));
    config.rtoHigh = PicoSeconds(std::llround(options.rtoHighUs * 1e6));
    config.bdpCapBytes = options.bdpCapBytes;
    config.stream = options.seed;
    const LossRecoveryScenario::Result result = LossRecoveryScenario::Run(config);
    report.AddRow({name,
                   loss,
                   result.goodputBps,
                   result.share,
                   result.closedForm,
                   result.share / result.closedForm - 1,
                   result.lineUse,
                   result.loopSlots,
                   result.timeoutSlots,
                   static_cast<double>(result.lost),
                   static_cast<double>(result.retransmitted),
                   static_cast<double>(result.timeouts)});
}

int
Main(int argc, char* argv[])
{
    Options options;
    ProgramReport report("roce-loss",
                         "Goodput of a saturated RoCE connection under random loss of its packets, "
                         "over loss rate and way of recovery, compared with the closed form.");
    report.AddOption("losses", "Loss rates of packets, with commas between", options.losses);
    report.AddOption("recoveries",
                     "Ways of recovery: GoBackN, GoBackZero, SelectiveRepeat",
                     options.recoveries);
    report.AddOption("gbps", "Rate of the line in Gb/s", options.gbps);
    report.AddOption("meters", "Length of the cable in meters, 5 ns each", options.meters);
    report.AddOption("mtu", "Payload of a packet in bytes", options.mtu);
    report.AddOption("messagePackets", "Packets of a message", options.messagePackets);
    report.AddOption("slots", "Packet times to measure", options.slots);
    report.AddOption("timeoutExponent",
                     "Local ACK timeout: 4.096 us x 2^n (not SelectiveRepeat)",
                     options.timeoutExponent);
    report.AddOption("rtoLowUs",
                     "Timeout in us with few packets in flight (SelectiveRepeat)",
                     options.rtoLowUs);
    report.AddOption("rtoHighUs", "Timeout in us otherwise (SelectiveRepeat)", options.rtoHighUs);
    report.AddOption("bdpCapBytes", "Most in flight in bytes; 0: no limit", options.bdpCapBytes);
    report.AddOption("seed", "Random stream of the losses", options.seed);
    report.AddOption("quick", "Two loss rates, fewer packets", options.quick);
    report.Parse(argc, argv);
    if (options.quick)
    {
        options.losses = "1e-4,1e-2";
        options.slots = BoundedOption<uint32_t>("slots", 5000, 1000, 100000000);
    }
    if (options.mtu & (options.mtu - 1))
    {
        throw std::invalid_argument("--mtu=" + std::to_string(options.mtu) +
                                    ", expected 256, 512, 1024, 2048 or 4096 bytes");
    }
    const std::vector<double> losses = SplitNumbers<double>("losses", options.losses, 0, 0.5);
    const std::vector<std::string> recoveries = SplitOption("recoveries", options.recoveries);
    for (const std::string& name : recoveries)
    {
        ParseRecovery(name);
    }

    report.Begin({{"recovery", "recovery"},
                  {"lossRate", "loss 1e-6", 1e6, 1},
                  {"goodputBps", "goodput Gb/s", 1e-9, 3},
                  {"share", "share", 1, 4},
                  {"closedForm", "closed form", 1, 4},
                  {"relativeError", "error %", 1e2, 2},
                  {"lineUse", "line %", 1e2, 1},
                  {"loopSlots", "W"},
                  {"timeoutSlots", "T"},
                  {"lost", "lost"},
                  {"retransmitted", "resent"},
                  {"timeouts", "timeouts"}});
    for (const std::string& name : recoveries)
    {
        for (const double loss : losses)
        {
            std::ostringstream progress;
            progress << name << ", " << loss;
            report.ShowProgress(progress.str());
            Measure(report, options, name, loss);
        }
    }
    report.AddNote("share: of the goodput without losses. W: packet times from the first sending "
                   "of a lost packet to its resending. T: those of a timeout.");
    report.AddNote("closed form, loss rate p: GoBackN (1-p)/(1-p+pW+p^2 T), SelectiveRepeat 1-p "
                   "while bdpCapBytes holds nothing back, GoBackZero: messages until one comes "
                   "through.");
    report.AddCurve({"share-over-loss",
                     "Goodput over loss rate, as a share of a line without losses",
                     "lossRate",
                     "share",
                     {"recovery"},
                     true,
                     false});
    report.AddCurve({"closed-form-over-loss",
                     "Closed form of goodput over loss rate",
                     "lossRate",
                     "closedForm",
                     {"recovery"},
                     true,
                     false});
    report.Finish(std::cout);
    return 0;
}

} // namespace

int
main(int argc, char* argv[])
{
    return ProgramReport::Main("roce-loss", &Main, argc, argv);
}
