/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-helper.h"

#include "device-models.h"

#include "ns3/boolean.h"
#include "ns3/fabric-deadlock-detector.h"
#include "ns3/fabric-routing.h"
#include "ns3/ib-switch.h"
#include "ns3/log.h"
#include "ns3/pause-flow-control.h"
#include "ns3/pcap-file-wrapper.h"
#include "ns3/roce-switch.h"
#include "ns3/simulator.h"

#include <functional>
#include <map>
#include <stdexcept>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FabricHelper");

namespace
{

/** How a helper makes capture records, shared by the sinks of one file. */
class CaptureFile : public SimpleRefCount<CaptureFile>
{
  public:
    using MakeRecord = std::function<Ptr<Packet>(Ptr<const Packet>, Time, bool)>;

    CaptureFile(const Ptr<PcapFileWrapper>& file, MakeRecord makeRecord, FabricNetDevice* device)
        : m_file(file),
          m_makeRecord(std::move(makeRecord)),
          m_device(device)
    {
    }

    ~CaptureFile()
    {
        Flush();
    }

    void Write(Ptr<const Packet> bytes, Time at, bool control)
    {
        m_waiting.emplace(at, m_makeRecord(bytes, at, control));
        WriteBefore(Simulator::Now() - GetLag());
    }

    void Flush()
    {
        WriteBefore(Time::Max());
    }

  private:
    void WriteBefore(Time end)
    {
        while (!m_waiting.empty() && m_waiting.begin()->first < end)
        {
            m_file->Write(m_waiting.begin()->first, m_waiting.begin()->second);
            m_waiting.erase(m_waiting.begin());
        }
    }

    // Link control messages are shown to their sender when they act on the far end.
    Time GetLag() const
    {
        const FabricPort& port = m_device->GetPort();
        if (!port.GetPeer())
        {
            return Time();
        }
        FabricTick lag = port.GetPropagation();
        for (const FabricPort* end : {&port, &std::as_const(*port.GetPeer()).GetPort()})
        {
            const auto pause = dynamic_cast<const PauseFlowControl*>(end->GetFlowControl());
            lag += end->GetTxTicks(PauseFlowControl::PFC_WIRE_BYTES) +
                   (pause ? pause->GetReactionTicks() : 0);
        }
        return TimeStep(lag);
    }

    Ptr<PcapFileWrapper> m_file;                //!< where to
    MakeRecord m_makeRecord;                    //!< what
    FabricNetDevice* m_device;                  //!< owns this, by its trace sources
    std::multimap<Time, Ptr<Packet>> m_waiting; //!< records that an older one may follow
};

void
CaptureFrame(Ptr<CaptureFile> file, Ptr<const Packet> bytes)
{
    file->Write(bytes, Simulator::Now(), false);
}

void
CaptureControl(Ptr<CaptureFile> file, Ptr<const Packet> bytes, Time at)
{
    file->Write(bytes, at, true);
}

} // namespace

FabricHelper::FabricHelper(const std::string& deviceType,
                           const std::string& switchType,
                           const std::string& flowControlType)
{
    m_deviceFactory.SetTypeId(deviceType);
    m_channelFactory.SetTypeId("ns3::FabricChannel");
    m_switchFactory.SetTypeId(switchType);
    m_flowControlFactory.SetTypeId(flowControlType);
    m_deadlockDetectorFactory.SetTypeId(FabricDeadlockDetector::GetTypeId());
}

void
FabricHelper::SetDeviceAttribute(const std::string& name, const AttributeValue& value)
{
    m_deviceFactory.Set(name, value);
}

void
FabricHelper::SetHostAttribute(const std::string& name, const AttributeValue& value)
{
    m_hostAttributes.emplace_back(name, value.Copy());
}

void
FabricHelper::SetChannelAttribute(const std::string& name, const AttributeValue& value)
{
    m_channelFactory.Set(name, value);
}

void
FabricHelper::SetSwitchAttribute(const std::string& name, const AttributeValue& value)
{
    m_switchFactory.Set(name, value);
}

void
FabricHelper::SetSwitchModel(const std::string& name)
{
    const SwitchModel& model = FindSwitchModel(name);
    SetSwitchAttribute("Latency", TimeValue(NanoSeconds(model.latencyNs)));
    SetSwitchAttribute("CutThrough", BooleanValue(model.cutThrough));
}

void
FabricHelper::SetNicModel(const std::string& name)
{
    const NicModel& model = FindNicModel(name);
    SetHostAttribute("ReceiveLatency", TimeValue(NanoSeconds(model.transmitNs + model.receiveNs)));
}

void
FabricHelper::SetFlowControl(const std::string& typeId)
{
    m_flowControlFactory = ObjectFactory();
    m_flowControlFactory.SetTypeId(typeId);
}

void
FabricHelper::SetFlowControlAttribute(const std::string& name, const AttributeValue& value)
{
    m_flowControlFactory.Set(name, value);
}

void
FabricHelper::SetHostFlowControlAttribute(const std::string& name, const AttributeValue& value)
{
    m_hostFlowControlAttributes.emplace_back(name, value.Copy());
}

void
FabricHelper::SetUpDevice(const Ptr<FabricNetDevice>& /* device */)
{
}

void
FabricHelper::SetUpCable(const Ptr<FabricNetDevice>& /* a */,
                         const Ptr<FabricNetDevice>& /* b */,
                         const Ptr<FabricChannel>& /* channel */)
{
}

