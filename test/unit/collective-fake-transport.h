/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_FAKE_TRANSPORT_H
#define COLLECTIVE_FAKE_TRANSPORT_H

#include "ns3/fabric-tick.h"
#include "ns3/message-transport.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric-tests
 * A network of the alpha-beta model: each rank has one port that sends one message after the other.
 */
class FakeTransport : public MessageTransport
{
  public:
    /**
     * @param ranks number of ranks
     * @param alpha ticks from the last byte out to delivery
     * @param ticksPerByte inverse bandwidth of a port
     */
    FakeTransport(uint32_t ranks, FabricTick alpha, FabricTick ticksPerByte)
        : m_alpha(alpha),
          m_ticksPerByte(ticksPerByte),
          m_free(ranks, 0),
          m_bytes(ranks, 0)
    {
    }

    uint32_t GetSize() const override
    {
        return static_cast<uint32_t>(m_free.size());
    }

    void Send(uint32_t from, uint32_t to, uint64_t bytes, uint64_t tag) override
    {
        m_bytes[from] += bytes;
        ++m_messages;
        m_highestTag = std::max(m_highestTag, tag);
        const FabricTick out =
            std::max(FabricNow(), m_free[from]) + static_cast<FabricTick>(bytes) * m_ticksPerByte;
        m_free[from] = out;
        const auto dead = m_deadFrom.find({from, to});
        if (dead == m_deadFrom.end() || out + m_alpha < dead->second)
        {
            Simulator::Schedule(TimeStep(out + m_alpha - FabricNow()),
                                &FakeTransport::Deliver,
                                this,
                                from,
                                to,
                                tag);
        }
    }

    /**
     * A connection delivers nothing from a tick on, and says so at that tick.
     * @param from sender
     * @param to receiver
     * @param tick when, not in the past
     */
    void BreakAt(uint32_t from, uint32_t to, FabricTick tick)
    {
        m_deadFrom[{from, to}] = tick;
        Simulator::Schedule(TimeStep(tick - FabricNow()), &FakeTransport::Break, this, from, to);
    }

    /**
     * Say that a connection is broken.
     * @param from sender
     * @param to receiver
     */
    void Break(uint32_t from, uint32_t to)
    {
        m_error(from, to, "retries exhausted");
    }

    /**
     * @param rank a sender
     * @returns bytes that it has sent
     */
    uint64_t GetBytes(uint32_t rank) const
    {
        return m_bytes[rank];
    }

    /** @returns number of messages sent */
    uint64_t GetMessages() const
    {
        return m_messages;
    }

    /** @returns the highest tag sent */
    uint64_t GetHighestTag() const
    {
        return m_highestTag;
    }

  private:
    /**
     * @param from sender
     * @param to receiver
     * @param tag of the message
     */
    void Deliver(uint32_t from, uint32_t to, uint64_t tag)
    {
        m_delivered(from, to, tag);
    }

    FabricTick m_alpha;                                             //!< ticks
    FabricTick m_ticksPerByte;                                      //!< ticks
    std::vector<FabricTick> m_free;                                 //!< when each port is idle
    std::vector<uint64_t> m_bytes;                                  //!< sent by each rank
    uint64_t m_messages{0};                                         //!< sent by all
    uint64_t m_highestTag{0};                                       //!< of all
    std::map<std::pair<uint32_t, uint32_t>, FabricTick> m_deadFrom; //!< broken connections
};

} // namespace ns3

#endif // COLLECTIVE_FAKE_TRANSPORT_H
