/*
 * Copyright (c) 2026 ai-fabric authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/model-shape.h"
#include "ns3/parameter-tensors.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <stdexcept>

using namespace ns3;

namespace
{

/** @returns the message of the exception that reading a text throws, empty if none */
std::string
ErrorOf(const std::string& text)
{
    try
    {
        ParseModelShape(text, "m.json");
    }
    catch (const std::runtime_error& error)
    {
        return error.what();
    }
    return "";
}

/** @returns the message of the exception that LoadModel throws, empty if none */
std::string
LoadErrorOf(const std::string& name)
{
    try
    {
        LoadModel(name, AI_FABRIC_MODEL_DIR);
    }
    catch (const std::runtime_error& error)
    {
        return error.what();
    }
    return "";
}

/** @returns a small llama config in which one key has another value; an empty value leaves the key
 * out */
std::string
Llama(const std::string& key = "", const std::string& value = "")
{
    std::vector<std::pair<std::string, std::string>> keys{
        {"model_type", "\"llama\""},
        {"num_hidden_layers", "2"},
        {"hidden_size", "64"},
        {"num_attention_heads", "4"},
        {"num_key_value_heads", "2"},
        {"intermediate_size", "100"},
        {"vocab_size", "1000"},
    };
    bool known = false;
    for (auto& entry : keys)
    {
        if (entry.first == key)
        {
            entry.second = value;
            known = true;
        }
    }
    if (!known && !key.empty())
    {
        keys.emplace_back(key, value);
    }
    std::string text;
    for (const auto& entry : keys)
    {
        if (!entry.second.empty())
        {
            text += (text.empty() ? "{\"" : ", \"") + entry.first + "\": " + entry.second;
        }
    }
    return text + "}";
}

/** @returns number of parameters of a config text */
uint64_t
Count(const std::string& text)
{
    return CountParameters(ListParameters(ParseModelShape(text, "m.json")));
}

/** @returns the number that stands before a word, empty if there is none */
std::string
NumberBefore(const std::string& text, const std::string& word)
{
    const std::size_t end = text.find(" " + word);
    if (end == std::string::npos || end == 0)
    {
        return "";
    }
    const std::size_t space = text.rfind(' ', end - 1);
    return text.substr(space + 1, end - space - 1);
}

} // namespace

TEST(TrainingModel, BuiltInModelsHaveThePublishedParameterCounts)
{
    const std::pair<const char*, uint64_t> published[] = {
        {"gpt2-xl", 1557611200},
        {"qwen2.5-0.5b", 494032768},
        {"llama-3-8b", 8030261248},
        {"glm-4-9b", 9399951360},
    };
    ASSERT_EQ(GetBuiltInModelNames().size(), std::size(published));
    for (const auto& [name, parameters] : published)
    {
        const ModelShape shape = LoadModel(name, AI_FABRIC_MODEL_DIR);
        const auto tensors = ListParameters(shape);
        EXPECT_EQ(CountParameters(tensors), parameters) << name;
        EXPECT_EQ(CountActiveParameters(shape, tensors), parameters) << name;
        EXPECT_EQ(shape.name, name);
    }
}

TEST(TrainingModel, TensorsComeInRegistrationOrder)
{
    const auto tensors = ListParameters(ParseModelShape(Llama(), "m.json"));
    // 64 wide, 4 heads of 16, 2 key-value heads, 100 inner.
    const std::vector<std::pair<std::string, uint64_t>> expected{
        {"embedding", 64000},
        {"layers.0.attention.q.weight", 4096},
        {"layers.0.attention.k.weight", 2048},
        {"layers.0.attention.v.weight", 2048},
        {"layers.0.attention.o.weight", 4096},
        {"layers.0.mlp.gate.weight", 6400},
        {"layers.0.mlp.up.weight", 6400},
        {"layers.0.mlp.down.weight", 6400},
        {"layers.0.input_norm.weight", 64},
        {"layers.0.post_attention_norm.weight", 64},
    };
    ASSERT_EQ(tensors.size(), 1 + 2 * 9 + 2U);
    for (std::size_t i = 0; i < expected.size(); ++i)
    {
        EXPECT_EQ(tensors[i].name, expected[i].first);
        EXPECT_EQ(tensors[i].elements, expected[i].second);
        EXPECT_EQ(tensors[i].layer, i == 0 ? 0U : 1U);
    }
    EXPECT_EQ(tensors[10].layer, 2U);
    EXPECT_EQ(tensors[19].name, "final_norm.weight");
    EXPECT_EQ(tensors[19].layer, 3U);
    EXPECT_EQ(tensors[20].name, "head");
}

