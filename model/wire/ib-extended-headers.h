/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IB_EXTENDED_HEADERS_H
#define IB_EXTENDED_HEADERS_H

#include "ns3/header.h"

#include <cstdint>
#include <ostream>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * RDMA extended transport header (IBA vol 1, 9.3.3): where a WRITE or READ goes.
 */
class IbRethHeader : public Header
{
  public:
    static constexpr uint32_t SIZE = 16; //!< bytes

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

    /** @param virtualAddress VA */
    void SetVirtualAddress(uint64_t virtualAddress);
    /** @returns VA */
    uint64_t GetVirtualAddress() const;
    /** @param remoteKey R_Key */
    void SetRemoteKey(uint32_t remoteKey);
    /** @returns R_Key */
    uint32_t GetRemoteKey() const;
    /** @param dmaLength DMALen, bytes of the whole message */
    void SetDmaLength(uint32_t dmaLength);
    /** @returns DMALen, bytes of the whole message */
    uint32_t GetDmaLength() const;

  private:
    uint64_t m_virtualAddress{0}; //!< VA
    uint32_t m_remoteKey{0};      //!< R_Key
    uint32_t m_dmaLength{0};      //!< DMALen
};

/**
 * @ingroup ai-fabric
 * Acknowledge extended transport header (IBA vol 1, 9.3.5).
 */
class IbAethHeader : public Header
{
  public:
    static constexpr uint32_t SIZE = 4;         //!< bytes
    static constexpr uint8_t NO_CREDITS = 0x1f; //!< credit code: end-to-end credits not in use
    static constexpr uint8_t NAK_PSN_SEQUENCE_ERROR = 0;       //!< a packet is missing
    static constexpr uint8_t NAK_INVALID_REQUEST = 1;          //!< malformed or not allowed
    static constexpr uint8_t NAK_REMOTE_ACCESS_ERROR = 2;      //!< key or bounds
    static constexpr uint8_t NAK_REMOTE_OPERATIONAL_ERROR = 3; //!< responder failed

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

    /** @param syndrome syndrome: Ack(), RnrNak() or Nak() */
    void SetSyndrome(uint8_t syndrome);
    /** @returns syndrome: Ack(), RnrNak() or Nak() */
    uint8_t GetSyndrome() const;
    /** @param msn message sequence number, 24 bit */
    void SetMsn(uint32_t msn);
    /** @returns message sequence number, 24 bit */
    uint32_t GetMsn() const;

    /**
     * @param creditCode end-to-end credit code, 5 bit; 0x1f: no credits in use
     * @returns syndrome of an acknowledge
     */
    static constexpr uint8_t Ack(uint8_t creditCode = NO_CREDITS)
    {
        return creditCode & 0x1f;
    }

    /**
     * @param timerCode how long to wait, 5 bit code (IBA vol 1, table 45)
     * @returns syndrome of a receiver-not-ready NAK
     */
    static constexpr uint8_t RnrNak(uint8_t timerCode)
    {
        return 0x20 | (timerCode & 0x1f);
    }

    /**
     * @param nakCode one of the codes above
     * @returns syndrome of a NAK
     */
    static constexpr uint8_t Nak(uint8_t nakCode)
    {
        return 0x60 | (nakCode & 0x1f);
    }

    /**
     * @param syndrome a syndrome
     * @returns true for an acknowledge
     */
    static constexpr bool IsAck(uint8_t syndrome)
    {
        return (syndrome & 0xe0) == 0;
    }

    /**
     * @param syndrome a syndrome
     * @returns true for a receiver-not-ready NAK
     */
    static constexpr bool IsRnrNak(uint8_t syndrome)
    {
        return (syndrome & 0xe0) == 0x20;
    }

    /**
     * @param syndrome a syndrome
     * @returns true for a NAK other than receiver-not-ready
     */
    static constexpr bool IsNak(uint8_t syndrome)
    {
        return (syndrome & 0xe0) == 0x60;
    }

    /**
     * @param syndrome a syndrome
     * @returns its 5 bit code: credits, RNR timer or NAK code
     */
    static constexpr uint8_t GetCode(uint8_t syndrome)
    {
        return syndrome & 0x1f;
    }

  private:
    uint8_t m_syndrome{0}; //!< syndrome
    uint32_t m_msn{0};     //!< MSN
};

/**
 * @ingroup ai-fabric
 * Datagram extended transport header (IBA vol 1, 9.3.2).
 */
class IbDethHeader : public Header
{
  public:
    static constexpr uint32_t SIZE = 8; //!< bytes

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

    /** @param queueKey Q_Key */
    void SetQueueKey(uint32_t queueKey);
    /** @returns Q_Key */
    uint32_t GetQueueKey() const;
    /** @param sourceQp source queue pair, 24 bit */
    void SetSourceQp(uint32_t sourceQp);
    /** @returns source queue pair, 24 bit */
    uint32_t GetSourceQp() const;

  private:
    uint32_t m_queueKey{0}; //!< Q_Key
    uint32_t m_sourceQp{0}; //!< source queue pair
};

/**
 * @ingroup ai-fabric
 * Immediate data (IBA vol 1, 9.3.6).
 */
class IbImmDtHeader : public Header
{
  public:
    static constexpr uint32_t SIZE = 4; //!< bytes

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

    /** @param data immediate data */
    void SetData(uint32_t data);
    /** @returns immediate data */
    uint32_t GetData() const;

  private:
    uint32_t m_data{0}; //!< the data
};

} // namespace ns3

#endif // IB_EXTENDED_HEADERS_H
