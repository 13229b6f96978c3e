/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_PCAP_H
#define FABRIC_PCAP_H

#include "ns3/header.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <ostream>

namespace ns3
{

/** Link types of capture files. */
struct FabricPcap
{
    static constexpr uint32_t DLT_ETHERNET = 1; //!< Ethernet frames
    static constexpr uint32_t DLT_ERF = 197;    //!< records of the extensible record format
};

/** What an ERF record carries. */
enum class FabricErfType : uint8_t
{
    INFINIBAND = 21,      //!< LRH through VCRC
    INFINIBAND_LINK = 25, //!< a link-level flow-control packet, padded to ERF_LINK_PACKET_BYTES
};

/**
 * @ingroup ai-fabric
 * Header of a record in the extensible record format, which readers of InfiniBand captures expect.
 */
class ErfHeader : public Header
{
  public:
    static constexpr uint32_t SIZE = 16;            //!< bytes
    static constexpr uint8_t VARYING_LENGTH = 0x04; //!< flag: records differ in length

    /** @returns the TypeId */
    static TypeId GetTypeId();
    TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    /**
     * @param start where to read
     * @returns bytes read; 0, with nothing changed, if fewer are left
     */
    uint32_t Deserialize(Buffer::Iterator start) override;
    void Print(std::ostream& os) const override;

    /** @param type what the record carries */
    void SetType(FabricErfType type);
    /** @returns what the record carries */
    FabricErfType GetType() const;
    /** @param timestamp seconds, 32.32 fixed point */
    void SetTimestamp(uint64_t timestamp);
    /** @returns seconds, 32.32 fixed point */
    uint64_t GetTimestamp() const;
    /** @param recordLength record length in bytes, with this header */
    void SetRecordLength(uint16_t recordLength);
    /** @returns record length in bytes, with this header */
    uint16_t GetRecordLength() const;
    /** @param wireLength bytes on the wire */
    void SetWireLength(uint16_t wireLength);
    /** @returns bytes on the wire */
    uint16_t GetWireLength() const;

  private:
    FabricErfType m_type{FabricErfType::INFINIBAND}; //!< type
    uint64_t m_timestamp{0};                         //!< 32.32 fixed point
    uint16_t m_recordLength{0};                      //!< record length
    uint16_t m_wireLength{0};                        //!< wire length
};

/**
 * @ingroup ai-fabric
 * @param time a time, not negative, below 106 days
 * @returns it in seconds, 32.32 fixed point, rounded down
 */
uint64_t ToErfTimestamp(Time time);

/**
 * Bytes to which flow-control packets are padded in a capture. Wireshark's dissector reads their
 * first 8 bytes as a local route header, too, to name the addresses; where FCTBS looks like "a GRH
 * and a BTH follow" it reads on, and calls the packet malformed if they are missing.
 */
inline constexpr uint32_t ERF_LINK_PACKET_BYTES = 8 + 40 + 12;

/**
 * @ingroup ai-fabric
 * Make a record for a capture file of link type DLT_ERF.
 * @param bytes a packet (LRH through VCRC) or a flow-control packet; not changed
 * @param type which of them
 * @param time when it was seen
 * @returns the record
 */
Ptr<Packet> ToErfRecord(Ptr<const Packet> bytes, FabricErfType type, Time time);

} // namespace ns3

#endif // FABRIC_PCAP_H
