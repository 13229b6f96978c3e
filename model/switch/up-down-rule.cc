/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "up-down-rule.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ns3
{

UpDownRule::UpDownRule(const SubnetView& view, std::vector<uint16_t> ranks)
    : m_view(&view),
      m_ranks(std::move(ranks)),
      m_order(view.GetNSwitches())
{
    std::iota(m_order.begin(), m_order.end(), 0);
    std::sort(m_order.begin(), m_order.end(), [this](uint32_t a, uint32_t b) {
        return IsAbove(a, b);
    });
}

bool
UpDownRule::IsAbove(uint32_t a, uint32_t b) const
{
    return std::make_pair(m_ranks[a], a) < std::make_pair(m_ranks[b], b);
}

/** @returns hops to the target of ways that only go down */
std::vector<uint16_t>
UpDownRule::GetFalls(uint32_t target) const
{
    std::vector<uint16_t> falls(m_view->GetNSwitches(), SubnetView::FAR);
    std::vector<uint32_t> queue{target};
    falls[target] = 0;
    for (std::size_t i = 0; i < queue.size(); ++i)
    {
        for (const SubnetView::Link& link : m_view->GetLinks(queue[i]))
        {
            if (IsAbove(link.to, queue[i]) && falls[link.to] == SubnetView::FAR)
            {
                falls[link.to] = falls[queue[i]] + 1;
                queue.push_back(link.to);
            }
        }
    }
    return falls;
}

std::vector<UpDownRule::Links>
UpDownRule::GetLinksTo(uint32_t target) const
{
    const std::vector<uint16_t> falls = GetFalls(target);
    std::vector<uint16_t> hops = falls;
    std::vector<Links> links(m_view->GetNSwitches());
    for (const uint32_t sw : m_order) // from above: what lies above is known
    {
        const bool goesDown = falls[sw] != SubnetView::FAR;
        const auto isLegal = [&](const SubnetView::Link& link) {
            return IsAbove(link.to, sw) != goesDown && hops[link.to] != SubnetView::FAR;
        };
        if (!goesDown)
        {
            for (const SubnetView::Link& link : m_view->GetLinks(sw))
            {
                if (isLegal(link))
                {
                    hops[sw] = std::min<uint16_t>(hops[sw], hops[link.to] + 1);
                }
            }
        }
        for (const SubnetView::Link& link : m_view->GetLinks(sw))
        {
            // A switch below that can fall, too, has its own fall as hops.
            if (sw != target && isLegal(link) && hops[link.to] + 1 == hops[sw])
            {
                links[sw].push_back(link);
            }
        }
    }
    return links;
}

} // namespace ns3
