/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IB_NET_DISCOVER_LINE_H
#define IB_NET_DISCOVER_LINE_H

#include "subnet-graph.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ns3
{

/** The first line of a record of ibnetdiscover: a node. */
struct IbNetDiscoverNode
{
    SubnetNodeKind kind{SubnetNodeKind::SWITCH}; //!< what it is
    uint32_t ports{0};                           //!< how many it has
    uint64_t guid{0};                            //!< of the node
    std::string name;                            //!< description
    uint16_t lid{0};                             //!< of port 0; switches only
    uint8_t lmc{0};                              //!< of port 0; switches only
};

/** A further line of a record: a cable. */
struct IbNetDiscoverPort
{
    uint32_t port{0};                                //!< at this end
    uint64_t guid{0};                                //!< of the port at this end; 0: not told
    std::optional<uint16_t> lid;                     //!< of this end; switches do not tell
    uint8_t lmc{0};                                  //!< of this end
    SubnetNodeKind peerKind{SubnetNodeKind::SWITCH}; //!< what is at the other end
    uint64_t peerNode{0};                            //!< GUID of the node there
    uint32_t peerPort{0};                            //!< its port
    uint64_t peerGuid{0};                            //!< of its port; 0: not told
    std::string peerName;                            //!< description of the node there
    uint16_t peerLid{0};                             //!< LID there
    std::string width;                               //!< such as 4xHDR; empty: unknown
};

/**
 * @ingroup ai-fabric
 * Takes one line of the output of ibnetdiscover apart. Its methods throw std::invalid_argument with
 * "what, expected" on text that does not belong there.
 */
class IbNetDiscoverLine
{
  public:
    /** @param text the line */
    explicit IbNetDiscoverLine(const std::string& text);

    /** @returns true if this begins like a node: Switch, Ca or Rt, then a blank */
    bool IsNode() const;
    /** @returns true if this begins like a cable: [ */
    bool IsPort() const;
    /** @returns what the line says of a node */
    IbNetDiscoverNode ParseNode();
    /** @returns what the line says of a cable */
    IbNetDiscoverPort ParsePort();
    /**
     * Read a line such as sysimgguid=0x2c903004a1b2c.
     * @returns the number after the sign
     */
    uint64_t ParseValue();

  private:
    bool Take(const std::string& word);
    void Expect(const std::string& word);
    void SkipBlanks();
    bool AtEnd();
    uint64_t TakeHex();
    uint32_t TakeNumber(const std::string& what, uint32_t low, uint32_t high);
    SubnetNodeKind TakeGuidName(uint64_t& guid);
    std::string TakeDescription();
    void TakePortNumber(uint32_t& port, uint64_t& guid);
    std::string TakeWidth();
    [[noreturn]] void Fail(const std::string& expected) const;

    std::string m_text;    //!< the line
    std::size_t m_next{0}; //!< first character that was not taken
};

} // namespace ns3

#endif // IB_NET_DISCOVER_LINE_H
