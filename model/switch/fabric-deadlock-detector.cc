/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-deadlock-detector.h"

#include "ns3/enum-attribute.h"
#include "ns3/ib-net-device.h"
#include "ns3/log.h"
#include "ns3/names.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricDeadlockDetector");
NS_OBJECT_ENSURE_REGISTERED(FabricDeadlockDetector);

TypeId
FabricDeadlockDetector::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricDeadlockDetector")
            .SetParent<Object>()
            .SetGroupName("AiFabric")
            .AddConstructor<FabricDeadlockDetector>()
            .AddAttribute("CheckInterval",
                          "Time between two looks at the queues while ports wait; a port that "
                          "waits at both and sends nothing between them is stuck.",
                          TimeValue(MilliSeconds(1)),
                          MakeTimeAccessor(&FabricDeadlockDetector::m_interval),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("Reaction",
                          "What to do about a deadlock, after the trace source Deadlock.",
                          EnumValue(FabricDeadlockDetector::THROW),
                          MakeFabricEnumAccessor(&FabricDeadlockDetector::m_reaction),
                          MakeEnumChecker(FabricDeadlockDetector::REPORT,
                                          "Report",
                                          FabricDeadlockDetector::STOP,
                                          "Stop",
                                          FabricDeadlockDetector::THROW,
                                          "Throw"))
            .AddTraceSource("Deadlock",
                            "A cyclic buffer dependency was found.",
                            MakeTraceSourceAccessor(&FabricDeadlockDetector::m_deadlock),
                            "ns3::FabricDeadlockDetector::DeadlockTracedCallback");
    return tid;
}

FabricDeadlockDetector::FabricDeadlockDetector()
    : m_timer(Create<MemberTimer<FabricDeadlockDetector>>(this, &FabricDeadlockDetector::Look))
{
}

void
FabricDeadlockDetector::DoDispose()
{
    m_timer->Detach();
    m_switches.clear();
    m_waits.clear();
    Object::DoDispose();
}

void
FabricDeadlockDetector::Watch(const std::vector<Ptr<FabricSwitch>>& switches)
{
    m_switches = switches;
    for (const auto& sw : m_switches)
    {
        sw->SetWatcher(Ptr<FabricDeadlockDetector>(this));
        for (uint16_t port = 0; port < sw->GetNPorts(); ++port)
        {
            sw->GetPort(port)->SetStallListener(this);
        }
    }
}

Ptr<FabricDeadlockDetector>
FabricDeadlockDetector::Find(const Ptr<FabricSwitch>& sw)
{
    return DynamicCast<FabricDeadlockDetector>(sw->GetWatcher());
}

uint32_t
FabricDeadlockDetector::GetDeadlocks() const
{
    return m_deadlocks;
}

const std::string&
FabricDeadlockDetector::GetCycle() const
{
    return m_cycle;
}

FabricTick
FabricDeadlockDetector::GetFoundAt() const
{
    return m_foundAt;
}

void
FabricDeadlockDetector::StallBegins()
{
    if (!m_timer->IsPending())
    {
        m_timer->Set(FabricNow() + m_interval.GetTimeStep());
    }
}

void
FabricDeadlockDetector::Look()
{
    CollectWaits();
    if (m_waits.empty())
    {
        return;
    }
    FindHolders();
    Spread();
    const auto dead = std::find_if(m_waits.begin(), m_waits.end(), [](const auto& entry) {
        return !entry.second.live;
    });
    if (dead != m_waits.end())
    {
        const std::string cycle = NameCycle(dead->first);
        m_waits.clear();
        Found(cycle);
        return;
    }
    // Where nothing moves and there is no cycle, a host takes nothing: no use in looking again.
    const bool moving = std::any_of(m_waits.begin(), m_waits.end(), [](const auto& entry) {
        return !entry.second.stuck;
    });
    if (moving)
    {
        StallBegins();
    }
}

void
FabricDeadlockDetector::CollectWaits()
{
    const FabricTick now = FabricNow();
    std::map<Channel, Wait> waits;
    for (std::size_t sw = 0; sw < m_switches.size(); ++sw)
    {
        for (uint16_t port = 0; port < m_switches[sw]->GetNPorts(); ++port)
        {
            FabricPort& out = m_switches[sw]->GetPort(port)->GetPort();
            const uint32_t held = out.GetHeldClasses(now);
            for (uint8_t cls = 0; held >> cls; ++cls)
            {
                if (held & (1U << cls))
                {
                    const Channel channel{sw, port, cls};
                    const auto before = m_waits.find(channel);
                    Wait& wait = waits[channel];
                    wait.sent = out.GetClassCounters(cls).frames;
                    wait.stuck = before != m_waits.end() && before->second.sent == wait.sent;
                    wait.live = !wait.stuck;
                }
            }
        }
    }
    m_waits.swap(waits);
}

