/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RIG_H
#define RDMA_RIG_H

#include "ns3/error-model.h"
#include "ns3/fabric-nic.h"
#include "ns3/ib-helper.h"
#include "ns3/object-factory.h"
#include "ns3/roce-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <array>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace rdmarig
{

inline constexpr uint32_t MTU = 4096; //!< payload of a full packet in bytes

/** @returns a helper of a fabric by its name: 400 Gb/s, cables of 100 ns, hosts without latency */
inline std::unique_ptr<FabricHelper>
MakeHelper(const std::string& fabric)
{
    std::unique_ptr<FabricHelper> helper;
    if (fabric == "ib")
    {
        helper = std::make_unique<IbHelper>();
    }
    else
    {
        helper = std::make_unique<RoceHelper>();
        helper->SetDeviceAttribute("Mtu", UintegerValue(4200));
    }
    helper->SetHostAttribute("ReceiveLatency", TimeValue(NanoSeconds(0)));
    helper->SetDeviceAttribute("DataRate", StringValue("400Gbps"));
    helper->SetChannelAttribute("Delay", TimeValue(NanoSeconds(100)));
    return helper;
}

/** @returns bytes on the wire of a data packet, beyond its payload and a RETH */
inline uint32_t
GetOverhead(const std::string& fabric)
{
    return fabric == "ib" ? 26 : 82;
}

/**
 * @ingroup ai-fabric-tests
 * Two hosts with a NIC each and a cable between them; records what happens.
 */
struct Pair
{
    /** A message that has come in or has been acknowledged. */
    struct Event
    {
        uint64_t id;    //!< of the message
        uint64_t bytes; //!< of the message
        uint64_t tag;   //!< of the message
        Time at;        //!< when
    };

    explicit Pair(const std::string& fabric)
    {
        const std::unique_ptr<FabricHelper> helper = MakeHelper(fabric);
        NodeContainer nodes;
        nodes.Create(2);
        const NetDeviceContainer both = helper->Install(nodes.Get(0), nodes.Get(1));
        for (uint32_t i = 0; i < 2; ++i)
        {
            devices[i] = DynamicCast<FabricNetDevice>(both.Get(i));
            nics[i] = CreateObject<FabricNic>();
            nics[i]->SetDevice(devices[i]);
        }
    }

    /**
     * Make a connection.
     * @param attributes of both queue pairs
     * @returns the queue pair of the first host
     */
    Ptr<RcQueuePair> Connect(const ObjectFactory& attributes)
    {
        std::array<Ptr<RcQueuePair>, 2> ends;
        for (uint32_t i = 0; i < 2; ++i)
        {
            ends[i] = attributes.Create<RcQueuePair>();
            nics[i]->AddQueuePair(ends[i]);
        }
        FabricNic::Connect(ends[0], ends[1]);
        for (const Ptr<RcQueuePair>& end : ends)
        {
            end->SetDeliveredCallback(MakeCallback(&Pair::Delivered, this));
            end->SetAckedCallback(MakeCallback(&Pair::Acked, this));
            end->SetErrorCallback(MakeCallback(&Pair::Failed, this));
        }
        return ends[0];
    }

    /** @returns a factory of queue pairs with default attributes */
    static ObjectFactory Defaults()
    {
        ObjectFactory factory;
        factory.SetTypeId("ns3::RcQueuePair");
        return factory;
    }

    void Delivered(Ptr<RcQueuePair> queuePair, uint64_t id, uint64_t bytes, uint64_t tag)
    {
        delivered[queuePair].push_back({id, bytes, tag, Simulator::Now()});
    }

    void Acked(Ptr<RcQueuePair> queuePair, uint64_t id, uint64_t bytes, uint64_t tag)
    {
        acked[queuePair].push_back({id, bytes, tag, Simulator::Now()});
    }

    void Failed(Ptr<RcQueuePair> /* queuePair */, std::string what)
    {
        errors.emplace_back(what, Simulator::Now());
    }

    /** @returns number of messages in a map of events */
    static std::size_t Count(const std::map<Ptr<RcQueuePair>, std::vector<Event>>& events)
    {
        std::size_t count = 0;
        for (const auto& entry : events)
        {
            count += entry.second.size();
        }
        return count;
    }

    std::array<Ptr<FabricNetDevice>, 2> devices;              //!< the ports
    std::array<Ptr<FabricNic>, 2> nics;                       //!< the NICs
    std::map<Ptr<RcQueuePair>, std::vector<Event>> delivered; //!< by receiving queue pair
    std::map<Ptr<RcQueuePair>, std::vector<Event>> acked;     //!< by sending queue pair
    std::vector<std::pair<std::string, Time>> errors;         //!< failures
};

/** @returns an error model that takes the frames with these numbers */
inline Ptr<ErrorModel>
Lose(const std::list<uint32_t>& frames)
{
    const Ptr<ReceiveListErrorModel> model = CreateObject<ReceiveListErrorModel>();
    model->SetList(frames);
    return model;
}

/**
 * @ingroup ai-fabric-tests
 * A test of one fabric.
 */
class FabricTestCase : public TestCase
{
  public:
    FabricTestCase(const std::string& fabric, const std::string& what)
        : TestCase(fabric + ": " + what),
          m_fabric(fabric)
    {
    }

  protected:
    /** Everything is over: nothing may be left. */
    void Finish()
    {
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(FabricFramePool::GetOutstanding(), 0, "a frame is lost for good");
    }

    std::string m_fabric; //!< "ib" or "roce"
};

} // namespace rdmarig
} // namespace ns3

#endif // RDMA_RIG_H
