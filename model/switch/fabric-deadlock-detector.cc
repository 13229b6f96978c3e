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
                          "waits at both and sends nothing between them is stuck. Never less than "
                          "the news of free room may take on the slowest cable.",
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
    m_before.clear();
    Object::DoDispose();
}

void
FabricDeadlockDetector::Watch(const std::vector<Ptr<FabricSwitch>>& switches)
{
    m_switches = switches;
    m_settle = 0;
    for (const auto& sw : m_switches)
    {
        sw->SetWatcher(Ptr<FabricDeadlockDetector>(this));
        for (uint16_t port = 0; port < sw->GetNPorts(); ++port)
        {
            sw->GetPort(port)->SetStallListener(this);
            m_settle = std::max(m_settle, GetSettleTicks(*sw->GetPort(port)));
        }
    }
}

FabricTick
FabricDeadlockDetector::GetSettleTicks(const FabricNetDevice& device)
{
    const FabricPort& port = device.GetPort();
    const FabricNetDevice* peer = port.GetPeer();
    if (!peer)
    {
        return 0;
    }
    // A frame goes there, leaves, and the news of its room comes back behind a frame of the far
    // end.
    return 2 * port.GetPropagation() + peer->GetReceiveLatencyTicks() +
           2 * port.GetTxTicks(device.GetLargestFrameBytes()) +
           2 * peer->GetPort().GetTxTicks(peer->GetLargestFrameBytes()) +
           port.GetFlowControl()->GetLongestSilence();
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
        m_timer->Set(FabricNow() + std::max(m_interval.GetTimeStep(), m_settle));
    }
}

void
FabricDeadlockDetector::Look()
{
    CollectWaits();
    const bool anyStuck = std::any_of(m_waits.begin(), m_waits.end(), [](const auto& entry) {
        return entry.second.stuck;
    });
    bool again = std::any_of(m_waits.begin(), m_waits.end(), [](const auto& entry) {
        return !entry.second.stuck;
    });
    std::string cycle;
    if (anyStuck)
    {
        FindHolders();
        Spread();
        again |= std::any_of(m_waits.begin(), m_waits.end(), [](const auto& entry) {
            return entry.second.suspect && !entry.second.dead;
        });
        cycle = FindNewCycle();
    }
    // Where nothing moves and nothing is suspected, a host takes nothing: no use in looking again.
    if (again)
    {
        StallBegins();
    }
    if (!cycle.empty())
    {
        Found(cycle);
    }
}

void
FabricDeadlockDetector::CollectWaits()
{
    const FabricTick now = FabricNow();
    m_before.swap(m_waits);
    m_waits.clear();
    for (std::size_t sw = 0; sw < m_switches.size(); ++sw)
    {
        for (uint16_t port = 0; port < m_switches[sw]->GetNPorts(); ++port)
        {
            FabricPort& out = m_switches[sw]->GetPort(port)->GetPort();
            const uint32_t held = out.GetPeer() ? out.GetHeldClasses(now) : 0;
            for (uint8_t cls = 0; held >> cls; ++cls)
            {
                if (held & (1U << cls))
                {
                    const Channel channel{sw, port, cls};
                    const auto before = m_before.find(channel);
                    Wait& wait = m_waits[channel];
                    wait.sent = out.GetClassCounters(cls).frames;
                    wait.stuck = before != m_before.end() && before->second.sent == wait.sent;
                    wait.named = wait.stuck && before->second.named;
                }
            }
        }
    }
}

void
FabricDeadlockDetector::FindHolders()
{
    std::unordered_map<const FabricFrameSink*, std::size_t> numbers; // of switches
    for (std::size_t sw = 0; sw < m_switches.size(); ++sw)
    {
        numbers[PeekPointer(m_switches[sw])] = sw;
    }
    // Who waits for room, by switch, input port and class there.
    std::vector<std::vector<Wait*>> waiting(m_switches.size());
    for (auto& entry : m_waits)
    {
        const Channel& channel = entry.first;
        const FabricNetDevice* peer =
            m_switches[channel.sw]->GetPort(channel.port)->GetPort().GetPeer();
        const auto number = numbers.find(peer->GetFrameSink());
        if (number == numbers.end())
        {
            continue; // a host takes it
        }
        entry.second.next = number->second;
        std::vector<Wait*>& here = waiting[number->second];
        here.resize(m_switches[number->second]->GetNPorts() * std::size_t{FabricPort::CLASSES});
        here[peer->GetSinkIndex() * FabricPort::CLASSES + channel.cls] = &entry.second;
    }
    m_moves.assign(m_switches.size(), false);
    for (std::size_t sw = 0; sw < m_switches.size(); ++sw)
    {
        if (!waiting[sw].empty())
        {
            FindHolders(sw, waiting[sw]);
        }
    }
    for (auto& entry : m_waits)
    {
        // Nothing of it waits in the next switch: a host takes it, or room is on its way.
        entry.second.live |= !entry.second.stuck || !entry.second.held;
    }
}

