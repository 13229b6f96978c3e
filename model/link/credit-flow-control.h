/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CREDIT_FLOW_CONTROL_H
#define CREDIT_FLOW_CONTROL_H

#include "credit-counters.h"
#include "link-flow-control.h"
#include "management-buffer.h"
#include "release-queue.h"

#include "ns3/nstime.h"
#include "ns3/shiftable-timer.h"

#include <boost/circular_buffer.hpp>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * InfiniBand's link-level flow control (IBA vol 1, 7.9): a packet leaves when the receiver has
 * promised room for all of it on its virtual lane.
 *
 * The receiver announces its credit limit (FCCL) in flow-control packets whenever the limit
 * changes. They take wire time of the reverse direction, at frame boundaries and ahead of data, but
 * no event: their arrival is computed when the room becomes free, and looked at when the
 * transmitter needs it. What changes before such a packet has started goes into the same packet.
 *
 * The adjusted blocks received (ABR) equal the transmitter's FCTBS after each flow-control packet
 * as long as nothing is lost, so they are overwritten only after a loss: by the next flow-control
 * packet of the lane that the transmitter sends, after FcMaxInterval at the latest.
 *
 * CreditUpdate says when a flow-control packet is due. What a policy postpones is known in advance
 * like room that becomes free, and costs an event only if the transmitter waits for it.
 *
 * Management packets (VL15) have a receive buffer, but no credits: what does not fit is dropped.
 */
class CreditFlowControl : public LinkFlowControl
{
  public:
    static constexpr uint8_t MANAGEMENT_LANE = 15; //!< VL15 is not flow controlled
    static constexpr uint32_t PACKET_BYTES =
        8; //!< wire bytes of a flow-control packet with delimiters

    /** When the receiver announces that the credit limit of a lane has grown. */
    enum UpdatePolicy
    {
        EVERY_RELEASE, //!< at once
        THRESHOLD,     //!< by FcUpdateThresholdBlocks, or FcMaxInterval ago
        INTERVAL       //!< FcMinInterval after the lane's latest flow-control packet
    };

    /** Where the room of a lane's buffer is, in blocks; together with what is on the wire they make
     * up the buffer. */
    struct Ledger
    {
        uint32_t credits{0};   //!< the transmitter may use them
        uint32_t held{0};      //!< packets are in them
        uint32_t returning{0}; //!< free, but not yet known to the transmitter
    };

    /** @returns the TypeId */
    static TypeId GetTypeId();
    CreditFlowControl();

    void Attach(FabricPort* forward, FabricPort* reverse) override;
    bool MaySend(uint8_t cls, uint32_t bytes, FabricTick now) override;
    FabricTick NextChance(uint8_t cls, uint32_t bytes, FabricTick now) override;
    void Sent(uint8_t cls, uint32_t bytes, FabricTick now) override;
    void NoLongerWaiting(uint8_t cls, FabricTick now) override;
    uint32_t GetLargestFrame(uint8_t cls) const override;
    bool Arrived(uint8_t cls, uint32_t bytes, FabricTick now) override;
    void Freed(uint8_t cls, uint32_t bytes, FabricTick when) override;
    void Lost(uint8_t cls, uint32_t bytes, FabricTick now) override;
    void EmitDue(FabricTick now) override;
    bool IsLossless(uint8_t cls) const override;
    FabricTick GetLongestSilence() const override;
    uint64_t GetOccupancy() const override;
    FabricTick GetHeldTicks() const override;
    bool HashState(StateHash& hash, FabricTick now) const override;
    void Shift(FabricTick by) override;

    /** @returns number of data virtual lanes */
    uint8_t GetLanes() const;
    /**
     * @param lane a data virtual lane
     * @returns blocks of its receive buffer
     */
    uint32_t GetBufferBlocks(uint8_t lane) const;
    /** @returns blocks of the smallest receive buffer of a data virtual lane */
    uint32_t GetSmallestBufferBlocks() const;
    /** @returns bytes in a block */
    uint32_t GetBlockBytes() const;
    /**
     * @param lane a data virtual lane
     * @returns blocks that the transmitter may send now
     */
    uint32_t GetCredit(uint8_t lane);
    /**
     * Look without touching anything.
     * @param lane a data virtual lane
     * @returns where its room is now, if nothing was lost on the wire
     */
    Ledger GetLedger(uint8_t lane) const;
    /** @returns the largest number of blocks that any lane's buffer ever held */
    uint32_t GetMaxOccupancyBlocks() const;
    /** @returns bytes of management packets in the receive buffer */
    uint64_t GetManagementOccupancy() const;
    /** @returns management packets dropped for want of room (counter VL15Dropped) */
    uint64_t GetManagementDrops() const;

