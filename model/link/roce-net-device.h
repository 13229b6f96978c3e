/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_NET_DEVICE_H
#define ROCE_NET_DEVICE_H

#include "fabric-net-device.h"
#include "pfc-watchdog.h"

#include <array>
#include <cstdint>
#include <memory>
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

    /**
     * Be a faulty device that pauses priorities of what comes in, for ever (a pause storm).
     * @param priorities bit i: priority i; 0 ends the storm. std::runtime_error if the link has no
     * PauseFlowControl
     */
    void SetPauseStorm(uint8_t priorities);

    /** @returns finds and breaks storms of pauses that this device receives; null if it is off */
    const PfcWatchdog* GetPfcWatchdog() const;
    /**
     * Called by the watchdog.
     * @param priority the priority
     * @param begin true: a storm is detected; false: it is over
     */
    void NotifyPfcStorm(uint8_t priority, bool begin);
    /**
     * Called by the watchdog: drop what is queued and comes for a priority, and what comes in with
     * it, or no longer.
     * @param priority the priority
     * @param discarding true: drop
     */
    void SetDiscarding(uint8_t priority, bool discarding);

    /**
     * TracedCallback signature of PfcStorm.
     * @param priority the priority
     * @param begin true: a storm is detected; false: it is over
     */
    typedef void (*PfcStormTracedCallback)(uint8_t priority, bool begin);

  protected:
    void DoDispose() override;
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
    void StartWatchdog();

    uint16_t m_vlanId;     //!< 0: untagged
    std::string m_ets;     //!< see EtsArbiter; empty: priorities are served in turn
    std::string m_shaping; //!< see ClassShaper; empty: none
    PfcWatchdog::Action m_watchdogAction{PfcWatchdog::OFF}; //!< what to do in a storm
    Time m_watchdogDetection;                               //!< for which a queue must stand still
    Time m_watchdogRestoration;               //!< without a pause, until the storm is over
    Time m_watchdogPoll;                      //!< from one look to the next; 0: detection / 10
    std::unique_ptr<PfcWatchdog> m_watchdog;  //!< null: off
    TracedCallback<uint8_t, bool> m_pfcStorm; //!< see PfcStormTracedCallback
    std::string m_dscpMap;                    //!< exceptions from DSCP >> 3, such as 48:6
    std::array<uint8_t, 64> m_priorities;     //!< by DSCP
    uint64_t m_fabricAddress;                 //!< m_address as an integer
};

} // namespace ns3

#endif // ROCE_NET_DEVICE_H