TEST(TrainingModel, GptRegistersNormsFirstAndBiasesAfterMatrices)
{
    const auto tensors = ListParameters(LoadModel("gpt2-xl", AI_FABRIC_MODEL_DIR));
    const std::vector<std::string> expected{"embedding",
                                            "positions",
                                            "layers.0.input_norm.weight",
                                            "layers.0.input_norm.bias",
                                            "layers.0.attention.qkv.weight",
                                            "layers.0.attention.qkv.bias",
                                            "layers.0.attention.o.weight",
                                            "layers.0.attention.o.bias",
                                            "layers.0.post_attention_norm.weight",
                                            "layers.0.post_attention_norm.bias",
                                            "layers.0.mlp.up.weight",
                                            "layers.0.mlp.up.bias",
                                            "layers.0.mlp.down.weight",
                                            "layers.0.mlp.down.bias"};
    for (std::size_t i = 0; i < expected.size(); ++i)
    {
        EXPECT_EQ(tensors.at(i).name, expected[i]);
    }
    EXPECT_EQ(tensors.size(), 2 + 48 * 12 + 2U);
}

TEST(TrainingModel, OptionalKeysChangeTheCount)
{
    const uint64_t base = Count(Llama());
    EXPECT_EQ(base, 2 * 64000U + 2 * (4096 * 2 + 2048 * 2 + 3 * 6400 + 128) + 64);
    EXPECT_EQ(Count(Llama("tie_word_embeddings", "true")), base - 64000);
    EXPECT_EQ(Count(Llama("attention_bias", "true")), base + 2 * (64 + 32 + 32 + 64));
    EXPECT_EQ(Count(Llama("mlp_bias", "true")), base + 2 * (100 + 100 + 64));
    EXPECT_EQ(Count(Llama("num_key_value_heads", "")), base + 2 * 2 * 2048);
    EXPECT_EQ(Count(Llama("num_key_value_heads", "null")), base + 2 * 2 * 2048);
    EXPECT_EQ(Count(Llama("head_dim", "32")), base + 2 * (4096 * 2 + 2048 * 2));
    EXPECT_EQ(Count(Llama("model_type", "\"qwen2\"")), base + 2 * (64 + 32 + 32));
    EXPECT_EQ(Count(Llama("model_type", "\"qwen3\"")), base + 2 * 2 * 16);
    EXPECT_EQ(Count(Llama("model_type", "\"glm4\"")), base + 2 * 2 * 64);
    EXPECT_EQ(Count("{\"text_config\": " + Llama() + ", \"vision_config\": {}}"), base);
    EXPECT_EQ(Count("\xEF\xBB\xBF" + Llama()), base);
}

TEST(TrainingModel, DefaultsAreNoted)
{
    const ModelShape shape = ParseModelShape(
        R"({"n_layer": 1, "n_embd": 8, "n_head": 2, "n_positions": 4, "vocab_size": 10,
            "n_inner": null})",
        "m.json");
    EXPECT_EQ(shape.ffn, 32U);
    EXPECT_TRUE(shape.tiedEmbedding);
    ASSERT_EQ(shape.notes.size(), 3U);
    EXPECT_EQ(shape.notes[0], "model_type is missing: read as gpt2");
    EXPECT_EQ(shape.notes[1], "n_inner is missing: 4 x n_embd = 32");
    EXPECT_EQ(shape.notes[2], "tie_word_embeddings is missing: tied");
}

