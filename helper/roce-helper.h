/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_HELPER_H
#define ROCE_HELPER_H

#include "fabric-helper.h"

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Installs lossless Ethernet: devices, cables, switches, MAC tables.
 *
 * Captures are Ethernet files (link type 1) without FCS, as a NIC delivers them.
 */
class RoceHelper : public FabricHelper
{
  public:
    RoceHelper();
    std::string GetName() const override;
    void Configure(const NodeContainer& switches) override;

    /**
     * Hosts that are installed afterwards get a NIC whose queue pairs slow down. If they need
     * marks, switches that are installed afterwards mark frames. Off by default; PFC is independent
     * of it.
     * @param name of a set of parameters, see RateControlPresets and DcqcnRateControl::Preset(), or
     * "none"; std::invalid_argument naming those that are known
     */
    void SetCongestionControl(const std::string& name);
    /** @param factory makes a RateControl for each queue pair; otherwise the same */
    void SetCongestionControl(const ObjectFactory& factory);

    /**
     * @param name of a published switch buffer, see RoceSwitch::Preset(), for switches that are
     * installed afterwards; std::invalid_argument naming those that are known
     */
    void SetSwitchBuffer(const std::string& name);

    /**
     * @param weighted weight equally long paths by what they can carry (weighted ECMP); false, the
     * default: all have the same weight
     */
    void SetWeightedRoutes(bool weighted);

  protected:
    void InstallRoutes(const std::vector<Ptr<FabricSwitch>>& switches) override;
    void SetUpDevice(const Ptr<FabricNetDevice>& device) override;
    PcapHelper::DataLinkType GetPcapLinkType() const override;
    RecordMaker GetRecordMaker() const override;

  private:
    bool m_weightedRoutes{false};       //!< see SetWeightedRoutes()
    bool m_hasRateControl{false};       //!< hosts get NICs with congestion control
    ObjectFactory m_rateControlFactory; //!< of their queue pairs
};

} // namespace ns3

#endif // ROCE_HELPER_H
