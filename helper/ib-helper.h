/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IB_HELPER_H
#define IB_HELPER_H

#include "fabric-helper.h"
#include "ib-congestion-parameters.h"
#include "ib-link-buffer.h"

#include "ns3/ib-address-table.h"
#include "ns3/ib-subnet-manager.h"
#include "ns3/object-factory.h"
#include "ns3/open-sm-qos-reader.h"

#include <memory>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Installs InfiniBand: devices, cables, switches, LIDs. One helper is one subnet.
 *
 * Captures are ERF files (link type 197), which show flow-control packets as well.
 */
class IbHelper : public FabricHelper
{
  public:
    IbHelper();
    std::string GetName() const override;

    /** @returns LIDs of all ports */
    Ptr<IbAddressTable> GetAddressTable() const;

    /**
     * Of links installed from now on: set the devices' DataRate, and the FcMaxInterval of flow
     * control by credits.
     * @param name such as 4xNDR, see IbLinkSpeed::Parse()
     * @throws std::invalid_argument with one line if there is no such speed
     */
    void SetLinkSpeed(const std::string& name);

    /**
     * Of links installed from now on: choose the BufferBytes of each direction so that one lane
     * reaches full rate with full packets in both directions at once. Where that takes more than
     * 2048 blocks, BlockBytes is doubled until it does not.
     * @param automatic false: BufferBytes is as set
     */
    void SetAutoBuffer(bool automatic);

    /**
     * @param sender an InfiniBand device whose link is up
     * @returns what the lanes at the far end need for full rate, and what they have
     * @throws std::invalid_argument if the link is down or has no credits
     */
    static IbLinkBuffer GetLinkBuffer(const Ptr<FabricNetDevice>& sender);

    /**
     * Congestion control of switches and NICs that are installed afterwards; off by default.
     * @param parameters see there; IbCongestionParameters::Get() knows sets by name
     */
    void SetCongestionControl(const IbCongestionParameters& parameters);
    /** @param name of a set of parameters, such as "gran2010" */
    void SetCongestionControl(const std::string& name);

    /**
     * Quality of service of ports that are installed afterwards: hosts as CAs, switch ports as
     * external ports of switches. Sets DataLanes of flow control to the most lanes that either
     * kind has in operation; all ports of a kind share one SL to VL table.
     * @param qos see there
     */
    void SetQos(const OpenSmQos& qos);
    /** @param qos of hosts and switch ports */
    void SetQos(const IbPortQos& qos);
    /**
     * SetQos() with the options of an OpenSM configuration file, whether or not it says "qos TRUE".
     * @param file path of the file
     * @throws std::runtime_error if it can not be read, std::invalid_argument (file:line) if it is
     * wrong
     */
    void ReadQos(const std::string& file);

    /**
     * Have a subnet manager fill the forwarding tables by a routing engine at Configure(). Without
     * this, they have all shortest paths, and a switch takes one by destination LID: what minhop
     * does, but without counting LIDs for each port.
     * @param name as OpenSM's option routing_engine has it, or "shortest": the default as an
     * engine
     * @throws std::invalid_argument, which names the known ones, if it is unknown
     */
    void SetRoutingEngine(const std::string& name);
    /** @param engine of its own; see above */
    void SetRoutingEngine(const Ptr<RoutingEngine>& engine);
    /**
     * Have a subnet manager, with the engine "shortest" if there is no other.
     * @param name attribute of IbSubnetManager
     * @param value its value
     */
    void SetSubnetManagerAttribute(const std::string& name, const AttributeValue& value);
    /** @returns the subnet manager of the last Configure(); null if tables are filled without */
    Ptr<IbSubnetManager> GetSubnetManager() const;

  protected:
    void InstallRoutes(const std::vector<Ptr<FabricSwitch>>& switches) override;
    void SetUpDevice(const Ptr<FabricNetDevice>& device) override;
    void SetUpCable(const Ptr<FabricNetDevice>& a,
                    const Ptr<FabricNetDevice>& b,
                    const Ptr<FabricChannel>& channel) override;
    PcapHelper::DataLinkType GetPcapLinkType() const override;
    RecordMaker GetRecordMaker() const override;

  private:
    Ptr<IbAddressTable> m_addresses;                //!< shared by all ports
    uint16_t m_nextLid{1};                          //!< assigned in the order of installation
    bool m_autoBuffer{false};                       //!< choose BufferBytes
    IbCongestionParameters m_congestion;            //!< of switches and NICs
    std::unique_ptr<OpenSmQos> m_qos;               //!< of ports; null: none
    std::shared_ptr<const IbSlToVl> m_hostSlToVl;   //!< shared by hosts
    std::shared_ptr<const IbSlToVl> m_switchSlToVl; //!< shared by switch ports
    bool m_managed{false};                          //!< have a subnet manager
    ObjectFactory m_subnetManagerFactory;           //!< makes it
    Ptr<IbSubnetManager> m_subnetManager;           //!< the last one
};

} // namespace ns3

#endif // IB_HELPER_H
