#include "engine/model/rope.hpp"

#include "engine/math/exact_math.hpp"

namespace pspllm {
namespace {

float to_float(std::uint32_t value) noexcept {
  return static_cast<float>(static_cast<std::int32_t>(value));
}

}  // namespace

void fill_rope_table(const ModelConfig& config, std::uint32_t positions, float* table) noexcept {
  const std::uint32_t head_dim = config.head_dim();
  const std::size_t row_floats = head_dim;
  for (std::uint32_t i = 0; i < head_dim; i += 2) {
    const float frequency = 1.0F / exact_pow(config.rope_base, to_float(i) / to_float(head_dim));
    for (std::uint32_t position = 0; position < positions; ++position) {
      const float angle = to_float(position) * frequency;
      float* const pair = table + position * row_floats + i;
      pair[0] = exact_cos(angle);
      pair[1] = exact_sin(angle);
    }
  }
}

void rotate(float* x, const float* table_row, std::uint32_t n_heads, std::uint32_t head_dim) noexcept {
  for (std::uint32_t head = 0; head < n_heads; ++head) {
    for (std::uint32_t i = 0; i < head_dim; i += 2) {
      const float cosine = table_row[i];
      const float sine = table_row[i + 1];
      const float x0 = x[i];
      const float x1 = x[i + 1];
      x[i] = x0 * cosine - x1 * sine;
      x[i + 1] = x0 * sine + x1 * cosine;
    }
    x += head_dim;
  }
}

}  // namespace pspllm
