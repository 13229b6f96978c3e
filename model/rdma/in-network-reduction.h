/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IN_NETWORK_REDUCTION_H
#define IN_NETWORK_REDUCTION_H

#include "ns3/callback.h"
#include "ns3/object.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * A network that adds up the vectors of all ranks of one communicator and gives each rank the sum.
 *
 * This is all that a collective engine knows of it. MessageTransport carries what ranks send each
 * other.
 */
class InNetworkReduction : public Object
{
  public:
    /** The sum has come in, in full. Arguments: rank, tag. */
    using ResultCallback = Callback<void, uint32_t, uint64_t>;
    /** No result will come any more. Argument: what happened. */
    using ErrorCallback = Callback<void, std::string>;

    /** @returns the TypeId */
    static TypeId GetTypeId();

    /** @returns number of ranks */
    virtual uint32_t GetSize() const = 0;

    /**
     * A rank gives its vector. The result comes when all ranks have given theirs.
     *
     * A reduction begins with the first rank that calls with a tag which no unfinished reduction
     * has that the rank has not yet given to. Vectors of one rank go out in the order in which
     * their reductions began, so that ranks may call in different orders.
     * @param rank who gives
     * @param bytes length of the vector, may be 0; the same at all ranks
     * @param tag tells reductions apart; may be used again when the rank has got its result
     */
    virtual void Contribute(uint32_t rank, uint64_t bytes, uint64_t tag) = 0;

    /** @param callback called for each rank that has got a result */
    void SetResultCallback(ResultCallback callback);
    /** @param callback called once, when the reduction has failed for good */
    void SetErrorCallback(ErrorCallback callback);

  protected:
    void DoDispose() override;

    ResultCallback m_result; //!< told of results
    ErrorCallback m_error;   //!< told of a failure
};

} // namespace ns3

#endif // IN_NETWORK_REDUCTION_H
