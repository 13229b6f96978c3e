/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNR_TIMER_H
#define RNR_TIMER_H

#include <array>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * How long a requester waits after an RNR NAK, by the 5-bit code in its syndrome (IBA vol 1, table
 * 45).
 */
struct RnrTimer
{
    static constexpr uint8_t MAX_CODE = 31; //!< 5 bits

    /**
     * @param code in 0..31; higher bits do not matter
     * @returns nanoseconds, 10 us..655.36 ms
     */
    static constexpr uint64_t GetNanoseconds(uint8_t code)
    {
        return uint64_t{TENS_OF_MICROSECONDS[code & MAX_CODE]} * 10000;
    }

  private:
    /** Units of 10 us, by code. */
    static constexpr std::array<uint32_t, 32> TENS_OF_MICROSECONDS{
        65536, 1,    2,    3,    4,    6,     8,     12,    16,    24,   32,
        48,    64,   96,   128,  192,  256,   384,   512,   768,   1024, 1536,
        2048,  3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};
};

} // namespace ns3

#endif // RNR_TIMER_H
