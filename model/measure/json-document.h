/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef AI_FABRIC_JSON_DOCUMENT_H
#define AI_FABRIC_JSON_DOCUMENT_H

#include <boost/json/value.hpp>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Parse JSON text whose top is an object.
 * @param text the text; a byte order mark at its start is skipped
 * @param where name of the file, for messages
 * @returns the document
 * @throws std::runtime_error with one line `file:line:column: ...` if the text is not JSON or not
 * an object
 */
boost::json::object ParseJsonObject(const std::string& text, const std::string& where);

/**
 * @ingroup ai-fabric
 * Read a text file whole.
 * @param path the file
 * @param maxBytes longer files are refused, so that a device or a wrong file can not exhaust memory
 * @returns its bytes
 * @throws std::runtime_error with one line if it can not be read or is too long
 */
std::string ReadTextFile(const std::string& path, std::size_t maxBytes);

} // namespace ns3

#endif // AI_FABRIC_JSON_DOCUMENT_H
