/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "json-document.h"

// The one place where the header-only Boost.JSON is compiled into this library.
#include <boost/json/src.hpp>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace ns3
{

namespace
{

/** @returns the character in a form that fits in a one-line message */
std::string
Printable(char c)
{
    if (c >= ' ' && c < 127)
    {
        return std::string("'") + c + "'";
    }
    return "byte " + std::to_string(static_cast<unsigned char>(c));
}

/** @returns `file:line:column` of a byte offset, both counted from 1 */
std::string
Position(const std::string& where, const std::string& text, std::size_t offset)
{
    std::size_t line = 1;
    std::size_t lineStart = 0;
    for (std::size_t i = 0; i < offset && i < text.size(); ++i)
    {
        if (text[i] == '\n')
        {
            ++line;
            lineStart = i + 1;
        }
    }
    return where + ":" + std::to_string(line) + ":" + std::to_string(offset - lineStart + 1);
}

} // namespace

boost::json::object
ParseJsonObject(const std::string& text, const std::string& where)
{
    const std::string mark = "\xEF\xBB\xBF";
    const std::size_t begin = text.compare(0, mark.size(), mark) == 0 ? mark.size() : 0;
    boost::json::stream_parser parser;
    boost::json::error_code error;
    const std::size_t used = parser.write(text.data() + begin, text.size() - begin, error);
    if (!error)
    {
        parser.finish(error);
    }
    if (error)
    {
        // The parser counts only what it accepted when it stops at an error.
        const std::size_t at = error == boost::json::error::incomplete
                                   ? text.size()
                                   : std::min(begin + used, text.size());
        const std::string found =
            at < text.size() ? "unexpected " + Printable(text[at]) : "the file ends too early";
        throw std::runtime_error(Position(where, text, at) + ": not valid JSON (" +
                                 error.message() + "): " + found + "; expected one JSON object");
    }
    boost::json::value document = parser.release();
    if (!document.is_object())
    {
        throw std::runtime_error(where + ":1:1: expected a JSON object {...} at the top");
    }
    return document.get_object();
}

std::string
ReadTextFile(const std::string& path, std::size_t maxBytes)
{
    std::ifstream file(path, std::ios::binary);
    if (!file)
    {
        throw std::runtime_error(path + ": can not be opened for reading");
    }
    std::string text;
    std::vector<char> block(65536);
    while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0)
    {
        text.append(block.data(), static_cast<std::size_t>(file.gcount()));
        if (text.size() > maxBytes)
        {
            throw std::runtime_error(path + ": longer than " + std::to_string(maxBytes) +
                                     " bytes; expected a small text file");
        }
    }
    if (file.bad())
    {
        throw std::runtime_error(path + ": can not be read; expected a regular file");
    }
    return text;
}

} // namespace ns3
