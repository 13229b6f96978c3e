/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RUN_REPORT_H
#define RUN_REPORT_H

#include "ns3/collective-record.h"
#include "ns3/fabric-helper.h"
#include "ns3/gpu-traffic-helper.h"
#include "ns3/latency-samples.h"
#include "ns3/node-container.h"
#include "ns3/step-report.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/** What the devices and switches of a fabric counted. */
struct FabricTotals
{
    uint64_t drops{0};            //!< frames dropped, error models included
    uint64_t losslessDrops{0};    //!< those of lossless classes: must be 0
    uint64_t ecnMarks{0};         //!< frames marked CE or FECN by switches
    uint64_t pauseFrames{0};      //!< pause frames sent
    double pausedSeconds{0};      //!< pauses of priorities, summed
    double creditStallSeconds{0}; //!< waits for credits, summed
    uint64_t packetHops{0};       //!< frames that crossed a link, ACKs included
    uint64_t controlMessages{0};  //!< flow-control packets and pause frames sent
    bool hasPause{false};         //!< some link has PFC
    bool hasCredits{false};       //!< some link has credits
    bool hasEcn{false};           //!< some InfiniBand switch can mark

    /**
     * @param nodes hosts or switches
     */
    void Add(const NodeContainer& nodes);
};

/** Everything that a run of a training job reports. Fields are those of summary.json, in SI units.
 */
struct RunReport
{
    std::string fabric;                        //!< "ib" or "roce"
    std::string policy;                        //!< name of the communication policy
    uint32_t gpus{0};                          //!< number of GPUs
    StepReport step;                           //!< step time and what it is made of
    LatencySamples latency;                    //!< of messages, from posting to delivery
    std::vector<CollectiveRecord> collectives; //!< in the order in which they were created
    FabricTotals fabricTotals;                 //!< what the fabric counted
    uint64_t retransmits{0};                   //!< data packets sent again
    uint64_t cnps{0};                          //!< congestion notifications sent
    uint64_t events{0};                        //!< executed by the simulator
    double wallSeconds{0};                     //!< real time of the run
    uint64_t peakRssBytes{0};                  //!< most memory that the process has had so far
};

/**
 * @ingroup ai-fabric
 * Writes reports into a folder: summary.json (schema ai-fabric-summary/1) and collectives.csv.
 *
 * Files appear complete or not at all.
 */
class ReportWriter
{
  public:
    /** @param folder made if it is missing; std::runtime_error naming it if that fails */
    explicit ReportWriter(const std::string& folder);

    /**
     * @param program name of the program
     * @param arguments what it was called with, by name, defaults included
     * @param runs the runs, in order
     * @returns paths of the files written
     */
    std::vector<std::string> Write(const std::string& program,
                                   const std::map<std::string, std::string>& arguments,
                                   const std::vector<RunReport>& runs) const;

    /**
     * @param program name of the program
     * @param arguments what it was called with
     * @param runs the runs
     * @returns text of summary.json
     */
    static std::string ToJson(const std::string& program,
                              const std::map<std::string, std::string>& arguments,
                              const std::vector<RunReport>& runs);
    /**
     * @param runs the runs
     * @returns text of collectives.csv, with a header line
     */
    static std::string ToCsv(const std::vector<RunReport>& runs);

  private:
    std::string m_folder; //!< where to
};

/** @returns the most memory that this process has had, in bytes; 0 if the system does not say */
uint64_t GetPeakRssBytes();

} // namespace ns3

#endif // RUN_REPORT_H
