// Byte codes: every set multiplies and quantises to the reference's bits.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <string>

#include "engine/model/code_layout.hpp"
#include "engine/ops/host/host_kernels.hpp"
#include "engine/ops/host/kernel_test_data.hpp"
#include "engine/testing/random_codes.hpp"

namespace pspllm::host {
namespace {

OwnedMatrix random_code_matrix(std::uint32_t rows, std::uint32_t cols, std::uint32_t code_width,
                               std::uint32_t seed) {
  const std::string bytes = testing::make_code_matrix(rows, cols, code_width, seed);
  OwnedMatrix owned({TensorFormat::codes, rows, cols, code_width, nullptr}, bytes.size());
  std::memcpy(owned.matrix.data, bytes.data(), bytes.size());
  return owned;
}

/// All matrices on one input, each cut in two at a multiple of the set's row_tile. out: one after the other.
std::vector<float> product(const Kernels& kernels, const std::vector<const OwnedMatrix*>& matrices,
                           const std::vector<float>& x, std::uint32_t n_tokens) {
  const std::uint32_t cols = matrices.front()->matrix.cols;
  const AlignedBytes bytes(n_tokens * kernels.code_activation_bytes(cols));
  // Whatever lay there before must not matter.
  std::memset(bytes.data(), 0x55, bytes.size());
  const QuantizedActivations quantized{bytes.data(), n_tokens, cols, cols};
  kernels.quantize_codes(x.data(), quantized);
  std::size_t size = 0;
  for (const OwnedMatrix* matrix : matrices) size += std::size_t{matrix->matrix.rows} * n_tokens;
  std::vector<float> out(size, -12345.0F);
  std::vector<ProjectedRows> projections;
  float* next = out.data();
  for (const OwnedMatrix* matrix : matrices) {
    const std::uint32_t rows = matrix->matrix.rows;
    const std::uint32_t cut = rows / 3 / kernels.row_tile * kernels.row_tile;
    projections.push_back({&matrix->matrix, next, {0, cut}});
    projections.push_back({&matrix->matrix, next, {cut, rows}});
    next += std::size_t{rows} * n_tokens;
  }
  kernels.matmul_codes(projections, quantized);
  return out;
}

void check(const std::vector<const OwnedMatrix*>& matrices, const std::vector<float>& x,
           std::uint32_t n_tokens) {
  const std::vector<float> expected = product(reference_kernels(), matrices, x, n_tokens);
  for (const KernelSet& set : available_kernels()) {
    CAPTURE(set.name);
    CAPTURE(matrices.front()->matrix.rows);
    CAPTURE(matrices.front()->matrix.cols);
    CAPTURE(matrices.front()->matrix.group_size);
    CAPTURE(n_tokens);
    CHECK(same_bits(product(*set.kernels, matrices, x, n_tokens), expected));
  }
}

TEST_CASE("byte codes of every width and number of tokens, columns that fill no word and no tile") {
  std::uint32_t seed = 1;
  for (std::uint32_t width = 1; width <= max_code_width; ++width) {
    for (const std::uint32_t cols : {1U, 7U, 33U, 64U, 131U, 577U, 1153U, 2048U}) {
      Random random(seed);
      const std::uint32_t rows = 1 + static_cast<std::uint32_t>(random() % 250);
      const OwnedMatrix matrix = random_code_matrix(rows, cols, width, seed);
      const std::uint32_t n_tokens = 1 + seed % 17;
      check({&matrix}, random_floats(std::size_t{n_tokens} * cols, random), n_tokens);
      check({&matrix}, random_floats(cols, random), 1);
      ++seed;
    }
  }
}

TEST_CASE("byte codes of random shapes, three matrices on one input, activations of every kind") {
  CHECK(rc::check([] {
    Random random(*rc::gen::inRange<std::uint32_t>(1, 1 << 20));
    const auto cols = *rc::gen::inRange<std::uint32_t>(1, 400);
    const auto n_tokens = *rc::gen::element<std::uint32_t>(1, 1, 2, 3, 4, 5, 8, 16, 17);
    std::vector<OwnedMatrix> matrices;
    matrices.reserve(3);
    std::vector<const OwnedMatrix*> pointers;
    for (int i = 0; i < 3; ++i) {
      const auto width = *rc::gen::inRange<std::uint32_t>(1, max_code_width + 1);
      const auto rows = *rc::gen::inRange<std::uint32_t>(1, 400);
      matrices.push_back(random_code_matrix(rows, cols, width, static_cast<std::uint32_t>(random())));
      pointers.push_back(&matrices.back());
    }
    std::vector<float> x = random_floats(std::size_t{n_tokens} * cols, random);
    if (*rc::gen::arbitrary<bool>()) spoil(x, cols, random);
    check(pointers, x, n_tokens);
  }));
}

TEST_CASE("the largest activations and code words do not overflow") {
  for (std::uint32_t width = 1; width <= max_code_width; ++width) {
    OwnedMatrix matrix = random_code_matrix(200, 4096, width, 1);
    std::memset(matrix.matrix.data, max_codeword(width), std::size_t{codebook_words} * width);
    check({&matrix}, std::vector<float>(4096, 1.0F), 1);
    check({&matrix}, std::vector<float>(std::size_t{5} * 4096, -1.0F), 5);
  }
}

}  // namespace
}  // namespace pspllm::host
