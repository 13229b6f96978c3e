/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "gpu-traffic-helper.h"

#include "rdma-helper.h"

#include "ns3/gpu-application.h"
#include "ns3/parameter-tensors.h"

#include <stdexcept>

// Where the models that come with the module are; the build says so.
#ifndef AI_FABRIC_MODEL_DIR
#define AI_FABRIC_MODEL_DIR "contrib/ai-fabric/examples/models"
#endif

namespace ns3
{

GpuTrafficHelper::GpuTrafficHelper(const std::string& model, const std::string& device)
    : m_model(LoadModel(model, AI_FABRIC_MODEL_DIR)),
      m_device(ParseDevice(device))
{
    m_jobFactory.SetTypeId("ns3::TrainingJob");
    m_engineFactory.SetTypeId("ns3::CollectiveEngine");
    m_policyFactory.SetTypeId("ns3::FifoPolicy");
}

void
GpuTrafficHelper::SetBatch(const TokenBatch& batch)
{
    m_batch = batch;
}

void
GpuTrafficHelper::SetBucketCaps(const BucketCaps& caps)
{
    m_caps = caps;
}

void
GpuTrafficHelper::SetLayers(uint32_t layers)
{
    if (layers > m_model.layers)
    {
        throw std::invalid_argument("GpuTrafficHelper: " + std::to_string(layers) +
                                    " layers wanted of model " + m_model.name + ", which has " +
                                    std::to_string(m_model.layers));
    }
    m_model.layers = layers ? layers : m_model.layers;
}

void
GpuTrafficHelper::SetOptimizerBytes(double bytesPerParameter)
{
    m_optimizerBytes = bytesPerParameter;
}

void
GpuTrafficHelper::SetPolicy(const std::string& name)
{
    std::string type = name;
    if (name == "sequential")
    {
        type = "ns3::SequentialPolicy";
    }
    else if (name == "fifo")
    {
        type = "ns3::FifoPolicy";
    }
    TypeId tid;
    if (!TypeId::LookupByNameFailSafe(type, &tid) || !tid.IsChildOf(CommPolicy::GetTypeId()))
    {
        throw std::invalid_argument("policy '" + name +
                                    "', expected sequential, fifo or the TypeId of a CommPolicy");
    }
    m_policyFactory.SetTypeId(tid);
}

void
GpuTrafficHelper::SetJobAttribute(const std::string& name, const AttributeValue& value)
{
    m_jobFactory.Set(name, value);
}

void
GpuTrafficHelper::SetQueuePairAttribute(const std::string& name, const AttributeValue& value)
{
    m_queuePairAttributes.emplace_back(name, value.Copy());
}

void
GpuTrafficHelper::SetEngineAttribute(const std::string& name, const AttributeValue& value)
{
    m_engineFactory.Set(name, value);
}

TrainingStep
GpuTrafficHelper::MakeStep() const
{
    const auto tensors = ListParameters(m_model);
    const auto times = GetLayerTimes(CountLayerFlops(m_model, tensors, m_batch), m_device);
    const double optimizer = GetOptimizerSeconds(static_cast<double>(CountParameters(tensors)),
                                                 m_optimizerBytes,
                                                 m_device);
    return MakeTrainingStep(times, MakeGradientBuckets(tensors, m_caps), optimizer);
}

double
GpuTrafficHelper::GetStepFlops() const
{
    return ns3::GetStepFlops(CountLayerFlops(m_model, ListParameters(m_model), m_batch));
}

ApplicationContainer
GpuTrafficHelper::Install(const NodeContainer& nodes)
{
    m_transport = RdmaHelper::CreateTransport(nodes);
    for (const auto& attribute : m_queuePairAttributes)
    {
        m_transport->SetQueuePairAttribute(attribute.first, *attribute.second);
    }
    m_engine = m_engineFactory.Create<CollectiveEngine>();
    m_engine->SetTransport(m_transport);
    m_job = m_jobFactory.Create<TrainingJob>();
    m_job->SetPolicy(m_policyFactory.Create<CommPolicy>());
    m_job->SetEngine(m_engine);
    m_job->Configure(nodes.GetN(), MakeStep());

    ApplicationContainer apps;
    for (uint32_t rank = 0; rank < nodes.GetN(); ++rank)
    {
        const auto app = CreateObject<GpuApplication>();
        app->SetJob(m_job, rank);
        nodes.Get(rank)->AddApplication(app);
        apps.Add(app);
    }
    return apps;
}

int64_t
GpuTrafficHelper::AssignStreams(const ApplicationContainer& apps, int64_t stream)
{
    int64_t used = 0;
    for (uint32_t i = 0; i < apps.GetN(); ++i)
    {
        if (const auto app = DynamicCast<GpuApplication>(apps.Get(i)))
        {
            used += app->AssignStreams(stream + used);
        }
    }
    return used;
}

Ptr<TrainingJob>
GpuTrafficHelper::GetJob() const
{
    return m_job;
}

Ptr<CollectiveEngine>
GpuTrafficHelper::GetEngine() const
{
    return m_engine;
}

Ptr<RdmaTransport>
GpuTrafficHelper::GetTransport() const
{
    return m_transport;
}

const ModelShape&
GpuTrafficHelper::GetModel() const
{
    return m_model;
}

const DeviceDescription&
GpuTrafficHelper::GetDevice() const
{
    return m_device;
}

} // namespace ns3
