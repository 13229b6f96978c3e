/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MODEL_CONFIG_KEYS_H
#define MODEL_CONFIG_KEYS_H

#include <boost/json/value.hpp>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Typed access to the keys of a `config.json`, with one-line errors that name file and key.
 *
 * A key whose value is null counts as missing, as in the files themselves.
 */
class ModelConfigKeys
{
  public:
    /** Alternative spellings of one key, in the order in which they are tried. */
    using Names = std::initializer_list<const char*>;

    /**
     * @param object the keys
     * @param where file name, for messages
     */
    ModelConfigKeys(const boost::json::object& object, const std::string& where);

    /** @returns true if one of the keys is there and not null */
    bool Has(Names names) const;

    /**
     * @param names spellings of the key
     * @param limit largest number believed
     * @returns a whole number from 1 to limit
     * @throws std::runtime_error if missing or out of range
     */
    uint32_t GetCount(Names names, uint32_t limit) const;

    /**
     * @param names spellings of the key
     * @param limit largest number believed
     * @param fallback value if the key is missing
     * @param minimum smallest number allowed
     * @returns a whole number from minimum to limit
     * @throws std::runtime_error if out of range
     */
    uint32_t GetCountOr(Names names, uint32_t limit, uint32_t fallback, uint32_t minimum = 1) const;

    /**
     * @param names spellings of the key
     * @param fallback value if the key is missing
     * @returns true or false
     * @throws std::runtime_error if it is neither
     */
    bool GetFlag(Names names, bool fallback) const;

    /** @returns the text of a key, empty if missing; @param names spellings; @throws
     * std::runtime_error if no text */
    std::string GetText(Names names) const;

    /**
     * Refuse the file.
     * @param key what is wrong
     * @param problem why, and what was expected
     */
    [[noreturn]] void Fail(const std::string& key, const std::string& problem) const;

  private:
    /** A key that was found. */
    struct Hit
    {
        std::string key;                          //!< spelling in the file
        const boost::json::value* value{nullptr}; //!< null pointer if missing
    };

    /** @returns the first spelling that is there and not null */
    Hit Find(Names names) const;

    const boost::json::object& m_object; //!< the keys
    std::string m_where;                 //!< file name
};

} // namespace ns3

#endif // MODEL_CONFIG_KEYS_H
