// The VFPU's byte-code kernels against the scalar reference, bit for bit, on the model of the VFPU.
#include <doctest/doctest.h>

#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "engine/core/limits.hpp"
#include "engine/ops/psp/vfpu_kernels.hpp"
#include "engine/testing/random_codes.hpp"

namespace pspllm {
namespace {

struct alignas(block_alignment) Line {
  std::byte bytes[block_alignment];
};

std::vector<Line> lines_for(std::size_t bytes) {
  return std::vector<Line>((bytes + block_alignment - 1) / block_alignment);
}

/// A matrix as the file has it and as the kernel set keeps it.
struct TwoMatrices {
  std::vector<Line> plain_bytes;
  std::vector<Line> packed_bytes;
  Matrix plain;
  Matrix packed;

  TwoMatrices(std::uint32_t rows, std::uint32_t cols, std::uint32_t code_width, std::uint32_t seed,
              const TwoMatrices* same_codebook = nullptr) {
    const std::string bytes = testing::make_code_matrix(rows, cols, code_width, seed);
    plain_bytes = lines_for(bytes.size());
    std::memcpy(plain_bytes.data(), bytes.data(), bytes.size());
    if (same_codebook != nullptr) {
      std::memcpy(plain_bytes.data(), same_codebook->plain_bytes.data(), std::size_t{256} * code_width);
    }
    packed_bytes = plain_bytes;
    plain = {TensorFormat::codes, rows, cols, code_width, plain_bytes.front().bytes};
    packed = {TensorFormat::codes, rows, cols, code_width, packed_bytes.front().bytes};
    const Kernels& kernels = psp::vfpu_kernels();
    std::vector<std::byte> scratch(kernels.prepare_scratch_bytes(packed));
    kernels.prepare(packed, scratch);
  }
};

std::vector<std::vector<float>> products(const Kernels& kernels, const std::vector<const Matrix*>& matrices,
                                         const std::vector<float>& x, std::uint32_t n_tokens) {
  const std::uint32_t cols = matrices.front()->cols;
  std::vector<Line> input = lines_for(x.size() * sizeof(float));
  std::memcpy(input.data(), x.data(), x.size() * sizeof(float));
  std::vector<Line> activations = lines_for(n_tokens * kernels.code_activation_bytes(cols));
  std::memset(activations.data(), 0x55, activations.size() * sizeof(Line));
  const QuantizedActivations quantized{activations.front().bytes, n_tokens, cols, cols};
  kernels.quantize_codes(reinterpret_cast<const float*>(input.data()), quantized);
  std::vector<std::vector<Line>> memory;
  std::vector<ProjectedRows> projections;
  for (const Matrix* matrix : matrices) {
    memory.push_back(lines_for(std::size_t{n_tokens} * matrix->rows * sizeof(float)));
    auto* const out = reinterpret_cast<float*>(memory.back().data());
    const std::uint32_t cut = matrix->rows / 16 * 8;
    projections.push_back({matrix, out, {0, cut}});
    projections.push_back({matrix, out, {cut, matrix->rows}});
  }
  kernels.matmul_codes(projections, quantized);
  std::vector<std::vector<float>> results;
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    const auto* const out = reinterpret_cast<const float*>(memory[i].data());
    results.emplace_back(out, out + std::size_t{n_tokens} * matrices[i]->rows);
  }
  return results;
}

void check(const std::vector<const TwoMatrices*>& matrices, std::uint32_t n_tokens, std::uint32_t seed,
           float unit = 1.0F) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> x(std::size_t{n_tokens} * matrices.front()->plain.cols);
  for (float& value : x) value = normal(random) * unit;
  std::vector<const Matrix*> plain;
  std::vector<const Matrix*> packed;
  for (const TwoMatrices* matrix : matrices) {
    plain.push_back(&matrix->plain);
    packed.push_back(&matrix->packed);
  }
  const auto expected = products(reference_kernels(), plain, x, n_tokens);
  const auto found = products(psp::vfpu_kernels(), packed, x, n_tokens);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    REQUIRE(std::memcmp(expected[i].data(), found[i].data(), expected[i].size() * sizeof(float)) == 0);
  }
}

}  // namespace

TEST_CASE("the VFPU's byte codes give the reference's bits at every width") {
  std::uint32_t seed = 1;
  for (std::uint32_t width = 1; width <= 8; ++width) {
    for (const std::uint32_t cols : {1U, 4U, 31U, 64U, 96U, 132U, 576U}) {
      for (const std::uint32_t rows : {3U, 16U, 52U, 72U}) {
        CAPTURE(width);
        CAPTURE(cols);
        CAPTURE(rows);
        const TwoMatrices matrix(rows, cols, width, seed);
        check({&matrix}, 1 + seed % 17, seed);
        ++seed;
      }
    }
  }
}

TEST_CASE("matrices with one codebook share tables; others do not") {
  const TwoMatrices query(640, 96, 6, 1);
  const TwoMatrices key(640, 96, 6, 2, &query);
  const TwoMatrices value(32, 96, 4, 3);
  check({&query, &key, &value}, 2, 1);
  check({&value, &query, &key}, 1, 2);
}

TEST_CASE("one token meets tables where there are many rows") {
  for (const std::uint32_t width : {2U, 3U, 6U, 8U}) {
    const TwoMatrices matrix(1300, 60, width, width);
    check({&matrix}, 1, width);
  }
}

TEST_CASE("one token meets no tables where there are few rows, whatever its columns") {
  for (std::uint32_t width = 1; width <= 8; ++width) {
    for (const std::uint32_t rows : {4U, 12U, 20U, 68U, 192U}) {
      const TwoMatrices matrix(rows, 4 * width + 61, width, width);
      check({&matrix}, 1, rows);
      check({&matrix}, 13, rows);
    }
  }
}

TEST_CASE("activations nearly zero, tiny, huge or infinite") {
  const TwoMatrices matrix(16, 96, 6, 7);
  for (const float unit :
       {0.0F, 1e-45F, 1e-42F, 1e-39F, 1e-30F, 1e37F, 3e38F, std::numeric_limits<float>::infinity()}) {
    CAPTURE(unit);
    check({&matrix}, 1, 1, unit);
    check({&matrix}, 3, 2, unit);
  }
}

TEST_CASE("more columns than floats sum exactly") {
  const TwoMatrices matrix(16, 2100, 4, 1);
  check({&matrix}, 1, 1);
}

TEST_CASE("a row of the rearranged matrix as floats") {
  for (std::uint32_t width = 1; width <= 8; ++width) {
    const TwoMatrices matrix(21, 77, width, width);
    std::vector<float> expected(77);
    std::vector<float> found(77);
    for (std::uint32_t row = 0; row < 21; ++row) {
      reference_kernels().dequantize_row(matrix.plain, row, expected.data());
      psp::vfpu_kernels().dequantize_row(matrix.packed, row, found.data());
      REQUIRE(expected == found);
    }
  }
}

}  // namespace pspllm
