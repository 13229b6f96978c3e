/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CLASS_ARBITER_H
#define CLASS_ARBITER_H

#include "ns3/state-hash.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Chooses the class whose frame leaves next, among those that have one and may send it.
 *
 * A port without an arbiter serves its classes in turn, frame by frame.
 */
class ClassArbiter
{
  public:
    virtual ~ClassArbiter() = default;

    /** @returns bit i set if class i is ever chosen; frames of other classes wait for ever */
    virtual uint32_t GetServedClasses() const = 0;

    /**
     * @param sendable bit i set if class i has a frame that flow control lets go now; at least one
     * class that is served
     * @returns one of them
     */
    virtual uint8_t Choose(uint32_t sendable) = 0;

    /**
     * The frame of the class that was chosen last starts.
     * @param bytes its frameBytes
     */
    virtual void Sent(uint32_t bytes) = 0;

    /** @param hash takes what decides the choices to come */
    virtual void HashState(StateHash& hash) const = 0;
};

} // namespace ns3

#endif // CLASS_ARBITER_H