TEST(TrainingModel, SparseLatentModel)
{
    const ModelShape shape =
        LoadModel(AI_FABRIC_TEST_DATA_DIR "/models/tiny-sparse.json", AI_FABRIC_MODEL_DIR);
    const auto tensors = ListParameters(shape);
    const uint64_t attention =
        10 * 4 + 4 + 4 * 2 * 7 + 10 * (3 + 2) + 3 + 3 * 2 * (5 + 6) + 12 * 10;
    const uint64_t expert = 3 * 10 * 7;
    const uint64_t dense = 3 * 10 * 20;
    const uint64_t router = 10 * 4 + 4;
    const uint64_t rest = 2 * 1000 + 10 + 3 * (attention + 20) + dense + 2 * (router + expert);
    EXPECT_EQ(CountParameters(tensors), rest + 2 * 4 * expert);
    EXPECT_EQ(CountActiveParameters(shape, tensors), rest + 2 * 2 * expert);
    EXPECT_FALSE(shape.IsSparse(0));
    EXPECT_TRUE(shape.IsSparse(1));
}

TEST(TrainingModel, MixtralCountIsThePublishedOne)
{
    // Shape of Mixtral 8x7B (arXiv 2401.04088).
    const std::string text = R"({"model_type": "mixtral", "num_hidden_layers": 32,
        "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8,
        "intermediate_size": 14336, "num_local_experts": 8, "num_experts_per_tok": 2,
        "vocab_size": 32000, "tie_word_embeddings": false})";
    const ModelShape shape = ParseModelShape(text, "m.json");
    const auto tensors = ListParameters(shape);
    EXPECT_EQ(CountParameters(tensors), 46702792704U);
    EXPECT_EQ(CountActiveParameters(shape, tensors), 12879925248U);
}

TEST(TrainingModel, BadFilesGiveOneClearLine)
{
    const std::string nested(100, '[');
    const std::pair<std::string, std::string> table[] = {
        {"", "m.json:1:1: not valid JSON"},
        {"[]", "m.json:1:1: expected a JSON object"},
        {"{", "the file ends too early"},
        {"{\"a\": 1}\n  x", "m.json:2:3: not valid JSON"},
        {"{\"a\": 1,\n \"b\" 2}", "m.json:2:6: not valid JSON"},
        {"{\"a\": NaN}", "m.json:1:7: not valid JSON"},
        {"{\"a\": " + nested, "not valid JSON"},
        {"{\"a\": \"\x01\"}", "byte 1"},
        {"{}", "key 'num_hidden_layers' or 'num_layers': missing"},
        {Llama("hidden_size", ""), "key 'hidden_size': missing"},
        {Llama("hidden_size", "null"), "key 'hidden_size': missing"},
        {Llama("hidden_size", "-64"), "whole number from 1 to 1048576, found -64"},
        {Llama("hidden_size", "0"), "whole number from 1 to 1048576, found 0"},
        {Llama("hidden_size", "64.5"), "found 6.45E1"},
        {Llama("hidden_size", "\"64\""), "found \"64\""},
        {Llama("hidden_size", "true"), "found true"},
        {Llama("hidden_size", "99999999999999999999"), "whole number from 1 to"},
        {Llama("hidden_size", "18446744073709551615"), "found 18446744073709551615"},
        {Llama("hidden_size", "66"), "expected a divisor of the hidden size 66"},
        {Llama("num_key_value_heads", "3"), "expected a divisor of the 4 heads, found 3"},
        {Llama("num_key_value_heads", "8"), "expected a divisor of the 4 heads, found 8"},
        {Llama("num_hidden_layers", "10001"), "whole number from 1 to 10000, found 10001"},
        {Llama("vocab_size", "[1000]"), "found [1000]"},
        {Llama("tie_word_embeddings", "1"), "expected true or false, found 1"},
        {Llama("model_type", "7"), "expected a text in quotes, found 7"},
        {Llama("model_type", "\"opt\""), "'opt' is not known; expected one of gpt2, llama"},
        {Llama("num_local_experts", "4"), "key 'num_experts_per_tok': missing"},
        {R"({"model_type": "gpt2", "n_layer": 1, "n_embd": 10, "n_head": 3, "n_positions": 4,
             "vocab_size": 9})",
         "key 'n_head': expected a divisor of n_embd 10, found 3"},
        {R"({"model_type": "qwen3_moe", "num_hidden_layers": 10000, "hidden_size": 1048576,
             "num_attention_heads": 16, "vocab_size": 9, "num_experts": 16384,
             "num_experts_per_tok": 1, "moe_intermediate_size": 16777216})",
         "expected a plausible one"},
        {R"({"model_type": "qwen3_moe", "num_hidden_layers": 4, "hidden_size": 64,
             "num_attention_heads": 4, "vocab_size": 9, "num_experts": 4, "decoder_sparse_step": 2,
             "num_experts_per_tok": 1, "moe_intermediate_size": 16})",
         "key 'decoder_sparse_step': expected a whole number from 1 to 1, found 2"},
    };
    for (const auto& [text, expected] : table)
    {
        const std::string message = ErrorOf(text);
        EXPECT_NE(message.find(expected), std::string::npos) << text << "\n -> " << message;
        EXPECT_EQ(message.rfind("m.json:", 0), 0U) << message;
        EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    }
    EXPECT_EQ(ErrorOf(Llama()), "");
}