  protected:
    void DoDispose() override;

  private:
    static constexpr FabricTick LONG_AGO = -(FABRIC_NEVER / 2); //!< earlier than any tick

    /** Both ends of one virtual lane. */
    struct Lane
    {
        uint32_t fctbs{0};       //!< transmitter: flow control total blocks sent
        uint32_t creditLimit{0}; //!< transmitter: the last FCCL received
        uint32_t abr{0};         //!< receiver: adjusted blocks received
        uint32_t size{0};        //!< receiver: blocks of the buffer
        uint32_t free{0};        //!< receiver: blocks free in the buffer
        uint32_t announced{0};   //!< receiver: FCCL of the latest flow-control packet
        uint32_t lost{0}; //!< receiver: blocks that came in broken since the last overwrite of ABR
        uint64_t packet{0};                 //!< number of the latest flow-control packet
        FabricTick packetStart{LONG_AGO};   //!< when that one starts
        FabricTick postponed{FABRIC_NEVER}; //!< receiver: when a limit held back is announced
        uint32_t waitBlocks{
            0}; //!< transmitter: blocks that the port waits for; 0 = it does not wait
        FabricTick waitBegin{0}; //!< since when
        FabricTick healAt{
            FABRIC_NEVER}; //!< receiver: when a flow-control packet will overwrite ABR
    };

    /** A flow-control packet on its way to the transmitter. */
    struct Announcement
    {
        FabricTick start;     //!< first bit leaves the receiver
        FabricTick at;        //!< last bit reaches the transmitter
        uint32_t creditLimit; //!< FCCL
        uint32_t fctbs;       //!< of the reverse direction
        uint8_t lane;         //!< VL
    };

    void Announce(uint8_t lane, FabricTick due, bool force);
    FabricTick WhenToAnnounce(uint32_t growth,
                              FabricTick due,
                              FabricTick latest,
                              FabricTick postponed) const;
    FabricTick PredictChance(uint8_t cls, uint32_t blocks) const;
    void SetPostponed(Lane& lane, FabricTick at);
    void AnnouncePostponed();
    bool Postpone(Lane& lane, uint32_t limit, FabricTick due);
    bool IsPacketWaiting(const Lane& lane, FabricTick at) const;
    void SetLaneSizes();
    void ApplyAnnouncements(FabricTick now);
    void ScheduleHeal(uint8_t lane, FabricTick at);
    void HealDue();
    void KeepUpdating(FabricTick now);
    void PeriodicDue();
    void ShowDue();
    bool IsWatched() const;
    void WatchReleases();
    void ShowAnnouncement(const Announcement& announcement);
    CreditFlowControl* GetPartner() const;
    FabricTick PredictNews(FabricTick when) const;

    uint32_t m_bufferBytes;        //!< receive buffer per data lane, unless said otherwise
    std::string m_laneBufferBytes; //!< receive buffers of the first data lanes
    uint32_t m_managementBytes;    //!< receive buffer of VL15
    UpdatePolicy m_updatePolicy{EVERY_RELEASE}; //!< when to announce
    uint32_t m_thresholdBlocks;                 //!< of THRESHOLD
    Time m_minInterval;                         //!< of INTERVAL
    uint32_t m_blockBytes;                      //!< credit unit
    uint8_t m_laneCount;                        //!< data lanes
    Time m_maxInterval;        //!< longest time without a flow-control packet of the transmitter
    std::vector<Lane> m_lanes; //!< by VL
    boost::circular_buffer<Announcement> m_announced; //!< on their way, in order
    uint64_t m_applied{0};                            //!< announcements taken out so far
    ReleaseQueue m_releases;                          //!< room that becomes free later
    FabricTick m_postponed{FABRIC_NEVER};             //!< the earliest of all lanes
    ManagementBuffer m_management;                    //!< VL15 at the receiver
    FabricTick m_held{0};                             //!< ended waits, summed
    uint32_t m_maxOccupancy{0};                       //!< high-water mark, blocks
    Ptr<MemberTimer<CreditFlowControl>> m_heal;       //!< after losses only
    Ptr<MemberTimer<CreditFlowControl>> m_show;       //!< when somebody looks at the wire only
    bool m_periodicUpdates;                           //!< lanes without news, too
    bool m_inUse{false};                              //!< sent to since the latest PeriodicDue()
    Ptr<MemberTimer<CreditFlowControl>> m_periodic;   //!< with m_periodicUpdates only
};

} // namespace ns3

#endif // CREDIT_FLOW_CONTROL_H
