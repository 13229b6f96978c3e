/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ib-net-discover-line.h"

#include "ns3/ib-link-speed.h"

#include <cctype>
#include <stdexcept>

namespace ns3
{

namespace
{

constexpr uint32_t GUID_DIGITS = 16;          //!< hexadecimal digits of a GUID
constexpr uint32_t LAST_UNICAST_LID = 0xbfff; //!< (IBA vol 1, 4.1.3)
constexpr uint32_t MAX_LMC = 7;               //!< (IBA vol 1, 4.1.3)

bool
IsBlank(char c)
{
    return c == ' ' || c == '\t';
}

} // namespace

IbNetDiscoverLine::IbNetDiscoverLine(const std::string& text)
    : m_text(text)
{
    while (!m_text.empty() && (IsBlank(m_text.back()) || m_text.back() == '\r'))
    {
        m_text.pop_back();
    }
}

bool
IbNetDiscoverLine::IsNode() const
{
    for (const char* word : {"Switch", "Ca", "Rt"})
    {
        const std::size_t length = std::string(word).size();
        if (m_text.compare(0, length, word) == 0 && m_text.size() > length &&
            IsBlank(m_text[length]))
        {
            return true;
        }
    }
    return false;
}

bool
IbNetDiscoverLine::IsPort() const
{
    return !m_text.empty() && m_text.front() == '[';
}

void
IbNetDiscoverLine::Fail(const std::string& expected) const
{
    constexpr std::size_t most = 24; // of what stands there
    const std::string rest = m_text.substr(m_next, most);
    const std::string found = m_next >= m_text.size()
                                  ? "the line is cut off"
                                  : "'" + rest + (m_text.size() - m_next > most ? "...'" : "'");
    throw std::invalid_argument(found + ", expected " + expected);
}

void
IbNetDiscoverLine::SkipBlanks()
{
    while (m_next < m_text.size() && IsBlank(m_text[m_next]))
    {
        ++m_next;
    }
}

bool
IbNetDiscoverLine::AtEnd()
{
    SkipBlanks();
    return m_next == m_text.size();
}

bool
IbNetDiscoverLine::Take(const std::string& word)
{
    SkipBlanks();
    if (m_text.compare(m_next, word.size(), word) != 0)
    {
        return false;
    }
    m_next += word.size();
    return true;
}

void
IbNetDiscoverLine::Expect(const std::string& word)
{
    if (!Take(word))
    {
        Fail("'" + word + "'");
    }
}

uint64_t
IbNetDiscoverLine::TakeHex()
{
    const std::size_t begin = m_next;
    uint64_t value = 0;
    for (; m_next < m_text.size() && m_next - begin < GUID_DIGITS; ++m_next)
    {
        const auto c = static_cast<unsigned char>(m_text[m_next]);
        if (!std::isxdigit(c))
        {
            break;
        }
        value = value << 4 |
                static_cast<uint64_t>(std::isdigit(c) ? c - '0' : std::tolower(c) - 'a' + 10);
    }
    if (m_next == begin)
    {
        Fail("a GUID of hexadecimal digits");
    }
    return value;
}

uint32_t
IbNetDiscoverLine::TakeNumber(const std::string& what, uint32_t low, uint32_t high)
{
    SkipBlanks();
    const std::size_t begin = m_next;
    uint64_t value = 0;
    while (m_next < m_text.size() && std::isdigit(static_cast<unsigned char>(m_text[m_next])) &&
           value <= high)
    {
        value = 10 * value + static_cast<uint64_t>(m_text[m_next++] - '0');
    }
    if (m_next == begin || value < low || value > high)
    {
        m_next = begin;
        Fail(what + " " + std::to_string(low) + ".." + std::to_string(high));
    }
    return static_cast<uint32_t>(value);
}

SubnetNodeKind
IbNetDiscoverLine::TakeGuidName(uint64_t& guid)
{
    Expect("\"");
    SubnetNodeKind kind = SubnetNodeKind::SWITCH;
    if (Take("H-"))
    {
        kind = SubnetNodeKind::CHANNEL_ADAPTER;
    }
    else if (Take("R-"))
    {
        kind = SubnetNodeKind::ROUTER;
    }
    else if (!Take("S-"))
    {
        Fail("S-, H- or R- and a GUID");
    }
    const std::size_t begin = m_next;
    guid = TakeHex();
    if (m_next - begin != GUID_DIGITS)
    {
        Fail("16 hexadecimal digits");
    }
    Expect("\"");
    return kind;
}

std::string
IbNetDiscoverLine::TakeDescription()
{
    // Names are free text and may have quotes themselves: they end at the last one.
    Expect("\"");
    const std::size_t end = m_text.rfind('"');
    if (end < m_next)
    {
        m_next = m_text.size();
        Fail("the quote that ends a name");
    }
    const std::string name = m_text.substr(m_next, end - m_next);
    m_next = end + 1;
    return name;
}

void
IbNetDiscoverLine::TakePortNumber(uint32_t& port, uint64_t& guid)
{
    Expect("[");
    port = TakeNumber("a port number", 1, SubnetGraph::MAX_PORTS);
    Expect("]");
    if (Take("[ext")) // of a chassis, where output is grouped
    {
        TakeNumber("a port number", 0, 65535);
        Expect("]");
    }
    if (m_next < m_text.size() && m_text[m_next] == '(')
    {
        ++m_next;
        guid = TakeHex();
        Expect(")");
    }
}

std::string
IbNetDiscoverLine::TakeWidth()
{
    SkipBlanks();
    const std::size_t begin = m_next;
    if (begin == m_text.size())
    {
        Fail("width and speed, such as 4xHDR");
    }
    while (m_next < m_text.size() && !IsBlank(m_text[m_next]))
    {
        ++m_next;
    }
    const std::string width = m_text.substr(begin, m_next - begin);
    if (m_text.find('?', begin) != std::string::npos ||
        m_text.find("undefined", begin) != std::string::npos)
    {
        m_next = m_text.size();
        return ""; // the program did not know it itself
    }
    try
    {
        IbLinkSpeed::Parse(width);
    }
    catch (const std::invalid_argument&)
    {
        m_next = begin;
        Fail("width and speed, such as 4xHDR");
    }
    return width;
}

IbNetDiscoverNode
IbNetDiscoverLine::ParseNode()
{
    IbNetDiscoverNode node;
    node.kind = Take("Switch") ? SubnetNodeKind::SWITCH
                : Take("Ca")   ? SubnetNodeKind::CHANNEL_ADAPTER
                               : SubnetNodeKind::ROUTER;
    if (node.kind == SubnetNodeKind::ROUTER)
    {
        Expect("Rt");
    }
    node.ports = TakeNumber("a number of ports", 1, SubnetGraph::MAX_PORTS);
    const std::size_t begin = m_next;
    if (TakeGuidName(node.guid) != node.kind)
    {
        m_next = begin;
        Fail(node.kind == SubnetNodeKind::SWITCH            ? "S- and the GUID of the switch"
             : node.kind == SubnetNodeKind::CHANNEL_ADAPTER ? "H- and the GUID of the adapter"
                                                            : "R- and the GUID of the router");
    }
    Expect("#");
    node.name = TakeDescription();
    if (node.kind == SubnetNodeKind::SWITCH)
    {
        if (!Take("enhanced") && !Take("base"))
        {
            Fail("'base port 0' or 'enhanced port 0'");
        }
        Expect("port 0");
        Expect("lid");
        node.lid = static_cast<uint16_t>(TakeNumber("a LID", 0, LAST_UNICAST_LID));
        Expect("lmc");
        node.lmc = static_cast<uint8_t>(TakeNumber("an LMC", 0, MAX_LMC));
    }
    if (!AtEnd())
    {
        Fail("the end of the line");
    }
    return node;
}

IbNetDiscoverPort
IbNetDiscoverLine::ParsePort()
{
    IbNetDiscoverPort line;
    TakePortNumber(line.port, line.guid);
    line.peerKind = TakeGuidName(line.peerNode);
    TakePortNumber(line.peerPort, line.peerGuid);
    Expect("#");
    if (Take("lid"))
    {
        line.lid = static_cast<uint16_t>(TakeNumber("a LID", 0, LAST_UNICAST_LID));
        Expect("lmc");
        line.lmc = static_cast<uint8_t>(TakeNumber("an LMC", 0, MAX_LMC));
    }
    line.peerName = TakeDescription();
    Expect("lid");
    line.peerLid = static_cast<uint16_t>(TakeNumber("a LID", 0, LAST_UNICAST_LID));
    line.width = TakeWidth();
    if (!AtEnd())
    {
        Fail("the end of the line");
    }
    return line;
}

uint64_t
IbNetDiscoverLine::ParseValue()
{
    m_next = m_text.find('=') + 1;
    Expect("0x");
    const uint64_t value = TakeHex();
    if (Take("("))
    {
        TakeHex(); // of the port of a switch
        Expect(")");
    }
    if (!AtEnd())
    {
        Fail("at most 16 hexadecimal digits");
    }
    return value;
}

} // namespace ns3
