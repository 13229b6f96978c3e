/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef UP_DOWN_RULE_H
#define UP_DOWN_RULE_H

#include "subnet-view.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * No path goes up again once it has gone down. The upper end of a cable is the switch with the
 * lower rank, of equal ones that with the lower number, so that there is no circle of ways up, and
 * none of ways down.
 */
class UpDownRule
{
  public:
    /** Cables of a switch. */
    using Links = std::vector<SubnetView::Link>;

    /**
     * @param view switches; must outlive the rule
     * @param ranks by switch; 0 is the top
     */
    UpDownRule(const SubnetView& view, std::vector<uint16_t> ranks);

    /**
     * @param a number of a switch
     * @param b number of another switch
     * @returns true if a is the upper end of a cable between them
     */
    bool IsAbove(uint32_t a, uint32_t b) const;

    /**
     * A switch that can reach the target by going down only does, on the shortest such way; another
     * one goes up on the shortest way. So a table that has only one entry for a LID keeps the rule.
     * @param target number of a switch
     * @returns for each switch the cables that may be taken towards it, all equally good; empty
     * where the rule leaves no way
     */
    std::vector<Links> GetLinksTo(uint32_t target) const;

  private:
    std::vector<uint16_t> GetFalls(uint32_t target) const;

    const SubnetView* m_view;      //!< switches
    std::vector<uint16_t> m_ranks; //!< by switch
    std::vector<uint32_t> m_order; //!< switches from above
};

} // namespace ns3

#endif // UP_DOWN_RULE_H
