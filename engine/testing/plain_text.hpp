// A text in the plainest way: one token a pass, keys and values of every slot as floats, the rolling window's
// rule (docs/numerics.md) written as it is said. What the engine's batches, slots and renewals are tested
// against.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/model/engine.hpp"

namespace pspllm::testing {

class PlainText {
 public:
  /// Takes weights, shape and options of an engine that was loaded with the reference kernels.
  explicit PlainText(const Engine& engine);

  /// Adds a token; gives the logits of what follows it.
  std::vector<float> add(std::int32_t token);

 private:
  /// One slot of the cache.
  struct Entry {
    std::vector<std::vector<float>> keys;    // [n_layers][kv_dim], rotated
    std::vector<std::vector<float>> values;  // [n_layers][kv_dim]
  };

  std::vector<float> pass(std::int32_t token, std::uint32_t position);
  void give_up_step(std::uint32_t slot);
  [[nodiscard]] std::vector<float> multiply(const Matrix& matrix, const std::vector<float>& x) const;
  [[nodiscard]] std::vector<float> normalize(const std::vector<float>& x, const float* weight) const;
  void rotate(std::vector<float>& heads, std::uint32_t position) const;
  [[nodiscard]] std::vector<float> attend(std::vector<float> query, std::size_t layer) const;

  const Engine& engine_;
  std::uint32_t context_;
  std::vector<std::int32_t> tokens_;
  std::uint32_t position_ = 0;
  std::vector<std::optional<Entry>> slots_;
};

}  // namespace pspllm::testing
