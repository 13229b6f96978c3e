/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PARAMETER_TENSORS_H
#define PARAMETER_TENSORS_H

#include "model-shape.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/** @ingroup ai-fabric What a parameter tensor is used for; decides how many operations it costs. */
enum class TensorKind
{
    EMBEDDING, //!< table that is looked up: no operations
    MATRIX,    //!< multiplied with every token
    EXPERT,    //!< multiplied with the tokens that are routed to it
    VECTOR,    //!< norm or bias: element-wise, negligible
};

/** @ingroup ai-fabric One entry of what a framework calls the list of parameters. */
struct ParameterTensor
{
    std::string name;                    //!< dotted name within the model
    uint64_t elements{0};                //!< number of elements
    uint32_t layer{0};                   //!< 0 embedding, 1..L blocks, L+1 final norm and head
    TensorKind kind{TensorKind::VECTOR}; //!< use
};

/**
 * @ingroup ai-fabric
 * List the trainable tensors in the order in which the model registers them.
 *
 * The order is that of the public modeling code of each family; gradient buckets depend on it. A
 * tied head has no entry of its own.
 * @param shape the model
 * @returns the tensors; their elements add up to the published parameter count
 */
std::vector<ParameterTensor> ListParameters(const ModelShape& shape);

/** @ingroup ai-fabric @param tensors list @returns sum of the elements */
uint64_t CountParameters(const std::vector<ParameterTensor>& tensors);

/**
 * @ingroup ai-fabric
 * @param shape the model
 * @param tensors its list
 * @returns parameters that one token meets: all but the routed experts that it does not visit
 */
uint64_t CountActiveParameters(const ModelShape& shape,
                               const std::vector<ParameterTensor>& tensors);

} // namespace ns3

#endif // PARAMETER_TENSORS_H
