#include "host/formats/gguf_checkpoint.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "engine/model/model_file.hpp"
#include "host/core/failure.hpp"
#include "host/formats/gguf_test_model.hpp"
#include "host/formats/loaded_codec.hpp"
#include "host/io/file_source.hpp"
#include "tests/support/read_file.hpp"
#include "tests/support/shared_data.hpp"

namespace pspllm::host {
namespace {

using pspllm::testing::shared_data;
using testing::add_metadata;
using testing::counted;
using testing::GgufTestFile;
using testing::Shape;
using testing::tiny_model;
using testing::tiny_model_with;

/// Keeps the bytes that a checkpoint reads from.
struct Imported {
  explicit Imported(const GgufTestFile& file) : bytes(file.bytes()) {}
  std::string bytes;
  std::span<const std::byte> span = std::as_bytes(std::span(bytes));
  Checkpoint checkpoint = import_gguf(memory_source(&span), "model.gguf");
};

void check_refused(const GgufTestFile& file, const char* part) {
  CHECK_THROWS_WITH_AS(Imported{file}, doctest::Contains(part), Failure);
}

const CheckpointTensor& tensor_of(const Checkpoint& checkpoint, TensorRole role, std::uint32_t layer) {
  for (const CheckpointTensor& tensor : checkpoint.tensors) {
    if (tensor.role == role && tensor.layer == layer) return tensor;
  }
  throw Failure("no such tensor");
}

}  // namespace

TEST_CASE("shape, tensors and tokenizer are imported, tied or not, with one, two or all key/value heads") {
  for (const bool tied : {true, false}) {
    for (const std::uint32_t n_kv_heads : {1U, 2U, 4U}) {
      Shape shape;
      shape.n_heads = 4;
      shape.n_kv_heads = n_kv_heads;
      shape.tied = tied;
      const Imported imported(tiny_model(shape));
      const Checkpoint& checkpoint = imported.checkpoint;
      CHECK(checkpoint.config.dim == 8);
      CHECK(checkpoint.config.n_kv_heads == n_kv_heads);
      CHECK(checkpoint.config.tied_classifier == tied);
      CHECK(checkpoint.config.rope_base == 100000.0F);
      CHECK(checkpoint.config.norm_epsilon == 1e-6F);
      CHECK(checkpoint.config.seq_len == 64);
      CHECK(checkpoint.about == "name: Tiny\nlicense: mit\n");
      CHECK(checkpoint.rope_frequencies.size() == 1);
      CHECK(checkpoint.tokenizer_kind == PspmTokenizerKind::llama2c);
      CHECK(checkpoint.tensors.size() == 2 * 9 + 2 + (tied ? 0 : 1));
      CHECK(checkpoint.tensors.front().role == TensorRole::token_embedding);
      const CheckpointTensor& key = tensor_of(checkpoint, TensorRole::key, 1);
      CHECK(key.rows == 2 * n_kv_heads);
      CHECK(key.name == "blk.1.attn_k.weight");
      CHECK(key.source_type == "F32");
      const std::vector<float> values = checkpoint.read(key);
      CHECK(values.size() == std::size_t{key.rows} * key.cols);
      CHECK(values[1] - values[0] == 1.0F / 64.0F);
    }
  }
}

TEST_CASE("what is not a supported model is refused by name") {
  const Shape shape;
  GgufTestFile other;
  other.add("general.architecture", std::string_view("gemma2"));
  check_refused(other, "\"gemma2\", which is not supported; supported: llama");
  const auto with = [&](const char* key, auto value) {
    return tiny_model(shape, [&](GgufTestFile& file) { file.add(key, value); });
  };
  check_refused(with("llama.expert_count", std::uint32_t{8}), "mixture of experts");
  check_refused(with("llama.attention.key_length", std::uint32_t{16}), "embedding_length / head_count = 4");
  check_refused(with("llama.rope.dimension_count", std::uint32_t{2}), "llama.rope.dimension_count is 2");
  check_refused(with("llama.rope.scaling.type", std::string_view("yarn")),
                "\"yarn\", which is not supported");
  check_refused(with("tokenizer.ggml.add_space_prefix", false), "add_space_prefix");
  check_refused(with("tokenizer.ggml.eos_token_id", std::uint32_t{0}), "eos_token_id is 0");
  Shape heads;
  heads.n_heads = 4;
  heads.n_kv_heads = 3;
  check_refused(tiny_model(heads), "not a multiple of n_kv_heads");
}

TEST_CASE("tensors that are missing, too many, misshapen or of an unknown format are refused by name") {
  GgufTestFile bias = tiny_model({});
  bias.add_tensor("blk.0.attn_q.bias", {8}, counted(8, 0));
  check_refused(bias, "blk.0.attn_q.bias has no place");
  GgufTestFile missing;
  add_metadata(missing, {});
  missing.add_tensor("token_embd.weight", {8, 300}, counted(2400, 0));
  check_refused(missing, "blk.0.attn_norm.weight is missing");
  GgufTestFile format = tiny_model({});
  format.add_directory_entry("output.weight", {256, 1}, 16, format.data.size());
  format.data.resize(format.data.size() + 96);
  check_refused(format, "output.weight is [1, 256], expected [300, 8]");
}

TEST_CASE("weights that are not finite are refused with their place") {
  GgufTestFile file = tiny_model({});
  Imported imported(file);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  // The embedding is the first tensor of the data.
  std::memcpy(imported.bytes.data() + imported.bytes.size() - file.data.size() + 9 * sizeof nan, &nan,
              sizeof nan);
  CHECK_THROWS_WITH_AS((void)imported.checkpoint.read(imported.checkpoint.tensors.front()),
                       doctest::Contains("token_embd.weight is not a number at row 1, column 1"), Failure);
}

TEST_CASE("RoPE scalings change the frequencies") {
  const Shape shape;
  const Imported plain(tiny_model(shape));
  const Imported linear(tiny_model(shape, [](GgufTestFile& file) {
    file.add("llama.rope.scaling.type", std::string_view("linear"));
    file.add("llama.rope.scaling.factor", 4.0F);
  }));
  GgufTestFile llama3_file = tiny_model(shape);
  llama3_file.add_tensor("rope_freqs.weight", {2}, {1.0F, 8.0F});
  const Imported llama3(llama3_file);
  REQUIRE(plain.checkpoint.rope_frequencies.size() == 2);
  const float first = plain.checkpoint.rope_frequencies[0];
  const float second = plain.checkpoint.rope_frequencies[1];
  CHECK(first == 1.0F);
  CHECK(second == doctest::Approx(1.0 / std::sqrt(100000.0)));
  CHECK(linear.checkpoint.rope_frequencies == std::vector<float>{first / 4.0F, second / 4.0F});
  CHECK(llama3.checkpoint.rope_frequencies == std::vector<float>{first, second / 8.0F});
}

TEST_CASE("a byte-level vocabulary is imported, and what it may not have is refused by name") {
  Shape shape;
  shape.vocab_size = 5;
  const auto with = [&](const char* pre, const std::vector<std::string>& pieces,
                        const std::vector<std::string>& merges, const std::vector<std::int32_t>& types) {
    return tiny_model_with(shape, [&](GgufTestFile& file) {
      file.add("tokenizer.ggml.model", std::string_view("gpt2"));
      file.add("tokenizer.ggml.pre", std::string_view(pre));
      file.add("tokenizer.ggml.tokens", pieces);
      file.add("tokenizer.ggml.merges", merges);
      file.add("tokenizer.ggml.token_type", types);
      file.add("tokenizer.ggml.eos_token_id", std::uint32_t{0});
    });
  };
  const std::vector<std::string> pieces{"<|end|>", "a", "b", "\xc4\xa0", "ab"};
  const Imported imported(with("smollm", pieces, {"a b"}, {3, 1, 1, 1, 1}));
  CHECK(imported.checkpoint.tokenizer_kind == PspmTokenizerKind::byte_level);
  LoadedCodec loaded({PspmTokenizerKind::byte_level, shape.vocab_size, imported.checkpoint.tokenizer});
  const auto tokens = loaded.encode("ab a", TextPlace::beginning);
  CHECK(std::vector<std::int32_t>(tokens.begin(), tokens.end()) == std::vector<std::int32_t>{4, 3, 1});
  check_refused(with("qwen2", pieces, {"a b"}, {3, 1, 1, 1, 1}),
                "pre-tokenizer is qwen2, which is not supported");
  check_refused(with("smollm", pieces, {"ab"}, {3, 1, 1, 1, 1}), "merge \"ab\" is no pair");
  check_refused(with("smollm", pieces, {"a b"}, {4, 1, 1, 1, 1}), "type 4, which is not supported");
  check_refused(with("smollm", pieces, {"a b"}, {3, 1, 1}), "token_type has 3 elements");
  check_refused(with("smollm", {"a"}, {"a b"}, {1}), "tokens has 1 elements");
}

TEST_CASE("a llama2.c model that llama.cpp converted has the same weights and pieces") {
  const auto gguf_path = shared_data("data/models/stories260K.gguf");
  const auto bin_path = shared_data("data/models/stories260K.bin");
  const auto tokenizer_path = shared_data("data/models/tok512.bin");
  if (!gguf_path || !bin_path || !tokenizer_path) return;
  const Checkpoint checkpoint = open_gguf_checkpoint(*gguf_path);
  const FileSource bin(*bin_path, "model");
  ModelFile file;
  REQUIRE(read_model_file(bin.source(), file).ok());
  CHECK(checkpoint.config.dim == file.config.dim);
  CHECK(checkpoint.config.hidden_dim == file.config.hidden_dim);
  CHECK(checkpoint.config.n_layers == file.config.n_layers);
  CHECK(checkpoint.config.n_kv_heads == file.config.n_kv_heads);
  CHECK(checkpoint.config.vocab_size == file.config.vocab_size);
  std::size_t compared = 0;
  for (const TensorEntry& entry : file.tensors()) {
    if (entry.role == TensorRole::attention_norm || entry.role == TensorRole::ffn_norm) continue;
    const CheckpointTensor& tensor = tensor_of(checkpoint, entry.role, entry.layer);
    CAPTURE(tensor.name);
    std::vector<float> expected(entry.value_bytes / sizeof(float));
    const ByteSource source = bin.source();
    REQUIRE(source.read(source.context, entry.file_offset, std::as_writable_bytes(std::span(expected))).ok());
    CHECK(checkpoint.read(tensor) == expected);
    ++compared;
  }
  CHECK(compared == 1 + 5 * 7 + 1);
  const std::string tokenizer(reinterpret_cast<const char*>(checkpoint.tokenizer.data()),
                              checkpoint.tokenizer.size());
  CHECK(tokenizer == pspllm::testing::read_file(*tokenizer_path));
}

}  // namespace pspllm::host
