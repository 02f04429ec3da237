#include "engine/ops/reference/matrix_view.hpp"
#include "engine/ops/reference/reference.hpp"

namespace pspllm::reference {
namespace {

/// One output: exact integer sums within a group, runq.c's float order between groups.
float dot(const QuantizedRow& w, const QuantizedToken& x, std::uint32_t n_groups,
          std::uint32_t group_size) noexcept {
  float sum = 0.0F;
  const std::int8_t* w_values = w.values;
  const std::int8_t* x_values = x.values;
  for (std::uint32_t group = 0; group < n_groups; ++group) {
    std::int32_t products = 0;
    for (std::uint32_t i = 0; i < group_size; ++i) {
      products += static_cast<std::int32_t>(*x_values++) * static_cast<std::int32_t>(*w_values++);
    }
    sum += (static_cast<float>(products) * w.scales[group]) * x.scales[group];
  }
  return sum;
}

}  // namespace

void matmul_q80(const Matrix& matrix, const QuantizedActivations& x, float* out, std::uint32_t out_stride,
                Range rows) noexcept {
  for (std::uint32_t token = 0; token < x.n_tokens; ++token) {
    const QuantizedToken quantized = token_of(x, token);
    for (std::uint32_t row = rows.begin; row < rows.end; ++row) {
      out[std::size_t{token} * out_stride + row] =
          dot(q80_row(matrix, row), quantized, matrix.groups_per_row(), matrix.group_size);
    }
  }
}

}  // namespace pspllm::reference
