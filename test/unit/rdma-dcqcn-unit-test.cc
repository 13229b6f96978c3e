/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The reaction point of DCQCN, step for step. Times are in ns, ns-3's default.

#include "ns3/boolean.h"
#include "ns3/dcqcn-rate-control.h"
#include "ns3/simulator.h"
#include "ns3/state-hash.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <gtest/gtest.h>
#include <stdexcept>
#include <utility>

using namespace ns3;

namespace
{

constexpr double LINE = 40e9;
constexpr double G = 1.0 / 256;

/** A reaction point at 40 Gb/s, with CNPs by a script. */
class DcqcnTest : public ::testing::Test
{
  protected:
    ~DcqcnTest() override
    {
        if (m_control)
        {
            m_control->Dispose();
        }
        Simulator::Destroy();
    }

    void Make(const std::string& preset,
              const std::vector<std::pair<std::string, std::string>>& settings = {})
    {
        ObjectFactory factory = DcqcnRateControl::Preset(preset);
        for (const auto& setting : settings)
        {
            factory.Set(setting.first, StringValue(setting.second));
        }
        m_control = factory.Create<DcqcnRateControl>();
        m_control->SetLineRate(static_cast<uint64_t>(LINE));
    }

    void CnpAt(double microseconds)
    {
        Simulator::Schedule(NanoSeconds(std::llround(microseconds * 1000)), &DcqcnTest::Cnp, this);
    }

    void Cnp()
    {
        m_control->OnCnp(FabricNow());
    }

    void RunTo(double microseconds)
    {
        Simulator::Stop(NanoSeconds(std::llround(microseconds * 1000)) - Simulator::Now());
        Simulator::Run();
    }

    void Expect(double current, double target, double alpha, const char* what)
    {
        EXPECT_NEAR(m_control->GetCurrentRate() / LINE, current / LINE, 1e-9) << what;
        EXPECT_NEAR(m_control->GetTargetRate() / LINE, target / LINE, 1e-9) << what;
        EXPECT_NEAR(m_control->GetAlpha(), alpha, 1e-9) << what;
    }

    Ptr<DcqcnRateControl> m_control; //!< under test
};

} // namespace

// A19, and the order of cut and alpha: the cut uses the alpha from before the CNP.
TEST_F(DcqcnTest, FirstCnpHalvesTheRate)
{
    Make("paper");
    EXPECT_EQ(m_control->GetRate(), 0U) << "no limit before the first CNP";
    CnpAt(10);
    RunTo(10.5);
    Expect(LINE / 2, LINE, 1, "alpha = 1 stays 1");
    EXPECT_EQ(m_control->GetRate(), static_cast<uint64_t>(LINE / 2));
}

TEST_F(DcqcnTest, SecondCutUsesAlphaFromBeforeTheCnp)
{
    Make("paper", {{"InitialAlpha", "0.5"}});
    CnpAt(10);
    CnpAt(20);
    RunTo(20.5);
    const double alpha1 = (1 - G) * 0.5 + G;
    const double alpha2 = (1 - G) * alpha1 + G;
    Expect(LINE * 0.75 * (1 - alpha1 / 2), LINE * 0.75, alpha2, "two CNPs");
}

// One CNP at 10 us: alpha at every multiple of K after it, rates at every multiple of T.
TEST_F(DcqcnTest, TableOfOneCnp)
{
    Make("paper");
    CnpAt(10);
    double alpha = 1;
    double current = LINE / 2;
    double target = LINE;
    const double step = 40e6;
    for (uint32_t k = 1; k <= 12; ++k)
    {
        RunTo(10 + 55.0 * k - 0.5);
        Expect(current, target, alpha, "just before both timers");
        RunTo(10 + 55.0 * k + 0.5);
        alpha *= 1 - G;
        if (k > 5)
        {
            target = std::min(LINE, target + step); // additive after F = 5 fast recoveries
        }
        current = (current + target) / 2;
        Expect(current, target, alpha, "just after both timers");
    }
}

TEST_F(DcqcnTest, AlphaDecaysGeometrically)
{
    Make("paper", {{"IncreaseInterval", "1s"}});
    CnpAt(0);
    for (const uint32_t k : {10, 100, 177, 256})
    {
        RunTo(55.0 * k + 1);
        EXPECT_NEAR(m_control->GetAlpha(), std::pow(1 - G, k), 1e-9);
    }
    EXPECT_NEAR(m_control->GetAlpha(), 0.3672, 1e-4);
}

