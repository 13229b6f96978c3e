/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IB_NODE_INFO_H
#define IB_NODE_INFO_H

#include "subnet-graph.h"

#include "ns3/object.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * What NodeInfo, NodeDescription and PortInfo of a real device say to a subnet manager (IBA vol 1,
 * 14.2.5): aggregate it to an IbSwitch, to a port of one, or to an IbNetDevice of a host, so that
 * a fabric built from a file keeps its names and numbers. Devices without it get a GUID made from
 * their MAC address, and ports count from 1.
 */
class IbNodeInfo : public Object
{
  public:
    /** @returns the TypeId */
    static TypeId GetTypeId();

    SubnetNodeKind kind{SubnetNodeKind::CHANNEL_ADAPTER}; //!< what the node is
    uint64_t nodeGuid{0};                                 //!< of the node; 0: made from the MAC
    uint64_t portGuid{0};                                 //!< of the port; 0: that of the node
    uint8_t portNumber{0};                                //!< of the port; 0: counted
    uint32_t ports{0};                                    //!< of the node; 0: as many as there are
    std::string description;                              //!< of the node
    uint16_t lid{0};                                      //!< wanted; 0: any
};

} // namespace ns3

#endif // IB_NODE_INFO_H
