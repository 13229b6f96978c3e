/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PSN_BITMAP_H
#define PSN_BITMAP_H

#include "ns3/state-hash.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * A window of bits that slides over numbers which only grow, such as extended PSNs.
 *
 * The bits are a ring that grows when a number needs it, so that nothing is allocated once the
 * window has been as wide as it gets.
 */
class PsnBitmap
{
  public:
    /** @param base the window begins here, with no bit set */
    void Reset(uint64_t base);

    /**
     * @param number at least GetBase()
     * @returns false if its bit was set before
     */
    bool Set(uint64_t number);

    /**
     * @param number any
     * @returns true if its bit is set
     */
    bool Test(uint64_t number) const
    {
        return number >= m_base && number < m_end && (m_words[Word(number)] & Bit(number));
    }

    /** @param base forget all bits before it; at least GetBase() */
    void Advance(uint64_t base);

    /**
     * @param from where to begin, at least GetBase()
     * @param end where to stop
     * @returns the first number without a set bit; end if there is none before it
     */
    uint64_t FindUnset(uint64_t from, uint64_t end) const;

    /** @returns where the window begins */
    uint64_t GetBase() const
    {
        return m_base;
    }

    /** @returns the number after the highest one with a set bit; GetBase() if there is none */
    uint64_t GetEnd() const
    {
        return m_end;
    }

    /** @returns how many bits are set */
    uint64_t GetCount() const
    {
        return m_count;
    }

    /** @returns numbers that the ring can hold at the moment: a power of two, or 0 */
    uint64_t GetCapacity() const
    {
        return m_words.size() * BITS;
    }

    /** @param hash takes the bits, counted from the base */
    void HashState(StateHash& hash) const;

  private:
    static constexpr uint64_t BITS = 64; //!< of a word

    std::size_t Word(uint64_t number) const
    {
        return (number / BITS) & (m_words.size() - 1);
    }

    static uint64_t Bit(uint64_t number)
    {
        return uint64_t{1} << (number % BITS);
    }

    void Grow(uint64_t numbers);

    std::vector<uint64_t> m_words; //!< ring; its size is a power of two
    uint64_t m_base{0};            //!< first number
    uint64_t m_end{0};             //!< after the highest set bit
    uint64_t m_count{0};           //!< set bits
};

} // namespace ns3

#endif // PSN_BITMAP_H
