/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Figures 3, 4, 8 and 9 of the DCQCN paper (Zhu et al., SIGCOMM 2015): what PFC alone does to flows
// that meet at a port, and to one that does not, and what DCQCN makes of it.
//
//                  S1          S2                     each leaf is cabled to both spines
//             L1       L2   L3       L4               each ToR to both leaves of its pod
//             T1       T2   T3       T4
//   unfairness: H1-H3 (T1) and H4 (T4) write to R (T4).
//   victim:     H11-H14 (T1) and 0, 1, 2 hosts of T3 write to R (T4); VS (T1) writes to VR (T2).

#include "ns3/ai-fabric-module.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

constexpr double NONE = std::numeric_limits<double>::quiet_NaN(); // no value

// Hosts, five under each ToR.
constexpr uint32_t T1 = 0;
constexpr uint32_t T2 = RoceTestbed::HOSTS_PER_TOR;
constexpr uint32_t T3 = 2 * RoceTestbed::HOSTS_PER_TOR;
constexpr uint32_t T4 = 3 * RoceTestbed::HOSTS_PER_TOR;
constexpr uint32_t R = T4;

/** What the command line says. */
struct Options
{
    std::string figure{"both"};
    std::string congestionControl{"paper"};
    BoundedOption<uint32_t> seeds{"seeds", 40, 1, 10000};
    BoundedOption<uint32_t> controlSeeds{"controlSeeds", 8, 0, 10000};
    BoundedOption<double> warmUpMs{"warmUpMs", 4, 0, 1e4};
    BoundedOption<double> windowMs{"windowMs", 8, 0.01, 1e4};
    BoundedOption<double> controlWarmUpMs{"controlWarmUpMs", 60, 0, 1e5};
    BoundedOption<double> controlWindowMs{"controlWindowMs", 60, 0.01, 1e5};
};

/** @returns so many milliseconds */
Time
FromMilliseconds(double milliseconds)
{
    return NanoSeconds(std::llround(milliseconds * 1e6));
}

/** @returns true if the value is the other one within a share of that */
bool
IsNear(double value, double other, double share)
{
    return std::abs(value - other) <= share * other;
}

/** Rates over all seeds, in bits per second. */
class Spread
{
  public:
    /** @param value of one seed */
    void Add(double value)
    {
        m_values.push_back(value);
        std::sort(m_values.begin(), m_values.end());
    }

    /** @returns the smallest one */
    double Min() const
    {
        return m_values.front();
    }

    /** @returns the middle one, or the mean of the two there */
    double Median() const
    {
        return (m_values[(m_values.size() - 1) / 2] + m_values[m_values.size() / 2]) / 2;
    }

    /** @returns the largest one */
    double Max() const
    {
        return m_values.back();
    }

  private:
    std::vector<double> m_values; //!< sorted
};

/** Prints what the paper has, what we have, and whether that is the same. */
class Figures
{
  public:
    Figures(const Options& options, ProgramReport& report)
        : m_options(options),
          m_report(report)
    {
    }

    /** Figures 3 and 8. */
    void RunUnfairness();
    /** Figures 4 and 9. */
    void RunVictim();

  private:
    /** One run. */
    struct Outcome
    {
        RoceTestbedResult result; //!< rates, pauses
        bool coupled{false};      //!< H1-H3 share links and then part
        uint32_t inputs{0};       //!< ports of R's switch on which H1-H3 come in
    };

    uint32_t GetSeeds(bool control) const
    {
        return control ? m_options.controlSeeds : m_options.seeds;
    }

    Outcome Run(const std::string& figure, bool control, uint32_t extra, uint32_t seed) const;
    void Add(const std::string& figure,
             bool control,
             const std::string& what,
             const Spread& spread,
             const std::string& paper,
             const std::string& tolerance,
             bool good);
    void AddPauses(const std::string& figure, uint64_t off, uint64_t on);

