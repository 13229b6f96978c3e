/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "parameter-tensors.h"

namespace ns3
{

namespace
{

/** Appends tensors of one layer after the other, in registration order. */
class TensorList
{
  public:
    /** @param shape the model */
    explicit TensorList(const ModelShape& shape)
        : m_shape(shape)
    {
    }

    /** The whole model. */
    std::vector<ParameterTensor> Build()
    {
        const uint64_t table = static_cast<uint64_t>(m_shape.vocabulary) * m_shape.hidden;
        Add("embedding", table, TensorKind::EMBEDDING);
        if (m_shape.positions > 0)
        {
            Add("positions",
                static_cast<uint64_t>(m_shape.positions) * m_shape.hidden,
                TensorKind::EMBEDDING);
        }
        for (uint32_t block = 0; block < m_shape.layers; ++block)
        {
            m_layer = block + 1;
            m_prefix = "layers." + std::to_string(block) + ".";
            AddBlock(m_shape.IsSparse(block));
        }
        m_layer = m_shape.layers + 1;
        m_prefix.clear();
        AddNorm("final_norm");
        if (!m_shape.tiedEmbedding)
        {
            Add("head", table, TensorKind::MATRIX);
        }
        return std::move(m_tensors);
    }

  private:
    /** One tensor. */
    void Add(const std::string& name, uint64_t elements, TensorKind kind)
    {
        m_tensors.push_back({m_prefix + name, elements, m_layer, kind});
    }

    /** A matrix and, if wanted, its bias. */
    void AddLinear(const std::string& name,
                   uint64_t in,
                   uint64_t out,
                   bool bias,
                   TensorKind kind = TensorKind::MATRIX)
    {
        Add(name + ".weight", in * out, kind);
        if (bias)
        {
            Add(name + ".bias", out, TensorKind::VECTOR);
        }
    }

    /** A norm over the hidden width. */
    void AddNorm(const std::string& name)
    {
        Add(name + ".weight", m_shape.hidden, TensorKind::VECTOR);
        if (m_shape.normBias)
        {
            Add(name + ".bias", m_shape.hidden, TensorKind::VECTOR);
        }
    }

    /** One transformer block. */
    void AddBlock(bool sparse)
    {
        if (m_shape.normFirst)
        {
            AddNorm("input_norm");
            AddAttention();
            AddNorm("post_attention_norm");
            AddFeedForward(sparse);
            return;
        }
        AddAttention();
        AddFeedForward(sparse);
        AddNorm("input_norm");
        AddNorm("post_attention_norm");
        if (m_shape.sandwichNorm)
        {
            AddNorm("post_self_attention_norm");
            AddNorm("post_mlp_norm");
        }
    }

    /** Attention projections. */
    void AddAttention()
    {
        const uint64_t hidden = m_shape.hidden;
        if (m_shape.latentRank > 0)
        {
            AddLatentAttention();
            return;
        }
        const uint64_t q = static_cast<uint64_t>(m_shape.heads) * m_shape.headDim;
        const uint64_t kv = static_cast<uint64_t>(m_shape.kvHeads) * m_shape.headDim;
        if (m_shape.fusedQkv)
        {
            AddLinear("attention.qkv", hidden, q + 2 * kv, m_shape.qkvBias);
        }
        else
        {
            AddLinear("attention.q", hidden, q, m_shape.qkvBias);
            AddLinear("attention.k", hidden, kv, m_shape.qkvBias);
            AddLinear("attention.v", hidden, kv, m_shape.qkvBias);
        }
        AddLinear("attention.o", q, hidden, m_shape.outputBias);
        if (m_shape.qkNorm)
        {
            Add("attention.q_norm", m_shape.headDim, TensorKind::VECTOR);
            Add("attention.k_norm", m_shape.headDim, TensorKind::VECTOR);
        }
    }

