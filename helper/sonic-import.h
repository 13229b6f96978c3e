/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SONIC_IMPORT_H
#define SONIC_IMPORT_H

#include "roce-helper.h"

#include "ns3/roce-switch.h"
#include "ns3/sonic-port-plan.h"

#include <set>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * A RoCE switch that is configured by the files of a SONiC switch.
 *
 * A cable to port "Ethernet0" gets the speed, MTU and length that the files give, and both of its
 * ends the DSCP map, the scheduler and the priorities with PFC: a host must agree with its switch
 * on these. Shapers and PFC watchdogs are for the switch's end; hosts have none, unless
 * RoceHelper::SetHostAttribute() gives them some after InstallSwitch(). The switch gets the buffer
 * and the ECN curves of its queues. What this model has not is not passed over in silence:
 * GetNotApplied() says it. The RoceHelper keeps the attributes of the latest cable.
 */
class SonicImport
{
  public:
    /**
     * @param config of the switch; must outlive this
     * @param fabric installs; what it is told before stays where the files say nothing
     */
    SonicImport(const SonicConfig& config, RoceHelper& fabric);

    /**
     * @param node that becomes the switch, one per SonicImport
     * @returns its switch
     */
    Ptr<RoceSwitch> InstallSwitch(const Ptr<Node>& node);

    /**
     * A cable to a port of the switch.
     * @param node a host, or another switch
     * @param port name of a port in the files
     * @returns the device of the node and that of the switch
     * @throws std::invalid_argument if there is no such port, or it has a cable
     */
    NetDeviceContainer Install(const Ptr<Node>& node, const std::string& port);

    /**
     * Set up the buffer of the switch; after the last cable and before RoceHelper::Configure().
     * @throws std::invalid_argument if the buffer can not be what the files say
     */
    void SetUpBuffer();

    /** @returns what the ports with cables get, in the order of the cables */
    const SonicPlan& GetPlan() const;
    /** @returns what the files say and the model does not do, one line each */
    std::vector<std::string> GetNotApplied() const;

    /**
     * @param name of a file that comes with the module: buffers.json, qos.json, config_db.json or
     * pg_profile_lookup.ini
     * @returns its path
     */
    static std::string FindShipped(const std::string& name);

  private:
    void SetUpCable(const SonicPortPlan& port);
    void SetUpQueues(const SonicPortPlan& port);
    void SetUpEcn();

    const SonicConfig& m_config;        //!< of the switch
    RoceHelper& m_fabric;               //!< installs
    Ptr<Node> m_node;                   //!< of the switch
    Ptr<RoceSwitch> m_switch;           //!< configured
    SonicPlan m_plan;                   //!< of the ports with cables
    std::vector<uint16_t> m_numbers;    //!< their numbers in the switch
    std::set<std::string> m_notApplied; //!< each once
};

} // namespace ns3

#endif // SONIC_IMPORT_H