// Fast recovery closes 1 - 2^-m of the gap; counting first makes one less.
TEST_F(DcqcnTest, FastRecovery)
{
    for (const bool countFirst : {false, true})
    {
        Make("paper", {{"CountFirst", countFirst ? "true" : "false"}});
        Cnp();
        Cnp(); // target 20 Gb/s, rate 10 Gb/s
        const double from = FabricSeconds(FabricNow()) * 1e6;
        const uint32_t recoveries = countFirst ? 4 : 5;
        for (uint32_t m = 1; m <= recoveries; ++m)
        {
            RunTo(from + 55.0 * m + 0.5);
            EXPECT_NEAR(m_control->GetCurrentRate(), LINE / 2 - LINE / 4 * std::pow(0.5, m), 1);
            EXPECT_EQ(m_control->GetTargetRate(), LINE / 2);
        }
        RunTo(from + 55.0 * (recoveries + 1) + 0.5);
        EXPECT_NEAR(m_control->GetTargetRate(), LINE / 2 + 40e6, 1) << "additive";
        m_control->Dispose();
    }
}

// Hyper increase: both counters have passed F; the step grows with their smaller one.
TEST_F(DcqcnTest, HyperIncrease)
{
    Make("paper", {{"ByteCounter", "1000"}});
    Cnp();
    Cnp();
    Cnp();                 // target 10 Gb/s, rate 5 Gb/s
    RunTo(55.0 * 8 + 0.5); // 8 events of time: 5 recoveries, 3 additive steps
    EXPECT_NEAR(m_control->GetTargetRate(), LINE / 4 + 3 * 40e6, 1);
    m_control->OnSent(6000, FabricNow()); // 6 events of bytes, all additive: min(0..5, 8) <= F
    EXPECT_NEAR(m_control->GetTargetRate(), LINE / 4 + 9 * 40e6, 1);
    m_control->OnSent(1000, FabricNow()); // min(6, 8) = F + 1
    EXPECT_NEAR(m_control->GetTargetRate(), LINE / 4 + 9 * 40e6 + 200e6, 1);
    m_control->OnSent(999, FabricNow());
    EXPECT_NEAR(m_control->GetTargetRate(), LINE / 4 + 9 * 40e6 + 200e6, 1);
    m_control->OnSent(1, FabricNow()); // min(7, 8) = F + 2
    EXPECT_NEAR(m_control->GetTargetRate(), LINE / 4 + 9 * 40e6 + 3 * 200e6, 1);
}

// A CNP resets the byte counter, its events and the timer.
TEST_F(DcqcnTest, CnpResetsWhatWasCounted)
{
    Make("paper", {{"ByteCounter", "1000"}});
    Cnp();
    m_control->OnSent(7999, FabricNow()); // 7 events: fast recovery is over
    EXPECT_EQ(m_control->GetTargetRate(), LINE);
    CnpAt(50);
    RunTo(50.5);
    const double current = m_control->GetCurrentRate();
    const double target = m_control->GetTargetRate();
    m_control->OnSent(999, FabricNow());
    RunTo(104.5); // the timer of the first CNP was due at 55 us
    EXPECT_EQ(m_control->GetCurrentRate(), current);
    m_control->OnSent(1, FabricNow()); // the first event: fast recovery once more
    EXPECT_EQ(m_control->GetCurrentRate(), (current + target) / 2);
    EXPECT_EQ(m_control->GetTargetRate(), target);
    RunTo(105.5); // and the first of the timer
    EXPECT_EQ(m_control->GetCurrentRate(), ((current + target) / 2 + target) / 2);
}

// Back at the line rate there is no limit, no timer and no memory.
TEST_F(DcqcnTest, ComesToRest)
{
    Make("paper");
    StateHash fresh;
    m_control->HashState(fresh, FabricNow());
    Cnp();
    StateHash cut;
    m_control->HashState(cut, FabricNow());
    EXPECT_NE(fresh.Get(), cut.Get());
    Simulator::Run(); // ends by itself
    EXPECT_EQ(m_control->GetRate(), 0U);
    // The gap of 20 Gb/s is below 1 bit/s after 35 halvings.
    EXPECT_NEAR(FabricSeconds(FabricNow()) * 1e6, 35 * 55, 56);
    StateHash rest;
    m_control->HashState(rest, FabricNow());
    EXPECT_EQ(fresh.Get(), rest.Get());
    Cnp();
    Expect(LINE / 2, LINE, 1, "as new");
}

