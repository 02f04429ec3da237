#include "host/formats/hugging_face_checkpoint.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/model/rope.hpp"
#include "host/core/failure.hpp"
#include "host/formats/hugging_face_config.hpp"
#include "host/formats/safetensors_test_file.hpp"
#include "host/io/read_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace pspllm::host {
namespace {

using nlohmann::json;
using pspllm::testing::TemporaryFolder;
using testing::SafetensorsTestFile;

constexpr std::uint64_t dim = 16;
constexpr std::uint64_t hidden_dim = 12;
constexpr std::uint64_t vocab_size = 1000;
constexpr std::uint64_t n_heads = 4;

json config_of(std::uint64_t n_kv_heads, bool tied) {
  return {{"architectures", {"LlamaForCausalLM"}},
          {"hidden_size", dim},
          {"intermediate_size", hidden_dim},
          {"num_hidden_layers", 2},
          {"num_attention_heads", n_heads},
          {"num_key_value_heads", n_kv_heads},
          {"vocab_size", vocab_size},
          {"max_position_embeddings", 64},
          {"rms_norm_eps", 1e-5},
          {"rope_theta", 100000.0},
          {"tie_word_embeddings", tied},
          {"hidden_act", "silu"},
          {"bos_token_id", 0},
          {"eos_token_id", {2, 1}}};
}

/// Every element is its row plus a fraction that tells its column.
std::vector<float> numbered(std::uint64_t rows, std::uint64_t cols) {
  std::vector<float> values(rows * cols);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(i / cols) + static_cast<float>(i % cols) / 64.0F;
  }
  return values;
}

void add_layer(SafetensorsTestFile& file, std::uint32_t layer, std::uint64_t kv_dim) {
  const std::string prefix = "model.layers." + std::to_string(layer) + ".";
  const auto add = [&](const std::string& name, std::uint64_t rows, std::uint64_t cols) {
    file.add_floats(prefix + name + ".weight", {rows, cols}, numbered(rows, cols));
  };
  file.add_floats(prefix + "input_layernorm.weight", {dim}, numbered(1, dim));
  file.add_floats(prefix + "post_attention_layernorm.weight", {dim}, numbered(1, dim));
  add("self_attn.q_proj", dim, dim);
  add("self_attn.k_proj", kv_dim, dim);
  add("self_attn.v_proj", kv_dim, dim);
  add("self_attn.o_proj", dim, dim);
  add("mlp.gate_proj", hidden_dim, dim);
  add("mlp.up_proj", hidden_dim, dim);
  add("mlp.down_proj", dim, hidden_dim);
}

void add_ends(SafetensorsTestFile& file, bool tied) {
  file.add_floats("model.embed_tokens.weight", {vocab_size, dim}, numbered(vocab_size, dim));
  file.add_floats("model.norm.weight", {dim}, numbered(1, dim));
  if (!tied) file.add_floats("lm_head.weight", {vocab_size, dim}, numbered(vocab_size, dim));
}

/// A model's folder, to spoil at will.
struct ModelFolder {
  explicit ModelFolder(std::uint64_t n_kv_heads = 2, bool tied = true) {
    folder.write("config.json", config_of(n_kv_heads, tied).dump());
    folder.write("tokenizer.json", read_text("tests/tokenizers/gpt2.json"));
    SafetensorsTestFile file;
    add_ends(file, tied);
    for (const std::uint32_t layer : {0U, 1U}) add_layer(file, layer, dim / n_heads * n_kv_heads);
    folder.write("model.safetensors", file.bytes());
  }

  void change_config(const json& patch) const {
    json config = config_of(2, true);
    config.merge_patch(patch);
    folder.write("config.json", config.dump());
  }
  [[nodiscard]] Checkpoint open() const { return open_hugging_face_checkpoint(folder.path("")); }
  void check_refused(const char* part) const {
    CHECK_THROWS_WITH_AS((void)open(), doctest::Contains(part), Failure);
  }
  void check_config_refused(const json& patch, const char* part) const {
    change_config(patch);
    CAPTURE(patch.dump());
    check_refused(part);
  }

  TemporaryFolder folder;
};

std::vector<float> read(const Checkpoint& checkpoint, TensorRole role) {
  for (const CheckpointTensor& tensor : checkpoint.tensors) {
    if (tensor.role == role) return checkpoint.read(tensor);
  }
  throw Failure("no such tensor");
}

}  // namespace

