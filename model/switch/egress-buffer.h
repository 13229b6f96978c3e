/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EGRESS_BUFFER_H
#define EGRESS_BUFFER_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Egress accounting of a switch buffer: every byte that waits for an output port, or is on its way
 * out, belongs to an egress queue (output port and priority). A queue may have reserved bytes, and
 * a limit of what it holds beyond them: static, or alpha times what is free of the queues' pool
 * (Choudhury and Hahne, IEEE/ACM ToN 1998). A frame beyond its queue's limit is dropped, so queues
 * of lossless priorities have none, or one that is never reached. Pure bookkeeping.
 */
class EgressBuffer
{
  public:
    static constexpr uint8_t PRIORITIES = 8; //!< of 802.1Q

    /** What a queue gets. */
    struct QueueConfig
    {
        uint64_t reservedBytes{0}; //!< for itself
        double alpha{0};           //!< factor of its dynamic limit; 0: it is static
        uint64_t limitBytes{0};    //!< static limit of what it holds beyond; 0: none
    };

    /** What all queues of a port get. */
    using PortConfig = std::array<QueueConfig, PRIORITIES>;

    /**
     * @param poolBytes what the dynamic limits share. std::invalid_argument if a queue has a
     * dynamic limit and this is 0
     * @param queues what the queues of each port get
     */
    void Configure(uint64_t poolBytes, const std::vector<PortConfig>& queues);

    /**
     * @param port output port
     * @param priority its priority
     * @param bytes of a frame
     * @returns false if the frame must be dropped; otherwise the bytes are charged
     */
    bool Admit(uint16_t port, uint8_t priority, uint32_t bytes);

    /**
     * @param port output port
     * @param priority its priority
     * @param bytes that have left
     */
    void Release(uint16_t port, uint8_t priority, uint32_t bytes);

    /**
     * @param port output port
     * @param priority its priority
     * @returns bytes that may be charged to the queue beyond its reserved ones, now; the largest
     * number if there is no limit
     */
    uint64_t GetLimit(uint16_t port, uint8_t priority) const;
    /**
     * @param port output port
     * @param priority its priority
     * @returns bytes that the queue holds
     */
    uint64_t GetHeld(uint16_t port, uint8_t priority) const;
    /** @returns bytes of all queues */
    uint64_t GetUsed() const;

  private:
    /** One queue. */
    struct Queue
    {
        QueueConfig config; //!< what it gets
        uint64_t held{0};   //!< bytes
    };

    uint64_t GetShared(const Queue& queue) const;
    uint64_t GetLimit(const Queue& queue) const;

    std::vector<Queue> m_queues; //!< by port * PRIORITIES + priority
    uint64_t m_poolSize{0};      //!< bytes of the pool
    uint64_t m_pool{0};          //!< bytes of it that queues with a dynamic limit use
    uint64_t m_used{0};          //!< bytes of all queues
};

} // namespace ns3

#endif // EGRESS_BUFFER_H
