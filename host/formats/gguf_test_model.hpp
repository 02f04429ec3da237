// Whole Llama models as GGUF files, small enough for tests.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "host/formats/gguf_test_file.hpp"

namespace pspllm::host::testing {

struct Shape {
  std::uint32_t dim = 8;
  std::uint32_t hidden_dim = 12;
  std::uint32_t n_layers = 2;
  std::uint32_t n_heads = 2;
  std::uint32_t n_kv_heads = 1;
  std::uint32_t vocab_size = 300;
  bool tied = true;
};

inline std::vector<float> counted(std::size_t count, float first) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = first + static_cast<float>(i) / 64.0F;
  return values;
}

inline void add_metadata(GgufTestFile& file, const Shape& shape) {
  file.add("general.architecture", std::string_view("llama"));
  file.add("general.name", std::string_view("Tiny"));
  file.add("general.license", std::string_view("mit"));
  file.add("llama.embedding_length", shape.dim);
  file.add("llama.feed_forward_length", shape.hidden_dim);
  file.add("llama.block_count", shape.n_layers);
  file.add("llama.attention.head_count", shape.n_heads);
  file.add("llama.attention.head_count_kv", shape.n_kv_heads);
  file.add("llama.context_length", std::uint32_t{64});
  file.add("llama.rope.freq_base", 100000.0F);
  file.add("llama.attention.layer_norm_rms_epsilon", 1e-6F);
}

/// A SentencePiece vocabulary.
inline void add_llama_tokenizer(GgufTestFile& file, const Shape& shape) {
  file.add("tokenizer.ggml.model", std::string_view("llama"));
  std::vector<std::string> pieces{"<unk>", "<s>", "</s>"};
  for (std::uint32_t i = 3; i < shape.vocab_size; ++i) pieces.push_back("\xe2\x96\x81p" + std::to_string(i));
  file.add("tokenizer.ggml.tokens", pieces);
  file.add("tokenizer.ggml.scores", counted(shape.vocab_size, -1.0F));
}

inline void add_tensors(GgufTestFile& file, const Shape& shape) {
  const std::uint64_t dim = shape.dim;
  const std::uint64_t kv_dim = dim / shape.n_heads * shape.n_kv_heads;
  const auto add = [&](const std::string& name, std::uint64_t cols, std::uint64_t rows) {
    file.add_tensor(name, {cols, rows}, counted(cols * rows, static_cast<float>(file.n_tensors)));
  };
  add("token_embd.weight", dim, shape.vocab_size);
  for (std::uint32_t layer = 0; layer < shape.n_layers; ++layer) {
    const std::string prefix = "blk." + std::to_string(layer) + ".";
    file.add_tensor(prefix + "attn_norm.weight", {dim}, counted(dim, 1));
    file.add_tensor(prefix + "ffn_norm.weight", {dim}, counted(dim, 2));
    add(prefix + "attn_q.weight", dim, dim);
    add(prefix + "attn_k.weight", dim, kv_dim);
    add(prefix + "attn_v.weight", dim, kv_dim);
    add(prefix + "attn_output.weight", dim, dim);
    add(prefix + "ffn_gate.weight", dim, shape.hidden_dim);
    add(prefix + "ffn_up.weight", dim, shape.hidden_dim);
    add(prefix + "ffn_down.weight", shape.hidden_dim, dim);
  }
  file.add_tensor("output_norm.weight", {dim}, counted(dim, 3));
  if (!shape.tied) add("output.weight", dim, shape.vocab_size);
}

/// A whole model whose vocabulary `add_tokenizer` adds.
inline GgufTestFile tiny_model_with(const Shape& shape,
                                    const std::function<void(GgufTestFile&)>& add_tokenizer) {
  GgufTestFile file;
  add_metadata(file, shape);
  add_tokenizer(file);
  add_tensors(file, shape);
  return file;
}

/// A whole model; `add_more` may add metadata.
inline GgufTestFile tiny_model(const Shape& shape, const std::function<void(GgufTestFile&)>& add_more = {}) {
  return tiny_model_with(shape, [&](GgufTestFile& file) {
    add_llama_tokenizer(file, shape);
    if (add_more) add_more(file);
  });
}

}  // namespace pspllm::host::testing
