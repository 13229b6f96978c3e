/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "sonic-import.h"

#include "ns3/data-rate.h"
#include "ns3/enum.h"
#include "ns3/nstime.h"
#include "ns3/pfc-watchdog.h"
#include "ns3/roce-net-device.h"
#include "ns3/sonic-summary.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <filesystem>
#include <optional>
#include <stdexcept>

namespace ns3
{

namespace
{

constexpr double PS_PER_METER = 5000;            //!< light in glass and copper, about
constexpr uint32_t SONIC_WATCHDOG_POLL_MS = 200; //!< SONiC's default

/** @returns exceptions from DSCP / 8, for RoceNetDevice::DscpMap */
std::string
PrintDscpMap(const SonicPortPlan& port)
{
    std::string text;
    for (std::size_t dscp = 0; port.hasDscpMap && dscp < port.priorityOfDscp.size(); ++dscp)
    {
        if (port.priorityOfDscp[dscp] != dscp >> 3)
        {
            text += (text.empty() ? "" : ",") + std::to_string(dscp) + ":" +
                    std::to_string(port.priorityOfDscp[dscp]);
        }
    }
    return text;
}

/** @returns the schedulers of a port, for RoceNetDevice::Ets; a queue without one has weight 1 */
std::string
PrintEts(const SonicPortPlan& port)
{
    std::string text;
    bool hasAny = false;
    for (const SonicPriorityPlan& priority : port.priorities)
    {
        const SonicScheduler* scheduler = priority.scheduler;
        hasAny = hasAny || scheduler;
        text += (text.empty() ? "" : ",") + (!scheduler ? "1"
                                             : scheduler->type == SonicScheduler::STRICT
                                                 ? "strict"
                                                 : std::to_string(scheduler->weight));
    }
    return hasAny ? text : "";
}

PfcWatchdog::Action
GetAction(SonicWatchdog::Action action)
{
    switch (action)
    {
    case SonicWatchdog::DROP:
        return PfcWatchdog::DROP;
    case SonicWatchdog::FORWARD:
        return PfcWatchdog::FORWARD;
    case SonicWatchdog::ALERT:
        break;
    }
    return PfcWatchdog::ALERT;
}

} // namespace

SonicImport::SonicImport(const SonicConfig& config, RoceHelper& fabric)
    : m_config(config),
      m_fabric(fabric),
      m_plan(PlanSonicPorts(config, {}))
{
    for (const std::string& note : m_plan.notes)
    {
        m_notApplied.insert(note);
    }
}

Ptr<RoceSwitch>
SonicImport::InstallSwitch(const Ptr<Node>& node)
{
    if (m_switch)
    {
        throw std::invalid_argument("SonicImport: node " + std::to_string(node->GetId()) +
                                    " would be a second switch, expected one SonicImport for each");
    }
    m_node = node;
    m_switch = DynamicCast<RoceSwitch>(m_fabric.InstallSwitch(node));
    m_fabric.SetHostAttribute("Shaping", StringValue(""));
    m_fabric.SetHostAttribute("PfcWatchdog", EnumValue(PfcWatchdog::OFF));
    return m_switch;
}

NetDeviceContainer
SonicImport::Install(const Ptr<Node>& node, const std::string& port)
{
    if (!m_switch)
    {
        throw std::invalid_argument("SonicImport: port " + port +
                                    " has no switch, expected InstallSwitch before");
    }
    for (const SonicPortPlan& used : m_plan.ports)
    {
        if (used.name == port)
        {
            throw std::invalid_argument("SonicImport: port " + port +
                                        " has a cable, expected one that is free");
        }
    }
    SonicPlan added = PlanSonicPorts(m_config, {port});
    m_notApplied.insert(added.notes.begin(), added.notes.end());
    SetUpCable(added.ports.front());
    m_plan.ports.push_back(std::move(added.ports.front()));
    m_numbers.push_back(m_switch->GetNPorts());
    return m_fabric.Install(node, m_node);
}

void
SonicImport::SetUpCable(const SonicPortPlan& port)
{
    // The helper keeps what the cable before was told.
    bool mtuIsOld = false;
    for (const SonicPortPlan& before : m_plan.ports)
    {
        mtuIsOld |= before.port.mtu > 0;
        const bool speed = before.port.speed > 0 && port.port.speed == 0;
        const bool length = ParseSonicCable(before.port.cable) && !ParseSonicCable(port.port.cable);
        if (speed || length)
        {
            throw std::invalid_argument("SonicImport: port " + port.name + " has no " +
                                        (speed ? "speed" : "cable length") +
                                        ", expected one, since " + before.name + " has");
        }
    }
    if (port.port.speed > 0)
    {
        m_fabric.SetDeviceAttribute("DataRate",
                                    DataRateValue(DataRate(port.port.speed * 1000000ULL)));
    }
    if (port.port.mtu > RoceNetDevice::MAX_MTU)
    {
        throw std::invalid_argument(port.port.place + ": mtu " + std::to_string(port.port.mtu) +
                                    ", expected no more than " +
                                    std::to_string(RoceNetDevice::MAX_MTU));
    }
    if (port.port.mtu > 0 || mtuIsOld)
    {
        constexpr uint64_t SONIC_DEFAULT = 9100;
        m_fabric.SetDeviceAttribute("Mtu",
                                    UintegerValue(port.port.mtu ? port.port.mtu : SONIC_DEFAULT));
    }
    const auto meters = ParseSonicCable(port.port.cable);
    if (meters && *meters > 0)
    {
        m_fabric.SetChannelAttribute("Delay",
                                     TimeValue(PicoSeconds(std::llround(*meters * PS_PER_METER))));
    }
    SetUpQueues(port);
}

void
SonicImport::SetUpQueues(const SonicPortPlan& port)
{
    m_fabric.SetDeviceAttribute("DscpMap", StringValue(PrintDscpMap(port)));
    m_fabric.SetDeviceAttribute("Ets", StringValue(PrintEts(port)));
    m_fabric.SetFlowControlAttribute("LosslessMask", UintegerValue(port.GetLossless()));
    std::string shaping;
    uint8_t watched = 0;
    for (std::size_t i = 0; i < port.priorities.size(); ++i)
    {
        const SonicPriorityPlan& priority = port.priorities[i];
        const SonicScheduler* scheduler = priority.scheduler;
        watched = static_cast<uint8_t>(watched | (priority.hasWatchdog ? 1U << i : 0U));
        if (scheduler && scheduler->type == SonicScheduler::WRR)
        {
            m_notApplied.insert("SCHEDULER|" + scheduler->name +
                                ": weights of packets; they are taken as weights of bytes");
        }
        if (scheduler && scheduler->pir > 0 && scheduler->isMeteredInPackets)
        {
            m_notApplied.insert("SCHEDULER|" + scheduler->name + ": pir in packets");
        }
        else if (scheduler && scheduler->pir > 0)
        {
            shaping += (shaping.empty() ? "" : ",") + std::to_string(i) + ":" +
                       std::to_string(scheduler->pir * 8) + "bps" +
                       (scheduler->pbs > 0 ? ":" + std::to_string(scheduler->pbs) : "");
        }
    }
    m_fabric.SetDeviceAttribute("Shaping", StringValue(shaping));
    const bool hasWatchdog = port.watchdog && watched != 0;
    m_fabric.SetDeviceAttribute(
        "PfcWatchdog",
        EnumValue(hasWatchdog ? GetAction(port.watchdog->action) : PfcWatchdog::OFF));
    if (!hasWatchdog)
    {
        return;
    }
    m_fabric.SetDeviceAttribute("PfcWatchdogDetection",
                                TimeValue(MilliSeconds(port.watchdog->detectionTime)));
    m_fabric.SetDeviceAttribute("PfcWatchdogRestoration",
                                TimeValue(MilliSeconds(port.watchdog->restorationTime)));
    m_fabric.SetDeviceAttribute(
        "PfcWatchdogPoll",
        TimeValue(MilliSeconds(m_config.qos.watchdogPoll.value_or(SONIC_WATCHDOG_POLL_MS))));
    if (watched != port.GetLossless())
    {
        m_notApplied.insert("PORT_QOS_MAP: pfcwd_sw_enable " + PrintPriorities(watched) +
                            "; the watchdog watches " + PrintPriorities(port.GetLossless()));
    }
}

std::vector<std::string>
SonicImport::GetNotApplied() const
{
    return {m_notApplied.begin(), m_notApplied.end()};
}

const SonicPlan&
SonicImport::GetPlan() const
{
    return m_plan;
}

std::string
SonicImport::FindShipped(const std::string& name)
{
    return (std::filesystem::path(AI_FABRIC_MODEL_DIR).parent_path() / "sonic" / name).string();
}

} // namespace ns3
