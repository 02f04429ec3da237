// The engine: one model in one memory block. Start-up is plan_memory(), one allocation by the caller,
// load_engine(); after that nothing is allocated and every pointer below points into the block.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/core/byte_source.hpp"
#include "engine/core/limits.hpp"
#include "engine/core/result.hpp"
#include "engine/model/config.hpp"
#include "engine/model/draft.hpp"
#include "engine/model/memory_plan.hpp"
#include "engine/model/model_file.hpp"
#include "engine/model/sampler.hpp"
#include "engine/ops/kernels.hpp"
#include "engine/ops/parallel.hpp"
#include "engine/text/text_codec.hpp"

namespace pspllm {

/// One decoder layer.
struct LayerWeights {
  const float* attention_norm = nullptr;  // [dim]
  Matrix query;                           // [dim, dim]
  Matrix key;                             // [kv_dim, dim]
  Matrix value;                           // [kv_dim, dim]
  Matrix attention_output;                // [dim, dim]
  const float* ffn_norm = nullptr;        // [dim]
  Matrix gate;                            // [hidden_dim, dim]
  Matrix up;                              // [hidden_dim, dim]
  Matrix down;                            // [dim, hidden_dim]
};

struct Weights {
  Matrix token_embedding;                       // [vocab_size, dim]
  std::array<LayerWeights, max_layers> layers;  // [n_layers]
  const float* final_norm = nullptr;            // [dim]
  Matrix classifier;                            // [vocab_size, dim]; the embedding where tied
};

/// What flows between layers, for a batch of tokens.
struct Activations {
  float* x = nullptr;              // [batch, dim] residual stream
  float* branch = nullptr;         // [batch, dim] normalised input, then a branch's result
  float* query = nullptr;          // [batch, dim]
  float* key = nullptr;            // [batch, kv_dim]
  float* value = nullptr;          // [batch, kv_dim]
  float* gate = nullptr;           // [batch, hidden_dim]
  float* up = nullptr;             // [batch, hidden_dim]
  std::byte* quantized = nullptr;  // [batch, quantized_bytes(max(dim, hidden_dim))]
};

struct Engine {
  ModelConfig config;
  MemoryPlan plan;
  const Kernels* kernels = nullptr;
  Parallel parallel;
  Weights weights;
  Activations activations;
  std::byte* key_cache = nullptr;  // RegionId::key_cache
  std::byte* value_cache = nullptr;
  float* rope_table = nullptr;        // [rope_rows(), head_dim / 2, 2]; spare rows behind the capacity
  std::span<float> rope_frequencies;  // [head_dim / 2] angle a position
  float* scores = nullptr;            // [n_heads, capacity]
  std::span<float> logits;            // [logit_rows, vocab_size]
  std::span<Candidate> candidates;    // [vocab_size]
  TextCodec tokenizer;
  std::span<const std::byte> chat;  // payload of the .pspm chat section; empty: none
  DraftTable draft_table;
  std::span<std::byte> encode_scratch;
  std::span<std::int32_t> history;  // [history_capacity()] latest tokens of the current text
};

/// Where the engine reads from.
struct EngineSources {
  ByteSource model;
  ByteSource tokenizer;    ///< left alone where the model file holds its own
  ByteSource draft_table;  ///< size 0: none
};

/// Reads model and tokenizer into `block` (plan.total_bytes, 64-byte aligned, zero or garbage), rearranges
/// the weights for the kernels, fills the RoPE table. `file` is what read_model_file() and plan_memory()
/// left. Errors: bad_input, read_failed, interrupted (the progress callback said so); the engine is then
/// unusable, the block may be reused.
[[nodiscard]] Status load_engine(const EngineSources& sources, const ModelFile& file, const MemoryPlan& plan,
                                 const Kernels& kernels, std::span<std::byte> block, const Progress& progress,
                                 Engine& engine) noexcept;

}  // namespace pspllm
