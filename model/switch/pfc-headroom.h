/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PFC_HEADROOM_H
#define PFC_HEADROOM_H

#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * How much may still come in after the decision to pause a priority (IEEE 802.1Qbb, Annex N), as
 * plain arithmetic.
 */
class PfcHeadroom
{
  public:
    /** A link, and what delays a pause on it. */
    struct Link
    {
        uint64_t bitRate{0};        //!< of both directions, bits per second
        double meters{0};           //!< of the cable, 5 ns each
        uint32_t ownFrameBytes{0};  //!< largest frame that may be on the wire before the pause
                                    //!< frame, with preamble and gap
        uint32_t peerFrameBytes{0}; //!< largest frame that the far end may have begun, the same way
        uint32_t responseQuanta{0}; //!< time that the far end takes, in quanta of 512 bit times
        uint64_t interfaceBytes{0}; //!< MAC and PHY of both ends
    };

    /**
     * @param link the link
     * @returns bytes on the wire: own frame, pause frame, both ways of the cable, response, frame
     * of the peer, and interfaces; rounded up
     */
    static uint64_t GetWireBytes(const Link& link);

    /** What NVIDIA's switches count with under SONiC. */
    struct SonicLink
    {
        double bitRate{0};          //!< bits per second
        double meters{0};           //!< of the cable
        uint32_t cellBytes{0};      //!< unit of the buffer: 96 (Spectrum), 144 (2, 3), 192 (4)
        uint32_t portMtu{9216};     //!< bytes
        uint32_t losslessMtu{1024}; //!< bytes
        double peerResponseBytes{3891.2}; //!< 3.8 KiB in older files; later pause quanta x 64
        double macPhyBytes{819.2};        //!< 0.8 KiB
        double gearboxBytes{0};           //!< delay of each gearbox
    };

    /**
     * @param link the link
     * @returns `xoff` of pg_profile_lookup.ini in bytes, in whole KiB (buffer_headroom_mellanox.lua
     * of SONiC): a share of the buffer's cells is lost to small packets
     */
    static uint64_t GetSonicXoff(const SonicLink& link);
};

} // namespace ns3

#endif // PFC_HEADROOM_H
