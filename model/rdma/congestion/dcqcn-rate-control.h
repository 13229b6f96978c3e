/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DCQCN_RATE_CONTROL_H
#define DCQCN_RATE_CONTROL_H

#include "rate-control.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/shiftable-timer.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * The reaction point of DCQCN (Zhu et al., SIGCOMM 2015): a CNP cuts the rate by half of alpha, an
 * estimate of how often CNPs come; time and bytes without one raise it again, by halving the gap to
 * a target rate (fast recovery), then by raising the target, too.
 *
 * Two machines are in use. That of the paper (PerCnp) cuts at each CNP and updates alpha just after
 * the cut; without a CNP alpha decays every AlphaInterval. That of adapters (Periodic) looks every
 * AlphaInterval and every DecreaseInterval whether a CNP has come, alpha first.
 *
 * Until the first CNP there is no limit, and there is none again when the rate has come back to the
 * line rate; the state is then that of a new flow. The only state of a flow that is not marked is
 * "no limit".
 */
class DcqcnRateControl : public RateControl
{
  public:
    /** When CNPs act. */
    enum Machine
    {
        PER_CNP,  //!< at once (the paper)
        PERIODIC, //!< at the next look (adapters)
    };

    /** @returns the TypeId */
    static TypeId GetTypeId();
    DcqcnRateControl();

    /**
     * @param name a published set of parameters: "paper" (SIGCOMM 2015, for 40 Gb/s), "hpcc-paper",
     * "hpcc-vendor" (the two sets of the HPCC authors' simulations), "nic" (defaults of adapters)
     * @returns makes objects with these parameters; std::invalid_argument naming those that are
     * known
     */
    static ObjectFactory Preset(const std::string& name);
    /** @returns the names that Preset() knows */
    static std::vector<std::string> GetPresets();

    /** @returns the estimate alpha */
    double GetAlpha() const;
    /** @returns the target rate in bits per second; 0: no limit */
    double GetTargetRate() const;
    /** @returns the current rate in bits per second, with its fraction; 0: no limit */
    double GetCurrentRate() const;

    void SetLineRate(uint64_t bitsPerSecond) override;
    uint64_t GetRate() const override;
    void OnCnp(FabricTick now) override;
    void OnSent(uint32_t wireBytes, FabricTick now) override;
    bool HashState(StateHash& hash, FabricTick now) const override;
    void Shift(FabricTick by) override;

    /**
     * TracedCallback signature of Rate.
     * @param current rate in bits per second; 0: no limit
     * @param target target rate in bits per second
     * @param alpha the estimate
     */
    typedef void (*RateTracedCallback)(double current, double target, double alpha);

  protected:
    void DoDispose() override;

  private:
    void Cut(FabricTick now);
    void Raise();
    void AlphaDue();
    void DecreaseDue();
    void IncreaseDue();
    void Report();
    double GetStep(const DataRate& attribute) const;

    // Attributes
    Machine m_machine;        //!< when CNPs act
    double m_g;               //!< gain of alpha
    double m_initialAlpha;    //!< of a flow that is not limited
    Time m_alphaInterval;     //!< K
    Time m_decreaseInterval;  //!< PERIODIC only
    Time m_increaseInterval;  //!< T
    uint64_t m_byteCounter;   //!< B; 0: off
    uint32_t m_threshold;     //!< F
    bool m_countFirst;        //!< an event counts before its stage is chosen
    DataRate m_additiveStep;  //!< Rai
    DataRate m_hyperStep;     //!< Rhai
    DataRate m_stepReference; //!< line rate to which the steps belong; 0: any
    DataRate m_minimumRate;   //!< never below
    bool m_clampTarget;       //!< the target falls with each cut
    DataRate m_firstCnpRate;  //!< set by the first CNP; 0: cut as always

    double m_lineRate{0};      //!< bits per second
    bool m_limited{false};     //!< a CNP has come and the rate is not back yet
    double m_current{0};       //!< Rc, bits per second
    double m_target{0};        //!< Rt, bits per second
    double m_alpha{1};         //!< estimate
    uint32_t m_byteEvents{0};  //!< BC
    uint32_t m_timeEvents{0};  //!< TC
    uint64_t m_bytes{0};       //!< sent since the last event of the byte counter
    bool m_cnpForAlpha{false}; //!< PERIODIC: since the last look
    bool m_cnpForCut{false};   //!< PERIODIC: since the last look
    Ptr<MemberTimer<DcqcnRateControl>> m_alphaTimer;    //!< K
    Ptr<MemberTimer<DcqcnRateControl>> m_decreaseTimer; //!< PERIODIC only
    Ptr<MemberTimer<DcqcnRateControl>> m_increaseTimer; //!< T
    TracedCallback<double, double, double> m_rateTrace; //!< see above
};

} // namespace ns3

#endif // DCQCN_RATE_CONTROL_H
