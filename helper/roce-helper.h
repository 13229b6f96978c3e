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

  protected:
    PcapHelper::DataLinkType GetPcapLinkType() const override;
    RecordMaker GetRecordMaker() const override;
};

} // namespace ns3

#endif // ROCE_HELPER_H
