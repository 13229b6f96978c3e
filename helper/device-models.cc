/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "device-models.h"

#include <stdexcept>

namespace ns3
{

namespace
{

/** @returns the entry with a name; std::invalid_argument if there is none */
template <typename Model>
const Model&
Find(const std::vector<Model>& models, const std::string& name, const std::string& what)
{
    std::string known;
    for (const Model& model : models)
    {
        if (model.name == name)
        {
            return model;
        }
        known += (known.empty() ? "" : ", ") + model.name;
    }
    throw std::invalid_argument("unknown " + what + " \"" + name + "\", expected one of " + known);
}

} // namespace

const std::vector<SwitchModel>&
ListSwitchModels()
{
    using Evidence = LatencyEvidence;
    static const std::vector<SwitchModel> models = {
        {"infiniscale-4",
         "ib",
         "32Gbps",
         100,
         true,
         Evidence::PUBLISHED,
         "delays of the ib_flit_sim model: 50 ns input, 50 ns arbiter"},
        {"switch-ib-2", "ib", "100Gbps", 90, true, Evidence::VENDOR, "data sheet"},
        {"quantum", "ib", "200Gbps", 130, true, Evidence::VENDOR, "data sheet of QM8700"},
        {"quantum-2",
         "ib",
         "400Gbps",
         250,
         true,
         Evidence::UNCERTAIN,
         "QM9700: below 150 ns by one reseller, 330 ns by another, nothing by the vendor"},
        {"spectrum", "roce", "100Gbps", 300, false, Evidence::VENDOR, "data sheet"},
        {"spectrum-2", "roce", "200Gbps", 300, false, Evidence::VENDOR, "data sheet"},
        {"spectrum-3", "roce", "400Gbps", 460, false, Evidence::UNCERTAIN, "425 to 500 ns"},
        {"spectrum-4", "roce", "800Gbps", 550, false, Evidence::UNCERTAIN, "500 to 600 ns"},
        {"tomahawk",
         "roce",
         "400Gbps",
         725,
         false,
         Evidence::UNCERTAIN,
         "boxes with Tomahawk 3 to 5: 600 to 850 ns"},
        {"cx864e",
         "roce",
         "800Gbps",
         560,
         false,
         Evidence::PUBLISHED,
         "vendor's page of a box of 51.2 Tb/s"},
        {"trident-2",
         "roce",
         "40Gbps",
         600,
         true,
         Evidence::PUBLISHED,
         "vendor's note on a box: 550 to 650 ns cut-through"},
        {"deep-buffer",
         "roce",
         "400Gbps",
         3500,
         false,
         Evidence::UNCERTAIN,
         "chassis with virtual output queues: 2 to 5 us and more"},
    };
    return models;
}

const std::vector<NicModel>&
ListNicModels()
{
    using Evidence = LatencyEvidence;
    static const std::vector<NicModel> models = {
        {"generic", 300, 300, Evidence::UNCERTAIN, "common assumption of models"},
        {"edr",
         355,
         355,
         Evidence::FITTED,
         "0.83 us for a SEND of 32 bytes over EDR, with one Switch-IB 2 and cables of 2 m"},
        {"connectx-6",
         375,
         375,
         Evidence::VENDOR,
         "middle of the claims of 0.6 to 0.9 us back to back, inlined WRITE"},
        {"connectx-7",
         375,
         375,
         Evidence::VENDOR,
         "middle of the claims of 0.6 to 0.9 us back to back, inlined WRITE"},
    };
    return models;
}

const SwitchModel&
FindSwitchModel(const std::string& name)
{
    return Find(ListSwitchModels(), name, "switch model");
}

const NicModel&
FindNicModel(const std::string& name)
{
    return Find(ListNicModels(), name, "NIC model");
}

std::string
ToString(LatencyEvidence evidence)
{
    switch (evidence)
    {
    case LatencyEvidence::PUBLISHED:
        return "published";
    case LatencyEvidence::VENDOR:
        return "vendor";
    case LatencyEvidence::UNCERTAIN:
        return "uncertain";
    case LatencyEvidence::FITTED:
        return "fitted";
    }
    return "";
}

} // namespace ns3