const ObjectFactory&
FabricHelper::GetFlowControlFactory() const
{
    return m_flowControlFactory;
}

void
FabricHelper::SetDeadlockDetectorAttribute(const std::string& name, const AttributeValue& value)
{
    m_deadlockDetectorFactory.Set(name, value);
}

Ptr<FabricSwitch>
FabricHelper::GetSwitch(const Ptr<Node>& node)
{
    for (uint32_t i = 0; i < node->GetNDevices(); ++i)
    {
        if (const auto found = DynamicCast<FabricSwitch>(node->GetDevice(i)))
        {
            return found;
        }
    }
    return nullptr;
}

Ptr<FabricNetDevice>
FabricHelper::CreateDevice(const Ptr<Node>& node)
{
    const auto device = m_deviceFactory.Create<FabricNetDevice>();
    ObjectFactory flowControl = m_flowControlFactory;
    const Ptr<FabricSwitch> owner = GetSwitch(node);
    if (!owner)
    {
        for (const auto& attribute : m_hostFlowControlAttributes)
        {
            flowControl.Set(attribute.first, *attribute.second);
        }
        for (const auto& attribute : m_hostAttributes)
        {
            device->SetAttribute(attribute.first, *attribute.second);
        }
    }
    device->SetFlowControl(flowControl);
    node->AddDevice(device);
    SetUpDevice(device);
    if (owner)
    {
        owner->AddPort(device);
    }
    return device;
}

NetDeviceContainer
FabricHelper::Install(const Ptr<Node>& a, const Ptr<Node>& b)
{
    const Ptr<FabricNetDevice> deviceA = CreateDevice(a);
    const Ptr<FabricNetDevice> deviceB = CreateDevice(b);
    const auto channel = m_channelFactory.Create<FabricChannel>();
    SetUpCable(deviceA, deviceB, channel);
    deviceA->Attach(channel);
    deviceB->Attach(channel);
    NetDeviceContainer devices;
    devices.Add(deviceA);
    devices.Add(deviceB);
    return devices;
}

NetDeviceContainer
FabricHelper::Install(const NodeContainer& nodes, const Ptr<Node>& center)
{
    NetDeviceContainer devices;
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        devices.Add(Install(nodes.Get(i), center).Get(0));
    }
    return devices;
}

Ptr<FabricSwitch>
FabricHelper::InstallSwitch(const Ptr<Node>& node)
{
    const auto device = m_switchFactory.Create<FabricSwitch>();
    node->AddDevice(device);
    return device;
}

void
FabricHelper::InstallRoutes(const std::vector<Ptr<FabricSwitch>>& switches)
{
    FabricRouting::InstallShortestPaths(switches);
}

void
FabricHelper::Configure(const NodeContainer& switches)
{
    if (switches.GetN() == 0)
    {
        return;
    }
    std::vector<Ptr<FabricSwitch>> all;
    for (uint32_t i = 0; i < switches.GetN(); ++i)
    {
        const Ptr<FabricSwitch> found = GetSwitch(switches.Get(i));
        if (!found)
        {
            throw std::invalid_argument("FabricHelper: node " +
                                        std::to_string(switches.Get(i)->GetId()) +
                                        " has no switch; expected InstallSwitch before Configure");
        }
        all.push_back(found);
    }
    InstallRoutes(all);
    for (const auto& device : all)
    {
        device->Configure();
    }
    m_deadlockDetectorFactory.Create<FabricDeadlockDetector>()->Watch(all);
}

int64_t
FabricHelper::AssignStreams(const NodeContainer& nodes, int64_t stream)
{
    int64_t used = 0;
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        if (const auto roce = DynamicCast<RoceSwitch>(GetSwitch(nodes.Get(i))))
        {
            used += roce->AssignStreams(stream + used);
        }
        const auto ib = DynamicCast<IbSwitch>(GetSwitch(nodes.Get(i)));
        if (ib && ib->GetCongestionMarker())
        {
            used += ib->GetCongestionMarker()->AssignStreams(stream + used);
        }
        for (uint32_t j = 0; j < nodes.Get(i)->GetNDevices(); ++j)
        {
            if (const auto device = DynamicCast<FabricNetDevice>(nodes.Get(i)->GetDevice(j)))
            {
                used += device->AssignStreams(stream + used);
            }
        }
    }
    return used;
}

void
FabricHelper::EnablePcapInternal(std::string prefix,
                                 Ptr<NetDevice> nd,
                                 bool /* promiscuous */,
                                 bool explicitFilename)
{
    const auto device = DynamicCast<FabricNetDevice>(nd);
    if (!device)
    {
        NS_LOG_INFO("device " << nd << " is not of this fabric");
        return;
    }
    PcapHelper pcap;
    const std::string name = explicitFilename ? prefix : pcap.GetFilenameFromDevice(prefix, device);
    const Ptr<PcapFileWrapper> file = pcap.CreateFile(name, std::ios::out, GetPcapLinkType());
    const auto capture = Create<CaptureFile>(file, GetRecordMaker(), PeekPointer(device));
    Simulator::ScheduleDestroy(&CaptureFile::Flush, capture);
    device->TraceConnectWithoutContext("PromiscSniffer", MakeBoundCallback(&CaptureFrame, capture));
    device->TraceConnectWithoutContext("LinkControl", MakeBoundCallback(&CaptureControl, capture));
}

} // namespace ns3
