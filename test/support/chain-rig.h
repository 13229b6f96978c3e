/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CHAIN_RIG_H
#define CHAIN_RIG_H

#include "ns3/fabric-helper.h"
#include "ns3/fabric-nic.h"
#include "ns3/simulator.h"

#include <array>
#include <vector>

namespace ns3
{
namespace chainrig
{

/** Two hosts with a NIC each, and switches in a row between them. */
struct Chain
{
    /**
     * @param helper installs the fabric
     * @param hops number of switches
     */
    Chain(FabricHelper& helper, uint32_t hops)
    {
        nodes.Create(2);
        switches.Create(hops);
        for (uint32_t i = 0; i < hops; ++i)
        {
            helper.InstallSwitch(switches.Get(i));
        }
        for (uint32_t i = 0; i + 1 < hops; ++i)
        {
            helper.Install(switches.Get(i), switches.Get(i + 1));
        }
        const NetDeviceContainer first = helper.Install(nodes.Get(0), switches.Get(0));
        const NetDeviceContainer last = helper.Install(nodes.Get(1), switches.Get(hops - 1));
        helper.Configure(switches);
        devices = {DynamicCast<FabricNetDevice>(first.Get(0)),
                   DynamicCast<FabricNetDevice>(last.Get(0))};
        for (uint32_t i = 0; i < 2; ++i)
        {
            nics[i] = CreateObject<FabricNic>();
            nics[i]->SetDevice(devices[i]);
            ends[i] = nics[i]->CreateQueuePair();
        }
        FabricNic::Connect(ends[0], ends[1]);
    }

    NodeContainer nodes;                         //!< the hosts
    NodeContainer switches;                      //!< in a row
    std::array<Ptr<FabricNetDevice>, 2> devices; //!< of the hosts
    std::array<Ptr<FabricNic>, 2> nics;          //!< of the hosts
    std::array<Ptr<RcQueuePair>, 2> ends;        //!< connected
};

/** Posts messages one by one, each when the fabric is idle again. */
class OneByOne
{
  public:
    /**
     * @param chain the hosts
     * @param bytes of each message
     * @param count messages in each direction
     */
    OneByOne(const Chain& chain, uint64_t bytes, uint32_t count)
        : m_chain(chain),
          m_bytes(bytes)
    {
        for (const Ptr<RcQueuePair>& end : chain.ends)
        {
            end->SetDeliveredCallback(MakeCallback(&OneByOne::Delivered, this));
        }
        for (uint32_t i = 0; i < 2 * count; ++i)
        {
            Simulator::Schedule(MicroSeconds(100 * i), &OneByOne::Post, this, i % 2);
        }
    }

    std::vector<FabricTick> oneWay; //!< from posting to delivery, directions in turn

  private:
    void Post(uint32_t from)
    {
        m_posted = FabricNow();
        m_chain.ends[from]->Post(m_bytes, 0);
    }

    void Delivered(Ptr<RcQueuePair> /* end */,
                   uint64_t /* id */,
                   uint64_t /* bytes */,
                   uint64_t /* tag */)
    {
        oneWay.push_back(FabricNow() - m_posted);
    }

    const Chain& m_chain;   //!< the hosts
    uint64_t m_bytes;       //!< of each message
    FabricTick m_posted{0}; //!< when the message on its way was posted
};

/** Sends a message to and fro, as ib_write_lat does. */
class PingPong
{
  public:
    /**
     * @param chain the hosts
     * @param bytes of each message
     * @param count round trips
     */
    PingPong(const Chain& chain, uint64_t bytes, uint32_t count)
        : m_chain(chain),
          m_bytes(bytes),
          m_left(count)
    {
        for (const Ptr<RcQueuePair>& end : chain.ends)
        {
            end->SetDeliveredCallback(MakeCallback(&PingPong::Delivered, this));
        }
        m_posted = FabricNow();
        chain.ends[0]->Post(bytes, 0);
    }

    std::vector<FabricTick> oneWay; //!< from posting to delivery, both directions

  private:
    void Delivered(Ptr<RcQueuePair> end,
                   uint64_t /* id */,
                   uint64_t /* bytes */,
                   uint64_t /* tag */)
    {
        oneWay.push_back(FabricNow() - m_posted);
        m_posted = FabricNow();
        if (end == m_chain.ends[1])
        {
            end->Post(m_bytes, 0);
        }
        else if (--m_left)
        {
            end->Post(m_bytes, 0);
        }
    }

    const Chain& m_chain;   //!< the hosts
    uint64_t m_bytes;       //!< of each message
    uint32_t m_left;        //!< round trips
    FabricTick m_posted{0}; //!< when the message on its way was posted
};

} // namespace chainrig
} // namespace ns3

#endif // CHAIN_RIG_H
