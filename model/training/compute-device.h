/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COMPUTE_DEVICE_H
#define COMPUTE_DEVICE_H

#include <string>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * How fast one accelerator computes.
 *
 * The efficiencies are shares of the peak that whole operations reach, including their launch. They
 * are model parameters, not measurements: published figures for bf16 training lie at 0.55 to 0.75
 * for large matrix products, 0.40 to 0.60 for attention forward, 0.35 to 0.50 backward, 0.35 to
 * 0.60 for products grouped by expert.
 */
struct DeviceDescription
{
    std::string name{"custom"};               //!< built-in name, or "custom"
    double peakFlops{0};                      //!< dense bf16 or fp16 peak in FLOP/s
    double memoryBandwidth{0};                //!< of the device memory in B/s, 0 if not known
    double matrixEfficiency{0.60};            //!< large matrix products
    double attentionForwardEfficiency{0.50};  //!< attention scores, forward
    double attentionBackwardEfficiency{0.40}; //!< attention scores, backward
    double expertEfficiency{0.45};            //!< matrix products grouped by expert
    double memoryEfficiency{0.80};            //!< element-wise work, share of memoryBandwidth
};

/**
 * @ingroup ai-fabric
 * Find a device.
 *
 * Built in: `h100` (989 TFLOP/s bf16, 3.35 TB/s), `a100` (312, 2.0), `ascend-910b` (313 fp16, 1.6;
 * the figures of the variants differ, 280 to 400). Or a list of `key=value` joined by commas, after
 * a built-in name or alone: `tflops` (10^12 FLOP/s), `efficiency` (0 to 1, for all matrix and
 * attention work) and `hbm-tbps` (10^12 B/s), as in `tflops=400,efficiency=0.5` or
 * `h100,efficiency=0.45`.
 * @param text the description
 * @returns the device
 * @throws std::invalid_argument with one line that says what was expected
 */
DeviceDescription ParseDevice(const std::string& text);

/**
 * @ingroup ai-fabric
 * Time of an optimizer that is bound by the device memory.
 * @param parameters elements that this device updates
 * @param bytesPerParameter memory traffic per element: about 28 for Adam with bf16 weights and
 * gradients and fp32 states (14 read, 14 written); 0 for no optimizer
 * @param device the device
 * @returns seconds; 0 if bytesPerParameter is 0
 * @throws std::invalid_argument if the bandwidth of the device memory is not known
 */
double GetOptimizerSeconds(double parameters,
                           double bytesPerParameter,
                           const DeviceDescription& device);

} // namespace ns3

#endif // COMPUTE_DEVICE_H