    const Options& m_options; //!< what the command line says
    ProgramReport& m_report;  //!< takes rows
    double m_full{40e9};      //!< rate of all links in bits per second
};

Figures::Outcome
Figures::Run(const std::string& figure, bool control, uint32_t extra, uint32_t seed) const
{
    m_report.ShowProgress(figure + (control ? ", DCQCN" : ", PFC only") + ", seed " +
                          std::to_string(seed));
    Outcome outcome;
    double payload = 1;
    {
        RoceTestbedOptions options;
        options.congestionControl = control ? m_options.congestionControl : "none";
        options.ecmpSeed = seed;
        RoceTestbed testbed(options);
        payload = static_cast<double>(options.mtu) / testbed.GetWireBytes();
        if (figure == "unfairness")
        {
            testbed.AddFlow("H1", T1, R);
            testbed.AddFlow("H2", T1 + 1, R);
            testbed.AddFlow("H3", T1 + 2, R);
            testbed.AddFlow("H4", T4 + 1, R);
        }
        else
        {
            testbed.AddFlow("VS", T1, T2);
            for (uint32_t i = 1; i <= 4; ++i)
            {
                testbed.AddFlow("H1" + std::to_string(i), T1 + i, R);
            }
            for (uint32_t i = 0; i < extra; ++i)
            {
                testbed.AddFlow("H3" + std::to_string(i + 1), T3 + i, R);
            }
        }
        testbed.Probe();
        outcome.coupled = testbed.IsCoupled(R, {0, 1, 2});
        outcome.inputs = testbed.CountInputs(R, {0, 1, 2});
        outcome.result =
            testbed.Run(FromMilliseconds(control ? m_options.controlWarmUpMs : m_options.warmUpMs),
                        FromMilliseconds(control ? m_options.controlWindowMs : m_options.windowMs));
    }
    Simulator::Destroy();
    for (RoceTestbedFlow& flow : outcome.result.flows)
    {
        flow.rate /= payload; // on the wire, as the shares of a link are told
        flow.fairShare /= payload;
    }
    if (outcome.result.losslessDrops)
    {
        throw std::runtime_error(std::to_string(outcome.result.losslessDrops) +
                                 " lossless frames dropped, expected none");
    }
    return outcome;
}

void
Figures::Add(const std::string& figure,
             bool control,
             const std::string& what,
             const Spread& spread,
             const std::string& paper,
             const std::string& tolerance,
             bool good)
{
    m_report.AddRow({control ? m_options.congestionControl : "off",
                     "roce",
                     figure,
                     what,
                     spread.Min(),
                     spread.Median(),
                     spread.Max(),
                     paper,
                     tolerance,
                     tolerance.empty() ? ""
                     : good            ? "ok"
                                       : "MISSED"});
}

void
Figures::AddPauses(const std::string& figure, uint64_t off, uint64_t on)
{
    // Per ms, because the windows are not of one length. No pause counts as one.
    const double offRate = static_cast<double>(off) / m_options.windowMs;
    const double onRate =
        static_cast<double>(std::max<uint64_t>(on, 1)) / m_options.controlWindowMs;
    std::ostringstream line;
    line << figure << ": " << off << " pause frames in " << m_options.windowMs
         << " ms of all runs without DCQCN, " << on << " in " << m_options.controlWindowMs
         << " ms with it; ratio of rates " << std::llround(offRate / onRate)
         << ", expected above 100: " << (offRate > 100 * onRate ? "ok" : "MISSED");
    m_report.AddNote(line.str());
}

