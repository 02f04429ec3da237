// The reference kernels of byte codes against a plain computation from the layout's definition.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "engine/core/limits.hpp"
#include "engine/model/code_layout.hpp"
#include "engine/ops/kernels.hpp"
#include "engine/testing/random_codes.hpp"

namespace pspllm {
namespace {

struct alignas(block_alignment) Line {
  std::byte bytes[block_alignment];
};

/// A matrix in memory of its own.
struct CodesOnBoundary {
  std::vector<Line> lines;
  Matrix matrix;

  CodesOnBoundary(std::uint32_t rows, std::uint32_t cols, std::uint32_t code_width, std::uint32_t seed) {
    const std::string bytes = testing::make_code_matrix(rows, cols, code_width, seed);
    lines.resize(bytes.size() / block_alignment);
    std::memcpy(lines.data(), bytes.data(), bytes.size());
    matrix = {TensorFormat::codes, rows, cols, code_width, lines.front().bytes};
  }
};

/// The integer and the scale of one weight, by walking the parts in the order in which the file has them.
struct Weight {
  std::int32_t value;
  float scale;
};

Weight weight_at(const Matrix& matrix, std::uint32_t row, std::uint32_t col) {
  const std::uint32_t width = matrix.group_size;
  const std::byte* const scales = matrix.data + (256 * width + 63) / 64 * 64;
  const std::byte* code = scales + (matrix.rows * sizeof(float) + 63) / 64 * 64;
  const std::uint32_t group = col / width;
  const std::uint32_t stored = ((matrix.cols + width - 1) / width + 3) / 4 * 4;
  std::uint32_t first = 0;
  for (; group >= first + 16; first += 16) code += std::size_t{16} * matrix.rows;
  const std::uint32_t in_tile = stored - first < 16 ? stored - first : 16;
  code += std::size_t{row} * in_tile + (group - first);
  Weight weight{};
  std::memcpy(&weight.scale, scales + row * sizeof(float), sizeof(float));
  const auto word = static_cast<std::size_t>(static_cast<std::uint8_t>(*code)) * width + col % width;
  weight.value = static_cast<std::int8_t>(matrix.data[word]);
  return weight;
}

/// One token's activations by the contract: one scale, rounded half away from zero.
struct PlainActivations {
  std::vector<std::int32_t> values;
  float scale = 0.0F;

