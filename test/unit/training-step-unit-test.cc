/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/compute-device.h"
#include "ns3/gradient-buckets.h"
#include "ns3/layer-times.h"
#include "ns3/model-shape.h"
#include "ns3/training-step.h"

#include <gtest/gtest.h>
#include <limits>
#include <stdexcept>

using namespace ns3;

namespace
{

/** @returns the message of the exception that ParseDevice throws, empty if none */
std::string
ErrorOf(const std::string& text)
{
    try
    {
        ParseDevice(text);
    }
    catch (const std::invalid_argument& error)
    {
        return error.what();
    }
    return "";
}

/** @returns tensors of the given element counts, one layer each, counted from 0 */
std::vector<ParameterTensor>
Tensors(const std::vector<uint64_t>& elements)
{
    std::vector<ParameterTensor> tensors;
    for (std::size_t i = 0; i < elements.size(); ++i)
    {
        tensors.push_back({"t", elements[i], static_cast<uint32_t>(i), TensorKind::MATRIX});
    }
    return tensors;
}

/** @returns the shape of Llama-2 7B (arXiv 2307.09288) */
ModelShape
Llama2()
{
    return ParseModelShape(R"({"model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096,
        "num_attention_heads": 32, "intermediate_size": 11008, "vocab_size": 32000})",
                           "llama-2-7b");
}

} // namespace

TEST(TrainingDevice, BuiltInsAndNumbers)
{
    EXPECT_EQ(ParseDevice("h100").peakFlops, 989e12);
    EXPECT_EQ(ParseDevice("a100").peakFlops, 312e12);
    EXPECT_EQ(ParseDevice("ascend-910b").peakFlops, 313e12);
    EXPECT_EQ(ParseDevice("h100").matrixEfficiency, 0.6);
    const DeviceDescription custom = ParseDevice("tflops=400,efficiency=0.5,hbm-tbps=3");
    EXPECT_EQ(custom.name, "custom");
    EXPECT_EQ(custom.peakFlops, 400e12);
    EXPECT_EQ(custom.memoryBandwidth, 3e12);
    EXPECT_EQ(custom.matrixEfficiency, 0.5);
    EXPECT_EQ(custom.attentionBackwardEfficiency, 0.5);
    EXPECT_EQ(ParseDevice("a100,efficiency=1").matrixEfficiency, 1);
}

TEST(TrainingDevice, BadTextGivesOneClearLine)
{
    for (const char* text : {"",
                             "h200",
                             "tflops",
                             "tflops=",
                             "tflops=0",
                             "tflops=-1",
                             "tflops=nan",
                             "tflops=1x",
                             "tflops=1e9",
                             "efficiency=0.5",
                             "h100,efficiency=1.1",
                             "h100,a100",
                             "h100,",
                             "400"})
    {
        const std::string message = ErrorOf(text);
        EXPECT_NE(message.find("expected"), std::string::npos) << text << " -> " << message;
        EXPECT_EQ(message.find("device '" + std::string(text) + "'"), 0U) << message;
        EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    }
}

TEST(TrainingDevice, OptimizerIsBoundByMemory)
{
    const DeviceDescription device = ParseDevice("tflops=1,hbm-tbps=2");
    EXPECT_DOUBLE_EQ(GetOptimizerSeconds(1e9, 28, device), 28e9 / 1.6e12);
    EXPECT_EQ(GetOptimizerSeconds(1e9, 0, ParseDevice("tflops=1")), 0);
    EXPECT_THROW(GetOptimizerSeconds(1e9, 28, ParseDevice("tflops=1")), std::invalid_argument);
}

TEST(TrainingLayerTimes, FollowTheFormulas)
{
    const ModelShape shape = Llama2();
    TokenBatch batch;
    batch.sequenceLength = 4096;
    const auto flops = CountLayerFlops(shape, ListParameters(shape), batch);
    ASSERT_EQ(flops.size(), 34U);
    EXPECT_EQ(flops[0].GetTotal(), 0);
    // 2 operations per weight and token; 4 s a d per token for the scores.
    const double weights = 4.0 * 4096 * 4096 + 3.0 * 4096 * 11008;
    EXPECT_DOUBLE_EQ(flops[1].matrix, 2 * weights * 4096);
    EXPECT_DOUBLE_EQ(flops[1].attention, 4.0 * 4096 * 4096 * 4096);
    EXPECT_DOUBLE_EQ(flops[33].GetTotal(), 2.0 * 32000 * 4096 * 4096);
    // 6 N + 12 L s a d per token, N without the embedding and the norms.
    EXPECT_DOUBLE_EQ(GetStepFlops(flops),
                     4096 * (6 * (32 * weights + 32000.0 * 4096) + 12.0 * 32 * 4096 * 4096));
    const auto times = GetLayerTimes(flops, ParseDevice("h100,efficiency=0.6"));
    EXPECT_DOUBLE_EQ(times[1].forward, flops[1].GetTotal() / (0.6 * 989e12));
    EXPECT_DOUBLE_EQ(times[1].backward, 2 * times[1].forward);
    batch.causalSkip = true;
    batch.sequences = 3;
    const auto halved = CountLayerFlops(shape, ListParameters(shape), batch);
    EXPECT_DOUBLE_EQ(halved[1].attention, 1.5 * flops[1].attention);
    EXPECT_DOUBLE_EQ(halved[1].matrix, 3 * flops[1].matrix);
}

