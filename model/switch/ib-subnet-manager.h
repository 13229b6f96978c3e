/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IB_SUBNET_MANAGER_H
#define IB_SUBNET_MANAGER_H

#include "ib-switch.h"
#include "routing-engine.h"
#include "subnet-graph.h"
#include "subnet-path.h"

#include "ns3/ib-address-table.h"
#include "ns3/ib-net-device.h"
#include "ns3/object.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * The subnet manager (IBA vol 1, 14): discovers switches, hosts and cables, assigns LIDs, has the
 * routing engine fill the forwarding tables, checks them for cycles, and programs switches, hosts
 * and the address table with the result.
 *
 * It works before the simulation starts, at once and without packets. Of a switch, port n of the
 * subnet is port n - 1 of the device, unless an IbNodeInfo says otherwise; port 0 is the switch.
 */
class IbSubnetManager : public Object
{
  public:
    /** What is done about tables that can deadlock. */
    enum CheckDeadlock
    {
        OFF,  //!< not looked for
        WARN, //!< logged, and told by GetDeadlock()
        ERROR //!< std::invalid_argument
    };

    /** @returns the TypeId */
    static TypeId GetTypeId();
    IbSubnetManager();

    /**
     * Do all there is to do.
     * @param switches all switches of the subnet, in the order in which they become nodes
     * @param addresses of the subnet; filled anew
     * @throws std::invalid_argument with one line if the subnet can not be routed, if the engine
     * needs more data lanes than there are, or if the tables can deadlock and that is an error
     */
    void Sweep(const std::vector<Ptr<FabricSwitch>>& switches,
               const Ptr<IbAddressTable>& addresses);

    /** @returns what was discovered, with LIDs */
    const SubnetGraph& GetGraph() const;
    /** @returns what the engine decided */
    const SubnetRoutes& GetRoutes() const;
    /** @returns the engine; may be null before Sweep() */
    Ptr<RoutingEngine> GetRoutingEngine() const;
    /** @returns what can wait for itself, as the check names it; empty if there is nothing, or no
     * check */
    const std::string& GetDeadlock() const;
    /**
     * @param device of a host, or a port of a switch
     * @returns its place in the graph
     * @throws std::invalid_argument if it was not discovered
     */
    SubnetEnd Find(const Ptr<const FabricNetDevice>& device) const;
    /**
     * @param from device of a host
     * @param to device of another host
     * @returns the way of packets by the tables; adaptive routing may take others
     */
    SubnetPath Trace(const Ptr<const FabricNetDevice>& from,
                     const Ptr<const FabricNetDevice>& to) const;
    /** @param stream takes the forwarding tables, see SubnetLftDump */
    void DumpLfts(std::ostream& stream) const;

  protected:
    void DoDispose() override;

  private:
    void Discover(const std::vector<Ptr<FabricSwitch>>& switches);
    uint32_t AddSwitch(const Ptr<FabricSwitch>& device);
    uint32_t AddHost(const Ptr<IbNetDevice>& device);
    void Route();
    void ProgramHosts(const Ptr<IbAddressTable>& addresses);
    void ProgramSwitches(const std::vector<Ptr<FabricSwitch>>& switches) const;
    void CheckLanes() const;

    Ptr<RoutingEngine> m_engine;                          //!< fills tables
    std::string m_engineName;                             //!< makes the engine if there is none
    uint8_t m_lmc;                                        //!< of hosts
    CheckDeadlock m_check;                                //!< of tables
    SubnetGraph m_graph;                                  //!< what there is
    SubnetRoutes m_routes;                                //!< what the engine decided
    std::string m_deadlock;                               //!< the cycle
    std::vector<std::vector<Ptr<IbNetDevice>>> m_devices; //!< [node][port]
    std::unordered_map<const FabricNetDevice*, SubnetEnd> m_ends; //!< of all devices
};

} // namespace ns3

#endif // IB_SUBNET_MANAGER_H
