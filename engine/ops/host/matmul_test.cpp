// Matrices: every set packs, multiplies, looks rows up and quantises to the reference's bits.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "engine/ops/host/host_kernels.hpp"
#include "engine/ops/host/kernel_test_data.hpp"

namespace pspllm::host {
namespace {

constexpr float unwritten = -12345.0F;

/// Rows are computed in two calls, cut at a multiple of the set's row_tile, into a wider output.
template <typename Multiply>
std::vector<float> in_two_ranges(const Kernels& kernels, std::uint32_t rows, std::uint32_t n_tokens,
                                 Multiply multiply) {
  const std::uint32_t stride = rows + 3;
  std::vector<float> out(std::size_t{n_tokens} * stride, unwritten);
  const std::uint32_t cut = std::min(rows, rows / 2 / kernels.row_tile * kernels.row_tile);
  multiply(out.data(), stride, Range{0, cut});
  multiply(out.data(), stride, Range{cut, rows});
  return out;
}

std::vector<float> product_q80(const Kernels& kernels, const Matrix& matrix, const std::vector<float>& x,
                               std::uint32_t n_tokens) {
  const OwnedActivations activations(kernels, x, n_tokens, matrix.cols, matrix.group_size);
  return in_two_ranges(kernels, matrix.rows, n_tokens, [&](float* out, std::uint32_t stride, Range rows) {
    kernels.matmul_q80(matrix, activations.quantized, out, stride, rows);
  });
}

std::vector<float> product_f32(const Kernels& kernels, const Matrix& matrix, const std::vector<float>& x,
                               std::uint32_t n_tokens) {
  return in_two_ranges(kernels, matrix.rows, n_tokens, [&](float* out, std::uint32_t stride, Range rows) {
    kernels.matmul_f32(matrix, x.data(), n_tokens, out, stride, rows);
  });
}

std::vector<float> all_rows(const Kernels& kernels, const Matrix& matrix) {
  std::vector<float> out(std::size_t{matrix.rows} * matrix.cols);
  for (std::uint32_t row = 0; row < matrix.rows; ++row) {
    kernels.dequantize_row(matrix, row, out.data() + std::size_t{row} * matrix.cols);
  }
  return out;
}

void check_q80(std::uint32_t rows, std::uint32_t cols, std::uint32_t group_size, std::uint32_t n_tokens,
               std::uint32_t seed, bool spoiled) {
  Random random(seed);
  const OwnedMatrix matrix = random_q80_matrix(rows, cols, group_size, random);
  std::vector<float> x = random_floats(std::size_t{n_tokens} * cols, random);
  if (spoiled) spoil(x, group_size, random);
  const std::vector<float> expected = product_q80(reference_kernels(), matrix.matrix, x, n_tokens);
  const std::vector<float> expected_rows = all_rows(reference_kernels(), matrix.matrix);
  for (const KernelSet& set : available_kernels()) {
    CAPTURE(set.name);
    CAPTURE(rows);
    CAPTURE(cols);
    CAPTURE(group_size);
    CAPTURE(n_tokens);
    const OwnedMatrix packed = prepared(*set.kernels, matrix);
    CHECK(same_bits(product_q80(*set.kernels, packed.matrix, x, n_tokens), expected));
    CHECK(same_bits(all_rows(*set.kernels, packed.matrix), expected_rows));
  }
}

TEST_CASE("q80 matrices of every group size, row count and number of tokens") {
  std::uint32_t seed = 1;
  for (const std::uint32_t group_size : {1U, 2U, 4U, 6U, 12U, 30U, 32U, 64U, 96U, 128U}) {
    for (const std::uint32_t rows : {1U, 3U, 4U, 7U, 8U, 15U, 16U, 17U, 31U, 43U, 64U, 77U}) {
      const std::uint32_t n_tokens = 1 + seed % 13;
      check_q80(rows, group_size * (1 + seed % 5), group_size, n_tokens, seed, seed % 2 == 0);
      ++seed;
    }
  }
}

TEST_CASE("q80 matrices of random shapes") {
  CHECK(rc::check([] {
    const auto group_size = *rc::gen::inRange<std::uint32_t>(1, 70);
    const auto n_groups = *rc::gen::inRange<std::uint32_t>(1, 9);
    const auto rows = *rc::gen::inRange<std::uint32_t>(1, 90);
    const auto n_tokens = *rc::gen::inRange<std::uint32_t>(1, 20);
    check_q80(rows, group_size * n_groups, group_size, n_tokens, *rc::gen::inRange<std::uint32_t>(1, 1 << 20),
              *rc::gen::arbitrary<bool>());
  }));
}

/// With one weight of 1 and a scale of 1 in each row, a product is one quantised activation times its scale.
TEST_CASE("quantised activations one by one, through rows that pick them") {
  constexpr std::size_t cols = 96;
  for (const std::uint32_t group_size : {1U, 4U, 12U, 32U, 48U}) {
    OwnedMatrix matrix({TensorFormat::q80, std::uint32_t{cols}, std::uint32_t{cols}, group_size, nullptr},
                       scales_offset(cols, cols) + cols * (cols / group_size) * sizeof(float));
    auto* const scales = reinterpret_cast<float*>(matrix.matrix.data + scales_offset(cols, cols));
    std::fill_n(scales, cols * (cols / group_size), 1.0F);
    for (std::size_t i = 0; i < cols; ++i) matrix.matrix.data[i * cols + i] = std::byte{1};
    for (std::uint32_t seed = 1; seed < 50; ++seed) {
      Random random(seed);
      std::vector<float> x = random_floats(cols, random);
      // Quotients that lie on and beside halves.
      if (seed % 3 == 0) {
        for (float& value : x) value = static_cast<float>(static_cast<int>(random() % 255) - 127) / 2.0F;
        for (std::size_t i = 0; i < cols; i += group_size) x[i] = 127.0F;
      }
      // Without NaNs, which would spread over a whole row.
      if (seed % 3 == 1) {
        for (float& value : x) value *= 3e-44F;
      }
      const std::vector<float> expected = product_q80(reference_kernels(), matrix.matrix, x, 1);
      for (const KernelSet& set : available_kernels()) {
        CAPTURE(set.name);
        CHECK(same_bits(product_q80(*set.kernels, prepared(*set.kernels, matrix).matrix, x, 1), expected));
      }
    }
  }
}

TEST_CASE("fp32 matrices of random shapes") {
  CHECK(rc::check([] {
    const auto rows = *rc::gen::inRange<std::uint32_t>(1, 150);
    const auto cols = *rc::gen::inRange<std::uint32_t>(1, 80);
    const auto n_tokens = *rc::gen::inRange<std::uint32_t>(1, 11);
    Random random(*rc::gen::inRange<std::uint32_t>(1, 1 << 20));
    const OwnedMatrix matrix = random_f32_matrix(rows, cols, random);
    std::vector<float> x = random_floats(std::size_t{n_tokens} * cols, random);
    if (*rc::gen::arbitrary<bool>()) spoil(x, 1, random);
    const std::vector<float> expected = product_f32(reference_kernels(), matrix.matrix, x, n_tokens);
    const std::vector<float> expected_rows = all_rows(reference_kernels(), matrix.matrix);
    for (const KernelSet& set : available_kernels()) {
      CAPTURE(set.name);
      const OwnedMatrix packed = prepared(*set.kernels, matrix);
      CHECK(same_bits(product_f32(*set.kernels, packed.matrix, x, n_tokens), expected));
      CHECK(same_bits(all_rows(*set.kernels, packed.matrix), expected_rows));
    }
  }));
}

}  // namespace
}  // namespace pspllm::host