    /** Projections of multi-head latent attention. */
    void AddLatentAttention()
    {
        const uint64_t hidden = m_shape.hidden;
        const uint64_t heads = m_shape.heads;
        const uint64_t q = heads * m_shape.GetScoreDim();
        if (m_shape.queryRank > 0)
        {
            AddLinear("attention.q_a", hidden, m_shape.queryRank, m_shape.qkvBias);
            Add("attention.q_a_norm", m_shape.queryRank, TensorKind::VECTOR);
            AddLinear("attention.q_b", m_shape.queryRank, q, false);
        }
        else
        {
            AddLinear("attention.q", hidden, q, false);
        }
        AddLinear("attention.kv_a", hidden, m_shape.latentRank + m_shape.ropeDim, m_shape.qkvBias);
        Add("attention.kv_a_norm", m_shape.latentRank, TensorKind::VECTOR);
        AddLinear("attention.kv_b",
                  m_shape.latentRank,
                  heads * (m_shape.nopeDim + m_shape.valueDim),
                  false);
        AddLinear("attention.o", heads * m_shape.valueDim, hidden, m_shape.outputBias);
    }

    /** A feed-forward network of any width. */
    void AddMlp(const std::string& name, uint64_t width, bool bias, TensorKind kind)
    {
        const uint64_t hidden = m_shape.hidden;
        if (!m_shape.gatedMlp)
        {
            AddLinear(name + ".up", hidden, width, bias, kind);
        }
        else if (m_shape.fusedGateUp)
        {
            AddLinear(name + ".gate_up", hidden, 2 * width, bias, kind);
        }
        else
        {
            AddLinear(name + ".gate", hidden, width, bias, kind);
            AddLinear(name + ".up", hidden, width, bias, kind);
        }
        AddLinear(name + ".down", width, hidden, bias, kind);
    }

    /** What chooses the experts of a token. */
    void AddRouter()
    {
        AddLinear("mlp.router", m_shape.hidden, m_shape.experts, false);
        if (m_shape.routerBias)
        {
            Add("mlp.router.correction", m_shape.experts, TensorKind::VECTOR);
        }
    }

    /** Dense or sparse feed-forward part of a block. */
    void AddFeedForward(bool sparse)
    {
        if (!sparse)
        {
            AddMlp("mlp", m_shape.ffn, m_shape.mlpBias, TensorKind::MATRIX);
            return;
        }
        if (m_shape.routerFirst)
        {
            AddRouter();
        }
        for (uint32_t expert = 0; expert < m_shape.experts; ++expert)
        {
            AddMlp("mlp.experts." + std::to_string(expert),
                   m_shape.expertFfn,
                   false,
                   TensorKind::EXPERT);
        }
        if (!m_shape.routerFirst)
        {
            AddRouter();
        }
        if (m_shape.sharedExpertFfn > 0)
        {
            AddMlp("mlp.shared", m_shape.sharedExpertFfn, false, TensorKind::MATRIX);
        }
        if (m_shape.sharedExpertGate)
        {
            AddLinear("mlp.shared_gate", m_shape.hidden, 1, false);
        }
    }

    const ModelShape& m_shape;              //!< the model
    std::vector<ParameterTensor> m_tensors; //!< so far
    std::string m_prefix;                   //!< of the names of the current layer
    uint32_t m_layer{0};                    //!< current layer
};

} // namespace

std::vector<ParameterTensor>
ListParameters(const ModelShape& shape)
{
    return TensorList(shape).Build();
}

uint64_t
CountParameters(const std::vector<ParameterTensor>& tensors)
{
    uint64_t sum = 0;
    for (const ParameterTensor& tensor : tensors)
    {
        sum += tensor.elements;
    }
    return sum;
}

uint64_t
CountActiveParameters(const ModelShape& shape, const std::vector<ParameterTensor>& tensors)
{
    uint64_t experts = 0;
    for (const ParameterTensor& tensor : tensors)
    {
        experts += tensor.kind == TensorKind::EXPERT ? tensor.elements : 0;
    }
    const uint64_t all = CountParameters(tensors);
    // All experts are equal, so the division leaves no remainder.
    return experts == 0 ? all : all - experts + experts / shape.experts * shape.expertsPerToken;
}

} // namespace ns3
