/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IB_OPCODE_H
#define IB_OPCODE_H

#include <array>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Opcodes of the base transport header (IBA vol 1, table 38) and what follows from them.
 *
 * Transport classes RC, UC, UD and congestion notification are known; RD is not.
 */
struct IbOpcode
{
    static constexpr uint8_t RC_SEND_FIRST = 0x00;           //!< SEND first
    static constexpr uint8_t RC_SEND_MIDDLE = 0x01;          //!< SEND middle
    static constexpr uint8_t RC_SEND_LAST = 0x02;            //!< SEND last
    static constexpr uint8_t RC_SEND_LAST_IMM = 0x03;        //!< SEND last with immediate
    static constexpr uint8_t RC_SEND_ONLY = 0x04;            //!< SEND only
    static constexpr uint8_t RC_SEND_ONLY_IMM = 0x05;        //!< SEND only with immediate
    static constexpr uint8_t RC_WRITE_FIRST = 0x06;          //!< RDMA WRITE first
    static constexpr uint8_t RC_WRITE_MIDDLE = 0x07;         //!< RDMA WRITE middle
    static constexpr uint8_t RC_WRITE_LAST = 0x08;           //!< RDMA WRITE last
    static constexpr uint8_t RC_WRITE_LAST_IMM = 0x09;       //!< RDMA WRITE last with immediate
    static constexpr uint8_t RC_WRITE_ONLY = 0x0a;           //!< RDMA WRITE only
    static constexpr uint8_t RC_WRITE_ONLY_IMM = 0x0b;       //!< RDMA WRITE only with immediate
    static constexpr uint8_t RC_READ_REQUEST = 0x0c;         //!< RDMA READ request
    static constexpr uint8_t RC_READ_RESPONSE_FIRST = 0x0d;  //!< RDMA READ response first
    static constexpr uint8_t RC_READ_RESPONSE_MIDDLE = 0x0e; //!< RDMA READ response middle
    static constexpr uint8_t RC_READ_RESPONSE_LAST = 0x0f;   //!< RDMA READ response last
    static constexpr uint8_t RC_READ_RESPONSE_ONLY = 0x10;   //!< RDMA READ response only
    static constexpr uint8_t RC_ACK = 0x11;                  //!< acknowledge: ACK, NAK or RNR NAK
    static constexpr uint8_t RC_ATOMIC_ACK = 0x12;           //!< acknowledge of an atomic operation
    static constexpr uint8_t RC_COMPARE_SWAP = 0x13;         //!< atomic compare and swap
    static constexpr uint8_t RC_FETCH_ADD = 0x14;            //!< atomic fetch and add
    static constexpr uint8_t RC_SEND_LAST_INV = 0x16;        //!< SEND last with invalidate
    static constexpr uint8_t RC_SEND_ONLY_INV = 0x17;        //!< SEND only with invalidate
    static constexpr uint8_t UC_CLASS = 0x20;                //!< add to RC operations 0x00..0x0b
    static constexpr uint8_t UD_SEND_ONLY = 0x64;            //!< datagram
    static constexpr uint8_t UD_SEND_ONLY_IMM = 0x65;        //!< datagram with immediate
    /** Manufacturer-defined operations of an RC queue pair with selective repeat: those of the RC
     * class with one header more, so that packets may come out of order. */
    static constexpr uint8_t SELECTIVE_CLASS = 0xc0;
    static constexpr uint8_t SR_WRITE_MIDDLE = 0xc7;   //!< RDMA WRITE middle with RETH
    static constexpr uint8_t SR_WRITE_LAST = 0xc8;     //!< RDMA WRITE last with RETH
    static constexpr uint8_t SR_WRITE_LAST_IMM = 0xc9; //!< RDMA WRITE last with RETH, immediate
    static constexpr uint8_t SR_SACK = 0xd1; //!< acknowledge with AETH and 4 bytes: what has come
    static constexpr uint8_t CN = 0x80;      //!< congestion notification of IB (annex A10)
    static constexpr uint8_t CNP = 0x81;     //!< congestion notification packet of RoCEv2