void
FabricDeadlockDetector::FindHolders()
{
    std::unordered_map<const FabricNetDevice*, Channel> senders; // by the device that receives
    for (const auto& entry : m_waits)
    {
        const Channel& channel = entry.first;
        senders[m_switches[channel.sw]->GetPort(channel.port)->GetPort().GetPeer()] = channel;
    }
    std::map<Channel, bool> heldSomewhere;
    for (std::size_t sw = 0; sw < m_switches.size(); ++sw)
    {
        for (uint16_t port = 0; port < m_switches[sw]->GetNPorts(); ++port)
        {
            for (uint8_t cls = 0; cls < FabricPort::CLASSES; ++cls)
            {
                const Channel holder{sw, port, cls};
                const auto holding = m_waits.find(holder);
                const bool stuck = holding != m_waits.end() && holding->second.stuck;
                const auto visit = [&](const FabricFrame& frame) {
                    if (!frame.inBytes)
                    {
                        return; // a copy, which holds no room
                    }
                    const auto sender =
                        senders.find(PeekPointer(m_switches[sw]->GetPort(frame.inPort)));
                    if (sender == senders.end())
                    {
                        return;
                    }
                    Channel waiting = sender->second;
                    waiting.cls = frame.inCls;
                    const auto wait = m_waits.find(waiting);
                    if (wait == m_waits.end())
                    {
                        return;
                    }
                    heldSomewhere[waiting] = true;
                    std::vector<Channel>& holders = wait->second.holders;
                    if (!stuck)
                    {
                        wait->second.live = true;
                    }
                    else if (holders.empty() || holders.back() < holder)
                    {
                        holders.push_back(holder);
                    }
                };
                m_switches[sw]->GetPort(port)->GetPort().VisitQueue(cls, visit);
            }
        }
    }
    for (auto& entry : m_waits)
    {
        // Nothing of it waits in the next switch: a host takes it, or room is on its way.
        entry.second.live |= !heldSomewhere[entry.first];
    }
}

void
FabricDeadlockDetector::Spread()
{
    std::unordered_map<const FabricNetDevice*, std::size_t> owners;
    for (std::size_t sw = 0; sw < m_switches.size(); ++sw)
    {
        for (uint16_t port = 0; port < m_switches[sw]->GetNPorts(); ++port)
        {
            owners[PeekPointer(m_switches[sw]->GetPort(port))] = sw;
        }
    }
    for (bool changed = true; changed;)
    {
        changed = false;
        std::vector<bool> moves(m_switches.size(), false);
        for (const auto& entry : m_waits)
        {
            moves[entry.first.sw] = moves[entry.first.sw] || entry.second.live;
        }
        for (auto& entry : m_waits)
        {
            Wait& wait = entry.second;
            if (wait.live)
            {
                continue;
            }
            const FabricNetDevice* next =
                m_switches[entry.first.sw]->GetPort(entry.first.port)->GetPort().GetPeer();
            const auto owner = owners.find(next);
            const bool shared = owner != owners.end() && moves[owner->second] &&
                                m_switches[owner->second]->IsRoomShared();
            const auto isLive = [this](const Channel& holder) { return m_waits.at(holder).live; };
            if (shared || std::any_of(wait.holders.begin(), wait.holders.end(), isLive))
            {
                wait.live = changed = true;
            }
        }
    }
}

std::string
FabricDeadlockDetector::NameCycle(const Channel& start) const
{
    // Every holder of a dead channel is dead, so the walk never ends but by meeting itself.
    std::vector<Channel> path;
    Channel at = start;
    const auto isAt = [&at](const Channel& other) { return !(other < at) && !(at < other); };
    auto met = path.end();
    while ((met = std::find_if(path.begin(), path.end(), isAt)) == path.end())
    {
        path.push_back(at);
        at = m_waits.at(at).holders.front();
    }
    path.erase(path.begin(), met);
    // The same cycle has the same name wherever the walk came in.
    std::rotate(path.begin(), std::min_element(path.begin(), path.end()), path.end());
    std::string cycle;
    for (const Channel& channel : path)
    {
        cycle += NameChannel(channel) + " -> ";
    }
    return cycle + NameChannel(path.front());
}

std::string
FabricDeadlockDetector::NameChannel(const Channel& channel) const
{
    const Ptr<FabricNetDevice> device = m_switches[channel.sw]->GetPort(channel.port);
    const std::string name = Names::FindName(device->GetNode());
    const bool ib = dynamic_cast<const IbNetDevice*>(PeekPointer(device)) != nullptr;
    return (name.empty() ? "node " + std::to_string(device->GetNode()->GetId()) : name) + " port " +
           std::to_string(channel.port) + (ib ? " VL " : " priority ") +
           std::to_string(channel.cls);
}

void
FabricDeadlockDetector::Found(const std::string& cycle)
{
    ++m_deadlocks;
    m_cycle = cycle;
    m_foundAt = FabricNow();
    NS_LOG_WARN("deadlock: " << cycle);
    m_deadlock(cycle);
    if (m_reaction == STOP)
    {
        Simulator::Stop();
    }
    else if (m_reaction == THROW)
    {
        throw std::runtime_error("deadlock (cyclic buffer dependency): " + cycle +
                                 "; expected routing without cycles");
    }
}

} // namespace ns3
