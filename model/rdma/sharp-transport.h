/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SHARP_TRANSPORT_H
#define SHARP_TRANSPORT_H

#include "aggregation-node.h"
#include "fabric-nic.h"
#include "in-network-reduction.h"

#include "ns3/ib-net-device.h"
#include "ns3/nstime.h"
#include "ns3/shiftable-timer.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * In-network reduction over InfiniBand (SHARP-like): the ranks of one group, and the aggregation
 * nodes that serve them. SharpHelper builds the tree.
 *
 * Each rank cuts its vector into segments of one packet, sends them to the aggregation node of its
 * leaf switch, and gets the sums from there. At most Window segments of a rank are without result;
 * a result is the credit for the next segment. So a slow rank, adder or link holds all others back,
 * and switches need no more memory than the window.
 *
 * The fabric is lossless and nothing is sent again: if a frame is lost all the same (bit error,
 * lifetime limit), the results stop, and the group fails after Timeout, with an error that says so.
 * Waiting for a rank that has not contributed is no failure.
 *
 * Every result is checked: each rank must be in it exactly once. The error callback, or
 * std::runtime_error without one, tells of failures.
 */
class SharpTransport : public InNetworkReduction
{
  public:
    /** A host of the group. */
    struct Host
    {
        Ptr<FabricNic> nic;      //!< its NIC
        uint64_t leafAddress{0}; //!< fabric address of the aggregation node of its leaf switch
    };

    /** @returns the TypeId */
    static TypeId GetTypeId();
    SharpTransport();
    ~SharpTransport() override;

    /** @returns Window */
    uint32_t GetWindow() const;
    /** @returns ServiceLevel */
    uint8_t GetServiceLevel() const;

    /**
     * Take over a group whose tree is there; once.
     * @param group number of the group
     * @param segmentBytes payload of a full segment
     * @param hosts by rank, on different NICs
     * @param nodes aggregation nodes of the tree, the root first; left when this goes
     */
    void SetGroup(uint32_t group,
                  uint32_t segmentBytes,
                  const std::vector<Host>& hosts,
                  const std::vector<Ptr<AggregationNode>>& nodes);
    /** @returns number of the group */
    uint32_t GetGroup() const;
    /** @returns payload of a full segment in bytes */
    uint32_t GetSegmentBytes() const;
    /** @returns aggregation nodes of the tree, the root first */
    const std::vector<Ptr<AggregationNode>>& GetNodes() const;
    /** @returns true if the group has failed */
    bool HasFailed() const;

    /**
     * What a rank gives to a segment, in place of numbers to be added.
     * @param rank a rank
     * @param segment its number, over all reductions
     * @returns a value that differs from others
     */
    static uint64_t GetContribution(uint32_t rank, uint64_t segment);

    uint32_t GetSize() const override;
    void Contribute(uint32_t rank, uint64_t bytes, uint64_t tag) override;

    /**
     * A result has come in; for AggregationEndpoint.
     * @param rank whose host it is
     * @param index number of the segment mod Window
     * @param contributions number of ranks in the sum
     * @param sum of their contributions
     */
    void Receive(uint32_t rank, uint32_t index, uint32_t contributions, uint64_t sum);

    /**
     * TracedCallback signature of Result.
     * @param rank whose host got it
     * @param segment its number, over all reductions
     * @param contributions number of ranks in the sum
     * @param sum of their contributions
     */
    typedef void (*ResultTracedCallback)(uint32_t rank,
                                         uint64_t segment,
                                         uint32_t contributions,
                                         uint64_t sum);

  protected:
    void DoDispose() override;

  private:
    /** One vector per rank to be added up. */
    struct Reduction
    {
        uint64_t tag;                 //!< as given
        uint64_t bytes;               //!< length
        uint64_t first;               //!< number of its first segment
        uint64_t segments;            //!< how many
        uint32_t done{0};             //!< ranks that have the result
        std::vector<bool> hasGiven{}; //!< by rank
    };

    /** A rank. */
    struct Member
    {
        Ptr<FabricNic> nic;      //!< its NIC
        Ptr<IbNetDevice> device; //!< its port
        FabricFrame pattern;     //!< of what it sends
        uint64_t sent{0};        //!< segments sent
        uint64_t received{0};    //!< results received
        uint64_t sending{0};     //!< reduction that its next segment is of, counted from the first
        uint64_t receiving{0};   //!< reduction that its next result is of
    };

    /** A segment under way. */
    struct Segment
    {
        uint64_t sum{0};      //!< of what was sent
        uint32_t sent{0};     //!< ranks that have sent it
        uint32_t received{0}; //!< ranks that have its result
    };

    Reduction& GetReduction(uint64_t number);
    Segment& GetSegment(uint64_t number);
    void SendSegments(uint32_t rank);
    void CheckProgress();
    void Fail(const std::string& what);
    void Leave();

    uint32_t m_window;      //!< segments
    uint8_t m_serviceLevel; //!< of frames
    Time m_timeout;         //!< without any result

    uint32_t m_group{0};                       //!< number
    uint32_t m_segmentBytes{0};                //!< payload of a full segment
    std::vector<Member> m_members;             //!< by rank
    std::vector<Ptr<AggregationNode>> m_nodes; //!< the root first
    std::deque<Reduction> m_reductions;        //!< not known to be done by all
    uint64_t m_finished{0};                    //!< reductions that are not in there any more
    uint64_t m_segments{0};                    //!< of all reductions
    std::vector<Segment> m_underWay;           //!< by number mod twice the window
    uint64_t m_fullySent{0};                   //!< first segments that all ranks have sent
    uint64_t m_fullyReceived{0};               //!< first segments that all ranks have back
    FabricTick m_lastProgress{0};              //!< when a result came, or had to be waited for
    bool m_failed{false};                      //!< for good
    Ptr<MemberTimer<SharpTransport>> m_timer;  //!< looks whether there is progress
    TracedCallback<uint32_t, uint64_t, uint32_t, uint64_t> m_resultTrace; //!< see above
};

} // namespace ns3

#endif // SHARP_TRANSPORT_H
