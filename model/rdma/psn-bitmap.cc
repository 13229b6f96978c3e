/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "psn-bitmap.h"

#include <algorithm>

namespace ns3
{

void
PsnBitmap::Reset(uint64_t base)
{
    std::fill(m_words.begin(), m_words.end(), 0);
    m_base = m_end = base;
    m_count = 0;
}

void
PsnBitmap::Grow(uint64_t numbers)
{
    // One word more than needed, since the window need not begin at a word's first bit.
    std::size_t size = std::max<std::size_t>(m_words.size(), 1);
    while (size < numbers / BITS + 2)
    {
        size *= 2;
    }
    std::vector<uint64_t> words(size, 0);
    for (uint64_t number = m_base; number < m_end; number = (number / BITS + 1) * BITS)
    {
        words[(number / BITS) & (size - 1)] = m_words[Word(number)];
    }
    m_words.swap(words);
}

bool
PsnBitmap::Set(uint64_t number)
{
    if ((number - m_base) / BITS + 2 > m_words.size())
    {
        Grow(number - m_base);
    }
    uint64_t& word = m_words[Word(number)];
    if (word & Bit(number))
    {
        return false;
    }
    word |= Bit(number);
    ++m_count;
    m_end = std::max(m_end, number + 1);
    return true;
}

void
PsnBitmap::Advance(uint64_t base)
{
    for (uint64_t number = m_base; m_count && number < base;)
    {
        const uint64_t next = std::min((number / BITS + 1) * BITS, base);
        uint64_t gone = ~uint64_t{0} << (number % BITS);
        gone &= next % BITS ? (uint64_t{1} << (next % BITS)) - 1 : ~uint64_t{0};
        uint64_t& word = m_words[Word(number)];
        m_count -= static_cast<uint64_t>(__builtin_popcountll(word & gone));
        word &= ~gone;
        number = next;
    }
    m_base = base;
    m_end = std::max(m_end, base);
}

uint64_t
PsnBitmap::FindUnset(uint64_t from, uint64_t end) const
{
    while (from < end && from < m_end)
    {
        const uint64_t unset = ~m_words[Word(from)] >> (from % BITS);
        if (unset)
        {
            return std::min(end, from + static_cast<uint64_t>(__builtin_ctzll(unset)));
        }
        from = (from / BITS + 1) * BITS;
    }
    return std::min(from, end);
}

void
PsnBitmap::HashState(StateHash& hash) const
{
    hash.Add(m_count);
    if (m_count == 0)
    {
        return;
    }
    // Runs of set bits, by their distance from the base.
    uint64_t number = m_base;
    while (number < m_end)
    {
        if (Test(number))
        {
            const uint64_t end = FindUnset(number, m_end);
            hash.Add(number - m_base);
            hash.Add(end - m_base);
            number = end;
        }
        else
        {
            ++number;
        }
    }
}

} // namespace ns3
