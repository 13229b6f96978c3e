/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SONIC_VALUE_H
#define SONIC_VALUE_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

// Values as SONiC's files write them. Ranges are those of its YANG models and of SAI, or far above
// what a switch has where these set none.

constexpr uint32_t SONIC_MAX_SPEED = 10000000;          //!< Mb/s
constexpr uint64_t SONIC_MAX_BYTES = uint64_t(1) << 40; //!< of any buffer
constexpr int32_t SONIC_MIN_DYNAMIC_TH = -8;            //!< log2 of alpha
constexpr int32_t SONIC_MAX_DYNAMIC_TH = 8;             //!< log2 of alpha

/**
 * @ingroup ai-fabric
 * @param text decimal digits only
 * @returns the number, or nothing
 */
std::optional<uint64_t> ParseSonicUnsigned(const std::string& text);
/**
 * @ingroup ai-fabric
 * @param text decimal digits, perhaps after a minus sign
 * @returns the number, or nothing
 */
std::optional<int64_t> ParseSonicInteger(const std::string& text);
/**
 * @ingroup ai-fabric
 * @param text what a file says
 * @returns it in quotation marks, in one line and not too long for a message
 */
std::string QuoteSonic(const std::string& text);
/**
 * @ingroup ai-fabric
 * @param text parts
 * @param separator between them
 * @returns the parts without blanks around them; one empty part if the text is empty
 */
std::vector<std::string> SplitSonic(const std::string& text, char separator);

/** A range of numbers, both ends in. */
struct SonicRange
{
    uint8_t first; //!< lowest
    uint8_t last;  //!< highest
};

/**
 * @ingroup ai-fabric
 * @param text "3" or "3-4"
 * @param highest number allowed
 * @returns the range, or nothing
 */
std::optional<SonicRange> ParseSonicRange(const std::string& text, uint8_t highest);

} // namespace ns3

#endif // SONIC_VALUE_H
