/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REPORT_FILES_H
#define REPORT_FILES_H

#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * What all writers of reports share.
 */
struct ReportFiles
{
    /** @param folder made if it is missing; std::runtime_error naming it if that fails */
    static void MakeFolder(const std::string& folder);

    /**
     * Write all of a file or nothing: it is written beside its place, then renamed.
     * @param folder an existing folder
     * @param name of the file
     * @param text what to write
     * @returns path of the file; std::runtime_error naming it if it can't be written
     */
    static std::string Write(const std::string& folder,
                             const std::string& name,
                             const std::string& text);

    /**
     * @param value a figure
     * @returns a cell of a CSV file; empty where the figure has no meaning (NaN)
     */
    static std::string CsvCell(double value);
    /**
     * @param text any text
     * @returns a cell of a CSV file, quoted where it must be (RFC 4180)
     */
    static std::string CsvCell(const std::string& text);
};

} // namespace ns3

#endif // REPORT_FILES_H
