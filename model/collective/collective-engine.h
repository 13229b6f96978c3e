/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_ENGINE_H
#define COLLECTIVE_ENGINE_H

#include "collective-algorithm-factory.h"
#include "collective-record.h"
#include "collective-run.h"

#include "ns3/callback.h"
#include "ns3/in-network-reduction.h"
#include "ns3/message-transport.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/shiftable-timer.h"
#include "ns3/state-hash.h"
#include "ns3/traced-callback.h"
#include "ns3/type-id.h"

#include <boost/circular_buffer.hpp>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Runs the collectives of one communicator over a MessageTransport.
 *
 * A collective is created once for all ranks and then entered by each rank, at its own time. A send
 * starts when the rank has entered and the chunk that it forwards has arrived and been reduced;
 * nothing is synchronized globally, and sends of one rank may overlap. Several collectives may be
 * under way at once.
 *
 * A rank is done when all its receives are done; its last send has started by then, but need not be
 * acknowledged. An empty chunk is sent like any other, as a message of 0 bytes, since it carries
 * the dependency.
 */
class CollectiveEngine : public Object
{
  public:
    /** A rank is done. Arguments: id of the collective, rank. */
    using RankDoneCallback = Callback<void, uint64_t, uint32_t>;
    /** All ranks are done. Argument: id of the collective. */
    using DoneCallback = Callback<void, uint64_t>;
    /** A collective will never be done. Arguments: its id, why. */
    using ErrorCallback = Callback<void, uint64_t, std::string>;

    /**
     * TracedCallback signature of a finished collective.
     * @param [in] record all that is known of it
     */
    typedef void (*CollectiveDoneTracedCallback)(const CollectiveRecord& record);

    /** @returns the TypeId */
    static TypeId GetTypeId();

    CollectiveEngine();
    ~CollectiveEngine() override;

    CollectiveEngine(const CollectiveEngine&) = delete;
    CollectiveEngine& operator=(const CollectiveEngine&) = delete;

    /**
     * Take over the callbacks of a transport. Its ranks are the ranks of this communicator.
     * @param transport used by this engine only
     * @throws std::logic_error if there are unfinished collectives
     */
    void SetTransport(Ptr<MessageTransport> transport);

    /**
     * Take over the callbacks of a network that adds up, which algorithms such as
     * InNetworkAlgorithmFactory need. Its ranks are those of the transport.
     * @param reduction used by this engine only; null for none
     * @throws std::logic_error if there are unfinished collectives, or no transport
     * @throws std::invalid_argument if it has not as many ranks as the transport
     */
    void SetReduction(Ptr<InNetworkReduction> reduction);

    /**
     * Let collectives that are created from now on place the ranks otherwise than 0, 1, 2, ...
     * @param order the rank at each position
     * @throws std::invalid_argument if it is not a permutation of the transport's ranks
     * @throws std::logic_error without a transport
     */
    void SetRankOrder(const std::vector<uint32_t>& order);

    /**
     * Prepare a collective. Nothing is sent before a rank enters.
     * @param op what to compute
     * @param bytes length of the vector: the buffer of AllReduce, the input of ReduceScatter, the
     * output of AllGather
     * @param name for reports
     * @returns id, the same for all ranks; the number of collectives created before
     * @throws std::logic_error without a transport, or without the in-network reduction that the
     * algorithm needs
     * @throws std::invalid_argument if the algorithm can't do it
     */
    uint64_t Create(CollectiveOp op, uint64_t bytes, const std::string& name);

    /**
     * The stream of a rank has reached the collective. The rank may be done before this returns, if
     * all its data has come or there is one rank only.
     * @param id of the collective
     * @param rank who enters, once
     * @throws std::invalid_argument if there is no such collective or rank, or the rank has entered
     * before
     */
    void Enter(uint64_t id, uint32_t rank);

    /** @param callback called when a rank is done */
    void SetRankDoneCallback(RankDoneCallback callback);
    /** @param callback called when all ranks are done, after the rank callbacks */
    void SetDoneCallback(DoneCallback callback);
    /** @param callback called once for each failed collective; without one, a failure throws
     * std::runtime_error */
    void SetErrorCallback(ErrorCallback callback);

    /**
     * @returns one record per collective, in order of creation, index is id; valid until the next
     * Create()
     */
    const std::vector<CollectiveRecord>& GetRecords() const;

