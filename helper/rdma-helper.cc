/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-helper.h"

#include "fabric-helper.h"

#include "ns3/fabric-net-device.h"
#include "ns3/rdma-send-application.h"
#include "ns3/uinteger.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace ns3
{

Ptr<FabricNic>
RdmaHelper::GetNic(const Ptr<Node>& node)
{
    if (FabricHelper::GetSwitch(node))
    {
        throw std::invalid_argument("RdmaHelper: node " + std::to_string(node->GetId()) +
                                    " is a switch, expected a host");
    }
    for (uint32_t i = 0; i < node->GetNDevices(); ++i)
    {
        const auto device = DynamicCast<FabricNetDevice>(node->GetDevice(i));
        if (!device)
        {
            continue;
        }
        if (const Ptr<FabricNic> nic = device->GetObject<FabricNic>())
        {
            return nic;
        }
        const auto nic = CreateObject<FabricNic>();
        nic->SetDevice(device);
        return nic;
    }
    throw std::invalid_argument("RdmaHelper: node " + std::to_string(node->GetId()) +
                                " has no fabric device, expected one of IbHelper or RoceHelper");
}

Ptr<RdmaTransport>
RdmaHelper::CreateTransport(const NodeContainer& nodes)
{
    std::vector<Ptr<FabricNic>> nics;
    for (uint32_t rank = 0; rank < nodes.GetN(); ++rank)
    {
        nics.push_back(GetNic(nodes.Get(rank)));
    }
    const auto transport = CreateObject<RdmaTransport>();
    transport->SetNics(nics);
    return transport;
}

ApplicationContainer
RdmaHelper::InstallIncast(const NodeContainer& senders, const Ptr<Node>& receiver, uint64_t bytes)
{
    NodeContainer nodes(receiver);
    for (uint32_t i = 0; i < senders.GetN(); ++i)
    {
        if (senders.Get(i) != receiver)
        {
            nodes.Add(senders.Get(i));
        }
    }
    const Ptr<RdmaTransport> transport = CreateTransport(nodes);
    ApplicationContainer apps;
    for (uint32_t rank = 1; rank < nodes.GetN(); ++rank)
    {
        const auto app = CreateObject<RdmaSendApplication>();
        app->SetAttribute("Bytes", UintegerValue(bytes));
        app->SetPath(transport, rank, 0);
        nodes.Get(rank)->AddApplication(app);
        apps.Add(app);
    }
    return apps;
}

} // namespace ns3
