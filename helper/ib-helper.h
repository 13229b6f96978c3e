/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IB_HELPER_H
#define IB_HELPER_H

#include "fabric-helper.h"
#include "ib-congestion-parameters.h"

#include "ns3/ib-address-table.h"

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
     * Congestion control of switches and NICs that are installed afterwards; off by default.
     * @param parameters see there; IbCongestionParameters::Get() knows sets by name
     */
    void SetCongestionControl(const IbCongestionParameters& parameters);
    /** @param name of a set of parameters, such as "gran2010" */
    void SetCongestionControl(const std::string& name);

  protected:
    void SetUpDevice(const Ptr<FabricNetDevice>& device) override;
    PcapHelper::DataLinkType GetPcapLinkType() const override;
    RecordMaker GetRecordMaker() const override;

  private:
    Ptr<IbAddressTable> m_addresses;     //!< shared by all ports
    uint16_t m_nextLid{1};               //!< assigned in the order of installation
    IbCongestionParameters m_congestion; //!< of switches and NICs
};

} // namespace ns3

#endif // IB_HELPER_H
