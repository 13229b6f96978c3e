/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "model-shape.h"

#include "model-config-keys.h"

#include "ns3/json-document.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <fstream>
#include <stdexcept>

namespace ns3
{

namespace
{

// Largest numbers believed: ten times and more above any published model, low enough that products
// stay in 64 bits.
constexpr uint32_t MAX_LAYERS = 10000;        //!< blocks
constexpr uint32_t MAX_WIDTH = 1 << 20;       //!< hidden size, ranks, head sizes
constexpr uint32_t MAX_HEADS = 1 << 14;       //!< heads
constexpr uint32_t MAX_FFN = 1 << 24;         //!< inner widths
constexpr uint32_t MAX_ROWS = 1 << 28;        //!< vocabulary, positions
constexpr uint32_t MAX_EXPERTS = 1 << 14;     //!< experts per block
constexpr double MAX_PARAMETER_TENSORS = 4e6; //!< so that the list of tensors fits in memory
constexpr double MAX_PARAMETERS = 1e16; //!< whole model; its bytes and operations stay in 64 bits
constexpr std::size_t MAX_CONFIG_BYTES = 1 << 24; //!< length of a config file

/** What a `model_type` implies beyond the keys of the file. */
enum FamilyTrait : uint32_t
{
    GPT_KEYS =
        1 << 0,    //!< n_layer, n_embd, ...; learned positions, two-matrix MLP, biases everywhere
    TIED = 1 << 1, //!< default of `tie_word_embeddings`
    QKV_BIAS = 1 << 2,          //!< default of the bias on query, key, value
    BIAS_ON_OUTPUT = 1 << 3,    //!< `attention_bias` also puts one on the output projection
    QK_NORM = 1 << 4,           //!< norms on query and key
    NORM_FIRST = 1 << 5,        //!< norms register before what they precede
    SANDWICH_NORM = 1 << 6,     //!< four norms per block
    FUSED_QKV = 1 << 7,         //!< query, key, value are one tensor
    FUSED_GATE_UP = 1 << 8,     //!< gate and up are one tensor
    ROUTER_FIRST = 1 << 9,      //!< the router registers before the experts
    LATENT_ATTENTION = 1 << 10, //!< DeepSeek MLA
    SHARED_GATE = 1 << 11,      //!< gate of the shared expert
};

/** A known `model_type`. */
struct Family
{
    const char* type; //!< `model_type`
    uint32_t traits;  //!< set of FamilyTrait

