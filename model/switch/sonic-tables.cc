/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "sonic-tables.h"

#include "ns3/json-document.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace ns3
{

namespace
{

constexpr std::size_t MAX_FILE_BYTES = 64 << 20; //!< a full config_db.json has about one MiB

/** @returns what kind of value it is, for messages */
const char*
NameKind(JsonNode::Kind kind)
{
    switch (kind)
    {
    case JsonNode::OBJECT:
        return "an object";
    case JsonNode::ARRAY:
        return "a list";
    case JsonNode::STRING:
        return "a string";
    case JsonNode::NUMBER:
        return "a number";
    case JsonNode::LITERAL:
        break;
    }
    return "true, false or null";
}

/** @returns the name in "name" or "[TABLE|name]"; nothing if it is of another table or broken */
std::optional<std::string>
ParseReference(const std::string& text, const std::string& table)
{
    if (text.empty() || text[0] != '[')
    {
        return text.empty() || text.find('|') != std::string::npos ? std::nullopt
                                                                   : std::make_optional(text);
    }
    const std::string begin = "[" + table + "|";
    if (text.compare(0, begin.size(), begin) != 0 || text.back() != ']' ||
        text.size() <= begin.size() + 1)
    {
        return std::nullopt;
    }
    return text.substr(begin.size(), text.size() - begin.size() - 1);
}

} // namespace

SonicRow::SonicRow(std::string file, std::string table, const JsonNode& node, std::string key)
    : m_file(std::move(file)),
      m_table(std::move(table)),
      m_key(std::move(key)),
      m_node(node)
{
}

const std::string&
SonicRow::GetKey() const
{
    return m_key;
}

const std::vector<JsonNode>&
SonicRow::GetFields() const
{
    return m_node.items;
}

JsonNode::Kind
SonicRow::GetKind() const
{
    return m_node.kind;
}

std::string
SonicRow::GetPlace() const
{
    return m_file + ":" + std::to_string(m_node.line);
}

std::string
SonicRow::Describe() const
{
    return DescribeField("");
}

std::string
SonicRow::DescribeField(const std::string& field) const
{
    const JsonNode* node = Find(field);
    const auto printable = [](const std::string& text) {
        const std::string quoted = QuoteSonic(text);
        return quoted.substr(1, quoted.size() - 2);
    };
    return m_file + ":" + std::to_string(node ? node->line : m_node.line) + ": " +
           printable(m_table + (m_key.empty() ? "" : "|" + m_key)) +
           (field.empty() ? "" : " " + printable(field));
}

void
SonicRow::Fail(const std::string& field,
               const std::string& cause,
               const std::string& expected) const
{
    throw std::invalid_argument(DescribeField(field) + ": " + cause + ", expected " + expected);
}

const JsonNode*
SonicRow::Find(const std::string& field) const
{
    for (const JsonNode& node : m_node.items)
    {
        if (node.key == field)
        {
            return &node;
        }
    }
    return nullptr;
}

bool
SonicRow::Has(const std::string& field) const
{
    return Find(field) != nullptr;
}

std::optional<std::string>
SonicRow::GetText(const std::string& field) const
{
    const JsonNode* node = Find(field);
    if (!node)
    {
        return std::nullopt;
    }
    if (node->kind == JsonNode::OBJECT || node->kind == JsonNode::ARRAY ||
        (node->kind == JsonNode::LITERAL && node->text == "null"))
    {
        Fail(field,
             node->kind == JsonNode::LITERAL ? "null" : NameKind(node->kind),
             "a string or a number");
    }
    return node->text;
}

std::optional<std::size_t>
SonicRow::GetChoice(const std::string& field, const std::vector<std::string>& values) const
{
    const auto text = GetText(field);
    if (!text)
    {
        return std::nullopt;
    }
    const auto found = std::find(values.begin(), values.end(), *text);
    if (found == values.end())
    {
        std::string list;
        for (std::size_t i = 0; i < values.size(); ++i)
        {
            list += (i == 0 ? "" : i + 1 == values.size() ? " or " : ", ") + values[i];
        }
        Fail(field, QuoteSonic(*text), list);
    }
    return static_cast<std::size_t>(found - values.begin());
}

std::optional<int64_t>
SonicRow::GetInteger(const std::string& field, int64_t low, int64_t high) const
{
    const auto text = GetText(field);
    if (!text)
    {
        return std::nullopt;
    }
    const auto number = ParseSonicInteger(*text);
    if (!number || *number < low || *number > high)
    {
        Fail(field,
             QuoteSonic(*text),
             "a whole number in " + std::to_string(low) + ".." + std::to_string(high));
    }
    return number;
}

int64_t
SonicRow::NeedInteger(const std::string& field, int64_t low, int64_t high) const
{
    const auto number = GetInteger(field, low, high);
    if (!number)
    {
        Fail("",
             "no " + field,
             "a whole number in " + std::to_string(low) + ".." + std::to_string(high));
    }
    return *number;
}

std::optional<std::string>
SonicRow::GetReference(const std::string& field, const std::string& table) const
{
    const auto text = GetText(field);
    if (!text)
    {
        return std::nullopt;
    }
    const auto name = ParseReference(*text, table);
    if (!name)
    {
        Fail(field, QuoteSonic(*text), "a name in " + table + " or [" + table + "|name]");
    }
    return name;
}

std::vector<std::string>
SonicRow::GetReferences(const std::string& field, const std::string& table) const
{
    std::vector<std::string> names;
    const auto text = GetText(field);
    if (!text)
    {
        return names;
    }
    for (const std::string& part : SplitSonic(*text, ','))
    {
        const auto name = ParseReference(part, table);
        if (!name)
        {
            Fail(field, QuoteSonic(*text), "names in " + table + " with commas between");
        }
        names.push_back(*name);
    }
    return names;
}

uint8_t
SonicRow::GetPriorities(const std::string& field) const
{
    const auto text = GetText(field);
    uint8_t mask = 0;
    if (!text || text->empty())
    {
        return mask;
    }
    for (const std::string& part : SplitSonic(*text, ','))
    {
        const auto range = ParseSonicRange(part, 7);
        if (!range)
        {
            Fail(field, QuoteSonic(*text), "priorities 0..7 with commas between, such as 3,4");
        }
        for (uint8_t priority = range->first; priority <= range->last; ++priority)
        {
            mask = static_cast<uint8_t>(mask | (1U << priority));
        }
    }
    return mask;
}

SonicRow::PortKey
SonicRow::GetPortKey(uint8_t highest) const
{
    PortKey key;
    const std::vector<std::string> parts = SplitSonic(m_key, '|');
    const auto range =
        parts.size() == 2 ? ParseSonicRange(parts[1], highest) : std::optional<SonicRange>();
    key.ports = SplitSonic(parts[0], ',');
    const std::string form = "PORTS|N or PORTS|N-M with numbers in 0.." + std::to_string(highest);
    if (!range || std::count(key.ports.begin(), key.ports.end(), "") > 0)
    {
        Fail("", "the key does not name ports and a range", form);
    }
    key.range = *range;
    return key;
}

void
SonicTables::AddFile(const std::string& path)
{
    AddText(ReadTextFile(path, MAX_FILE_BYTES), path);
}

void
SonicTables::AddText(const std::string& text, const std::string& name)
{
    const JsonNode top = ParseJsonTree(text, name);
    ++m_files;
    for (const JsonNode& member : top.items)
    {
        const std::size_t bar = member.key.find('|');
        if (bar != std::string::npos)
        {
            AddRow(name, member.key.substr(0, bar), member.key.substr(bar + 1), member);
            continue;
        }
        m_tables[member.key];
        if (member.kind != JsonNode::OBJECT)
        {
            // Kept as a row without a name, which is refused if somebody takes the table.
            AddRow(name, member.key, "", member);
            continue;
        }
        for (const JsonNode& row : member.items)
        {
            AddRow(name, member.key, row.key, row);
        }
    }
}

void
SonicTables::AddRow(const std::string& file,
                    const std::string& name,
                    const std::string& key,
                    const JsonNode& node)
{
    Table& table = m_tables[name];
    SonicRow row(file, name, node, key);
    const auto [place, isNew] = table.index.emplace(key, table.rows.size());
    if (isNew)
    {
        table.rows.push_back(std::move(row));
        table.fileOfRow.push_back(m_files);
        return;
    }
    SonicRow& old = table.rows[place->second];
    if (table.fileOfRow[place->second] == m_files)
    {
        table.repeated.emplace_back(std::move(row), old.GetPlace());
        return;
    }
    AddNote(file + " " + name, row.Describe() + " replaces the one at " + old.GetPlace());
    old = std::move(row);
    table.fileOfRow[place->second] = m_files;
}

const std::vector<SonicRow>&
SonicTables::Take(const std::string& name, const std::vector<std::string>& fields)
{
    Table& table = m_tables[name];
    table.taken = true;
    if (!table.repeated.empty())
    {
        const auto& [row, first] = table.repeated.front();
        row.Fail("", "a second time, the first is at " + first, "one of a name");
    }
    for (const SonicRow& row : table.rows)
    {
        if (row.GetKind() != JsonNode::OBJECT)
        {
            row.Fail("", NameKind(row.GetKind()), "an object {...} with fields");
        }
        std::map<std::string, uint32_t> lines;
        for (const JsonNode& field : row.GetFields())
        {
            const auto [first, isNew] = lines.emplace(field.key, field.line);
            if (!isNew)
            {
                row.Fail(field.key,
                         "comes again in line " + std::to_string(field.line),
                         "one of a name");
            }
            if (!fields.empty() &&
                std::find(fields.begin(), fields.end(), field.key) == fields.end())
            {
                AddNote(name + " " + field.key,
                        row.Describe() + ": field " + QuoteSonic(field.key) + " is not used");
            }
        }
    }
    return table.rows;
}

std::vector<std::string>
SonicTables::GetIgnored() const
{
    std::vector<std::string> names;
    for (const auto& [name, table] : m_tables)
    {
        if (!table.taken)
        {
            names.push_back(name);
        }
    }
    return names;
}

std::vector<std::string>
SonicTables::GetNotes() const
{
    std::vector<std::string> lines;
    for (const Note& note : m_notes)
    {
        lines.push_back(note.first + (note.others == 0
                                          ? ""
                                          : ", and so in " + std::to_string(note.others) +
                                                (note.others == 1 ? " other row" : " other rows") +
                                                " of this table"));
    }
    return lines;
}

void
SonicTables::AddNote(const std::string& kind, const std::string& text)
{
    const auto same = std::find_if(m_notes.begin(), m_notes.end(), [&kind](const Note& note) {
        return note.kind == kind;
    });
    if (same != m_notes.end())
    {
        ++same->others;
        return;
    }
    m_notes.push_back({kind, text});
}

} // namespace ns3
