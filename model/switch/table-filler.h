/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TABLE_FILLER_H
#define TABLE_FILLER_H

#include "routing-engine.h"
#include "subnet-view.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Writes forwarding tables, and spreads LIDs over equally good cables: by the number of LIDs that a
 * port carries already. The LIDs of one end port (LMC) take different neighbors first, then
 * different cables, as far as there are any.
 */
class TableFiller
{
  public:
    /** Equally good cables of a switch. */
    using Links = std::vector<SubnetView::Link>;

    /**
     * @param graph the subnet
     * @param view its switches
     */
    TableFiller(const SubnetGraph& graph, const SubnetView& view);

    /**
     * The LID is here: write its port.
     * @param destination the LID
     */
    void Deliver(const SubnetView::Destination& destination);
    /**
     * Choose the least used of several cables. The LIDs of an end port must come one after another.
     * @param sw number of a switch
     * @param destination a LID
     * @param links cables that lead to it, not empty, by port
     * @param adaptive all of them may be used by adaptive routing
     */
    void Balance(uint32_t sw,
                 const SubnetView::Destination& destination,
                 const Links& links,
                 bool adaptive);
    /**
     * Take one of several cables.
     * @param sw number of a switch
     * @param destination a LID
     * @param links cables that lead to it
     * @param chosen index of that which is taken
     * @param adaptive all of them may be used by adaptive routing
     */
    void Choose(uint32_t sw,
                const SubnetView::Destination& destination,
                const Links& links,
                std::size_t chosen,
                bool adaptive);

    /** @returns what has been written */
    SubnetRoutes Take();

  private:
    /** What a switch has done for the LIDs of one end port. */
    struct Served
    {
        uint16_t base{0}; //!< first LID of the end port
        Links links;      //!< taken so far
    };

    const SubnetView& m_view;                   //!< switches
    SubnetRoutes m_routes;                      //!< what has been written
    std::vector<std::vector<uint32_t>> m_loads; //!< LIDs, by switch and port
    std::vector<Served> m_served;               //!< by switch
};

} // namespace ns3

#endif // TABLE_FILLER_H