TEST_CASE("a folder is imported, tied or not, with one, two or all key/value heads") {
  for (const bool tied : {true, false}) {
    for (const std::uint32_t n_kv_heads : {1U, 2U, 4U}) {
      CAPTURE(n_kv_heads);
      const ModelFolder model(n_kv_heads, tied);
      const Checkpoint checkpoint = model.open();
      CHECK(checkpoint.config.n_kv_heads == n_kv_heads);
      CHECK(checkpoint.config.tied_classifier == tied);
      CHECK(checkpoint.config.rope_base == 100000.0F);
      CHECK(checkpoint.tokenizer_kind == PspmTokenizerKind::byte_level);
      CHECK_FALSE(checkpoint.tokenizer.empty());
      CHECK(checkpoint.tensors.size() == (tied ? 20U : 21U));
      CHECK(read(checkpoint, TensorRole::value) == numbered(4 * n_kv_heads, dim));
      // Head by head 0 2 1 3: rows of the two halves take turns. Keys have their own number of heads.
      for (const TensorRole role : {TensorRole::query, TensorRole::key}) {
        const std::vector<float> rows = read(checkpoint, role);
        REQUIRE(rows.size() == (role == TensorRole::key ? 4 * n_kv_heads : dim) * dim);
        for (std::size_t row = 0; row < rows.size() / dim; ++row) {
          constexpr std::size_t order[] = {0, 2, 1, 3};
          CHECK(rows[row * dim] == static_cast<float>(row / 4 * 4 + order[row % 4]));
        }
      }
    }
  }
}

TEST_CASE("interleaved rows rotate as Hugging Face's halves do") {
  constexpr std::uint32_t head_dim = 8;
  std::vector<float> x(head_dim);
  for (std::uint32_t i = 0; i < head_dim; ++i) x[i] = std::sin(static_cast<float>(i) + 1.0F);
  const std::vector<float> frequencies{1.0F, 0.3F, 0.1F, 0.02F};
  constexpr std::uint32_t position = 5;
  std::vector<float> table_row(head_dim);
  fill_rope_rows(frequencies, position, 1, table_row.data());
  // A matrix of one column: its rows are the head itself.
  std::vector<float> ours = interleave_rope_rows(x, 1, head_dim);
  rotate(ours.data(), table_row.data(), 1, head_dim);
  std::vector<float> theirs(head_dim);
  for (std::uint32_t i = 0; i < head_dim / 2; ++i) {
    const float angle = static_cast<float>(position) * frequencies[i];
    theirs[i] = x[i] * std::cos(angle) - x[i + head_dim / 2] * std::sin(angle);
    theirs[i + head_dim / 2] = x[i + head_dim / 2] * std::cos(angle) + x[i] * std::sin(angle);
  }
  const std::vector<float> expected = interleave_rope_rows(theirs, 1, head_dim);
  for (std::uint32_t i = 0; i < head_dim; ++i) CHECK(ours[i] == doctest::Approx(expected[i]));
}

TEST_CASE("shards are one model, and an index that lies is refused") {
  const ModelFolder model;
  const Checkpoint whole = model.open();
  SafetensorsTestFile first;
  add_ends(first, true);
  SafetensorsTestFile second;
  for (const std::uint32_t layer : {0U, 1U}) add_layer(second, layer, 8);
  json map;
  for (const auto& [name, entry] : first.directory.items()) {
    if (name != "__metadata__") map[name] = "a.safetensors";
  }
  for (const auto& [name, entry] : second.directory.items()) {
    if (name != "__metadata__") map[name] = "b.safetensors";
  }
  std::filesystem::remove(model.folder.path("model.safetensors"));
  model.check_refused("neither model.safetensors nor model.safetensors.index.json");
  model.folder.write("a.safetensors", first.bytes());
  model.folder.write("b.safetensors", second.bytes());
  const auto write_index = [&] {
    model.folder.write("model.safetensors.index.json", json{{"weight_map", map}}.dump());
  };
  write_index();
  const Checkpoint sharded = model.open();
  REQUIRE(sharded.tensors.size() == whole.tensors.size());
  for (std::size_t i = 0; i < whole.tensors.size(); ++i) {
    CHECK(sharded.read(sharded.tensors[i]) == whole.read(whole.tensors[i]));
  }
  map["model.norm.weight"] = "b.safetensors";
  write_index();
  model.check_refused("model.norm.weight is missing although the index says it is here");
  map["model.norm.weight"] = "../a.safetensors";
  write_index();
  model.check_refused("expected the name of a file in the folder");
  map["model.norm.weight"] = "c.safetensors";
  write_index();
  model.check_refused("c.safetensors");
  model.folder.write("model.safetensors.index.json", "{}");
  model.check_refused("no \"weight_map\"");
}

