// Softmax attention with several sums at a time: scores of four positions, sixteen components of the output,
// each in the reference's order.
#include <array>

#include "engine/ops/attention_heads.hpp"
#include "engine/ops/portable/portable_kernels.hpp"
#include "engine/ops/unrolled.hpp"

namespace pspllm::portable {
namespace {

/// Products of the query with Positions keys. keys: [Positions, head_dim].
template <int Positions>
[[gnu::always_inline]] inline void score_positions(const float* query, const float* keys,
                                                   std::uint32_t head_dim, float root,
                                                   float* scores) noexcept {
  std::array<float, std::size_t{Positions}> sums{};
  std::array<const float*, std::size_t{Positions}> rows;
  unrolled<Positions>([&]<int Position>() __attribute__((always_inline)) {
    rows[Position] = keys + std::uint32_t{Position} * head_dim;
  });
  const auto add_component = [&]() __attribute__((always_inline)) {
    const float component = *query++;
    unrolled<Positions>([&]<int Position>() __attribute__((always_inline)) {
      sums[Position] += component * *rows[Position]++;
    });
  };
  std::uint32_t left = head_dim;
  for (; left >= 4; left -= 4) unrolled<4>([&]<int>() __attribute__((always_inline)) { add_component(); });
  for (; left > 0; --left) add_component();
  unrolled<Positions>([&]<int Position>()
                          __attribute__((always_inline)) { scores[Position] = sums[Position] / root; });
}

/// Components of the output from the values' first on. values: [n_positions, head_dim].
template <int Components>
[[gnu::always_inline]] inline void mix_components(const float* scores, const float* values,
                                                  std::uint32_t n_positions, std::uint32_t head_dim,
                                                  float* out) noexcept {
  std::array<float, std::size_t{Components}> sums{};
  for (std::uint32_t position = 0; position < n_positions; ++position) {
    const float score = scores[position];
    unrolled<Components>([&]<int Component>() __attribute__((always_inline)) {
      sums[Component] += score * values[Component];
    });
    values += head_dim;
  }
  unrolled<Components>([&]<int Component>()
                           __attribute__((always_inline)) { out[Component] = sums[Component]; });
}

void attend(const AttendingHead& at) noexcept {
  const auto [query, keys, values, n_positions, head_dim, scores, out] = at;
  const float root = __builtin_sqrtf(static_cast<float>(static_cast<std::int32_t>(head_dim)));
  constexpr std::uint32_t positions_at_once = 4;
  std::uint32_t position = 0;
  for (; position + positions_at_once <= n_positions; position += positions_at_once) {
    score_positions<int{positions_at_once}>(query, keys + std::size_t{position} * head_dim, head_dim, root,
                                            scores + position);
  }
  for (; position < n_positions; ++position) {
    score_positions<1>(query, keys + std::size_t{position} * head_dim, head_dim, root, scores + position);
  }
  softmax(scores, n_positions);
  constexpr std::uint32_t components_at_once = 16;
  std::uint32_t component = 0;
  for (; component + components_at_once <= head_dim; component += components_at_once) {
    mix_components<int{components_at_once}>(scores, values + component, n_positions, head_dim,
                                            out + component);
  }
  for (; component < head_dim; ++component) {
    mix_components<1>(scores, values + component, n_positions, head_dim, out + component);
  }
}

}  // namespace

void attention(const AttentionJob& job, Range heads) noexcept {
  for_each_attending_head(job, heads, attend);
}

}  // namespace pspllm::portable
