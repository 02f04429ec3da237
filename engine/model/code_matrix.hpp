// The parts of a byte-code matrix in memory (code_layout.hpp), as pointers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/model/code_layout.hpp"
#include "engine/model/tensor.hpp"

namespace pspllm {

/// A look at a Matrix of TensorFormat::codes that no kernel set has rearranged.
struct CodeMatrix {
  CodeLayout layout;
  const std::int8_t* codebook = nullptr;  // [256, code_width]
  const float* row_scales = nullptr;      // [rows]
  const std::byte* start = nullptr;       // of the matrix

  [[nodiscard]] static CodeMatrix of(const Matrix& matrix) noexcept {
    CodeMatrix view;
    view.layout = {matrix.rows, matrix.cols, matrix.group_size};
    view.codebook = reinterpret_cast<const std::int8_t*>(matrix.data);
    view.row_scales = reinterpret_cast<const float*>(matrix.data + view.layout.row_scales_offset());
    view.start = matrix.data;
    return view;
  }
  [[nodiscard]] std::uint8_t code(std::uint32_t row, std::uint32_t group) const noexcept {
    return static_cast<std::uint8_t>(start[layout.code_offset(row, group)]);
  }
  /// The integers that the code of one row and group stands for: [code_width].
  [[nodiscard]] const std::int8_t* word(std::uint32_t row, std::uint32_t group) const noexcept {
    return codebook + std::size_t{code(row, group)} * layout.code_width;
  }
};

}  // namespace pspllm
