/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "compute-device.h"

#include <cmath>
#include <locale>
#include <sstream>
#include <stdexcept>

namespace ns3
{

namespace
{

/** A device that has a name. */
struct BuiltIn
{
    const char* name;       //!< as the user types it
    double peakFlops;       //!< FLOP/s
    double memoryBandwidth; //!< B/s
};

/** Data sheets of the vendors; the Ascend figure is that of variant B3, from community tables. */
const BuiltIn BUILT_INS[] = {
    {"h100", 989e12, 3.35e12},
    {"a100", 312e12, 2.0e12},
    {"ascend-910b", 313e12, 1.6e12},
};

/** Refuse a description. */
[[noreturn]] void
Fail(const std::string& text, const std::string& problem)
{
    throw std::invalid_argument("device '" + text + "': " + problem);
}

/** @returns the number of a `key=value`, which must lie above 0 and not above a limit */
double
ReadNumber(const std::string& text, const std::string& item, std::size_t equals, double limit)
{
    std::istringstream stream(item.substr(equals + 1));
    stream.imbue(std::locale::classic());
    double value = 0;
    stream >> value;
    if (stream.fail() || !stream.eof() || !std::isfinite(value) || value <= 0 || value > limit)
    {
        std::ostringstream expected;
        expected << "'" << item << "': expected a number above 0 and up to " << limit;
        Fail(text, expected.str());
    }
    return value;
}

/** Take a built-in name or one `key=value`. */
void
ApplyItem(DeviceDescription& device, const std::string& text, const std::string& item, bool first)
{
    for (const BuiltIn& known : BUILT_INS)
    {
        if (first && item == known.name)
        {
            device.name = known.name;
            device.peakFlops = known.peakFlops;
            device.memoryBandwidth = known.memoryBandwidth;
            return;
        }
    }
    const std::size_t equals = item.find('=');
    const std::string key = item.substr(0, equals);
    if (equals != std::string::npos && key == "tflops")
    {
        device.peakFlops = 1e12 * ReadNumber(text, item, equals, 1e6);
    }
    else if (equals != std::string::npos && key == "hbm-tbps")
    {
        device.memoryBandwidth = 1e12 * ReadNumber(text, item, equals, 1e6);
    }
    else if (equals != std::string::npos && key == "efficiency")
    {
        const double efficiency = ReadNumber(text, item, equals, 1);
        device.matrixEfficiency = efficiency;
        device.attentionForwardEfficiency = efficiency;
        device.attentionBackwardEfficiency = efficiency;
        device.expertEfficiency = efficiency;
    }
    else
    {
        Fail(text,
             "'" + item +
                 "' is not known; expected h100, a100, ascend-910b, or key=value pairs of "
                 "tflops, efficiency, hbm-tbps joined by commas");
    }
}

} // namespace

DeviceDescription
ParseDevice(const std::string& text)
{
    DeviceDescription device;
    std::size_t begin = 0;
    while (true)
    {
        const std::size_t comma = text.find(',', begin);
        const std::string item = text.substr(begin, comma - begin);
        ApplyItem(device, text, item, begin == 0);
        if (comma == std::string::npos)
        {
            break;
        }
        begin = comma + 1;
    }
    if (device.peakFlops == 0)
    {
        Fail(text, "the peak is missing; expected tflops=NUMBER or a built-in name first");
    }
    return device;
}

double
GetOptimizerSeconds(double parameters, double bytesPerParameter, const DeviceDescription& device)
{
    if (bytesPerParameter == 0)
    {
        return 0;
    }
    if (device.memoryBandwidth == 0)
    {
        Fail(device.name, "the optimizer needs the memory bandwidth; expected hbm-tbps=NUMBER");
    }
    return parameters * bytesPerParameter / (device.memoryEfficiency * device.memoryBandwidth);
}

} // namespace ns3
