/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_TELEMETRY_H
#define FABRIC_TELEMETRY_H

#include <array>
#include <cstddef>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * In-band telemetry of a packet, as HPCC asks for it (Li et al., SIGCOMM 2019): what each switch on
 * the way said when the packet left its port. 42 bytes on the wire, as in the paper: 2 for hop
 * count and path, 8 for each of 5 hops.
 *
 * The fields of a hop are times, not bytes: bytes divided by the rate of the port. So the record
 * needs no table of line rates, and every rate works.
 */
struct FabricTelemetry
{
    static constexpr std::size_t HOPS = 5;              //!< that have room
    static constexpr uint32_t BYTES = 2 + 8 * HOPS;     //!< on the wire
    static constexpr uint32_t CLOCK_MODULUS = 1U << 24; //!< of timestamp and busy, in ns
    static constexpr uint32_t DRAIN_UNIT = 8;           //!< of drain, in ns
    static constexpr uint8_t MAX_COUNT = 15;            //!< of hops

    /** What one port said. */
    struct Hop
    {
        uint32_t timestamp{0}; //!< when, in ns, modulo 2^24
        uint32_t busy{0};      //!< time that the port has spent sending so far, in ns, modulo 2^24
        uint16_t drain{0};     //!< time that its queue takes, in units of 8 ns; at most 65535
    };

    uint8_t count{0};             //!< hops passed, at most 15; the first 5 are recorded
    uint16_t path{0};             //!< 12 bits: exclusive or of the numbers of the switches
    std::array<Hop, HOPS> hops{}; //!< in order

    /**
     * Another switch.
     * @param id its number
     * @param hop what its port says
     */
    void Stamp(uint16_t id, const Hop& hop);

    /** @returns how many hops are recorded */
    std::size_t GetRecorded() const
    {
        return count < HOPS ? count : HOPS;
    }

    /** @param bytes takes the BYTES bytes on the wire */
    void Encode(uint8_t* bytes) const;
    /** @param bytes the BYTES bytes on the wire */
    void Decode(const uint8_t* bytes);
};

/**
 * @ingroup ai-fabric
 * A frame's telemetry: a pooled record, or none. Copies of a frame have records of their own.
 */
class FabricTelemetryHolder
{
  public:
    FabricTelemetryHolder() = default;

    ~FabricTelemetryHolder()
    {
        Clear();
    }

    /** @param other is copied with its record */
    FabricTelemetryHolder(const FabricTelemetryHolder& other)
    {
        *this = other;
    }

    /**
     * @param other is copied with its record
     * @returns this
     */
    FabricTelemetryHolder& operator=(const FabricTelemetryHolder& other)
    {
        if (other.m_record || m_record)
        {
            Assign(other);
        }
        return *this;
    }

    /** Have an empty record. */
    void Create();

    /** Have none. */
    void Clear()
    {
        if (m_record)
        {
            Release();
        }
    }

    /** @returns true if there is a record */
    explicit operator bool() const
    {
        return m_record != nullptr;
    }

    /** @returns the record; there must be one */
    FabricTelemetry& operator*() const
    {
        return *m_record;
    }

    /** @returns the record; null if there is none */
    FabricTelemetry* operator->() const
    {
        return m_record;
    }

    /** @returns the record; null if there is none */
    FabricTelemetry* Get() const
    {
        return m_record;
    }

    /** @returns records in use: 0 after everything is disposed of */
    static std::size_t GetOutstanding();
    /** @returns records ever obtained from the heap */
    static std::size_t GetCapacity();

  private:
    void Assign(const FabricTelemetryHolder& other);
    void Release();

    FabricTelemetry* m_record{nullptr}; //!< owned
};

} // namespace ns3

#endif // FABRIC_TELEMETRY_H
