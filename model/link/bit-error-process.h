/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef BIT_ERROR_PROCESS_H
#define BIT_ERROR_PROCESS_H

#include "ns3/ptr.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Independent bit errors with a given rate: a frame of n bytes is hit with probability
 * 1 - (1 - rate)^(8 n).
 *
 * What is drawn is the number of good bits up to the next error, so that a good frame costs a
 * subtraction.
 */
class BitErrorProcess
{
  public:
    /** @param rate probability that a bit is wrong, 0 (never) to less than 1 */
    void SetRate(double rate);

    /** @returns probability that a bit is wrong */
    double GetRate() const
    {
        return m_rate;
    }

    /** @returns true if frames may be hit at all */
    bool IsOn() const
    {
        return m_rate > 0;
    }

    /**
     * A frame has come in; IsOn() must be true.
     * @param bytes its length
     * @returns true if one of its bits or more are wrong
     */
    bool Hits(uint32_t bytes)
    {
        const double bits = 8.0 * bytes;
        if (m_goodBits >= bits)
        {
            m_goodBits -= bits;
            return false;
        }
        Draw(); // errors have no memory: what follows the frame is as good as new
        return true;
    }

    /**
     * @param stream first random stream to use
     * @returns streams used: 1 with a rate of more than 0, else 0
     */
    int64_t AssignStreams(int64_t stream);

  private:
    void Draw();

    double m_rate{0};                     //!< see SetRate
    double m_goodBits{0};                 //!< bits before the next wrong one
    Ptr<UniformRandomVariable> m_uniform; //!< made when the rate is first more than 0, so that the
                                          //!< streams of others stay the same without errors
};

} // namespace ns3

#endif // BIT_ERROR_PROCESS_H
