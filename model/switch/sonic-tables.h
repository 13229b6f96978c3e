/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SONIC_TABLES_H
#define SONIC_TABLES_H

#include "sonic-value.h"

#include "ns3/json-tree.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * One entry of a table of SONiC's configuration. What it gives out is checked; what is wrong is
 * std::invalid_argument with one line `file:line: TABLE|key field: cause, expected ...`.
 */
class SonicRow
{
  public:
    /**
     * @param file it stands in
     * @param table its table
     * @param node its fields
     * @param key its name in the table
     */
    SonicRow(std::string file, std::string table, const JsonNode& node, std::string key);

    /** @returns its name in the table */
    const std::string& GetKey() const;
    /** @returns the fields in their order */
    const std::vector<JsonNode>& GetFields() const;
    /** @returns what stands there; an object, if it is a row */
    JsonNode::Kind GetKind() const;
    /** @returns `file:line` */
    std::string GetPlace() const;
    /**
     * @param field its name
     * @returns `file:line: TABLE|key field`, with the line of the field
     */
    std::string DescribeField(const std::string& field) const;
    /** @returns `file:line: TABLE|key`, for notes */
    std::string Describe() const;
    /**
     * @param field its name
     * @returns true if the row has it
     */
    bool Has(const std::string& field) const;
    /**
     * @param field its name
     * @returns its text, of a string, number, true or false; nothing if the row has it not
     */
    std::optional<std::string> GetText(const std::string& field) const;
    /**
     * @param field its name
     * @param values allowed
     * @returns the index of its text in these; nothing if the row has it not
     */
    std::optional<std::size_t> GetChoice(const std::string& field,
                                         const std::vector<std::string>& values) const;
    /**
     * @param field its name
     * @param low smallest value allowed
     * @param high largest value allowed
     * @returns its number; nothing if the row has it not
     */
    std::optional<int64_t> GetInteger(const std::string& field, int64_t low, int64_t high) const;
    /** As GetInteger(), but the row must have it.
     * @param field its name
     * @param low smallest value allowed
     * @param high largest value allowed
     * @returns its number */
    int64_t NeedInteger(const std::string& field, int64_t low, int64_t high) const;
    /**
     * @param field its name
     * @param table that is referred to
     * @returns the name in it, of "name" or "[TABLE|name]"; nothing if the row has the field not
     */
    std::optional<std::string> GetReference(const std::string& field,
                                            const std::string& table) const;
    /**
     * @param field its name
     * @param table that is referred to
     * @returns the names in it, with commas between
     */
    std::vector<std::string> GetReferences(const std::string& field,
                                           const std::string& table) const;
    /**
     * @param field its name
     * @returns mask of the priorities of a list such as "3,4" or "3-4"; 0 if the row has it not
     */
    uint8_t GetPriorities(const std::string& field) const;

    /** Ports and numbers that a key names. */
    struct PortKey
    {
        std::vector<std::string> ports; //!< as written
        SonicRange range{0, 0};         //!< priority groups or queues
    };

    /**
     * @param highest number allowed
     * @returns what a key such as "Ethernet0,Ethernet4|3-4" names
     */
    PortKey GetPortKey(uint8_t highest) const;

    /**
     * Complain about the row.
     * @param field that is wrong; empty for the row as a whole
     * @param cause what is wrong
     * @param expected what would be right
     */
    [[noreturn]] void Fail(const std::string& field,
                           const std::string& cause,
                           const std::string& expected) const;

  private:
    const JsonNode* Find(const std::string& field) const;

    std::string m_file;  //!< it stands in
    std::string m_table; //!< it belongs to
    std::string m_key;   //!< its name there
    JsonNode m_node;     //!< its fields
};

/**
 * @ingroup ai-fabric
 * Tables of SONiC's configuration from one file or several. Tables may be nested ("TABLE": {"key":
 * {...}}) or flat ("TABLE|key": {...}). A row of a later file replaces the same row of an earlier
 * one, as sonic-cfggen does it; twice in one file is an error.
 */
class SonicTables
{
  public:
    /**
     * @param path of a file
     * @throws std::runtime_error if it can not be read or is not JSON; std::invalid_argument if a
     * table is not a table
     */
    void AddFile(const std::string& path);
    /**
     * @param text as a file has it
     * @param name of the file, for messages
     */
    void AddText(const std::string& text, const std::string& name);

    /**
     * The rows of a table; the table then counts as known.
     * @param table its name
     * @param fields that are known; others get a note. Empty: all are
     * @returns its rows, in the order of the files
     */
    const std::vector<SonicRow>& Take(const std::string& table,
                                      const std::vector<std::string>& fields);
    /** @returns names of tables that nobody took, in alphabetical order */
    std::vector<std::string> GetIgnored() const;
    /** @returns rows that were replaced and fields that are not known: one line for the first of a
     * table, with the number of others */
    std::vector<std::string> GetNotes() const;

  private:
    void AddRow(const std::string& file,
                const std::string& table,
                const std::string& key,
                const JsonNode& node);

    /** A table. */
    struct Table
    {
        std::vector<SonicRow> rows;               //!< in order
        std::map<std::string, std::size_t> index; //!< of a key's row
        std::vector<std::size_t> fileOfRow;       //!< which file a row is from
        /** Rows whose file has one of the same name before, and the place of that. */
        std::vector<std::pair<SonicRow, std::string>> repeated;
        bool taken{false}; //!< somebody asked for it
    };

    std::map<std::string, Table> m_tables; //!< by name
    std::size_t m_files{0};                //!< read so far

    /** What the user should know. */
    struct Note
    {
        std::string kind;   //!< the same for rows that are counted together
        std::string first;  //!< text for the first of them
        uint32_t others{0}; //!< that came after it
    };

    void AddNote(const std::string& kind, const std::string& text);

    std::vector<Note> m_notes; //!< in the order in which they came up
};

} // namespace ns3

#endif // SONIC_TABLES_H
