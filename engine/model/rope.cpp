#include "engine/model/rope.hpp"

#include "engine/math/exact_math.hpp"

namespace pspllm {
namespace {

float to_float(std::uint32_t value) noexcept {
  return static_cast<float>(static_cast<std::int32_t>(value));
}

}  // namespace

void fill_rope_frequencies(const ModelConfig& config, std::span<float> frequencies) noexcept {
  const float head_dim = to_float(config.head_dim());
  for (std::uint32_t pair = 0; pair < config.head_dim() / 2; ++pair) {
    frequencies[pair] = 1.0F / exact_pow(config.rope_base, to_float(2 * pair) / head_dim);
  }
}

void fill_rope_rows(std::span<const float> frequencies, std::uint32_t first_position, std::uint32_t count,
                    float* rows) noexcept {
  for (std::uint32_t position = first_position; position < first_position + count; ++position) {
    for (const float frequency : frequencies) {
      const float angle = to_float(position) * frequency;
      *rows++ = exact_cos(angle);
      *rows++ = exact_sin(angle);
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
