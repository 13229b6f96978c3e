/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_HELPER_H
#define FABRIC_HELPER_H

#include "ns3/fabric-channel.h"
#include "ns3/fabric-net-device.h"
#include "ns3/fabric-switch.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"
#include "ns3/trace-helper.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * What IbHelper and RoceHelper have in common: install devices, cables and switches of one kind.
 *
 * Attributes set here hold for what is installed afterwards.
 */
class FabricHelper : public PcapHelperForDevice
{
  public:
    ~FabricHelper() override = default;

    /** @returns "ib" or "roce", as reports name the fabric */
    virtual std::string GetName() const = 0;

    /**
     * @param name attribute of the devices of hosts and of switch ports
     * @param value its value
     */
    void SetDeviceAttribute(const std::string& name, const AttributeValue& value);
    /**
     * @param name attribute of the devices of hosts only
     * @param value its value
     */
    void SetHostAttribute(const std::string& name, const AttributeValue& value);
    /**
     * @param name attribute of the channels, such as Delay
     * @param value its value
     */
    void SetChannelAttribute(const std::string& name, const AttributeValue& value);
    /**
     * @param name attribute of the switches
     * @param value its value
     */
    void SetSwitchAttribute(const std::string& name, const AttributeValue& value);
    /**
     * Set latency and forwarding of the switches by name; see ListSwitchModels(). The rate of the
     * links stays as it is.
     * @param name such as "quantum-2"; std::invalid_argument, which names the known ones, if it is
     * unknown
     */
    void SetSwitchModel(const std::string& name);
    /**
     * Set the latency of the hosts by name; see ListNicModels(). A message takes as long as with a
     * latency at both ends, but all of it is charged as ReceiveLatency.
     * @param name such as "connectx-7"; std::invalid_argument, which names the known ones, if it
     * is unknown
     */
    void SetNicModel(const std::string& name);
    /** @param typeId flow control of all links: ns3::CreditFlowControl, ns3::PauseFlowControl or
     * ns3::NoFlowControl */
    void SetFlowControl(const std::string& typeId);
    /**
     * @param name attribute of the flow control objects
     * @param value its value
     */
    void SetFlowControlAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @param name attribute of the flow control objects of what hosts receive, such as XoffBytes
     * @param value its value
     */
    void SetHostFlowControlAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Connect two nodes by a cable. A node with a switch gets a new port of it; any other node a
     * host device.
     * @param a a node
     * @param b another node
     * @returns the two devices, in that order
     */
    NetDeviceContainer Install(const Ptr<Node>& a, const Ptr<Node>& b);

    /**
     * Connect each node of a container to one node.
     * @param nodes the nodes
     * @param center usually a node with a switch
     * @returns the devices of the nodes, in their order
     */
    NetDeviceContainer Install(const NodeContainer& nodes, const Ptr<Node>& center);

    /**
     * Make a node a switch.
     * @param node the node
     * @returns the switch
     */
    Ptr<FabricSwitch> InstallSwitch(const Ptr<Node>& node);

    /**
     * @param name attribute of the FabricDeadlockDetector that Configure() makes
     * @param value its value
     */
    void SetDeadlockDetectorAttribute(const std::string& name, const AttributeValue& value);

    /**
     * When all cables are there: assign addresses, fill forwarding tables, check the configuration,
     * watch for deadlocks.
     * @param switches nodes with a switch, all of one fabric
     */
    virtual void Configure(const NodeContainer& switches);

    /**
     * @param node a node
     * @returns its switch; null if it has none
     */
    static Ptr<FabricSwitch> GetSwitch(const Ptr<Node>& node);

    /**
     * Fix the random streams of switches and devices.
     * @param nodes nodes of the fabric
     * @param stream first stream number to use
     * @returns number of streams used
     */
    int64_t AssignStreams(const NodeContainer& nodes, int64_t stream);

  protected:
    /**
     * @param deviceType TypeId of the devices
     * @param switchType TypeId of the switches
     * @param flowControlType TypeId of the flow control
     */
    FabricHelper(const std::string& deviceType,
                 const std::string& switchType,
                 const std::string& flowControlType);

    /** @param device new on a host or as a port of a switch */
    virtual void SetUpDevice(const Ptr<FabricNetDevice>& device);

    /**
     * Two devices are about to be connected.
     * @param a a device
     * @param b the other one
     * @param channel the cable
     */
    virtual void SetUpCable(const Ptr<FabricNetDevice>& a,
                            const Ptr<FabricNetDevice>& b,
                            const Ptr<FabricChannel>& channel);

    /**
     * Assign addresses and fill forwarding tables; by default, all shortest paths.
     * @param switches all switches of the fabric, cabled
     */
    virtual void InstallRoutes(const std::vector<Ptr<FabricSwitch>>& switches);

    /** @returns what makes the flow control of links */
    const ObjectFactory& GetFlowControlFactory() const;

    /** @returns link type of capture files */
    virtual PcapHelper::DataLinkType GetPcapLinkType() const = 0;

    /** Makes a capture record of: a frame or link control message as the device shows it; when;
     * true for control. */
    using RecordMaker = std::function<Ptr<Packet>(Ptr<const Packet>, Time, bool)>;
    /** @returns what makes records; used after the helper is gone */
    virtual RecordMaker GetRecordMaker() const = 0;

  private:
    void EnablePcapInternal(std::string prefix,
                            Ptr<NetDevice> nd,
                            bool promiscuous,
                            bool explicitFilename) override;

    Ptr<FabricNetDevice> CreateDevice(const Ptr<Node>& node);

    ObjectFactory m_deviceFactory;                                             //!< devices
    ObjectFactory m_channelFactory;                                            //!< cables
    ObjectFactory m_switchFactory;                                             //!< switches
    ObjectFactory m_deadlockDetectorFactory;                                   //!< watches
    ObjectFactory m_flowControlFactory;                                        //!< flow control
    std::vector<std::pair<std::string, Ptr<AttributeValue>>> m_hostAttributes; //!< of host devices
    std::vector<std::pair<std::string, Ptr<AttributeValue>>>
        m_hostFlowControlAttributes; //!< of what hosts receive
};

} // namespace ns3

#endif // FABRIC_HELPER_H
