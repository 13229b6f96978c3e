/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PROGRAM_REPORT_H
#define PROGRAM_REPORT_H

#include "bounded-option.h"

#include "ns3/command-line.h"

#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * What the example programs share: the common options, one table on stdout, the same rows as
 * summary.json (schema ai-fabric-summary/1) and CSV, and curves drawn from them by gnuplot.
 *
 * A row of the table is a run of the summary: fields that the schema promises and the table does
 * not have are null.
 */
class ProgramReport
{
  public:
    /** A column of the table. */
    struct Column
    {
        std::string key;   //!< name in summary.json and CSV, where figures are in SI units
        std::string title; //!< head in the table, with the unit after scaling
        double scale{1};   //!< factor from SI units to those of the table
        int decimals{0};   //!< digits after the point in the table
    };

    /** A text or a figure (SI units); NaN: no meaning, shown as "-" and null. */
    using Cell = std::variant<std::string, double>;

    /** A curve: y over x, one line for each combination of the series' values. */
    struct Curve
    {
        std::string name;                //!< of the files, without extension
        std::string title;               //!< above the curve
        std::string x;                   //!< key of a column of figures
        std::string y;                   //!< key of a column of figures
        std::vector<std::string> series; //!< keys of the columns that tell lines apart
        bool logX{false};                //!< logarithmic axis
        bool logY{false};                //!< logarithmic axis
    };

    /**
     * @param program name of the program
     * @param usage what it does, for --help
     */
    ProgramReport(const std::string& program, const std::string& usage);

    /**
     * @param name of an option, without dashes
     * @param help what it is, with unit
     * @param value its default; takes what the user gives. Must live as long as this object. Any
     * type that CommandLine takes; BoundedOption for numbers
     */
    template <typename T>
    void AddOption(const std::string& name, const std::string& help, T& value)
    {
        m_commandLine.AddValue(name, help, value);
        m_values[name] = [&value]() {
            std::ostringstream text;
            text << std::boolalpha << value;
            return text.str();
        };
    }

    /**
     * Read the command line, with --seed, --progress and --out on top; set the seed and the time
     * resolution (ps). std::invalid_argument on an argument that is no option.
     * @param argc number of arguments
     * @param argv the arguments
     */
    void Parse(int argc, char* argv[]);

    /**
     * The options are good and the work begins: make the folder of the report, so that a bad one is
     * not found out in the end.
     * @param columns the columns; rows have as many cells
     */
    void Begin(std::vector<Column> columns);
    /** @param cells a row, in the order of the columns */
    void AddRow(std::vector<Cell> cells);
    /** @param curve drawn from the rows by Finish() */
    void AddCurve(Curve curve);
    /** @param line printed below the table: what a reader must know of it */
    void AddNote(const std::string& line);

    /**
     * A table that is not printed, such as what happened over time: its rows and curves go to files
     * of their own.
     * @param name of its CSV file, without extension
     * @param columns its columns
     * @returns takes rows and curves; lives as long as this report
     */
    ProgramReport& AddSeries(const std::string& name, std::vector<Column> columns);

    /** @param text shown on stderr if progress is wanted; takes the place of the last one */
    void ShowProgress(const std::string& text);

    /**
     * Print the table and write the files: summary.json, a CSV file, and for each curve a gnuplot
     * script and, where gnuplot is installed, its picture.
     * @param stream takes the table and the paths of the files
     */
    void Finish(std::ostream& stream);

    /** @returns the rows as summary.json */
    std::string ToJson() const;
    /** @returns the rows as CSV, with a header line */
    std::string ToCsv() const;
    /** @param stream takes the table */
    void PrintTable(std::ostream& stream) const;
    /**
     * @param curve a curve
     * @returns the gnuplot script that draws it into NAME.png
     */
    std::string ToGnuplot(const Curve& curve) const;

    /**
     * What main() of a program does: errors become one line on stderr.
     * @param program name of the program
     * @param body the program; its result is the exit status
     * @param argc number of arguments
     * @param argv the arguments
     * @returns exit status
     */
    static int Main(const std::string& program,
                    int (*body)(int argc, char* argv[]),
                    int argc,
                    char* argv[]);

  private:
    std::size_t FindColumn(const std::string& key) const;
    std::string GetText(std::size_t row, std::size_t column) const;
    void WriteFiles(std::ostream& stream) const;

    std::string m_program;                                        //!< its name
    CommandLine m_commandLine;                                    //!< its options
    std::map<std::string, std::function<std::string()>> m_values; //!< options as text, by name
    BoundedOption<uint32_t> m_seed;                               //!< of all random streams
    bool m_progress;                                              //!< on a terminal by default
    std::string m_out;                                            //!< folder of the report
    std::vector<Column> m_columns;                                //!< of the table
    std::vector<std::vector<Cell>> m_rows;                        //!< of the table
    std::vector<Curve> m_curves;                                  //!< to be drawn
    std::vector<std::string> m_notes;                             //!< below the table
    std::vector<std::unique_ptr<ProgramReport>> m_series;         //!< not printed
};

} // namespace ns3

#endif // PROGRAM_REPORT_H