void
FabricDeadlockDetector::FindHolders(std::size_t sw, const std::vector<Wait*>& waiting)
{
    for (uint16_t port = 0; port < m_switches[sw]->GetNPorts(); ++port)
    {
        const FabricPort& out = m_switches[sw]->GetPort(port)->GetPort();
        for (uint8_t cls = 0; !out.IsIdle() && cls < FabricPort::CLASSES; ++cls)
        {
            if (out.GetQueuedBytes(cls) == 0)
            {
                continue;
            }
            const Channel holder{sw, port, cls};
            const auto holding = m_waits.find(holder);
            const bool stuck = holding != m_waits.end() && holding->second.stuck;
            m_moves[sw] = m_moves[sw] || !stuck;
            out.VisitQueue(cls, [&](const FabricFrame& frame) {
                Wait* wait = waiting[frame.inPort * FabricPort::CLASSES + frame.inCls];
                if (!wait || frame.inBytes == 0)
                {
                    return; // nobody waits, or it is a copy that holds no room
                }
                wait->held = true;
                wait->live |= !stuck;
                if (stuck && (wait->holders.empty() || wait->holders.back() < holder))
                {
                    wait->holders.push_back(holder);
                }
            });
        }
    }
}

void
FabricDeadlockDetector::Spread()
{
    // First what can go on as it looks now; then what could already when looked at before, or was
    // held by something that has moved since: the news of that may still be on its way.
    const auto spread = [this](bool Wait::*able) {
        for (bool changed = true; changed;)
        {
            changed = false;
            std::vector<bool> moves = m_moves;
            for (const auto& entry : m_waits)
            {
                moves[entry.first.sw] = moves[entry.first.sw] || entry.second.*able;
            }
            for (auto& entry : m_waits)
            {
                Wait& wait = entry.second;
                if (wait.*able)
                {
                    continue;
                }
                const bool shared = wait.next != NOWHERE && moves[wait.next] &&
                                    m_switches[wait.next]->IsRoomShared();
                const auto isAble = [&](const Channel& holder) { return m_waits.at(holder).*able; };
                if (shared || std::any_of(wait.holders.begin(), wait.holders.end(), isAble))
                {
                    wait.*able = changed = true;
                }
            }
        }
    };
    spread(&Wait::live);
    const auto hasMoved = [this](const Channel& holder) {
        const auto found = m_waits.find(holder);
        return found == m_waits.end() || !found->second.stuck;
    };
    for (auto& entry : m_waits)
    {
        Wait& wait = entry.second;
        const auto before = m_before.find(entry.first);
        wait.suspect = !wait.live;
        wait.doubt =
            wait.live || before == m_before.end() || !before->second.suspect ||
            std::any_of(before->second.holders.begin(), before->second.holders.end(), hasMoved);
    }
    spread(&Wait::doubt);
    for (auto& entry : m_waits)
    {
        entry.second.dead = !entry.second.doubt;
    }
}

std::string
FabricDeadlockDetector::FindNewCycle()
{
    std::string name;
    for (auto& entry : m_waits)
    {
        if (!entry.second.dead || entry.second.named)
        {
            continue;
        }
        const std::vector<Channel> cycle = FindCycle(entry.first);
        const bool fresh = std::any_of(cycle.begin(), cycle.end(), [this](const Channel& channel) {
            return !m_waits.at(channel).named;
        });
        if (fresh && name.empty())
        {
            for (const Channel& channel : cycle)
            {
                name += NameChannel(channel) + " -> ";
            }
            name += NameChannel(cycle.front());
        }
    }
    for (auto& entry : m_waits)
    {
        entry.second.named |= entry.second.dead;
    }
    return name;
}

std::vector<FabricDeadlockDetector::Channel>
FabricDeadlockDetector::FindCycle(const Channel& start) const
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
    return path;
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
