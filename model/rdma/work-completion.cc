/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "work-completion.h"

namespace ns3
{

std::string
ToString(WcStatus status)
{
    switch (status)
    {
    case WcStatus::SUCCESS:
        return "IBV_WC_SUCCESS";
    case WcStatus::WR_FLUSH_ERR:
        return "IBV_WC_WR_FLUSH_ERR";
    case WcStatus::REM_INV_REQ_ERR:
        return "IBV_WC_REM_INV_REQ_ERR";
    case WcStatus::REM_ACCESS_ERR:
        return "IBV_WC_REM_ACCESS_ERR";
    case WcStatus::REM_OP_ERR:
        return "IBV_WC_REM_OP_ERR";
    case WcStatus::RETRY_EXC_ERR:
        return "IBV_WC_RETRY_EXC_ERR";
    case WcStatus::RNR_RETRY_EXC_ERR:
        return "IBV_WC_RNR_RETRY_EXC_ERR";
    case WcStatus::GENERAL_ERR:
        return "IBV_WC_GENERAL_ERR";
    }
    return "unknown";
}

std::string
ToString(WcOpcode opcode)
{
    switch (opcode)
    {
    case WcOpcode::SEND:
        return "IBV_WC_SEND";
    case WcOpcode::RDMA_WRITE:
        return "IBV_WC_RDMA_WRITE";
    case WcOpcode::RDMA_READ:
        return "IBV_WC_RDMA_READ";
    case WcOpcode::RECV:
        return "IBV_WC_RECV";
    case WcOpcode::RECV_RDMA_WITH_IMM:
        return "IBV_WC_RECV_RDMA_WITH_IMM";
    }
    return "unknown";
}

} // namespace ns3
