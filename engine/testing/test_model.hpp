// Models and vocabularies made of reproducible pseudo-random numbers: what tests run on without any file.
#pragma once

#include <cstdint>
#include <string>

#include "engine/model/config.hpp"

namespace pspllm::testing {

/// A shape as llama2.c's files hold it.
struct TestShape {
  std::uint32_t dim = 16;
  std::uint32_t hidden_dim = 24;
  std::uint32_t n_layers = 2;
  std::uint32_t n_heads = 4;
  std::uint32_t n_kv_heads = 2;
  std::uint32_t vocab_size = 300;
  std::uint32_t seq_len = 32;
  std::uint32_t group_size = 8;
  bool tied_classifier = true;
  std::uint32_t seed = 1;
};

/// stories15M's shape: with seed 1 the file that the goldens call random15M_q80.
inline constexpr TestShape random15m_shape{288, 768, 6, 6, 6, 32000, 256, 32, true, 1};

/// Bytes of a llama2.c version 2 file. Weights come from splitmix64 of a running counter (Steele et al.
/// 2014), embedding and classifier four times, the others one and a half times as large as would keep the
/// variance.
[[nodiscard]] std::string make_q80_model(const TestShape& shape);

/// Bytes of a llama2.c version 0 or 1 file with fp32 weights.
[[nodiscard]] std::string make_f32_model(const TestShape& shape, std::uint32_t version);

/// Bytes of a tokenizer.bin: <unk>, BOS, EOS, the 256 byte pieces, then characters and words up to
/// `vocab_size` (at least 259 for any text to be spelled).
[[nodiscard]] std::string make_tokenizer(std::uint32_t vocab_size);

}  // namespace pspllm::testing
