/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dcqcn-rate-control.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/enum-attribute.h"
#include "ns3/log.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("DcqcnRateControl");
NS_OBJECT_ENSURE_REGISTERED(DcqcnRateControl);

namespace
{

/** Parameters as attribute values. */
using Settings = std::vector<std::pair<const char*, const char*>>;

/** Published sets. What a set does not name has its default, which is the paper's. */
const std::vector<std::pair<const char*, Settings>> PRESETS = {
    {"paper", {}},
    {"hpcc-paper",
     {{"Machine", "Periodic"},
      {"AlphaInterval", "50us"},
      {"DecreaseInterval", "50us"},
      {"ByteCounter", "0"},
      {"Threshold", "1"},
      {"AdditiveStep", "5Mbps"},
      {"HyperStep", "50Mbps"},
      {"StepReference", "25Gbps"},
      {"MinimumRate", "1Gbps"},
      {"ClampTarget", "false"}}},
    {"hpcc-vendor",
     {{"Machine", "Periodic"},
      {"AlphaInterval", "1us"},
      {"DecreaseInterval", "4us"},
      {"IncreaseInterval", "300us"},
      {"ByteCounter", "0"},
      {"Threshold", "1"},
      {"AdditiveStep", "5Mbps"},
      {"HyperStep", "50Mbps"},
      {"StepReference", "25Gbps"},
      {"MinimumRate", "1Gbps"},
      {"ClampTarget", "false"}}},
    {"nic",
     {{"Machine", "Periodic"},
      {"G", "0.0048828125"}, // 5 / 1024
      {"InitialAlpha", "0.9990234375"},
      {"AlphaInterval", "1us"},
      {"DecreaseInterval", "4us"},
      {"IncreaseInterval", "300us"},
      {"ByteCounter", "2097088"}, // 32767 units of 64 bytes
      {"Threshold", "1"},
      {"AdditiveStep", "5Mbps"},
      {"HyperStep", "50Mbps"},
      {"StepReference", "0bps"}, // the same on every link
      {"MinimumRate", "1Mbps"},
      {"ClampTarget", "false"}}},
};

/** @returns the bits of a number, for a hash */
int64_t
Bits(double value)
{
    int64_t bits;
    static_assert(sizeof bits == sizeof value, "a double has 64 bits");
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

} // namespace

TypeId
DcqcnRateControl::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::DcqcnRateControl")
            .SetParent<RateControl>()
            .SetGroupName("AiFabric")
            .AddConstructor<DcqcnRateControl>()
            .AddAttribute("Machine",
                          "When CNPs act: at once, as in the paper, or at the next look, as in "
                          "adapters.",
                          EnumValue(DcqcnRateControl::PER_CNP),
                          MakeFabricEnumAccessor(&DcqcnRateControl::m_machine),
                          MakeEnumChecker(DcqcnRateControl::PER_CNP,
                                          "PerCnp",
                                          DcqcnRateControl::PERIODIC,
                                          "Periodic"))
            .AddAttribute("G",
                          "Gain of alpha (paper: 1/256).",
                          DoubleValue(1.0 / 256),
                          MakeDoubleAccessor(&DcqcnRateControl::m_g),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("InitialAlpha",
                          "Alpha at the first CNP.",
                          DoubleValue(1),
                          MakeDoubleAccessor(&DcqcnRateControl::m_initialAlpha),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("AlphaInterval",
                          "K: alpha decays when so much time has passed without a CNP (PerCnp), "
                          "or is updated every so often (Periodic).",
                          TimeValue(MicroSeconds(55)),
                          MakeTimeAccessor(&DcqcnRateControl::m_alphaInterval),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("DecreaseInterval",
                          "Time between two looks for CNPs that cut the rate (Periodic).",
                          TimeValue(MicroSeconds(4)),
                          MakeTimeAccessor(&DcqcnRateControl::m_decreaseInterval),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("IncreaseInterval",
                          "T: time after which the rate is raised.",
                          TimeValue(MicroSeconds(55)),
                          MakeTimeAccessor(&DcqcnRateControl::m_increaseInterval),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("ByteCounter",
                          "B: bytes on the wire after which the rate is raised; 0: off.",
                          UintegerValue(10000000),
                          MakeUintegerAccessor(&DcqcnRateControl::m_byteCounter),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Threshold",
                          "F: events of either kind that belong to fast recovery.",
                          UintegerValue(5),
                          MakeUintegerAccessor(&DcqcnRateControl::m_threshold),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("CountFirst",
                          "An event counts before its stage is chosen, which makes one fast "
                          "recovery less.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&DcqcnRateControl::m_countFirst),
                          MakeBooleanChecker())
            .AddAttribute("AdditiveStep",
                          "Rai: the target is raised by it after fast recovery.",
                          DataRateValue(DataRate("40Mbps")),
                          MakeDataRateAccessor(&DcqcnRateControl::m_additiveStep),
                          MakeDataRateChecker())
            .AddAttribute("HyperStep",
                          "Rhai: the target is raised by a multiple of it when both time and "
                          "bytes have passed fast recovery. (The paper gives none; 200 Mb/s is "
                          "that of its authors' simulator.)",
                          DataRateValue(DataRate("200Mbps")),
                          MakeDataRateAccessor(&DcqcnRateControl::m_hyperStep),
                          MakeDataRateChecker())
            .AddAttribute("StepReference",
                          "Line rate to which the steps belong: they grow with the line rate. 0: "
                          "they are the same on every link.",
                          DataRateValue(DataRate("40Gbps")),
                          MakeDataRateAccessor(&DcqcnRateControl::m_stepReference),
                          MakeDataRateChecker())
            .AddAttribute("MinimumRate",
                          "The rate is never cut below it.",
                          DataRateValue(DataRate("10Mbps")),
                          MakeDataRateAccessor(&DcqcnRateControl::m_minimumRate),
                          MakeDataRateChecker())
            .AddAttribute("ClampTarget",
                          "The target becomes the current rate at every cut. If false, only at "
                          "cuts after the rate has been raised.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&DcqcnRateControl::m_clampTarget),
                          MakeBooleanChecker())
            .AddAttribute("FirstCnpRate",
                          "Rate set by the first CNP; 0: it is cut as by any other.",
                          DataRateValue(DataRate(uint64_t{0})),
                          MakeDataRateAccessor(&DcqcnRateControl::m_firstCnpRate),
                          MakeDataRateChecker())
            .AddTraceSource("Rate",
                            "The current rate, the target rate or alpha has changed.",
                            MakeTraceSourceAccessor(&DcqcnRateControl::m_rateTrace),
                            "ns3::DcqcnRateControl::RateTracedCallback");
    return tid;
}

DcqcnRateControl::DcqcnRateControl()
    : m_alphaTimer(Create<MemberTimer<DcqcnRateControl>>(this, &DcqcnRateControl::AlphaDue)),
      m_decreaseTimer(Create<MemberTimer<DcqcnRateControl>>(this, &DcqcnRateControl::DecreaseDue)),
      m_increaseTimer(Create<MemberTimer<DcqcnRateControl>>(this, &DcqcnRateControl::IncreaseDue))
{
}

void
DcqcnRateControl::DoDispose()
{
    m_alphaTimer->Detach();
    m_decreaseTimer->Detach();
    m_increaseTimer->Detach();
    RateControl::DoDispose();
}

ObjectFactory
DcqcnRateControl::Preset(const std::string& name)
{
    for (const auto& preset : PRESETS)
    {
        if (name == preset.first)
        {
            ObjectFactory factory;
            factory.SetTypeId(GetTypeId());
            for (const auto& setting : preset.second)
            {
                factory.Set(setting.first, StringValue(setting.second));
            }
            return factory;
        }
    }
    std::string known;
    for (const std::string& preset : GetPresets())
    {
        known += (known.empty() ? "" : ", ") + preset;
    }
    throw std::invalid_argument("DCQCN parameters '" + name + "', expected one of " + known);
}

std::vector<std::string>
DcqcnRateControl::GetPresets()
{
    std::vector<std::string> names;
    for (const auto& preset : PRESETS)
    {
        names.emplace_back(preset.first);
    }
    return names;
}

double
DcqcnRateControl::GetAlpha() const
{
    return m_limited ? m_alpha : m_initialAlpha;
}

double
DcqcnRateControl::GetTargetRate() const
{
    return m_limited ? m_target : 0;
}

double
DcqcnRateControl::GetCurrentRate() const
{
    return m_limited ? m_current : 0;
}

void
DcqcnRateControl::SetLineRate(uint64_t bitsPerSecond)
{
    m_lineRate = static_cast<double>(bitsPerSecond);
}

uint64_t
DcqcnRateControl::GetRate() const
{
    return m_limited ? std::max<uint64_t>(1, static_cast<uint64_t>(m_current)) : 0;
}

void
DcqcnRateControl::OnCnp(FabricTick now)
{
    if (!m_limited)
    {
        m_limited = true;
        m_current = m_target = m_lineRate;
        m_alpha = m_initialAlpha;
        m_byteEvents = m_timeEvents = 0;
        m_bytes = 0;
        m_cnpForAlpha = m_cnpForCut = false;
        const auto first = static_cast<double>(m_firstCnpRate.GetBitRate());
        m_alphaTimer->Set(now + m_alphaInterval.GetTimeStep());
        if (first > 0)
        {
            m_current = std::min(m_lineRate, first);
            m_increaseTimer->Set(now + m_increaseInterval.GetTimeStep());
        }
        if (m_machine == PERIODIC)
        {
            // Alpha has its first value; the rate is cut at the first look.
            m_cnpForCut = true;
            m_decreaseTimer->Set(now + m_decreaseInterval.GetTimeStep());
        }
        else
        {
            if (first == 0)
            {
                Cut(now);
            }
            m_alpha = (1 - m_g) * m_alpha + m_g;
        }
    }
    else if (m_machine == PER_CNP)
    {
        Cut(now);
        m_alpha = (1 - m_g) * m_alpha + m_g;
        m_alphaTimer->Set(now + m_alphaInterval.GetTimeStep());
    }
    else
    {
        m_cnpForAlpha = m_cnpForCut = true;
        return;
    }
    Report();
}

void
DcqcnRateControl::Cut(FabricTick now)
{
    if (m_clampTarget || m_timeEvents > 0 || m_byteEvents > 0)
    {
        m_target = m_current;
    }
    m_current = std::max(m_current * (1 - m_alpha / 2),
                         std::min(m_lineRate, static_cast<double>(m_minimumRate.GetBitRate())));
    m_byteEvents = m_timeEvents = 0;
    m_bytes = 0;
    m_increaseTimer->Set(now + m_increaseInterval.GetTimeStep());
}

double
DcqcnRateControl::GetStep(const DataRate& attribute) const
{
    const auto step = static_cast<double>(attribute.GetBitRate());
    const auto reference = static_cast<double>(m_stepReference.GetBitRate());
    return reference > 0 ? step * m_lineRate / reference : step;
}

void
DcqcnRateControl::Raise()
{
    const uint32_t most = std::max(m_byteEvents, m_timeEvents);
    const uint32_t least = std::min(m_byteEvents, m_timeEvents);
    if (least > m_threshold)
    {
        m_target += (least - m_threshold) * GetStep(m_hyperStep);
    }
    else if (most >= m_threshold)
    {
        m_target += GetStep(m_additiveStep);
    }
    m_target = std::min(m_target, m_lineRate);
    m_current = (m_current + m_target) / 2;
    if (m_lineRate - m_current < 1)
    {
        m_limited = false;
        m_alphaTimer->Stop();
        m_decreaseTimer->Stop();
        m_increaseTimer->Stop();
    }
    Report();
}

void
DcqcnRateControl::AlphaDue()
{
    const bool cnp =
        m_cnpForAlpha; // PER_CNP: none has come, or the timer would have been restarted
    m_cnpForAlpha = false;
    m_alpha = (1 - m_g) * m_alpha + (cnp ? m_g : 0);
    m_alphaTimer->Set(FabricNow() + m_alphaInterval.GetTimeStep());
    Report();
}

void
DcqcnRateControl::DecreaseDue()
{
    const FabricTick now = FabricNow();
    if (m_alphaTimer->GetDue() <= now)
    {
        m_alphaTimer->Stop();
        AlphaDue(); // alpha first
    }
    m_decreaseTimer->Set(now + m_decreaseInterval.GetTimeStep());
    if (m_cnpForCut)
    {
        m_cnpForCut = false;
        Cut(now);
        RateChanged();
        Report();
    }
}

void
DcqcnRateControl::IncreaseDue()
{
    m_increaseTimer->Set(FabricNow() + m_increaseInterval.GetTimeStep());
    m_timeEvents += m_countFirst ? 1 : 0;
    Raise();
    m_timeEvents += m_countFirst ? 0 : 1;
    RateChanged();
}

void
DcqcnRateControl::OnSent(uint32_t wireBytes, FabricTick /* now */)
{
    if (!m_limited || !m_byteCounter)
    {
        return;
    }
    m_bytes += wireBytes;
    while (m_limited && m_bytes >= m_byteCounter)
    {
        m_bytes -= m_byteCounter;
        m_byteEvents += m_countFirst ? 1 : 0;
        Raise();
        m_byteEvents += m_countFirst ? 0 : 1;
    }
}

void
DcqcnRateControl::Report()
{
    NS_LOG_LOGIC("rate " << GetCurrentRate() << " target " << GetTargetRate() << " alpha "
                         << GetAlpha());
    m_rateTrace(GetCurrentRate(), GetTargetRate(), GetAlpha());
}

bool
DcqcnRateControl::HashState(StateHash& hash, FabricTick now) const
{
    hash.Add(m_limited);
    if (m_limited)
    {
        hash.Add(Bits(m_current));
        hash.Add(Bits(m_target));
        hash.Add(Bits(m_alpha));
        hash.Add(m_byteEvents);
        hash.Add(m_timeEvents);
        hash.Add(m_bytes);
        hash.Add(m_cnpForAlpha);
        hash.Add(m_cnpForCut);
        m_alphaTimer->HashState(hash, now);
        m_decreaseTimer->HashState(hash, now);
        m_increaseTimer->HashState(hash, now);
    }
    return true;
}

void
DcqcnRateControl::Shift(FabricTick by)
{
    m_alphaTimer->Shift(by);
    m_decreaseTimer->Shift(by);
    m_increaseTimer->Shift(by);
}

} // namespace ns3
