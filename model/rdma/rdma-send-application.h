/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SEND_APPLICATION_H
#define RDMA_SEND_APPLICATION_H

#include "message-transport.h"

#include "ns3/application.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Sends one message when it starts: the piece of which incasts and other synthetic patterns are
 * made.
 */
class RdmaSendApplication : public Application
{
  public:
    /** @returns the TypeId */
    static TypeId GetTypeId();

    /**
     * @param transport carries the message
     * @param from sending rank: this node
     * @param to receiving rank
     */
    void SetPath(const Ptr<MessageTransport>& transport, uint32_t from, uint32_t to);

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;

    Ptr<MessageTransport> m_transport; //!< carries the message
    uint32_t m_from{0};                //!< sending rank
    uint32_t m_to{0};                  //!< receiving rank
    uint64_t m_bytes;                  //!< length of the message
};

} // namespace ns3

#endif // RDMA_SEND_APPLICATION_H
