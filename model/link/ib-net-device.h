/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IB_NET_DEVICE_H
#define IB_NET_DEVICE_H

#include "fabric-net-device.h"
#include "ib-address-table.h"
#include "ib-port-qos.h"

#include <memory>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * An InfiniBand port. RDMA packets travel as LRH..VCRC; packets of the ns-3 stack as IPoIB in
 * datagram mode (RFC 4391), with a MAC-48 address towards the stack from which GUID and GID are
 * made.
 *
 * @attention Neighbor discovery of IPv6 carries the MAC-48 address in its options, not the 20-byte
 * address of RFC 4391; ARP is translated to the standard's form on the wire.
 *
 * One group carries broadcast and all multicast. The receiver finds the group address that was
 * meant in the IP header; packets of other protocols to a group come in as broadcast.
 */
class IbNetDevice : public FabricNetDevice
{
  public:
    static constexpr uint32_t IPOIB_QP = 0x10;         //!< queue pair of IPoIB on every port
    static constexpr uint32_t IPOIB_QKEY = 0x00000b1b; //!< Q_Key of the broadcast group
    static constexpr uint32_t MULTICAST_QP = 0xffffff; //!< destination queue pair of multicast
    static constexpr uint32_t IPOIB_HEADER_BYTES = 4;  //!< encapsulation header

    /** @returns the TypeId */
    static TypeId GetTypeId();
    IbNetDevice();

    /** @param table resolves addresses; shared by all ports of a subnet */
    void SetAddressTable(const Ptr<IbAddressTable>& table);
    /** @returns this port's LID; 0 before the subnet manager has assigned one */
    uint16_t GetLid() const;
    /** @param lid this port's LID */
    void SetLid(uint16_t lid);
    /** @returns LID mask control: this port answers to 2^lmc LIDs */
    uint8_t GetLmc() const;
    /** @param lmc LID mask control, 0..7; the LID is a multiple of 2^lmc */
    void SetLmc(uint8_t lmc);
    /** @returns largest payload of a packet in bytes */
    uint32_t GetIbMtu() const;

    /**
     * VL arbitration of the outgoing direction; without it, lanes are served in turn.
     * @param arbitration the tables; checked now if the link is up, and otherwise when it goes up
     * @throws std::invalid_argument if a table is wrong
     */
    void SetVlArbitration(const IbVlArbitration& arbitration);
    /**
     * SL to VL tables of the outgoing direction; without them, SL modulo the number of data lanes.
     * Packets of a level that is mapped to 15, to a lane not in operation, or to one without weight
     * in VL arbitration, are dropped and counted; a host refuses queue pairs of such a level. To be
     * set before queue pairs are made.
     * @param slToVl the tables; may be shared with other ports
     */
    void SetSlToVl(const std::shared_ptr<const IbSlToVl>& slToVl);
    /** @returns SL to VL tables; null if there are none */
    const std::shared_ptr<const IbSlToVl>& GetSlToVl() const;
    /**
     * Set all at once.
     * @param qos see there
     * @param slToVl tables to share instead of a copy of the one in qos; may be null
     * @throws std::invalid_argument as SetVlArbitration()
     */
    void SetQos(const IbPortQos& qos, const std::shared_ptr<const IbSlToVl>& slToVl = nullptr);
    /** @returns data lanes in operation in the outgoing direction; all of the far end's unless
     * SetQos() has said how many */
    uint8_t GetOperationalVls() const;

    uint64_t GetFabricAddress() const override;
    bool IsOwnAddress(uint64_t address) const override;
    uint64_t GetPathAddress(uint64_t address, uint8_t pathBits) const override;
    uint8_t GetPathServiceLevel(uint64_t address, uint8_t wanted) const override;
    void SizeFrame(FabricFrame& frame) const override;
    void ClassifyFrame(FabricFrame& frame) const override;
    Ptr<Packet> MaterializeFrame(const FabricFrame& frame) const override;
    uint32_t GetMaxRdmaPayload() const override;
    uint32_t GetLargestFrameBytes() const override;
    void NotifyLinkUp() override;
    void SetAddress(Address address) override;
    bool SupportsSendFrom() const override;

  protected:
    void DoDispose() override;
    bool AddressPacket(FabricFrame& frame,
                       const Mac48Address& source,
                       const Mac48Address& dest) const override;
    void GetMacAddresses(const FabricFrame& frame,
                         Mac48Address& source,
                         Mac48Address& dest) const override;
    uint16_t GetMaxMtu() const override;

  private:
    void SetIbMtu(uint32_t mtu);
    void ApplyQos();

    uint32_t m_ibMtu{0};          //!< 256, 512, 1024, 2048 or 4096
    uint32_t m_delimiterBytes;    //!< per packet, on the wire only
    uint8_t m_ipoibSl;            //!< service level of the ns-3 stack's packets
    uint8_t m_dataLanes{1};       //!< of the far end
    uint8_t m_maxVls{0};          //!< most data lanes in operation; 0: all of the far end's
    uint8_t m_operationalVls{15}; //!< data lanes in operation, once the link is up
    uint32_t m_openLanes{0x7fff}; //!< bit i: lane i is in operation, and VL arbitration serves it
    std::unique_ptr<IbVlArbitration> m_arbitration; //!< null: lanes are served in turn
    std::shared_ptr<const IbSlToVl> m_slToVl;       //!< null: SL modulo m_dataLanes
    uint16_t m_lid{0};                              //!< local identifier
    uint8_t m_lmc{0};                               //!< low bits of a LID that do not matter
    Ptr<IbAddressTable> m_addresses;                //!< MAC-48 to LID and back
};

} // namespace ns3

#endif // IB_NET_DEVICE_H
