/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "model-config-keys.h"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <stdexcept>

namespace ns3
{

namespace
{

/** @returns a JSON value as it would stand in the file, shortened to fit in a message */
std::string
Show(const boost::json::value& value)
{
    std::string text = boost::json::serialize(value);
    if (text.size() > 40)
    {
        text = text.substr(0, 40) + "...";
    }
    return text;
}

/** @returns all spellings, joined by "or" */
std::string
Join(ModelConfigKeys::Names names)
{
    std::string text;
    for (const char* name : names)
    {
        text += text.empty() ? "'" : " or '";
        text += name;
        text += "'";
    }
    return text;
}

} // namespace

ModelConfigKeys::ModelConfigKeys(const boost::json::object& object, const std::string& where)
    : m_object(object),
      m_where(where)
{
}

void
ModelConfigKeys::Fail(const std::string& key, const std::string& problem) const
{
    throw std::runtime_error(m_where + ": key " + key + ": " + problem);
}

ModelConfigKeys::Hit
ModelConfigKeys::Find(Names names) const
{
    for (const char* name : names)
    {
        const boost::json::value* value = m_object.if_contains(name);
        if (value && !value->is_null())
        {
            return {std::string("'") + name + "'", value};
        }
    }
    return {};
}

bool
ModelConfigKeys::Has(Names names) const
{
    return Find(names).value != nullptr;
}

uint32_t
ModelConfigKeys::GetCount(Names names, uint32_t limit) const
{
    if (!Has(names))
    {
        Fail(Join(names), "missing; expected a whole number from 1 to " + std::to_string(limit));
    }
    return GetCountOr(names, limit, 0);
}

uint32_t
ModelConfigKeys::GetCountOr(Names names, uint32_t limit, uint32_t fallback, uint32_t minimum) const
{
    const Hit hit = Find(names);
    if (!hit.value)
    {
        return fallback;
    }
    // The parser yields int64 where it fits, uint64 above, double for anything else.
    const int64_t* number = hit.value->if_int64();
    if (!number || *number < minimum || *number > limit)
    {
        Fail(hit.key,
             "expected a whole number from " + std::to_string(minimum) + " to " +
                 std::to_string(limit) + ", found " + Show(*hit.value));
    }
    return static_cast<uint32_t>(*number);
}

bool
ModelConfigKeys::GetFlag(Names names, bool fallback) const
{
    const Hit hit = Find(names);
    if (!hit.value)
    {
        return fallback;
    }
    if (!hit.value->is_bool())
    {
        Fail(hit.key, "expected true or false, found " + Show(*hit.value));
    }
    return hit.value->get_bool();
}

std::string
ModelConfigKeys::GetText(Names names) const
{
    const Hit hit = Find(names);
    if (!hit.value)
    {
        return "";
    }
    if (!hit.value->is_string())
    {
        Fail(hit.key, "expected a text in quotes, found " + Show(*hit.value));
    }
    const auto& text = hit.value->get_string();
    return std::string(text.data(), text.size());
}

} // namespace ns3
