/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef STATE_HASH_H
#define STATE_HASH_H

#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Accumulates a 64-bit hash of *relative* state: times as distances from now, sequence numbers as
 * differences.
 *
 * Two equal hashes of a component of flows say that it has been in this state before, so that what
 * follows repeats (exact fast-forward).
 */
class StateHash
{
  public:
    /** @param value any integer of the state */
    void Add(uint64_t value)
    {
        // The finalizer of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014) over a running sum.
        uint64_t z = m_hash + 0x9e3779b97f4a7c15ULL + value;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        m_hash = z ^ (z >> 31);
    }

    /** @returns the hash of everything added so far, in order */
    uint64_t Get() const
    {
        return m_hash;
    }

  private:
    uint64_t m_hash{0}; //!< running value
};

} // namespace ns3

#endif // STATE_HASH_H