    /** What an operation is: extension headers, position in its message, content. Bits of
     * Describe(). */
    enum Trait : uint16_t
    {
        RETH = 0x0001,           //!< RDMA extended transport header, 16 bytes
        AETH = 0x0002,           //!< acknowledge extended transport header, 4 bytes
        DETH = 0x0004,           //!< datagram extended transport header, 8 bytes
        IMM_DT = 0x0008,         //!< immediate data, 4 bytes
        ATOMIC_ETH = 0x0010,     //!< atomic extended transport header, 28 bytes
        ATOMIC_ACK_ETH = 0x0020, //!< atomic acknowledge extended transport header, 8 bytes
        IETH = 0x0040,           //!< invalidate extended transport header, 4 bytes
        CNP_RESERVED = 0x0080,   //!< 16 reserved bytes of a congestion notification
        EXTENSIONS = 0x00ff,     //!< all of the above
        PAYLOAD = 0x0100,        //!< may carry payload
        START = 0x0200,          //!< first or only packet of a message
        END = 0x0400,            //!< last or only packet of a message
        MESSAGE = 0x0800,        //!< part of a SEND, WRITE or READ response
        KNOWN = 0x1000,          //!< the opcode exists
    };

    /**
     * @param opcode any value
     * @returns its traits; 0 if the opcode is unknown
     */
    static constexpr uint16_t Describe(uint8_t opcode)
    {
        const uint8_t operation = opcode & 0x1f;
        switch (opcode >> 5)
        {
        case 0:
            return OPERATIONS[operation];
        case 1:
            return operation <= RC_WRITE_ONLY_IMM ? OPERATIONS[operation] : 0;
        case 3:
            return operation == RC_SEND_ONLY || operation == RC_SEND_ONLY_IMM
                       ? OPERATIONS[operation] | DETH
                       : 0;
        case 4:
            return opcode == CN || opcode == CNP ? KNOWN | CNP_RESERVED : 0;
        case 6:
            return opcode == SR_SACK          ? KNOWN | AETH | IMM_DT
                   : IsSelectiveWrite(opcode) ? OPERATIONS[operation] | RETH
                                              : 0;
        default:
            return 0;
        }
    }

    /**
     * @param opcode any value
     * @returns true if it exists
     */
    static constexpr bool IsKnown(uint8_t opcode)
    {
        return Describe(opcode) & KNOWN;
    }

    /**
     * @param opcode any value
     * @returns the extension headers that follow the BTH: bits RETH..CNP_RESERVED
     */
    static constexpr uint16_t GetExtensions(uint8_t opcode)
    {
        return Describe(opcode) & EXTENSIONS;
    }

    /**
     * @param opcode any value
     * @returns bytes of these extension headers
     */
    static constexpr uint32_t GetExtensionBytes(uint8_t opcode)
    {
        const uint16_t traits = Describe(opcode);
        return (traits & RETH ? 16 : 0) + (traits & AETH ? 4 : 0) + (traits & DETH ? 8 : 0) +
               (traits & IMM_DT ? 4 : 0) + (traits & ATOMIC_ETH ? 28 : 0) +
               (traits & ATOMIC_ACK_ETH ? 8 : 0) + (traits & IETH ? 4 : 0) +
               (traits & CNP_RESERVED ? 16 : 0);
    }

    /**
     * @param opcode any value
     * @returns true if payload may follow
     */
    static constexpr bool HasPayload(uint8_t opcode)
    {
        return Describe(opcode) & PAYLOAD;
    }

    /**
     * @param opcode any value
     * @returns true for the first of several packets of a message
     */
    static constexpr bool IsFirst(uint8_t opcode)
    {
        return (Describe(opcode) & (MESSAGE | START | END)) == (MESSAGE | START);
    }

    /**
     * @param opcode any value
     * @returns true for a packet between the first and the last one
     */
    static constexpr bool IsMiddle(uint8_t opcode)
    {
        return (Describe(opcode) & (MESSAGE | START | END)) == MESSAGE;
    }

    /**
     * @param opcode any value
     * @returns true for the last of several packets of a message
     */
    static constexpr bool IsLast(uint8_t opcode)
    {
        return (Describe(opcode) & (MESSAGE | START | END)) == (MESSAGE | END);
    }

    /**
     * @param opcode any value
     * @returns true for the only packet of a message
     */
    static constexpr bool IsOnly(uint8_t opcode)
    {
        return (Describe(opcode) & (MESSAGE | START | END)) == (MESSAGE | START | END);
    }

