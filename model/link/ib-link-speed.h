/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IB_LINK_SPEED_H
#define IB_LINK_SPEED_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Width and speed of an InfiniBand link by name, such as 4xNDR: what its lanes signal, what the
 * coding leaves of it, and the codes by which subnet management speaks of it.
 */
class IbLinkSpeed
{
  public:
    /** One generation of lanes (IBA vol 2; infiniband-diags print its name and line rate). */
    struct Generation
    {
        const char* name;      //!< SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or XDR
        uint64_t lineBitRate;  //!< signaled on a lane, bit/s
        const char* coding;    //!< 8b/10b, 64b/66b, or 256b/257b with RS(544,514)
        uint32_t codedBits;    //!< line bits that carry ...
        uint32_t dataBits;     //!< ... so many data bits, parity of error correction included
        double nominalGbps;    //!< by which tools and rate codes call a lane, Gb/s
        uint8_t activeCode;    //!< LinkSpeedActive in PortInfo
        uint8_t extActiveCode; //!< LinkSpeedExtActive in PortInfo; 0: not an extended speed
        uint32_t symbolTimePs; //!< unit of the flow-control timers, ps
    };

    /** @returns all generations, slowest first */
    static const std::vector<Generation>& GetGenerations();

    /** @returns all widths: 1, 2, 4, 8 and 12 lanes */
    static const std::vector<uint32_t>& GetWidths();

    /**
     * @param name width and speed as ibnetdiscover prints them (4xNDR), or width and line rate as
     * iblinkinfo does (4X 106.25 Gbps); upper or lower case
     * @param where put in front of an error message: file and line, or the key of an option
     * @returns the speed
     * @throws std::invalid_argument with one line for any other text
     */
    static IbLinkSpeed Parse(const std::string& name, const std::string& where = "link speed");

    /**
     * @param widthActive LinkWidthActive of PortInfo
     * @param speedActive LinkSpeedActive
     * @param speedExtActive LinkSpeedExtActive; goes before the other if it is not 0
     * @returns the speed
     * @throws std::invalid_argument with one line for codes that are not known. FDR10 and XDR are
     * told in fields of their own, and so never come out.
     */
    static IbLinkSpeed FromSmCodes(uint8_t widthActive,
                                   uint8_t speedActive,
                                   uint8_t speedExtActive);

    /** @returns as ibnetdiscover prints it, such as 4xNDR */
    std::string GetName() const;
    /** @returns number of lanes */
    uint32_t GetWidth() const;
    /** @returns what a lane is */
    const Generation& GetGeneration() const;
    /** @returns bits per second signaled, all lanes */
    uint64_t GetLineBitRate() const;
    /** @returns data bits per line bit, less than 1 */
    double GetCodingEfficiency() const;
    /** @returns bits per second that packets have, LRH through VCRC; rounded to a bit/s */
    DataRate GetDataRate() const;
    /**
     * The unit of the flow-control timers: 10 line bits of a lane with 8b/10b; faster lanes count
     * like QDR.
     * @returns picoseconds
     */
    uint32_t GetSymbolTimePs() const;
    /** @returns longest time between two flow-control packets of a lane: 65,536 symbol times */
    Time GetFcMaxInterval() const;
    /** @returns LinkWidthActive of PortInfo: 1, 2, 4, 8 or 16 for 1, 4, 8, 12 or 2 lanes */
    uint8_t GetWidthCode() const;
    /** @returns LinkSpeedActive of PortInfo: 1, 2 or 4; extended speeds say 4 */
    uint8_t GetSpeedCode() const;
    /** @returns LinkSpeedExtActive of PortInfo: 1, 2, 4 or 8; 0 if the speed has none */
    uint8_t GetSpeedExtCode() const;
    /** @returns rate code of path records, multicast groups and address handles; 0 if the rate has
     * none */
    uint8_t GetRateCode() const;

  private:
    IbLinkSpeed(uint32_t width, const Generation& generation);

    uint32_t m_width;               //!< lanes
    const Generation* m_generation; //!< in the table
};

} // namespace ns3

#endif // IB_LINK_SPEED_H