void
Figures::RunUnfairness()
{
    uint64_t pauses[2] = {0, 0};
    for (const bool control : {false, true})
    {
        if (GetSeeds(control) == 0)
        {
            return;
        }
        std::vector<Spread> hosts(4);
        std::map<std::pair<uint32_t, bool>, Spread> local;
        std::map<std::pair<uint32_t, bool>, Spread> remote;
        Spread jain;
        bool ordered = true;
        for (uint32_t seed = 1; seed <= GetSeeds(control); ++seed)
        {
            const Outcome outcome = Run("unfairness", control, 0, seed);
            double others = 0;
            double most = 0;
            for (std::size_t i = 0; i < hosts.size(); ++i)
            {
                const double rate = outcome.result.flows[i].rate;
                hosts[i].Add(rate);
                others += i < 3 ? rate / 3 : 0;
                most = i < 3 ? std::max(most, rate) : most;
            }
            local[{outcome.inputs, outcome.coupled}].Add(outcome.result.flows[3].rate);
            remote[{outcome.inputs, outcome.coupled}].Add(others);
            ordered = ordered && outcome.result.flows[3].rate > most;
            jain.Add(outcome.result.GetJainIndex());
            pauses[control] += outcome.result.pauses;
        }
        if (control)
        {
            for (std::size_t i = 0; i < hosts.size(); ++i)
            {
                const double fair = m_full / 4;
                Add("9",
                    true,
                    "H" + std::to_string(i + 1),
                    hosts[i],
                    "about 10",
                    "median, 5 %",
                    IsNear(hosts[i].Median(), fair, 0.05));
            }
            m_report.AddNote(
                "unfairness, DCQCN: Jain index " + std::to_string(jain.Min()) +
                " at least, expected above 0.98: " + (jain.Min() > 0.98 ? "ok" : "MISSED"));
            continue;
        }
        for (std::size_t i = 0; i < 3; ++i)
        {
            Add("3",
                false,
                "H" + std::to_string(i + 1),
                hosts[i],
                "6.67 to 9",
                "min, median",
                hosts[i].Median() < m_full / 4 && hosts[i].Min() > 0);
        }
        Add("3",
            false,
            "H4",
            hosts[3],
            "13.3 to 20",
            "2 %",
            hosts[3].Min() > 0.98 * m_full / 3 && hosts[3].Max() < 1.02 * m_full / 2);
        for (const auto& [key, spread] : local)
        {
            // Closed form of a switch that is fair to its inputs. Flows that share a link and then
            // part hold each other back: then it is only a bound.
            const auto [inputs, coupled] = key;
            const double share = m_full / (1 + inputs);
            const double mean = (m_full - share) / 3;
            const std::string over = ", " + std::to_string(inputs) +
                                     (inputs > 1 ? " uplinks" : " uplink") +
                                     (coupled ? ", shared before" : "");
            const Spread& others = remote[key];
            const double low = coupled ? share : 0.98 * share;
            const double high = coupled ? m_full / 2 : 1.02 * share;
            Add("3",
                false,
                "H4" + over,
                spread,
                inputs == 1 ? "20" : "13.33",
                coupled ? "to 20" : "2 %",
                spread.Min() >= low && spread.Max() <= high);
            Add("3",
                false,
                "mean of H1-H3" + over,
                others,
                inputs == 1 ? "6.67" : "8.89",
                coupled ? "down to 6.67" : "2 %",
                others.Max() < 1.02 * mean && others.Min() > (coupled ? m_full / 6 : 0.98 * mean));
        }
        m_report.AddNote(std::string("unfairness, PFC only: H4 has more than each of H1-H3 with "
                                     "every seed: ") +
                         (ordered ? "ok" : "MISSED"));
    }
    AddPauses("unfairness", pauses[0], pauses[1]);
}

