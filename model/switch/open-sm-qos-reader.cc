/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "open-sm-qos-reader.h"

#include <array>
#include <cctype>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <vector>

namespace ns3
{

namespace
{

/** What a file says for one kind of port. */
struct Options
{
    std::optional<uint8_t> maxVls;
    std::optional<uint8_t> highLimit;
    std::optional<std::vector<IbVlArbitration::Entry>> high;
    std::optional<std::vector<IbVlArbitration::Entry>> low;
    std::optional<IbSlToVl::Table> slToVl;
};

/** A line of the file, for errors. */
struct Line
{
    std::string name;  //!< of the file
    uint32_t number;   //!< from 1
    std::string key;   //!< option
    std::string value; //!< what follows it

    [[noreturn]] void Fail(const std::string& cause, const std::string& expected) const
    {
        throw std::invalid_argument(name + ":" + std::to_string(number) + ": " + key + ": " +
                                    cause + ", expected " + expected);
    }
};

std::string
Trim(const std::string& text)
{
    const char* blanks = " \t\r\f\v";
    const std::size_t begin = text.find_first_not_of(blanks);
    return begin == std::string::npos
               ? ""
               : text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

uint8_t
ParseNumber(const Line& line, const std::string& text, uint32_t low, uint32_t high)
{
    const bool isHex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const std::string digits = isHex ? text.substr(2) : text;
    bool good = !digits.empty() && digits.size() <= 4;
    for (const char digit : digits)
    {
        good = good && (isHex ? std::isxdigit(static_cast<unsigned char>(digit))
                              : std::isdigit(static_cast<unsigned char>(digit)));
    }
    const unsigned long number = good ? std::stoul(digits, nullptr, isHex ? 16 : 10) : 0;
    if (!good || number < low || number > high)
    {
        line.Fail("\"" + text + "\"",
                  "a number in " + std::to_string(low) + ".." + std::to_string(high));
    }
    return static_cast<uint8_t>(number);
}

std::vector<std::string>
Split(const std::string& list)
{
    std::vector<std::string> items;
    std::size_t begin = 0;
    for (std::size_t end = 0; end != std::string::npos; begin = end + 1)
    {
        end = list.find(',', begin);
        items.push_back(Trim(list.substr(begin, end == std::string::npos ? end : end - begin)));
    }
    return items;
}

std::vector<IbVlArbitration::Entry>
ParseArbitration(const Line& line)
{
    std::vector<IbVlArbitration::Entry> entries;
    for (const std::string& item : Split(line.value))
    {
        const std::size_t colon = item.find(':');
        if (colon == std::string::npos)
        {
            line.Fail("\"" + item + "\"", "VL:WEIGHT entries with commas between");
        }
        const uint8_t vl = ParseNumber(line, Trim(item.substr(0, colon)), 0, 14);
        const uint8_t weight = ParseNumber(line, Trim(item.substr(colon + 1)), 0, 255);
        entries.push_back({vl, weight});
    }
    if (entries.size() > IbVlArbitration::MAX_ENTRIES)
    {
        line.Fail(std::to_string(entries.size()) + " entries",
                  std::to_string(IbVlArbitration::MAX_ENTRIES) + " at most");
    }
    return entries;
}

IbSlToVl::Table
ParseSlToVl(const Line& line)
{
    const std::vector<std::string> items = Split(line.value);
    IbSlToVl::Table table{};
    if (items.size() != table.size())
    {
        line.Fail(std::to_string(items.size()) + " virtual lanes",
                  "16, one for each service level");
    }
    for (std::size_t sl = 0; sl < table.size(); ++sl)
    {
        table[sl] = ParseNumber(line, items[sl], 0, IbSlToVl::DROP);
    }
    return table;
}

bool
ParseBool(const Line& line)
{
    std::string upper;
    for (const char letter : line.value)
    {
        upper += static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    }
    if (upper != "TRUE" && upper != "FALSE" && upper != "1" && upper != "0")
    {
        line.Fail("\"" + line.value + "\"", "TRUE or FALSE");
    }
    return upper == "TRUE" || upper == "1";
}

/** @returns false if there is no such option */
bool
ParseOption(const Line& line, const std::string& option, Options& options)
{
    const bool isDefault = line.value == "(null)";
    if (option == "max_vls")
    {
        const uint8_t vls = isDefault ? 0 : ParseNumber(line, line.value, 0, 15);
        options.maxVls = vls ? std::optional<uint8_t>(vls) : std::nullopt;
    }
    else if (option == "high_limit")
    {
        options.highLimit = isDefault || line.value == "-1"
                                ? std::nullopt
                                : std::optional<uint8_t>(ParseNumber(line, line.value, 0, 255));
    }
    else if (option == "vlarb_high" || option == "vlarb_low")
    {
        auto& table = option == "vlarb_high" ? options.high : options.low;
        table.reset();
        if (!isDefault)
        {
            table = ParseArbitration(line);
        }
    }
    else if (option == "sl2vl")
    {
        options.slToVl.reset();
        if (!isDefault)
        {
            options.slToVl = ParseSlToVl(line);
        }
    }
    else
    {
        return false;
    }
    return true;
}

IbPortQos
Resolve(const Options& own, const Options& common)
{
    const IbPortQos standard = IbPortQos::GetOpenSmDefault();
    IbPortQos qos;
    qos.maxVls = own.maxVls.value_or(common.maxVls.value_or(standard.maxVls));
    qos.arbitration.highLimit =
        own.highLimit.value_or(common.highLimit.value_or(standard.arbitration.highLimit));
    qos.arbitration.high = own.high.value_or(common.high.value_or(standard.arbitration.high));
    qos.arbitration.low = own.low.value_or(common.low.value_or(standard.arbitration.low));
    qos.slToVl = own.slToVl.value_or(common.slToVl.value_or(standard.slToVl));
    return qos;
}

} // namespace

OpenSmQos
OpenSmQosReader::ReadFile(const std::string& path)
{
    std::ifstream file(path);
    OpenSmQos qos;
    if (file)
    {
        qos = Read(file, path);
    }
    if (!file.is_open() || file.bad())
    {
        throw std::runtime_error("QoS file " + path +
                                 " can not be read, expected an OpenSM configuration");
    }
    return qos;
}

OpenSmQos
OpenSmQosReader::Read(std::istream& text, const std::string& name)
{
    static const std::array<std::string, 5> KINDS{"", "ca_", "rtr_", "sw0_", "swe_"};
    std::array<Options, KINDS.size()> options;
    OpenSmQos qos;
    Line line{name, 0, "", ""};
    for (std::string raw; std::getline(text, raw);)
    {
        ++line.number;
        const std::string content = Trim(raw.substr(0, raw.find('#')));
        const std::size_t blank = content.find_first_of(" \t");
        line.key = content.substr(0, blank);
        line.value = blank == std::string::npos ? "" : Trim(content.substr(blank));
        const bool isQos = line.key == "qos";
        if ((!isQos && line.key.rfind("qos_", 0) != 0) || line.key == "qos_policy_file")
        {
            continue;
        }
        if (line.value.empty())
        {
            line.Fail("no value", "one behind the option");
        }
        if (isQos)
        {
            qos.enabled = ParseBool(line);
            continue;
        }
        const std::string rest = line.key.substr(4);
        bool known = false;
        for (std::size_t kind = 0; kind < KINDS.size() && !known; ++kind)
        {
            known = rest.rfind(KINDS[kind], 0) == 0 &&
                    ParseOption(line, rest.substr(KINDS[kind].size()), options[kind]);
        }
        if (!known)
        {
            line.Fail("no such option",
                      "qos_, maybe ca_, rtr_, sw0_ or swe_, and max_vls, high_limit, vlarb_high, "
                      "vlarb_low or sl2vl");
        }
    }
    qos.hosts = Resolve(options[1], options[0]);
    qos.routers = Resolve(options[2], options[0]);
    qos.switchPort0 = Resolve(options[3], options[0]);
    qos.switchPorts = Resolve(options[4], options[0]);
    return qos;
}

} // namespace ns3
