/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_NET_DEVICE_H
#define ROCE_NET_DEVICE_H

#include "fabric-net-device.h"

#include <array>
#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * A port of lossless Ethernet. RDMA packets travel as RoCEv2 (UDP 4791), packets of the ns-3 stack
 * as Ethernet II frames; a priority is taken from the DSCP (DSCP / 8, or by DscpMap) and may be
 * paused by the receiver.
 */
class RoceNetDevice : public FabricNetDevice
{
  public:
    static constexpr uint32_t WIRE_OVERHEAD_BYTES = 20; //!< preamble, SFD and inter-packet gap
    static constexpr uint32_t MIN_FRAME_BYTES = 64;     //!< MAC header through FCS
    static constexpr uint16_t MAX_MTU = 9216;           //!< largest payload of a frame
    static constexpr uint8_t PRIORITIES = 8;            //!< of 802.1Q

    /** @returns the TypeId */
    static TypeId GetTypeId();
    RoceNetDevice();

    uint64_t GetFabricAddress() const override;
    void SizeFrame(FabricFrame& frame) const override;
    void ClassifyFrame(FabricFrame& frame) const override;
    Ptr<Packet> MaterializeFrame(const FabricFrame& frame) const override;
    uint32_t GetMaxRdmaPayload() const override;
    uint32_t GetLargestFrameBytes() const override;
    void SetAddress(Address address) override;
    void NotifyLinkUp() override;

  protected:
    bool AddressPacket(FabricFrame& frame,
                       const Mac48Address& source,
                       const Mac48Address& dest) const override;
    void GetMacAddresses(const FabricFrame& frame,
                         Mac48Address& source,
                         Mac48Address& dest) const override;
    bool RecognizeRdma(FabricFrame& frame) const override;
    Ptr<Packet> GetRdmaAsPacket(const FabricFrame& frame, uint16_t& protocol) const override;
    uint16_t GetMaxMtu() const override;

  private:
    void SetMtuAttribute(uint16_t mtu);
    uint16_t GetMtuAttribute() const;

    void ApplyDscpMap();

    uint16_t m_vlanId;                    //!< 0: untagged
    std::string m_ets;                    //!< see EtsArbiter; empty: priorities are served in turn
    std::string m_dscpMap;                //!< exceptions from DSCP >> 3, such as 48:6
    std::array<uint8_t, 64> m_priorities; //!< by DSCP
    uint64_t m_fabricAddress;             //!< m_address as an integer
};

} // namespace ns3

#endif // ROCE_NET_DEVICE_H