TEST(TrainingModel, UnknownAndUnreadableModels)
{
    EXPECT_NE(LoadErrorOf("llama-9").find("gpt2-xl, qwen2.5-0.5b, llama-3-8b, glm-4-9b"),
              std::string::npos);
    EXPECT_NE(LoadErrorOf("").find("is not known"), std::string::npos);
    EXPECT_NE(LoadErrorOf("/nowhere/config.json").find("'/nowhere/config.json' is not known"),
              std::string::npos);
    EXPECT_NE(LoadErrorOf(AI_FABRIC_MODEL_DIR).find("can not be read"), std::string::npos);
    EXPECT_NE(LoadErrorOf(AI_FABRIC_TEST_DATA_DIR "/models/broken.json")
                  .find("broken.json:4:17: not valid JSON"),
              std::string::npos);
}

/** Files of the field, named by an environment variable; what they hold is written in their README.
 */
TEST(TrainingModel, FieldFiles)
{
    const char* samples = std::getenv("AI_FABRIC_SAMPLES");
    if (!samples)
    {
        GTEST_SKIP() << "AI_FABRIC_SAMPLES is not set";
    }
    const std::filesystem::path root(samples);
    std::ifstream readme(root / "README.md");
    const std::string text((std::istreambuf_iterator<char>(readme)),
                           std::istreambuf_iterator<char>());
    uint32_t checked = 0;
    for (const auto& entry : std::filesystem::directory_iterator(root / "hf-config"))
    {
        const std::string name = entry.path().filename().string();
        SCOPED_TRACE(name);
        const ModelShape shape = LoadModel(entry.path().string(), AI_FABRIC_MODEL_DIR);
        const auto tensors = ListParameters(shape);
        const std::size_t section = text.find("**" + name + "**");
        ASSERT_NE(section, std::string::npos);
        const std::size_t begin = text.find("- expect:", section);
        const std::string expect = text.substr(begin, text.find('\n', begin) - begin);
        EXPECT_EQ(std::to_string(CountParameters(tensors)), NumberBefore(expect, "parameters"));
        EXPECT_EQ(std::to_string(shape.layers), NumberBefore(expect, "layers"));
        EXPECT_NE(expect.find("hidden " + std::to_string(shape.hidden) + ","), std::string::npos);
        const std::string active = NumberBefore(expect, "active");
        if (!active.empty())
        {
            EXPECT_NEAR(static_cast<double>(CountActiveParameters(shape, tensors)),
                        std::stod(active),
                        5e6);
        }
        ++checked;
    }
    EXPECT_GT(checked, 0U);
}
