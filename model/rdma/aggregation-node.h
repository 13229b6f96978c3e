/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef AGGREGATION_NODE_H
#define AGGREGATION_NODE_H

#include "ns3/data-rate.h"
#include "ns3/fabric-switch.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/shiftable-timer.h"
#include "ns3/tx-clock.h"

#include <boost/circular_buffer.hpp>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * A neighbor in an aggregation tree: a host or another aggregation node.
 */
struct AggregationPeer
{
    uint16_t port{0};    //!< port of this switch towards it
    uint64_t address{0}; //!< its fabric address
};

/**
 * @ingroup ai-fabric
 * What a node must know of a group: its place in the tree, and how much may be under way.
 */
struct AggregationGroup
{
    uint32_t id{0};                        //!< number of the group, unique in the fabric
    uint8_t serviceLevel{0};               //!< of its frames
    uint32_t window{1};                    //!< segments under way at most
    uint32_t segmentBytes{0};              //!< payload of the largest segment
    bool isRoot{false};                    //!< true: there is no parent
    AggregationPeer parent;                //!< where sums go
    std::vector<AggregationPeer> children; //!< who contributes, and gets the result
};

/**
 * @ingroup ai-fabric
 * What a switch needs for in-network reduction (SHARP-like): it adds up the segments that the
 * children of a group send, gives the sum to the parent, and replicates what comes from there.
 *
 * A segment is one packet of each child. It is added into memory that is reserved for the group
 * (window x segmentBytes), so contributions always leave the input buffers, whatever the other
 * children do, and a tree can't block itself or other traffic. A contribution counts when its last
 * bit has come in. Complete segments pass the adder one after the other, at AggregationRate, and
 * leave Latency later. Results from the parent are forwarded as multicast is, at the head with
 * cut-through.
 *
 * Frames are datagrams (UD SEND). What their payload would hold is in fields that a datagram's
 * headers do not have: va is the sum, dmaLen the number of ranks in it, msn the place of the
 * segment in the window. PSN counts segments, the Q_Key is the group.
 *
 * Aggregated to its switch: switch->GetObject<AggregationNode>() finds it.
 */
class AggregationNode : public Object, public FabricFrameSink
{
  public:
    /** What a node has counted; never reset. */
    struct Counters
    {
        uint64_t contributions{0}; //!< frames added up
        uint64_t segments{0};      //!< segments completed
        uint64_t bytes{0};         //!< their payload, once each
        uint64_t results{0};       //!< frames sent to children
        uint32_t mostQueued{0};    //!< segments complete and not yet sent, at most
    };

    /** @returns the TypeId */
    static TypeId GetTypeId();
    AggregationNode();
    ~AggregationNode() override;

    /**
     * Become the aggregation node of a switch.
     * @param owner the switch, which has none yet
     * @param address fabric address of the switch, which no host has
     */
    void Attach(const Ptr<FabricSwitch>& owner, uint64_t address);
    /** @returns the switch; null before Attach() */
    Ptr<FabricSwitch> GetSwitch() const;
    /** @returns fabric address of the switch */
    uint64_t GetAddress() const;

    /**
     * @param window segments of one more group
     * @param segmentBytes payload of its largest segment
     * @returns why there is no room for it; empty if there is
     */
    std::string WhyFull(uint32_t window, uint32_t segmentBytes) const;
    /**
     * @param group takes part from now on
     * @throws std::runtime_error if there is no room for it
     * @throws std::invalid_argument if its id is in use, or it has no children or window
     */
    void AddGroup(const AggregationGroup& group);
    /** @param id of a group that is no longer used; nothing happens if there is none */
    void RemoveGroup(uint32_t id);
    /** @returns number of groups */
    uint32_t GetGroups() const;
    /** @returns the counters */
    const Counters& GetCounters() const;

    // FabricFrameSink
    void ReceiveFrame(FabricFrame* frame, FabricNetDevice* device) override;

  protected:
    void DoDispose() override;

  private:
    /** A segment that is being added up. */
    struct Segment
    {
        uint32_t psn{0};           //!< its number, 24 bits
        uint32_t arrived{0};       //!< children heard
        uint32_t payload{0};       //!< its length
        uint32_t contributions{0}; //!< ranks in the sum
        uint64_t sum{0};           //!< of what the ranks gave
        FabricTick whole{0};       //!< when the last bit heard so far came in
    };

    /** A group and its memory. */
    struct Member
    {
        AggregationGroup config;       //!< as given
        FabricFrame pattern;           //!< of what it sends
        std::vector<Segment> segments; //!< by number mod window
    };

    /** A complete segment on its way through the adder. */
    struct Ready
    {
        FabricTick due; //!< when it leaves
        uint32_t group; //!< id
        uint32_t index; //!< of the segment
    };

    void Add(Member& member, FabricFrame* frame, FabricNetDevice* device);
    void Distribute(const Member& member, FabricFrame* frame);
    void Complete(const Member& member, uint32_t index);
    void Due();
    void Emit(Member& member, uint32_t index);
    void SendTo(const Member& member, uint32_t index, const AggregationPeer& peer);

    uint32_t m_maxGroups;   //!< groups at most
    uint64_t m_bufferBytes; //!< memory for segments
    DataRate m_rate;        //!< of the adder; 0: no limit
    Time m_latency;         //!< from the adder to the output port

    Ptr<FabricSwitch> m_switch;                                     //!< whose node this is
    uint64_t m_address{0};                                          //!< of the switch
    uint64_t m_usedBytes{0};                                        //!< memory reserved
    std::unordered_map<uint32_t, std::unique_ptr<Member>> m_groups; //!< by id
    TxClock m_adder;                           //!< when the adder is free; valid if there is a rate
    bool m_hasRate{false};                     //!< m_adder is set
    FabricTick m_lastDue{0};                   //!< of the segment that became complete last
    boost::circular_buffer<Ready> m_pipeline;  //!< in order of time
    Ptr<MemberTimer<AggregationNode>> m_timer; //!< due at the first of these
    Counters m_counters;                       //!< see there
};

} // namespace ns3

#endif // AGGREGATION_NODE_H
