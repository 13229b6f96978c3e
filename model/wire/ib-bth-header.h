/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IB_BTH_HEADER_H
#define IB_BTH_HEADER_H

#include "ns3/header.h"

#include <cstdint>
#include <ostream>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Base transport header (IBA vol 1, 9.2; annex A10 for FECN and BECN): the same on InfiniBand and
 * RoCE.
 */
class IbBthHeader : public Header
{
  public:
    static constexpr uint32_t SIZE = 12; //!< bytes
    static constexpr uint16_t DEFAULT_PARTITION_KEY =
        0xffff; //!< full member of the default partition

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

    /** @param opcode opcode, see IbOpcode */
    void SetOpcode(uint8_t opcode);
    /** @returns opcode, see IbOpcode */
    uint8_t GetOpcode() const;
    /** @param solicited SE, solicited event */
    void SetSolicited(bool solicited);
    /** @returns SE, solicited event */
    bool GetSolicited() const;
    /** @param migReq M, migration state */
    void SetMigReq(bool migReq);
    /** @returns M, migration state */
    bool GetMigReq() const;
    /** @param padCount PadCnt, 0..3: bytes between payload and ICRC */
    void SetPadCount(uint8_t padCount);
    /** @returns PadCnt, 0..3: bytes between payload and ICRC */
    uint8_t GetPadCount() const;
    /** @param version TVer, transport version, 4 bit; 0 */
    void SetVersion(uint8_t version);
    /** @returns TVer, transport version, 4 bit; 0 */
    uint8_t GetVersion() const;
    /** @param partitionKey P_Key */
    void SetPartitionKey(uint16_t partitionKey);
    /** @returns P_Key */
    uint16_t GetPartitionKey() const;
    /** @param fecn forward explicit congestion notification */
    void SetFecn(bool fecn);
    /** @returns forward explicit congestion notification */
    bool GetFecn() const;
    /** @param becn backward explicit congestion notification */
    void SetBecn(bool becn);
    /** @returns backward explicit congestion notification */
    bool GetBecn() const;
    /** @param telemetry a record of in-band telemetry lies before the ICRC: not of IBA, the highest
     * of the 6 reserved bits beside FECN and BECN */
    void SetTelemetry(bool telemetry);
    /** @returns true if a record of in-band telemetry lies before the ICRC */
    bool GetTelemetry() const;
    /** @param destinationQp DestQP, 24 bit */
    void SetDestinationQp(uint32_t destinationQp);
    /** @returns DestQP, 24 bit */
    uint32_t GetDestinationQp() const;
    /** @param ackReq A, an acknowledge is asked for */
    void SetAckReq(bool ackReq);
    /** @returns A, an acknowledge is asked for */
    bool GetAckReq() const;
    /** @param psn packet sequence number, 24 bit */
    void SetPsn(uint32_t psn);
    /** @returns packet sequence number, 24 bit */
    uint32_t GetPsn() const;

  private:
    uint8_t m_opcode{0};                            //!< opcode
    bool m_solicited{false};                        //!< SE
    bool m_migReq{false};                           //!< M
    uint8_t m_padCount{0};                          //!< PadCnt
    uint8_t m_version{0};                           //!< TVer
    uint16_t m_partitionKey{DEFAULT_PARTITION_KEY}; //!< P_Key
    bool m_fecn{false};                             //!< FECN
    bool m_becn{false};                             //!< BECN
    bool m_telemetry{false};                        //!< reserved bit
    uint32_t m_destinationQp{0};                    //!< DestQP
    bool m_ackReq{false};                           //!< A
    uint32_t m_psn{0};                              //!< PSN
};

} // namespace ns3

#endif // IB_BTH_HEADER_H
