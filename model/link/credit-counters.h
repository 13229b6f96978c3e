/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CREDIT_COUNTERS_H
#define CREDIT_COUNTERS_H

#include <algorithm>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * The arithmetic of InfiniBand's link-level credits (IBA vol 1, 7.9): counters modulo 4096 in
 * blocks of 64 bytes.
 */
struct CreditCounters
{
    static constexpr uint32_t MODULUS = 4096; //!< counters have 12 bits
    static constexpr uint32_t MAX_CREDIT =
        2048; //!< half of it, so that the send test is unambiguous

    /**
     * @param bytes a packet's bytes, LRH through VCRC
     * @param blockBytes size of a block; 64 by the standard
     * @returns blocks that the packet takes
     */
    static uint32_t Blocks(uint32_t bytes, uint32_t blockBytes)
    {
        return (bytes + blockBytes - 1) / blockBytes;
    }

    /**
     * @param abr adjusted blocks received, modulo 4096
     * @param free blocks free in the receive buffer
     * @returns FCCL, the flow control credit limit that the receiver announces
     */
    static uint32_t CreditLimit(uint32_t abr, uint64_t free)
    {
        return (abr + static_cast<uint32_t>(std::min<uint64_t>(free, MAX_CREDIT))) % MODULUS;
    }

    /**
     * @param creditLimit the last FCCL received
     * @param fctbs flow control total blocks sent, modulo 4096
     * @param blocks of the packet that wants to go
     * @returns true if the packet may be sent
     */
    static bool MaySend(uint32_t creditLimit, uint32_t fctbs, uint32_t blocks)
    {
        return (creditLimit + 2 * MODULUS - fctbs - blocks) % MODULUS <= MAX_CREDIT;
    }
};

} // namespace ns3

#endif // CREDIT_COUNTERS_H
