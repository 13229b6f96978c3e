/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-counters-helper.h"

#include "ns3/ib-net-device.h"
#include "ns3/ib-port-counters.h"

#include <fstream>
#include <functional>
#include <iomanip>
#include <limits>
#include <ostream>
#include <stdexcept>

namespace ns3
{

namespace
{

/** Call a function for each device of some nodes that is of a type. */
template <typename Device>
void
ForEach(const NodeContainer& nodes, const std::function<void(const Device&)>& visit)
{
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        for (uint32_t k = 0; k < nodes.Get(i)->GetNDevices(); ++k)
        {
            if (const auto device = DynamicCast<Device>(nodes.Get(i)->GetDevice(k)))
            {
                visit(*device);
            }
        }
    }
}

std::ofstream
Open(const std::string& path)
{
    std::ofstream file(path);
    if (!file)
    {
        throw std::runtime_error("FabricCountersHelper: can't write " + path +
                                 ", expected a file in an existing folder");
    }
    file << std::setprecision(std::numeric_limits<double>::max_digits10);
    return file;
}

void
Close(std::ofstream& file, const std::string& path)
{
    file.close();
    if (!file)
    {
        throw std::runtime_error("FabricCountersHelper: can't write all of " + path +
                                 ", expected enough room");
    }
}

/** The columns that say which device a line is about. */
void
WritePlace(std::ostream& os, const FabricNetDevice& device)
{
    os << device.GetNode()->GetId() << ',' << device.GetIfIndex() << ',';
    if (device.GetFrameSink())
    {
        os << device.GetSinkIndex();
    }
}

bool
IsSilent(const FabricClassCounters& counters)
{
    return !(counters.txFrames || counters.rxFrames || counters.drops || counters.pausesIn ||
             counters.pausesOut || counters.waitTicks || counters.maxQueueBytes);
}

} // namespace

void
FabricCountersHelper::WriteClassCounters(const std::string& path, const NodeContainer& nodes)
{
    std::ofstream file = Open(path);
    file << "node,device,port,class,txFrames,txBytes,rxFrames,rxBytes,drops,marks,pausesOut,"
            "pausesIn,pausedSeconds,waitSeconds,maxQueueBytes\n";
    ForEach<FabricNetDevice>(nodes, [&file](const FabricNetDevice& device) {
        for (uint8_t cls = 0; cls < FabricPort::CLASSES; ++cls)
        {
            const FabricClassCounters counters = device.GetClassCounters(cls);
            if (IsSilent(counters))
            {
                continue;
            }
            WritePlace(file, device);
            file << ',' << +cls << ',' << counters.txFrames << ',' << counters.txBytes << ','
                 << counters.rxFrames << ',' << counters.rxBytes << ',' << counters.drops << ','
                 << counters.marks << ',' << counters.pausesOut << ',' << counters.pausesIn << ','
                 << FabricSeconds(counters.pausedTicks) << ',' << FabricSeconds(counters.waitTicks)
                 << ',' << counters.maxQueueBytes << '\n';
        }
    });
    Close(file, path);
}

void
FabricCountersHelper::WriteIbPortCounters(const std::string& path, const NodeContainer& nodes)
{
    std::ofstream file = Open(path);
    file << "node,device,port,lid";
    IbPortCounters().Visit(
        [&file](const std::string& name, uint64_t /* value */) { file << ',' << name; });
    file << '\n';
    ForEach<IbNetDevice>(nodes, [&file](const IbNetDevice& device) {
        WritePlace(file, device);
        file << ',' << device.GetLid();
        IbPortCounters::Read(device).Visit(
            [&file](const std::string& /* name */, uint64_t value) { file << ',' << value; });
        file << '\n';
    });
    Close(file, path);
}

void
FabricCountersHelper::PrintIbPortCounters(std::ostream& os, const NodeContainer& nodes)
{
    ForEach<IbNetDevice>(nodes, [&os](const IbNetDevice& device) {
        // Ports of an adapter count from 1, those of a switch too: port 0 is its management port.
        const auto port = static_cast<uint16_t>(device.GetSinkIndex() + 1);
        IbPortCounters::Read(device).Print(os, device.GetLid(), port);
    });
}

} // namespace ns3
