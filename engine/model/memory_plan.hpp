// One block, every byte of it named: the plan that the engine takes its pointers from, and that `pspllm
// budget`, the console's memory screen and the tests print. Nothing is allocated after the block.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/core/result.hpp"
#include "engine/model/model_file.hpp"
#include "engine/ops/kernels.hpp"

namespace pspllm {

enum class RegionId : std::uint8_t {
  weights,      ///< every tensor, each on a 64-byte boundary
  key_cache,    ///< [n_layers] of LayerCache::keys, or of Int8LayerCache's keys and their scales
  value_cache,  ///< the same for values
  rope_table,   ///< [rope_rows(), head_dim / 2, 2] cosines and sines, then [head_dim / 2] frequencies
  activations,  ///< one batch of tokens between layers
  scores,       ///< [n_heads, capacity]
  logits,       ///< [logit_rows, vocab_size]
  sampler,      ///< [vocab_size] candidates of top-p sampling
  tokenizer,    ///< vocabulary with its index, then the chat template
  draft_table,  ///< n-grams that propose the next token; empty where there is none
  text          ///< scratch for encoding a prompt, and the conversation's tokens
};
inline constexpr std::size_t region_count = 11;

[[nodiscard]] const char* name_of(RegionId id) noexcept;
/// One line for people: what the region holds.
[[nodiscard]] const char* describe(RegionId id) noexcept;

struct Region {
  RegionId id = RegionId::weights;
  std::uint64_t offset = 0;  ///< from the start of the block; a multiple of 64
  std::uint64_t bytes = 0;
};

/// What a caller asks for, or leaves to the kind of model.
enum class Choice : std::uint8_t { by_model, no, yes };

/// What the caller chooses.
struct PlanOptions {
  std::uint32_t context = 0;               ///< positions kept in the cache; 0: the model's seq_len
  std::uint32_t batch = 8;                 ///< prompt tokens a pass
  std::uint32_t logit_rows = 1;            ///< positions of a batch that may want logits
  std::uint64_t tokenizer_file_bytes = 0;  ///< of a tokenizer.bin; a file that holds its own needs none
  std::uint64_t draft_file_bytes = 0;      ///< of the draft table; 0: none
  std::uint32_t max_prompt_bytes = 4096;   ///< longest text that can be encoded
  /// Keys and values in int8, attention in exact integers; by_model: where the matrices are byte codes.
  Choice int8_cache = Choice::by_model;
  /// Texts go on without end, the oldest tokens out of sight (engine/model/window.hpp), instead of ending
  /// with the context; by_model: where the matrices are byte codes or the file has a chat template, and the
  /// context is long enough.
  Choice rolling = Choice::by_model;
};

struct MemoryPlan {
  PlanOptions options;         ///< with the context resolved
  std::uint32_t capacity = 0;  ///< context rounded up to the kernels' key_tile
  bool int8_cache = false;     ///< the options, resolved
  bool rolling = false;
  /// Positions end here; a rolling window is then renewed. The context, or the model's seq_len where slots of
  /// an int8 cache can be given up one after the other.
  std::uint32_t position_limit = 0;
  std::array<Region, region_count> regions{};
  std::uint64_t total_bytes = 0;

  [[nodiscard]] const Region& region(RegionId id) const noexcept {
    return regions[static_cast<std::size_t>(id)];
  }
};

/// Places every tensor of `file` (its block_offset is set) and every region. Errors: bad_input where an
/// option is out of range or a product overflows.
[[nodiscard]] Status plan_memory(ModelFile& file, const PlanOptions& options, const Kernels& kernels,
                                 MemoryPlan& plan) noexcept;

/// Tokens that Engine::history holds: every position and the one sampled after the last; where the window
/// rolls, as many again, and what a repeat penalty looks back at.
[[nodiscard]] constexpr std::size_t history_capacity(const MemoryPlan& plan) noexcept {
  constexpr std::size_t rolling_reserve = 256;
  return plan.rolling ? std::size_t{plan.options.context} * 2 + rolling_reserve
                      : std::size_t{plan.capacity} + 1;
}

/// Rows of cosines and sines: one a slot, and a batch's where positions outgrow the slots.
[[nodiscard]] constexpr std::size_t rope_rows(const MemoryPlan& plan) noexcept {
  const bool outgrown = plan.position_limit > plan.options.context;
  return std::size_t{plan.capacity} + (outgrown ? plan.options.batch : 0);
}

/// Bytes of the tokenizer region in front of the chat template; a multiple of 64.
[[nodiscard]] std::uint64_t vocabulary_bytes(const ModelFile& file, const PlanOptions& options) noexcept;

/// Bytes of activations a token of a batch needs, in the order in which Activations lays them out.
[[nodiscard]] std::uint64_t activation_bytes_per_token(const ModelFile& file,
                                                       const Kernels& kernels) noexcept;

}  // namespace pspllm