void
Figures::RunVictim()
{
    uint64_t pauses[2] = {0, 0};
    for (const bool control : {false, true})
    {
        if (GetSeeds(control) == 0)
        {
            return;
        }
        double former = NONE;
        for (const uint32_t extra : {0, 1, 2})
        {
            Spread victim;
            Spread ideal;
            Spread share;
            for (uint32_t seed = 1; seed <= GetSeeds(control); ++seed)
            {
                const Outcome outcome = Run("victim", control, extra, seed);
                const RoceTestbedFlow& flow = outcome.result.flows[0];
                victim.Add(flow.rate);
                ideal.Add(flow.fairShare);
                share.Add(flow.rate / flow.fairShare);
                pauses[control] += outcome.result.pauses;
            }
            const std::string what = "VS, " + std::to_string(extra) + " senders under T3";
            const double median = victim.Median();
            const double part = median / ideal.Median();
            const std::string mode = control ? "9" : "4";
            if (control)
            {
                Add(mode, true, what, victim, "near ideal", "10 %", IsNear(share.Median(), 1, 0.1));
            }
            else
            {
                const double paper = extra == 0 ? 10e9 : 4.5e9;
                const bool falls = extra == 0 || median < former;
                Add(mode,
                    false,
                    what,
                    victim,
                    extra == 0   ? "10"
                    : extra == 1 ? "-"
                                 : "4.5",
                    extra == 1 ? "falls" : "falls, 25 %",
                    falls && (extra == 1 || IsNear(median, paper, 0.25)));
            }
            Add(mode, control, "its max-min share", ideal, "20", "", true);
            std::ostringstream line;
            line << what << ", " << (control ? "DCQCN" : "PFC only") << ": median "
                 << std::llround(100 * part)
                 << " % of the median max-min share; of the same seed's "
                 << std::llround(100 * share.Median()) << " % (" << std::llround(100 * share.Min())
                 << " to " << std::llround(100 * share.Max()) << " %)";
            if (!control && extra == 2)
            {
                line << ", expected below 50 %: " << (part < 0.5 ? "ok" : "MISSED");
            }
            m_report.AddNote(line.str());
            former = median;
        }
    }
    m_report.AddNote("VS: the paper's median is over the paths that its switches chose, ours over "
                     "all; where VS shares no uplink with H11-H14, it has all of it");
    m_report.AddNote("DCQCN: H11-H14 may be marked at two queues, VS at one only, so that VS may "
                     "have more than its share");
    AddPauses("victim", pauses[0], pauses[1]);
}

int
Show(int argc, char* argv[])
{
    Options options;
    ProgramReport report("roce-unfairness",
                         "PFC's unfairness and its victims, without and with DCQCN.");
    report.AddOption("figure", "unfairness, victim or both", options.figure);
    report.AddOption("congestionControl",
                     "Parameters of DCQCN, by name",
                     options.congestionControl);
    report.AddOption("seeds", "Number of ECMP seeds", options.seeds);
    report.AddOption("controlSeeds", "The same with DCQCN; 0: not at all", options.controlSeeds);
    report.AddOption("warmUpMs", "Time before measuring, PFC only, in ms", options.warmUpMs);
    report.AddOption("windowMs", "Time of measuring, PFC only, in ms", options.windowMs);
    report.AddOption("controlWarmUpMs", "The same with DCQCN", options.controlWarmUpMs);
    report.AddOption("controlWindowMs", "The same with DCQCN", options.controlWindowMs);
    report.Parse(argc, argv);
    if (options.figure != "unfairness" && options.figure != "victim" && options.figure != "both")
    {
        throw std::invalid_argument("--figure=" + options.figure +
                                    ", expected unfairness, victim or both");
    }
    DcqcnRateControl::Preset(options.congestionControl); // known?
    report.Begin({{"congestionControl", "DCQCN"},
                  {"fabric", "fabric"},
                  {"figure", "figure"},
                  {"flow", "flow"},
                  {"minBps", "min Gb/s", 1e-9, 2},
                  {"medianBps", "median", 1e-9, 2},
                  {"maxBps", "max", 1e-9, 2},
                  {"paper", "paper"},
                  {"tolerance", "tolerance"},
                  {"verdict", "verdict"}});
    Figures figures(options, report);
    if (options.figure != "victim")
    {
        figures.RunUnfairness();
    }
    if (options.figure != "unfairness")
    {
        figures.RunVictim();
    }
    report.Finish(std::cout);
    return 0;
}

} // namespace

int
main(int argc, char* argv[])
{
    return ProgramReport::Main("roce-unfairness", &Show, argc, argv);
}
