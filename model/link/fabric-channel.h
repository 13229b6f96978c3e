/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_CHANNEL_H
#define FABRIC_CHANNEL_H

#include "ns3/channel.h"
#include "ns3/nstime.h"

#include <array>
#include <cstddef>

namespace ns3
{

class FabricNetDevice;

/**
 * @ingroup ai-fabric
 * A cable between two fabric devices: full duplex, with a propagation delay. The two directions
 * themselves are the FabricPorts of the devices.
 */
class FabricChannel : public Channel
{
  public:
    /** @returns the TypeId */
    static TypeId GetTypeId();
    FabricChannel();

    /**
     * Called by FabricNetDevice::Attach. The second device makes the link go up.
     * @param device a device
     * @returns false if both ends are taken
     */
    bool Attach(const Ptr<FabricNetDevice>& device);

    std::size_t GetNDevices() const override;
    Ptr<NetDevice> GetDevice(std::size_t i) const override;

    /** @returns one-way propagation delay */
    Time GetDelay() const;

    /**
     * Pull the cable out, or put it back: a link flap. What is in flight is lost, and so is what is
     * queued in switches; hosts keep what they have to send. Nothing happens before both ends are
     * attached.
     * @param up true: the link is up
     */
    void SetLinkUp(bool up);

  protected:
    void DoDispose() override;

  private:
    Time m_delay;                                  //!< one way
    std::array<Ptr<FabricNetDevice>, 2> m_devices; //!< the two ends
    std::size_t m_count{0};                        //!< ends taken
};

} // namespace ns3

#endif // FABRIC_CHANNEL_H
