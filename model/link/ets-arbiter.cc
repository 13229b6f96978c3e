/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ets-arbiter.h"

#include <sstream>
#include <stdexcept>
#include <vector>

namespace ns3
{

EtsArbiter::Weights
EtsArbiter::Parse(const std::string& text)
{
    std::vector<std::string> items;
    std::istringstream stream(text);
    for (std::string item; std::getline(stream, item, ',');)
    {
        items.push_back(item);
    }
    if (items.size() != PRIORITIES)
    {
        throw std::invalid_argument("Ets \"" + text + "\" has " + std::to_string(items.size()) +
                                    " items, expected 8: strict or a weight for each priority");
    }
    Weights weights{};
    for (std::size_t i = 0; i < items.size(); ++i)
    {
        const std::string& item = items[i];
        const bool digits = !item.empty() && item.size() <= 3 &&
                            item.find_first_not_of("0123456789") == std::string::npos;
        const int weight = digits ? std::stoi(item) : 0;
        if (item != "strict" && (weight < 1 || weight > 255))
        {
            throw std::invalid_argument("Ets \"" + text + "\", priority " + std::to_string(i) +
                                        ": \"" + item + "\", expected strict or a weight 1..255");
        }
        weights[i] = static_cast<uint8_t>(weight);
    }
    return weights;
}

EtsArbiter::EtsArbiter(const Weights& weights)
    : m_weights(weights)
{
    for (uint8_t i = 0; i < PRIORITIES; ++i)
    {
        m_strict |= weights[i] ? 0U : 1U << i;
    }
    m_deficits[m_turn] = int64_t{m_weights[m_turn]} * QUANTUM_BYTES;
}

uint32_t
EtsArbiter::GetServedClasses() const
{
    return (1U << PRIORITIES) - 1;
}

uint8_t
EtsArbiter::Choose(uint32_t sendable)
{
    const uint32_t strict = sendable & m_strict;
    for (uint8_t i = PRIORITIES; strict && i-- > 0;)
    {
        if (strict & (1U << i))
        {
            m_chosen = i;
            return i;
        }
    }
    // A frame of 9 KiB overdraws by three turns of weight 1 at most, so this ends.
    while (!(sendable & (1U << m_turn)) || m_deficits[m_turn] <= 0)
    {
        if (!(sendable & (1U << m_turn)) && m_deficits[m_turn] > 0)
        {
            m_deficits[m_turn] = 0;
        }
        m_turn = (m_turn + 1) % PRIORITIES;
        m_deficits[m_turn] += int64_t{m_weights[m_turn]} * QUANTUM_BYTES;
    }
    m_chosen = m_turn;
    return m_turn;
}

void
EtsArbiter::Sent(uint32_t bytes)
{
    if (m_weights[m_chosen])
    {
        m_deficits[m_chosen] -= bytes;
    }
}

void
EtsArbiter::HashState(StateHash& hash) const
{
    hash.Add(m_turn);
    for (const int64_t deficit : m_deficits)
    {
        hash.Add(deficit);
    }
}

} // namespace ns3
