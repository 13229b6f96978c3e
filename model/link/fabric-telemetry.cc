/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-telemetry.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace ns3
{

namespace
{

/** Records come from the heap this many at a time. */
constexpr std::size_t RECORDS_PER_SLAB = 256;

/** The process's records: slabs that live as long as the process, and those that are free. */
struct TelemetryStore
{
    std::vector<std::unique_ptr<FabricTelemetry[]>> slabs; //!< owners of the memory
    std::vector<FabricTelemetry*> free;                    //!< not in use

    FabricTelemetry* Take()
    {
        if (free.empty())
        {
            slabs.push_back(std::make_unique<FabricTelemetry[]>(RECORDS_PER_SLAB));
            free.reserve(slabs.size() * RECORDS_PER_SLAB);
            for (std::size_t i = 0; i < RECORDS_PER_SLAB; ++i)
            {
                free.push_back(&slabs.back()[i]);
            }
        }
        FabricTelemetry* record = free.back();
        free.pop_back();
        return record;
    }
};

/** @returns the store; it is never destroyed, since frames of other static objects may outlive it
 */
TelemetryStore&
GetStore()
{
    static auto* store = new TelemetryStore;
    return *store;
}

/** Write a number in network order. */
uint8_t*
Put(uint8_t* to, uint32_t value, unsigned bytes)
{
    for (unsigned i = bytes; i-- > 0;)
    {
        *to++ = static_cast<uint8_t>(value >> (8 * i));
    }
    return to;
}

/** Read a number in network order. */
uint32_t
Take(const uint8_t*& from, unsigned bytes)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < bytes; ++i)
    {
        value = value << 8 | *from++;
    }
    return value;
}

} // namespace

void
FabricTelemetry::Stamp(uint16_t id, const Hop& hop)
{
    if (count < HOPS)
    {
        hops[count] = hop;
    }
    count = std::min<uint8_t>(count + 1, MAX_COUNT);
    path = (path ^ id) & 0xfff;
}

void
FabricTelemetry::Encode(uint8_t* bytes) const
{
    bytes = Put(bytes, static_cast<uint32_t>(count) << 12 | path, 2);
    for (const Hop& hop : hops)
    {
        bytes = Put(bytes, hop.timestamp, 3);
        bytes = Put(bytes, hop.busy, 3);
        bytes = Put(bytes, hop.drain, 2);
    }
}

void
FabricTelemetry::Decode(const uint8_t* bytes)
{
    const uint32_t head = Take(bytes, 2);
    count = static_cast<uint8_t>(head >> 12);
    path = head & 0xfff;
    for (Hop& hop : hops)
    {
        hop.timestamp = Take(bytes, 3);
        hop.busy = Take(bytes, 3);
        hop.drain = static_cast<uint16_t>(Take(bytes, 2));
    }
}

void
FabricTelemetryHolder::Create()
{
    if (!m_record)
    {
        m_record = GetStore().Take();
    }
    *m_record = FabricTelemetry();
}

void
FabricTelemetryHolder::Assign(const FabricTelemetryHolder& other)
{
    if (!other.m_record)
    {
        Release();
        return;
    }
    if (!m_record)
    {
        m_record = GetStore().Take();
    }
    *m_record = *other.m_record;
}

void
FabricTelemetryHolder::Release()
{
    GetStore().free.push_back(m_record);
    m_record = nullptr;
}

std::size_t
FabricTelemetryHolder::GetOutstanding()
{
    return GetCapacity() - GetStore().free.size();
}

std::size_t
FabricTelemetryHolder::GetCapacity()
{
    return GetStore().slabs.size() * RECORDS_PER_SLAB;
}

} // namespace ns3
