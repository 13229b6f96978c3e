/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef STEP_REPORT_H
#define STEP_REPORT_H

#include "training-step.h"

#include "ns3/fabric-tick.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * One communication of a step for the bounds of single-machine scheduling (1 | r_j, q_j, pmtn |
 * Cmax).
 */
struct ReleasedWork
{
    double release{0}; //!< r_j: seconds from the start of the step to the moment at which its input
                       //!< is complete
    double duration{0}; //!< p_j: seconds of network time alone
    double tail{0}; //!< q_j: seconds from its completion to the end of the step if nothing stalls
};

/**
 * @ingroup ai-fabric
 * The interval bound LB3: the maximum over all subsets J of min r + sum p + min q.
 *
 * Computed as the makespan of the preemptive Jackson rule (always run the released work with the
 * longest tail), which attains it (Carlier, EJOR 11, 1982). O(n log n).
 * @param work the communications; may be empty
 * @returns seconds from the start of the step, 0 if there is no work
 */
double GetIntervalBound(std::vector<ReleasedWork> work);

/**
 * @ingroup ai-fabric
 * The shortest step that any order of communication could reach on one channel: the larger of the
 * compute time and the interval bound.
 * @param computeSeconds step time without communication
 * @param work the communications
 * @returns seconds
 */
double GetLimitSeconds(double computeSeconds, const std::vector<ReleasedWork>& work);

/**
 * @ingroup ai-fabric
 * Step time if communications run one after the other, each when released and in the given order,
 * and the step goes on when all are done. Equals the interval bound when all tails are equal and
 * the order is that of release.
 * @param computeSeconds step time without communication
 * @param work the communications, in launch order; the tail of the last one to complete is added
 * @returns seconds
 */
double GetFifoSeconds(double computeSeconds, const std::vector<ReleasedWork>& work);

/**
 * @ingroup ai-fabric
 * Step time without any overlap: compute time plus all communication.
 * @param computeSeconds step time without communication
 * @param work the communications
 * @returns seconds
 */
double GetSequentialSeconds(double computeSeconds, const std::vector<ReleasedWork>& work);

/**
 * @ingroup ai-fabric
 * The communications of a step in barrier mode: every tail is the optimizer.
 * @param step the step
 * @param durations p_j in seconds of each bucket, for instance an ideal ring at line rate
 * @returns one entry per bucket
 * @throws std::invalid_argument if there is not one duration per bucket
 */
std::vector<ReleasedWork> GetBarrierWork(const TrainingStep& step,
                                         const std::vector<double>& durations);

/**
 * @ingroup ai-fabric
 * Measure of a union of time intervals.
 * @param intervals pairs of begin and end, in any order, overlapping or not
 * @returns ticks that lie in at least one of them
 */
FabricTick GetUnionMeasure(std::vector<std::pair<FabricTick, FabricTick>> intervals);

/** @ingroup ai-fabric What was measured and computed of a step, before it is judged. */
struct StepMeasurement
{
    double stepSeconds{0};          //!< T
    double computeSeconds{0};       //!< T_cmp: the same run with all communication of length zero
    double communicationSeconds{0}; //!< T_com: at least one collective in flight
    double limitSeconds{0};         //!< T_lim
    double sequentialSeconds{0};    //!< T_seq: T_cmp plus the sum of p_j
    double modelFlops{0};           //!< per device and step, without recomputation
    double peakFlops{0};            //!< of one device, FLOP/s
};

/** @ingroup ai-fabric Metrics of a step. A number without meaning is NaN. */
struct StepReport
{
    double stepSeconds{0};          //!< T
    double computeSeconds{0};       //!< T_cmp
    double exposedCommSeconds{0};   //!< E = T - T_cmp
    double communicationSeconds{0}; //!< T_com
    double hiddenCommSeconds{0};    //!< H = T_com - E
    double limitSeconds{0};         //!< T_lim
    double overlapEfficiency{0};    //!< 1 - E / T_com, not clamped; NaN if T_com is 0
    double limitEfficiency{0};      //!< (T_seq - T) / (T_seq - T_lim); 1 if T_seq equals T_lim
    double gapToLimit{0};           //!< T / T_lim - 1; NaN if T_lim is 0
    double mfu{0};                  //!< model FLOPs per (step time x peak); NaN if either is 0
};

/**
 * @ingroup ai-fabric
 * @param measurement what is known of the step
 * @returns the metrics
 */
StepReport MakeStepReport(const StepMeasurement& measurement);

} // namespace ns3

#endif // STEP_REPORT_H
