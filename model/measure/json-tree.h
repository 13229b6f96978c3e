/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef AI_FABRIC_JSON_TREE_H
#define AI_FABRIC_JSON_TREE_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * A JSON value that knows its line, for readers whose complaints must name it. Members keep the
 * order of the text, and a key that comes twice is there twice.
 */
struct JsonNode
{
    /** What it is. */
    enum Kind
    {
        OBJECT,  //!< {...}
        ARRAY,   //!< [...]
        STRING,  //!< "..."
        NUMBER,  //!< 1, -1.5e3
        LITERAL, //!< true, false, null
    };

    Kind kind{OBJECT};           //!< what it is
    uint32_t line{0};            //!< where it begins, from 1; that of its key if it has one
    std::string key;             //!< its name, if it is a member of an object
    std::string text;            //!< of a string: decoded; of a number or literal: as written
    std::vector<JsonNode> items; //!< members or elements
};

/**
 * @ingroup ai-fabric
 * Parse JSON text whose top is an object.
 * @param text the text; a byte order mark at its start is skipped
 * @param where name of the file, for messages
 * @returns the object
 * @throws std::runtime_error as ParseJsonObject()
 */
JsonNode ParseJsonTree(const std::string& text, const std::string& where);

} // namespace ns3

#endif // AI_FABRIC_JSON_TREE_H