  PlainActivations(const float* x, std::uint32_t cols) : values(cols) {
    float largest = 0.0F;
    for (std::uint32_t i = 0; i < cols; ++i) largest = std::fmax(largest, std::fabs(x[i]));
    scale = largest / 127.0F;
    for (std::uint32_t i = 0; i < cols; ++i) {
      values[i] = scale == 0.0F ? 0 : static_cast<std::int32_t>(std::roundf(x[i] / scale));
    }
  }
};

std::vector<float> random_tokens(std::uint32_t n_tokens, std::uint32_t cols, std::uint32_t seed) {
  std::minstd_rand random(seed);
  std::vector<float> x(std::size_t{n_tokens} * cols);
  for (float& value : x) value = static_cast<float>(random() % 20001) / 10000.0F - 1.0F;
  return x;
}

std::vector<float> product(const Kernels& kernels, const std::vector<const Matrix*>& matrices,
                           const std::vector<float>& x, std::uint32_t n_tokens) {
  const std::uint32_t cols = matrices.front()->cols;
  std::vector<Line> memory(n_tokens * kernels.code_activation_bytes(cols) / block_alignment);
  // Whatever lay there before must not matter.
  std::memset(memory.data(), 0x55, memory.size() * sizeof(Line));
  const QuantizedActivations quantized{memory.front().bytes, n_tokens, cols, cols};
  kernels.quantize_codes(x.data(), quantized);
  std::size_t rows = 0;
  for (const Matrix* matrix : matrices) rows += matrix->rows;
  std::vector<float> out(rows * n_tokens, std::numeric_limits<float>::quiet_NaN());
  std::vector<ProjectedRows> projections;
  float* next = out.data();
  for (const Matrix* matrix : matrices) {
    const std::uint32_t cut = matrix->rows / 2;
    projections.push_back({matrix, next, {0, cut}});
    projections.push_back({matrix, next, {cut, matrix->rows}});
    next += std::size_t{matrix->rows} * n_tokens;
  }
  kernels.matmul_codes(projections, quantized);
  return out;
}

void check_product(const Matrix& matrix, const std::vector<float>& x, std::uint32_t n_tokens,
                   const float* out) {
  for (std::uint32_t token = 0; token < n_tokens; ++token) {
    const PlainActivations plain(x.data() + std::size_t{token} * matrix.cols, matrix.cols);
    for (std::uint32_t row = 0; row < matrix.rows; ++row) {
      std::int64_t sum = 0;
      for (std::uint32_t col = 0; col < matrix.cols; ++col) {
        sum += std::int64_t{weight_at(matrix, row, col).value} * plain.values[col];
      }
      const float expected = (static_cast<float>(sum) * plain.scale) * weight_at(matrix, row, 0).scale;
      const float found = out[std::size_t{token} * matrix.rows + row];
      CHECK(std::memcmp(&found, &expected, sizeof found) == 0);
    }
  }
}

}  // namespace

TEST_CASE("byte codes of every width times tokens, columns that fill no word and no tile") {
  const Kernels& kernels = reference_kernels();
  std::uint32_t seed = 1;
  for (std::uint32_t width = 1; width <= max_code_width; ++width) {
    for (const std::uint32_t cols : {1U, 2U, 7U, 16U, 63U, 64U, 65U, 131U, 288U}) {
      const std::uint32_t rows = 1 + seed % 37;
      const std::uint32_t n_tokens = 1 + seed % 3;
      CAPTURE(width);
      CAPTURE(cols);
      CAPTURE(rows);
      const CodesOnBoundary codes(rows, cols, width, seed);
      const std::vector<float> x = random_tokens(n_tokens, cols, seed);
      const std::vector<float> out = product(kernels, {&codes.matrix}, x, n_tokens);
      check_product(codes.matrix, x, n_tokens, out.data());
      ++seed;
    }
  }
}

TEST_CASE("activations without a normal scale count as zeros; the smallest normal scale stays within 127") {
  constexpr std::uint32_t cols = 40;
  const CodesOnBoundary codes(3, cols, 6, 5);
  const float infinity = std::numeric_limits<float>::infinity();
  // 2^-126 * 127 / 127 is the smallest scale that counts.
  for (const float largest : {1e-45F, 2e-45F, 1e-40F, 0x1p-126F, 0x1.fbp-120F, infinity}) {
    std::vector<float> x(cols, 1e-45F);
    x[3] = largest;
    x[7] = -largest;
    for (const float value : product(reference_kernels(), {&codes.matrix}, x, 1)) CHECK(value == 0.0F);
  }
  std::vector<float> x(cols);
  for (std::uint32_t i = 0; i < cols; ++i) x[i] = 0x1p-126F * (static_cast<float>(i) - 20.0F);
  x[3] = 0x1.fcp-120F;
  const std::vector<float> out = product(reference_kernels(), {&codes.matrix}, x, 1);
  check_product(codes.matrix, x, 1, out.data());
}

TEST_CASE("matrices of different widths share one input") {
  const std::uint32_t cols = 100;
  const CodesOnBoundary query(20, cols, 6, 1);
  const CodesOnBoundary key(10, cols, 8, 2);
  const CodesOnBoundary value(10, cols, 1, 3);
  const std::vector<float> x = random_tokens(2, cols, 4);
  const std::vector<float> out =
      product(reference_kernels(), {&query.matrix, &key.matrix, &value.matrix}, x, 2);
  check_product(query.matrix, x, 2, out.data());
  check_product(key.matrix, x, 2, out.data() + 40);
  check_product(value.matrix, x, 2, out.data() + 60);
}

TEST_CASE("a row of byte codes as floats") {
  for (std::uint32_t width = 1; width <= max_code_width; ++width) {
    const CodesOnBoundary codes(5, 77, width, width);
    std::vector<float> row(77);
    for (std::uint32_t index = 0; index < 5; ++index) {
      reference_kernels().dequantize_row(codes.matrix, index, row.data());
      for (std::uint32_t col = 0; col < 77; ++col) {
        const Weight weight = weight_at(codes.matrix, index, col);
        CHECK(row[col] == static_cast<float>(weight.value) * weight.scale);
      }
    }
  }
}

TEST_CASE("zeros give zeros; the largest activations and code words do not overflow") {
  const std::uint32_t cols = max_dim;
  for (std::uint32_t width = 1; width <= max_code_width; ++width) {
    CodesOnBoundary codes(2, cols, width, 9);
    std::memset(codes.matrix.data, max_codeword(width), std::size_t{codebook_words} * width);
    const std::vector<float> zeros(cols);
    for (const float value : product(reference_kernels(), {&codes.matrix}, zeros, 1)) CHECK(value == 0.0F);
    const std::vector<float> ones(cols, 1.0F);
    const std::vector<float> out = product(reference_kernels(), {&codes.matrix}, ones, 1);
    check_product(codes.matrix, ones, 1, out.data());
    CHECK(127 * max_codeword(width) * static_cast<std::int32_t>(width) <= INT16_MAX);
  }
}

}  // namespace pspllm
