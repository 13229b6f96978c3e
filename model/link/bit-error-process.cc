/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "bit-error-process.h"

#include <cmath>

namespace ns3
{

void
BitErrorProcess::SetRate(double rate)
{
    m_rate = rate;
    if (IsOn())
    {
        if (!m_uniform)
        {
            m_uniform = CreateObject<UniformRandomVariable>();
        }
        Draw();
    }
}

int64_t
BitErrorProcess::AssignStreams(int64_t stream)
{
    if (!IsOn())
    {
        return 0;
    }
    m_uniform->SetStream(stream);
    Draw();
    return 1;
}

void
BitErrorProcess::Draw()
{
    // Geometric distribution by inversion: P(at least k good bits) = (1 - rate)^k.
    m_goodBits = std::floor(std::log(1 - m_uniform->GetValue(0, 1)) / std::log1p(-m_rate));
}

} // namespace ns3
