/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WORK_COMPLETION_H
#define WORK_COMPLETION_H

#include "ns3/fabric-tick.h"

#include <cstdint>
#include <string>

namespace ns3
{

/** How a work request ended: the values of ibv_wc_status that can happen here. */
enum class WcStatus : uint8_t
{
    SUCCESS = 0,            //!< done
    WR_FLUSH_ERR = 5,       //!< the queue pair failed before its turn
    REM_INV_REQ_ERR = 9,    //!< the responder found the request invalid
    REM_ACCESS_ERR = 10,    //!< the responder does not allow the access
    REM_OP_ERR = 11,        //!< the responder could not complete the request
    RETRY_EXC_ERR = 12,     //!< no answer, or sequence errors, after all retries
    RNR_RETRY_EXC_ERR = 13, //!< the receiver was not ready after all retries
    GENERAL_ERR = 21,       //!< an answer that makes no sense
};

/** What a work request was for: the values of ibv_wc_opcode that can happen here. */
enum class WcOpcode : uint8_t
{
    SEND = 0,                 //!< a SEND has been acknowledged, or a datagram sent
    RDMA_WRITE = 1,           //!< an RDMA WRITE has been acknowledged
    RDMA_READ = 2,            //!< the data of an RDMA READ is here
    RECV = 128,               //!< a SEND or a datagram has come in
    RECV_RDMA_WITH_IMM = 129, //!< an RDMA WRITE with immediate data has come in
};

/**
 * @ingroup ai-fabric
 * @param status a status
 * @returns its name in libibverbs, such as IBV_WC_RETRY_EXC_ERR
 */
std::string ToString(WcStatus status);

/**
 * @ingroup ai-fabric
 * @param opcode an opcode
 * @returns its name in libibverbs, such as IBV_WC_RDMA_READ
 */
std::string ToString(WcOpcode opcode);

/**
 * @ingroup ai-fabric
 * What a completion queue says of a work request.
 */
struct WorkCompletion
{
    WcStatus status{WcStatus::SUCCESS}; //!< how it ended
    WcOpcode opcode{WcOpcode::SEND};    //!< what it was
    bool hasImmediate{false};           //!< immediate data came with it
    uint32_t immediate{0};              //!< immediate data
    uint32_t srcQp{0};                  //!< queue pair that sent it (datagrams received)
    uint64_t source{0};                 //!< link address that sent it (datagrams received)
    uint32_t sourceIp{0};               //!< IPv4 address that sent it (datagrams received on RoCE)
    uint64_t id{0};                     //!< counts the messages of this direction from 0
    uint64_t bytes{0};                  //!< length of the message
    uint64_t tag{0};                    //!< of the sender; 0 at the receiver of a SEND or datagram
    FabricTick posted{0};               //!< when the message was posted; only at its sender
    FabricTick completed{0};            //!< when it ended
};

} // namespace ns3

#endif // WORK_COMPLETION_H
