/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RATE_CONTROL_PRESETS_H
#define RATE_CONTROL_PRESETS_H

#include "ns3/object-factory.h"

#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/** Congestion controls by name, for programs. */
struct RateControlPresets
{
    /**
     * @param name "none", "static", "dcqcn" (the paper's set) or "dcqcn-" and a name that
     * DcqcnRateControl::Preset() knows, "hpcc", "timely", "swift", "dctcp"
     * @returns makes objects of it; nothing for "none"; std::invalid_argument with the names that
     * are known if this one is not
     */
    static std::optional<ObjectFactory> Get(const std::string& name);
    /** @returns the names */
    static std::vector<std::string> GetNames();
};

} // namespace ns3

#endif // RATE_CONTROL_PRESETS_H
