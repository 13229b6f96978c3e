/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "run-report.h"

#include "report-files.h"

#include "ns3/collective-cost.h"
#include "ns3/credit-flow-control.h"
#include "ns3/fabric-net-device.h"
#include "ns3/ib-switch.h"
#include "ns3/pause-flow-control.h"
#include "ns3/roce-switch.h"

#include <boost/json.hpp>
#include <cmath>
#include <limits>
#include <sstream>
#include <sys/resource.h>

namespace ns3
{

namespace
{

namespace json = boost::json;

/** A figure that has no meaning for a run is null, never 0. */
json::value
Number(double value)
{
    return std::isfinite(value) ? json::value(value) : json::value(nullptr);
}

double
GetSeconds(const CollectiveRecord& record)
{
    return record.done == FABRIC_NEVER ? std::numeric_limits<double>::quiet_NaN()
                                       : FabricSeconds(record.done - record.firstEnter);
}

json::object
ToJson(const CollectiveRecord& record)
{
    const double seconds = GetSeconds(record);
    return {{"name", record.name},
            {"algorithm", record.algorithm},
            {"bytes", record.bytes},
            {"seconds", Number(seconds)},
            {"algBwBps", Number(CollectiveCost::AlgorithmBandwidth(record.bytes, seconds))},
            {"busBwBps",
             Number(CollectiveCost::BusBandwidth(record.op, record.ranks, record.bytes, seconds))}};
}

json::object
ToJson(const RunReport& run)
{
    const double missing = std::numeric_limits<double>::quiet_NaN();
    const FabricTotals& totals = run.fabricTotals;
    json::array collectives;
    for (const CollectiveRecord& record : run.collectives)
    {
        collectives.push_back(ToJson(record));
    }
    json::object object;
    object["fabric"] = run.fabric;
    object["policy"] = run.policy;
    object["gpus"] = run.gpus;
    object["stepSeconds"] = Number(run.step.stepSeconds);
    object["computeSeconds"] = Number(run.step.computeSeconds);
    object["exposedCommSeconds"] = Number(run.step.exposedCommSeconds);
    object["limitSeconds"] = Number(run.step.limitSeconds);
    object["overlapEfficiency"] = Number(run.step.overlapEfficiency);
    object["mfu"] = Number(run.step.mfu);
    object["latencySeconds"] = {{"min", Number(run.latency.GetQuantile(0))},
                                {"p50", Number(run.latency.GetQuantile(0.5))},
                                {"p99", Number(run.latency.GetQuantile(0.99))},
                                {"p999", Number(run.latency.GetQuantile(0.999))},
                                {"max", Number(run.latency.GetQuantile(1))},
                                {"mean", Number(run.latency.GetMean())}};
    object["collectives"] = std::move(collectives);
    object["drops"] = totals.drops;
    object["losslessDrops"] = totals.losslessDrops;
    object["retransmits"] = run.retransmits;
    object["ecnMarks"] =
        run.fabric == "ib" && !totals.hasEcn ? json::value(nullptr) : json::value(totals.ecnMarks);
    object["cnps"] = run.fabric == "ib" ? json::value(nullptr) : json::value(run.cnps);
    object["pauseFrames"] =
        totals.hasPause ? json::value(totals.pauseFrames) : json::value(nullptr);
    object["pausedSeconds"] = Number(totals.hasPause ? totals.pausedSeconds : missing);
    object["creditStallSeconds"] = Number(totals.hasCredits ? totals.creditStallSeconds : missing);
    object["packetHops"] = totals.packetHops;
    object["controlMessages"] = totals.controlMessages;
    object["events"] = run.events;
    object["wallSeconds"] = Number(run.wallSeconds);
    object["peakRssBytes"] =
        run.peakRssBytes ? json::value(run.peakRssBytes) : json::value(nullptr);
    return object;
}

/** A tick in seconds; NaN if it never came. */
double
SecondsAt(FabricTick tick)
{
    return tick == FABRIC_NEVER ? std::numeric_limits<double>::quiet_NaN() : FabricSeconds(tick);
}

} // namespace

void
FabricTotals::Add(const NodeContainer& nodes)
{
    for (uint32_t n = 0; n < nodes.GetN(); ++n)
    {
        const Ptr<Node> node = nodes.Get(n);
        for (uint32_t i = 0; i < node->GetNDevices(); ++i)
        {
            if (const auto roce = DynamicCast<RoceSwitch>(node->GetDevice(i)))
            {
                ecnMarks += roce->GetEcnMarks();
            }
            const auto ib = DynamicCast<IbSwitch>(node->GetDevice(i));
            if (ib && ib->GetCongestionMarker())
            {
                ecnMarks += ib->GetCongestionMarker()->GetMarks();
                hasEcn = true;
            }
            const auto device = DynamicCast<FabricNetDevice>(node->GetDevice(i));
            if (!device)
            {
                continue;
            }
            drops += device->GetDrops();
            losslessDrops += device->GetLosslessDrops();
            packetHops += device->GetPort().GetCounters().frames;
            controlMessages += device->GetPort().GetCounters().controlFrames;
            LinkFlowControl* flowControl = device->GetPort().GetFlowControl();
            if (const auto pause = dynamic_cast<PauseFlowControl*>(flowControl))
            {
                hasPause = true;
                pauseFrames += pause->GetPauseFrames();
                pausedSeconds += FabricSeconds(pause->GetPausedTicks());
            }
            else if (const auto credits = dynamic_cast<CreditFlowControl*>(flowControl))
            {
                hasCredits = true;
                creditStallSeconds += FabricSeconds(credits->GetHeldTicks());
            }
        }
    }
}

ReportWriter::ReportWriter(const std::string& folder)
    : m_folder(folder)
{
    ReportFiles::MakeFolder(folder);
}

std::string
ReportWriter::ToJson(const std::string& program,
                     const std::map<std::string, std::string>& arguments,
                     const std::vector<RunReport>& runs)
{
    json::object given;
    for (const auto& argument : arguments)
    {
        given[argument.first] = argument.second;
    }
    json::array list;
    for (const RunReport& run : runs)
    {
        list.push_back(ns3::ToJson(run));
    }
    json::object summary;
    summary["schema"] = "ai-fabric-summary/1";
    summary["program"] = program;
    summary["arguments"] = std::move(given);
    summary["runs"] = std::move(list);
    return json::serialize(summary) + "\n";
}

std::string
ReportWriter::ToCsv(const std::vector<RunReport>& runs)
{
    const auto cell = [](const auto& value) { return ReportFiles::CsvCell(value); };
    std::ostringstream csv;
    csv << "fabric,policy,name,operation,algorithm,ranks,bytes,startSeconds,endSeconds,seconds,"
           "algBwBps,busBwBps\n";
    for (const RunReport& run : runs)
    {
        for (const CollectiveRecord& record : run.collectives)
        {
            const double seconds = GetSeconds(record);
            const double algorithm = CollectiveCost::AlgorithmBandwidth(record.bytes, seconds);
            const double bus =
                CollectiveCost::BusBandwidth(record.op, record.ranks, record.bytes, seconds);
            csv << cell(run.fabric) << ',' << cell(run.policy) << ',' << cell(record.name) << ','
                << CollectiveOpName(record.op) << ',' << cell(record.algorithm) << ','
                << record.ranks << ',' << record.bytes << ',' << cell(SecondsAt(record.firstEnter))
                << ',' << cell(SecondsAt(record.done)) << ',' << cell(seconds) << ','
                << cell(algorithm) << ',' << cell(bus) << '\n';
        }
    }
    return csv.str();
}

std::vector<std::string>
ReportWriter::Write(const std::string& program,
                    const std::map<std::string, std::string>& arguments,
                    const std::vector<RunReport>& runs) const
{
    const std::string collectives = ReportFiles::Write(m_folder, "collectives.csv", ToCsv(runs));
    return {ReportFiles::Write(m_folder, "summary.json", ToJson(program, arguments, runs)),
            collectives};
}

uint64_t
GetPeakRssBytes()
{
    rusage usage{};
    if (getrusage(RUSAGE_SELF, &usage) != 0)
    {
        return 0;
    }
    return static_cast<uint64_t>(usage.ru_maxrss) * 1024; // Linux counts KiB
}

} // namespace ns3
