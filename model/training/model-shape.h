/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MODEL_SHAPE_H
#define MODEL_SHAPE_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup ai-fabric
 * The widths of a decoder-only language model and how its blocks register their parameters.
 *
 * What a `config.json` in Hugging Face syntax says, under one set of names. Parameter tensors,
 * operations and gradient buckets all follow from it.
 */
struct ModelShape
{
    std::string name;   //!< built-in name or file it was read from
    std::string family; //!< `model_type` of the file, or what the keys imply

    uint32_t layers{0}; //!< transformer blocks (prediction heads of several tokens are not counted)
    uint32_t hidden{0}; //!< width of the residual stream
    uint32_t heads{0};  //!< query heads
    uint32_t kvHeads{0};    //!< key and value heads
    uint32_t headDim{0};    //!< width of a query or key head, without latent attention
    uint32_t ffn{0};        //!< inner width of a dense feed-forward network
    uint32_t vocabulary{0}; //!< rows of the embedding
    uint32_t positions{0};  //!< rows of a learned position embedding, 0 if there is none

    uint32_t experts{0};          //!< routed experts of a sparse block, 0 for a dense model
    uint32_t expertsPerToken{0};  //!< routed experts that a token visits
    uint32_t expertFfn{0};        //!< inner width of a routed expert
    uint32_t sharedExpertFfn{0};  //!< inner width of all shared experts together
    uint32_t denseLayers{0};      //!< first blocks that have no experts
    bool routerFirst{false};      //!< the router registers before the experts
    bool routerBias{false};       //!< one correction per expert (auxiliary-loss-free balancing)
    bool sharedExpertGate{false}; //!< the shared expert has a gate of its own

    uint32_t queryRank{
        0}; //!< latent attention: rank of the query projection, 0 if it has full rank
    uint32_t latentRank{
        0}; //!< latent attention: rank of the key-value projection, 0 for usual attention
    uint32_t nopeDim{0};  //!< latent attention: part of a head without rotary position
    uint32_t ropeDim{0};  //!< latent attention: part of a head with rotary position
    uint32_t valueDim{0}; //!< width of a value head

    bool gatedMlp{true};       //!< three matrices (SwiGLU, GeGLU) instead of two
    bool tiedEmbedding{false}; //!< the head shares the matrix of the embedding
    bool qkvBias{false};       //!< biases on query, key, value
    bool outputBias{false};    //!< bias on the output projection of the attention
    bool mlpBias{false};       //!< biases on the dense matrices
    bool qkNorm{false};        //!< norms of width headDim on query and key
    bool normBias{false};      //!< LayerNorm (two vectors) instead of RMSNorm (one)
    bool normFirst{
        false}; //!< norms register before what they precede, else after the block's matrices
    bool sandwichNorm{
        false};           //!< two more norms per block, behind attention and feed-forward network
    bool fusedQkv{false}; //!< query, key, value are one tensor
    bool fusedGateUp{false}; //!< gate and up are one tensor

    std::vector<std::string>
        notes; //!< defaults that were taken for missing keys, one sentence each

    /** @returns true if block @p layer (from 0) routes tokens to experts */
    bool IsSparse(uint32_t layer) const
    {
        return experts > 0 && layer >= denseLayers;
    }

    /** @returns width of a query or key head that enters the attention scores */
    uint32_t GetScoreDim() const
    {
        return latentRank > 0 ? nopeDim + ropeDim : headDim;
    }
};

/**
 * @ingroup ai-fabric
 * Read a shape from the text of a `config.json`.
 *
 * Understood: the GPT-2 keys (`n_layer`, `n_embd`, ...), the Llama, Qwen, Mistral, Mixtral, GLM and
 * ChatGLM keys, and the keys of DeepSeek for experts and latent attention. A `text_config` object
 * is preferred if there is one.
 * @param text JSON text
 * @param where file name, for messages
 * @returns the shape; ModelShape::notes says which defaults were used
 * @throws std::runtime_error with one line that names the file, the key and what was expected
 */
ModelShape ParseModelShape(const std::string& text, const std::string& where);

/**
 * @ingroup ai-fabric
 * Find and read a model.
 * @param nameOrPath a built-in name such as `llama-3-8b`, or the path of a `config.json`
 * @param modelDir directory that holds the built-in models as NAME.json
 * @returns the shape
 * @throws std::runtime_error with one line; for an unknown name it lists the built-in ones
 */
ModelShape LoadModel(const std::string& nameOrPath, const std::string& modelDir);

/** @ingroup ai-fabric @returns the names that LoadModel finds in the model directory of this module
 */
const std::vector<std::string>& GetBuiltInModelNames();

} // namespace ns3

#endif // MODEL_SHAPE_H
