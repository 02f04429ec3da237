// Row access to matrices that no kernel set has rearranged.
#pragma once

#include "engine/model/tensor.hpp"

namespace pspllm::reference {

struct QuantizedRow {
  const std::int8_t* values = nullptr;  // [cols]
  const float* scales = nullptr;        // [cols / group_size]
};

[[nodiscard]] inline const float* f32_row(const Matrix& matrix, std::uint32_t row) noexcept {
  return reinterpret_cast<const float*>(matrix.data) + std::size_t{row} * matrix.cols;
}

[[nodiscard]] inline QuantizedRow q80_row(const Matrix& matrix, std::uint32_t row) noexcept {
  const auto* values = reinterpret_cast<const std::int8_t*>(matrix.data);
  const auto* scales = reinterpret_cast<const float*>(matrix.data + scales_offset(matrix.rows, matrix.cols));
  return {values + std::size_t{row} * matrix.cols, scales + std::size_t{row} * matrix.groups_per_row()};
}

}  // namespace pspllm::reference