// Adapters: CNPs act at the next look, alpha before the rate, and many of them act once.
TEST_F(DcqcnTest, PeriodicMachine)
{
    Make("hpcc-vendor", {{"G", "0.5"}, {"InitialAlpha", "0.5"}});
    CnpAt(10);
    RunTo(13.5);
    Expect(LINE, LINE, 0.5 * 0.5 * 0.5 * 0.5, "alpha decayed at 11, 12 and 13 us, no cut yet");
    RunTo(14.5);
    const double alpha = std::pow(0.5, 5);
    Expect(LINE * (1 - alpha / 2), LINE, alpha, "at 14 us alpha, then the cut");
    CnpAt(0.2);
    CnpAt(0.3);
    CnpAt(0.4);
    RunTo(15.5);
    const double raised = alpha / 2 + 0.5;
    Expect(LINE * (1 - alpha / 2), LINE, raised, "three CNPs are one for alpha");
    RunTo(18.5);
    const double decayed = raised / 8;
    Expect(LINE * (1 - alpha / 2) * (1 - decayed / 2), LINE, decayed, "and one cut at 18 us");
}

TEST_F(DcqcnTest, FirstCnpRate)
{
    Make("paper", {{"FirstCnpRate", "4Gbps"}});
    Cnp();
    Expect(4e9, LINE, 1, "set, not cut");
    RunTo(55.5);
    Expect((4e9 + LINE) / 2, LINE, 1 - G, "and raised again");
}

TEST_F(DcqcnTest, NeverBelowTheMinimum)
{
    Make("paper", {{"MinimumRate", "3Gbps"}});
    for (uint32_t i = 0; i < 100; ++i)
    {
        Cnp();
    }
    EXPECT_EQ(m_control->GetRate(), 3000000000U);
}

// No table of rates: steps grow with the line rate, whatever it is.
TEST_F(DcqcnTest, AnyLineRate)
{
    for (const uint64_t gigabits : {10, 37, 100, 400, 800})
    {
        Make("hpcc-paper");
        m_control->SetLineRate(gigabits * 1000000000);
        m_control->OnCnp(FabricNow());
        const double from = FabricSeconds(FabricNow()) * 1e6;
        RunTo(from + 50.5); // the cut
        EXPECT_NEAR(m_control->GetCurrentRate() / (gigabits * 1e9), 0.5, 0.01);
        m_control->OnCnp(FabricNow());
        RunTo(from + 100.5); // another; the target is still the line rate
        m_control->OnCnp(FabricNow());
        RunTo(from + 156.5); // a third at 150 us, after which the first raise is due at 205 us
        EXPECT_NEAR(m_control->GetTargetRate() / (gigabits * 1e9), 1, 1e-9);
        RunTo(from + 205.5);
        m_control->OnCnp(FabricNow());
        RunTo(from + 250.5); // cut after a raise: the target falls to the rate
        const double target = m_control->GetTargetRate();
        EXPECT_LT(target, 0.7 * gigabits * 1e9);
        RunTo(from + 250.5 + 110);
        EXPECT_NEAR((m_control->GetTargetRate() - target) / 5e6, gigabits / 25.0, 1e-6);
        m_control->Dispose();
    }
}

TEST_F(DcqcnTest, StepsOfAdaptersAreTheSameOnEveryLink)
{
    DataRateValue reference;
    DcqcnRateControl::Preset("nic").Create<DcqcnRateControl>()->GetAttribute("StepReference",
                                                                             reference);
    EXPECT_EQ(reference.Get().GetBitRate(), 0U); // rpg_ai_rate is 5 Mb/s, not 5 Mb/s x R/25G
}

TEST_F(DcqcnTest, UnknownPresetIsNamed)
{
    try
    {
        DcqcnRateControl::Preset("fast");
        FAIL();
    }
    catch (const std::invalid_argument& error)
    {
        EXPECT_STREQ(error.what(),
                     "DCQCN parameters 'fast', expected one of paper, hpcc-paper, hpcc-vendor, "
                     "nic");
    }
    for (const std::string& name : DcqcnRateControl::GetPresets())
    {
        EXPECT_TRUE(DcqcnRateControl::Preset(name).Create<DcqcnRateControl>());
    }
}