    /**
     * @param opcode any value
     * @returns true for the first or only packet of a message
     */
    static constexpr bool StartsMessage(uint8_t opcode)
    {
        return Describe(opcode) & START;
    }

    /**
     * @param opcode any value
     * @returns true for the last or only packet of a message
     */
    static constexpr bool EndsMessage(uint8_t opcode)
    {
        return Describe(opcode) & END;
    }

    /**
     * @param opcode any value
     * @returns true for a packet of an RDMA WRITE that has a RETH only with selective repeat
     */
    static constexpr bool IsSelectiveWrite(uint8_t opcode)
    {
        return opcode >= SR_WRITE_MIDDLE && opcode <= SR_WRITE_LAST_IMM;
    }

    /**
     * @param opcode any value
     * @returns true for a packet of an RC or UC RDMA WRITE
     */
    static constexpr bool IsWrite(uint8_t opcode)
    {
        return IsSelectiveWrite(opcode) ||
               ((opcode >> 5) <= 1 && (opcode & 0x1f) >= RC_WRITE_FIRST &&
                (opcode & 0x1f) <= RC_WRITE_ONLY_IMM);
    }

    /**
     * @param opcode any value
     * @returns true for a packet at which the receiver takes a receive request: the first of a
     * SEND, or the one of an RDMA WRITE with immediate data
     */
    static constexpr bool TakesReceive(uint8_t opcode)
    {
        const uint16_t traits = Describe(opcode);
        return (traits & MESSAGE) && !IsReadResponse(opcode) &&
               (traits & (IsWrite(opcode) ? IMM_DT : START));
    }

    /**
     * @param opcode any value
     * @returns true for a packet of an RC RDMA READ response
     */
    static constexpr bool IsReadResponse(uint8_t opcode)
    {
        return opcode >= RC_READ_RESPONSE_FIRST && opcode <= RC_READ_RESPONSE_ONLY;
    }

    /**
     * @param opcode any value
     * @returns true for a datagram
     */
    static constexpr bool IsDatagram(uint8_t opcode)
    {
        return opcode == UD_SEND_ONLY || opcode == UD_SEND_ONLY_IMM;
    }

    /**
     * @param opcode any value
     * @returns true for an explicit congestion notification of either fabric
     */
    static constexpr bool IsCongestionNotification(uint8_t opcode)
    {
        return opcode == CN || opcode == CNP;
    }

  private:
    static constexpr uint16_t FIRST_PACKET = KNOWN | MESSAGE | PAYLOAD | START;      //!< of several
    static constexpr uint16_t MIDDLE_PACKET = KNOWN | MESSAGE | PAYLOAD;             //!< of several
    static constexpr uint16_t LAST_PACKET = KNOWN | MESSAGE | PAYLOAD | END;         //!< of several
    static constexpr uint16_t ONLY_PACKET = KNOWN | MESSAGE | PAYLOAD | START | END; //!< alone

    /** Traits of the RC operations. */
    static constexpr std::array<uint16_t, 32> OPERATIONS{
        FIRST_PACKET,         // SEND
        MIDDLE_PACKET,        //
        LAST_PACKET,          //
        LAST_PACKET | IMM_DT, //
        ONLY_PACKET,          //
        ONLY_PACKET | IMM_DT, //
        FIRST_PACKET | RETH,  // RDMA WRITE
        MIDDLE_PACKET,        //
        LAST_PACKET,          //
        LAST_PACKET | IMM_DT, //
        ONLY_PACKET | RETH,   //
        ONLY_PACKET | RETH | IMM_DT,
        KNOWN | RETH,        // RDMA READ
        FIRST_PACKET | AETH, //
        MIDDLE_PACKET,       //
        LAST_PACKET | AETH,  //
        ONLY_PACKET | AETH,  //
        KNOWN | AETH,        // acknowledges
        KNOWN | AETH | ATOMIC_ACK_ETH,
        KNOWN | ATOMIC_ETH, // atomic operations
        KNOWN | ATOMIC_ETH, //
        0,                  // reserved
        LAST_PACKET | IETH, // SEND with invalidate
        ONLY_PACKET | IETH, //
    };
};

} // namespace ns3

#endif // IB_OPCODE_H
