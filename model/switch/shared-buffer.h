/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SHARED_BUFFER_H
#define SHARED_BUFFER_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Ingress accounting of a switch buffer: every byte belongs to a priority group (input port and
 * priority), and there to its reserved part, its pool or its headroom. All groups share one pool,
 * or those of a port do, or each has its own.
 *
 * A shared pool has a dynamic threshold per priority group, alpha times what is free in the pool
 * (Choudhury and Hahne, IEEE/ACM ToN 1998). A lossless group that reaches it is stopped (XOFF); the
 * frame that reaches it still counts to the shared pool, and what comes after it to the headroom.
 * It goes on (XON) when its headroom is empty and it is below its threshold by an offset. A
 * threshold may also be static. Headroom is each group's own, or of one pool in the hope that not
 * all need it at once. Lossy groups share with the lossless ones, or have a pool of their own. Pure
 * bookkeeping: who stops whom is the switch's business.
 */
class SharedBuffer
{
  public:
    /** Who shares a pool. */
    enum Model
    {
        SHARED,    //!< all priority groups of the switch
        PER_PORT,  //!< those of an input port; every port has an equal part
        PER_QUEUE, //!< nobody: every group has an equal part, and may fill it
    };

    /** What a priority group gets. */
    struct GroupConfig
    {
        uint64_t reservedBytes{0};  //!< for itself
        double alpha{0};            //!< factor of its dynamic threshold; 0: it is static
        uint64_t staticBytes{0};    //!< static threshold of its part of the pool
        uint64_t headroomBytes{0};  //!< what may come in after XOFF; 0: lossy
        uint64_t xonOffsetBytes{0}; //!< how far below its threshold it goes on
        uint64_t xonBytes{0};       //!< it goes on when it holds so many or less; 0: by the offset
        bool inLossyPool{false};    //!< its shared part is of the lossy pool
    };

    /** What all priority groups of a port get. */
    using PortConfig = std::array<GroupConfig, 8>;

    /** Sizes in bytes. */
    struct Config
    {
        Model model{SHARED};           //!< who shares a pool
        uint64_t totalBytes{0};        //!< the whole buffer
        uint64_t headroomPoolBytes{0}; //!< headroom of all groups together; 0: each has its own
        uint64_t lossyPoolBytes{0};    //!< of the lossy pool; 0: there is none
        double alpha{0};            //!< factor of the dynamic threshold, where groups are not given
        uint64_t reservedBytes{0};  //!< per priority group, where they are not given
        uint64_t xonOffsetBytes{0}; //!< of priority groups, where they are not given
    };

    /** What becomes of a frame. */
    enum class Verdict
    {
        ADMIT,      //!< there is room
        ADMIT_XOFF, //!< there is room, and the group must be stopped now
        DROP,       //!< there is none
    };

    /**
     * @param config sizes
     * @param groups what the groups of each port get. std::invalid_argument if reserved bytes,
     * headroom and lossy pool together leave no shared pool, or a threshold can't be.
     */
    void Configure(const Config& config, const std::vector<PortConfig>& groups);

    /**
     * All groups get the same but for their headroom.
     * @param config sizes
     * @param headroom bytes by [port][priority]; 0 for lossy priorities, which are dropped at their
     * threshold. std::invalid_argument if reserved bytes and headroom together leave no shared
     * pool.
     */
    void Configure(const Config& config, const std::vector<std::vector<uint64_t>>& headroom);

    /**
     * @param port input port
     * @param priority its priority
     * @param bytes of the frame
     * @returns what becomes of it; the bytes are charged unless it is DROP
     */
    Verdict Admit(uint16_t port, uint8_t priority, uint32_t bytes);

    /**
     * @param port input port
     * @param priority its priority
     * @param bytes that leave
     */
    void Release(uint16_t port, uint8_t priority, uint32_t bytes);

    /** A priority group. */
    struct Group
    {
        uint16_t port;    //!< input port
        uint8_t priority; //!< its priority
    };

    /**
     * Groups that may go on after what was released; they count as going on from now.
     * @param resumed receives them; cleared first
     */
    void TakeResumed(std::vector<Group>& resumed);

    /** @returns true if any group is stopped */
    bool HasStopped() const;

    /**
     * @param port input port
     * @param priority its priority
     * @returns threshold of the group's part of its pool, in bytes, now; the same for all groups if
     * they share one pool
     */
    uint64_t GetThreshold(uint16_t port = 0, uint8_t priority = 0) const;
    /** @returns bytes of a pool of lossless groups; all have the same size */
    uint64_t GetSharedSize() const;
    /** @returns bytes used of all pools */
    uint64_t GetSharedUsed() const;
    /** @returns bytes used of all parts */
    uint64_t GetUsed() const;
    /** @returns the largest use of any group's headroom ever, in bytes */
    uint64_t GetMaxHeadroomUsed() const;
    /** @returns bytes used of the headroom of all groups */
    uint64_t GetHeadroomUsed() const;
    /** @returns bytes used of the lossy pool */
    uint64_t GetLossyUsed() const;
    /**
     * @param port input port
     * @param priority its priority
     * @returns bytes that the group holds, of all parts
     */
    uint64_t GetHeld(uint16_t port, uint8_t priority) const;
    /**
     * @param port input port
     * @param priority its priority
     * @returns what the group gets
     */
    const GroupConfig& GetGroupConfig(uint16_t port, uint8_t priority) const;

  private:
    static constexpr uint8_t PRIORITIES = 8; //!< of 802.1Q

    /** One priority group. */
    struct Account
    {
        GroupConfig config;   //!< what it gets
        std::size_t pool{0};  //!< where its shared part is
        uint64_t reserved{0}; //!< bytes used of the reserved part
        uint64_t shared{0};   //!< bytes used of the shared pool
        uint64_t headroom{0}; //!< bytes used of the headroom
        bool stopped{false};  //!< XOFF
    };

    Account& At(uint16_t port, uint8_t priority);
    const Account& At(uint16_t port, uint8_t priority) const;
    uint64_t GetThreshold(const Account& account) const;
    bool HasDrained(const Account& account) const;
    void Check(const std::string& where, const GroupConfig& group) const;

    Config m_config;                 //!< sizes
    std::vector<Account> m_accounts; //!< by port * PRIORITIES + priority
    std::vector<Group> m_stopped;    //!< stopped groups, in the order in which they were stopped
    uint64_t m_sharedSize{0};        //!< bytes of a pool of lossless groups
    std::vector<uint64_t> m_pools;   //!< bytes used of each pool; the last one is the lossy pool
    uint64_t m_headroom{0};          //!< bytes used of the headroom of all groups
    uint64_t m_used{0};              //!< bytes used of all parts
    uint64_t m_maxHeadroom{0};       //!< high-water mark of any group's headroom
};

} // namespace ns3

#endif // SHARED_BUFFER_H