    /** @returns true if the family has a trait; @param trait which */
    bool Has(FamilyTrait trait) const
    {
        return (traits & trait) != 0;
    }
};

/** Source: the public modeling code of each type. */
const Family FAMILIES[] = {
    {"gpt2", GPT_KEYS | TIED | QKV_BIAS | NORM_FIRST | FUSED_QKV},
    {"llama", BIAS_ON_OUTPUT},
    {"mistral", 0},
    {"mixtral", ROUTER_FIRST},
    {"qwen2", QKV_BIAS},
    {"qwen2_moe", QKV_BIAS | ROUTER_FIRST | SHARED_GATE},
    {"qwen3", BIAS_ON_OUTPUT | QK_NORM},
    {"qwen3_moe", BIAS_ON_OUTPUT | QK_NORM | ROUTER_FIRST},
    {"chatglm", NORM_FIRST | FUSED_QKV | FUSED_GATE_UP},
    {"glm", FUSED_GATE_UP},
    {"glm4", SANDWICH_NORM | FUSED_GATE_UP},
    {"glm4_moe", 0},
    {"deepseek_v2", BIAS_ON_OUTPUT | LATENT_ATTENTION},
    {"deepseek_v3", BIAS_ON_OUTPUT | LATENT_ATTENTION},
    {"kimi_k2", BIAS_ON_OUTPUT | LATENT_ATTENTION},
};

/** @returns the row of the table, null if there is none */
const Family*
FindFamily(const std::string& type)
{
    for (const Family& family : FAMILIES)
    {
        if (type == family.type)
        {
            return &family;
        }
    }
    return nullptr;
}

/** @returns all rows of the table, for messages */
std::string
ListFamilies()
{
    std::string text;
    for (const Family& family : FAMILIES)
    {
        text += text.empty() ? "" : ", ";
        text += family.type;
    }
    return text;
}

/** Decide how to read the file. */
const Family&
ChooseFamily(const ModelConfigKeys& keys, ModelShape& shape)
{
    shape.family = keys.GetText({"model_type"});
    if (shape.family.empty())
    {
        shape.family = keys.Has({"n_embd"})                             ? "gpt2"
                       : keys.Has({"kv_lora_rank"})                     ? "deepseek_v3"
                       : keys.Has({"padded_vocab_size", "kv_channels"}) ? "chatglm"
                                                                        : "llama";
        shape.notes.push_back("model_type is missing: read as " + shape.family);
    }
    const Family* family = FindFamily(shape.family);
    if (family)
    {
        return *family;
    }
    const std::string activation = keys.GetText({"hidden_act", "activation_function"});
    const bool plain = !keys.Has({"num_experts", "num_local_experts", "n_routed_experts"}) &&
                       !keys.Has({"kv_lora_rank"}) && !keys.Has({"n_embd"});
    if (!plain || (activation != "silu" && activation != "swish"))
    {
        keys.Fail("'model_type'",
                  "'" + shape.family + "' is not known; expected one of " + ListFamilies() +
                      ", or a dense model with hidden_act silu and the keys of llama");
    }
    shape.notes.push_back("model_type " + shape.family + " is not known: read as llama");
    return *FindFamily("llama");
}

/** Everything that a GPT-2 file says. */
void
ReadGpt(const ModelConfigKeys& keys, ModelShape& shape)
{
    shape.layers = keys.GetCount({"n_layer"}, MAX_LAYERS);
    shape.hidden = keys.GetCount({"n_embd"}, MAX_WIDTH);
    shape.heads = keys.GetCount({"n_head"}, MAX_HEADS);
    shape.vocabulary = keys.GetCount({"vocab_size"}, MAX_ROWS);
    shape.positions = keys.GetCount({"n_positions", "n_ctx"}, MAX_ROWS);
    if (!keys.Has({"n_inner"}))
    {
        shape.notes.push_back("n_inner is missing: 4 x n_embd = " +
                              std::to_string(4 * shape.hidden));
    }
    shape.ffn = keys.GetCountOr({"n_inner"}, MAX_FFN, 4 * shape.hidden);
    shape.kvHeads = shape.heads;
    if (shape.hidden % shape.heads != 0)
    {
        keys.Fail("'n_head'",
                  "expected a divisor of n_embd " + std::to_string(shape.hidden) + ", found " +
                      std::to_string(shape.heads));
    }
    shape.headDim = shape.hidden / shape.heads;
    shape.valueDim = shape.headDim;
    shape.gatedMlp = false;
    shape.normBias = true;
    shape.outputBias = true;
    shape.mlpBias = true;
}

/** Attention of the Llama, Qwen and GLM families. */
void
ReadGroupedAttention(const ModelConfigKeys& keys, ModelShape& shape)
{
    const bool multiQuery = keys.GetFlag({"multi_query_attention"}, true);
    shape.kvHeads = shape.heads;
    if (!keys.Has({"num_key_value_heads", "multi_query_group_num"}))
    {
        shape.notes.push_back("num_key_value_heads is missing: as many as heads");
    }
    else if (multiQuery)
    {
        shape.kvHeads = keys.GetCount({"num_key_value_heads", "multi_query_group_num"}, MAX_HEADS);
    }
    if (shape.heads % shape.kvHeads != 0)
    {
        keys.Fail("'num_key_value_heads'",
                  "expected a divisor of the " + std::to_string(shape.heads) + " heads, found " +
                      std::to_string(shape.kvHeads));
    }
    if (!keys.Has({"head_dim", "kv_channels"}) && shape.hidden % shape.heads != 0)
    {
        keys.Fail("'num_attention_heads'",
                  "expected a divisor of the hidden size " + std::to_string(shape.hidden) +
                      " (or the key head_dim), found " + std::to_string(shape.heads));
    }
    shape.headDim =
        keys.GetCountOr({"head_dim", "kv_channels"}, MAX_WIDTH, shape.hidden / shape.heads);
    shape.valueDim = shape.headDim;
}

/** Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434). */
void
ReadLatentAttention(const ModelConfigKeys& keys, ModelShape& shape)
{
    shape.kvHeads = shape.heads;
    shape.queryRank = keys.GetCountOr({"q_lora_rank"}, MAX_WIDTH, 0);
    shape.latentRank = keys.GetCount({"kv_lora_rank"}, MAX_WIDTH);
    shape.nopeDim = keys.GetCount({"qk_nope_head_dim"}, MAX_WIDTH);
    shape.ropeDim = keys.GetCount({"qk_rope_head_dim"}, MAX_WIDTH);
    shape.valueDim = keys.GetCount({"v_head_dim"}, MAX_WIDTH);
    shape.headDim = shape.nopeDim + shape.ropeDim;
}

/** Experts of the sparse blocks, if the file has any. */
void
ReadExperts(const ModelConfigKeys& keys, ModelShape& shape)
{
    const ModelConfigKeys::Names expertKeys{"n_routed_experts", "num_experts", "num_local_experts"};
    shape.experts = keys.GetCountOr(expertKeys, MAX_EXPERTS, 0, 0);
    if (shape.experts == 0)
    {
        return;
    }
    shape.expertsPerToken = keys.GetCount({"num_experts_per_tok"}, shape.experts);
    shape.expertFfn = keys.GetCount({"moe_intermediate_size", "intermediate_size"}, MAX_FFN);
    const uint32_t shared = keys.GetCountOr({"n_shared_experts"}, MAX_EXPERTS, 0, 0);
    const uint64_t sharedFfn = static_cast<uint64_t>(shared) * shape.expertFfn;
    if (sharedFfn > MAX_FFN)
    {
        keys.Fail("'n_shared_experts'",
                  "expected a total width up to " + std::to_string(MAX_FFN) + ", found " +
                      std::to_string(sharedFfn));
    }
    shape.sharedExpertFfn = keys.GetCountOr({"shared_expert_intermediate_size"},
                                            MAX_FFN,
                                            static_cast<uint32_t>(sharedFfn));
    shape.denseLayers = keys.GetCountOr({"first_k_dense_replace"}, shape.layers, 0, 0);
    shape.routerBias = keys.GetText({"topk_method"}) == "noaux_tc";
    // Files that mix sparse and dense blocks in turns exist, but no model of the table ships so.
    keys.GetCountOr({"moe_layer_freq", "decoder_sparse_step"}, 1, 1);
}

/** Everything that a file of the Llama, Qwen, GLM or DeepSeek families says. */
void
ReadLlamaLike(const ModelConfigKeys& keys, const Family& family, ModelShape& shape)
{
    shape.layers = keys.GetCount({"num_hidden_layers", "num_layers"}, MAX_LAYERS);
    shape.hidden = keys.GetCount({"hidden_size"}, MAX_WIDTH);
    shape.heads = keys.GetCount({"num_attention_heads"}, MAX_HEADS);
    shape.vocabulary = keys.GetCount({"padded_vocab_size", "vocab_size"}, MAX_ROWS);
    if (family.Has(LATENT_ATTENTION))
    {
        ReadLatentAttention(keys, shape);
    }
    else
    {
        ReadGroupedAttention(keys, shape);
    }
    ReadExperts(keys, shape);
    if (shape.experts == 0 || shape.denseLayers > 0)
    {
        shape.ffn = keys.GetCount({"intermediate_size", "ffn_hidden_size"}, MAX_FFN);
    }
    const bool allBias = keys.GetFlag({"add_bias_linear"}, false);
    const bool attentionBias = keys.GetFlag({"attention_bias"}, false);
    shape.qkvBias =
        keys.GetFlag({"attention_bias", "add_qkv_bias", "qkv_bias"}, family.Has(QKV_BIAS)) ||
        allBias;
    shape.outputBias = (family.Has(BIAS_ON_OUTPUT) && attentionBias) || allBias;
    shape.mlpBias = keys.GetFlag({"mlp_bias"}, false) || allBias;
    shape.normBias = !keys.GetFlag({"rmsnorm"}, true);
    shape.qkNorm = keys.GetFlag({"use_qk_norm"}, family.Has(QK_NORM));
}

/** Refuse shapes whose list of tensors would not fit in memory, or whose counts would not fit in 64
 * bits. */
void
CheckSize(const ModelConfigKeys& keys, const ModelShape& shape)
{
    const double sparse = shape.experts > 0 ? shape.layers - shape.denseLayers : 0.0;
    const double hidden = shape.hidden;
    const double tensors = 20.0 * shape.layers + 3.0 * sparse * shape.experts;
    const double attention = 4.0 * (hidden + shape.queryRank + shape.latentRank) * shape.heads *
                             (static_cast<double>(shape.headDim) + shape.valueDim);
    const double parameters =
        shape.layers * (attention + 3 * hidden * shape.ffn) +
        3 * sparse * hidden *
            (static_cast<double>(shape.experts) * shape.expertFfn + shape.sharedExpertFfn) +
        hidden * (2.0 * shape.vocabulary + shape.positions);
    if (tensors > MAX_PARAMETER_TENSORS || parameters > MAX_PARAMETERS)
    {
        keys.Fail("'hidden_size' and others",
                  "together they make a model of more than 1e16 parameters or 4e6 tensors; "
                  "expected a plausible one");
    }
}

/** @returns true if something of that name can be opened */
bool
Exists(const std::string& path)
{
    return std::ifstream(path).good();
}

} // namespace

ModelShape
ParseModelShape(const std::string& text, const std::string& where)
{
    const boost::json::object document = ParseJsonObject(text, where);
    const boost::json::value* inner = document.if_contains("text_config");
    const bool nested = inner && inner->is_object();
    const ModelConfigKeys keys(nested ? inner->get_object() : document, where);
    ModelShape shape;
    shape.name = where;
    if (nested)
    {
        shape.notes.push_back("only text_config is read");
    }
    const Family& family = ChooseFamily(keys, shape);
    shape.qkvBias = family.Has(QKV_BIAS);
    shape.normFirst = family.Has(NORM_FIRST);
    shape.sandwichNorm = family.Has(SANDWICH_NORM);
    shape.fusedQkv = family.Has(FUSED_QKV);
    shape.fusedGateUp = family.Has(FUSED_GATE_UP);
    shape.routerFirst = family.Has(ROUTER_FIRST);
    shape.sharedExpertGate = family.Has(SHARED_GATE);
    if (family.Has(GPT_KEYS))
    {
        ReadGpt(keys, shape);
    }
    else
    {
        ReadLlamaLike(keys, family, shape);
    }
    if (!keys.Has({"tie_word_embeddings"}))
    {
        shape.notes.push_back(std::string("tie_word_embeddings is missing: ") +
                              (family.Has(TIED) ? "tied" : "not tied"));
    }
    shape.tiedEmbedding = keys.GetFlag({"tie_word_embeddings"}, family.Has(TIED));
    if (keys.GetCountOr({"num_nextn_predict_layers"}, MAX_LAYERS, 0, 0) > 0)
    {
        shape.notes.push_back("num_nextn_predict_layers: these extra layers are left out");
    }
    CheckSize(keys, shape);
    return shape;
}

ModelShape
LoadModel(const std::string& nameOrPath, const std::string& modelDir)
{
    const bool isName = !nameOrPath.empty() && nameOrPath.find('/') == std::string::npos;
    const std::string builtIn = modelDir + "/" + nameOrPath + ".json";
    const bool found = isName && Exists(builtIn);
    if (!found && !Exists(nameOrPath))
    {
        std::string names;
        for (const std::string& name : GetBuiltInModelNames())
        {
            names += (names.empty() ? "" : ", ") + name;
        }
        throw std::runtime_error("model '" + nameOrPath + "' is not known: expected one of " +
                                 names + " (looked in " + modelDir +
                                 "), or the path of a readable config.json");
    }
    const std::string path = found ? builtIn : nameOrPath;
    ModelShape shape = ParseModelShape(ReadTextFile(path, MAX_CONFIG_BYTES), path);
    shape.name = nameOrPath;
    return shape;
}

const std::vector<std::string>&
GetBuiltInModelNames()
{
    static const std::vector<std::string> names{"gpt2-xl",
                                                "qwen2.5-0.5b",
                                                "llama-3-8b",
                                                "glm-4-9b"};
    return names;
}

} // namespace ns3
