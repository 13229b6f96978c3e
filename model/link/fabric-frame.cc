/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-frame.h"

#include <memory>
#include <vector>

namespace ns3
{

namespace
{

/** Frames come from the heap this many at a time. */
constexpr std::size_t FRAMES_PER_SLAB = 256;

/** The process's frames: slabs that live as long as the process, and the list of free ones. */
struct FrameStore
{
    std::vector<std::unique_ptr<FabricFrame[]>> slabs; //!< owners of the memory
    FabricFrame* free{nullptr};                        //!< head of the free list
    std::size_t outstanding{0};                        //!< frames in use

    void Grow()
    {
        slabs.push_back(std::make_unique<FabricFrame[]>(FRAMES_PER_SLAB));
        FabricFrame* slab = slabs.back().get();
        for (std::size_t i = 0; i < FRAMES_PER_SLAB; ++i)
        {
            slab[i].next = free;
            free = &slab[i];
        }
    }
};

FrameStore g_frameStore;

} // namespace

FabricFrame*
FabricFramePool::Allocate()
{
    if (!g_frameStore.free)
    {
        g_frameStore.Grow();
    }
    FabricFrame* frame = g_frameStore.free;
    g_frameStore.free = frame->next;
    ++g_frameStore.outstanding;
    *frame = FabricFrame{};
    return frame;
}

void
FabricFramePool::Release(FabricFrame* frame)
{
    frame->packet = nullptr;
    frame->telemetry.Clear();
    frame->next = g_frameStore.free;
    g_frameStore.free = frame;
    --g_frameStore.outstanding;
}

std::size_t
FabricFramePool::GetOutstanding()
{
    return g_frameStore.outstanding;
}

std::size_t
FabricFramePool::GetCapacity()
{
    return g_frameStore.slabs.size() * FRAMES_PER_SLAB;
}

} // namespace ns3
