#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "host/quantize/dense/factor.hpp"
#include "host/quantize/dense/multiply.hpp"

namespace pspllm::host {
namespace {

FloatMatrix random_matrix(std::size_t rows, std::size_t cols, std::uint32_t seed) {
  std::mt19937 random(seed);
  FloatMatrix matrix(rows, cols);
  for (float& value : matrix.values) {
    value = static_cast<float>(static_cast<double>(random()) / 2147483648.0 - 1.0);
  }
  return matrix;
}

/// The contract: one chain of fused multiply-adds an element.
FloatMatrix plain_product(const FloatMatrix& a, const FloatMatrix& b) {
  FloatMatrix c(a.rows, b.cols);
  for (std::size_t row = 0; row < a.rows; ++row) {
    for (std::size_t col = 0; col < b.cols; ++col) {
      for (std::size_t k = 0; k < a.cols; ++k) {
        c.at(row, col) = std::fma(a.at(row, k), b.at(k, col), c.at(row, col));
      }
    }
  }
  return c;
}

FloatMatrix transpose(const FloatMatrix& matrix) {
  FloatMatrix result(matrix.cols, matrix.rows);
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    for (std::size_t col = 0; col < matrix.cols; ++col) result.at(col, row) = matrix.at(row, col);
  }
  return result;
}

DoubleMatrix moments_of(const FloatMatrix& x) {
  DoubleMatrix moments(x.cols, x.cols);
  for (std::size_t t = 0; t < x.rows; ++t) {
    for (std::size_t i = 0; i < x.cols; ++i) {
      for (std::size_t j = 0; j < x.cols; ++j) {
        moments.at(i, j) += static_cast<double>(x.at(t, i)) * static_cast<double>(x.at(t, j));
      }
    }
  }
  return moments;
}

}  // namespace

TEST_CASE("products have the bits of a plain loop with every instruction set") {
  struct Shape {
    std::size_t m, k, n;
  };
  for (const Shape shape : {Shape{1, 1, 1}, {5, 3, 7}, {6, 256, 16}, {13, 300, 33}, {200, 17, 530}}) {
    const FloatMatrix a = random_matrix(shape.m, shape.k, 1);
    const FloatMatrix b = random_matrix(shape.k, shape.n, 2);
    const FloatMatrix expected = plain_product(a, b);
    const FloatMatrix a_transposed = transpose(a);
    const FloatMatrix b_transposed = transpose(b);
    for (const DenseKernels* const kernels : supported_dense_kernels()) {
      CAPTURE(kernels->name);
      FloatMatrix c(shape.m, shape.n);
      multiply(a.view(), b.view(), c.mutable_view(), *kernels);
      CHECK(c.values == expected.values);
      multiply(a_transposed.view().transposed(), b_transposed.view().transposed(), c.mutable_view(),
               *kernels);
      CHECK(c.values == expected.values);
    }
  }
}

TEST_CASE("the nearest word is the first of the smallest with every instruction set") {
  constexpr std::size_t dims = 3;
  constexpr std::size_t count = 50;
  FloatMatrix words = random_matrix(dims, nearest_word_count, 3);
  FloatMatrix offsets = random_matrix(1, nearest_word_count, 4);
  // Word 200 ties with word 7.
  for (std::size_t k = 0; k < dims; ++k) words.at(k, 200) = words.at(k, 7);
  offsets.at(0, 7) = offsets.at(0, 200) = -3.0F;
  const FloatMatrix targets = random_matrix(count, dims, 5);
  std::vector<std::uint8_t> expected(count);
  for (std::size_t i = 0; i < count; ++i) {
    float smallest = INFINITY;
    for (std::size_t word = 0; word < nearest_word_count; ++word) {
      float value = offsets.at(0, word);
      for (std::size_t k = 0; k < dims; ++k) value = std::fma(-targets.at(i, k), words.at(k, word), value);
      if (value >= smallest) continue;
      smallest = value;
      expected[i] = static_cast<std::uint8_t>(word);
    }
  }
  CHECK(std::count(expected.begin(), expected.end(), 7) > 0);
  for (const DenseKernels* const kernels : supported_dense_kernels()) {
    CAPTURE(kernels->name);
    std::vector<std::uint8_t> found(count);
    kernels->nearest_words(words.values.data(), offsets.values.data(), dims, targets.values.data(), count,
                           found.data());
    CHECK(found == expected);
  }
}

TEST_CASE("an upper factor times its transpose gives the damped moments") {
  const DoubleMatrix moments = moments_of(random_matrix(40, 24, 6));
  const double damping = 0.1;
  const FloatMatrix factor = upper_factor(moments, damping);
  for (std::size_t i = 0; i < 24; ++i) {
    for (std::size_t j = 0; j < 24; ++j) {
      double sum = 0.0;
      for (std::size_t k = 0; k < 24; ++k) {
        sum += static_cast<double>(factor.at(i, k)) * static_cast<double>(factor.at(j, k));
      }
      const double expected = moments.at(i, j) + (i == j ? damping * mean_diagonal(moments) : 0.0);
      CHECK(sum == doctest::Approx(expected).epsilon(1e-5).scale(1.0));
      if (j < i) CHECK(factor.at(i, j) == 0.0F);
    }
  }
}

TEST_CASE("a solved system gives the right side back") {
  const DoubleMatrix moments = moments_of(random_matrix(60, 16, 7));
  const FloatMatrix right = random_matrix(5, 16, 8);
  const FloatMatrix solution = solve_right(moments, 0.05, right);
  for (std::size_t row = 0; row < right.rows; ++row) {
    for (std::size_t col = 0; col < right.cols; ++col) {
      double sum = 0.05 * mean_diagonal(moments) * static_cast<double>(solution.at(row, col));
      for (std::size_t k = 0; k < right.cols; ++k) {
        sum += static_cast<double>(solution.at(row, k)) * moments.at(k, col);
      }
      CHECK(sum == doctest::Approx(static_cast<double>(right.at(row, col))).epsilon(1e-4).scale(1.0));
    }
  }
}

TEST_CASE("moments without energy give an identity and zeros") {
  const DoubleMatrix nothing(3, 3);
  CHECK(upper_factor(nothing, 0.01).values == std::vector<float>{1, 0, 0, 0, 1, 0, 0, 0, 1});
  CHECK(solve_right(nothing, 0.01, random_matrix(2, 3, 9)).values == std::vector<float>(6, 0.0F));
}

}  // namespace pspllm::host
