/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OPTION_LIST_H
#define OPTION_LIST_H

#include "bounded-option.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * The items of a list on the command line.
 * @param name of the option, without dashes
 * @param text what the user wrote, such as "ib,roce"
 * @returns the items, at least one
 * @throws std::invalid_argument with one line that names the option if there is none
 */
inline std::vector<std::string>
SplitOption(const std::string& name, const std::string& text)
{
    std::vector<std::string> items;
    std::istringstream stream(text);
    for (std::string item; std::getline(stream, item, ',');)
    {
        items.push_back(item);
    }
    if (items.empty())
    {
        throw std::invalid_argument("--" + name + "=" + text +
                                    ", expected one value or more, with commas between");
    }
    return items;
}

/**
 * @ingroup ai-fabric
 * Check that the items of a list on the command line are among those that are known.
 * @param name of the option, without dashes
 * @param items what the user wrote, see SplitOption()
 * @param known what may stand there
 * @throws std::invalid_argument with one line that names the option, the item and what is known
 */
inline void
CheckNames(const std::string& name,
           const std::vector<std::string>& items,
           const std::vector<std::string>& known)
{
    for (const std::string& item : items)
    {
        if (std::find(known.begin(), known.end(), item) == known.end())
        {
            std::string list;
            for (const std::string& one : known)
            {
                list += (list.empty() ? "" : ", ") + one;
            }
            throw std::invalid_argument("--" + name + ": \"" + item + "\", expected one of " +
                                        list);
        }
    }
}

/**
 * @ingroup ai-fabric
 * The numbers of a list on the command line.
 * @tparam T see BoundedOption
 * @param name of the option, without dashes
 * @param text what the user wrote, such as "2,8"
 * @param low smallest number
 * @param high largest number
 * @returns the numbers, at least one
 * @throws std::invalid_argument with one line that names the option if one is not in bounds
 */
template <typename T>
std::vector<T>
SplitNumbers(const std::string& name, const std::string& text, T low, T high)
{
    std::vector<T> numbers;
    for (const std::string& item : SplitOption(name, text))
    {
        BoundedOption<T> number(name, low, low, high);
        number.Parse(item);
        numbers.push_back(number);
    }
    return numbers;
}

} // namespace ns3

#endif // OPTION_LIST_H
