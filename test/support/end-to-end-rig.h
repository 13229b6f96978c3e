/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef END_TO_END_RIG_H
#define END_TO_END_RIG_H

#include "ns3/boolean.h"
#include "ns3/collective-engine.h"
#include "ns3/fabric-nic.h"
#include "ns3/fabric-switch.h"
#include "ns3/fabric-topology-helper.h"
#include "ns3/ib-helper.h"
#include "ns3/ib-opcode.h"
#include "ns3/rc-requester.h"
#include "ns3/rdma-transport.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/roce-helper.h"
#include "ns3/run-report.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace endrig
{

inline constexpr uint32_t MTU = 4096;          //!< payload of a full packet in bytes
inline constexpr double RATE = 400e9;          //!< of all links, bits per second
inline constexpr double CABLE_SECONDS = 50e-9; //!< of all links: 10 m
inline constexpr double HOST_SECONDS = 300e-9; //!< receive latency of the helpers
inline constexpr double IB_SECONDS = 250e-9;   //!< of an IB switch
inline constexpr double ROCE_SECONDS = 600e-9; //!< of a RoCE switch

/** @returns a helper of a fabric by its name, with the figures above */
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
    }
    helper->SetDeviceAttribute("DataRate", StringValue("400Gbps"));
    helper->SetChannelAttribute("Delay", TimeValue(NanoSeconds(50)));
    return helper;
}

/** Hosts with a NIC each, and the messages between them. */
class Cluster
{
  public:
    /**
     * @param helper installs the fabric
     * @param shape topology
     */
    Cluster(FabricHelper& helper, const FabricShape& shape)
        : m_topology(FabricTopologyHelper(helper).Create(shape)),
          m_transport(CreateObject<RdmaTransport>())
    {
        for (uint32_t i = 0; i < m_topology.hostDevices.GetN(); ++i)
        {
            m_devices.push_back(DynamicCast<FabricNetDevice>(m_topology.hostDevices.Get(i)));
            m_nics.push_back(CreateObject<FabricNic>());
            m_nics.back()->SetDevice(m_devices.back());
        }
        m_transport->SetNics(m_nics);
        m_transport->SetQueuePairAttribute("Mtu", UintegerValue(MTU));
    }

    /**
     * @param helper installs the fabric
     * @param hosts number of hosts around one switch
     */
    Cluster(FabricHelper& helper, uint32_t hosts)
        : Cluster(helper, FabricShape::Parse("star", hosts))
    {
    }

    ~Cluster()
    {
        m_transport->Dispose();
    }

    /** Count messages; without this, the transport's callbacks are free for an engine. */
    void CountMessages()
    {
        m_transport->SetDeliveredCallback(MakeCallback(&Cluster::Delivered, this));
        m_transport->SetSentCallback(MakeCallback(&Cluster::Sent, this));
        m_transport->SetErrorCallback(MakeCallback(&Cluster::Failed, this));
    }

    /** @returns a new engine over the transport */
    Ptr<CollectiveEngine> MakeEngine() const
    {
        const auto engine = CreateObject<CollectiveEngine>();
        engine->SetTransport(m_transport);
        return engine;
    }

    /** @returns hosts and switches */
    NodeContainer GetNodes() const
    {
        return NodeContainer(m_topology.hosts, m_topology.switches);
    }

    /** @returns what all devices and switches have counted */
    FabricTotals GetTotals() const
    {
        FabricTotals totals;
        totals.Add(GetNodes());
        return totals;
    }

    /** @returns sum of a counter over all NICs */
    uint64_t Sum(uint64_t FabricNicCounters::*counter) const
    {
        uint64_t sum = 0;
        for (const Ptr<FabricNic>& nic : m_nics)
        {
            sum += nic->GetCounters().*counter;
        }
        return sum;
    }

    /** @returns bytes in the receive buffers of all hosts and switches */
    uint64_t GetOccupancy() const
    {
        uint64_t bytes = 0;
        const NodeContainer nodes = GetNodes();
        for (uint32_t i = 0; i < nodes.GetN(); ++i)
        {
            for (uint32_t k = 0; k < nodes.Get(i)->GetNDevices(); ++k)
            {
                if (const auto device = DynamicCast<FabricNetDevice>(nodes.Get(i)->GetDevice(k)))
                {
                    bytes += device->GetIncomingFlowControl()->GetOccupancy();
                }
            }
        }
        return bytes;
    }

    /** @returns payload bytes accepted in order by rank to from rank from */
    uint64_t GetAccepted(uint32_t from, uint32_t to) const
    {
        return m_transport->GetQueuePair(to, from)->GetResponder().GetBytes();
    }

    FabricTopology m_topology;                   //!< the nodes
    std::vector<Ptr<FabricNetDevice>> m_devices; //!< by rank
    std::vector<Ptr<FabricNic>> m_nics;          //!< by rank
    Ptr<RdmaTransport> m_transport;              //!< of all ranks
    std::map<std::pair<uint32_t, uint32_t>, uint64_t>
        m_delivered;                //!< messages, by sender and receiver
    uint64_t m_deliveredCount{0};   //!< messages delivered
    uint64_t m_sentCount{0};        //!< messages acknowledged
    uint64_t m_failedCount{0};      //!< broken connections
    FabricTick m_lastDelivered{0};  //!< when
    FabricTick m_lastSent{0};       //!< when
    uint64_t m_eventsAtLastSent{0}; //!< executed until then

