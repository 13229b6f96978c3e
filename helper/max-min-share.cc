/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "max-min-share.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>

namespace ns3
{

std::vector<double>
GetMaxMinShares(const std::vector<std::vector<uint32_t>>& paths,
                const std::vector<double>& capacities)
{
    std::vector<double> left = capacities;
    std::vector<uint32_t> rising(capacities.size(), 0); // flows on each link that still rise
    for (std::size_t flow = 0; flow < paths.size(); ++flow)
    {
        for (const uint32_t link : paths[flow])
        {
            if (link >= capacities.size())
            {
                throw std::invalid_argument("max-min shares: flow " + std::to_string(flow) +
                                            " uses link " + std::to_string(link) +
                                            ", expected less than " +
                                            std::to_string(capacities.size()));
            }
            ++rising[link];
        }
        if (paths[flow].empty())
        {
            throw std::invalid_argument("max-min shares: flow " + std::to_string(flow) +
                                        " uses no link, expected one or more");
        }
    }
    std::vector<double> shares(paths.size(), -1); // less than 0: still rises
    for (std::size_t done = 0; done < paths.size();)
    {
        // The link that is full first stops its flows.
        uint32_t tight = 0;
        double level = std::numeric_limits<double>::infinity();
        for (uint32_t link = 0; link < capacities.size(); ++link)
        {
            if (rising[link] && left[link] / rising[link] < level)
            {
                tight = link;
                level = left[link] / rising[link];
            }
        }
        for (std::size_t flow = 0; flow < paths.size(); ++flow)
        {
            const std::vector<uint32_t>& path = paths[flow];
            if (shares[flow] < 0 && std::find(path.begin(), path.end(), tight) != path.end())
            {
                shares[flow] = std::max(level, 0.0);
                ++done;
                for (const uint32_t link : path)
                {
                    left[link] -= level;
                    --rising[link];
                }
            }
        }
    }
    return shares;
}

} // namespace ns3
