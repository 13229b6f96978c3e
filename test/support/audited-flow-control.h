/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef AUDITED_FLOW_CONTROL_H
#define AUDITED_FLOW_CONTROL_H

#include "ns3/credit-counters.h"
#include "ns3/credit-flow-control.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric-tests
 * Credits with an auditor, who counts packets by himself: what is on the wire and what is in the
 * buffer. At each event of a lane, and whenever asked, credits + packets on the wire + packets in
 * the buffer + credits on their way back must be the buffer.
 */
class AuditedFlowControl : public CreditFlowControl
{
  public:
    /** @returns the TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::AuditedFlowControl")
                                .SetParent<CreditFlowControl>()
                                .SetGroupName("AiFabric")
                                .AddConstructor<AuditedFlowControl>();
        return tid;
    }

    AuditedFlowControl()
    {
        GetAll().insert(this);
    }

    ~AuditedFlowControl() override
    {
        GetAll().erase(this);
    }

    /** @returns all that live */
    static std::set<AuditedFlowControl*>& GetAll()
    {
        static std::set<AuditedFlowControl*> all;
        return all;
    }

    /** @returns what the auditors have found; empty if all is well */
    static std::string& GetComplaint()
    {
        static std::string complaint;
        return complaint;
    }

    /** @returns audits made */
    static uint64_t& GetAudits()
    {
        static uint64_t audits = 0;
        return audits;
    }

    /** Audit every lane of everybody. */
    static void AuditAll()
    {
        for (AuditedFlowControl* one : GetAll())
        {
            for (uint8_t lane = 0; lane < one->m_books.size(); ++lane)
            {
                one->Audit(lane);
            }
        }
    }

    /** @returns blocks on any wire or in any buffer */
    static uint64_t CountBusy()
    {
        uint64_t busy = 0;
        for (AuditedFlowControl* one : GetAll())
        {
            for (uint8_t lane = 0; lane < one->m_books.size(); ++lane)
            {
                busy += one->m_books[lane].flying + one->CountHeld(lane);
            }
        }
        return busy;
    }

    void Attach(FabricPort* forward, FabricPort* reverse) override
    {
        CreditFlowControl::Attach(forward, reverse);
        m_books.assign(GetLanes(), Book());
    }

    void Sent(uint8_t cls, uint32_t bytes, FabricTick now) override
    {
        CreditFlowControl::Sent(cls, bytes, now);
        m_books.at(cls).flying += CreditCounters::Blocks(bytes, GetBlockBytes());
        Audit(cls);
    }

    bool Arrived(uint8_t cls, uint32_t bytes, FabricTick now) override
    {
        const bool fits = CreditFlowControl::Arrived(cls, bytes, now);
        const uint32_t blocks = CreditCounters::Blocks(bytes, GetBlockBytes());
        m_books.at(cls).flying -= blocks;
        m_books[cls].held += blocks;
        if (!fits)
        {
            Complain(cls, "no room for a packet");
        }
        Audit(cls);
        return fits;
    }

    void Freed(uint8_t cls, uint32_t bytes, FabricTick when) override
    {
        m_books.at(cls).releases.push_back({when, CreditCounters::Blocks(bytes, GetBlockBytes())});
        CreditFlowControl::Freed(cls, bytes, when);
        Audit(cls);
    }

  private:
    /** Room that becomes free. */
    struct Release
    {
        FabricTick when;
        uint32_t blocks;
    };

    /** What the auditor knows of a lane, in blocks. */
    struct Book
    {
        uint32_t flying{0};            //!< on the wire
        uint32_t held{0};              //!< in the buffer, or released since it was last looked at
        std::vector<Release> releases; //!< that have not been taken off held
    };

    uint32_t CountHeld(uint8_t lane)
    {
        Book& book = m_books[lane];
        const FabricTick now = FabricNow();
        const auto due = [&book, now](const Release& release) {
            book.held -= release.when <= now ? release.blocks : 0;
            return release.when <= now;
        };
        // remove_if may call it once per element only, in any order
        book.releases.erase(std::remove_if(book.releases.begin(), book.releases.end(), due),
                            book.releases.end());
        return book.held;
    }

    void Audit(uint8_t lane)
    {
        ++GetAudits();
        const uint32_t held = CountHeld(lane);
        const uint32_t flying = m_books[lane].flying;
        const Ledger ledger = GetLedger(lane);
        const uint32_t size = GetBufferBlocks(lane);
        const uint64_t sum = uint64_t{ledger.credits} + flying + held + uint64_t{ledger.returning};
        if (sum != size || ledger.held != held || ledger.credits > CreditCounters::MAX_CREDIT)
        {
            std::ostringstream what;
            what << "credits " << ledger.credits << " + on the wire " << flying
                 << " + in the buffer " << held << " (it says " << ledger.held
                 << ") + on their way back " << ledger.returning << ", expected " << size;
            Complain(lane, what.str());
        }
    }

    void Complain(uint8_t lane, const std::string& what)
    {
        if (GetComplaint().empty())
        {
            std::ostringstream text;
            text << "lane " << +lane << " at tick " << FabricNow() << ": " << what;
            GetComplaint() = text.str();
        }
    }

    std::vector<Book> m_books; //!< by lane
};

} // namespace ns3

#endif // AUDITED_FLOW_CONTROL_H
