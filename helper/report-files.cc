/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "report-files.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <sstream>
#include <stdexcept>

namespace ns3
{

void
ReportFiles::MakeFolder(const std::string& folder)
{
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    std::error_code ignored; // without it, is_directory throws
    if (!std::filesystem::is_directory(folder, ignored))
    {
        throw std::runtime_error("cannot make folder '" + folder + "' for the report" +
                                 (error ? " (" + error.message() + ")" : "") +
                                 ", expected a path that is a folder or can become one");
    }
}

std::string
ReportFiles::Write(const std::string& folder, const std::string& name, const std::string& text)
{
    const std::filesystem::path path = std::filesystem::path(folder) / name;
    const std::filesystem::path part = path.string() + ".part";
    std::ofstream file(part, std::ios::binary | std::ios::trunc);
    file << text;
    file.close();
    std::error_code error;
    if (file)
    {
        std::filesystem::rename(part, path, error);
    }
    if (!file || error)
    {
        std::filesystem::remove(part, error);
        throw std::runtime_error("cannot write " + path.string() +
                                 ", expected a folder with room and permission");
    }
    return path.string();
}

std::string
ReportFiles::CsvCell(double value)
{
    if (!std::isfinite(value))
    {
        return "";
    }
    std::ostringstream text;
    text << std::setprecision(12) << value;
    return text.str();
}

std::string
ReportFiles::CsvCell(const std::string& text)
{
    if (text.find_first_of(",\"\r\n") == std::string::npos)
    {
        return text;
    }
    std::string quoted = "\"";
    for (const char letter : text)
    {
        quoted += letter == '"' ? "\"\"" : std::string(1, letter);
    }
    return quoted + "\"";
}

} // namespace ns3
