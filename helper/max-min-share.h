/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MAX_MIN_SHARE_H
#define MAX_MIN_SHARE_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Shares of links that are max-min fair: nobody can get more without taking from somebody who has
 * no more (Bertsekas and Gallager, Data Networks, 6.5.2; by filling up).
 * @param paths links of each flow, as indices of capacities; std::invalid_argument for a flow
 * without one, or an unknown link
 * @param capacities of the links
 * @returns share of each flow, in the unit of the capacities
 */
std::vector<double> GetMaxMinShares(const std::vector<std::vector<uint32_t>>& paths,
                                    const std::vector<double>& capacities);

} // namespace ns3

#endif // MAX_MIN_SHARE_H
