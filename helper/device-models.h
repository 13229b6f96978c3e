/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DEVICE_MODELS_H
#define DEVICE_MODELS_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/** How far a latency of a preset can be trusted. */
enum class LatencyEvidence
{
    PUBLISHED, //!< a figure for the device, in a source that can be read
    VENDOR,    //!< a figure of the vendor, not measured by others
    UNCERTAIN, //!< sources contradict each other, or give a wide range: about its middle
    FITTED,    //!< chosen such that a published end-to-end figure comes out
};

/**
 * @ingroup ai-fabric
 * A switch by its port-to-port latency.
 */
struct SwitchModel
{
    std::string name;         //!< as SetSwitchModel() takes it
    std::string fabric;       //!< "ib" or "roce"
    std::string rate;         //!< of its ports, as DataRate reads it; for those who want to know
    uint32_t latencyNs;       //!< port to port
    bool cutThrough;          //!< forwards at the head of a frame
    LatencyEvidence evidence; //!< how sure the figure is
    std::string source;       //!< where it comes from
};

/**
 * @ingroup ai-fabric
 * A NIC by the latency that it adds at both ends of a message.
 */
struct NicModel
{
    std::string name;         //!< as SetNicModel() takes it
    uint32_t transmitNs;      //!< from posting until the first bit leaves
    uint32_t receiveNs;       //!< from the last bit until software sees it
    LatencyEvidence evidence; //!< how sure the figures are
    std::string source;       //!< where they come from
};

/** @returns all switches with a preset */
const std::vector<SwitchModel>& ListSwitchModels();
/** @returns all NICs with a preset */
const std::vector<NicModel>& ListNicModels();

/**
 * @param name a name of the list
 * @returns its entry; std::invalid_argument, which names the known ones, if there is none
 */
const SwitchModel& FindSwitchModel(const std::string& name);
/**
 * @param name a name of the list
 * @returns its entry; std::invalid_argument, which names the known ones, if there is none
 */
const NicModel& FindNicModel(const std::string& name);

/**
 * @param evidence how sure a figure is
 * @returns the same in a word
 */
std::string ToString(LatencyEvidence evidence);

} // namespace ns3

#endif // DEVICE_MODELS_H