TEST_CASE("settings that are not supported are refused by name") {
  const ModelFolder model;
  model.check_config_refused({{"architectures", {"MistralForCausalLM"}}}, "MistralForCausalLM");
  model.check_config_refused({{"head_dim", 8}}, "head_dim is 8");
  model.check_config_refused({{"attention_bias", true}}, "attention_bias is true");
  model.check_config_refused({{"mlp_bias", true}}, "mlp_bias is true");
  model.check_config_refused({{"hidden_act", "gelu"}}, "hidden_act is \"gelu\"");
  model.check_config_refused({{"rope_scaling", {{"rope_type", "yarn"}, {"factor", 2.0}}}}, "\"yarn\"");
  model.check_config_refused({{"rope_scaling", {{"factor", 2.0}}}}, "type null");
  model.check_config_refused({{"quantization_config", {{"quant_method", "gptq"}}}}, "gptq");
  model.check_config_refused({{"num_key_value_heads", 3}}, "not a multiple of n_kv_heads");
  model.check_config_refused({{"num_attention_heads", 0}}, "n_heads is 0");
  model.check_config_refused({{"hidden_size", nullptr}}, "has no hidden_size");
  model.check_config_refused({{"hidden_size", "big"}}, "hidden_size is \"big\"");
  model.check_config_refused({{"rope_theta", -1.0}}, "rope_theta is -1.0");
  model.check_config_refused({{"eos_token_id", 5000}}, "eos_token_id is 5000");
  model.check_config_refused({{"vocab_size", 100}}, "expected [100, 16]");
}

TEST_CASE("RoPE scalings are read as transformers 4 and 5 write them") {
  const auto frequencies = [](const json& patch) {
    json config = config_of(2, true);
    config.merge_patch(patch);
    return read_hugging_face_config(config.dump(), "config.json").rope_frequencies;
  };
  const std::vector<float> plain = frequencies(json::object());
  REQUIRE(plain.size() == 2);
  CHECK(plain[1] == doctest::Approx(1.0 / std::sqrt(100000.0)));
  CHECK(frequencies({{"rope_scaling", {{"type", "linear"}, {"factor", 4.0}}}})[0] == 0.25F);
  CHECK(frequencies({{"rope_parameters", {{"rope_type", "default"}, {"rope_theta", 10000.0}}}})[1] ==
        doctest::Approx(0.01));
  const std::vector<float> llama3 = frequencies({{"rope_scaling",
                                                  {{"rope_type", "llama3"},
                                                   {"factor", 32.0},
                                                   {"low_freq_factor", 1.0},
                                                   {"high_freq_factor", 4.0},
                                                   {"original_max_position_embeddings", 128}}}});
  CHECK(llama3[0] == 1.0F);
  CHECK(llama3[1] == plain[1] / 32.0F);
}

TEST_CASE("a folder without its parts, and weights out of place, are refused by name") {
  const ModelFolder model;
  SafetensorsTestFile bias;
  add_ends(bias, true);
  for (const std::uint32_t layer : {0U, 1U}) add_layer(bias, layer, 8);
  bias.add_floats("model.layers.0.self_attn.q_proj.bias", {dim}, numbered(1, dim));
  model.folder.write("model.safetensors", bias.bytes());
  model.check_refused("q_proj.bias has no place");
  SafetensorsTestFile integer;
  add_ends(integer, true);
  for (const std::uint32_t layer : {0U, 1U}) add_layer(integer, layer, 8);
  integer.directory["model.norm.weight"]["dtype"] = "I32";
  model.folder.write("model.safetensors", integer.bytes());
  model.check_refused("model.norm.weight is I32, which is not supported");
  std::filesystem::remove(model.folder.path("config.json"));
  model.check_refused("there is no config.json");
  const ModelFolder other;
  std::filesystem::remove(other.folder.path("tokenizer.json"));
  other.check_refused("there is no tokenizer.json");
}

TEST_CASE("the model card's licence goes along") {
  const ModelFolder model;
  model.folder.write("README.md", "---\nlanguage: en\nlicense: apache-2.0\ntags: x\n---\n# Model\n");
  const Checkpoint checkpoint = model.open();
  CHECK(checkpoint.about.ends_with("\nlicense: apache-2.0\n"));
}

}  // namespace pspllm::host
