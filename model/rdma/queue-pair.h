/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef QUEUE_PAIR_H
#define QUEUE_PAIR_H

#include "ns3/fabric-frame.h"
#include "ns3/object.h"
#include "ns3/state-hash.h"

#include <boost/intrusive/list.hpp>
#include <cstdint>

namespace ns3
{

class FabricNic;

/** Link of a queue pair in a list of the NIC; not linked: nothing to send of that kind. */
using QueuePairHook =
    boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

/**
 * @ingroup ai-fabric
 * What a NIC knows of a queue pair of any service: it has a number, takes frames, and makes data
 * frames when the wire is ready for them.
 */
class QueuePair : public Object
{
  public:
    /** @returns the TypeId */
    static TypeId GetTypeId();
    QueuePair();
    ~QueuePair() override;

    /** @param cookie any number that the owner wants to find again in its callbacks */
    void SetCookie(uint64_t cookie);

    /** @returns the owner's number */
    uint64_t GetCookie() const
    {
        return m_cookie;
    }

    /** @returns queue pair number */
    uint32_t GetQpn() const
    {
        return m_qpn;
    }

    /** @returns the NIC; null if there is none */
    FabricNic* GetNic() const
    {
        return m_nic;
    }

    /**
     * Add the relative state (see StateHash).
     * @param hash takes the state
     * @param now the current tick
     * @returns false if it can't be fast-forwarded
     */
    virtual bool HashState(StateHash& hash, FabricTick now) const = 0;

    /** @param by ticks by which everything pending moves */
    virtual void Shift(FabricTick by) = 0;

  protected:
    friend class FabricNic;

    void DoDispose() override;

    /**
     * Become one of a NIC's; std::invalid_argument if it already is.
     * @param nic the NIC
     * @param qpn its number there
     */
    virtual void SetNic(FabricNic* nic, uint32_t qpn);
    /** The far end of the link is another one: classes and sizes may have changed. */
    virtual void Classify() = 0;
    /**
     * @param frame a frame with this queue pair's number
     * @returns true if it comes from where this queue pair takes frames from
     */
    virtual bool Accepts(const FabricFrame& frame) const = 0;
    /** @param frame a frame that it accepts */
    virtual void Receive(const FabricFrame& frame) = 0;
    /** @returns frameBytes of the frame that MakeData() would return */
    virtual uint32_t PeekDataBytes() = 0;
    /** @returns the next data frame; the queue pair has been taken out of the NIC's list, and puts
     * itself at its end if it has more to send */
    virtual FabricFrame* MakeData() = 0;

    FabricNic* m_nic{nullptr}; //!< owner
    uint32_t m_qpn{0};         //!< number in the NIC
    QueuePairHook m_dataHook;  //!< linked: a data frame may leave

  private:
    uint64_t m_cookie{0}; //!< the owner's number
};

} // namespace ns3

#endif // QUEUE_PAIR_H
