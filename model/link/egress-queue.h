/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EGRESS_QUEUE_H
#define EGRESS_QUEUE_H

#include "fabric-frame.h"

#include "ns3/state-hash.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * What a frame adds to the relative state: sequence numbers are the queue pair's business.
 * @param hash takes the state
 * @param frame the frame
 */
inline void
HashFrame(StateHash& hash, const FabricFrame& frame)
{
    hash.Add(frame.src);
    hash.Add(frame.dst);
    hash.Add(frame.dstQp);
    hash.Add(frame.opcode);
    hash.Add(frame.cls);
    hash.Add(frame.wireBytes);
    hash.Add(frame.ecn);
    hash.Add(frame.syndrome);
    hash.Add(frame.udpSrc);
    hash.Add(frame.inPort);
    hash.Add(frame.inCls);
    hash.Add(frame.inBytes);
    hash.Add(frame.ackReq | frame.fecn << 1 | frame.becn << 2 | frame.solicited << 3);
}

/**
 * @ingroup ai-fabric
 * Frames in order, linked through FabricFrame::next: no allocation, no limit.
 */
class FrameFifo
{
  public:
    /** @param frame goes to the end */
    void Push(FabricFrame* frame)
    {
        frame->next = nullptr;
        if (m_tail)
        {
            m_tail->next = frame;
        }
        else
        {
            m_head = frame;
        }
        m_tail = frame;
    }

    /** @returns the first frame, taken out; there must be one */
    FabricFrame* Pop()
    {
        FabricFrame* frame = m_head;
        m_head = frame->next;
        if (!m_head)
        {
            m_tail = nullptr;
        }
        frame->next = nullptr;
        return frame;
    }

    /** @returns the first frame; null if there is none */
    FabricFrame* Front() const
    {
        return m_head;
    }

    /** @returns true if there is no frame */
    bool IsEmpty() const
    {
        return m_head == nullptr;
    }

  private:
    FabricFrame* m_head{nullptr}; //!< first
    FabricFrame* m_tail{nullptr}; //!< last
};

/**
 * @ingroup ai-fabric
 * The frames of one class that wait for one port.
 *
 * Either first come, first served, or one virtual output queue per input port, served in turn.
 * Every operation costs the same however many inputs are idle.
 */
class EgressQueue
{
  public:
    /** @param voq true: one queue per input port, served in turn */
    void SetVirtualOutputQueues(bool voq)
    {
        m_voq = voq;
    }

    /** @param frame goes behind those of its input port, or of all */
    void Push(FabricFrame* frame)
    {
        m_bytes += frame->frameBytes;
        ++m_frames;
        const uint16_t sub = m_voq ? frame->inPort : 0;
        if (sub >= m_subs.size())
        {
            m_subs.resize(sub + 1);
        }
        Sub& queue = m_subs[sub];
        if (queue.fifo.IsEmpty())
        {
            // Join the circle of active inputs just before the one to be served next: last in turn.
            if (m_frames == 1)
            {
                queue.next = queue.previous = sub;
                m_turn = sub;
            }
            else
            {
                queue.next = m_turn;
                queue.previous = m_subs[m_turn].previous;
                m_subs[queue.previous].next = sub;
                m_subs[m_turn].previous = sub;
            }
        }
        queue.fifo.Push(frame);
    }

    /** @returns the frame to be sent next; null if there is none */
    FabricFrame* Front() const
    {
        return m_frames ? m_subs[m_turn].fifo.Front() : nullptr;
    }

    /** @returns the frame to be sent next, taken out; there must be one */
    FabricFrame* Pop()
    {
        Sub& queue = m_subs[m_turn];
        FabricFrame* frame = queue.fifo.Pop();
        m_bytes -= frame->frameBytes;
        --m_frames;
        if (queue.fifo.IsEmpty())
        {
            m_subs[queue.previous].next = queue.next;
            m_subs[queue.next].previous = queue.previous;
        }
        m_turn = queue.next;
        return frame;
    }

    /** @returns true if there is no frame */
    bool IsEmpty() const
    {
        return m_frames == 0;
    }

    /** @returns frameBytes of all frames */
    uint64_t GetBytes() const
    {
        return m_bytes;
    }

    /** @returns number of frames */
    uint32_t GetFrames() const
    {
        return m_frames;
    }

    /** @param visit called with each frame, input by input */
    template <typename F>
    void ForEach(F visit) const
    {
        uint16_t sub = m_turn;
        for (uint32_t seen = 0; seen < m_frames; sub = m_subs[sub].next)
        {
            for (const FabricFrame* frame = m_subs[sub].fifo.Front(); frame; frame = frame->next)
            {
                visit(*frame);
                ++seen;
            }
        }
    }

    /** @param hash takes the frames in the order in which they would leave, input by input */
    void HashState(StateHash& hash) const
    {
        hash.Add(m_frames);
        uint16_t sub = m_turn;
        for (uint32_t seen = 0; seen < m_frames; sub = m_subs[sub].next)
        {
            hash.Add(sub);
            for (const FabricFrame* frame = m_subs[sub].fifo.Front(); frame; frame = frame->next)
            {
                HashFrame(hash, *frame);
                ++seen;
            }
        }
    }

  private:
    /** Frames of one input port and the neighbors in the circle of inputs that have any. */
    struct Sub
    {
        FrameFifo fifo;       //!< the frames
        uint16_t next{0};     //!< who is served after this one
        uint16_t previous{0}; //!< who is served before
    };

    std::vector<Sub> m_subs; //!< by input port; grown when an input is first seen
    bool m_voq{false};       //!< one queue per input port
    uint16_t m_turn{0};      //!< input to be served next; valid if there is a frame
    uint32_t m_frames{0};    //!< number of frames
    uint64_t m_bytes{0};     //!< their bytes
};

} // namespace ns3

#endif // EGRESS_QUEUE_H