TEST(TrainingLayerTimes, TiedHeadAndExpertsCount)
{
    const ModelShape tied = LoadModel("qwen2.5-0.5b", AI_FABRIC_MODEL_DIR);
    TokenBatch batch;
    batch.sequenceLength = 1;
    const auto tiedFlops = CountLayerFlops(tied, ListParameters(tied), batch);
    EXPECT_DOUBLE_EQ(tiedFlops[25].matrix, 2.0 * 151936 * 896);
    const ModelShape sparse =
        LoadModel(AI_FABRIC_TEST_DATA_DIR "/models/tiny-sparse.json", AI_FABRIC_MODEL_DIR);
    const auto flops = CountLayerFlops(sparse, ListParameters(sparse), batch);
    EXPECT_DOUBLE_EQ(flops[1].expert, 0);
    EXPECT_DOUBLE_EQ(flops[2].expert, 2.0 * 2 * 3 * 10 * 7);
    EXPECT_DOUBLE_EQ(flops[2].attention, 2.0 * 2 * (7 + 6));
    DeviceDescription device = ParseDevice("tflops=1,efficiency=1");
    device.expertEfficiency = 0.5;
    EXPECT_DOUBLE_EQ(GetLayerTimes(flops, device)[2].forward,
                     (flops[2].matrix + 2 * flops[2].expert + flops[2].attention) / 1e12);
}

TEST(TrainingBuckets, CloseOnceTheCapIsReached)
{
    BucketCaps caps;
    caps.firstBytes = 10;
    caps.otherBytes = 20;
    caps.bytesPerElement = 2;
    // Ready from the end: 3+2 = 5 elements fill 10 bytes; 9+1 fill 20; 50 is not split; 4 is the
    // rest.
    const auto buckets = MakeGradientBuckets(Tensors({4, 50, 1, 9, 2, 3}), caps);
    ASSERT_EQ(buckets.size(), 4U);
    EXPECT_EQ(buckets[0].bytes, 10U);
    EXPECT_EQ(buckets[0].tensors, (std::vector<uint32_t>{5, 4}));
    EXPECT_EQ(buckets[0].layer, 4U);
    EXPECT_EQ(buckets[1].bytes, 20U);
    EXPECT_EQ(buckets[1].layer, 2U);
    EXPECT_EQ(buckets[2].bytes, 100U);
    EXPECT_EQ(buckets[3].bytes, 8U);
    EXPECT_EQ(buckets[3].layer, 0U);
}

TEST(TrainingBuckets, PublishedExample)
{
    // Llama-2 7B in 16 bit: each matrix is above the cap, so 226 buckets, norms ride along.
    const auto tensors = ListParameters(Llama2());
    const auto buckets = MakeGradientBuckets(tensors, BucketCaps());
    ASSERT_EQ(buckets.size(), 226U);
    EXPECT_EQ(buckets.front().bytes, 2 * 32000 * 4096U);
    EXPECT_EQ(buckets.front().layer, 33U);
    EXPECT_EQ(buckets[1].bytes, 2 * (4096 * 11008U + 3 * 4096));
    EXPECT_EQ(buckets[1].tensors.size(), 4U);
    EXPECT_EQ(buckets[1].layer, 32U);
    EXPECT_EQ(buckets.back().bytes, 2 * 32000 * 4096U);
    EXPECT_EQ(buckets.back().layer, 0U);
    uint64_t bytes = 0;
    for (const GradientBucket& bucket : buckets)
    {
        bytes += bucket.bytes;
    }
    EXPECT_EQ(bytes, 2 * CountParameters(tensors));
}

TEST(TrainingBuckets, BadArguments)
{
    BucketCaps caps;
    caps.otherBytes = 0;
    EXPECT_THROW(MakeGradientBuckets(Tensors({1}), caps), std::invalid_argument);
    EXPECT_THROW(MakeGradientBuckets({}, BucketCaps()), std::invalid_argument);
}

TEST(TrainingStep, BucketsAreReleasedByTheirFirstLayer)
{
    const std::vector<LayerTime> times{{0, 0}, {1, 2}, {3, 6}, {4, 8}};
    GradientBucket early;
    early.bytes = 5;
    early.layer = 2;
    GradientBucket late;
    late.bytes = 6;
    late.layer = 0;
    const TrainingStep step = MakeTrainingStep(times, {early, late}, 1);
    EXPECT_EQ(step.forward, 8);
    EXPECT_EQ(step.backward, 16);
    EXPECT_EQ(step.GetComputeSeconds(), 25);
    ASSERT_EQ(step.buckets.size(), 2U);
    EXPECT_EQ(step.buckets[0].bytes, 5U);
    EXPECT_EQ(step.buckets[0].release, 8 + 8 + 6);
    EXPECT_EQ(step.buckets[1].release, 24);
    late.layer = 4;
    EXPECT_THROW(MakeTrainingStep(times, {late}, 1), std::invalid_argument);
}

TEST(TrainingStep, ImpossibleStepsAreRefused)
{
    TrainingStep step;
    step.forward = 1;
    step.backward = 2;
    step.buckets = {{1, 2.0}, {1, 3.0}};
    EXPECT_NO_THROW(CheckTrainingStep(step));
    step.buckets[1].release = 1.5;
    EXPECT_THROW(CheckTrainingStep(step), std::invalid_argument);
    step.buckets[1].release = 3.5;
    EXPECT_THROW(CheckTrainingStep(step), std::invalid_argument);
    step.buckets.clear();
    step.optimizer = -1;
    EXPECT_THROW(CheckTrainingStep(step), std::invalid_argument);
    step.optimizer = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(CheckTrainingStep(step), std::invalid_argument);
}