  private:
    void Delivered(uint32_t from, uint32_t to, uint64_t /* tag */)
    {
        ++m_delivered[{from, to}];
        ++m_deliveredCount;
        m_lastDelivered = FabricNow();
    }

    void Sent(uint32_t /* from */, uint32_t /* to */, uint64_t /* tag */)
    {
        ++m_sentCount;
        m_lastSent = FabricNow();
        m_eventsAtLastSent = Simulator::GetEventCount();
    }

    void Failed(uint32_t /* from */, uint32_t /* to */, std::string /* what */)
    {
        ++m_failedCount;
    }
};

/** @returns bytes on the wire of each packet of an RDMA WRITE */
inline std::vector<uint32_t>
ListWireBytes(const FabricNetDevice& device, uint64_t bytes)
{
    std::vector<uint32_t> list;
    const uint64_t packets = RcRequester::CountPackets(bytes, MTU);
    for (uint64_t i = 0; i < packets; ++i)
    {
        const bool last = i + 1 == packets;
        FabricFrame frame;
        frame.opcode = RcRequester::GetOpcode(RcOperation::WRITE, i == 0, last);
        frame.payload = static_cast<uint32_t>(last ? bytes - i * MTU : MTU);
        device.SizeFrame(frame);
        list.push_back(frame.wireBytes);
    }
    return list;
}

/** @returns bytes on the wire of an acknowledgment */
inline uint32_t
GetAckWireBytes(const FabricNetDevice& device)
{
    FabricFrame frame;
    frame.opcode = IbOpcode::RC_ACK;
    device.SizeFrame(frame);
    return frame.wireBytes;
}

/**
 * The time of one message over one idle switch, as a sum of parts: serialization, two cables, the
 * switch, the receiving host. An IB switch forwards at the head of a frame, a RoCE switch at its
 * tail.
 * @param fabric "ib" or "roce"
 * @param frames bytes of each frame on the wire
 * @returns seconds from posting to delivery
 */
inline double
GetMessageSeconds(const std::string& fabric, const std::vector<uint32_t>& frames)
{
    const bool cutThrough = fabric == "ib";
    const double latency = cutThrough ? IB_SECONDS : ROCE_SECONDS;
    double in = 0;
    double out = 0;
    for (const uint32_t bytes : frames)
    {
        const double seconds = bytes * 8 / RATE;
        const double ready = (cutThrough ? in : in + seconds) + CABLE_SECONDS + latency;
        in += seconds;
        out = std::max(out, ready) + seconds;
    }
    return out + CABLE_SECONDS + HOST_SECONDS;
}

/**
 * Four AllReduces at once over rings in different orders, on a leaf-spine with random ECN marking.
 * Ends in Simulator::Destroy().
 * @param seed of all random streams
 * @returns marks, notifications, executed events, then begin and end of each collective in ticks
 */
inline std::vector<int64_t>
RunMarked(uint32_t seed)
{
    constexpr uint32_t HOSTS = 8;
    RngSeedManager::SetSeed(seed);
    const auto helper = MakeHelper("roce");
    helper->SetSwitchAttribute("Ecn", BooleanValue(true));
    helper->SetSwitchAttribute("EcnKmin", UintegerValue(2 * MTU));
    helper->SetSwitchAttribute("EcnKmax", UintegerValue(64 * MTU));
    std::vector<int64_t> result;
    {
        Cluster cluster(*helper, FabricShape::Parse("leaf-spine:2x2x4", HOSTS));
        helper->AssignStreams(cluster.GetNodes(), 0);
        const Ptr<CollectiveEngine> engine = cluster.MakeEngine();
        for (const uint32_t stride : {1, 3, 5, 7})
        {
            std::vector<uint32_t> order;
            for (uint32_t i = 0; i < HOSTS; ++i)
            {
                order.push_back(i * stride % HOSTS);
            }
            engine->SetRankOrder(order);
            const uint64_t id = engine->Create(CollectiveOp::ALL_REDUCE, 1048576, "ring");
            for (uint32_t rank = 0; rank < HOSTS; ++rank)
            {
                engine->Enter(id, rank);
            }
        }
        Simulator::Run();
        result.push_back(static_cast<int64_t>(cluster.GetTotals().ecnMarks));
        result.push_back(static_cast<int64_t>(cluster.Sum(&FabricNicCounters::cnpsSent)));
        result.push_back(static_cast<int64_t>(Simulator::GetEventCount()));
        for (const CollectiveRecord& record : engine->GetRecords())
        {
            result.insert(result.end(), {record.firstEnter, record.lastEnter, record.done});
        }
        engine->Dispose();
    }
    Simulator::Destroy();
    return result;
}

} // namespace endrig
} // namespace ns3

#endif // END_TO_END_RIG_H
