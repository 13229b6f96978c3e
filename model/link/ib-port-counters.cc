/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ib-port-counters.h"

#include "credit-flow-control.h"
#include "ib-net-device.h"

#include <algorithm>
#include <ostream>

namespace ns3
{

namespace
{

constexpr uint32_t VCRC_BYTES = 2;
constexpr uint32_t WORD_BYTES = 4;

/** @returns 4-octet words of packets without their VCRC */
uint64_t
Words(uint64_t bytes, uint64_t packets)
{
    return (bytes - VCRC_BYTES * packets) / WORD_BYTES;
}

} // namespace

IbPortCounters
IbPortCounters::Read(const IbNetDevice& device)
{
    IbPortCounters counters;
    for (uint8_t lane = 0; lane < FabricPort::CLASSES; ++lane)
    {
        const FabricClassCounters one = device.GetClassCounters(lane);
        counters.portVlXmitData[lane] = Words(one.txBytes, one.txFrames);
        counters.portVlRcvData[lane] = Words(one.rxBytes, one.rxFrames);
        counters.portVlXmitPkts[lane] = one.txFrames;
        counters.portVlRcvPkts[lane] = one.rxFrames;
        counters.portVlXmitWait[lane] = static_cast<uint64_t>(one.waitTicks);
        counters.portXmitData += counters.portVlXmitData[lane];
        counters.portRcvData += counters.portVlRcvData[lane];
        counters.portXmitPkts += one.txFrames;
        counters.portRcvPkts += one.rxFrames;
    }
    counters.portXmitWait = static_cast<uint64_t>(device.GetPort().GetWaitTicks());
    counters.portRcvErrors = device.GetReceiveErrors();
    counters.portXmitDiscards = device.GetLifetimeDiscards();
    counters.portVlMappingErrors = device.GetVlMappingErrors();
    counters.vl15Dropped = device.GetClassCounters(CreditFlowControl::MANAGEMENT_LANE).drops;
    return counters;
}

void
IbPortCounters::Visit(const std::function<void(const std::string&, uint64_t)>& visit) const
{
    visit("PortRcvErrors", portRcvErrors);
    visit("PortXmitDiscards", portXmitDiscards);
    visit("VL15Dropped", vl15Dropped);
    visit("PortXmitData", portXmitData);
    visit("PortRcvData", portRcvData);
    visit("PortXmitPkts", portXmitPkts);
    visit("PortRcvPkts", portRcvPkts);
    visit("PortXmitWait", portXmitWait);
}

void
IbPortCounters::Print(std::ostream& os, uint16_t lid, uint16_t port) const
{
    os << "# Port counters: Lid " << lid << " port " << port << '\n';
    Visit([&os](const std::string& name, uint64_t value) {
        constexpr std::size_t COLUMN = 33;
        const std::string label = name + ':';
        os << label << std::string(COLUMN - std::min(COLUMN, label.size()), '.') << value << '\n';
    });
}

} // namespace ns3