    /** @returns number of collectives that are neither done nor failed */
    uint32_t GetPendingCount() const;

    /** @returns one line per unfinished collective: which ranks have not entered, which wait for a
     * chunk from whom */
    std::string DescribePending() const;

    /**
     * @param hash takes the state relative to now
     * @param now the current tick
     * @returns true: the state is complete
     */
    bool HashState(StateHash& hash, FabricTick now) const;

    /**
     * Move pending work and the start of unfinished collectives in time.
     * @param by ticks
     */
    void Shift(FabricTick by);

  protected:
    void DoDispose() override;

  private:
    /** A rank whose receives become usable, after the step latency. */
    struct Usable
    {
        FabricTick when; //!< tick
        uint32_t slot;   //!< of the collective
        uint32_t rank;   //!< whose receives
        uint32_t steps;  //!< number of first steps that have arrived
    };

    static constexpr uint32_t NO_SLOT =
        std::numeric_limits<uint32_t>::max(); //!< of one that is done
    static constexpr uint32_t STEP_BITS = 24; //!< of a tag; the slot is above

    /**
     * @param algorithm TypeId of a CollectiveAlgorithmFactory
     * @throws std::invalid_argument if it is not one
     */
    void SetAlgorithm(TypeId algorithm);
    /** @returns TypeId of the factory in use */
    TypeId GetAlgorithm() const;

    /** Give back the transport's callbacks. */
    void ReleaseTransport();
    /** Give back the callbacks of the network that adds up. */
    void ReleaseReduction();
    /** @returns the lowest free slot */
    uint32_t TakeSlot();

    /**
     * A message has arrived.
     * @param from sender
     * @param to receiver
     * @param tag slot and step
     */
    void Delivered(uint32_t from, uint32_t to, uint64_t tag);
    /**
     * A connection is broken: whatever needs it fails.
     * @param from sender
     * @param to receiver
     * @param what happened
     */
    void ConnectionFailed(uint32_t from, uint32_t to, std::string what);

    /**
     * The network has given a result.
     * @param rank whose
     * @param tag slot and step
     */
    void Reduced(uint32_t rank, uint64_t tag);
    /** @param what has happened to the network that adds up */
    void ReductionFailed(std::string what);

    /**
     * Receives have arrived at a rank that has entered.
     * @param slot of the collective
     * @param rank whose
     */
    void Arrived(uint32_t slot, uint32_t rank);
    /** The step latency of the first receives is over. */
    void UsableDue();
    /**
     * Send all that may be sent, and see whether the rank is done.
     * @param slot of the collective
     * @param rank whose turn
     */
    void Progress(uint32_t slot, uint32_t rank);
    /** @param slot of a collective of which all ranks are done */
    void Finish(uint32_t slot);
    /**
     * @param slot of a collective
     * @param from sender of the broken connection
     * @param to its receiver
     */
    void Fail(uint32_t slot, uint32_t from, uint32_t to);

    Ptr<MessageTransport> m_transport;           //!< the network
    Ptr<InNetworkReduction> m_reduction;         //!< the network where it adds up; may be null
    std::shared_ptr<const RankOrder> m_order;    //!< of collectives to come
    Ptr<CollectiveAlgorithmFactory> m_algorithm; //!< of collectives to come
    Time m_stepLatency;                          //!< from arrival of a chunk to its use

    std::vector<CollectiveRecord> m_records; //!< by id
    std::vector<uint32_t> m_slotOf;          //!< by id
    std::vector<std::unique_ptr<CollectiveRun>>
        m_runs;                     //!< by slot; kept when free, to be used again
    std::set<uint32_t> m_freeSlots; //!< to be used again, lowest first
    uint32_t m_pending{0};          //!< neither done nor failed
    /** What happened to each connection that has failed, by sender and receiver. */
    std::map<std::pair<uint32_t, uint32_t>, std::string> m_broken;
    boost::circular_buffer<Usable> m_usable;    //!< in order of time
    Ptr<MemberTimer<CollectiveEngine>> m_timer; //!< due at the first of these

    RankDoneCallback m_rankDone;                         //!< told of ranks
    DoneCallback m_done;                                 //!< told of collectives
    ErrorCallback m_error;                               //!< told of failures
    TracedCallback<const CollectiveRecord&> m_doneTrace; //!< fires when all ranks are done
};

} // namespace ns3

#endif // COLLECTIVE_ENGINE_H
