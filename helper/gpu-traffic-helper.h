/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef GPU_TRAFFIC_HELPER_H
#define GPU_TRAFFIC_HELPER_H

#include "ns3/application-container.h"
#include "ns3/collective-engine.h"
#include "ns3/compute-device.h"
#include "ns3/fabric-nic.h"
#include "ns3/gradient-buckets.h"
#include "ns3/layer-times.h"
#include "ns3/model-shape.h"
#include "ns3/node-container.h"
#include "ns3/rdma-transport.h"
#include "ns3/training-job.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * Installs the traffic of data-parallel training: each node is a GPU that computes, and all-reduces
 * its gradients bucket by bucket over the node's fabric device.
 *
 * @code
 * GpuTrafficHelper gpus("gpt2-xl", "h100");
 * ApplicationContainer apps = gpus.Install(hosts);
 * apps.Start(Seconds(0));
 * @endcode
 */
class GpuTrafficHelper
{
  public:
    /**
     * @param model name of a built-in model, or path of a Hugging Face style config.json;
     * std::runtime_error if it can't be read
     * @param device name or description of the accelerator, see ParseDevice();
     * std::invalid_argument if it is none
     */
    GpuTrafficHelper(const std::string& model, const std::string& device);

    /** @param batch tokens that each GPU works on in a step */
    void SetBatch(const TokenBatch& batch);
    /** @param caps bucket sizes */
    void SetBucketCaps(const BucketCaps& caps);
    /** @param layers keep only so many layers of the model; 0 keeps all */
    void SetLayers(uint32_t layers);
    /** @param bytesPerParameter that the optimizer moves through memory; 0: it takes no time */
    void SetOptimizerBytes(double bytesPerParameter);
    /** @param name "sequential" or "fifo", or the TypeId of a CommPolicy; std::invalid_argument if
     * it is none */
    void SetPolicy(const std::string& name);
    /**
     * @param name attribute of the training job
     * @param value its value
     */
    void SetJobAttribute(const std::string& name, const AttributeValue& value);
    /**
     * @param name attribute of the queue pairs
     * @param value its value
     */
    void SetQueuePairAttribute(const std::string& name, const AttributeValue& value);
    /**
     * @param name attribute of the collective engine
     * @param value its value
     */
    void SetEngineAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Make one training job of these nodes. std::invalid_argument if a node has no fabric device.
     * @param nodes one GPU each; its index is its rank
     * @returns one GpuApplication per node
     */
    ApplicationContainer Install(const NodeContainer& nodes);

    /**
     * Fix the random streams of the applications.
     * @param apps what Install() returned
     * @param stream first stream number to use
     * @returns number of streams used
     */
    static int64_t AssignStreams(const ApplicationContainer& apps, int64_t stream);

    /** @returns the job that was installed last */
    Ptr<TrainingJob> GetJob() const;
    /** @returns its collective engine */
    Ptr<CollectiveEngine> GetEngine() const;
    /** @returns its transport */
    Ptr<RdmaTransport> GetTransport() const;
    /** @returns the model */
    const ModelShape& GetModel() const;
    /** @returns the accelerator */
    const DeviceDescription& GetDevice() const;
    /** @returns the plan of a step that Install() gives to the job */
    TrainingStep MakeStep() const;
    /** @returns floating-point operations of a step on one GPU, forward and backward */
    double GetStepFlops() const;

  private:
    ModelShape m_model;            //!< what is trained
    DeviceDescription m_device;    //!< on what
    TokenBatch m_batch;            //!< tokens per step
    BucketCaps m_caps;             //!< bucket sizes
    double m_optimizerBytes{0};    //!< per parameter
    ObjectFactory m_policyFactory; //!< when buckets may start
    ObjectFactory m_jobFactory;    //!< job
    ObjectFactory m_engineFactory; //!< engine
    std::vector<std::pair<std::string, Ptr<AttributeValue>>>
        m_queuePairAttributes;      //!< of queue pairs
    Ptr<TrainingJob> m_job;         //!< installed last
    Ptr<CollectiveEngine> m_engine; //!< installed last
    Ptr<RdmaTransport> m_transport; //!< installed last
};

} // namespace ns3

#endif // GPU_TRAFFIC_HELPER_H
