/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "json-tree.h"

#include "json-document.h"

#include <boost/json/basic_parser_impl.hpp>
#include <stdexcept>
#include <utility>

namespace ns3
{

namespace
{

/**
 * Builds the tree from what Boost.JSON reports. It is fed line by line, which tells where it is: no
 * token of JSON goes over the end of a line.
 */
class TreeBuilder
{
  public:
    // What Boost.JSON asks of a handler: names and types are its own.
    static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
    static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);

    bool on_document_begin(boost::json::error_code&)
    {
        return true;
    }

    bool on_document_end(boost::json::error_code&)
    {
        return true;
    }

    bool on_object_begin(boost::json::error_code&)
    {
        return Open(JsonNode::OBJECT);
    }

    bool on_object_end(std::size_t, boost::json::error_code&)
    {
        return Close();
    }

    bool on_array_begin(boost::json::error_code&)
    {
        return Open(JsonNode::ARRAY);
    }

    bool on_array_end(std::size_t, boost::json::error_code&)
    {
        return Close();
    }

    bool on_key_part(boost::json::string_view part, std::size_t, boost::json::error_code&)
    {
        return Collect(part);
    }

    bool on_key(boost::json::string_view part, std::size_t, boost::json::error_code&)
    {
        Collect(part);
        m_key = std::exchange(m_text, "");
        m_keyLine = m_line;
        return true;
    }

    bool on_string_part(boost::json::string_view part, std::size_t, boost::json::error_code&)
    {
        return Collect(part);
    }

    bool on_string(boost::json::string_view part, std::size_t, boost::json::error_code&)
    {
        return AddScalar(JsonNode::STRING, part);
    }

    bool on_number_part(boost::json::string_view part, boost::json::error_code&)
    {
        return Collect(part);
    }

    bool on_int64(int64_t, boost::json::string_view part, boost::json::error_code&)
    {
        return AddScalar(JsonNode::NUMBER, part);
    }

    bool on_uint64(uint64_t, boost::json::string_view part, boost::json::error_code&)
    {
        return AddScalar(JsonNode::NUMBER, part);
    }

    bool on_double(double, boost::json::string_view part, boost::json::error_code&)
    {
        return AddScalar(JsonNode::NUMBER, part);
    }

    bool on_bool(bool value, boost::json::error_code&)
    {
        return AddScalar(JsonNode::LITERAL, value ? "true" : "false");
    }

    bool on_null(boost::json::error_code&)
    {
        return AddScalar(JsonNode::LITERAL, "null");
    }

    bool on_comment_part(boost::json::string_view, boost::json::error_code&)
    {
        return true;
    }

    bool on_comment(boost::json::string_view, boost::json::error_code&)
    {
        return true;
    }

    uint32_t m_line{0}; //!< that is being read
    JsonNode m_top;     //!< what came out

  private:
    bool Collect(boost::json::string_view part)
    {
        m_text.append(part.data(), part.size());
        return true;
    }

    /** @returns a new node with what is known of it */
    JsonNode Begin(JsonNode::Kind kind)
    {
        JsonNode node;
        node.kind = kind;
        const bool isMember = !m_open.empty() && m_open.back().kind == JsonNode::OBJECT;
        node.line = isMember ? m_keyLine : m_line;
        node.key = isMember ? std::exchange(m_key, "") : "";
        return node;
    }

    bool Open(JsonNode::Kind kind)
    {
        m_open.push_back(Begin(kind));
        return true;
    }

    bool Close()
    {
        JsonNode done = std::move(m_open.back());
        m_open.pop_back();
        (m_open.empty() ? m_top : m_open.back().items.emplace_back()) = std::move(done);
        return true;
    }

    bool AddScalar(JsonNode::Kind kind, boost::json::string_view part)
    {
        Collect(part);
        JsonNode node = Begin(kind);
        node.text = std::exchange(m_text, "");
        (m_open.empty() ? m_top : m_open.back().items.emplace_back()) = std::move(node);
        return true;
    }

    std::vector<JsonNode> m_open; //!< objects and arrays that are not closed, the innermost last
    std::string m_key;            //!< of the member to come
    uint32_t m_keyLine{0};        //!< where it stands
    std::string m_text;           //!< parts of a token
};

} // namespace

JsonNode
ParseJsonTree(const std::string& text, const std::string& where)
{
    ParseJsonObject(text, where); // complains about everything that is not JSON
    const std::string mark = "\xEF\xBB\xBF";
    boost::json::basic_parser<TreeBuilder> parser{boost::json::parse_options()};
    boost::json::error_code error;
    std::size_t begin = text.compare(0, mark.size(), mark) == 0 ? mark.size() : 0;
    while (begin < text.size() && !error)
    {
        const std::size_t end = text.find('\n', begin);
        const std::size_t next = end == std::string::npos ? text.size() : end + 1;
        ++parser.handler().m_line;
        parser.write_some(next < text.size(), text.data() + begin, next - begin, error);
        begin = next;
    }
    if (error || parser.handler().m_top.line == 0)
    {
        throw std::runtime_error(where + ":" + std::to_string(parser.handler().m_line) +
                                 ":1: not valid JSON (" + error.message() +
                                 "), expected one JSON object");
    }
    return std::move(parser.handler().m_top);
}

} // namespace ns3
